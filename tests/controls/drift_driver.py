"""A scripted driver who drifts a car by keys around the skid pad's circle of 30 m radius, to the left.

The driver sees the motion 80 to 150 ms late (drawn anew for each decision), decides ten times a second, and each key
goes down or up up to 30 ms late. In second gear they begin the slide with a dab at the handbrake. From sideslip and its
rate they expect a sideslip LOOK later and hold

    a steering key    where the expected sideslip is off the wanted one by more than DEAD_BAND; the wanted one grows
                      with the distance from the circle, and with the speed away from it
    the throttle      unless the car will slide too far, or is far outside and slides enough
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
LATENESS = 0.03  # s by which a key goes down or up late at most
CENTRE, RADIUS = (-650.0, 80.0), 30.0  # m, of the circle
ENTRY_SPEED = 12.08  # m/s at which the slide begins
DAB = 0.122  # s for which the handbrake is pulled
LOOK = 0.28  # s for which sideslip is expected to change as it does now
RATE_TIME = 0.05  # s over which the rate is seen
WANTED = math.radians(26.5)  # sideslip
DEAD_BAND = math.radians(3.5)
PER_METRE, PER_SPEED = math.radians(0.17), math.radians(0.64)  # rad/m and rad s/m, change of the wanted sideslip
LARGEST_CHANGE = math.radians(7.0)  # of the wanted sideslip
TOO_FAR = math.radians(79.5)  # expected sideslip from which the throttle is released
OUTSIDE, ENOUGH = RADIUS + 8.4, math.radians(43.6)  # m, rad: released, too, when farther out and sliding more than this
LEAST, MOST = math.radians(25.0), math.radians(45.0)  # sideslip that counts as held
NEAREST, FARTHEST = 18.0, 42.0  # m from the centre that count as around the circle


class Row(NamedTuple):
    """Time (s), sideslip with the nose inwards (rad), distance from the circle's centre (m)."""

    time: float
    sideslip: float
    distance: float


class DriftDriver:
    """Drifts a vehicle around the circle.

    Args:
        name: of the vehicle.
        preset: name of the preset of aids.
        seed: of delays and errors.
        values: {path: value} of parameters to change.
    Attributes:
        rows: Row after every tick since the handbrake was released.
    """

    def __init__(self, name, preset, seed=1, values=None):
        world = World(load_world("proving_ground"), [load_vehicle(name)], props=())
        for path, value in (values or {}).items():
            world.vehicles[0].set(path, value)
        world.merge(0)
        world.spawn("skid_pad")
        self.drive = KeyDrive(name, world=world)
        self.drive.driver.aids = PRESETS[preset]
        self._random = np.random.default_rng(seed)
        self._ticks = {name: round(seconds / world.tick_seconds) for name, seconds in
                       {"period": PERIOD, "rate": RATE_TIME, "longest": LONGEST_DELAY}.items()}  # fmt: skip
        self._seen = deque(maxlen=self._ticks["longest"] + self._ticks["rate"] + 1)
        self.rows = []

    def _see(self):
        m = self.drive.now
        self.rows.append(Row(self.drive.world.time, -m.sideslip, math.dist((m.x, m.y), CENTRE)))
        self._seen.append(self.rows[-1])

    def _wanted_keys(self):
        """The keys for the coming period."""
        back = round(self._random.uniform(SHORTEST_DELAY, LONGEST_DELAY) / self.drive.world.tick_seconds)
        first = -len(self._seen)
        seen, before = self._seen[max(-1 - back, first)], self._seen[max(-1 - back - self._ticks["rate"], first)]
        elapsed = max(seen.time - before.time, 1e-3)
        expected = seen.sideslip + (seen.sideslip - before.sideslip) / elapsed * LOOK
        change = PER_METRE * (seen.distance - RADIUS) + PER_SPEED * (seen.distance - before.distance) / elapsed
        error = WANTED + min(max(change, -LARGEST_CHANGE), LARGEST_CHANGE) - expected
        keys = [] if abs(error) < DEAD_BAND else ["steer_left" if error > 0.0 else "steer_right"]
        if expected < TOO_FAR and (seen.distance < OUTSIDE or expected < ENOUGH):
            keys.append("throttle")
        return keys

    def _approach(self):
        """Drive onto the circle at the speed at which the slide begins, and dab at the handbrake in second gear."""
        self.drive.run(1.0)
        while self.drive.now.speed < ENTRY_SPEED:
            m = self.drive.now
            outside = math.dist((m.x, m.y), CENTRE) > RADIUS
            self.drive.run(0.1, ["throttle", "steer_left"] if outside else ["throttle"])
        self.drive.run(DAB, ["steer_left", "handbrake"])
        for action in ("toggle_automatic", "gear_up"):
            self.drive.driver.human_driver.press(action)

    def run(self, seconds):
        """Begin the slide and hold it for some seconds."""
        self._approach()
        world, keys = self.drive.world, ["steer_left", "throttle"]
        coming, change = keys, world.tick
        for k in range(round(seconds / world.tick_seconds)):
            self._see()
            if k % self._ticks["period"] == 0:
                coming = self._wanted_keys()
                change = world.tick + round(self._random.uniform(0.0, LATENESS) / world.tick_seconds)
            if world.tick >= change:
                keys = coming
            self.drive.hold(keys)
            self.drive.tick()

    def longest(self):
        """Longest time for which the sideslip stayed between LEAST and MOST around the circle, s."""
        best, begin = 0.0, None
        for row in self.rows:
            if not (LEAST <= row.sideslip <= MOST and NEAREST <= row.distance <= FARTHEST):
                begin = None
                continue
            begin = row.time if begin is None else begin
            best = max(best, row.time - begin)
        return best
