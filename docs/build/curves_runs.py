"""Curves of whole vehicles: short drives, by the same step that the program runs."""

import math
from functools import cache
from typing import Any

import numpy as np

from driving_sandbox.docs.build.curve import KMH, KN, MM, RPM_PER_RAD_S, Figure, Line, curve
from driving_sandbox.physics.ground.ground import Ground, Heightfield
from driving_sandbox.physics.ground.surfaces import default_surfaces
from driving_sandbox.physics.tick.commands import AUTOMATIC, FIRST, neutral_command
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

EVERY = 6  # ticks between the points of a curve, as dense as the picture can show
CHANNELS = ("response.speed", "engine.omega", "drivetrain.clutch_slip", "gearbox.current_gear")
SLOPE = math.radians(15.0)  # rad


def on_plane(name: str, **values: Any) -> World:
    """A World with one vehicle on the plane, at its spawn point, with the parameters `values`."""
    car = load_vehicle(name)
    car.set_many(values)
    world = World(load_world("plane"), [car])
    world.spawn()
    return world


def command(**values: Any) -> Any:
    """A neutral command with some values."""
    record = neutral_command()
    for name, value in values.items():
        record[name] = value
    return record


def step(world: World, held: Any, external: Any = None) -> None:
    """Step a world with the command `held`. Raises RuntimeError for a fault."""
    fault = world.step(held, external)
    if fault is not None:
        raise RuntimeError(fault.text)


@cache
def acceleration() -> dict[str, np.ndarray]:
    """{channel: values}, with `time`, of the roadster at full throttle for 30 s, then braking to rest."""
    world = on_plane("roadster_simple")
    car, samples = world.vehicles[0], []
    for _ in range(int(30.0 / world.tick_seconds)):
        step(world, command(throttle=1.0, gear=AUTOMATIC))
        samples.append((world.time, *(car.read(name) for name in CHANNELS)))
    while car.read("response.speed") > 1.0:
        step(world, command(brake=0.35, gear=AUTOMATIC))
        samples.append((world.time, *(car.read(name) for name in CHANNELS)))
    return dict(zip(("time", *CHANNELS), np.array(samples[::EVERY]).T, strict=True))


@curve(
    "driving_sandbox.physics.gearbox.autobox",
    "Engine speed versus speed in a drive of the roadster: 30 s of full throttle, then braking to rest, gears by the "
    "automatic. It shifts up at 0.9 of the engine's highest speed, and down far below, so that it does not hunt.",
)
def automatic_gears() -> Figure:
    """Engine speed versus speed of the roadster in a drive with the automatic."""
    run = acceleration()
    speed, rpm = run["response.speed"] * KMH, run["engine.omega"] * RPM_PER_RAD_S
    braking = run["time"] > 30.0
    lines = [Line("full throttle", speed[~braking], rpm[~braking]), Line("braking", speed[braking], rpm[braking])]
    return Figure("speed [km/h]", "engine speed [rpm]", lines)


@curve(
    "driving_sandbox.physics.gearbox.gearbox",
    "The gear engaged while the roadster accelerates from rest at full throttle, gears by the automatic; 0 is neutral, "
    "through which every change passes.",
)
def gear_changes() -> Figure:
    """Gear engaged over time in the first seconds of `acceleration`."""
    run = acceleration()
    first = run["time"] < 12.0
    lines = [Line("full throttle", run["time"][first], run["gearbox.current_gear"][first] - (FIRST - 1))]
    return Figure("time [s]", "gear [1]", lines)


@curve(
    "driving_sandbox.physics.drivetrain.coupling",
    "Speeds of both sides of the clutch while the roadster drives off at full throttle, gears by the automatic: the "
    "clutch slips until the car has caught up with the engine, and again after each change.",
)
def coupling() -> Figure:
    """Speeds of both sides of the clutch over time in the first seconds of `acceleration`."""
    run = acceleration()
    first = run["time"] < 6.0
    time, engine = run["time"][first], run["engine.omega"][first]
    input_side = engine + run["drivetrain.clutch_slip"][first]
    engaged = run["gearbox.current_gear"][first] != FIRST - 1  # in neutral there is no input side
    return Figure("time [s]", "speed [rpm]", [
        Line("engine", time, engine * RPM_PER_RAD_S),
        Line("gearbox input", time, np.where(engaged, input_side, np.nan) * RPM_PER_RAD_S),
    ])  # fmt: skip


@curve(
    "driving_sandbox.physics.differential.limited_slip",
    "The roadster's rear wheels at half throttle with its left wheels on ice and the right ones on asphalt, with the "
    "limited slip it has and with an open axle (`rear_bias: 0`): the limited ratio of the wheel speeds lets the axle "
    "also drive the wheel that has grip.",
)
def limited_slip_split() -> Figure:
    """Speeds of the rear wheels on ice and asphalt, with the limited slip and with an open axle."""
    surfaces = default_surfaces()
    cells = np.full((200, 40), surfaces.index("asphalt"), np.uint8)
    cells[:, :20] = surfaces.index("ice")
    ground = Ground(Heightfield(np.zeros((201, 41), np.float32), cells, (-20.0, -10.0), 1.0))
    lines = []
    for label, bias in (("limited", None), ("open", 0.0)):
        car = load_vehicle("roadster_simple")
        if bias is not None:
            car.set("limited_slip.rear_bias", bias)
        world = World(ground, [car])
        world.place(0, (0.0, 0.0), 0.0)
        samples = []
        for _ in range(int(2.5 / world.tick_seconds)):
            step(world, command(throttle=0.5, gear=AUTOMATIC))
            samples.append((world.time, car.read("wheel.rl.omega"), car.read("wheel.rr.omega")))
        time, left, right = np.array(samples[::EVERY]).T
        lines += [Line(f"left, {label}", time, left), Line(f"right, {label}", time, right)]
    return Figure("time [s]", "wheel speed [rad/s]", lines)


@curve(
    "driving_sandbox.physics.suspension.suspension",
    "The end stop: the roadster pressed into the ground by a slowly growing force. The suspension's own force stops "
    "growing at the end of the travel; the contact solver carries the rest, without a limit.",
)
def end_stop() -> Figure:
    """Force of the left front suspension versus jounce, and its share of weight and push."""
    world = on_plane("roadster_simple")
    car = world.vehicles[0]
    p = car.params["suspension"][0][0]
    share = float(p["supported_mass"]) / float(car.params["body"][0]["mass"])
    gravity = -float(world.context["gravity"][0][2])
    external, commands, samples = np.zeros(1, EXTERNAL), command(brake=1.0), []
    for push in np.linspace(0.0, 24e3, int(8.0 / world.tick_seconds)):  # N on the whole car
        external["force"][0] = (0.0, 0.0, -push)
        step(world, commands, external)
        carried = share * (car.params["body"][0]["mass"] * gravity + push)
        samples.append((car.read("suspension.fl.jounce"), car.read("suspension.fl.force"), carried))
    jounce, force, carried = np.array(samples).T
    return Figure("jounce [mm]", "force on the left front wheel [kN]", [
        Line("weight and push", jounce * MM, carried * KN), Line("suspension", jounce * MM, force * KN),
    ])  # fmt: skip


@curve(
    "driving_sandbox.physics.contact.sticky",
    "Distance downhill of the roadster braked on a slope of 15 degrees. With the holding thresholds at 0 the tires "
    "only have slip forces, and the car creeps.",
)
def sticky_hold() -> Figure:
    """Distance downhill of the braked roadster on a slope, with and without holding thresholds."""
    lines = []
    thresholds = {"contact.longitudinal_speed": 0.0, "contact.lateral_speed": 0.0}
    for label, values in (("holding", {}), ("slip alone", thresholds)):
        world = on_plane("roadster_simple", **values)
        car, commands, samples = world.vehicles[0], command(brake=1.0), []
        for _ in range(int(1.0 / world.tick_seconds)):
            step(world, commands)
        gravity = -float(world.context["gravity"][0][2])
        # the plane becomes a slope that falls towards -y
        world.context["gravity"][0] = (0.0, -gravity * math.sin(SLOPE), -gravity * math.cos(SLOPE))
        start = car.read("body.position.y")
        for _ in range(int(5.0 / world.tick_seconds)):
            step(world, commands)
            samples.append((world.time - 1.0, start - car.read("body.position.y")))
        time, distances = np.array(samples).T
        lines.append(Line(label, time, distances * MM))
    return Figure("time on the slope [s]", "distance downhill [mm]", lines)
