"""Curves of commands, steering and drivetrain."""

from functools import partial
from typing import Any

import numpy as np

from driving_sandbox.docs.build.curve import (
    DEGREES,
    EXAMPLES,
    KMH,
    RPM_PER_RAD_S,
    STEP,
    Figure,
    Line,
    curve,
    line,
    parameters,
    span,
    vehicle,
)
from driving_sandbox.physics.command.response import steer_response
from driving_sandbox.physics.command.smoothing import approach, approach_steer
from driving_sandbox.physics.differential.legacy import biased_split
from driving_sandbox.physics.differential.limited_slip import limit_pair
from driving_sandbox.physics.drivetrain.auto_clutch import closing_share
from driving_sandbox.physics.drivetrain.clutch import respond
from driving_sandbox.physics.drivetrain.direct import DIRECT_DRIVE
from driving_sandbox.physics.drivetrain.engine import damping_rate, drive_torque
from driving_sandbox.physics.maths.curve import response
from driving_sandbox.physics.steering.ackermann import corrected_angles
from driving_sandbox.physics.steering.response import steer_angle
from driving_sandbox.physics.tank.levers import steer_levers
from driving_sandbox.physics.tick.commands import FIRST

TICK = 1.0 / 240.0  # s
REAR_LEFT, REAR_RIGHT = 2, 3  # indices of wheels


@curve(
    "driving_sandbox.physics.command.smoothing",
    "Keys of the roadster: throttle pressed at 0 s and released at 0.6 s, steering to the right and from 0.6 s on to "
    "the left. Releasing a pedal and steering back to the centre have rates of their own.",
)
def smoothing() -> Figure:
    """Throttle and steering command of the roadster while keys are pressed and released."""
    p = parameters("roadster_simple", "input")
    time = np.arange(0.0, 1.4, TICK)
    throttle, steer = [0.0], [0.0]
    for t in time[:-1]:
        pressed = t < 0.6
        throttle.append(approach(throttle[-1], float(pressed), p["throttle_rise"], p["throttle_fall"], TICK))
        rates = (p[f"steer_{side}_{direction}"] for side in ("left", "right") for direction in ("rise", "fall"))
        steer.append(approach_steer(steer[-1], 1.0 if pressed else -1.0, *rates, TICK))
    lines = [Line("throttle", time, np.array(throttle)), Line("steering", time, np.array(steer))]
    return Figure("time [s]", "command [1]", lines)


@curve(
    "driving_sandbox.physics.command.response",
    "Throttle response of `m3_e46` at four speeds: the limit at 250 km/h.",
)
def command_response() -> Figure:
    """Throttle response of the M3 versus the command, at four speeds."""
    table = parameters("m3_e46", "response")["throttle_table"]
    lines = [
        line(f"{speed * KMH:.0f} km/h", span(0.0, 1.0), lambda c, v=speed: response(table, c, v))
        for speed in (0.0, 69.2, 69.4, 69.6)
    ]
    return Figure("throttle command [1]", "throttle response [1]", lines)


@curve(
    "driving_sandbox.physics.steering.response",
    "Angle of a front wheel at full steering to the right versus speed, before Ackermann correction.",
)
def steer_over_speed() -> Figure:
    """Angle of a front wheel at full steering to the right versus speed."""
    lines = []
    for name in ("hatchback", "roadster_simple", "offroader", "truck"):
        table = parameters(name, "response")["steer_table"]
        wheel = parameters(name, "steering", 0)
        angle = lambda v, t=table, w=wheel: -steer_angle(w, steer_response(t, 1.0, v))  # noqa: E731
        lines.append(line(vehicle(name).name, span(0.0, 50.0), angle, KMH, DEGREES))
    return Figure("speed [km/h]", "steer angle to the right [deg]", lines)


@curve(
    "driving_sandbox.physics.steering.ackermann",
    "Angles of the roadster's front wheels at rest versus the steering command, with its strength of 0.8 and with "
    "exact geometry (strength 1). In a right turn the right wheel is the inner one.",
)
def ackermann() -> Figure:
    """Angles of the roadster's front wheels versus the steering command, for two Ackermann strengths."""
    p = parameters("roadster_simple", "ackermann")
    table, wheel = (
        parameters("roadster_simple", "response")["steer_table"],
        parameters("roadster_simple", "steering", 0),
    )

    def angle(steer: float, strength: float, side: int) -> float:
        mean = steer_angle(wheel, steer_response(table, steer, 0.0))
        return -corrected_angles(mean, strength, p["wheelbase"], p["track"])[side]

    lines = [
        line(label, span(-1.0, 1.0), lambda c, s=strength, i=side: angle(c, s, i), in_y=DEGREES, faint=faint)
        for label, strength, side, faint in (
            ("left", p["strength"], 0, False), ("right", p["strength"], 1, False),
            ("left, exact", 1.0, 0, True), ("right, exact", 1.0, 1, True),
        )
    ]  # fmt: skip
    return Figure("steering command [1], + right", "steer angle to the right [deg]", lines)


@curve(
    "driving_sandbox.physics.drivetrain.engine",
    "Torque of the roadster's engine minus its damping, from idle to the highest speed. Without throttle only the "
    "damping is left: engine braking, less of it with the clutch pedal pressed.",
)
def engine_torque() -> Figure:
    """Net torque of the roadster's engine versus its speed."""
    p = parameters("roadster_simple", "engine")
    omega = span(p["idle_omega"], p["max_omega"])

    def net(w: float, throttle: float, engagement: float) -> float:
        return drive_torque(p, w, throttle) - damping_rate(p, engagement, False, throttle) * w

    lines = [
        line("full throttle", omega, lambda w: net(w, 1.0, 1.0), RPM_PER_RAD_S),
        line("half throttle", omega, lambda w: net(w, 0.5, 1.0), RPM_PER_RAD_S),
        line("no throttle, in gear", omega, lambda w: net(w, 0.0, 1.0), RPM_PER_RAD_S),
        line("no throttle, clutch open", omega, lambda w: net(w, 0.0, 0.0), RPM_PER_RAD_S),
        line("full throttle, without damping", omega, lambda w: drive_torque(p, w, 1.0), RPM_PER_RAD_S, faint=True),
    ]
    return Figure("engine speed [rpm]", "torque [N m]", lines)


@curve(
    "driving_sandbox.physics.drivetrain.clutch",
    "Strength of this clutch versus the pedal, with the parameter `strength` of three vehicles. Their own clutches are "
    "variants of it, which also open by themselves.",
)
def clutch_response() -> Figure:
    """Strength of the clutch versus the pedal, with the parameter `strength` of three vehicles."""
    lines = []
    for name in ("roadster_simple", "hatchback", "coupe"):
        p, s = parameters(name, "clutch"), vehicle(name).state["clutch"][0].copy()

        def strength(pedal: float, p: Any = p, s: Any = s) -> float:
            respond(p, s, pedal)
            return s["response"]

        lines.append(line(vehicle(name).name, span(0.0, 1.0), strength))
    return Figure("clutch pedal [1], 1 = pressed", "strength [N m s/rad]", lines)


@curve(
    "driving_sandbox.physics.drivetrain.auto_clutch",
    "Engagement of the automatic clutch versus the speed of its faster side, with the pedal released.",
)
def automatic_clutch() -> Figure:
    """Engagement of the automatic clutch versus the speed of its faster side."""
    omega = span(60.0, 300.0)
    lines = [
        line(vehicle(name).name, omega, partial(closing_share, parameters(name, "clutch")), RPM_PER_RAD_S)
        for name in ("roadster_simple", "hatchback", "half_track", "truck")
    ]
    return Figure("faster of engine and gearbox input [rpm]", "engagement [1]", lines)


@curve(
    "driving_sandbox.physics.differential.legacy",
    "Torque share of the faster wheel of an evenly split axle versus the ratio of wheel speeds, for three biases: it "
    "falls once the ratio exceeds the bias.",
)
def legacy_split() -> Figure:
    """Torque share of the faster wheel of an axle versus the ratio of speeds, for three biases."""
    lines = [
        line(f"bias {bias:g}", span(1.0, 5.0), lambda r, b=bias: biased_split(20.0 * r, 20.0, b, 0.5)[0])
        for bias in (1.0, 1.3, 2.0)
    ]
    return Figure("speed ratio, faster / slower [1]", "share of the faster wheel [1]", lines)


@curve(
    "driving_sandbox.physics.differential.limited_slip",
    "Angular momentum moved in one substep from the faster rear wheel of the coupe to the slower one, versus their "
    "difference in speed, for three permitted speed ratios; the mean speed is 50 rad/s. Up to the permitted ratio the "
    "axle is open; above it exactly as much moves as brings the ratio back to it, whatever the length of the substep. "
    "The torque of the coupler is the angular momentum divided by that length.",
)
def limited_slip() -> Figure:
    """Angular momentum that a limited slip moves between wheels, versus their difference in speed."""
    p = parameters("coupe", "limited_slip")
    wheel, wheel_params = vehicle("coupe").state["wheel"][0].copy(), vehicle("coupe").params["wheel"][0]

    def moved(difference: float, limit: float) -> float:
        wheel["omega"][REAR_LEFT], wheel["omega"][REAR_RIGHT] = 50.0 + 0.5 * difference, 50.0 - 0.5 * difference
        return limit_pair(wheel, wheel_params, REAR_LEFT, REAR_RIGHT, limit)

    lines = [
        line(f"permitted ratio {limit:.2f}", span(0.0, 40.0), lambda d, m=limit: moved(d, m))
        for limit in (p["rear_target"], 1.5, 2.0)
    ]
    return Figure("difference of wheel speeds [rad/s]", "angular momentum [N m s]", lines)


@curve(
    "driving_sandbox.physics.tank.levers",
    "Levers of the tank versus the steering command: standing with the pedals released, its tracks turn in opposite "
    "directions; at 6 m/s and half throttle, the inner track is also braked.",
)
def levers() -> Figure:
    """Levers of the tank versus the steering command, standing and driving."""
    tank = vehicle("tank")
    p, state = parameters("tank", "levers"), tank.state["levers"][0].copy()
    pedals, box, box_params = tank.state["response"][0].copy(), tank.state["gearbox"][0], tank.params["gearbox"][0]

    def lever(steer: float, speed: float, throttle: float, name: str) -> float:
        pedals["steer"], pedals["speed"], pedals["throttle"] = steer, speed, throttle
        steer_levers(p, state, pedals, box, box_params)
        return state[name]

    lines = [
        line(label, span(-1.0, 1.0), lambda c, v=speed, t=throttle, n=name: lever(c, v, t, n), faint=faint)
        for label, speed, throttle, name, faint in (
            ("right thrust, standing", 0.0, 0.0, "thrust_right", False),
            ("right thrust, 6 m/s", 6.0, 0.5, "thrust_right", False),
            ("right brake, 6 m/s", 6.0, 0.5, "brake_right", False),
            ("left thrust, 6 m/s", 6.0, 0.5, "thrust_left", True),
        )
    ]  # fmt: skip
    return Figure("steering command [1], + right", "lever [1]", lines)


@curve(
    "driving_sandbox.physics.drivetrain.direct", "Torque of one of the buggy's rear motors versus speed, by throttle."
)
def direct_torque() -> Figure:
    """Torque of a rear motor of the buggy versus speed, by throttle."""
    buggy = vehicle("buggy")
    state, driver = buggy.state["direct_drive"][0].copy(), buggy.state["input"][0].copy()
    pedals, wheel = buggy.state["response"][0].copy(), buggy.state["wheel"][0].copy()
    radius = float(parameters("buggy", "wheel", REAR_LEFT)["radius"])
    driver["gear"] = FIRST

    def torque(speed: float, throttle: float) -> float:
        pedals["throttle"], wheel["omega"] = throttle, speed / radius
        DIRECT_DRIVE.phases["update"](buggy.params["direct_drive"][0], state, driver, pedals, wheel, buggy.wheel_count)
        return state["torque"][REAR_LEFT]

    lines = [
        line(f"throttle {throttle:g}", span(0.0, 45.0), lambda v, t=throttle: torque(v, t), KMH)
        for throttle in (1.0, 0.5, 0.25)
    ]
    return Figure("speed [km/h]", "torque [N m]", lines)


@curve(
    "driving_sandbox.docs.examples.viscous_coupling",
    "The worked example's coupling: torque between the hatchback's axles versus their difference in speed, for a "
    "step of 1 ms.",
)
def viscous_coupling() -> Figure:
    """Torque of the worked example's coupling versus the axles' difference in speed."""
    car = vehicle(EXAMPLES / "viscous_hatchback.yaml")
    update = car.sequence.by_slot["limited_slip"].phases["update"]
    state, wheel = car.state["limited_slip"][0].copy(), car.state["wheel"][0].copy()

    def torque(difference: float) -> Any:
        wheel["omega"][:4] = 50.0 + 0.5 * difference * np.array([1.0, 1.0, -1.0, -1.0])
        update(car.params["limited_slip"][0], state, wheel, car.params["wheel"][0], STEP)
        return state["torque"]

    return Figure("difference of axle speeds [rad/s]", "torque [N m]", [line("viscous", span(0.0, 40.0), torque)])


@curve(
    "driving_sandbox.docs.examples.electric_motor",
    "The worked example's motor on a rear wheel of the buggy, full throttle: torque versus the wheel's speed, for "
    "three temperatures of the windings.",
)
def electric_motor() -> Figure:
    """Torque of the worked example's motor versus the wheel's speed, for three temperatures of the windings."""
    car = vehicle(EXAMPLES / "electric_buggy.yaml")
    update = car.sequence.by_slot["direct_drive"].phases["update"]
    state, wheel = car.state["direct_drive"][0].copy(), car.state["wheel"][0].copy()
    pedals, driver = car.state["response"][0].copy(), car.state["input"][0].copy()
    pedals["throttle"], driver["gear"] = 1.0, FIRST

    def torque(omega: float, temperature: float) -> float:
        wheel["omega"], state["temperature"] = omega, temperature
        # a step of 1e-6 s is too short to heat the windings
        update(car.params["direct_drive"][0], state, driver, pedals, wheel, car.wheel_count, 1e-6)
        return state["torque"][REAR_LEFT]

    lines = [
        line(f"{above:g} K above air", span(0.0, 120.0), lambda w, t=above: torque(w, t))
        for above in (0.0, 100.0, 110.0)
    ]
    return Figure("wheel speed [rad/s]", "torque [N m]", lines)
