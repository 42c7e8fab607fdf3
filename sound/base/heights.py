"""Path of the centre of a wheel over the ground between two ticks, from its heights and rates at both.

A rigid wheel that meets a face or an edge ahead changes its rate at once; one that leaves a face over an edge follows
an arc about that edge. So where the rate rises within the tick and both tangents meet in it, the path is these
tangents, with a knee when the wheel meets what is ahead; elsewhere it is the cubic with these heights and rates.
"""

from typing import Any

from driving_sandbox.physics.kernel.jit import kernel


@kernel
def departure(start: float, end: float, share: float) -> float:
    """Height above the straight line between two ticks, m.

    Args:
        start: rate at the earlier tick less the mean rate, m/tick.
        end: mean rate less the rate at the later tick, m/tick.
        share: of the way from the earlier tick to the later one, 0..1.
    """
    left = 1.0 - share
    if start < 0.0 and end < 0.0:
        return max(start * share, end * left)
    return share * left * (start * left + end * share)


@kernel
def departure_rate(start: float, end: float, share: float) -> float:
    """Derivative of `departure` by `share`, m/tick."""
    left = 1.0 - share
    if start < 0.0 and end < 0.0:
        return start if start * share > end * left else -end
    return (left - share) * (start * left + end * share) + share * left * (end - start)


@kernel
def bend_heights(frame: Any, share: float) -> None:
    """Add to the interpolated `road_height` of a FRAME what the path departs from a straight line; `share` as above."""
    for i in range(len(frame.road_height)):
        if frame.bend_start[i] != 0.0 or frame.bend_end[i] != 0.0:
            frame.road_height[i] += departure(frame.bend_start[i], frame.bend_end[i], share)
