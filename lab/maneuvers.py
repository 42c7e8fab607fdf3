"""Scripted manoeuvres: commands as functions of time and of the vehicle's motion.

Each class is one manoeuvre: `command(motion, c)` writes the command of one tick into the record `c` (signs in
physics/tick/commands.py). A PI controller on the pedals brings the vehicle to the test speed. Sources: ISO 7401 (step
and sinusoidal steer), ISO 4138 (steady-state circular driving, constant radius), ISO 21994 (straight-line braking).
Deterministic: no clocks, no random numbers.
"""

import math

import numpy as np

from driving_sandbox.lab.drivers import LineFollower
from driving_sandbox.lab.drivers.motion import Motion
from driving_sandbox.lab.outcome import SPIN_OUT
from driving_sandbox.physics.base.user_error import WrongValue
from driving_sandbox.physics.tick.commands import AUTOMATIC, FIRST, NEUTRAL, neutral_command
from driving_sandbox.physics.vehicle.vehicle import Vehicle
from driving_sandbox.physics.world.world import World


class Maneuver:
    """Base: a forward gear that suits the vehicle, and pedals that hold a speed.

    Args:
        vehicle, world: to be driven.
        dt: length of a tick, s.
    Attributes:
        summary: description.
        seconds: duration, s.
        measures: names of lab/measures.py that apply, the main one first.
        wanted: kinds of lab.outcome.Event that the manoeuvre provokes on purpose.
    """

    summary = ""
    seconds = 0.0
    measures: tuple[str, ...] = ()
    wanted: tuple[str, ...] = ()

    def __init__(self, vehicle: Vehicle, world: World, dt: float) -> None:
        self.dt = dt
        self.forward_gear = AUTOMATIC if "autobox" in vehicle.sequence.by_slot else FIRST
        self._integral = 0.0
        self._command = neutral_command()

    def __call__(self, motion: Motion) -> np.ndarray:
        """The command of one tick: a length-1 COMMAND array that the next call overwrites."""
        self._command[:] = 0
        c = self._command[0]
        c["gear"] = self.forward_gear
        self.command(motion, c)
        return self._command

    def command(self, motion: Motion, c: np.void) -> None:
        """Write the command of one tick into the record c."""
        raise NotImplementedError

    def hold_speed(self, motion: Motion, c: np.void, speed: float) -> None:
        """Write the throttle or brake that holds a speed, m/s: a PI controller, full throttle from 2 m/s below it."""
        error = speed - motion.speed
        output = 0.5 * error + 0.15 * self._integral  # gains in 1/(m/s) and 1/m
        if -1.0 < output < 1.0:  # anti-windup: no integration while a pedal saturates
            self._integral = min(max(self._integral + error * self.dt, 0.0), 7.0)  # m; 7 alone is full throttle
        c["throttle"] = min(max(output, 0.0), 1.0)
        c["brake"] = min(max(-output - 0.1, 0.0), 1.0)  # 0.1: dead band, so that throttle and brake do not alternate


class Launch(Maneuver):
    """Full throttle from rest."""

    summary = "one second at rest, then full throttle"
    seconds = 14.0
    measures = ("time_to_100", "top_speed", "distance")

    def command(self, motion: Motion, c: np.void) -> None:
        """Brake for 1 s, then full throttle."""
        c["brake"] = 1.0 if motion.time < 1.0 else 0.0
        c["throttle"] = 0.0 if motion.time < 1.0 else 1.0


class Brake(Maneuver):
    """Straight-line braking from TEST_SPEED to rest (ISO 21994)."""

    summary = "full throttle to 100 km/h, then the brake pedal to rest"
    seconds = 20.0
    measures = ("braking_distance", "sideslip", "yaw_rate")
    TEST_SPEED = 100.0 / 3.6  # m/s

    def __init__(self, vehicle: Vehicle, world: World, dt: float) -> None:
        super().__init__(vehicle, world, dt)
        self.braking = False

    def command(self, motion: Motion, c: np.void) -> None:
        """Full throttle up to TEST_SPEED, then full brake."""
        self.braking = self.braking or motion.speed >= self.TEST_SPEED
        c["brake" if self.braking else "throttle"] = 1.0


class CoastDown(Maneuver):
    """Rolling out from TEST_SPEED without drive."""

    summary = "full throttle to 90 km/h, then neutral and no pedal"
    seconds = 25.0
    measures = ("distance", "top_speed")
    TEST_SPEED = 90.0 / 3.6  # m/s

    def __init__(self, vehicle: Vehicle, world: World, dt: float) -> None:
        super().__init__(vehicle, world, dt)
        self.coasting = False

    def command(self, motion: Motion, c: np.void) -> None:
        """Full throttle up to TEST_SPEED, then neutral."""
        self.coasting = self.coasting or motion.speed >= self.TEST_SPEED
        if self.coasting:
            c["gear"] = NEUTRAL
        else:
            c["throttle"] = 1.0


class _AtSpeed(Maneuver):
    """Holds SPEED within 0.5 m/s for a second, then calls `test` in every tick."""

    SPEED = 0.0  # m/s

    def __init__(self, vehicle: Vehicle, world: World, dt: float) -> None:
        super().__init__(vehicle, world, dt)
        self.steady_since: float | None = None  # s, time since which the speed has been within 0.5 m/s of SPEED
        self.start: float | None = None  # s, time at which the test began

    def command(self, motion: Motion, c: np.void) -> None:
        if self.start is not None:
            self.test(motion.time - self.start, motion, c)
            return
        self.hold_speed(motion, c, self.SPEED)
        if abs(motion.speed - self.SPEED) > 0.5:
            self.steady_since = None
        elif self.steady_since is None:
            self.steady_since = motion.time
        elif motion.time - self.steady_since >= 1.0:
            self.start = motion.time

    def test(self, time: float, motion: Motion, c: np.void) -> None:
        """Write the command of one tick of the test; `time`: s since it began."""
        raise NotImplementedError


class StepSteer(_AtSpeed):
    """Step steer (ISO 7401), to the right."""

    summary = "at 80 km/h, a step of the steering to 20 % right within 0.15 s (ISO 7401)"
    seconds = 16.0
    measures = ("centripetal_acceleration", "yaw_rate", "yaw_overshoot", "sideslip", "balance", "lean")
    SPEED = 80.0 / 3.6

    def test(self, time: float, motion: Motion, c: np.void) -> None:
        """A steer command of 0.2, reached within 0.15 s."""
        self.hold_speed(motion, c, self.SPEED)
        c["steer"] = 0.2 * min(time / 0.15, 1.0)


class Slalom(_AtSpeed):
    """Sinusoidal steer (ISO 7401)."""

    summary = "at 60 km/h, sinusoidal steering of 40 % to both sides with a period of 2 s"
    seconds = 16.0
    measures = ("sideslip", "centripetal_acceleration", "yaw_rate", "balance", "lean")
    SPEED = 60.0 / 3.6

    def test(self, time: float, motion: Motion, c: np.void) -> None:
        """A sinusoidal steer command of amplitude 0.4 and 0.5 Hz."""
        self.hold_speed(motion, c, self.SPEED)
        c["steer"] = 0.4 * math.sin(math.pi * time)


class ConstantRadius(Maneuver):
    """Steady-state circular driving on a constant radius, to the left (ISO 4138)."""

    summary = "a left-hand circle of 30 m radius at slowly increasing speed (ISO 4138)"
    seconds = 45.0
    measures = ("balance", "centripetal_acceleration", "top_speed", "sideslip", "yaw_rate", "lean")
    RADIUS = 30.0  # m
    RATE = 0.25  # m/s^2: slow enough to be quasi-steady

    def __init__(self, vehicle: Vehicle, world: World, dt: float) -> None:
        super().__init__(vehicle, world, dt)
        self.centre: tuple[float, float] | None = None  # of the circle: x, y, m
        self.steer = 0.0  # integral part of the steering, positive to the left, unlike the command

    def command(self, motion: Motion, c: np.void) -> None:
        """Follow a left-hand circle of RADIUS with a speed that rises by RATE."""
        x, y, _ = motion.position
        if self.centre is None:  # to the left of the start
            self.centre = (x - self.RADIUS * math.cos(motion.heading), y - self.RADIUS * math.sin(motion.heading))
        self.hold_speed(motion, c, 4.0 + self.RATE * motion.time)  # from 4 m/s on
        dx, dy = x - self.centre[0], y - self.centre[1]
        outwards = math.hypot(dx, dy) - self.RADIUS
        tangent = math.atan2(dy, dx)  # heading of a left-hand circle at this point
        inwards = math.remainder(motion.heading - tangent, 2.0 * math.pi)  # angle to the tangent
        correction = 0.08 * outwards - 0.8 * inwards  # steer command; gains in 1/m and 1/rad
        # The integral part, with a gain of 1/s, becomes the steering of the circle; hardly any of it is to the right.
        self.steer += min(max(correction, -1.0), 1.0) * self.dt
        self.steer = min(max(self.steer, -0.2), 1.0)
        c["steer"] = min(max(-(self.steer + correction), -1.0), 1.0)


class HandbrakeTurn(_AtSpeed):
    """A turn to the left on the handbrake."""

    summary = "at 50 km/h, full lock to the left and the handbrake for 1.5 s"
    seconds = 14.0
    measures = ("sideslip", "yaw_rate", "distance", "lean")
    wanted = (SPIN_OUT,)
    SPEED = 50.0 / 3.6

    def test(self, time: float, motion: Motion, c: np.void) -> None:
        """Full left steer from 0 to 1.9 s, the handbrake from 0.4 s on; 0.6 s without input, then the brake."""
        c["steer"] = -1.0 if time < 1.9 else 0.0
        c["handbrake"] = 1.0 if 0.4 <= time < 1.9 else 0.0
        c["clutch"] = c["handbrake"]  # so that the locked wheels do not stall the engine
        c["brake"] = 1.0 if time > 2.5 else 0.0


class HillHold(Maneuver):
    """Standing on the handbrake, then rolling freely."""

    summary = "handbrake for five seconds, then released in neutral"
    seconds = 10.0
    measures = ("distance",)

    def command(self, motion: Motion, c: np.void) -> None:
        """Neutral, with the handbrake applied for 5 s."""
        c["gear"] = NEUTRAL
        c["handbrake"] = 1.0 if motion.time < 5.0 else 0.0


class Lap(Maneuver):
    """A lap by LineFollower. Raises WrongValue in a world without a driving line."""

    summary = "follows the world's driving line"
    seconds = 120.0
    measures = ("top_speed", "distance", "centripetal_acceleration", "sideslip", "yaw_rate", "balance", "lean")

    def __init__(self, vehicle: Vehicle, world: World, dt: float) -> None:
        super().__init__(vehicle, world, dt)
        line = world.file.driving_line if world.file is not None else np.zeros((0, 2))
        if len(line) == 0:
            raise WrongValue("this world has no driving line to follow")
        self.driver = LineFollower(line, forward_gear=self.forward_gear)

    def __call__(self, motion: Motion) -> np.ndarray:
        return self.driver.command(motion.position, motion.heading, motion.speed, self.dt)


class Rest(Maneuver):
    """Standing without input."""

    summary = "nothing pressed, gearbox in neutral"
    seconds = 5.0
    measures = ("distance",)

    def command(self, motion: Motion, c: np.void) -> None:
        """Neutral, without any other input."""
        c["gear"] = NEUTRAL


MANEUVERS: dict[str, type[Maneuver]] = {
    "launch": Launch,
    "brake": Brake,
    "coast_down": CoastDown,
    "step_steer": StepSteer,
    "slalom": Slalom,
    "constant_radius": ConstantRadius,
    "handbrake_turn": HandbrakeTurn,
    "hill_hold": HillHold,
    "lap": Lap,
    "rest": Rest,
}
