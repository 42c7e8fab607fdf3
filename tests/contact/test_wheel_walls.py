"""Wheels as parts of the hull: they touch walls, and the ground when a car is on its side; driving is unchanged."""

import math
import sys

import numpy as np
import pytest

from driving_sandbox.physics.ground.ground import Ground, Plane
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.tick.commands import COMMAND, FIRST, NEUTRAL
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World

sys.path.insert(0, str(ROOT / "tests" / "contact"))
from contact_rig import block, soup  # noqa: E402

CARS = ("buggy", "hatchback", "offroader", "roadster_simple")


def ramp(width, start, rise, run):
    """A ramp along +y from `start`: up by `rise` within `run`, 3 m level, and down again; all in m."""
    x, y = width / 2, (start, start + run, start + run + 3, start + 2 * run + 3)
    z = (-0.001, rise, rise, -0.001)
    points = [(s * x, y[k], z[k]) for k in range(4) for s in (-1, 1)]
    faces = [f for k in range(3) for f in ((2 * k, 2 * k + 1, 2 * k + 3), (2 * k, 2 * k + 3, 2 * k + 2))]
    return soup("ramp", points, faces)


def drive(car, meshes, speed, seconds, touch, position=(0.0, 0.0), heading=0.0, steer=0.0):
    """([ticks, 3] positions of the body of a car coasting in neutral from `speed`, m/s; the vehicle).

    touch: whether its wheels are part of the hull.
    """
    world = World(Ground(Plane(0.0, 0), meshes), [load_vehicle(car)])
    vehicle = world.vehicles[0]
    vehicle.set("contact.wheels_touch", touch)
    world.place(0, position, heading)
    command = np.zeros(1, COMMAND)
    command["gear"] = NEUTRAL
    for _ in range(120):
        world.step(command)
    vehicle.state["body"]["velocity"][0] = (-math.sin(heading) * speed, math.cos(heading) * speed, 0.0)
    wheels = vehicle.state["wheel"][0]
    wheels["omega"] = speed / vehicle.params["wheel"][0]["radius"].clip(0.1)  # unused records have radius 0
    command["steer"] = steer
    path = np.zeros((round(seconds * 240), 3))
    for k in range(len(path)):
        assert world.step(command) is None
        path[k] = vehicle.state["body"]["position"][0]
    return path, vehicle


@pytest.mark.parametrize("car", CARS)
@pytest.mark.parametrize(
    "name,meshes,speed",
    [
        ("kerb", [block((-10, 6, -1), (10, 30, 0.1))], 6.0),
        ("low kerb on one side", [block((0, 6, -1), (10, 30, 0.07))], 15.0),
        ("ramp", [ramp(width=8, start=6, rise=0.6, run=3)], 4.0),
        ("washboard", [block((-5, 6 + 0.8 * k, -1), (5, 6.4 + 0.8 * k, 0.04)) for k in range(8)], 10.0),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_wheels_as_hull_do_not_snag(car, name, meshes, speed):
    """The path with wheels in the hull is bit-identical to that without: no obstacle is steep and high enough."""
    with_wheels, vehicle = drive(car, meshes, speed, seconds=3.0, touch=True)
    without, _ = drive(car, meshes, speed, seconds=3.0, touch=False)
    assert with_wheels[-1, 1] > 8.0
    assert vehicle.params["contact"]["hull"]["part_count"][0] == 5  # the bodywork and four wheels
    assert np.array_equal(with_wheels, without)


@pytest.mark.parametrize("car", CARS)
def test_wheels_scrape_along_a_wall(car):
    """The wall is half a metre high, lower than most bodywork. The car goes on along it without tipping over.

    The bound on the wheels' outer faces is for a point beside the body's centre, so it leaves 25 cm for the nose, which
    is turned towards the wall and stops first.
    """
    wall = block((1.2, -5, -1), (2.2, 200, 0.5))
    path, vehicle = drive(car, [wall], speed=8.0, seconds=2.0, touch=True, heading=-0.15)
    orientation = vehicle.model_orientation()
    closest = path[:, 0].max()
    wheels = vehicle.params["suspension"][0]["attachment"][:4, 0] + vehicle.params["wheel"][0]["half_width"][:4]
    assert closest + wheels.max() * math.cos(0.15) < 1.2 + 0.25
    assert path[-1, 1] > 5.0
    assert abs(orientation[0]) < 0.2 and abs(orientation[1]) < 0.2  # no rollover


def test_a_car_on_its_side_rests_on_its_wheels():
    """The buggy's wheels are wider than its body and keep it at least 2 cm higher than without wheels in the hull."""
    heights = {}
    for touch in (True, False):
        vehicle = load_vehicle("buggy")
        world = World(Ground(Plane(0.0, 0)), [vehicle])
        vehicle.set("contact.wheels_touch", touch)
        vehicle.put((0.0, 0.0, 1.5), (0.0, math.sin(math.pi / 4), 0.0, math.cos(math.pi / 4)))
        command = np.zeros(1, COMMAND)
        command["gear"] = FIRST
        for _ in range(240 * 4):
            assert world.step(command) is None
        heights[touch] = vehicle.state["body"]["position"][0, 2]
        assert np.linalg.norm(vehicle.state["body"]["velocity"][0]) < 0.05
    assert heights[True] > heights[False] + 0.02
