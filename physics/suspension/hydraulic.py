"""Lowrider suspension: a hydraulic ram between spring and body at every wheel moves the spring seat.

    F      = k (jounce + h) + c jounce_speed                along the suspension; h: piston position
    target = lift + switch stroke sin(2 pi f t + phase)     h follows it with |dh/dt| <= ram_speed

`lift` sets the ride height per wheel; negative values lower it. While `switch` (0..1) is above 0 the rams oscillate:
with all wheels in phase the car hops, with left and right in opposite phase it rolls, with front and rear in opposite
phase it pitches. `ram_switch` sets the switch: the position of the clutch pedal, which automatic gearboxes leave
unused, or fixed at 0 or 1. The phase of the oscillation is part of the state, so that replay and rewind reproduce it.

The ram's speed does not depend on its load. (The worked example docs/examples/lowrider_suspension.py applies an
oscillating force at the wheel instead.)
"""

import math
from dataclasses import replace
from typing import Any

from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Choice, Float, field
from driving_sandbox.physics.suspension.suspension import (
    SUSPENSION,
    SuspensionParams,
    SuspensionState,
    spring_damper_force,
)
from driving_sandbox.physics.tick.component import Component

TURN = 2.0 * math.pi  # rad, a full turn
OFF, PEDAL = 0, 1  # indices of the options of `ram_switch`


class HydraulicParams(SuspensionParams):
    """Parameters of the standard suspension and of the ram."""

    lift: Float = field(
        unit="m",
        ge=-0.3,
        le=0.3,
        default=0.0,
        suggest=(-0.1, 0.1),
        doc="Mean position of the ram's piston; > 0 lifts the car.",
    )
    ram_switch: Choice = field(
        options=("off", "clutch_pedal", "on"),
        default="clutch_pedal",
        doc="When the ram oscillates: never, in proportion to the clutch pedal's position, or always.",
    )
    stroke: Float = field(
        unit="m",
        ge=0,
        le=0.3,
        default=0.0,
        suggest=(0, 0.15),
        doc="Amplitude of the oscillation.",
        source="PX-SNIP-05",
    )
    stroke_frequency: Float = field(
        unit="Hz", gt=0, le=20, default=1.0, suggest=(0.2, 3), doc="Frequency of the oscillation.", source="PX-SNIP-05"
    )
    stroke_phase: Float = field(
        unit="rad",
        default=0.0,
        suggest=(-math.pi, math.pi),
        doc="Phase lead of this wheel's oscillation over the common one.",
        source="PX-SNIP-05",
    )
    ram_speed: Float = field(
        unit="m/s", gt=0, le=100, default=0.6, suggest=(0.05, 1.5), doc="Largest speed of the piston."
    )


class HydraulicState(SuspensionState):
    """State of the standard suspension and of the ram."""

    stroke_angle: Float = field(unit="rad", doc="Phase of the oscillation, without this wheel's phase lead.")
    ram: Float = field(unit="m", doc="Position of the piston; positive pushes the wheel down.")


@kernel
def target_piston(p: Any, angle: float, pedal: Any) -> float:
    """Target position of the ram's piston, m. angle: phase, rad. pedal: clutch pedal, 0..1."""
    switch = 0.0 if p.ram_switch == OFF else (pedal if p.ram_switch == PEDAL else 1.0)
    return p.lift + switch * p.stroke * elementary.sin(angle + p.stroke_phase)


@kernel
def line_force(params: Any, state: Any, input: Any, wheel_count: int, dt: float) -> None:
    """Move every ram by a step, and set the force of spring and damper along every suspension line."""
    for i in range(wheel_count):
        p, s = params[i], state[i]
        s.stroke_angle += TURN * p.stroke_frequency * dt
        if s.stroke_angle > TURN:
            s.stroke_angle -= TURN
        distance = target_piston(p, s.stroke_angle, input.clutch) - s.ram
        s.ram += max(-p.ram_speed * dt, min(p.ram_speed * dt, distance))
        s.line_force = spring_damper_force(p, s) + p.stiffness * s.ram


HYDRAULIC: Component = replace(
    SUSPENSION, name="hydraulic", params=HydraulicParams, state=HydraulicState,
    phases={**SUSPENSION.phases, "line_force": line_force},
    doc="Standard suspension on hydraulic rams that lift and hop.",
)  # fmt: skip
