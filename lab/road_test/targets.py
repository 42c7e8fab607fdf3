"""Published figures in a vehicle's file, to compare a road test with.

targets:
  zero_to_60_mph: 8.8          # in the unit that FIGURES gives for this figure
  top_speed: [187, 195]        # a range
"""

import math
from typing import TYPE_CHECKING, Any

from driving_sandbox.lab.road_test.figures import FIGURES
from driving_sandbox.physics.schema.yaml_file import key_hint

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle


def read_targets(vehicle: "Vehicle") -> dict[str, tuple[float, float]]:
    """Target ranges from a vehicle's file, {figure: (low, high)}; low == high for a single number; {} without targets.

    Raises:
        ConfigError: an unknown figure, or a value that is neither a number above 0 nor a range of two.
    """
    doc = vehicle.info.get("targets")
    if doc is None:
        return {}
    targets = {}
    for name, value in doc.items():
        if name not in FIGURES:
            raise doc.error(name, f"is not a figure of the road test{key_hint(name, FIGURES)}")
        ends = value if isinstance(value, list) else [value]
        if len(ends) not in (1, 2) or not all(_is_number(end) and end > 0.0 for end in ends):
            raise doc.error(name, f"{value!r} must be a number above 0 or a range [low, high], in {FIGURES[name].unit}")
        targets[name] = (float(min(ends)), float(max(ends)))
    return targets


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def deviation(value: float, target: tuple[float, float]) -> float:
    """Deviation of a figure from its target range, as a fraction of the nearer end: > 0 above it, 0 inside."""
    low, high = target
    if low <= value <= high:
        return 0.0
    end = low if value < low else high
    return (value - end) / end
