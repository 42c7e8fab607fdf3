"""Footbrake, handbrake that locks wheels, and axle friction (CE-BRAKE-01..06, CE-RES-01).

    torque_i = axle_friction_i + brake_torque_i * brake response      handbrake off, or not can_brake
    torque_i = LOCK_TORQUE                                            handbrake on and can_brake: the wheel locks

A brake key applies the full torque at once; an analog pedal scales it. Axle friction always opposes the rotation. (A
public header of CryEngine calls axle friction a torque per vehicle mass; here it is a torque, as in the document
below.) How locking changes a tire's friction is part of the tire model (physics/tire/coulomb.py).

Source: the CryEngine vehicle document, `brake_torque`, `can_brake`, `axle_friction`. Old files may contain a speed
threshold and an axle friction for braking; both are ignored.
"""

from typing import Any

from driving_sandbox.physics.brakes.response import BrakeState
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Bool, Float, PerWheel, field
from driving_sandbox.physics.tick.component import Component

LOCK_TORQUE = 1e9  # N*m; more than any tire can overcome, so that the wheel locks
HANDBRAKE_ON = 0.5  # handbrake response above which the wheels lock


class LockingBrakeParams(PerWheel):
    """Footbrake, handbrake and axle friction of one wheel."""

    brake_torque: Float = field(
        unit="N*m",
        ge=0,
        lt=LOCK_TORQUE,
        suggest=(0, 8000),
        mechanic=True,
        doc="Torque at full footbrake.",
        source="CE-BRAKE-03",
    )
    can_brake: Bool = field(default=False, doc="Whether the handbrake locks the wheel.", source="CE-BRAKE-04")
    axle_friction: Float = field(
        unit="N*m",
        ge=0,
        lt=LOCK_TORQUE,
        suggest=(0, 200),
        default=0.0,
        source="CE-RES-01",
        doc="Torque that always opposes the wheel's rotation.",
    )

    aliases = {"brake_vel_threshold": None, "brake_axle_friction": None}


@kernel
def locking_torque(p: Any, brake: float, handbrake: float) -> float:
    """Brake torque and axle friction of one wheel, N m, for the normalised responses of pedal and handbrake, 0..1."""
    if p.can_brake != 0 and handbrake > HANDBRAKE_ON:
        return LOCK_TORQUE
    return p.axle_friction + brake * p.brake_torque


@kernel
def update(params: Any, state: Any, response: Any, wheel_count: int) -> None:
    """Set the brake torque of every wheel."""
    for i in range(wheel_count):
        state[i].torque = locking_torque(params[i], response.brake, response.handbrake)


def check(params: Any, names: dict[str, str], wheel_count: int) -> list[tuple[str, str]]:
    """[(parameter, problem)] of axle friction with a drivetrain whose wheels cannot start against a brake torque."""
    coulomb_drivetrains = ("rigid_engine", "direct_coulomb_brakes")
    if names.get("drivetrain") in coulomb_drivetrains or not params["axle_friction"][:wheel_count].any():
        return []
    text = "must be 0 with drivetrain: {}, in which a wheel cannot start against a brake torque (use wheel.damping)"
    return [("axle_friction", text.format(names.get("drivetrain")))]


LOCKING_BRAKES = Component(
    slot="brakes",
    name="footbrake_and_lock",
    params=LockingBrakeParams,
    state=BrakeState,
    phases={"update": update},
    check=check,
    doc="Footbrake torque on all wheels, a handbrake that locks some of them, and axle friction.",
)
