"""A drive that is heard in simulated time: its device takes samples after each frame, and no clock is read."""

import numpy as np

from driving_sandbox.game.audio.hearing import Hearing
from driving_sandbox.game.audio.sdl import AudioDevice
from driving_sandbox.game.program.settings import Settings
from driving_sandbox.game.session.session import Session
from driving_sandbox.game.view.cameras.view import View
from driving_sandbox.physics.tick.commands import FIRST, neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world
from driving_sandbox.sound.base.block import SAMPLE_RATE
from driving_sandbox.sound.device.stream import fill

FRAME_RATE = 60  # 1/s
FRAME_SAMPLES = round(SAMPLE_RATE) // FRAME_RATE
# parameters of the engine that add noise or vary its cycles
RANDOM = ("variation", "idle_variation", "misfire", "jitter_deg", "flow_noise", "jet_noise", "intake_noise", "crackle",
          "knock")  # fmt: skip
# m from the vehicle, facing north
CHASE, SEAT, BONNET, ROADSIDE = (0.0, -6.0, 2.0), (-0.3, 0.2, 1.1), (0.0, 1.0, 1.0), (25.0, 50.0, 2.0)
LISTENERS = {SEAT: "cabin", BONNET: "bonnet"}  # cameras that hear from within or on the vehicle


class PulledDevice(AudioDevice):
    """Stands in for a device of SDL; `pull` takes its samples."""

    def __init__(self, stream, name=""):
        self._stream, self._subsystem, self._playing = stream, None, False
        self.name, self.driver, self.burst = name, "none", 512

    def play(self):
        self._playing = True

    def pause(self):
        self._playing = False

    def pull(self, count):
        """The next samples, float32 [count, 2]."""
        samples = np.zeros((count, 2), np.float32)
        if self._playing:
            fill(self._stream.record, samples)
        return samples


class PulledDrive:
    """A session and its Hearing, at 60 frames/s, in first gear at half throttle.

    monkeypatch: pytest's, replaces the device of new Hearings.
    """

    def __init__(self, monkeypatch):
        monkeypatch.setattr("driving_sandbox.game.audio.compiling.is_ready", lambda worker_ended: True)
        monkeypatch.setattr("driving_sandbox.game.audio.hearing.open_device", self._open)
        vehicle = load_vehicle("roadster")
        vehicle.info["sound"] = {"engine": dict.fromkeys(RANDOM, 0.0)}  # noise would hide a click
        self.world = World(load_world("plane"), [vehicle])
        self.world.spawn()
        self.session = Session(self.world)
        self.hearing = Hearing(self.world, Settings(), lambda text, level="info": None, self.session.signals)
        self.session.on_tick.append(self.hearing.tick)
        self.session.changes.on_jump.append(self.hearing.jumped)
        self.command = neutral_command()
        self.command["throttle"], self.command["gear"] = 0.5, FIRST
        self.camera, self._pieces = CHASE, []

    def _open(self, stream, name):
        self._device = PulledDevice(stream, name)
        return self._device

    def run(self, seconds):
        """Step through frames for some seconds, and take the samples of each."""
        for _ in range(round(seconds * FRAME_RATE)):
            self.session.step(1.0 / FRAME_RATE, lambda situation: self.command)
            eye = np.array(self.world.vehicles[0].model_position()) + self.camera
            moment = self.world.tick - 1.0 + self.session.clock.fraction
            speed = 0.0 if self.session.paused else 1.0
            listener = LISTENERS.get(self.camera, "")
            self.hearing.frame(View(eye, eye + (0.0, 10.0, 0.0), fov=1.0, listener=listener), moment, speed)
            self._pieces.append(self._device.pull(FRAME_SAMPLES))

    @property
    def now(self):
        """Number of samples so far."""
        return len(self._pieces) * FRAME_SAMPLES

    @property
    def samples(self):
        """All samples so far, float64 [now, 2]."""
        return np.concatenate(self._pieces).astype(np.float64)

    def close(self):
        self.hearing.close()
        self.session.close()
