"""Electronic brakeforce distribution: limits the rear brakes so that the rear wheels slip no more than the front ones.

    s = 1 - rim speed / speed of the ground under the tire      slip of a braked wheel
    e = (largest s of the rear) - (mean s of the front) - margin
    d share / dt = -gain e,   0 <= share <= 1                   rear brake torque = share * torque without this aid

The front axle should reach its limit first: a car whose rear wheels lock first spins. The ideal share of the rear
brakes falls with deceleration and changes with load; a fixed balance must be weak at the rear to be safe in all cases.
With slip control the rear brakes may be strong: their slip follows that of the front, however the car is loaded. This
aid acts at slips far below those of anti-lock brakes. Real ones use the rear inlet valves of the anti-lock brakes, and
no pump.

All rear wheels get the same share; front and rear are the wheels ahead of and behind the centre of mass. A wheel
without load does not count. With the throttle closed the engine, too, brakes a driven rear axle; then the rear brakes
get less. The aid is off while the pedal is released, below min_velocity, and while the handbrake is applied, which is
meant to lock its wheels. Real cars compare wheel speeds; here the slips are computed from the speed of the ground under
each tire.

Runs after `brakes`, whose torques it changes. Source: Bosch Automotive Handbook, Braking systems for passenger cars,
electronic brakeforce distribution; Limpert, Brake Design and Safety, ch. 7, on the optimum distribution.
"""

from typing import Any

from driving_sandbox.physics.assists.abs import check_brakes
from driving_sandbox.physics.assists.absent import absent
from driving_sandbox.physics.assists.wheel_speeds import MIN_SPEED
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Bool, Float, Int, Schema, field
from driving_sandbox.physics.tick.component import Component


class BrakeDistributionParams(Schema):
    """Slip allowed to the rear wheels, and how fast their share follows."""

    enable: Bool = field(default=True, doc="Whether it is enabled.")
    margin: Float = field(
        unit="1",
        ge=-0.1,
        le=0.2,
        default=0.0,
        suggest=(-0.02, 0.03),
        doc="Slip of the rear wheels allowed beyond that of the front wheels.",
    )
    gain: Float = field(
        unit="1/s",
        gt=0,
        le=2000,
        default=200.0,
        suggest=(50, 500),
        doc="Fall of the rear share per second and per slip beyond the allowed one.",
    )
    min_velocity: Float = field(
        unit="m/s", ge=0, le=100, default=1.0, suggest=(0, 5), doc="Speed below which it is off."
    )


class BrakeDistributionState(Schema):
    """Measured slips and share of the rear brakes."""

    active: Int = field(unit="1", doc="1 while it limits the rear brakes.")
    share: Float = field(unit="1", default=1.0, doc="Share of their brake torque that the rear wheels get.")
    front_slip: Float = field(unit="1", doc="Mean slip of the front wheels, 1 when locked.")
    rear_slip: Float = field(unit="1", doc="Largest slip of a rear wheel.")


@kernel
def braking_slip(tire: Any, wheel: Any, wheel_p: Any) -> float:
    """Slip of one wheel, positive when its rim is slower than the ground, in forward and in reverse motion."""
    direction = 1.0 if tire.longitudinal_speed >= 0.0 else -1.0
    return 1.0 - direction * wheel.omega * wheel_p.radius / max(direction * tire.longitudinal_speed, MIN_SPEED)


@kernel
def measure_slips(
    state: Any, suspension_params: Any, tire: Any, wheel: Any, wheel_params: Any, wheel_count: int
) -> None:
    """Set `front_slip` and `rear_slip`; 0 for an end without loaded wheels."""
    front_sum, front_count, rear, any_rear = 0.0, 0, 0.0, False
    for i in range(wheel_count):
        if tire[i].load > 0.0:
            slip = braking_slip(tire[i], wheel[i], wheel_params[i])
            if suspension_params[i].arm[1] > 0.0:
                front_sum += slip
                front_count += 1
            else:
                rear = max(rear, slip) if any_rear else slip
                any_rear = True
    state.front_slip = front_sum / max(front_count, 1)
    state.rear_slip = rear


@kernel
def update(
    params: Any, state: Any, response: Any, brakes: Any, suspension_params: Any, tire: Any, wheel: Any,
    wheel_params: Any, wheel_count: int, dt: float,
) -> None:  # fmt: skip
    """Adjust the share of the rear brakes, and reduce their torques to it."""
    measure_slips(state, suspension_params, tire, wheel, wheel_params, wheel_count)
    braked = response.brake != 0.0 and response.handbrake == 0.0
    if params.enable == 0 or not braked or abs(response.speed) < params.min_velocity:
        state.share = 1.0
    else:
        excess_slip = state.rear_slip - state.front_slip - params.margin
        state.share = min(1.0, max(0.0, state.share - params.gain * excess_slip * dt))
    state.active = 1 if state.share < 1.0 else 0
    for i in range(wheel_count):
        if suspension_params[i].arm[1] <= 0.0:
            brakes[i].torque *= state.share


BRAKE_DISTRIBUTION = Component(
    slot="brake_distribution",
    name="rear_follows_front",
    params=BrakeDistributionParams,
    state=BrakeDistributionState,
    phases={"update": update},
    check=check_brakes,
    writes=("brakes",),
    doc="Limits the rear brakes to the slip of the front wheels.",
)
NO_BRAKE_DISTRIBUTION = absent("brake_distribution", "update")
