"""A scripted driver who keeps a lane by taps of the steering keys.

He sees where he is, where he goes and how fast he turns 0.2 s late. He knows from driving the car how far a tap turns
its course, and remembers the taps whose effect he has not seen yet. Once a period he compares the course he will have
then with the one he wants at the position he will have reached,

    course of the lane there - e / (v T)

with e the distance left of the lane's middle and T the time in which he means to be back, and taps a key for as long as
turns the car by the difference. A tap is 40 to 280 ms long and off by 15 %. The throttle key holds the speed.
"""

import math
from collections import deque
from functools import cache
from typing import NamedTuple

import numpy as np
from key_drives import drive_at_speed

DELAY = 0.2  # s
SHORTEST_TAP, LONGEST_TAP = 0.04, 0.28  # s
PERIOD = 0.32  # s from the start of a tap to that of the next
NOISE = 0.15  # of a tap's length, standard deviation
BACK_TIME = 0.7  # s, T
LATEST = 1.0  # s; the driver expects the effect of a tap within this time
KNOWN_TAP = 0.2  # s, length of the tap from which the driver knows the car
SPEED_SLACK = 0.2  # m/s; slower by this the throttle key is pressed


class Lane:
    """Middle of a lane, from pieces (seconds, curvature at the end): curvature changes evenly along each.

    Args:
        pieces: (length in seconds at `speed`, curvature at its end, 1/m, positive to the left). Starts at the origin
        along +y.
    """

    STEP = 0.25  # m

    def __init__(self, pieces, speed):
        ends = np.cumsum([0.0, *(seconds * speed for seconds, _ in pieces)])
        self.along = np.arange(0.0, ends[-1], self.STEP)
        self.curvature = np.interp(self.along, ends, [0.0, *(k for _, k in pieces)])
        self.heading = np.concatenate([[0.0], np.cumsum(self.curvature[:-1] * self.STEP)])
        self.x = np.concatenate([[0.0], np.cumsum(-np.sin(self.heading[:-1]) * self.STEP)])
        self.y = np.concatenate([[0.0], np.cumsum(np.cos(self.heading[:-1]) * self.STEP)])

    def nearest(self, x, y, around):
        """(index of the nearest point near an index, distance left of the middle)."""
        low = max(0, around - 40)
        part = slice(low, around + 200)
        k = low + int(np.argmin((self.x[part] - x) ** 2 + (self.y[part] - y) ** 2))
        h = self.heading[k]
        return k, -math.cos(h) * (x - self.x[k]) - math.sin(h) * (y - self.y[k])


class SeenMotion(NamedTuple):
    """Position (m), course (rad) and speed (m/s), as the driver sees them."""

    x: float
    y: float
    course: float
    speed: float


def winding_lane(speed, acceleration):
    """Straight, a bend to the left, an S, a bend to the right, straight: at a speed that lateral acceleration."""
    k = acceleration / speed**2
    return Lane([(2.0, 0.0), (1.0, k), (4.0, k), (1.0, 0.0), (0.5, 0.0), (1.0, -k), (4.0, -k), (2.0, k), (3.0, k),
                 (2.0, -k), (3.0, -k), (1.0, 0.0), (3.0, 0.0)], speed)  # fmt: skip


@cache
def known_tap(name, speed, aided):
    """What a tap of a steering key does at a speed: (rad of course per second of tap, s until the course has it)."""
    drive, _ = drive_at_speed(name, speed, aided=aided)
    drive.run(KNOWN_TAP, ["throttle", "steer_left"])
    drive.run(2.5, ["throttle"])
    course = np.unwrap([m.heading + m.sideslip for m, _ in drive.log])
    late = float(np.sum(1.0 - course / course[-1])) * drive.world.tick_seconds - 0.5 * KNOWN_TAP
    return max(float(course[-1]) / KNOWN_TAP, 1e-3), min(max(late, 0.0), LATEST)


class LaneDriver:
    """Drives a vehicle along a lane.

    Args:
        name: of the vehicle. speed: m/s. acceleration: lateral, m/s^2. seed: of the noise. aided: by the steering aid.
    Attributes:
        errors: distance left of the lane's middle after every tick, m.
    """

    def __init__(self, name, speed, acceleration, seed=1, aided=True):
        self.turn, self.late = known_tap(name, speed, aided)
        self.drive, self.speed = drive_at_speed(name, speed, aided=aided)
        start = self.drive.now
        self._origin = start.x, start.y
        self.lane = winding_lane(self.speed, acceleration)
        self._noise = np.random.default_rng(seed)
        self._seen = deque(maxlen=round(DELAY / self.drive.world.tick_seconds) + 1)
        self._index = 0
        self._tap = (0, ())  # until which tick, which keys
        self._taps = deque()  # (time, turn) of those that he does not see yet
        self.errors = []

    def _look(self):
        m = self.drive.now
        position = m.x - self._origin[0], m.y - self._origin[1]
        self._seen.append(SeenMotion(*position, m.heading + m.sideslip, m.speed))

    def _unseen_turn(self):
        """Rotation of the car that he does not see yet, rad; each tap acts evenly around its time of effect."""
        width = max(PERIOD, 2.0 * self.late)
        seen_until = self.drive.world.time - DELAY - (self.late + 0.5 * (PERIOD - width))
        while self._taps and self._taps[0][0] + width < seen_until:
            self._taps.popleft()
        return sum(turn * min(max(1.0 - (seen_until - start) / width, 0.0), 1.0) for start, turn in self._taps)

    def _wanted(self):
        """Length of the tap needed now, s, positive to the left."""
        s = self._seen[0]
        course = s.course + self._unseen_turn()
        ahead = DELAY + self.late
        middle = 0.5 * (s.course + course)
        x, y = s.x - math.sin(middle) * s.speed * ahead, s.y + math.cos(middle) * s.speed * ahead
        k, left = self.lane.nearest(x, y, self._index)
        ahead = min(k + round(PERIOD * s.speed / Lane.STEP), len(self.lane.heading) - 1)
        aim = self.lane.heading[ahead] - left / (BACK_TIME * s.speed)
        return math.remainder(aim - course, math.tau) / self.turn

    def _decide(self):
        """Begin the tap of this period."""
        tick, dt = self.drive.world.tick, self.drive.world.tick_seconds
        turn_wanted = self._wanted()
        length = abs(turn_wanted) * (1.0 + NOISE * self._noise.standard_normal())
        length = min(max(length, SHORTEST_TAP), LONGEST_TAP) if length >= 0.5 * SHORTEST_TAP else 0.0
        self._tap = tick + round(length / dt), ("steer_left" if turn_wanted > 0.0 else "steer_right",)
        self._taps.append(
            (self.drive.world.time, math.copysign(min(abs(turn_wanted), length), turn_wanted) * self.turn)
        )

    def run(self):
        """To the lane's end; returns the largest distance from its middle, m."""
        dt, world = self.drive.world.tick_seconds, self.drive.world
        first = world.tick
        while self._index < len(self.lane.along) - round(self.speed / Lane.STEP):
            self._look()
            if (world.tick - first) % round(PERIOD / dt) == 0:
                self._decide()
            keys = list(self._tap[1]) if world.tick < self._tap[0] else []
            if self.drive.now.speed < self.speed - SPEED_SLACK:
                keys.append("throttle")
            self.drive.hold(keys)
            self.drive.tick()
            m = self.drive.now
            self._index, left = self.lane.nearest(m.x - self._origin[0], m.y - self._origin[1], self._index)
            self.errors.append(left)
            if abs(left) > 10.0:
                break
        return max(map(abs, self.errors))
