"""Adds the sounds of the interface to samples on their way to the device, after the drive's own fade and limiter.

A sound begins with the first sample that is asked for after it was posted (sound/interface/queue.py); from then on its
samples follow from its age alone, in pieces of any size. Of more than VOICES sounds at once the latest ones are left
out, as one that stops early would click. While nothing sounds, the samples are not touched.

    note(t) = a rise(t) fall(t) ((1 - o) sin(p(t)) + o sin(2 p(t))),   rise = s²(3 - 2s), fall = (1 - s)³(1 + 3s)

s goes from 0 to 1 in the attack and again in the rest of the note. Both envelopes begin and end level, so that they
make no click of their own.

The limiter lets a drive have 0.891 of full scale. What the sounds would exceed full scale by is cut off, which needs a
drive at its loudest and volumes above those of a new installation.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.atomic import load_acquire
from driving_sandbox.physics.kernel.elementary import sin
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.sound.base.block import SAMPLE_RATE
from driving_sandbox.sound.base.filters import scale_of, tuning_of, two_pole
from driving_sandbox.sound.base.gain import smoothstep, towards
from driving_sandbox.sound.base.noise import seed, white
from driving_sandbox.sound.interface.kinds import (
    AMPLITUDE,
    ATTACK,
    END_FREQUENCY,
    FREQUENCY,
    LENGTH,
    MOST_NOTES,
    NOISE,
    OCTAVE,
    START,
    TABLE,
)

VOICES = 4  # sounds at once; more could not be told apart
QUEUED = 16  # sounds posted and not begun yet: more than a frame of the program ever has
FADE = 0.02  # s, of the gain from 0 to 1, when the volume changes or the sound is switched off
FULL_SCALE = 1.0
NOISE_DAMPING = 1.0  # 1 / Q of the noise's band: wide, so that it has no pitch of its own
NOISE_GAIN = 2.0  # of white noise in that band at 1 to 4 kHz, for about the amplitude that a sine would have

_CHANGE = 1.0 / (FADE * SAMPLE_RATE)  # per sample
_NOISE_START = seed(0)

VOICE = np.dtype(
    [
        ("active", np.int64),
        ("kind", np.int64),
        ("age", np.int64),  # samples since its beginning
        ("noise", np.uint64),
        ("bands", np.float64, (MOST_NOTES, 2)),  # memory of the notes' noise
    ],
    align=True,
)
INTERFACE = np.dtype(
    [  # zero at the start but for the address
        ("counter", np.int64),  # address of the number of sounds posted, an int64 that only the program changes
        ("read", np.int64),  # sounds begun or left out
        ("kinds", np.int64, (QUEUED,)),  # sound k at k % QUEUED
        ("gain", np.float64),  # of the last sample; it follows the volume
        ("voices", VOICE, (VOICES,)),
    ],
    align=True,
)


@kernel
def add_interface(state: Any, volume: float, samples: Any) -> None:
    """Add a piece of the interface's sounds to the float32 `samples` [count, channels] of a device.

    Args:
        state: INTERFACE, changed.
        volume: gain that the sounds shall have.
    """
    if _sounding(state) == 0:
        state.gain = volume
    posted = load_acquire(state.counter)
    while state.read < posted:
        _begin(state.voices, state.kinds[state.read % QUEUED])
        state.read += 1
    if _sounding(state) == 0:
        return
    for i in range(samples.shape[0]):
        state.gain = towards(state.gain, volume, _CHANGE)
        value = 0.0
        for k in range(VOICES):
            if state.voices[k].active == 1:
                value += _sample(state.voices[k])
        value *= state.gain
        for channel in range(samples.shape[1]):
            left = FULL_SCALE - abs(samples[i, channel])
            samples[i, channel] += min(max(value, -left), left)


@kernel
def _sounding(state: Any) -> int:
    """Number of voices that sound."""
    count = 0
    for k in range(VOICES):
        count += state.voices[k].active
    return count


@kernel
def _begin(voices: Any, kind: int) -> None:
    """Begin a sound in a voice that is free; without one it is left out."""
    for k in range(VOICES):
        voice = voices[k]
        if voice.active == 0:
            voice.active, voice.kind, voice.age, voice.noise = 1, kind, 0, _NOISE_START
            voice.bands[:] = 0.0
            return


@kernel
def _sample(voice: Any) -> float:
    """The next sample of a voice, which ends with its last note."""
    time, value, goes_on = voice.age / SAMPLE_RATE, 0.0, False
    for k in range(MOST_NOTES):
        note = TABLE[voice.kind, k]
        age = time - note[START]
        if age < note[LENGTH]:
            goes_on = True
            if age >= 0.0:
                value += note[AMPLITUDE] * _envelope(age, note) * _pitch_and_noise(age, note, voice, k)
    voice.age += 1
    if not goes_on:
        voice.active = 0
    return value


@kernel
def _envelope(age: float, note: Any) -> float:
    """Gain of a note, 0..1."""
    if age < note[ATTACK]:
        return smoothstep(age, (0.0, note[ATTACK]))
    share = (age - note[ATTACK]) / (note[LENGTH] - note[ATTACK])
    left = 1.0 - share
    return left * left * left * (1.0 + 3.0 * share)


@kernel
def _pitch_and_noise(age: float, note: Any, voice: Any, number: int) -> float:
    """A note's sine, octave and noise, before its envelope; `number`: of the note in its sound."""
    turns = age * (note[FREQUENCY] + 0.5 * (note[END_FREQUENCY] - note[FREQUENCY]) * age / note[LENGTH])
    angle = 2.0 * math.pi * (turns - math.floor(turns))
    value = (1.0 - note[OCTAVE]) * sin(angle) + note[OCTAVE] * sin(2.0 * angle)
    if note[NOISE] == 0.0:
        return value
    g, memory = tuning_of(note[FREQUENCY]), voice.bands[number]
    _, band, memory[0], memory[1] = two_pole(memory[0], memory[1], white(voice), g, scale_of(g, NOISE_DAMPING))
    return (1.0 - note[NOISE]) * value + note[NOISE] * NOISE_GAIN * band
