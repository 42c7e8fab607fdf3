"""Engine without inertia, kinematically coupled to the driven wheels; torque scaled by pedal and clutch.

    wheel side   W = max over driven wheels of (G omega_i)             G gear ratio, negative in reverse  (CE-ENG-06)
    engine       n = (1 - c) n_held + c max(W, 0)       c clutch, n_held engine speed when it opened      (CE-CLUTCH-01)
    torque       T = pedal c P(n) / n                                                                     (CE-ENG-05)
    wheel i      I d omega_i / dt = f G share_i T + T_tire - T_brake     f: what lossy gears pass on (gearbox.py)

With this blend, the engine speed after a gear change approaches that of the wheels continuously, for any tick length.
When n or W is below the engine's min_omega with the pedal released, the clutch opens and the engine idles (CE-ENG-10,
11). With the pedal pressed the clutch closes at its own rate, and until the wheels are fast enough it slips with the
engine at min_omega: the vehicle moves off.

At its highest speed the engine has no torque. So that a step cannot overshoot, the torque is limited to what brings a
free wheel to max_omega / |G| within the step.

Brakes have dry friction: they oppose rotation, stop a wheel exactly and hold it up to their torque. A wheel with a
locked brake (physics/brakes/locking.py) is at rest. Phases: `torque` before the tires, which respond in the same
substep, `update` after them. RIGID_ACTUATION flags braked and driven wheels; axle friction alone does not count as
braking.
"""

from typing import Any

from driving_sandbox.physics.brakes.locking import LOCK_TORQUE
from driving_sandbox.physics.drivetrain.actuation import ActuationState
from driving_sandbox.physics.drivetrain.sine_power_engine import sine_torque
from driving_sandbox.physics.drivetrain.wheel_speed import sign_or_zero
from driving_sandbox.physics.gearbox.gearbox import gear_efficiency, gear_ratio, passed_on
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, Schema, field
from driving_sandbox.physics.tick.component import Component


class RigidCouplingState(Schema):
    """Speed at the clutch."""

    wheel_side: Float = field(unit="rad/s", doc="Speed of the driven wheels at the clutch.")


@kernel
def wheel_side_speed(ratio: float, differential: Any, wheel: Any, wheel_count: int) -> float:
    """Speed of the driven wheels at the clutch (W of the module), rad/s; 0 in neutral, -1e30 without driven wheels."""
    fastest = -1e30  # slower than any wheel
    for i in range(wheel_count):
        if differential[i].torque_ratio != 0.0:
            fastest = max(fastest, ratio * wheel[i].omega)
    return fastest


@kernel
def blend_speed(engine: Any, engine_p: Any, clutch: Any, wheel_side: float) -> None:
    """Set the engine speed of this substep, and open the clutch before the engine would stall."""
    pressed = engine.throttle > 0.0
    c = clutch.normalised
    speed = (1.0 - c) * engine.held_omega + c * max(wheel_side, 0.0)
    if speed < engine_p.min_omega or (wheel_side < engine_p.min_omega and not pressed):
        if pressed:
            speed = engine_p.min_omega
        else:
            speed = engine_p.idle_omega
            engine.held_omega = speed
            clutch.position, clutch.normalised, clutch.response = 0.0, 0.0, 0.0
    engine.omega = speed


@kernel
def limited_torque(torque: float, omega: float, ratio: float, max_omega: float, inertia: float, dt: float) -> float:
    """Drive torque of a wheel, N m, limited to what accelerates it to the engine's highest speed within the step."""
    limit = max(0.0, max_omega - ratio * omega) / abs(ratio) * inertia / dt
    return min(max(torque, -limit), limit)


@kernel
def torque(
    state: Any, engine: Any, engine_params: Any, gearbox: Any, gearbox_params: Any, clutch: Any, differential: Any,
    actuation: Any, wheel: Any, wheel_params: Any, wheel_count: int, dt: float,
) -> None:  # fmt: skip
    """Set engine speed, engine torque and the drive torque of every wheel."""
    ratio = gear_ratio(gearbox_params, gearbox.current_gear)
    state.wheel_side = wheel_side_speed(ratio, differential, wheel, wheel_count)
    if ratio == 0.0:
        engine.torque = 0.0
        for i in range(wheel_count):
            actuation[i].drive_torque = 0.0
        return
    blend_speed(engine, engine_params, clutch, state.wheel_side)
    engine.torque = engine.throttle * clutch.normalised * sine_torque(engine_params, engine.omega)
    factor = passed_on(gear_efficiency(gearbox_params, gearbox.current_gear), engine.torque * state.wheel_side)
    for i in range(wheel_count):
        wheel_torque = engine.torque * ratio * differential[i].torque_ratio * factor
        actuation[i].drive_torque = limited_torque(
            wheel_torque, wheel[i].omega, ratio, engine_params.max_omega, wheel_params[i].inertia, dt
        )


@kernel
def dry_brake(omega: float, torque: float, brake: float, inertia: float, dt: float) -> float:
    """Speed after a step, rad/s, with a torque and a dry brake, which opposes motion, stops it exactly and holds.

    brake: magnitude of its torque, N m.
    """
    if omega == 0.0:
        if abs(torque) <= brake:
            return 0.0
        return dt / inertia * (torque - sign_or_zero(torque) * brake)
    new_omega = omega + dt / inertia * (torque - sign_or_zero(omega) * brake)
    if brake > 0.0 and new_omega * omega <= 0.0 and abs(omega + dt / inertia * torque) <= dt / inertia * brake:
        return 0.0
    return new_omega


@kernel
def update(brakes: Any, actuation: Any, tire: Any, wheel: Any, wheel_params: Any, wheel_count: int, dt: float) -> None:
    """Integrate every wheel's speed over a substep."""
    for i in range(wheel_count):
        if brakes[i].torque >= LOCK_TORQUE:
            wheel[i].omega = 0.0
            continue
        p = wheel_params[i]
        torque = tire[i].wheel_torque + actuation[i].drive_torque
        omega = dry_brake(wheel[i].omega, torque, brakes[i].torque, p.inertia, dt)
        wheel[i].omega = omega / (1.0 + p.damping * dt / p.inertia)


@kernel
def flag(
    state: Any, response: Any, brakes: Any, differential: Any, engine: Any, clutch: Any, gearbox: Any,
    gearbox_params: Any, wheel_count: int,
) -> None:  # fmt: skip
    """Flag braked and driven wheels. A brake torque counts only with the brake pedal pressed, or if it locks."""
    driving = gearbox.current_gear != gearbox_params.neutral_gear and engine.throttle > 0.0
    for i in range(wheel_count):
        locked = brakes[i].torque >= LOCK_TORQUE
        braked = locked or (response.brake > 0.0 and brakes[i].torque > 0.0)
        state[i].brake_applied = 1 if braked else 0
        state[i].drive_applied = 1 if driving and not locked and differential[i].torque_ratio != 0.0 else 0
        state[i].drive_torque = 0.0


def check_drivetrain(names: dict[str, str]) -> list[tuple[str, str]]:
    """Problems of another drivetrain: sticky tires are released by torques that only `rigid_engine` writes."""
    fits = names.get("drivetrain") == "rigid_engine"
    return [] if fits else [("rigid_engine", "needs the component drivetrain: rigid_engine")]


RIGID_ACTUATION = Component(
    slot="actuation",
    name="rigid_engine",
    state=ActuationState,
    phases={"update": flag},
    check=check_drivetrain,
    doc="Flags braked and driven wheels of an engine without inertia.",
)
RIGID_COUPLING = Component(
    slot="drivetrain",
    name="rigid_engine",
    state=RigidCouplingState,
    phases={"torque": torque, "update": update},
    writes=("engine", "clutch", "actuation", "wheel"),
    doc="Engine at the wheels' speed, blended while the clutch moves; integrates each wheel separately.",
)
