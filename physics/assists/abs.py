"""Anti-lock brakes: reduce the brake torque of pedal and other aids while wheels slip too much (RC-ABS-01..05).

    axles    r = mean spin rate of the front wheels / that of the rear wheels, or its inverse, whichever is larger.
             While the aid is active, the pedal of the whole vehicle is multiplied by `braking_factor`.
    wheels   r = speed of the ground under a tire / speed of its rim, per wheel. The wheel's share of the pedal falls at
             `release_rate` while r is above max_velocity_ratio, to zero if necessary, rises at `apply_rate` while r is
             at most min_velocity_ratio, and stays constant in between.

The mode `axles` becomes active above max_velocity_ratio and inactive at min_velocity_ratio, with hysteresis in between.
It cannot detect four wheels that lock together, and also reduces the torque of wheels that still grip. The mode
`wheels` keeps each tire near its slip limit on any surface, which shortens the stop and keeps the car steerable. Below
min_velocity both are off. The handbrake is exempt: it still locks its wheels.

Runs after `brakes`, whose torques it changes, and after the aids that add brake torque to single wheels: it limits the
sum.
"""

from typing import Any

import numpy as np

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
from driving_sandbox.physics.schema.schema import WHEEL_CAPACITY, Block, Bool, Choice, Float, Int, Schema, field
from driving_sandbox.physics.tick.component import Component

REDUCTIONS = np.dtype([("eased", np.float64, (WHEEL_CAPACITY,))])  # reduction of the pedal, as a share of it, 0..1
NEITHER, FRONT_SLOW, REAR_SLOW = 0, 1, 2  # values of `slow_end`


class AbsParams(Schema):
    """Thresholds and strength of the intervention."""

    enable: Bool = field(default=True, doc="Whether it is enabled.", source="RC-ABS-01")
    mode: Choice = field(
        options=MODES,
        default="axles",
        source="RC-ABS-02",
        doc="axles: compares the mean wheel speeds of front and rear; wheels: each wheel with the ground.",
    )
    max_velocity_ratio: Float = field(
        unit="1",
        gt=1,
        le=10,
        default=1.1,
        suggest=(1.02, 1.5),
        doc="Ratio above which it reduces braking.",
        source="RC-ABS-02",
    )
    min_velocity_ratio: Float = field(
        unit="1",
        ge=0,
        le=10,
        default=1.0,
        suggest=(1, 1.3),
        doc="Ratio at which normal braking resumes.",
        source="RC-ABS-03",
    )
    min_velocity: Float = field(
        unit="m/s", ge=0, default=0.0, suggest=(0, 5), doc="Speed below which it is off.", source="RC-ABS-04"
    )
    braking_factor: Float = field(
        unit="1",
        ge=0,
        le=1,
        default=0.5,
        suggest=(0, 1),
        source="RC-ABS-05",
        doc="Share of the pedal that still brakes while it is active, mode `axles`.",
    )
    release_rate: Float = field(
        unit="1/s", gt=0, default=16.0, suggest=(4, 40), doc="Rate of pedal reduction per wheel, mode `wheels`."
    )
    apply_rate: Float = field(
        unit="1/s", gt=0, default=5.0, suggest=(1, 20), doc="Rate of pedal restoration per wheel, mode `wheels`."
    )


class AbsState(Schema):
    """Measured ratio and intervention."""

    ratio: Float = field(unit="1", default=1.0, doc="Monitored wheel speed ratio; in mode `wheels` the largest.")
    active: Int = field(unit="1", doc="1 while it intervenes on any wheel.")
    slow_end: Int = field(unit="1", ge=0, le=2, doc="End that triggered it: 0 none, 1 front, 2 rear; mode `axles`.")
    pedal: Float = field(unit="1", doc="Brake pedal after the intervention, 0..1, mean of the wheels.")
    wheels: Block = field(layout=REDUCTIONS, doc="Reduction of each wheel's pedal, as a share of it; mode `wheels`.")


@kernel
def watch_axles(
    params: Any, state: Any, suspension_params: Any, wheel: Any, wheel_params: Any, wheel_count: int
) -> None:
    """Set `ratio`, `active` and `slow_end`. The end whose wheels were too slow is monitored until it recovers."""
    front, rear = mean_rates(suspension_params, wheel, wheel_count)
    min_rate = MIN_SPEED / wheel_params[0].radius
    front_slow, rear_slow = ratio_of(rear, front, min_rate), ratio_of(front, rear, min_rate)
    if state.slow_end == NEITHER:
        state.slow_end = FRONT_SLOW if front_slow >= rear_slow else REAR_SLOW
    state.ratio = front_slow if state.slow_end == FRONT_SLOW else rear_slow
    state.active = latched(state.active, state.ratio, params.max_velocity_ratio, params.min_velocity_ratio)
    if state.active == 0:
        state.slow_end = NEITHER


@kernel
def watch_wheels(
    params: Any, state: Any, tire: Any, wheel: Any, wheel_params: Any, wheel_count: int, dt: float
) -> None:
    """Set the pedal reduction of each wheel and the largest ratio; a wheel in the air counts as gripping."""
    state.active = 0
    state.ratio = 1.0
    for i in range(wheel_count):
        ratio = ratio_of(tire[i].longitudinal_speed, wheel[i].omega * wheel_params[i].radius, MIN_SPEED)
        eased = state.wheels.eased[i]
        if ratio > params.max_velocity_ratio:
            eased = min(1.0, eased + params.release_rate * dt)
        elif ratio <= params.min_velocity_ratio:
            eased = max(0.0, eased - params.apply_rate * dt)
        state.wheels.eased[i] = eased
        state.active = 1 if eased > 0.0 else state.active
        state.ratio = max(state.ratio, ratio)


@kernel
def release(state: Any, wheel_count: int) -> None:
    """End the intervention on all wheels."""
    state.active = 0
    state.slow_end = NEITHER
    for i in range(wheel_count):
        state.wheels.eased[i] = 0.0


@kernel
def added_by_aids(brake: Any, brake_p: Any, response: Any) -> float:
    """Brake torque of a wheel that other aids have added to the pedal's, N m; below 0 where they have reduced it.

    Counts as 0 while the handbrake is applied: no other aid brakes then.
    """
    return brake.torque - response.brake * brake_p.max_torque if response.handbrake == 0.0 else 0.0


@kernel
def any_braked(brakes: Any, brakes_params: Any, response: Any, wheel_count: int) -> bool:
    """Whether the pedal or another aid brakes any wheel."""
    braked = response.brake != 0.0
    for i in range(wheel_count):
        braked = braked or added_by_aids(brakes[i], brakes_params[i], response) > 0.0
    return braked


@kernel
def ease_brake(brake: Any, brake_p: Any, response: Any, share: float) -> float:
    """Multiply the part of a wheel's brake torque due to pedal and aids by `share` (0..1); the handbrake's part stays.

    Returns the share times the pedal, 0..1.
    """
    reduction = (1.0 - share) * response.brake * brake_p.max_torque
    reduction += (1.0 - share) * added_by_aids(brake, brake_p, response)
    brake.torque = max(0.0, brake.torque - reduction)
    return share * response.brake


@kernel
def update(
    params: Any, state: Any, response: Any, brakes: Any, brakes_params: Any, suspension_params: Any, tire: Any,
    wheel: Any, wheel_params: Any, wheel_count: int, dt: float,
) -> None:  # fmt: skip
    """Reduce the brake torques: in mode `axles` of all wheels, in mode `wheels` of those that slip too much."""
    if params.mode == AXLES:
        watch_axles(params, state, suspension_params, wheel, wheel_params, wheel_count)
    else:
        watch_wheels(params, state, tire, wheel, wheel_params, wheel_count, dt)
    braked = any_braked(brakes, brakes_params, response, wheel_count)
    if params.enable == 0 or not braked or abs(response.speed) < params.min_velocity:
        release(state, wheel_count)
    total = 0.0
    for i in range(wheel_count):
        share = 1.0 - state.wheels.eased[i]
        if params.mode == AXLES:
            share = params.braking_factor if state.active != 0 else 1.0
        total += ease_brake(brakes[i], brakes_params[i], response, share)
    state.pedal = total / wheel_count


def check_brakes(brakes_params: Any) -> list[tuple[str, str]]:
    """[(parameter, problem)] if the brakes have no `max_torque`, a torque in proportion to the pedal."""
    if "max_torque" not in brakes_params.dtype.names:
        return [("enable", "needs brakes with a max_torque for each wheel, which the vehicle's brakes do not have")]
    return []


def check(params: Any, brakes_params: Any) -> list[tuple[str, str]]:
    """[(parameter, problem)] of the brakes and of the two ratios."""
    return check_brakes(brakes_params) or check_ratios(params)


ABS = Component(
    slot="abs",
    name="velocity_ratio",
    params=AbsParams,
    state=AbsState,
    phases={"update": update},
    check=check,
    writes=("brakes",),
    doc="Reduces brake torque while wheels slip too much, with hysteresis.",
)
