"""Events that make the measures of a drive's handling invalid.

spin        sideslip angle above SPIN_ANGLE, forwards or backwards, at more than MIN_SPEED
rollover    tilt of the vehicle's vertical axis above ROLLOVER_ANGLE
impact      contact of the bodywork with a surface steeper than WALL_SLOPE: a wall, a rail, another object, not the
            ground

Every vehicle of a train is monitored: a trailer that rolls over is a rollover of the drive.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from driving_sandbox.physics.base.record import field_names
from driving_sandbox.physics.contact.records import CONTACT_CAPACITY
from driving_sandbox.physics.maths.quat import rotate_inverse

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

SPIN_ANGLE = math.radians(60.0)  # of sideslip; controlled drifts reach 50 degrees
MIN_SPEED = 3.0  # m/s, in the plane of the vehicle's floor; the sideslip of a parked or pushed car is no spin
ROLLOVER_ANGLE = math.radians(60.0)  # beyond the static rollover limit of cars and lorries (40 to 55 degrees)
WALL_SLOPE = math.radians(60.0)  # the worlds' slopes and ramps are less steep
SPIN_OUT, ROLL_OVER, HIT = "spin", "rollover", "impact"
WORDS = {SPIN_OUT: "spun", ROLL_OVER: "rolled over", HIT: "hit something"}


@dataclass(frozen=True)
class Event:
    """An event.

    Attributes:
        kind: SPIN_OUT, ROLL_OVER or HIT.
        time: time of its first occurrence, s from the start of the drive.
    """

    kind: str
    time: float

    def __str__(self) -> str:
        return f"{WORDS[self.kind]} at {self.time:.1f} s"


class OutcomeMonitor:
    """Watches a train for events; call `step` after every tick.

    Args:
        vehicles: of a train, the driven one first.
    Attributes:
        events: list of Event in order of time, the first of each kind in any of the vehicles.
    """

    def __init__(self, vehicles: Iterable["Vehicle"]) -> None:
        monitors = [_VehicleMonitor(vehicle) for vehicle in vehicles]
        self.events: list[Event] = []
        self._pending = {  # checks of the kinds that have not occurred
            SPIN_OUT: [monitor.spins for monitor in monitors],
            ROLL_OVER: [monitor.rolled for monitor in monitors],
            HIT: [monitor.hit for monitor in monitors],
        }

    def step(self, time: float) -> None:
        """Check the present state. time: s from the start of the drive."""
        for kind in [kind for kind, checks in self._pending.items() if any(check() for check in checks)]:
            del self._pending[kind]
            self.events.append(Event(kind, time))


class _VehicleMonitor:
    """Checks of one vehicle's present state."""

    def __init__(self, vehicle: "Vehicle") -> None:
        body = vehicle.state["body"][0]
        self._orientation, self._velocity = body["orientation"], body["velocity"]
        self._solver = vehicle.state["contact"]["solver"][0] if "contact" in field_names(vehicle.state.dtype) else None

    def spins(self) -> bool:
        """Whether the sideslip angle is too large."""
        velocity = self._velocity.tolist()
        if math.hypot(*velocity) < MIN_SPEED:
            return False
        right, forward, _ = rotate_inverse(tuple(self._orientation.tolist()), tuple(velocity))
        return math.hypot(forward, right) > MIN_SPEED and math.atan2(abs(right), abs(forward)) > SPIN_ANGLE

    def rolled(self) -> bool:
        """Whether the vehicle is tilted too far."""
        x, y, _, _ = self._orientation.tolist()
        return 1.0 - 2.0 * (x * x + y * y) < math.cos(ROLLOVER_ANGLE)  # z of the vehicle's vertical axis

    def hit(self) -> bool:
        """Whether the bodywork touches a steep face."""
        if self._solver is None or not self._solver["contact_count"]:
            return False
        count = min(int(self._solver["contact_count"]), CONTACT_CAPACITY)
        contacts = self._solver["contacts"][:count]
        steep = np.abs(contacts["normal"][:, 2]) < math.cos(WALL_SLOPE)
        return bool((steep & (contacts["tick_impulse"] > 0.0)).any())
