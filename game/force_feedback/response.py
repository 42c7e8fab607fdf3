"""Measures how a wheel answers to levels of force, and evens it out.

Cheap wheels give no force at small levels and little more beyond a large one. In a step sweep the wheel, let go, is
given LEVELS of force one after another, each for PULSE seconds, to alternate sides; how far it turns tells its force.
Turned angle over that at full level is the response; its inverse is the table of levels that makes force proportional
to torque (stream.py).
"""

import enum

import numpy as np

from driving_sandbox.game.force_feedback.stream import POINTS

LEVELS = np.linspace(0.0, 1.0, POINTS)[1:]  # levels of the sweep
PULSE = 0.12  # s of a level: the wheel turns some degrees, far from its stops
REST = 0.45  # s without force between two levels, in which the wheel comes to rest
LEAST_TURN = 1e-3  # share of the axis's range, -1..1, that the wheel must turn at full level: else it is held


class Outcome(enum.Enum):
    """How a sweep stands."""

    RUNNING = "running"
    DONE = "done"
    HELD = "the wheel did not turn: let it go, and give it free way"


class ResponseSweep:
    """A step sweep of one wheel; call `step` often, and give the wheel the level that it returns.

    Attributes:
        outcome: its Outcome.
        turned: range of the axis that the wheel turned at each of LEVELS so far.
    """

    def __init__(self) -> None:
        self.outcome, self.turned = Outcome.RUNNING, list[float]()
        self._start: float | None = None
        self._from = self._farthest = 0.0  # position before the level, and largest turn since

    @property
    def share(self) -> float:
        """Share of the sweep that is done, 0..1."""
        return len(self.turned) / len(LEVELS)

    def step(self, now: float, position: float) -> float:
        """The level to give now, -1..1. now: s. position: of the steering axis, -1..1."""
        if self._start is None:
            self._start, self._from = now, position
        index = len(self.turned)
        if self.outcome is not Outcome.RUNNING or index == len(LEVELS):
            return 0.0
        elapsed = now - self._start
        if elapsed < PULSE:
            return float(LEVELS[index]) * (1.0 if index % 2 else -1.0)
        if elapsed >= PULSE + REST:
            self._start, self._from = now, position
            self.turned.append(self._farthest)
            self._farthest = 0.0
            self._finish()
            return 0.0
        self._farthest = max(self._farthest, abs(position - self._from))
        return 0.0

    def _finish(self) -> None:
        """Judge the sweep once all levels are through."""
        if len(self.turned) == len(LEVELS):
            self.outcome = Outcome.DONE if self.turned[-1] > LEAST_TURN else Outcome.HELD

    def response(self) -> np.ndarray:
        """Force at even levels from 0 to 1, over that at full level, never falling, [POINTS]."""
        force = np.concatenate([[0.0], self.turned])
        return np.minimum.accumulate(np.maximum.accumulate(force / force[-1])[::-1])[::-1].clip(0.0, 1.0)


def even_levels(response: np.ndarray) -> np.ndarray:
    """Levels that give evenly spaced forces from 0 to full, [POINTS]. response: as from `ResponseSweep.response`.

    The first level is 0, so that no force is really none; the smallest force needs the level from which there is any.
    """
    levels = np.linspace(0.0, 1.0, len(response))
    rising = np.concatenate([[True], np.diff(response) > 0.0])
    rising[int(np.flatnonzero(response > 0.0)[0]) - 1] = True  # the last level without force
    known, at = response[rising], levels[rising]
    last_zero = int(np.flatnonzero(known == 0.0)[-1])
    even = np.interp(levels, known[last_zero:], at[last_zero:])
    even[0] = 0.0
    return even
