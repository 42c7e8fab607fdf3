"""A curve of the documentation: a function that computes it with the program's kernels, its module and its caption.

    @curve("driving_sandbox.physics.drivetrain.engine", "Net torque of the roadster's engine ...")
    def engine_torque():
        return Figure("engine speed [rpm]", "torque [N m]", [Line("full throttle", x, y)])

The picture has the name of the function. Nothing is computed until the function is called.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from driving_sandbox.physics.base.record import field_names
from driving_sandbox.physics.tick.binding import argument_names
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.vehicle.vehicle import Vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

RPM_PER_RAD_S = 30.0 / math.pi  # 1/min per rad/s
DEGREES = 180.0 / math.pi  # degrees per rad
KMH = 3.6  # km/h per m/s
MM = 1e3  # mm per m
KN = 1e-3  # kN per N
POINTS = 241  # number of points of a curve
EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
STEP = 1e-3  # s, time step of `call`


@dataclass(frozen=True)
class Line:
    """One line of a figure; a `faint` one is drawn for comparison."""

    label: str
    x: np.ndarray
    y: np.ndarray
    faint: bool = False


@dataclass(frozen=True)
class Figure:
    """Lines in one pair of axes, whose labels include the unit."""

    x_label: str
    y_label: str
    lines: list


@dataclass(frozen=True)
class Curve:
    """A picture of the documentation.

    Attributes:
        module: name of the module that it explains.
        caption: text below it.
        figure: function that computes its Figure.
    """

    name: str
    module: str
    caption: str
    figure: Callable


CURVES: dict[str, Curve] = {}  # {name: Curve}


def curve(module: str, caption: str) -> Callable[[Callable[[], Figure]], Callable[[], Figure]]:
    """Decorator that registers a function returning a Figure as a picture of a module's section."""

    def register(function: Callable[[], Figure]) -> Callable[[], Figure]:
        CURVES[function.__name__] = Curve(function.__name__, module, caption, function)
        return function

    return register


@cache
def vehicle(name: str | Path) -> Vehicle:
    """The vehicle of that name or file; all callers share it, so do not change it. Code of docs/examples may run."""
    return load_vehicle(name, trust=lambda path: path.parent == EXAMPLES)


def parameters(name: str | Path, slot: str, wheel: int | None = None) -> Any:
    """The parameter record of a vehicle's component, as its kernels get it; of a wheel, if its index is given."""
    record = vehicle(name).params[slot][0]
    return record if wheel is None else record[wheel]


def call(car: Vehicle, slot: str, phase: str, state: Any, **given: Any) -> None:
    """Run one kernel of a vehicle's component, by default for the first wheel alone.

    `given` replaces arguments of the kernel, by default the vehicle's own records, a wheel count of 1 and STEP.
    """
    kernel = car.sequence.by_slot[slot].phases[phase]
    slot_params = car.params[slot][0] if slot in field_names(car.params.dtype) else None
    records = {
        "params": slot_params, "state": state, "wheel_count": 1, "dt": STEP, "context": car.context[0],
        "external": np.zeros(1, EXTERNAL)[0], **given,
    }  # fmt: skip
    for name in argument_names(kernel):
        if name == "scratch":
            records[name] = car.scratch[slot][0]
        elif name.endswith("_params"):
            records.setdefault(name, car.params[name.removesuffix("_params")][0])
        elif name not in records:
            records[name] = car.state[name][0]
    kernel(*(records[name] for name in argument_names(kernel)))


def line(
    label: str, x: np.ndarray, function: Callable[..., Any], in_x: float = 1.0, in_y: float = 1.0, faint: bool = False
) -> Line:
    """The Line of function(x); in_x and in_y convert from SI to the units of the axes."""
    y = np.array([function(float(value)) for value in x])
    return Line(label, np.asarray(x) * in_x, y * in_y, faint)


def span(low: float, high: float, points: int = POINTS) -> np.ndarray:
    """Evenly spaced values from low to high."""
    return np.linspace(low, high, points)
