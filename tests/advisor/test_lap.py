"""Following the driving line of the proving ground gives no advice, with any shipped vehicle.

Vehicles have combined_slip tires in place of mf_62 (watched.py).
"""

import math

import pytest
from watched import fresh

from driving_sandbox.lab.advisor import watched_run
from driving_sandbox.lab.drivers import LineFollower
from driving_sandbox.lab.drivers.proportions import wheelbase
from driving_sandbox.lab.maneuvers import Maneuver
from driving_sandbox.physics.vehicle.vehicle_file import VEHICLE_FOLDER
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

SHIPPED = sorted(path.stem for path in VEHICLE_FOLDER.glob("*.yaml"))
WORLD = "proving_ground"


class Lap(Maneuver):
    """Follow the driving line: lorries and tanks slowly, three-wheelers at a lateral limit at which they do not tip."""

    def __init__(self, vehicle, world, dt):
        super().__init__(vehicle, world, dt)
        heavy = vehicle.get("body.mass") > 5000.0
        pace = {"lateral_limit": 1.3, "braking": 1.5, "top_speed": 12.0} if heavy else {}  # m/s^2, m/s^2, m/s
        if vehicle.wheel_count == 3:
            pace = {"lateral_limit": 3.0}  # m/s^2
        line = world.file.driving_line
        self.driver = LineFollower(line, wheelbase=wheelbase(vehicle), forward_gear=self.forward_gear, **pace)
        self.start, self.farthest = vehicle.model_position(), 0.0

    def __call__(self, motion):
        self.farthest = max(self.farthest, math.dist(motion.position, self.start))
        return self.driver.command(motion.position, motion.heading, motion.speed, self.dt)


def drive_without_advice(name, seconds):
    """Follow the driving line for some seconds; there must be no advice."""
    vehicle = fresh(name)
    world = World(load_world(WORLD), [vehicle])
    world.spawn()
    lap = Lap(vehicle, world, world.tick_seconds)
    advice_list = watched_run(world, lap, seconds)
    assert lap.farthest > 50.0  # m from the start: it did drive
    assert [str(advice) for advice in advice_list] == []


@pytest.mark.parametrize("name", SHIPPED)
def test_twenty_seconds_of_a_lap_give_no_advice(name):
    drive_without_advice(name, 20.0)


@pytest.mark.nightly
@pytest.mark.parametrize("name", SHIPPED)
def test_four_minutes_of_laps_give_no_advice(name):
    drive_without_advice(name, 240.0)
