"""Steering of the wheels ahead of the centre of mass, with its own rates and limits (CE-STEER-01..07).

Only wheels ahead of the centre of mass steer. With x the angle over its
present limit L, v the speed and u the steering command:

    L    = max(0, limit_at_rest + limit_per_speed |v|)                 max_angle where both are 0
    rate = max(least_rate, rate (1 + (rate_at_limit - 1) x^2))         u not 0: the angle moves to u L
    back = relaxation + relaxation_per_speed |v|                       u = 0: it moves to the middle

The document does not specify the curve over the angle; the square is flat at the centre, so that small corrections are
equally fast. A limit that falls with speed reduces the angle at once. `response.steer` is set to the actual steering,
-1..1 of its limit, for later readers in the tick; with different limits it is the first wheel's. Angles are positive to
the left, commands to the right.

Source: the CryEngine vehicle document, `max_steer` to `steer_relaxation_kv`.
"""

import math

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, PerWheel, field
from driving_sandbox.physics.steering.response import ADVISED_ANGLES, SteeringState
from driving_sandbox.physics.tick.component import Component

DEGREE = math.pi / 180.0
RIGHT_ANGLE = math.pi / 2.0


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
        doc="Limit at every speed; superseded by the two below.",
    )
    limit_at_rest: Float = field(
        unit="rad",
        ge=0,
        lt=RIGHT_ANGLE,
        suggest=(0.2, 0.9),
        default=0.0,
        source="CE-STEER-03",
        doc="Limit at standstill; 0 together with limit_per_speed: max_angle.",
    )
    limit_per_speed: Float = field(
        unit="rad*s/m",
        suggest=(-0.03, 0),
        default=0.0,
        source="CE-STEER-03",
        doc="Change of the limit with speed, normally negative; the limit ends at 0.",
    )
    rate: Float = field(
        unit="rad/s",
        gt=0,
        suggest=(0.3, 3),
        default=0.7,
        source="CE-STEER-04",
        doc="Rate in the middle while a key is held.",
    )
    rate_at_limit: Float = field(
        unit="1",
        ge=-2,
        le=10,
        suggest=(-1, 2),
        default=1.0,
        source="CE-STEER-05",
        doc="Rate at full steering over that in the middle.",
    )
    least_rate: Float = field(
        unit="rad/s", ge=0, suggest=(0, 0.5), default=0.0, source="CE-STEER-06", doc="The rate is never lower."
    )
    relaxation: Float = field(
        unit="rad/s",
        ge=0,
        suggest=(0, 2),
        default=0.5,
        source="CE-STEER-07",
        doc="Rate back to the middle at standstill when no key is held.",
    )
    relaxation_per_speed: Float = field(
        unit="rad/m",
        ge=0,
        suggest=(0, 0.2),
        default=0.05,
        source="CE-STEER-07",
        doc="Change of that rate with speed.",
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
    """Angle of a wheel, and that of its steering, which wheels behind the centre of mass do not follow."""

    steering: Float = field(unit="rad", doc="Angle it has if it lies ahead, positive to the left.")


@kernel
def angle_limit(p, speed):
    """L of the module."""
    if p.limit_at_rest == 0.0 and p.limit_per_speed == 0.0:
        return p.max_angle
    return max(0.0, p.limit_at_rest + p.limit_per_speed * abs(speed))


@kernel
def steering_rate(p, angle, limit):
    """Rate at an angle while a key is held."""
    share = min(1.0, abs(angle) / limit) if limit > 0.0 else 0.0
    return max(p.least_rate, p.rate * (1.0 + (p.rate_at_limit - 1.0) * share * share))


@kernel
def towards(angle, target, way):
    """An angle moved towards a target by at most `way`."""
    if target > angle:
        return min(target, angle + way)
    return max(target, angle - way)


@kernel
def steered(p, angle, command, speed, dt):
    """Steering angle after a tick."""
    limit = angle_limit(p, speed)
    if command != 0.0:
        angle = towards(angle, -command * limit, steering_rate(p, angle, limit) * dt)
    else:
        angle = towards(angle, 0.0, (p.relaxation + p.relaxation_per_speed * abs(speed)) * dt)
    return min(max(angle, -limit), limit)


@kernel
def update(params, state, response, suspension_params, wheel_count, dt):
    command, speed = response.steer, response.speed
    for i in range(wheel_count):
        state[i].steering = steered(params[i], state[i].steering, command, speed, dt)
        state[i].angle = state[i].steering if suspension_params[i].arm[1] > 0.0 else 0.0
    limit = angle_limit(params[0], speed)
    response.steer = -state[0].steering / limit if limit > 0.0 else 0.0


def check(params, wheel_count):
    found = []
    for p in params[:wheel_count]:
        if p["rate_at_limit"] <= 0.0 and p["least_rate"] == 0.0:
            found.append(("least_rate", "must be above 0 where rate_at_limit is not: it would never reach its limit"))
        if p["limit_per_speed"] != 0.0 and p["limit_at_rest"] == 0.0:
            found.append(("limit_at_rest", "must be given together with limit_per_speed"))
    return found


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
