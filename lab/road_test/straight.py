"""Straight line: acceleration, quarter mile, top speed, braking, coast-down, engine speed when cruising.

Acceleration is full throttle from rest, reduced while the driven wheels spin. Braking begins slightly above the speed
from which the distance is measured, as with data loggers (ISO 21994 without its pedal time), with the clutch open; if
wheels lock, the stop is repeated with less pedal, and the shortest straight stop counts.
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
from driving_sandbox.physics.tick.commands import NEUTRAL

if TYPE_CHECKING:
    from driving_sandbox.lab.drivers.motion import Motion

QUARTER_MILE = 1320.0 * FOOT  # m
TRAP = 66.0 * FOOT  # m before the finish over which drag strips time the speed
FIRST_MOTION = 0.1 * KMH  # at which data loggers start their clock
START = 0.5  # s on the brake before the start
LONGEST_RUN = 240.0  # s to top speed
GETTING_AWAY = 5.0  # s within which a vehicle must have started to move
TOP_GAIN, TOP_TIME = 0.1, 10.0  # m/s gained within s; less means top speed
SPIN_FREE, SPIN_SHARE = 1.0, 0.12  # m/s, and share of the speed: wheel spin at which the driver begins to lift
SPIN_EASE = 0.5  # throttle reduction per m/s of wheel spin beyond that
ABOVE = 5.0 * KMH  # margin of the speed at which the brake is applied over that of the measurement
BRAKING_START = 100.0 * KMH + ABOVE  # m/s
PEDALS = (1.0, 0.85, 0.7, 0.6, 0.5, 0.42, 0.35, 0.3)  # pedal positions tried where wheels lock
STRAIGHT = math.radians(10.0)  # sideslip up to which a stop counts
TOLD_FROM = 5.0  # m/s above which sideslip is judged: near standstill it is undefined
AT_REST = 0.1  # m/s
CRUISE = 70.0 * MPH
CRUISE_TIME = 8.0  # s of cruising; the last one is measured


class FullThrottle(Maneuver):
    """From rest; the throttle is reduced while the driven wheels spin."""

    def __init__(self, vehicle, world, dt):
        super().__init__(vehicle, world, dt)
        self.vehicle = vehicle

    def command(self, motion: "Motion", c: np.void) -> None:
        if motion.time < START:
            c["brake"] = 1.0
            return
        beyond = wheel_spin(self.vehicle, motion.speed) - SPIN_FREE - SPIN_SHARE * motion.speed
        c["throttle"] = min(max(1.0 - SPIN_EASE * beyond, 0.0), 1.0)


class Stop(Maneuver):
    """Brakes to rest in neutral. pedal: 0..1."""

    def __init__(self, vehicle, world, dt, pedal):
        super().__init__(vehicle, world, dt)
        self.pedal = pedal

    def command(self, motion: "Motion", c: np.void) -> None:
        c["gear"], c["clutch"], c["brake"] = NEUTRAL, 1.0, self.pedal


class Cruise(Maneuver):
    """Holds a speed (m/s) in a gear."""

    def __init__(self, vehicle, world, dt, speed, gear):
        super().__init__(vehicle, world, dt)
        self.speed, self.gear = speed, gear

    def command(self, motion: "Motion", c: np.void) -> None:
        c["gear"] = self.gear
        self.hold_speed(motion, c, self.speed)


class _TopSpeed:
    """Whether a run has reached its top speed."""

    def __init__(self) -> None:
        self.since, self.speed = START + GETTING_AWAY, 0.0

    def __call__(self, motion):
        if motion.speed > self.speed + TOP_GAIN:
            self.since, self.speed = max(motion.time, self.since), motion.speed
        return motion.time > self.since + TOP_TIME


def acceleration(track: TestTrack) -> tuple[dict, Trace]:
    """Times to speeds, the quarter mile and the top speed; the Trace of the run."""
    trace = track.run(track.maneuver(FullThrottle), LONGEST_RUN, _TopSpeed())
    return acceleration_figures(trace), trace


def acceleration_figures(trace: Trace) -> dict:
    """The same from the Trace of a run at full throttle from rest."""
    speed, driven, time = trace.speed(), distance(trace.rows), trace.time
    begin = int(np.searchsorted(time, START))
    moving = begin + np.flatnonzero(speed[begin:] > FIRST_MOTION)[:1]
    if not len(moving):
        return {}
    first = float(time[moving[0]])
    driven = driven - driven[moving[0]]
    foot = crossing(driven, FOOT, time)
    goals = {"30_mph": 30.0 * MPH, "60_mph": 60.0 * MPH, "100_kmh": 100.0 * KMH, "160_kmh": 160.0 * KMH}
    reached = {name: crossing(speed, goal, time) for name, goal in goals.items()}
    finish, trap = crossing(driven, QUARTER_MILE, time), crossing(driven, QUARTER_MILE - TRAP, time)
    return {
        **{f"zero_to_{name}": at - first for name, at in reached.items()},
        **{f"rollout_{name}": at - foot for name, at in reached.items()},
        "quarter_mile": finish - first,
        "quarter_mile_rollout": finish - foot,
        "trap_speed": TRAP / (finish - trap) / KMH,
        "top_speed": float(speed.max()) / KMH,
    }


def at_speed(track: TestTrack, speed: float) -> bytes | None:
    """Snapshot of the track where full throttle from rest has reached a speed, m/s; None if it never does."""
    track.run(track.maneuver(FullThrottle), LONGEST_RUN, lambda motion: motion.speed >= speed)
    return track.world.snapshot() if motion_of(track.vehicle, 0.0).speed >= speed else None


def braking(track: TestTrack, top_speed: float) -> dict:
    """Shortest distances from 100 km/h and 60 mph to rest. top_speed: of the vehicle, m/s."""
    start = at_speed(track, BRAKING_START) if top_speed >= BRAKING_START else None
    if start is None:
        return {}
    best: dict = {}
    for pedal in PEDALS:
        trace = track.run(track.maneuver(Stop, pedal), LONGEST_RUN, lambda motion: motion.speed < AT_REST, start=start)
        distances = stopping_distances(trace)
        if distances and (not best or distances["braking_100_kmh"] < best["braking_100_kmh"]):
            best = distances
        elif best:
            break  # less pedal only lengthens the stop
    return best


def stopping_distances(trace: Trace) -> dict:
    """From the Trace of a stop; {} of one that was not straight, or had no end."""
    speed, driven = trace.speed(), distance(trace.rows)
    moving = speed > TOLD_FROM
    if np.abs(sideslip(trace.rows)[moving]).max(initial=0.0) > STRAIGHT or speed[-1] > 2.0 * AT_REST:
        return {}
    found = {}
    for name, start in (("braking_100_kmh", 100.0 * KMH), ("braking_60_mph", 60.0 * MPH)):
        at = crossing(speed, start, trace.time)
        found[name] = float(driven[-1] - np.interp(at, trace.time, driven))
    return found


def coast_down(track: TestTrack, top_speed: float) -> dict:
    """Time from 100 to 60 km/h in neutral."""
    start = at_speed(track, BRAKING_START) if top_speed >= BRAKING_START else None
    if start is None:
        return {}
    trace = track.run(track.maneuver(Stop, 0.0), LONGEST_RUN, lambda motion: motion.speed < 59.0 * KMH, start=start)
    fast, slow = (crossing(trace.speed(), level * KMH, trace.time) for level in (100.0, 60.0))
    return {"coast_down_100_60": slow - fast}


def cruising(track: TestTrack, top_speed: float) -> dict:
    """Engine speed at a steady 70 mph in the highest gear."""
    slots = track.vehicle.sequence.by_slot
    if top_speed < CRUISE or "engine" not in slots or "gearbox" not in slots:
        return {}
    start = at_speed(track, CRUISE)
    if start is None:
        return {}
    top_gear = int(track.vehicle.params["gearbox"]["ratios"]["count"][0]) - 1
    trace = track.run(track.maneuver(Cruise, CRUISE, top_gear), CRUISE_TIME, start=start)
    last = trace.time > CRUISE_TIME - 1.0
    if not last.any():
        return {}
    per_speed = float(trace.engine[last].mean() / trace.speed()[last].mean())  # rad/m: corrects a small speed error
    return {"engine_speed_70_mph": per_speed * CRUISE * 30.0 / math.pi}
