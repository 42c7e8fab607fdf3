"""What if: the last seconds of driving are simulated again after every change of a parameter.

While what-if is on, each change repeats the last `span` seconds of the player's vehicle and its trailers from a
snapshot, with the recorded commands and external impulses, under the present parameters
(physics/batch/trajectory.py). A thread simulates in slices, each one compiled call that releases the GIL: frames
continue to be drawn, the new path grows slice by slice, and a newer change cancels an older one.
"""

import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.lab.difference import differences
from driving_sandbox.physics.batch.trajectory import Rerun, Segment
from driving_sandbox.physics.compile import CompileWorker, is_warm
from driving_sandbox.physics.vehicle.swap import candidate_text, component_files
from driving_sandbox.physics.world.world_file import WORLD_FOLDER

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

SPANS = (5.0, 10.0, 20.0)  # s, choices of the time that is simulated again
SLICE = 2.5  # s simulated in one call, which takes 3 ms; results are shown and jobs cancelled between slices
POLL_INTERVAL = 0.05  # s between polls of the worker while waiting


@dataclass(frozen=True)
class Outcome:
    """The effect that a change would have had, as far as it is simulated.

    Attributes:
        driven: rows (physics/batch/trajectory.py) driven before the change, from the start of the segment.
        changed: rows simulated with the change, from the start of the segment.
        interval: time from one row to the next, s.
        quantities: list of lab.difference.Quantity; [] before the first row.
        share: simulated share of the segment, 0..1.
        seconds: length of the segment, s.
        fault: why the simulation ended early, or None.
    """

    driven: np.ndarray
    changed: np.ndarray
    interval: float
    quantities: list
    share: float
    seconds: float
    fault: str | None = None


class WhatIf:
    """The what-if simulations of a session. Call `poll` once a frame.

    Args:
        session: game.session.session.Session.
    Attributes:
        span: s of driving that are simulated again.
        outcome: Outcome of the last change, or None.
        state: text for the user while there is no complete outcome, or "".
    """

    def __init__(self, session: Any) -> None:
        self._session = session
        self.span, self.state = SPANS[1], ""
        self.outcome: Outcome | None = None
        self._on = self._requested = False  # _requested: whether a change is not simulated yet
        self._rerun: Rerun | None = None
        self._vehicle: Vehicle | None = None  # for which the Rerun was made
        self._worker: CompileWorker | None = None  # None before one was needed
        self._worker_vehicle: Vehicle | None = None  # for which the worker compiles
        self._folder: tempfile.TemporaryDirectory | None = None  # of the vehicle file that the worker reads
        self._waiting: Any = None  # the job that the thread does next, "end" or None
        self._published: Outcome | None = None  # the latest, not fetched yet
        self._busy = False  # whether the thread simulates
        self._newest = 0  # number of the newest job, the only one whose results are shown
        self._warm: Vehicle | None = None  # the vehicle whose compiled call is known to be ready
        self._condition = threading.Condition()  # guards _waiting, _published, _busy and _newest
        self._thread: threading.Thread | None = None
        session.changes.on_change.append(self.changed)
        session.changes.on_jump.append(self.clear)
        session.changes.on_swap.append(self.clear)

    @property
    def on(self) -> bool:
        """Whether changes are simulated. Setting it discards the outcome; True then simulates the present values."""
        return self._on

    @on.setter
    def on(self, value: bool) -> None:
        self._on = bool(value)
        self.clear()
        if self._on:
            self.changed()

    def set_span(self, seconds: float) -> None:
        """Set how many seconds are simulated again, and simulate them."""
        self.span = seconds
        self.changed()

    def changed(self) -> None:
        """Request a simulation if what-if is on, as a parameter of the vehicle has changed."""
        self._requested = self._on

    def clear(self) -> None:
        """Discard the outcome and cancel the job, as the vehicle has jumped or has another component."""
        with self._condition:
            self._waiting = self._published = None
            self._newest += 1
        self.outcome, self.state = None, ""

    def poll(self) -> None:
        """Begin a requested simulation and fetch its results."""
        with self._condition:
            published, self._published = self._published, None
        if published is not None:
            self.outcome = published
            self.state = published.fault or ("" if published.share >= 1.0 else "computing")
        if self._requested and self._ready():
            self._requested = False
            self._begin()

    def wait(self, seconds: float = 120.0) -> bool:
        """Block until a requested simulation is done, compiling included; False if that took more than `seconds`."""
        deadline = monotonic() + seconds
        self.poll()
        while self._requested and monotonic() < deadline:
            sleep(POLL_INTERVAL)
            self.poll()
        with self._condition:
            idle = self._condition.wait_for(lambda: self._waiting is None and not self._busy, deadline - monotonic())
        self.poll()
        return idle and not self._requested

    def _ready(self) -> bool:
        """Whether the simulation can begin; while its compiled call is missing, a worker compiles it."""
        vehicle = self._session.vehicle
        if vehicle is self._warm or is_warm(vehicle, rerun=True):
            self._warm = vehicle
            return True
        if self._worker_vehicle is not vehicle:
            self._start_worker(vehicle)
        assert self._worker is not None
        if not self._worker.poll():
            self.state = f"cannot be compiled: {self._worker.error}" if self._worker.error else ""
            return not self._worker.error
        self.state = "compiling, once for this vehicle"
        return False

    def _start_worker(self, vehicle: "Vehicle") -> None:
        """Start to compile the call for this vehicle with its present components."""
        self._end_worker()
        world_file = self._session.world.file
        self._folder = tempfile.TemporaryDirectory(prefix="sandbox-what-if-")
        path = Path(self._folder.name) / "vehicle.yaml"
        path.write_text(candidate_text(vehicle), encoding="utf8")
        world = world_file.path if world_file else WORLD_FOLDER / "plane.yaml"
        self._worker, self._worker_vehicle = CompileWorker(path, world, trusted=component_files(vehicle)), vehicle

    def _end_worker(self) -> None:
        if self._worker is not None:
            self._worker.cancel()
            assert self._folder is not None
            self._folder.cleanup()

    def _begin(self) -> None:
        """Give the thread, started if needed, a new job: the last `span` seconds with the present parameters."""
        session = self._session
        segment = session.changes.segment(self.span)
        if segment is None:
            return
        if self._rerun is None or self._vehicle is not session.vehicle:
            self._vehicle = session.vehicle
            self._rerun = Rerun(session.vehicle, session.world)
        driven = session.changes.trajectory.rows(segment.tick, segment.tick + segment.ticks)
        job = (self._rerun, segment, self._rerun.parameters(), driven, dict(session.vehicle.axles))
        with self._condition:
            self._newest += 1
            self._waiting = (self._newest, *job)
            self._condition.notify_all()
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="what if", daemon=True)
            self._thread.start()

    def _work(self) -> None:
        """The thread's function: do the newest job, slice by slice, until the thread is told to end."""
        while True:
            with self._condition:
                self._busy = False
                self._condition.notify_all()
                self._condition.wait_for(lambda: self._waiting is not None)
                job, self._waiting, self._busy = self._waiting, None, True
            if job == "end":
                return
            self._simulate(*job)

    def _simulate(
        self, number: int, rerun: Rerun, segment: Segment, parameters: list[np.ndarray], driven: np.ndarray,
        axles: dict[str, Any],
    ) -> None:  # fmt: skip
        """Simulate a job slice by slice and publish the Outcome after each; stop once there is a newer job.

        Args:
            number: number of the job.
            rerun: physics.batch.trajectory.Rerun of the vehicle.
            segment: Segment to repeat.
            parameters: the parameters with which it is repeated, as from `Rerun.parameters`.
            driven: rows of the trajectory that was driven.
            axles: {name: wheel indices} of the vehicle.
        """
        tick_seconds = self._session.world.tick_seconds
        rerun.begin(segment, parameters)
        unfinished = True
        while unfinished and number == self._newest:
            unfinished = rerun.advance(round(SLICE / tick_seconds))
            trajectory = rerun.trajectory()
            quantities = differences(driven, trajectory, axles) if len(trajectory) and len(driven) else []
            share = 1.0 if not unfinished else rerun.done / segment.ticks
            outcome = Outcome(driven, trajectory, rerun.every * tick_seconds, quantities, share,
                              segment.ticks * tick_seconds, rerun.fault)  # fmt: skip
            with self._condition:
                if number == self._newest:
                    self._published = outcome

    def close(self) -> None:
        """End the thread and the worker."""
        self._end_worker()
        if self._thread is not None:
            with self._condition:
                self._waiting = "end"
                self._newest += 1
                self._condition.notify_all()
            self._thread.join()
            self._thread = None
