"""Inverse steering: from the angle of the steered wheels to the steer command, for any steering components.

    angle = -scale(v) response(command, v)

scale is the largest steer angle of the wheels, which some components reduce with speed; response is the vehicle's
steering linearity and its speed-dependent response table. A vehicle whose wheels do not steer (tracks) is assumed to
steer by up to TRACKED_STEER (proportions.py). Angles are positive to the left, commands to the right.
"""

import math
from bisect import bisect_left
from typing import TYPE_CHECKING

from driving_sandbox.lab.drivers.proportions import largest_steer, steers
from driving_sandbox.physics.base.record import field_names
from driving_sandbox.physics.command.linearity import linearize
from driving_sandbox.physics.command.response import steer_response
from driving_sandbox.physics.steering.ahead_of_mass import angle_limit

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

STEPS = 16  # commands at which the response is sampled; linear in between


class SteeringResponse:
    """Steering response of a vehicle at one speed.

    Attributes:
        lock: largest angle at that speed, rad.
        steers: whether the vehicle has wheels that steer.
    """

    def __init__(self, vehicle: "Vehicle") -> None:
        self._vehicle, self.steers = vehicle, steers(vehicle)
        # Whether the steering component reduces the largest angle with speed.
        self._own_limit = self.steers and "limit_at_rest" in field_names(vehicle.params["steering"].dtype)
        names = field_names(vehicle.params["response"].dtype)
        self._linearities = [name for name in ("controls_linearity", "steer_linearity") if name in names]
        self._steer = vehicle.state["response"]["steer"]
        self.update(0.0)

    def update(self, speed: float) -> None:
        """Adopt the present parameters of the vehicle and a forward speed, m/s."""
        self._scale = largest_steer(self._vehicle)
        if self._own_limit:
            self._scale = angle_limit(self._vehicle.params["steering"][0][0], speed)
        self._angles = [self._scale * self._share(k / STEPS, speed) for k in range(STEPS + 1)]
        self.lock = self._angles[-1]

    def _share(self, command: float, speed: float) -> float:
        """Response at a command 0..1, as a fraction of the scale."""
        params = self._vehicle.params["response"]
        for name in self._linearities:
            command = linearize(command, float(params[name][0]))
        return steer_response(params["steer_table"][0], command, speed)

    @property
    def angle(self) -> float:
        """Mean angle of the steered wheels after the last tick, rad."""
        return -self._scale * self._steer.item()

    def command(self, angle: float) -> float:
        """The command -1..1 that steers to an angle (rad), saturated beyond the lock."""
        magnitude = abs(angle)
        if magnitude >= self.lock:
            return -math.copysign(1.0, angle)
        k = max(bisect_left(self._angles, magnitude), 1)
        low, high = self._angles[k - 1], self._angles[k]
        fraction = (magnitude - low) / (high - low) if high > low else 0.0
        return -math.copysign((k - 1 + fraction) / STEPS, angle)
