"""Grinding of a gear that is forced in: dog teeth that pass each other at the difference w of their shafts' speeds.

    tooth rate   z w / 2 pi                     z teeth on the dog ring
    blow         noise that fades in 0.5 ms, of uneven strength: each tooth hits the other ring's chamfer elsewhere
    loudness     grows with w: blows of faster teeth are harder

As long as the lever is pushed, w is that of the frame (sound/state/dogs.py). When the gear has been engaged or given
up, it decays with the time constant SETTLING, as the dogs or the clutch bring the shafts to one speed.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.sound.base.block import BLOCK_SECONDS, SAMPLE_RATE
from driving_sandbox.sound.base.filters import pole
from driving_sandbox.sound.base.gain import smoothstep
from driving_sandbox.sound.base.noise import white

ONSET = (5.0, 20.0)  # rad/s of difference: below the dogs slip in with a click, above they grind
FULL_SPEED = 100.0  # rad/s of difference from which blows are no harder
SLOW_SHARE = 0.6  # loudness where the grinding has just set in / that at FULL_SPEED
SETTLING = 0.05  # s, time constant of the difference once nothing pushes
BLOW_KEPT = 0.9591894571091382  # factor of a blow per sample, exp(-1 / 24): it fades with a time constant of 0.5 ms
UNEVEN = 0.6  # largest share by which a blow is weaker than the strongest
EDGE, SCRAPE = 0.5, 0.7  # one-sided and noisy parts of a blow's force
LEVEL = 0.65  # amplitude of a blow's force; the result is 7 dB below an engine at full power
SMOOTHING = 1.0 / (0.003 * SAMPLE_RATE)  # share per sample of the loudness
SILENT = 1e-6  # loudness that is none

GRIND = np.dtype(
    [
        ("speed", np.float64),  # rad/s between the dogs
        ("loudness", np.float64),
        ("phase", np.float64),  # teeth passed since the last blow, 0..1
        ("blow", np.float64),  # strength left of the last one
    ],
    align=True,
)


@kernel
def follow_dogs(grind: Any, speed: float) -> bool:
    """Raise the difference to that of a frame, rad/s, or let it decay for a block; returns whether it is heard."""
    if speed >= grind.speed:
        grind.speed = speed
    else:
        grind.speed += (speed - grind.speed) * BLOCK_SECONDS / (SETTLING + BLOCK_SECONDS)
        if grind.speed < ONSET[0]:
            grind.speed = speed
    if grind.speed <= ONSET[0] and grind.loudness < SILENT:
        grind.loudness = grind.blow = 0.0
        return False
    return True


@kernel
def loudness_of(speed: float) -> float:
    """Loudness of grinding at a difference, rad/s; 1 at FULL_SPEED."""
    share = min(1.0, speed / FULL_SPEED)
    return smoothstep(speed, ONSET) * (SLOW_SHARE + (1.0 - SLOW_SHARE) * share)


@inline_kernel
def grinding(grind: Any, voice: Any, step: float, loudness: float) -> tuple[float, float]:
    """(force on the housing, its noisy part), of one sample.

    Args:
        grind: GRIND, changed.
        voice: record with the generator `noise`.
        step: teeth that pass in a sample.
        loudness: to which the loudness moves.
    """
    grind.loudness = pole(grind.loudness, loudness, SMOOTHING)
    grind.phase += step
    if grind.phase >= 1.0:
        grind.phase -= math.floor(grind.phase)
        grind.blow = 1.0 - UNEVEN * (0.5 + 0.5 * white(voice))
    grind.blow *= BLOW_KEPT
    hard = LEVEL * grind.loudness * grind.blow
    noisy = SCRAPE * hard * white(voice)
    return EDGE * hard + noisy, noisy
