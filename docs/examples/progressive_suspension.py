"""A suspension whose spring becomes stiffer with jounce: F = (k + r jounce) jounce, plus the damper as usual.

Everything else is the standard suspension's: its parameters are inherited, its kernels are called. A vehicle uses this
one by naming it:

    components:
      suspension: {file: progressive_suspension.py, name: PROGRESSIVE}

The new parameter then appears in the panel, in setups and in recordings without a further line.
"""

from dataclasses import replace
from typing import Any

from driving_sandbox import Component, Float, field, kernel
from driving_sandbox.physics.suspension.suspension import SUSPENSION, SuspensionParams, spring_damper_force


class ProgressiveParams(SuspensionParams):
    """The standard suspension's parameters and one more."""

    progression: Float = field(
        unit="N/m^2", ge=0, default=0.0, suggest=(0, 300e3), doc="Growth of the spring's stiffness per metre of jounce."
    )


@kernel
def line_force(params: Any, state: Any, wheel_count: int) -> None:
    """Force along every suspension."""
    for i in range(wheel_count):
        p, s = params[i], state[i]
        s.line_force = spring_damper_force(p, s) + p.progression * s.jounce * s.jounce


PROGRESSIVE: Component = replace(
    SUSPENSION, name="progressive", params=ProgressiveParams, phases={**SUSPENSION.phases, "line_force": line_force},
    doc="Standard suspension with a spring that stiffens.",
)  # fmt: skip
