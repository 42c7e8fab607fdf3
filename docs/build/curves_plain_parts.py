"""Curves of components with short equations: brakes, torque shares, tracks, a body in the air, ground by a formula."""

from collections.abc import Callable
from typing import Any

import numpy as np

from driving_sandbox.docs.build.curve import KMH, MM, Figure, Line, call, curve, line, parameters, span, vehicle
from driving_sandbox.docs.build.curves_runs import EVERY, command, on_plane, step
from driving_sandbox.physics.brakes.hydraulic import HydraulicBrakeParams, at_pedal
from driving_sandbox.physics.brakes.response import brake_torque
from driving_sandbox.physics.maths.quat import rotate, rotate_inverse
from driving_sandbox.physics.road.formula import FORMULA, height_and_normal
from driving_sandbox.physics.tick.commands import AUTOMATIC, NEUTRAL
from driving_sandbox.physics.vehicle.vehicle import Vehicle
from driving_sandbox.physics.world.world import World

WAVES = {"rise_ahead": 0.03, "wave": 0.15, "wave_length": 12.0}  # of the formula's ground: m per m, m, m
TUMBLE_HEIGHT = 100.0  # m above the ground
TUMBLE = 3.0  # rad/s about the axis of the middle moment of inertia
ASIDE = 0.03  # rad/s about the other two axes
TUMBLE_SECONDS, BEND_SECONDS, STOP_SECONDS = 15.0, 10.0, 3.5  # s, simulated
LORRY_SPEED = 15.0  # m/s
REAR_SLOPE, REAR_PISTON = 0.4, 1e-3  # slope of the proportioning valve; m^2
MEGA, HUNDRED = 1e6, 100.0  # Pa and N m in a unit of the axis


@curve(
    "driving_sandbox.physics.brakes.response",
    "Brake torque of the truck's wheels versus pedal and handbrake: the front axle has the most, the handbrake holds "
    "the tandem alone.",
)
def brake_torques() -> Figure:
    """Brake torque of the truck's wheels versus pedal and handbrake."""
    front, rear = parameters("truck", "brakes", 0), parameters("truck", "brakes", 4)
    pedal = span(0.0, 1.0)
    return Figure("pedal or handbrake [1]", "torque [N m]", [
        line("front wheel, pedal", pedal, lambda b: brake_torque(front, b, 0.0)),
        line("rear wheel, pedal", pedal, lambda b: brake_torque(rear, b, 0.0)),
        line("rear wheel, handbrake", pedal, lambda h: brake_torque(rear, 0.0, h)),
    ])  # fmt: skip


@curve(
    "driving_sandbox.physics.brakes.hydraulic",
    "Line pressures and brake torques of a sports car versus the pedal. Beyond 3 MPa a valve holds back the rear "
    "pressure; at 0.9 of the pedal the booster gives its full assistance.",
)
def hydraulic_brakes() -> Figure:
    """Pressure and torque of a front and a rear wheel versus the pedal."""
    params = np.zeros(2, HydraulicBrakeParams.dtype)
    for wheel in params:
        HydraulicBrakeParams.defaults(wheel)
    params["slope"][1], params["piston_area"][1] = REAR_SLOPE, REAR_PISTON
    pedal = span(0.0, 1.0)
    pressure, torque = np.array([at_pedal(params, brake) for brake in pedal]).transpose(1, 2, 0)
    return Figure("pedal [1]", "pressure [MPa], torque [100 N m]", [
        Line("pressure, front", pedal, pressure[0] / MEGA), Line("pressure, rear", pedal, pressure[1] / MEGA),
        Line("torque, front", pedal, torque[0] / HUNDRED), Line("torque, rear", pedal, torque[1] / HUNDRED),
    ])  # fmt: skip


@curve(
    "driving_sandbox.physics.tank.differential",
    "Share of the drive torque that a wheel of the tank's left track gets, and that all of its wheels get, over the "
    "left thrust lever; the right lever is fully forward.",
)
def track_shares() -> Figure:
    """Shares of the drive torque of the tank's left track versus its thrust lever."""
    tank = vehicle("tank")
    levers, state = tank.state["levers"][0].copy(), tank.state["differential"][0].copy()
    levers["thrust_right"] = 1.0

    def shares(thrust: float) -> np.ndarray:
        levers["thrust_left"] = thrust
        call(tank, "differential", "update", state, levers=levers, wheel_count=tank.wheel_count)
        return state["torque_ratio"][: tank.wheel_count].copy()

    thrust = span(-1.0, 1.0)
    return Figure("left thrust lever [1]", "share of the torque [1]", [
        line("one wheel", thrust, lambda t: shares(t)[0]),
        line("left track", thrust, lambda t: shares(t)[0::2].sum()),
        line("right track", thrust, lambda t: shares(t)[1::2].sum(), faint=True),
    ])  # fmt: skip


def recorded(
    world: World, seconds: float, commands_of: Callable[..., Any], read: Callable[..., Any]
) -> tuple[np.ndarray, np.ndarray]:
    """(times, s, rows of `read()`) of a drive with the commands of `commands_of(time)`."""
    start, times, rows = world.time, [], []
    while world.time - start < seconds:
        step(world, commands_of(world.time - start))
        times.append(world.time - start)
        rows.append(read())
    return np.array(times[::EVERY]), np.array(rows[::EVERY])


@curve(
    "driving_sandbox.physics.tank.tracks",
    "Surface speeds of the tank's first and last wheels, driving straight and, from 5 s on, steered to the right. All "
    "wheels of a track turn as one; the inner track is braked.",
)
def track_speeds() -> Figure:
    """Surface speeds of the tank's wheels, driving straight and then steered."""
    world = on_plane("tank")
    tank = world.vehicles[0]
    radius = tank.params["wheel"]["radius"][0, : tank.wheel_count]

    def held(time: float) -> np.ndarray:
        return command(throttle=0.7, gear=AUTOMATIC, steer=0.5 if time > 5.0 else 0.0)

    wheels = {"left, first wheel": 0, "left, last wheel": 6, "right, first wheel": 1, "right, last wheel": 7}
    times, rims = recorded(world, BEND_SECONDS, held, lambda: tank.state["wheel"]["omega"][0, : len(radius)] * radius)
    lines = [Line(label, times, rims[:, k] * KMH, faint="last" in label) for label, k in wheels.items()]
    return Figure("time [s]", "surface speed [km/h]", lines)


@curve(
    "driving_sandbox.physics.differential.multi_wheel",
    "Rim speeds of the hatchback's driven wheels, steered to the right from 4 s on: both get the same torque, the "
    "outer one turns faster, and the gearbox feels the mean.",
)
def open_differential() -> Figure:
    """Rim speeds of the hatchback's driven wheels, straight ahead and then in a bend."""
    world = on_plane("hatchback")
    car = world.vehicles[0]
    radius = float(car.params["wheel"]["radius"][0, 0])

    def held(time: float) -> np.ndarray:
        return command(throttle=0.25, gear=AUTOMATIC, steer=0.35 if time > 4.0 else 0.0)

    times, rims = recorded(world, BEND_SECONDS, held, lambda: car.state["wheel"]["omega"][0, :2] * radius)
    return Figure("time [s]", "rim speed [km/h]", [
        Line("left wheel, outer", times, rims[:, 0] * KMH), Line("right wheel, inner", times, rims[:, 1] * KMH),
        Line("mean", times, rims.mean(axis=1) * KMH, faint=True),
    ])  # fmt: skip


@curve(
    "driving_sandbox.physics.drivetrain.undriven",
    "Rim speed of a wheel of the truck's trailer in a full stop from 54 km/h, with its anti-lock brakes and without, "
    "and the speed of the trailer: free to roll, it is turned by the road and held by its brake alone.",
)
def trailer_wheel() -> Figure:
    """Rim speed of a trailer's wheel in a full stop, with and without anti-lock brakes."""
    lines = []
    for on in (True, False):
        world = on_plane("truck_trailer")
        trailer = world.vehicles[1]
        for member in world.vehicles:
            member.set("abs.enable", on)
            ahead = rotate(member.model_orientation(), (0.0, LORRY_SPEED, 0.0))
            radius = member.params["wheel"]["radius"][0, : member.wheel_count]
            member.state["body"]["velocity"][0] = ahead
            member.state["wheel"]["omega"][0, : member.wheel_count] = LORRY_SPEED / radius

        def read(
            trailer: Vehicle = trailer, radius: float = float(trailer.params["wheel"]["radius"][0, 2])
        ) -> tuple[float, float]:
            return trailer.read("response.speed"), trailer.read("wheel.rl.omega") * radius

        times, rows = recorded(world, STOP_SECONDS, lambda _: command(brake=1.0, gear=NEUTRAL), read)
        lines.append(Line("rim, anti-lock" if on else "rim, without", times, rows[:, 1] * KMH))
        if on:
            lines.append(Line("trailer", times, rows[:, 0] * KMH, faint=True))
    return Figure("time [s]", "speed [km/h]", lines)


@curve(
    "driving_sandbox.physics.body.rigid_body",
    "The roadster without gravity or air, set spinning about its middle axis of inertia, which is the one from side to "
    "side: the gyroscopic term turns it over and over.",
)
def tumbling() -> Figure:
    """Angular velocity of the roadster spinning freely about its middle axis of inertia."""
    world = on_plane("roadster_simple")
    world.context["gravity"], world.context["air_density"] = 0.0, 0.0
    car = world.vehicles[0]
    body = car.state["body"][0]
    body["position"][2] += TUMBLE_HEIGHT
    body["angular_velocity"] = (TUMBLE, ASIDE, ASIDE)

    def rates() -> Any:
        return rotate_inverse(car.model_orientation(), tuple(body["angular_velocity"].tolist()))

    times, spin = recorded(world, TUMBLE_SECONDS, lambda _: command(gear=NEUTRAL), rates)
    axes = ("about the side axis", "about the long axis", "about the upright axis")
    return Figure("time [s]", "rate [rad/s]", [Line(axis, times, spin[:, k]) for k, axis in enumerate(axes)])


@curve(
    "driving_sandbox.physics.road.formula",
    "Ground by formula along y: a rise of 3 %, with and without waves of 12 m and 150 mm.",
)
def formula_ground() -> Figure:
    """Height of ground by formula along y, with and without waves."""
    assert FORMULA.params is not None
    p = np.zeros(1, FORMULA.params.dtype)
    FORMULA.params.defaults(p[0])
    for name, value in WAVES.items():
        p[name] = value
    plain = p.copy()
    plain["wave"] = 0.0
    y = span(0.0, 40.0)
    return Figure("distance [m]", "height [mm]", [
        line("waves", y, lambda y: height_and_normal(p[0], 0.0, y)[0], in_y=MM),
        line("rise alone", y, lambda y: height_and_normal(plain[0], 0.0, y)[0], in_y=MM, faint=True),
    ])  # fmt: skip
