"""One plot per concept: every component that may fill a slot as a line of its own, on docs/variants.md.

    @concept("Engine braking", "Torque without throttle ...", engine=("torque_curve", "stalling"))
    def variants_engine_braking():
        return Figure(...)

names the components that the figure shows. Each begins a line's label; lines that coincide share one: `one, other`.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

from driving_sandbox.docs.build.curve import Line, curve, vehicle
from driving_sandbox.physics.vehicle.swap import plan_swap, swapped_vehicle

PAGE = "docs.variants"  # in place of the module whose section shows a curve
CONCEPTS = {}
SAME = 1e-9  # of the largest value: lines that differ by less are one


@dataclass(frozen=True)
class Concept:
    """A section of the page: its picture, {slot: names of the components that are in it}, the module it comes from."""

    title: str
    picture: str
    shows: dict
    module: str = ""


def concept(title, caption, **shows):
    """Enter a function that returns a Figure as the plot of a concept."""

    def enter(function):
        CONCEPTS[function.__name__] = Concept(title, function.__name__, shows, function.__module__)
        return curve(PAGE, caption)(function)

    return enter


@cache
def filled(name, slot, choice, **values):
    """A shipped vehicle with another component in a slot, only to be read from; paths of `values` have __ for dots."""
    car = swapped_vehicle(vehicle(name), plan_swap(vehicle(name), slot, choice))
    car.set_many({path.replace("__", "."): value for path, value in values.items()})
    return car


def joined(lines):
    """Lines that coincide as one, labels in a row."""
    found = []
    for one in lines:
        for k, other in enumerate(found):
            if one.faint == other.faint and coincide(one, other):
                found[k] = Line(f"{other.label}, {one.label}", other.x, other.y, other.faint)
                break
        else:
            found.append(one)
    return found


def coincide(one, other):
    """Whether two lines lie on each other."""
    if len(one.x) != len(other.x) or not np.array_equal(one.x, other.x):
        return False
    largest = float(np.nanmax(np.abs(other.y))) if other.y.size else 0.0
    return np.allclose(one.y, other.y, rtol=0.0, atol=SAME * largest, equal_nan=True)
