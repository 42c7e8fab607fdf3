"""Directly driven wheels whose brakes hold a locked wheel only as hard as they are pressed.

    omega' = (omega + h (T_tire + T_drive)) / (1 + c h), then towards 0 by h brake / (1 + c h), not beyond;  h = dt / I

Dry friction taken implicitly: a brake turns no wheel back, and what it can hold it holds at exactly zero. A wheel that
locked while its load was small turns again once the road's torque is larger than the brake's; `direct_wheels`, after
its reference, keeps it locked until the brake is released. Felt where load comes back while the pedal is held: the
inner wheels of a car that brakes out of a bend, or all of them behind a crest.
"""

import math

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.tick.component import Component


@kernel
def braked_speed(p, omega, torque, brake_torque, dt):
    """Speed of one wheel after dt; p: its `inertia` and `damping`; torque: of tire and drive, brake_torque: a size."""
    h = dt / p.inertia
    lag = 1.0 / (1.0 + p.damping * h)
    free = (omega + h * torque) * lag
    return math.copysign(max(0.0, abs(free) - h * brake_torque * lag), free)


@kernel
def update(brakes, direct_drive, tire, wheel, wheel_params, wheel_count, dt):
    for i in range(wheel_count):
        torque = tire[i].wheel_torque + direct_drive[i].torque
        wheel[i].omega = braked_speed(wheel_params[i], wheel[i].omega, torque, brakes[i].torque, dt)


COULOMB_BRAKED_WHEELS = Component(
    slot="drivetrain", name="direct_coulomb_brakes", phases={"update": update}, writes=("wheel",),
    doc="Integrates the speed of each wheel by itself; a locked one turns again when the road outdoes its brake.",
)  # fmt: skip
