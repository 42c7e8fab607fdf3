"""A driver whose arms are a spring and a damper on a rim with mass, which also feels the force: laps, and hands off."""

import math

import numpy as np
import pytest

from driving_sandbox.benchmarks.scenes import flat_world
from driving_sandbox.game.controls.rim import RimSteering, rim_lock
from driving_sandbox.game.force_feedback.setup import PRESETS
from driving_sandbox.game.force_feedback.stream import ForceStream, next_level
from driving_sandbox.game.force_feedback.torque import RimTorque
from driving_sandbox.lab.drivers import LineFollower
from driving_sandbox.lab.drivers.motion import motion_of
from driving_sandbox.lab.drivers.proportions import largest_steer, wheelbase
from driving_sandbox.physics.command.response import steer_response
from driving_sandbox.physics.tick.commands import NEUTRAL, neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

ARMS, ARM_DAMPING = 15.0, 1.6  # N m/rad, N m s/rad: a relaxed driver with both hands
WHEEL_INERTIA = 0.04  # kg m^2, of a rim of 0.3 m and a direct drive
WHEEL_FRICTION = 0.02  # N m s/rad


class Rim:
    """The wheel in the driver's hands; angles in rad to the left, torques in N m.

    The force goes the way of the program: torque of a tick, stream, level, strength of the wheel.
    """

    def __init__(self, vehicle, world, setup):
        self.vehicle, self.dt, self.setup = vehicle, world.tick_seconds, setup
        self.steering, self.torque = RimSteering(vehicle), RimTorque(vehicle, world.tick_seconds)
        self.stream = ForceStream(world.tick_seconds, setup.strength, setup.slew)
        self.stream.active = True
        self.angle = self.rate = self.force = 0.0
        self.now = 0.0

    def step(self, wanted):
        """A tick with the arms pulling to an angle, or without hands if it is None."""
        self.stream.feed(self.torque.step(self.setup))
        self.now += self.dt
        self.force = self.setup.strength * float(next_level(self.stream.record, self.now))
        arms = 0.0 if wanted is None else ARMS * (wanted - self.angle) - ARM_DAMPING * self.rate
        self.rate += (self.force + arms - WHEEL_FRICTION * self.rate) / WHEEL_INERTIA * self.dt
        self.angle += self.rate * self.dt

    def command(self, speed):
        return self.steering.command(-self.angle, speed, self.dt)


SETUP = PRESETS["direct drive, 5 to 9 N m"]


@pytest.mark.parametrize("speed", [15.0, 30.0])
def test_without_hands_the_car_runs_straight(speed):
    """From a rim at 20 degrees to the left the wheel finds the middle by itself, and stays there."""
    vehicle = load_vehicle("mx5_na")
    world = flat_world(vehicle)
    vehicle.state["body"]["velocity"][0, 1] = speed
    vehicle.state["wheel"]["omega"][0, :4] = speed / vehicle.params["wheel"]["radius"][0, :4]
    rim = Rim(vehicle, world, SETUP)
    angles = []
    while world.time < 8.0:
        rim.step(math.radians(20.0) if world.time < 1.5 else None)
        command = neutral_command()
        command["steer"], command["gear"] = rim.command(float(vehicle.state["response"]["speed"][0])), NEUTRAL
        assert world.step(command) is None
        angles.append(math.degrees(rim.angle))
    held = angles[round(1.4 / world.tick_seconds)]
    last = np.array(angles[round(5.0 / world.tick_seconds) :])
    assert held > 8.0
    assert abs(last).max() < 3.0
    assert np.ptp(last) < 2.0  # it does not swing on


def oval(straight=90.0, radius=35.0, spacing=5.0):
    """Counter-clockwise stadium around the origin, [n, 2]; it begins in the middle of a straight."""
    angle = np.linspace(-math.pi / 2, math.pi / 2, round(math.pi * radius / spacing))
    x = np.arange(0.0, straight / 2, spacing)
    bend = np.column_stack([straight / 2 + radius * np.cos(angle), radius * np.sin(angle)])
    ends = np.column_stack([x, np.full(len(x), -radius)]), np.column_stack([x[:0:-1], np.full(len(x) - 1, radius)])
    half = np.vstack([ends[0], bend, ends[1]])
    return np.vstack([half, -half])


@pytest.mark.parametrize("name", ["mx5_na", "golf_gti_mk7"])
def test_a_driver_of_spring_and_mass_drives_a_lap_by_force(name):
    """The arms follow the line, the force pulls at them, and neither wins."""
    vehicle, line = load_vehicle(name), oval()
    world = World(load_world("plane"), [vehicle])
    world.place(0, line[0], -math.pi / 2)
    follower = LineFollower(line, wheelbase(vehicle), largest_steer(vehicle), top_speed=15.0)
    rim, forces, misses, distances = Rim(vehicle, world, SETUP), [], [], []
    table, lock = vehicle.params["response"]["steer_table"][0], rim_lock(vehicle)
    while follower.laps < 1 and world.time < 60.0:
        motion = motion_of(vehicle, world.time)
        command = follower.command(motion.position, motion.heading, motion.speed, world.tick_seconds).copy()
        wanted = -lock * steer_response(table, float(command["steer"][0]), motion.speed)
        rim.step(wanted)
        command["steer"] = rim.command(motion.speed)
        assert world.step(command) is None
        forces.append(rim.force)
        misses.append(rim.angle - wanted)
        distances.append(np.hypot(*(line - np.array(motion.position[:2])).T).min())
    assert follower.laps == 1
    assert max(distances) < 4.0  # m; the line's points are 5 m apart
    assert np.abs(forces).max() > 1.0  # something was felt
    assert np.degrees(np.sqrt(np.mean(np.square(misses)))) < 25.0  # the hands keep the wheel
