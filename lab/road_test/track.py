"""The test track: an endless plane of dry asphalt, a vehicle that starts from rest, and the trace of a run.

A `Trace` has a row for every tick, with signs as in lab/kinematics.py: yaw and steer angle are positive to the left,
roll is positive to the right.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from driving_sandbox.lab.drivers.motion import motion_of
from driving_sandbox.lab.kinematics import body_velocity
from driving_sandbox.lab.maneuvers import Maneuver
from driving_sandbox.lab.outcome import OutcomeMonitor
from driving_sandbox.physics.batch.trajectory import ORIENTATION, POSITION, SPIN, VELOCITY
from driving_sandbox.physics.tick.commands import NEUTRAL, neutral_command
from driving_sandbox.physics.world.world import World

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle
    from driving_sandbox.physics.world.world_file import WorldFile

SETTLING = 3.0  # s with the brake applied before a run, until springs are at rest and the engine idles
STEER, ENGINE = 13, 14  # columns of a row, behind those of a trajectory
COLUMNS = 15  # number of columns
OUTCOME_INTERVAL = 12  # ticks between checks for a spin or rollover: 20 per second at 240 Hz


@dataclass
class Trace:
    """One run, a row for every tick.

    Attributes:
        time: [n] s.
        rows: [n, 13] as in physics/batch/trajectory.py, but with positions of the centre of mass.
        steer: [n] mean angle of the first axle's wheels, rad, nan where they do not steer.
        engine: [n] speed, rad/s, nan without an engine.
        events: kinds of lab/outcome.py that happened.
    """

    time: np.ndarray
    rows: np.ndarray
    steer: np.ndarray
    engine: np.ndarray
    events: tuple

    def speed(self) -> np.ndarray:
        """[n] velocity along the longitudinal axis, m/s."""
        return body_velocity(self.rows)[0]

    def yaw_rate(self) -> np.ndarray:
        """[n] angular velocity about the vertical axis, positive to the left, rad/s."""
        return self.rows[:, SPIN][:, 2]


Driven = TypeVar("Driven", bound=Maneuver)


class TestTrack:
    """A vehicle alone on level asphalt; every run starts from the same state at rest.

    Args:
        vehicle: a Vehicle; its trailers come with it.
        world_file: a WorldFile of level ground.
    """

    __test__ = False  # not a test class of pytest, despite its name

    def __init__(self, vehicle: "Vehicle", world_file: "WorldFile") -> None:
        self.vehicle, self.world = vehicle, World(world_file, [vehicle])
        self.tick_seconds = self.world.tick_seconds
        self.gravity = float(-self.world.context["gravity"][0, 2])
        self.world.spawn()
        command = neutral_command()
        command["brake"], command["gear"] = 1.0, NEUTRAL
        for _ in range(round(SETTLING / self.tick_seconds)):
            self.world.step(command)
        self._rest = self.world.snapshot()
        self._steer = [view for view in map(self._channel, self._steer_channels()) if view is not None]
        self._engine = self._channel("engine.omega")

    def _steer_channels(self) -> list[str]:
        """Names of the steer angles of the first axle's wheels."""
        first = next(iter(self.vehicle.axles.values()))
        return [f"steering.{self.vehicle.wheel_names[i]}.angle" for i in first]

    def _channel(self, name: str) -> np.ndarray | None:
        """View of a channel of the vehicle, None if it has none of that name."""
        known = {channel.name for channel in self.vehicle.channels()}
        return self.vehicle.channel_view(name) if name in known else None

    def maneuver(self, kind: type[Driven], *arguments: Any) -> Driven:
        """A manoeuvre of that class for this vehicle and track."""
        return kind(self.vehicle, self.world, self.tick_seconds, *arguments)

    def to_rest(self) -> None:
        """Return to the state at rest in which runs start."""
        self.world.restore(self._rest)

    def run(self, driver: Callable, seconds: float, until: Callable | None = None,
            external: np.ndarray | None = None, start: bytes | None = None) -> Trace:  # fmt: skip
        """The Trace of a run, which a fault ends as well.

        Args:
            driver: gives a command for a Motion.
            seconds: time limit.
            until: called with each Motion; True ends the run.
            external: EXTERNAL array, one record per vehicle of the world, that acts in every tick, or None.
            start: snapshot of the world to begin from, None for the state at rest.
        """
        self.world.restore(start or self._rest)
        ticks = round(seconds / self.tick_seconds)
        rows = np.full((ticks, COLUMNS), math.nan)
        body = self.vehicle.state["body"][0]
        outcome = OutcomeMonitor([self.world.vehicles[i] for i in self.world.trains[0]])
        done = 0
        for tick in range(ticks):
            motion = motion_of(self.vehicle, tick * self.tick_seconds)
            if until is not None and until(motion):
                break
            if self.world.step(driver(motion), external) is not None:
                break
            row = rows[tick]
            row[POSITION], row[ORIENTATION] = body["position"], body["orientation"]
            row[VELOCITY], row[SPIN] = body["velocity"], body["angular_velocity"]
            if self._steer:
                row[STEER] = sum(float(view[0]) for view in self._steer) / len(self._steer)
            if self._engine is not None:
                row[ENGINE] = self._engine[0]
            done = tick + 1
            if tick % OUTCOME_INTERVAL == 0:
                outcome.step(motion.time)
        rows, times = rows[:done], (np.arange(done) + 1.0) * self.tick_seconds
        events = tuple(event.kind for event in outcome.events)
        return Trace(times, rows[:, :STEER], rows[:, STEER], rows[:, ENGINE], events)


def crossing(values: np.ndarray, level: float, times: np.ndarray) -> float:
    """Time at which [n] `values` first cross `level`, rising or falling, interpolated between rows; nan if never.

    Args:
        times: [n], of the values.
    """
    side = values >= level
    change = np.flatnonzero(side[1:] != side[:-1])
    if not len(change):
        return math.nan
    k = int(change[0])
    share = (level - values[k]) / (values[k + 1] - values[k])
    return float(times[k] + share * (times[k + 1] - times[k]))
