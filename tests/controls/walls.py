"""Worlds to get lost in: level ground with walls, and an AI that is put down anywhere in one."""

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

ON_LINE, ALONG = 2.0, 0.35  # m and rad from the line: the AI is back
ADVISED = 4  # ticks between two looks of the advisor


def box(low, high):
    """A Mesh of a block of asphalt."""
    solid = trimesh.creation.box(bounds=(low, high))
    surface = np.full(len(solid.faces), default_surfaces().index("asphalt"), np.int32)
    return Mesh("wall", np.array(solid.vertices), np.array(solid.faces, np.int64), surface)


def walled(*boxes):
    """The Ground of an endless plane with blocks from low to high corners."""
    surfaces = default_surfaces()
    return Ground(Plane(0.0, surfaces.index("asphalt")), [box(*corners) for corners in boxes], surfaces)


def driven(name, position, heading_deg, seconds, ground=None, world_file=None, until_back=True):
    """The AI of a shipped vehicle put down somewhere, until it is back on its line or the time is over.

    Returns a namespace: back (s, None if it never was), trouble,
    reversed (whether it drove backwards), advice (ids of reported advice), follower, vehicle, path ((n, 3), m).
    """
    vehicle = load_vehicle(name)
    world = World(world_file or load_world("plane"), [vehicle])
    if ground is not None:
        world = World(ground, [vehicle], world.tick_seconds, 4)
    world.place(0, position, math.radians(heading_deg))
    world_file = world_file or replace(load_world("plane"), meshes=[])
    follower = AiDriver(vehicle, world_file)
    follower.look_around(world.ground)
    situation, monitor = Situation(vehicle, world.tick_seconds), Monitor(vehicle, world.tick_seconds)
    out = SimpleNamespace(back=None, reversed=False, advice=set(), path=[], follower=follower, vehicle=vehicle)
    commands = np.zeros(len(world.vehicles), COMMAND)
    for tick in range(round(seconds / world.tick_seconds)):
        situation.tick = tick
        commands[:] = follower(situation)
        world.step(commands)
        monitor.sample()
        if tick % ADVISED == 0:
            out.advice |= {advice.id for advice in monitor.detect()}
            out.path.append(situation.position)
            out.reversed |= situation.forward_speed < -0.5
            if until_back and _is_back(follower, situation):
                out.back = tick * world.tick_seconds
                break
    out.trouble, out.path = follower.trouble, np.array(out.path)
    return out


def _is_back(follower, situation):
    line = follower._line.line
    position, heading, speed = situation.motion
    nearest = line.nearest(position)
    heading_error = abs(math.remainder(line.heading(nearest) - heading, 2.0 * math.pi))
    return line.distance_from(position, nearest) < ON_LINE and heading_error < ALONG and speed > 2.0
