"""`main.py compare`: the same commands through two vehicles or setups, as figures, a table over time, or a picture."""

import csv
import json
import math
import tempfile
from argparse import Namespace
from pathlib import Path

import numpy as np

from cli.headless import compile_when_cold, named_maneuver, trusted_vehicle
from cli.names import find_recording
from cli.outputs import PICTURE_SUFFIXES, check_folder, check_output
from cli.program import FAILED, FINE
from lab.compare import compare as drive_both
from lab.drivers import CommandFile
from lab.sweep import SECONDS
from physics.command.commands import AUTOMATIC, COMMAND, FIRST
from physics.jit import ROOT
from physics.recording import Recording
from physics.trail import POSITION, SAMPLE_RATE
from physics.world_file import load_world
from physics.yaml_file import ConfigError

DEFAULT_WORLD = "plane"


def compare(options):
    """Drive both, tell the differences, and show them when asked to; FAILED when one ran away."""
    _check_outputs(options)
    first, second = _vehicles(options)
    place, seconds, commands, start = _drive_of(options, first)
    for vehicle in (first, second):
        compile_when_cold(vehicle, place)
    ticks = max(1, round(seconds * place.tick_rate))
    with tempfile.TemporaryDirectory(prefix="compare-") as folder:
        records = [Path(options.record or folder) / f"{letter}.drive" for letter in "AB"]
        wanted = options.record or options.watch
        one, other, found = drive_both(first, second, place, ticks, commands, start,
                                       records if wanted else (None, None))  # fmt: skip
        if options.out:
            _write(options.out, found, one, other)
        print(json.dumps(_figures(one, other, found, seconds), indent=2) if options.json
              else _text(one, other, found, seconds))  # fmt: skip
        if options.watch:
            _watch(options, records)
    return FAILED if one.fault or other.fault else FINE


def _check_outputs(options):
    check_output(options.out, "--out", (".csv",))
    check_output(options.screenshot, "--screenshot", PICTURE_SUFFIXES)
    if options.record:
        check_folder(options.record, "--record")
    if not options.watch and (options.offscreen or options.size or options.screenshot):
        raise ConfigError("main.py compare", None, "--offscreen, --size, --screenshot", "go with --watch")


def _vehicles(options):
    """The two that are compared."""
    names = options.vehicle

    def load(name, setup=None):
        return trusted_vehicle(name, setup, options.trust)

    if len(names) == 2 and not options.setup:
        return load(names[0]), load(names[1])
    if len(names) == 1 and len(options.setup) in (1, 2):
        setups = options.setup if len(options.setup) == 2 else [None, options.setup[0]]
        return load(names[0], setups[0]), load(names[0], setups[1])
    raise ConfigError("main.py compare", None, "--vehicle",
                      "two vehicles are compared, or one vehicle with one setup (without, with) or two")  # fmt: skip


def _drive_of(options, first):
    """(place, seconds, commands, start) of what is driven."""
    if options.commands_of:
        return _of_recording(options)
    place = load_world(options.world or DEFAULT_WORLD)

    def start(world):
        world.spawn(options.spawn)

    if options.commands:
        gear = AUTOMATIC if "autobox" in first.sequence.by_slot else FIRST
        table = CommandFile(options.commands, default_gear=gear)
        seconds = options.seconds or table.duration
        times = np.arange(max(1, round(seconds * place.tick_rate))) / place.tick_rate
        return place, seconds, np.concatenate([table.command(t) for t in times.tolist()]), start
    name = options.maneuver
    maneuver = named_maneuver("compare", name)
    if name == "lap" and not len(place.driving_line):
        raise ConfigError("main.py compare", None, "--maneuver", f"lap: world {place.name} has no driving line")
    seconds = options.seconds or SECONDS[name][0]
    return place, seconds, lambda vehicle, world: maneuver(vehicle, world, world.tick_seconds), start


def _of_recording(options):
    """Commands, place and start of a recording's first vehicle."""
    recording = Recording.open(find_recording(options.commands_of))
    recorded = recording.header["world"].get("path")  # of one of the program's worlds, relative to its folder
    place = load_world(options.world or (ROOT / recorded if recorded else DEFAULT_WORLD))
    rows = recording.commands()[:, 0]
    if not len(rows):
        raise ConfigError(options.commands_of, None, "", "holds no commands")
    commands = np.zeros(len(rows), COMMAND)
    for name in set(COMMAND.names) & set(rows.dtype.names):
        commands[name] = rows[name]
    rate = round(place.tick_rate * recording.tick_seconds, 6)
    if rate != 1.0:
        commands = commands[(np.arange(round(len(rows) * rate)) / rate).astype(int)]
    seconds = min(options.seconds or math.inf, recording.seconds)
    pose = recording.pose_at(0.0)
    if pose is None:
        raise ConfigError(options.commands_of, None, "", "holds no poses, so nobody knows where it began")
    x, y, _ = pose.vehicles[0]["model_position"].tolist()
    qx, qy, qz, qw = pose.vehicles[0]["model_orientation"].tolist()
    heading = math.atan2(-2.0 * (qx * qy - qw * qz), 1.0 - 2.0 * (qx * qx + qz * qz))
    return place, seconds, commands, lambda world: world.place(0, (x, y), heading)


def _figures(one, other, found, seconds):
    names = [one.vehicle.name, other.vehicle.name]
    return {
        "vehicles": names, "seconds": seconds, "faults": [d.fault and d.fault.text for d in (one, other)],
        "differences": [{"name": q.name, "unit": q.unit, "which": q.which, "values": q.values} for q in found],
    }  # fmt: skip


def _text(one, other, found, seconds):
    lines = [f"A {one.vehicle.name}, B {other.vehicle.name}: {seconds:g} s with the same commands"]
    lines.append(f"  {'':<26}{'A':>12}{'B':>12}{'B - A':>12}")
    for q in found:
        a, b = q.values
        lines.append(f"  {f'{q.name}, {q.which}, {q.unit}':<26}{a:>12.4g}{b:>12.4g}{b - a:>+12.4g}")
    return "\n".join(lines + [f"  fault: {d.fault.text}" for d in (one, other) if d.fault])


def _write(path, found, one, other):
    """Both over time, as CSV."""
    count = len(found[0].before) if found else 0
    columns = {"time [s]": (np.arange(count) + 1.0) / SAMPLE_RATE}
    for letter, drive in (("A", one), ("B", other)):
        for k, axis in enumerate("xyz"):
            columns[f"{letter} {axis} [m]"] = drive.rows[:count, POSITION][:, k]
    for q in found:
        columns[f"A {q.name} [{q.unit}]"], columns[f"B {q.name} [{q.unit}]"] = q.before, q.after
    with Path(path).open("w", newline="", encoding="utf8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([repr(v) for v in row] for row in np.column_stack(list(columns.values())).tolist())


def _watch(options, records):
    """Both drives in one picture: the first as it is, the second as its ghost."""
    from game.replay import replay

    replay(Namespace(file=str(records[0]), ghost=[str(records[1])], offscreen=options.offscreen, size=options.size,
                     seconds=None, screenshot=options.screenshot, drive_from=None))  # fmt: skip
