"""A real car on the flat plane, and a driver who depends on nothing but the simulated time."""

import math

from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.tick.commands import AUTOMATIC, neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world


def flat_world(vehicles=("roadster_simple",)):
    """World of these vehicles on the plane, side by side 5 m apart."""
    world = World(load_world(ROOT / "configs" / "worlds" / "plane.yaml"), [load_vehicle(v) for v in vehicles])
    for i in range(len(vehicles)):
        world.place(i, (5.0 * i, 0.0), 0.0)
    return world


def weave(situation):
    """Commands that change continuously, so that a missing or an additional tick is noticed."""
    command = neutral_command()
    command["throttle"] = 0.6 + 0.4 * math.sin(0.7 * situation.time)
    command["steer"] = 0.5 * math.sin(1.3 * situation.time)
    command["gear"] = AUTOMATIC
    return command


def ahead(situation):
    """Full throttle, straight on."""
    command = neutral_command()
    command["throttle"], command["gear"] = 1.0, AUTOMATIC
    return command


def run(session, seconds, driver=weave, fps=60):
    """Step a session for some seconds by frames of equal length; driver: function(situation) -> command."""
    for _ in range(round(seconds * fps)):
        session.step(1.0 / fps, driver)
