"""Compiling the sound in a worker process: while a program loads, or while driving; and workers that fail."""

from types import SimpleNamespace

import numpy as np
import pytest
from sound_rig import FRAME, heard

from driving_sandbox.game.audio import compiling
from driving_sandbox.game.audio.compiling import NICENESS, SoundCompiler, begin_compiling
from driving_sandbox.game.audio.hearing import COMPILING, hear
from driving_sandbox.game.audio.player import CALLBACK_FRAMES
from driving_sandbox.game.audio.silence import Silence, SwitchedOff
from driving_sandbox.game.platform.shutdown import END_REQUEST, EndRequested
from driving_sandbox.game.platform.stages import COMPILING_SOUND
from driving_sandbox.game.program import loading
from driving_sandbox.game.program.loading import wait_for_sound
from driving_sandbox.game.program.program import WindowClosed
from driving_sandbox.game.program.settings import Settings
from driving_sandbox.physics.kernel.cache_folder import cache_folder
from driving_sandbox.sound.device.ring import target_of

TICK = 1.0 / 240.0  # s
IN_A_WINDOW = SimpleNamespace(offscreen=False, no_sound=False)


class FakeWorker:
    """Stands in for the process that compiles the sound; it runs until a test sets `done`."""

    def __init__(self, module, niceness):
        self.module, self.niceness, self.done, self.error, self.count = module, niceness, False, "the disk is full", 0

    def poll(self):
        return not self.done

    def step_back(self, niceness):
        self.niceness = niceness

    def cancel(self, at_once):
        self.done = True


@pytest.fixture
def uncompiled(monkeypatch):
    """A cache without the callback, and a worker that does not compile it."""
    monkeypatch.setattr("driving_sandbox.game.audio.player.STREAM_CALLBACK.load", lambda: 0)
    monkeypatch.setattr(compiling, "CountingWorker", FakeWorker)


@pytest.fixture
def nothing_compiled(uncompiled, monkeypatch):
    """A cache without the callback and without the kernel that a thread would call instead."""
    monkeypatch.setattr("driving_sandbox.game.audio.player.load_compiled", lambda *arguments: False)


# ---- while driving


def test_a_worker_compiles_what_is_not_compiled_yet(nothing_compiled, new_drive):
    """A worker that fails or leaves nothing in the cache is reported; choosing a device starts another one."""
    drive = new_drive()
    drive.run(0.1)
    worker = drive.hearing._compiler.worker
    assert (worker.module, worker.niceness) == ("driving_sandbox.sound.device.compile", NICENESS)
    assert drive.hearing.compiling
    assert drive.said == [(COMPILING, "info")]
    worker.done = True
    drive.run(0.1)
    assert [text for text, _ in drive.said[1:]] == ["no sound: it could not be compiled: the disk is full"]
    drive.hearing.choose_device("")
    assert drive.hearing.compiling
    assert not drive.hearing.problem
    worker = drive.hearing._compiler.worker
    worker.done, worker.error = True, None
    drive.run(0.1)
    assert drive.said[-1][0] == f"no sound: the compiled code could not be stored in {cache_folder()}"


def test_nothing_is_compiled_while_the_sound_is_off(nothing_compiled, new_drive):
    drive = new_drive(sound=False)
    drive.run(0.1)
    assert not drive.hearing.compiling and not drive.said and not drive.hearing.problem
    drive.hearing.toggle()
    drive.run(0.1)
    assert drive.hearing.compiling


def test_the_next_drive_takes_over_the_worker(nothing_compiled, new_drive):
    compiler = SoundCompiler()
    first = new_drive(compiler)
    first.run(FRAME)
    worker = compiler.worker
    first.close()
    second = new_drive(compiler)
    second.run(FRAME)
    assert second.hearing.compiling and compiler.worker is worker
    compiler.close()
    assert worker.done


def test_a_thread_plays_where_only_the_callback_could_not_be_compiled(uncompiled, new_drive, raw_file):
    drive = new_drive()
    drive.run(0.1)
    assert drive.hearing._device is None  # it may still be compiled
    drive.hearing._compiler.worker.done = True
    drive.run(0.6)
    target = float(drive.hearing._stream.ring.record["target"])
    drive.close()
    assert drive.said == [(COMPILING, "info")]
    assert np.abs(heard(raw_file)).max() > 0.01
    assert target > target_of(CALLBACK_FRAMES, 1, TICK) + 2.0  # rows, as the thread may take two pieces at once


def test_offscreen_and_by_an_option_no_device_is_opened():
    class Options:
        offscreen, no_sound = True, False

    assert type(hear(Options, None, None, None, None)) is Silence
    Options.offscreen, Options.no_sound = False, True
    said = []
    hearing = hear(Options, None, None, said.append, None)
    hearing.toggle()
    assert type(hearing) is SwitchedOff
    assert said == ["no sound: it is switched off by the option --no-sound"]


# ---- while a program loads


@pytest.mark.parametrize(
    ("changes", "sound", "compiled"),
    [
        ({}, True, True),
        ({"offscreen": True}, True, False),
        ({"no_sound": True}, True, False),
        ({}, False, False),
    ],
)
def test_the_sound_is_compiled_from_the_start_if_it_will_be_heard(nothing_compiled, raw_file, changes, sound, compiled):
    options = SimpleNamespace(**{**vars(IN_A_WINDOW), **changes})
    compiler = begin_compiling(options, Settings(sound=sound))
    assert compiler.running == compiled
    assert not compiled or compiler.worker.niceness == 0  # the loading screen waits for it


def test_a_machine_without_a_device_compiles_nothing(nothing_compiled, monkeypatch):
    monkeypatch.setenv("SDL_AUDIODRIVER", "nonsense")
    assert begin_compiling(IN_A_WINDOW, Settings()).worker is None


def test_a_worker_that_cannot_be_started_is_a_reason_for_silence(nothing_compiled, new_drive, monkeypatch):
    def refuse(module, niceness):
        raise OSError(11, "too many processes")

    monkeypatch.setattr(compiling, "CountingWorker", refuse)
    assert begin_compiling(IN_A_WINDOW, Settings()).worker is None
    drive = new_drive()
    drive.run(0.1)
    assert [text for text, _ in drive.said] == ["no sound: it could not be compiled: too many processes"]


def test_what_is_compiled_is_not_compiled_again(compiled_sound, raw_file):
    assert begin_compiling(IN_A_WINDOW, Settings()).worker is None


def test_after_an_edit_of_any_kernel_of_the_sound_a_worker_runs(compiled_sound, raw_file, monkeypatch):
    """Also of those that the callback does not contain: the program itself would stand still while compiling them."""
    monkeypatch.setattr("driving_sandbox.game.audio.player.is_compiled", lambda module: False)
    monkeypatch.setattr(compiling, "CountingWorker", FakeWorker)
    assert begin_compiling(IN_A_WINDOW, Settings()).running


class Screen:
    """A loading screen that lets the worker end after `frames` frames (-1: never), or raises an error instead."""

    def __init__(self, compiler, frames, error=None):
        self._compiler, self._frames, self._error, self.shown = compiler, frames, error, []

    def show(self, stage, share, note):
        self.shown.append((stage, share, note))
        self._compiler.worker.count += 20
        if len(self.shown) == self._frames:
            if self._error is not None:
                raise self._error
            self._compiler.worker.done = True


@pytest.fixture
def compiler(nothing_compiled, raw_file, monkeypatch):
    """A SoundCompiler with a worker that runs."""
    monkeypatch.setattr(loading, "FRAME_PAUSE", 0.0)
    return begin_compiling(IN_A_WINDOW, Settings())


def test_the_loading_screen_shows_how_far_the_sound_is(compiler):
    screen = Screen(compiler, frames=3)
    wait_for_sound(compiler, screen)
    assert [(stage, note) for stage, _, note in screen.shown] == [
        (COMPILING_SOUND, "0 parts"), (COMPILING_SOUND, "20 parts"), (COMPILING_SOUND, "40 parts"),
    ]  # fmt: skip
    shares = [share for _, share, _ in screen.shown]
    assert shares == sorted(shares) and 0.0 == shares[0] < shares[-1] <= 1.0


def test_a_worker_that_does_not_end_holds_the_drive_up_no_longer_than_the_limit(compiler, monkeypatch):
    monkeypatch.setattr(loading, "LONGEST_WAIT", 0.02)
    wait_for_sound(compiler, Screen(compiler, frames=-1))
    assert compiler.running and compiler.worker.niceness == NICENESS  # it goes on while driving


def test_closing_the_window_ends_the_wait(compiler):
    with pytest.raises(WindowClosed):
        wait_for_sound(compiler, Screen(compiler, frames=2, error=WindowClosed()))


def test_a_request_of_the_system_ends_the_wait(compiler, monkeypatch):
    monkeypatch.setattr(END_REQUEST, "number", 15)
    with pytest.raises(EndRequested):
        wait_for_sound(compiler, Screen(compiler, frames=-1))
