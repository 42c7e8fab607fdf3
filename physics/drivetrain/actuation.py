"""Flags of braked and driven wheels in this tick, and the driver's intent to accelerate or brake (PX-JOINT-02).

    engine drive   braked: brake torque is not 0
                   driven: not braked, clutch not fully open, in gear, torque share of the wheel and throttle not 0
    direct drive   braked: brake torque is not 0;   driven: drive torque is not 0
    intent         accelerating: any wheel driven;  braking: any wheel braked

Tire slip, sticky tires and the integration of wheel speeds read the flags, which are constant over the substeps.
"""

from typing import Any

from driving_sandbox.physics.drivetrain.clutch import clutch_strength, output_factor
from driving_sandbox.physics.drivetrain.clutch import torque_ratio as converter_ratio
from driving_sandbox.physics.drivetrain.wheel_speed import shaft_speed
from driving_sandbox.physics.gearbox.gearbox import gear_efficiency, gear_ratio
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, Int, PerWheel, Schema, field
from driving_sandbox.physics.tick.component import Component


class ActuationState(PerWheel):
    """Flags and drive torque of one wheel."""

    brake_applied: Int = field(unit="1", doc="1 if a brake torque acts on the wheel.")
    drive_applied: Int = field(unit="1", doc="1 if the wheel counts as driven (conditions: docstring of the module).")
    drive_torque: Float = field(unit="N*m", doc="Drivetrain torque on the wheel at its speed at the start of the tick.")


class IntentState(Schema):
    """Whether the driver accelerates or brakes the vehicle."""

    accelerating: Int = field(unit="1", doc="1 if any wheel is driven.")
    braking: Int = field(unit="1", doc="1 if any wheel is braked.")


@kernel
def flag_engine_wheel(s: Any, brake_torque: float, strength: float, torque_share: float, throttle: float) -> None:
    """Set the flags of one wheel of an engine-driven vehicle. strength: clutch strength, 0 in neutral."""
    braked = brake_torque != 0.0
    s.brake_applied = 1 if braked else 0
    s.drive_applied = 1 if not braked and strength != 0.0 and torque_share != 0.0 and throttle != 0.0 else 0


@kernel
def flag_direct_wheel(s: Any, brake_torque: float, drive_torque: float) -> None:
    """Set the flags of one directly driven wheel."""
    s.brake_applied = 1 if brake_torque != 0.0 else 0
    s.drive_applied = 1 if drive_torque != 0.0 else 0


@kernel
def update_engine(
    state: Any, brakes: Any, differential: Any, engine: Any, clutch: Any, gearbox: Any, gearbox_params: Any, wheel: Any,
    wheel_count: int,
) -> None:  # fmt: skip
    """Set flags and drive torque of every wheel."""
    strength = clutch_strength(clutch, gearbox.current_gear, gearbox_params.neutral_gear)
    ratio = gear_ratio(gearbox_params, gearbox.current_gear)
    shaft = shaft_speed(differential, wheel, wheel_count)
    clutch_torque = strength * (engine.omega - ratio * shaft)
    efficiency = gear_efficiency(gearbox_params, gearbox.current_gear)
    factor = output_factor(converter_ratio(clutch, 1.0), efficiency, clutch_torque, ratio * shaft)
    output_torque = clutch_torque * (ratio * factor)
    for i in range(wheel_count):
        flag_engine_wheel(state[i], brakes[i].torque, strength, differential[i].torque_ratio, engine.throttle)
        state[i].drive_torque = output_torque * differential[i].torque_ratio


@kernel
def update_direct(state: Any, brakes: Any, direct_drive: Any, wheel_count: int) -> None:
    """Set flags and drive torque of every wheel."""
    for i in range(wheel_count):
        flag_direct_wheel(state[i], brakes[i].torque, direct_drive[i].torque)
        state[i].drive_torque = direct_drive[i].torque


@kernel
def update_intent(state: Any, actuation: Any, wheel_count: int) -> None:
    """Set the intent from the flags of all wheels."""
    state.accelerating = 0
    state.braking = 0
    for i in range(wheel_count):
        state.accelerating |= actuation[i].drive_applied
        state.braking |= actuation[i].brake_applied


ENGINE_ACTUATION = Component(
    slot="actuation",
    name="engine_drive",
    state=ActuationState,
    phases={"update": update_engine},
    doc="Flags braked and driven wheels of an engine-driven vehicle.",
)
DIRECT_ACTUATION = Component(
    slot="actuation",
    name="direct_drive",
    state=ActuationState,
    phases={"update": update_direct},
    doc="Flags braked and driven wheels of a directly driven vehicle.",
)
INTENT = Component(
    slot="intent",
    name="any_wheel",
    state=IntentState,
    phases={"update": update_intent},
    doc="Flags whether the driver accelerates or brakes.",
)
