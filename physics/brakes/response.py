"""Brake torque of each wheel: the sum of pedal and handbrake torque (PX-BRAKE-01..03).

    torque_i = max_torque_i * brake response + handbrake_torque_i * handbrake response

Torques are magnitudes (>= 0); the drivetrain applies them against the rotation. The largest torques of the wheels
determine the brake balance; a wheel with 0 is not braked.
"""

from typing import Any

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, PerWheel, field
from driving_sandbox.physics.tick.component import Component


class BrakeParams(PerWheel):
    """Largest brake torques of one wheel."""

    max_torque: Float = field(
        unit="N*m", ge=0, suggest=(0, 4000), mechanic=True, doc="Torque at full brake pedal.", source="PX-BRAKE-01"
    )
    handbrake_torque: Float = field(
        unit="N*m",
        ge=0,
        suggest=(0, 4000),
        default=0.0,
        mechanic=True,
        doc="Torque at full handbrake.",
        source="PX-BRAKE-03",
    )


class BrakeState(PerWheel):
    """Brake torque of one wheel."""

    torque: Float = field(unit="N*m", doc="Magnitude of the brake torque.")


@kernel
def brake_torque(p: Any, brake: float, handbrake: float) -> float:
    """Torque of one wheel, N m, for the normalised responses of pedal and handbrake, 0..1."""
    return brake * p.max_torque + handbrake * p.handbrake_torque


@kernel
def update(params: Any, state: Any, response: Any, wheel_count: int) -> None:
    """Set the brake torque of every wheel."""
    for i in range(wheel_count):
        state[i].torque = brake_torque(params[i], response.brake, response.handbrake)


BRAKES = Component(
    slot="brakes",
    name="pedal_and_handbrake",
    params=BrakeParams,
    state=BrakeState,
    phases={"update": update},
    doc="Sums the torques of brake pedal and handbrake on each wheel.",
)
