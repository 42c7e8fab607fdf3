"""Speed of a wheel that no engine is coupled to (direct drive, undriven wheels), and of the shaft that wheels turn.

    omega' = (omega + h (T_tire + T_drive + T_brake)) / (1 + c h),    h = dt / I,    T_brake = -sgn0(omega) brake

Damping c is implicit, torques are those at the start of the step. A braked wheel whose speed would reach or cross zero
stops at exactly zero, and stays locked until the brake is released (sgn0(0) = 0: no brake torque at rest).
"""

from typing import Any

from driving_sandbox.physics.kernel.jit import kernel


@kernel
def sign_or_zero(x: float) -> float:
    """-1, 0 or 1."""
    return 1.0 if x > 0.0 else (-1.0 if x < 0.0 else 0.0)


@kernel
def shaft_speed(differential: Any, wheel: Any, wheel_count: int) -> float:
    """Speed of the shaft into the differentials, rad/s: sum of the wheels' speeds times their speed ratios.

    Wheels with a negative torque ratio are geared in reverse: the shaft turns against them.
    """
    speed = 0.0
    for i in range(wheel_count):
        d = differential[i]
        speed += d.speed_ratio * sign_or_zero(d.torque_ratio) * wheel[i].omega
    return speed


@kernel
def brake_against(omega: float, brake_torque: float) -> float:
    """Torque of a brake on a wheel turning at omega, N m; 0 at rest. brake_torque: its magnitude, N m."""
    return -sign_or_zero(omega) * brake_torque


@kernel
def stop_if_braked(before: float, after: float, brake_applied: Any) -> float:
    """Speed after a step, rad/s: 0 if the brake stops the wheel.

    before, after: speeds before the step, and after it without that stop, rad/s.
    """
    return 0.0 if brake_applied != 0 and before * after <= 0.0 else after


@kernel
def free_wheel_speed(
    p: Any, omega: float, tire_torque: float, drive_torque: float, brake_torque: float, brake_applied: Any, dt: float
) -> float:
    """Speed of one uncoupled wheel after dt, rad/s.

    p: has `inertia` and `damping`.
    tire_torque, drive_torque: N m.
    brake_torque: magnitude, N m.
    brake_applied: 1 if the brake acts.
    """
    h = dt / p.inertia
    torque = tire_torque + drive_torque + brake_against(omega, brake_torque)
    after = (omega + h * torque) / (1.0 + p.damping * h)
    return stop_if_braked(omega, after, brake_applied)
