"""A scripted driver who drifts a car by keys around the skid pad's circle of 30 m radius, to the left.

The driver sees the motion 80 to 150 ms late (drawn anew for each decision), decides ten times a second, and each key
goes down or up with a random error of up to 30 ms. They start the slide with the handbrake and then hold it by three
rules: the counter-steer key while sideslip and its rate say that it will exceed the wanted one, the throttle unless the
car is far outside or will slide too far, and the handbrake again where the slide ends.
"""

import math
from collections import deque
from typing import NamedTuple

import numpy as np
from key_drives import KeyDrive

from driving_sandbox.game.controls.presets import PRESETS
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

SHORTEST_DELAY, LONGEST_DELAY = 0.08, 0.15  # s
PERIOD = 0.1  # s from one decision to the next
ERROR = 0.03  # s, largest error of the moment at which a key goes down or up
CENTRE, RADIUS = (-650.0, 80.0), 30.0  # m, of the circle
ENTRY_SPEED = 12.5  # m/s at which the slide begins
ENTRY_TIME = 0.45  # s for which the handbrake is pulled
WANTED = math.radians(35.0)  # sideslip
FEWEST, MOST = math.radians(25.0), math.radians(45.0)  # sideslip that counts as held
MAX_THROTTLE = math.radians(50.0)
LOOK = 0.35  # s for which the driver expects sideslip to change as it does now


class Row(NamedTuple):
    """Time (s), sideslip with the nose inwards (rad), distance from the circle's centre (m), speed (m/s)."""

    time: float
    sideslip: float
    distance: float
    speed: float


class DriftDriver:
    """Drifts a vehicle around the circle.

    Args:
        name: of the vehicle.
        preset: name of the preset of aids.
        seed: of delays and errors.
    Attributes:
        rows: Row after every tick since the handbrake was pulled.
    """

    def __init__(self, name, preset, seed=1):
        world = World(load_world("proving_ground"), [load_vehicle(name)], props=())
        world.merge(0)
        world.spawn("skid_pad")
        self.drive = KeyDrive(name, world=world)
        self.drive.driver.aids = PRESETS[preset]
        self._random = np.random.default_rng(seed)
        self._seen = deque(maxlen=round((LONGEST_DELAY + PERIOD) / world.tick_seconds) + 1)
        self._keys, self._next, self._change = (), (), 0  # held; from the tick `_change` on
        self.rows = []

    def _see(self):
        m = self.drive.now
        self._seen.append(Row(self.drive.world.time, -m.sideslip, math.dist((m.x, m.y), CENTRE), m.speed))

    def _wanted_keys(self):
        """The keys for the coming period."""
        delay = self._random.uniform(SHORTEST_DELAY, LONGEST_DELAY)
        back = round(delay / self.drive.world.tick_seconds)
        oldest = -len(self._seen)
        seen, before = self._seen[max(-1 - back, oldest)], self._seen[max(-1 - back - 24, oldest)]
        rate = (seen.sideslip - before.sideslip) / max(seen.time - before.time, 1e-3)
        expected = seen.sideslip + rate * LOOK
        keys = ["steer_right" if expected > WANTED else "steer_left"]
        if expected < MAX_THROTTLE:
            keys.append("throttle")
        return tuple(keys)

    def _approach(self):
        """Drive onto the circle at the speed at which the slide begins, and pull the handbrake."""
        self.drive.run(1.0)
        while self.drive.now.speed < ENTRY_SPEED:
            m = self.drive.now
            outside = math.dist((m.x, m.y), CENTRE) > RADIUS
            self.drive.run(0.1, ["throttle", "steer_left"] if outside else ["throttle"])
        self.drive.run(ENTRY_TIME, ["steer_left", "handbrake"])

    def run(self, seconds):
        """Begin the slide and hold it for some seconds."""
        self._approach()
        self._keys = ("steer_left", "throttle")
        world, dt = self.drive.world, self.drive.world.tick_seconds
        for k in range(round(seconds / dt)):
            self._see()
            self.rows.append(self._seen[-1])
            if k % round(PERIOD / dt) == 0:
                self._next = self._wanted_keys()
                self._change = world.tick + round(self._random.uniform(0.0, ERROR) / dt)
            if world.tick >= self._change:
                self._keys = self._next
            self.drive.hold(self._keys)
            self.drive.tick()

    def longest(self):
        """Longest time for which the sideslip stayed between FEWEST and MOST, s."""
        best = begin = None
        for row in self.rows:
            if not FEWEST <= row.sideslip <= MOST:
                begin = None
                continue
            begin = row.time if begin is None else begin
            best = max(best or 0.0, row.time - begin)
        return best or 0.0
