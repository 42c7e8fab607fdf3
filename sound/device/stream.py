"""The stream of samples that a device takes, in pieces of any size; `STREAM_CALLBACK` is what SDL calls for them.

Blocks of samples are rendered one at a time into a window, from which samples are copied. In slow motion the window is
read slower, by cubic interpolation: everything sounds deeper, as from a tape that runs slower. What is read fades to
silence and back as the level `fade` asks for, in FADE seconds of the device at any speed and volume.

The sounds of the interface are added last, at their own speed (sound/interface). They may be heard alone, while the
drive rests: its ring and voices are then left as they are, and its samples are zero.

All memory belongs to arrays of a `Stream`, whose STREAM record holds their addresses. The callback gets the address of
that record; it runs in SDL's thread, without Python.
"""

from typing import Any

import numpy as np
from numba import carray, types

from driving_sandbox.physics.kernel.atomic import load_acquire, store_release
from driving_sandbox.physics.kernel.callback import Callback
from driving_sandbox.physics.kernel.jit import entry, inlined, kernel, pointer
from driving_sandbox.sound.base.block import BLOCK, BUS_COUNT, SAMPLE_RATE
from driving_sandbox.sound.base.frame import FRAME, FRAME_WORDS
from driving_sandbox.sound.base.gain import towards
from driving_sandbox.sound.device.ring import PACE_GAIN, RING, ROWS, Ring, advance, row_at
from driving_sandbox.sound.glide import ENTRIES, GLIDE, PARAMETER_WORDS, glide
from driving_sandbox.sound.interface.queue import InterfaceQueue
from driving_sandbox.sound.interface.rendering import INTERFACE, add_interface
from driving_sandbox.sound.mixer import FADE, LEVELS, MIX
from driving_sandbox.sound.scene import GLIDE_ARRAYS, SCENE_ARRAYS, Scene, render_scene
from driving_sandbox.sound.space.ears import SPACE
from driving_sandbox.sound.space.listener import LISTENER, LISTENER_WORDS
from driving_sandbox.sound.voices import VoiceParameters, Voices

CHANNELS = 2
SAMPLE_BYTES = 4 * CHANNELS  # of a float32 pair
_FADED = 1.0 / (FADE * SAMPLE_RATE)  # largest change of the fade's gain per sample of the device
HISTORY = 3  # samples before a block that the interpolation needs
_memory: Any = pointer  # pointer from an address, for `carray`
RECENT = 160 * BLOCK  # samples that are kept: 0.13 s
SHOWN = 120 * BLOCK  # of them `Stream.recent` returns these; the others may be written meanwhile
_ADDRESSES = ("frames", "listeners", "before", "after", "heard", *SCENE_ARRAYS, *GLIDE_ARRAYS)

STREAM = np.dtype(
    [
        ("ring", RING),
        ("vehicle_count", np.int64),
        ("cursor", np.float64),  # samples from the start of the window, to the next one to read; BLOCK: a block is due
        ("speed", np.float64),  # samples of the window per sample of the device; 1, or less in slow motion
        ("window", np.float64, (BLOCK + HISTORY, CHANNELS)),
        ("fade", np.float64),  # gain of the last sample read; it follows LEVELS.fade
        ("lead", np.int64),  # samples of silence before the drive goes on
        ("drive_rests", np.int64),  # address of an int64: 1 while only the interface is heard
        ("interface", INTERFACE),
        ("blocks", np.int64),  # blocks rendered so far
        ("recent", np.float64, (RECENT,)),  # mean of both channels, block k at k BLOCK % RECENT
        *((name, np.int64) for name in _ADDRESSES),  # of the arrays
    ],
    align=True,
)


class Stream:
    """The memory of a stream: ring, scene and window.

    Args:
        scene: Scene with its vehicles.
        row_seconds: time between rows of the ring, s.
        target: rows of the ring that shall wait (ring.target_of).
        gain: of the ring's pace; 0 for frames that do not come in real time.
    Attributes:
        ring: Ring, which the simulation fills.
        interface: InterfaceQueue, to which the program posts sounds.
        address: address of the STREAM record, for the callback.
    """

    def __init__(self, scene: Scene, row_seconds: float, target: float, gain: float = PACE_GAIN) -> None:
        count = scene.vehicle_count
        self.ring, self.scene = Ring(count, row_seconds, target, gain), scene
        self._memory = np.zeros(1, STREAM)
        self.record = self._memory[0]
        self.record["ring"] = self.ring.memory[0]
        self.ring.record = self.record["ring"]
        self.record["vehicle_count"], self.record["cursor"], self.record["speed"] = count, BLOCK, 1.0
        self.interface, self._drive_rests = InterfaceQueue(self.record["interface"]), np.zeros(1, np.int64)
        self.record["drive_rests"] = self._drive_rests.ctypes.data
        self._arrays = {
            "frames": self.ring.frames,
            "listeners": self.ring.listeners,
            "before": np.zeros(count, FRAME),
            "after": np.zeros(count, FRAME),
            "heard": np.zeros((2, LISTENER_WORDS)),
            **scene.arrays,
        }
        for name in _ADDRESSES:
            self.record[name] = self._arrays[name].ctypes.data
        self.address = self._memory.ctypes.data

    def set_speed(self, speed: float) -> None:
        """Read the samples at this speed from now on, 0..1."""
        self.record["speed"] = min(max(float(speed), 0.0), 1.0)

    def lead_in(self, seconds: float) -> None:
        """Let the drive go on after silence, once it no longer rests; nobody may be reading it now."""
        self.record["lead"] = round(seconds * SAMPLE_RATE)

    def rest_drive(self, rests: bool) -> None:
        """Let only the interface be heard, or the drive as well; to let it rest, nobody may be reading now."""
        set_flag(self.record["drive_rests"], int(rests))

    def recent(self) -> tuple[np.ndarray, float]:
        """(mean of both channels in the last SHOWN samples, engine speed of the first vehicle at their end, rad/s)."""
        samples = np.roll(self.record["recent"], -(int(self.record["blocks"]) * BLOCK % RECENT))
        after = self._arrays["after"]
        return samples[-SHOWN:], float(after["engine_speed"][0]) if len(after) else 0.0


@kernel
def set_flag(flag: int, value: int) -> None:
    """Store an int64 at an address, after everything written before."""
    store_release(flag, value)


@entry
def fill(stream: Any, samples: Any) -> None:
    """Fill float32 `samples` [count, CHANNELS] with the next samples of a STREAM record."""
    levels = carray(_memory(stream.levels), (1,), LEVELS)[0]
    if load_acquire(stream.drive_rests) == 0:
        _fill_with_drive(stream, samples, levels.fade)
    else:
        samples[:] = 0.0
    add_interface(stream.interface, levels.master * levels.interface, samples)


@inlined
def _fill_with_drive(stream: Any, samples: Any, audible: float) -> None:
    """Fill `samples` with those of the drive, faded towards the gain `audible`."""
    if stream.speed == 1.0:  # after slow motion the cursor may lie between two samples
        stream.cursor = np.floor(stream.cursor)
    if stream.blocks == 0:
        stream.fade = audible  # the mixer itself fades in at the beginning
    start = min(stream.lead, samples.shape[0])
    samples[:start] = 0.0
    stream.lead -= start
    while start < samples.shape[0]:
        if stream.cursor >= BLOCK:
            stream.cursor -= BLOCK
            next_block(stream)
        start = _read(stream, samples, start, audible)


@kernel
def _read(stream: Any, samples: Any, start: int, audible: float) -> Any:
    """Read samples from the window until it or `samples` ends; returns the index in `samples` of the next one.

    audible: gain towards which they fade.
    """
    while start < samples.shape[0] and stream.cursor < BLOCK:
        base = np.int64(stream.cursor)
        stream.fade = towards(stream.fade, audible, _FADED)
        for channel in range(CHANNELS):
            samples[start, channel] = stream.fade * _hermite(stream.window, base, channel, stream.cursor - base)
        stream.cursor += stream.speed
        start += 1
    return start


@inlined
def next_block(stream: Any) -> None:
    """Render the next block of a STREAM record into its window."""
    n = stream.vehicle_count
    frames = carray(_memory(stream.frames), (ROWS, n), FRAME)
    words = carray(_memory(stream.frames), (ROWS, n, FRAME_WORDS), np.float64)
    listeners = carray(_memory(stream.listeners), (ROWS, LISTENER_WORDS), np.float64)
    before = carray(_memory(stream.before), (n,), FRAME)
    after = carray(_memory(stream.after), (n,), FRAME)
    after_words = carray(_memory(stream.after), (n, FRAME_WORDS), np.float64)
    heard = carray(_memory(stream.heard), (2, LISTENER_WORDS), np.float64)
    listener = carray(_memory(stream.heard), (2,), LISTENER)
    samples = carray(_memory(stream.samples), (BLOCK, CHANNELS), np.float64)
    moved = advance(stream.ring, frames, words, listeners, before, after, after_words, heard)
    glide(
        carray(_memory(stream.glide), (1,), GLIDE)[0],
        row_at(stream.ring.position),
        carray(_memory(stream.motions), (PARAMETER_WORDS,), np.int8),
        carray(_memory(stream.parameters), (n, PARAMETER_WORDS), np.float64),
        carray(_memory(stream.parameters), (n, PARAMETER_WORDS), np.int64),
        carray(_memory(stream.wanted), (ENTRIES, n, PARAMETER_WORDS), np.float64),
        carray(_memory(stream.wanted), (ENTRIES, n, PARAMETER_WORDS), np.int64),
    )  # fmt: skip
    if moved:
        render_scene(
            carray(_memory(stream.buses), (n, BUS_COUNT, BLOCK), np.float64),
            carray(_memory(stream.parameters), (n,), VoiceParameters),
            carray(_memory(stream.voices), (n,), Voices),
            carray(_memory(stream.spaces), (n,), SPACE),
            carray(_memory(stream.mix), (1,), MIX),
            carray(_memory(stream.levels), (1,), LEVELS),
            samples, before, after, listener,
        )  # fmt: skip
    _shift(stream.window, samples)
    _keep(stream, samples)


@kernel
def _keep(stream: Any, samples: Any) -> None:
    """Keep the mean of both channels of a block for `Stream.recent`, and count the block."""
    start = stream.blocks * BLOCK % RECENT
    for k in range(BLOCK):
        stream.recent[start + k] = 0.5 * (samples[k, 0] + samples[k, 1])
    stream.blocks += 1


@kernel
def _shift(window: Any, samples: Any) -> None:
    """Move the end of a window to its start, and append a block of samples."""
    for k in range(HISTORY):
        for channel in range(CHANNELS):
            window[k, channel] = window[BLOCK + k, channel]
    for k in range(BLOCK):
        for channel in range(CHANNELS):
            window[HISTORY + k, channel] = samples[k, channel]


@kernel
def _hermite(window: Any, base: int, channel: int, share: float) -> float:
    """Cubic interpolation between the samples `base` + 1 (at share 0) and `base` + 2 of a window."""
    a, b = window[base, channel], window[base + 1, channel]
    c, d = window[base + 2, channel], window[base + 3, channel]
    slope, next_slope = 0.5 * (c - a), 0.5 * (d - b)
    step = c - b
    return b + share * (
        slope + share * (3.0 * step - 2.0 * slope - next_slope + share * (slope + next_slope - 2.0 * step))
    )


def _called_by_device(stream: Any, samples: Any, size: int) -> None:
    """SDL's callback: fill `size` bytes at `samples`; `stream` points to a STREAM record."""
    fill(carray(stream, (1,), STREAM)[0], carray(samples, (size // SAMPLE_BYTES, CHANNELS), np.float32))


STREAM_CALLBACK = Callback(_called_by_device, types.void(types.voidptr, types.voidptr, types.int32))
