"""A car, a plane and props for tests, simulated as in a session."""

import math

import numpy as np

from driving_sandbox.physics.maths import quat
from driving_sandbox.physics.props.placing import PlacedProp
from driving_sandbox.physics.props.records import HEAVY
from driving_sandbox.physics.tick.commands import NEUTRAL, neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

EMPTY = """\
name: Empty
gravity: 0
air_density: 0
terrain: {plane: -500, surface: asphalt}
spawn_points: {start: {position: [0, 0]}}
"""


def placed_prop(kind, x, y, heading=0.0, height=None, rise=0.0):
    """A PlacedProp.

    x, y: m, centre of its underside.
    heading: rad.
    height: m, z of its underside; None puts it on the ground.
    rise: m above that height.
    """
    return PlacedProp(kind, (x, y), height, rise, heading, group=0)


def flat(props=(), vehicles=("roadster_simple",), ground="plane"):
    """A world on the plane with the vehicles far from the origin."""
    world = World(load_world(ground), [load_vehicle(name) for name in vehicles], props=props)
    for i in range(len(vehicles)):
        world.place(i, (1000.0 + 20.0 * i, 0.0), 0.0)
    return world


def weightless(tmp_path, props=(), vehicles=("roadster_simple",), gravity=0.0):
    """A world in empty space: without air, the ground 500 m below, by default without gravity, m/s^2."""
    path = tmp_path / "empty.yaml"
    path.write_text(EMPTY.replace("gravity: 0\n", f"gravity: {gravity}\n"))
    return World(load_world(path), [load_vehicle(name) for name in vehicles], props=props)


def launch(vehicle, speed, direction=(0.0, 1.0, 0.0)):
    """Set a vehicle's speed, m/s, and direction of motion; its wheels turn as if it rolled forward at that speed."""
    vehicle.state["body"]["velocity"][0] = speed * np.array(direction)
    n = vehicle.wheel_count
    vehicle.state["wheel"]["omega"][0, :n] = speed / vehicle.params["wheel"]["radius"][0, :n]


def throw(world, k=None, velocity=(0.0, 0.0, 0.0), spin=(0.0, 0.0, 0.0)):
    """Wake prop k, or all props, with a velocity, m/s, and an angular velocity, rad/s."""
    state, index = world.props.state, slice(None) if k is None else k
    state["awake"][index], state["velocity"][index], state["angular_velocity"][index] = 1, velocity, spin
    world.props.check_again()


def awake(world):
    """Indices of the props that move."""
    return np.flatnonzero(world.props.state["awake"]).tolist()


def displacements(world):
    """Distance of each prop from its start, m."""
    return np.linalg.norm(world.props.poses()[:, :3] - world.props.start_poses[:, :3], axis=1)


def coasting_command(**values):
    """A command in neutral, by default without brake and throttle."""
    command = neutral_command()
    command["gear"] = NEUTRAL
    for name, value in values.items():
        command[name] = value
    return command


def run(world, seconds, command=None, each=None):
    """Simulate as a session does.

    command: record for every vehicle, or function that returns the records of all; by default neutral.
    each: function called after every tick.
    """
    command = coasting_command() if command is None else command
    for _ in range(round(seconds / world.tick_seconds)):
        commands = command() if callable(command) else np.concatenate([command] * len(world.vehicles))
        fault = world.step(commands)
        assert fault is None, fault.text
        if each:
            each()


def cruise(vehicle, speed):
    """A function that returns commands for one vehicle at a constant speed, m/s, in first gear."""

    def drive():
        command = neutral_command()
        missing = speed - float(vehicle.state["body"]["velocity"][0, 1])
        command["throttle"], command["brake"] = max(0.0, min(0.6, missing)), max(0.0, min(0.5, -0.5 * missing - 0.2))
        command["gear"] = 2
        return command

    return drive


def moving_count(world, i=0):
    """Number of moving bodies that were passed to a vehicle in the last tick."""
    return 0 if world.acted is None else int(world.acted["moving_count"][i])


def momentum(vehicle):
    """(linear, angular about the world's origin) momentum of a vehicle's body."""
    body, params = vehicle.state["body"][0], vehicle.params["body"][0]
    return _momentum(body, float(params["mass"]), params["inertia"])


def prop_momentum(world, k):
    """(linear, angular about the world's origin) momentum of a prop."""
    kind = world.props._arrays.kinds[world.props._arrays.kind_of[k]]
    inertia = np.where(kind["inertia"] < HEAVY, kind["inertia"], 0.0)  # a hinged prop turns about one axis only
    return _momentum(world.props.state[k], float(kind["mass"]), inertia)


def _momentum(body, mass, inertia):
    """(linear, angular) momentum of a body about the world's origin."""
    linear = mass * body["velocity"]
    matrix = rotation(body["orientation"])
    spin = matrix @ (inertia * (matrix.T @ body["angular_velocity"]))
    return linear, np.cross(body["position"], linear) + spin


def energy(world, gravity=9.81):
    """Kinetic and potential energy of all props, J; gravity: m/s^2."""
    total, arrays = 0.0, world.props._arrays
    for prop, number in zip(world.props.state, arrays.kind_of, strict=True):
        kind, q = arrays.kinds[number], tuple(prop["orientation"].tolist())
        w = np.array(quat.rotate_inverse(q, tuple(prop["angular_velocity"].tolist())))
        twice_kinetic = kind["mass"] * (prop["velocity"] @ prop["velocity"]) + kind["inertia"] @ (w * w)
        total += 0.5 * twice_kinetic + kind["mass"] * gravity * prop["position"][2]
    return float(total)


def rotation(q):
    """Rotation matrix of a quaternion (x, y, z, w)."""
    x, y, z, w = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def angle_from_start(world, k):
    """Angle between the orientations of a prop and of its start, rad."""
    return 2.0 * math.acos(min(1.0, abs(float(world.props.poses()[k, 3:] @ world.props.start_poses[k, 3:]))))
