"""`sweep`: the effect of a parameter on the measures of a manoeuvre, as a table, CSV or JSON. No window."""

import csv
import json
import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from driving_sandbox.cli import PROGRAM
from driving_sandbox.cli.headless import compile_uncached, named_maneuver, vehicle_of_options
from driving_sandbox.cli.outputs import check_output
from driving_sandbox.cli.program import FAILED, FINE
from driving_sandbox.lab.maneuvers import MANEUVERS
from driving_sandbox.lab.measures import MEASURES
from driving_sandbox.lab.sweep import Point, Request, Sweep, best_point, points_of
from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.schema.yaml_file import ConfigError, key_hint
from driving_sandbox.physics.vehicle.trust import pinned
from driving_sandbox.physics.vehicle.vehicle_file import vehicle_text
from driving_sandbox.physics.world.world_file import load_world

FURTHER_MEASURES = 4  # number of measures in the table besides the main one, so that a row fits a terminal


def sweep(options: Namespace) -> int:
    """Drive every value and print the result; returns FAILED if no value could be driven.

    Progress goes to stderr if it is a terminal.
    """
    check_output(options.out, "--out", (".csv",))
    measures = _measures(options)
    request = _request(options)
    points = []
    for point in Sweep(request):
        points.append(point)
        if not options.json and sys.stderr.isatty():
            print(f"\r{len(points)} of {len(request.points)}", end="", file=sys.stderr, flush=True)
    if not options.json and sys.stderr.isatty():
        print("\r", end="", file=sys.stderr)
    if options.out:
        _write(options.out, options.parameter[0], measures, points)
    print(json.dumps(_figures(options.parameter, request, measures, points), indent=2) if options.json
          else _table(options.parameter, request, measures, points))  # fmt: skip
    return FAILED if all(point.error for point in points) else FINE


def _measures(options: Namespace) -> tuple[str, ...]:
    """Names of the measures of the manoeuvre, the requested one first."""
    names, wanted = named_maneuver("sweep", options.maneuver).measures, options.measure
    if wanted is None:
        return names
    if wanted not in names:
        known = wanted in MEASURES
        what = f"does not apply to {options.maneuver}" if known else f"is unknown{key_hint(wanted, names)}"
        text = f"{wanted} {what}; measures of {options.maneuver}: {', '.join(names)}"
        raise ConfigError(f"{PROGRAM} sweep", None, "--measure", text)
    return (wanted, *(name for name in names if name != wanted))


def _request(options: Namespace) -> Request:
    """The Request of the options. Raises ConfigError."""
    vehicle = vehicle_of_options(options.vehicle, options.setup, options.trust)
    try:
        points = points_of(vehicle, options.parameter, options.low, options.high, options.count)
    except UserError as error:
        raise ConfigError(f"{PROGRAM} sweep", None, "--parameter", str(error)) from None
    world_file = load_world(options.world)
    if options.maneuver == "lap" and not len(world_file.driving_line):
        raise ConfigError(f"{PROGRAM} sweep", None, "--maneuver", f"lap: world {options.world} has no driving line")
    compile_uncached(vehicle, world_file)
    trusted = [pinned(path) for path in options.trust]
    path = vehicle.info.get("path", "vehicle.yaml")
    seconds = options.seconds or MANEUVERS[options.maneuver].seconds
    return Request(vehicle_text(vehicle), str(path), options.world, options.maneuver, seconds, points, options.spawn,
                   trusted)  # fmt: skip


def _best(points: Sequence[Point], measures: Sequence[str]) -> dict[str, float]:
    """{measure: parameter value with the best result}; measures without one are left out."""
    best_points = {name: best_point(points, name) for name in measures}
    return {name: point.value for name, point in best_points.items() if point is not None}


def _figures(
    parameters: Sequence[str], request: Request, measures: Sequence[str], points: Sequence[Point]
) -> dict[str, Any]:
    """The result, plain for JSON."""
    return {
        "parameter": parameters, "maneuver": request.maneuver, "seconds": request.seconds,
        "units": {name: MEASURES[name].unit for name in measures}, "points": [asdict(point) for point in points],
        "best": _best(points, measures), "left_out": sum(not point.valid for point in points),
    }  # fmt: skip


def _write(path: Path | str, parameter: str, measures: Sequence[str], points: Sequence[Point]) -> None:
    """Write a row for each point: value, measures, outcome and error."""
    with Path(path).open("w", newline="", encoding="utf8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([parameter, *(f"{name} [{MEASURES[name].unit}]" for name in measures), "outcome", "error"])
        for point in points:
            numbers = [point.figures.get(name) for name in measures]
            cells = ["" if number is None else repr(number) for number in numbers]
            writer.writerow([repr(point.value), *cells, " ".join(point.events), point.error or ""])


def _table(parameters: Sequence[str], request: Request, measures: Sequence[str], points: Sequence[Point]) -> str:
    """The points as a table for the terminal."""
    main = measures[0]
    names = [main, *(name for name in measures[1:] if _varies(points, name))][: FURTHER_MEASURES + 1]
    lines = [f"{', '.join(parameters)}: {request.maneuver}, {request.seconds:g} s each"]
    titles = [f"{f'{name} {MEASURES[name].unit}':>10}" for name in names]  # a number of :.4g takes ten characters
    lines.append(f"  {'value':>12}" + "".join(f"  {title}" for title in titles))
    for point in points:
        value = f"  {point.value:>12.6g}"
        if point.error:
            lines.append(f"{value}  {point.error}")
            continue
        numbers = ["-" if point.figures[name] is None else f"{point.figures[name]:.4g}" for name in names]
        columns = "".join(f"  {n:>{len(title)}}" for n, title in zip(numbers, titles, strict=True))
        lines.append(f"{value}{columns}{f'  {point.problem}' if point.events else ''}")
    return "\n".join(lines + _conclusion(main, points))


def _conclusion(measure: str, points: Sequence[Point]) -> list[str]:
    """Lines below the table: the best value of a measure, and the number of values left out."""
    lines, best, invalid = [], best_point(points, measure), sum(not point.valid for point in points)
    if best is not None:
        unit = MEASURES[measure].unit
        lines.append(f"  best {measure}: {best.figures[measure]:.4g} {unit} at {best.value:.6g}")
    if invalid == len(points):
        lines.append("  no best value: every drive failed, see its row")
    elif invalid:
        lines.append(f"  left out of the best: {invalid} of {len(points)} that failed, see their rows")
    return lines


def _varies(points: Sequence[Point], name: str) -> bool:
    """Whether a measure differs between the points."""
    return len({point.figures[name] for point in points if point.figures.get(name) is not None}) > 1
