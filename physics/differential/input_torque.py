"""Torque into the differentials: clutch torque times the ratios of converter and gears and a factor for losses."""

from typing import Any

from driving_sandbox.physics.drivetrain.clutch import output_factor, torque_ratio
from driving_sandbox.physics.gearbox.gearbox import gear_efficiency, gear_ratio
from driving_sandbox.physics.kernel.jit import kernel


@kernel
def input_torque(drivetrain: Any, clutch: Any, gearbox: Any, gearbox_params: Any, shaft: float) -> float:
    """Torque after gearbox and final drive, N m, > 0 forward.

    shaft: speed of the shaft that it turns, from `shaft_speed` (physics/drivetrain/wheel_speed.py), rad/s.
    """
    torque, ratio = drivetrain.clutch_torque, gear_ratio(gearbox_params, gearbox.current_gear)
    efficiency = gear_efficiency(gearbox_params, gearbox.current_gear)
    converter_ratio = torque_ratio(clutch, 1.0)  # 1.0 for clutches that are no torque converter
    return torque * ratio * output_factor(converter_ratio, efficiency, torque, ratio * shaft)
