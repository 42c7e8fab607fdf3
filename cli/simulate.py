"""`simulate`: drive without a window, write every channel, print a summary. Imports neither Panda3D nor pygame."""

import json
from argparse import Namespace
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from driving_sandbox.cli import PROGRAM
from driving_sandbox.cli.headless import compile_uncached, named_maneuver, vehicle_of_options
from driving_sandbox.cli.outputs import SOUND_SUFFIXES, check_output
from driving_sandbox.cli.program import FAILED, FINE
from driving_sandbox.lab.drivers import CommandFile
from driving_sandbox.lab.drivers.driver_file import DriverFile
from driving_sandbox.lab.drivers.proportions import gear_count
from driving_sandbox.lab.outcome import Event
from driving_sandbox.lab.simulate import Run, simulation, summary, whole_ticks
from driving_sandbox.lab.start import start
from driving_sandbox.physics.base.user_error import UserError, WrongValue
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.tick.commands import AUTOMATIC, FIRST
from driving_sandbox.physics.vehicle.vehicle_file import vehicle_text
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import WorldFile, load_world
from driving_sandbox.sound.soundtrack import Soundtrack
from driving_sandbox.sound.wav_file import write_wav

MOVED = 0.01  # m, displacement from which a prop counts as moved


def simulate(options: Namespace) -> int:
    """Simulate, write the channels, print the summary. Returns FAILED if a fault reset the vehicle."""
    out = Path(options.out)
    check_output(out, "--out", (".csv", ".npz"))
    check_output(options.sound, "--sound", SOUND_SUFFIXES)
    if options.camera and options.sound is None:
        raise ConfigError(f"{PROGRAM} simulate", None, "--camera", "needs --sound")
    world = _world(options)
    driver = _driver(options, world)
    start(world, options.initial)
    row_interval = _row_interval(options, world)
    run = _run(options, world, driver, row_interval)
    figures = {**summary(world, run), "out": str(out)}
    figures["sound"] = options.sound
    figures["props"] = _props(world)
    figures["left_out"] = _left_out(world.file) if world.file is not None else ""
    run.telemetry.write(out, {**figures, "config": vehicle_text(world.vehicles[0])})
    print(json.dumps(figures, indent=2) if options.json else _text(figures))
    return FAILED if run.faults else FINE


def _run(options: Namespace, world: World, driver: Any, row_interval: int) -> Run:
    """The simulation; its soundtrack goes to the file of `--sound`."""
    try:
        run, ticks = simulation(world, driver, options.seconds, row_interval)
    except WrongValue as error:
        raise ConfigError(f"{PROGRAM} simulate", None, "--rows", str(error)) from None
    if options.sound is None:
        deque(ticks, maxlen=0)
        return run
    track = Soundtrack(world, options.camera or "chase")

    def blocks() -> Iterator[np.ndarray]:
        for _ in ticks:
            track.add()
            yield from track.blocks()

    write_wav(options.sound, blocks())
    return run


def _world(options: Namespace) -> World:
    """The world with the vehicle of the options. Raises ConfigError unless `--seconds` is a whole number of ticks."""
    vehicle = vehicle_of_options(options.vehicle, options.setup, options.trust)
    world_file = load_world(options.world)
    compile_uncached(vehicle, world_file)
    tick_seconds = 1.0 / options.tick if options.tick else None
    world = World(world_file, [vehicle], tick_seconds, options.substeps)
    _ticks_of("--seconds", options.seconds, world.tick_seconds, "a duration")
    return world


def _ticks_of(option: str, seconds: float, tick_seconds: float, what: str) -> int:
    """Number of ticks in a time, s. Raises ConfigError, which names the option, unless it is whole."""
    try:
        return whole_ticks(seconds, tick_seconds, what)
    except UserError as error:
        raise ConfigError(f"{PROGRAM} simulate", None, option, str(error)) from None


def _row_interval(options: Namespace, world: World) -> int:
    """Number of ticks from one row of the output to the next."""
    if options.rows is None:
        return 1
    return _ticks_of("--rows", 1.0 / options.rows, world.tick_seconds, "a row interval")


def _driver(options: Namespace, world: World) -> Any:
    """The driver that the options ask for: a command table, a Python file or a manoeuvre."""
    vehicle = world.vehicles[0]
    if options.commands is not None:
        automatic = "autobox" in vehicle.sequence.by_slot
        table = CommandFile(options.commands, gear_count(vehicle), AUTOMATIC if automatic else FIRST)
        return lambda motion: table.command(motion.time)
    if options.driver is not None:
        return DriverFile(options.driver, vehicle, world.file)
    name = options.maneuver or "rest"
    maneuver = named_maneuver("simulate", name)
    try:
        return maneuver(vehicle, world, world.tick_seconds)
    except UserError as error:
        raise ConfigError(f"{PROGRAM} simulate", None, "--maneuver", f"{name}: {error}") from None


def _props(world: World) -> dict[str, float]:
    """Number of props, number of moved ones, and largest displacement, m; {} without props."""
    if world.props is None:
        return {}
    displacement = np.linalg.norm(world.props.poses()[:, :3] - world.props.start_poses[:, :3], axis=1)
    return {
        "count": len(displacement),
        "moved": int((displacement > MOVED).sum()),
        "farthest_m": round(float(displacement.max()), 3),
    }


def _left_out(world_file: "WorldFile") -> str:
    """Message on contents of the world file that are not simulated without a window; "" for none."""
    count = len(world_file.parked)
    parked = f"{count} parked vehicle{'s' if count > 1 else ''}"
    return f"{parked} of this world, simulated only with a window" if count else ""


def _text(figures: dict[str, Any]) -> str:
    """The summary as text for the terminal."""
    lines = [
        f"{figures['vehicle']} on {figures['world']}: {figures['simulated_seconds']:g} s, {figures['ticks']} ticks",
        f"  distance {figures['distance_m']:.1f} m, top speed {figures['top_speed_m_s']:.2f} m/s, "
        f"final speed {figures['final_speed_m_s']:.3f} m/s",
        f"  simulated in {figures['wall_seconds']:.2f} s, state hash {figures['state_hash']}",
        f"  {figures['columns']} columns in {figures['out']}",
    ]
    if figures["sound"]:
        lines.append(f"  sound in {figures['sound']}")
    if figures["props"]:
        lines.append("  {moved} of {count} props moved, up to {farthest_m:.1f} m".format(**figures["props"]))
    for lap in figures["laps"]:
        splits = ", ".join(f"{split['gate']} {split['seconds']:.3f} s" for split in lap["splits"])
        lines.append(f"  {lap['track']}: {lap['seconds']:.3f} s ({splits})")
    lines += [f"  {Event(kind, time)}" for kind, time in figures["outcome"].items()]
    if figures["left_out"]:
        lines.append(f"  left out: {figures['left_out']}")
    return "\n".join(lines + [f"  fault: {text}" for text in figures["faults"]])
