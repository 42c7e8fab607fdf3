"""Torque that comes into the differentials: the clutch's, multiplied and through lossy gears."""

from typing import Any

from driving_sandbox.physics.drivetrain.clutch import output_factor, torque_ratio
from driving_sandbox.physics.gearbox.gearbox import gear_efficiency, gear_ratio
from driving_sandbox.physics.kernel.jit import kernel


@kernel
def shaft_speed(differential: Any, wheel: Any, wheel_count: int) -> float:
    """Mean speed of the driven wheels as the gearbox feels it."""
    shaft = 0.0
    for i in range(wheel_count):
        shaft += differential[i].speed_ratio * wheel[i].omega
    return shaft


@kernel
def input_torque(drivetrain: Any, clutch: Any, gearbox: Any, gearbox_params: Any, shaft: float) -> float:
    """Torque behind the gears at a speed of the shaft, > 0 forward."""
    torque, ratio = drivetrain.clutch_torque, gear_ratio(gearbox_params, gearbox.current_gear)
    efficiency = gear_efficiency(gearbox_params, gearbox.current_gear)
    return torque * ratio * output_factor(torque_ratio(clutch, 1.0), efficiency, torque, ratio * shaft)
