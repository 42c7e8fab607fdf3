"""Worlds of vehicles that meet: helpers that set their initial motion and sum up what collisions conserve."""

import numpy as np

from driving_sandbox.physics.ground.ground import Ground, Plane
from driving_sandbox.physics.maths.quat import from_axis_angle, rotate, rotate_inverse
from driving_sandbox.physics.tick.commands import COMMAND, NEUTRAL, neutral_command
from driving_sandbox.physics.vehicle.swap import plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

RATE = 240  # ticks a second


def world_of(*names, ground="plane", **options):
    """World of these vehicles on the ground of a world file, all at its start; move them with `World.place`."""
    return World(load_world(ground), [load_vehicle(name) for name in names], **options)


def rigid(vehicle):
    """A vehicle with a rigid body in place of a gyrostat."""
    if vehicle.sequence.by_slot["body"].name == "rigid":
        return vehicle
    return swapped_vehicle(vehicle, plan_swap(vehicle, "body", "rigid"))


def in_space(*names, **options):
    """World without weight and air, with the ground out of reach.

    Bodies are rigid, because the wheels of a gyrostat would take up angular momentum.
    """
    world = World(Ground(Plane(-500.0)), [rigid(load_vehicle(name)) for name in names], **options)
    world.context["gravity"], world.context["air_density"] = 0.0, 0.0
    return world


def coasting(world, **values):
    """Neutral commands, one per train (vehicle and trailers); `values`: of fields, one for all or one per train."""
    commands = np.full(len(world.trains), neutral_command()[0], COMMAND)
    commands["gear"] = NEUTRAL
    for name, value in values.items():
        commands[name] = value
    return commands


def launch(vehicle, velocity):
    """Give a vehicle a velocity, m/s in the world, with its wheels rolling along."""
    body, n = vehicle.state["body"][0], vehicle.wheel_count
    body["velocity"] = velocity
    ahead = np.array(rotate(tuple(body["orientation"].tolist()), (0.0, 1.0, 0.0)))
    vehicle.state["wheel"]["omega"][0, :n] = (ahead @ np.array(velocity)) / vehicle.params["wheel"]["radius"][0, :n]


def thrown_together(world, seed):
    """Let the two vehicles of a world in space tumble towards each other."""
    rng = np.random.default_rng(seed)
    for vehicle, side in zip(world.vehicles, (-1.0, 1.0), strict=True):
        axis = rng.normal(size=3)
        orientation = from_axis_angle(tuple(axis / np.linalg.norm(axis)), rng.uniform(0.0, 6.0))
        vehicle.put((4.0 * side + 0.3 * rng.normal(), 0.5 * rng.normal(), 50.0 + 0.3 * rng.normal()), orientation)
        body = vehicle.state["body"][0]
        body["velocity"] = (-side * rng.uniform(2.0, 30.0), rng.normal(), rng.normal())
        body["angular_velocity"] = rng.normal(size=3)
        # kg m^2, as of a sphere, so that steps of the free body conserve its angular momentum
        vehicle.params["body"]["inertia"][0] = 2000.0


def go(world, seconds, commands=None, each=None):
    """Step the world for `seconds`, by default with neutral commands; `each` is called after every tick."""
    commands = coasting(world) if commands is None else commands
    for _ in range(round(seconds * RATE)):
        assert world.step(commands) is None
        if each is not None:
            each()


def positions(world):
    """[vehicles, 3] positions of the centres of mass, m."""
    return np.array([vehicle.state["body"]["position"][0] for vehicle in world.vehicles])


def velocities(world):
    """[vehicles, 3] velocities of the centres of mass, m/s."""
    return np.array([vehicle.state["body"]["velocity"][0] for vehicle in world.vehicles])


def length_of(vehicle):
    """Length of a vehicle's hull, m."""
    hull = vehicle.params["contact"]["hull"][0]
    return float(hull["high"][1] - hull["low"][1])


def conserved(world):
    """(momentum, angular momentum about the world's origin, kinetic energy) of all bodies, without the wheels' spin.

    In N s, N m s and J.
    """
    momentum, angular_momentum, energy = np.zeros(3), np.zeros(3), 0.0
    for vehicle in world.vehicles:
        body, params = vehicle.state["body"][0], vehicle.params["body"][0]
        q, mass, inertia = tuple(body["orientation"].tolist()), params["mass"], params["inertia"]
        rate = np.array(rotate_inverse(q, tuple(body["angular_velocity"].tolist())))
        momentum += mass * body["velocity"]
        spin = np.array(rotate(q, tuple(inertia * rate)))
        angular_momentum += mass * np.cross(body["position"], body["velocity"]) + spin
        energy += 0.5 * mass * body["velocity"] @ body["velocity"] + 0.5 * (inertia * rate) @ rate
    return momentum, angular_momentum, energy
