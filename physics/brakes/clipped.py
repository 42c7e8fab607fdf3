"""Brakes whose handbrake adds to the pedal; their sum is limited to the torque of full pedal (RC-BRAKE-01..03).

    torque_i = min(max_torque_i, max_torque_i * brake response + limit_i * handbrake response)

limit_i is `handbrake_torque` on wheels with a handbrake (`max_torque` if that is 0), and 0 on all other wheels. A real
handbrake has about a tenth of the torque of the service brakes, so `max_torque` is far too much for it. Torques are
magnitudes (>= 0).
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.brakes.response import BrakeState
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Bool, Float, PerWheel, field
from driving_sandbox.physics.tick.component import Component


class ClippedBrakeParams(PerWheel):
    """Largest brake torques of one wheel."""

    max_torque: Float = field(
        unit="N*m",
        ge=0,
        suggest=(0, 4000),
        source="RC-BRAKE-03",
        mechanic=True,
        doc="Torque at full brake pedal, and limit of the sum of pedal and handbrake.",
    )
    handbrake: Bool = field(default=False, source="RC-BRAKE-01", doc="Whether the handbrake acts on the wheel.")
    handbrake_torque: Float = field(
        unit="N*m",
        ge=0,
        suggest=(0, 1000),
        default=0.0,
        source="RC-BRAKE-02",
        mechanic=True,
        doc="Torque at full handbrake; 0: max_torque. A tenth of max_torque is realistic.",
    )
    handbrake_limit: Float = field(unit="N*m", derived=True, doc="Torque at full handbrake in use.")


@kernel
def clipped_torque(p: Any, brake: float, handbrake: float) -> float:
    """Torque of one wheel, N m, for the normalised responses of pedal and handbrake, 0..1."""
    return min(p.max_torque, brake * p.max_torque + handbrake * p.handbrake_limit)


@kernel
def update(params: Any, state: Any, response: Any, wheel_count: int) -> None:
    """Set the brake torque of every wheel."""
    for i in range(wheel_count):
        state[i].torque = clipped_torque(params[i], response.brake, response.handbrake)


def derive(params: Any, wheel_count: int) -> None:
    """Set the torque at full handbrake of every wheel."""
    p = params[:wheel_count]
    full_torque = np.where(p["handbrake_torque"] > 0.0, p["handbrake_torque"], p["max_torque"])
    params["handbrake_limit"][:wheel_count] = np.where(p["handbrake"] != 0, full_torque, 0.0)


def check(params: Any, wheel_names: tuple[str, ...]) -> list[tuple[str, str]]:
    """The problem of the first wheel that has a handbrake torque but no handbrake."""
    for i, wheel in enumerate(wheel_names):
        if params["handbrake_torque"][i] > 0.0 and not params["handbrake"][i]:
            return [("handbrake_torque", f"of wheel {wheel} has no effect while its `handbrake` is false")]
    return []


CLIPPED_BRAKES = Component(
    slot="brakes",
    name="clipped",
    params=ClippedBrakeParams,
    state=BrakeState,
    phases={"update": update},
    derive=derive,
    check=check,
    doc="Adds handbrake to pedal on some wheels, up to the largest torque of the pedal.",
)
