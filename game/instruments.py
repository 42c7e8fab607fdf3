"""From a vehicle's state to what the HUD shows. Reads live views of the records, so a frame costs microseconds."""

from math import pi

from game.view.hud import HudFrame, MessageFeed
from lab.timing import board
from physics.command.commands import AUTOMATIC

RPM = 60.0 / (2.0 * pi)  # per rad/s
REDLINE = 0.92  # share of the engine's highest speed from which the dial is red
MESSAGE_SECONDS = 6.0


class Instruments:
    """Fills one HudFrame again and again for one vehicle."""

    def __init__(self, vehicle, miles=False):
        self.follow(vehicle)
        self._latest = None  # the newest message posted to the feed
        self.feed = MessageFeed()
        self.frame = HudFrame(miles=miles, axles=list(vehicle.axles.values()))

    def follow(self, vehicle):
        """Show this vehicle from now on."""
        self._vehicle = vehicle
        self._state = vehicle.state
        self._slots = set(vehicle.state.dtype.names)

    def read(self, session, frame_dt):
        """The HudFrame of this moment."""
        f, s = self.frame, self._state
        f.speed = session.situation.forward_speed
        self._read_engine(f, s)
        self._read_driver(f, s)
        self._read_wheels(f, s)
        f.recording = session.world.time if session.recorder else None
        f.paused = session.paused
        f.timing = board(session.stopwatch.shown, session.stopwatch.time)
        self._post_new(session.messages)
        self.feed.step(frame_dt)
        f.messages = self.feed.messages
        return f

    def _post_new(self, messages):
        """Messages are told apart by identity: two may carry the same time, before and after they were read."""
        new = []
        for message in reversed(messages):
            if message is self._latest:
                break
            new.append(message)
        for message in reversed(new):
            self.feed.post(message.text, message.level, MESSAGE_SECONDS)
        if new:
            self._latest = new[0]

    def _read_engine(self, f, s):
        if "engine" in self._slots:
            params = self._vehicle.params["engine"]
            f.rpm = float(s["engine"]["omega"][0]) * RPM
            f.max_rpm = float(params["max_omega"][0]) * RPM
            f.redline_rpm = f.max_rpm * REDLINE
        if "gearbox" in self._slots:
            neutral = int(self._vehicle.params["gearbox"]["neutral_gear"][0])
            gear = int(s["gearbox"]["target_gear"][0]) - neutral
            f.gear = "N" if gear == 0 else (str(gear) if gear > 0 else "R" if gear == -1 else f"R{-gear}")
        else:
            f.gear = ("R", "N", "D")[min(2, int(s["input"]["gear"][0]))]
        f.automatic = int(s["input"]["gear"][0]) == AUTOMATIC

    def _read_driver(self, f, s):
        driver = s["input"]
        f.throttle, f.brake = float(driver["throttle"][0]), float(driver["brake"][0])
        f.clutch, f.handbrake = float(driver["clutch"][0]), float(driver["handbrake"][0])
        f.steer = float(driver["steer"][0])

    def _read_wheels(self, f, s):
        n = self._vehicle.wheel_count
        tire = s["tire"][0, :n]
        f.wheel_loads = tire["load"].tolist()
        f.wheel_slips = tire["longitudinal_slip"].tolist()
        grip = tire["friction"] * tire["load"]
        used = tire["longitudinal_force"] ** 2 + tire["lateral_force"] ** 2
        pairs = zip(used.tolist(), grip.tolist(), strict=True)
        f.wheel_saturations = [(u**0.5 / g if g > 0.0 else 0.0) for u, g in pairs]
        f.rest_load = float(self._vehicle.params["tire"][0, :n]["nominal_load"].mean())
