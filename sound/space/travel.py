"""Travel of sound from a moving vehicle: when what is heard now was emitted, and from where.

A sound heard at the time t was emitted at t - d from the position x(t - d), where the travel time d solves

    c d = |x(t - d) - y(t)|,    c speed of sound, y position of the listener.

d is found by iterating d = |x(t - d) - y| / c, which converges for sources slower than sound, from the last block's d.
Steps shrink by a nearly constant ratio, the Mach number of the approach: after every second one, the sum of all further
ones is added (Aitken's method).
POSE_HISTORY has the poses of the vehicle at the ends of the last blocks. Reading a delay line at t - d then has the
Doppler shift of any motion of source and listener: 1 / (1 - v/c) for a source that approaches a resting listener at v.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.sound.base.block import BLOCK, BLOCK_SECONDS, SAMPLE_RATE, SPEED_OF_SOUND

LINE = 32768  # samples of a delay line; a power of two
LONGEST = (LINE - 4 * BLOCK) / SAMPLE_RATE  # s, longest travel time: 233 m; from farther away there is no Doppler shift
POSES = 1024  # of the history, a power of two; more than blocks in LONGEST

FASTEST = 0.5 * SPEED_OF_SOUND  # m/s, of a motion that sound follows; a faster one is a jump (reset, rewind, camera)
_JUMP = FASTEST * BLOCK_SECONDS  # m, between the ends of two blocks
_TOLERANCE = 1e-9  # s, of the travel time: 5e-5 samples
_STEEPEST = 0.7  # largest ratio of two steps for which the further ones are summed up; more than FASTEST's Mach number
_ITERATIONS = 16  # at most; each multiplies the error by the Mach number, at most that of FASTEST, 0.5

POSE_HISTORY = np.dtype(
    [
        ("count", np.int64),  # blocks so far; the last pose has the index count - 1, modulo POSES
        ("known", np.int64),  # poses since the last jump
        ("position", np.float64, (POSES, 3)),  # m, world axes
        ("forward", np.float64, (POSES, 3)),  # unit vector, world axes
    ],
    align=True,
)


@kernel
def remember(history: Any, frame: Any) -> None:
    """Add the pose of a FRAME at the end of a block; a jump makes the poses before it unknown."""
    last, now = (history.count - 1) & (POSES - 1), history.count & (POSES - 1)
    square = 0.0
    for k in range(3):
        step = frame.position[k] - history.position[last, k]
        square += step * step
        history.position[now, k] = frame.position[k]
        history.forward[now, k] = frame.forward[k]
    history.known = min(history.known + 1, POSES) if square < _JUMP * _JUMP else 1
    history.count += 1


@kernel
def emission(history: Any, ahead: float, listener: Any, guess: float) -> Any:
    """Travel time in s, and vector in m from the listener to the position of emission: (d, x, y, z).

    Args:
        ahead: m, of the source ahead of the vehicle's centre of mass.
        guess: s, a travel time to start from.
    """
    d, last = guess, 0.0
    x = y = z = 0.0
    for k in range(_ITERATIONS):
        x, y, z = relative_position(history, ahead, listener, d)
        new = min(math.sqrt(x * x + y * y + z * z) / SPEED_OF_SOUND, LONGEST)
        step = new - d
        d = new
        if abs(step) < _TOLERANCE:
            break
        ratio = step / last if k % 2 == 1 else 0.0
        if abs(ratio) < _STEEPEST:
            d = min(max(d + step * ratio / (1.0 - ratio), 0.0), LONGEST)
        last = step
    return d, x, y, z


@kernel
def relative_position(history: Any, ahead: float, listener: Any, d: float) -> Any:
    """Vector in m from the listener to where the source was `d` seconds ago, or since the last jump at the earliest."""
    age = min(d / BLOCK_SECONDS, history.known - 1.0)
    whole = min(int(age), max(history.known - 2, 0))
    older = age - whole
    a = (history.count - 1 - whole) & (POSES - 1)
    b = (a - 1) & (POSES - 1)
    newer = 1.0 - older
    if older == 0.0:  # pose b may be unknown
        b = a
    p, f, y = history.position, history.forward, listener.position
    return (
        newer * (p[a, 0] + f[a, 0] * ahead) + older * (p[b, 0] + f[b, 0] * ahead) - y[0],
        newer * (p[a, 1] + f[a, 1] * ahead) + older * (p[b, 1] + f[b, 1] * ahead) - y[1],
        newer * (p[a, 2] + f[a, 2] * ahead) + older * (p[b, 2] + f[b, 2] * ahead) - y[2],
    )
