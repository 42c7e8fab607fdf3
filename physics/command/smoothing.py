"""Smoothing of the driver's commands: the smoothed command follows the raw one at a limited rate (ST-INPUT-01).

    smoothed' = smoothed + clamp(raw - smoothed, -fall dt, +rise dt)

`rise` limits a pedal being pressed, `fall` one being released, both in full travels per second: a full press takes
1 / rise seconds at any tick length. Steering has both rates for each side: a return to the centre has the fall rate of
the side it leaves; beyond the centre the rise rate of the other side applies to the rest of the tick.

Commands from keys (`digital`) have the key rates, which must be > 0; those from analog devices and programs have the
analog rates, where 0 means unlimited. The gear is not smoothed. Raw commands out of range are clamped first.

The rest of the vehicle reads the smoothed command, the state of slot "input", not the raw one. Steer: +1 is right.
"""

import math
from typing import Any

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, Int, Schema, field
from driving_sandbox.physics.tick.commands import ANY_COMMAND
from driving_sandbox.physics.tick.component import Component

UNLIMITED = 1e30  # 1/s, rate in place of 0: a command passes its whole range within any tick


def _key_rate(default: float, what: str, source: str) -> Any:
    """Field for the rate of an action (`what`) by keys."""
    return field(unit="1/s", gt=0, suggest=(0.5, 20), default=default, doc=f"Keys: rate of {what}.", source=source)


def _analog_rate(what: str) -> Any:
    """Field for the rate of an action (`what`) by analog devices."""
    return field(
        unit="1/s",
        ge=0,
        suggest=(0, 50),
        default=0.0,
        doc=f"Analog devices: largest rate of {what}; 0 is unlimited.",
        source="ST-INPUT-01",
    )


class SmoothingParams(Schema):
    """Rates at which smoothed commands follow raw ones, for keys and for analog devices."""

    throttle_rise: Float = _key_rate(6.0, "pressing the throttle", "ST-INPUT-02")
    throttle_fall: Float = _key_rate(10.0, "releasing the throttle", "ST-INPUT-02")
    brake_rise: Float = _key_rate(6.0, "pressing the brake", "ST-INPUT-03")
    brake_fall: Float = _key_rate(10.0, "releasing the brake", "ST-INPUT-03")
    handbrake_rise: Float = _key_rate(12.0, "pulling the handbrake", "ST-INPUT-04")
    handbrake_fall: Float = _key_rate(12.0, "releasing the handbrake", "ST-INPUT-04")
    clutch_rise: Float = _key_rate(12.0, "pressing the clutch pedal", "ST-INPUT-01")
    clutch_fall: Float = _key_rate(4.0, "releasing the clutch pedal", "ST-INPUT-01")
    steer_left_rise: Float = _key_rate(2.5, "steering from the centre to the left", "ST-INPUT-05")
    steer_left_fall: Float = _key_rate(4.0, "steering from the left back to the centre", "ST-INPUT-05")
    steer_right_rise: Float = _key_rate(2.5, "steering from the centre to the right", "ST-INPUT-06")
    steer_right_fall: Float = _key_rate(4.0, "steering from the right back to the centre", "ST-INPUT-06")
    analog_throttle_rise: Float = _analog_rate("pressing the throttle")
    analog_throttle_fall: Float = _analog_rate("releasing the throttle")
    analog_brake_rise: Float = _analog_rate("pressing the brake")
    analog_brake_fall: Float = _analog_rate("releasing the brake")
    analog_handbrake_rise: Float = _analog_rate("pulling the handbrake")
    analog_handbrake_fall: Float = _analog_rate("releasing the handbrake")
    analog_clutch_rise: Float = _analog_rate("pressing the clutch pedal")
    analog_clutch_fall: Float = _analog_rate("releasing the clutch pedal")
    analog_steer_rise: Float = _analog_rate("steering away from the centre")
    analog_steer_fall: Float = _analog_rate("steering back to the centre")


class SmoothingState(Schema):
    """Smoothed commands, as the rest of the vehicle reads them."""

    throttle: Float = field(unit="1", doc="Smoothed throttle, 0..1.")
    brake: Float = field(unit="1", doc="Smoothed brake pedal, 0..1.")
    handbrake: Float = field(unit="1", doc="Smoothed handbrake, 0..1.")
    clutch: Float = field(unit="1", doc="Smoothed clutch pedal, 1 = fully pressed.")
    steer: Float = field(unit="1", doc="Smoothed steering, -1..1, +1 = right.")
    gear: Int = field(**ANY_COMMAND, default=1, doc="Commanded gear index, 255 automatic.")


@kernel
def rate_or_unlimited(rate: float) -> float:
    """An analog rate, 1/s, with UNLIMITED for 0."""
    return rate if rate > 0.0 else UNLIMITED


@kernel
def approach(value: float, target: float, rise: float, fall: float, dt: float) -> float:
    """Smoothed pedal (0..1) after dt, towards the raw one, `target`; rise, fall: 1/s."""
    if target > value:
        return min(target, value + rise * dt)
    return max(target, value - fall * dt)


@kernel
def approach_steer(
    value: float, target: float, left_rise: float, left_fall: float, right_rise: float, right_fall: float, dt: float
) -> float:
    """Smoothed steering (-1..1, left is negative) after dt, towards the raw one, `target`; rates: 1/s."""
    if value * target < 0.0:
        fall = right_fall if value > 0.0 else left_fall
        to_centre = abs(value) / fall
        if dt <= to_centre:
            return value - fall * dt if value > 0.0 else value + fall * dt
        dt -= to_centre
        value = 0.0
    if target < 0.0 or (target == 0.0 and value < 0.0):
        return -approach(-value, -target, left_rise, left_fall, dt)
    return approach(value, target, right_rise, right_fall, dt)


@kernel
def clamp(value: float, low: float, high: float) -> float:
    """A raw command clamped to low..high. NaN, which min and max would turn into a limit, becomes 0."""
    return 0.0 if math.isnan(value) else max(low, min(high, value))


@kernel
def _smooth_keys(
    p: Any, s: Any, throttle: float, brake: float, handbrake: float, clutch: float, steer: float, dt: float
) -> None:
    """Smooth clamped commands from keys, with parameters p, into the state s."""
    s.throttle = approach(s.throttle, throttle, p.throttle_rise, p.throttle_fall, dt)
    s.brake = approach(s.brake, brake, p.brake_rise, p.brake_fall, dt)
    s.handbrake = approach(s.handbrake, handbrake, p.handbrake_rise, p.handbrake_fall, dt)
    s.clutch = approach(s.clutch, clutch, p.clutch_rise, p.clutch_fall, dt)
    s.steer = approach_steer(
        s.steer, steer, p.steer_left_rise, p.steer_left_fall, p.steer_right_rise, p.steer_right_fall, dt
    )


@kernel
def _analog(value: float, target: float, rise: float, fall: float, dt: float) -> float:
    """`approach` with analog rates, where 0 means unlimited."""
    return approach(value, target, rate_or_unlimited(rise), rate_or_unlimited(fall), dt)


@kernel
def _smooth_analog(
    p: Any, s: Any, throttle: float, brake: float, handbrake: float, clutch: float, steer: float, dt: float
) -> None:
    """Smooth clamped commands from analog devices, with parameters p, into the state s."""
    s.throttle = _analog(s.throttle, throttle, p.analog_throttle_rise, p.analog_throttle_fall, dt)
    s.brake = _analog(s.brake, brake, p.analog_brake_rise, p.analog_brake_fall, dt)
    s.handbrake = _analog(s.handbrake, handbrake, p.analog_handbrake_rise, p.analog_handbrake_fall, dt)
    s.clutch = _analog(s.clutch, clutch, p.analog_clutch_rise, p.analog_clutch_fall, dt)
    rise = rate_or_unlimited(p.analog_steer_rise)
    fall = rate_or_unlimited(p.analog_steer_fall)
    s.steer = approach_steer(s.steer, steer, rise, fall, rise, fall, dt)


@kernel
def update(params: Any, state: Any, command: Any, dt: float) -> None:
    """Clamp the raw commands, and smooth them over a tick."""
    throttle = clamp(command.throttle, 0.0, 1.0)
    brake = clamp(command.brake, 0.0, 1.0)
    handbrake = clamp(command.handbrake, 0.0, 1.0)
    clutch = clamp(command.clutch, 0.0, 1.0)
    steer = clamp(command.steer, -1.0, 1.0)
    if command.digital != 0:
        _smooth_keys(params, state, throttle, brake, handbrake, clutch, steer, dt)
    else:
        _smooth_analog(params, state, throttle, brake, handbrake, clutch, steer, dt)
    state.gear = command.gear


SMOOTHING = Component(
    slot="input",
    name="smoothing",
    params=SmoothingParams,
    state=SmoothingState,
    phases={"update": update},
    doc="Smooths the driver's commands by limiting their rates of change.",
)
