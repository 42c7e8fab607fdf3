"""Minimum speeds in the denominators of slip, for substeps longer than usual (PX-TIRE-05).

Slip is a speed difference divided by |v| + m (physics/tire/slip.py). In a substep h, the force caused by a free wheel's
slip changes that slip by the fraction h C R^2 / (I (|v| + m)) (C longitudinal stiffness, R radius, I inertia). With a
fraction of 2 or more, the slip changes its sign in every substep and does not decay. Substeps up to 1/60 s keep the
defaults of m in `Context`; for longer ones m grows in proportion, so that the fraction at standstill grows no further:

    m(h) = m(default) max(1, h / (1/60 s))

A larger m makes tires softer near standstill; where possible, choose shorter substeps instead. For a world:

    use_slip_speeds(world.context, world.tick_seconds / int(world.context["substep_count"][0]))
"""

import numpy as np

from driving_sandbox.physics.tick.context import new_context

LONGEST_USUAL_STEP = 1.0 / 60.0  # s; the defaults of Context were chosen for it
SLIP_SPEEDS = ("min_lateral_slip_speed", "min_passive_slip_speed", "min_active_slip_speed")


def slip_speeds(step: float) -> dict[str, float]:
    """{name: minimum speed in m/s} for substeps of `step` seconds."""
    factor = max(1.0, step / LONGEST_USUAL_STEP)
    defaults = new_context()[0]
    return {name: float(defaults[name]) * factor for name in SLIP_SPEEDS}


def use_slip_speeds(context: np.ndarray, step: float) -> None:
    """Write the minimum speeds for substeps of `step` seconds into a context (length-1 record array)."""
    for name, value in slip_speeds(step).items():
        context[name] = value
