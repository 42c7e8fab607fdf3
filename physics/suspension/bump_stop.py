"""Suspension with a progressive rubber bump stop instead of a constraint (PX-SUSP-02).

    F = k jounce + c jounce_speed + F_b
    F_b = bump_force s^3 / (1 - s),   s = (jounce / travel - bump_start) / (1 - bump_start)

F_b is the force of the buffer and s its compression, as a share of its length. F_b is zero until jounce reaches the
share `bump_start` of the travel, then rises progressively towards infinity at the end of the travel, so that a wheel
should not get there. Half way through the buffer F_b is a quarter of `bump_force`. s is limited to MAX_COMPRESSION,
where F_b is 22 times `bump_force`.

Intended for `contact.suspension_limit: none` and short steps: near full compression the buffer's stiffness grows as
1 / (1 - s)^2, so that a wheel which crosses the buffer within one substep is thrown back. With
`contact.suspension_limit: road_normal` the constraint acts as well, after the buffer.
"""

from dataclasses import replace
from typing import Any

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, field
from driving_sandbox.physics.suspension.suspension import SUSPENSION, SuspensionParams, spring_damper_force

MAX_COMPRESSION = 0.96  # largest s; keeps the force finite


class BumpStopParams(SuspensionParams):
    """Parameters of the standard suspension and of the buffer."""

    bump_start: Float = field(
        unit="1",
        ge=0,
        lt=1,
        default=0.7,
        suggest=(0.4, 0.95),
        source="PX-SUSP-02",
        mechanic=True,
        doc="Jounce at which the buffer is touched, as a share of the travel.",
    )
    bump_force: Float = field(
        unit="N",
        ge=0,
        default=20e3,
        suggest=(0, 200e3),
        source="PX-SUSP-02",
        mechanic=True,
        doc="Scale of the buffer's force: at half its length the force is a quarter of this.",
    )


@kernel
def buffer_force(p: Any, jounce: float) -> float:
    """Force of the buffer along the suspension, N."""
    s = (jounce / p.travel - p.bump_start) / (1.0 - p.bump_start)
    if s <= 0.0:
        return 0.0
    s = min(s, MAX_COMPRESSION)
    return p.bump_force * s * s * s / (1.0 - s)


@kernel
def line_force(params: Any, state: Any, wheel_count: int) -> None:
    """Set the force of spring, damper and buffer along every suspension line."""
    for i in range(wheel_count):
        p, s = params[i], state[i]
        s.line_force = spring_damper_force(p, s) + buffer_force(p, s.jounce)


BUMP_STOP = replace(
    SUSPENSION, name="bump_stop", params=BumpStopParams, phases={**SUSPENSION.phases, "line_force": line_force},
    doc="Standard suspension with a progressive bump stop.",
)  # fmt: skip
