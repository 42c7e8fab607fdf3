"""Curves of losses, motors, chargers, converters and locking differentials."""

import numpy as np

from driving_sandbox.docs.build.concept import filled
from driving_sandbox.docs.build.curve import RPM, Figure, Line, curve, line, parameters, span
from driving_sandbox.physics.drivetrain.electric_motor import battery_power, motor_torque
from driving_sandbox.physics.drivetrain.turbocharged_engine import boost_after, boosted_torque, held_boost
from driving_sandbox.physics.gearbox.gearbox import gear_ratio, passed_on

TICK = 1.0 / 240.0  # s
KILOWATT = 1e-3  # of W
BAR = 1e-5  # of Pa
FIRST = 2  # index of first gear in the roadster's list
MOTOR = {"engine__peak_torque": 250.0, "engine__power": 80e3, "engine__regeneration": 0.3}


@curve(
    "driving_sandbox.physics.gearbox.gearbox",
    "Torque at the roadster's wheels in first gear over the clutch's, forwards: what gears of an efficiency of 0.9 "
    "pass on when the engine drives (right) and take in addition when it brakes (left).",
)
def gear_losses() -> Figure:
    ratio = gear_ratio(parameters("roadster_simple", "gearbox"), FIRST)
    lines = [
        line(f"efficiency {eta:g}", span(-100.0, 150.0), lambda t, e=eta: t * ratio * passed_on(e, t), faint=eta == 1.0)
        for eta in (0.9, 1.0)
    ]
    return Figure("clutch torque [N m]", "torque at the wheels [N m]", lines)


@curve(
    "driving_sandbox.physics.drivetrain.electric_motor",
    "A motor of 250 N m and 80 kW in the roadster: mechanical power at three pedals, and the power from the battery at "
    "the first and the last of them.",
)
def motor_power() -> Figure:
    p = filled("roadster_simple", "engine", "electric_motor", **MOTOR).params["engine"][0]
    omega = span(0.0, float(p["max_omega"]))
    lines = [
        line(f"pedal {pedal:g}", omega, lambda w, a=pedal: motor_torque(p, w, a, True) * w, RPM, KILOWATT)
        for pedal in (1.0, 0.5, 0.0)
    ]
    for pedal in (1.0, 0.0):
        drawn = lambda w, a=pedal: battery_power(p, motor_torque(p, w, a, True) * w)  # noqa: E731
        lines.append(line(f"battery, pedal {pedal:g}", omega, drawn, RPM, KILOWATT, faint=True))
    return Figure("motor speed [rpm]", "power [kW]", lines)


@curve(
    "driving_sandbox.physics.drivetrain.turbocharged_engine",
    "The throttle opens at 0.2 s and closes at 3 s, at constant engine speeds: the turbocharged engine in the "
    "roadster. At 1500 rpm its exhaust does not hold the whole boost.",
)
def boost_response() -> Figure:
    p = filled("roadster_simple", "engine", "turbocharged").params["engine"][0]
    time = np.arange(0.0, 4.0, TICK)
    lines = []
    for rpm in (1500.0, 3000.0, 5000.0):
        boost, found, omega = 0.0, [], rpm / RPM
        for t in time:
            throttle = 1.0 if 0.2 <= t < 3.0 else 0.0
            held = held_boost(p, boosted_torque(p, omega, throttle, boost) * omega)
            boost = boost_after(p, boost, held, omega, TICK)
            found.append(boost)
        lines.append(Line(f"{rpm:g} rpm", time, np.array(found) * BAR))
    return Figure("time [s]", "boost [bar]", lines)
