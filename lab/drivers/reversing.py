"""Backing out: detects that a vehicle is stuck, or has no room to turn, and reverses.

A vehicle that wants to move and advances less than `PROGRESS` metres in `STUCK_TIME` is stuck; one whose path ahead is
blocked stops before contact. It brakes, reverses with the wheels steered so that its nose swings towards the target,
brakes and drives on: a multi-point turn. Each time it is stuck at the same position it reverses farther, every second
time with the wheels straight. After `STUCK_MOST` times, or `TURN_MOST` moves of one turn, it gives up.
"""

import math
from collections.abc import Callable
from typing import Any

STUCK_SPEED = 0.5  # m/s, least target speed at which it can be stuck
STUCK_TIME = 2.0  # s without progress before reversing: moving off in deep grass takes one second
PROGRESS = 1.0  # m
STOP_TIME, STOP_MOST = 0.7, 4.0  # s of braking before and after reversing, as gears engage at rest; most when moving
STOPPED = 0.3  # m/s
BACK_LENGTH, BACK_MORE = 4.0, 2.0  # m to reverse, and increment each time
BACK_TIME = 8.0  # s of reversing at most
BACK_STUCK = 1.5  # s without progress backwards
FACING = 0.6  # rad to the aim within which a turn is done
MUST_TURN = 0.9  # rad to the target beyond which an obstacle ahead means another move of the turn, not being stuck
STUCK_LOCK = 0.7  # steering when stuck, full when turning
LEFT_PLACE = 20.0  # m from where it began to reverse, beyond which it counts as another position
STUCK_MOST, TURN_MOST = 4, 14  # times at one position
DRIVE, STOP, BACK, GO = range(4)


class Reversing:
    """Whether a driver goes ahead, stops, or reverses.

    Attributes:
        phase: DRIVE, STOP, BACK or GO (braking before driving on). steer: command while reversing, +1 to the right.
        stuck, turns: how often at this position. given_up: the vehicle cannot be freed.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Discard the history, after the vehicle was teleported."""
        self.phase, self.steer = DRIVE, 0.0
        self.stuck = self.turns = 0
        self.given_up = False
        self._anchor = self._place = self._from = None
        self._time = self._still = 0.0
        self._turning = False

    def step(
        self,
        position: tuple[float, float],
        speed: float,
        bearing: float,
        wanted: float,
        ahead: Callable[..., Any],
        behind: Callable[..., Any],
        dt: float,
    ) -> bool:
        """One decision; returns True when the vehicle has just been found stuck.

        Args:
            position: x, y, m. speed: along the vehicle, m/s. bearing: of the target, positive to the left, rad. wanted:
            target speed, m/s. ahead, behind: functions, whether there is an obstacle close ahead or behind.
        """
        self._time += dt
        if self._place is not None and math.dist(position, self._place) > LEFT_PLACE:
            self._place, self.stuck, self.turns = None, 0, 0
        if self.phase == DRIVE:
            return self._drive(position, bearing, wanted, ahead, dt)
        if self.phase == BACK:
            self._back(position, bearing, behind, dt)
        elif self._time >= STOP_TIME and (abs(speed) < STOPPED or self._time >= STOP_MOST):
            self._enter(BACK if self.phase == STOP else DRIVE, position)
        return False

    def _drive(
        self, position: tuple[float, float], bearing: float, wanted: float, ahead: Callable[..., Any], dt: float
    ) -> bool:
        if wanted <= STUCK_SPEED:
            self._watch_from(position)
            return False
        shut = ahead()
        if self._progress(position, dt) < STUCK_TIME and not shut:
            return False
        self._turning = shut and abs(bearing) > MUST_TURN
        self.stuck, self.turns = (self.stuck, self.turns + 1) if self._turning else (self.stuck + 1, self.turns)
        self.given_up = self.stuck > STUCK_MOST or self.turns > TURN_MOST
        self._place = self._place or tuple(position)
        lock = 1.0 if self._turning else STUCK_LOCK * (self.stuck % 2)
        self.steer = math.copysign(lock, bearing)
        self._enter(STOP, position)
        return not self._turning

    def _back(self, position, bearing, behind, dt):
        gone = math.dist(position, self._from)
        length = BACK_LENGTH + BACK_MORE * max(self.stuck - 1, 0)
        turned = self._turning and abs(bearing) < FACING
        over = self._time >= BACK_TIME or self._progress(position, dt) >= BACK_STUCK
        if turned or gone >= length or over or behind():
            self._enter(GO, position)

    def _progress(self, position: tuple[float, float], dt: float) -> float:
        """Seconds since the vehicle last made progress."""
        if self._anchor is None or math.dist(position, self._anchor) > PROGRESS:
            self._watch_from(position)
        self._still += dt
        return self._still

    def _watch_from(self, position: tuple[float, float]) -> None:
        self._anchor, self._still = tuple(position), 0.0

    def _enter(self, phase, position):
        self.phase, self._time = phase, 0.0
        self._from = tuple(position)
        self._watch_from(position)
