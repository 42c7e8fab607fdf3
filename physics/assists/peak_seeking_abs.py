"""Anti-lock brakes that find the peak of whatever tire is fitted, on whatever road.

Every wheel is controlled separately. With its slip s = 1 - rim speed / ground speed and its friction mu = braking force
/ load it remembers the largest recent mu and the slip at which that occurred. Both are taken only while s rises, as the
force lags behind a falling slip.

    s rises and mu > peak                      peak = mu, peak_slip = s, at least MIN_PEAK_SLIP
    otherwise                                  peak falls by peak / memory per second: the road may have changed

    s > (1 + probe) peak_slip or largest_slip  pedal taken from the wheel at `release_rate`
    s <= peak_slip                             pedal given back at `apply_rate`
    between the two                            held

With `select_low` the wheels behind the centre of mass all get the largest reduction among them.

So a wheel probes a little beyond the best slip it knows of, and goes on from there if it finds more friction: no
threshold has to fit the tire. Where friction has no peak it ends at `largest_slip`. Below min_velocity it is off. The
handbrake is exempt.

Runs after `brakes`, whose torques it changes, and after the aids that add to them on single wheels: it limits the sum.
Real cars estimate slip and friction from wheel speeds and the deceleration of the body; here both are the tire's.
Source of the idea: Drakunov, Ozguner, Dix and Ashrafi, ABS Control Using Optimum Search via Sliding Modes, IEEE
Transactions on Control Systems Technology 3 (1995).
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.assists.abs import any_braked, check_brakes, ease_brake
from driving_sandbox.physics.assists.wheel_speeds import MIN_SPEED
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import WHEEL_CAPACITY, Block, Bool, Float, Int, Schema, field
from driving_sandbox.physics.tick.component import Component

MIN_PEAK_SLIP = 0.04  # no tire has its peak below; a maximum there is the lag of the force after a change of slip
MIN_PROBE = 0.01  # slip added to `probe`, which is too little on a bumpy road where the best slip is small
_N = (WHEEL_CAPACITY,)
SEEN = np.dtype([
    ("eased", np.float64, _N),  # share of the pedal taken from each wheel
    ("peak", np.float64, _N),  # largest recent friction, force per load
    ("peak_slip", np.float64, _N),  # slip at which it occurred
    ("slip", np.float64, _N),  # slip of the previous tick
])  # fmt: skip


class PeakAbsParams(Schema):
    """Search for the peak, and rates of the intervention."""

    enable: Bool = field(default=True, doc="Whether it is enabled.")
    probe: Float = field(
        unit="1",
        gt=0,
        le=2,
        default=0.1,
        suggest=(0.05, 0.5),
        doc="Slip allowed beyond the best slip, as a share of it.",
    )
    memory: Float = field(
        unit="s", gt=0, le=60, default=1.0, suggest=(0.1, 3), doc="Time in which a remembered peak fades to 1 / e."
    )
    select_low: Bool = field(
        default=True,
        doc="Whether all wheels behind the centre of mass get the largest reduction among them: the car keeps its "
        "heading where one side has less grip.",
    )
    largest_slip: Float = field(
        unit="1", gt=0, le=1, default=0.35, suggest=(0.1, 0.6), doc="Slip above which the pedal is reduced in any case."
    )
    release_rate: Float = field(
        unit="1/s", gt=0, default=20.0, suggest=(4, 40), doc="Rate of pedal reduction per wheel."
    )
    apply_rate: Float = field(
        unit="1/s", gt=0, default=6.0, suggest=(1, 20), doc="Rate of pedal restoration per wheel."
    )
    min_velocity: Float = field(
        unit="m/s", ge=0, le=100, default=1.0, suggest=(0, 5), doc="Speed below which it is off."
    )


class PeakAbsState(Schema):
    """Measured slips and intervention."""

    active: Int = field(unit="1", doc="1 while it intervenes on any wheel.")
    slip: Float = field(unit="1", doc="Largest slip of a wheel on the ground, 1 when locked.")
    pedal: Float = field(unit="1", doc="Brake pedal after the intervention, 0..1, mean of the wheels.")
    wheels: Block = field(layout=SEEN, doc="Pedal reduction and peak of each wheel.")


@kernel
def forget(state: Any, wheel_count: int) -> None:
    """End the intervention and forget all peaks."""
    state.active, state.slip = 0, 0.0
    for i in range(wheel_count):
        state.wheels.eased[i] = 0.0
        state.wheels.peak[i] = 0.0
        state.wheels.peak_slip[i] = 0.0
        state.wheels.slip[i] = 0.0


@kernel
def seek(
    params: Any,
    state: Any,
    tire: Any,
    wheel: Any,
    wheel_params: Any,
    wheel_count: int,
    dt: float,
) -> None:
    """Update peak and pedal reduction of every wheel; a wheel without load counts as gripping."""
    seen = state.wheels
    state.active, state.slip = 0, 0.0
    for i in range(wheel_count):
        ahead = 1.0 if tire[i].longitudinal_speed >= 0.0 else -1.0
        ground = max(ahead * tire[i].longitudinal_speed, MIN_SPEED)
        slip = 1.0 - ahead * wheel[i].omega * wheel_params[i].radius / ground
        rises, change = slip > seen.slip[i], -params.apply_rate
        seen.slip[i] = slip
        if tire[i].load > 0.0:
            friction = max(0.0, -ahead * tire[i].longitudinal_force / tire[i].load)
            if rises and friction > seen.peak[i]:
                seen.peak[i], seen.peak_slip[i] = friction, max(slip, MIN_PEAK_SLIP)
            else:
                seen.peak[i] -= seen.peak[i] * min(1.0, dt / params.memory)
            limit = min((1.0 + params.probe) * seen.peak_slip[i] + MIN_PROBE, params.largest_slip)
            change = params.release_rate if slip > limit else -params.apply_rate if slip <= seen.peak_slip[i] else 0.0
            state.slip = max(state.slip, slip)
        seen.eased[i] = min(1.0, max(0.0, seen.eased[i] + change * dt))
        state.active = 1 if seen.eased[i] > 0.0 else state.active


@kernel
def ease_rear_alike(seen: Any, suspension_params: Any, wheel_count: int) -> None:
    """Give all wheels behind the centre of mass the largest reduction among them."""
    largest = 0.0
    for i in range(wheel_count):
        largest = max(largest, seen.eased[i] if suspension_params[i].arm[1] < 0.0 else 0.0)
    for i in range(wheel_count):
        seen.eased[i] = largest if suspension_params[i].arm[1] < 0.0 else seen.eased[i]


@kernel
def update(
    params: Any,
    state: Any,
    response: Any,
    brakes: Any,
    brakes_params: Any,
    suspension_params: Any,
    tire: Any,
    wheel: Any,
    wheel_params: Any,
    wheel_count: int,
    dt: float,
) -> None:
    braked = any_braked(brakes, brakes_params, response, wheel_count)
    if params.enable == 0 or not braked or abs(response.speed) < params.min_velocity:
        forget(state, wheel_count)
    else:
        seek(params, state, tire, wheel, wheel_params, wheel_count, dt)
        if params.select_low != 0:
            ease_rear_alike(state.wheels, suspension_params, wheel_count)
    total = 0.0
    for i in range(wheel_count):
        total += ease_brake(brakes[i], brakes_params[i], response, 1.0 - state.wheels.eased[i])
    state.pedal = total / wheel_count


def check(params: Any, brakes_params: Any) -> list[tuple[str, str]]:
    """Problems of the brakes."""
    return check_brakes(brakes_params)


PEAK_SEEKING = Component(
    slot="abs",
    name="peak_seeking",
    params=PeakAbsParams,
    state=PeakAbsState,
    phases={"update": update},
    check=check,
    writes=("brakes",),
    doc="Reduces the brake of each wheel past the peak of its tire, which it finds while braking.",
)
