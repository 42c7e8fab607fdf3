"""Windows that break in a hard impact: a burst of grains, shards that hit each other and the ground.

    grain     a blow into one of eight modes of 3 to 9 kHz, drawn anew for every burst, whose ring fades in 2 to 5 ms
    rate      of a Poisson process: CRASH grains per second at first, then RATE (FEW + (1 - FEW) e)
    loudness  e = exp(-t / FADING), 35 dB in 0.6 s; the grains' amplitudes are e times cubes of uniform numbers

A window breaks once: for REST no other impact is heard as glass. Rates and frequencies are the program's own, after the
description of breaking glass in Farnell, Designing Sound.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.sound.base.block import BLOCK, BLOCK_SECONDS, SAMPLE_RATE
from driving_sandbox.sound.base.noise import white
from driving_sandbox.sound.base.resonator import held, resonated, tune_mode
from driving_sandbox.sound.body.materials import GROUND, RUBBER

SHARD_COUNT = 8  # modes
LOWEST, HIGHEST = 3000.0, 9000.0  # Hz, of the modes, a geometric series
SPREAD = 0.1  # of each, in proportion
STEP = 1.1385  # ratio of neighbours: SHARD_COUNT - 1 of them lead from LOWEST (1 + SPREAD) to HIGHEST / (1 + SPREAD)
DECAY = (200.0, 500.0)  # 1/s, between which those of the modes lie
CRASH, CRASH_TIME = 9000.0, 0.015  # 1/s, s: grains of the pane that bursts
RATE, FEW = 900.0, 0.15  # 1/s, and the share of it that is left at the end
FADING = 0.15  # s
LEVEL = 0.1  # amplitude of the largest grain
LOUDEST = 2.0  # largest level, however hard the impact, / that of one that just breaks a window
REST = 1.5  # s after a burst in which no window breaks
END = 1e-3  # loudness / that at the start, below which no more shards fall
FADED = 1e-7  # sum of the modes' memory below which a burst has ended

GLASS = np.dtype(
    [
        ("rest", np.float64),  # s until a window may break
        ("falling", np.float64),  # loudness / that at the start, 1 .. END, then 0
        ("age", np.float64),  # s since the impact
        ("level", np.float64),
        ("active", np.int64),
        ("modes", np.float64, (3, SHARD_COUNT)),
        ("memory", np.float64, (2, SHARD_COUNT)),
    ],
    align=True,
)


@kernel
def breaks(glass: Any, impulse: float, least: float, material: int, struck: int) -> bool:
    """Whether an impact breaks a window: not one of the suspension (`material` RUBBER) or on soft ground (`struck`)."""
    return glass.rest == 0.0 and impulse > least and material != RUBBER and struck != GROUND


@kernel
def shatter(glass: Any, voice: Any, level: float, hardness: float) -> None:
    """Begin a burst; level: gain; hardness: impulse / that at which windows break."""
    glass.rest, glass.falling, glass.age, glass.active = REST, 1.0, 0.0, 1
    glass.level = LEVEL * level * min(LOUDEST, math.sqrt(hardness))
    glass.memory[:] = 0.0
    frequency = LOWEST * (1.0 + SPREAD)
    for k in range(SHARD_COUNT):
        decay = DECAY[0] + (DECAY[1] - DECAY[0]) * 0.5 * (1.0 + white(voice))
        tune_mode(glass.modes, k, frequency * (1.0 + SPREAD * white(voice)), decay, 1.0)
        frequency *= STEP


@kernel
def _shard(glass: Any, voice: Any, chance: float) -> tuple[int, float]:
    """(mode, blow) of this sample's grain; a blow of 0 if there is none; chance: of a grain in a sample."""
    if 0.5 * (1.0 + white(voice)) >= chance:
        return 0, 0.0
    mode = int(0.5 * (1.0 + white(voice)) * SHARD_COUNT)
    size = white(voice)
    return min(mode, SHARD_COUNT - 1), glass.level * glass.falling * size * size * size


@kernel
def render_glass(bus: Any, glass: Any, voice: Any) -> None:
    """Add a block of falling shards to a bus; voice: record with the generator `noise`."""
    glass.rest = max(0.0, glass.rest - BLOCK_SECONDS)
    if glass.active == 0:
        return
    rate = CRASH if glass.age < CRASH_TIME else RATE * (FEW + (1.0 - FEW) * glass.falling)
    chance = rate / SAMPLE_RATE if glass.falling > 0.0 else 0.0
    for i in range(BLOCK):
        mode, blow = _shard(glass, voice, chance)
        for k in range(SHARD_COUNT):
            bus[i] += resonated(glass.modes, glass.memory, k, blow if k == mode else 0.0)
    glass.age += BLOCK_SECONDS
    glass.falling -= glass.falling * BLOCK_SECONDS / FADING
    if glass.falling < END:
        glass.falling = 0.0
        if held(glass.memory) < FADED:
            glass.active = 0
