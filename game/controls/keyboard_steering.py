"""The steering aid of the keyboard: a steer command, limited by grip and speed, from held steering keys.

A key says "to the left", not how far. The demand s, -1..1, follows the keys by a first-order lag, so that a tap steers
in proportion to its length. It is a share of the curvature that the vehicle can drive; a curvature wanted besides (line
aid) is added to the keys as a share of it:

    kappa = s min(tan(lock) / L, A / v^2)               A the lateral acceleration that grip or tipping allows
    delta = atan(L kappa) + K kappa v^2                 K the understeer gradient, learned while driving
          + YAW_GAIN (L / v + K v) (r_ref - r)          r_ref = kappa v, delayed as a vehicle's yaw rate is
    |delta - theta_f| <= FRONT_SLIP                     theta_f = atan((v_y + a r) / v), direction in which the
                                                        front axle moves
The third line counters a yaw rate that was not asked for, for example when the rear steps out as the throttle is
lifted; the fourth keeps the front tires from sliding and steers them into the slide, however the keys are held. At low
speed and in reverse the keys have the whole lock at once.

While the handbrake is pulled, and until the slide that it began has ended, the yaw rate is left to the driver, whose
keys set the front tires' slip angle:

    delta = theta_f + s FRONT_SLIP

so that the front wheels point where they move while no key is held, as caster turns the wheels of a car in a drift.

K begins with the gradient of the vehicle's file, or the one estimated from its axles, tires and compliance, plus
HARD_CORNERING. It is learned by least mean squares (LMS) from the steer angle beyond atan(L r / v).
Angles, s and yaw rate r are positive to the left; L is the wheelbase, a the distance from the centre of mass forward
to the foremost axle, v the forward speed, v_y the lateral speed. Commands are +1 to the right; the vehicle's own key
rates act on them in the tick. A command is a deterministic function of the keys, the vehicle's state and the gradient
learned before.
"""

import math
from typing import TYPE_CHECKING, NamedTuple

from driving_sandbox.lab.drivers.lateral_limit import lateral_limit
from driving_sandbox.lab.drivers.proportions import front_axle, wheelbase
from driving_sandbox.lab.drivers.steering_response import SteeringResponse
from driving_sandbox.physics.maths.quat import rotate_inverse
from driving_sandbox.physics.vehicle.understeer import understeer

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

KEY_TIME = 0.12  # s, lag of the demand behind the keys: shorter makes taps jerk, longer makes the car respond late
NO_AID_SPEED = 3.0  # m/s; below it keys are full lock, as for parking
FULL_AID_SPEED = 8.0  # m/s; from there on the aid acts in full
YAW_TIME = 0.1  # s, lag of a car's yaw rate behind its steering: without it every turn would be overdriven
YAW_GAIN = 2.3  # correcting steer angle / steady steer angle for the yaw rate's error; above about 4 it oscillates
CAR_WHEELBASE = 3.5  # m; for longer wheelbases YAW_TIME and YAW_GAIN grow in proportion: the path follows a tap later
FRONT_SLIP = math.radians(8.0)  # largest slip angle of the front tires: a little beyond the peak of road tires
SLIDING = math.radians(6.0)  # sideslip below which a slide begun by the handbrake has ended
TYPICAL_GRADIENT = 9e-4  # rad s^2/m^2, typical K / L of a car, 1.3 degrees per g; for vehicles without an estimate
TRACK_GRADIENT = 0.03  # rad s^2/m, typical K of vehicles steered by their tracks, whose full lock is TRACKED_STEER
# rad s^2/m by which K at 5 m/s^2 exceeds K in gentle bends: 0.5 degrees per g, the mean of ten vehicles.
HARD_CORNERING = 9e-4
LEARNED_RANGE = 2.0  # largest |learned K - first K| / typical K; a larger error means that the vehicle slides
LEARN_TIME = 1.0  # s, time constant of learning K in a bend of LEARN_ACCELERATION
LEARN_ACCELERATION = 4.0  # m/s^2; the weight of a bend grows with the square of its lateral acceleration
NOTABLE_CORRECTION = math.radians(2.0)  # from which the aid counts as acting: ordinary bends need less
UPDATE_TIME = 0.1  # s between readings of parameters, grip and the steering's tables over speed
DECIMALS = 3  # decimals of the command, so that it is exactly 0 on a straight road


class PlanarVelocity(NamedTuple):
    """Velocity of the centre of mass in the vehicle's axes, m/s, and yaw rate, rad/s to the left."""

    ahead: float
    left: float
    yaw_rate: float


class KeyboardSteering:
    """The steering aid for keys in one vehicle, whose state and parameters it only reads.

    Attributes:
        limiting: whether it kept the front tires from sliding, or countered a yaw rate, in the last command.
    """

    def __init__(self, vehicle: "Vehicle") -> None:
        self._vehicle = vehicle
        self._body = vehicle.state["body"][0]  # record of the body's state
        self._response = SteeringResponse(vehicle)
        self._limit: float | None = None  # m/s^2, lateral acceleration that grip or tipping allows
        self._wheelbase, self._front_axle_distance = wheelbase(vehicle), front_axle(vehicle)
        self._typical_gradient = TYPICAL_GRADIENT * self._wheelbase if self._response.steers else TRACK_GRADIENT
        self._gradient = self._first_gradient = self._expected_gradient()  # K as learned, and before any learning
        self.release()

    def _expected_gradient(self) -> float:
        """The understeer gradient K before any learning, rad s^2/m."""
        gradient = understeer(self._vehicle)
        return self._typical_gradient if gradient is None else gradient + HARD_CORNERING

    def release(self) -> None:
        """Reset the demand and the reference yaw rate; the learned gradient stays."""
        # demand s and reference yaw rate r_ref (rad/s) of the module's docstring; seconds until `_update_vehicle` reads
        self._demand = self._reference = self._until_update = 0.0
        self._sliding = False  # whether a slide that the handbrake began has not ended
        self._correction = 0.0  # rad, steer angle that counters the yaw rate's error
        self.limiting = False

    def command(self, key: float, handbrake: bool, dt: float, curvature: float = 0.0) -> float:
        """Steer command of the coming tick of `dt` seconds, -1..1, +1 to the right.

        Args:
            key: +1 while the key to the right is held, -1 to the left, 0 for none or both.
            handbrake: whether the handbrake is pulled.
            dt: length of the tick, s.
            curvature: added to that of the keys, 1/m, positive to the left.
        """
        motion = self.motion()
        if motion.ahead < NO_AID_SPEED:
            self.release()
            self._demand = -key
            return key
        self._update_vehicle(motion.ahead, dt)
        aid_share = min((motion.ahead - NO_AID_SPEED) / (FULL_AID_SPEED - NO_AID_SPEED), 1.0)
        wanted = min(max(-key + curvature / self._largest_curvature(motion.ahead), -1.0), 1.0)
        self._demand += (wanted - self._demand) * dt / max(KEY_TIME * aid_share, dt)
        self._watch_slide(motion, handbrake)
        front_direction = math.atan2(motion.left + self._front_axle_distance * motion.yaw_rate, motion.ahead)
        slip = FRONT_SLIP + (1.0 - aid_share) * self._response.lock
        if self._sliding:
            free, self._reference = front_direction + self._demand * slip, motion.yaw_rate
        else:
            free = self._turn(motion, aid_share, dt)
        angle = min(max(free, front_direction - slip), front_direction + slip)
        self.limiting = self._sliding or angle != free or abs(self._correction) > NOTABLE_CORRECTION
        return round(self._response.command(angle), DECIMALS)

    def _largest_curvature(self, speed: float) -> float:
        """Curvature of the demand 1 at a forward speed (m/s), 1/m."""
        assert self._limit is not None  # `_update_vehicle` has read it
        return min(math.tan(self._response.lock) / self._wheelbase, self._limit / (speed * speed))

    def motion(self) -> PlanarVelocity:
        """The vehicle's present PlanarVelocity."""
        orientation = tuple(self._body["orientation"].tolist())
        right, ahead, _ = rotate_inverse(orientation, tuple(self._body["velocity"].tolist()))
        yaw_rate = rotate_inverse(orientation, tuple(self._body["angular_velocity"].tolist()))[2]
        return PlanarVelocity(ahead, -right, yaw_rate)

    def _update_vehicle(self, speed: float, dt: float) -> None:
        """Read the values that may change while driving: parameters, and the grip of the ground."""
        self._until_update -= dt
        if self._until_update > 0.0:
            return
        self._until_update = UPDATE_TIME
        self._response.update(speed)
        self._wheelbase, self._front_axle_distance = wheelbase(self._vehicle), front_axle(self._vehicle)
        self._limit = lateral_limit(self._vehicle, self._limit)

    def _watch_slide(self, motion: PlanarVelocity, handbrake: bool) -> None:
        """Update `_sliding`: it begins with the handbrake and ends once the sideslip is small."""
        if handbrake:
            self._sliding = True
        elif self._sliding:
            self._sliding = abs(math.atan2(motion.left, motion.ahead)) > SLIDING

    def _turn(self, motion: PlanarVelocity, aid_share: float, dt: float) -> float:
        """The demanded steer angle unless the handbrake began a slide, rad; `aid_share`: share of the aid, 0..1."""
        v, r = motion.ahead, motion.yaw_rate
        self._learn(v, r, dt)
        kappa = self._demand * self._largest_curvature(v)
        size_factor = max(1.0, self._wheelbase / CAR_WHEELBASE)
        self._reference += (kappa * v - self._reference) * min(dt / (size_factor * YAW_TIME), 1.0)
        angle = math.atan(self._wheelbase * kappa) + self._gradient * kappa * v * v
        per_yaw_rate = self._wheelbase / v + self._gradient * v
        self._correction = aid_share * size_factor * YAW_GAIN * per_yaw_rate * (self._reference - r)
        return angle + self._correction

    def _learn(self, v: float, r: float, dt: float) -> None:
        """Learn the understeer gradient; `v`: forward speed, `r`: yaw rate, both as in the module's docstring."""
        acceleration = v * r
        error = self._response.angle - math.atan(self._wheelbase * r / v) - self._gradient * acceleration
        gradient = self._gradient + error * acceleration / LEARN_ACCELERATION**2 * min(dt / LEARN_TIME, 1.0)
        spread = LEARNED_RANGE * self._typical_gradient
        self._gradient = min(max(gradient, self._first_gradient - spread), self._first_gradient + spread)
