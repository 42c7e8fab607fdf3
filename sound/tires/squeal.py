"""Squeal of one wheel: the tread sticks and slips as an oscillator on a sliding patch.

    x'' = -w^2 x - 0.02 w x' + F (mu(r) - 0.6),   r = slip - x',   mu = r / (|r| + 0.05) (0.6 + 0.4 / (1 + |r| / vs))

x' is the speed of a tread block on its rubber, F the load's force per mass. Friction falls with the sliding speed r, so
it feeds the oscillation until the block nearly sticks once per period. w rises with slip and falls with load. vs grows
with slip, and F with slip, else the falling part would be too flat at large slip to overcome the damping.

Semi-implicit Euler; friction is linearised where it rises steeply with r (a block that sticks), so that any load and
slip are stable.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.elementary import exp
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.sound.base.block import BLOCK, SAMPLE_RATE
from driving_sandbox.sound.base.gain import advance
from driving_sandbox.sound.base.noise import white

RISE, RISE_SLIP = 240.0, 6.0  # Hz, m/s: the pitch rises by up to RISE, two thirds of it at about RISE_SLIP
PITCH_PER_LOAD = -120.0  # Hz per nominal load above the nominal
LOAD_SPREAD = 0.5  # nominal loads above or below, beyond which the pitch stays
LIGHTEST, STRONGEST = 0.1, 3.0  # nominal loads, limits in the force
WHEEL_PITCH = (0.0, 23.0, -17.0, 9.0)  # Hz, by wheel: no two tires are alike
WANDER_SHARE, WANDER = 0.01, 0.49  # of 2 %: slow noise of about 2 Hz with the standard deviation .02
DAMPING = 0.02
STICTION = 0.05  # m/s, slip at which friction has half its value
SLIDING_FRICTION, EXTRA_FRICTION = 0.6, 0.4
ROUGHNESS = 0.3  # noise of the friction, by the ground's texture
FRICTION_SHARE = 0.25  # of the output: the force that shakes the tread, rich in harmonics
MEAN_SHARE = 0.003  # per sample, of the way of the friction's mean, which is left out: high-pass of 23 Hz
STEP = 1.0 / SAMPLE_RATE
OUTPUT_SLIP = 0.3  # m/s; x' grows nearly as the slip, the output is its ratio to this plus the slip
LOUD_SLIP = 1.5  # m/s, slip of half the loudness
STATE_FIELDS = [("position", np.float64), ("speed", np.float64), ("wander", np.float64), ("steady", np.float64)]
SQUEAL_STATE = np.dtype(STATE_FIELDS, align=True)


@kernel
def frequency_of(pitch: float, slip: float, load: float, wheel: int) -> float:
    """Hz of a wheel's squeal; pitch: where sliding begins, Hz; slip: m/s; load: by the nominal one."""
    rise = RISE * (1.0 - 2.0 / (exp(2.0 * slip / RISE_SLIP) + 1.0))
    heavier = min(max(load - 1.0, -LOAD_SPREAD), LOAD_SPREAD)
    return pitch + rise + PITCH_PER_LOAD * heavier + WHEEL_PITCH[wheel % len(WHEEL_PITCH)]


@kernel
def _accelerate(
    position: float, speed: float, w: float, force: float, slip: float, falling: float, roughness: float
) -> Any:
    """(speed of the tread block after one sample, excess of friction above that of sliding)."""
    r = slip - speed
    a = abs(r)
    stick, fall = 1.0 / (a + STICTION), 1.0 / (falling + a)
    friction = SLIDING_FRICTION + EXTRA_FRICTION * falling * fall
    rise = STICTION * stick * stick * friction - a * stick * EXTRA_FRICTION * falling * fall * fall
    excess = r * stick * friction - SLIDING_FRICTION + roughness
    change = force * excess - w * (w * position + DAMPING * speed)
    return speed + STEP * change / (1.0 + STEP * force * max(rise, 0.0)), excess


@kernel
def render_squeal(
    bus: Any, wheel: Any, index: int, pitch: float, slip: float, load: float, row: int, target: float
) -> None:
    """Squeal of wheel `index`; target: its level, 0 where it does not squeal; load: by the nominal one."""
    gain, slope = advance(wheel.gains, row, target)
    tread = wheel.squeal
    if gain == 0.0 and slope == 0.0:
        tread.position = 0.0
        tread.speed = 0.0
        return
    tread.wander += WANDER_SHARE * (white(wheel) - tread.wander)
    w = 2.0 * math.pi * frequency_of(pitch, slip, load, index) * (1.0 + WANDER * tread.wander)
    force = 1.2 * w * min(max(load, LIGHTEST), STRONGEST) * (0.5 + 0.5 * slip)
    falling = 0.25 + 0.4 * slip
    scale, loudness = 1.0 / (OUTPUT_SLIP + slip), slip / (LOUD_SLIP + slip)
    position, speed, mean = tread.position, tread.speed, tread.steady
    for k in range(BLOCK):
        speed, excess = _accelerate(position, speed, w, force, slip, falling, ROUGHNESS * white(wheel))
        position += STEP * speed
        mean += MEAN_SHARE * (excess - mean)
        gain += slope
        bus[k] += gain * loudness * (scale * speed + FRICTION_SHARE * (excess - mean))
    tread.position, tread.speed, tread.steady = position, speed, mean
