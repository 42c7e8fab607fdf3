"""Curves of the planar vehicle: side force laws, resistance, torque, traction, and a comparison with the full car."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from driving_sandbox.docs.build.curve import DEGREES, KMH, KN, RPM_PER_RAD_S, Figure, Line, curve, line, span
from driving_sandbox.physics.ground.ground import plane_ground
from driving_sandbox.physics.planar.engine import full_torque
from driving_sandbox.physics.planar.gearbox import top_speed
from driving_sandbox.physics.planar.tire_laws import linear_clamp, magic_formula
from driving_sandbox.physics.tick.commands import AUTOMATIC, COMMAND, NEUTRAL
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.vehicle.swap import plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle import Vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World

CAR, FULL = "planar_roadster", "roadster_simple"
EVERY = 12  # ticks between points of a drive


@cache
def car(tire: str | None = None) -> Vehicle:
    """A planar roadster, with another tire law if one is named; do not change it."""
    vehicle = load_vehicle(CAR)
    return vehicle if tire is None else swapped_vehicle(vehicle, plan_swap(vehicle, "tire", tire))


Parts = Sequence[tuple[float, dict[str, Any]]]  # of a drive: seconds, {command: value}


def driven(
    name: str | Vehicle, parts: Parts, read: Callable[..., Any], start: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """(times, s, values of read(vehicle)) of a drive on a plane, at first with the speed `start` (m/s).

    Only the wheels of the vehicle FULL are set rolling at the start.

    Args:
        name: name of a vehicle, or a Vehicle.
        parts: [(seconds, {command: value})].
    """
    vehicle = load_vehicle(name) if isinstance(name, str) else name
    world = World(plane_ground(), [vehicle])
    world.place(0, (0.0, 0.0), 0.0)
    vehicle.state["body"]["velocity"][0] = (0.0, start, 0.0)
    if name == FULL:
        radii = vehicle.params["wheel"]["radius"][0, : vehicle.wheel_count]
        vehicle.state["wheel"]["omega"][0, : vehicle.wheel_count] = start / radii
    times, values = list[float](), list[Any]()
    for seconds, command in parts:
        commands = np.zeros(EVERY, COMMAND)
        commands["gear"] = AUTOMATIC
        for field, value in command.items():
            commands[field] = value
        for _ in range(round(seconds / world.tick_seconds / EVERY)):
            vehicle.sequence.run(
                vehicle.params, vehicle.state, vehicle.scratch, world.context, np.zeros(EVERY, EXTERNAL), commands,
                world.tick_seconds, *world.ground.arrays,
            )  # fmt: skip
            times.append((len(times) + 1) * EVERY * world.tick_seconds)
            values.append(read(vehicle))
    return np.array(times), np.array(values)


@curve(
    "driving_sandbox.physics.planar.tire_laws",
    "Side force per load of the planar roadster's front tires versus the slip angle.",
)
def planar_tire_laws() -> Figure:
    """Side force per load of the front tires versus the slip angle, for each tire law."""
    slips = span(-20.0 / DEGREES, 20.0 / DEGREES)
    linear, magic = car().params["tire"][0][0], car("magic_formula").params["tire"][0][0]
    lines = [
        line("linear_clamp", slips, lambda a: -linear_clamp(linear, a), DEGREES),
        line("magic_formula", slips, lambda a: -magic_formula(magic, a), DEGREES),
    ]
    return Figure("slip angle [deg], + right", "force to the right per load [1]", lines)


@curve(
    "driving_sandbox.physics.planar.resistance",
    "Resistances of the planar roadster: air, and the two forms of rolling resistance.",
)
def planar_resistance() -> Figure:
    """Air and rolling resistance versus speed."""
    p, rolling, weight = car().params["aero"][0], car().params["rolling"][0], 1125.0 * 9.81  # N
    speeds = span(0.0, 50.0)
    lines = [
        line("air drag, straight ahead", speeds, lambda v: p["long_factor"] * v * v, KMH),
        line("rolling by load", speeds, lambda v: rolling["coefficient"] * weight, KMH),
        line("rolling by speed", speeds, lambda v: rolling["used_speed_coefficient"] * v, KMH),
    ]
    return Figure("speed [km/h]", "resistance [N]", lines)


@curve(
    "driving_sandbox.physics.planar.engine",
    "Full torque of the planar roadster: as given, and as three straight lines.",
)
def planar_torque() -> Figure:
    """Full torque versus engine speed, as given and as straight lines."""
    simple = load_vehicle(CAR)
    simple.set("engine.segments", 3)
    speeds = span(0.0, 754.0)
    lines = []
    for label, vehicle in (("table", car()), ("three segments", simple)):
        p = vehicle.params["engine"][0]
        lines.append(line(label, speeds, lambda w, p=p: full_torque(p, w), RPM_PER_RAD_S))
    return Figure("engine speed [rpm]", "torque [N m]", lines)


@curve(
    "driving_sandbox.physics.planar.drive",
    "Traction of the planar roadster in its gears, and the grip of its rear tires.",
)
def planar_traction() -> Figure:
    """Traction in each gear versus speed, and the grip of the rear tires."""
    p, box, radius = car().params["engine"][0], car().params["gearbox"][0], float(car().get("differential.radius"))
    lines = []
    for k, ratio in enumerate(car().get("gearbox.ratios")[2:]):
        total_ratio = ratio * float(box["final_ratio"])
        speeds = np.linspace(0.0, top_speed(float(p["max_omega"]), radius, total_ratio), 60)
        efficiency = float(box["efficiency"])
        force = [full_torque(p, v / radius * total_ratio) * total_ratio * efficiency / radius for v in speeds]
        lines.append(Line(f"gear {k + 1}", speeds * KMH, np.array(force) * KN))
    grip = float(car().get("differential.friction")) * 2.0 * car().get("tire.rl.nominal_load") * KN
    lines.append(Line("rear tires", np.array([0.0, 60.0]) * KMH, np.array([grip, grip]), faint=True))
    return Figure("speed [km/h]", "traction [kN]", lines)


@curve(
    "driving_sandbox.physics.planar.gearbox",
    "Engine speed of the planar roadster in a launch, with up-shifts at the redline.",
)
def planar_shifts() -> Figure:
    """Engine speed in a launch and in a braking."""
    times, omega = driven(CAR, [(20.0, {"throttle": 1.0})], lambda v: v.read("engine.omega"))
    braking_times, braking_omega = driven(CAR, [(8.0, {"brake": 0.35})], lambda v: v.read("engine.omega"), start=38.0)
    return Figure("time [s]", "engine speed [rpm]", [
        Line("launch", times, omega * RPM_PER_RAD_S),
        Line("braking from 137 km/h", braking_times, braking_omega * RPM_PER_RAD_S),
    ])  # fmt: skip


@curve("driving_sandbox.physics.planar.tire", "Slip angles of the planar roadster's axles in a slalom at 60 km/h.")
def planar_slips() -> Figure:
    """Slip angles of both axles in a slalom."""
    slalom = [(0.5, {"steer": s, "throttle": 0.25}) for s in (0.0, 0.35, -0.35, 0.35, -0.35, 0.0)]
    lines = []
    for label, wheel in (("front", "fl"), ("rear", "rl")):
        times, slip = driven(CAR, slalom, lambda v, w=wheel: v.read(f"tire.{w}.lateral_slip"), start=60.0 / KMH)
        lines.append(Line(label, times, slip * DEGREES))
    return Figure("time [s]", "slip angle [deg], + right", lines)


@curve(
    "driving_sandbox.physics.planar.body",
    "Yaw rate after a step of the steering wheel at 80 km/h, planar and full roadster.",
)
def planar_step_steer() -> Figure:
    """Yaw rate after a step of the steering wheel, planar and full roadster."""
    parts: Parts = [(0.5, {"gear": NEUTRAL}), (2.5, {"gear": NEUTRAL, "steer": 0.2})]
    lines = []
    for label, name in (("planar", CAR), ("full car", FULL)):
        times, rate = driven(name, parts, lambda v: v.read("body.angular_velocity.z"), start=80.0 / KMH)
        lines.append(Line(label, times, -rate * DEGREES, faint=name == FULL))
    return Figure("time [s]", "yaw rate to the right [deg/s]", lines)


@curve(
    "driving_sandbox.physics.planar.wheel",
    "Paths of the planar and the full roadster with the same commands: launch, bend, brake.",
)
def planar_paths() -> Figure:
    """Paths of the planar and the full roadster with the same commands."""
    parts = [(3.0, {"throttle": 0.5}), (3.0, {"throttle": 0.2, "steer": 0.25}), (2.5, {"brake": 0.5, "steer": 0.1})]
    lines = []
    for label, name in (("planar", CAR), ("full car", FULL)):
        _, positions = driven(name, parts, lambda v: v.model_position()[:2])
        lines.append(Line(label, positions[:, 0], positions[:, 1], faint=name == FULL))
    return Figure("to the right [m]", "ahead [m]", lines)


@curve(
    "driving_sandbox.physics.command.pedal_overlap",
    "Throttle that reaches the engine versus the brake pedal, with the throttle half pressed.",
)
def pedal_overlap() -> Figure:
    """Throttle that reaches the engine versus the brake pedal."""
    lines = []
    for label, exclusive in (("both act", False), ("exclusive", True)):
        vehicle = load_vehicle(CAR)
        vehicle.set("response.exclusive", exclusive)
        pedals, throttles = np.linspace(0.0, 1.0, 41), []
        for pedal in pedals:
            _, values = driven(
                vehicle, [(0.05, {"throttle": 0.5, "brake": pedal})], lambda v: v.read("response.throttle")
            )
            throttles.append(values[-1])
        lines.append(Line(label, pedals, np.array(throttles)))
    return Figure("brake pedal [1]", "throttle [1]", lines)
