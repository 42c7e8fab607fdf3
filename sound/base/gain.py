"""Smoothed factors of a voice's parts, which ramp over a block: a sudden change of surface or water makes no click."""

import math
from typing import Any

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.sound.base.block import BLOCK

SMOOTHING = 0.25  # share of the way to the target made in a block: a time constant of 3 ms
FAINT = 1e-6  # a smaller factor is 0, so that its part can be left out; 120 dB below full scale


@kernel
def advance(gains: Any, row: int, target: float) -> Any:
    """(factor at the block's start, its change per sample); row `row` of `gains` becomes the factor at its end."""
    old = gains[row]
    new = old + SMOOTHING * (target - old)
    if new < FAINT:
        new = 0.0
    gains[row] = new
    return old, (new - old) / BLOCK


def nearer(value: float, wanted: float, change: float) -> float:
    """A gain nearer to the wanted one, by at most `change`."""
    return value + min(max(wanted - value, -change), change)


towards = kernel(nearer)  # for kernels; called from Python it would first have to be compiled


@kernel
def smoothstep(x: float, limits: Any) -> float:
    """0 below the first limit, 1 above the second, smooth in between."""
    share = min(max((x - limits[0]) / (limits[1] - limits[0]), 0.0), 1.0)
    return share * share * (3.0 - 2.0 * share)


@kernel
def sixteenths(x: float, count: int) -> float:
    """x to the power of count / 16 (count from 0 to 15), by square roots: bit-identical everywhere."""
    power, root = 1.0, x
    for bit in (8, 4, 2, 1):
        root = math.sqrt(root)
        if count & bit:
            power *= root
    return power
