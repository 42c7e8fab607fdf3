"""A drive that is heard has the samples of its soundtrack, at any frame rate and size of the device's pieces."""

import numpy as np
import pytest

from driving_sandbox.game.audio.hearing import Hearing
from driving_sandbox.game.audio.listening import Listening
from driving_sandbox.game.audio.player import CALLBACK_FRAMES
from driving_sandbox.game.program.settings import Settings
from driving_sandbox.game.view.cameras.view import View
from driving_sandbox.physics.recording.signals import Signals
from driving_sandbox.physics.tick.commands import AUTOMATIC, neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world
from driving_sandbox.sound.base.block import SAMPLE_RATE
from driving_sandbox.sound.device.ring import ROWS
from driving_sandbox.sound.device.stream import HISTORY, fill
from driving_sandbox.sound.mixer import LOUDEST
from driving_sandbox.sound.soundtrack import Soundtrack
from driving_sandbox.sound.space.listener import LISTENER

TICKS = 360  # of the drive, 1.5 s
ROW_SAMPLES = 200  # per tick
CAMERA = View(np.array([24.0, 27.0, 1.5]), np.array([30.0, 27.0, 1.0]), fov=1.0)  # beside the yard's crates
DELAY = HISTORY - 1  # samples by which the stream lags the soundtrack: its interpolation reads that far back


class NoDevice:
    """Stands in for the audio device, as the test itself takes the samples."""

    name, driver, lost, burst, queued = "", "none", False, CALLBACK_FRAMES, 0

    def play(self):
        pass

    def close(self):
        pass


class FixedListener:
    """The listener at CAMERA, for a Soundtrack."""

    def __init__(self):
        self._listener = np.zeros(1, LISTENER)
        Listening(1.0).fill(self._listener, np.zeros(1), CAMERA, 0.0)

    def restart(self):
        pass

    def listen(self):
        return self._listener


def roadster_before_the_crates():
    """The yard with a roadster that rolls towards its crates at 8 m/s."""
    world = World(load_world("yard"), [load_vehicle("roadster")])
    world.place(0, (30.0, 22.0), 0.0)
    vehicle, wheels = world.vehicles[0], slice(world.vehicles[0].wheel_count)
    vehicle.state["body"]["velocity"] = (0.0, 8.0, 0.0)
    vehicle.state["wheel"]["omega"][0, wheels] = 8.0 / vehicle.params["wheel"]["radius"][0, wheels]
    return world


def horn_of(tick):
    return 100 <= tick < 130


def commands():
    """(tick, its command): full throttle into the crates, then the brake, then part throttle, always steering."""
    command = neutral_command()
    for tick in range(TICKS):
        command["gear"] = AUTOMATIC
        command["throttle"] = 1.0 if tick < 170 else 0.4 * (tick > 260)
        command["brake"] = float(170 <= tick < 230)
        command["steer"] = 0.5 * np.sin(tick / 40.0)
        yield tick, command


@pytest.fixture(scope="module")
def soundtrack():
    """(samples [n, 2] of the drive, largest impact in N s)."""
    world = roadster_before_the_crates()
    track, blocks, impacts = Soundtrack(world, FixedListener()), [], []
    for tick, command in commands():
        world.step(command)
        track.horn = horn_of(tick)
        track.add()
        impacts.append(float(track._rows[1, 0]["impact"]))  # of the last tick, of the only vehicle
        blocks += [block.copy() for block in track.blocks()]
    return np.concatenate(blocks), max(impacts)


class Heard:
    """A drive through a Hearing, whose samples are taken in pieces of one size as soon as their rows wait."""

    def __init__(self, monkeypatch, size):
        monkeypatch.setattr("driving_sandbox.game.audio.compiling.is_ready", lambda worker_ended: True)
        monkeypatch.setattr("driving_sandbox.game.audio.hearing.open_device", lambda stream, name: NoDevice())
        self.world = roadster_before_the_crates()
        self.signals = Signals()
        self.hearing = Hearing(self.world, Settings(), pytest.fail, self.signals)
        self.hearing._begin()  # as the first frame would
        self.stream, self.size, self.pieces = self.hearing._stream, size, []
        levels = self.stream.scene.levels  # those of a soundtrack, but for `fade`, which the Hearing sets every frame
        for name in levels.dtype.names:
            if name != "fade":
                levels[name] = LOUDEST if name == "master" else 1.0
        # the reader's pace must not follow the number of waiting rows, as the test does not run in real time
        self.stream.record["ring"]["gain"] = 0.0

    def run(self, frame_rate):
        """Samples [n, 2] of the whole drive, drawn with a number of frames per second."""
        due, frame_ticks = 0.0, 1.0 / frame_rate / self.world.tick_seconds
        for tick, command in commands():
            self.world.step(command)
            self.signals.horn = horn_of(tick)
            self.hearing.tick()
            due += 1.0
            if due >= frame_ticks:
                due -= frame_ticks
                self._frame(tick + 1 - due)
        self._frame(float(TICKS))
        self.hearing.close()
        return np.concatenate(self.pieces)

    def _frame(self, moment):
        self.hearing.frame(CAMERA, moment, 1.0)
        record = self.stream.record
        # no number of waiting rows is too many: else the reader would begin later than at the first row
        record["ring"]["target"] = ROWS
        record["lead"] = 0  # and at once
        while (self.stream.ring.waiting - 1.0) * ROW_SAMPLES >= self.size:
            piece = np.zeros((self.size, 2), np.float32)
            fill(record, piece)
            self.pieces.append(piece)


@pytest.mark.parametrize("size", [64, 512, 1000])
@pytest.mark.parametrize("frame_rate", [30, 60, 144])
def test_a_drive_has_the_samples_of_its_soundtrack(monkeypatch, home, soundtrack, frame_rate, size):
    """Every sample, although the stream is read in pieces and the soundtrack block by block; with horn and crash."""
    expected, impact = soundtrack
    assert impact > 100.0
    heard = Heard(monkeypatch, size)
    samples = heard.run(frame_rate)
    assert heard.stream.record["ring"]["held"] == heard.stream.record["ring"]["jumps"] == 0
    assert len(samples) > (TICKS - 2) * ROW_SAMPLES - size - DELAY
    assert np.abs(samples).max() > 0.05
    assert not samples[:DELAY].any()
    assert np.array_equal(samples[DELAY:], expected[: len(samples) - DELAY].astype(np.float32))
    assert len(expected) == TICKS * ROW_SAMPLES == TICKS * SAMPLE_RATE / 240.0
