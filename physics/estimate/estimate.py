"""One estimated parameter."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Estimate:
    """An estimated value of a parameter missing in a file.

    Attributes:
        name: name of the parameter.
        value: estimated value in the parameter's unit; for a parameter per wheel a list with a value for each wheel,
            None for wheels without an estimate.
        reason: what it was computed from, in words.
        shown: the value as text, with unit and order of axes; "" if that would be too long.
    """

    name: str
    value: Any
    reason: str
    shown: str = ""


def estimate_lines(vehicle: Any) -> list[str]:
    """A sentence for each parameter that was estimated when a vehicle was read or a component swapped."""
    return sentences(vehicle.info.get("estimated", {}))


def sentences(estimated: Mapping[str, Estimate]) -> list[str]:
    """A sentence for each estimated parameter. estimated: {parameter path: Estimate}."""
    wheels_of: dict[Any, list[str]] = {}  # {(slot, parameter, reason, shown): names of wheels}
    for path, estimate in estimated.items():
        slot, *wheel, name = path.split(".")
        wheels_of.setdefault((slot, name, estimate.reason, estimate.shown), []).extend(wheel)
    lines = []
    for (slot, name, reason, shown), wheels in wheels_of.items():
        wheel_names = f" of {', '.join(wheels)}" if wheels else ""
        lines.append(
            f"{slot}.{name}{wheel_names} is not given: estimated{f' as {shown}' if shown else ''} from {reason}"
        )
    return lines
