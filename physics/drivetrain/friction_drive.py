"""Coupled integration of engine, friction clutch, shafts and connected wheels (RC-CLUTCH-01, 02, RC-GEAR-03, 04).

With gear ratio G, torque shares t_i, speed weights a_i (signed), s = sum a_i omega_i, clutch torque T, b_i the momentum
of a wheel after tire and brake, I_i its inertia, c_i its damping, D_i = I_i + dt c_i, and J the inertia of gearbox and
shafts referred to s,

    D_i omega_i = b_i + t_i (p + dt G T - J s)              p: momentum of gearbox and shafts before the step
    E Omega     = I_E Omega_old + dt (T_E - T)              E = I_E + dt D_E, see stalling_engine.py
    J           = G^2 gear_inertia + G_f^2 output_inertia   G_f: final ratio of the gearbox

The wheels' equations have the one common unknown s, so with A = sum a_i (b_i + t_i p) / D_i and q = sum a_i t_i / D_i
the clutch torque that ends all slip within the step is

    T = (Omega_free - G s_free) / (dt (1/E + G^2 q / (1 + J q))),      s_free = A / (1 + J q)

and the actual torque is T clamped to +-(normalised clutch * max_torque): with sufficient capacity the two halves lock,
else the clutch slips at exactly its capacity. So slip cannot change its sign within a step, and no energy is added. In
neutral T is 0; the gearbox input then turns with the engine unless the clutch is fully open, and its momentum enters
the next gear by an inelastic impact with wheels and shafts.

Gears with losses (physics/gearbox/gearbox.py) transmit f G T, f = eta or 1 / eta: f G replaces the G that multiplies T,
and one of the two G in the denominator. T has the sign of Omega_free - G s_free.

Braked wheels that would reach or cross zero stop, and the other speeds are solved for again with these at rest, so that
brakes never drive the engine. Unconnected wheels are integrated separately. The engine's torque reaction acts on the
body, see stalling_engine.py. State `clutch_slip` is G s - Omega before the step, `clutch_torque` > 0 drives the wheels
forward in a forward gear, `output_omega` is the speed of the gearbox's output, the propeller shaft.
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.body.rigid_body import inverse_inertia_times
from driving_sandbox.physics.drivetrain.coupling import store_speeds
from driving_sandbox.physics.drivetrain.stalling_engine import drag_rate, engine_torque
from driving_sandbox.physics.drivetrain.wheel_speed import brake_against, sign_or_zero
from driving_sandbox.physics.gearbox.gearbox import gear_efficiency, gear_ratio, passed_on
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import vec3
from driving_sandbox.physics.maths.quat import load as load_quat
from driving_sandbox.physics.maths.quat import rotate
from driving_sandbox.physics.schema.schema import WHEEL_CAPACITY, Float, Schema, field
from driving_sandbox.physics.tick.component import Component

SCRATCH = np.dtype(
    [
        ("momentum", np.float64, (WHEEL_CAPACITY,)),  # b_i
        ("share", np.float64, (WHEEL_CAPACITY,)),  # t_i
        ("weight", np.float64, (WHEEL_CAPACITY,)),  # a_i
        ("factor", np.float64, (WHEEL_CAPACITY,)),  # D_i
        ("speed", np.float64, (WHEEL_CAPACITY,)),  # the unknowns
    ],
    align=True,
)


class FrictionDriveParams(Schema):
    """Inertia behind the gearbox."""

    output_inertia: Float = field(
        unit="kg*m^2",
        ge=0,
        suggest=(0, 0.3),
        default=0.0,
        source="RC-GEAR-03",
        doc="Inertia of propeller shaft and differentials, as turning with the gearbox's output.",
    )


class FrictionDriveState(Schema):
    """Slip and torque of the clutch, and speeds of the gearbox."""

    clutch_slip: Float = field(unit="rad/s", doc="Speed of the clutch's wheel side minus the engine's.")
    clutch_torque: Float = field(unit="N*m", doc="Torque from the engine into the gearbox.")
    input_omega: Float = field(unit="rad/s", doc="Speed of the gearbox's input, the clutch's wheel side.")
    output_omega: Float = field(unit="rad/s", doc="Speed of the gearbox's output, the propeller shaft.")


@kernel
def build_rows(
    w: Any, differential: Any, brakes: Any, tire: Any, wheel: Any, wheel_params: Any, wheel_count: int, dt: float
) -> float:
    """Write the coefficients of all connected wheels; returns s before the step, rad/s."""
    mean = 0.0
    for i in range(wheel_count):
        d = differential[i]
        if d.connected != 0:
            omega = wheel[i].omega
            inertia = wheel_params[i].inertia
            torque = tire[i].wheel_torque + brake_against(omega, brakes[i].torque)
            w.momentum[i] = inertia * omega + dt * torque
            w.share[i] = d.torque_ratio
            w.weight[i] = d.speed_ratio * sign_or_zero(d.torque_ratio)
            w.factor[i] = inertia + dt * wheel_params[i].damping
            mean += w.weight[i] * omega
    return mean


@kernel
def free_shaft(w: Any, differential: Any, momentum: float, inertia: float, wheel_count: int) -> tuple[float, float]:
    """(s after the step without the clutch in rad/s, change of s per angular momentum at the shaft in 1/(kg m^2)).

    momentum, inertia: p and J of the module.
    """
    compliance = 0.0  # q of the module
    free = 0.0  # sum a_i b_i / D_i
    for i in range(wheel_count):
        if differential[i].connected != 0:
            compliance += w.weight[i] * w.share[i] / w.factor[i]
            free += w.weight[i] * w.momentum[i] / w.factor[i]
    inertia_factor = 1.0 + inertia * compliance
    return (free + momentum * compliance) / inertia_factor, compliance / inertia_factor


@kernel
def solve(
    w: Any, differential: Any, momentum: float, inertia: float, ratio: float, efficiency: float, mean: float,
    capacity: float, omega: float, engine_factor: float, wheel_count: int, dt: float,
) -> tuple[float, float]:  # fmt: skip
    """(clutch torque in N m, s after the step in rad/s); writes the wheels' speeds to w.speed.

    momentum, inertia: p and J of the module.
    ratio: G.
    efficiency: of the gear.
    mean: s before the step, rad/s.
    capacity: of the clutch, N m.
    omega: engine speed after the step without the clutch, rad/s.
    engine_factor: E.
    """
    speed, inverse_inertia = free_shaft(w, differential, momentum, inertia, wheel_count)
    torque, output_ratio = 0.0, ratio
    if capacity > 0.0:
        output_ratio = ratio * passed_on(efficiency, (omega - ratio * speed) * ratio * mean)
        response = dt * (1.0 / engine_factor + ratio * output_ratio * inverse_inertia)
        torque = clamped_torque(omega - ratio * speed, response, capacity)
        speed += dt * output_ratio * torque * inverse_inertia
    shaft_impulse = momentum + dt * output_ratio * torque - inertia * speed
    for i in range(wheel_count):
        if differential[i].connected != 0:
            w.speed[i] = (w.momentum[i] + w.share[i] * shaft_impulse) / w.factor[i]
    return torque, speed


@kernel
def hold_stopped(w: Any, differential: Any, actuation: Any, wheel: Any, wheel_count: int) -> bool:
    """Remove the wheels that their brake stops in this step from the equations; returns whether there are any."""
    stopped = False
    for i in range(wheel_count):
        if differential[i].connected != 0 and actuation[i].brake_applied != 0 and wheel[i].omega * w.speed[i] <= 0.0:
            w.momentum[i] = 0.0
            w.share[i] = 0.0
            w.weight[i] = 0.0
            stopped = True
    return stopped


@kernel
def clamped_torque(free_slip: float, response: float, capacity: float) -> float:
    """Clutch torque that ends the slip, within the capacity, N m.

    free_slip: slip after the step without the clutch, rad/s.
    response: change of slip per torque, rad/s per N m.
    """
    torque = free_slip / response
    return max(-capacity, min(capacity, torque))


@kernel
def react(body: Any, body_params: Any, torque: float, dt: float) -> None:
    """Apply the engine's torque reaction (N m) about the body's longitudinal axis for dt."""
    q = load_quat(body.orientation)
    angular_impulse = rotate(q, (0.0, torque * dt, 0.0))
    spin_change = inverse_inertia_times(q, vec3.load(body_params.inertia), angular_impulse)
    vec3.store(body.angular_velocity, vec3.add(vec3.load(body.angular_velocity), spin_change))


@kernel
def gear_inertia(p: Any, gear: int) -> float:
    """Inertia that turns with the clutch in a gear, kg m^2."""
    return p.inertias.values[gear] if gear < p.inertias.count else 0.0


@kernel
def update(params: Any, state: Any, scratch: Any, engine: Any, engine_params: Any, gearbox: Any, gearbox_params: Any,
           clutch: Any, clutch_params: Any, differential: Any, brakes: Any, actuation: Any, tire: Any, wheel: Any,
           wheel_params: Any, body: Any, body_params: Any, wheel_count: int, dt: float) -> None:  # fmt: skip
    """Integrate engine, gearbox, shafts and wheels over a substep."""
    w, final = scratch, gearbox_params.final_ratio
    neutral = gearbox.current_gear == gearbox_params.neutral_gear
    ratio = gear_ratio(gearbox_params, gearbox.current_gear)
    mean = build_rows(w, differential, brakes, tire, wheel, wheel_params, wheel_count, dt)
    state.clutch_slip = ratio * mean - engine.omega
    input_inertia = 0.0 if neutral else gear_inertia(gearbox_params, gearbox.current_gear)
    output_inertia = final * final * params.output_inertia
    inertia = ratio * ratio * input_inertia + output_inertia
    momentum = ratio * input_inertia * state.input_omega + output_inertia * mean

    engine.torque = engine_torque(engine_params, engine)
    drag = drag_rate(engine_params, engine.omega, engine.throttle)
    engine_factor = engine_params.inertia + dt * drag
    omega = (engine_params.inertia * engine.omega + dt * engine.torque) / engine_factor
    efficiency = gear_efficiency(gearbox_params, gearbox.current_gear)
    capacity = 0.0 if neutral else clutch.normalised * clutch_params.max_torque
    torque, speed = solve(
        w, differential, momentum, inertia, ratio, efficiency, mean, capacity, omega, engine_factor, wheel_count, dt
    )
    if hold_stopped(w, differential, actuation, wheel, wheel_count):
        torque, speed = solve(
            w, differential, momentum, inertia, ratio, efficiency, mean, capacity, omega, engine_factor, wheel_count, dt
        )
    omega -= dt * torque / engine_factor
    store_speeds(w, differential, brakes, actuation, tire, wheel, wheel_params, wheel_count, dt)

    engine.omega = omega
    state.clutch_torque = torque
    state.output_omega = final * speed
    if not neutral:
        state.input_omega = ratio * speed
    elif clutch.normalised > 0.0:
        state.input_omega = omega
    if engine_params.torque_reaction > 0.0:
        react(body, body_params, engine_params.torque_reaction * (engine.torque - drag * omega), dt)


def check(engine_params: Any, clutch_params: Any, gearbox_params: Any) -> list[tuple[str, str]]:
    """Problems of engines, clutches and gearboxes that this drivetrain does not support."""
    required = ((engine_params, "torque_reaction", "engine: stalling"),
                (clutch_params, "max_torque", "clutch: friction"),
                (gearbox_params, "inertias", "gearbox: three_phases"))  # fmt: skip
    return [("output_inertia", f"friction_drive needs the component {name}")
            for record, key, name in required if record is None or key not in record.dtype.names]  # fmt: skip


FRICTION_DRIVE = Component(
    slot="drivetrain",
    name="friction_drive",
    params=FrictionDriveParams,
    state=FrictionDriveState,
    phases={"update": update},
    writes=("engine", "wheel", "body"),
    scratch=SCRATCH,
    check=check,
    doc="Coupled integration of engine, friction clutch, gear and shaft inertias and wheels.",
)
