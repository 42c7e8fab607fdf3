"""What the wheel was given: the last seconds of every contribution, and how often the torque was beyond its strength.

The gain that just fills the wheel's range follows from a lap: it is such that CLIPPING of the time is beyond it.
"""

import numpy as np

from driving_sandbox.game.force_feedback.torque import Contributions

SHOWN = 4.0  # s of contributions that are kept
CLIPPING = 0.05  # share of a lap that may be beyond the strength: less wastes the wheel's range, more hides detail
BIN = 0.02  # N m, width of a bin of torques
BINS = 4000  # up to 80 N m at the car's rim, above what any car gives
SHORTEST = 5.0  # s of driving from which a gain can be told
SMALLEST = 0.05  # N m; smaller torques, of a car at rest, tell nothing


class ForceMeter:
    """Collects contributions tick by tick.

    Args:
        tick_seconds: length of a tick, s.
    Attributes:
        rows: contributions of the last SHOWN seconds, N m before the gain, a ring [n, 6].
        counts: ticks by their torque before the gain, in bins of BIN.
    """

    def __init__(self, tick_seconds: float) -> None:
        self._dt = tick_seconds
        self.rows = np.zeros((round(SHOWN / tick_seconds), len(Contributions._fields)))
        self.counts = np.zeros(BINS, np.int64)
        self._next = 0

    def add(self, contributions: Contributions) -> None:
        """Add the contributions of a tick."""
        self.rows[self._next] = contributions
        self._next = (self._next + 1) % len(self.rows)
        size = abs(sum(contributions))
        if SMALLEST < size < np.inf:
            self.counts[min(int(size / BIN), BINS - 1)] += 1

    def history(self) -> np.ndarray:
        """The rows in the order of time, oldest first, [n, 6]."""
        return np.roll(self.rows, -self._next, axis=0)

    def restart(self) -> None:
        """Forget the torques counted so far, at the start of a lap."""
        self.counts[:] = 0

    @property
    def seconds(self) -> float:
        """Time counted so far, s."""
        return float(self.counts.sum() * self._dt)

    def clipped(self, gain: float, strength: float) -> float:
        """Share of the counted time with a torque beyond the wheel's strength, N m, at a gain."""
        total = int(self.counts.sum())
        first = int(min(strength / (gain * BIN), BINS)) if gain > 0.0 else BINS
        return float(self.counts[first:].sum()) / total if total else 0.0

    def histogram(self, gain: float, strength: float, bins: int) -> np.ndarray:
        """Shares of time by torque over strength, from 0 to 1 and, in the last bin, beyond, [bins]."""
        levels = (np.arange(BINS) + 0.5) * BIN * gain / strength
        index = np.minimum((levels * (bins - 1)).astype(int), bins - 1)
        shares = np.bincount(index, self.counts, bins)
        return shares / max(1.0, shares.sum())

    def fitting_gain(self, strength: float) -> float | None:
        """The gain at which CLIPPING of the counted time is beyond the strength, N m; None before SHORTEST seconds."""
        if self.seconds < SHORTEST:
            return None
        shares = np.cumsum(self.counts) / self.counts.sum()
        torque = (int(np.searchsorted(shares, 1.0 - CLIPPING)) + 1) * BIN
        return strength / torque
