"""Vehicles at the hard limits of their parameters: dropped, launched, steered into a bend and braked.

    PYTHONPATH=. python tests/fuzz/parameter_sets.py FIRST_SEED COUNT [LOG]

tries COUNT sets, starting with that seed. LOG is a file with a line of JSON for each set; started again with the same
one, the program goes on after its last line.

A set is made from its seed alone: up to eight parameters of one vehicle, each number at the smallest or largest value
that its declaration allows, switches and choices at random. Sets that the vehicle refuses are counted and skipped. All
others must stay finite and within the limits of speed, rotation and position that the guard checks at the end of each
tick (physics/tick/guard.py).
"""

import json
import os
import sys
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np

from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.schema.kinds import LARGEST, SMALLEST
from driving_sandbox.physics.schema.schema import Bool, Choice, Curve, Float, Floats, Int, Vec3
from driving_sandbox.physics.tick.commands import AUTOMATIC, FIRST, neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

VEHICLES = ("roadster", "buggy", "clubsport", "patrol", "planar_roadster", "tank", "offroader", "coupe", "lowrider")
MAX_PARAMETERS = 8  # of a set
HEIGHT = 1.0  # m of the drop
RATE = 240  # ticks a second
PROGRESS = 100  # sets between two lines of progress
PHASES = (  # seconds of each, and what is commanded
    (0.75, {}),
    (1.5, {"throttle": 1.0, "thrust_left": 1.0, "thrust_right": 1.0}),
    (1.5, {"throttle": 0.5, "steer": 1.0, "thrust_left": 1.0, "thrust_right": -0.5}),
    (0.75, {"brake": 1.0, "steer": -1.0, "brake_left": 1.0, "brake_right": 1.0}),
)


class Outcome(NamedTuple):
    """Outcome of a set: the vehicle, its values, the reason for its refusal or "", and its fault or "".

    In a log, only the names of the values.
    """

    seed: int
    vehicle: str
    values: dict | list
    refused: str
    fault: str


def commands(vehicle):
    """COMMAND array [ticks] of the whole drive."""
    gear = AUTOMATIC if "autobox" in vehicle.sequence.by_slot else FIRST
    parts = []
    for seconds, values in PHASES:
        part = neutral_command(round(seconds * RATE))
        part["gear"] = gear
        for name, value in values.items():
            part[name] = value
        parts.append(part)
    return np.concatenate(parts)


def limits_of(field):
    """(smallest, largest) number that a field accepts."""
    step = 1 if isinstance(field.kind, Int) else SMALLEST
    smallest = field.ge if field.ge is not None else -LARGEST if field.gt is None else field.gt + step
    largest = field.le if field.le is not None else LARGEST if field.lt is None else field.lt - step
    return (round(smallest), round(largest)) if isinstance(field.kind, Int) else (float(smallest), float(largest))


def at_limit(field, value, rng):
    """A value at random hard limits of a field, in the shape of its present value; None for other kinds of field.

    Switches and choices get a random option.
    """
    limits = limits_of(field)
    if isinstance(field.kind, Float | Int):
        return limits[rng.integers(2)]
    if isinstance(field.kind, Vec3) or type(field.kind) is Floats:
        return [limits[k] for k in rng.integers(2, size=len(value))]
    if isinstance(field.kind, Curve):
        return [[x, limits[rng.integers(2)]] for x, _ in value]
    if isinstance(field.kind, Bool):
        return bool(rng.integers(2))
    return field.kind.options[rng.integers(len(field.kind.options))] if isinstance(field.kind, Choice) else None


def groups_of(vehicle):
    """{slot.name: paths of all wheels} of the settable parameters that affect the drive."""
    groups = {}
    for parameter in vehicle.parameters():
        if not parameter.field.derived and not parameter.field.visual:
            groups.setdefault(f"{parameter.slot}.{parameter.field.name}", []).append(parameter.path)
    return groups


def draw(vehicle, rng):
    """{path: value} of a random set."""
    groups = groups_of(vehicle)
    names = rng.choice(list(groups), size=rng.integers(1, MAX_PARAMETERS + 1), replace=False)
    values = {}
    for name in names.tolist():
        first = groups[name][0]
        value = at_limit(vehicle.parameter(first).field, vehicle.get(first), rng)
        if value is not None:
            values.update(dict.fromkeys(groups[name], value))
    return values


class Drives:
    """Drives parameter sets, in one world per vehicle that is built at its first use."""

    def __init__(self):
        self._worlds = {}

    def world(self, name):
        """(world of a vehicle, commands of its drive)."""
        if name not in self._worlds:
            world = World(load_world("plane"), [load_vehicle(name)])
            self._worlds[name] = world, commands(world.vehicles[0])
        return self._worlds[name]

    def attempt(self, seed):
        """Drive the set of a seed; returns an Outcome."""
        rng = np.random.default_rng(seed)
        name = VEHICLES[rng.integers(len(VEHICLES))]
        world, _ = self.world(name)
        return self.drive(seed, name, draw(world.vehicles[0], rng))

    def drive(self, seed, name, values):
        """Drive a vehicle with these values; returns an Outcome."""
        world, drive_commands = self.world(name)
        vehicle = world.vehicles[0]
        try:
            vehicle.params[:] = vehicle.base_params
            vehicle.set_many(values)
            world.place(0, (0.0, 0.0), 0.0)
            vehicle.state["body"]["position"][0, 2] += 0.0 if "planar" in name else HEIGHT
        except UserError as error:
            return Outcome(seed, name, values, str(error), "")
        external = world._no_actions[0]
        step = world._steps[0]  # not World.step, which would compile for a minute to name the cause of a fault
        for tick in range(len(drive_commands)):
            code = step(external, drive_commands[tick : tick + 1], world.tick_seconds)
            if code:
                return Outcome(seed, name, values, "", f"code {code} in tick {tick}")
        finite = all(np.isfinite(vehicle.state["body"][key]).all() for key in ("position", "velocity"))
        return Outcome(seed, name, values, "", "" if finite else "not finite at the end")


def tried(log):
    """The Outcomes in a log; a line cut by a kill is removed from it."""
    if not log or not Path(log).exists():
        return []
    whole = [line for line in Path(log).read_text(encoding="utf8").splitlines(keepends=True) if line.endswith("\n")]
    Path(log).write_text("".join(whole), encoding="utf8")
    return [Outcome(**json.loads(line)) for line in whole]


def main(first, count, log=None):
    """Try sets; print each that faults, the progress, and the parameters that sets with faults have most often."""
    drives, suspects, before, start = Drives(), Counter(), tried(log), time.monotonic()
    counts = Counter("refused" if outcome.refused else "faults" if outcome.fault else "fine" for outcome in before)
    with open(log or os.devnull, "a", encoding="utf8") as file:
        for seed in range(first + len(before), first + count):
            outcome = drives.attempt(seed)
            names = sorted({".".join((path.split(".")[0], path.split(".")[-1])) for path in outcome.values})
            counts["refused" if outcome.refused else "faults" if outcome.fault else "fine"] += 1
            file.write(json.dumps({**outcome._asdict(), "values": names}) + "\n")
            file.flush()
            if outcome.fault:
                suspects.update(names)
                print(seed, outcome.vehicle, outcome.fault, names, flush=True)
            done = seed + 1 - first
            if done % PROGRESS == 0:
                rate = (done - len(before)) / (time.monotonic() - start) * 60.0
                print(f"{done} of {count} sets, {rate:.0f} a minute: {dict(counts)}", flush=True)
    print(sum(counts.values()), "sets:", dict(counts), suspects.most_common(20))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
