"""A driver that follows a closed line of points: the unattended driver of tests, pictures and opponents.

Steering is pure pursuit (Coulter 1992, CMU-RI-TR-92-01): an arc through an aim point a distance L ahead on the line
has the curvature kappa = 2 sin(alpha) / L, alpha the angle of the aim point to the left of the heading; the steer
angle is delta = kappa (wheelbase + understeer v^2). L grows with speed. Speed: a PI controller on the line's target
speed a reaction time ahead, its output split into throttle (> 0) and brake (< 0).

A vehicle that wants to move and does not for a while reverses with the wheel turned the other way, then goes on.
Deterministic: the state is six numbers, and the same motion gives the same commands. No use of clocks or chance.
"""

import math

from lab.drivers.driving_line import DrivingLine
from physics.ai_settings import OFF
from physics.command.commands import AUTOMATIC, REVERSE, neutral_command

STUCK_SPEED = 0.5  # m/s; slower, while more is wanted, is being stuck
STUCK_TIME = 2.0  # s of it before reversing: a start in deep grass takes one
REVERSE_TIME = 2.0  # s of reversing: about two car lengths
STOP_TIME = 0.7  # s of braking before and after reversing: gears engage at rest
LOST_DISTANCE = 30.0  # m from the line near the last place; farther (put back, rewound) all of it is searched
REACTION = 0.4  # s the target speed is read ahead: brakes and throttle take that long to act
BEST_SLIP = 0.1  # rad at which an ordinary tire gives most; less is no sliding
CRUISE, STUCK_STOP, REVERSING, RESTART = 0, 1, 2, 3


class LineFollower:
    """Drives around a closed line.

    Args:
        points: (n, 2) driving line, m. wheelbase: m. max_steer: largest steer angle of the wheels, rad.
        lateral_limit: m/s² in bends. braking: m/s² counted on. top_speed: m/s.
        understeer: s²/m, extra steer per lateral acceleration: delta = kappa (wheelbase + understeer v²).
        forward_gear: AUTOMATIC, or the forward gear of a direct-drive vehicle (2).
        speeds: (n,) m/s at the points, None plans them. max_velocity: m/s of the fastest point, all others in
        proportion; 0 leaves them. understeer_correct, oversteer_correct: see physics/ai_settings.py.
    Attributes:
        performance: factor on all target speeds.
    """

    def __init__(
        self, points, wheelbase=2.6, max_steer=0.6, lateral_limit=4.5, braking=4.0, top_speed=25.0,
        understeer=0.003, forward_gear=AUTOMATIC, speeds=None, max_velocity=0.0, understeer_correct=OFF,
        oversteer_correct=OFF,
    ):  # fmt: skip
        self.line = DrivingLine(points, lateral_limit, braking, top_speed, speeds)
        if max_velocity > 0.0:
            self.line.speed *= max_velocity / self.line.speed.max()
        self.performance = 1.0
        self.understeer_correct, self.oversteer_correct = understeer_correct, oversteer_correct
        self.wheelbase, self.max_steer, self.understeer = wheelbase, max_steer, understeer
        self.forward_gear = forward_gear
        self._command = neutral_command()
        fields = (self._command[name] for name in ("throttle", "brake", "steer", "gear"))
        self._throttle, self._brake, self._steering, self._gear = fields  # looking one up costs more than writing it
        self.reset()

    def reset(self):
        """Forget the past: the vehicle was put somewhere else."""
        self._index = None
        self._integral = 0.0
        self._stuck_time = 0.0
        self._phase = CRUISE
        self._phase_time = 0.0
        self.laps = 0

    def command(self, position, heading, speed, dt, slips=(0.0, 0.0)):
        """The command of one tick, a length-1 COMMAND array that the next call overwrites.

        Args:
            position: world x, y (m; more components are ignored). heading: yaw of the vehicle's forward axis from +y,
                positive to the left, rad. speed: along the vehicle, m/s. dt: s. slips: slip angles of the front and
                the rear tires, positive sliding to the right, rad.
        """
        self._locate(position)
        steer = self._corrected(self._steer(position, heading, speed), *slips)
        wanted = self._wanted_speed(speed)
        self._watch_for_stuck(speed, wanted, dt)
        if self._phase == CRUISE:
            throttle, brake = self._pedals(wanted, speed, dt)
            return self._record(throttle, brake, steer, self.forward_gear)
        self._integral = 0.0
        if self._phase == REVERSING:
            return self._record(0.5, 0.0, -math.copysign(0.7, steer), REVERSE)
        return self._record(0.0, 1.0, 0.0, REVERSE if self._phase == STUCK_STOP else self.forward_gear)

    def _locate(self, position):
        previous = self._index
        if previous is not None:
            self._index = self.line.nearest(position, previous)
        if previous is None or self.line.distance_from(position, self._index) > LOST_DISTANCE:
            self._index = self.line.nearest(position)
        elif previous - self._index > len(self.line.points) // 2:
            self.laps += 1

    def _steer(self, position, heading, speed):
        distance = 4.0 + 0.45 * max(speed, 0.0)  # m: under half a second ahead, never within the car's own length
        aim = self.line.ahead(self._index, distance)
        dx, dy = aim[0] - position[0], aim[1] - position[1]
        sin_heading, cos_heading = math.sin(heading), math.cos(heading)
        forward = -sin_heading * dx + cos_heading * dy
        left = -cos_heading * dx - sin_heading * dy
        if forward <= 0.0:  # the aim lies behind: full lock towards it
            return -math.copysign(1.0, left)
        curvature = 2.0 * left / (dx * dx + dy * dy)
        angle = math.atan(curvature * (self.wheelbase + self.understeer * speed * speed))
        return min(max(-angle / self.max_steer, -1.0), 1.0)

    def _corrected(self, steer, front, rear):
        """Steering with less lock where the front pushes, and with counter-steer where the rear slides."""
        if self.understeer_correct < OFF:
            push = max(0.0, abs(front) - max(BEST_SLIP, abs(rear)))
            steer *= max(0.0, 1.0 - push / self.understeer_correct)
        if self.oversteer_correct < OFF:
            slide = max(0.0, abs(rear) - max(BEST_SLIP, abs(front)))
            steer += math.copysign(slide, rear) / (self.oversteer_correct * self.max_steer)
        return min(max(steer, -1.0), 1.0)

    def _wanted_speed(self, speed):
        points = len(self.line.points)
        ahead = self._index + round(max(speed, 0.0) * REACTION / self.line.step)
        speed_at = self.line.speed.item
        return self.performance * min(speed_at(self._index), speed_at(ahead % points))

    def _pedals(self, wanted, speed, dt):
        error = wanted - speed
        output = 0.35 * error + 0.08 * self._integral  # 1/(m/s), 1/m: full throttle 3 m/s too slow
        if -1.0 < output < 1.0:  # while a pedal is at its end the sum would only wind up
            self._integral = min(max(self._integral + error * dt, -4.0), 8.0)
        if output >= 0.0:
            return min(output, 1.0), 0.0
        return 0.0, min(max(-output - 0.05, 0.0), 1.0)  # a little too fast: engine braking will do

    def _watch_for_stuck(self, speed, wanted, dt):
        if self._phase == CRUISE:
            self._stuck_time = self._stuck_time + dt if abs(speed) < STUCK_SPEED < wanted else 0.0
            if self._stuck_time >= STUCK_TIME:
                self._phase, self._phase_time, self._stuck_time = STUCK_STOP, 0.0, 0.0
            return
        self._phase_time += dt
        if self._phase_time >= (REVERSE_TIME if self._phase == REVERSING else STOP_TIME):
            self._phase = CRUISE if self._phase == RESTART else self._phase + 1
            self._phase_time = 0.0

    def _record(self, throttle, brake, steer, gear):
        self._throttle[0], self._brake[0], self._steering[0], self._gear[0] = throttle, brake, steer, gear
        return self._command
