"""Poses of all vehicles for rendering: read from their states, and interpolated, by one compiled call each.

For eight vehicles Python would look up a dozen fields sixteen times per frame.
"""

import math

import numpy as np
from numba import carray

from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.jit import entry, kernel, pointer
from driving_sandbox.physics.maths.quat import load, rotate

FORWARD = (0.0, 1.0, 0.0)
TINY = 1e-9  # rad, and square of a length; keeps quotients finite
# Columns of the table of `read_poses`: addresses of a vehicle's fields and of its first wheel's, how many bytes its
# wheels lie apart and how many they are, then addresses of what not every vehicle has, 0 without.
POSITION, TURN, VELOCITY, CENTRE, WHEEL_PLACE, WHEEL_TURN, HUB_TURN, STRIDE, COUNT = range(9)
STEER, BRAKE, OMEGA, GEAR = range(9, 13)


@entry
def read_poses(table, places, turns, motions):
    """Write the present poses.

    Args:
        table: int64[n, 13], see above. places: float64[rows, 3], of each vehicle the model's origin, then its wheels,
        m. turns: float64[rows + wheels, 4], x, y, z, w: body and hubs likewise, then the wheels of all. motions:
        float64[n, 5]: forward speed (m/s), steer and brake commands, engine speed (rad/s), gear; 0 without.
    """
    row, spin = 0, len(places)
    for k in range(len(table)):
        at = table[k]
        q = load(carray(pointer(at[TURN]), 4, np.float64))
        position = carray(pointer(at[POSITION]), 3, np.float64)
        velocity = carray(pointer(at[VELOCITY]), 3, np.float64)
        centre = carray(pointer(at[CENTRE]), 3, np.float64)
        arm, ahead = rotate(q, (-centre[0], -centre[1], -centre[2])), rotate(q, FORWARD)
        motions[k, 0] = ahead[0] * velocity[0] + ahead[1] * velocity[1] + ahead[2] * velocity[2]
        for j in range(3):
            places[row, j] = position[j] + arm[j]
        for j in range(4):
            turns[row, j] = q[j]
        for wheel in range(at[COUNT]):
            row += 1
            offset = wheel * at[STRIDE]
            place = carray(pointer(at[WHEEL_PLACE] + offset), 3, np.float64)
            hub = carray(pointer(at[HUB_TURN] + offset), 4, np.float64)
            turn = carray(pointer(at[WHEEL_TURN] + offset), 4, np.float64)
            for j in range(3):
                places[row, j] = place[j]
            for j in range(4):
                turns[row, j] = hub[j]
                turns[spin, j] = turn[j]
            spin += 1
        row += 1
        motions[k, 1:] = 0.0
        for column in range(STEER, GEAR):
            if at[column] != 0:
                motions[k, 1 + column - STEER] = carray(pointer(at[column]), 1, np.float64)[0]
        if at[GEAR] != 0:
            motions[k, 4] = carray(pointer(at[GEAR]), 1, np.int64)[0]


@kernel
def blend_turns(before, after, fraction, blended):
    """Shortest-way constant-rate blend of quaternions, row by row (a wheel turns 30 degrees in a tick).

    Args:
        before, after, blended: float64[n, 4]; the last is written. fraction: of the way from the first to the second.
    """
    for i in range(len(before)):
        cosine = 0.0
        for j in range(4):
            cosine += before[i, j] * after[i, j]
        angle = elementary.acos(min(abs(cosine), 1.0)) + TINY  # so near to each other it is linear to the last digit
        sine, length = elementary.sin(angle), 0.0
        weight, other = elementary.sin((1.0 - fraction) * angle) / sine, elementary.sin(fraction * angle) / sine
        for j in range(4):
            blended[i, j] = before[i, j] * weight + after[i, j] * math.copysign(other, cosine)
            length += blended[i, j] * blended[i, j]
        for j in range(4):
            blended[i, j] /= math.sqrt(max(length, TINY))
