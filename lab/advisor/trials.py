"""Measurements on a copy of the vehicle on an endless plane, much faster than real time.

lift_test      full throttle in first gear, lifted off the ground and standing on it: engine and wheel speeds
coast_down     coasting in gear past 20 m/s: deceleration
step_steer     a step of the steering at 15 m/s: largest yaw acceleration
hill_test      steepest slope climbed at full throttle, by bisection; slopes are simulated by tilting gravity
slow_stop      coasting in neutral for 1 s from 1.5 m/s: share of ticks in which the longitudinal slip changes its sign

The copy is built from the vehicle's current configuration; the running drive is unaffected.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.lab.advisor.advice import advise
from driving_sandbox.lab.advisor.figures import (
    drag_area,
    driven_radius,
    forward_ratios,
    has,
    tire_path,
    torque_shares,
    value,
)
from driving_sandbox.physics.ground.arrays import JOINT_DEPTH, ROUGHNESS_AMPLITUDE
from driving_sandbox.physics.ground.ground import plane_ground
from driving_sandbox.physics.maths.quat import rotate, rotate_inverse
from driving_sandbox.physics.tick.commands import COMMAND, FIRST, NEUTRAL
from driving_sandbox.physics.tick.context import GRAVITY
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle_text, vehicle_text
from driving_sandbox.physics.world.world import World

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

TICK = 1.0 / 240.0  # s
ENGINE_SHARE = 0.4  # of the engine speed in the air; with less on the ground, the tires hold the engine
WHEEL_SHARE = 0.1  # of the wheel speed in the air; with less on the ground, the tires hold the wheels
STEEPEST = 60.0  # degrees, upper end of the search for the steepest slope


@dataclass
class Trial:
    """A measurement.

    Attributes:
        text: the result in one line.
        numbers: {name: value}.
        advice: list of Advice that follows from them.
    """

    text: str
    numbers: dict
    advice: list = field(default_factory=list)


class Bench:
    """A copy of a vehicle, at rest on a smooth plane.

    Args:
        vehicle: the Vehicle to copy.
        tick: length of a tick, s.
        substeps: number of substeps per tick.
        context: fields of the world's context to set.
    """

    def __init__(self, vehicle: "Vehicle", tick: float = TICK, substeps: int = 4, **context: Any) -> None:
        ground = plane_ground()
        ground.arrays.surfaces[:, [ROUGHNESS_AMPLITUDE, JOINT_DEPTH]] = 0.0
        text = vehicle_text(vehicle)
        self.vehicle = load_vehicle_text(text, vehicle.info.get("path", "copy"), trust=lambda path: True)
        self.world = World(ground, [self.vehicle], tick, substeps)
        for name, number in context.items():
            self.world.context[name] = number
        self.world.place(0, (0.0, 0.0), 0.0)
        self.run(1.0, gear=NEUTRAL, brake=1.0)

    @property
    def first_gear(self) -> int:
        """Index of the first forward gear."""
        return int(value(self.vehicle, "gearbox", "neutral_gear")) + 1 if has(self.vehicle, "gearbox") else FIRST

    def roll(self, speed: float) -> None:
        """Set a forward speed (m/s), with the wheels rolling."""
        q = tuple(self.vehicle.state["body"]["orientation"][0].tolist())
        self.vehicle.state["body"]["velocity"][0] = rotate(q, (0.0, speed, 0.0))
        n = self.vehicle.wheel_count
        self.vehicle.state["wheel"][0]["omega"][:n] = speed / self.vehicle.params["wheel"][0]["radius"][:n]

    def run(self, seconds: float, each: Callable[[], Any] | None = None, **commands: float) -> None:
        """Drive with constant commands for some seconds or up to a fault; calls `each`, if given, after every tick."""
        command = np.zeros(1, COMMAND)
        for name, number in commands.items():
            command[name] = number
        for _ in range(round(seconds / self.world.tick_seconds)):
            if self.world.step(command) is not None:
                return
            if each is not None:
                each()

    def local(self, name: str) -> tuple[float, float, float]:
        """The vector `name` of the body's state, in body axes: right, forward, up."""
        body = self.vehicle.state["body"][0]
        return rotate_inverse(tuple(body["orientation"].tolist()), tuple(body[name].tolist()))

    def wheel_speed(self) -> float:
        """Mean magnitude of the driven wheels' speeds, rad/s; 0 when none is driven."""
        driven = torque_shares(self.vehicle) > 0.0
        speeds = np.abs(self.vehicle.state["wheel"][0]["omega"][: self.vehicle.wheel_count])
        return float(speeds[driven].mean()) if driven.any() else 0.0

    def engine_speed(self) -> float:
        """Engine speed, rad/s; 0 without an engine."""
        return float(self.vehicle.state["engine"][0]["omega"]) if "engine" in self.vehicle.sequence.by_slot else 0.0


def lift_test(vehicle: "Vehicle", seconds: float = 5.0) -> Trial:
    """Trial: engine and wheel speeds after full throttle in first gear, in the air and on the ground."""
    speeds = {}
    for where in ("air", "ground"):
        bench = Bench(vehicle)
        if where == "air":
            bench.world.place(0, (0.0, 0.0, 50.0), 0.0)
            bench.world.context["gravity"][0] = 0.0  # so that the vehicle stays there
        bench.run(seconds, gear=bench.first_gear, throttle=1.0)
        speeds[where] = bench.engine_speed(), bench.wheel_speed()
    (engine_air, wheel_air), (engine, wheel) = speeds["air"], speeds["ground"]
    text = (
        f"Lift test: in the air engine {engine_air:.0f} and wheels {wheel_air:.1f} rad/s, "
        f"on the ground engine {engine:.0f} and wheels {wheel:.1f} rad/s"
    )
    name = vehicle.wheel_names[int(np.argmax(torque_shares(vehicle)))]
    rolling = value_of(vehicle, f"tire.{name}.rolling_resistance")
    path = tire_path(vehicle, name, "rolling_resistance" if rolling > 0.05 else "longitudinal_stiffness")
    advice = []
    if engine < ENGINE_SHARE * engine_air:
        measured = f"engine {engine_air:.0f} rad/s in the air, {engine:.0f} on the ground"
        advice.append(advise("tires_hold_engine", measured, path))
    if wheel_air > 5.0 and wheel < WHEEL_SHARE * wheel_air:
        measured = f"wheels {wheel_air:.0f} rad/s in the air, {wheel:.1f} on the ground"
        advice.append(advise("tires_hold_wheels", measured, path))
    numbers = {"engine_air": engine_air, "wheel_air": wheel_air, "engine_ground": engine, "wheel_ground": wheel}
    return Trial(text, numbers, advice)


def value_of(vehicle: "Vehicle", path: str) -> float:
    """Value of a parameter by its path, 0 where the vehicle has none."""
    try:
        return float(vehicle.get(path))
    except KeyError:
        return 0.0


def coast_down(vehicle: "Vehicle", speed: float = 20.0) -> Trial:
    """Trial: deceleration when coasting in gear past a speed, m/s."""
    bench = Bench(vehicle)
    gear = bench.first_gear
    if has(vehicle, "engine", "max_omega"):
        omegas = speed * forward_ratios(vehicle) / driven_radius(vehicle)
        gear += int(np.argmin(np.abs(omegas - 0.5 * value(vehicle, "engine", "max_omega"))))
        bench.run(0.6, gear=gear)  # s, for the gearbox to engage the gear
        bench.vehicle.state["engine"][0]["omega"] = omegas[gear - bench.first_gear]
    bench.roll(speed + 0.3)  # m/s above, so that the vehicle coasts past the speed
    speeds = []
    bench.run(1.0, each=lambda: speeds.append(bench.local("velocity")[1]), gear=gear)
    late = np.array(speeds[len(speeds) // 4 :])  # tires and clutch settle during the first quarter
    deceleration = float(late[0] - late[-1]) / ((len(late) - 1) * TICK)
    air = 0.5 * float(bench.world.context["air_density"][0]) * drag_area(vehicle) * speed**2
    air_drag = air / value(vehicle, "body", "mass")
    text = f"Coast-down: {deceleration:.3f} m/s^2 at {speed:.0f} m/s in gear, {air_drag:.3f} m/s^2 of it by air drag"
    advice = []
    if deceleration < 0.1:
        engine = "engine.damping_zero_throttle_clutch_engaged"
        path = engine if has(vehicle, "engine") else f"wheel.{vehicle.wheel_names[0]}.damping"
        advice.append(advise("coasts_on", f"{deceleration:.3f} m/s^2 at {speed:.0f} m/s, measured", path))
    return Trial(text, {"deceleration": deceleration, "air": air_drag}, advice)


def step_steer(vehicle: "Vehicle", speed: float = 15.0, steer: float = 0.2) -> Trial:
    """Trial: largest yaw acceleration (mean of five ticks) after the steer command jumps to `steer` at `speed`, m/s."""
    bench = Bench(vehicle)
    bench.roll(speed)
    bench.run(0.2, gear=NEUTRAL)
    rates = [bench.local("angular_velocity")[2]]
    bench.run(0.6, each=lambda: rates.append(bench.local("angular_velocity")[2]), gear=NEUTRAL, steer=steer)
    smooth = np.convolve(np.diff(rates) / TICK, np.ones(5) / 5.0, mode="valid")
    largest = float(np.abs(smooth).max())
    inertia = float(bench.vehicle.params["body"][0]["inertia"][2])
    text = (
        f"Step steer {steer:g} at {speed:.0f} m/s: yaw acceleration {largest:.2f} rad/s^2 with {inertia:.0f} kg*m^2 "
        f"(body.principal_inertia, third number), yaw rate {abs(rates[-1]):.2f} rad/s"
    )
    return Trial(text, {"yaw_acceleration": largest, "yaw_inertia": inertia, "yaw_rate": abs(rates[-1])})


def _climbs(vehicle: "Vehicle", degrees: float) -> bool:
    """Whether the vehicle climbs a slope (degrees) from rest at full throttle: over 1 m in 4 s, and still moving."""
    bench, angle = Bench(vehicle), math.radians(degrees)
    bench.world.context["gravity"][0] = (0.0, -GRAVITY * math.sin(angle), -GRAVITY * math.cos(angle))
    bench.run(0.5, gear=bench.first_gear, brake=1.0, throttle=0.0)
    start = bench.vehicle.model_position()[1]
    bench.run(4.0, gear=bench.first_gear, throttle=1.0)
    return bench.vehicle.model_position()[1] > start + 1.0 and bench.local("velocity")[1] > 0.5


def hill_test(vehicle: "Vehicle", steps: int = 6) -> Trial:
    """Trial: the steepest slope up to STEEPEST climbed at full throttle in first gear, found by `steps` bisections."""
    low, high = 0.0, STEEPEST
    for _ in range(steps):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if _climbs(vehicle, middle) else (low, middle)
    percent = 100.0 * math.tan(math.radians(low))
    text = f"Hill test: climbs {low:.1f} degrees ({percent:.0f} %) from rest with full throttle"
    return Trial(text, {"degrees": low})


def slow_stop(vehicle: "Vehicle", tick: float = TICK, substeps: int = 4, passive: float | None = None) -> Trial:
    """Trial: share of ticks in which the worst wheel's slip changes its sign, coasting for 1 s in neutral from 1.5 m/s.

    Args:
        tick: length of a tick, s.
        substeps: number of substeps per tick.
        passive: the world's min_passive_slip_speed, m/s; None for the default.
    """
    bench = Bench(vehicle, tick, substeps, **({} if passive is None else {"min_passive_slip_speed": passive}))
    bench.roll(1.5)
    n, slips = vehicle.wheel_count, []
    slip_view = bench.vehicle.state["tire"][0]["longitudinal_slip"][:n]  # changes in every tick
    bench.run(1.0, each=lambda: slips.append(slip_view.copy()), gear=NEUTRAL)
    slip = np.array(slips)
    sign_changes = (slip[1:] * slip[:-1] < 0.0) & (np.abs(slip[1:] - slip[:-1]) > 0.005)
    share = float(sign_changes.mean(axis=0).max())
    passive = float(bench.world.context["min_passive_slip_speed"][0])
    text = (
        f"Slow stop: the slip changes its sign in {100 * share:.0f} % of steps of {1e3 * tick:.2g} ms with {substeps} "
        f"substeps and a slip denominator of {passive:g} m/s"
    )
    return Trial(text, {"share": share})


TRIALS = {
    "Lift test": lift_test,
    "Coast-down": coast_down,
    "Step steer": step_steer,
    "Hill test": hill_test,
    "Slow stop": slow_stop,
}
