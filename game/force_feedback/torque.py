"""Torque at the rim that a wheel shall give, per tick, as a sum of contributions.

Positive to the left, N m at the wheel's rim. With the user's amounts (setup.py) and the car's factors
(physics/steering/force_feedback_settings.py), theta the angle of the car's rim and sat a limit to -1..1:

    aligning  torque of the road at the car's rim, with power assist                    x factor
    road      amount (v_right - v_left), of the vertical speeds of the front wheels, above ROAD_FREQUENCY
    friction  -(amount x factor) sat(theta' / RATE); that at rest falls linearly to the other until STICK_SPEED
    damping   -(amount x factor) theta'
    inertia   -(amount x factor) theta'', smoothed
    lock      -amount times the angle of the wheel beyond the car's lock
    torque    gain x factor x sum

Friction, damping and inertia are left out of the sum where the wheel computes them itself. The torque of the road is
that of physics/steering/column.py; the lightness of tires that slide is in it, as their pneumatic trail vanishes.
"""

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from driving_sandbox.game.controls.rim import rim_lock
from driving_sandbox.game.force_feedback.setup import ForceSetup
from driving_sandbox.physics.base.record import field_names
from driving_sandbox.physics.steering.column import assist_of
from driving_sandbox.physics.steering.force_feedback_settings import force_feedback_settings

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

STICK_SPEED = 5.0  # m/s from which friction is that of driving (RC-FFB-04)
RATE = 0.3  # rad/s, rate of the rim from which friction is full: a wheel's encoder makes a smaller one noisy
ROAD_FREQUENCY = 3.0  # Hz, above the frequencies of the body on its springs, which the driver feels as roll and pitch
RATE_TIME = 0.02  # s, time constant of the rim's rate, of which the acceleration is the difference


class Contributions(NamedTuple):
    """Contributions to the torque, N m, before the gain."""

    aligning: float = 0.0
    road: float = 0.0
    friction: float = 0.0
    damping: float = 0.0
    inertia: float = 0.0
    lock: float = 0.0


class Resistances(NamedTuple):
    """Coefficients before the gain: dry friction in N m, damping in N m s/rad, inertia in kg m^2."""

    friction: float
    damping: float
    inertia: float


class RimTorque:
    """Reads a vehicle after each tick.

    Attributes:
        available: whether the vehicle has a torque at the rim, by its component of the slot `steering_column`.
        contributions: Contributions of the last tick.
        muted: names of contributions that are left out of the torque.
        factors: the car's factors.
        lock: largest angle of the car's rim, rad.
    """

    def __init__(self, vehicle: "Vehicle", tick_seconds: float) -> None:
        self.factors = force_feedback_settings(vehicle.info)
        self.contributions = Contributions()
        self.muted: set[str] = set()
        self._dt, self.lock = tick_seconds, rim_lock(vehicle)
        state, params = vehicle.state, vehicle.params
        slots = field_names(state.dtype)
        self.available = "steering_column" in slots and "road_torque" in field_names(state["steering_column"].dtype)
        if not self.available:
            return
        self._column: Any = state["steering_column"][0]
        self._params: Any = params["steering_column"][0]
        self._response: Any = state["response"][0]
        self._jounce_speeds: Any = None
        if "suspension" in slots and "jounce_speed" in field_names(state["suspension"].dtype):
            self._jounce_speeds = state["suspension"]["jounce_speed"][0]
        front = next(iter(vehicle.axles.values()))
        self._left, self._right = front[0], front[-1]
        self._rate = self._smooth_rate = self._low = 0.0

    def gain(self, setup: ForceSetup) -> float:
        """Factor on all contributions: the user's gain times the car's."""
        return setup.gain * self.factors["gain"]

    def resistances(self, setup: ForceSetup) -> Resistances:
        """Coefficients that the rim resists with now, by the user's amounts, the car's factors and the speed."""
        factors = self.factors
        moving = min(abs(float(self._response["speed"])) / STICK_SPEED, 1.0) if self.available else 0.0
        stick, friction = setup.stick_friction * factors["stick_friction"], setup.friction * factors["friction"]
        return Resistances(
            stick + moving * (friction - stick), setup.damping * factors["damping"], setup.inertia * factors["inertia"]
        )

    def step(self, setup: ForceSetup, own_effects: bool = False, beyond_lock: float = 0.0) -> float:
        """The torque after a tick, N m.

        Args:
            setup: ForceSetup of the wheel.
            own_effects: whether the wheel itself computes friction, damping and inertia.
            beyond_lock: angle of the wheel beyond the car's lock, rad, positive to the left.
        """
        if not self.available:
            return 0.0
        speed, rate = float(self._response["speed"]), float(self._column["rate"])
        aligning = float(self._column["road_torque"]) / (1.0 + assist_of(self._params, speed))
        friction, damping, inertia = (0.0, 0.0, 0.0) if own_effects else self.resistances(setup)
        before = self._smooth_rate
        self._smooth_rate += (rate - self._smooth_rate) * self._dt / (RATE_TIME + self._dt)
        acceleration = (self._smooth_rate - before) / self._dt
        self.contributions = Contributions(
            aligning=self.factors["aligning"] * aligning,
            road=setup.road * self._road_speed(),
            friction=-friction * min(1.0, max(-1.0, rate / RATE)),
            damping=-damping * rate,
            inertia=-inertia * acceleration,
            lock=-setup.soft_lock * beyond_lock,
        )
        felt = (value for name, value in self.contributions._asdict().items() if name not in self.muted)
        return self.gain(setup) * sum(felt)

    def _road_speed(self) -> float:
        """Difference of the front wheels' vertical speeds above ROAD_FREQUENCY, m/s."""
        if self._jounce_speeds is None:
            return 0.0
        difference = float(self._jounce_speeds[self._right] - self._jounce_speeds[self._left])
        self._low += (difference - self._low) * min(1.0, 2.0 * math.pi * ROAD_FREQUENCY * self._dt)
        return difference - self._low
