"""Clutch: a viscous coupling between engine and gearbox (PX-CLUTCH-01, 02).

    torque = K (engine omega - G * mean wheel omega),   K = strength * (1 - clutch command), 0 in neutral

The clutch command is that of the pedal, 1 fully pressed. Torque flows both ways, and the coupling
(physics/drivetrain/coupling.py) applies it implicitly, so that a strong clutch is stable.

A clutch that multiplies driving torque (torque_converter.py) has the factor as `torque_ratio` in its state.

Limit: the torque is unbounded, and an engine that cannot stall (engine.py) runs at idle speed against any load. In gear
with the pedal released and a brake torque T on the driven wheels it therefore keeps driving, at the mean wheel speed

    s = (idle_omega - T / (G K)) / G

and stops only if T is at least G K idle_omega. A pressed clutch pedal, the clutch `automatic`, or `friction` with an
engine that can stall avoid this.
"""

from typing import Any

from driving_sandbox.physics.gearbox.gearbox import passed_on
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.kernel.optional_field import optional_field
from driving_sandbox.physics.schema.schema import Float, Schema, field
from driving_sandbox.physics.tick.component import Component

torque_ratio = optional_field("torque_ratio")


class ClutchParams(Schema):
    """Strength of the coupling."""

    strength: Float = field(
        unit="N*m*s/rad",
        gt=0,
        suggest=(2, 200),
        mechanic=True,
        doc="Torque per slip speed with the pedal released.",
        source="PX-CLUTCH-02",
    )


class ClutchState(Schema):
    """Engagement of the clutch, and the strength that it gives."""

    normalised: Float = field(unit="1", doc="1 engaged, 0 separated.")
    response: Float = field(unit="N*m*s/rad", doc="Strength at the present pedal position.")


@kernel
def respond(p: Any, s: Any, pedal: float) -> None:
    """Set the state for a clutch pedal, 1 = fully pressed."""
    s.normalised = 1.0 - pedal
    s.response = s.normalised * p.strength


@kernel
def clutch_strength(s: Any, current_gear: int, neutral_gear: int) -> float:
    """Strength, N m s / rad; 0 in neutral."""
    return 0.0 if current_gear == neutral_gear else s.response


@kernel
def output_factor(converter_ratio: float, efficiency: float, torque: float, gearbox_speed: float) -> float:
    """Factor on the product of clutch torque and gear ratio, for a torque converter and lossy gears.

    converter_ratio: torque ratio of the clutch.
    efficiency: of the gear.
    torque, gearbox_speed: clutch torque, and speed of the gearbox input; only their signs count.
    """
    return (converter_ratio if torque > 0.0 else 1.0) * passed_on(efficiency, torque * gearbox_speed)


@kernel
def update(params: Any, state: Any, input: Any) -> None:
    """Set the state for the driver's clutch pedal."""
    respond(params, state, input.clutch)


CLUTCH = Component(
    slot="clutch",
    name="torsion_damper",
    params=ClutchParams,
    state=ClutchState,
    phases={"update": update},
    doc="Viscous coupling between engine and gearbox.",
)
