"""Wheels of a vehicle without a drivetrain: braked, never driven (PX-JOINT-01).

For trailers. Each wheel is integrated separately (physics/drivetrain/wheel_speed.py), and never flagged as driven.
"""

from collections.abc import Callable
from typing import Any

from driving_sandbox.physics.drivetrain.actuation import ActuationState, flag_direct_wheel
from driving_sandbox.physics.drivetrain.wheel_speed import free_wheel_speed
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.tick.component import Component


@kernel
def update_flags(state: Any, brakes: Any, wheel_count: int) -> None:
    """Flag the braked wheels; none is driven."""
    for i in range(wheel_count):
        flag_direct_wheel(state[i], brakes[i].torque, 0.0)
        state[i].drive_torque = 0.0


@kernel
def update_wheels(
    actuation: Any, brakes: Any, tire: Any, wheel: Any, wheel_params: Any, wheel_count: int, dt: float
) -> None:
    """Integrate every wheel's speed over a substep."""
    for i in range(wheel_count):
        wheel[i].omega = free_wheel_speed(
            wheel_params[i],
            wheel[i].omega,
            tire[i].wheel_torque,
            0.0,
            brakes[i].torque,
            actuation[i].brake_applied,
            dt,
        )


def _only_undriven(own_name: str) -> Callable[[dict[str, str]], list[tuple[str, str]]]:
    """A `check` that rejects vehicles with an engine or motors, which would never move with this component."""

    def check(names: dict[str, str]) -> list[tuple[str, str]]:
        driving = [slot for slot in ("engine", "direct_drive") if slot in names]
        text = "is for vehicles that nothing drives, and this one has a component for slot"
        return [(own_name, f"{text} {driving[0]}")] if driving else []

    return check


UNDRIVEN_ACTUATION = Component(
    slot="actuation",
    name="undriven",
    state=ActuationState,
    phases={"update": update_flags},
    check=_only_undriven("undriven"),
    doc="Flags braked wheels of a vehicle without drivetrain.",
)
UNDRIVEN_WHEELS = Component(
    slot="drivetrain",
    name="undriven_wheels",
    phases={"update": update_wheels},
    check=_only_undriven("undriven_wheels"),
    writes=("wheel",),
    doc="Integrates each wheel's speed separately, with brakes only.",
)
