"""A scripted driver who keeps a lane by taps of the steering keys.

The driver sees position, course and speed 0.2 s late. They know from driving the car how far a tap turns its course,
and remember the taps whose effect they have not seen yet. Once a period they predict position and course for the moment
when a tap takes effect. The course they want at that moment is

    course of the lane - e / (v T)

with e the distance left of the lane's middle, v the speed, and T the time in which they mean to be back in the middle.
They tap a key for the time that turns the car by the difference. A tap is 40 to 280 ms long, with a random error of
15 %. The throttle key holds the speed.
"""

import math
from collections import deque
from functools import cache
from typing import NamedTuple

import numpy as np
from key_drives import drive_at_speed

DELAY = 0.2  # s
SHORTEST_TAP, LONGEST_TAP = 0.04, 0.28  # s
PERIOD = 0.32  # s from the start of a tap to the start of the next
NOISE = 0.15  # of a tap's length, standard deviation
BACK_TIME = 0.7  # s, T in the formula above
MAX_EFFECT_DELAY = 1.0  # s; the driver expects the effect of a tap within this time
KNOWN_TAP = 0.2  # s, length of the tap from which the driver knows the car
SPEED_SLACK = 0.2  # m/s; the throttle key is pressed when the speed is lower by more than this


class Lane:
    """Middle of a lane that starts at the origin along +y. Along each piece the curvature changes evenly.

    Args:
        pieces: [(length in seconds at `speed`, curvature at its end, 1/m, positive to the left)].
        speed: m/s.
    """

    STEP = 0.25  # m

    def __init__(self, pieces, speed):
        ends = np.cumsum([0.0, *(seconds * speed for seconds, _ in pieces)])
        self.distances = np.arange(0.0, ends[-1], self.STEP)
        self.curvature = np.interp(self.distances, ends, [0.0, *(k for _, k in pieces)])
        self.heading = np.concatenate([[0.0], np.cumsum(self.curvature[:-1] * self.STEP)])
        self.x = np.concatenate([[0.0], np.cumsum(-np.sin(self.heading[:-1]) * self.STEP)])
        self.y = np.concatenate([[0.0], np.cumsum(np.cos(self.heading[:-1]) * self.STEP)])

    def nearest(self, x, y, around):
        """(index of the nearest point, distance left of it, m), searched near the index `around`."""
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
    """A lane: straight, left, an S, right, straight; its bends need that lateral acceleration, m/s^2, at that speed."""
    k = acceleration / speed**2
    return Lane([(2.0, 0.0), (1.0, k), (4.0, k), (1.0, 0.0), (0.5, 0.0), (1.0, -k), (4.0, -k), (2.0, k), (3.0, k),
                 (2.0, -k), (3.0, -k), (1.0, 0.0), (3.0, 0.0)], speed)  # fmt: skip


@cache
def known_tap(name, speed, aided):
    """Effect of a tap of a steering key: (rad of course per second of tap, s from the tap's middle to its effect)."""
    drive, _ = drive_at_speed(name, speed, aided=aided)
    drive.run(KNOWN_TAP, ["throttle", "steer_left"])
    drive.run(2.5, ["throttle"])
    course = np.unwrap([m.heading + m.sideslip for m, _ in drive.log])
    delay = float(np.sum(1.0 - course / course[-1])) * drive.world.tick_seconds - 0.5 * KNOWN_TAP
    return max(float(course[-1]) / KNOWN_TAP, 1e-3), min(max(delay, 0.0), MAX_EFFECT_DELAY)


class LaneDriver:
    """Drives a vehicle along a lane.

    Args:
        name: of the vehicle.
        speed: m/s.
        acceleration: lateral, in the bends, m/s^2.
        seed: of the random errors.
        aided: whether the steering aid is on.
    Attributes:
        errors: distance left of the lane's middle after every tick, m.
    """

    def __init__(self, name, speed, acceleration, seed=1, aided=True):
        self.turn_rate, self.effect_delay = known_tap(name, speed, aided)
        self.drive, self.speed = drive_at_speed(name, speed, aided=aided)
        start = self.drive.now
        self._origin = start.x, start.y
        self.lane = winding_lane(self.speed, acceleration)
        self._noise = np.random.default_rng(seed)
        self._seen = deque(maxlen=round(DELAY / self.drive.world.tick_seconds) + 1)
        self._index = 0
        self._tap = (0, ())  # (tick at its end, keys)
        self._taps = deque()  # (start, s; turn, rad) of the taps whose effect is not seen yet
        self.errors = []

    def _see(self):
        m = self.drive.now
        position = m.x - self._origin[0], m.y - self._origin[1]
        self._seen.append(SeenMotion(*position, m.heading + m.sideslip, m.speed))

    def _unseen_turn(self):
        """Rotation of the car that is not seen yet, rad; each tap acts evenly around its time of effect."""
        width = max(PERIOD, 2.0 * self.effect_delay)
        seen_until = self.drive.world.time - DELAY - (self.effect_delay + 0.5 * (PERIOD - width))
        while self._taps and self._taps[0][0] + width < seen_until:
            self._taps.popleft()
        return sum(turn * min(max(1.0 - (seen_until - start) / width, 0.0), 1.0) for start, turn in self._taps)

    def _tap_length(self):
        """Length of the tap needed now, s, positive to the left."""
        seen = self._seen[0]
        course = seen.course + self._unseen_turn()
        distance = seen.speed * (DELAY + self.effect_delay)
        mean_course = 0.5 * (seen.course + course)
        x, y = seen.x - math.sin(mean_course) * distance, seen.y + math.cos(mean_course) * distance
        k, left = self.lane.nearest(x, y, self._index)
        k_next = min(k + round(PERIOD * seen.speed / Lane.STEP), len(self.lane.heading) - 1)
        course_at_effect = self.lane.heading[k_next] - left / (BACK_TIME * seen.speed)
        return math.remainder(course_at_effect - course, math.tau) / self.turn_rate

    def _decide(self):
        """Begin the tap of this period."""
        tick, dt = self.drive.world.tick, self.drive.world.tick_seconds
        wanted = self._tap_length()
        length = abs(wanted) * (1.0 + NOISE * self._noise.standard_normal())
        length = min(max(length, SHORTEST_TAP), LONGEST_TAP) if length >= 0.5 * SHORTEST_TAP else 0.0
        self._tap = tick + round(length / dt), ("steer_left" if wanted > 0.0 else "steer_right",)
        turn = math.copysign(min(abs(wanted), length), wanted) * self.turn_rate
        self._taps.append((self.drive.world.time, turn))

    def run(self):
        """Drive to the lane's end; returns the largest distance from its middle, m. Stops at 10 m from it."""
        dt, world = self.drive.world.tick_seconds, self.drive.world
        first = world.tick
        while self._index < len(self.lane.distances) - round(self.speed / Lane.STEP):
            self._see()
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
