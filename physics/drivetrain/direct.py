"""Direct drive: a torque on each wheel straight from the throttle, without engine and gearbox (PX-DIRECT-01..03).

    torque_i = direction * throttle response * max_torque_i * min(1, power_i / |max_torque_i omega_i|)

omega: speed of the wheel. The torque is constant up to the base speed power / |max_torque|, above it the power is, as
of an electric motor; a `power` of 0 is no limit, and the torque constant at any speed. Direction is -1 in reverse
(gear 0), 0 in neutral (gear 1) and +1 in any other gear, automatic included. A wheel with a negative largest torque is
geared in reverse. Wheels are integrated one by one (physics/drivetrain/wheel_speed.py).
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.drivetrain.wheel_speed import free_wheel_speed
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, PerWheel, field
from driving_sandbox.physics.tick.commands import NEUTRAL
from driving_sandbox.physics.tick.component import Component
from driving_sandbox.physics.wheel.wheel import axle_inertia

MAX_FREE_ACCELERATION = 10_000.0  # rad/s^2 of a wheel in the air: half a second to the limit of physics/tick/guard.py


class DirectDriveParams(PerWheel):
    """Largest torque and power of one wheel."""

    max_torque: Float = field(
        unit="N*m",
        ge=-3000,
        le=3000,  # the torque has no speed limit: 4000 spins the wheels of a buggy to 5000 rad/s in 4 s
        suggest=(-2000, 2000),
        default=0.0,
        source="PX-DIRECT-01, PX-DIRECT-02",
        doc="Torque at full throttle; negative: geared in reverse.",
    )
    power: Float = field(
        unit="W",
        ge=0,
        le=1e6,
        suggest=(2e3, 200e3),
        default=0.0,
        doc="Largest power at the wheel, which limits the torque above the speed power / max_torque; 0: no limit.",
    )


class DirectDriveState(PerWheel):
    """Torque of one wheel."""

    torque: Float = field(unit="N*m", doc="Drive torque of the wheel.")


@kernel
def drive_direction(gear: int) -> float:
    """-1, 0 or +1 for a gear command: reverse, neutral, forward."""
    return float(min(gear, NEUTRAL + 1) - NEUTRAL)


@kernel
def direct_torque(p: Any, throttle: float, gear: int) -> float:
    """Drive torque of one wheel up to its base speed, N m. throttle: response, 0..1. gear: command."""
    return drive_direction(gear) * throttle * p.max_torque


@kernel
def available_share(p: Any, omega: float) -> float:
    """Share of the largest torque that the power allows at a wheel speed (rad/s)."""
    needed = abs(p.max_torque * omega)
    return p.power / needed if 0.0 < p.power < needed else 1.0


@kernel
def update(params: Any, state: Any, input: Any, response: Any, wheel: Any, wheel_count: int) -> None:
    """Set the drive torque of every wheel."""
    for i in range(wheel_count):
        torque = direct_torque(params[i], response.throttle, input.gear)
        state[i].torque = torque * available_share(params[i], wheel[i].omega)


@kernel
def update_wheels(
    actuation: Any, brakes: Any, direct_drive: Any, tire: Any, wheel: Any, wheel_params: Any, wheel_count: int,
    dt: float,
) -> None:  # fmt: skip
    """Integrate every wheel's speed over a substep."""
    for i in range(wheel_count):
        wheel[i].omega = free_wheel_speed(
            wheel_params[i],
            wheel[i].omega,
            tire[i].wheel_torque,
            direct_drive[i].torque,
            brakes[i].torque,
            actuation[i].brake_applied,
            dt,
        )


def check(params: np.ndarray, wheel_params: np.ndarray, wheel_names: tuple[str, ...]) -> list[tuple[str, str]]:
    """The problem of the first wheel that is too light for its torque."""
    for name, p, wheel in zip(wheel_names, params, wheel_params, strict=False):
        inertia = axle_inertia(wheel)
        limit = MAX_FREE_ACCELERATION * inertia
        if abs(float(p["max_torque"])) > limit:
            text = f"of wheel {name} must be at most {limit:.3g} N m with a moment of inertia of {inertia:.3g}"
            return [("max_torque", f"{text} kg m^2, or it spins up to thousands of rad/s within half a second")]
    return []


DIRECT_DRIVE = Component(
    slot="direct_drive",
    name="torque_per_wheel",
    params=DirectDriveParams,
    state=DirectDriveState,
    phases={"update": update},
    check=check,
    doc="Torque of each wheel from the throttle, at high speed limited by its power.",
)
DIRECT_WHEELS = Component(
    slot="drivetrain",
    name="direct_wheels",
    phases={"update": update_wheels},
    writes=("wheel",),
    doc="Integrates each wheel's speed separately.",
)
