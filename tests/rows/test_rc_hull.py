"""The clubsport's convex hull stops it at walls and at other cars (RC-HULL-01)."""

import sys

import numpy as np
import pytest
from drive_rig import Drive
from racer_rig import car, roll, trace

from driving_sandbox.physics.ground.ground import Ground, Plane
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.tick.commands import NEUTRAL

sys.path[:0] = [str(ROOT / "tests" / "contact"), str(ROOT / "tests" / "props")]
from contact_rig import block  # noqa: E402
from prop_rig import launch, momentum, run, weightless  # noqa: E402

WALL = 12.0  # m, y of the wall's near face; the car starts at y = 0
DRAWN_ONLY = 2.0  # flag of a part that is drawn but collides with nothing


def against_a_wall(**values):
    """(largest y of the body, m; final speed, m/s) of a car that drives at a wall across the road at 12 m/s."""
    ground = Ground(Plane(), [block((-10.0, WALL, -0.5), (10.0, WALL + 1.0, 3.0))])
    d = roll(Drive(car(**values), ground).run(0.5, brake=1.0), 12.0, NEUTRAL)
    signals = trace(d, 2.0, "body.position.y", "body.velocity.y")
    return signals["body.position.y"].max(), signals["body.velocity.y"][-1]


@pytest.mark.covers("RC-HULL-01")
def test_a_wall_stops_the_car():
    farthest, speed = against_a_wall(contact__wheels_touch=False)
    front = max(points[:, 1].max() for points in car().geometry.parts.values())
    assert WALL - front - 0.4 < farthest < WALL - front + 0.05 and speed < 0.5
    part_count = len(car().geometry.parts)
    farthest, speed = against_a_wall(contact__part_flags=[DRAWN_ONLY] * part_count, contact__wheels_touch=False)
    assert farthest > WALL and speed > 5.0  # nothing collides


@pytest.mark.covers("RC-HULL-01")
def test_another_car_slows_the_clubsport_and_takes_over_momentum(tmp_path):
    world = weightless(tmp_path, [], ("clubsport", "clubsport"))
    first, second = world.vehicles
    world.place(0, (0.0, 0.0, 0.0), 0.0)
    world.place(1, (0.0, 8.0, 0.0), 0.0)
    launch(first, 10.0)
    for vehicle in (first, second):
        vehicle.state["wheel"]["omega"][0] = 0.0
    before = momentum(first)[0]  # linear momentum; the second car is at rest
    run(world, 1.0)
    after = momentum(first)[0] + momentum(second)[0]
    assert first.read("body.velocity.y") < 6.0 and second.read("body.velocity.y") > 4.0
    assert np.linalg.norm(after - before) < 2e-3 * np.linalg.norm(before)
