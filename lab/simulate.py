"""A run without a window: a world, a driver and a number of ticks, with every channel recorded.

    vehicle = load_vehicle("roadster")
    world = World(load_world("configs/worlds/plane.yaml"), [vehicle])
    world.spawn()
    run = simulate(world, MANEUVERS["launch"](vehicle, world, world.tick_seconds), seconds=5.0)
    run.telemetry.columns["body.velocity.y"]

A driver is a function from a Motion to a command. Equal arguments give bit-identical results.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from driving_sandbox.lab.drivers.motion import Driver, motion_of
from driving_sandbox.lab.outcome import Event, OutcomeMonitor
from driving_sandbox.lab.telemetry import Telemetry
from driving_sandbox.lab.timing import Lap, Stopwatch
from driving_sandbox.physics.base.user_error import WrongValue
from driving_sandbox.physics.world.fault import Fault
from driving_sandbox.physics.world.world import World


@dataclass
class Run:
    """Result of a simulation.

    Attributes:
        telemetry: Telemetry with the rows of the run.
        ticks: number of ticks simulated.
        faults: those that reset the vehicle.
        wall_seconds: computing time, s.
        laps: complete laps and runs.
        events: what happened to the vehicle, in order.
    """

    telemetry: Telemetry
    ticks: int
    faults: list[Fault] = field(default_factory=list)
    wall_seconds: float = 0.0
    laps: list[Lap] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)


class UnevenRate(WrongValue):
    """A time is not a whole number of ticks; the message quotes both."""


def whole_ticks(seconds: float, tick_seconds: float, what: str) -> int:
    """Number of ticks in a time, s. Raises UnevenRate, which names `what`, unless it is a whole number above 0."""
    ticks = round(seconds / tick_seconds)
    if ticks < 1 or abs(ticks * tick_seconds - seconds) > 1e-6 * max(seconds, tick_seconds):
        raise UnevenRate(f"{what} of {seconds:g} s is not a whole number of ticks of {tick_seconds:g} s")
    return ticks


def simulate(world: World, driver: Driver, seconds: float, row_interval: int = 1) -> Run:
    """Drive the world's first vehicle; a fault does not end the run.

    Args:
        driver: called with the Motion before each tick, returns a length-1 COMMAND array.
        seconds: simulated time, s, rounded to whole ticks, at least one.
        row_interval: ticks per row of telemetry.
    Raises:
        WrongValue: the row interval is longer than the run, which would have no row.
    """
    run, iterator = simulation(world, driver, seconds, row_interval)
    for _ in iterator:
        pass
    return run


def simulation(world: World, driver: Driver, seconds: float, row_interval: int = 1) -> tuple[Run, Iterator[int]]:
    """(Run, iterator): as `simulate`, but the caller advances the iterator, which simulates one tick at a time.

    The iterator yields the number of ticks done. The Run is complete when it ends; `wall_seconds` then include what the
    caller did between the ticks.
    """
    ticks = max(1, round(seconds / world.tick_seconds))
    if row_interval > ticks:
        interval, duration = row_interval * world.tick_seconds, ticks * world.tick_seconds
        raise WrongValue(f"a row every {interval:g} s gives no row in a run of {duration:g} s")
    run = Run(Telemetry(world.vehicles[0], ticks // row_interval), ticks)
    return run, _ticks(world, driver, run, row_interval)


def _ticks(world: World, driver: Driver, run: Run, row_interval: int) -> Iterator[int]:
    """Simulate tick by tick and fill the Run."""
    vehicle = world.vehicles[0]
    stopwatch = Stopwatch(world.file.timing if world.file is not None else [])
    stopwatch.step(vehicle.model_position(), 0.0)
    outcome = OutcomeMonitor([world.vehicles[i] for i in world.trains[0]])
    run.laps, run.events = stopwatch.laps, outcome.events
    start = time.perf_counter()
    for tick in range(run.ticks):
        command = driver(motion_of(vehicle, tick * world.tick_seconds))
        fault = world.step(command)
        if fault is not None:
            run.faults.append(fault)
        outcome.step((tick + 1) * world.tick_seconds)
        if stopwatch.tracks:
            stopwatch.step(vehicle.model_position(), (tick + 1) * world.tick_seconds)
        if (tick + 1) % row_interval == 0:
            run.telemetry.add(world.time, command)
        yield tick + 1
    run.wall_seconds = time.perf_counter() - start


def summary(world: World, run: Run) -> dict[str, Any]:
    """{name: value} of a run, plain for JSON."""
    columns = run.telemetry.columns
    vehicle = world.vehicles[0]
    speed = (columns["body.velocity.x"] ** 2 + columns["body.velocity.y"] ** 2 + columns["body.velocity.z"] ** 2) ** 0.5
    distance = float(speed.sum() * (columns["time"][1] - columns["time"][0])) if len(speed) > 1 else 0.0
    return {
        "vehicle": vehicle.name,
        "world": world.file.name if world.file is not None else None,
        "ticks": run.ticks,
        "tick_seconds": world.tick_seconds,
        "substeps": int(world.context[0]["substep_count"]),
        "simulated_seconds": run.ticks * world.tick_seconds,
        "wall_seconds": round(run.wall_seconds, 4),
        "distance_m": round(distance, 3),
        "top_speed_m_s": round(float(speed.max()), 3),
        "final_speed_m_s": round(float(speed[-1]), 4),
        "final_position_m": [round(vehicle.read(f"body.position.{axis}"), 4) for axis in "xyz"],
        "columns": len(run.telemetry.names),
        "laps": [lap.figures() for lap in run.laps],
        "outcome": {event.kind: round(event.time, 4) for event in run.events},
        "faults": [fault.text for fault in run.faults],
        "state_hash": f"{world.state_hash():016x}",
    }
