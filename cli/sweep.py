"""`main.py sweep`: the effect of a parameter on a manoeuvre, as a table, CSV or JSON. No window."""

import csv
import json
import sys
from dataclasses import asdict
from pathlib import Path

from cli.names import named_vehicle
from cli.program import FAILED, FINE
from lab.maneuvers import MANEUVERS
from lab.measures import MEASURES
from lab.sweep import SECONDS, Request, Sweep, points_of
from physics.compile import compile_vehicle, is_warm
from physics.schema import SchemaError
from physics.vehicle_file import load_vehicle, vehicle_text
from physics.world_file import load_world
from physics.yaml_file import ConfigError, nearest_key

SHOWN = 4  # measures in the table besides the one the manoeuvre is about


def sweep(options):
    """Drive, with progress on the terminal; FAILED when no value could be driven."""
    if options.out and (Path(options.out).suffix != ".csv" or not Path(options.out).resolve().parent.is_dir()):
        raise ConfigError(options.out, None, "--out", "must be a .csv file in a folder that exists")
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
    trusted = [str(Path(path).resolve()) for path in options.trust]
    name = named_vehicle(options.vehicle)
    vehicle = load_vehicle(name, options.setup, trust=lambda path: str(Path(path).resolve()) in trusted)
    if options.maneuver not in MANEUVERS:
        known = ", ".join(MANEUVERS)
        text = f"no maneuver {options.maneuver!r}{nearest_key(options.maneuver, MANEUVERS)}; known: {known}"
        raise ConfigError("main.py sweep", None, "--maneuver", text)
    try:
        points = points_of(vehicle, options.parameter, options.low, options.high, options.count)
    except KeyError as error:
        raise ConfigError("main.py sweep", None, "--parameter", error.args[0]) from None
    except SchemaError as error:
        raise ConfigError("main.py sweep", None, "--parameter", str(error)) from None
    place = load_world(options.world)
    if options.maneuver == "lap" and not len(place.driving_line):
        raise ConfigError("main.py sweep", None, "--maneuver", f"lap: world {options.world} has no driving line")
    if not is_warm(vehicle):
        print("Compiling the physics for this computer; this happens once.", file=sys.stderr)
        compile_vehicle(vehicle, place)
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
    lines.append("  " + "".join(f"{title:>22}" for title in ("value", *(f"{n} {MEASURES[n].unit}" for n in names))))
    for point in points:
        if point.error:
            lines.append(f"  {point.value:>22.6g}  {point.error}")
            continue
        numbers = [point.figures[name] for name in names]
        lines.append(f"  {point.value:>22.6g}" + "".join(f"{'-' if n is None else f'{n:.4g}':>22}" for n in numbers))
    return "\n".join(lines)


def _varies(points, name):
    """Whether a measure has a number, and not always the same."""
    return len({point.figures[name] for point in points if point.figures.get(name) is not None}) > 1
