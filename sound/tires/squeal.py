"""Squeal of one wheel: the tread sticks and slips as an oscillator on a sliding patch.

    x'' = -w^2 x - 0.02 w x' + F (mu(r) - 0.6),   r = slip - x',   mu = r / (|r| + 0.05) (0.6 + 0.4 / (1 + |r| / vs))
    F = 1.2 w n (0.5 + 0.5 slip),   vs = 0.25 + 0.4 slip,   n: load by the nominal one
    heard   slip / (1.5 + slip) (x' / (0.3 + slip) + 0.25 (mu - its mean))

x' is the speed of a tread block on its rubber, F the load's force per mass; noise of +-0.3, the ground's texture, is
added to mu. Friction falls with the sliding speed r, so it feeds the oscillation until the block nearly sticks once per
period. w rises with slip and falls with load. vs grows with slip, and F with slip, else the falling part would be too
flat at large slip to overcome the damping.

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

RISE, RISE_SLIP = 240.0, 6.0  # Hz, m/s: the pitch rises by up to RISE, three quarters of it at RISE_SLIP
PITCH_PER_LOAD = -120.0  # Hz per nominal load above the nominal
LOAD_SPREAD = 0.5  # nominal loads above or below, beyond which the pitch stays
LIGHTEST, STRONGEST = 0.1, 3.0  # nominal loads, limits in the force
WHEEL_PITCH = (0.0, 23.0, -17.0, 9.0)  # Hz, by wheel: no two tires are alike
LOWEST = 50.0  # Hz; a heavy wheel of a low pitch still oscillates
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
SQUEAL_STATE = np.dtype(
    [
        ("position", np.float64),
        ("speed", np.float64),
        ("wander", np.float64),
        ("steady", np.float64),
        # of the block
        ("w", np.float64),  # rad/s
        ("force", np.float64),  # F
        ("slip", np.float64),  # m/s
        ("falling", np.float64),  # vs
        ("gain", np.float64),
        ("slope", np.float64),  # of the gain, per sample
        ("scale", np.float64),  # of the speed in the output
    ],
    align=True,
)


@kernel
def frequency_of(pitch: float, slip: float, load: float, wheel: int) -> float:
    """Hz of a wheel's squeal; pitch: where sliding begins, Hz; slip: m/s; load: by the nominal one."""
    rise = RISE * (1.0 - 2.0 / (exp(2.0 * slip / RISE_SLIP) + 1.0))
    heavier = min(max(load - 1.0, -LOAD_SPREAD), LOAD_SPREAD)
    return max(LOWEST, pitch + rise + PITCH_PER_LOAD * heavier + WHEEL_PITCH[wheel % len(WHEEL_PITCH)])


@kernel
def _accelerate(
    position: float, speed: float, w: float, force: float, slip: float, falling: float, roughness: float
) -> Any:
    """(speed of the tread block after one sample, excess of friction above that of sliding)."""
    r = slip - speed
    a = abs(r)
    both = 1.0 / ((a + STICTION) * (falling + a))
    stick, fall = both * (falling + a), both * (a + STICTION)  # the reciprocals, by one division
    friction = SLIDING_FRICTION + EXTRA_FRICTION * falling * fall
    rise = STICTION * stick * stick * friction - a * stick * EXTRA_FRICTION * falling * fall * fall
    excess = r * stick * friction - SLIDING_FRICTION + roughness
    change = force * excess - w * (w * position + DAMPING * speed)
    return speed + STEP * change / (1.0 + STEP * force * max(rise, 0.0)), excess


@kernel
def prepare_squeal(wheel: Any, index: int, pitch: float, slip: float, load: float, row: int, target: float) -> Any:
    """Set a block's values of wheel `index`; returns whether it squeals.

    Args:
        pitch: where sliding begins, Hz.
        load: by the nominal one.
        row, target: row of `gains`, and level to go to at a large slip, 0 where the wheel does not squeal.
    """
    gain, slope = advance(wheel.gains, row, target * slip / (LOUD_SLIP + slip))
    tread = wheel.squeal
    if gain == 0.0 and slope == 0.0:
        tread.position = 0.0
        tread.speed = 0.0
        return False
    tread.wander += WANDER_SHARE * (white(wheel) - tread.wander)
    tread.w = 2.0 * math.pi * frequency_of(pitch, slip, load, index) * (1.0 + WANDER * tread.wander)
    tread.force = 1.2 * tread.w * min(max(load, LIGHTEST), STRONGEST) * (0.5 + 0.5 * slip)
    tread.slip, tread.falling = slip, 0.25 + 0.4 * slip
    tread.gain, tread.slope, tread.scale = gain, slope, 1.0 / (OUTPUT_SLIP + slip)
    return True


@kernel
def render_squeals(front: Any, rear: Any, wheels: Any, group: Any) -> None:
    """Add a block of the wheels that squeal.

    All wheels make a sample in turn: each waits for its own divisions only, so a processor works on several at a time.

    Args:
        front, rear: buses.
        group: GROUP of the wheels (sound/tires/tires.py).
    """
    for k in range(BLOCK):
        for j in range(group.count):
            wheel = wheels[group.wheels[j]]
            tread = wheel.squeal
            speed, excess = _accelerate(
                tread.position, tread.speed, tread.w, tread.force, tread.slip, tread.falling, ROUGHNESS * white(wheel)
            )
            tread.speed = speed
            tread.position += STEP * speed
            tread.steady += MEAN_SHARE * (excess - tread.steady)
            tread.gain += tread.slope
            heard = tread.gain * (tread.scale * speed + FRICTION_SHARE * (excess - tread.steady))
            if j < group.front_count:
                front[k] += heard
            else:
                rear[k] += heard
