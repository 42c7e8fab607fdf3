"""Notes of the PhysX manual's tuning guide: sprung masses that do not fit the body, and values outside its ranges.

Wheel i at x_i carries the corner mass m_i, its share of the whole vehicle's mass M, wheels included. PhysX calls corner
masses sprung masses, and so do `suspension.*.sprung_mass` and this module (PX-MASS-01):

    M = sum m_i,   sum m_i (x_i - centre of mass) = 0

A file gives M and the centre of mass. With `sprung_mass: 0` the sprung masses are computed from these; if they are
given too, they must fit. `body_of` computes the mass and centre that would.

The range that the guide advises for a parameter is in its declaration (`field(advised=...)`). The ranges suit family
cars, so a figure outside is reported as a note, not as a warning.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.lab.advisor.figures import value, wheel_values
from driving_sandbox.physics.shape.drawn_wheels import drawn_wheels
from driving_sandbox.physics.shape.geometry import GeometryError

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

MASS_TOLERANCE = 0.01  # fraction of body.mass, by which the sum of the sprung masses may differ from it
CENTRE_TOLERANCE = 0.01  # m, allowed distance between the centre of the sprung masses and the centre of mass
RADIUS_TOLERANCE = 0.01  # m between drawn and physical radius; more is visible


def body_of(masses: Sequence[float] | np.ndarray, positions: Sequence | np.ndarray) -> tuple[float, np.ndarray]:
    """(total mass in kg, (x, y) of its centre in m) of sprung masses [n] in kg at positions [n, 2 or 3] in m."""
    masses = np.asarray(masses, float)
    return float(masses.sum()), masses @ np.asarray(positions, float)[:, :2] / masses.sum()


def from_sprung_masses(vehicle: "Vehicle", masses: Sequence[float] | np.ndarray) -> dict[str, Any]:
    """{path: value} for `set_many`: chosen sprung masses [n], kg, and the mass and centre of mass that fit them."""
    mass, centre = body_of(masses, wheel_values(vehicle, "suspension", "attachment"))
    height = vehicle.get("body.centre_of_mass")[2]
    sprung = zip(vehicle.wheel_names, masses, strict=True)
    return {"body.mass": mass, "body.centre_of_mass": [float(centre[0]), float(centre[1]), height],
            **{f"suspension.{wheel}.sprung_mass": float(m) for wheel, m in sprung}}  # fmt: skip


def residuals(vehicle: "Vehicle") -> tuple[float, np.ndarray]:
    """(sum of the sprung masses minus the mass, kg, [right, ahead] of their centre from the centre of mass, m)."""
    masses, arms = wheel_values(vehicle, "suspension", "supported_mass"), wheel_values(vehicle, "suspension", "arm")
    total, centre = body_of(masses, arms)
    return total - value(vehicle, "body", "mass"), centre


def guide_lines(vehicle: "Vehicle") -> Iterator[str]:
    """Report lines: whether sprung masses and body agree, wrongly drawn wheels, values outside the guide's ranges."""
    kilos, (right, ahead) = residuals(vehicle)
    mass = value(vehicle, "body", "mass")
    agree = abs(kilos) <= MASS_TOLERANCE * mass and np.hypot(right, ahead) <= CENTRE_TOLERANCE
    yield (
        f"sprung masses: {kilos:+.1f} kg off the {mass:.0f} kg, centre {right:+.3f} m right and {ahead:+.3f} m ahead "
        f"of the body's: {'they agree' if agree else 'mismatch, the vehicle will not rest where it is placed'}"
    )
    if not agree:
        fitting = from_sprung_masses(vehicle, wheel_values(vehicle, "suspension", "supported_mass"))
        centre = ", ".join(f"{x:.3f}" for x in fitting["body.centre_of_mass"])
        yield f"body of these sprung masses: mass {fitting['body.mass']:.1f} kg, centre_of_mass [{centre}] m"
    yield from _drawn_lines(vehicle)
    yield from _outside_lines(vehicle)


def _drawn_lines(vehicle: "Vehicle") -> Iterator[str]:
    """A line for every wheel whose drawn radius differs from its parameter."""
    if vehicle.geometry is None:
        return
    try:
        drawn = drawn_wheels(vehicle.geometry.path)
    except GeometryError:
        return
    for i, name in enumerate(vehicle.wheel_names):
        radius, simulated = drawn.get(i + 1, (0.0, 0.0))[0], float(wheel_values(vehicle, "wheel", "radius")[i])
        if radius > 0.0 and abs(radius - simulated) > RADIUS_TOLERANCE:
            effect = "sink into" if radius > simulated else "hover over"
            drawing = f"drawn with {radius:.3f} m; it will seem to {effect} the ground"
            yield f"wheel.{name}: radius {simulated:.3f} m, {drawing}"


def _outside_lines(vehicle: "Vehicle") -> Iterator[str]:
    """A line for every value whose magnitude is outside the range that the guide advises."""
    for slot, field in _advised(vehicle):
        low, high = field.advised
        for name, number in zip(*_numbers(vehicle, slot, field.name), strict=True):
            if number == 0.0 == field.default:
                continue  # the default: not in use, like the steer angle of rear wheels
            if not low <= abs(number) <= high:
                note = f"; {field.at_zero}" if number == 0.0 and field.at_zero else ""
                unit, size = field.unit, " in magnitude" if number < 0.0 else ""
                yield f"{name}: {number:.4g} {unit}, the guide advises {low:.3g} to {high:.6g} {unit}{size}{note}"


def _advised(vehicle: "Vehicle") -> Iterator[tuple[str, Any]]:
    """(slot, Field) of every parameter whose declaration has a range that the guide advises."""
    for component in vehicle.sequence.components:
        if component.params is not None:
            yield from ((component.slot, f) for f in component.params.fields.values() if f.advised is not None)


def _numbers(vehicle: "Vehicle", slot: str, key: str) -> tuple[list[str], list[float]]:
    """([path], [value]) of a parameter: one, or one per wheel."""
    block = vehicle.params[slot][0]
    if block.shape == ():
        return [f"{slot}.{key}"], [float(block[key])]
    return [f"{slot}.{w}.{key}" for w in vehicle.wheel_names], wheel_values(vehicle, slot, key).tolist()
