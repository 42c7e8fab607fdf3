"""Directly driven wheels with Coulomb brakes: a locked wheel is held by the applied brake torque only.

    omega' = (omega + h (T_tire + T_drive)) / (1 + c h), then moved towards 0, not beyond, by h T_brake / (1 + c h)

with h = dt / I and the wheel's damping c. This is implicit dry friction: a brake never reverses a wheel, and within its
torque it holds the wheel at exactly zero speed. A wheel that locked at low load spins up again once the road's torque
exceeds the brake's; `direct_wheels`, like PhysX, keeps it locked until the brake is released. The difference matters
when load returns during braking: on the inside wheels of a car that brakes out of a bend, or behind a crest.
"""

import math
from typing import Any

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.tick.component import Component


@kernel
def braked_speed(p: Any, omega: float, torque: float, brake_torque: float, dt: float) -> float:
    """Speed of one wheel after dt, rad/s.

    p: has `inertia` and `damping`.
    torque: of tire and drive, N m.
    brake_torque: magnitude, N m.
    """
    h = dt / p.inertia
    damping_factor = 1.0 / (1.0 + p.damping * h)
    unbraked_speed = (omega + h * torque) * damping_factor
    return math.copysign(max(0.0, abs(unbraked_speed) - h * brake_torque * damping_factor), unbraked_speed)


@kernel
def update(
    brakes: Any, direct_drive: Any, tire: Any, wheel: Any, wheel_params: Any, wheel_count: int, dt: float
) -> None:
    """Integrate every wheel's speed over a substep."""
    for i in range(wheel_count):
        torque = tire[i].wheel_torque + direct_drive[i].torque
        wheel[i].omega = braked_speed(wheel_params[i], wheel[i].omega, torque, brakes[i].torque, dt)


COULOMB_BRAKED_WHEELS = Component(
    slot="drivetrain", name="direct_coulomb_brakes", phases={"update": update}, writes=("wheel",),
    doc="Integrates each wheel's speed separately; a locked one spins up when the road's torque exceeds its brake's.",
)  # fmt: skip
