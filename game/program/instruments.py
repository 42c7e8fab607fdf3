"""Fills the HUD's values from a vehicle's state. It reads views of the records, so that a frame costs microseconds.

The g-g diagram shows lateral and longitudinal acceleration as in lab/acceleration.py, from the change of velocity
between frames. These stay the same while no simulated time passes, and start again at 0 after a jump of the vehicle or
of a replay's time (`jumped`).
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.game.hud import HudFrame, MessageFeed
from driving_sandbox.game.hud.frame import LIT, OFF, READY, TowedWheels
from driving_sandbox.game.session.aid_switch import AIDS
from driving_sandbox.game.session.drivers import PlayerDriver
from driving_sandbox.game.toolkit.gears import gear_name
from driving_sandbox.game.toolkit.units import RPM_PER_RAD_S
from driving_sandbox.lab.acceleration import MAX_INTERVAL, Accelerometer
from driving_sandbox.lab.timing import board
from driving_sandbox.physics.base.record import field_names
from driving_sandbox.physics.tick.commands import AUTOMATIC

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

REDLINE = 0.92  # share of the engine's max_omega above which the dial is red
KEY_AIDS = {"steering": "STEER", "braking": "BEND", "line": "LINE", "throttle": "THROTTLE"}  # {aid: label of its lamp}
MESSAGE_SECONDS = 6.0  # s a message is shown
TRAIL_STEP = 0.08  # s between points of the g-g diagram's trail
TRAIL_LENGTH = 14  # points of the trail: about a second


class AccelerationTrail:
    """The acceleration of a body and its trail over about the last second, for the g-g diagram.

    Attributes:
        trail: [(to the right, forward)] m/s^2, oldest first.
    """

    def __init__(self) -> None:
        self._accelerometer = Accelerometer()
        self.restart()

    def restart(self) -> None:
        """Forget the past; to be called after a jump of the body or of the time shown."""
        self._accelerometer.restart()
        self.trail: list[tuple[float, float]] = []
        self._time: float | None = None  # s, of the last `read`
        self._point_time = 0.0  # s, of the newest point

    def read(self, body: Any, time: float) -> tuple[float, float]:
        """Acceleration (to the right, forward), m/s^2.

        Args:
            body: body record of the vehicle's state.
            time: simulated time, s.
        """
        elapsed = None if self._time is None else time - self._time
        if elapsed == 0.0:
            return self._accelerometer.value
        if elapsed is not None and not 0.0 < elapsed <= MAX_INTERVAL:  # back in time, or too long for an acceleration
            self.restart()
            elapsed = None
        self._accelerometer.step(body, elapsed)
        if elapsed is not None and time - self._point_time >= TRAIL_STEP:
            self._point_time = time
            self.trail.append(self._accelerometer.value)
            del self.trail[:-TRAIL_LENGTH]
        self._time = time
        return self._accelerometer.value


class Instruments:
    """Fills the HudFrame of one vehicle anew for each frame.

    Attributes:
        feed: MessageFeed of the HUD.
        frame: the HudFrame.
    """

    def __init__(self, vehicle: "Vehicle", miles: bool = False) -> None:
        self._latest: Any = None  # the newest message posted to the feed
        self.feed = MessageFeed()
        self.frame = HudFrame(miles=miles)
        self.follow(vehicle)

    def follow(self, vehicle: "Vehicle") -> None:
        """Show this vehicle from now on."""
        self._vehicle = vehicle
        self._state = vehicle.state
        self._slots = set(field_names(vehicle.state.dtype))
        self.frame.axles = list(vehicle.axles.values())
        self.frame.trailers = [TowedWheels(list(v.axles.values())) for v in vehicle.trailers]
        self._aids = [(label, slot) for slot, (label, _) in AIDS.items() if slot in self._slots]
        self._acceleration = AccelerationTrail()
        self._has_jumped, self._time = False, None  # whether no tick has run since a jump; time of the last frame, s

    def jumped(self) -> None:
        """To be called after a jump of the vehicle: the change of velocity during it is not an acceleration, and the
        tires have no load until the next tick."""
        self._acceleration.restart()
        self._has_jumped = True

    def read(self, session: Any, frame_dt: float) -> HudFrame:
        """The HudFrame of this moment; new messages of the session are added to the feed.

        Args:
            session: Session, or the ReplayViewer of a replay.
            frame_dt: real time since the last frame, s.
        """
        frame, state = self.frame, self._state
        frame.speed = session.situation.forward_speed
        self._read_engine(frame, state)
        self._read_driver(frame, state)
        frame.lamps = [(label, _lamp(self._vehicle.params[slot], state[slot])) for label, slot in self._aids]
        if session.stopwatch.time != self._time:
            self._has_jumped, self._time = False, session.stopwatch.time
        if not self._has_jumped:  # after a jump the former loads are shown until the next tick
            self._read_wheels(frame, state)
        frame.acceleration = self._acceleration.read(state["body"], session.stopwatch.time)
        frame.trail = self._acceleration.trail
        frame.recording = session.world.time if session.recorder else None
        frame.paused, frame.time_scale = session.paused, session.speed
        frame.timing = board(session.stopwatch.shown, session.stopwatch.time, frame.miles)
        self._post_new(session.messages)
        self.feed.step(frame_dt)
        frame.messages = self.feed.messages
        return frame

    def _post_new(self, messages: Sequence[Any]) -> None:
        """Post the messages after the latest one posted, found by identity: two may have the same time and text."""
        new = []
        for message in reversed(messages):
            if message is self._latest:
                break
            new.append(message)
        for message in reversed(new):
            self.feed.post(message.text, message.level, MESSAGE_SECONDS)
        if new:
            self._latest = new[0]

    def _read_engine(self, frame: HudFrame, state: np.ndarray) -> None:
        """Set engine speed, gear and mode of a HudFrame from the vehicle's state."""
        if "engine" in self._slots:
            params = self._vehicle.params["engine"]
            frame.rpm = float(state["engine"]["omega"][0]) * RPM_PER_RAD_S
            frame.max_rpm = float(params["max_omega"][0]) * RPM_PER_RAD_S
            frame.redline_rpm = frame.max_rpm * REDLINE
        if "gearbox" in self._slots:
            neutral = int(self._vehicle.params["gearbox"]["neutral_gear"][0])
            frame.gear = gear_name(int(state["gearbox"]["target_gear"][0]), neutral)
        else:
            frame.gear = ("R", "N", "D")[min(2, int(state["input"]["gear"][0]))]  # direct drive: D from gear 2 on
        frame.automatic = int(state["input"]["gear"][0]) == AUTOMATIC

    def _read_driver(self, frame: HudFrame, state: np.ndarray) -> None:
        """Set pedals and steering of a HudFrame from the vehicle's input, after smoothing."""
        inputs = state["input"]
        frame.throttle, frame.brake = float(inputs["throttle"][0]), float(inputs["brake"][0])
        frame.clutch, frame.handbrake = float(inputs["clutch"][0]), float(inputs["handbrake"][0])
        frame.steer = float(inputs["steer"][0])

    def _read_wheels(self, frame: HudFrame, state: np.ndarray) -> None:
        """Set loads and saturations of all wheels, trailers' included, and slips and grip of the vehicle's own."""
        tire = state["tire"][0, : self._vehicle.wheel_count]
        frame.wheel_loads, frame.wheel_saturations, grip_limit = _loads(tire)
        frame.wheel_slips = tire["longitudinal_slip"].tolist()
        load = sum(frame.wheel_loads)
        frame.grip = grip_limit / load if load > 0.0 else 0.0
        frame.rest_load = _rest_load(self._vehicle)
        for towed, trailer in zip(frame.trailers, self._vehicle.trailers, strict=True):
            towed.loads, towed.saturations, _ = _loads(trailer.state["tire"][0, : trailer.wheel_count])
            towed.rest_load = _rest_load(trailer)


def key_lamps(driver: Any) -> list[tuple[str, str]]:
    """[(label, state)] of the lamps of the aids for keys that are on, while a PlayerDriver steers by keys."""
    if not isinstance(driver, PlayerDriver) or not driver.human_driver.uses_keys:
        return []
    acting = driver.acting_aids
    return [(label, LIT if name in acting else READY) for name, label in KEY_AIDS.items() if getattr(driver.aids, name)]


def _lamp(params: np.ndarray, state: np.ndarray) -> str:
    """State of the lamp of a driving aid."""
    if not params["enable"][0]:
        return OFF
    return LIT if state["active"][0] else READY


def _loads(tire: np.ndarray) -> tuple[list[float], list[float], float]:
    """(loads, N; tire forces as shares of friction times load; sum of friction times load, N) of wheels."""
    loads = tire["load"]
    grip = tire["friction"] * loads
    squared_forces = tire["longitudinal_force"] ** 2 + tire["lateral_force"] ** 2
    pairs = zip(squared_forces.tolist(), grip.tolist(), strict=True)
    saturations = [(squared**0.5 / limit if limit > 0.0 else 0.0) for squared, limit in pairs]
    return loads.tolist(), saturations, float(grip.sum())


def _rest_load(vehicle: "Vehicle") -> float:
    """Mean nominal load of a vehicle's tires, N, which stands for the mean load at rest."""
    return sum(vehicle.params["tire"]["nominal_load"][0, : vehicle.wheel_count].tolist()) / vehicle.wheel_count
