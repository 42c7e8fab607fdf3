"""Shared by the commands without a window: loads and compiles a vehicle, finds a manoeuvre."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from driving_sandbox.cli import PROGRAM
from driving_sandbox.cli.names import named_vehicle
from driving_sandbox.lab.advisor.source_location import unusual_lines
from driving_sandbox.lab.maneuvers import MANEUVERS, Maneuver
from driving_sandbox.physics.compile import compile_vehicle, is_warm
from driving_sandbox.physics.estimate import estimate_lines
from driving_sandbox.physics.schema.yaml_file import ConfigError, key_hint, load_yaml
from driving_sandbox.physics.vehicle.trust import Allowed
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle
    from driving_sandbox.physics.world.world_file import WorldFile


def vehicle_of_options(name: str, setup: str | None, trust: Iterable[str]) -> "Vehicle":
    """The Vehicle of the options --vehicle, --setup (or None) and --trust (component files that may run).

    Estimated parameters, and values of the setup outside the usual range, are reported on standard error.
    """
    vehicle = load_vehicle(named_vehicle(name), setup, trust=Allowed(trust))
    for estimate in estimate_lines(vehicle):
        print(f"{vehicle.name}: {estimate}", file=sys.stderr)
    for warning in unusual_lines(vehicle, vehicle.changed_values(), *([load_yaml(Path(setup))] if setup else [])):
        print(warning, file=sys.stderr)
    return vehicle


def compile_uncached(vehicle: "Vehicle", world_file: "WorldFile") -> None:
    """Compile the kernels of a vehicle and its world, unless they are in the cache."""
    if not is_warm(vehicle, props=bool(world_file.props)):
        print(f"Compiling the physics for {vehicle.name}; later runs use the cached code.", file=sys.stderr)
        compile_vehicle(vehicle, world_file)


def named_maneuver(command: str, name: str) -> type[Maneuver]:
    """The manoeuvre class of that name. Raises ConfigError, which names the subcommand."""
    if name not in MANEUVERS:
        text = f"unknown manoeuvre {name!r}{key_hint(name, MANEUVERS)}; known: {', '.join(MANEUVERS)}"
        raise ConfigError(f"{PROGRAM} {command}", None, "--maneuver", text)
    return MANEUVERS[name]
