"""Backing out: detects that a vehicle is stuck, or has no room to turn, and reverses.

A vehicle that wants to move and advances less than `PROGRESS` metres in `STUCK_TIME` is stuck; one whose path ahead is
blocked stops before contact. It brakes, reverses with the wheels steered so that its nose swings towards the target,
brakes and drives on: a multi-point turn. Each time it is stuck at the same position it reverses farther, every second
time with the wheels straight. After more than MAX_STUCK times, or MAX_TURNS moves of a turn, it gives up.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

STUCK_SPEED = 0.5  # m/s, target speed up to which a vehicle does not count as stuck
STUCK_TIME = 2.0  # s without progress before reversing: moving off in deep grass takes one second
PROGRESS = 1.0  # m, shorter movements are no progress
STOP_TIME = 0.7  # s of braking, at least, before and after reversing, as gears engage at rest
MAX_STOP_TIME = 4.0  # s of braking, at most, when the vehicle does not stop
STOPPED = 0.3  # m/s, below this speed the vehicle counts as stopped
REVERSE_DISTANCE = 4.0  # m to reverse the first time
REVERSE_INCREMENT = 2.0  # m added to it for each further time at the same position
MAX_REVERSE_TIME = 8.0  # s of reversing at once
REVERSE_STUCK_TIME = 1.5  # s without progress backwards, after which the vehicle drives on
FACING = 0.6  # rad, bearing of the target within which a turn is finished
MUST_TURN = 0.9  # rad, bearing of the target beyond which an obstacle ahead means another move of the turn, not stuck
STUCK_STEER = 0.7  # steer command when stuck; full when turning
LEAVING_DISTANCE = 20.0  # m from the first reversing position; farther away, counting starts anew
MAX_STUCK = 4  # the driver gives up when stuck more often than this at one position
MAX_TURNS = 14  # the driver gives up after more moves of turns than this at one position
DRIVE, STOP, BACK, GO = range(4)  # phases


class Reversing:
    """Decides whether a driver goes ahead, stops, or reverses.

    Attributes:
        phase: DRIVE, STOP (braking before reversing), BACK or GO (braking before driving on).
        steer: command while reversing, +1 to the right.
        stuck, turns: number of times the vehicle was stuck, and number of turning moves, at this position.
        given_up: the vehicle cannot be freed.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Discard the history, after the vehicle was teleported."""
        self.phase, self.steer = DRIVE, 0.0
        self.stuck = self.turns = 0
        self.given_up = False
        self._anchor: Sequence[float] | None = None  # position from which progress counts
        self._stuck_at: Sequence[float] | None = None  # position at which it first got stuck or began to turn
        self._phase_start: Sequence[float] = ()  # position at which the phase began
        self._time = self._still_time = 0.0  # s in the phase, s without progress
        self._turning = False

    def step(
        self,
        position: Sequence[float],
        speed: float,
        bearing: float,
        target_speed: float,
        ahead: Callable[..., Any],
        behind: Callable[..., Any],
        dt: float,
    ) -> bool:
        """Decide for one tick; returns True when the vehicle has just been found stuck.

        Args:
            position: x, y, m.
            speed: forward speed, m/s.
            bearing: bearing of the target, rad, positive to the left.
            target_speed: target speed, m/s.
            ahead, behind: functions that say whether there is an obstacle close ahead or behind.
            dt: length of the tick, s.
        """
        self._time += dt
        if self._stuck_at is not None and math.dist(position, self._stuck_at) > LEAVING_DISTANCE:
            self._stuck_at, self.stuck, self.turns = None, 0, 0
        if self.phase == DRIVE:
            return self._drive(position, bearing, target_speed, ahead, dt)
        if self.phase == BACK:
            self._back(position, bearing, behind, dt)
        elif self._time >= STOP_TIME and (abs(speed) < STOPPED or self._time >= MAX_STOP_TIME):
            self._enter(BACK if self.phase == STOP else DRIVE, position)
        return False

    def _drive(
        self, position: Sequence[float], bearing: float, target_speed: float, ahead: Callable[..., Any], dt: float
    ) -> bool:
        """While driving forward: stop to reverse if there is no progress or an obstacle ahead.

        Returns True if the vehicle got stuck.
        """
        if target_speed <= STUCK_SPEED:
            self._watch_from(position)
            return False
        blocked = ahead()
        if self._time_without_progress(position, dt) < STUCK_TIME and not blocked:
            return False
        self._turning = blocked and abs(bearing) > MUST_TURN
        self.stuck, self.turns = (self.stuck, self.turns + 1) if self._turning else (self.stuck + 1, self.turns)
        self.given_up = self.stuck > MAX_STUCK or self.turns > MAX_TURNS
        self._stuck_at = self._stuck_at or tuple(position)
        steer = 1.0 if self._turning else STUCK_STEER * (self.stuck % 2)
        self.steer = math.copysign(steer, bearing)
        self._enter(STOP, position)
        return not self._turning

    def _back(self, position: Sequence[float], bearing: float, behind: Callable[..., Any], dt: float) -> None:
        """While reversing: go on forwards after the distance or time, when facing the target, or when blocked."""
        travelled = math.dist(position, self._phase_start)
        distance = REVERSE_DISTANCE + REVERSE_INCREMENT * max(self.stuck - 1, 0)
        facing = self._turning and abs(bearing) < FACING
        stuck = self._time_without_progress(position, dt) >= REVERSE_STUCK_TIME
        if facing or travelled >= distance or self._time >= MAX_REVERSE_TIME or stuck or behind():
            self._enter(GO, position)

    def _time_without_progress(self, position: Sequence[float], dt: float) -> float:
        """Advance by `dt`; the time since the vehicle last made progress, s."""
        if self._anchor is None or math.dist(position, self._anchor) > PROGRESS:
            self._watch_from(position)
        self._still_time += dt
        return self._still_time

    def _watch_from(self, position: Sequence[float]) -> None:
        """Measure progress from this position and time on."""
        self._anchor, self._still_time = tuple(position), 0.0

    def _enter(self, phase: int, position: Sequence[float]) -> None:
        """Begin a phase."""
        self.phase, self._time = phase, 0.0
        self._phase_start = tuple(position)
        self._watch_from(position)
