"""Reflections at the listener: single walls, and the reverberation of enclosed surroundings such as a tunnel.

What is needed of them is in LISTENER (sound/space/room.py). Both parts take the mean of the ears before them:

*Walls* to the left, to the right and above are mirrors: an image of a source at the distance r, seen in a wall at the
distance d, is heard later and weaker:

    path = sqrt(r^2 + 4 d^2),   delay = (path - r) / c,   gain = REFLECTED r / path

r is SOURCE for all, as the vehicle that the listener follows is about that far away.

*Reverberation* is a network of eight delay lines of D_k samples whose outputs are mixed by a Hadamard matrix H, which
keeps the energy (Jot and Chaigne, AES Convention 90, 1991):

    s_k = 10^(-3 D_k / (SAMPLE_RATE T60)) one-pole(line k),   line = H s / sqrt(8) + send x
    ears += WET (H s)_2, (H s)_3

so it decays by 60 dB within T60 at low frequency, and faster above, by the one-pole. The delays have no common factor.
Where nothing is near, nothing is added: not a bit of the ears changes.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.elementary import exp
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.sound.base.block import BLOCK, SAMPLE_RATE, SPEED_OF_SOUND
from driving_sandbox.sound.base.filters import pole, share_of
from driving_sandbox.sound.base.gain import towards
from driving_sandbox.sound.space.listener import WALLS

SOURCE = 6.0  # m, of the usual camera to its vehicle
REFLECTED = 0.6  # of the pressure that meets a wall; a smooth concrete one returns .97, joints and posts scatter it
SHADED = 0.5  # share of a reflection from one side at the ear of the other side
DELAYS = (1231, 1481, 1777, 2029, 2371, 2689, 3121, 3541)  # samples: paths of 9 to 25 m
LINES = len(DELAYS)
SPREAD = 1.0 / math.sqrt(LINES)  # makes the Hadamard matrix orthogonal
WET = 0.36  # at T60 = 1.5 s, steady noise is then reverberated 3 dB weaker than it is heard directly: +1.6 dB in all
DAMPING = 6000.0  # Hz, corner of the one-pole, of walls and air
SHORTEST = 0.1  # s, least T60
CHANGE = 0.01  # of a gain from 0 to 1 per block: within 80 ms, as a shorter change clicks
SMOOTHING = 0.01  # share per block of the way to other gains of the lines, 83 ms, as CHANGE
SLEW = 4.0  # samples per block, of the delay of a reflection: 34 m/s

_LINE = 4096  # samples of each line; a power of two, more than any delay
_MASK = _LINE - 1
_SILENT = 1e-12  # below, a sample counts as 0, so that lines run empty
_EMPTY = _LINE // BLOCK + 2  # blocks after which silence fills a line
_DECAY = -6.907755278982137 / SAMPLE_RATE  # exponent per sample for T60 = 1 s: -3 ln 10
_LONGEST = _LINE - BLOCK - 2.0  # samples

REVERB = np.dtype(
    [  # zero at the start
        ("count", np.int64),  # samples so far
        ("line", np.float64, (_LINE,)),  # mean of the ears
        ("reflection", np.float64, (WALLS,)),  # gains, at the block's end
        ("delay", np.float64, (WALLS,)),  # samples, at the block's end
        ("send", np.float64),  # gain into the network, at the block's end
        ("feedback", np.float64, (LINES,)),  # gains of the lines, at the block's end
        ("damped", np.float64, (LINES,)),  # memory of the poles
        ("ringing", np.int64),  # blocks for which the network is not yet empty
        ("network", np.float64, (LINES, _LINE)),
        ("block", np.float64, (LINES, BLOCK)),  # outputs of the lines
    ],
    align=True,
)


@kernel
def add_reverb(ears: Any, listener: Any, reverb: Any) -> None:
    """Add the reflections of a block.

    Args:
        ears: float64 [BLOCK, 2] left and right, changed.
        listener: LISTENER at the block's end.
        reverb: REVERB, changed.
    """
    for i in range(BLOCK):
        x = 0.5 * (ears[i, 0] + ears[i, 1])
        reverb.line[(reverb.count + i) & _MASK] = x if abs(x) > _SILENT else 0.0
    for wall in range(WALLS):
        _add_wall(ears, wall, listener, reverb)
    before = reverb.send
    reverb.send = towards(before, min(max(listener.enclosure, 0.0), 1.0), CHANGE)
    if before > 0.0 or reverb.send > 0.0 or reverb.ringing > 0:
        _read_network(listener, reverb)
        _mix_network(ears, before, reverb)
    reverb.count += BLOCK


@kernel
def _add_wall(ears: Any, wall: int, listener: Any, reverb: Any) -> None:
    """Add the image of the vehicles in one wall: 0 to the left, 1 to the right, 2 above."""
    distance = listener.wall[wall]
    path = math.sqrt(SOURCE * SOURCE + 4.0 * distance * distance)
    gain = reverb.reflection[wall]
    share = min(max(listener.reflection[wall], 0.0), 1.0)
    wanted = towards(gain, share * REFLECTED * SOURCE / path, CHANGE)
    if gain == 0.0 and wanted == 0.0:
        reverb.delay[wall] = 0.0  # a new wall begins at its own delay
        return
    goal = min((path - SOURCE) / SPEED_OF_SOUND * SAMPLE_RATE + 1.0, _LONGEST)
    delay = goal if gain == 0.0 else reverb.delay[wall]
    step = min(max(goal - delay, -SLEW), SLEW) / BLOCK
    gain_step = (wanted - gain) / BLOCK
    left, right = (SHADED if wall == 1 else 1.0), (SHADED if wall == 0 else 1.0)
    for i in range(BLOCK):
        age = delay + (i + 1) * step
        whole = int(age)
        n = reverb.count + i - whole
        newer = reverb.line[n & _MASK]
        x = (gain + (i + 1) * gain_step) * (newer + (age - whole) * (reverb.line[(n - 1) & _MASK] - newer))
        ears[i, 0] += left * x
        ears[i, 1] += right * x
    reverb.reflection[wall], reverb.delay[wall] = wanted, delay + BLOCK * step


@kernel
def _read_network(listener: Any, reverb: Any) -> None:
    """Fill `block` with the damped outputs of the lines, and count the blocks until they are empty."""
    share, exponent = share_of(DAMPING), _DECAY / max(listener.decay, SHORTEST)
    sounds = False
    for k in range(LINES):
        before, wanted = reverb.feedback[k], exp(exponent * DELAYS[k])
        if before == 0.0:
            before = wanted  # the network begins
        reverb.feedback[k] = before + SMOOTHING * (wanted - before)
        step = (reverb.feedback[k] - before) / BLOCK
        damped, line, start = reverb.damped[k], reverb.network[k], reverb.count - DELAYS[k]
        for i in range(BLOCK):
            x = line[(start + i) & _MASK]
            sounds |= x != 0.0
            damped = pole(damped, x, share)
            reverb.block[k, i] = (before + (i + 1) * step) * damped
        reverb.damped[k] = damped
    if sounds or reverb.send > 0.0:
        reverb.ringing = _EMPTY
        return
    reverb.ringing -= 1
    if reverb.ringing == 0:
        reverb.damped[:] = 0.0
        reverb.feedback[:] = 0.0


@kernel
def _mix_network(ears: Any, before: float, reverb: Any) -> None:
    """Mix the lines, feed them, and add two of the mixtures to the ears. before: gain of the send at the start."""
    step, y, net = (reverb.send - before) / BLOCK, reverb.block, reverb.network
    for i in range(BLOCK):
        n = (reverb.count + i) & _MASK
        x = (before + (i + 1) * step) * reverb.line[n]
        # the product with H, in three stages of sums and differences
        a, b, c, d = y[0, i] + y[1, i], y[0, i] - y[1, i], y[2, i] + y[3, i], y[2, i] - y[3, i]
        e, f, g, h = y[4, i] + y[5, i], y[4, i] - y[5, i], y[6, i] + y[7, i], y[6, i] - y[7, i]
        a, b, c, d = a + c, b + d, a - c, b - d
        e, f, g, h = e + g, f + h, e - g, f - h
        net[0, n], net[1, n] = _fed(x, a + e), _fed(x, b + f)
        net[2, n], net[3, n] = _fed(x, c + g), _fed(x, d + h)
        net[4, n], net[5, n] = _fed(x, a - e), _fed(x, b - f)
        net[6, n], net[7, n] = _fed(x, c - g), _fed(x, d - h)
        ears[i, 0] += WET * (b + f)
        ears[i, 1] += WET * (c + g)


@kernel
def _fed(x: float, mixture: float) -> float:
    """Next sample of a line; what is inaudible is 0."""
    y = x + SPREAD * mixture
    return y if abs(y) > _SILENT else 0.0
