"""AI driver that follows a closed line of points.

Steering is pure pursuit (Coulter 1992, CMU-RI-TR-92-01): an arc through a look-ahead point at the distance L on the
line has the curvature kappa = 2 sin(alpha) / L, with the bearing alpha of that point, positive to the left; the steer
angle is delta = atan(kappa (wheelbase + understeer v^2)). L grows with speed. Speed: a PI controller on the lower of
the target speeds at the vehicle and REACTION_TIME ahead; its output is throttle (> 0) or brake (< 0).

Off the line it follows a recovery path (lab/drivers/path_search.py) back to it; where it is stuck it reverses
(lab/drivers/reversing.py). Without a path, or after several attempts, it brakes to a stop and `trouble` has the reason.
The path search is spread over commands, QUERY_BUDGET ground queries each, while the vehicle brakes. Deterministic: the
same motion gives the same commands, without clocks or random numbers.
"""

import math
from collections.abc import Generator, Sequence
from typing import Any

import numpy as np

from driving_sandbox.lab.drivers.driving_line import DrivingLine
from driving_sandbox.lab.drivers.path_search import search
from driving_sandbox.lab.drivers.recovery_path import RecoveryPath
from driving_sandbox.lab.drivers.reversing import BACK, DRIVE, STOP, Reversing
from driving_sandbox.lab.drivers.road_map import LEVEL, RoadMap
from driving_sandbox.physics.tick.commands import AUTOMATIC, REVERSE, neutral_command
from driving_sandbox.physics.vehicle.ai_settings import OFF

LOST_DISTANCE = 30.0  # m from the line near the last index; farther away (reset, rewound) the whole line is searched
REACTION_TIME = 0.4  # s, preview of the target speed: response time of brakes and throttle
PEAK_SLIP = 0.1  # rad, slip angle of the peak force of an ordinary tire; less is not sliding
OFF_LINE = 8.0  # m from the line beyond which a recovery path is planned; nearer, the driver steers straight to it
OFF_PATH = 12.0  # m from a recovery path beyond which another one is planned
MISALIGNED = 1.0  # rad from the line's direction beyond which a slow vehicle plans a recovery path
SLOW = 5.0  # m/s, below this speed the driver checks for obstacles and plans to turn round
TURN_BEARING = 0.9  # rad to the look-ahead point beyond which the turn is tight and TURN_SPEED the limit
TURN_SPEED = 4.0  # m/s, speed limit of tight turns
REVERSE_SPEED = 3.0  # m/s, target speed in reverse
MARGIN = 0.7  # m to a wall at which a slow vehicle stops
STOPPING_DECELERATION = 3.0  # m/s², assumed for stopping before a wall
MAX_PLANS = 12  # recovery paths planned before the line is reached
PUSHED_DISTANCE = 5.0  # m: a vehicle that gave up tries again once others have moved it this far
QUERY_BUDGET = 800  # ground queries per command: 3 ms, less than the slack of a frame of 1/60 s
WAITING_BRAKE = 0.5  # brake during the path search: stops and holds on a slope without locking the wheels on grass
FREE_SPIN = 1.0  # m/s of wheel spin at which the throttle begins to close
MAX_SPIN = 4.0  # m/s of wheel spin at which the throttle is closed to SPIN_THROTTLE
SPIN_THROTTLE = 0.1  # fraction of the throttle that remains, so that the wheels keep turning
NO_PATH = "the AI found no path from here to the line and brakes to a stop"
STUCK = "the AI is stuck and brakes to a stop"


class LineFollower:
    """Drives around a closed line.

    Args:
        points: (n, 2) driving line, m.
        wheelbase: wheelbase, m.
        max_steer: largest steer angle of the wheels, rad.
        lateral_limit: planned lateral acceleration, m/s².
        braking: planned deceleration, m/s².
        top_speed: largest planned speed, m/s.
        understeer: understeer gradient, rad of steer angle per m/s² of lateral acceleration.
        forward_gear: AUTOMATIC, or the forward gear of a direct-drive vehicle (2).
        speeds: (n,) speeds at the points, m/s; None plans them.
        max_velocity: speed of the fastest point, m/s, to which all speeds are scaled in proportion; 0 does not scale.
        understeer_correct, oversteer_correct: in rad and without unit, as in physics/vehicle/ai_settings.py.
        road_map: RoadMap of the world, None for open ground.
        reach: distances from the vehicle's position to its front, its rear and its side, m.
    Attributes:
        performance: factor on all target speeds.
        trouble: why the driver has stopped, "" while it drives.
        laps: number of completed laps.
    """

    def __init__(
        self, points: Sequence | np.ndarray, wheelbase: float = 2.6, max_steer: float = 0.6,
        lateral_limit: float = 4.5, braking: float = 4.0, top_speed: float = 25.0, understeer: float = 0.003,
        forward_gear: int = AUTOMATIC, speeds: Sequence[float] | np.ndarray | None = None, max_velocity: float = 0.0,
        understeer_correct: float = OFF, oversteer_correct: float = OFF, road_map: RoadMap | None = None,
        reach: Sequence[float] = (2.0, 2.0, 0.9),
    ) -> None:  # fmt: skip
        self.line = DrivingLine(points, lateral_limit, braking, top_speed, speeds)
        if max_velocity > 0.0:
            self.line.speed *= max_velocity / self.line.speed.max()
        self.performance = 1.0
        self.understeer_correct, self.oversteer_correct = understeer_correct, oversteer_correct
        self.wheelbase, self.max_steer, self.understeer = wheelbase, max_steer, understeer
        self.forward_gear, self.reach = forward_gear, reach
        self.use_map(road_map or RoadMap())
        self._command = neutral_command()
        # Views of the command's fields, kept as looking one up costs more than writing it.
        fields = (self._command[name] for name in ("throttle", "brake", "steer", "gear"))
        self._throttle, self._brake, self._steering, self._gear = fields
        self.reset()

    def use_map(self, road_map: RoadMap) -> None:
        """Plan recovery paths over the roads and the ground of a RoadMap."""
        self.road_map = road_map
        self._heights: Any = None  # [n] of the line's points, once known
        self._path_search: Generator[int, None, RecoveryPath | None] | None = None  # the running search
        self._survey: Generator[int, None, None] | None = self._surveyed()  # the running one, None once it is done

    def reset(self) -> None:
        """Discard the history, after the vehicle was teleported."""
        self._index: Any = None  # int, of the line's nearest point; None before the first command
        self._recovery_path: RecoveryPath | None = None
        self._path_index, self._plans = 0, 0  # index of the path's nearest point; number of paths planned
        self._avoid: list[tuple[float, float]] = []  # positions where it got stuck
        self._path_search = None
        self._integral = 0.0
        self._reversing = Reversing()
        self._gave_up_at: Sequence[float] = ()  # position (x, y) at which it gave up
        self.trouble = ""
        self.laps = 0

    @property
    def on_recovery_path(self) -> bool:
        """Whether the driver follows a recovery path to the line."""
        return self._recovery_path is not None

    def command(self, position: Sequence[float], heading: float, speed: float, dt: float,
                slips: Sequence[float] = (0.0, 0.0), spin: float = 0.0) -> np.ndarray:  # fmt: skip
        """The command of one tick, a length-1 COMMAND array that the next call overwrites.

        Args:
            position: x, y and, for recovery over terrain, z in the world, m.
            heading: yaw of the vehicle's forward axis from +y, positive to the left, rad.
            speed: forward speed, m/s.
            dt: length of a tick, s.
            slips: slip angles of the front and the rear tires, positive when sliding right, rad.
            spin: wheel spin, m/s: rim speed of the fastest wheel less the vehicle's speed; it closes the throttle on a
                recovery path.
        """
        if self.trouble and math.dist(position[:2], self._gave_up_at) > PUSHED_DISTANCE:
            self.reset()
        if not self.trouble:
            self._locate(position)
            self._continue_search(position)
            self._choose_path(position, heading, speed)
        if self.trouble:
            return self._record(0.0, 1.0, 0.0, self.forward_gear)
        if self._path_search is not None and self._reversing.phase == DRIVE:
            self._integral = 0.0
            return self._record(0.0, WAITING_BRAKE, 0.0, self.forward_gear)
        bearing, steer = self._steer(position, heading, speed)
        target_speed = self._target_speed(speed)
        if abs(bearing) > TURN_BEARING:
            target_speed = min(target_speed, TURN_SPEED)
        self._reverse_if_stuck(position, heading, speed, bearing, target_speed, dt)
        if self._reversing.phase == DRIVE:
            throttle, brake = self._pedals(target_speed, speed, dt)
            throttle *= self._throttle_factor(spin)
            return self._record(throttle, brake, self._corrected(steer, *slips), self.forward_gear)
        if self._reversing.phase == BACK:
            throttle, brake = self._pedals(REVERSE_SPEED, -speed, dt)
            return self._record(throttle * self._throttle_factor(spin), brake, self._reversing.steer, REVERSE)
        self._integral = 0.0
        return self._record(0.0, 1.0, 0.0, REVERSE if self._reversing.phase == STOP else self.forward_gear)

    def _locate(self, position: Sequence[float]) -> None:
        """Update the index of the line's nearest point and the count of laps."""
        previous = self._index
        if previous is not None:
            self._index = self.line.nearest(position, previous)
        if previous is None or self.line.distance_from(position, self._index) > LOST_DISTANCE:
            self._index = self.line.nearest(position)
        elif previous - self._index > len(self.line.points) // 2:  # past the line's last point
            self.laps += 1

    # ---- the recovery path

    def _choose_path(self, position: Sequence[float], heading: float, speed: float) -> None:
        """Start, follow and end a recovery path to the line."""
        if self._path_search is not None:
            return
        if self._recovery_path is not None:
            self._path_index = self._recovery_path.nearest(position, self._path_index)
            deviation = self._recovery_path.distance_from(position, self._path_index)
            if self._recovery_path.remaining(self._path_index) < 1.0:  # m
                self._index, self._recovery_path, self._avoid, self._plans = self._recovery_path.end, None, [], 0
            elif self._reversing.phase == DRIVE and deviation > OFF_PATH:
                self._plan(position, heading)
        elif self._reversing.phase == DRIVE and self._is_off(position, heading, speed):
            self._plan(position, heading)

    def _is_off(self, position: Sequence[float], heading: float, speed: float) -> bool:
        """True if the line cannot be reached from here by steering towards it."""
        misaligned = abs(math.remainder(self.line.heading(self._index) - heading, 2.0 * math.pi)) > MISALIGNED
        return (
            self.line.distance_from(position, self._index) > OFF_LINE
            or (misaligned and abs(speed) < SLOW)
            or (len(position) > 2 and abs(position[2] - self._height(self._index)) > LEVEL)
        )

    def _height(self, index: int) -> float:
        """Height of the line at a point, m; nan if unknown."""
        return math.nan if self._heights is None else self._heights[index]

    def _surveyed(self) -> Generator[int, None, None]:
        """Find the heights of the line's points; a generator that yields numbers of ground queries."""
        self._heights = yield from self.road_map.survey(self.line.points)

    def _continue_search(self, position: Sequence[float]) -> None:
        """Run the search for one command's budget: first for the line's heights, then for a path."""
        queries = 0
        while queries < QUERY_BUDGET:
            generator = self._path_search if self._survey is None else self._survey
            if generator is None:
                return
            try:
                queries += next(generator)
            except StopIteration as end:
                if generator is self._survey:
                    self._survey = None
                else:
                    self._take_path(position, end.value)

    def _plan(self, position: Sequence[float], heading: float) -> None:
        """Start a path search; while the vehicle reverses, the previous path, if any, stays the target."""
        self._plans += 1
        self._path_search = self._search(position, heading)

    def _search(self, position: Sequence[float], heading: float) -> Generator[int, None, RecoveryPath | None]:
        """The generator `search`, with the heights known when it begins to run."""
        return (yield from search(self.road_map, position, heading, self.line, self._heights, tuple(self._avoid)))

    def _take_path(self, position: Sequence[float], path: RecoveryPath | None) -> None:
        """Follow the path that was found; give up if there is none (None) or after too many searches."""
        self._path_search, self._recovery_path, self._path_index = None, path, 0
        if path is None or self._plans > MAX_PLANS:
            self._give_up(position, NO_PATH if path is None else STUCK)

    def _give_up(self, position: Sequence[float], why: str) -> None:
        """Stop at this position for the reason `why`."""
        self.trouble, self._gave_up_at = why, tuple(position[:2])

    def _reverse_if_stuck(
        self, position: Sequence[float], heading: float, speed: float, bearing: float, target_speed: float, dt: float
    ) -> None:
        """Let the reversing logic decide; a spot where the vehicle got stuck is avoided by the next path."""
        slow = abs(speed) < SLOW and len(position) > 2
        stuck = self._reversing.step(
            position[:2], speed, bearing, target_speed, lambda: slow and self._blocked(position, heading, speed, 1.0),
            lambda: slow and self._blocked(position, heading, speed, -1.0), dt,
        )  # fmt: skip
        if self._reversing.given_up:
            self._give_up(position, STUCK)
        elif stuck:
            front = self.reach[0]
            self._avoid.append((position[0] - math.sin(heading) * front, position[1] + math.cos(heading) * front))
            self._plan(position, heading)

    def _blocked(self, position: Sequence[float], heading: float, speed: float, direction: float) -> bool:
        """True if there is an obstacle ahead (direction 1) or behind (-1) within the stopping distance."""
        front, rear, half_width = self.reach
        length = (front if direction > 0.0 else rear) + MARGIN + speed * speed / (2.0 * STOPPING_DECELERATION)
        dx, dy = -math.sin(heading) * length * direction, math.cos(heading) * length * direction
        return self.road_map.wall(position, (position[0] + dx, position[1] + dy, position[2]), half_width)

    # ---- steering and pedals

    def _path(self) -> tuple[DrivingLine | RecoveryPath, int]:
        """(the line or the recovery path, index of the nearest point)."""
        return (self.line, self._index) if self._recovery_path is None else (self._recovery_path, self._path_index)

    def _steer(self, position: Sequence[float], heading: float, speed: float) -> tuple[float, float]:
        """(bearing of the look-ahead point, positive to the left, rad; steer command, +1 to the right)."""
        distance = 4.0 + 0.45 * max(speed, 0.0)  # m, look-ahead distance: beyond a car's front, and 0.45 s of driving
        path, index = self._path()
        aim = path.ahead(index, distance)
        dx, dy = aim[0] - position[0], aim[1] - position[1]
        sin_heading, cos_heading = math.sin(heading), math.cos(heading)
        forward = -sin_heading * dx + cos_heading * dy
        left = -cos_heading * dx - sin_heading * dy
        bearing = math.atan2(left, forward)
        if forward <= 0.0:  # the look-ahead point is behind: full lock towards it
            return bearing, -math.copysign(1.0, left)
        curvature = 2.0 * left / (dx * dx + dy * dy)
        angle = math.atan(curvature * (self.wheelbase + self.understeer * speed * speed))
        return bearing, min(max(-angle / self.max_steer, -1.0), 1.0)

    def _throttle_factor(self, spin: float) -> float:
        """Throttle factor: 1 on the line; falls with wheel spin on a recovery path, where the ground may be loose."""
        if self._recovery_path is None:
            return 1.0
        return min(max((MAX_SPIN - spin) / (MAX_SPIN - FREE_SPIN), SPIN_THROTTLE), 1.0)

    def _corrected(self, steer: float, front: float, rear: float) -> float:
        """Steer command: reduced in understeer, with counter-steer in oversteer.

        Args:
            steer: steer command of the path follower.
            front, rear: mean slip angles of the front and rear tires, rad.
        """
        if self.understeer_correct < OFF:
            excess = max(0.0, abs(front) - max(PEAK_SLIP, abs(rear)))
            steer *= max(0.0, 1.0 - excess / self.understeer_correct)
        if self.oversteer_correct < OFF:
            excess = max(0.0, abs(rear) - max(PEAK_SLIP, abs(front)))
            steer += math.copysign(excess, rear) / (self.oversteer_correct * self.max_steer)
        return min(max(steer, -1.0), 1.0)

    def _target_speed(self, speed: float) -> float:
        """Lower of the target speeds at the vehicle and REACTION_TIME ahead, m/s."""
        path, index = self._path()
        ahead = index + round(max(speed, 0.0) * REACTION_TIME / path.step)
        speed_at, count = path.speed.item, len(path.speed)
        ahead = ahead % count if path is self.line else min(ahead, count - 1)
        return self.performance * min(speed_at(index), speed_at(ahead))

    def _pedals(self, target_speed: float, speed: float, dt: float) -> tuple[float, float]:
        """(throttle, brake) that hold a target speed, m/s, by a PI controller."""
        error = target_speed - speed
        output = 0.35 * error + 0.08 * self._integral  # gains in s/m and 1/m: full throttle from 3 m/s below the target
        if -1.0 < output < 1.0:  # anti-windup: no integration while a pedal saturates
            self._integral = min(max(self._integral + error * dt, -4.0), 8.0)  # m
        if output >= 0.0:
            return min(output, 1.0), 0.0
        return 0.0, min(max(-output - 0.05, 0.0), 1.0)  # dead band: engine braking suffices for a small excess

    def _record(self, throttle: float, brake: float, steer: float, gear: int) -> np.ndarray:
        """The command record with these values."""
        self._throttle[0], self._brake[0], self._steering[0], self._gear[0] = throttle, brake, steer, gear
        return self._command
