"""A lowrider's suspension: a hydraulic ram at every wheel adds a sinusoidal force to that of the spring.

    F = k jounce + c jounce_speed + A sin(2 pi f t + phase)        along the suspension, never below 0

with an amplitude A in newtons, a frequency f in hertz and a phase of its own per wheel: all alike, the car hops; left
against right, it rocks; front against rear, it bows. The pump runs while `hydraulics` is on; its phase is part of the
state, so that replays, rewinding and swapping find it where it was.

The ram pushes where the spring does, so the standard component's force is computed first and then changed.
"""

import math
from dataclasses import replace

from physics import vec3
from physics.component import Component
from physics.jit import kernel
from physics.schema import field
from physics.suspension.suspension import SUSPENSION, SuspensionParams, SuspensionState
from physics.suspension.suspension import force as standard_force

TURN = 2.0 * math.pi


class LowriderParams(SuspensionParams):
    """The standard suspension's parameters, and a ram."""

    hydraulics: bool = field(default=True, doc="Whether the pump of this wheel runs.")
    ram_force: float = field(
        unit="N", ge=0, default=0.0, suggest=(0, 8e3), doc="Amplitude of the ram's force.", source="PX-SNIP-05"
    )
    ram_frequency: float = field(
        unit="Hz", gt=0, le=20, default=1.0, suggest=(0.2, 3), doc="Strokes per second.", source="PX-SNIP-05"
    )
    ram_phase: float = field(
        unit="rad", default=0.0, suggest=(-math.pi, math.pi), doc="How far this wheel is ahead.", source="PX-SNIP-05"
    )


class LowriderState(SuspensionState):
    """The standard suspension's state, and the ram's."""

    ram_angle: float = field(unit="rad", doc="Where in its stroke the pump is, without the phase.")
    ram: float = field(unit="N", doc="Force the ram adds along the suspension; positive pushes the wheel down.")


@kernel
def force(params, state, wheel_params, steering, compliance, road, body, body_params, external, context, wheel_count,
          dt):
    """The standard force, and what the ram adds to it."""
    standard_force(
        params, state, wheel_params, steering, compliance, road, body, body_params, external, context, wheel_count
    )
    for i in range(wheel_count):
        p = params[i]
        s = state[i]
        s.ram = 0.0
        if p.hydraulics == 0:
            continue
        s.ram_angle += TURN * p.ram_frequency * dt
        if s.ram_angle > TURN:
            s.ram_angle -= TURN
        s.ram = p.ram_force * math.sin(s.ram_angle + p.ram_phase)
        if s.on_ground == 0:
            continue
        normal = vec3.load(road[i].normal)
        along = -vec3.dot(normal, vec3.load(s.direction))  # share of a force on the line that presses on the road
        s.force = max(0.0, s.force + s.ram * along)
        vec3.store(s.force_vector, vec3.scale(normal, s.force))


LOWRIDER: Component = replace(
    SUSPENSION, name="lowrider", params=LowriderParams, state=LowriderState,
    phases={**SUSPENSION.phases, "force": force}, doc="Standard suspension with a hydraulic ram at every wheel.",
)  # fmt: skip
