"""How a stream gets to the device: SDL calls a compiled callback, or a thread feeds the device where that cannot be.

`SANDBOX_SOUND_THREAD=1` has the thread feed it in any case.
"""

import os

import numpy as np

from driving_sandbox.game.audio.feeder import FedDevice
from driving_sandbox.game.audio.sdl import AudioDevice, NoSound
from driving_sandbox.physics.compile import is_compiled
from driving_sandbox.physics.kernel.callback import load_compiled
from driving_sandbox.physics.kernel.jit import JIT
from driving_sandbox.sound.base.block import SAMPLE_RATE
from driving_sandbox.sound.device.compile import MODULE
from driving_sandbox.sound.device.stream import CHANNELS, STREAM, STREAM_CALLBACK, Stream, fill

RATE = round(SAMPLE_RATE)
CALLBACK_FRAMES = 512  # samples per channel that the device takes at once: 10.7 ms
FORCED = "SANDBOX_SOUND_THREAD"  # environment variable


def is_forced() -> bool:
    """Whether the user wants no callback."""
    return os.environ.get(FORCED, "0") != "0"


def has_callback() -> bool:
    """Whether the callback is compiled and wanted."""
    return JIT and not is_forced() and STREAM_CALLBACK.load() != 0


def has_thread() -> bool:
    """Whether the kernel that a thread would call is compiled: compiling it here would hold the program for long."""
    return load_compiled(fill, np.zeros(1, STREAM)[0], np.zeros((0, CHANNELS), np.float32))


def is_ready(worker_ended: bool) -> bool:
    """Whether a device can be opened now, fed by a thread if that is forced or the worker ended without a callback."""
    if not worker_ended:
        return is_compiled(MODULE) and (has_thread() if is_forced() else has_callback())
    return has_callback() or has_thread()


def open_device(stream: Stream, name: str) -> AudioDevice:
    """Open the device of this name for a stream; a thread feeds it if the callback is missing or SDL refuses it.

    Call it only once `is_ready` is true. Raises NoSound.
    """
    if has_callback():
        try:
            return AudioDevice(STREAM_CALLBACK.load(), stream.address, RATE, CALLBACK_FRAMES, name, owner=stream)
        except NoSound:
            if not has_thread():
                raise
    return FedDevice(stream, RATE, CALLBACK_FRAMES, name)


def audio_path() -> str:
    """How samples would get to the device, for `doctor`: "callback", "thread" or "none", and why."""
    if is_forced():
        return f"thread, as {FORCED} is set"
    if not JIT:
        return "none, as SANDBOX_JIT=0 switches compiled code off"
    callback = STREAM_CALLBACK.load()
    if not callback:
        return "callback, which the first drive with sound compiles"
    try:
        AudioDevice(callback, memory=0, rate=RATE, frames=CALLBACK_FRAMES).close()  # not called before `play`
    except NoSound as error:
        return f"thread, as the callback is refused: {error}"
    return "callback"
