"""Steering by a wheel whose rotation is known: its rim turns as the car's does, angle for angle.

    wheel angle = rim angle / ratio        ratio of the car's steering column, or USUAL_RATIO without one

The command that steers the wheels to that angle undoes the vehicle's tables and linearity at its speed. Beyond the
car's lock the rim goes on, against the soft lock of force feedback.
"""

import math
from typing import TYPE_CHECKING

from driving_sandbox.lab.drivers.proportions import largest_steer
from driving_sandbox.lab.drivers.steering_response import SteeringResponse
from driving_sandbox.physics.base.record import field_names

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

USUAL_RATIO = 15.0  # of passenger cars
UPDATE_TIME = 0.05  # s between readings of parameters and tables; the speed hardly changes meanwhile


def steering_ratio(vehicle: "Vehicle") -> float:
    """Angle of the rim divided by that of the wheels."""
    params = vehicle.params
    if "steering_column" in field_names(params.dtype) and "ratio" in field_names(params["steering_column"].dtype):
        return float(params["steering_column"]["ratio"][0])
    return USUAL_RATIO


def rim_lock(vehicle: "Vehicle") -> float:
    """Largest angle of the car's rim, rad."""
    return steering_ratio(vehicle) * largest_steer(vehicle)


class RimSteering:
    """Steers one vehicle by the angle of a rim."""

    def __init__(self, vehicle: "Vehicle") -> None:
        self._vehicle, self._response = vehicle, SteeringResponse(vehicle)
        self._ratio, self._until_update = USUAL_RATIO, 0.0

    def command(self, angle: float, speed: float, dt: float) -> float:
        """Steer command of the coming tick, -1..1, +1 to the right.

        Args:
            angle: of the rim, rad, positive to the right.
            speed: forward speed, m/s.
            dt: length of the tick, s.
        """
        self._until_update -= dt
        if self._until_update <= 0.0:
            self._until_update, self._ratio = UPDATE_TIME, steering_ratio(self._vehicle)
            self._response.update(speed)
        return self._response.command(-angle / self._ratio)


def beyond_lock(angle: float, lock: float) -> float:
    """By how much an angle of the rim is beyond the lock, rad, with the angle's sign."""
    return math.copysign(max(0.0, abs(angle) - lock), angle)
