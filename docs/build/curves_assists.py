"""Curves of driving aids on the coupe: a stop with rear-heavy brakes, a sine with dwell, a start on a slope, and a
steering wheel that is let go.
"""

import math
from typing import Any

import numpy as np
import yaml

from driving_sandbox.docs.build.curve import DEGREES, Figure, Line, curve
from driving_sandbox.docs.build.curves_runs import command, step
from driving_sandbox.physics.ground.ground import Ground, Heightfield, plane_ground
from driving_sandbox.physics.ground.surfaces import default_surfaces
from driving_sandbox.physics.tick.commands import AUTOMATIC, NEUTRAL
from driving_sandbox.physics.vehicle.vehicle import Vehicle
from driving_sandbox.physics.vehicle.vehicle_file import VEHICLE_FOLDER, load_vehicle_text
from driving_sandbox.physics.world.world import World

CAR = "coupe"
AIDS = {
    "brake_distribution": "rear_follows_front", "stability_control": "yaw_rate_reference",
    "hill_hold": "until_drive_suffices", "steering_column": "kingpin_torque",
}  # fmt: skip
STOP_SPEED = 28.0  # m/s, speed from which the car stops
STOP_SECONDS = 2.5  # s, simulated
REAR_HEAVY = {  # parameters of brakes that are too strong at the rear, torques in N*m
    "abs.enable": False,
    **{f"brakes.{wheel}.max_torque": torque for wheel, torque in (("fl", 1500.0), ("fr", 1500.0), ("rl", 2400.0),
                                                                ("rr", 2400.0))},
}  # fmt: skip
# Sine with dwell of FMVSS 126
DWELL_SPEED = 22.2  # m/s, 80 km/h, speed at the first steering input
FREQUENCY = 0.7  # Hz, of the sine
DWELL = 0.5  # s for which the second peak is held
DWELL_ANGLE = math.radians(8.5)  # rad, of the front wheels: 6.5 times that of a turn at 0.3 g
COLUMN_RATIO = 15.0  # angle of the steering wheel divided by that of the front wheels
COLUMN_SPEED = 50.0 / 3.6  # m/s
LET_GO = 1.0  # s, when the steering wheel is let go
COLUMN_SECONDS = 2.5  # s, simulated
GRADE = 0.1  # rise over run
START_SECONDS = 3.0  # s, simulated
RELEASE = 1.0  # s, when the brake is released
THROTTLE = 2.0  # s, when the throttle is pressed


def equipped(slot: str, component: str, values: dict[str, Any]) -> Vehicle:
    """The coupe with a component in the slot of an aid, no other aid of AIDS, and the parameters `values`."""
    path = VEHICLE_FOLDER / f"{CAR}.yaml"
    document = yaml.safe_load(path.read_text(encoding="utf8"))
    document["components"] |= {**dict.fromkeys(AIDS, "none"), slot: component}
    document = {key: value for key, value in document.items() if key not in AIDS}  # their sections of parameters
    car = load_vehicle_text(yaml.safe_dump(document), path)
    car.set_many(values)
    return car


def standing(car: Vehicle, ground: Ground, seconds: float, **held: Any) -> World:
    """A World with the car at rest, after some seconds of the commands `held`."""
    world = World(ground, [car])
    world.place(0, (0.0, 0.0), 0.0)
    for _ in range(round(seconds / world.tick_seconds)):
        step(world, command(**held))
    return world


def rolling(car: Vehicle, speed: float) -> World:
    """A World with the car coasting at a speed, m/s, after 1.5 s at rest on the plane."""
    world = standing(car, plane_ground(), 1.5, gear=NEUTRAL)
    car.state["body"]["velocity"][0, 1] = speed
    car.state["wheel"]["omega"][0, :4] = speed / car.params["wheel"]["radius"][0, :4]
    return world


def slips(car: Vehicle) -> tuple[float, float]:
    """Slips of the front left and the rear left wheel, 1 when locked."""
    rims = car.state["wheel"]["omega"][0, :4] * car.params["wheel"]["radius"][0, :4]
    slips_of = 1.0 - rims / np.maximum(car.state["tire"]["longitudinal_speed"][0, :4], 0.5)
    return float(slips_of[0]), float(slips_of[2])


@curve(
    "driving_sandbox.physics.assists.brake_distribution",
    "Slip of the rear wheels in a full stop from 28 m/s with brakes that are too strong at the rear and no anti-lock "
    "brakes, with and without the distribution, and of the front wheels with it.",
)
def brake_distribution() -> Figure:
    """Slip of the rear wheels in a full stop, with and without brake distribution."""
    lines = []
    for component in ("none", AIDS["brake_distribution"]):
        car, rows = equipped("brake_distribution", component, REAR_HEAVY), []
        world = rolling(car, STOP_SPEED)
        for tick in range(round(STOP_SECONDS / world.tick_seconds)):
            step(world, command(gear=NEUTRAL, brake=1.0))
            rows.append((tick * world.tick_seconds, *slips(car)))
        time, front, rear = np.array(rows).T
        lines.append(Line(f"{component}, rear", time, rear))
    return Figure("time [s]", "slip [1]", [*lines, Line("front", time, front, faint=True)])


def sine_with_dwell(time: float) -> float:
    """Steer command, -1..1, at a time (s): a sine that dwells at its second peak."""
    peak = 0.75 / FREQUENCY
    time = min(time, peak) if time < peak + DWELL else min(time, 1.0 / FREQUENCY + DWELL) - DWELL
    return math.sin(2.0 * math.pi * FREQUENCY * time)


@curve(
    "driving_sandbox.physics.assists.stability_control",
    "Yaw rate in a sine with dwell at 80 km/h, as FMVSS 126 tests it: 0.7 Hz, a dwell of 0.5 s, 6.5 times the steer "
    "angle of a turn at 0.3 g. Without the control the coupe spins.",
)
def stability_control() -> Figure:
    """Yaw rate in a sine with dwell, with and without stability control."""
    lines = []
    for component in ("none", AIDS["stability_control"]):
        car, rows = equipped("stability_control", component, {"response.steer_table": []}), []
        world = rolling(car, DWELL_SPEED)
        amplitude = DWELL_ANGLE / car.get("steering.fl.max_angle")
        for tick in range(round(4.0 / world.tick_seconds)):
            time = tick * world.tick_seconds
            step(world, command(gear=NEUTRAL, steer=amplitude * sine_with_dwell(time)))
            reference = float(car.state[0]["stability_control"]["reference"]) if component != "none" else 0.0
            rows.append((time, float(car.state["body"]["angular_velocity"][0, 2]), reference))
        times, rates, references = np.array(rows).T
        lines.append(Line(component, times, rates * DEGREES))
    return Figure("time [s]", "yaw rate [deg/s]", [*lines, Line("reference", times, references * DEGREES, faint=True)])


def slope() -> Ground:
    """Ground that rises towards +y at GRADE."""
    y = np.arange(-64.0, 65.0, 32.0)
    heights = np.repeat((GRADE * y)[:, None], len(y), axis=1).astype(np.float32)
    asphalt = np.full((len(y) - 1, len(y) - 1), default_surfaces().index("asphalt"), np.uint8)
    return Ground(Heightfield(heights, asphalt, (-64.0, -64.0), 32.0))


@curve(
    "driving_sandbox.physics.assists.hill_hold",
    "Distance of the coupe up a slope of 10 %: the brake pedal is released after 1 s, the throttle pressed after 2 s.",
)
def hill_hold() -> Figure:
    """Distance in a start on a slope, with and without hill hold."""
    lines = []
    for component in ("none", AIDS["hill_hold"]):
        car, rows = equipped("hill_hold", component, {}), []
        world = standing(car, slope(), 2.0, gear=AUTOMATIC, brake=1.0)
        start = float(car.state["body"]["position"][0, 1])
        for tick in range(round(START_SECONDS / world.tick_seconds)):
            time = tick * world.tick_seconds
            step(world, command(gear=AUTOMATIC, brake=float(time < RELEASE), throttle=float(time > THROTTLE)))
            rows.append((time, float(car.state["body"]["position"][0, 1]) - start))
        times, distances = np.array(rows).T
        lines.append(Line(component, times, distances))
    return Figure("time [s]", "distance [m]", lines)


@curve(
    "driving_sandbox.physics.steering.column",
    "The coupe coasting at 50 km/h in a bend with its steering wheel at 90 degrees, which is let go after a second: "
    "angle of the steering wheel's rim, and ten times the torque of the road on it.",
)
def rim_let_go() -> Figure:
    """Angle of a steering wheel that is let go in a bend, and the road's torque on it."""
    car = equipped("steering_column", AIDS["steering_column"], {"steering_column.ratio": COLUMN_RATIO})
    world, samples = World(plane_ground(), [car]), []
    world.place(0, (0.0, 0.0), 0.0)
    car.state["body"]["velocity"][0, 1] = COLUMN_SPEED
    car.state["wheel"]["omega"][0, :4] = COLUMN_SPEED / car.params["wheel"]["radius"][0, :4]
    lock, column = COLUMN_RATIO * float(car.params["steering"]["max_angle"].max()), car.state["steering_column"]
    steer = 0.0
    while world.time < COLUMN_SECONDS:
        car.set("steering_column.held", world.time < LET_GO)
        # The driver's integral controller, which turns the held rim to 90 degrees.
        steer += 0.1 * (float(column["angle"][0]) - math.pi / 2.0) / lock
        step(world, command(steer=max(-1.0, steer), gear=NEUTRAL))
        samples.append((world.time, column["angle"][0], column["road_torque"][0]))
    time, angle, torque = np.array(samples).T
    return Figure("time [s]", "angle [deg], torque [N m / 10]", [
        Line("rim", time, angle * DEGREES), Line("road", time, 10.0 * torque, faint=True),
    ])  # fmt: skip
