"""Sounds of the interface in a drive: heard while it is paused or in slow motion, without anything of the drive."""

import numpy as np
import pytest
from pulled_drive import FRAME_SAMPLES, PulledDrive
from test_interface_sounds import sound

from driving_sandbox.game.audio.hearing import FADE_SECONDS, REST_AFTER
from driving_sandbox.game.audio.levels import LOUDEST, gain, interface_gain
from driving_sandbox.game.program.settings import Settings
from driving_sandbox.sound.interface.kinds import Kind


class Clock:
    """Real time that the test sets: it passes as samples are pulled."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def drive(monkeypatch, home):
    """A PulledDrive whose real time is that of its samples; `pull(seconds)` returns the samples of that time."""
    clock = Clock()
    for module in ("hearing", "interface_player"):
        monkeypatch.setattr(f"driving_sandbox.game.audio.{module}.monotonic", clock)
    driven = PulledDrive(monkeypatch)
    run = driven.run

    def pull(duration):
        start = driven.now
        for _ in range(round(duration * 60)):
            clock.now += 1.0 / 60.0
            run(1.0 / 60.0)
        return driven.samples[start:]

    driven.pull = pull
    yield driven
    driven.close()


def paused(drive):
    """The drive, heard before and paused until it rests."""
    assert np.abs(drive.pull(0.5)).max() > 1e-3
    drive.session.paused = True
    drive.pull(2.0 * REST_AFTER + FADE_SECONDS)
    assert drive.hearing._resting
    return drive


def expected(kind):
    """A sound at the volumes of a new installation."""
    settings = Settings()
    return sound(kind) * LOUDEST * gain(settings.volume) * interface_gain(settings)


def blocks_of(drive):
    """Blocks of the drive that were computed so far."""
    return int(drive.hearing._stream.record["blocks"])


def test_a_sound_before_the_drive_begins_is_heard_alone(drive):
    drive.pull(1.0 / 60.0)
    assert blocks_of(drive) == 0  # the drive begins with silence
    drive.session.paused = True
    drive.hearing.play_interface_sound(Kind.PRESS)
    samples = drive.pull(0.1)
    assert np.abs(samples[:, 0] - expected(Kind.PRESS)[: len(samples)]).max() < 1e-6


def test_a_press_in_a_paused_drive_is_heard_and_nothing_of_the_drive(drive):
    paused(drive)
    rows, blocks = drive.hearing._stream.ring.written, blocks_of(drive)
    drive.hearing.play_interface_sound(Kind.PRESS)
    samples = drive.pull(0.4)
    assert np.abs(samples[:, 0] - expected(Kind.PRESS)[: len(samples)]).max() < 1e-6
    assert drive.hearing._stream.ring.written == rows
    assert blocks_of(drive) == blocks  # nothing of the drive was computed
    assert not drive._device._playing  # it stands still again


def test_the_drive_goes_on_from_the_present_after_a_press(drive):
    """While the sound is still heard: without a gap in it, and with no row from before the pause."""
    paused(drive)
    written = drive.hearing._stream.ring.written
    drive.hearing.play_interface_sound(Kind.ERROR)
    drive.pull(2 * FRAME_SAMPLES / 48000)
    drive.session.paused = False
    samples = drive.pull(0.5)
    ring = drive.hearing._stream.record["ring"]
    assert ring["position"] >= written
    assert np.abs(samples[-4800:]).max() > 1e-3
    left = expected(Kind.ERROR)[2 * FRAME_SAMPLES :]
    until = np.flatnonzero(np.abs(samples[: len(left), 0] - left[: len(samples)]) > 1e-6)[0]
    assert until > 0.02 * 48000  # until enough rows of the drive wait, only the sound is heard


def test_a_sound_goes_on_while_the_drive_comes_to_rest(drive):
    drive.pull(0.5)
    drive.session.paused = True
    drive.pull(REST_AFTER - 0.1)
    drive.hearing.play_interface_sound(Kind.BEST_LAP)
    samples = drive.pull(0.2)
    assert drive.hearing._resting
    blocks = blocks_of(drive)
    samples = np.concatenate([samples, drive.pull(0.3)])
    assert blocks_of(drive) == blocks
    assert np.abs(samples[:, 0] - expected(Kind.BEST_LAP)[: len(samples)])[4800:].max() < 1e-6


@pytest.mark.parametrize(
    "switch_off",
    [
        lambda drive: setattr(drive.hearing._settings, "sound", False),
        lambda drive: setattr(drive.hearing._settings, "volume_interface", 0.0),
        lambda drive: setattr(drive.hearing, "focused", False),
    ],
    ids=["muted", "volume 0", "another window"],
)
def test_a_sound_that_is_not_wanted_leaves_the_device_at_rest(drive, switch_off):
    paused(drive)
    switch_off(drive)
    drive.hearing.play_interface_sound(Kind.WARNING)
    assert not drive._device._playing
    assert not drive.pull(0.3).any()


def test_the_mute_key_ends_a_sound(drive):
    paused(drive)
    drive.hearing.play_interface_sound(Kind.ERROR)
    assert drive.pull(0.05).any()
    drive.hearing.toggle()
    assert not drive.pull(0.3)[2400:].any()


def test_what_switches_the_sound_on_is_heard(drive):
    paused(drive)
    drive.hearing.toggle()
    drive.pull(0.1)
    drive.hearing.toggle()
    drive.hearing.play_interface_sound(Kind.ON)
    samples = drive._device.pull(4800)  # before the next frame of the program
    assert np.abs(samples[:, 0] - expected(Kind.ON)[:4800]).max() < 1e-6


def test_sounds_for_a_lost_device_are_not_heard_from_the_next_one(drive):
    paused(drive)
    for _ in range(5):
        drive.hearing.play_interface_sound(Kind.INFO)
    drive.hearing.choose_device("")
    drive.hearing.play_interface_sound(Kind.PRESS)
    samples = drive.pull(0.3)
    assert np.abs(samples[:, 0] - expected(Kind.PRESS)[: len(samples)]).max() < 1e-6
