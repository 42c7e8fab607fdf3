"""A lowrider's suspension: a hydraulic ram at every wheel adds a sinusoidal force to that of the spring.

    F = k jounce + c jounce_speed + A sin(2 pi f t + phase)        along the suspension

with amplitude A in newtons, frequency f in hertz and a phase for each wheel. With equal phases the car hops, with
opposite phases left and right it rocks, with opposite phases front and rear it bows. The pump runs while `hydraulics`
is on; its phase is part of the state, so that replays, rewinds and swaps continue it.

The ram acts along the same line as spring and damper, so that only the force law is replaced; the standard component
applies the force to body and road.
"""

import math
from dataclasses import replace
from typing import Any

from driving_sandbox import Bool, Component, Float, field, kernel
from driving_sandbox.physics.suspension.suspension import (
    SUSPENSION,
    SuspensionParams,
    SuspensionState,
    spring_damper_force,
)

TURN = 2.0 * math.pi  # rad


class LowriderParams(SuspensionParams):
    """The standard suspension's parameters, and a ram."""

    hydraulics: Bool = field(default=True, doc="Whether the pump of this wheel runs.")
    ram_force: Float = field(
        unit="N", ge=0, default=0.0, suggest=(0, 8e3), doc="Amplitude of the ram's force.", source="PX-SNIP-05"
    )
    ram_frequency: Float = field(
        unit="Hz", gt=0, le=20, default=1.0, suggest=(0.2, 3), doc="Strokes per second.", source="PX-SNIP-05"
    )
    ram_phase: Float = field(
        unit="rad",
        default=0.0,
        suggest=(-math.pi, math.pi),
        doc="Phase of this wheel ahead of the pump's.",
        source="PX-SNIP-05",
    )


class LowriderState(SuspensionState):
    """The standard suspension's state, and that of the ram."""

    ram_angle: Float = field(unit="rad", doc="Angle of the pump in its stroke, without the wheel's phase.")
    ram: Float = field(unit="N", doc="Force the ram adds along the suspension; positive pushes the wheel down.")


@kernel
def line_force(params: Any, state: Any, wheel_count: int, dt: float) -> None:
    """Force of spring, damper and ram along every suspension."""
    for i in range(wheel_count):
        p, s = params[i], state[i]
        s.ram = 0.0
        if p.hydraulics != 0:
            s.ram_angle += TURN * p.ram_frequency * dt
            if s.ram_angle > TURN:
                s.ram_angle -= TURN
            s.ram = p.ram_force * math.sin(s.ram_angle + p.ram_phase)
        s.line_force = spring_damper_force(p, s) + s.ram


LOWRIDER: Component = replace(
    SUSPENSION, name="lowrider", params=LowriderParams, state=LowriderState,
    phases={**SUSPENSION.phases, "line_force": line_force},
    doc="Standard suspension with a hydraulic ram at every wheel.",
)  # fmt: skip
