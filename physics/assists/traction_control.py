"""Traction control: closes the throttle while driven wheels spin (RC-TC-01..05).

    axles    r = mean spin rate of the driven end / mean spin rate of the other end (`driven_end`). Above
             max_velocity_ratio the throttle is closed, at min_velocity_ratio it returns.
    wheels   r = largest ratio of rim speed to ground speed of the wheels on the ground. The throttle is reduced at
             `cut_rate` while r is above max_velocity_ratio, restored at `return_rate` while r is at most
             min_velocity_ratio, and unchanged in between.

The instant cuts of mode `axles`, as in Racer, make a car alternate between full and closed throttle. The mode `wheels`
settles between its ratios, near the peak of the tires' slip curves, which shortens a launch. Below min_velocity both
are off. On front-drive cars the ratio of the axles may never fall to 1.0, as in bends the front wheels travel further;
there 1.05 is the better min_velocity_ratio.

Runs after `response`, whose throttle it changes; clutch pedal, gearbox and brakes are unaffected.
"""

from typing import Any

from driving_sandbox.physics.assists.wheel_speeds import (
    AXLES,
    MIN_SPEED,
    MODES,
    check_ratios,
    latched,
    mean_rates,
    ratio_of,
)
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Bool, Choice, Float, Int, Schema, field
from driving_sandbox.physics.tick.component import Component

FRONT = 1  # index of "front" in the options of `driven_end`


class TractionControlParams(Schema):
    """Thresholds and rates of the intervention."""

    enable: Bool = field(default=True, doc="Whether it is enabled.", source="RC-TC-01")
    mode: Choice = field(
        options=MODES,
        default="axles",
        source="RC-TC-02",
        doc="axles: compares the mean wheel speeds of front and rear; wheels: each wheel with the ground.",
    )
    driven_end: Choice = field(
        options=("rear", "front"),
        default="rear",
        source="RC-TC-02",
        doc="Which end the engine drives; for mode `axles`.",
    )
    max_velocity_ratio: Float = field(
        unit="1",
        gt=1,
        le=10,
        default=1.1,
        suggest=(1.02, 1.5),
        doc="Ratio above which it reduces the throttle.",
        source="RC-TC-03",
    )
    min_velocity_ratio: Float = field(
        unit="1",
        ge=0,
        le=10,
        default=1.0,
        suggest=(0.95, 1.3),
        source="RC-TC-04",
        doc="Ratio at which the throttle returns; 1.05 for front drive.",
    )
    min_velocity: Float = field(
        unit="m/s", ge=0, default=0.0, suggest=(0, 5), doc="Speed below which it is off.", source="RC-TC-05"
    )
    cut_rate: Float = field(
        unit="1/s", gt=0, default=12.0, suggest=(2, 40), doc="Rate of throttle reduction, mode `wheels`."
    )
    return_rate: Float = field(
        unit="1/s", gt=0, default=3.0, suggest=(0.5, 10), doc="Rate of throttle restoration, mode `wheels`."
    )


class TractionControlState(Schema):
    """Measured ratio and intervention."""

    ratio: Float = field(unit="1", default=1.0, doc="Monitored wheel speed ratio.")
    active: Int = field(unit="1", doc="1 from the ratio's rise above its maximum until its fall to the minimum.")
    share: Float = field(unit="1", default=1.0, doc="Factor on the driver's throttle.")


@kernel
def largest_ratio(tire: Any, wheel: Any, wheel_params: Any, wheel_count: int) -> float:
    """Largest ratio of a rim's speed to that of the ground under its tire; 0 with all wheels in the air."""
    largest = 0.0
    for i in range(wheel_count):
        if tire[i].load > 0.0:
            rim_speed = wheel[i].omega * wheel_params[i].radius
            largest = max(largest, ratio_of(rim_speed, tire[i].longitudinal_speed, MIN_SPEED))
    return largest


@kernel
def update(
    params: Any, state: Any, response: Any, suspension_params: Any, tire: Any, wheel: Any, wheel_params: Any,
    wheel_count: int, dt: float,
) -> None:  # fmt: skip
    """Compare the wheel speeds, and multiply the throttle by the resulting share."""
    front, rear = mean_rates(suspension_params, wheel, wheel_count)
    min_rate = MIN_SPEED / wheel_params[0].radius
    if params.mode != AXLES:
        state.ratio = largest_ratio(tire, wheel, wheel_params, wheel_count)
    elif params.driven_end == FRONT:
        state.ratio = ratio_of(front, rear, min_rate)
    else:
        state.ratio = ratio_of(rear, front, min_rate)
    state.active = latched(state.active, state.ratio, params.max_velocity_ratio, params.min_velocity_ratio)
    if params.enable == 0 or abs(response.speed) < params.min_velocity:
        state.active = 0
        state.share = 1.0
    elif params.mode == AXLES:
        state.share = 0.0 if state.active != 0 else 1.0
    elif state.ratio > params.max_velocity_ratio:
        state.share = max(0.0, state.share - params.cut_rate * dt)
    elif state.ratio <= params.min_velocity_ratio:
        state.share = min(1.0, state.share + params.return_rate * dt)
    response.throttle *= state.share


TRACTION_CONTROL = Component(
    slot="traction_control", name="velocity_ratio", params=TractionControlParams, state=TractionControlState,
    phases={"update": update}, check=check_ratios, writes=("response",),
    doc="Reduces the throttle while driven wheels turn too fast, with hysteresis.",
)  # fmt: skip
