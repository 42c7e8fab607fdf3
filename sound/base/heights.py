"""Path of the centre of a wheel over the ground between two ticks, from its heights and rates at both.

A rigid wheel that meets a face or an edge ahead changes its rate at once; one that leaves a face over an edge follows
an arc about that edge. So a path has a knee where the wheel meets what is ahead, and a parabola on either side; without
one it is the cubic with these heights and rates. sound/state/path.py finds them.
"""

from typing import Any

from driving_sandbox.physics.kernel.jit import kernel


@kernel
def departure(start: float, end: float, knee: float, knee_height: float, share: float) -> float:
    """Height above the straight line between two ticks, m.

    Args:
        start: rate at the earlier tick less the mean rate, m/tick.
        end: mean rate less the rate at the later tick, m/tick.
        knee: share of the way at the knee; 0 without one.
        knee_height: of the knee above the line, m.
        share: of the way from the earlier tick to the later one, 0..1.
    """
    left = 1.0 - share
    if knee == 0.0:
        return share * left * (start * left + end * share)
    if share < knee:
        part = share / knee
        return start * share + (knee_height - start * knee) * part * part
    part = left / (1.0 - knee)
    return end * left + (knee_height - end * (1.0 - knee)) * part * part


@kernel
def bend_heights(frame: Any, share: float) -> None:
    """Add to the interpolated `road_height` of a FRAME what the path departs from a straight line; `share` as above."""
    for i in range(len(frame.road_height)):
        start, end = frame.bend_start[i], frame.bend_end[i]
        if start != 0.0 or end != 0.0:
            frame.road_height[i] += departure(start, end, frame.knee[i], frame.knee_height[i], share)
