"""Coupled implicit integration of engine, clutch and tracks (PX-TANK-01, PX-LEG-05).

A track's wheels have one surface speed, so it is one unknown: the speed u of its first wheel, with
omega_i = s_i u and s_i = R_first / R_i. By the principle of virtual power the track is an equivalent wheel with

    inertia  sum s_i^2 I_i        damping sum s_i^2 c_i       torque sum s_i (T_tire + T_brake)
    share    sum s_i rho_i        weight in the mean speed sum s_i alpha_i sgn0(rho_i)
    speed before the step   sum s_i I_i omega_i / inertia: the track's angular momentum is conserved, its energy does
                            not grow

with rho the torque ratio, alpha the speed ratio and c the damping of a wheel; sgn0 is the sign, 0 for 0. The equations
of physics/drivetrain/coupling.py then hold for tracks and single wheels alike. A braked track that would reach or cross
zero speed stops as a whole.
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.base.record import field_names, field_of
from driving_sandbox.physics.drivetrain.clutch import clutch_strength, torque_ratio
from driving_sandbox.physics.drivetrain.coupling import SCRATCH, CouplingState, scale_gains, solve_exact
from driving_sandbox.physics.drivetrain.engine import clamp_omega, damping_rate, present_torque
from driving_sandbox.physics.drivetrain.wheel_speed import brake_against, free_wheel_speed, sign_or_zero, stop_if_braked
from driving_sandbox.physics.gearbox.gearbox import gear_efficiency, gear_ratio
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import WHEEL_CAPACITY
from driving_sandbox.physics.tick.component import Component

_N = (WHEEL_CAPACITY,)
TRACK_SCRATCH = np.dtype(
    [
        # coefficients as in coupling.py, per unit
        *((name, field_of(SCRATCH, name)[0]) for name in field_names(SCRATCH)),
        ("units", np.dtype([("connected", np.int64)]), _N),  # unit i is wheel i, or the track that wheel i leads
        ("lead", np.int64, _N),  # first wheel of each connected wheel's unit, -1 for unconnected wheels
        ("scale", np.float64, _N),  # s_i of each wheel
        # sums over the wheels of each unit, see above
        ("inertia", np.float64, _N),
        ("momentum", np.float64, _N),
        ("damping", np.float64, _N),
        ("torque", np.float64, _N),  # of the tires
        ("brake", np.float64, _N),
        ("share", np.float64, _N),
        ("braked", np.int64, _N),
        ("before", np.float64, _N),  # rad/s, speed before the step
    ],
    align=True,
)


@kernel
def leading_wheel(differential: Any, i: int) -> int:
    """First wheel of wheel i's track; i itself without a track; -1 for an unconnected wheel."""
    if differential[i].connected == 0:
        return -1
    if differential[i].track != 0:
        for k in range(i):
            if differential[k].track == differential[i].track:
                return k
    return i


@kernel
def gather(
    w: Any, differential: Any, brakes: Any, actuation: Any, tire: Any, wheel: Any, wheel_params: Any, wheel_count: int
) -> None:
    """Sum up the wheels of every unit into the scratch record w."""
    for i in range(wheel_count):
        w.units[i].connected = 0
        k = leading_wheel(differential, i)
        w.lead[i] = k
        if k == i:
            w.units[i].connected = 1
            w.inertia[i] = w.momentum[i] = w.damping[i] = w.torque[i] = w.brake[i] = 0.0
            w.share[i] = w.weight[i] = 0.0
            w.braked[i] = 0
        if k < 0:
            continue
        p, d = wheel_params[i], differential[i]
        s = wheel_params[k].radius / p.radius
        w.scale[i] = s
        w.inertia[k] += s * s * p.inertia
        w.momentum[k] += s * p.inertia * wheel[i].omega
        w.damping[k] += s * s * p.damping
        w.torque[k] += s * tire[i].wheel_torque
        w.brake[k] += s * brakes[i].torque
        w.share[k] += s * d.torque_ratio
        w.weight[k] += s * d.speed_ratio * sign_or_zero(d.torque_ratio)
        w.braked[k] |= actuation[i].brake_applied


@kernel
def build_rows(w: Any, wheel_count: int, dt: float) -> Any:
    """Write the coefficients of every unit; returns the weighted mean speed before the step, rad/s."""
    mean = 0.0
    for k in range(wheel_count):
        if w.units[k].connected == 0:
            continue
        h = dt / w.inertia[k]
        old_speed = w.momentum[k] / w.inertia[k]
        w.before[k] = old_speed
        w.speed[k] = old_speed
        w.right[k] = old_speed + h * (w.torque[k] + brake_against(old_speed, w.brake[k]))
        w.gain[k] = h * w.share[k]
        w.factor[k] = 1.0 + h * w.damping[k]
        mean += w.weight[k] * old_speed
    return mean


@kernel
def store_speeds(
    w: Any, brakes: Any, actuation: Any, tire: Any, wheel: Any, wheel_params: Any, wheel_count: int, dt: float
) -> None:
    """Store the wheels' new speeds: those of their units, or 0 where brakes stop the unit.

    Unconnected wheels are integrated separately.
    """
    for k in range(wheel_count):
        if w.units[k].connected != 0:
            w.speed[k] = stop_if_braked(w.before[k], w.speed[k], w.braked[k])
    for i in range(wheel_count):
        k = w.lead[i]
        if k >= 0:
            wheel[i].omega = w.scale[i] * w.speed[k]
        else:
            wheel[i].omega = free_wheel_speed(
                wheel_params[i], wheel[i].omega, tire[i].wheel_torque, 0.0, brakes[i].torque,
                actuation[i].brake_applied, dt,
            )  # fmt: skip


@kernel
def update(
    state: Any, scratch: Any, engine: Any, engine_params: Any, gearbox: Any, gearbox_params: Any, clutch: Any,
    differential: Any, brakes: Any, actuation: Any, tire: Any, wheel: int, wheel_params: Any, wheel_count: int,
    dt: float,
) -> None:  # fmt: skip
    """Advance engine, tracks and unconnected wheels by a step."""
    w = scratch
    neutral = gearbox.current_gear == gearbox_params.neutral_gear
    strength = clutch_strength(clutch, gearbox.current_gear, gearbox_params.neutral_gear)
    ratio = gear_ratio(gearbox_params, gearbox.current_gear)
    h = dt / engine_params.inertia
    engine.torque = present_torque(engine_params, engine)
    right = engine.omega + h * engine.torque
    diagonal = 1.0 + h * damping_rate(engine_params, clutch.normalised, neutral, engine.throttle)
    gather(w, differential, brakes, actuation, tire, wheel, wheel_params, wheel_count)
    state.clutch_slip = ratio * build_rows(w, wheel_count, dt) - engine.omega
    efficiency = gear_efficiency(gearbox_params, gearbox.current_gear)
    # 1.0: factor of clutches that do not multiply the torque
    scale_gains(w, w.units, wheel_count, ratio, efficiency, torque_ratio(clutch, 1.0), right / diagonal)
    omega = solve_exact(w, w.units, wheel_count, strength, ratio, right, diagonal, h)
    mean = 0.0
    for k in range(wheel_count):
        if w.units[k].connected != 0:
            mean += w.weight[k] * w.speed[k]
    state.clutch_torque = strength * (omega - ratio * mean)
    store_speeds(w, brakes, actuation, tire, wheel, wheel_params, wheel_count, dt)
    engine.omega = clamp_omega(engine_params, omega)


TRACK_COUPLING = Component(
    slot="drivetrain",
    name="engine_clutch_tracks",
    state=CouplingState,
    phases={"update": update},
    writes=("engine", "wheel"),
    scratch=TRACK_SCRATCH,
    doc="Integrates engine, tracks and single wheels together through the clutch.",
)
