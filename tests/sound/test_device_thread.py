"""A device that a thread feeds where SDL cannot call the callback: the same samples, a short queue, when it is used."""

import threading
import time

import numpy as np
import pytest
from device_rig import new_stream, samples_of

from driving_sandbox.cli import doctor
from driving_sandbox.game.audio import player
from driving_sandbox.game.audio.feeder import FEWEST, FedDevice
from driving_sandbox.game.audio.player import CALLBACK_FRAMES, RATE, audio_path, is_ready, open_device
from driving_sandbox.game.audio.sdl import AudioDevice, NoSound
from driving_sandbox.sound.base.block import BLOCK_SECONDS
from driving_sandbox.sound.device.stream import STREAM_CALLBACK


@pytest.fixture(autouse=True)
def compiled():
    """Callback and kernel, compiled."""
    STREAM_CALLBACK.compile()
    samples_of(new_stream(), 40)


@pytest.fixture
def raw_file(tmp_path, monkeypatch):
    """The file that SDL's driver `disk` writes the samples to."""
    monkeypatch.setenv("SDL_AUDIODRIVER", "disk")
    monkeypatch.setenv("SDL_DISKAUDIOFILE", str(tmp_path / "samples.raw"))
    return tmp_path / "samples.raw"


@pytest.fixture
def forced(monkeypatch):
    """The environment of a user who wants no callback."""
    monkeypatch.setenv("SANDBOX_SOUND_THREAD", "1")


def refused(callback, *arguments, **options):
    """An AudioDevice of an SDL that plays only what is queued."""
    if callback:
        raise NoSound("no sound: callbacks are not supported")
    return AudioDevice(callback, *arguments, **options)


def play(device, stream, seconds):
    """Let a device play until the stream has rendered `seconds` of samples."""
    device.play()
    while stream.record["blocks"] * BLOCK_SECONDS < seconds:
        time.sleep(0.01)


def test_the_thread_plays_the_samples_of_the_stream(raw_file, forced):
    stream = new_stream()
    device = open_device(stream, "")
    assert isinstance(device, FedDevice)
    time.sleep(0.05)
    assert stream.record["blocks"] == 0  # not before `play`
    play(device, stream, 0.4)
    device.close()
    written = np.fromfile(raw_file, np.float32)
    pieces = written[: len(written) // (2 * CALLBACK_FRAMES) * 2 * CALLBACK_FRAMES].reshape(-1, CALLBACK_FRAMES, 2)
    heard = pieces[pieces.any(axis=(1, 2))].reshape(-1, 2)  # without the silence before, and of a thread kept waiting
    alone = samples_of(new_stream(), len(heard) + 2 * CALLBACK_FRAMES)
    silence = int(np.argmax(alone.any(axis=1))) // CALLBACK_FRAMES * CALLBACK_FRAMES
    assert len(heard) > 0.2 * RATE
    assert np.array_equal(heard, alone[silence : silence + len(heard)])


def test_two_to_three_pieces_wait_in_the_queue(raw_file, forced, monkeypatch):
    """Whenever the thread looks, however much the device has taken meanwhile."""
    device = open_device(new_stream(), "")
    assert device.queued == 0
    waiting = [0]

    def queue(samples):
        waiting[0] += len(samples)
        return True

    monkeypatch.setattr(FedDevice, "queued", property(lambda device: waiting[0]))
    monkeypatch.setattr(device, "queue", queue)
    for taken in (0, 512, 64, 300, 1024, 1536, 1000, 1, 512):
        waiting[0] = max(0, waiting[0] - taken)
        assert device._fill_queue()
        assert FEWEST * CALLBACK_FRAMES < waiting[0] <= (FEWEST + 1) * CALLBACK_FRAMES
    device.close()


def test_the_queue_of_the_device_stays_short(raw_file, forced):
    stream = new_stream()
    device = open_device(stream, "")
    device.play()
    longest = 0
    while stream.record["blocks"] * BLOCK_SECONDS < 0.3:
        longest = max(longest, device.queued)
        time.sleep(0.003)
    device.close()
    assert CALLBACK_FRAMES <= longest <= (FEWEST + 1) * CALLBACK_FRAMES
    assert device.queued == 0


def test_closing_ends_the_thread(raw_file, forced):
    stream = new_stream()
    device = open_device(stream, "")
    play(device, stream, 0.05)
    thread = device._thread
    assert thread in threading.enumerate()
    device.close()
    device.close()
    device.play()
    assert device._thread is thread and not thread.is_alive()
    blocks = int(stream.record["blocks"])
    time.sleep(0.05)
    assert stream.record["blocks"] == blocks


def test_a_device_that_takes_nothing_ends_the_thread(raw_file, forced, monkeypatch):
    stream = new_stream()
    device = open_device(stream, "")
    play(device, stream, 0.05)
    monkeypatch.setattr(device, "queue", lambda samples: False)
    device._thread.join(5.0)
    assert not device._thread.is_alive()
    device.close()


def test_the_callback_is_used_where_it_can_be(raw_file):
    device = open_device(new_stream(), "")
    device.close()
    assert type(device) is AudioDevice
    assert audio_path() == "callback"


def test_the_thread_is_used_where_the_callback_is_refused(raw_file, monkeypatch):
    monkeypatch.setattr(player, "AudioDevice", refused)
    stream = new_stream()
    device = open_device(stream, "")
    play(device, stream, 0.05)
    device.close()
    assert isinstance(device, FedDevice)
    assert audio_path().startswith("thread, as the callback is refused")


def test_the_thread_is_used_where_the_callback_cannot_be_compiled(raw_file, monkeypatch):
    monkeypatch.setattr(STREAM_CALLBACK, "load", lambda: 0)
    assert not is_ready(worker_ended=False)  # it may still be compiled
    assert is_ready(worker_ended=True)
    device = open_device(new_stream(), "")
    device.close()
    assert isinstance(device, FedDevice)
    assert audio_path().startswith("callback")
    monkeypatch.setattr(player, "load_compiled", lambda *arguments: False)
    assert not is_ready(worker_ended=True)


def test_without_a_device_the_thread_has_none_either(monkeypatch):
    monkeypatch.setenv("SDL_AUDIODRIVER", "nonsense")
    with pytest.raises(NoSound, match=r"^no sound: "):
        open_device(new_stream(), "")


def test_doctor_says_which_way_is_used(monkeypatch):
    monkeypatch.setenv("SDL_AUDIODRIVER", "dummy")
    assert doctor._sound()[0][-1] == "samples by callback"
    monkeypatch.setenv("SANDBOX_SOUND_THREAD", "1")
    assert doctor._sound()[0][-1] == "samples by thread, as SANDBOX_SOUND_THREAD is set"
