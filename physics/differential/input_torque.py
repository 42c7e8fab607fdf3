"""Torque into the differentials: the clutch's torque behind the torque converter, gears and their losses."""

from typing import Any

from driving_sandbox.physics.drivetrain.clutch import output_factor, torque_ratio
from driving_sandbox.physics.gearbox.gearbox import gear_efficiency, gear_ratio
from driving_sandbox.physics.kernel.jit import kernel


@kernel
def input_torque(drivetrain: Any, clutch: Any, gearbox: Any, gearbox_params: Any, shaft: float) -> float:
    """Torque behind the gears, N m, > 0 forward. shaft: speed of the shaft there (`shaft_speed`), rad/s."""
    torque, ratio = drivetrain.clutch_torque, gear_ratio(gearbox_params, gearbox.current_gear)
    efficiency = gear_efficiency(gearbox_params, gearbox.current_gear)
    return torque * ratio * output_factor(torque_ratio(clutch, 1.0), efficiency, torque, ratio * shaft)
