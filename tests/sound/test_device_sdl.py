"""SDL's device: its samples are those of the stream, Python may stand still, and a machine may have none."""

import ctypes
import sys
import time
import weakref
from pathlib import Path

import numpy as np
import pytest
from device_rig import new_stream, samples_of

from driving_sandbox.game.audio.sdl import AudioDevice, NoSound, describe_audio
from driving_sandbox.game.controls.sdl_library import library_path
from driving_sandbox.sound.base.block import BLOCK_SECONDS, SAMPLE_RATE
from driving_sandbox.sound.device.stream import STREAM_CALLBACK

RATE = round(SAMPLE_RATE)


@pytest.fixture
def raw_file(tmp_path, monkeypatch):
    """The file that SDL's driver `disk` writes the samples to."""
    monkeypatch.setenv("SDL_AUDIODRIVER", "disk")
    monkeypatch.setenv("SDL_DISKAUDIOFILE", str(tmp_path / "samples.raw"))
    return tmp_path / "samples.raw"


@pytest.mark.parametrize("size", [64, 512, 1024])
def test_the_device_gets_the_samples_of_the_stream(raw_file, size):
    stream = new_stream()
    device = AudioDevice(STREAM_CALLBACK.compile(), stream.address, RATE, frames=size)
    time.sleep(0.05)
    assert stream.record["blocks"] == 0  # not before `play`
    device.play()
    while stream.record["blocks"] * BLOCK_SECONDS < 0.4:
        time.sleep(0.01)
    device.close()
    written = np.fromfile(raw_file, np.float32).reshape(-1, 2)
    alone = samples_of(new_stream(), len(written))
    silence = int(np.argmax(written.any(axis=1)) - np.argmax(alone.any(axis=1)))  # written before `play`
    assert silence % size == 0
    assert len(written) - silence > 0.3 * SAMPLE_RATE
    assert np.array_equal(written[silence:], alone[: len(written) - silence])


@pytest.mark.skipif(sys.platform == "win32", reason="needs the C library's usleep")
def test_samples_are_computed_while_python_stands_still(raw_file):
    stream = new_stream()
    device = AudioDevice(STREAM_CALLBACK.compile(), stream.address, RATE, frames=512)
    device.play()
    while stream.record["blocks"] == 0:
        time.sleep(0.01)
    before = int(stream.record["blocks"])
    ctypes.PyDLL(None).usleep(200_000)  # holds Python's lock
    computed = (stream.record["blocks"] - before) * BLOCK_SECONDS
    device.close()
    assert computed > 0.16  # s of 0.2; the driver keeps no exact clock


def test_closing_ends_the_calls(raw_file):
    stream = new_stream()
    device = AudioDevice(STREAM_CALLBACK.compile(), stream.address, RATE, frames=64)
    device.play()
    while stream.record["blocks"] == 0:
        time.sleep(0.01)
    device.close()
    device.close()
    blocks = int(stream.record["blocks"])
    time.sleep(0.05)
    assert stream.record["blocks"] == blocks


def test_a_device_keeps_the_memory_that_its_thread_works_in(raw_file):
    stream = new_stream()
    device = AudioDevice(STREAM_CALLBACK.compile(), stream.address, RATE, frames=64, owner=stream)
    kept, stream = weakref.ref(stream), None
    device.play()
    time.sleep(0.05)
    assert kept() is not None
    device.close()
    assert kept() is None


def test_without_a_device_the_reason_is_one_line(monkeypatch):
    monkeypatch.setenv("SDL_AUDIODRIVER", "nonsense")
    for attempt in (describe_audio, lambda: AudioDevice(0, 0, RATE, frames=512)):
        with pytest.raises(NoSound) as caught:
            attempt()
        assert str(caught.value).startswith("no sound: ")
        assert "\n" not in str(caught.value)
    monkeypatch.setenv("SDL_AUDIODRIVER", "dummy")
    assert describe_audio()[0] == "dummy"


def test_a_device_that_is_gone_is_replaced_by_the_default_one(raw_file):
    device = AudioDevice(
        STREAM_CALLBACK.compile(), new_stream().address, RATE, frames=512, name="headphones of last year"
    )
    assert device.name == ""
    assert not device.lost
    device.close()


@pytest.mark.parametrize(
    ("platform", "file"),
    [
        ("linux", "pygame.libs/libSDL2-2-1667c208.0.so.0.2800.4"),
        ("win32", "pygame/SDL2.dll"),
        ("darwin", "pygame/.dylibs/libSDL2-2.0.0.dylib"),
    ],
)
def test_the_library_is_found_where_pygame_packages_have_it(tmp_path, platform, file):
    path = tmp_path / file
    (tmp_path / "pygame").mkdir()
    assert not Path(library_path(tmp_path / "pygame", platform)).is_absolute()  # the system's
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    assert Path(library_path(tmp_path / "pygame", platform)).resolve() == path
