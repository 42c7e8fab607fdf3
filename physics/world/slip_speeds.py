"""Slip denominators for long steps (PX-TIRE-05).

The defaults of `Context` suit substeps of 1/60 s and shorter. A free wheel's slip follows its own force with the gain
h C R^2 / (I (|v| + m)) in a step h (C longitudinal stiffness, R radius, I inertia); from 2 on it changes its sign in
every step. The gain grows with h, so longer steps need m larger by the same factor:

    m(h) = m(default) max(1, h / (1/60 s))

    use_slip_speeds(world.context, world.tick_seconds / int(world.context["substep_count"][0]))

Larger denominators make tires softer near standstill; shorter steps are the better cure.
"""

from driving_sandbox.physics.tick.context import new_context

DESIGNED_STEP = 1.0 / 60.0  # s, for which the defaults were chosen
SLIP_SPEEDS = ("min_lateral_slip_speed", "min_passive_slip_speed", "min_active_slip_speed")


def slip_speeds(step):
    """{name: m/s} of the context's slip denominators for substeps of a length in seconds."""
    factor = max(1.0, step / DESIGNED_STEP)
    defaults = new_context()[0]
    return {name: float(defaults[name]) * factor for name in SLIP_SPEEDS}


def use_slip_speeds(context, step):
    """Write them into a context (length-1 record array)."""
    for name, value in slip_speeds(step).items():
        context[name] = value
