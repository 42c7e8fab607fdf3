"""Shared by the commands without a window: loading and compiling a vehicle, finding a manoeuvre."""

import sys

from driving_sandbox.cli import PROGRAM
from driving_sandbox.cli.names import named_vehicle
from driving_sandbox.lab.advisor.source_location import unusual_lines
from driving_sandbox.lab.maneuvers import MANEUVERS
from driving_sandbox.physics.compile import compile_vehicle, is_warm
from driving_sandbox.physics.estimate import estimate_lines
from driving_sandbox.physics.schema.yaml_file import ConfigError, load_yaml, nearest_key
from driving_sandbox.physics.vehicle.trust import Allowed
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle


def trusted_vehicle(name, setup, trust):
    """The vehicle of that name or file, with a setup (or None); only component files in `trust` are run.

    Estimated parameters, and values of the setup outside the usual range, are reported on standard error.
    """
    vehicle = load_vehicle(named_vehicle(name), setup, trust=Allowed(trust))
    for line in estimate_lines(vehicle):
        print(f"{vehicle.name}: {line}", file=sys.stderr)
    for line in unusual_lines(vehicle, vehicle.changed_values(), *([load_yaml(setup)] if setup else [])):
        print(line, file=sys.stderr)
    return vehicle


def compile_when_cold(vehicle, world_file):
    """Compile the kernels of this vehicle and world, unless they are in the cache."""
    if not is_warm(vehicle):
        print("Compiling the physics for this computer; this happens once.", file=sys.stderr)
        compile_vehicle(vehicle, world_file)


def named_maneuver(command, name):
    """The manoeuvre of that name. Raises ConfigError."""
    if name not in MANEUVERS:
        text = f"no maneuver {name!r}{nearest_key(name, MANEUVERS)}; known: {', '.join(MANEUVERS)}"
        raise ConfigError(f"{PROGRAM} {command}", None, "--maneuver", text)
    return MANEUVERS[name]
