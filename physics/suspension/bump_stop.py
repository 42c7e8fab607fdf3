"""Suspension with a progressive rubber bump stop instead of a constraint (PX-SUSP-02).

    F = k jounce + c jounce_speed + F_b
    F_b = bump_force s^3 / (1 - s),   s = (jounce / travel - bump_start) / (1 - bump_start)

F_b is zero until jounce reaches the share `bump_start` of the travel, then rises progressively, without bound at the
end of the travel, so that a wheel never reaches it. Half way through the buffer the force is a quarter of `bump_force`.
s is clamped to STEEPEST, where F_b is 22 times `bump_force`.

Intended for `contact.suspension_limit: none` and short steps: the buffer's stiffness grows as 1 / (1 - s)^2, and a
wheel that would cross it within one substep (four per 1/240 s) is thrown back with the force at the position reached.
With the constraint on (`road_normal`) both act, the buffer first.
"""

from dataclasses import replace

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, field
from driving_sandbox.physics.suspension.suspension import SUSPENSION, SuspensionParams, spring_damper_force

STEEPEST = 0.96  # of the buffer's length


class BumpStopParams(SuspensionParams):
    """The standard suspension's parameters, and the buffer's."""

    bump_start: Float = field(
        unit="1",
        ge=0,
        lt=1,
        default=0.7,
        suggest=(0.4, 0.95),
        source="PX-SUSP-02",
        mechanic=True,
        doc="Share of the travel at which the buffer is touched.",
    )
    bump_force: Float = field(
        unit="N",
        ge=0,
        default=20e3,
        suggest=(0, 200e3),
        source="PX-SUSP-02",
        mechanic=True,
        doc="Scale of the buffer's force, which is a quarter of this at half its length.",
    )


@kernel
def buffer_force(p, jounce):
    """Force of the buffer along the suspension, N."""
    s = (jounce / p.travel - p.bump_start) / (1.0 - p.bump_start)
    if s <= 0.0:
        return 0.0
    s = min(s, STEEPEST)
    return p.bump_force * s * s * s / (1.0 - s)


@kernel
def line_force(params, state, wheel_count):
    """Force of spring, damper and buffer along every suspension."""
    for i in range(wheel_count):
        p, s = params[i], state[i]
        s.line_force = spring_damper_force(p, s) + buffer_force(p, s.jounce)


BUMP_STOP = replace(
    SUSPENSION, name="bump_stop", params=BumpStopParams, phases={**SUSPENSION.phases, "line_force": line_force},
    doc="Standard suspension that ends in a stiffening buffer.",
)  # fmt: skip
