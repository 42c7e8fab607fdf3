"""Tick positions on the axes of charts and plots."""

import math

STEPS = (1.0, 2.0, 2.5, 5.0, 10.0, 20.0)  # times a power of ten, from tick to tick
ROUNDING = 1e-9  # of a step, rounding tolerance within which an end counts as a multiple


def round_ticks(low: float, high: float, most: int) -> list[float]:
    """All multiples of a round step in low..high, for the smallest step that gives at most `most` (1 or more) of
    them.
    """
    power = 10.0 ** math.floor(math.log10((high - low) / most))
    for step in STEPS:
        first, last = math.ceil(low / (power * step) - ROUNDING), math.floor(high / (power * step) + ROUNDING)
        if last - first < most:
            break
    return [k * power * step for k in range(first, last + 1)]
