"""One plot per concept for docs/variants.md: each component that may fill a slot has its own line.

    @concept("Engine braking", "Torque without throttle ...", engine=("torque_curve", "stalling"))
    def variants_engine_braking():
        return Figure(...)

registers the plot and names the components that it shows. Each component's name begins the label of a line; lines
that coincide are one line with both labels: `one, other`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from driving_sandbox.docs.build.curve import Figure, Line, curve, vehicle
from driving_sandbox.physics.vehicle.swap import plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle import Vehicle

PAGE = "docs.variants"  # passed to `curve` in place of a module: the plots are on the page of variants
TOLERANCE = 1e-9  # fraction of the largest value; lines that differ by less are drawn as one


@dataclass(frozen=True)
class Concept:
    """A section of the page.

    Attributes:
        picture: name of its plot.
        shows: {slot: names of the components in the plot}.
        module: name of the module that defines the concept.
    """

    title: str
    picture: str
    shows: dict
    module: str = ""


CONCEPTS: dict[str, Concept] = {}  # {name of the plot: Concept}


def concept(
    title: str, caption: str, **shows: tuple[str, ...]
) -> Callable[[Callable[[], Figure]], Callable[[], Figure]]:
    """Decorator that registers a function returning a Figure as the plot of a concept; shows: {slot: names}."""

    def register(function: Callable[[], Figure]) -> Callable[[], Figure]:
        CONCEPTS[function.__name__] = Concept(title, function.__name__, shows, function.__module__)
        return curve(PAGE, caption)(function)

    return register


@cache
def with_component(name: str, slot: str, choice: str, **values: Any) -> Vehicle:
    """A shipped vehicle with another component in a slot, and some parameters set.

    Args:
        values: {path of a parameter, with __ for dots: value}.

    Every caller gets the same object: do not change it.
    """
    car = swapped_vehicle(vehicle(name), plan_swap(vehicle(name), slot, choice))
    car.set_many({path.replace("__", "."): value for path, value in values.items()})
    return car


def joined(lines: Sequence[Line]) -> list[Line]:
    """Lines without duplicates: one line for all that coincide, with their labels joined by commas."""
    groups: list[Line] = []
    for candidate in lines:
        for k, present in enumerate(groups):
            if candidate.faint == present.faint and coincide(candidate, present):
                groups[k] = Line(f"{present.label}, {candidate.label}", present.x, present.y, present.faint)
                break
        else:
            groups.append(candidate)
    return groups


def coincide(candidate: Line, present: Line) -> bool:
    """Whether two lines have the same x and, within TOLERANCE, the same y."""
    if len(candidate.x) != len(present.x) or not np.array_equal(candidate.x, present.x):
        return False
    largest = float(np.nanmax(np.abs(present.y))) if present.y.size else 0.0
    return np.allclose(candidate.y, present.y, rtol=0.0, atol=TOLERANCE * largest, equal_nan=True)
