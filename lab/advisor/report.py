"""The figures behind the advice, as lines of text with the tuning guide's verdicts."""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from driving_sandbox.lab.advisor.figures import (
    best_acceleration,
    box_inertia,
    coasting,
    has,
    power_shares,
    springs,
    time_to,
    value,
    wheel_values,
)
from driving_sandbox.lab.advisor.guide import guide_lines
from driving_sandbox.lab.advisor.planar_report import planar, planar_lines
from driving_sandbox.lab.units import KMH
from driving_sandbox.physics.vehicle.understeer import degrees_per_g, estimated_understeer, understeer

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

FREQUENCY_BAND = (5.0, 10.0)  # rad/s, of a family car (tuning guide, suspension force)
RATIO_BAND = (0.8, 1.2)  # the guide's starting range for the damping ratio
SPEED_100 = 100.0 * KMH  # m/s
GOAL_TIME = 10.0  # s from 0 to 100 km/h that the suggested torque gives


def verdict(number: float, band: Sequence[float], low: str, high: str) -> str:
    """`low` for a number below the band, `high` above it, otherwise "within the guide's range"."""
    return low if number < band[0] else high if number > band[1] else "within the guide's range"


def torque_for(vehicle: "Vehicle", seconds: float, speed: float = SPEED_100) -> float | None:
    """Smallest peak torque, N m, that reaches a speed (m/s) within a time (s).

    None if 32 times the present torque is too little; at least 1/32 of the present torque. The vehicle's parameter is
    changed during the search, and has its value again afterwards.
    """
    torque = value(vehicle, "engine", "peak_torque")
    present = time_to(vehicle, speed)
    params = vehicle.params["engine"][0]
    low, high = (torque, 32.0 * torque) if present > seconds else (torque / 32.0, torque)
    try:
        params["peak_torque"] = high
        if time_to(vehicle, speed) > seconds:
            return None
        for _ in range(20):
            middle = math.sqrt(low * high)
            params["peak_torque"] = middle
            low, high = (middle, high) if time_to(vehicle, speed) > seconds else (low, middle)
        return high
    finally:
        params["peak_torque"] = torque


def report(vehicle: "Vehicle") -> list[str]:
    """List of report lines on a vehicle."""
    if planar(vehicle):
        return list(planar_lines(vehicle))
    return [
        *_spring_lines(vehicle),
        *_body_lines(vehicle),
        *_steering_lines(vehicle),
        *_drive_lines(vehicle),
        *_coasting_lines(vehicle),
        *guide_lines(vehicle),
    ]


def _spring_lines(vehicle: "Vehicle") -> Iterator[str]:
    """A line on natural frequency, damping ratio and compression of each spring."""
    spring = springs(vehicle)
    for i, name in enumerate(vehicle.wheel_names):
        frequency, ratio = float(spring["frequency"][i]), float(spring["ratio"][i])
        yield (
            f"suspension.{name}: natural frequency {frequency:.2f} rad/s ({frequency / (2 * math.pi):.2f} Hz), "
            f"{verdict(frequency, FREQUENCY_BAND, 'soft', 'stiff')}; damping ratio {ratio:.2f}, "
            f"{verdict(ratio, RATIO_BAND, 'under-damped', 'over-damped')}; compressed {1e3 * spring['rest'][i]:.0f} mm "
            f"of {1e3 * wheel_values(vehicle, 'suspension', 'travel')[i]:.0f} mm at rest by {spring['load'][i]:.0f} N"
        )


def _body_lines(vehicle: "Vehicle") -> Iterator[str]:
    """Lines on yaw inertia and, if the mass has parts, on these."""
    inertia, box = float(vehicle.params["body"][0]["inertia"][2]), float(box_inertia(vehicle)[2])
    yield f"body: yaw inertia {inertia:.0f} kg*m^2, {inertia / box:.2f} of its box"
    if has(vehicle, "body", "engine_mass"):
        parts = ", ".join(f"{part} {value(vehicle, 'body', f'{part}_mass'):g}" for part in ("body", "engine", "driver"))
        yield f"body: {value(vehicle, 'body', 'mass'):g} kg in all: {parts} kg"


def _steering_lines(vehicle: "Vehicle") -> Iterator[str]:
    """Lines on the understeer gradient: given and estimated."""
    gradient, estimate = understeer(vehicle), estimated_understeer(vehicle)
    if gradient is not None and not (estimate and estimate.value == gradient):
        yield f"steering: understeer gradient {degrees_per_g(gradient):.1f} degrees per g, as the file gives it"
    if estimate:
        yield f"steering: understeer gradient estimated as {estimate.shown} from {estimate.reason}"


def _drive_lines(vehicle: "Vehicle") -> Iterator[str]:
    """Lines on acceleration in first gear, time to 100 km/h and losses."""
    acceleration, _ = best_acceleration(vehicle, 1.0, gear=0)
    yield f"drive: {acceleration:.2f} m/s^2 in first gear"
    seconds = time_to(vehicle, SPEED_100)
    text = "never" if math.isinf(seconds) else f"{seconds:.1f} s"
    if not has(vehicle, "engine", "peak_torque"):
        yield f"drive: 0-100 km/h about {text}"
        return
    torque = torque_for(vehicle, GOAL_TIME)
    advice = "no torque alone gives" if torque is None else f"{torque:.0f} N*m would give"
    present = value(vehicle, "engine", "peak_torque")
    yield f"drive: 0-100 km/h about {text} with {present:.0f} N*m; {advice} {GOAL_TIME:g} s"
    shares = ", ".join(f"{name} {100.0 * share:.1f} %" for name, share in power_shares(vehicle).items())
    yield f"drive: losses relative to peak power in the middle gear: {shares}"


def _coasting_lines(vehicle: "Vehicle") -> Iterator[str]:
    """Lines on the deceleration in gear without throttle, and on air drag."""
    slowing, forces = coasting(vehicle)
    terms = ", ".join(f"{name} {force:.0f} N" for name, force in forces.items())
    yield f"coasting in gear at 20 m/s: {slowing:.2f} m/s^2 from {terms}"
    mass, air = value(vehicle, "body", "mass"), forces["air drag"]
    rate = air / 20.0
    yield f"air drag at 20 m/s: {rate:.1f} N*s/m, {air / mass:.3f} m/s^2"
