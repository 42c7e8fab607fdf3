"""Curves of driving and braking torques: flags of actuation, single wheels, brake levers, rams, inertia in a turn."""

import numpy as np

from driving_sandbox.docs.build.curve import (
    DEGREES,
    EXAMPLES,
    KN,
    STEP,
    Figure,
    Line,
    call,
    curve,
    line,
    parameters,
    span,
    vehicle,
)
from driving_sandbox.docs.build.curves_contact import rolling
from driving_sandbox.docs.build.curves_runs import EVERY, command, step
from driving_sandbox.physics.drivetrain.wheel_speed import free_wheel_speed
from driving_sandbox.physics.tick.commands import AUTOMATIC, FIRST, NEUTRAL
from driving_sandbox.physics.vehicle.swap import plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle import Vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

THROTTLE, BRAKE = 0.8, 0.4  # commands
LET_GO = 6.0  # s, the throttle is released
BRAKE_FROM = 7.0  # s, the brake is pressed
PEDALS_END = 8.5  # s, end of the drive
WHEEL_TORQUE = 60.0  # N m, drive torque on a wheel in the air
WHEEL_BRAKE = 90.0  # N m, brake torque on it
COAST_FROM = 0.5  # s, end of the drive torque
HOLD_FROM = 1.5  # s, begin of the brake torque
WHEEL_END = 2.0  # s, end of the curve
TURN_SPEED = 22.0  # m/s
TURN_STEER = 0.15  # steering command
TURN_FROM = 0.2  # s, begin of the turn
TURN_END = 2.0  # s, end of the drive
RAM_SECONDS = 3.0  # s, simulated
HELD_SPEED = 15.0  # m/s, of the buggy
HELD_SHARE = 0.5  # brake force divided by the rest load
LIGHT = 0.2  # wheel load divided by the rest load, from LIGHT_FROM to LIGHT_TO
LIGHT_FROM = 0.2  # s
LIGHT_TO = 0.5  # s
HELD_END = 0.9  # s, end of the curve
DROP = 60.0  # m, height that the roadster falls from
AIR_BRAKE_FROM = 0.5  # s, the throttle is released and the brake pressed
AIR_END = 1.0  # s, end of the curve


def plane_with(car: Vehicle) -> World:
    """A World of the plane with a vehicle at its spawn point."""
    world = World(load_world("plane"), [car])
    world.spawn()
    return world


@curve(
    "driving_sandbox.physics.drivetrain.actuation",
    "Pedals of the roadster and the intentions derived from them: it accelerates while a wheel gets drive torque, "
    "which every gear change interrupts, and it brakes while a wheel is braked.",
)
def intentions() -> Figure:
    """Pedals of the roadster and the intentions derived from them."""
    world = plane_with(load_vehicle("roadster_simple"))
    car, samples = world.vehicles[0], []
    while world.time < PEDALS_END:
        throttle = THROTTLE if world.time < LET_GO else 0.0
        brake = BRAKE if world.time >= BRAKE_FROM else 0.0
        step(world, command(throttle=throttle, brake=brake, gear=AUTOMATIC))
        samples.append((world.time, throttle, brake, car.read("intent.accelerating"), car.read("intent.braking")))
    time, throttle, brake, accelerating, braking = np.array(samples).T
    return Figure("time [s]", "pedal, intention [1]", [
        Line("throttle", time, throttle, faint=True), Line("brake", time, brake, faint=True),
        Line("accelerating", time, accelerating), Line("braking", time, braking),
    ])  # fmt: skip


@curve(
    "driving_sandbox.physics.drivetrain.wheel_speed",
    "A rear wheel of the buggy in the air: driven, left alone, and braked from 1.5 s on. A braked wheel stops at "
    "exactly zero; without the brake only its damping slows it.",
)
def wheel_alone() -> Figure:
    """Speed of a rear wheel of the buggy in the air, driven, left alone and braked."""
    p = parameters("buggy", "wheel", 2)
    lines = []
    for label, brake in (("braked", WHEEL_BRAKE), ("not braked", 0.0)):
        omega, speeds = 0.0, []
        times = np.arange(0.0, WHEEL_END, STEP)
        for time in times:
            drive = WHEEL_TORQUE if time < COAST_FROM else 0.0
            applied = brake if time >= HOLD_FROM else 0.0
            omega = free_wheel_speed(p, omega, 0.0, drive, applied, int(applied > 0.0), STEP)
            speeds.append(omega)
        lines.append(Line(label, times, np.array(speeds), faint=brake == 0.0))
    return Figure("time [s]", "wheel speed [rad/s]", lines)


@curve(
    "driving_sandbox.physics.drivetrain.coulomb_brakes",
    f"Speed of a braked wheel's tread on a buggy at {HELD_SPEED:g} m/s. Its load is a fifth of the rest load from "
    f"{LIGHT_FROM:g} s to {LIGHT_TO:g} s, for which the brake is too strong.",
)
def locked_wheel() -> Figure:
    """Speed of a braked wheel's tread while its load falls and returns."""
    time, plain = np.arange(0.0, HELD_END, STEP), vehicle(EXAMPLES / "progressive_buggy.yaml")
    cars = plain, swapped_vehicle(plain, plan_swap(plain, "drivetrain", "direct_coulomb_brakes"))
    lines = [Line(car.sequence.by_slot["drivetrain"].name, time, rim_speeds(car, time)) for car in cars]
    return Figure("time [s]", "speed of the tread [m/s]", lines)


def rim_speeds(car: Vehicle, time: np.ndarray) -> np.ndarray:
    """Speed of the tread of a braked wheel, m/s; from LIGHT_FROM to LIGHT_TO its load is LIGHT times the rest load."""
    wheel, tire, brakes = (car.state[slot][0].copy() for slot in ("wheel", "tire", "brakes"))
    actuation, p = car.state["actuation"][0].copy(), car.params["tire"][0][0]
    radius, speeds = float(car.params["wheel"][0]["radius"][0]), []
    wheel["omega"][0], actuation["brake_applied"][0] = HELD_SPEED / radius, 1
    tire["friction"][0], tire["road_friction"][0], tire["longitudinal_speed"][0] = 1.0, 1.0, HELD_SPEED
    brakes["torque"][0] = HELD_SHARE * p["nominal_load"] * radius
    for now in time:
        speeds.append(float(wheel["omega"][0]) * radius)
        tire["load"][0] = p["nominal_load"] * (LIGHT if LIGHT_FROM <= now < LIGHT_TO else 1.0)
        tire["longitudinal_slip"][0] = speeds[-1] / HELD_SPEED - 1.0
        call(car, "tire", "force", tire, wheel=wheel)
        call(car, "drivetrain", "update", None, wheel=wheel, tire=tire, brakes=brakes, actuation=actuation)
    return np.array(speeds)


@curve(
    "driving_sandbox.physics.tank.levers",
    "Brake torque of one of the tank's left wheels versus the left brake lever, with the pedal released and a quarter "
    "down: they add up, and the right track feels only the pedal.",
)
def lever_brakes() -> Figure:
    """Brake torque of a left wheel of the tank versus the left lever, for two pedal positions."""
    tank = vehicle("tank")
    levers, pedals = tank.state["levers"][0].copy(), tank.state["response"][0].copy()
    state = tank.state["brakes"][0].copy()

    def torque(pull: float, pedal: float, wheel: int) -> float:
        levers["brake_left"], pedals["brake"] = pull, pedal
        call(tank, "brakes", "update", state, levers=levers, response=pedals, wheel_count=tank.wheel_count)
        return float(state["torque"][wheel])

    pull = span(0.0, 1.0)
    return Figure("left brake lever [1]", "torque [kN m]", [
        line("left wheel", pull, lambda b: torque(b, 0.0, 0), in_y=KN),
        line("left wheel, pedal 0.25", pull, lambda b: torque(b, 0.25, 0), in_y=KN),
        line("right wheel, pedal 0.25", pull, lambda b: torque(b, 0.25, 1), in_y=KN, faint=True),
    ])  # fmt: skip


@curve(
    "driving_sandbox.physics.body.inertia",
    "Yaw rate of the roadster that rolls at 80 km/h and is turned in at 0.2 s, its inertia by the default method: "
    "`responsiveness` scales the yaw inertia alone, so it says how soon the car turns, not how fast in the end.",
)
def responsive_turns() -> Figure:
    """Yaw rate of the roadster after it is turned in, for several values of `responsiveness`."""
    plain, lines = vehicle("roadster_simple"), []
    for responsiveness in (0.5, 1.0, 2.0):
        car = swapped_vehicle(plain, plan_swap(plain, "body", "inertia_methods"))
        car.set_many({"body.principal_inertia": (0.0, 0.0, 0.0), "body.responsiveness": responsiveness})
        world = plane_with(car)
        rolling(world, TURN_SPEED)
        samples = []
        while world.time < TURN_END:
            step(world, command(gear=NEUTRAL, steer=TURN_STEER if world.time >= TURN_FROM else 0.0))
            samples.append((world.time, -car.read("body.angular_velocity.z")))
        time, rate = np.array(samples[:: EVERY // 3]).T
        lines.append(Line(f"responsiveness {responsiveness:g}", time, rate * DEGREES, faint=responsiveness == 1.0))
    return Figure("time [s]", "yaw rate [deg/s], + right", lines)


@curve(
    "driving_sandbox.docs.examples.lowrider_suspension",
    "Force that the worked example's rams add to its springs: front and rear in opposite phase, so that the car bows.",
)
def ram_forces() -> Figure:
    """Force that the worked example's front and rear rams add to its springs."""
    car = vehicle(EXAMPLES / "lowrider.yaml")
    state, times = car.state["suspension"][0].copy(), np.arange(0.0, RAM_SECONDS, STEP)
    rams = []
    for _ in times:
        call(car, "suspension", "line_force", state, wheel_count=car.wheel_count)
        rams.append(state["ram"][[0, 2]])
    front, rear = np.array(rams).T * KN
    return Figure("time [s]", "force [kN], + lifts the car", [Line("front", times, front), Line("rear", times, rear)])


@curve(
    "driving_sandbox.physics.body.gyrostat",
    "Pitch rate of the roadster falling from 60 m, full throttle for half a second, then the brakes in neutral: its "
    "wheels, which the engine speeds up and the brakes stop, turn the body the other way.",
)
def throttle_in_the_air() -> Figure:
    """Pitch rate of the falling roadster under full throttle and then the brakes."""
    lines = []
    for name in ("gyrostat", "rigid"):
        car = load_vehicle("roadster_simple")
        if name != car.sequence.by_slot["body"].name:
            car = swapped_vehicle(car, plan_swap(car, "body", name))
        world, samples = plane_with(car), []
        car.state["body"]["position"][0, 2] += DROP
        while world.time < AIR_END:
            braked = world.time >= AIR_BRAKE_FROM
            pedals = {"brake": 1.0, "gear": NEUTRAL} if braked else {"throttle": 1.0, "gear": FIRST}
            step(world, command(**pedals))
            samples.append((world.time, car.state["body"]["angular_velocity"][0, 0]))
        time, rate = np.array(samples).T
        lines.append(Line(name, time, rate, faint=name == "rigid"))
    return Figure("time [s]", "pitch rate [rad/s], + nose up", lines)
