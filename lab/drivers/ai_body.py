"""Parameter values that a vehicle's `ai` factors give while the AI drives (RC-AI-06..08).

    grip_factor   scales all tire forces at equal slip and load
    cg_factor     moves the application points of tire forces towards the height of the centre of mass
    rc_factor     moves roll centres towards that height where the suspension has them, else the same points

A force at the height of the centre of mass causes no roll. Where both factors move the same points, each applies to the
lever arm that the other leaves. Longitudinal forces move too, so that the car also pitches less. A planar vehicle has
no heights, and only its grip is scaled.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

# Tire parameters to which the forces are proportional; they are scaled where the tires have no `grip_factor`.
STIFFNESSES = (
    "lateral_stiffness", "longitudinal_stiffness", "stiffness", "side_friction", "longitudinal_grip", "lateral_grip",
    "slip_stiffness_factor", "cornering_stiffness_factor",
)  # fmt: skip
CURVE = "friction_versus_slip"  # its y values are scaled


def ai_values(vehicle: "Vehicle", settings: Mapping[str, Any]) -> dict[str, Any]:
    """{path: value} of the parameters that differ while the AI drives, by the vehicle's `ai` section."""
    values = {}
    if settings["grip_factor"] != 1.0:
        values.update(_scaled_grip(vehicle, settings["grip_factor"]))
    if settings["cg_factor"] > 0.0 or settings["rc_factor"] > 0.0:
        values.update(_raised_force_points(vehicle, settings["cg_factor"], settings["rc_factor"]))
    return values


def _scaled_grip(vehicle: "Vehicle", factor: float) -> dict[str, Any]:
    """{path: value} of tire parameters with the forces scaled by `factor`."""
    values = {}
    for p in vehicle.parameters():
        if p.field.derived or p.slot not in ("tire", "differential"):
            continue
        value, name = vehicle.get(p.path), p.field.name
        if p.slot == "differential":
            if name == "friction":  # a planar vehicle's largest traction
                values[p.path] = value * factor
        elif name == "grip_factor" or (name in STIFFNESSES and not _has_factor(vehicle)):
            values[p.path] = value * factor
        elif name == CURVE:
            values[p.path] = [[slip, friction * factor] for slip, friction in value] or [[0.0, factor]]
    return values


def _has_factor(vehicle: "Vehicle") -> bool:
    """Whether the tires have a `grip_factor`."""
    return "grip_factor" in vehicle.sequence.by_slot["tire"].params.fields


def _raised_force_points(vehicle: "Vehicle", cg: float, rc: float) -> dict[str, Any]:
    """{path: value} of force points and roll centres moved by cg_factor and rc_factor."""
    if "compliance" not in vehicle.sequence.by_slot:
        return {}
    links = "roll_centre_height" in vehicle.sequence.by_slot["suspension"].params.fields
    share = cg if links else 1.0 - (1.0 - cg) * (1.0 - rc)
    height = float(vehicle.params["body"]["centre_of_mass"][0, 2])
    values = {}
    for name in vehicle.wheel_names:
        attachment_z = vehicle.get(f"suspension.{name}.attachment")[2]
        path = f"compliance.{name}.tire_force_point"
        points = vehicle.get(path) or [[0.0, [0.0, 0.0, 0.0]]]
        if share > 0.0:
            values[path] = [[x, [*v[:2], v[2] + share * (height - attachment_z - v[2])]] for x, v in points]
        if links and rc > 0.0:
            path = f"suspension.{name}.roll_centre_height"
            values[path] = vehicle.get(path) + rc * (height - vehicle.get(path))
    return values
