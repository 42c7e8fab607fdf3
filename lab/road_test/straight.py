"""Straight line: acceleration, quarter mile, top speed, braking, coast-down, engine speed when cruising.

Acceleration is full throttle from rest, reduced while the driven wheels spin. A clutch with a launch speed is released
from that engine speed. The driver tries starts with more and less wheel spin; the quickest one is measured. Stopping
distances count from the contact of foot and pedal, as in ISO 21994, after coasting to the test speed with the clutch
open; so the build-up of braking is part of them. The stop is repeated with less pedal as long as that shortens it, a
wheel locks, or the vehicle does not stay straight, and then with pedal positions close to the one at which wheels lock.
"""

import math
from typing import TYPE_CHECKING

import numpy as np

from driving_sandbox.lab.drivers.motion import motion_of
from driving_sandbox.lab.drivers.proportions import wheel_spin
from driving_sandbox.lab.kinematics import distance, sideslip
from driving_sandbox.lab.maneuvers import Maneuver
from driving_sandbox.lab.road_test.track import TestTrack, Trace, crossing
from driving_sandbox.lab.units import FOOT, KMH, MPH
from driving_sandbox.physics.base.record import field_names
from driving_sandbox.physics.tick.commands import NEUTRAL

if TYPE_CHECKING:
    from driving_sandbox.lab.drivers.motion import Motion
    from driving_sandbox.physics.vehicle.vehicle import Vehicle
    from driving_sandbox.physics.world.world import World

QUARTER_MILE = 1320.0 * FOOT  # m
TRAP = 66.0 * FOOT  # m before the finish over which drag strips time the speed
FIRST_MOTION = 0.1 * KMH  # m/s at which data loggers start their clock
START = 1.0  # s on the brake before the start; the first gear is engaged and the engine at its launch speed by then
TIME_LIMIT = 240.0  # s, of a run
RELEASE_TIME = 0.3  # s before the start at which the brake is released if a clutch is pressed: pressure has to fall
MOVE_OFF_TIME = 5.0  # s within which a vehicle must have started to move
TOP_SPEED_GAIN = 0.1  # m/s; the top speed is reached when TOP_SPEED_TIME gains less
TOP_SPEED_TIME = 10.0  # s
LAUNCH_GAIN = 0.02  # s/rad, throttle per engine speed missing up to the launch speed, before the start
FREE_SPINS = (1.0, 0.4, 0.0)  # m/s of wheel spin up to which the throttle stays full, one for each start tried
FREE_SPIN_SHARE = 0.12  # fraction of the speed added to the free spin
SPIN_GAIN = 0.5  # s/m, throttle reduction per m/s of wheel spin beyond free spin plus that fraction of the speed
LAUNCH_SPEED = 30.0 * MPH  # m/s; the start that reaches it first is the quickest
LAUNCH_LIMIT = 15.0  # s after which a start is given up
COAST = 5.0 * KMH  # m/s of coasting before the brake is applied, so that the springs come to rest
STOP_SPEED = 100.0 * KMH  # m/s, of the stops from which the best pedal position is found
BRAKING_START = STOP_SPEED + COAST  # m/s
BUILD_UP = 0.2  # s from pedal contact to full braking, foot and hydraulics together: usual for an emergency stop
PRESS_TIME = 0.05  # s in which a foot presses the pedal fully; brakes with a pressure build-up add the rest
PEDALS = (1.0, 0.85, 0.7, 0.6, 0.5, 0.42, 0.35, 0.3)  # brake pedal positions tried, 0..1
HALVINGS = 4  # of the interval in which wheels begin to lock, to 0.01 of the pedal
MAX_SIDESLIP = math.radians(10.0)  # up to which a stop is straight
SIDESLIP_SPEED = 5.0  # m/s above which sideslip is judged: near standstill it is ill-defined
AT_REST = 0.1  # m/s
CRUISE_SPEED = 70.0 * MPH  # m/s
CRUISE_TIME = 8.0  # s of cruising; the last second is measured


class FullThrottle(Maneuver):
    """Full throttle from rest, reduced while the driven wheels spin too much.

    A wheel spin of `free_spin` (m/s) plus FREE_SPIN_SHARE of the speed is allowed.

    With a clutch that has a launch speed, the engine is held at that speed before the start, with the clutch pressed.
    """

    def __init__(self, vehicle: "Vehicle", world: "World", dt: float, free_spin: float = FREE_SPINS[0]) -> None:
        super().__init__(vehicle, world, dt)
        self.vehicle, self.free_spin = vehicle, free_spin
        self.launch_omega: float | None = None
        if "clutch" in vehicle.sequence.by_slot and "launch_omega" in field_names(vehicle.params["clutch"].dtype):
            self.launch_omega = float(vehicle.params["clutch"]["launch_omega"][0])

    def command(self, motion: "Motion", c: np.void) -> None:
        """Brake until START, with a launch speed until RELEASE_TIME before it; then throttle limited by wheel spin."""
        if motion.time < START:
            c["brake"] = 1.0
            if self.launch_omega is not None:
                missing = self.launch_omega - float(self.vehicle.state["engine"]["omega"][0])
                c["clutch"], c["throttle"] = 1.0, min(max(LAUNCH_GAIN * missing, 0.0), 1.0)
                c["brake"] = 1.0 if motion.time < START - RELEASE_TIME else 0.0
            return
        excess = wheel_spin(self.vehicle, motion.speed) - self.free_spin - FREE_SPIN_SHARE * motion.speed
        c["throttle"] = min(max(1.0 - SPIN_GAIN * excess, 0.0), 1.0)


class Stop(Maneuver):
    """Coasts in neutral with the clutch open, and brakes below a speed (m/s) with a pedal position (0..1).

    The pedal is pressed at a constant rate, so that it would be fully pressed within BUILD_UP; within PRESS_TIME where
    the brakes' own pressure builds up.
    """

    def __init__(self, vehicle: "Vehicle", world: "World", dt: float, pedal: float, speed: float = math.inf) -> None:
        super().__init__(vehicle, world, dt)
        self.pedal, self.speed = pedal, speed
        slots, brakes = vehicle.sequence.by_slot, vehicle.params.dtype
        builds_up = "brakes" in slots and "build_time" in field_names(brakes["brakes"])
        self.rate = dt / (PRESS_TIME if builds_up else BUILD_UP)  # of the pedal per tick
        self.position: float | None = None  # of the pedal, None before its contact

    def command(self, motion: "Motion", c: np.void) -> None:
        """Clutch open; press the pedal once the speed is reached."""
        if self.position is not None:
            self.position = min(self.position + self.rate, self.pedal)
        elif motion.speed <= self.speed:
            self.position = 0.0
        c["gear"], c["clutch"], c["brake"] = NEUTRAL, 1.0, self.position or 0.0


class Cruise(Maneuver):
    """Holds a speed (m/s) in a gear."""

    def __init__(self, vehicle: "Vehicle", world: "World", dt: float, speed: float, gear: int) -> None:
        super().__init__(vehicle, world, dt)
        self.speed, self.gear = speed, gear

    def command(self, motion: "Motion", c: np.void) -> None:
        """Hold the speed in the gear."""
        c["gear"] = self.gear
        self.hold_speed(motion, c, self.speed)


class _TopSpeed:
    """A function to call with each Motion of a run: whether TOP_SPEED_TIME has gained less than TOP_SPEED_GAIN."""

    def __init__(self) -> None:
        self.since, self.speed = START + MOVE_OFF_TIME, 0.0  # time (s) and speed (m/s) of the last gain

    def __call__(self, motion: "Motion") -> bool:
        if motion.speed > self.speed + TOP_SPEED_GAIN:
            self.since, self.speed = max(motion.time, self.since), motion.speed
        return motion.time > self.since + TOP_SPEED_TIME


def acceleration(track: TestTrack) -> tuple[dict, Trace]:
    """(figures, Trace) of a run at full throttle from rest to the top speed."""
    trace = track.run(track.maneuver(FullThrottle, best_launch(track)), TIME_LIMIT, _TopSpeed())
    return acceleration_figures(trace), trace


def best_launch(track: TestTrack) -> float:
    """The value of FREE_SPINS whose start reaches LAUNCH_SPEED soonest; FREE_SPINS[0] if none does."""
    return min(FREE_SPINS, key=lambda free_spin: _launch_time(track, free_spin))


def _launch_time(track: TestTrack, free_spin: float) -> float:
    """Time at which a start with a free spin reaches LAUNCH_SPEED, s; inf if it does not within LAUNCH_LIMIT."""
    times = []

    def reached(motion: "Motion") -> bool:
        if motion.speed >= LAUNCH_SPEED:
            times.append(motion.time)
        return bool(times)

    track.run(track.maneuver(FullThrottle, free_spin), LAUNCH_LIMIT, reached)
    return times[0] if times else math.inf  # a fault ends a run early


def acceleration_figures(trace: Trace) -> dict:
    """{figure: value} of a run at full throttle from rest, nan for what it does not reach; {} if it did not move."""
    speed, travelled, time = trace.speed(), distance(trace.rows), trace.time
    start = int(np.searchsorted(time, START))
    moving = start + np.flatnonzero(speed[start:] > FIRST_MOTION)[:1]
    if not len(moving):
        return {}
    first = float(time[moving[0]])
    travelled = travelled - travelled[moving[0]]
    foot = crossing(travelled, FOOT, time)
    goals = {"30_mph": 30.0 * MPH, "60_mph": 60.0 * MPH, "100_kmh": 100.0 * KMH, "160_kmh": 160.0 * KMH}
    reached = {name: crossing(speed, goal, time) for name, goal in goals.items()}
    finish, trap = crossing(travelled, QUARTER_MILE, time), crossing(travelled, QUARTER_MILE - TRAP, time)
    return {
        **{f"zero_to_{name}": at - first for name, at in reached.items()},
        **{f"rollout_{name}": at - foot for name, at in reached.items()},
        "quarter_mile": finish - first,
        "quarter_mile_rollout": finish - foot,
        "trap_speed": TRAP / (finish - trap) / KMH,
        "top_speed": float(speed.max()) / KMH,
    }


def at_speed(track: TestTrack, speed: float) -> bytes | None:
    """Snapshot of the world when full throttle from rest has reached a speed, m/s; None if it never does."""
    track.run(track.maneuver(FullThrottle), TIME_LIMIT, lambda motion: motion.speed >= speed)
    return track.world.snapshot() if motion_of(track.vehicle, 0.0).speed >= speed else None


def braking(track: TestTrack, top_speed: float) -> dict:
    """Shortest distances from 100 km/h and 60 mph to rest, m; {} for a vehicle too slow. top_speed: m/s."""
    start = at_speed(track, BRAKING_START) if top_speed >= BRAKING_START else None
    if start is None:
        return {}
    pedal, shortest = best_pedal(track, start)
    if not math.isfinite(shortest):
        return {}
    return {"braking_100_kmh": shortest, "braking_60_mph": _stop(track, start, pedal, 60.0 * MPH)[0]}


def best_pedal(track: TestTrack, start: bytes) -> tuple[float, float]:
    """(pedal position of the shortest stop from STOP_SPEED, its distance in m or inf). start: snapshot before it."""
    best = (0.0, math.inf)
    free = locked_at = 0.0  # last pedal positions without and with locked wheels; 0: none yet
    for pedal in PEDALS:
        length, locks = _stop(track, start, pedal, STOP_SPEED)
        shorter = length < best[1]
        best = (pedal, length) if shorter else best
        if locks:
            locked_at = pedal
        elif locked_at > 0.0:
            free = pedal
            break
        elif not shorter:
            break  # even less pedal would lengthen the stop further
    for _ in range(HALVINGS if free > 0.0 else 0):
        middle = 0.5 * (free + locked_at)
        length, locks = _stop(track, start, middle, STOP_SPEED)
        best = (middle, length) if length < best[1] else best
        free, locked_at = (free, middle) if locks else (middle, locked_at)
    return best


def _stop(track: TestTrack, start: bytes, pedal: float, speed: float) -> tuple[float, bool]:
    """(stopping_distance, whether a wheel locks or the stop fails) of a stop from a speed (m/s), from a snapshot."""
    omega = track.vehicle.state["wheel"]["omega"][0, : track.vehicle.wheel_count]
    locks = []

    def at_rest(motion: "Motion") -> bool:
        locks.append(motion.speed > SIDESLIP_SPEED and bool((omega == 0.0).any()))
        return motion.speed < AT_REST

    trace = track.run(track.maneuver(Stop, pedal, speed), TIME_LIMIT, at_rest, start=start)
    length = stopping_distance(trace, speed)
    return length, any(locks) or not math.isfinite(length)


def stopping_distance(trace: Trace, start: float) -> float:
    """Distance from a speed (m/s) to rest in the Trace of a stop, m; inf if not straight or not at rest at its end."""
    speed, travelled = trace.speed(), distance(trace.rows)
    moving = speed > SIDESLIP_SPEED
    if np.abs(sideslip(trace.rows)[moving]).max(initial=0.0) > MAX_SIDESLIP or speed[-1] > 2.0 * AT_REST:
        return math.inf
    return float(travelled[-1] - np.interp(crossing(speed, start, trace.time), trace.time, travelled))


def coast_down(track: TestTrack, top_speed: float) -> dict:
    """Time from 100 to 60 km/h in neutral, s; {} for a vehicle too slow. top_speed: m/s."""
    start = at_speed(track, BRAKING_START) if top_speed >= BRAKING_START else None
    if start is None:
        return {}
    trace = track.run(track.maneuver(Stop, 0.0), TIME_LIMIT, lambda motion: motion.speed < 59.0 * KMH, start=start)
    fast, slow = (crossing(trace.speed(), level * KMH, trace.time) for level in (100.0, 60.0))
    return {"coast_down_100_60": slow - fast}


def cruising(track: TestTrack, top_speed: float) -> dict:
    """Engine speed at a steady 70 mph in the highest gear, rpm; {} where there is none. top_speed: m/s."""
    slots = track.vehicle.sequence.by_slot
    if top_speed < CRUISE_SPEED or "engine" not in slots or "gearbox" not in slots:
        return {}
    start = at_speed(track, CRUISE_SPEED)
    if start is None:
        return {}
    top_gear = int(track.vehicle.params["gearbox"]["ratios"]["count"][0]) - 1
    trace = track.run(track.maneuver(Cruise, CRUISE_SPEED, top_gear), CRUISE_TIME, start=start)
    last = trace.time > CRUISE_TIME - 1.0
    if not last.any():
        return {}
    ratio = float(trace.engine[last].mean() / trace.speed()[last].mean())  # rad/m; corrects a small speed error
    return {"engine_speed_70_mph": ratio * CRUISE_SPEED * 30.0 / math.pi}
