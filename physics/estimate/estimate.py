"""One estimated parameter."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Estimate:
    """A value for a parameter that a file leaves out.

    Attributes:
        name: of the parameter. value: in its unit; for a component per wheel a list with a value for each wheel.
        reason: what it was computed from, for people.
    """

    name: str
    value: Any
    reason: str


def estimate_lines(vehicle) -> list[str]:
    """What was estimated of a vehicle as it was read, a sentence for each parameter, for people."""
    found = {}  # (slot, parameter, reason): wheels
    for path, reason in vehicle.info.get("estimated", {}).items():
        slot, *wheel, name = path.split(".")
        found.setdefault((slot, name, reason), []).extend(wheel)
    lines = []
    for (slot, name, reason), wheels in found.items():
        path = f"{slot}.{wheels[0]}.{name}" if wheels else f"{slot}.{name}"
        value = vehicle.get(path)
        shown = f" as {[round(v) for v in value]}" if all(isinstance(v, float) for v in value) else ""
        at = f" of {', '.join(wheels)}" if wheels else ""
        lines.append(f"{slot}.{name}{at} is not given: estimated{shown} from {reason}")
    return lines
