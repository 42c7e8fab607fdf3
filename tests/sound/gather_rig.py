"""A vehicle alone on the plane, with the FRAME of every tick."""

import numpy as np

from driving_sandbox.physics.tick.commands import neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world
from driving_sandbox.sound.base.frame import EVENTS, FRAME, NUMBERS
from driving_sandbox.sound.gather import Gatherer

RATE = 240  # ticks per second


class Drive:
    """A vehicle alone on the plane, with the FRAME of every tick."""

    def __init__(self, name, world="plane"):
        self.world = World(load_world(world), [load_vehicle(name)])
        self.world.spawn()
        self.vehicle = self.world.vehicles[0]
        self.gatherer = Gatherer(self.vehicle, self.world)
        self.command = neutral_command()

    def run(self, seconds, **inputs):
        """Drive for some seconds with these inputs; returns the FRAMEs of all ticks."""
        for name, value in inputs.items():
            self.command[name] = value
        frames = np.zeros(round(seconds * RATE), FRAME)
        for frame in frames:
            self.world.step(self.command)
            self.gatherer.gather(frame)
        return frames

    def state(self, name):
        return self.vehicle.read(name)


def finite(frame):
    return all(np.isfinite(frame[name]).all() for name, *_ in NUMBERS + EVENTS)
