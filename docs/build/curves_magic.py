"""Curves of Magic Formula tires, roll centres, wings and driving aids."""

import math
from functools import cache, partial
from typing import Any

import numpy as np

from driving_sandbox.docs.build.curve import DEGREES, KN, MM, Figure, Line, call, curve, line, parameters, span, vehicle
from driving_sandbox.physics.aero.body_and_wings import body_force, wing_force
from driving_sandbox.physics.ground.arrays import FRICTION
from driving_sandbox.physics.ground.ground import plane_ground
from driving_sandbox.physics.suspension.hub import exact_step
from driving_sandbox.physics.suspension.roll_centre import bump_stop_force, damper_force
from driving_sandbox.physics.tick.commands import AUTOMATIC, COMMAND, NEUTRAL
from driving_sandbox.physics.vehicle.swap import plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle import Vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World

CAR = "track_roadster"
LOADS = (2000.0, 4000.0, 6000.0)  # N
ANGLES = span(math.radians(-15.0), math.radians(15.0))
SLIPS = span(-0.5, 0.5)
TICK = 1.0 / 240.0  # s
AT_ONCE = ("relaxation_lateral", "relaxation_longitudinal")  # lengths; with 0, forces follow slip at once


@cache
def on(model: str) -> Vehicle:
    """The track roadster on a tire model with little or no relaxation; for `combined_slip` the plain roadster."""
    if model == "combined_slip":
        return vehicle("roadster_simple")
    car = load_vehicle(CAR)
    if model != car.sequence.by_slot["tire"].name:
        car = swapped_vehicle(car, plan_swap(car, "tire", model))
    shortest = {"relaxation_factor": 0.05} if model == "mf_62" else dict.fromkeys(AT_ONCE, 0.0)
    car.set_many({f"tire.{w}.{key}": value for w in car.wheel_names for key, value in shortest.items()})
    return car


def forces(model: str, load: float, **slips: float) -> tuple[float, float, float]:
    """(longitudinal force, lateral force, aligning moment) of a left front tire on a road of friction 1."""
    car = on(model)
    state = car.state["tire"][0].copy()
    tire = state[0]
    for key, value in {"load": load, "friction": 1.0, "longitudinal_speed": 20.0, **slips}.items():
        tire[key] = value
    if "road_friction" in state.dtype.names:
        tire["road_friction"] = 1.0
    call(car, "tire", "force", state)
    return float(tire["longitudinal_force"]), float(tire["lateral_force"]), float(tire["aligning_moment"])


def over_loads(model: str, x: np.ndarray, key: str, axis: int, in_x: float, in_y: float) -> list[Line]:
    """Lines of a tire's forces versus a slip, one for each of LOADS.

    Args:
        model: name of the tire component.
        x: values of the slip.
        key: field of the tire's state that holds the slip.
        axis: index of the output in `forces`.
        in_x, in_y: factors from SI to the units of the axes.
    """
    return [
        line(f"{load * KN:g} kN", x, lambda v, n=load: forces(model, n, **{key: v})[axis], in_x, in_y) for load in LOADS
    ]


@curve(
    "driving_sandbox.physics.tire.pacejka",
    "Lateral force of the default set versus the slip angle at three loads: friction falls with load, and beyond the "
    "peak the force falls.",
)
def pacejka_lateral() -> Figure:
    """Lateral force of the default set of 1989 versus the slip angle at three loads."""
    return Figure("slip angle [deg], + moves right", "lateral force [kN], + right",
                  over_loads("pacejka_89", ANGLES, "lateral_slip", axis=1, in_x=DEGREES, in_y=KN))  # fmt: skip


@curve("driving_sandbox.physics.tire.pacejka", "Longitudinal force of the default set versus the longitudinal slip.")
def pacejka_longitudinal() -> Figure:
    """Longitudinal force of the default set of 1989 versus the longitudinal slip."""
    return Figure("longitudinal slip [1], + drives", "longitudinal force [kN]",
                  over_loads("pacejka_89", SLIPS, "longitudinal_slip", axis=0, in_x=1.0, in_y=KN))  # fmt: skip


@curve(
    "driving_sandbox.physics.tire.pacejka",
    "Aligning moment of the default set, which changes its sign where most of the contact patch slides.",
)
def pacejka_aligning() -> Figure:
    """Aligning moment of the default set of 1989 versus the slip angle."""
    return Figure("slip angle [deg], + moves right", "aligning moment [N m]",
                  over_loads("pacejka_89", ANGLES, "lateral_slip", axis=2, in_x=DEGREES, in_y=1.0))  # fmt: skip


@curve(
    "driving_sandbox.physics.tire.pacejka",
    "Combined slip at 3 kN: both forces while the longitudinal slip goes from -1 to 1, each line one slip angle.",
)
def pacejka_combined() -> Figure:
    """Both forces of the default set of 1989 while the longitudinal slip goes from -1 to 1."""
    kappa = np.sign(s := span(-1.0, 1.0, 301)) * s * s  # dense around 0, where the forces change fastest
    lines = []
    for angle in (1.0, 3.0, 6.0, 12.0):
        slip = -math.radians(angle)
        both = [forces("pacejka_89", 3000.0, longitudinal_slip=k, lateral_slip=slip)[:2] for k in kappa]
        along, across = np.array(both).T * KN
        lines.append(Line(f"slip angle {angle:g} deg", along, across))
    return Figure("longitudinal force [kN]", "lateral force [kN]", lines)


@curve("driving_sandbox.physics.tire.mf52", "Lateral force of the default set versus the slip angle.")
def mf52_lateral() -> Figure:
    """Lateral force of the default set of Magic Formula 5.2 versus the slip angle."""
    return Figure("slip angle [deg], + moves right", "lateral force [kN], + right",
                  over_loads("mf_52", ANGLES, "lateral_slip", axis=1, in_x=DEGREES, in_y=KN))  # fmt: skip


@curve("driving_sandbox.physics.tire.mf52", "Longitudinal force of the default set versus the longitudinal slip.")
def mf52_longitudinal() -> Figure:
    """Longitudinal force of the default set of Magic Formula 5.2 versus the longitudinal slip."""
    return Figure("longitudinal slip [1], + drives", "longitudinal force [kN]",
                  over_loads("mf_52", SLIPS, "longitudinal_slip", axis=0, in_x=1.0, in_y=KN))  # fmt: skip


@curve(
    "driving_sandbox.physics.suspension.roll_centre",
    "Damper of the track roadster: less force in compression than in rebound.",
)
def damper_rates() -> Figure:
    """Damper force of the track roadster versus the speed of compression."""
    p = parameters(CAR, "suspension", 0)
    plain = parameters("roadster_simple", "suspension", 0)
    lines = [
        line("track roadster", span(-0.5, 0.5), partial(damper_force, p), in_y=KN),
        Line("roadster, one rate", span(-0.5, 0.5), plain["damping"] * span(-0.5, 0.5) * KN, faint=True),
    ]
    return Figure("speed of compression [m/s]", "damper force [kN]", lines)


@curve(
    "driving_sandbox.physics.suspension.roll_centre",
    "Its spring with preload, and the bump stop in the last 3 cm of travel.",
)
def rising_bump_stop() -> Figure:
    """Force of the track roadster's spring and bump stop versus jounce."""
    p = parameters(CAR, "suspension", 0)
    jounce = span(0.0, float(p["travel"]))
    spring = lambda j: p["preload"] + p["stiffness"] * j  # noqa: E731
    lines = [
        line("spring and stop", jounce, lambda j: spring(j) + bump_stop_force(p, j), MM, KN),
        line("spring", jounce, spring, MM, KN, faint=True),
    ]
    return Figure("jounce [mm]", "force [kN]", lines)


@curve(
    "driving_sandbox.physics.suspension.unsprung",
    "A hub of 35 kg lifted by 10 mm and let go, tire of 220 kN/m and 200 N s/m, spring of 30 kN/m: with the damper of "
    "2 kN s/m it is at rest within two swings, without it hops at 13.4 Hz until the tire has taken its energy.",
)
def wheel_hop() -> Figure:
    """Height of a hub that is lifted and let go, with and without its damper."""
    spring, tire, hub, time = 30e3, (220e3, 200.0), 35.0, span(0.0, 0.4)
    lines = [
        line(label, time, lambda t, c=c: exact_step(0.01, 0.0, t, (0.0, 0.0), tire, (0.0, spring, c), hub)[0], in_y=MM)
        for label, c in (("with its damper", 2000.0), ("without", 0.0))
    ]
    return Figure("time [s]", "hub above its rest [mm]", lines)


@curve(
    "driving_sandbox.physics.aero.body_and_wings",
    "Downforce of the track roadster's splitter and rear wing, and the drag of all.",
)
def body_and_wings() -> Figure:
    """Downforce of the track roadster's wings, and the drag of all, versus speed."""
    p = parameters(CAR, "aero")
    half = 0.5 * float(vehicle(CAR).context[0]["air_density"])
    wings = range(int(p["span"]["count"]))
    speeds = span(0.0, 60.0)

    def drag(v: float) -> float:
        return -body_force(p, (0.0, v, 0.0), half)[1] - sum(wing_force(p, k, (0.0, v, 0.0), half)[1] for k in wings)

    lines = [
        line(name, speeds, lambda v, k=k: -wing_force(p, k, (0.0, v, 0.0), half)[2])
        for k, name in zip(wings, ("splitter, down", "rear wing, down"), strict=True)
    ]
    return Figure("speed [m/s]", "force [N]", [*lines, line("drag of all", speeds, drag)])


def rolling(world: World, speed: float) -> None:
    """Add a forward speed to the body and the wheels of a world's vehicle."""
    car = world.vehicles[0]
    car.state["body"]["velocity"][0, 1] += speed
    car.state["wheel"][0]["omega"][:4] += speed / car.get("wheel.fl.radius")


def stopping(name: str, component: str, friction: float, seconds: float) -> np.ndarray:
    """[n, 2] time, s, and slip of the left front wheel in a full stop from 28 m/s with an anti-lock component."""
    car = load_vehicle(name)
    if car.sequence.by_slot["abs"].name != component:
        car = swapped_vehicle(car, plan_swap(car, "abs", component))
        car.set_many({"abs.mode": "wheels", "abs.max_velocity_ratio": 1.2, "abs.min_velocity_ratio": 1.15})
    world, command, rows = World(plane_ground(), [car], TICK), np.zeros(1, COMMAND), []
    world.ground.arrays.surfaces[:, FRICTION:] *= friction  # the columns of all tire types
    world.place(0, (0.0, 0.0), 0.0)
    command["gear"] = NEUTRAL
    for _ in range(round(1.5 / TICK)):
        world.step(command)
    rolling(world, 28.0)
    command["brake"] = 1.0
    for tick in range(1, round(seconds / TICK)):
        world.step(command)
        speed = float(car.state["body"]["velocity"][0, 1])
        rim = float(car.state["wheel"]["omega"][0, 0]) * car.get("wheel.fl.radius")
        rows.append((tick * TICK, 1.0 - rim / max(speed, 0.5)))
    return np.array(rows)


def driven(values: dict[str, Any], seconds: float, speed: float = 0.0, **commands: float) -> np.ndarray:
    """[n, 3] time, s, speed, m/s, and distance, m, of the track roadster on dry asphalt under constant commands."""
    car = load_vehicle(CAR)
    car.set_many(values)
    world = World(plane_ground(), [car], TICK)
    world.place(0, (0.0, 0.0), 0.0)
    command = np.zeros(1, COMMAND)
    command["gear"], command["brake"] = NEUTRAL if speed else AUTOMATIC, 1.0
    for _ in range(round(1.5 / TICK)):
        world.step(command)
    command["brake"] = 0.0
    for key, value in commands.items():
        command[key] = value
    rolling(world, speed)
    start, rows = float(car.state["body"]["position"][0, 1]), []
    for tick in range(round(seconds / TICK)):
        world.step(command)
        body = car.state["body"][0]
        rows.append((tick * TICK, float(body["velocity"][1]), float(body["position"][1]) - start))
    return np.array(rows)


def aids(slot: str, seconds: float, **commands: float) -> Figure:
    """Figure of speed versus distance for an aid switched off, controlling axles, and controlling wheels."""
    axle_mode = {f"{slot}.mode": "axles", f"{slot}.max_velocity_ratio": 1.1, f"{slot}.min_velocity_ratio": 1.0}
    lines = []
    for label, values in (("off", {f"{slot}.enable": False}), ("axles", axle_mode), ("wheels", {})):
        rows = driven(values, seconds, **commands)
        lines.append(Line(label, rows[:, 2], rows[:, 1]))
    return Figure("distance [m]", "speed [m/s]", lines)


@curve(
    "driving_sandbox.physics.assists.traction_control",
    "A launch of the track roadster on dry asphalt with full throttle: traction control off, on the means of the "
    "axles, and on each wheel.",
)
def traction_control() -> Figure:
    """Speed versus distance in a launch of the track roadster, for three modes of traction control."""
    return aids("traction_control", 4.0, throttle=1.0)


@curve(
    "driving_sandbox.physics.assists.abs",
    "The same car stopping from 28 m/s out of gear with the full pedal: without anti-lock brakes, on the means "
    "of the axles, and on each wheel.",
)
def anti_lock_brakes() -> Figure:
    """Speed versus distance in a stop of the track roadster, for three modes of anti-lock brakes."""
    return aids("abs", 3.6, speed=28.0, brake=1.0)


@curve(
    "driving_sandbox.physics.assists.peak_seeking_abs",
    "Slip of a front wheel of the hatchback in a full stop from 28 m/s, on dry asphalt and with 30 % of its friction, "
    "with these brakes and with brakes that keep a threshold.",
)
def peak_seeking_abs() -> Figure:
    """Slip of a front wheel in a full stop, with peak-seeking and threshold brakes, on two grounds."""
    lines = []
    for label, friction in (("dry", 1.0), ("30 %", 0.3)):
        for component in ("peak_seeking", "velocity_ratio"):
            rows = stopping("hatchback", component, friction, 3.0)
            lines.append(Line(f"{component}, {label}", rows[:, 0], rows[:, 1]))
    return Figure("time [s]", "slip [1]", lines)
