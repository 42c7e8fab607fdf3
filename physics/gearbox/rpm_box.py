"""Automatic gearbox by engine speed, and direction by the pedals (CE-AUTO-01..04, CE-INPUT-04, CE-BRAKE-02).

One gear at a time, and only with the clutch closed:

    forward gear      engine faster than up_omega                                -> next gear up
    second and above  engine slower than down_omega                              -> next gear down
    first, reverse    engine slower than down_omega, pedal that drives released  -> neutral

There are two pedals, `forward` and `back`. In a forward gear `forward` drives and `back` brakes, in reverse vice versa.
The direction changes, from neutral too, when only the pedal of the other direction is pressed and every driven wheel
turns in the old direction more slowly than `direction_omega` (wheel speed, not engine speed).

If the commanded gear is automatic or a forward gear, `forward` is the throttle and `back` the brake command. In
reverse, which is commanded by drivers that choose the direction themselves, `back` is the throttle and `forward` the
brake command. In neutral nothing is driven. The brake key of a keyboard changes the direction as described; an analog
brake pedal does not engage reverse, as it is held down at a stop.

Writes the reassigned pedals to `response`, and the drive pedal to its own `throttle`.
Source: the CryEngine vehicle document, `engine_shiftupRPM`, `engine_shiftdownRPM`, `gear_dir_switch_RPM`.
"""

import math
from typing import Any

from driving_sandbox.physics.gearbox.autobox import AutoboxState
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, Schema, field
from driving_sandbox.physics.tick.commands import NEUTRAL, REVERSE
from driving_sandbox.physics.tick.component import Component

RAD_S_PER_RPM = math.pi / 30.0  # rad/s per revolution per minute


class RpmBoxParams(Schema):
    """Engine speeds of gear changes, and wheel speed up to which the direction may change."""

    up_omega: Float = field(
        unit="rad/s",
        gt=0,
        suggest=(100, 700),
        source="CE-AUTO-02",
        mechanic=True,
        doc="Engine speed above which it changes up.",
    )
    down_omega: Float = field(
        unit="rad/s",
        ge=0,
        suggest=(20, 300),
        source="CE-AUTO-03",
        mechanic=True,
        doc="Engine speed below which it changes down.",
    )
    direction_omega: Float = field(
        unit="rad/s",
        gt=0,
        suggest=(1, 20),
        default=5.0,
        source="CE-AUTO-04",
        doc="Wheel speed below which it changes between forward and reverse.",
    )

    aliases = {
        "engine_shiftupRPM": ("up_omega", RAD_S_PER_RPM),
        "engine_shiftdownRPM": ("down_omega", RAD_S_PER_RPM),
        "gear_dir_switch_RPM": ("direction_omega", RAD_S_PER_RPM),
    }


@kernel
def speed_against(direction: float, differential: Any, wheel: Any, wheel_count: int) -> float:
    """Largest speed of a driven wheel opposite to a direction (+1 forward, -1 back), rad/s, at least 0."""
    fastest = 0.0
    for i in range(wheel_count):
        if differential[i].torque_ratio != 0.0:
            fastest = max(fastest, -direction * wheel[i].omega)
    return fastest


@kernel
def direction_wanted(forward: float, back: float, gear: int, neutral: int, back_reverses: Any) -> int:
    """+1 forward or -1 back if the pedals ask for a change of direction, else 0.

    forward, back: pedals, 0..1.
    back_reverses: whether `back` may engage reverse.
    """
    if forward > 0.0 and back == 0.0 and gear <= neutral:
        return 1
    if back > 0.0 and forward == 0.0 and gear >= neutral and back_reverses:
        return -1
    return 0


@kernel
def next_gear(p: Any, gear: int, neutral: int, count: int, omega: float, drive: float) -> int:
    """Gear by the engine's speed omega (rad/s). drive: the pedal that drives in this gear, 0..1."""
    if gear > neutral and omega > p.up_omega and gear + 1 < count:
        return gear + 1
    if gear != neutral and omega < p.down_omega and (drive == 0.0 or gear > neutral + 1):
        return gear - 1 if gear > neutral else neutral
    return gear


@kernel
def update(
    params: Any, state: Any, input: Any, response: Any, command: Any, engine: Any, clutch: Any, gearbox: Any,
    gearbox_params: Any, differential: Any, wheel: Any, wheel_count: int, dt: float,
) -> None:  # fmt: skip
    """Choose direction and gear for this tick, and set throttle and brake from the pedals."""
    neutral, gear = gearbox_params.neutral_gear, gearbox.current_gear
    swapped = input.gear == REVERSE
    forward = response.brake if swapped else response.throttle
    back = response.throttle if swapped else response.brake
    changing = gearbox.current_gear != gearbox.target_gear
    new_direction = 0
    if not changing:
        new_direction = direction_wanted(forward, back, gear, neutral, swapped or command.digital != 0)
    old_gear = gear
    if input.gear == NEUTRAL:
        gear = neutral
    elif new_direction != 0:
        if speed_against(new_direction, differential, wheel, wheel_count) < params.direction_omega:
            gear = neutral + new_direction
    elif not changing and clutch.normalised >= 1.0:
        drive = back if gear < neutral else forward
        gear = next_gear(params, gear, neutral, gearbox_params.ratios.count, engine.omega, drive)
    state.time_since_shift = 0.0 if gear != old_gear else state.time_since_shift + dt
    state.active = 1 if changing else 0
    state.gear = gearbox.target_gear if changing else gear
    share_pedals(state, response, forward, back, gear, neutral)


@kernel
def share_pedals(s: Any, response: Any, forward: float, back: float, gear: int, neutral: int) -> None:
    """Set throttle and brake from the two pedals for a gear; in neutral both brake until the direction may change."""
    if gear == neutral:
        s.throttle, response.brake = 0.0, max(forward, back)
    elif gear > neutral:
        s.throttle, response.brake = forward, back
    else:
        s.throttle, response.brake = back, forward
    response.throttle = s.throttle


def check(params: Any) -> list[tuple[str, str]]:
    """The problem of a speed for changing down that is not below the one for changing up."""
    if params["down_omega"] >= params["up_omega"]:
        return [("down_omega", f"must be below up_omega ({params['up_omega']:g} rad/s)")]
    return []


RPM_BOX = Component(
    slot="autobox",
    name="rpm_thresholds",
    params=RpmBoxParams,
    state=AutoboxState,
    phases={"update": update},
    writes=("response",),
    check=check,
    doc="Chooses gears by engine speed and the direction by the pedals.",
)
