"""Variants side by side: gear changes, automatic gears, drivetrains and differentials."""

import math
from functools import cache
from typing import Any

import numpy as np

from driving_sandbox.docs.build.concept import concept, joined, with_component
from driving_sandbox.docs.build.curve import KMH, STEP, Figure, Line, call, line, span, vehicle
from driving_sandbox.docs.build.curves_planar import driven
from driving_sandbox.physics.base.record import field_names
from driving_sandbox.physics.differential.clutch_pack import locking_share, transferred_momentum
from driving_sandbox.physics.differential.limited_slip import limit_pair
from driving_sandbox.physics.differential.locks import SALISBURY, SPOOL, VISCOUS, moved_momentum, torque_bias
from driving_sandbox.physics.drivetrain.timed_clutch import move
from driving_sandbox.physics.gearbox.gearbox import advance_change, begin_change
from driving_sandbox.physics.gearbox.timed_gearbox import advance, clutch_share, request_gear
from driving_sandbox.physics.vehicle.vehicle import Vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

TICK = 1.0 / 240.0  # s
CHANGE = 0.33  # s, duration of the gear changes compared
AXLE_TORQUE = 400.0  # N m, input torque of the axles compared
MEAN_OMEGA = 5.0  # rad/s, mean speed of their wheels
CUT = -0.5 * AXLE_TORQUE  # N m; lower torques are drawn at this value
RUN = 14.0  # s at full throttle


@concept(
    "Gear changes",
    "Fraction of the clutch's torque that remains in a change from first to second gear: through neutral and in three "
    "phases, each set to a third of a second, and with an instant change, after which a clutch may close by time.",
    gearbox=("neutral_during_change", "three_phases", "instant", "planar"),
    clutch=("timed", "timed_torsion_damper"),
)  # fmt: skip
def variants_gear_changes() -> Figure:
    """Share of the clutch's torque that remains during a gear change, for each gearbox."""
    time = np.arange(0.0, 0.6, TICK)
    car, coupe = vehicle("clubsport"), vehicle("coupe")
    timed, neutral = car.state["gearbox"][0].copy(), coupe.state["gearbox"][0].copy()
    timed_params, neutral_params = car.params["gearbox"][0].copy(), coupe.params["gearbox"][0].copy()
    timed_params["time_to_declutch"], timed_params["time_in_neutral"] = 0.1, 0.08
    timed_params["time_to_clutch"] = CHANGE - 0.18
    neutral_params["switch_time"] = CHANGE
    timed["current_gear"] = timed["target_gear"] = neutral["current_gear"] = neutral["target_gear"] = 2
    request_gear(timed_params, timed, 3)
    begin_change(neutral_params, neutral, 3)
    shares = []
    for _ in time:
        shares.append(
            (clutch_share(timed_params, timed), float(neutral["current_gear"] != neutral_params["neutral_gear"]))
        )
        if timed["phase"] != 0:
            advance(timed_params, timed, 0, TICK)
        advance_change(neutral_params, neutral, TICK)
    samples = np.array(shares)
    clutches = vehicle("patrol"), with_component("coupe", "clutch", "timed_torsion_damper", clutch__clutch_speed=4.0)
    lines = [
        Line("neutral_during_change", time, samples[:, 1]), Line("three_phases", time, samples[:, 0]),
        Line("instant", time, np.array([in_gear("patrol", "command")] * len(time))),
        Line("planar", time, np.array([in_gear("planar_roadster", "change")] * len(time))),
    ]  # fmt: skip
    for timed_car in clutches:
        label = f"{timed_car.sequence.by_slot['clutch'].name}, {timed_car.get('clutch.clutch_speed'):g} /s"
        lines.append(Line(label, time, timed_positions(timed_car, len(time))))
    return Figure("time [s]", "share of the clutch [1]", joined(lines))


def timed_positions(car: Vehicle, ticks: int) -> np.ndarray:
    """Positions of a timed clutch after a change in the first tick."""
    p, s, positions = car.params["clutch"][0], car.state["clutch"][0].copy(), []
    for _ in range(ticks):
        move(p, s, 2, 0.0, TICK)  # first gear, pedal released
        positions.append(float(s["normalised"]))
    return np.array(positions)


def in_gear(name: str, phase: str) -> float:
    """1 if a gearbox has engaged the next gear in the tick in which it is requested, otherwise 0."""
    car = vehicle(name)
    state, autobox = car.state["gearbox"][0].copy(), car.state["autobox"][0].copy()
    state["current_gear"] = state["target_gear"] = 2
    autobox["gear"] = 3
    call(car, "gearbox", phase, state, autobox=autobox, engine=car.state["engine"][0].copy())
    return float(state["current_gear"] == 3)


@cache
def full_throttle(name: str) -> tuple[np.ndarray, np.ndarray]:
    """(times, s, rows of gear and speed, m/s) of a vehicle at full throttle, gears by its automatic."""

    def read(car: Vehicle) -> tuple[float, float]:
        gear = car.read("gearbox.current_gear") - 1.0 if "gearbox" in car.sequence.by_slot else 0.0
        return gear, math.hypot(*car.state["body"]["velocity"][0])

    return driven(load_vehicle(name), [(RUN, {"throttle": 1.0})], read)


@concept(
    "Automatic gears",
    "Gears of four vehicles at full throttle from rest, each by the rule of its own component; 0 is neutral.",
    autobox=("engine_speed_thresholds", "rpm_thresholds", "redline_and_speed", "shift_speeds"),
)  # fmt: skip
def variants_automatic_gears() -> Figure:
    """Gears of four vehicles at full throttle from rest."""
    lines = []
    for name in ("roadster_simple", "patrol", "planar_roadster", "clubsport"):
        time, rows = full_throttle(name)
        lines.append(Line(f"{vehicle(name).sequence.by_slot['autobox'].name}, {name}", time, rows[:, 0]))
    return Figure("time [s]", "gear [1]", lines)


@concept(
    "Drivetrains",
    "Speed of five vehicles at full throttle from rest, each with another drivetrain between engine and wheels.",
    drivetrain=("engine_clutch_wheels", "direct_wheels", "engine_clutch_tracks", "rigid_engine", "friction_drive"),
)  # fmt: skip
def variants_drivetrains() -> Figure:
    """Speed of five vehicles at full throttle from rest, each with another drivetrain."""
    lines = []
    for name in ("roadster_simple", "buggy", "tank", "patrol", "clubsport"):
        time, rows = full_throttle(name)
        lines.append(Line(f"{vehicle(name).sequence.by_slot['drivetrain'].name}, {name}", time, rows[:, 1] * KMH))
    return Figure("time [s]", "speed [km/h]", lines)


SHARES = {  # {component: (vehicle, phase that computes its wheels' shares, field of these)}
    "open": ("roadster_simple", "update", "torque_ratio"),
    "multi_wheel": ("roadster_simple", "update", "torque_ratio"),
    "legacy_four_wheel": ("roadster_simple", "update", "torque_ratio"),
    "driving_wheels": ("patrol", "update", "torque_ratio"),
    "geared": ("clubsport", "update", "torque_ratio"),
    "tank": ("tank", "update", "torque_ratio"),
    "axle_split": ("planar_roadster", "drive_axles", "traction"),
}

# state that differentials read: levers forward, engine torque, first gear, loaded axles
DRIVEN: dict[str, dict[str, float]] = {
    "levers": {"thrust_left": 1.0, "thrust_right": 1.0}, "engine": {"torque": 100.0}, "gearbox": {"current_gear": 2},
    "body": {"rear_load": 5e3, "front_load": 5e3},
}  # fmt: skip


def share_of_faster(choice: str, difference: float) -> float:
    """Share of the rear axle's torque that the left wheel (2) gets, which is faster than the right one (3).

    `choice`: a key of SHARES, `difference`: of the wheel speeds, rad/s.
    """
    name, phase, key = SHARES[choice]
    car = vehicle(name)
    if car.sequence.by_slot["differential"].name != choice:
        parameters = {"differential__driven": "rear"} if choice == "legacy_four_wheel" else {}
        car = with_component(name, "differential", choice, **parameters)
    state = car.state["differential"][0].copy()
    inputs: dict[str, Any] = {"wheel_count": 4}
    wheel = car.state["wheel"][0].copy()
    if "omega" in field_names(wheel.dtype):
        wheel["omega"][:4] = MEAN_OMEGA
        wheel["omega"][2], wheel["omega"][3] = MEAN_OMEGA + 0.5 * difference, MEAN_OMEGA - 0.5 * difference
        inputs["wheel"] = wheel
    for slot, values in DRIVEN.items():
        if slot in field_names(car.state.dtype):
            record = car.state[slot][0].copy()
            for field in set(values) & set(field_names(record.dtype)):
                record[field] = values[field]
            inputs[slot] = record
    call(car, "differential", phase, state, **inputs)
    left, right = (float(state[key][i]) for i in (2, 3))
    return left / (left + right)


@concept(
    "Differentials",
    f"Torque of the faster wheel of an axle with {AXLE_TORQUE:g} N m, its wheels' mean speed {MEAN_OMEGA:g} rad/s and "
    "1 kg m^2 each, over their difference in speed, in a step of 1 ms. Locks that hold the wheels together may need "
    f"any torque; the plot is cut off at {CUT:g} N m.",
    differential=tuple(SHARES), limited_slip=("ratio_limit", "locks", "clutch_pack", "helical"),
)  # fmt: skip
def variants_differentials() -> Figure:
    """Torque of an axle's faster wheel over the difference of wheel speeds, for each differential."""
    difference = span(0.0, 6.0)
    lines = [line(name, difference, lambda d, n=name: AXLE_TORQUE * share_of_faster(n, d)) for name in SHARES]
    bias = torque_bias(math.radians(45.0), 2, 0.6)  # ramp angle, number of clutches, factor: a ratio of 2.1
    # Arguments of transferred_momentum: preload (N m), locking share, input torque, difference of speeds, its change
    # per angular momentum moved (2 for two wheels of 1 kg m^2), step.
    torques = {
        "ratio_limit 1.4": lambda d: ratio_limited(d, 1.4),
        "locks, viscous 50 N m s/rad": lambda d: locked(VISCOUS, bias, d),
        "locks, salisbury": lambda d: locked(SALISBURY, bias, d),
        "locks, spool": lambda d: locked(SPOOL, bias, d),
        "clutch_pack 40 %": lambda d: transferred_momentum(40.0, 0.4, AXLE_TORQUE, d, 2.0, STEP) / STEP,
        "helical 2.5": lambda d: transferred_momentum(40.0, locking_share(2.5), AXLE_TORQUE, d, 2.0, STEP) / STEP,
    }
    for label, torque in torques.items():
        lines.append(line(label, difference, lambda d, t=torque: max(CUT, 0.5 * AXLE_TORQUE - t(d))))
    return Figure("difference of wheel speeds [rad/s]", "torque of the faster wheel [N m]", joined(lines))


def locked(kind: int, bias: float, difference: float) -> float:
    """Torque that a lock moves from the faster wheel to the slower one, N m; a viscous one has 50 N m s/rad."""
    return moved_momentum(kind, 50.0, bias, AXLE_TORQUE, difference, 2.0, STEP) / STEP


def ratio_limited(difference: float, limit: float) -> float:
    """Torque that a limit of the speed ratio moves from the faster wheel to the slower one, N m."""
    car = vehicle("coupe")
    wheel, p = car.state["wheel"][0].copy(), car.params["wheel"][0].copy()
    p["inertia"][:4] = 1.0
    wheel["omega"][2], wheel["omega"][3] = MEAN_OMEGA + 0.5 * difference, MEAN_OMEGA - 0.5 * difference
    return limit_pair(wheel, p, 2, 3, limit) / STEP
