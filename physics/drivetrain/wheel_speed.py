"""Integration of a wheel's speed without an engine: direct drive and undriven wheels.

    omega' = (omega + h (T_tire + T_drive + T_brake)) / (1 + c h),    h = dt / I,    T_brake = -sgn0(omega) brake

Damping c is implicit, torques are those at the start of the step. A braked wheel whose speed would reach or cross zero
stops at exactly zero, and stays locked until the brake is released (sgn0(0) = 0: no brake torque at rest).
"""

from driving_sandbox.physics.kernel.jit import kernel


@kernel
def sign_or_zero(x):
    return 1.0 if x > 0.0 else (-1.0 if x < 0.0 else 0.0)


@kernel
def brake_against(omega, brake_torque):
    """Torque of a brake on a wheel turning at omega."""
    return -sign_or_zero(omega) * brake_torque


@kernel
def stop_if_braked(before, after, brake_applied):
    """Speed after a step, 0 where the brake brought the wheel to rest."""
    return 0.0 if brake_applied != 0 and before * after <= 0.0 else after


@kernel
def free_wheel_speed(p, omega, tire_torque, drive_torque, brake_torque, brake_applied, dt):
    """Speed of one uncoupled wheel after dt; p: its `inertia` and `damping`."""
    h = dt / p.inertia
    torque = tire_torque + drive_torque + brake_against(omega, brake_torque)
    after = (omega + h * torque) / (1.0 + p.damping * h)
    return stop_if_braked(omega, after, brake_applied)
