"""Figures of a planar vehicle for `check --figures`; the tuning guide does not apply to it."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from driving_sandbox.lab.units import KMH
from driving_sandbox.physics.planar.gearbox import top_speed

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle


def planar(vehicle: "Vehicle") -> bool:
    """Whether a vehicle has no springs, so that the tuning guide does not apply."""
    return "suspension" not in vehicle.sequence.by_slot


def planar_lines(vehicle: "Vehicle") -> Iterator[str]:
    """Report lines on a planar vehicle."""
    loads = vehicle.params["tire"][0]["nominal_load"][: vehicle.wheel_count]
    load_list = ", ".join(f"{name} {load:.0f} N" for name, load in zip(vehicle.wheel_names, loads, strict=True))
    yield f"loads at rest: {load_list}"
    for name in vehicle.wheel_names:
        stiffness, limit = vehicle.get(f"tire.{name}.stiffness"), vehicle.get(f"tire.{name}.side_friction")
        if stiffness > 0.0:
            yield f"tire.{name}: side force saturates at about {math.degrees(limit / stiffness):.1f} degrees"
    red_line, radius = vehicle.get("engine.max_omega"), vehicle.get("differential.radius")
    final, neutral = vehicle.get("gearbox.final_ratio"), vehicle.get("gearbox.neutral_gear")
    tops = (top_speed(red_line, radius, r * final) / KMH for r in vehicle.get("gearbox.ratios")[neutral + 1 :])
    yield f"top speeds of the gears at the red line: {', '.join(f'{v:.0f}' for v in tops)} km/h"
    longitudinal, lateral = vehicle.get("aero.long_factor"), vehicle.get("aero.lat_factor")
    yield f"air drag {longitudinal:.3f} kg/m from the front, {lateral:.3f} kg/m from the side"
    yield f"full brake {vehicle.get('brakes.full_force'):.0f} N"
    if vehicle.get("engine.simplification_error") > 0.0:
        yield f"torque table simplified with an error of up to {vehicle.get('engine.simplification_error'):.1f} N*m"
