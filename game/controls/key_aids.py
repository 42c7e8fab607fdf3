"""The aids for keys in one vehicle: steering, braking and line aid, and the easing of the throttle.

* Steering: game/controls/keyboard_steering.py.
* Braking: beside the world's line (game/controls/line_guide.py), the throttle closes as the speed nears the largest one
  from which the car can still brake for the bends, and beyond it the brake acts.
* Line: a share of the curvature towards the world's line is added to the demand of the steering keys.
* Throttle: the command is at most

      clip((MAX_SPIN - spin) / (MAX_SPIN - FREE_SPIN))    spin of the fastest wheel, m/s
      sqrt(1 - (v r / A)^2)                               what grip leaves beside cornering at v r, of A at most

  and at least LEAST_THROTTLE.

All but the steering aid rest in reverse, at low speed, while the handbrake is pulled, and in a slide. The aids depend
on the keys and the vehicle's state only.
"""

import math
from typing import TYPE_CHECKING

from driving_sandbox.game.controls.keyboard_steering import KeyboardSteering
from driving_sandbox.game.controls.line_guide import Guidance, LineGuide
from driving_sandbox.game.controls.presets import NORMAL, DrivingAids
from driving_sandbox.lab.drivers.lateral_limit import lateral_limit
from driving_sandbox.lab.drivers.motion import motion_of
from driving_sandbox.lab.drivers.proportions import wheel_spin

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

LEAST_SPEED = 4.0  # m/s; slower, the aids of pedals and line rest
SLIDING = math.radians(15.0)  # sideslip from which they rest, too: the driver drifts, or has to catch the car
GUIDE_TIME = 0.05  # s between readings of the line: 2 m at 40 m/s
THROTTLE_GAIN = 0.35  # s/m, throttle per m/s below the line's speed: full from 3 m/s below
BRAKE_GAIN = 0.35  # s/m, brake per m/s above it
FREE_SPIN, MAX_SPIN = 0.5, 3.0  # m/s of wheel spin at which the throttle begins to close, and has closed
LEAST_THROTTLE = 0.15  # so that the car does not slow in a bend by this aid alone
NAMES = ("steering", "braking", "line", "throttle")


class KeyAids:
    """The aids for keys in one vehicle, whose state and parameters they only read.

    Args:
        vehicle: the Vehicle.
        guide: LineGuide of the world's line, None without one.
    Attributes:
        aids: which DrivingAids are on.
        acting: names, of NAMES, of those that changed the last command.
    """

    def __init__(self, vehicle: "Vehicle", guide: LineGuide | None = None) -> None:
        self.aids: DrivingAids = NORMAL
        self._vehicle, self._guide = vehicle, guide
        self._steering = KeyboardSteering(vehicle)
        self._limit = lateral_limit(vehicle)
        self.release()

    def release(self) -> None:
        """Forget keys and line, after a jump or while a device steers; the learned gradient stays."""
        self._steering.release()
        self._motion = self._steering.motion()  # of the tick's start
        self.acting: set[str] = set()
        self._guidance: Guidance | None = None
        self._until_reading = 0.0
        self._rests = True  # whether pedals and line are left alone
        if self._guide is not None:
            self._guide.reset()

    def begin(self, handbrake: bool, dt: float) -> None:
        """Begin a tick of `dt` seconds; `handbrake`: whether it is pulled."""
        self.acting.clear()
        self._motion = self._steering.motion()
        slides = abs(math.atan2(self._motion.left, self._motion.ahead)) > SLIDING
        self._rests = handbrake or self._motion.ahead < LEAST_SPEED or slides
        self._until_reading -= dt
        if self._until_reading <= 0.0:
            self._until_reading = GUIDE_TIME
            self._limit = lateral_limit(self._vehicle, self._limit)
            self._guidance = self._read_line()

    def _read_line(self) -> Guidance | None:
        """The line's present Guidance, None without a line, or if no aid needs it."""
        if self._guide is None or not (self.aids.braking or self.aids.line):
            return None
        motion = motion_of(self._vehicle, 0.0)
        return self._guide.read(motion.position, motion.heading, max(motion.speed, 0.0), self._limit)

    def steer(self, key: float, handbrake: bool, dt: float) -> float:
        """Steer command of the tick, as KeyboardSteering.command."""
        if not self.aids.steering:
            return key
        curvature = 0.0
        if self.aids.line and self._guidance is not None and not self._rests:
            curvature = self.aids.line * self._guidance.curvature
            self.acting.add("line")
        command = self._steering.command(key, handbrake, dt, curvature)
        if self._steering.limiting:
            self.acting.add("steering")
        return command

    def pedals(self, throttle: float, brake: float) -> tuple[float, float]:
        """(throttle, brake) of the tick, 0..1, from those of the keys."""
        if self._rests:
            return throttle, brake
        aided_throttle, aided_brake = throttle, brake
        ahead, _, yaw_rate = self._motion
        if self.aids.braking and self._guidance is not None:
            margin = self._guidance.speed - ahead
            aided_throttle = min(aided_throttle, max(THROTTLE_GAIN * margin, 0.0))
            aided_brake = max(aided_brake, min(-BRAKE_GAIN * margin, 1.0))
            if (aided_throttle, aided_brake) != (throttle, brake):
                self.acting.add("braking")
        if self.aids.throttle and aided_throttle > LEAST_THROTTLE:
            eased = min(aided_throttle, max(self._easing(ahead, yaw_rate), LEAST_THROTTLE))
            if eased < aided_throttle:
                self.acting.add("throttle")
            aided_throttle = eased
        return aided_throttle, aided_brake

    def _easing(self, speed: float, yaw_rate: float) -> float:
        """Largest throttle by spin and cornering, 0..1, as in the module's docstring."""
        by_spin = (MAX_SPIN - wheel_spin(self._vehicle, speed)) / (MAX_SPIN - FREE_SPIN)
        cornering = min(abs(speed * yaw_rate) / self._limit, 1.0)
        return min(by_spin, math.sqrt(1.0 - cornering * cornering))
