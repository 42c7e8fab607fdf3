"""A drive with sound but without a window; its samples go to the SDL audio driver that the environment names."""

import time

import numpy as np

from driving_sandbox.game.audio.hearing import Hearing
from driving_sandbox.game.program.settings import Settings
from driving_sandbox.game.session.session import Session
from driving_sandbox.game.view.cameras.view import View
from driving_sandbox.physics.tick.commands import neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

FRAME = 1.0 / 60.0  # s


def view_at(x, y=0.0, z=1.5):
    """A View from (x, y, z), m, along the y axis."""
    return View(np.array([x, y, z]), np.array([x, y + 10.0, z]), fov=1.0)


class Drive:
    """A session with a roadster at full throttle on the plane, and its Hearing; frames take real time."""

    def __init__(self, compiler=None, **settings):
        self.world = World(load_world("plane"), [load_vehicle("roadster")])
        self.world.spawn()
        self.session, self.settings, self.said = Session(self.world), Settings(**settings), []
        self.hearing = Hearing(self.world, self.settings, self.say, self.session.signals, compiler)
        self.session.on_tick.append(self.hearing.tick)
        self.command = neutral_command()
        self.command["throttle"] = 1.0

    def say(self, text, level="info"):
        self.said.append((text, level))

    def run(self, seconds, speed=1.0):
        """Step through frames for some real seconds, in which `speed` times as many are simulated."""
        for _ in range(round(seconds / FRAME)):
            self.session.step(FRAME * speed, lambda situation: self.command)
            moment = self.world.tick - 1.0 + self.session.clock.fraction
            view = view_at(*self.world.vehicles[0].model_position()[:2])
            self.hearing.frame(view, moment=moment, speed=0.0 if self.session.paused else speed)
            time.sleep(FRAME)

    def close(self):
        self.hearing.close()
        self.session.close()


def heard(path):
    """Samples that were written so far, float32 [count, 2]."""
    values = np.fromfile(path, np.float32)
    return values[: len(values) // 2 * 2].reshape(-1, 2)
