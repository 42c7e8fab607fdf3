"""Levers of a tracked vehicle: a thrust and a brake for each side (PX-TANK-02, PX-TANK-04, ST-TANK-01, ST-TANK-02).

Thrust scales the drive torque of every track of a side. Without lever input one steering command, +1 = right, moves
both levers:

    outer side   thrust 1, brake 0
    inner side   thrust 1 - reach |steer|, brake brake_share |steer|

reach is 2 for the drive model `special` (thrust -1..1: full steering turns the tracks in opposite directions and the
vehicle on the spot) and 1 for `standard` (0..1: at full steering the inner track is not driven, and may be braked).
Thrust is a share; the throttle sets the torque.

The driver may move the levers directly (`thrust_left`, `thrust_right`, `brake_left`, `brake_right` of the command).
While a thrust lever l, r is off its centre, steering does not move the levers, and the throttle follows the lever with
the larger deflection:

    throttle t' = max(t, |l|, |r|)     thrusts l / t', r / t'     so that a side gets its lever's share of the torque

`standard` has no lever positions behind the centre. Of a brake lever and the brake by steering, the larger one acts.
Keys (`digital`) move a lever at key_rate; a device or a program sets it at once.

With three parameters, 0 by default, the steering command alone is enough to drive with:

    from_steer      steering up to which the levers stay, as in a half-track whose front wheels steer first; beyond,
                    (|steer| - from_steer) / (1 - from_steer) replaces |steer|
    pivot_speed     below it the brake by steering is reduced by the share p = 1 - |v| / pivot_speed, so that the tracks
                    may turn in opposite directions at rest while a moving vehicle is pulled round by its inner brake
    pivot_throttle  automatic throttle u = pivot_throttle |steer| p of `special`, with brake and handbrake released.
                    Where u exceeds the driver's throttle t, the engine gets u, and the surplus drives the tracks in
                    opposite directions: inner thrust (t (1 - reach |steer|) - (u - t)) / u, at t = 0 the turn on the
                    spot.

A track distributes the brake force of its wheels over its contact with the ground: of the sum P = sum T_i / R_i each
wheel gets T_i = P R_i N_i / sum N. Braked separately, a lightly loaded wheel would slide while others, whose brakes are
weaker than their grip, let the vehicle creep.

`in_reverse: same_turn` changes the sides in reverse gears, so that steering left always turns to the left, as with a
superimposed steering gear; `mirrored` is a plain lever pair (the nose swings as in a reversing car).
"""

from typing import Any

from driving_sandbox.physics.brakes.response import BrakeParams, BrakeState
from driving_sandbox.physics.command.smoothing import approach, approach_steer, clamp
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Choice, Float, Schema, field
from driving_sandbox.physics.tick.component import Component

STANDARD, SPECIAL = 0, 1  # indices of the options of `drive_model`
MIRRORED, SAME_TURN = 0, 1  # indices of the options of `in_reverse`
LEFT, RIGHT = 0, 1  # indices of the options of `lever` (differential.py)
REACH = (1.0, 2.0)  # by drive model: how far full steering moves the inner lever back


class LeverParams(Schema):
    """Response of the levers to the steering command."""

    drive_model: Choice = field(
        options=("standard", "special"),
        default="special",
        source="ST-TANK-01, ST-TANK-02",
        doc="standard: thrust 0..1, both tracks turn the same way; special: thrust -1..1, turns on the spot.",
    )
    brake_share: Float = field(
        unit="1",
        ge=0,
        le=1,
        default=0.0,
        suggest=(0, 1),
        source="PX-TANK-04",
        doc="Brake lever of the inner side at full steering.",
    )
    from_steer: Float = field(
        unit="1",
        ge=0,
        lt=1,
        default=0.0,
        suggest=(0, 0.9),
        source="PX-TANK-02",
        doc="Steering up to which the levers do not move.",
    )
    pivot_throttle: Float = field(
        unit="1",
        ge=0,
        le=1,
        default=0.0,
        suggest=(0, 1),
        source="PX-TANK-02",
        doc="Automatic throttle of full steering at rest, to turn on the spot; special only.",
    )
    pivot_speed: Float = field(
        unit="m/s",
        ge=0,
        default=0.0,
        suggest=(0, 6),
        doc="Speed from which the vehicle no longer turns on the spot; 0 leaves throttle and brake levers alone.",
    )
    in_reverse: Choice = field(
        options=("mirrored", "same_turn"),
        default="mirrored",
        doc="Effect of steering in reverse gears: mirrored: as with a pair of levers; same_turn: always to the "
        "side steered to.",
    )
    key_rate: Float = field(
        unit="1/s",
        gt=0,
        default=4.0,
        suggest=(0.5, 20),
        source="PX-TANK-04",
        doc="Rate at which keys move a lever.",
    )


class LeverState(Schema):
    """Levers in effect, and the positions in which the driver's hands hold them."""

    thrust_left: Float = field(unit="1", doc="-1..1, scales the drive torque of the left lever's tracks.")
    thrust_right: Float = field(unit="1", doc="-1..1, scales the drive torque of the right lever's tracks.")
    brake_left: Float = field(unit="1", doc="0..1, brake of the left lever's wheels.")
    brake_right: Float = field(unit="1", doc="0..1, brake of the right lever's wheels.")
    hand_left: Float = field(unit="1", doc="-1..1, position of the left thrust lever by the driver's hand.")
    hand_right: Float = field(unit="1", doc="-1..1, position of the right thrust lever by the driver's hand.")
    pull_left: Float = field(unit="1", doc="0..1, position of the left brake lever by the driver's hand.")
    pull_right: Float = field(unit="1", doc="0..1, position of the right brake lever by the driver's hand.")


class LeverBrakeParams(BrakeParams):
    """Pedal and handbrake as in a car, and the brake of the wheel's own lever."""

    lever_torque: Float = field(
        unit="N*m",
        ge=0,
        suggest=(0, 20000),
        default=0.0,
        source="PX-TANK-04",
        doc="Torque at full brake lever of the wheel's side.",
    )


@kernel
def lever_limits(drive_model: int) -> tuple[float, float]:
    """(lowest thrust, by how much full steering reduces the inner thrust) of a drive model."""
    return (-1.0, REACH[1]) if drive_model == SPECIAL else (0.0, REACH[0])


@kernel
def lever_steer(p: Any, steer: float, reversing: bool) -> float:
    """Steering that moves the levers, +1 = right. reversing: whether a reverse gear is selected."""
    amount = max(0.0, abs(steer) - p.from_steer) / (1.0 - p.from_steer)
    return -amount if (steer < 0.0) != (reversing and p.in_reverse == SAME_TURN) else amount


@kernel
def pivot_share(p: Any, speed: float) -> float:
    """Share p of turning on the spot: 1 at rest, 0 from pivot_speed on. speed: m/s."""
    return max(0.0, 1.0 - abs(speed) / p.pivot_speed) if p.pivot_speed > 0.0 else 0.0


@kernel
def inner_thrust(p: Any, steer: float, throttle: float, pivot_throttle: float) -> float:
    """Thrust of the inner side, -1..1. steer: 0..1. pivot_throttle: u, 0..1."""
    low, reach = lever_limits(p.drive_model)
    thrust = 1.0 - reach * steer
    if pivot_throttle > throttle:
        thrust = (throttle * thrust - (pivot_throttle - throttle)) / pivot_throttle
    return max(low, thrust)


@kernel
def move_by_hand(p: Any, s: Any, command: Any, dt: float) -> None:
    """Move the levers by the driver's hands for a tick of dt seconds."""
    low, _ = lever_limits(p.drive_model)
    left, right = clamp(command.thrust_left, low, 1.0), clamp(command.thrust_right, low, 1.0)
    pull_left, pull_right = clamp(command.brake_left, 0.0, 1.0), clamp(command.brake_right, 0.0, 1.0)
    if command.digital == 0:
        s.hand_left, s.hand_right, s.pull_left, s.pull_right = left, right, pull_left, pull_right
        return
    rate = p.key_rate  # on both sides of the centre, rising and falling
    s.hand_left = approach_steer(s.hand_left, left, rate, rate, rate, rate, dt)
    s.hand_right = approach_steer(s.hand_right, right, rate, rate, rate, rate, dt)
    s.pull_left = approach(s.pull_left, pull_left, rate, rate, dt)
    s.pull_right = approach(s.pull_right, pull_right, rate, rate, dt)


@kernel
def steer_levers(params: Any, state: Any, response: Any, gearbox: Any, gearbox_params: Any) -> None:
    """Set the levers by the steering command, and the throttle of a turn on the spot."""
    steer = lever_steer(params, response.steer, gearbox.target_gear < gearbox_params.neutral_gear)
    pivot = pivot_share(params, response.speed)
    pivot_throttle = 0.0
    if params.drive_model == SPECIAL and response.brake == 0.0 and response.handbrake == 0.0:
        pivot_throttle = params.pivot_throttle * abs(steer) * pivot
    inner = inner_thrust(params, abs(steer), response.throttle, pivot_throttle)
    brake = params.brake_share * abs(steer) * (1.0 - pivot)
    state.thrust_left = inner if steer < 0.0 else 1.0
    state.thrust_right = inner if steer > 0.0 else 1.0
    state.brake_left = brake if steer < 0.0 else 0.0
    state.brake_right = brake if steer > 0.0 else 0.0
    response.throttle = max(response.throttle, pivot_throttle)


@kernel
def update(params: Any, state: Any, response: Any, gearbox: Any, gearbox_params: Any, command: Any, dt: float) -> None:
    """Move the levers by the driver's hands and by steering, and adapt the throttle."""
    move_by_hand(params, state, command, dt)
    if state.hand_left != 0.0 or state.hand_right != 0.0:
        response.throttle = max(response.throttle, abs(state.hand_left), abs(state.hand_right))
        state.thrust_left = state.hand_left / response.throttle
        state.thrust_right = state.hand_right / response.throttle
        state.brake_left = state.brake_right = 0.0
    else:
        steer_levers(params, state, response, gearbox, gearbox_params)
    state.brake_left = max(state.brake_left, state.pull_left)
    state.brake_right = max(state.brake_right, state.pull_right)


@kernel
def update_brakes(
    params: Any, state: Any, response: Any, levers: Any, differential_params: Any, tire: Any, wheel_params: Any,
    wheel_count: int,
) -> None:  # fmt: skip
    """Set the brake torque of every wheel; on a track it is distributed by load."""
    for i in range(wheel_count):
        lever = levers.brake_left if differential_params[i].lever == LEFT else levers.brake_right
        p = params[i]
        pedals = response.brake * p.max_torque + response.handbrake * p.handbrake_torque
        state[i].torque = pedals + lever * p.lever_torque
    for i in range(wheel_count):
        if differential_params[i].track != 0:
            pool_track(state, differential_params, tire, wheel_params, i, wheel_count)


@kernel
def pool_track(
    state: Any, differential_params: Any, tire: Any, wheel_params: Any, first: int, wheel_count: int
) -> None:
    """Distribute a track's brake force to its wheels in proportion to their loads.

    Does nothing unless wheel `first` is the first one of its track, so that a call for each wheel handles it once.
    """
    track = differential_params[first].track
    brake_force, load = 0.0, 0.0
    for i in range(wheel_count):
        if differential_params[i].track == track:
            if i < first:
                return
            brake_force += state[i].torque / wheel_params[i].radius
            load += tire[i].load
    if load > 0.0:
        for i in range(first, wheel_count):
            if differential_params[i].track == track:
                state[i].torque = brake_force * wheel_params[i].radius * tire[i].load / load


LEVERS = Component(
    slot="levers",
    name="steered",
    params=LeverParams,
    state=LeverState,
    phases={"update": update},
    writes=("response",),
    doc="Moves the thrust and brake levers of both sides, by the driver's hands or the steering command.",
)
LEVER_BRAKES = Component(
    slot="brakes",
    name="pedals_and_levers",
    params=LeverBrakeParams,
    state=BrakeState,
    phases={"update": update_brakes},
    doc="Sums the torques of pedal, handbrake and brake lever on each wheel.",
)
