"""Parameter sweep: the same manoeuvre, repeated with different values of a parameter.

    python -m driving_sandbox.lab.sweep

reads a request as JSON from standard input and writes a line for every value as soon as it is finished. `SweepWorker`
runs this in a process, so that a window stays responsive; `Sweep` runs it within the calling process.

Each value drives a new vehicle from rest at a spawn point, so that the results do not depend on the order of the
values. Drives that spin, roll over or hit something (lab/outcome.py) are marked, and never count as the best.
"""

import json
import math
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.lab.drive import drive, driver_factory
from driving_sandbox.lab.maneuvers import MANEUVERS
from driving_sandbox.lab.measures import MEASURES
from driving_sandbox.lab.outcome import Event
from driving_sandbox.physics.base.worker import Worker
from driving_sandbox.physics.schema.schema import Float, Floats, Int, Quat, SchemaError, Vec3, WheelRefs
from driving_sandbox.physics.vehicle.trust import Allowed
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle_text
from driving_sandbox.physics.world.world_file import load_world

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

POINTS = 13  # default number of values
SPREAD = 0.5  # a parameter without a range is varied by this share of its value to both sides
MAX_FACTOR = 3.0  # a range spans from 1 / this to this times the value; beyond, it is another type of vehicle
_INDEXED = re.compile(r"(.+)\[(\d+)\]")


@dataclass
class Request:
    """A sweep to run.

    Attributes:
        vehicle: complete YAML text of the vehicle.
        path: the file it came from.
        world: name or path.
        maneuver: a key of MANEUVERS.
        seconds: simulated time, s.
        points: [(value, {parameter path: value to set}), ...].
        spawn: name of a spawn point, None for the first.
        trust: component files that may run: paths, or the form that `trust.pinned` writes.
    """

    vehicle: str
    path: str
    world: str
    maneuver: str
    seconds: float
    points: list
    spawn: str | None = None
    trust: list = field(default_factory=list)


@dataclass
class Point:
    """Result of the drive with one value.

    Attributes:
        value: of the parameter.
        figures: {measure: number, or None where undefined}.
        error: why there are no figures, or None.
        events: {kind of lab/outcome.py: time in s}, without those that the manoeuvre intends.
    """

    value: float
    figures: dict = field(default_factory=dict)
    error: str | None = None
    events: dict = field(default_factory=dict)

    @property
    def valid(self) -> bool:
        """True if the vehicle stayed under control, so that the figures are valid."""
        return not self.error and not self.events

    @property
    def problem(self) -> str:
        """Description of what invalidates the figures; "" for nothing."""
        return self.error or ", ".join(str(Event(kind, time)) for kind, time in self.events.items())


def parameter_value(vehicle: "Vehicle", name: str) -> tuple[str, int | None, float]:
    """(path, index or None, value) of a parameter, or of one number of a list as in body.centre_of_mass[1].

    Raises KeyError for an unknown path, and SchemaError for a derived parameter or one that is not a single number.
    """
    match = _INDEXED.fullmatch(name)
    path, index = (match[1], int(match[2])) if match else (name, None)
    parameter, value = vehicle.parameter(path), vehicle.get(path)
    if parameter.field.derived:
        raise SchemaError(f"{path}: is computed from other parameters and cannot be set")
    if isinstance(parameter.field.kind, Float | Int) and index is None:
        return path, None, float(value)
    if isinstance(parameter.field.kind, Vec3 | Floats | Quat) and index is not None and index < len(value):
        return path, index, float(value[index])
    listed = isinstance(parameter.field.kind, Vec3 | Floats | Quat)
    hint = f"; choose one of its elements: {path}[0] to [{len(value) - 1}]" if listed else ""
    raise SchemaError(f"{name}: is not a single number{hint}")


def sweepable(declared: Any) -> bool:
    """Whether a field's values are numbers that can be varied."""
    varied = isinstance(declared.kind, Float | Int | Vec3 | Floats) and not isinstance(declared.kind, WheelRefs)
    return varied and not declared.derived


def range_of(declared: Any, value: float) -> tuple[float, float]:
    """(low, high) to sweep; it includes the present value and lies within the declared hard limits.

    The usual range or, without one, the hard limits; where one of these is missing, the present value with SPREAD of it
    to both sides (1 where it is 0). For a positive value, `high` is at most MAX_FACTOR times it, and a positive `low`
    is at least the value divided by MAX_FACTOR.
    """
    low, high = declared.suggest or (declared.ge, declared.le)
    if low is None or high is None:
        reach = SPREAD * abs(value) or 1.0
        low, high = value - reach, value + reach
    if value > 0.0:
        low, high = max(low, value / MAX_FACTOR) if low > 0.0 else low, min(high, value * MAX_FACTOR)
    low, high = min(low, value), max(high, value)
    # At a limit that is itself excluded (gt, lt), the range ends a thousandth of its length before it.
    for limit, inward in ((declared.ge, 0.0), (declared.gt, 1e-3 * (high - low))):
        low = low if limit is None else max(low, limit + inward)
    for limit, inward in ((declared.le, 0.0), (declared.lt, 1e-3 * (high - low))):
        high = high if limit is None else min(high, limit - inward)
    return low, high


def points_of(
    vehicle: "Vehicle",
    names: Sequence[str],
    low: float | None = None,
    high: float | None = None,
    count: int = POINTS,
    mirrored: Sequence[str] = (),
) -> list[tuple[float, dict[str, Any]]]:
    """[(value, {path: value})] of parameters that all get the same value, evenly spaced from low to high.

    Values of integers are rounded, so that there may be fewer. Raises SchemaError unless low is below high.

    Args:
        names: of the parameters, as for `parameter_value`.
        low, high: None for `range_of` the first one.
        mirrored: paths that get the value mirrored to the other side of the vehicle.
    """
    targets = [parameter_value(vehicle, name) for name in names]
    declared = vehicle.parameter(targets[0][0]).field
    usual = range_of(declared, targets[0][2])
    low, high = usual[0] if low is None else low, usual[1] if high is None else high
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise SchemaError(f"{names[0]}: low must be below high; given {low:g} to {high:g}")
    values = np.linspace(low, high, max(2, count))
    if isinstance(declared.kind, Int):
        values = np.unique(np.round(values))
    points = []
    for value in values.tolist():
        settings: dict[str, Any] = {}
        for path, index, _ in targets:
            setting: Any = int(value) if isinstance(declared.kind, Int) else value
            if index is not None:
                setting = [
                    value if k == index else other for k, other in enumerate(settings.get(path, vehicle.get(path)))
                ]
            settings[path] = vehicle.parameter(path).field.mirrored(setting) if path in mirrored else setting
        points.append((value, settings))
    return points


def best_point(points: Iterable[Point], measure: str) -> Point | None:
    """The valid Point with the best value of a measure, the first of equals; None where there is none."""
    better = MEASURES[measure].best
    valid = [point for point in points if point.valid and point.figures.get(measure) is not None]
    return better(valid, key=lambda point: point.figures[measure]) if better and valid else None


class Sweep:
    """A sweep in the calling process; iterating over it drives a Request and yields a Point at a time."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.world_file = load_world(request.world)

    def __iter__(self) -> Iterator[Point]:
        for value, settings in self.request.points:
            yield self.point(value, settings)

    def point(self, value: float, settings: dict[str, Any]) -> Point:
        """The Point of a value, driven with the settings {parameter path: value to set}."""
        request = self.request
        vehicle = load_vehicle_text(request.vehicle, request.path, trust=Allowed(request.trust))
        try:
            vehicle.set_many(settings)
        except SchemaError as error:
            return Point(value, error=str(error))
        ticks = max(1, round(request.seconds * self.world_file.tick_rate))
        result = drive(
            vehicle, self.world_file, ticks, driver_factory(request.maneuver), lambda world: world.spawn(request.spawn)
        )
        if result.fault is not None:
            return Point(value, error=result.fault.text)
        if not len(result.rows):
            return Point(value, error=f"{request.seconds:g} s is too short to measure anything")
        figures = {name: number if math.isfinite(number) else None
                   for name, number in result.measures(request.maneuver).items()}  # fmt: skip
        wanted = MANEUVERS[request.maneuver].wanted
        events = {event.kind: event.time for event in result.events if event.kind not in wanted}
        return Point(value, figures, events=events)


class SweepWorker(Worker):
    """A sweep in a separate process; finished points remain when it is cancelled.

    Attributes:
        request: its Request.
        points: list of Point so far.
    """

    def __init__(self, request: Request) -> None:
        self.request = request
        self.points: list[Point] = []
        super().__init__("driving_sandbox.lab.sweep", request=asdict(request))

    def _take(self, line: str) -> None:
        self.points.append(Point(**json.loads(line)))

    @property
    def progress(self) -> float:
        """Finished share of the values, 0..1."""
        return len(self.points) / max(1, len(self.request.points))


def main() -> None:
    """Entry point of the worker process: a Request on standard input, Points on standard output."""
    request = Request(**json.loads(sys.stdin.readline()))
    for point in Sweep(request):
        print(json.dumps(asdict(point)), flush=True)


if __name__ == "__main__":
    main()
