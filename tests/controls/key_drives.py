"""Drives by keys on a plane: the program's Keyboard and PlayerDriver, whose command steps a World; no window.

Angles are positive to the left, as in the core; a position's x is to the right of the start, y ahead.
"""

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from driving_sandbox.benchmarks.scenes import flat_world, forward_gear
from driving_sandbox.game.controls.keyboard import Keyboard
from driving_sandbox.game.controls.presets import NORMAL, SIMULATION
from driving_sandbox.game.session.drivers import PlayerDriver
from driving_sandbox.game.session.situation import Situation
from driving_sandbox.game.windows.bindings_file import load_bindings
from driving_sandbox.physics.maths.quat import rotate_inverse
from driving_sandbox.physics.tick.commands import neutral_command

KMH = 1.0 / 3.6  # m/s
ROAD_SPEED = 100.0 * KMH  # m/s, of most tests
SHARE_OF_TOP = 0.9  # of the top speed, for vehicles that do not reach the speed of a test
MAX_RUN_TIME = 150.0  # s for a vehicle to reach its speed
MIN_GAIN = 0.02  # m/s^2; a vehicle that gains less has reached its top speed
MIN_SPEED = 5.0  # m/s; below this the direction of the velocity says little
# of `steady_limit`
RAMP = 25.0  # s from straight to full steering
THROTTLE_GAIN = 0.5  # s/m, change of throttle per m/s below the initial speed
SLIDE = math.radians(10.0)  # a vehicle that slides more is beyond its limit
STEADY_SHARE = 0.85  # of the initial speed; a turn that slows the vehicle more is not steady
MAX_STEADY_ROLL = math.radians(15.0)  # beyond it the vehicle tips


class PlaneMotion(NamedTuple):
    """Motion of a vehicle in the plane, and its roll."""

    x: float  # m, of the centre of mass
    y: float  # m
    heading: float  # rad
    speed: float  # m/s
    sideslip: float  # rad
    yaw_rate: float  # rad/s
    roll: float  # rad


def plane_motion(vehicle):
    """The present PlaneMotion of a vehicle."""
    body = vehicle.state["body"][0]
    q = tuple(body["orientation"].tolist())
    right, ahead, _ = rotate_inverse(q, tuple(body["velocity"].tolist()))
    qx, qy, qz, qw = q
    heading = math.atan2(2.0 * (qw * qz + qx * qy), 1.0 - 2.0 * (qx * qx + qz * qz))
    roll = math.atan2(2.0 * (qw * qy - qx * qz), 1.0 - 2.0 * (qx * qx + qy * qy))
    speed = math.hypot(right, ahead)
    x, y, _ = body["position"].tolist()
    sideslip = math.atan2(-right, ahead) if speed > MIN_SPEED else 0.0
    return PlaneMotion(x, y, heading, speed, sideslip, float(body["angular_velocity"][2]), roll)


class KeyDrive:
    """A vehicle driven by keys, on a plane unless a World is given.

    Attributes:
        now: the present PlaneMotion.
        command: the last command, a COMMAND record.
        log: [(PlaneMotion, steer command)] after every tick.
    """

    def __init__(self, name, surface=0, aided=True, world=None):
        self.world = world or flat_world(name, friction_surface=surface)
        self.vehicle = self.world.vehicles[0]
        self.driver = PlayerDriver(self.vehicle, NORMAL if aided else SIMULATION)
        bindings = load_bindings()
        self.keys = {action: keys[0] for action, keys in bindings.keys.items() if keys}
        self.keyboard = Keyboard(bindings.keys)
        self.situation = Situation(self.vehicle, self.world.tick_seconds)
        self.commands = np.concatenate([neutral_command() for _ in self.world.vehicles])
        self.log = []

    now = property(lambda self: plane_motion(self.vehicle))
    command = property(lambda self: self.commands[0])

    def hold(self, actions):
        """Press and release keys so that just the keys of the actions are down."""
        keys_to_hold = {self.keys[action] for action in actions}
        for key in set(self.keys.values()) - keys_to_hold:
            self.keyboard.key_up(key)
        for key in sorted(keys_to_hold):
            self.keyboard.key_down(key)

    def tick(self):
        """One tick with the keys that are down."""
        self.driver.human_driver.take(self.keyboard)
        self.situation.tick = self.world.tick
        self.commands[:] = self.driver(self.situation)[0]
        self.situation.commanded_gear = int(self.commands["gear"][0])
        fault = self.world.step(self.commands)
        assert fault is None, fault.text
        self.log.append((self.now, float(self.commands["steer"][0])))

    def run(self, seconds, actions=()):
        self.hold(actions)
        for _ in range(round(seconds / self.world.tick_seconds)):
            self.tick()

    def reach(self, speed):
        """Accelerate at full throttle to `speed`, m/s; returns the speed reached.

        A vehicle with a lower top speed, or that needs more than MAX_RUN_TIME, coasts down to SHARE_OF_TOP of its
        highest speed.
        """
        top = 0.0
        while self.now.speed < speed:
            before = self.now.speed
            self.run(1.0, ["throttle"])
            if self.world.time > MAX_RUN_TIME or (self.world.time > 20.0 and self.now.speed - before < MIN_GAIN):
                top = self.now.speed
                break
        if top:
            speed = SHARE_OF_TOP * top
            while self.now.speed > speed:
                self.run(0.1)
        self.log.clear()
        return speed

    def largest_sideslip(self):
        """Largest sideslip angle in the log, degrees."""
        return math.degrees(max(abs(m.sideslip) for m, _ in self.log))


@cache
def at_speed(name, speed=ROAD_SPEED):
    """(snapshot, speed) of a vehicle that drives straight at a speed."""
    drive = KeyDrive(name)
    speed = drive.reach(speed)
    return drive.world.snapshot(), speed


def drive_at_speed(name, speed=ROAD_SPEED, surface=0, aided=True):
    """(KeyDrive at a speed, the speed); speed in m/s, less where the vehicle does not reach it."""
    state, speed = at_speed(name, speed)
    drive = KeyDrive(name, surface, aided)
    drive.world.restore(state)
    drive.driver.jumped(drive.situation)
    return drive, speed


@cache
def steady_limit(name, speed=ROAD_SPEED):
    """Largest lateral acceleration, m/s^2, averaged over a second, while the steering is slowly turned at a speed."""
    drive, speed = drive_at_speed(name, speed)
    command, courses, dt = drive.commands, [], drive.world.tick_seconds
    command[:] = neutral_command()
    command["gear"] = forward_gear(drive.vehicle)
    for k in range(round(RAMP / dt)):
        m = drive.now
        command["steer"] = -k * dt / RAMP
        command["throttle"] = min(max(0.3 + THROTTLE_GAIN * (speed - m.speed), 0.0), 1.0)
        drive.world.step(command)
        if abs(m.sideslip) > SLIDE or abs(m.roll) > MAX_STEADY_ROLL or m.speed < STEADY_SHARE * speed:
            break
        courses.append((m.heading + m.sideslip, m.speed))
    course, speeds = np.unwrap([c for c, _ in courses]), np.array([v for _, v in courses])
    span = round(1.0 / dt)
    if len(course) <= span:
        return 0.0
    return float(((course[span:] - course[:-span]) * speeds[span:]).max())
