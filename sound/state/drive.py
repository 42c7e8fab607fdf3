"""Fills the fields of engine, gearbox and shafts of a FRAME (sound/base/frame.py) from a vehicle's state.

`state` and `params` are the vehicle's state and parameters as words of 8 bytes, read as numbers; `state_int` and
`params_int` are the same memory read as integers. `layout`, a LAYOUT, has the indices of the words (words.py).
"""

import math
from typing import Any

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.tick.commands import NEUTRAL
from driving_sandbox.sound.engine.cycle import BOOST_SHARE
from driving_sandbox.sound.state.words import MISSING

CUT_OFF = 1.5  # times the idle speed: above it no fuel is injected with the throttle shut, as in real control units
SHUT = 0.02  # throttle below which it counts as shut; above the noise of a worn pedal
FADE_OUT = 0.05  # throttle at which the engine is no longer turned against its losses
NEAR_IDLE = 0.1  # share of the idle speed above it within which a governor supplies torque
AT_LIMIT = 0.999  # share of the largest speed from which the limiter cuts
LIMITER_PERIOD = 0.08  # s, of cut and fired cycles together; limiters of road cars stutter at 8..15 Hz
AXLE_RATIO = 9.0  # motor turns per wheel turn, where the model has no such ratio; usual for one fixed gear
PASCAL_PER_BAR = 1e5
LEAST_TORQUE = 1e-3  # N m; keeps the load finite where an engine has no torque
MOST_FILLING = 0.5  # largest magnitude of FRAME.filling; a larger one means that torque and displacement do not match


@kernel
def number(numbers: Any, word: int, otherwise: float) -> Any:
    """The number at a word, or `otherwise` if it is MISSING."""
    return otherwise if word == MISSING else numbers[word]


@kernel
def largest_torque(params: Any, params_int: Any, layout: Any, omega: float) -> tuple[float, float]:
    """Largest torque of the engine at a speed (rad/s), N m: (with full boost, without boost).

    Both are the torque curve's value if the engine's model has no boost.
    """
    count = params_int[layout.curve_count]
    if count == 0:
        return LEAST_TORQUE, LEAST_TORQUE
    x = omega / params[layout.max_omega] if layout.curve_in_shares == 1 else omega
    k = 0
    while k < count and params[layout.curve_x + k] < x:
        k += 1
    if k == 0 or k == count:
        y = params[layout.curve_y + min(k, count - 1)]
    else:
        x0, x1 = params[layout.curve_x + k - 1], params[layout.curve_x + k]
        y0, y1 = params[layout.curve_y + k - 1], params[layout.curve_y + k]
        y = y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    if layout.curve_in_shares == 1:
        y *= params[layout.peak_torque]
    natural_share = 1.0
    boosted = y
    if layout.natural_share != MISSING:
        natural_share = params[layout.natural_share]
        added_share = (1.0 - natural_share) * params[layout.wastegate_boost] / params[layout.rated_boost]
        boosted *= natural_share + added_share
    return max(boosted, LEAST_TORQUE), natural_share * y


@kernel
def filling_of(natural_torque: float, usual_torque: float) -> float:
    """FRAME.filling of an engine.

    The torque of a four-stroke engine, 4 pi T = mean effective pressure times displacement, grows with the mass of air
    that fills the cylinders; so does the pressure that is left when the exhaust valve opens.

    natural_torque: largest torque without boost at the present speed, N m.
    usual_torque: usual one of an engine of this displacement, N m; if it is 0, so is the result.
    """
    if usual_torque <= 0.0:
        return 0.0
    return max(-MOST_FILLING, min(MOST_FILLING, natural_torque / usual_torque - 1.0))


@kernel
def losses(params: Any, layout: Any, omega: float) -> float:
    """Torque needed to turn the engine with the throttle shut, N m."""
    if layout.electric == 1 or omega <= 0.0:
        return 0.0
    return number(params, layout.dry_drag, 0.0) + number(params, layout.drag, 0.0) * omega


@kernel
def load_of(frame: Any, params: Any, layout: Any, torque: float, largest: float, running: bool) -> float:
    """Torque divided by the largest at this speed, -1..1; see sound/gather.py for a shut throttle."""
    if layout.electric == 1:
        return max(-1.0, min(1.0, torque / largest))
    lost = losses(params, layout, frame.engine_speed)
    idle = number(params, layout.idle_omega, 0.0)
    governed = 0.0
    if running and idle > 0.0:
        share = min(1.0, max(0.0, (idle * (1.0 + NEAR_IDLE) - frame.engine_speed) / (idle * NEAR_IDLE)))
        governed = share * max(0.0, lost + frame.gear_torque - torque)
        lost *= 1.0 - share
    turned = lost * max(0.0, 1.0 - frame.throttle / FADE_OUT)
    return max(-1.0, min(1.0, (torque + governed - turned) / largest))


@kernel
def burns(frame: Any, state_int: Any, params: Any, layout: Any, time: float) -> int:
    """1 if fuel is injected (or the motor is electric), 0 on overrun, at the limiter and when stalled."""
    if layout.electric == 1:
        return 1
    if layout.running != MISSING:
        if state_int[layout.running] == 0 or state_int[layout.limited] != 0:
            return 0
    elif frame.engine_speed >= AT_LIMIT * params[layout.max_omega] and frame.throttle > SHUT:
        phase = time / LIMITER_PERIOD
        return 1 if phase - math.floor(phase) < 0.5 else 0
    idle = number(params, layout.idle_omega, 0.0)
    return 0 if frame.throttle < SHUT and frame.engine_speed > CUT_OFF * idle and idle > 0.0 else 1


@kernel
def shaft_speed(state: Any, layout: Any) -> float:
    """Mean speed of the driven wheels as the differentials weigh them, rad/s; of all wheels without a differential.

    FRAME.shaft_speed is its magnitude times the final ratio.
    """
    total = 0.0
    if layout.speed_share != MISSING:
        for i in range(layout.wheel_count):
            share = state[layout.torque_share + i * layout.differential_stride]
            weight = state[layout.speed_share + i * layout.differential_stride]
            # a negative share: the wheel is geared in reverse, against the shaft (physics/drivetrain/wheel_speed.py)
            sign = 0.0 if share == 0.0 else math.copysign(1.0, share)
            total += weight * sign * state[layout.rim + i * layout.rim_stride]
        return total
    for i in range(layout.wheel_count):
        total += state[layout.rim + i * layout.rim_stride] / layout.wheel_count
    return total


@kernel
def gather_gears(frame: Any, state: Any, state_int: Any, params: Any, params_int: Any, layout: Any) -> None:
    """Set gear, speeds of the gearbox's shafts, and torque and slip of the clutch."""
    frame.gear, ratio = NEUTRAL, 0.0
    if layout.gear != MISSING:
        engaged, neutral = state_int[layout.gear], params_int[layout.neutral_gear]
        frame.gear = engaged - neutral + NEUTRAL
        if engaged != neutral and 0 <= engaged < params_int[layout.ratio_count]:
            ratio = params[layout.ratios + engaged]
    frame.shaft_speed = abs(shaft_speed(state, layout) * number(params, layout.final_ratio, 1.0))
    frame.gear_speed = frame.shaft_speed * abs(ratio) if ratio != 0.0 else frame.engine_speed
    frame.clutch_slip = abs(frame.engine_speed - frame.gear_speed)
    torque = number(state, layout.clutch_torque, state[layout.torque])
    frame.gear_torque = torque if ratio != 0.0 else 0.0


@kernel
def gather_engine(
    frame: Any, state: Any, state_int: Any, params: Any, params_int: Any, layout: Any, time: float,
    assumed_boost: float, usual_torque: float,
) -> None:  # fmt: skip
    """Set the fields of the drive for an engine or motor with a gearbox.

    time: s, of the tick, for the limiter.
    assumed_boost: at full power of a turbocharged engine whose model has no boost, bar.
    usual_torque: N m, as in `usual_torque_of` (sound/vehicle_sound.py).
    """
    frame.engine_speed = abs(state[layout.omega])
    # Only the planar model's engine: without a clutch it stops with the vehicle, where a real one idles
    if layout.curve_in_shares == 0:
        frame.engine_speed = max(frame.engine_speed, params[layout.idle_omega])
    frame.throttle = max(0.0, min(1.0, number(state, layout.throttle, 0.0)))
    gather_gears(frame, state, state_int, params, params_int, layout)
    running = layout.running == MISSING or state_int[layout.running] != 0
    largest, natural_torque = largest_torque(params, params_int, layout, frame.engine_speed)
    frame.load = load_of(frame, params, layout, state[layout.torque], largest, running)
    frame.burning = burns(frame, state_int, params, layout, time)
    frame.starter = 1 if layout.cranking != MISSING and state_int[layout.cranking] != 0 else 0
    share = min(1.0, frame.engine_speed / params[layout.max_omega])
    boost = assumed_boost * PASCAL_PER_BAR * max(0.0, frame.load) * share
    frame.boost = number(state, layout.boost, boost) / PASCAL_PER_BAR
    frame.filling = filling_of(natural_torque / (1.0 + BOOST_SHARE * assumed_boost * share), usual_torque)


@kernel
def gather_axle_drive(frame: Any, state: Any, state_int: Any, params: Any, layout: Any) -> None:
    """Set the fields of the drive for one motor per wheel.

    They count as one motor of their total power that turns AXLE_RATIO times as fast as the driven wheels on average.
    Torques count by their magnitude, so that the load is never negative.
    """
    speed, torque, largest, driven = 0.0, 0.0, 0.0, 0
    for i in range(layout.wheel_count):
        limit = abs(params[layout.motor_limit + i * layout.motor_limit_stride])
        if limit > 0.0:
            driven += 1
            largest += limit
            speed += abs(state[layout.rim + i * layout.rim_stride])
            torque += abs(state[layout.motor_torque + i * layout.motor_stride])
    frame.throttle = max(0.0, min(1.0, number(state, layout.throttle, 0.0)))
    frame.shaft_speed = speed / max(1, driven)
    frame.engine_speed = frame.gear_speed = frame.shaft_speed * AXLE_RATIO
    frame.gear_torque = torque / AXLE_RATIO
    frame.load = torque / max(largest, LEAST_TORQUE)
    frame.clutch_slip = frame.boost = frame.filling = 0.0
    frame.burning, frame.starter = 1, 0
    frame.gear = max(NEUTRAL - 1, min(NEUTRAL + 1, state_int[layout.selector]))


@kernel
def gather_no_drive(frame: Any) -> None:
    """Set the fields of the drive for a vehicle without one, such as a trailer."""
    frame.engine_speed = frame.gear_speed = frame.shaft_speed = 0.0
    frame.throttle = frame.load = frame.filling = frame.boost = frame.gear_torque = frame.clutch_slip = 0.0
    frame.burning, frame.starter, frame.gear = 0, 0, NEUTRAL


@kernel
def switch_off(frame: Any) -> None:
    """Set the fields of the drive and the brake for a vehicle whose engine is off: none of them is heard."""
    gather_no_drive(frame)
    frame.dog_speed = frame.gear_step = frame.brake = 0.0


@kernel
def turn_crank(frame: Any, memory: Any, dt: float, known: int) -> None:
    """Set the crank angle after a tick of `dt` s, in which the speed is taken as linear in time, as by the voices.

    memory: MEMORY of the tick before, changed.
    known: its `known` before the tick; if it is 0, nothing turns in the tick.
    """
    if known == 1:
        memory.crank_angle += 0.5 * (memory.crank_speed + frame.engine_speed) * dt
    memory.crank_speed = frame.engine_speed
    frame.crank_angle = memory.crank_angle
