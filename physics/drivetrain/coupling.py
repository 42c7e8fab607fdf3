"""Coupled implicit integration of engine, clutch and connected wheels (PX-CLUTCH-01..05).

With h_i = dt / I_i, h_E = dt / I_E, damping c_i of the wheels and d of the engine, clutch strength K (0 in neutral),
gear ratio G, torque shares rho_i, mean-speed weights alpha_i and g_i the sign of rho_i, or 0, the new speeds satisfy

    (1 + h_i c_i) omega_i = omega_i,old + h_i (T_tire + T_brake) + h_i G rho_i T_C
    (1 + h_E d) Omega     = Omega_old + h_E T_drive - h_E T_C
    T_C = K (Omega - G s),      s = sum alpha_j g_j omega_j

Gears that lose power (physics/gearbox/gearbox.py) pass on f T_C, f = eta or 1 / eta: the rho_i of the wheels' rows are
then f rho_i. Which of the two applies is known beforehand: T_C has the sign of b_E / E - G B, s that of the old speeds.
A clutch that multiplies torque (clutch.py) multiplies f where T_C > 0.

Accuracy "exact": the system is diagonal apart from the one unknown T_C. With E = 1 + h_E d, D_i = 1 + h_i c_i,
b the right-hand sides without T_C, B = sum alpha_i g_i b_i / D_i and A = sum alpha_i |rho_i| h_i / D_i,

    T_C = K (b_E / E - G B) / (1 + K h_E / E + K G^2 A)

and the speeds follow, without solving a matrix. Accuracy "estimate" is `estimate_iterations` Gauss-Seidel sweeps over
the same rows from the old speeds, ended early once |residual|^2 <= 1e-10 (|b|^2 + 1e-10).

Afterwards braked wheels that would reach or cross zero stop, and the engine is clamped to idle..max. Unconnected wheels
are integrated separately. State `clutch_slip` is G s - Omega before the step, `clutch_torque` is the T_C of the solved
speeds, before stops and clamping (> 0 drives the wheels forward in a forward gear). Where alpha equals |rho|, no energy
is added.
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.drivetrain.clutch import clutch_strength, output_factor, torque_ratio
from driving_sandbox.physics.drivetrain.engine import clamp_omega, damping_rate, present_torque
from driving_sandbox.physics.drivetrain.wheel_speed import brake_against, free_wheel_speed, sign_or_zero, stop_if_braked
from driving_sandbox.physics.gearbox.gearbox import gear_efficiency, gear_ratio
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import WHEEL_CAPACITY, Choice, Float, Int, Schema, field
from driving_sandbox.physics.tick.component import Component

EXACT, ESTIMATE = 0, 1  # indices of the options of `accuracy`
ESTIMATE_TOLERANCE = 1e-10  # relative squared residual at which sweeps end; 1e-5 of the speeds

SCRATCH = np.dtype(
    [
        ("right", np.float64, (WHEEL_CAPACITY,)),  # b_i
        ("weight", np.float64, (WHEEL_CAPACITY,)),  # alpha_i g_i
        ("gain", np.float64, (WHEEL_CAPACITY,)),  # h_i rho_i
        ("factor", np.float64, (WHEEL_CAPACITY,)),  # D_i
        ("speed", np.float64, (WHEEL_CAPACITY,)),  # the unknowns
    ],
    align=True,
)


class CouplingParams(Schema):
    """Method of solution."""

    accuracy: Choice = field(
        options=("exact", "estimate"),
        default="exact",
        doc="exact solves the coupled equations; estimate iterates.",
        source="PX-CLUTCH-03, PX-CLUTCH-04",
    )
    estimate_iterations: Int = field(
        unit="1", ge=1, le=100, suggest=(1, 20), default=5, doc="Sweeps of the estimate.", source="PX-CLUTCH-05"
    )


class CouplingState(Schema):
    """Slip and torque of the clutch."""

    clutch_slip: Float = field(unit="rad/s", doc="Speed of the clutch's wheel side minus the engine's.")
    clutch_torque: Float = field(unit="N*m", doc="Torque from the engine into the gearbox.")


@kernel
def wheel_row(
    w: Any, i: int, p: Any, share: float, weight: float, omega: float, tire_torque: float, brake_torque: float,
    dt: float,
) -> None:  # fmt: skip
    """Write the coefficients of connected wheel i into the scratch record w.

    p: parameters of the wheel.
    share, weight: rho_i and alpha_i of the module.
    """
    h = dt / p.inertia
    w.right[i] = omega + h * (brake_against(omega, brake_torque) + tire_torque)
    w.weight[i] = weight * sign_or_zero(share)
    w.gain[i] = h * share
    w.factor[i] = 1.0 + h * p.damping
    w.speed[i] = omega


@kernel
def mean_speed(w: Any, differential: Any, wheel_count: int) -> float:
    """Weighted mean speed of the connected wheels (s of the module) for the speeds in w, rad/s."""
    total = 0.0
    for i in range(wheel_count):
        if differential[i].connected != 0:
            total += w.weight[i] * w.speed[i]
    return total


@kernel
def scale_gains(
    w: Any, differential: Any, wheel_count: int, ratio: float, efficiency: float, converter_ratio: float,
    engine_free: float,
) -> None:  # fmt: skip
    """Multiply the wheels' gains by the effect of torque converter and lossy gears on T_C.

    ratio: gear ratio.
    efficiency: of the gear.
    converter_ratio: torque ratio of the clutch.
    engine_free: engine speed after a step without T_C, rad/s.
    """
    if efficiency == 1.0 and converter_ratio == 1.0:
        return
    free_mean = 0.0
    for i in range(wheel_count):
        if differential[i].connected != 0:
            free_mean += w.weight[i] * w.right[i] / w.factor[i]
    torque_sense = engine_free - ratio * free_mean
    factor = output_factor(converter_ratio, efficiency, torque_sense, ratio * mean_speed(w, differential, wheel_count))
    for i in range(wheel_count):
        if differential[i].connected != 0:
            w.gain[i] *= factor


@kernel
def solve_exact(
    w: Any, differential: Any, wheel_count: int, strength: float, ratio: float, engine_right: float,
    engine_diagonal: float, engine_h: float,
) -> float:  # fmt: skip
    """New engine speed, rad/s; writes the wheels' new speeds to w.speed.

    engine_right, engine_diagonal, engine_h: b_E, E and h_E of the module.
    """
    free_mean = 0.0  # B of the module
    compliance = 0.0  # A of the module
    for i in range(wheel_count):
        if differential[i].connected != 0:
            free_mean += w.weight[i] * w.right[i] / w.factor[i]
            compliance += w.weight[i] * w.gain[i] / w.factor[i]
    resistance = 1.0 + strength * engine_h / engine_diagonal + strength * ratio * ratio * compliance
    torque = strength * (engine_right / engine_diagonal - ratio * free_mean) / resistance
    for i in range(wheel_count):
        if differential[i].connected != 0:
            w.speed[i] = (w.right[i] + ratio * w.gain[i] * torque) / w.factor[i]
    return (engine_right - engine_h * torque) / engine_diagonal


@kernel
def relative_residual(
    w: Any, differential: Any, wheel_count: int, strength: float, ratio: float, engine_right: float,
    engine_diagonal: float, engine_h: float, omega: float,
) -> float:  # fmt: skip
    """|residual|^2 / (|b|^2 + 1e-10) of the rows for the speeds in w and the engine speed omega (rad/s)."""
    torque = strength * (omega - ratio * mean_speed(w, differential, wheel_count))
    error = engine_diagonal * omega + engine_h * torque - engine_right
    residual = error * error
    norm = engine_right * engine_right
    for i in range(wheel_count):
        if differential[i].connected != 0:
            error = w.factor[i] * w.speed[i] - ratio * w.gain[i] * torque - w.right[i]
            residual += error * error
            norm += w.right[i] * w.right[i]
    return residual / (norm + 1e-10)  # b may be 0


@kernel
def solve_estimate(
    w: Any, differential: Any, wheel_count: int, strength: float, ratio: float, engine_right: float,
    engine_diagonal: float, engine_h: float, omega: float, iterations: int,
) -> float:  # fmt: skip
    """New engine speed after at most `iterations` sweeps from omega and w.speed; w.speed becomes the new speeds."""
    mean = mean_speed(w, differential, wheel_count)
    for _ in range(iterations):
        for i in range(wheel_count):
            if differential[i].connected != 0:
                gain = strength * ratio * w.gain[i]
                others_mean = mean - w.weight[i] * w.speed[i]
                diagonal = w.factor[i] + gain * ratio * w.weight[i]
                w.speed[i] = (w.right[i] + gain * (omega - ratio * others_mean)) / diagonal
                mean = others_mean + w.weight[i] * w.speed[i]
        diagonal = engine_diagonal + engine_h * strength
        omega = (engine_right + engine_h * strength * ratio * mean) / diagonal
        residual = relative_residual(
            w, differential, wheel_count, strength, ratio, engine_right, engine_diagonal, engine_h, omega
        )
        if residual <= ESTIMATE_TOLERANCE:
            break
    return omega


@kernel
def build_rows(
    w: Any, differential: Any, brakes: Any, tire: Any, wheel: Any, wheel_params: Any, wheel_count: int, dt: float
) -> None:
    """Write the coefficients of all connected wheels."""
    for i in range(wheel_count):
        d = differential[i]
        if d.connected != 0:
            wheel_row(
                w, i, wheel_params[i], d.torque_ratio, d.speed_ratio,
                wheel[i].omega, tire[i].wheel_torque, brakes[i].torque, dt,
            )  # fmt: skip


@kernel
def store_speeds(
    w: Any, differential: Any, brakes: Any, actuation: Any, tire: Any, wheel: Any, wheel_params: Any, wheel_count: int,
    dt: float,
) -> None:  # fmt: skip
    """Store the new speeds: those of connected wheels unless their brake stops them, others integrated separately."""
    for i in range(wheel_count):
        old_speed, braked = wheel[i].omega, actuation[i].brake_applied
        if differential[i].connected != 0:
            wheel[i].omega = stop_if_braked(old_speed, w.speed[i], braked)
        else:
            wheel[i].omega = free_wheel_speed(
                wheel_params[i], old_speed, tire[i].wheel_torque, 0.0, brakes[i].torque, braked, dt
            )


@kernel
def update(
    params: Any, state: Any, scratch: Any, engine: Any, engine_params: Any, gearbox: Any, gearbox_params: Any,
    clutch: Any, differential: Any, brakes: Any, actuation: Any, tire: Any, wheel: Any, wheel_params: Any,
    wheel_count: int, dt: float,
) -> None:  # fmt: skip
    """Integrate engine and wheels over a substep."""
    neutral = gearbox.current_gear == gearbox_params.neutral_gear
    strength = clutch_strength(clutch, gearbox.current_gear, gearbox_params.neutral_gear)
    ratio = gear_ratio(gearbox_params, gearbox.current_gear)
    h = dt / engine_params.inertia
    engine.torque = present_torque(engine_params, engine)
    right = engine.omega + h * engine.torque
    diagonal = 1.0 + h * damping_rate(engine_params, clutch.normalised, neutral, engine.throttle)
    build_rows(scratch, differential, brakes, tire, wheel, wheel_params, wheel_count, dt)
    state.clutch_slip = ratio * mean_speed(scratch, differential, wheel_count) - engine.omega
    efficiency = gear_efficiency(gearbox_params, gearbox.current_gear)
    scale_gains(scratch, differential, wheel_count, ratio, efficiency, torque_ratio(clutch, 1.0), right / diagonal)
    if params.accuracy == EXACT:
        omega = solve_exact(scratch, differential, wheel_count, strength, ratio, right, diagonal, h)
    else:
        omega = solve_estimate(
            scratch, differential, wheel_count, strength, ratio, right, diagonal, h,
            engine.omega, params.estimate_iterations,
        )  # fmt: skip
    state.clutch_torque = strength * (omega - ratio * mean_speed(scratch, differential, wheel_count))
    store_speeds(scratch, differential, brakes, actuation, tire, wheel, wheel_params, wheel_count, dt)
    engine.omega = clamp_omega(engine_params, omega)


COUPLING = Component(
    slot="drivetrain",
    name="engine_clutch_wheels",
    params=CouplingParams,
    state=CouplingState,
    phases={"update": update},
    writes=("engine", "wheel"),
    scratch=SCRATCH,
    doc="Integrates engine and wheels together through the clutch.",
)
