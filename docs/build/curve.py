"""What a curve of the documentation is: a function that asks the program's own kernels, and what to write on it.

    @curve("driving_sandbox.physics.drivetrain.engine", "Net torque of the roadster's engine ...")
    def engine_torque():
        return Figure("engine speed [rpm]", "torque [N m]", [Line("full throttle", x, y)])

The name of the function is that of the picture. Nothing is computed until the function is called.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from driving_sandbox.physics.tick.binding import argument_names
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

RPM = 30.0 / math.pi  # of rad/s
DEGREES = 180.0 / math.pi
KMH = 3.6  # of m/s
MM = 1e3  # of m
KN = 1e-3  # of N
POINTS = 241
EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
STEP = 1e-3  # s
CURVES = {}


@dataclass(frozen=True)
class Line:
    """One line of a figure; `faint` for what the others are compared with."""

    label: str
    x: np.ndarray
    y: np.ndarray
    faint: bool = False


@dataclass(frozen=True)
class Figure:
    """Lines over one pair of axes, labels with their units."""

    x_label: str
    y_label: str
    lines: list


@dataclass(frozen=True)
class Curve:
    """A picture of the documentation: the module it explains, the words below it, the function that computes it."""

    name: str
    module: str
    caption: str
    figure: Callable


def curve(module, caption):
    """Enter a function that returns a Figure."""

    def enter(function):
        CURVES[function.__name__] = Curve(function.__name__, module, caption, function)
        return function

    return enter


@cache
def vehicle(name):
    """A vehicle, only to be read from; the examples of this folder may run."""
    return load_vehicle(name, trust=lambda path: path.parent == EXAMPLES)


def parameters(name, slot, wheel=None):
    """The parameter record of a shipped vehicle's component, as its kernels get it."""
    record = vehicle(name).params[slot][0]
    return record if wheel is None else record[wheel]


def call(car, slot, phase, state, **given):
    """Run one kernel of a vehicle's component for its first wheel; `given` replaces records of the vehicle's own."""
    kernel = car.sequence.by_slot[slot].phases[phase]
    own = car.params[slot][0] if slot in car.params.dtype.names else None
    records = {
        "params": own, "state": state, "wheel_count": 1, "dt": STEP, "context": car.context[0],
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


def line(label, x, function, in_x=1.0, in_y=1.0, faint=False):
    """The line of `function` over x; in_x and in_y turn SI into what the axes show."""
    y = np.array([function(float(value)) for value in x])
    return Line(label, np.asarray(x) * in_x, y * in_y, faint)


def span(low, high, points=POINTS):
    return np.linspace(low, high, points)
