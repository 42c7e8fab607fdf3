"""Steady circles and the step steer: skid pad, understeer and roll gradient, yaw response.

Skid pad: a circle of 200 ft diameter at slowly increasing speed until the vehicle leaves it; the figure is the largest
two-second mean of v^2 / r within half a metre of the line. Gradients: slopes of front steer angle and roll angle over
lateral acceleration from 0.1 to 0.4 g of the same run, mean of both directions (ISO 4138, constant radius). Response:
step steer at 80 km/h within 0.15 s to the steady steer angle of 0.4 g (ISO 7401).
"""

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from driving_sandbox.lab.acceleration import G
from driving_sandbox.lab.drivers.proportions import wheelbase
from driving_sandbox.lab.drivers.steering_response import SteeringResponse
from driving_sandbox.lab.kinematics import roll
from driving_sandbox.lab.maneuvers import Maneuver
from driving_sandbox.lab.measures import overshoot, steady_yaw_rate
from driving_sandbox.lab.road_test.track import TestTrack, Trace
from driving_sandbox.lab.units import FOOT, KMH
from driving_sandbox.physics.batch.trajectory import POSITION, VELOCITY

if TYPE_CHECKING:
    from driving_sandbox.lab.drivers.motion import Motion
    from driving_sandbox.physics.vehicle.vehicle import Vehicle
    from driving_sandbox.physics.world.world import World

RADIUS = 100.0 * FOOT  # m, of the skid pad's line
START_SPEED = 5.0  # m/s
SPEED_RATE = 0.12  # m/s^2, small enough to be quasi-steady
TIME_LIMIT = 200.0  # s; reaches 24 m/s above the initial speed, 2.8 g on this circle
LINE_TOLERANCE = 0.5  # m from the line within which a run counts
LOST_DISTANCE = 2.0  # m from the line at which the run ends
GEAR_SPEED = 15.0  # m/s, near the limit of a road car on the skid pad; the gear is chosen at this speed
GEAR_TIME = 20.0  # s at that speed until the automatic has chosen
SETTLING_TIME = 8.0  # s to find the line
HOLD_TIME = 2.0  # s on the line, over which the lateral acceleration is averaged
GRADIENT_RANGE = (0.1, 0.4)  # g of lateral acceleration between which the gradients are taken
MIN_TICKS = 100  # number of ticks within GRADIENT_RANGE that a slope needs
PREVIEW_TIME = 0.7  # s, of the driver
MIN_PREVIEW_DISTANCE = 3.0  # m; with less, the driver oscillates at low speed
INTEGRAL = 0.3  # 1/s, gain from the steer angle that the curvature error asks for to the rate of the integral part
PROPORTIONAL = 0.4  # dimensionless, gain from the same angle to the proportional part
COUNTER_STEER = 0.1  # rad, limit of the integral part outwards
UNDERSTEER = 0.01  # s^2/m (5.6 deg/g, road cars: 2 to 4), growth of the driver's gains with speed^2, for every vehicle
FULL_LOCK_RADIUS = 20.0  # m; the driver's steer angle per curvature is limited to lock times this radius
LEFT, RIGHT = 1.0, -1.0  # sides to which a circle turns

STEP_SPEED = 80.0 * KMH  # m/s
STEP_LATERAL = 0.4  # g, steady lateral acceleration after the step
STEP_TIME = 0.15  # s from straight ahead to the full angle
STEP_DURATION = 3.0  # s from the step to the end of the run; the yaw rate is steady by then
RESPONSE_SHARE = 0.9  # of the steady yaw rate; the response time ends when the yaw rate first passes it
SPEED_TOLERANCE = 0.3  # m/s from the test speed within which it counts as reached
SPEED_RESERVE = 1.0  # m/s of top speed above the test speed that the test requires


class Pace(Maneuver):
    """Holds a speed, m/s."""

    def __init__(self, vehicle: "Vehicle", world: "World", dt: float, speed: float) -> None:
        super().__init__(vehicle, world, dt)
        self.speed = speed

    def command(self, motion: "Motion", c: np.void) -> None:
        """Hold the speed."""
        self.hold_speed(motion, c, self.speed)


def steady_gear(track: TestTrack, speed: float) -> int:
    """Index of the gear that the automatic gearbox chooses at a steady speed, m/s; the driver holds it on the circle.

    The forward gear that drivers command, for a vehicle without a gearbox.
    """
    driver = track.maneuver(Pace, speed)
    if "gearbox" not in track.vehicle.sequence.by_slot:
        return driver.forward_gear
    track.run(driver, GEAR_TIME)
    return int(track.vehicle.state["gearbox"]["target_gear"][0])


class Circle(Maneuver):
    """A circle at slowly increasing speed.

    Args:
        side: LEFT or RIGHT, to which the circle turns.
        gear: index of the gear held after SETTLING_TIME.
    Attributes:
        centre: of the circle, m, None before the first command.
        deviation: distance from the line, m, positive outwards.
    """

    def __init__(self, vehicle: "Vehicle", world: "World", dt: float, side: float, gear: int) -> None:
        super().__init__(vehicle, world, dt)
        self.gear, self.wheelbase = gear, wheelbase(vehicle)
        self.side, self.response, self.angle = side, SteeringResponse(vehicle), 0.0
        self.centre: tuple[float, float] | None = None
        self.deviation = 0.0

    def command(self, motion: "Motion", c: np.void) -> None:
        """Follow the circle with a rising speed."""
        x, y, _ = motion.position
        if self.centre is None:
            across = -self.side * RADIUS
            self.centre = (x + across * math.cos(motion.heading), y + across * math.sin(motion.heading))
        dx, dy = x - self.centre[0], y - self.centre[1]
        radius = math.hypot(dx, dy)
        self.deviation = radius - RADIUS
        if motion.time > SETTLING_TIME:
            c["gear"] = self.gear
        self.hold_speed(motion, c, START_SPEED + SPEED_RATE * motion.time)
        tangent = math.atan2(dy, dx) if self.side == LEFT else math.atan2(dy, dx) + math.pi  # as a heading
        inwards = self.side * math.remainder(motion.heading - tangent, 2.0 * math.pi)
        preview_distance = max(PREVIEW_TIME * motion.speed, MIN_PREVIEW_DISTANCE)
        predicted = self.deviation - inwards * preview_distance  # m from the line at the preview distance
        correction = 2.0 * predicted / preview_distance**2  # 1/m, curvature that returns to the line there
        self.response.update(motion.speed)
        factor = min(self.wheelbase + UNDERSTEER * motion.speed**2, FULL_LOCK_RADIUS * self.response.lock)  # rad m
        self.angle += INTEGRAL * factor * correction * self.dt
        self.angle = min(max(self.angle, -COUNTER_STEER), self.response.lock)
        c["steer"] = self.response.command(self.side * (self.angle + PROPORTIONAL * factor * correction))


def skid_pad(track: TestTrack) -> dict:
    """Lateral acceleration to the left and right, g; understeer and roll gradient, mean of both directions, deg/g."""
    results, gradients, gear = {}, [], steady_gear(track, GEAR_SPEED)
    for name, side in (("skidpad_left", LEFT), ("skidpad_right", RIGHT)):
        driver = track.maneuver(Circle, side, gear)
        trace = track.run(driver, TIME_LIMIT, partial(_is_lost, driver))
        assert driver.centre is not None
        radii = np.hypot(*(trace.rows[:, POSITION][:, :2] - driver.centre).T)
        accelerations = np.hypot(*trace.rows[:, VELOCITY][:, :2].T) ** 2 / radii / G
        results[name] = _largest_mean(accelerations, np.abs(radii - RADIUS) < LINE_TOLERANCE, trace.time)
        gradients.append(_gradients(trace, accelerations, side))
    understeer_gradient, roll_gradient = np.mean(gradients, axis=0)
    return {**results, "understeer_gradient": float(understeer_gradient), "roll_gradient": float(roll_gradient)}


def _is_lost(driver: Circle, motion: "Motion") -> bool:
    """Whether a Circle's vehicle has left the line after it found it."""
    return motion.time > SETTLING_TIME and abs(driver.deviation) > LOST_DISTANCE


def _largest_mean(accelerations: np.ndarray, on_line: np.ndarray, times: np.ndarray) -> float:
    """Largest mean lateral acceleration, g, over HOLD_TIME spent on the line; nan if it never stays there that long."""
    count = round(HOLD_TIME / (times[1] - times[0]))
    if len(times) < count:
        return math.nan
    sums = np.cumsum(np.concatenate([[0.0], accelerations]))
    counts = np.cumsum(np.concatenate([[0], on_line & (times > SETTLING_TIME)]))
    means, valid = (sums[count:] - sums[:-count]) / count, counts[count:] - counts[:-count] == count
    return float(means[valid].max()) if valid.any() else math.nan


def _gradients(trace: Trace, accelerations: np.ndarray, side: float) -> tuple[float, ...]:
    """(understeer, roll) gradient, deg/g; nan if GRADIENT_RANGE is not reached or (understeer) no wheel steers."""
    low, high = GRADIENT_RANGE
    reached = np.flatnonzero(accelerations > high)[:1]
    if not len(reached):
        return math.nan, math.nan
    rows = (trace.time > SETTLING_TIME) & (accelerations > low) & (np.arange(len(accelerations)) < reached[0])
    if rows.sum() < MIN_TICKS:
        return math.nan, math.nan
    x = accelerations[rows]
    slopes = [np.polyfit(x, np.degrees(side * values[rows]), 1)[0] for values in (trace.steer, roll(trace.rows))]
    return tuple(float(slope) for slope in slopes)


class Step(Maneuver):
    """Holds the test speed, then steps the wheels to a steer angle (rad, positive to the left).

    Attributes:
        begun: time at which the step began, s, or None before it.
    """

    WAIT = 3.0  # s at the test speed before the step

    def __init__(self, vehicle: "Vehicle", world: "World", dt: float, angle: float) -> None:
        super().__init__(vehicle, world, dt)
        self.angle, self.response = angle, SteeringResponse(vehicle)
        self.arrived: float | None = None
        self.begun: float | None = None

    def command(self, motion: "Motion", c: np.void) -> None:
        """Hold the speed, then steer to the angle."""
        if self.arrived is None and abs(motion.speed - STEP_SPEED) < SPEED_TOLERANCE:
            self.arrived = motion.time
        if self.begun is None and self.arrived is not None and motion.time > self.arrived + self.WAIT:
            self.begun = motion.time
        self.hold_speed(motion, c, STEP_SPEED)
        if self.begun is not None:
            self.response.update(motion.speed)
            c["steer"] = self.response.command(self.angle * min((motion.time - self.begun) / STEP_TIME, 1.0))

    def done(self, motion: "Motion") -> bool:
        """Whether the run is over."""
        return self.begun is not None and motion.time > self.begun + STEP_DURATION


def steering_step(track: TestTrack, understeer: float, top_speed: float) -> dict:
    """Response time (s) and overshoot (%) of the yaw rate; {} where they cannot be measured.

    Args:
        understeer: gradient of the vehicle, deg/g.
        top_speed: of the vehicle, m/s.
    """
    if top_speed < STEP_SPEED + SPEED_RESERVE or not math.isfinite(understeer):
        return {}
    curvature = STEP_LATERAL * G / STEP_SPEED**2
    angle = wheelbase(track.vehicle) * curvature + math.radians(understeer) * STEP_LATERAL
    driver = track.maneuver(Step, angle)
    trace = track.run(driver, TIME_LIMIT, driver.done)
    if driver.begun is None or trace.events:
        return {}
    after = trace.time >= driver.begun
    yaw_rates, times = trace.yaw_rate()[after], trace.time[after] - driver.begun
    steady = steady_yaw_rate(yaw_rates, track.tick_seconds)
    reached = np.flatnonzero(yaw_rates >= RESPONSE_SHARE * steady)
    if steady <= 0.0 or not len(reached):
        return {}
    return {
        "yaw_response_time": float(times[reached[0]]) - 0.5 * STEP_TIME,
        "yaw_overshoot": overshoot(yaw_rates, track.tick_seconds),
    }
