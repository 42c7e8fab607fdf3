"""Level ground with walls, and an AI driver that is put down anywhere in a world."""

import math
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
MIN_SPEED = 2.0  # m/s, forward speed above which it is back
ADVISOR_INTERVAL = 4  # ticks between two queries of the advisor, and between two positions of `path`


def box(low, high):
    """A Mesh of a block of asphalt between two corners (x, y, z), m."""
    block = trimesh.creation.box(bounds=(low, high))
    surface = np.full(len(block.faces), default_surfaces().index("asphalt"), np.int32)
    return Mesh("wall", np.array(block.vertices), np.array(block.faces, np.int64), surface)


def walled(*boxes):
    """The Ground of an endless plane with blocks from low to high corners."""
    surfaces = default_surfaces()
    return Ground(Plane(0.0, surfaces.index("asphalt")), [box(*corners) for corners in boxes], surfaces)


def drive_by_ai(name, position, heading_deg, seconds, ground=None, world_file=None):
    """Drive a shipped vehicle, put down somewhere, by the AI until it is back on its line or the time is over.

    ground: Ground to drive on instead of that of the world; the line is the world's in any case.
    world_file: by default the world "plane".

    Returns a namespace with

        back: time when the vehicle was back, s; None if it never was.
        trouble: the driver's message, "" if there is none.
        reversed: whether it drove backwards.
        advice: set of ids of reported advice.
        path: [n, 3] positions, m, every ADVISOR_INTERVAL ticks.
        driver, vehicle: the AiDriver and its vehicle.
    """
    vehicle = load_vehicle(name)
    world_file = world_file or load_world("plane")
    world = World(world_file, [vehicle])
    if ground is not None:
        world = World(ground, [vehicle], world.tick_seconds, substeps=4)
    world.place(0, position, math.radians(heading_deg))
    driver = AiDriver(vehicle, world_file)
    driver.look_around(world.ground)
    situation, monitor = Situation(vehicle, world.tick_seconds), Monitor(vehicle, world.tick_seconds)
    result = SimpleNamespace(back=None, reversed=False, advice=set(), path=[], driver=driver, vehicle=vehicle)
    commands = np.zeros(len(world.vehicles), COMMAND)
    for tick in range(round(seconds / world.tick_seconds)):
        situation.tick = tick
        commands[:] = driver(situation)
        world.step(commands)
        monitor.sample()
        if tick % ADVISOR_INTERVAL == 0:
            result.advice |= {advice.id for advice in monitor.detect()}
            result.path.append(situation.position)
            result.reversed |= situation.forward_speed < -0.5
            if _is_back(driver, situation):
                result.back = tick * world.tick_seconds
                break
    result.trouble, result.path = driver.trouble, np.array(result.path)
    return result


def _is_back(driver, situation):
    """Whether the vehicle drives along its line again."""
    line = driver._follower.line
    position, heading, speed = situation.motion
    nearest = line.nearest(position)
    heading_error = abs(math.remainder(line.heading(nearest) - heading, 2.0 * math.pi))
    is_on_line = line.distance_from(position, nearest) < MAX_DISTANCE
    return is_on_line and heading_error < MAX_HEADING_ERROR and speed > MIN_SPEED
