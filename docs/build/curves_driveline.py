"""Curves of losses, motors, chargers, converters and locking differentials."""

from typing import Any

import numpy as np

from driving_sandbox.docs.build.concept import with_component
from driving_sandbox.docs.build.curve import RPM_PER_RAD_S, STEP, Figure, Line, curve, line, parameters, span
from driving_sandbox.docs.build.curves_planar import driven
from driving_sandbox.physics.differential.clutch_pack import locking_share, transferred_momentum
from driving_sandbox.physics.drivetrain.electric_motor import battery_power, motor_torque
from driving_sandbox.physics.drivetrain.torque_converter import fluid_ratio, fluid_strength
from driving_sandbox.physics.drivetrain.turbocharged_engine import boost_after, boosted_torque, maintained_boost
from driving_sandbox.physics.gearbox.gearbox import gear_ratio, passed_on
from driving_sandbox.physics.vehicle.swap import plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

TICK = 1.0 / 240.0  # s
KILOWATT = 1e-3  # kW per W
BAR = 1e-5  # bar per Pa
FIRST = 2  # index of first gear in the roadster's `gearbox.ratios`
MOTOR = {"engine__peak_torque": 250.0, "engine__power": 80e3, "engine__regeneration": 0.3}
LOSSES = {"engine__efficiency": 0.97, "engine__copper_loss": 0.3, "engine__iron_loss": 0.01,
          "engine__windage_loss": 5e-6, "engine__constant_loss": 600.0}  # fmt: skip


@curve(
    "driving_sandbox.physics.gearbox.gearbox",
    "Torque at the roadster's wheels in first gear versus the clutch torque, driving forwards: gears with an "
    "efficiency of 0.9 pass on less when the engine drives (right) and add to the drag when it brakes (left).",
)
def gear_losses() -> Figure:
    """Torque at the wheels versus the clutch torque, with the losses of the gears."""
    ratio = gear_ratio(parameters("roadster_simple", "gearbox"), FIRST)
    lines = [
        line(f"efficiency {eta:g}", span(-100.0, 150.0), lambda t, e=eta: t * ratio * passed_on(e, t), faint=eta == 1.0)
        for eta in (0.9, 1.0)
    ]
    return Figure("clutch torque [N m]", "torque at the wheels [N m]", lines)


@curve(
    "driving_sandbox.physics.drivetrain.electric_motor",
    "A motor of 250 N m and 80 kW in the roadster: mechanical power at three pedal positions, and the battery's power "
    "at the first and the last of them.",
)
def motor_power() -> Figure:
    """Mechanical and battery power of an electric motor versus its speed."""
    p = with_component("roadster_simple", "engine", "electric_motor", **MOTOR).params["engine"][0]
    omega = span(0.0, float(p["max_omega"]))
    lines = [
        line(f"pedal {pedal:g}", omega, lambda w, a=pedal: motor_torque(p, w, a, True) * w, RPM_PER_RAD_S, KILOWATT)
        for pedal in (1.0, 0.5, 0.0)
    ]
    for pedal in (1.0, 0.0):
        battery = lambda w, a=pedal: battery_power(p, motor_torque(p, w, a, True), w)  # noqa: E731
        lines.append(line(f"battery, pedal {pedal:g}", omega, battery, RPM_PER_RAD_S, KILOWATT, faint=True))
    return Figure("motor speed [rpm]", "power [kW]", lines)


@curve(
    "driving_sandbox.physics.drivetrain.electric_motor",
    "The same motor with the losses of the text above: mechanical over battery power versus motor speed, at three "
    "torques up to the largest power.",
)
def motor_efficiency() -> Figure:
    """Efficiency of an electric motor with a map of losses versus its speed, at three torques."""
    p = with_component("roadster_simple", "engine", "electric_motor", **MOTOR, **LOSSES).params["engine"][0]
    top, lines = float(p["max_omega"]), []
    for torque in (25.0, 100.0, 250.0):
        omega = span(0.05 * top, min(top, float(p["power"]) / torque))
        efficiency = lambda w, t=torque: t * w / battery_power(p, t, w)  # noqa: E731
        lines.append(line(f"{torque:g} N m", omega, efficiency, RPM_PER_RAD_S))
    return Figure("motor speed [rpm]", "efficiency [1]", lines)


@curve(
    "driving_sandbox.physics.drivetrain.turbocharged_engine",
    "The throttle opens at 0.2 s and closes at 3 s, at constant engine speeds: the turbocharged engine in the "
    "roadster. At 1500 rpm the exhaust flow cannot sustain full boost.",
)
def boost_response() -> Figure:
    """Boost after the throttle opens and closes, at constant engine speeds."""
    p = with_component("roadster_simple", "engine", "turbocharged").params["engine"][0]
    time = np.arange(0.0, 4.0, TICK)
    lines = []
    for rpm in (1500.0, 3000.0, 5000.0):
        boost, pressures, omega = 0.0, [], rpm / RPM_PER_RAD_S
        for t in time:
            throttle = 1.0 if 0.2 <= t < 3.0 else 0.0
            maintained = maintained_boost(p, boosted_torque(p, omega, throttle, boost) * omega)
            boost = boost_after(p, boost, maintained, omega, TICK)
            pressures.append(boost)
        lines.append(Line(f"{rpm:g} rpm", time, np.array(pressures) * BAR))
    return Figure("time [s]", "boost [bar]", lines)


@curve(
    "driving_sandbox.physics.drivetrain.torque_converter",
    "Torque ratio and efficiency versus the speed ratio, and pump torque at 2000 rpm as a fraction of that at stall: "
    "the converter with its default parameters, lock-up open.",
)
def converter_curves() -> Figure:
    """Torque ratio, efficiency and pump torque of the converter versus the speed ratio."""
    p = with_component("coupe", "clutch", "torque_converter").params["clutch"][0]
    ratio, pump = span(0.0, 0.999), 2000.0 / RPM_PER_RAD_S
    stall = fluid_strength(p, pump, 0.0) * pump
    lines = [
        line("torque ratio", ratio, lambda nu: fluid_ratio(p, pump, nu * pump)),
        line("efficiency", ratio, lambda nu: nu * fluid_ratio(p, pump, nu * pump)),
        line("pump torque", ratio, lambda nu: fluid_strength(p, pump, nu * pump) * pump * (1.0 - nu) / stall),
    ]
    return Figure("speed ratio [1]", "ratio [1]", lines)


@curve(
    "driving_sandbox.physics.drivetrain.launch_clutch",
    "Speeds of engine and gearbox input in a start of the roadster at full throttle: this clutch holds the engine at "
    "3820 rpm (400 rad/s), the automatic one pulls it down.",
)
def launches() -> Figure:
    """Speeds of engine and gearbox input in a start, with the launch clutch and the automatic one."""
    lines = []
    for name in ("launch", "automatic"):
        car = load_vehicle("roadster_simple")
        car = swapped_vehicle(car, plan_swap(car, "clutch", name))
        time, rows = driven(car, [(2.5, {"throttle": 1.0, "gear": FIRST})], engine_and_input)
        lines.append(Line(f"engine, {name}", time, rows[:, 0] * RPM_PER_RAD_S))
        lines.append(Line(f"gearbox, {name}", time, rows[:, 1] * RPM_PER_RAD_S, faint=True))
    return Figure("time [s]", "speed [rpm]", lines)


def engine_and_input(car: Any) -> tuple[float, float]:
    """(engine speed, speed of the gearbox input) in first gear, rad/s."""
    ratio = gear_ratio(car.params["gearbox"][0], FIRST)
    return car.read("engine.omega"), ratio * 0.5 * (car.read("wheel.rl.omega") + car.read("wheel.rr.omega"))


@curve(
    "driving_sandbox.physics.differential.clutch_pack",
    "Torque of the slower wheel of an axle versus the input torque, while both turn differently: a clutch pack of 40 % "
    "on power and 20 % on overrun, helical gears of a bias of 2.5 and 2, each with 40 N m of preload, and open.",
)
def locking_torques() -> Figure:
    """Torque of the slower wheel versus the input torque, for a clutch pack and helical gears."""
    pack = with_component("roadster_simple", "limited_slip", "clutch_pack").params["limited_slip"][0]
    helical = with_component("roadster_simple", "limited_slip", "helical").params["limited_slip"][0]
    pack_shares = (pack["rear_power_lock"], pack["rear_coast_lock"])
    helical_shares = (locking_share(helical["rear_power_bias"]), locking_share(helical["rear_coast_bias"]))

    def slower(torque: float, shares: Any, preload: float) -> float:
        """Torque of the slower wheel, N m, at an input torque; shares: locking shares on power and on overrun."""
        share = shares[0] if torque >= 0.0 else shares[1]
        # At a speed difference of 100 rad/s and an inverse inertia of 1e-3 /(kg m^2) only the locking torque limits.
        return 0.5 * torque + transferred_momentum(preload, share, torque, 100.0, 1e-3, STEP) / STEP

    torque = span(-1000.0, 1500.0)
    lines = [
        line("clutch_pack", torque, lambda t: slower(t, pack_shares, pack["rear_preload"])),
        line("helical", torque, lambda t: slower(t, helical_shares, helical["rear_preload"])),
        line("open", torque, lambda t: 0.5 * t, faint=True),
    ]
    return Figure("input torque [N m]", "torque of the slower wheel [N m]", lines)
