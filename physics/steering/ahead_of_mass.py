"""Steering of the wheels ahead of the centre of mass, with its own rates and limits (CE-STEER-01..07).

Only wheels ahead of the centre of mass steer. v: forward speed. u: steering response, -1..1. x: present angle as a
fraction of its limit L.

    L      = max(0, limit_at_rest + limit_per_speed |v|); max_angle if both parameters are 0
    u != 0 the angle moves towards u L at the rate  max(least_rate, rate (1 + (rate_at_limit - 1) x^2))
    u = 0  the angle returns to the centre at       relaxation + relaxation_per_speed |v|

The source does not specify how the rate depends on the angle; the square is flat at the centre, so that all small
corrections are equally fast. When speed lowers the limit, the angle is reduced at once. For components later in the
tick, `response.steer` is replaced by the actual steering, -1..1: minus x of the first wheel, as if that were ahead of
the centre of mass. Angles are positive to the left, commands and responses to the right.

Source: the CryEngine vehicle document, `max_steer` to `steer_relaxation_kv`.
"""

import math
from typing import Any

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, PerWheel, field
from driving_sandbox.physics.steering.response import ADVISED_ANGLES, SteeringState
from driving_sandbox.physics.tick.component import Component

DEGREE = math.pi / 180.0  # rad
RIGHT_ANGLE = math.pi / 2.0  # rad


class SteeringRateParams(PerWheel):
    """Limits and rates of the steering angle."""

    max_angle: Float = field(
        unit="rad",
        gt=0,
        lt=RIGHT_ANGLE,
        suggest=(0.2, 0.9),
        advised=ADVISED_ANGLES,
        default=0.6,
        source="CE-STEER-02",
        mechanic=True,
        doc="Largest angle at any speed; has no effect if limit_at_rest or limit_per_speed is given.",
    )
    limit_at_rest: Float = field(
        unit="rad",
        ge=0,
        lt=RIGHT_ANGLE,
        suggest=(0.2, 0.9),
        default=0.0,
        source="CE-STEER-03",
        doc="Largest angle at standstill; if this and limit_per_speed are 0, max_angle applies.",
    )
    limit_per_speed: Float = field(
        unit="rad*s/m",
        suggest=(-0.03, 0),
        default=0.0,
        source="CE-STEER-03",
        doc="Change of the largest angle with speed, normally negative; it never falls below 0.",
    )
    rate: Float = field(
        unit="rad/s",
        gt=0,
        suggest=(0.3, 3),
        default=0.7,
        source="CE-STEER-04",
        doc="Rate at the centre while the driver steers.",
    )
    rate_at_limit: Float = field(
        unit="1",
        ge=-2,
        le=10,
        suggest=(-1, 2),
        default=1.0,
        source="CE-STEER-05",
        doc="Rate at full steering as a multiple of that at the centre.",
    )
    least_rate: Float = field(
        unit="rad/s", ge=0, suggest=(0, 0.5), default=0.0, source="CE-STEER-06", doc="Lower limit of the rate."
    )
    relaxation: Float = field(
        unit="rad/s",
        ge=0,
        suggest=(0, 2),
        default=0.5,
        source="CE-STEER-07",
        doc="Rate of return to the centre at standstill, when the driver does not steer.",
    )
    relaxation_per_speed: Float = field(
        unit="rad/m",
        ge=0,
        suggest=(0, 0.2),
        default=0.05,
        source="CE-STEER-07",
        doc="Change of the rate of return with speed.",
    )

    aliases = {
        "max_steer": ("max_angle", DEGREE),
        "max_steer_v0": ("limit_at_rest", DEGREE),
        "max_steer_kv": ("limit_per_speed", DEGREE),
        "steer_speed": ("rate", DEGREE),
        "steer_speed_valScale": ("rate_at_limit", 1.0),
        "steer_speed_min": ("least_rate", DEGREE),
        "steer_relaxation_v0": ("relaxation", DEGREE),
        "steer_relaxation_kv": ("relaxation_per_speed", DEGREE),
    }


class SteeringRateState(SteeringState):
    """Steer angle of a wheel, 0 if it is behind the centre of mass, and the angle that it would have ahead of it."""

    steering: Float = field(
        unit="rad", doc="Angle that the wheel would have ahead of the centre of mass, positive to the left."
    )


@kernel
def angle_limit(p: Any, speed: float) -> float:
    """Largest angle at a speed (m/s), L of the module's docstring, rad."""
    if p.limit_at_rest == 0.0 and p.limit_per_speed == 0.0:
        return p.max_angle
    return max(0.0, p.limit_at_rest + p.limit_per_speed * abs(speed))


@kernel
def steering_rate(p: Any, angle: float, limit: float) -> float:
    """Rate at an angle (rad) while the driver steers, rad/s. limit: L, rad."""
    limit_fraction = min(1.0, abs(angle) / limit) if limit > 0.0 else 0.0
    return max(p.least_rate, p.rate * (1.0 + (p.rate_at_limit - 1.0) * limit_fraction * limit_fraction))


@kernel
def towards(angle: float, target: float, max_change: float) -> float:
    """An angle moved towards a target by at most `max_change`."""
    if target > angle:
        return min(target, angle + max_change)
    return max(target, angle - max_change)


@kernel
def steered(p: Any, angle: float, command: float, speed: float, dt: float) -> float:
    """Angle of a steered wheel after a tick, rad. command: steering response, +1 = right. speed: m/s."""
    limit = angle_limit(p, speed)
    if command != 0.0:
        angle = towards(angle, -command * limit, steering_rate(p, angle, limit) * dt)
    else:
        angle = towards(angle, 0.0, (p.relaxation + p.relaxation_per_speed * abs(speed)) * dt)
    return min(max(angle, -limit), limit)


@kernel
def update(params: Any, state: Any, response: Any, suspension_params: Any, wheel_count: int, dt: float) -> None:
    """Steer the wheels ahead of the centre of mass, and set the steering response to the actual steering."""
    command, speed = response.steer, response.speed
    for i in range(wheel_count):
        state[i].steering = steered(params[i], state[i].steering, command, speed, dt)
        state[i].angle = state[i].steering if suspension_params[i].arm[1] > 0.0 else 0.0
    limit = angle_limit(params[0], speed)
    response.steer = -state[0].steering / limit if limit > 0.0 else 0.0


def check(params: Any, wheel_count: int) -> list[tuple[str, str]]:
    """Problems of a rate that falls to 0, and of a limit that changes with speed but has no value at rest."""
    problems = []
    for p in params[:wheel_count]:
        if p["rate_at_limit"] <= 0.0 and p["least_rate"] == 0.0:
            text = "must be above 0 if rate_at_limit is 0 or less: else the wheels would never reach full lock"
            problems.append(("least_rate", text))
        if p["limit_per_speed"] != 0.0 and p["limit_at_rest"] == 0.0:
            problems.append(("limit_at_rest", "must be given together with limit_per_speed"))
    return problems


STEERING_RATE = Component(
    slot="steering",
    name="ahead_of_mass",
    params=SteeringRateParams,
    state=SteeringRateState,
    phases={"update": update},
    writes=("response",),
    check=check,
    doc="Steers the wheels ahead of the centre of mass, with its own rates and limits.",
)
