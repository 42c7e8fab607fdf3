"""Horn of two tones, electric with a trumpet or pneumatic.

The diaphragm hits its stop once a period, so its tone has all harmonics. Harmonic k has the amplitude b^k, in short

    sum of b^k sin k x = b sin x / (1 - 2 b cos x + b^2)

whose brightness b follows the loudness: the tone is dull while it starts and ends. The horn's trumpet raises the
harmonics around its own resonance. With b at most .8, harmonics beyond half the sample rate are 90 dB weaker than the
first one up to a tone of 500 Hz, and do not fold back audibly.

Two tones 3 to 4 semitones apart are common: 420 and 500 Hz on cars. Air horns of lorries have about 220 and 275 Hz,
build up in .06 s and are brighter.
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, Schema, field
from driving_sandbox.sound.base.block import BLOCK, BODY, SAMPLE_RATE
from driving_sandbox.sound.base.filters import pole, state_variable, tuning_of
from driving_sandbox.sound.base.noise import begin as begin
from driving_sandbox.sound.base.oscillator import stepped, tone, turns_after

LOUDNESS = 0.11  # factor of both tones; the result is as loud as an engine at full power
HIGH_SHARE = 0.8  # amplitude of the higher tone, relative to the lower one
TRUMPET = 0.8  # gain of the trumpet's resonance over the direct sound
TRUMPET_DAMPING = 0.55  # 1 / Q
RISE = 4.0  # time constants of the two smoothing stages until the tone is nearly (91 %) full
DULL = 0.5  # share of the brightness that is left in a faint tone
LEVEL_SHARE = 1.0 / (0.003 * SAMPLE_RATE)  # of the way to a changed level per sample
SILENT = 1e-7  # loudness below which it has ended


class HornSound(Schema):
    """Tones, colour and level of the horn."""

    level: Float = field(unit="1", ge=0, suggest=(0, 3), default=1.0, doc="Gain; 0 is none.")
    low: Float = field(unit="Hz", gt=0, le=700, suggest=(150, 450), default=420.0, doc="Frequency of the lower tone.")
    high: Float = field(unit="Hz", gt=0, le=700, suggest=(180, 550), default=500.0, doc="Frequency of the higher tone.")
    brightness: Float = field(
        unit="1", gt=0, le=0.8, suggest=(0.5, 0.8), default=0.72, doc="Amplitude of a harmonic by the one below it."
    )
    trumpet: Float = field(
        unit="Hz", gt=0, suggest=(800, 3500), default=2100.0, doc="Frequency that the horn's trumpet raises."
    )
    attack: Float = field(unit="s", gt=0, suggest=(0.015, 0.1), default=0.022, doc="Time in which the tone builds up.")
    release: Float = field(unit="s", gt=0, suggest=(0.02, 0.1), default=0.03, doc="Time in which it dies away.")


STATE = np.dtype(
    [
        ("turns", np.float64, (2,)),  # phases of the two tones
        ("loudness", np.float64, (2,)),  # 0..1, of the two smoothing stages
        ("gain", np.float64),  # follows the level
        ("memory", np.float64, (2,)),  # filter of the trumpet
    ],
    align=True,
)


@kernel
def reed(t: Any, b: float) -> float:
    """Sum of b^k sin k x over all k, divided by its largest value; t: tone, b: brightness."""
    return (1.0 - b * b) * t[1] / (1.0 - 2.0 * b * t[0] + b * b)


@kernel
def render_horn(buses: Any, parameters: Any, state: Any, before: Any, after: Any) -> None:
    """Add a block of the horn to the body's bus."""
    p, t, loud, bus = parameters, state.turns, state.loudness, buses[BODY]
    goal = 1.0 if after.horn == 1 and p.level > 0.0 else 0.0
    if loud[1] < SILENT:
        state.gain = p.level
        if goal == 0.0:
            loud[0] = loud[1] = 0.0
            return
    stage = RISE / ((p.attack if goal > 0.0 else p.release) * SAMPLE_RATE)
    low, high, g = tone(t[0], p.low, p.low), tone(t[1], p.high, p.high), tuning_of(p.trumpet)
    for i in range(BLOCK):
        low, high = stepped(low), stepped(high)
        loud[0] = pole(loud[0], goal, stage)
        loud[1] = pole(loud[1], loud[0], stage)
        state.gain = pole(state.gain, p.level, LEVEL_SHARE)
        b = p.brightness * (DULL + (1.0 - DULL) * loud[1])
        x = LOUDNESS * state.gain * loud[1] * (reed(low, b) + HIGH_SHARE * reed(high, b))
        _, band, _ = state_variable(state.memory, x, g, TRUMPET_DAMPING)
        bus[i] += x + TRUMPET * band
    t[0], t[1] = turns_after(t[0], p.low, p.low), turns_after(t[1], p.high, p.high)
