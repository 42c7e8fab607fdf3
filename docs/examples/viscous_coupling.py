"""A viscous coupling between the axles instead of the friction couplers of the standard limited slip.

Two packs of discs in silicone oil: the torque grows with the difference of the axles' mean speeds,

    T = viscosity |d|^exponent sgn d,    d = (w_f0 + w_f1) / 2 - (w_r0 + w_r1) / 2,    |T| <= max_torque

Silicone thins when sheared, so the exponent is below 1. The open gears of each axle share T equally between their
wheels. Within a step the difference falls exponentially, d exp(-R (T / d) dt) with R the sum of both axles' responses,
so that the coupling never reverses the difference, whatever the step size. Angular momentum is conserved.

It fills the slot `limited_slip`, which runs in every substep after engine, clutch and wheels have been integrated.
"""

import math
from typing import Any

from driving_sandbox import Component, Float, Schema, WheelRef, field, kernel

MIN_DIFFERENCE = 1e-6  # rad/s, below which the torque is 0


def _wheel(number: int, what: str) -> Any:
    return field(default=number, doc=f"{what} wheel.")


class ViscousParams(Schema):
    """Wheels of the two axles, and the coupling's torque."""

    front_left: WheelRef = _wheel(0, "Front left")
    front_right: WheelRef = _wheel(1, "Front right")
    rear_left: WheelRef = _wheel(2, "Rear left")
    rear_right: WheelRef = _wheel(3, "Rear right")
    viscosity: Float = field(
        unit="N*m*s/rad", ge=0, default=60.0, suggest=(0, 300), doc="Torque at a speed difference of 1 rad/s."
    )
    exponent: Float = field(
        unit="1", gt=0, le=1, default=0.7, suggest=(0.4, 1), doc="1: a linear damper; less: oil that thins."
    )
    max_torque: Float = field(
        unit="N*m", gt=0, default=1500.0, suggest=(100, 3000), doc="Largest torque of the coupling."
    )


class ViscousState(Schema):
    """State of the coupling."""

    difference: Float = field(unit="rad/s", doc="Mean speed of the front wheels less that of the rear ones.")
    torque: Float = field(unit="N*m", doc="Torque from the front axle to the rear one.")


@kernel
def momentum_between(p: Any, difference: float, response: Any, dt: float) -> float:
    """Angular momentum that flows from the faster side in a step, N m s.

    `response` is the change of the difference per momentum, 1/(kg m^2).
    """
    size = abs(difference)
    if size < MIN_DIFFERENCE or p.viscosity == 0.0:
        return 0.0
    damping = p.viscosity * size ** (p.exponent - 1.0)
    momentum = size * (1.0 - math.exp(-damping * response * dt)) / response
    return math.copysign(min(momentum, p.max_torque * dt), difference)


@kernel
def update(params: Any, state: Any, wheel: Any, wheel_params: Any, dt: float) -> None:
    """Move angular momentum between the axles' wheels, and set difference and torque."""
    p = params
    f0, f1, r0, r1 = p.front_left, p.front_right, p.rear_left, p.rear_right
    # A flow of J changes each wheel's momentum by J / 2, an axle's mean speed by J / 4 (1 / I_left + 1 / I_right).
    response = 0.25 * (1.0 / wheel_params[f0].inertia + 1.0 / wheel_params[f1].inertia)
    response += 0.25 * (1.0 / wheel_params[r0].inertia + 1.0 / wheel_params[r1].inertia)
    state.difference = 0.5 * (wheel[f0].omega + wheel[f1].omega - wheel[r0].omega - wheel[r1].omega)
    momentum = momentum_between(p, state.difference, response, dt)
    state.torque = momentum / dt
    half = 0.5 * momentum
    wheel[f0].omega -= half / wheel_params[f0].inertia
    wheel[f1].omega -= half / wheel_params[f1].inertia
    wheel[r0].omega += half / wheel_params[r0].inertia
    wheel[r1].omega += half / wheel_params[r1].inertia


def check(params: Any, wheel_count: int) -> list[tuple[str, str]]:
    """Problems of the parameters, as (name, text): the four wheels must exist and differ."""
    names = ("front_left", "front_right", "rear_left", "rear_right")
    wheels = [int(params[name]) for name in names]
    problems = [(name, f"wheel {i} does not exist") for name, i in zip(names, wheels, strict=True) if i >= wheel_count]
    if len(set(wheels)) != len(wheels):
        problems.append((names[-1], "names a wheel twice"))
    return problems


VISCOUS = Component(
    slot="limited_slip", name="viscous", params=ViscousParams, state=ViscousState, phases={"update": update},
    writes=("wheel",), check=check, doc="Viscous coupling between front and rear axle.",
)  # fmt: skip
