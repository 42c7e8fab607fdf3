"""`main.py sweep`: the effect of a parameter on a manoeuvre, as a table, CSV or JSON. No window."""

import csv
import json
import sys
from dataclasses import asdict
from pathlib import Path

from cli.headless import compile_when_cold, named_maneuver, trusted_vehicle
from cli.outputs import check_output
from cli.program import FAILED, FINE
from lab.measures import MEASURES
from lab.sweep import SECONDS, Request, Sweep, points_of
from physics.schema import SchemaError
from physics.vehicle_file import vehicle_text
from physics.world_file import load_world
from physics.yaml_file import ConfigError

SHOWN = 4  # measures in the table besides the one the manoeuvre is about


def sweep(options):
    """Drive, with progress on the terminal; FAILED when no value could be driven."""
    check_output(options.out, "--out", (".csv",))
    request = _request(options)
    points = []
    for point in Sweep(request):
        points.append(point)
        if not options.json and sys.stderr.isatty():
            print(f"\r{len(points)} of {len(request.points)}", end="", file=sys.stderr, flush=True)
    if not options.json and sys.stderr.isatty():
        print("\r", end="", file=sys.stderr)
    if options.out:
        _write(options.out, options.parameter[0], points)
    if options.json:
        print(json.dumps({"parameter": options.parameter, "maneuver": request.maneuver, "seconds": request.seconds,
                          "units": {name: measure.unit for name, measure in MEASURES.items()},
                          "points": [asdict(point) for point in points]}, indent=2))  # fmt: skip
    else:
        print(_table(options.parameter, request, points))
    return FAILED if all(point.error for point in points) else FINE


def _request(options):
    vehicle = trusted_vehicle(options.vehicle, options.setup, options.trust)
    named_maneuver("sweep", options.maneuver)
    try:
        points = points_of(vehicle, options.parameter, options.low, options.high, options.count)
    except KeyError as error:
        raise ConfigError("main.py sweep", None, "--parameter", error.args[0]) from None
    except SchemaError as error:
        raise ConfigError("main.py sweep", None, "--parameter", str(error)) from None
    place = load_world(options.world)
    if options.maneuver == "lap" and not len(place.driving_line):
        raise ConfigError("main.py sweep", None, "--maneuver", f"lap: world {options.world} has no driving line")
    compile_when_cold(vehicle, place)
    trusted = [str(Path(path).resolve()) for path in options.trust]
    path = vehicle.info.get("path", "vehicle.yaml")
    seconds = options.seconds or SECONDS[options.maneuver][0]
    return Request(vehicle_text(vehicle), str(path), options.world, options.maneuver, seconds, points, options.spawn,
                   trusted)  # fmt: skip


def _write(path, parameter, points):
    with Path(path).open("w", newline="", encoding="utf8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([parameter, *(f"{name} [{measure.unit}]" for name, measure in MEASURES.items()), "error"])
        for point in points:
            numbers = [point.figures.get(name) for name in MEASURES]
            cells = ["" if number is None else repr(number) for number in numbers]
            writer.writerow([repr(point.value), *cells, point.error or ""])


def _table(parameters, request, points):
    chief = SECONDS[request.maneuver][1]
    names = [chief, *(name for name in MEASURES if name != chief and _varies(points, name))][: SHOWN + 1]
    lines = [f"{', '.join(parameters)}: {request.maneuver}, {request.seconds:g} s each"]
    titles = [f"{f'{name} {MEASURES[name].unit}':>10}" for name in names]  # a number of :.4g takes ten places
    lines.append(f"  {'value':>12}" + "".join(f"  {title}" for title in titles))
    for point in points:
        value = f"  {point.value:>12.6g}"
        if point.error:
            lines.append(f"{value}  {point.error}")
            continue
        numbers = ["-" if point.figures[name] is None else f"{point.figures[name]:.4g}" for name in names]
        lines.append(value + "".join(f"  {n:>{len(title)}}" for n, title in zip(numbers, titles, strict=True)))
    return "\n".join(lines)


def _varies(points, name):
    """Whether a measure has a number, and not always the same."""
    return len({point.figures[name] for point in points if point.figures.get(name) is not None}) > 1
