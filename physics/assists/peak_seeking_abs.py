"""Anti-lock brakes that find the peak of whatever tire is fitted, on whatever road.

Every wheel is controlled separately. Its slip s = 1 - rim speed / ground speed is kept at a target that oscillates
about the best slip known so far, s*; the response of the friction mu = braking force / load shows where the peak is:

    target          s_t = s* (1 + probe w(t))          w: triangle wave of amplitude 1 and frequency PROBE_RATE
    brake           the wheel's pedal falls at the rate release_rate STIFFNESS ((s + LOOK_AHEAD s') / s_t - 1), limited
                    to -apply_rate..release_rate; below FULL_STIFFNESS_SPEED STIFFNESS is reduced in proportion to speed
    elasticity      e = cov(s_L, mu) / var(s_L) mean(s_L) / mean(mu)        1 at small slip, 0 at the peak
    best slip       s*' = SEARCH_RATE s* e / FULL_ELASTICITY, the last fraction limited to -1..1

Older values fade from means, variance and covariance with the time constant `memory`. Force lags behind slip by the
tire's relaxation length, so they use a slip s_L that lags behind s by RELAXATION_LENGTH. With s itself friction would
seem to fall before the peak and to rise beyond it, and the search could end anywhere. Far from s*, for example while
the brake torque builds up, nothing is learnt. The brake control extrapolates the slip by its rate s', as beyond the
peak a wheel locks within a tenth of a second.

With `select_low` the wheels behind the centre of mass all get the largest reduction among them. There is no slip
threshold that would have to fit the tire. Where friction has no peak s* ends at `largest_slip`. Below min_velocity the
aid is off. The handbrake is exempt: it still locks its wheels.

Runs after `brakes`, whose torques it changes, and after the aids that add brake torque to single wheels: it limits the
sum. Real cars estimate slip and friction from wheel speeds and the deceleration of the body; here both are the tire's.
Source of the idea: Drakunov, Ozguner, Dix and Ashrafi, ABS Control Using Optimum Search via Sliding Modes, IEEE
Transactions on Control Systems Technology 3 (1995); Ariyur and Krstic, Real-Time Optimization by Extremum-Seeking
Control (2003), on anti-lock brakes.
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.assists.abs import any_braked, check_brakes, ease_brake
from driving_sandbox.physics.assists.wheel_speeds import MIN_SPEED
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import WHEEL_CAPACITY, Block, Bool, Float, Int, Schema, field
from driving_sandbox.physics.tick.component import Component

FIRST_SLIP = 0.1  # s* at the start of the search: near the peak of most tires on asphalt
MIN_PEAK_SLIP = 0.04  # smallest s*: no tire has its peak below it, and on bumps smaller slips are a poor measure
LEARNING_RANGE = 0.6  # largest |s_L - s*| / s* at which anything is learnt
RELAXATION_LENGTH = 0.3  # m; usual for car tires; the search also works for tires with twice as much or none
PROBE_RATE = 8.0  # Hz; if lower, a search takes longer than a stop; if higher, the brakes cannot follow
SEARCH_RATE = 2.0  # 1/s, largest relative change of s*
FULL_ELASTICITY = 0.2  # elasticity from which s* changes at SEARCH_RATE
SLIP_NOISE = 0.002  # standard deviation of slip below which nothing can be learnt from it
MIN_FRICTION = 0.01  # smallest denominator of the elasticity
STIFFNESS = 10.0  # (rate of pedal reduction / release_rate) per (excess of slip / target)
FULL_STIFFNESS_SPEED = 20.0  # m/s; the slower the vehicle, the faster slip changes with the brake
LOOK_AHEAD = 0.01  # s, delay that is compensated: two ticks and the reaction time of the brake
_N = (WHEEL_CAPACITY,)
SEARCHES = np.dtype([
    ("eased", np.float64, _N),  # reduction of the wheel's pedal, as a share of the driver's, 0..1
    ("best", np.float64, _N),  # s*; 0 while the aid is off
    ("phase", np.float64, _N),  # phase of w, 0..1
    ("slip", np.float64, _N),  # slip of the previous tick
    ("lagged", np.float64, _N),  # s_L
    ("mean_slip", np.float64, _N),  # recent mean of s_L
    ("mean_friction", np.float64, _N),  # recent mean of mu; 0 before anything is learnt
    ("variance", np.float64, _N),  # recent variance of s_L
    ("covariance", np.float64, _N),  # recent covariance of s_L and mu
])  # fmt: skip


class PeakAbsParams(Schema):
    """Search for the peak, and rates of the intervention."""

    enable: Bool = field(default=True, doc="Whether it is enabled.")
    probe: Float = field(
        unit="1",
        gt=0,
        le=0.5,
        default=0.1,
        suggest=(0.05, 0.25),
        doc="Amplitude of the slip target's oscillation, as a share of the best slip; needed to find the peak.",
    )
    memory: Float = field(
        unit="s",
        gt=0,
        le=60,
        default=0.08,
        suggest=(0.04, 0.3),
        doc="Time in which the weight of a measurement fades to 1 / e.",
    )
    select_low: Bool = field(
        default=True,
        doc="Whether all wheels behind the centre of mass get the largest reduction among them, so that the car "
        "keeps its heading if one side has less grip.",
    )
    largest_slip: Float = field(
        unit="1", gt=0, le=1, default=0.35, suggest=(0.1, 0.6), doc="Upper limit of the best slip."
    )
    release_rate: Float = field(
        unit="1/s", gt=0, default=20.0, suggest=(4, 40), doc="Largest rate of pedal reduction per wheel."
    )
    apply_rate: Float = field(
        unit="1/s", gt=0, default=6.0, suggest=(1, 20), doc="Largest rate of pedal restoration per wheel."
    )
    min_velocity: Float = field(
        unit="m/s", ge=0, le=100, default=1.0, suggest=(0, 5), doc="Speed below which it is off."
    )


class PeakAbsState(Schema):
    """Measured slips and intervention."""

    active: Int = field(unit="1", doc="1 while it intervenes on any wheel.")
    slip: Float = field(unit="1", doc="Largest slip of a wheel on the ground, 1 when locked.")
    pedal: Float = field(unit="1", doc="Brake pedal after the intervention, 0..1, mean of the wheels.")
    wheels: Block = field(layout=SEARCHES, doc="Pedal reduction and search of each wheel.")


@kernel
def forget(state: Any, wheel_count: int) -> None:
    """End the intervention and forget what was learnt."""
    state.active, state.slip = 0, 0.0
    for i in range(wheel_count):
        state.wheels.eased[i] = 0.0
        state.wheels.best[i] = 0.0


@kernel
def begin(searches: Any, i: int, slip: float) -> None:
    """Start the search of wheel i, whose slip is `slip`."""
    searches.best[i], searches.phase[i], searches.mean_friction[i] = FIRST_SLIP, 0.0, 0.0
    searches.slip[i], searches.lagged[i], searches.mean_slip[i] = slip, slip, slip
    searches.variance[i], searches.covariance[i] = 0.0, 0.0


@kernel
def learn(params: Any, searches: Any, i: int, friction: float, dt: float) -> None:
    """Update the statistics of wheel i, and during an intervention its best slip; far from the best slip do nothing."""
    slip, best_slip = searches.lagged[i], searches.best[i]
    if abs(slip - best_slip) > LEARNING_RANGE * best_slip:
        return
    if searches.mean_friction[i] == 0.0:
        searches.mean_slip[i], searches.mean_friction[i] = slip, friction
    weight = dt / (params.memory + dt)
    slip_deviation, friction_deviation = slip - searches.mean_slip[i], friction - searches.mean_friction[i]
    searches.mean_slip[i] += weight * slip_deviation
    searches.mean_friction[i] += weight * friction_deviation
    searches.variance[i] += weight * ((1.0 - weight) * slip_deviation * slip_deviation - searches.variance[i])
    searches.covariance[i] += weight * ((1.0 - weight) * slip_deviation * friction_deviation - searches.covariance[i])
    if searches.eased[i] > 0.0:
        slope = searches.covariance[i] / (searches.variance[i] + SLIP_NOISE * SLIP_NOISE)
        elasticity = slope * searches.mean_slip[i] / max(searches.mean_friction[i], MIN_FRICTION)
        best_slip *= 1.0 + SEARCH_RATE * dt * min(1.0, max(-1.0, elasticity / FULL_ELASTICITY))
        searches.best[i] = max(best_slip, MIN_PEAK_SLIP)


@kernel
def pedal_reduction_rate(params: Any, searches: Any, i: int, slip_rate: float, speed: float, dt: float) -> float:
    """Rate at which the pedal of wheel i is reduced, 1/s, restored if below 0.

    Also limits the best slip to `largest_slip`, and advances the target's oscillation.

    slip_rate: s', 1/s.
    speed: of the ground, m/s.
    """
    searches.best[i] = min(searches.best[i], params.largest_slip)
    searches.phase[i] = (searches.phase[i] + dt * PROBE_RATE) % 1.0
    target = searches.best[i] * (1.0 + params.probe * (4.0 * abs(searches.phase[i] - 0.5) - 1.0))
    stiffness = STIFFNESS * min(1.0, speed / FULL_STIFFNESS_SPEED)
    rate = params.release_rate * stiffness * ((searches.slip[i] + LOOK_AHEAD * slip_rate) / target - 1.0)
    return min(params.release_rate, max(-params.apply_rate, rate))


@kernel
def seek(
    params: Any, state: Any, tire: Any, wheel: Any, wheel_params: Any, wheel_count: int, dt: float,
) -> None:  # fmt: skip
    """Update search and pedal reduction of every wheel; a wheel without load counts as gripping."""
    searches = state.wheels
    state.active, state.slip = 0, 0.0
    for i in range(wheel_count):
        direction = 1.0 if tire[i].longitudinal_speed >= 0.0 else -1.0
        ground_speed = max(direction * tire[i].longitudinal_speed, MIN_SPEED)
        slip = 1.0 - direction * wheel[i].omega * wheel_params[i].radius / ground_speed
        if searches.best[i] == 0.0:
            begin(searches, i, slip)
        slip_rate, rolled_distance = (slip - searches.slip[i]) / dt, ground_speed * dt
        searches.slip[i] = slip
        searches.lagged[i] += (slip - searches.lagged[i]) * rolled_distance / (RELAXATION_LENGTH + rolled_distance)
        rate = -params.apply_rate
        if tire[i].load > 0.0:
            learn(params, searches, i, max(0.0, -direction * tire[i].longitudinal_force / tire[i].load), dt)
            rate = pedal_reduction_rate(params, searches, i, slip_rate, ground_speed, dt)
            state.slip = max(state.slip, slip)
        searches.eased[i] = min(1.0, max(0.0, searches.eased[i] + rate * dt))
        state.active = 1 if searches.eased[i] > 0.0 else state.active


@kernel
def ease_rear_alike(searches: Any, suspension_params: Any, wheel_count: int) -> None:
    """Give all wheels behind the centre of mass the largest reduction among them."""
    largest = 0.0
    for i in range(wheel_count):
        largest = max(largest, searches.eased[i] if suspension_params[i].arm[1] < 0.0 else 0.0)
    for i in range(wheel_count):
        searches.eased[i] = largest if suspension_params[i].arm[1] < 0.0 else searches.eased[i]


@kernel
def update(
    params: Any, state: Any, response: Any, brakes: Any, brakes_params: Any, suspension_params: Any, tire: Any,
    wheel: Any, wheel_params: Any, wheel_count: int, dt: float,
) -> None:  # fmt: skip
    """Search the peaks, and reduce the brake torques."""
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
    """[(parameter, problem)] of the brakes."""
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
