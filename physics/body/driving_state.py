"""Driving state: while only wheels have contact, a vehicle has another step size, damping and sleep threshold
(CE-INT-01).

    driving            no bodywork touches: max_time_step_vehicle, damping_vehicle, sleep_speed_vehicle
    bodywork touches   max_time_step, damping, sleep_speed

begin   substeps of this tick = max(the world's, ceil(tick / longest substep)), at most MAX_STEPS (CE-INT-02)
damp    v <- v exp(-damping h), angular velocity too: the exact form of v <- v (1 - damping h), for any step size
rest    asleep after SLEEP_DELAY with v^2 + w.I w / m < sleep_speed^2 (twice the kinetic energy per mass), the drive
        pedal released and unchanged commands; while asleep, pose and wheels are exactly constant (CE-INT-03)

A changed command, an external action, a moving body near a wheel, or motion above the threshold wakes it. Bodywork
counts as touching if it had a contact impulse in the previous tick.

In a list `Substeps(..., count=DRIVING_STATE.steps("step_count"))` repeats a group as often as `begin` says; in a file
`count: driving_state.step_count`.
Source: the CryEngine vehicle document, `max_time_step_vehicle`, `sleep_speed_vehicle`, `damping_vehicle`.
"""

import math
from typing import Any

from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat, vec3
from driving_sandbox.physics.schema.schema import Float, Int, Quat, Schema, Vec3, field
from driving_sandbox.physics.tick.commands import ANY_COMMAND
from driving_sandbox.physics.tick.component import Component

MAX_STEPS = 1000  # substeps per tick; a smaller time step would stall the program
SLEEP_DELAY = 0.5  # s; a body that oscillates on its springs is slow at its turning points for less


def _time_step(where: str, source: str) -> Any:
    return field(unit="s", gt=0, default=0.02, suggest=(0.001, 0.05), doc=f"Longest substep {where}.", source=source)


def _sleep_speed(where: str, source: str) -> Any:
    return field(
        unit="m/s",
        ge=0,
        default=0.04,
        suggest=(0, 0.2),
        doc=f"Speed below which it may fall asleep {where}.",
        source=source,
    )


def _damping(where: str, default: float, source: str) -> Any:
    return field(unit="1/s", ge=0, default=default, suggest=(0, 1), doc=f"Damping of all motion {where}.",
                 source=source)  # fmt: skip


class DrivingStateParams(Schema):
    """Longest substep, sleep speed and damping, while driving and while bodywork touches."""

    max_time_step_vehicle: Float = _time_step("while driving", "CE-INT-02")
    sleep_speed_vehicle: Float = _sleep_speed("while driving", "CE-INT-03")
    damping_vehicle: Float = _damping("while driving", 0.1, "CE-RES-02")
    max_time_step: Float = _time_step("while bodywork touches", "CE-INT-01")
    sleep_speed: Float = _sleep_speed("while bodywork touches", "CE-INT-01")
    damping: Float = _damping("while bodywork touches", 0.0, "CE-INT-01")


class DrivingState(Schema):
    """Current state, and time below the sleep speed."""

    driving: Int = field(unit="1", default=1, doc="1 while only wheels touch anything.")
    step_count: Int = field(unit="1", ge=1, le=MAX_STEPS, default=1, doc="Substeps of this tick.")
    slow_time: Float = field(unit="s", doc="Time it has been slower than the sleep speed, commands unchanged.")
    asleep: Int = field(unit="1", doc="1 while asleep.")
    commands: Vec3 = field(unit="1", doc="Commands of the last tick: throttle minus brake, handbrake, steering.")
    gear: Int = field(**ANY_COMMAND, doc="Commanded gear of the last tick.")
    sleep_position: Vec3 = field(unit="m", doc="Position of the centre of mass when it fell asleep.")
    sleep_orientation: Quat = field(unit="1", default=[0, 0, 0, 1], doc="Orientation of the body when it fell asleep.")


@kernel
def steps_needed(seconds: float, cap: float, min_steps: int) -> int:
    """Number of equal substeps of a tick of `seconds`: at least min_steps, at most MAX_STEPS.

    cap: longest substep, s; it is exceeded if MAX_STEPS are not enough.
    """
    # less 1e-12: a tick of exactly n caps takes n substeps in spite of rounding
    return min(max(min_steps, math.ceil(seconds / cap * (1.0 - 1e-12))), MAX_STEPS)


@kernel
def touched(solver: Any) -> bool:
    """True if bodywork had a contact impulse in the last tick."""
    impulse = 0.0
    for k in range(solver.contact_count):
        impulse += solver.contacts[k].tick_impulse
    return impulse > 0.0


@kernel
def begin(params: Any, state: Any, contact: Any, context: Any, dt: float) -> None:
    """Set `driving` and `step_count` for this tick."""
    state.driving = 0 if touched(contact.solver) else 1
    cap = params.max_time_step_vehicle if state.driving != 0 else params.max_time_step
    state.step_count = steps_needed(dt, cap, context.substep_count)


@kernel
def damp(params: Any, state: Any, body: Any, dt: float) -> None:
    """Damp all motion over a substep."""
    decay = elementary.exp(-dt * (params.damping_vehicle if state.driving != 0 else params.damping))
    vec3.store(body.velocity, vec3.scale(vec3.load(body.velocity), decay))
    vec3.store(body.angular_velocity, vec3.scale(vec3.load(body.angular_velocity), decay))


@kernel
def squared_speed(body: Any, body_p: Any) -> float:
    """Twice the kinetic energy, divided by the mass, m^2/s^2."""
    w = quat.rotate_inverse(quat.load(body.orientation), vec3.load(body.angular_velocity))
    i = body_p.inertia
    turning = (i[0] * w[0] * w[0] + i[1] * w[1] * w[1] + i[2] * w[2] * w[2]) / body_p.mass
    return vec3.dot(vec3.load(body.velocity), vec3.load(body.velocity)) + turning


@kernel
def undisturbed(s: Any, command: Any, external: Any) -> bool:
    """True if the commands are unchanged since the last tick, with no external action and no moving body near a wheel.

    Stores the commands.
    """
    current = (command.throttle - command.brake, command.handbrake, command.steer)
    unchanged = vec3.load(s.commands) == current and s.gear == command.gear
    vec3.store(s.commands, current)
    s.gear = command.gear
    push = vec3.add(vec3.load(external.force), vec3.load(external.impulse))
    turn = vec3.add(vec3.load(external.torque), vec3.load(external.angular_impulse))
    return unchanged and vec3.dot(push, push) + vec3.dot(turn, turn) == 0.0 and external.moving_count == 0


@kernel
def rest(
    params: Any, state: Any, autobox: Any, body: Any, body_params: Any, wheel: Any, command: Any, external: Any,
    wheel_count: int, dt: float,
) -> None:  # fmt: skip
    """Fall asleep, hold the pose while asleep, or wake up."""
    idle = undisturbed(state, command, external) and autobox.throttle == 0.0
    limit = params.sleep_speed_vehicle if state.driving != 0 else params.sleep_speed
    if not idle or squared_speed(body, body_params) >= limit * limit:
        state.slow_time = 0.0
        state.asleep = 0
        return
    state.slow_time += dt
    if state.slow_time < SLEEP_DELAY:
        return
    if state.asleep == 0:
        state.asleep = 1
        vec3.store(state.sleep_position, vec3.load(body.position))
        quat.store(state.sleep_orientation, quat.load(body.orientation))
    vec3.store(body.position, vec3.load(state.sleep_position))
    quat.store(body.orientation, quat.load(state.sleep_orientation))
    vec3.store(body.velocity, (0.0, 0.0, 0.0))
    vec3.store(body.angular_velocity, (0.0, 0.0, 0.0))
    for i in range(wheel_count):
        wheel[i].omega = 0.0


DRIVING_STATE = Component(
    slot="driving_state",
    name="driving_or_rigid",
    params=DrivingStateParams,
    state=DrivingState,
    phases={"begin": begin, "damp": damp, "rest": rest},
    writes=("body", "wheel"),
    step_counts=("step_count",),
    doc="Step cap, damping and sleep, with separate values while bodywork touches the world.",
)
