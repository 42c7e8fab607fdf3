"""A scripted driver who drives the handling course of the proving ground by keys.

The driver sees pose, yaw rate and speed 80 to 150 ms late (drawn anew for each decision), and expects the car to go on
as seen until now. Once a period they aim at the point of the line that they reach in AIM_TIME, and tap a steering key
for as long as turns the car onto the arc through it; they know from trying the car how far a tap turns it. A tap has a
random error of 15 %. Throttle and brake keys are held or released by the speed that they mean to have.
"""

import math
from collections import deque
from functools import cache
from typing import NamedTuple

import numpy as np
from key_drives import KeyDrive
from lane_driver import known_tap

from driving_sandbox.game.controls.presets import PRESETS
from driving_sandbox.lab.drivers.driving_line import DrivingLine
from driving_sandbox.lab.timing import Stopwatch
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

SHORTEST_DELAY, LONGEST_DELAY = 0.08, 0.15  # s
NOISE = 0.15  # of a tap's length, standard deviation
PERIOD = 0.2  # s from one decision to the next
SHORTEST_TAP = 0.03  # s
AIM_DISTANCE, AIM_TIME = 4.0, 0.7  # m, s
TRIED_SPEEDS = (10.0, 16.0, 22.0, 28.0)  # m/s at which the driver has tried a tap
BEND_ACCELERATION, DECELERATION, TOP_SPEED = 5.0, 5.0, 30.0  # m/s^2, m/s^2, m/s that the driver plans with
REVERSAL_GAP = 0.05  # of the steering's range to one side; smaller movements are not counted
ROADS = ("asphalt", "concrete", "kerb", "painted_line")  # surfaces that belong to the course


class Seen(NamedTuple):
    """What the driver sees: position (m), heading (rad), yaw rate (rad/s) and speed (m/s)."""

    x: float
    y: float
    heading: float
    yaw_rate: float
    speed: float


class Result(NamedTuple):
    """Lap times, s; s with a wheel off the road; reversals of the steering command a minute; s of each aid acting."""

    laps: list
    off_road: float
    reversals: float
    acting: dict


@cache
def tap_rates(name, aided):
    """rad of course per second of a tap at TRIED_SPEEDS."""
    return [known_tap(name, speed, aided)[0] for speed in TRIED_SPEEDS]


def reversals(steers):
    """Number of turns of a steering command from one side to the other by at least REVERSAL_GAP."""
    count, extreme, direction = 0, 0.0, 0.0
    for steer in steers:
        if direction * (steer - extreme) > 0.0:
            extreme = steer
        elif abs(steer - extreme) >= REVERSAL_GAP:
            count += direction != 0.0
            extreme, direction = steer, math.copysign(1.0, steer - extreme)
    return count


class CourseDriver:
    """Drives a vehicle around the handling course.

    Args:
        name: of the vehicle.
        preset: name of the preset of aids.
        seed: of delays and errors.
        held_throttle: whether the driver holds the throttle all the time and never brakes.
    """

    def __init__(self, name, preset, seed=1, held_throttle=False):
        file = load_world("proving_ground")
        world = World(file, [load_vehicle(name)], props=())
        world.merge(0)
        world.spawn("course")
        self.drive = KeyDrive(name, world=world)
        self.drive.driver.aids = PRESETS[preset]
        self.drive.driver.use_line(file.driving_line)
        self.drive.run(1.0)
        self.line = DrivingLine(file.driving_line, BEND_ACCELERATION, DECELERATION, TOP_SPEED)
        self.rates = tap_rates(name, PRESETS[preset].steering)
        self.stopwatch = Stopwatch(file.timing)
        self._roads = [k for k, surface in enumerate(file.surfaces) if surface.name in ROADS]
        road, count = self.drive.vehicle.state["road"][0], self.drive.vehicle.wheel_count
        self._hit, self._surface = road["hit"][:count], road["surface"][:count]
        self._steer = self.drive.vehicle.state["response"]["steer"]
        self._random, self._held_throttle = np.random.default_rng(seed), held_throttle
        self._seen = deque(maxlen=round(LONGEST_DELAY / world.tick_seconds) + 1)
        self._index = None
        self._tap = (0, "")  # (tick at its end, key)
        self._pedal = ""

    def _see(self):
        m = self.drive.log[-1][0]
        self._seen.append(Seen(m.x, m.y, m.heading, m.yaw_rate, m.speed))

    def _decide(self):
        """Choose tap and pedal for the coming period."""
        tick_seconds = self.drive.world.tick_seconds
        delay = self._random.uniform(SHORTEST_DELAY, LONGEST_DELAY)
        seen = self._seen[max(len(self._seen) - 1 - round(delay / tick_seconds), 0)]
        heading = seen.heading + seen.yaw_rate * delay
        mean = 0.5 * (seen.heading + heading)
        x, y = seen.x - math.sin(mean) * seen.speed * delay, seen.y + math.cos(mean) * seen.speed * delay
        self._index = self.line.nearest((x, y), self._index)
        aim_x, aim_y = self.line.ahead(self._index, AIM_DISTANCE + AIM_TIME * seen.speed)
        dx, dy = aim_x - x, aim_y - y
        left = -math.cos(heading) * dx - math.sin(heading) * dy
        turn = 2.0 * left / (dx * dx + dy * dy) * seen.speed * PERIOD
        length = abs(turn) / float(np.interp(seen.speed, TRIED_SPEEDS, self.rates))
        length = min(length * (1.0 + NOISE * self._random.standard_normal()), PERIOD)
        if length < SHORTEST_TAP:
            length = SHORTEST_TAP if length > 0.5 * SHORTEST_TAP else 0.0
        self._tap = self.drive.world.tick + round(length / tick_seconds), "steer_left" if turn > 0.0 else "steer_right"
        self._choose_pedal(seen.speed)

    def _choose_pedal(self, speed):
        """Hold the throttle below the planned speed, the brake well above it."""
        ahead = (self._index + round(2.0 * PERIOD * speed / self.line.step)) % len(self.line.speed)
        target = min(float(self.line.speed[self._index]), float(self.line.speed[ahead]))
        if self._held_throttle or speed < target - 0.5:
            self._pedal = "throttle"
        else:
            self._pedal = "brake" if speed > target + 1.0 else ""

    def _off_road(self):
        """Whether any wheel touches a surface that is no road."""
        wheels = zip(self._hit.tolist(), self._surface.tolist(), strict=True)
        return any(hit and surface not in self._roads for hit, surface in wheels)

    def run(self, laps, longest=200.0):
        """Drive timed laps, after the part of a lap to the first gate; returns the Result.

        longest: s per lap, after which the driver gives up.
        """
        world, dt = self.drive.world, self.drive.world.tick_seconds
        off, acting, times, steers = 0, {}, [], []
        start = world.time
        while len(times) < laps and world.time - start < longest * (laps + 1):
            self._see()
            if world.tick % round(PERIOD / dt) == 0:
                self._decide()
            keys = [self._tap[1]] if world.tick < self._tap[0] else []
            self.drive.hold([*keys, self._pedal] if self._pedal else keys)
            self.drive.tick()
            self.stopwatch.step(self.drive.vehicle.model_position(), world.time)
            times = [lap.time for lap in self.stopwatch.laps]
            off += self._off_road()
            for name in self.drive.driver.acting_aids:
                acting[name] = acting.get(name, 0.0) + dt
            steers.append(self._steer.item())
        return Result(times, off * dt, reversals(steers) / ((world.time - start) / 60.0), acting)
