"""Compiles the kernels that sound in real time needs, in a worker process beside that of the physics.

One `SoundCompiler` serves all drives of a program and begins with it, so that the sound begins with the first drive:
the loading screen waits for it (game/program/loading.py). A worker that is started while driving has a low priority.
Whatever goes wrong is a reason for silence, never for the end of a drive.
"""

import contextlib
from argparse import Namespace
from typing import Any

from driving_sandbox.game.audio.player import CALLBACK_FRAMES, RATE, is_ready
from driving_sandbox.game.audio.sdl import AudioDevice, NoSound
from driving_sandbox.physics.compile import CountingWorker
from driving_sandbox.physics.kernel.cache_folder import cache_folder
from driving_sandbox.physics.kernel.jit import JIT
from driving_sandbox.sound.device.compile import MODULE

NICENESS = 10  # of the worker while driving: the drive comes first


class SoundCompiler:
    """The worker process that compiles the sound, if it has to be compiled.

    Attributes:
        worker: the CountingWorker, None before it is needed.
    """

    def __init__(self) -> None:
        self.worker: CountingWorker | None = None

    @property
    def ready(self) -> bool:
        """Whether a device can be opened now."""
        return is_ready(self.worker is not None and self.worker.done)

    @property
    def running(self) -> bool:
        """Whether the worker compiles."""
        return self.worker is not None and not self.worker.done

    @property
    def error(self) -> str:
        """Why the worker failed, or ""."""
        return "" if self.worker is None else self.worker.error or ""

    def begin(self, niceness: int = 0) -> None:
        """Start the worker unless it is running. Call it only while the device is not `ready`.

        Raises:
            NoSound: an earlier worker left something uncompiled, SANDBOX_JIT=0 is set, no device can be opened, or the
                worker does not start.
        """
        if self.running:
            return
        if self.worker is not None:
            unstored = f"the compiled code could not be stored in {cache_folder()}"
            raise NoSound(f"it could not be compiled: {self.error}" if self.error else unstored)
        if not JIT:
            raise NoSound("it needs compiled code, which SANDBOX_JIT=0 switches off")
        AudioDevice(callback=0, memory=0, rate=RATE, frames=CALLBACK_FRAMES).close()  # no device: nothing is compiled
        try:
            self.worker = CountingWorker(MODULE, niceness=niceness)
        except OSError as error:
            raise NoSound(f"it could not be compiled: {error.strerror}") from None

    def retry(self) -> None:
        """Let a worker that has failed be started again."""
        if not self.running:
            self.worker = None

    def step_back(self) -> None:
        """Lower the priority of a worker that is not done, as a drive begins."""
        if self.worker is not None and not self.worker.done:
            self.worker.step_back(NICENESS)

    def close(self) -> None:
        """End the worker; what it has compiled stays in the cache. Safe to call twice."""
        if self.worker is not None:
            self.worker.cancel(at_once=True)


def begin_compiling(options: Namespace, settings: Any) -> SoundCompiler:
    """A SoundCompiler; its worker is started if this program will play sound and the kernels are not compiled yet."""
    compiler = SoundCompiler()
    if not options.offscreen and not getattr(options, "no_sound", False) and settings.sound:
        with contextlib.suppress(NoSound):  # the drive tells the user (game/audio/hearing.py)
            if not compiler.ready:
                compiler.begin()
    return compiler
