"""Friction clutch: slips above its torque capacity (RC-CLUTCH-01, 02, RC-ENG-03).

It separates the engine from gearbox, shafts, differentials and wheels.

    |torque| <= capacity = normalised * max_torque
    normalised = min(1 - pedal, (omega - idle_omega) / (auto_omega - idle_omega)), at least 0

It locks below its capacity; above, it slips and transmits the capacity. With `auto_omega` the clutch opens
automatically when the faster of engine and gearbox input falls below that speed, fully at idle: for driving without a
clutch pedal, and without stalling. 0 leaves the clutch to the driver.

physics/drivetrain/friction_drive.py applies the capacity exactly. For drivetrains that support only clutches with a
strength, the state has the strength

    response = capacity / max(|slip|, 2 rad/s)        slip in the substep before

which gives the same friction, regularised near zero slip.
"""

from typing import Any

from driving_sandbox.physics.drivetrain.clutch import ClutchState
from driving_sandbox.physics.drivetrain.wheel_speed import shaft_speed
from driving_sandbox.physics.gearbox.gearbox import gear_ratio
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, Schema, field
from driving_sandbox.physics.tick.component import Component

STICK_SLIP = 2.0  # rad/s; regularisation: smallest slip in the denominator of the strength


class FrictionClutchParams(Schema):
    """Capacity and, optionally, the speed of automatic engagement."""

    max_torque: Float = field(
        unit="N*m",
        gt=0,
        suggest=(50, 1500),
        source="RC-CLUTCH-02",
        mechanic=True,
        doc="Torque capacity with the pedal released. Below the engine's peak torque it slips; less softens shifts.",
    )
    auto_omega: Float = field(
        unit="rad/s",
        ge=0,
        suggest=(100, 300),
        default=0.0,
        source="RC-ENG-03",
        doc="Speed below which it opens automatically, fully open at idle; 0: never, and the engine can stall.",
    )


@kernel
def friction_response(p: Any, normalised: float, slip: float) -> float:
    """Equivalent strength of the friction at a slip speed, N m s / rad."""
    return normalised * p.max_torque / max(abs(slip), STICK_SLIP)


@kernel
def automatic_share(p: Any, idle_omega: float, omega: float) -> float:
    """Automatic engagement at a speed (rad/s), 0 open .. 1 closed; 1 if `auto_omega` is 0."""
    if p.auto_omega == 0.0:
        return 1.0
    return min(1.0, max(0.0, (omega - idle_omega) / (p.auto_omega - idle_omega)))


@kernel
def update(
    params: Any, state: Any, input: Any, engine: Any, engine_params: Any, gearbox: Any, gearbox_params: Any,
    differential: Any, drivetrain: Any, wheel: Any, wheel_count: int,
) -> None:  # fmt: skip
    """Set engagement and equivalent strength."""
    gearbox_omega = gear_ratio(gearbox_params, gearbox.current_gear) * shaft_speed(differential, wheel, wheel_count)
    share = automatic_share(params, engine_params.idle_omega, max(engine.omega, abs(gearbox_omega)))
    state.normalised = min(1.0 - input.clutch, share)
    state.response = friction_response(params, state.normalised, drivetrain.clutch_slip)


def check(params: Any, engine_params: Any) -> list[tuple[str, str]]:
    """The problem of an `auto_omega` at or below idle speed."""
    auto, idle = float(params["auto_omega"]), float(engine_params["idle_omega"])
    if 0.0 < auto <= idle:
        return [("auto_omega", f"must be 0, or above the engine's idle speed ({idle:g})")]
    return []


FRICTION_CLUTCH = Component(
    slot="clutch",
    name="friction",
    params=FrictionClutchParams,
    state=ClutchState,
    phases={"update": update},
    check=check,
    doc="Slips above its torque capacity; may open automatically near idle.",
)
