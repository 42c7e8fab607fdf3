"""Curves of the vehicle modelled on the CryEngine manual: engine, clutch, gears, brakes, tires, steering, springs."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from driving_sandbox.docs.build.curve import (
    DEGREES,
    KMH,
    KN,
    MM,
    RPM_PER_RAD_S,
    Figure,
    Line,
    curve,
    line,
    parameters,
    span,
)
from driving_sandbox.docs.build.curves_planar import Parts, driven
from driving_sandbox.physics.command.pedal import pedal_after, steering_cap
from driving_sandbox.physics.drivetrain.sine_power_engine import sine_power, sine_torque
from driving_sandbox.physics.drivetrain.timed_clutch import move
from driving_sandbox.physics.ground.ground import plane_ground
from driving_sandbox.physics.steering.ahead_of_mass import angle_limit, steered
from driving_sandbox.physics.tick.commands import NEUTRAL, neutral_command
from driving_sandbox.physics.tire.coulomb import tire_force
from driving_sandbox.physics.vehicle.vehicle import Vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.wheel.mesh_cylinder import cylinder_of, wheel_meshes
from driving_sandbox.physics.world.world import World

CAR = "patrol"
TICK = 1.0 / 240.0  # s
LAUNCH = [(0.5, {}), (11.5, {"throttle": 1.0, "digital": 1})]  # [(seconds, commands)]; digital: from keys


def changed(**values: Any) -> Vehicle:
    """A new patrol car with the parameters `values`, whose paths have __ for dots."""
    vehicle = load_vehicle(CAR)
    vehicle.set_many({path.replace("__", "."): value for path, value in values.items()})
    return vehicle


def each(slot: str, wheels: Sequence[str] = ("fl", "fr", "rl", "rr"), **values: Any) -> dict[str, Any]:
    """{path: value} that sets the same values at several wheels, with __ for dots."""
    return {f"{slot}__{w}__{key}": value for w in wheels for key, value in values.items()}


def speed_of(vehicle: Vehicle) -> float:
    """Speed of a vehicle, m/s."""
    return vehicle.read("response.speed")


@curve(
    "driving_sandbox.physics.drivetrain.sine_power_engine", "Power and torque of the patrol car's engine at full pedal."
)
def sine_engine() -> Figure:
    """Power and torque of the patrol car's engine at full pedal."""
    p = parameters(CAR, "engine")
    omega = span(0.0, p["max_omega"])
    lines = [
        line("power [kW]", omega, lambda w: sine_power(p, w), RPM_PER_RAD_S, 1e-3),
        line("torque [N m]", omega, lambda w: sine_torque(p, w), RPM_PER_RAD_S),
    ]
    return Figure("engine speed [rpm]", "power [kW], torque [N m]", lines)


@curve(
    "driving_sandbox.physics.drivetrain.timed_clutch",
    "Position of the clutch, opened by a change at 0.1 s, for two clutch speeds.",
)
def timed_clutch() -> Figure:
    """Position of the clutch in a change, for two clutch speeds."""
    lines = []
    for speed in (2.0, 5.0):
        p, s = parameters(CAR, "clutch").copy(), load_vehicle(CAR).state["clutch"][0].copy()
        p["clutch_speed"], position, time = speed, [], np.arange(0.0, 0.8, TICK)
        for t in time:
            move(p, s, 1 if t < 0.1 else 2, 0.0, TICK)  # neutral, then first gear; pedal released
            position.append(float(s["normalised"]))
        lines.append(Line(f"clutch_speed {speed:g} /s", time, np.array(position)))
    return Figure("time [s]", "clutch [1]", lines)


@curve(
    "driving_sandbox.physics.drivetrain.rigid_coupling",
    "Engine speed of the patrol car in a launch, and the speed that its wheels alone would give it.",
)
def rigid_coupling() -> Figure:
    """Engine speed of the patrol car in a launch, and the speed by its wheels alone."""
    time, rows = driven(CAR, LAUNCH, lambda v: (v.read("engine.omega"), v.read("drivetrain.wheel_side")))
    lines = [
        Line("engine", time, rows[:, 0] * RPM_PER_RAD_S),
        Line("wheel side", time, rows[:, 1] * RPM_PER_RAD_S, faint=True),
    ]
    return Figure("time [s]", "speed [rpm]", lines)


@curve(
    "driving_sandbox.physics.gearbox.rpm_box",
    "Gears of the patrol car in a launch and, from 12 s on, with the back key held: it brakes, then reverses (-1).",
)
def rpm_box() -> Figure:
    """Gears and speed of the patrol car in a launch and with the back key held after it."""
    parts = [*LAUNCH, (6.0, {"brake": 1.0, "digital": 1})]
    time, rows = driven(CAR, parts, lambda v: (v.read("gearbox.current_gear") - 1.0, speed_of(v)))
    lines = [Line("gear [1]", time, rows[:, 0]), Line("speed [m/s]", time, rows[:, 1])]
    return Figure("time [s]", "gear [1], speed [m/s]", lines)


@curve("driving_sandbox.physics.gearbox.instant_gearbox", "Speed versus engine speed in each gear of the patrol car.")
def instant_gears() -> Figure:
    """Speed versus engine speed in each gear of the patrol car."""
    car = load_vehicle(CAR)
    ratios, radius = car.get("gearbox.ratios"), car.get("wheel.fl.radius")
    omega = span(0.0, car.get("engine.max_omega"))
    names = {0: "reverse", 2: "1", 3: "2", 4: "3", 5: "4"}  # {index in the ratio list: gear}
    lines = [line(name, omega, lambda w, g=g: w / ratios[g] * radius, RPM_PER_RAD_S, KMH) for g, name in names.items()]
    return Figure("engine speed [rpm]", "speed [km/h]", lines)


@curve(
    "driving_sandbox.physics.differential.driving_wheels",
    "Rim speeds of the patrol car on ice with only its front wheels driven.",
)
def driving_wheels() -> Figure:
    """Rim speeds of the patrol car on ice with only its front wheels driven."""
    ice = each("road", min_friction=0.15, max_friction=0.15)
    car = changed(**ice, **each("differential", ("rl", "rr"), driving=False))
    parts = [(0.5, {}), (6.0, {"throttle": 1.0})]
    time, rows = driven(car, parts, lambda v: v.state["wheel"]["omega"][0, [0, 2]].copy())
    rim = rows * car.get("wheel.fl.radius")
    lines = [Line("front", time, rim[:, 0]), Line("rear", time, rim[:, 1])]
    return Figure("time [s]", "rim speed [m/s]", lines)


@curve(
    "driving_sandbox.physics.brakes.locking",
    "Stops of the patrol car from 72 km/h: by a footbrake too weak to lock, by one that locks, by the handbrake alone.",
)
def dry_stops() -> Figure:
    """Speed of the patrol car in three stops, with and without locked wheels."""
    lines, pedal, lever = [], {"brake": 1.0}, {"handbrake": 1.0}
    for label, torque, commands in (
        ("footbrake, turning", 1500.0, pedal), ("footbrake, locked", 20e3, pedal), ("handbrake", 1500.0, lever),
    ):  # fmt: skip
        parts: Parts = [(0.5, {"gear": NEUTRAL}), (6.0, {"gear": NEUTRAL, **commands})]
        time, speed = driven(changed(**each("brakes", brake_torque=torque)), parts, speed_of, 20.0)
        lines.append(Line(label, time, speed * KMH))
    return Figure("time [s]", "speed [km/h]", lines)


@curve(
    "driving_sandbox.physics.tire.coulomb",
    "Largest side force of a tire versus the longitudinal force in use: a common limit (circle) while the wheel turns, "
    "separate limits (box), lowered by the handbrake's factor, once it is locked.",
)
def friction_budget() -> Figure:
    """Largest side force of a tire versus its longitudinal force, turning and locked."""
    factor = float(parameters(CAR, "tire", 0)["handbrake_factor"])
    angles = span(-0.5 * np.pi, 0.5 * np.pi)
    motion = np.array([np.sin(angles), np.cos(angles)]) * 10.0  # m/s; slides in every direction
    # Arguments of tire_force: speed along and m/s per N, the same across, limit, whether it is locked.
    turning = np.array([tire_force(-x, 1e-6, -y, 1e-6, 1.0, False) for x, y in motion.T])
    locked = np.array([tire_force(-x, 1e-6, -y, 1e-6, factor, True) for x, y in motion.T])
    ends = np.array([[-factor, 0.0], *locked[1:-1], [factor, 0.0]])
    lines = [Line("turning", *turning.T), Line("locked by the handbrake", *ends.T)]
    return Figure("force along / friction [1]", "force across / friction [1]", lines)


@curve("driving_sandbox.physics.steering.ahead_of_mass", "Steering limit of the patrol car versus speed.")
def steering_limit() -> Figure:
    """Steering limit of the patrol car versus speed."""
    p = parameters(CAR, "steering", 0)
    lines = [line("limit", span(0.0, 50.0), lambda v: angle_limit(p, v), KMH, DEGREES)]
    return Figure("speed [km/h]", "angle [deg]", lines)


@curve(
    "driving_sandbox.physics.steering.ahead_of_mass",
    "A key held for 0.8 s at two speeds: the angle moves to its limit, slower towards it, and relaxes.",
)
def steering_key() -> Figure:
    """Steer angle while a key is held and let go, at two speeds."""
    p, time, lines = parameters(CAR, "steering", 0), np.arange(0.0, 1.8, TICK), []
    for speed in (0.0, 15.0):
        angles = [0.0]
        for t in time[1:]:
            angles.append(steered(p, angles[-1], -1.0 if t < 0.8 else 0.0, speed, TICK))
        lines.append(Line(f"{speed * KMH:.0f} km/h", time, np.array(angles) * DEGREES))
    return Figure("time [s]", "angle [deg]", lines)


@curve(
    "driving_sandbox.physics.command.pedal",
    "Pedal of a key pressed at 0 s and let go at 0.6 s, straight ahead and steering.",
)
def growing_pedal() -> Figure:
    """Pedal of a key that is pressed and let go, straight ahead and steering."""
    p = parameters(CAR, "pedal")
    time, pedals = np.arange(0.0, 0.9, TICK), [0.0]
    for t in time[1:]:
        pedals.append(pedal_after(p, pedals[-1], 1.0 if t < 0.6 else 0.0, 1, TICK))
    pedal, speed = np.array(pedals), 2.0 * float(p["pedal_limit_speed"])
    capped = np.minimum(pedal, steering_cap(p, speed, 1.0))
    lines = [Line("straight", time, pedal), Line(f"full steering at {speed * KMH:.0f} km/h", time, capped)]
    return Figure("time [s]", "pedal [1]", lines)


@curve(
    "driving_sandbox.physics.suspension.authored_pose",
    "Force of the patrol car's front springs over their length: derived from the load at 0.40 m for two relaxed "
    "lengths, and with a given stiffness.",
)
def spring_of_a_pose() -> Figure:
    """Force of the patrol car's front springs over their length."""
    lines = []
    cases: list[tuple[str, dict[str, Any]]] = [
        ("len_max 0.54 m", {}), ("len_max 0.48 m", {"len_max": 0.48}), ("30 kN/m given", {"given_stiffness": 30e3})
    ]  # fmt: skip
    for label, values in cases:
        s = changed(**each("suspension", **values)).params["suspension"][0][0]
        force = lambda x, s=s: s["stiffness"] * (s["len_max"] - x)  # noqa: E731
        lines.append(line(label, span(0.3, float(s["len_max"])), force, in_y=KN))
    return Figure("length [m]", "force [kN]", lines)


@curve(
    "driving_sandbox.physics.suspension.stabilizer",
    "Roll of the patrol car on its springs in a bend, for three stabilizers.",
)
def stabilizer() -> Figure:
    """Roll of the patrol car in a bend, for three stabilizers."""
    lines = []
    bend = each("steering", limit_at_rest=0.0, limit_per_speed=0.0, max_angle=0.09)
    for fraction in (0.0, 0.6, 2.0):
        parts: Parts = [(0.5, {"gear": NEUTRAL}), (5.0, {"gear": NEUTRAL, "steer": 1.0})]
        time, roll = driven(changed(antiroll__stabilizer=fraction, **bend), parts, spring_roll, 12.0)
        lines.append(Line(f"stabilizer {fraction:g}", time, roll * DEGREES))
    return Figure("time [s]", "roll [deg]", lines)


def spring_roll(vehicle: Vehicle) -> float:
    """Roll of the body to the left, rad, from the lengths of its springs."""
    jounce, attachments = vehicle.state["suspension"]["jounce"][0], vehicle.params["suspension"]["attachment"][0]
    return (jounce[0] - jounce[1] + jounce[2] - jounce[3]) / 2.0 / (attachments[1, 0] - attachments[0, 0])


@curve(
    "driving_sandbox.physics.wheel.mesh_cylinder",
    "Radius of the outermost vertices of the patrol car's front wheel along its axle, and of its cylinder.",
)
def wheel_cylinder() -> Figure:
    """Radius of a wheel's outermost vertices along its axle, and of its cylinder."""
    geometry = load_vehicle(CAR).geometry
    assert geometry is not None  # the car has a model
    _, points = wheel_meshes(geometry.path)[1]
    cylinder = cylinder_of(points)
    along = (points - cylinder.centre) @ cylinder.axle
    away = np.linalg.norm(points - cylinder.centre - np.outer(along, cylinder.axle), axis=1)
    edges = span(-cylinder.half_width, cylinder.half_width, 122)
    middles = 0.5 * (edges[1:] + edges[:-1])
    reach = 0.025  # m; rings of vertices lie up to four centimetres apart
    outline = np.array([away[np.abs(along - x) <= reach].max(initial=0.0) for x in middles])
    lines = [
        Line("outermost vertices", middles * MM, outline * MM),
        Line("cylinder", middles * MM, np.full(len(middles), cylinder.radius * MM), faint=True),
    ]
    return Figure("along the axle [mm]", "radius [mm]", lines)


@curve(
    "driving_sandbox.physics.body.euler",
    "The car released 10 mm above its rest position on springs of 200 kN/m without dampers, in steps of 10 ms.",
)
def integrators() -> Figure:
    """Height of a car bouncing on undamped springs, by each rule of integration."""
    lines = []
    for rule in ("semi_implicit", "explicit"):
        springs = each("suspension", given_stiffness=2e5, given_damping=0.0)
        car = changed(body__integration=rule, driving_state__sleep_speed_vehicle=0.0, **springs)
        lines.append(Line(rule, *heaving(car, 0.01)))
    return Figure("time [s]", "height over rest [mm]", lines)


def heaving(car: Vehicle, tick: float, seconds: float = 1.1) -> np.ndarray:
    """(times, s, heights above rest, mm) of a car released 10 mm above its rest position, every tick."""
    world = World(plane_ground(), [car], tick, substeps=1)
    world.place(0, (0.0, 0.0), 0.0)
    rest = car.read("body.position.z")
    car.state["body"]["position"][0, 2] += 0.01
    samples = []
    for _ in range(round(seconds / tick)):
        world.step(neutral_command())
        samples.append((world.time, (car.read("body.position.z") - rest) * MM))
    return np.array(samples).T


@curve(
    "driving_sandbox.physics.body.driving_state",
    "Coasting of the patrol car without axle friction, under three dampings.",
)
def driving_damping() -> Figure:
    """Speed of the coasting patrol car under three dampings."""
    lines = []
    for damping in (0.0, 0.03, 0.2):
        free = each("brakes", axle_friction=0.0)
        car = changed(driving_state__damping_vehicle=damping, **free)
        time, speed = driven(car, [(10.0, {"gear": NEUTRAL})], speed_of, 30.0)
        lines.append(Line(f"damping {damping:g} 1/s", time, speed * KMH))
    return Figure("time [s]", "speed [km/h]", lines)
