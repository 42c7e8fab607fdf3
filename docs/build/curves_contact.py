"""Curves of contact with the world and other vehicles: hulls, objects under wheels, hitches, and shares of the load."""

import numpy as np

from driving_sandbox.docs.build.curve import DEGREES, KN, Figure, Line, curve, line, parameters, span, vehicle
from driving_sandbox.docs.build.curves_runs import EVERY, command, on_plane, step
from driving_sandbox.physics.maths.quat import rotate
from driving_sandbox.physics.suspension.sprung_mass import sprung_masses
from driving_sandbox.physics.tick.commands import NEUTRAL, REVERSE
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.world.placing import heading_of
from driving_sandbox.physics.world.world import World

DROP_HEIGHT = 2.0  # m of the model's origin
DROP_SECONDS = 4.0  # s, simulated
UPSIDE_DOWN = (0.0, 1.0, 0.0, 0.0)  # half a turn about the forward axis
PLANK_AT = 4.0  # m ahead of the vehicle's origin
PLANK_HALF = (1.5, 0.15, 0.02)  # m, half sizes of a plank of 300 x 40 mm
PLANK_SPEED = 2.0  # m/s
PLANK_SECONDS = 4.5  # s, simulated
REVERSE_SECONDS = 10.0  # s, simulated


def rolling(world: World, speed: float) -> None:
    """Set all vehicles of a world, wheels included, rolling straight ahead at a speed, m/s."""
    for member in world.vehicles:
        member.state["body"]["velocity"][0] = rotate(member.model_orientation(), (0.0, speed, 0.0))
        radius = member.params["wheel"]["radius"][0, : member.wheel_count]
        member.state["wheel"]["omega"][0, : member.wheel_count] = speed / radius


def plank() -> np.ndarray:
    """The record of external bodies with a plank across the vehicle's path."""
    external = np.zeros(1, EXTERNAL)
    e = external[0]
    e["moving_count"] = 1
    e["moving_position"][:3] = (0.0, PLANK_AT, PLANK_HALF[2])
    e["moving_orientation"][:4] = (0.0, 0.0, 0.0, 1.0)
    e["moving_half"][:3] = PLANK_HALF
    e["moving_top"][:2] = (-PLANK_HALF[1], PLANK_HALF[1])
    return external


@curve(
    "driving_sandbox.physics.contact.wheel_reactions",
    "Upward force on the left wheels of the roadster from a plank of 300 x 40 mm that they roll over at 7 km/h; the "
    "plank gets the opposite force. On the road next to the plank no reaction is recorded.",
)
def pressed_plank() -> Figure:
    """Upward force of a plank on the roadster's left wheels, which roll over it."""
    world, external = on_plane("roadster_simple"), plank()
    car = world.vehicles[0]
    rolling(world, PLANK_SPEED)
    positions, forces = [], []
    while world.time < PLANK_SECONDS:
        step(world, command(gear=NEUTRAL), external)
        positions.append(car.model_position()[1])
        forces.append(car.state["wheel_reactions"]["impulse"][0, [0, 2], 2] / world.tick_seconds)
    force = np.array(forces).T * KN
    return Figure("position of the car's middle [m]", "upward force [kN]", [
        Line("front left", np.array(positions), force[0]), Line("rear left", np.array(positions), force[1]),
    ])  # fmt: skip


@curve(
    "driving_sandbox.physics.contact.solver",
    "The roadster dropped on its roof: height of its centre of mass with three restitutions, until it lies still.",
)
def dropped_hull() -> Figure:
    """Height of the roadster dropped on its roof, for three restitutions."""
    lines = []
    for restitution in (0.0, 0.3, 0.6):
        world = on_plane("roadster_simple", **{"contact.restitution": restitution})
        car = world.vehicles[0]
        world.place(0, (0.0, 0.0, DROP_HEIGHT), 0.0)
        car.state["body"]["orientation"][0] = UPSIDE_DOWN
        samples = []
        while world.time < DROP_SECONDS:
            step(world, command(gear=NEUTRAL))
            samples.append((world.time, car.state["body"]["position"][0, 2]))
        time, height = np.array(samples[::EVERY]).T
        lines.append(Line(f"restitution {restitution:g}", time, height))
    return Figure("time [s]", "height [m]", lines)


@curve(
    "driving_sandbox.physics.contact.hitch",
    "Angle between the truck and its trailer, reversing with the wheels turned to the right: the trailer folds, until "
    "the limit of its hitch.",
)
def folding_hitch() -> Figure:
    """Angle between the reversing truck and its trailer, up to the limit of the hitch."""
    lines = []
    for steer in (0.1, 0.3, 1.0):
        world = on_plane("truck_trailer")
        samples = []
        while world.time < REVERSE_SECONDS:
            step(world, command(throttle=0.3, gear=REVERSE, steer=steer))
            truck, trailer = (heading_of(member) for member in world.vehicles)
            samples.append((world.time, truck - trailer))
        time, angle = np.array(samples[::EVERY]).T
        lines.append(Line(f"steering {steer:g}", time, np.abs(np.unwrap(angle)) * DEGREES))
    limit = float(world.vehicles[1].params["contact"][0]["hitch_limit"]) * DEGREES
    return Figure("time [s]", "angle [deg]", [*lines, Line("limit", time, np.full(len(time), limit), faint=True)])


@curve(
    "driving_sandbox.physics.suspension.sprung_mass",
    "Mass that a front and a rear wheel of the roadster carry, over the position of its centre of mass.",
)
def carried_masses() -> Figure:
    """Masses that a front and a rear wheel carry versus the position of the centre of mass."""
    car = vehicle("roadster_simple")
    mass = float(car.params["body"][0]["mass"])
    positions = np.array(
        [parameters("roadster_simple", "suspension", i)["attachment"][:2] for i in range(car.wheel_count)]
    )
    rear, front = positions[:, 1].min(), positions[:, 1].max()
    ahead = span(rear, front)
    return Figure("centre of mass ahead of the origin [m]", "mass [kg]", [
        line(name, ahead, lambda y, i=wheel: sprung_masses(mass, positions - (0.0, y))[i])
        for name, wheel in (("front left", 0), ("rear left", 2))
    ])  # fmt: skip
