"""What a vehicle file leaves out about its Magic Formula 6.2 tires, and what takes its place.

The parameters keep their defaults, from which `size_of` and `rated_load_of` (mf62_set.py) compute size and load index
anew whenever the wheel or the load changes; the estimates only name the results.
"""

from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from driving_sandbox.physics.estimate import Estimate
from driving_sandbox.physics.tire.mf62_set import CLASS_NAMES, USUAL_LOAD_SHARE, is_complete, size_of


def estimate(params: Any, wheel_params: Any, wheel_count: int, given: AbstractSet[Any]) -> list[Estimate]:
    """List of Estimate for class, size and load index that are missing in the vehicle file.

    None of them matters to a tire with a complete set of coefficients.

    Args:
        params: MF62Params of all wheels.
        wheel_params: WheelParams of all wheels.
        given: set of (wheel index, name) of the parameters in the file.
    """
    values: dict[tuple[str, str, str], list[Any]] = {}  # {(parameter, reason, shown): value of each wheel, or None}
    for i in range(wheel_count):
        if is_complete(params[i]):
            continue
        missing = _missing(params[i], wheel_params[i])
        if (i, "tire_class") not in given:
            shown = CLASS_NAMES[int(params[i]["tire_class"])]
            missing["tire_class"] = ("the usual class of passenger cars", shown)
        for name, (reason, shown) in missing.items():
            value = shown if name == "tire_class" else 0.0
            values.setdefault((name, reason, shown), [None] * wheel_count)[i] = value
    return [Estimate(name, of_wheels, reason, shown) for (name, reason, shown), of_wheels in values.items()]


def _missing(p: np.void, wheel: np.void) -> dict[str, tuple[str, str]]:
    """{parameter: (what its value follows from, the value as text)} of size and load index, as far as they are 0.

    p: MF62Params of a tire. wheel: its WheelParams.
    """
    size, missing = size_of(p, wheel), {}
    if not p["section_width"]:
        missing["section_width"] = ("the wheel's width", f"{size.section_width:.3g} m")
    if not p["rim_radius"]:
        reason = f"the wheel's radius, with a section of {size.aspect_ratio:.3g} of the width"
        missing["rim_radius"] = (reason, f"{size.rim_radius:.3g} m")
    if not p["load_index"]:
        missing["load_index"] = (f"the load at rest, {USUAL_LOAD_SHARE:.0%} of the rated load", "")
    return missing
