"""Outcomes of a drive that invalidate its figures of the vehicle's handling.

spin        sideslip angle above SPIN, forwards or backwards, at more than MOVING
rollover    tilt of the vehicle's vertical axis above ROLLOVER
impact      contact of the bodywork with a surface steeper than WALL: a wall, a rail, another object, not the ground

Every vehicle of a train is monitored: a trailer that rolls over is a rollover of the drive.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from driving_sandbox.physics.contact.records import CONTACT_CAPACITY

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

SPIN = math.radians(60.0)  # sideslip beyond any controlled drift, which reaches 50 degrees
MOVING = 3.0  # m/s; at less, the sideslip of a parked or pushed car means nothing
ROLLOVER = math.radians(60.0)  # beyond the static rollover limit of cars and lorries (40 to 55 degrees)
WALL = math.radians(60.0)  # slope of a surface; the worlds' slopes and ramps are less steep
SPIN_OUT, ROLL_OVER, HIT = "spin", "rollover", "impact"
WORDS = {SPIN_OUT: "spun", ROLL_OVER: "rolled over", HIT: "hit something"}


@dataclass(frozen=True)
class Event:
    """kind: a key of WORDS. time: first occurrence, s from the start of the drive."""

    kind: str
    time: float

    def __str__(self):
        return f"{WORDS[self.kind]} at {self.time:.1f} s"


class OutcomeMonitor:
    """Call `step` after every tick.

    Args:
        vehicles: of a train, the driven one first.
    Attributes:
        events: list of Event, the first of each kind in any of the vehicles, by time.
    """

    def __init__(self, vehicles):
        watches = [_VehicleMonitor(vehicle) for vehicle in vehicles]
        self.events = []
        self._left = {
            SPIN_OUT: [watch.spins for watch in watches],
            ROLL_OVER: [watch.rolled for watch in watches],
            HIT: [watch.hit for watch in watches],
        }

    def step(self, time: float) -> None:
        """Look at the state at a time, s."""
        for kind in [kind for kind, looks in self._left.items() if any(look() for look in looks)]:
            del self._left[kind]
            self.events.append(Event(kind, time))


class _VehicleMonitor:
    """Events of one vehicle."""

    def __init__(self, vehicle: "Vehicle") -> None:
        body = vehicle.state["body"][0]
        self._orientation, self._velocity = body["orientation"], body["velocity"]
        self._solver = vehicle.state["contact"]["solver"][0] if "contact" in vehicle.state.dtype.names else None

    def spins(self):
        vx, vy, vz = self._velocity.tolist()
        if vx * vx + vy * vy + vz * vz < MOVING * MOVING:
            return False
        x, y, z, w = self._orientation.tolist()
        right = vx * (1.0 - 2.0 * (y * y + z * z)) + vy * 2.0 * (x * y + w * z) + vz * 2.0 * (x * z - w * y)
        ahead = vx * 2.0 * (x * y - w * z) + vy * (1.0 - 2.0 * (x * x + z * z)) + vz * 2.0 * (y * z + w * x)
        return math.hypot(ahead, right) > MOVING and math.atan2(abs(right), abs(ahead)) > SPIN

    def rolled(self):
        x, y, _, _ = self._orientation.tolist()
        return 1.0 - 2.0 * (x * x + y * y) < math.cos(ROLLOVER)

    def hit(self):
        if self._solver is None or not self._solver["contact_count"]:
            return False
        count = min(int(self._solver["contact_count"]), CONTACT_CAPACITY)
        contacts = self._solver["contacts"][:count]
        steep = np.abs(contacts["normal"][:, 2]) < math.cos(WALL)
        return bool((steep & (contacts["tick_impulse"] > 0.0)).any())
