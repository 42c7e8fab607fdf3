"""The test track: level dry asphalt without end, a vehicle that starts from rest on it, and the trace of a run.

A `Trace` has a row for every tick. Signs as in the core: x right, y forward, z up; yaw, roll and steer angle follow
the right hand (yaw and steer angle positive to the left, roll positive to the right).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from driving_sandbox.lab.acceleration import centripetal
from driving_sandbox.lab.drivers.motion import motion_of
from driving_sandbox.lab.maneuvers import Maneuver
from driving_sandbox.lab.outcome import OutcomeMonitor
from driving_sandbox.physics.tick.commands import NEUTRAL, neutral_command
from driving_sandbox.physics.world.world import World

SETTLING = 3.0  # s of standing on the brake before a run: springs are at rest and the engine idles
WATCHED_EVERY = 12  # ticks between two looks at whether it spun or fell over: 20 a second at 240 Hz


@dataclass
class Trace:
    """One run, a row for every tick.

    Attributes:
        time: [n] s. position, velocity: [n, 3] world, m and m/s. orientation: [n, 4] quaternion. spin: [n, 3] world,
        rad/s. steer: [n] mean angle of the steered wheels of the first axle, rad, nan without. engine: [n] rad/s, nan
        without. events: kinds of lab/outcome.py that happened.
    """

    time: np.ndarray
    position: np.ndarray
    velocity: np.ndarray
    orientation: np.ndarray
    spin: np.ndarray
    steer: np.ndarray
    engine: np.ndarray
    events: tuple

    def forward(self) -> np.ndarray:
        """[n, 3] the vehicle's longitudinal axis in the world."""
        x, y, z, w = self.orientation.T
        return np.stack([2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)], axis=1)

    def speed(self) -> np.ndarray:
        """[n] velocity along the longitudinal axis, m/s."""
        return (self.velocity * self.forward()).sum(axis=1)

    def heading(self) -> np.ndarray:
        """[n] yaw angle, 0 facing +y, positive to the left, rad."""
        ahead = self.forward()
        return np.arctan2(-ahead[:, 0], ahead[:, 1])

    def distance(self) -> np.ndarray:
        """[n] distance of the centre of mass over the ground since the first row, m."""
        steps = np.linalg.norm(np.diff(self.position[:, :2], axis=0), axis=1)
        return np.concatenate([[0.0], np.cumsum(steps)])

    def centripetal(self) -> np.ndarray:
        """[n] centripetal acceleration, positive to the left, m/s^2; nan below walking speed."""
        return centripetal(self.velocity, self.time[1] - self.time[0])

    def yaw_rate(self) -> np.ndarray:
        """[n] about the vertical, positive to the left, rad/s."""
        return self.spin[:, 2]

    def roll(self) -> np.ndarray:
        """[n] angle of the vehicle's right-hand axis below the horizon, rad: positive leaning to the right."""
        x, y, z, w = self.orientation.T
        return -np.arcsin(np.clip(2.0 * (x * z - w * y), -1.0, 1.0))

    def sideslip(self) -> np.ndarray:
        """[n] angle from the heading to the velocity, positive to the left, rad."""
        ahead = self.forward()
        across = ahead[:, 0] * self.velocity[:, 1] - ahead[:, 1] * self.velocity[:, 0]
        return np.arctan2(across, (self.velocity[:, :2] * ahead[:, :2]).sum(axis=1))


class TestTrack:
    """A vehicle alone on level asphalt; every run starts from the same rest.

    Args:
        vehicle: a Vehicle; its trailers come with it. world_file: a WorldFile of level ground.
    """

    __test__ = False  # of pytest

    def __init__(self, vehicle, world_file):
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

    def _steer_channels(self):
        first = next(iter(self.vehicle.axles.values()))
        return [f"steering.{self.vehicle.wheel_names[i]}.angle" for i in first]

    def _channel(self, name):
        known = {channel.name for channel in self.vehicle.channels()}
        return self.vehicle.channel_view(name) if name in known else None

    def maneuver(self, kind: type[Maneuver], *arguments: Any) -> Maneuver:
        """A manoeuvre of that class for this vehicle and track."""
        return kind(self.vehicle, self.world, self.tick_seconds, *arguments)

    def to_rest(self) -> None:
        """Stand on the start again, as before every run."""
        self.world.restore(self._rest)

    def run(self, driver: Callable, seconds: float, until: Callable | None = None, external=None, start=None) -> Trace:
        """Drive from rest.

        Args:
            driver: gives a command for a Motion. seconds: at most. until: called with each Motion; True ends the run.
            external: EXTERNAL record that acts in every tick, or None. start: snapshot of the world to begin from
                instead.
        """
        self.world.restore(start or self._rest)
        ticks = round(seconds / self.tick_seconds)
        rows = np.full((ticks, 15), math.nan)
        body, outcome = (
            self.vehicle.state["body"][0],
            OutcomeMonitor([self.world.vehicles[i] for i in self.world.trains[0]]),
        )
        position, velocity = body["position"], body["velocity"]
        orientation, spin = body["orientation"], body["angular_velocity"]
        done = 0
        for tick in range(ticks):
            motion = motion_of(self.vehicle, tick * self.tick_seconds)
            if until is not None and until(motion):
                break
            if self.world.step(driver(motion), external) is not None:
                break
            row = rows[tick]
            row[0:3], row[3:6], row[6:10], row[10:13] = position, velocity, orientation, spin
            if self._steer:
                row[13] = sum(float(view[0]) for view in self._steer) / len(self._steer)
            if self._engine is not None:
                row[14] = self._engine[0]
            done = tick + 1
            if tick % WATCHED_EVERY == 0:
                outcome.step(motion.time)
        return _trace(rows[:done], self.tick_seconds, outcome)


def _trace(rows, tick_seconds, outcome):
    return Trace(
        (np.arange(len(rows)) + 1.0) * tick_seconds,
        rows[:, 0:3],
        rows[:, 3:6],
        rows[:, 6:10],
        rows[:, 10:13],
        rows[:, 13],
        rows[:, 14],
        tuple(event.kind for event in outcome.events),
    )


def crossing(values: np.ndarray, level: float, times: np.ndarray, after: int = 0) -> float:
    """Time at which rising or falling `values` first pass `level` from row `after` on, between two rows; nan if never.

    Args:
        values, times: [n].
    """
    side = values[after:] >= level
    change = np.flatnonzero(side[1:] != side[:-1])
    if not len(change):
        return math.nan
    k = after + int(change[0])
    share = (level - values[k]) / (values[k + 1] - values[k])
    return float(times[k] + share * (times[k + 1] - times[k]))
