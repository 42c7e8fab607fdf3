"""What held steering keys become: a steer command limited by grip and speed.

A key says "to the left", not how far. The demand s, -1..1, follows the keys by a first-order lag, so that what a tap
does is in proportion to its length, and is a share of the curvature that the vehicle can drive:

    kappa = s min(tan(lock) / L, A / v^2)               A the lateral acceleration that grip or tipping allows
    delta = atan(L kappa) + K kappa v^2                 K the understeer gradient, learned while driving
          + YAW_GAIN (L / v + K v) (r_ref - r)          r_ref = kappa v, as late as a vehicle answers
    |delta - theta_f| <= FRONT_SLIP                     theta_f = atan((v_y + a r) / v), course of the front axle

The third line steers against a yaw rate that was not asked for, as of a rear that steps out when the throttle is
lifted; the fourth keeps the front tires from sliding and turns them into the slide, however the keys are
held. At low speed and in reverse the keys have the whole lock at once.

While the handbrake is pulled, and until the slide that it began has ended, the yaw rate is the driver's own affair: the
keys have the whole lock, limited by the front tires' slip alone.

K is learned by the normalised gradient rule (LMS) from the angle beyond L r / v. Angles, s and yaw rate r are positive
to the left; L wheelbase, a distance of the foremost axle ahead of the centre of mass, v forward speed. Commands are +1
to the right; the vehicle's own key rates act on them in the tick. Deterministic: decides from the vehicle's state and
from what it learned before.
"""

import math
from typing import TYPE_CHECKING, NamedTuple

from driving_sandbox.lab.drivers.lateral_limit import lateral_limit
from driving_sandbox.lab.drivers.proportions import front_axle, wheelbase
from driving_sandbox.lab.drivers.steering_response import SteeringResponse
from driving_sandbox.physics.maths.quat import rotate_inverse

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

KEY_TIME = 0.12  # s, lag of the demand behind the keys: shorter makes single taps jerk, longer makes the car late
WALKING, DRIVING = 3.0, 8.0  # m/s between which the aid comes in; slower, parking wants the lock
ANSWER_TIME = 0.1  # s, lag of a car's yaw rate behind its steering: asked for earlier, every turn would be overdriven
YAW_GAIN = 2.3  # steer angle against a yaw rate over the angle that gives it; above about 4 the key rates make it swing
CAR_WHEELBASE = 3.5  # m; of longer vehicles both are greater in proportion, as their path follows a tap later
FRONT_SLIP = math.radians(8.0)  # slip angle of the front tires: a little beyond where road tires hold most
SLIDING = math.radians(6.0)  # sideslip below which a slide begun by the handbrake has ended
GRADIENT_PER_WHEELBASE = 6.5e-4  # rad s^2/m^2, K / L before anything was learned: about that of all shipped vehicles
TRACK_GRADIENT = 0.03  # rad s^2/m, the same for vehicles that steer by their tracks, with the angle of UNSTEERED
LEAST_GRADIENT, LARGEST_GRADIENT = -1.0, 3.0  # times the first one; what is beyond is no steady bend but a slide
LEARN_TIME = 1.0  # s over which K is learned in a bend of
LEARN_FROM = 4.0  # m/s^2; gentler bends say less, by the square
LOOK_TIME = 0.1  # s between looks at parameters, grip and speed of the steering's tables
DECIMALS = 3  # of the command: on a straight road it is exactly 0


class Course(NamedTuple):
    """Motion of the centre of mass in the vehicle's axes: m/s ahead, m/s to the left, rad/s to the left."""

    ahead: float
    left: float
    yaw_rate: float


class KeyboardSteering:
    """The steering aid of a person with keys in a vehicle, which it only reads."""

    def __init__(self, vehicle: "Vehicle") -> None:
        self._vehicle = vehicle
        self._body = vehicle.state["body"][0]
        self._response = SteeringResponse(vehicle)
        self._limit = None
        self._base, self._ahead = wheelbase(vehicle), front_axle(vehicle)
        self._first_gradient = GRADIENT_PER_WHEELBASE * self._base if self._response.steers else TRACK_GRADIENT
        self._gradient = self._first_gradient
        self.release()

    def release(self) -> None:
        """Reset the commands; what was learned of the vehicle stays."""
        self._demand = self._reference = self._until_look = 0.0
        self._sliding = False

    def command(self, key, handbrake, dt):
        """Steer command of the coming tick of `dt` seconds, -1..1, +1 to the right.

        key: +1 while the key to the right is held, -1 to the left, 0 for none or both. handbrake: whether it is pulled.
        """
        course = self._course()
        if course.ahead < WALKING:
            self.release()
            self._demand = -key
            return key
        self._look(course.ahead, dt)
        presence = min((course.ahead - WALKING) / (DRIVING - WALKING), 1.0)
        self._demand += (-key - self._demand) * dt / max(KEY_TIME * presence, dt)
        self._watch_slide(course, handbrake)
        angle = self._slide(course) if self._sliding else self._turn(course, presence, dt)
        direction = math.atan2(course.left + self._ahead * course.yaw_rate, course.ahead)
        slip = FRONT_SLIP + (1.0 - presence) * self._response.lock
        return round(self._response.command(min(max(angle, direction - slip), direction + slip)), DECIMALS)

    def _course(self):
        turn = tuple(self._body["orientation"].tolist())
        right, ahead, _ = rotate_inverse(turn, tuple(self._body["velocity"].tolist()))
        return Course(ahead, -right, rotate_inverse(turn, tuple(self._body["angular_velocity"].tolist()))[2])

    def _look(self, speed, dt):
        """Parameters may change while driving, and grip with the ground."""
        self._until_look -= dt
        if self._until_look > 0.0:
            return
        self._until_look = LOOK_TIME
        self._response.look(speed)
        self._base, self._ahead = wheelbase(self._vehicle), front_axle(self._vehicle)
        self._limit = lateral_limit(self._vehicle, self._limit)

    def _watch_slide(self, course, handbrake):
        if handbrake:
            self._sliding = True
        elif self._sliding:
            self._sliding = abs(math.atan2(course.left, course.ahead)) > SLIDING

    def _slide(self, course):
        """Angle asked for in a slide that the driver wanted, rad."""
        self._reference = course.yaw_rate
        return self._demand * self._response.lock

    def _turn(self, course, presence, dt):
        """Angle asked for when driving, rad."""
        v, r = course.ahead, course.yaw_rate
        self._learn(v, r, dt)
        kappa = self._demand * min(math.tan(self._response.lock) / self._base, self._limit / (v * v))
        longer = max(1.0, self._base / CAR_WHEELBASE)
        self._reference += (kappa * v - self._reference) * min(dt / (longer * ANSWER_TIME), 1.0)
        angle = math.atan(self._base * kappa) + self._gradient * kappa * v * v
        per_yaw_rate = self._base / v + self._gradient * v
        return angle + presence * longer * YAW_GAIN * per_yaw_rate * (self._reference - r)

    def _learn(self, v, r, dt):
        """The understeer gradient, from the angle that the steering has beyond the bend's own."""
        push = v * r
        missing = self._response.angle - math.atan(self._base * r / v) - self._gradient * push
        gradient = self._gradient + missing * push / LEARN_FROM**2 * min(dt / LEARN_TIME, 1.0)
        least, largest = LEAST_GRADIENT * self._first_gradient, LARGEST_GRADIENT * self._first_gradient
        self._gradient = min(max(gradient, least), largest)
