"""Drives watched by a monitor: one vehicle on level or tilted ground, commands held for seconds."""

import math
from functools import cache

import numpy as np
from plain_tires import on_plain_tires

from driving_sandbox.lab.advisor import Monitor
from driving_sandbox.physics.ground.arrays import ROUGHNESS_AMPLITUDE
from driving_sandbox.physics.ground.ground import Ground, Heightfield, plane_ground
from driving_sandbox.physics.ground.surfaces import default_surfaces
from driving_sandbox.physics.maths.quat import rotate
from driving_sandbox.physics.tick.commands import AUTOMATIC, COMMAND, NEUTRAL
from driving_sandbox.physics.tick.context import GRAVITY, new_context
from driving_sandbox.physics.world.world import World

FRAME = 4  # ticks between two searches for symptoms


@cache
def loaded_once(name):
    """A shipped vehicle with combined_slip tires in place of mf_62, the same one at every call."""
    return on_plain_tires(name, massless=False)


def fresh(name="roadster_simple"):
    """A shipped vehicle with combined_slip tires in place of mf_62.

    It is loaded once; every call restores the parameters and the world's context of its file.
    """
    vehicle = loaded_once(name)
    vehicle.params[:] = vehicle.base_params
    vehicle.context = new_context()
    return vehicle


def everywhere(vehicle, slot, **values):
    """{path: value} that sets parameters of a slot to the same values on every wheel."""
    return {f"{slot}.{w}.{key}": value for w in vehicle.wheel_names for key, value in values.items()}


def bumpy_ground(height, half_size=256.0, cell=0.5):
    """A heightfield of asphalt from height(x, y), m."""
    coordinates = np.arange(-half_size, half_size + cell, cell)
    x, y = np.meshgrid(coordinates, coordinates)
    cells = len(coordinates) - 1
    surfaces = np.full((cells, cells), default_surfaces().index("asphalt"), np.uint8)
    return Ground(Heightfield(np.asarray(height(x, y), np.float32), surfaces, (-half_size, -half_size), cell))


class WatchedDrive:
    """A vehicle driven under a monitor: `run(2.0, throttle=1.0)` holds commands for two seconds.

    `advice` maps the id of a symptom to the advice reported. `values` are parameters, {path: value}, or a function of
    the vehicle that returns them; `slope` is in degrees, rising ahead.
    """

    def __init__(
        self,
        vehicle="roadster_simple",
        values=None,
        surface="asphalt",
        tick=1.0 / 240.0,
        substeps=4,
        slope=0.0,
        ground=None,
    ):
        self.vehicle = fresh(vehicle) if isinstance(vehicle, str) else vehicle
        self.vehicle.set_many(values(self.vehicle) if callable(values) else values or {})
        ground = plane_ground(surface=surface) if ground is None else ground
        ground.arrays.surfaces[:, ROUGHNESS_AMPLITUDE] = 0.0
        self.world = World(ground, [self.vehicle], tick, substeps)
        self.world.place(0, (0.0, 0.0), 0.0)
        self.tilt(slope)
        self.monitor, self.advice, self._frame = Monitor(self.vehicle, tick), {}, 0

    def tilt(self, degrees):
        """Gravity as on a slope that rises ahead."""
        angle = math.radians(degrees)
        self.world.context["gravity"][0] = (0.0, -GRAVITY * math.sin(angle), -GRAVITY * math.cos(angle))

    def roll(self, speed):
        """Give the vehicle a forward speed, m/s, with its wheels rolling."""
        q = tuple(self.vehicle.state["body"]["orientation"][0].tolist())
        self.vehicle.state["body"]["velocity"][0] = rotate(q, (0.0, speed, 0.0))
        n = self.vehicle.wheel_count
        self.vehicle.state["wheel"][0]["omega"][:n] = speed / self.vehicle.params["wheel"][0]["radius"][:n]
        return self

    def run(self, seconds, gear=AUTOMATIC, **values):
        """Hold a command while the monitor watches."""
        command = np.zeros(1, COMMAND)
        command["gear"] = gear
        for name, value in values.items():
            command[name] = value
        for _ in range(round(seconds / self.world.tick_seconds)):
            assert self.world.step(command) is None
            self.monitor.sample()
            self._frame += 1
            if self._frame % FRAME == 0:
                self._keep(self.monitor.detect())
        return self

    def _keep(self, advice_list):
        """Add advice to `advice`; fails if its symptom is there already."""
        for advice in advice_list:
            assert advice.id not in self.advice, "reported twice"
            self.advice[advice.id] = advice

    def settle(self, seconds=1.0):
        """Stand in neutral without a pedal for some seconds."""
        return self.run(seconds, gear=NEUTRAL)


def reported(drive, name):
    """The advice with the id `name` reported in a drive; if there is none, the message lists what was reported."""
    assert name in drive.advice, f"{name} is not reported; reported: {[str(a) for a in drive.advice.values()]}"
    return drive.advice[name]
