"""Squeal of one wheel: the tread sticks and slips as an oscillator on a sliding patch.

    x'' = -w^2 x - 0.02 w x' + F (mu(r) - 0.6),   r = slip - x',   mu = r / (|r| + 0.05) (0.6 + 0.4 / (1 + |r| / vs))
    F = 1.2 w n (0.5 + 0.5 slip),   vs = 0.25 + 0.4 slip,   n: load / nominal load
    heard   slip / (1.5 + slip) (x' / (0.3 + slip) + 0.25 (mu - its mean))

x' is the speed of a tread block on its rubber, F mu the friction per mass of the block; noise of +-0.3, the ground's
texture, is added to mu. Friction falls with the sliding speed r, so it feeds the oscillation until the block nearly
sticks once per period. w rises with slip and falls with load. vs and F grow with slip, else the falling part would be
too flat at large slip to overcome the damping.

Semi-implicit Euler; friction is linearised where it rises steeply with r (a block that sticks), so that any load and
slip are stable.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.elementary import exp
from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import WHEEL_CAPACITY
from driving_sandbox.sound.base.block import SAMPLE_RATE
from driving_sandbox.sound.base.gain import advance
from driving_sandbox.sound.base.noise import white

RISE, RISE_SLIP = 240.0, 6.0  # Hz, m/s: the pitch rises by up to RISE, three quarters of it at RISE_SLIP
PITCH_PER_LOAD = -120.0  # Hz per nominal load above the nominal
LOAD_SPREAD = 0.5  # nominal loads above or below, beyond which the pitch stays
LIGHTEST, STRONGEST = 0.1, 3.0  # nominal loads, limits of n in F
WHEEL_PITCH = (0.0, 23.0, -17.0, 9.0)  # Hz, by wheel: no two tires are alike
LOWEST = 50.0  # Hz; a heavy wheel of a low pitch still oscillates
WANDER_SHARE, WANDER = 0.01, 0.49  # per block, and of w: slow noise of about 2 Hz with the standard deviation .02
DAMPING = 0.02  # 1 / Q
STICTION = 0.05  # m/s, slip at which friction has half its value
SLIDING_FRICTION, EXTRA_FRICTION = 0.6, 0.4
ROUGHNESS = 0.3  # largest noise of the friction, from the ground's texture
FRICTION_SHARE = 0.25  # of the output: the force that shakes the tread, rich in harmonics
MEAN_SHARE = 0.003  # share per sample with which the friction's mean follows; it is subtracted: high-pass of 23 Hz
FORCE = 1.2  # m/s, F by w at a slip of 1 m/s: large enough to overcome the damping
LEAST_FORCE, FORCE_PER_SLIP = 0.5, 0.5  # factor of F without slip; s/m, its rise: with vs, friction falls less steeply
FALLING, FALLING_PER_SLIP = 0.25, 0.4  # m/s, vs without slip; its rise by slip: else friction is flat at large slip
STEP = 1.0 / SAMPLE_RATE
OUTPUT_SLIP = 0.3  # m/s; x' grows nearly as the slip, the output is its ratio to this plus the slip
LOUD_SLIP = 1.5  # m/s, slip of half the loudness
LANES = (WHEEL_CAPACITY,)  # a value per wheel, side by side: a processor computes four or more at a time
SQUEAL = np.dtype(
    [
        ("position", np.float64, LANES),  # x
        ("speed", np.float64, LANES),  # x', m/s
        ("wander", np.float64, LANES),  # low-passed noise of the frequency
        ("steady", np.float64, LANES),  # mean of the friction above that of sliding
        # of the block
        ("w", np.float64, LANES),  # rad/s
        ("force", np.float64, LANES),  # F
        ("slip", np.float64, LANES),  # m/s
        ("falling", np.float64, LANES),  # vs
        ("gain", np.float64, LANES),
        ("slope", np.float64, LANES),  # of the gain, per sample
        ("scale", np.float64, LANES),  # of the speed in the output
    ],
    align=True,
)


@kernel
def frequency_of(pitch: float, slip: float, load: float, wheel: int) -> float:
    """Hz of a wheel's squeal; pitch: where sliding begins, Hz; slip: m/s; load: load / nominal load."""
    rise = RISE * (1.0 - 2.0 / (exp(2.0 * slip / RISE_SLIP) + 1.0))
    heavier = min(max(load - 1.0, -LOAD_SPREAD), LOAD_SPREAD)
    return max(LOWEST, pitch + rise + PITCH_PER_LOAD * heavier + WHEEL_PITCH[wheel % len(WHEEL_PITCH)])


@inline_kernel
def accelerated(
    position: float, speed: float, w: float, force: float, slip: float, falling: float, roughness: float
) -> Any:
    """(speed of the tread block after one sample, excess of friction above that of sliding).

    With a = |r|, p = a + STICTION and q = a + vs, friction is r top / (p q), top = 0.6 q + 0.4 vs, and rises with r by
    (STICTION top q - 0.4 vs a p) / (p q)^2. Multiplied by (p q)^2, the step has one division, so that the next sample
    need not wait for more.
    """
    r = slip - speed
    a = abs(r)
    p, q = a + STICTION, a + falling
    product = p * q
    top = SLIDING_FRICTION * a + (SLIDING_FRICTION + EXTRA_FRICTION) * falling
    rise = STICTION * top * q - EXTRA_FRICTION * falling * a * p
    rest = force * (roughness - SLIDING_FRICTION) - w * (w * position + DAMPING * speed)
    change = STEP * (force * r * top + rest * product) * product
    excess = r * top / product - SLIDING_FRICTION + roughness
    return speed + change / (product * product + STEP * force * max(rise, 0.0)), excess


@kernel
def begin_squeal(squeal: Any) -> None:
    """Prepare a SQUEAL of zeros: lanes without a wheel are computed too, and would divide by 0."""
    squeal.falling[:] = FALLING


@kernel
def prepare_squeal(
    squeal: Any, lane: int, wheel: Any, pitch: float, slip: float, load: float, row: int, target: float
) -> bool:
    """Set a block's values of a wheel; returns whether it squeals.

    Args:
        wheel: its gains and its noise.
        pitch: where sliding begins, Hz.
        load: load / nominal load.
        row: of the wheel's `gains`.
        target: level to go to at a large slip, 0 where the wheel does not squeal.
    """
    s, j = squeal, lane
    s.gain[j], s.slope[j] = advance(wheel.gains, row, target * slip / (LOUD_SLIP + slip))
    if s.gain[j] == 0.0 and s.slope[j] == 0.0:
        s.position[j] = s.speed[j] = s.w[j] = s.force[j] = 0.0
        return False
    s.wander[j] += WANDER_SHARE * (white(wheel) - s.wander[j])
    s.w[j] = 2.0 * math.pi * frequency_of(pitch, slip, load, lane) * (1.0 + WANDER * s.wander[j])
    s.force[j] = FORCE * s.w[j] * min(max(load, LIGHTEST), STRONGEST) * (LEAST_FORCE + FORCE_PER_SLIP * slip)
    s.slip[j], s.falling[j], s.scale[j] = slip, FALLING + FALLING_PER_SLIP * slip, 1.0 / (OUTPUT_SLIP + slip)
    return True


@inline_kernel
def squeal(state: Any, k: int, width: int) -> None:
    """Add a sample of the wheels that squeal to `heard`.

    Args:
        state: STATE of the tires (sound/tires/tires.py), whose `noise` has row 4.
        k: number of the sample in the block.
        width: number of lanes.
    """
    s, noise, heard = state.squeal, state.noise, state.heard
    for j in range(width):
        at = k * width + j
        speed, excess = accelerated(
            s.position[j], s.speed[j], s.w[j], s.force[j], s.slip[j], s.falling[j], ROUGHNESS * noise[4, at]
        )
        s.speed[j] = speed
        s.position[j] += STEP * speed
        s.steady[j] += MEAN_SHARE * (excess - s.steady[j])
        s.gain[j] += s.slope[j]
        heard[at] += s.gain[j] * (s.scale[j] * speed + FRICTION_SHARE * (excess - s.steady[j]))
