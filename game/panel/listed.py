"""Names of the elements of lists, and scales of curves, for the panel.

Anti-roll bars are named after their axle or their two wheels; numbers of lists by gear, such as the ratios, after their
gear. A torque curve, stored as shares of the engine's peak_torque and max_omega, is displayed in N m and rpm.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from driving_sandbox.game.panel.values import VehicleValues
from driving_sandbox.game.toolkit.gears import gear_name
from driving_sandbox.game.toolkit.units import RPM_PER_RAD_S, shown_unit
from driving_sandbox.physics.schema.schema import Field, Floats

_BY_GEAR = {"gearbox": ("ratios", "inertias"), "autobox": ("up_ratios", "down_ratios")}  # {slot: lists by gear}
_NEUTRAL, _BARS = "gearbox.neutral_gear", ("antiroll.wheel_a", "antiroll.wheel_b")  # paths


def element_names(values: VehicleValues, slot: str, name: str, count: int) -> list[str] | None:
    """A name for each of the `count` elements of a list, or None if the elements have only an index.

    Args:
        values: VehicleValues.
        slot: slot of the list.
        name: field name of the list.
        count: number of elements.
    """
    if name in _BY_GEAR.get(slot, ()) and _NEUTRAL in values.declared:
        neutral = values.get(_NEUTRAL)
        return [gear_name(k, neutral) for k in range(count)]
    if slot == "antiroll" and all(path in values.declared for path in _BARS):
        pairs = list(zip(*map(values.get, _BARS), strict=False))
        if len(pairs) >= count:
            return [_bar(values.vehicle, {int(a), int(b)}) for a, b in pairs[:count]]
    return None


def _bar(vehicle: Any, wheels: set[int]) -> str:
    """The name of the axle whose wheels a bar joins, else the joined names of the wheels."""
    for axle, axle_wheels in vehicle.axles.items():
        if wheels <= set(axle_wheels):
            return str(axle)
    names = vehicle.wheel_names
    return "-".join(names[k].upper() if k < len(names) else str(k) for k in sorted(wheels))


@dataclass(frozen=True)
class CurveScale:
    """How a curve is displayed: the factors `x` and `y` on its values, and the labels and units of the axes."""

    x: float
    x_label: str
    x_unit: str
    y: float
    y_label: str
    y_unit: str


def curve_scale(values: VehicleValues, slot: str, declared: Field) -> CurveScale:
    """The CurveScale of a curve or a response table; a torque curve is scaled by the engine's parameters.

    Args:
        values: VehicleValues.
        slot: slot of the curve.
        declared: schema.Field of the curve.
    """
    kind = declared.kind
    speed, torque = f"{slot}.max_omega", f"{slot}.peak_torque"
    if declared.name == "torque_curve" and {speed, torque} <= set(values.declared):
        factor, unit = shown_unit("N*m")
        scale = CurveScale(
            values.get(speed) * RPM_PER_RAD_S, "engine speed", "rpm", values.get(torque) * factor, "torque", unit
        )
        if scale.x > 0.0 and scale.y > 0.0:  # else displayed numbers could not be converted back
            return scale
    # The x axis of a response table, which declares no unit, is speed.
    x_unit, x_label = getattr(kind, "x_unit", "m/s"), getattr(kind, "x_label", "speed")
    if declared.unit == "N*m" and x_unit == "rad/s":
        return CurveScale(RPM_PER_RAD_S, x_label, "rpm", *_y_scale("torque", declared.unit))
    factor, text = shown_unit(x_unit)
    return CurveScale(factor, x_label, text, *_y_scale("value", declared.unit))


def _y_scale(label: str, unit: str) -> tuple[float, str, str]:
    """(factor, label, unit) of a y axis."""
    factor, text = shown_unit(unit)
    return factor, label, text


def is_list(declared: Field) -> bool:
    """Whether a field is a list of numbers that can be edited."""
    return isinstance(declared.kind, Floats) and not declared.derived
