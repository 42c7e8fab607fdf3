"""A suspension whose spring gets stiffer towards its end: F = (k + r jounce) jounce, plus the damper as usual.

Everything else is the standard suspension's: its parameters are inherited, its kernels are called. A vehicle uses this
one by naming it:

    components:
      suspension: {file: progressive_suspension.py, name: PROGRESSIVE}

The new parameter then appears in the panel, in setups and in recordings without a further line.
"""

from dataclasses import replace

from physics import vec3
from physics.component import Component
from physics.jit import kernel
from physics.schema import field
from physics.suspension.suspension import SUSPENSION, SuspensionParams
from physics.suspension.suspension import force as standard_force


class ProgressiveParams(SuspensionParams):
    """The standard suspension's parameters and one more."""

    progression: float = field(
        unit="N/m^2", ge=0, default=0.0, suggest=(0, 300e3), doc="Growth of the spring's stiffness per metre of jounce."
    )


@kernel
def force(params, state, wheel_params, steering, compliance, road, body, body_params, external, context, wheel_count):
    """The standard force, and what the progression adds to it."""
    standard_force(
        params, state, wheel_params, steering, compliance, road, body, body_params, external, context, wheel_count
    )
    for i in range(wheel_count):
        s = state[i]
        if s.on_ground == 0:
            continue
        normal = vec3.load(road[i].normal)
        along = -vec3.dot(normal, vec3.load(s.direction))  # share of a force on the line that presses on the road
        s.force += max(0.0, params[i].progression * s.jounce * s.jounce * along)
        vec3.store(s.force_vector, vec3.scale(normal, s.force))


PROGRESSIVE: Component = replace(
    SUSPENSION, name="progressive", params=ProgressiveParams, phases={**SUSPENSION.phases, "force": force},
    doc="Standard suspension with a spring that stiffens.",
)  # fmt: skip
