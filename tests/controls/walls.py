"""Level ground with walls, and an AI driver that is put down anywhere in a world."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import trimesh

from driving_sandbox.game.session.drivers import AiDriver
from driving_sandbox.game.session.situation import Situation
from driving_sandbox.lab.advisor import Monitor
from driving_sandbox.physics.ground.ground import Ground, Plane
from driving_sandbox.physics.ground.surfaces import default_surfaces
from driving_sandbox.physics.ground.world_mesh import Mesh
from driving_sandbox.physics.tick.commands import COMMAND
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

MAX_DISTANCE = 2.0  # m from the line within which the AI is back on it
MAX_HEADING_ERROR = 0.35  # rad from the line's heading within which it is back
ADVISOR_INTERVAL = 4  # ticks between two searches of the advisor


def box(low, high):
    """A Mesh of a block of asphalt between two corners (x, y, z), m."""
    block = trimesh.creation.box(bounds=(low, high))
    surface = np.full(len(block.faces), default_surfaces().index("asphalt"), np.int32)
    return Mesh("wall", np.array(block.vertices), np.array(block.faces, np.int64), surface)


def walled(*boxes):
    """The Ground of an endless plane with blocks from low to high corners."""
    surfaces = default_surfaces()
    return Ground(Plane(0.0, surfaces.index("asphalt")), [box(*corners) for corners in boxes], surfaces)


def driven(name, position, heading_deg, seconds, ground=None, world_file=None, until_back=True):
    """Drive a shipped vehicle, put down somewhere, by the AI until the time is over.

    With `until_back` the drive ends when the vehicle is back on its line. Returns a namespace with

        back: s until the vehicle was back; None if it never was, and without `until_back`.
        trouble: the driver's message, "" if there is none.
        reversed: whether it drove backwards.
        advice: set of ids of reported advice.
        path: [n, 3] positions, m, every ADVISOR_INTERVAL ticks.
        follower, vehicle: the AiDriver and its vehicle.
    """
    vehicle = load_vehicle(name)
    world = World(world_file or load_world("plane"), [vehicle])
    if ground is not None:
        world = World(ground, [vehicle], world.tick_seconds, substeps=4)
    world.place(0, position, math.radians(heading_deg))
    world_file = world_file or replace(load_world("plane"), meshes=[])
    follower = AiDriver(vehicle, world_file)
    follower.look_around(world.ground)
    situation, monitor = Situation(vehicle, world.tick_seconds), Monitor(vehicle, world.tick_seconds)
    result = SimpleNamespace(back=None, reversed=False, advice=set(), path=[], follower=follower, vehicle=vehicle)
    commands = np.zeros(len(world.vehicles), COMMAND)
    for tick in range(round(seconds / world.tick_seconds)):
        situation.tick = tick
        commands[:] = follower(situation)
        world.step(commands)
        monitor.sample()
        if tick % ADVISOR_INTERVAL == 0:
            result.advice |= {advice.id for advice in monitor.detect()}
            result.path.append(situation.position)
            result.reversed |= situation.forward_speed < -0.5
            if until_back and _is_back(follower, situation):
                result.back = tick * world.tick_seconds
                break
    result.trouble, result.path = follower.trouble, np.array(result.path)
    return result


def _is_back(follower, situation):
    """Whether the vehicle drives along its line again."""
    line = follower._follower.line
    position, heading, speed = situation.motion
    nearest = line.nearest(position)
    heading_error = abs(math.remainder(line.heading(nearest) - heading, 2.0 * math.pi))
    return line.distance_from(position, nearest) < MAX_DISTANCE and heading_error < MAX_HEADING_ERROR and speed > 2.0
