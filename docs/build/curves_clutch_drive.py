"""Curves of the parts of a clutch drive: engine that stalls, clutch that slips, timed gearbox, locks, linearity."""

import math
from functools import partial

import numpy as np

from driving_sandbox.docs.build.curve import (
    DEGREES,
    RPM_PER_RAD_S,
    Figure,
    Line,
    curve,
    line,
    parameters,
    span,
    vehicle,
)
from driving_sandbox.physics.brakes.clipped import clipped_torque
from driving_sandbox.physics.command.linearity import linearize
from driving_sandbox.physics.differential.geared import axle_factors
from driving_sandbox.physics.differential.locks import SALISBURY, SPOOL, VISCOUS, moved_momentum, torque_bias
from driving_sandbox.physics.drivetrain.friction_clutch import automatic_share
from driving_sandbox.physics.drivetrain.friction_drive import clamped_torque
from driving_sandbox.physics.drivetrain.stalling_engine import drag_rate, gas_torque
from driving_sandbox.physics.estimate.inertia import axle_formula, rule_of_thumb
from driving_sandbox.physics.gearbox.shift_speeds import chosen_gear
from driving_sandbox.physics.gearbox.timed_gearbox import advance, clutch_share, request_gear
from driving_sandbox.physics.steering.inner_factor import inner_angle

TICK = 1.0 / 240.0  # s
CAR = "clubsport"


@curve(
    "driving_sandbox.physics.command.linearity",
    "Response versus the command for five linearities. The function is odd.",
)
def linearity() -> Figure:
    """Response versus the command for five linearities."""
    lines = [
        line(f"linearity {bend:g}", span(-1.0, 1.0), lambda v, k=bend: linearize(v, k), faint=bend == 1.0)
        for bend in (0.0, 0.5, 1.0, 1.5, 2.0)
    ]
    return Figure("command [1]", "response [1]", lines)


@curve(
    "driving_sandbox.physics.steering.inner_factor",
    "Front wheel angles of the clubsport versus the steering command at rest; the inner wheel turns 1.12 times as far.",
)
def inner_wheel() -> Figure:
    """Angles of the clubsport's front wheels versus the steering response."""
    lines = []
    for name, wheel in (("left", 0), ("right", 1)):
        p = parameters(CAR, "steering", wheel)
        lines.append(line(name, span(-1.0, 1.0), lambda c, p=p: -inner_angle(p, c), in_y=DEGREES))
    return Figure("steering response [1], + right", "angle to the right [deg]", lines)


@curve(
    "driving_sandbox.physics.steering.steering_wheel",
    "Angle of the clubsport's steering wheel and of its first wheel versus the response; their ratio is 14.",
)
def steering_wheel() -> Figure:
    """Angles of the clubsport's steering wheel and first wheel versus the steering response."""
    p, wheel = parameters(CAR, "steering_wheel"), parameters(CAR, "steering", 0)
    hand_wheel = line("steering wheel", span(-1.0, 1.0), lambda c: p["lock"] * c, in_y=DEGREES)
    wheels = line("outer wheel", span(-1.0, 1.0), lambda c: wheel["max_angle"] * c, in_y=DEGREES)
    return Figure("steering response [1], + right", "angle to the right [deg]", [hand_wheel, wheels])


@curve(
    "driving_sandbox.physics.brakes.clipped",
    "Brake torque of a rear wheel of the clubsport versus the pedal; handbrake released, half and fully pulled.",
)
def clipped_brakes() -> Figure:
    """Brake torque of a rear wheel of the clubsport versus the pedal, for three handbrake positions."""
    p = parameters(CAR, "brakes", 2)
    lines = [
        line(f"handbrake {pulled:g}", span(0.0, 1.0), lambda b, h=pulled: clipped_torque(p, b, h))
        for pulled in (0.0, 0.5, 1.0)
    ]
    return Figure("brake pedal [1]", "torque [N m]", lines)


@curve(
    "driving_sandbox.physics.body.assembled",
    "Inertia by the axle formula and by the rule of thumb versus mass; axles 1.3 m from the centre of mass.",
)
def inertia_formulas() -> Figure:
    """Moments of inertia by the axle formula and by the rule of thumb versus mass."""
    masses = span(400.0, 2000.0)
    lines = []  # the axle formula takes the masses on both axles, the front axle's distance and the wheelbase, m
    for k, name in enumerate(("pitch", "roll", "yaw")):
        lines.append(line(name, masses, lambda m, k=k: axle_formula(m / 2, m / 2, 1.3, 2.6)[k]))
        lines.append(line(f"{name}, thumb", masses, lambda m, k=k: rule_of_thumb(m)[k], faint=True))
    return Figure("mass [kg]", "moment of inertia [kg m^2]", lines)


@curve(
    "driving_sandbox.physics.drivetrain.stalling_engine",
    "Torque of the clubsport's engine less its friction and braking. Below 400 rpm it stalls, at idle the governor "
    "holds it against its friction, beyond 7300 rpm only braking is left.",
)
def stalling_engine() -> Figure:
    """Net torque of the clubsport's engine versus its speed."""
    p = parameters(CAR, "engine")

    def net(omega: float, throttle: float) -> float:
        combustion = (
            gas_torque(p, omega, throttle if omega < p["max_omega"] else 0.0) if omega >= p["stall_omega"] else 0.0
        )
        return combustion - drag_rate(p, omega, throttle) * omega

    lines = [
        line(label, span(0.0, 820.0, 821), lambda w, t=throttle: net(w, t), RPM_PER_RAD_S)
        for label, throttle in (("full throttle", 1.0), ("half throttle", 0.5), ("no throttle", 0.0))
    ]
    return Figure("engine speed [rpm]", "torque [N m]", lines)


@curve(
    "driving_sandbox.physics.drivetrain.friction_clutch",
    "Capacity of the clubsport's clutch versus the faster of engine and gearbox input, pedal up, by the speed from "
    "which it is fully closed; 0 leaves it to the pedal.",
)
def friction_clutch() -> Figure:
    """Capacity of the clubsport's clutch versus speed, for several closing speeds."""
    p, idle = parameters(CAR, "clutch").copy(), float(parameters(CAR, "engine")["idle_omega"])

    def capacity(omega: float, auto: float) -> float:
        p["auto_omega"] = auto
        return p["max_torque"] * automatic_share(p, idle, omega)

    lines = [
        line(f"{auto * RPM_PER_RAD_S:.0f} rpm", span(50.0, 300.0), lambda w, a=auto: capacity(w, a), RPM_PER_RAD_S)
        for auto in (0.0, 190.0, 260.0)
    ]
    return Figure("engine or gearbox input [rpm]", "capacity [N m]", lines)


@curve(
    "driving_sandbox.physics.drivetrain.friction_drive",
    "Clutch torque versus slip for three capacities, with the wheels held, in a step of 1 ms: the torque that ends the "
    "slip within the step, but never more than the capacity.",
)
def friction_drive() -> Figure:
    """Clutch torque versus slip for three capacities."""
    response = 1e-3 / float(parameters(CAR, "engine")["inertia"])
    lines = [
        line(f"{capacity:.0f} N m", span(-4.0, 4.0), lambda s, c=capacity: clamped_torque(s, response, c))
        for capacity in (330.0, 150.0, 50.0)
    ]
    return Figure("engine ahead of gearbox input [rad/s]", "clutch torque [N m]", lines)


@curve(
    "driving_sandbox.physics.gearbox.timed_gearbox",
    "Fraction of the clutch's capacity during gear changes of the clubsport: from first to second, and back, where "
    "closing the clutch takes longer.",
)
def timed_change() -> Figure:
    """Share of the clutch's capacity during an up-shift and a down-shift of the clubsport."""
    car = vehicle(CAR)
    p, lines = car.params["gearbox"][0], []
    for label, first, second in (("up", 2, 3), ("down", 3, 2)):
        s, shares = car.state["gearbox"][0].copy(), []
        s["current_gear"] = s["target_gear"] = first
        request_gear(p, s, second)
        time = np.arange(0.0, 0.4, TICK)
        for _ in time:
            shares.append(clutch_share(p, s))
            if s["phase"] != 0:
                advance(p, s, 0, TICK)
        lines.append(Line(label, time, np.array(shares)))
    return Figure("time [s]", "clutch share [1]", lines)


@curve(
    "driving_sandbox.physics.gearbox.shift_speeds",
    "Gear that the clubsport's automatic chooses versus engine speed, from each gear.",
)
def shift_speeds() -> Figure:
    """Gear that the clubsport's automatic chooses versus engine speed."""
    p, count = parameters(CAR, "autobox"), int(parameters(CAR, "gearbox")["ratios"]["count"])
    lines = [
        line(
            f"from gear {gear - 1}",
            span(100.0, 764.0),
            lambda w, g=gear: chosen_gear(p, g, 1, count, w, w) - 1,
            RPM_PER_RAD_S,
        )
        for gear in (2, 3, 4, 5)
    ]
    return Figure("engine speed [rpm]", "gear [1]", lines)


@curve(
    "driving_sandbox.physics.differential.geared",
    "Torque of a front and a rear wheel per torque of the propeller shaft versus the centre's split, all ratios 2.",
)
def geared_split() -> Figure:
    """Torque of a front and a rear wheel versus the split of the centre differential."""
    p = parameters(CAR, "differential").copy()
    p["driven"], p["front_ratio"], p["rear_ratio"], p["center_ratio"] = 0, 2.0, 2.0, 2.0

    def factor(split: float, axle: int) -> float:
        p["front_split"] = split
        return axle_factors(p)[axle]

    lines = [
        line(name, span(0.0, 1.0), lambda s, k=k: factor(s, k)) for k, name in enumerate(("front wheel", "rear wheel"))
    ]
    return Figure("front split [1]", "torque per torque [1]", lines)


@curve(
    "driving_sandbox.physics.differential.locks",
    "Torque that moves from the faster wheel of an axle to the slower one, 1 kg m^2 each, in a step of 1 ms, over the "
    "difference of their speeds; 400 N m come in.",
)
def locks() -> Figure:
    """Torque that each kind of lock moves between the wheels of an axle, over their difference of speeds."""
    bias = torque_bias(math.radians(60.0), 2, 1.2)  # ramp angle, number of clutches, factor: a ratio of 3

    def torque(difference: float, kind: int, rate: float) -> float:
        """Torque, N m, at a difference of the wheels' speeds, rad/s; rate: of the viscous lock, N m s/rad."""
        return moved_momentum(kind, rate, bias, 400.0, difference, 2.0, 1e-3) / 1e-3

    lines = [
        line(label, span(0.0, 1.0), partial(torque, kind=kind, rate=rate))
        for label, kind, rate in (
            ("spool", SPOOL, 0.0), ("viscous, 50 N m s/rad", VISCOUS, 50.0), ("Salisbury, ratio 3", SALISBURY, 0.0),
        )
    ]  # fmt: skip
    return Figure("difference of wheel speeds [rad/s]", "torque [N m]", lines)
