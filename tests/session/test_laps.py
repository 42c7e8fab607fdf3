"""The line follower drives whole laps, which are timed by the gates."""

import numpy as np
import pytest

from driving_sandbox.game.session.drivers import make_driver
from driving_sandbox.game.session.session import Session
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

FRAME = 1.0 / 60.0  # s
MAX_DEVIATION = 9.0  # m from the line: the road and its shoulder


def lap(world_name, vehicle_name, time_limit):
    """(closed session, largest distance from the driving line, m) of a drive up to its first timed lap.

    Args:
        time_limit: s.
    """
    world_file, vehicle = load_world(world_name), load_vehicle(vehicle_name)
    world = World(world_file, [vehicle])
    world.spawn()
    farthest = 0.0
    with Session(world) as session:
        driver = make_driver("ai", vehicle, world_file)
        for frame in range(int(time_limit / FRAME)):
            session.step(FRAME, driver)
            if frame % 6 == 0:
                distance = np.linalg.norm(world_file.driving_line - vehicle.model_position()[:2], axis=1).min()
                farthest = max(farthest, distance)
            if session.stopwatch.laps:
                break
    return session, farthest


@pytest.mark.parametrize("name", ["roadster", "hatchback", "offroader", "buggy"])
def test_four_cars_lap_the_handling_course(name):
    session, farthest = lap("proving_ground", name, time_limit=240.0)
    (timed_lap,) = session.stopwatch.laps
    assert timed_lap.track == "Handling course" and len(timed_lap.splits) == 3
    assert 80.0 < timed_lap.time < 200.0 and all(
        10.0 < t < 100.0 for t in np.diff([0.0, *(s.time for s in timed_lap.splits)])
    )
    assert farthest < MAX_DEVIATION
    assert not [m for m in session.messages if m.level == "warning"]


def test_the_roadster_drives_over_the_mountain():
    session, farthest = lap("mountain_road", "roadster", time_limit=420.0)
    (timed_lap,) = session.stopwatch.laps
    assert timed_lap.track == "Mountain road" and len(timed_lap.splits) == 4
    assert farthest < MAX_DEVIATION
    assert not [m for m in session.messages if m.level == "warning"]
