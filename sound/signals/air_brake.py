"""Compressed-air brakes: hiss of the air that leaves the brake chambers, and of the air dryer that is purged.

    chambers    p follows the pedal: p' = (brake - p) / T        T: `release` downwards, APPLY_TIME upwards
    hiss        ~ p - brake while the air leaves; much less while it comes in
    reservoir   loses USE of its pressure for a full braking; below CUT_IN the running engine's compressor charges it;
                when it is full the dryer is purged: a burst that fades with the time constant PURGE_TIME

Levels: UNECE Regulation 51 allows the compressed air of a lorry 72 dB(A) at 7 m, and its engine at full power 80 dB(A)
at 7.5 m: 8 dB more.
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, Schema, field
from driving_sandbox.sound.base.block import BLOCK, BLOCK_SECONDS, BODY
from driving_sandbox.sound.base.filters import pole, scale_of, share_of, tuning_of, two_pole
from driving_sandbox.sound.base.gain import FAINT, advance
from driving_sandbox.sound.base.noise import seed, white

APPLY_TIME = 0.1  # s, time constant with which the chambers fill
INWARD = 0.12  # hiss of air that comes in, relative to that of air that leaves
USE = 0.12  # share of the reservoir's pressure for a full braking
CUT_IN = 0.85  # pressure of the reservoir at which the compressor begins / that at which it ends
CHARGE = 0.0003  # share of that pressure for a radian of the crankshaft: 8 s from CUT_IN at idle
PURGE_TIME = 0.16  # s, time constant of the burst
PURGE = 1.0  # hiss of the burst, relative to that of a full release
LEVEL = 0.18  # amplitude of the noise; the result has an rms of .04
LOW_CORNER, HIGH_CORNER = 1600.0, 5000.0  # Hz, of the hiss
DAMPING = 1.2  # 1 / Q of the filter at LOW_CORNER


class AirBrakeSound(Schema):
    """Level and times of the compressed-air brakes."""

    level: Float = field(unit="1", ge=0, suggest=(0, 3), default=0.0, doc="Gain; 0 is none: hydraulic brakes.")
    release: Float = field(
        unit="s", gt=0, suggest=(0.08, 0.5), default=0.2, doc="Time constant with which the chambers empty."
    )
    purge: Float = field(unit="1", ge=0, suggest=(0, 3), default=1.0, doc="Gain of the air dryer's burst.")


STATE = np.dtype(
    [
        ("noise", np.uint64),
        ("pressure", np.float64),  # of the brake chambers, 0..1
        ("reservoir", np.float64),  # its pressure / the largest, 0..1
        ("charging", np.int64),  # 1: the compressor works
        ("burst", np.float64),  # of the dryer, 1 at its start
        ("gains", np.float64, (1,)),
        ("memory", np.float64, (2,)),  # filter at LOW_CORNER
        ("soft", np.float64),  # pole at HIGH_CORNER
    ],
    align=True,
)


def begin(state: Any, number: int) -> None:
    """Prepare a zeroed STATE with a full reservoir; number: seed, different for every voice of every vehicle."""
    state["noise"] = seed(number)
    state["reservoir"] = 1.0


@kernel
def brake_hiss(p: Any, s: Any, brake: float) -> float:
    """Move the chambers' pressure by a block towards the pedal, filled from the reservoir; returns the hiss.

    The hiss is 1 at the start of a full release.
    """
    difference = s.pressure - brake
    if difference > 0.0:
        s.pressure -= difference * BLOCK_SECONDS / (p.release + BLOCK_SECONDS)
        if s.pressure < FAINT:
            s.pressure = 0.0
        return difference
    rise = -difference * BLOCK_SECONDS / (APPLY_TIME + BLOCK_SECONDS)
    s.pressure += rise
    s.reservoir = max(0.0, s.reservoir - USE * rise)
    return INWARD * -difference


@kernel
def purge_hiss(p: Any, s: Any, engine_speed: float) -> float:
    """Move the reservoir's pressure and the dryer's burst by a block; returns the burst's hiss."""
    s.burst -= s.burst * BLOCK_SECONDS / PURGE_TIME
    if s.burst < FAINT:
        s.burst = 0.0
    if s.reservoir < CUT_IN:
        s.charging = 1
    if s.charging == 1:
        s.reservoir += CHARGE * abs(engine_speed) * BLOCK_SECONDS
        if s.reservoir >= 1.0:
            s.reservoir, s.charging, s.burst = 1.0, 0, 1.0
    return PURGE * p.purge * s.burst


@kernel
def render_air_brake(buses: Any, parameters: Any, state: Any, before: Any, after: Any) -> None:
    """Add a block of the compressed air to the body's bus."""
    p, s = parameters, state
    hiss = brake_hiss(p, s, min(1.0, max(0.0, after.brake))) + purge_hiss(p, s, after.engine_speed)
    gain, slope = advance(s.gains, 0, LEVEL * p.level * hiss)
    if gain == 0.0 and slope == 0.0:
        s.memory[:] = 0.0
        s.soft = 0.0
        return
    bus, g, share = buses[BODY], tuning_of(LOW_CORNER), share_of(HIGH_CORNER)
    scale, first, second, soft = scale_of(g, DAMPING), s.memory[0], s.memory[1], s.soft
    for i in range(BLOCK):
        x = white(s)
        low, band, first, second = two_pole(first, second, x, g, scale)
        soft = pole(soft, x - DAMPING * band - low, share)
        gain += slope
        bus[i] += gain * soft
    s.memory[0], s.memory[1], s.soft = first, second, soft
