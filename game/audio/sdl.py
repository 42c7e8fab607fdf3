"""SDL's audio device, opened in the SDL library that pygame brings along.

pygame itself can only play finished samples. SDL is called directly instead: it calls a function of ours in a thread
of its own whenever the device needs samples. The audio subsystem is independent of those for joysticks and
display (game/controls/devices.py), and SDL counts how often each was initialised.

`SDL_AUDIODRIVER` chooses the driver; `disk` writes raw samples to the file `SDL_DISKAUDIOFILE`, `dummy` drops them.
`disk` waits whole milliseconds between callbacks. SDL rounds that time down, and would write more samples than a drive
has; it is rounded up here, unless `SDL_DISKAUDIODELAY` is set, and the program's clock follows (device_clock.py).
"""

import ctypes
import math
import os
import sys
from functools import cache
from typing import Any

from driving_sandbox.game.controls.sdl_library import NoSdl, sdl_error, sdl_library
from driving_sandbox.physics.base.user_error import UserError

_AUDIO = 0x10  # SDL_INIT_AUDIO
_FLOAT = 0x8120 if sys.byteorder == "little" else 0x9120  # AUDIO_F32SYS
_SAMPLE_BYTES = 8  # bytes of a sample of both channels, float32
_DISK_DELAY = "SDL_DISKAUDIODELAY"  # environment variable, ms
_STOPPED = 0  # SDL_AUDIO_STOPPED, the status of a device that was unplugged


class NoSound(UserError):
    """There is no audio device, or it does not work."""

    exit_code = 1


class _Spec(ctypes.Structure):
    """SDL_AudioSpec."""

    _fields_ = [
        ("rate", ctypes.c_int),  # 1/s
        ("format", ctypes.c_uint16),
        ("channels", ctypes.c_uint8),
        ("silence", ctypes.c_uint8),
        ("frames", ctypes.c_uint16),  # samples per channel and callback
        ("padding", ctypes.c_uint16),
        ("size", ctypes.c_uint32),
        ("callback", ctypes.c_void_p),
        ("memory", ctypes.c_void_p),
    ]


@cache
def _library() -> Any:
    """SDL, as pygame has loaded it. Raises NoSound."""
    try:
        sdl = sdl_library()
        sdl.SDL_GetCurrentAudioDriver.restype = ctypes.c_char_p
        sdl.SDL_GetAudioDeviceName.restype = ctypes.c_char_p
        sdl.SDL_OpenAudioDevice.restype = ctypes.c_uint32
        sdl.SDL_OpenAudioDevice.argtypes = [ctypes.c_char_p, ctypes.c_int, *[ctypes.POINTER(_Spec)] * 2, ctypes.c_int]
        sdl.SDL_QueueAudio.argtypes = [ctypes.c_uint32, ctypes.c_void_p, ctypes.c_uint32]
        sdl.SDL_GetQueuedAudioSize.restype, sdl.SDL_GetQueuedAudioSize.argtypes = ctypes.c_uint32, [ctypes.c_uint32]
    except (NoSdl, AttributeError) as error:
        raise NoSound(f"no sound: SDL cannot be used: {error}") from None
    return sdl


class _Subsystem:
    """SDL's audio subsystem while it is in use. Raises NoSound."""

    def __init__(self) -> None:
        self.sdl = _library()
        if self.sdl.SDL_InitSubSystem(_AUDIO) != 0:
            raise NoSound(f"no sound: {_error()}")

    def driver(self) -> str:
        """Name of the driver in use."""
        return (self.sdl.SDL_GetCurrentAudioDriver() or b"").decode(errors="replace")

    def names(self) -> list[str]:
        """Names of the playback devices."""
        count = max(0, self.sdl.SDL_GetNumAudioDevices(0))
        names = [self.sdl.SDL_GetAudioDeviceName(index, 0) for index in range(count)]
        return [name.decode(errors="replace") for name in names if name]

    def close(self) -> None:
        """Release the subsystem."""
        self.sdl.SDL_QuitSubSystem(_AUDIO)


def _error() -> str:
    """SDL's last error in words."""
    return sdl_error() or "the audio device cannot be opened"


def describe_audio() -> tuple[str, list[str]]:
    """(driver, names of its devices). Raises NoSound."""
    subsystem = _Subsystem()
    try:
        return subsystem.driver(), subsystem.names()
    finally:
        subsystem.close()


class AudioDevice:
    """An open device, which plays float32 stereo samples; it stands still until `play`.

    Args:
        callback: address of a function void(void *memory, uint8 *samples, int size in bytes); 0 for a device that
            plays what is queued.
        memory: address that the callback gets.
        rate: samples per second and channel.
        frames: samples per channel that the callback is asked for at once.
        name: name of the device; "" for the system's default, also used instead of one that is gone.
        owner: object that the memory belongs to; it is kept until no callback runs any more.
    Attributes:
        name: name of the device in use, "" for the default one.
        burst: samples per channel that are taken from the simulation at once.
        driver: name of SDL's driver, such as "pulseaudio" or "disk".
    Raises:
        NoSound: there is none, or it does not open.
    """

    def __init__(self, callback: int, memory: int, rate: int, frames: int, name: str = "", owner: Any = None) -> None:
        self._id, self._owner = 0, owner
        os.environ.setdefault(_DISK_DELAY, str(math.ceil(1000.0 * frames / rate)))
        self._subsystem: _Subsystem | None = _Subsystem()
        self.burst, self.driver = frames, self._subsystem.driver()
        self.name = name if name in self._subsystem.names() else ""
        wanted = _Spec(rate=rate, format=_FLOAT, channels=2, frames=frames, callback=callback, memory=memory)
        chosen = self.name.encode() if self.name else None
        self._id = self._subsystem.sdl.SDL_OpenAudioDevice(chosen, 0, ctypes.byref(wanted), ctypes.byref(_Spec()), 0)
        if not self._id:
            text = f"no sound: {_error()}"
            self.close()
            raise NoSound(text)

    def play(self) -> None:
        """Let the device play."""
        if self._subsystem is not None:
            self._subsystem.sdl.SDL_PauseAudioDevice(self._id, 0)

    def pause(self) -> None:
        """Let the device stand still until `play`; the callback is not called meanwhile."""
        if self._subsystem is not None:
            self._subsystem.sdl.SDL_PauseAudioDevice(self._id, 1)  # waits for the callback to return

    @property
    def queued(self) -> int:
        """Samples per channel that were queued and not yet taken by the device."""
        return 0 if self._subsystem is None else self._subsystem.sdl.SDL_GetQueuedAudioSize(self._id) // _SAMPLE_BYTES

    def queue(self, samples: Any) -> bool:
        """Queue an array of float32 samples [count, 2]; whether that worked."""
        if self._subsystem is None:
            return False
        return self._subsystem.sdl.SDL_QueueAudio(self._id, samples.ctypes.data, samples.nbytes) == 0

    @property
    def lost(self) -> bool:
        """Whether the device was unplugged."""
        return self._subsystem is not None and self._subsystem.sdl.SDL_GetAudioDeviceStatus(self._id) == _STOPPED

    def close(self) -> None:
        """Close the device; the callback is not called any more. Safe to call twice."""
        subsystem, self._subsystem = self._subsystem, None
        if subsystem is None:
            return
        if self._id:
            subsystem.sdl.SDL_CloseAudioDevice(self._id)  # waits for the callback to return
        subsystem.close()
        self._owner = None
