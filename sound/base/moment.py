"""Positions in time, in ticks or rows of the ring, that are added up from blocks."""

import math

from driving_sandbox.physics.kernel.jit import kernel

GRID = 2.0**24  # positions per tick or row: far finer than a sample, coarser than the rounding errors of a long drive


@kernel
def on_grid(position: float) -> float:
    """The position, rounded to a whole number of 1 / GRID.

    Sums of blocks have rounding errors, by which events near a tick would be a block too early or too late, and stream
    and soundtrack would differ.
    """
    return math.floor(position * GRID + 0.5) / GRID
