"""Tick positions on the axes of charts and plots."""

import math

STEPS = (1.0, 2.0, 2.5, 5.0, 10.0, 20.0)  # distances between ticks as multiples of a power of ten
ROUNDING = 1e-9  # of a step, within which an end of the range counts as a multiple


def round_ticks(low: float, high: float, max_count: int) -> list[float]:
    """All multiples of a round step in low..high, with the smallest step that gives at most `max_count` (>= 1).

    low must be below high.
    """
    power = 10.0 ** math.floor(math.log10((high - low) / max_count))
    for step in STEPS:
        first, last = math.ceil(low / (power * step) - ROUNDING), math.floor(high / (power * step) + ROUNDING)
        if last - first < max_count:
            break
    return [k * power * step for k in range(first, last + 1)]
