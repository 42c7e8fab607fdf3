"""Detectors of faults in commands, gears and the whole vehicle.

Each takes a SampleHistory, `watch`, and returns Advice or None. The criteria, with the limits and lengths of time used
here, are in the table of lab/advisor/symptoms.py; the numbers in `watch.get` are seconds and samples per second.
"""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.lab.advisor.advice import Advice, advise
from driving_sandbox.lab.advisor.figures import has, numbers, tire_path, torque_shares, value, wheel_values
from driving_sandbox.lab.advisor.sample_history import SampleHistory
from driving_sandbox.physics.maths.quat import rotate

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

PRESSED = 0.5  # throttle above which it counts as pressed
APPLIED = 0.05  # brake or handbrake above which it counts as applied
STEERED = 0.3  # magnitude of the steer command above which the wheels must turn
NO_ANGLE = math.radians(1.0)  # steer angle, rad; a wheel below it counts as not turned
TIPPED_ANGLE = math.radians(60.0)  # rad, angle from the world's vertical axis to the body's
SPIN_ANGLE = math.radians(60.0)  # rad, sideslip angle beyond which the car has spun
FORWARD, UP = 1, 2  # indices of the body's axes


def driven(vehicle: "Vehicle") -> np.ndarray:
    """[k] indices of the driven wheels."""
    return np.flatnonzero(torque_shares(vehicle) > 0.0)


def body_axis(watch: SampleHistory, index: int) -> tuple[float, float, float]:
    """Unit vector of a body axis in world axes; `index`: FORWARD or UP."""
    axis = [0.0, 0.0, 0.0]
    axis[index] = 1.0
    return rotate(tuple(watch.now("body.orientation").tolist()), tuple(axis))


def neutral_gear(watch: SampleHistory) -> Advice | None:
    """The throttle is pressed in neutral."""
    if not (watch.has("gearbox.current_gear", "input.throttle") and watch.full(1.0)):
        return None
    neutral = int(value(watch.vehicle, "gearbox", "neutral_gear"))
    throttle = watch.get("input.throttle", 1.0)
    in_neutral = (watch.get("gearbox.current_gear", 1.0) == neutral) & (
        watch.get("gearbox.target_gear", 1.0) == neutral
    )
    if throttle.min() > PRESSED and in_neutral.all():
        return advise("neutral_gear", f"throttle {throttle[-1]:.2f}, gear neutral for 1 s", None)
    return None


def brake_engaged(watch: SampleHistory) -> Advice | None:
    """The throttle is pressed while the brake or the handbrake is applied."""
    if not (watch.has("input.throttle", "input.brake") and watch.full(1.0)):
        return None
    throttle = watch.get("input.throttle", 1.0)
    brakes = {name: watch.get(f"input.{name}", 1.0).min() for name in ("brake", "handbrake")}
    name = max(brakes, key=lambda name: brakes[name])
    if throttle.min() > PRESSED and brakes[name] > APPLIED:
        return advise("brake_engaged", f"throttle {throttle[-1]:.2f} with {name} {brakes[name]:.2f} for 1 s", None)
    return None


def no_steer_angle(watch: SampleHistory) -> Advice | None:
    """The wheels do not follow the steer command.

    Not checked for tracked vehicles, nor above 25 m/s, where a response table may leave little of the steer angle.
    """
    if not (watch.has("input.steer", "steering.angle") and watch.full(0.5)) or has(watch.vehicle, "levers"):
        return None
    steer, angle = watch.get("input.steer", 0.5), watch.get("steering.angle", 0.5)
    if np.abs(steer).min() > STEERED and np.abs(angle).max() < NO_ANGLE and watch.speeds(0.5).max() < 25.0:
        limits = wheel_values(watch.vehicle, "steering", "max_angle")
        text = f"command {steer[-1]:.2f}, largest wheel angle {math.degrees(np.abs(angle).max()):.2f} degrees"
        wheel = watch.vehicle.wheel_names[int(np.argmax(np.abs(limits)))]
        return advise("no_steer_angle", text, f"steering.{wheel}.max_angle")
    return None


def not_stepped(watch: SampleHistory, asleep: bool | None = None) -> Advice | None:
    """The vehicle does not move at all under throttle, brakes released.

    Args:
        asleep: the body's sleep flag, None where it has none; a body that is awake (False) excludes the symptom.
    """
    if not (watch.has("input.throttle", "actuation.drive_applied") and watch.full(1.0)):
        return None
    driving = watch.get("actuation.drive_applied", 1.0).any(axis=1).all()
    if not driving or watch.get("actuation.brake_applied", 1.0).any():
        return None
    positions = watch.get("body.position", 1.0)
    throttle = float(watch.get("input.throttle", 1.0).min())
    wheels_turn = (watch.get("wheel.omega", 1.0) != watch.now("wheel.omega")).any()
    if asleep is not False and throttle > PRESSED and not (positions != positions[0]).any() and not wheels_turn:
        return advise("not_stepped", f"throttle {throttle:.2f}, pose unchanged for 1 s, asleep", None)
    return None


def _up_ratio(vehicle: "Vehicle", gear: int) -> float:
    """Fraction of max_omega at which the automatic gearbox changes up from a gear; inf if it never does."""
    ratios: Any = numbers(vehicle, "autobox", "up_ratios") if has(vehicle, "autobox", "up_ratios") else []
    return float(ratios[gear]) if gear < len(ratios) else math.inf


def stuck_in_gear(watch: SampleHistory) -> Advice | None:
    """The gearbox stays below top gear at full throttle: at the limiter, or at a steady speed too low to change up."""
    if not (watch.has("engine.omega", "gearbox.current_gear", "input.throttle") and watch.full(3.0)):
        return None
    if watch.now("input.throttle") < 0.9:
        return None
    vehicle, gears = watch.vehicle, watch.get("gearbox.current_gear", 3.0, 20.0)
    gear, count = int(gears[-1]), int(vehicle.params["gearbox"][0]["ratios"]["count"])
    if gear <= value(vehicle, "gearbox", "neutral_gear") or gear >= count - 1 or (gears != gear).any():
        return None
    speed_fraction = watch.get("engine.omega", 3.0, 20.0) / value(vehicle, "engine", "max_omega")
    if watch.get("input.throttle", 3.0, 20.0).min() < 0.9:
        return None
    up = _up_ratio(vehicle, gear)
    limited = speed_fraction.min() > 0.95
    steady = speed_fraction.min() > 0.5 and np.ptp(speed_fraction) < 0.005 and speed_fraction.max() < up
    if limited or steady:
        text = (
            f"gear {gear - int(value(vehicle, 'gearbox', 'neutral_gear'))}: engine at "
            f"{100 * speed_fraction[-1]:.0f} % of its max_omega for 3 s, changes up above {100 * up:.0f} %"
        )
        return advise("stuck_in_gear", text, "autobox.up_ratios" if has(vehicle, "autobox") else "gearbox.ratios")
    return None


def gear_hunting(watch: SampleHistory) -> Advice | None:
    """The automatic gearbox changes again and again between neutral and first gear."""
    if not (watch.has("gearbox.current_gear") and has(watch.vehicle, "autobox", "latency")):
        return None
    neutral = int(value(watch.vehicle, "gearbox", "neutral_gear"))
    gears = watch.get("gearbox.current_gear", 5.0, 120.0)
    changes = gears[1:][gears[1:] != gears[:-1]]
    if len(changes) < 6:
        return None
    engagements = int(((changes[:-1] == neutral) & (changes[1:] == neutral + 1)).sum())
    if engagements < 3 or gears.max() > neutral + 2 or float(watch.get("input.throttle", 5.0).mean()) < PRESSED:
        return None
    latency, change = value(watch.vehicle, "autobox", "latency"), value(watch.vehicle, "gearbox", "switch_time")
    text = f"{engagements} times from neutral to first gear in 5 s; latency {latency:g} s, switch time {change:g} s"
    return advise("gear_hunting", text, "autobox.latency", {"autobox.latency": round(max(0.5, 4.0 * change), 3)})


def handbrake_weak(watch: SampleHistory) -> Advice | None:
    """The vehicle rolls on a slope with the handbrake applied."""
    if not (watch.has("input.handbrake", "suspension.on_ground") and watch.full(2.0)):
        return None
    if watch.now("input.handbrake") < 0.9:
        return None
    slope = math.acos(min(1.0, abs(body_axis(watch, UP)[2])))
    speed = watch.speeds(2.0)
    applied = watch.get("input.handbrake", 2.0).min() > 0.9 and watch.get("input.throttle", 2.0).max() < APPLIED
    rolls = slope > 0.03 and speed.min() > 0.05 and speed[-1] > speed[0]
    if applied and rolls and watch.now("suspension.on_ground").all():
        torque = wheel_values(watch.vehicle, "brakes", "handbrake_torque")
        wheel = watch.vehicle.wheel_names[int(np.argmax(torque))]
        slope_text = f"{math.degrees(slope):.0f} degrees"
        text = f"rolls at {speed[-1]:.1f} m/s on {slope_text} with {torque.max():.0f} N*m per wheel"
        return advise("handbrake_weak", text, f"brakes.{wheel}.handbrake_torque")
    return None


def spins_out(watch: SampleHistory) -> Advice | None:
    """The sideslip exceeds SPIN_ANGLE above 8 m/s, all wheels on the ground, and no handbrake in the last 5 s."""
    if not (watch.has("input.handbrake", "suspension.on_ground") and watch.full(1.0)):
        return None
    if not watch.now("suspension.on_ground").all() or watch.get("input.handbrake", 5.0).max() > APPLIED:
        return None
    right, forward, _ = watch.local_velocity()
    if math.hypot(right, forward) > 8.0 and abs(math.atan2(right, forward)) > SPIN_ANGLE:
        start = watch.speeds(2.0)[0]
        text = f"{math.degrees(abs(math.atan2(right, forward))):.0f} degrees sideways, entered at {start:.0f} m/s"
        return advise("spins_out", text, tire_path(watch.vehicle, watch.vehicle.wheel_names[-1], "lateral_stiffness"))
    return None


def tips_over(watch: SampleHistory) -> Advice | None:
    """The vehicle tipped over within 3 s of driving on all wheels, while mostly in contact with the ground."""
    if not (watch.has("suspension.on_ground") and watch.full(1.0)):
        return None
    if body_axis(watch, UP)[2] > math.cos(TIPPED_ANGLE):
        return None
    ground = watch.get("suspension.on_ground", 3.0)
    if ground[0].all() and (ground.sum(axis=1) > 0).mean() > 0.6:
        height = watch.vehicle.get("body.centre_of_mass")[2]
        x = wheel_values(watch.vehicle, "suspension", "attachment")[:, 0]
        track = float(np.ptp(x))
        limit = 0.5 * track / height if height > 0.0 else math.inf
        text = (
            f"track {track:.2f} m, centre of mass {height:.2f} m high: tips at {limit:.2f} g, speed "
            f"{watch.speeds(3.0)[0]:.0f} m/s"
        )
        return advise("tips_over", text, "body.centre_of_mass")
    return None


COMMAND_DETECTORS = (
    neutral_gear, brake_engaged, no_steer_angle, stuck_in_gear, gear_hunting, handbrake_weak, spins_out, tips_over,
)  # fmt: skip
