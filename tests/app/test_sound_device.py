"""The audio device of a drive: when it is opened and closed, how it is replaced, and machines without one."""

import weakref

import pytest
from sound_rig import FRAME, Drive

from driving_sandbox.game.audio.hearing import REST_AFTER
from driving_sandbox.game.audio.player import CALLBACK_FRAMES, RATE
from driving_sandbox.game.audio.sdl import AudioDevice, NoSound
from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.sound.device.stream import Stream


def test_no_device_is_opened_before_the_first_tick(new_drive, monkeypatch):
    """So a drive that fails before its first tick leaves no device open."""
    opened, init = [], AudioDevice.__init__
    monkeypatch.setattr(AudioDevice, "__init__", lambda *values, **named: opened.append(init(*values, **named)))
    drive = new_drive()
    assert not opened
    drive.session.step(FRAME, lambda situation: drive.command)
    assert len(opened) == 1


def test_no_device_is_opened_after_the_sound_was_closed(new_drive):
    drive = new_drive()
    drive.hearing.close()
    drive.run(FRAME)
    assert drive.hearing._device is None


def test_a_drive_begins_with_silence_until_enough_rows_wait(new_drive, monkeypatch):
    silences = []
    monkeypatch.setattr(Stream, "lead_in", lambda stream, seconds: silences.append((stream.ring.waiting, seconds)))
    drive = new_drive()
    drive.run(FRAME)
    ((waiting, seconds),) = silences
    # the most rows that wait while their mean is the target: half of those of a frame and of a callback more
    rows = 0.5 * FRAME / drive.world.tick_seconds + 0.5 * CALLBACK_FRAMES / RATE / drive.world.tick_seconds
    expected = drive.hearing._stream.record["ring"]["target"] + rows - waiting
    assert waiting == 4.0 and seconds == pytest.approx(expected * drive.world.tick_seconds)


def test_no_block_is_rendered_while_a_drive_is_silent(new_drive, monkeypatch):
    monkeypatch.setenv("SANDBOX_SOUND_THREAD", "1")
    drive = new_drive()
    drive.run(0.3)
    drive.session.paused = True
    drive.run(2.0 * REST_AFTER)
    blocks = int(drive.hearing._stream.record["blocks"])
    drive.run(0.1)
    assert drive.hearing._stream.record["blocks"] == blocks > 0
    drive.session.paused = False
    drive.run(0.3)
    assert drive.hearing._stream.record["blocks"] > blocks


def test_the_stream_outlives_the_device(new_drive, monkeypatch):
    drive = new_drive()
    drive.run(0.1)
    stream, alive, close = weakref.ref(drive.hearing._stream), [], AudioDevice.close
    drive.hearing._device._owner = None  # so that only the order of closing keeps the stream alive

    def close_and_look(device):
        close(device)
        alive.append(stream() is not None)

    monkeypatch.setattr(AudioDevice, "close", close_and_look)
    drive.close()
    assert alive == [True]
    assert stream() is None


def test_without_a_device_the_user_is_told_once_and_the_drive_goes_on(compiled_sound, monkeypatch, home):
    monkeypatch.setenv("SDL_AUDIODRIVER", "nonsense")
    drive = Drive()
    drive.run(0.2)
    assert len(drive.said) == 1
    text, level = drive.said[0]
    assert text.startswith("no sound: ")
    assert level == "warning"
    drive.hearing.toggle()
    assert drive.said[-1][0] == "sound off"
    drive.hearing.toggle()
    assert drive.said[-1][0] == f"sound on, but not heard: {text.removeprefix('no sound: ')}"
    assert drive.world.tick > 30
    assert drive.hearing.devices() == []
    drive.close()


def test_choosing_a_device_ends_a_problem(new_drive, monkeypatch):
    monkeypatch.setenv("SDL_AUDIODRIVER", "nonsense")
    drive = new_drive()
    drive.run(0.1)
    assert drive.hearing.problem
    monkeypatch.setenv("SDL_AUDIODRIVER", "disk")
    drive.hearing.choose_device("")
    assert not drive.hearing.problem
    drive.run(0.3)
    assert drive.hearing.audible
    assert drive.hearing._stream.record["blocks"] > 0


def test_after_a_device_that_does_not_open_another_one_goes_on(new_drive, monkeypatch):
    drive = new_drive()
    drive.run(0.2)

    def refuse(stream, name):
        raise NoSound(f"no sound: {name} is gone")

    stream = drive.hearing._stream
    with monkeypatch.context() as patched:
        patched.setattr("driving_sandbox.game.audio.hearing.open_device", refuse)
        drive.hearing.choose_device("Headphones")
        drive.run(0.1)
    assert drive.said == [("no sound: Headphones is gone", "warning")]
    assert not drive.hearing.audible
    drive.hearing.choose_device("")
    assert not drive.hearing.problem
    blocks = int(stream.record["blocks"])
    drive.run(0.3)
    assert drive.hearing._stream is stream
    assert stream.record["blocks"] > blocks


def test_the_user_is_told_of_a_sound_that_does_not_fit_the_vehicle(new_drive, monkeypatch):
    def refuse(vehicle):
        raise UserError("an electric motor cannot have this")

    monkeypatch.setattr("driving_sandbox.sound.heard.sound_of", refuse)
    drive = new_drive()
    drive.run(FRAME)
    assert drive.hearing.problem == "no sound: an electric motor cannot have this"


def test_a_device_that_was_unplugged_is_replaced(new_drive, monkeypatch):
    # SDL's name for the device of its drivers `disk` and `dummy`
    drive = new_drive(sound_device="System audio output device")
    drive.run(0.3)
    first = drive.hearing._device
    assert first.name == "System audio output device"
    monkeypatch.setattr(type(first), "lost", property(lambda device: device is first))
    monkeypatch.setattr("driving_sandbox.game.audio.hearing.CHECK_SECONDS", 0.0)
    drive.run(2.0 * FRAME)
    assert drive.hearing._device is not first
    assert drive.hearing._device.name == ""
    blocks = int(drive.hearing._stream.record["blocks"])
    drive.run(0.3)
    assert drive.hearing._stream.record["blocks"] > blocks
