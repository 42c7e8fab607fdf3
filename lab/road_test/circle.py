"""Steady circles and the steering step: skid pad, understeer and roll gradient, yaw response.

Skid pad: a circle of 200 ft diameter at slowly increasing speed until the vehicle leaves it; the figure is the highest
v^2 / r held for two seconds within half a metre of the line. Gradients: slopes of front steer angle and roll angle over
lateral acceleration from 0.1 to 0.4 g of the same run, in both directions (ISO 4138, constant radius). Response: step
steer at 80 km/h within 0.15 s to the angle of 0.4 g (ISO 7401).
"""

import math
from typing import TYPE_CHECKING

import numpy as np

from driving_sandbox.lab.acceleration import G
from driving_sandbox.lab.drivers.proportions import wheelbase
from driving_sandbox.lab.drivers.steering_response import SteeringResponse
from driving_sandbox.lab.kinematics import roll
from driving_sandbox.lab.maneuvers import Maneuver
from driving_sandbox.lab.road_test.track import TestTrack
from driving_sandbox.lab.units import FOOT, KMH
from driving_sandbox.physics.batch.trajectory import POSITION, VELOCITY

if TYPE_CHECKING:
    from driving_sandbox.lab.drivers.motion import Motion

RADIUS = 100.0 * FOOT  # m, of the skid pad's line
SLOW, RATE = 5.0, 0.12  # m/s, m/s^2: initial speed, and an acceleration small enough to be quasi-steady
LONGEST = 200.0  # s: reaches 24 m/s above the initial speed, 2.9 g on this circle
OFF_LINE = 0.5  # m, tolerance of the line
LOST = 2.0  # m off the line at which the run ends
GEAR_SPEED, GEAR_TIME = 15.0, 20.0  # m/s near the limit of a road car on the skid pad, s until the gear is chosen
SETTLED = 8.0  # s to find the line
HELD = 2.0  # s over which an acceleration must be held
GRADIENTS = (0.1, 0.4)  # g between which the gradients are taken
FEWEST = 100  # ticks, fewest that a slope is fitted to
PREVIEW = 0.7  # s, preview time of the driver
INTEGRAL, PROPORTIONAL = 0.3, 0.4  # 1/s and 1: gains from curvature error to steer angle
NEAREST_LOOK = 3.0  # m, least preview distance: with less, the driver oscillates at low speed
COUNTER = 0.1  # rad, limit of the integral part in counter-steer
UNDERSTEER = 0.01  # s^2/m, understeer of a typical car, assumed by the driver for every vehicle
LEAST_RADIUS = 20.0  # of wheel lock per m^-1: bounds the assumed steer angle to a share of the lock
LEFT, RIGHT = 1.0, -1.0

STEP_SPEED = 80.0 * KMH
STEP_LATERAL = 0.4  # g
STEP_TIME = 0.15  # s from straight ahead to the full angle
STEP_AFTER, STEADY = 3.0, 0.5  # s until the yaw rate is steady, s averaged at the end
REACHED, SPARE = 0.3, 1.0  # m/s: tolerance of the test speed, reserve of top speed that the test requires


class Pace(Maneuver):
    """Holds a speed, m/s."""

    def __init__(self, vehicle, world, dt, speed):
        super().__init__(vehicle, world, dt)
        self.speed = speed

    def command(self, motion: "Motion", c: np.void) -> None:
        self.hold_speed(motion, c, self.speed)


def steady_gear(track: TestTrack, speed: float) -> int:
    """The gear that the automatic chooses at a steady speed (m/s); the driver holds it in the bend."""
    driver = track.maneuver(Pace, speed)
    if "gearbox" not in track.vehicle.sequence.by_slot:
        return driver.forward_gear
    track.run(driver, GEAR_TIME)
    return int(track.vehicle.state["gearbox"]["target_gear"][0])


class Circle(Maneuver):
    """A circle at slowly increasing speed. side: LEFT or RIGHT. gear: held once the vehicle is moving."""

    def __init__(self, vehicle, world, dt, side, gear):
        super().__init__(vehicle, world, dt)
        self.gear, self.length = gear, wheelbase(vehicle)
        self.side, self.response, self.angle = side, SteeringResponse(vehicle), 0.0
        self.centre, self.off = None, 0.0

    def command(self, motion: "Motion", c: np.void) -> None:
        x, y, _ = motion.position
        if self.centre is None:
            across = -self.side * RADIUS
            self.centre = (x + across * math.cos(motion.heading), y + across * math.sin(motion.heading))
        dx, dy = x - self.centre[0], y - self.centre[1]
        radius = math.hypot(dx, dy)
        self.off = radius - RADIUS
        if motion.time > SETTLED:
            c["gear"] = self.gear
        self.hold_speed(motion, c, SLOW + RATE * motion.time)
        along = math.atan2(dy, dx) if self.side == LEFT else math.atan2(dy, dx) + math.pi
        inwards = self.side * math.remainder(motion.heading - along, 2.0 * math.pi)
        look = max(PREVIEW * motion.speed, NEAREST_LOOK)
        wanted = (self.off - inwards * look) / (0.5 * look * look)  # 1/m: curvature to the preview point
        self.response.look(motion.speed)
        base = min(self.length + UNDERSTEER * motion.speed**2, LEAST_RADIUS * self.response.lock)  # rad per 1/m
        self.angle += INTEGRAL * base * wanted * self.dt
        self.angle = min(max(self.angle, -COUNTER), self.response.lock)
        c["steer"] = self.response.command(self.side * (self.angle + PROPORTIONAL * base * wanted))


def skid_pad(track: TestTrack) -> dict:
    """Both directions, and the gradients as means of both."""
    found, gradients, gear = {}, [], steady_gear(track, GEAR_SPEED)
    for name, side in (("skidpad_left", LEFT), ("skidpad_right", RIGHT)):
        driver = track.maneuver(Circle, side, gear)
        trace = track.run(driver, LONGEST, lambda motion, d=driver: motion.time > SETTLED and abs(d.off) > LOST)
        off = np.hypot(*(trace.rows[:, POSITION][:, :2] - driver.centre).T) - RADIUS
        accelerations = np.hypot(*trace.rows[:, VELOCITY][:, :2].T) ** 2 / (RADIUS + off) / G
        found[name] = _held(accelerations, np.abs(off) < OFF_LINE, trace.time)
        gradients.append(_gradients(trace, accelerations, side))
    understeer, roll = np.mean(gradients, axis=0)
    return {**found, "understeer_gradient": float(understeer), "roll_gradient": float(roll)}


def _held(accelerations, on_line, times):
    """Largest mean lateral acceleration over HELD on the line, g; nan if it was never held."""
    count = round(HELD / (times[1] - times[0]))
    if len(times) < count:
        return math.nan
    sums = np.cumsum(np.concatenate([[0.0], accelerations]))
    held = np.cumsum(np.concatenate([[0], on_line & (times > SETTLED)]))
    means, whole = (sums[count:] - sums[:-count]) / count, held[count:] - held[:-count] == count
    return float(means[whole].max()) if whole.any() else math.nan


def _gradients(trace, accelerations, side):
    """(understeer, roll) in deg/g; nan where the vehicle never turned that hard or has no steered wheels."""
    low, high = GRADIENTS
    reached = np.flatnonzero(accelerations > high)[:1]
    if not len(reached):
        return math.nan, math.nan
    rows = (trace.time > SETTLED) & (accelerations > low) & (np.arange(len(accelerations)) < reached[0])
    if rows.sum() < FEWEST:
        return math.nan, math.nan
    x = accelerations[rows]
    slopes = [np.polyfit(x, np.degrees(side * values[rows]), 1)[0] for values in (trace.steer, roll(trace.rows))]
    return tuple(float(slope) for slope in slopes)


class Step(Maneuver):
    """Holds a speed, then steps the wheels to a steer angle (rad, positive to the left)."""

    WAIT = 3.0  # s at the speed before the step

    def __init__(self, vehicle, world, dt, angle):
        super().__init__(vehicle, world, dt)
        self.angle, self.response, self.arrived, self.begun = angle, SteeringResponse(vehicle), None, None

    def command(self, motion: "Motion", c: np.void) -> None:
        if self.arrived is None and abs(motion.speed - STEP_SPEED) < REACHED:
            self.arrived = motion.time
        if self.begun is None and self.arrived is not None and motion.time > self.arrived + self.WAIT:
            self.begun = motion.time
        self.hold_speed(motion, c, STEP_SPEED)
        if self.begun is not None:
            self.response.look(motion.speed)
            c["steer"] = self.response.command(self.angle * min((motion.time - self.begun) / STEP_TIME, 1.0))

    def done(self, motion):
        return self.begun is not None and motion.time > self.begun + STEP_AFTER


def steering_step(track: TestTrack, understeer: float, top_speed: float) -> dict:
    """Time and overshoot of the yaw rate. understeer: gradient of the vehicle, deg/g."""
    if top_speed < STEP_SPEED + SPARE or not math.isfinite(understeer):
        return {}
    curvature = STEP_LATERAL * G / STEP_SPEED**2
    angle = wheelbase(track.vehicle) * curvature + math.radians(understeer) * STEP_LATERAL
    driver = track.maneuver(Step, angle)
    trace = track.run(driver, LONGEST, driver.done)
    if driver.begun is None or trace.events:
        return {}
    after = trace.time >= driver.begun
    rate, time = trace.yaw_rate()[after], trace.time[after] - driver.begun
    steady = float(rate[-round(STEADY / track.tick_seconds) :].mean())
    reached = np.flatnonzero(rate >= 0.9 * steady)
    if steady <= 0.0 or not len(reached):
        return {}
    return {
        "yaw_response_time": float(time[reached[0]]) - 0.5 * STEP_TIME,
        "yaw_overshoot": 100.0 * (float(rate.max()) / steady - 1.0),
    }
