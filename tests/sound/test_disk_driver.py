"""A drive that SDL's disk driver writes to a file in real time has the samples of its recording."""

import time

import numpy as np
import pytest
from test_live_equality import CAMERA, DELAY, FixedListener, horn_of, roadster_before_the_crates
from test_live_vehicles import two_vehicles_that_rub

from driving_sandbox.game.audio.hearing import Hearing
from driving_sandbox.game.program.settings import Settings
from driving_sandbox.game.session.session import Session
from driving_sandbox.physics.recording import Recording
from driving_sandbox.physics.tick.commands import AUTOMATIC, neutral_command
from driving_sandbox.sound.base.block import BLOCK, SAMPLE_RATE
from driving_sandbox.sound.device import compile as sound_compile
from driving_sandbox.sound.recorded import recorded_blocks

pytestmark = pytest.mark.serial

SECONDS = 3.0  # of a drive
FRAME_RATES = (30, 60, 144)  # 1/s
LEAST_SECONDS = 1.0  # of samples to be compared
ATTEMPTS = 4  # on a busy machine the drive may stutter


class DiskDrive:
    """A drive of a world in real time, without a window, from its first tick on.

    Attributes:
        exact: number of blocks before the first stutter.
    """

    def __init__(self, world, path, frame_rate):
        settings = Settings()
        settings.volume = 1.0
        self.world, self.path, self._frame = world, path, 1.0 / frame_rate
        self.session = Session(self.world, record=path)
        self.hearing = Hearing(self.world, settings, pytest.fail, self.session.signals)
        self.session.on_tick.append(self.hearing.tick)
        self._command = neutral_command()
        self._command["throttle"], self._command["gear"] = 1.0, AUTOMATIC

    def run(self):
        last, end = time.monotonic(), time.monotonic() + SECONDS
        while last < end:
            now = time.monotonic()
            self._step(now - last)
            last = now
            time.sleep(max(0.0, self._frame - (time.monotonic() - now)))
        self.exact = int(self.hearing._stream.record["ring"]["exact"])
        self.hearing.close()
        self.session.close()

    def _step(self, seconds):
        """Draw a frame, `seconds` after the last one."""
        self.session.signals.horn = horn_of(self.world.tick)
        self._command["steer"] = 0.5 * np.sin(self.world.tick / 40.0)
        self.session.step(seconds * self.hearing.pace, lambda situation: self._command)
        moment = self.world.tick - 1.0 + self.session.clock.fraction
        self.hearing.frame(CAMERA, moment, 1.0)


def compared(drive, raw):
    """(samples of the disk driver's file, samples of the recording), each [n, 2], before the first stutter.

    The file begins with silence, until enough frames wait. The last block may be written while the drive fades out.
    """
    blocks = recorded_blocks(Recording.open(drive.path), FixedListener())
    expected = np.concatenate([block.copy() for block in blocks]).astype(np.float32)
    written = np.fromfile(raw, np.float32).reshape(-1, 2)
    written = written[np.argmax(written.any(axis=1)) - np.argmax(expected.any(axis=1)) :]
    count = max(0, min((drive.exact - 1) * BLOCK - DELAY, len(expected), len(written)))
    return written[:count], expected[:count]


@pytest.mark.parametrize(
    ("new_world", "frame_rate"),
    [*((roadster_before_the_crates, frame_rate) for frame_rate in FRAME_RATES), (two_vehicles_that_rub, 60)],
)
def test_the_file_has_the_samples_of_the_recording(monkeypatch, home, tmp_path, new_world, frame_rate):
    """Until the first stutter, every sample."""
    sound_compile.main()
    monkeypatch.setenv("SDL_AUDIODRIVER", "disk")
    for attempt in range(ATTEMPTS):
        path, raw = tmp_path / f"{attempt}.drive", tmp_path / f"{attempt}.raw"
        monkeypatch.setenv("SDL_DISKAUDIOFILE", str(raw))
        drive = DiskDrive(new_world(), path, frame_rate)
        drive.run()
        written, expected = compared(drive, raw)
        assert np.array_equal(written, expected)
        if len(written) >= LEAST_SECONDS * SAMPLE_RATE:
            assert np.abs(written).max() > 0.05
            return
    pytest.fail(f"{ATTEMPTS} drives stuttered within {LEAST_SECONDS} s")
