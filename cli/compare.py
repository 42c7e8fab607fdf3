"""`compare`: two vehicles or setups on the same drive: figures, a table over time, recordings, a replay of both."""

import csv
import json
import math
import tempfile
from argparse import Namespace
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from driving_sandbox.cli import PROGRAM
from driving_sandbox.cli.headless import compile_uncached, named_maneuver, vehicle_of_options
from driving_sandbox.cli.names import find_recording
from driving_sandbox.cli.outputs import IMAGE_SUFFIXES, check_folder, check_output
from driving_sandbox.cli.program import FAILED, FINE
from driving_sandbox.game.platform.shutdown import END_REQUEST
from driving_sandbox.lab.compare import LETTERS
from driving_sandbox.lab.compare import compare as drive_both
from driving_sandbox.lab.difference import Quantity
from driving_sandbox.lab.drive import Drive, driver_factory
from driving_sandbox.lab.drivers import CommandFile
from driving_sandbox.lab.drivers.proportions import gear_count
from driving_sandbox.lab.measures import MEASURES
from driving_sandbox.lab.outcome import Event
from driving_sandbox.physics.base.record import field_names
from driving_sandbox.physics.batch.trajectory import POSITION
from driving_sandbox.physics.recording import Recording
from driving_sandbox.physics.recording.world import recorded_world_file
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.tick.commands import AUTOMATIC, COMMAND, FIRST
from driving_sandbox.physics.vehicle.vehicle import Vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import WorldFile, load_world

DEFAULT_WORLD = "plane"
CHOOSE_WORLD = "choose a world with --world"


def compare(options: Namespace) -> int:
    """Drive both vehicles; print, write, record and replay as the options say. Returns FAILED if either had a fault."""
    _check_outputs(options)
    _check_drive(options)
    first, second = _vehicles(options)
    world_file, seconds, commands, start = _drive_of(options, (first, second))
    for vehicle in (first, second):
        compile_uncached(vehicle, world_file)
    ticks = max(1, round(seconds * world_file.tick_rate))
    with tempfile.TemporaryDirectory(prefix="compare-") as folder:
        records = [Path(options.record or folder) / f"{letter}.drive" for letter in LETTERS]
        keep_records = options.record or options.watch
        with END_REQUEST.noted():  # Ctrl+C waits until both recordings are closed
            *drives, quantities = drive_both(first, second, world_file, ticks, commands, start,
                                        records if keep_records else (None, None),
                                        options.commands_of if options.maneuver else None)  # fmt: skip
        if options.out:
            _write(options.out, quantities, drives)
        figures = _figures(options, drives, quantities, seconds)
        print(json.dumps(figures, indent=2) if options.json else _text(figures))
        if options.watch and END_REQUEST.number is None:
            _watch(options, records)
    return FAILED if any(drive.fault for drive in drives) else FINE


def _check_drive(options: Namespace) -> None:
    """Raise ConfigError unless the options say in exactly one way what is driven."""
    from_either, has_source = options.commands_of in LETTERS, options.commands_of is not None
    if options.maneuver and has_source and not from_either:
        text = (f"{options.commands_of}: with --maneuver must be {' or '.join(LETTERS)}: both get the commands of "
                "that vehicle's driver")  # fmt: skip
    elif options.commands and has_source:
        text = "cannot be used with --commands; use it alone or with --maneuver"
    elif from_either and not options.maneuver:
        letter = options.commands_of
        text = f"{letter}: needs --maneuver; for a recording named {letter} write ./{letter}"
    elif not (options.maneuver or options.commands or has_source):
        raise ConfigError(f"{PROGRAM} compare", None, "--maneuver, --commands, --commands-of", "give one of them")
    elif options.spawn and has_source and not from_either:
        raise ConfigError(
            f"{PROGRAM} compare", None, "--spawn", "cannot be used with a recording: both vehicles start where it does"
        )
    else:
        return
    raise ConfigError(f"{PROGRAM} compare", None, "--commands-of", text)


def _check_outputs(options: Namespace) -> None:
    """Raise ConfigError for a file that cannot be written, or for options that need `--watch`."""
    check_output(options.out, "--out", (".csv",))
    check_output(options.screenshot, "--screenshot", IMAGE_SUFFIXES)
    if options.record:
        check_folder(options.record, "--record")
    if not options.watch and (options.offscreen or options.size or options.screenshot):
        raise ConfigError(f"{PROGRAM} compare", None, "--offscreen, --size, --screenshot", "need --watch")


def _vehicles(options: Namespace) -> tuple[Vehicle, Vehicle]:
    """The two vehicles to compare."""
    names = options.vehicle

    def load(name: str, setup: str | None = None) -> Vehicle:
        return vehicle_of_options(name, setup, options.trust)

    if len(names) == 2 and not options.setup:
        return load(names[0]), load(names[1])
    if len(names) == 1 and len(options.setup) in (1, 2):
        setups = options.setup if len(options.setup) == 2 else [None, options.setup[0]]
        return load(names[0], setups[0]), load(names[0], setups[1])
    text = "give two vehicles; or one vehicle with one setup (compared without and with it) or two"
    raise ConfigError(f"{PROGRAM} compare", None, "--vehicle", text)


def _setups(options: Namespace) -> list[str | None]:
    """File names of the two setups, None for a vehicle without one."""
    names: list[str | None] = [Path(name).name for name in options.setup]
    return names if len(names) == 2 else [None, *(names or [None])]


def _drive_of(
    options: Namespace, vehicles: tuple[Vehicle, Vehicle]
) -> tuple[WorldFile, float, Any, Callable[[World], Any]]:
    """(WorldFile, seconds, commands, start) of the drive; commands and start as `lab.drive.drive` takes them."""
    if options.commands_of and not options.maneuver:
        return _of_recording(options)
    world_file = load_world(options.world or DEFAULT_WORLD)

    def start(world: World) -> None:
        world.spawn(options.spawn)

    if options.commands:
        gear = AUTOMATIC if "autobox" in vehicles[0].sequence.by_slot else FIRST
        table = CommandFile(options.commands, min(map(gear_count, vehicles)), gear)
        seconds = options.seconds or table.duration
        times = np.arange(max(1, round(seconds * world_file.tick_rate))) / world_file.tick_rate
        return world_file, seconds, np.concatenate([table.command(t) for t in times.tolist()]), start
    name = options.maneuver
    maneuver = named_maneuver("compare", name)
    if name == "lap" and not len(world_file.driving_line):
        raise ConfigError(f"{PROGRAM} compare", None, "--maneuver", f"lap: world {world_file.name} has no driving line")
    return world_file, options.seconds or maneuver.seconds, driver_factory(name), start


def _of_recording(options: Namespace) -> tuple[WorldFile, float, Any, Callable[[World], Any]]:
    """(WorldFile, seconds, commands, start) of the first vehicle of a recording; it starts at rest where it began."""
    recording = Recording.open(find_recording(options.commands_of))
    world_file = load_world(options.world) if options.world else recorded_world_file(recording, CHOOSE_WORLD)
    rows = recording.commands()[:, 0]  # [tick] of the first vehicle
    if not len(rows):
        raise ConfigError(options.commands_of, None, "", "has no commands")
    commands = np.zeros(len(rows), COMMAND)
    for name in set(field_names(COMMAND)) & set(field_names(rows.dtype)):
        commands[name] = rows[name]
    ticks_per_row = round(world_file.tick_rate * recording.tick_seconds, 6)
    if ticks_per_row != 1.0:  # this world's tick differs from the recording's: repeat or skip commands
        commands = commands[(np.arange(round(len(rows) * ticks_per_row)) / ticks_per_row).astype(int)]
    seconds = min(options.seconds or math.inf, recording.seconds)
    pose = recording.pose_at(0.0)
    if pose is None:
        raise ConfigError(options.commands_of, None, "", "has no poses, so its start position is unknown")
    x, y, _ = pose.vehicles[0]["model_position"].tolist()
    qx, qy, qz, qw = pose.vehicles[0]["model_orientation"].tolist()
    heading = math.atan2(-2.0 * (qx * qy - qw * qz), 1.0 - 2.0 * (qx * qx + qz * qz))  # of the model's forward axis
    return world_file, seconds, commands, lambda world: world.place(0, (x, y), heading)


def _figures(
    options: Namespace, drives: Sequence[Drive], quantities: Sequence[Quantity], seconds: float
) -> dict[str, Any]:
    """The result, plain for JSON."""
    return {
        "vehicles": [drive.vehicle.name for drive in drives], "setups": _setups(options),
        "seconds": seconds, "driven_seconds": [drive.seconds for drive in drives], "driven": _driven(options),
        "faults": [drive.fault and drive.fault.text for drive in drives],
        "outcomes": [{event.kind: event.time for event in drive.events} for drive in drives],
        "differences": [{"name": q.name, "unit": q.unit, "which": q.which, "values": q.values} for q in quantities],
        "measures": _measures(options.maneuver, drives, quantities) if options.maneuver else [],
    }  # fmt: skip


def _driven(options: Namespace) -> str:
    """What both vehicles drove: the manoeuvre, and whose commands they got, as text."""
    if not options.maneuver:
        return "the same commands"
    by = f"the commands of {options.commands_of}" if options.commands_of else "one driver each"
    return f"{options.maneuver}, {by}"


def _measures(maneuver: str, drives: Sequence[Drive], quantities: Sequence[Quantity]) -> list[dict[str, Any]]:
    """Measures of the manoeuvre for both drives, in addition to the differences; None where undefined."""
    first, second = (drive.measures(maneuver) for drive in drives)
    known = {quantity.name.replace(" ", "_") for quantity in quantities}
    return [{"name": name, "unit": MEASURES[name].unit,
             "values": [value if math.isfinite(value) else None for value in (first[name], second[name])]}
            for name in first if name in second and name not in known]  # fmt: skip


def _text(figures: dict[str, Any]) -> str:
    """The figures as a table for the terminal."""
    a, b = (f"{name} with {setup}" if setup else name
            for name, setup in zip(figures["vehicles"], figures["setups"], strict=True))  # fmt: skip
    lines = [f"A {a}, B {b}: {figures['seconds']:g} s, {figures['driven']}"]
    lines.append(f"  {'':<34}{'A':>12}{'B':>12}{'B - A':>12}")
    lines += [_row(f"{q['name']}, {q['which']}, {q['unit']}", q["values"]) for q in figures["differences"]]
    lines += [_row(f"{m['name']}, {m['unit']}", m["values"]) for m in figures["measures"]]
    for k, letter in enumerate(LETTERS):
        lines += [f"  {letter} {Event(kind, time)}" for kind, time in figures["outcomes"][k].items()]
        if figures["faults"][k]:
            lines.append(f"  {letter} ended after {figures['driven_seconds'][k]:g} s; fault: {figures['faults'][k]}")
    return "\n".join(lines)


def _row(title: str, values: Sequence[float | None]) -> str:
    """Both values and their difference; - where unknown."""
    a, b = values
    difference = "-" if a is None or b is None else f"{b - a:+.4g}"
    cells = ["-" if value is None else f"{value:.4g}" for value in values] + [difference]
    return f"  {title:<34}" + "".join(f"{cell:>12}" for cell in cells)


def _write(path: Path | str, quantities: Sequence[Quantity], drives: Sequence[Drive]) -> None:
    """Write the positions and quantities of both over time as CSV."""
    count = len(quantities[0].first) if quantities else 0
    columns = {"time [s]": (np.arange(count) + 1.0) * drives[0].interval}
    for letter, drive in zip(LETTERS, drives, strict=True):
        for k, axis in enumerate("xyz"):
            columns[f"{letter} {axis} [m]"] = drive.rows[:count, POSITION][:, k]
    for q in quantities:
        columns[f"A {q.name} [{q.unit}]"], columns[f"B {q.name} [{q.unit}]"] = q.first, q.second
    with Path(path).open("w", newline="", encoding="utf8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([repr(v) for v in row] for row in np.column_stack(list(columns.values())).tolist())


def _watch(options: Namespace, records: Sequence[Path]) -> None:
    """Replay the first drive with the second as its ghost."""
    from driving_sandbox.game.replay.start import replay

    replay(Namespace(file=str(records[0]), ghost=[str(records[1])], offscreen=options.offscreen, size=options.size,
                     seconds=None, screenshot=options.screenshot, drive_from=None))  # fmt: skip
