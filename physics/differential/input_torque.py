"""Torque that comes into the differentials: the clutch's, through the gears and what they lose of it."""

from typing import Any

from driving_sandbox.physics.gearbox.gearbox import gear_efficiency, gear_ratio, passed_on
from driving_sandbox.physics.kernel.jit import kernel


@kernel
def shaft_speed(differential: Any, wheel: Any, wheel_count: int) -> float:
    """Mean speed of the driven wheels as the gearbox feels it."""
    shaft = 0.0
    for i in range(wheel_count):
        shaft += differential[i].speed_ratio * wheel[i].omega
    return shaft


@kernel
def input_torque(drivetrain: Any, gearbox: Any, gearbox_params: Any, shaft: float) -> float:
    """Torque behind the gears at a speed of the shaft, > 0 forward."""
    torque = drivetrain.clutch_torque * gear_ratio(gearbox_params, gearbox.current_gear)
    return torque * passed_on(gear_efficiency(gearbox_params, gearbox.current_gear), torque * shaft)
