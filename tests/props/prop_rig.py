"""A car, a plane and props for tests, with the loop a session has."""

import math

import numpy as np

from driving_sandbox.game.props.simulation import PropSimulation
from driving_sandbox.physics.tick.commands import NEUTRAL, neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.props import PlacedProp
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

EMPTY = """\
name: Empty
gravity: 0
air_density: 0
terrain: {plane: -500, surface: asphalt}
spawn_points: {start: {position: [0, 0]}}
"""


def thing(kind, x, y, heading=0.0, height=None, rise=0.0):
    return PlacedProp(kind, (x, y), height, rise, heading, 0)


def flat(things=(), vehicles=("roadster_simple",)):
    """(world, simulation) on the plane, vehicles far from everything."""
    world = World(load_world("plane"), [load_vehicle(name) for name in vehicles])
    for i in range(len(vehicles)):
        world.place(i, (1000.0 + 20.0 * i, 0.0), 0.0)
    return world, PropSimulation(world, things)


def weightless(tmp_path, things=(), vehicles=("roadster_simple",)):
    """(world, simulation) in empty space."""
    path = tmp_path / "empty.yaml"
    path.write_text(EMPTY)
    world = World(load_world(path), [load_vehicle(name) for name in vehicles])
    return world, PropSimulation(world, things)


def launch(vehicle, speed, direction=(0.0, 1.0, 0.0)):
    """Let a vehicle roll at a speed."""
    vehicle.state["body"]["velocity"][0] = speed * np.array(direction)
    n = vehicle.wheel_count
    vehicle.state["wheel"]["omega"][0, :n] = speed / vehicle.params["wheel"]["radius"][0, :n]


def rolling(**values):
    """Command without gear, brake or throttle."""
    command = neutral_command()
    command["gear"] = NEUTRAL
    for name, value in values.items():
        command[name] = value
    return command


def run(world, simulation, seconds, command=None, each=None):
    """Tick as a session does."""
    one = rolling() if command is None else command
    for _ in range(round(seconds / world.tick_seconds)):
        commands = one() if callable(one) else np.concatenate([one] * len(world.vehicles))
        fault = world.step(commands, simulation.outside(world))
        assert fault is None, fault.text
        if each:
            each()
    simulation.read()


def cruise(vehicle, speed):
    """Driver that keeps a speed in first gear."""

    def drive():
        command = neutral_command()
        short = speed - float(vehicle.state["body"]["velocity"][0, 1])
        command["throttle"], command["brake"] = max(0.0, min(0.6, short)), max(0.0, min(0.5, -0.5 * short - 0.2))
        command["gear"] = 2
        return command

    return drive


def momentum(vehicle):
    """(linear, angular about the world's origin) of a vehicle's body."""
    body, params = vehicle.state["body"][0], vehicle.params["body"][0]
    linear = float(params["mass"]) * body["velocity"]
    turn = rotation(body["orientation"])
    spin = turn @ (params["inertia"] * (turn.T @ body["angular_velocity"]))
    return linear, np.cross(body["position"], linear) + spin


def thing_momentum(simulation, k):
    """The same of a prop."""
    node = simulation._nodes[k]
    linear = simulation.kinds[k].mass * np.array(tuple(node.getLinearVelocity()))
    turn = rotation(simulation.poses[k, 3:])
    inertia = np.array(tuple(node.getInertia()))
    spin = turn @ (inertia * (turn.T @ np.array(tuple(node.getAngularVelocity()))))
    return linear, np.cross(simulation.poses[k, :3], linear) + spin


def rotation(q):
    x, y, z, w = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def turned(simulation, k):
    """Angle between a thing and its start, rad."""
    return 2.0 * math.acos(min(1.0, abs(float(simulation.poses[k, 3:] @ simulation.start[k, 3:]))))
