"""Checks at load time: engine, gearbox, differential, damping.

Limits are those of the PhysX vehicle manual's tuning guide. Each check takes a vehicle and the substep (s) of its
world, and yields Advice.
"""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from driving_sandbox.lab.advisor.advice import Advice, advise
from driving_sandbox.lab.advisor.figures import (
    best_acceleration,
    coasting,
    curve,
    effective_mass,
    engine_torque,
    forward_ratios,
    geared_top_speed,
    gravity,
    has,
    power_shares,
    powered_top_speed,
    spin_up_time,
    time_to,
    torque_shares,
    value,
    wheel_values,
)
from driving_sandbox.lab.advisor.load_body import hitched
from driving_sandbox.lab.units import KMH
from driving_sandbox.physics.tick.context import GRAVITY

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

REFERENCE_TORQUE = 600.0  # N m that suit REFERENCE_MASS (tuning guide, engine)
REFERENCE_MASS = 1500.0  # kg
REFERENCE_INERTIA = 1.0  # kg m^2, usual inertia of an engine (tuning guide)
SCALE_RATIO = 1000.0  # a figure this many times above or below the reference is in another unit of length
FLAT = [[0.0, 1.0], [1.0, 1.0]]  # a constant torque curve
MAX_TIME = 30.0  # s to half of the geared top speed
TOP_GEAR = (0.7, 1.6)  # top speed by gearing / by power without advice; usual 0.9 to 1.4, above 1 in overdrive
SLOPE = 0.2  # rise / length along the ground, which every road vehicle starts on in first gear


def _engine(vehicle: "Vehicle") -> bool:
    """Whether the vehicle has an engine with a torque curve."""
    return has(vehicle, "engine", "peak_torque")


def engine_scale(vehicle: "Vehicle", step: float) -> Iterator[Advice]:
    """Torque or inertia seems to be given in another unit of length.

    Both grow with the square of the scene's scale, which follows from its gravity (981 means centimetres).
    """
    if not _engine(vehicle):
        return
    scale = (gravity(vehicle) / GRAVITY) ** 2
    for name, reference, unit in (("peak_torque", REFERENCE_TORQUE, "N*m"), ("inertia", REFERENCE_INERTIA, "kg*m^2")):
        number = value(vehicle, "engine", name)
        ratio = number / (reference * scale) if scale > 0.0 else 1.0
        if number > 0.0 and not 1.0 / SCALE_RATIO < ratio < SCALE_RATIO:
            text = f"{name} {number:.3g} {unit}; in the scene's scale about {reference * scale:.3g} {unit} is usual"
            yield advise("engine_scale", text, f"engine.{name}")


def engine_figures(vehicle: "Vehicle", step: float) -> Iterator[Advice]:
    """Torque curve, largest speed, damping or inertia of the engine are implausible."""
    if not _engine(vehicle):
        return
    x, y = curve(vehicle, "engine", "torque_curve")
    low = bool(np.any(np.interp(np.linspace(0.02, 0.9, 45), x, y) <= 0.0))
    if low or y.max() < 0.5:
        text = "it reaches 0 below 0.9 of max_omega" if low else f"its largest value is {y.max():.2f}"
        yield advise("torque_curve", text, "engine.torque_curve", {"engine.torque_curve": FLAT})
    top = value(vehicle, "engine", "max_omega")
    if not 100.0 <= top <= 2500.0:
        yield advise("max_omega", f"{top:.4g} rad/s", "engine.max_omega", action="raise" if top < 100.0 else "lower")
    torque, damping = value(vehicle, "engine", "peak_torque"), value(vehicle, "engine", "damping_full_throttle")
    lost = damping * top
    if lost > 0.8 * torque * float(y.max()):
        text = f"{damping:.3g} N*m*s/rad x {top:.0f} rad/s = {lost:.0f} N*m of {torque * y.max():.0f} N*m"
        yield advise("engine_damping", text, "engine.damping_full_throttle")
    elif not low and (seconds := spin_up_time(vehicle)) > 3.0:
        inertia = value(vehicle, "engine", "inertia")
        text = f"{seconds:.1f} s from idle to 95 % of max_omega; torque / inertia = {torque / inertia:.0f} rad/s^2"
        yield advise("engine_inertia", text, "engine.inertia")


def torque_for_mass(vehicle: "Vehicle", step: float) -> Iterator[Advice]:
    """The engine's torque is small for the mass."""
    if not torque_shares(vehicle).sum() > 0.0:
        return
    mass = value(vehicle, "body", "mass")
    largest, _ = best_acceleration(vehicle, 1.0, gear=0)
    if largest < 0.5:
        yield advise("mass_for_torque", f"{largest:.2f} m/s^2 with {mass:.0f} kg", "body.mass")
    if _engine(vehicle):
        torque = value(vehicle, "engine", "peak_torque")
        usual = REFERENCE_TORQUE * mass / REFERENCE_MASS
        if torque < 0.5 * usual and largest < 2.0:
            text = f"{torque:.0f} N*m for {mass:.0f} kg (usually {usual:.0f} N*m), {largest:.1f} m/s^2 in first gear"
            yield advise("peak_torque", text, "engine.peak_torque")


def weak_engine(vehicle: "Vehicle", step: float) -> Iterator[Advice]:
    """Half of the geared top speed is reached late or never."""
    speed = geared_top_speed(vehicle)
    if speed is None or not torque_shares(vehicle).sum() > 0.0:
        return
    half = 0.5 * speed
    seconds = time_to(vehicle, half)
    if seconds > MAX_TIME:
        text = f"{'never' if math.isinf(seconds) else f'{seconds:.0f} s'} to {half / KMH:.0f} km/h"
        yield advise("engine_weak", text, "engine.peak_torque")


def gearing(vehicle: "Vehicle", step: float) -> Iterator[Advice]:
    """The gears do not fit the engine's power, or their ratios do not fall.

    A single gear may end far below the speed by power, as of electric motors, and so may top gear of a vehicle with a
    hitch, whose trailer takes power.
    """
    ratios, geared = forward_ratios(vehicle), geared_top_speed(vehicle)
    if geared is None or not has(vehicle, "gearbox", "ratios") or not torque_shares(vehicle).sum() > 0.0:
        return
    shown = ", ".join(f"{ratio:.2f}" for ratio in ratios)
    if np.any(np.diff(ratios) >= 0.0):
        yield advise("gear_order", f"overall ratios {shown}", "gearbox.ratios")
        return
    powered = powered_top_speed(vehicle)
    if powered is None:
        return
    low = geared < TOP_GEAR[0] * powered and len(ratios) > 1 and not hitched(vehicle, "hitch_rear")
    if low or geared > TOP_GEAR[1] * powered:
        text = (
            f"{geared / KMH:.0f} km/h at max_omega in top gear (overall ratio {ratios[-1]:.2f}), {powered / KMH:.0f} "
            f"km/h by power: {geared / powered:.2f} times, usual are 0.9 to 1.4 times"
        )
        yield advise("top_gear", text, "gearbox.ratios", action=f"{'lower' if low else 'raise'} the last number of")


def first_gear(vehicle: "Vehicle", step: float) -> Iterator[Advice]:
    """First gear cannot start the vehicle, without a trailer, on SLOPE; grip is not considered."""
    ratios = forward_ratios(vehicle)
    if not (_engine(vehicle) and has(vehicle, "gearbox", "ratios")) or not torque_shares(vehicle).sum() > 0.0:
        return
    acceleration, _ = best_acceleration(vehicle, 1.0, gear=0, grip=math.inf)
    force = acceleration * effective_mass(vehicle, float(ratios[0]))
    needed = value(vehicle, "body", "mass") * gravity(vehicle) * SLOPE
    if force < needed:
        text = (
            f"overall ratio {ratios[0]:.2f} gives {force:.0f} N, a slope of {100.0 * SLOPE:.0f} % needs {needed:.0f} "
            "N; usual are 2 to 5 times as much"
        )
        yield advise("first_gear", text, "gearbox.ratios")


def differential(vehicle: "Vehicle", step: float) -> Iterator[Advice]:
    """The magnitudes of the wheels' torque ratios do not add up to 1."""
    if not has(vehicle, "differential", "torque_ratio"):
        return
    ratio = wheel_values(vehicle, "differential", "torque_ratio")
    total = float(np.abs(ratio).sum())
    if abs(total - 1.0) > 0.01:
        name = vehicle.wheel_names[int(np.argmax(np.abs(ratio)))]
        yield advise("no_drive_torque", f"the sum is {total:.3g}", f"differential.{name}.torque_ratio")


def damping(vehicle: "Vehicle", step: float) -> Iterator[Advice]:
    """Wheels or engine lose much of the power to damping."""
    rate, names = wheel_values(vehicle, "wheel", "damping"), vehicle.wheel_names
    worst = int(np.argmax(rate))
    text = f"{names[worst]}: {rate[worst]:.3g} N*m*s"
    if rate[worst] > 2.0:
        yield advise("wheel_damping", text, f"wheel.{names[worst]}.damping")
    if not _engine(vehicle) or not torque_shares(vehicle).sum() > 0.0:
        return
    ratio, top = float(forward_ratios(vehicle).min()), value(vehicle, "engine", "max_omega")
    drive = float(engine_torque(vehicle, 0.8 * top)) * ratio  # 0.8: the torque may fall to 0 towards max_omega
    braking = float(rate[torque_shares(vehicle) > 0.0].sum()) * top / ratio
    if rate[worst] <= 2.0 and braking > 0.2 * drive:
        yield advise("wheel_damping", f"{text}: {braking:.0f} N*m of {drive:.0f} N*m in top gear",
                     f"wheel.{names[worst]}.damping")  # fmt: skip
    shares = power_shares(vehicle)
    lost = {name: shares.get(name, 0.0) for name in ("engine damping", "wheel damping")}
    if sum(lost.values()) > 0.3:
        text = ", ".join(f"{name} takes {100 * share:.0f} % of the power" for name, share in lost.items())
        engine = lost["engine damping"] >= lost["wheel damping"]
        path = "engine.damping_full_throttle" if engine else f"wheel.{names[worst]}.damping"
        yield advise("damping_losses", text, path)


def slowing_down(vehicle: "Vehicle", step: float) -> Iterator[Advice]:
    """The vehicle hardly slows down when coasting, or has no air drag."""
    # of other tires the rolling resistance is not computed here, so the deceleration would be too small
    if not has(vehicle, "tire", "rolling_resistance") or not torque_shares(vehicle).any():
        return
    slowing, forces = coasting(vehicle)
    if slowing < 0.1:
        text = f"{slowing:.3f} m/s^2 at 20 m/s ({', '.join(f'{k} {v:.0f} N' for k, v in forces.items())})"
        engine = "engine.damping_zero_throttle_clutch_engaged"
        yield advise("coasts_on", text, engine if _engine(vehicle) else f"wheel.{vehicle.wheel_names[0]}.damping")
    if has(vehicle, "aero", "drag_area") and value(vehicle, "aero", "drag_area") == 0.0:
        yield advise("no_body_damping", "drag area 0 m^2: 0 m/s^2 at any speed", "aero.drag_area",
                     {"aero.drag_area": 0.7})  # fmt: skip


def gear_hunting(vehicle: "Vehicle", step: float) -> Iterator[Advice]:
    """The automatic gearbox may decide again before a gear change is complete."""
    if not has(vehicle, "autobox", "latency"):
        return
    latency, change = value(vehicle, "autobox", "latency"), value(vehicle, "gearbox", "switch_time")
    if latency <= change:
        text = f"latency {latency:g} s, switch time {change:g} s"
        yield advise("gear_hunting", text, "autobox.latency", {"autobox.latency": round(max(0.5, 4.0 * change), 3)})


DRIVETRAIN_CHECKS = (
    engine_scale, engine_figures, torque_for_mass, weak_engine, gearing, first_gear, differential, damping,
    slowing_down, gear_hunting,
)  # fmt: skip
