"""The effect of a parameter of the driven vehicle, swept in a worker process while the drive continues."""

from collections.abc import Sequence
from typing import Any

from driving_sandbox.lab.maneuvers import MANEUVERS
from driving_sandbox.lab.sweep import Point, Request, SweepWorker, parameter_value, points_of
from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.vehicle.swap import component_files
from driving_sandbox.physics.vehicle.vehicle_file import vehicle_text

FLAT_WORLD = "plane"  # world of every manoeuvre that needs no driving line
FIRST_MANEUVER = "step_steer"  # the manoeuvre until another is chosen


class Effect:
    """Sweeps of parameters of the driven vehicle. Call `poll` once a frame.

    Args:
        session: game.session.session.Session.
    Attributes:
        names: parameters swept together, or ().
        mirrored: the parameters among them that take the mirrored value, as on the other side of the vehicle.
        maneuver: name of the manoeuvre.
        present: value of the first parameter when the sweep began.
        worker: SweepWorker of the last sweep, or None.
        error: why there is no sweep or why it failed, or "".
    """

    def __init__(self, session: Any) -> None:
        self._session = session
        self.maneuver = FIRST_MANEUVER
        self.names: tuple[str, ...] = ()
        self.mirrored: tuple[str, ...] = ()
        self.present: float | None = None
        self.worker: SweepWorker | None = None
        self.error = ""

    @property
    def points(self) -> list[Point]:
        """Points of the sweep computed so far, [] without a sweep."""
        return self.worker.points if self.worker else []

    @property
    def running(self) -> bool:
        """Whether a sweep is being computed."""
        return self.worker is not None and not self.worker.done

    def sweep(self, names: Sequence[str], mirrored: Sequence[str] = ()) -> None:
        """Cancel a running sweep and sweep these parameters."""
        self.names, self.mirrored = tuple(names), tuple(mirrored)
        self.begin()

    def choose(self, maneuver: str) -> None:
        """Choose the manoeuvre and begin the sweep again."""
        self.maneuver = maneuver
        self.begin()

    def begin(self) -> None:
        """Begin the sweep of `names` with the present vehicle, or set `error`; a running one is cancelled."""
        self.cancel()
        self.worker, self.error = None, ""
        if not self.names:
            return
        tuning = self._session.tuning
        vehicle, world_file = tuning.vehicle, self._session.world.file
        if tuning.chosen:
            self.error = "only parameters of the towing vehicle can be swept"
            return
        try:
            points = points_of(vehicle, self.names, mirrored=self.mirrored)
        except UserError as error:
            self.error = str(error)
            return
        self.present = parameter_value(vehicle, self.names[0])[2]  # of (path, index, value)
        world = str(world_file.path) if self.maneuver == "lap" and world_file else FLAT_WORLD
        path = str(vehicle.info.get("path", "vehicle.yaml"))
        files = component_files(vehicle)
        self.worker = SweepWorker(Request(vehicle_text(vehicle), path, world, self.maneuver,
                                          MANEUVERS[self.maneuver].seconds, points, trust=files))  # fmt: skip

    def poll(self) -> None:
        """Fetch the error of a sweep."""
        if self.worker is not None:
            self.error = self.worker.error or ""

    def cancel(self) -> None:
        """End a running sweep; its points stay."""
        if self.worker is not None and self.running:
            self.worker.cancel()

    def close(self) -> None:
        """End the worker."""
        self.cancel()
