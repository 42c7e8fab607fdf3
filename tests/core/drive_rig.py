"""Whole vehicles on simple grounds, simulated by the compiled `run` of their component list."""

import math

import numpy as np

from driving_sandbox.physics.ground.arrays import JOINT_DEPTH, ROUGHNESS_AMPLITUDE
from driving_sandbox.physics.ground.ground import Ground, Heightfield, plane_ground
from driving_sandbox.physics.ground.surfaces import default_surfaces
from driving_sandbox.physics.maths.quat import rotate_inverse
from driving_sandbox.physics.tick.commands import AUTOMATIC, COMMAND, NEUTRAL, neutral_command
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

VEHICLES = ("roadster_simple", "hatchback", "offroader", "buggy")
GRAVITY = 9.81  # m/s^2
ASPHALT = default_surfaces().index("asphalt")


def slope_ground(degrees, half_size=640.0, cell=32.0):
    """A plane rising towards +y, as a heightfield of 2 `half_size` by 2 `half_size` m with a grid of `cell` m."""
    n = round(2 * half_size / cell) + 1
    y = -half_size + cell * np.arange(n)
    heights = np.repeat((math.tan(math.radians(degrees)) * y)[:, None], n, axis=1).astype(np.float32)
    return Ground(Heightfield(heights, np.full((n - 1, n - 1), ASPHALT, np.uint8), (-half_size, -half_size), cell))


def field_ground(height, half_size=128.0, cell=0.5):
    """A heightfield of the function height(x, y) of arrays, m; half_size: of its square, cell: of its grid, m."""
    n = round(2 * half_size / cell) + 1
    x, y = np.meshgrid(-half_size + cell * np.arange(n), -half_size + cell * np.arange(n))
    heights = np.asarray(height(x, y), np.float32)
    return Ground(Heightfield(heights, np.full((n - 1, n - 1), ASPHALT, np.uint8), (-half_size, -half_size), cell))


def farthest_over(spawn, vehicle, seconds, stop_every, throttle, steer):
    """Drive from a spawn point of the proving ground, braking in the last 1.5 s of every `stop_every` seconds.

    The steering command is a sine of amplitude `steer` and a period of 7 s. Returns the largest distance from the
    start, m. A fault fails the test.
    """
    world = World(load_world("proving_ground"), [vehicle])
    world.spawn(spawn)
    start, command, farthest = np.array(vehicle.model_position()), neutral_command(), 0.0
    for tick in range(round(seconds / world.tick_seconds)):
        t = tick * world.tick_seconds
        command["gear"] = AUTOMATIC
        command["throttle"], command["brake"] = (0.0, 1.0) if t % stop_every > stop_every - 1.5 else (throttle, 0.0)
        command["steer"] = steer * math.sin(0.9 * t)
        assert world.step(command) is None
        farthest = max(farthest, float(np.linalg.norm(np.array(vehicle.model_position()) - start)))
    return farthest


def carcass_work(history):
    """Energy stored in tire carcasses by deflection since the first tick, J.

    Zero for tires without carcass deflection.
    """
    tire = history["tire"]
    work = np.zeros(len(history))
    for direction in ("longitudinal", "lateral"):
        if f"{direction}_deflection" in tire.dtype.names:
            force, deflection = tire[f"{direction}_force"], tire[f"{direction}_deflection"]
            work[1:] += np.cumsum((0.5 * (force[1:] + force[:-1]) * np.diff(deflection, axis=0)).sum(axis=1))
    return work


class Drive:
    """One vehicle on a ground: `run(2.0, throttle=1.0)` holds commands for two seconds.

    vehicle: a Vehicle, or the name of a shipped one.
    ground: level asphalt by default.
    heading: rad, from +y to the left.
    position: (x, y) on the ground, or (x, y, z), of the model's origin, m.
    values: {path of a parameter: value}.
    tick: s.
    smooth: whether to remove roughness and joints of the road, which the theories compared with do not have.
    """

    def __init__(
        self,
        vehicle="roadster_simple",
        ground=None,
        heading=0.0,
        position=(0.0, 0.0),
        values=None,
        tick=1.0 / 240.0,
        smooth=True,
    ):
        self.vehicle = load_vehicle(vehicle) if isinstance(vehicle, str) else vehicle
        if values:
            self.vehicle.set_many(values)
        self.ground = plane_ground() if ground is None else ground
        if smooth:
            self.ground.arrays.surfaces[:, [ROUGHNESS_AMPLITUDE, JOINT_DEPTH]] = 0.0
        self.world = World(self.ground, [self.vehicle], tick_seconds=tick)
        self.world.place(0, position, heading)
        self.dt = tick

    def ticks(self, commands, external=None):
        """Run an array of commands; fails the test on a fault."""
        self.world.tick_seconds = self.dt  # some tests change it
        for tick in range(len(commands)):
            acting = None if external is None else external[tick : tick + 1]
            fault = self.world.step(commands[tick : tick + 1], acting)
            assert fault is None, f"tick {tick}: {fault}"
        return self

    def run(self, seconds, force=None, **values):
        """Hold commands, and an external force (world, N), for some seconds."""
        n = round(seconds / self.dt)
        external = None
        if force is not None:
            external = np.zeros(n, EXTERNAL)
            external["force"] = force
        return self.ticks(self.commands(n, **values), external)

    def commands(self, n, **values):
        """Equal commands for `n` ticks, in neutral unless `values` has a gear."""
        commands = np.zeros(n, COMMAND)
        commands["gear"] = NEUTRAL
        for name, value in values.items():
            commands[name] = value
        return commands

    def log(self, seconds, read, every=0.01, **values):
        """Values of read(drive) every `every` seconds while commands are held."""
        rows = []
        for _ in range(round(seconds / every)):
            self.run(every, **values)
            rows.append(read(self))
        return np.array(rows)

    def wheels(self, slot, name):
        """A state field of all wheels."""
        return self.vehicle.state[slot][0][name][: self.vehicle.wheel_count].copy()

    def body(self, name):
        """A state field of the body."""
        return self.vehicle.state["body"][0][name].copy()

    @property
    def position(self):
        """Position of the model's origin, m."""
        return np.array(self.vehicle.model_position())

    @property
    def local_velocity(self):
        """Velocity right, forward, up, m/s."""
        q = tuple(self.body("orientation").tolist())
        return np.array(rotate_inverse(q, tuple(self.body("velocity").tolist())))

    @property
    def speed(self):
        """Forward speed, m/s."""
        return float(self.local_velocity[1])

    def energy(self):
        """Kinetic energy of body and rotating wheels, potential energy of body, springs and anti-roll bars, J."""
        v, b = self.vehicle, self.vehicle.state["body"][0]
        p = v.params["body"][0]
        w = np.array(rotate_inverse(tuple(b["orientation"].tolist()), tuple(b["angular_velocity"].tolist())))
        # a tilted suspension acts along the road normal by stiffness x depth, so its energy is that of the depth
        slope = (self.wheels("suspension", "direction") * self.wheels("road", "normal")).sum(axis=1)
        depth = self.wheels("suspension", "jounce") * slope
        springs = 0.5 * v.params["suspension"][0]["stiffness"][: v.wheel_count] @ depth**2
        wheels = 0.5 * v.params["wheel"][0]["inertia"][: v.wheel_count] @ self.wheels("wheel", "omega") ** 2
        body = 0.5 * p["mass"] * b["velocity"] @ b["velocity"] + 0.5 * p["inertia"] @ w**2
        bars = 0.0
        if "antiroll" in v.params.dtype.names:
            a, jounce = v.params["antiroll"][0], self.wheels("suspension", "jounce")
            for k in range(int(a["stiffness"]["count"])):
                i, j = int(a["wheel_a"]["values"][k]), int(a["wheel_b"]["values"][k])
                bars += 0.5 * a["stiffness"]["values"][k] * (jounce[i] - jounce[j]) ** 2
        return float(body + wheels + springs + bars + p["mass"] * GRAVITY * b["position"][2])
