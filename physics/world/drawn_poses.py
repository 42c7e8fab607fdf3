"""Poses of all vehicles for rendering: one compiled call reads them from the states, another interpolates orientations.

Reading them in Python would mean about a dozen record look-ups per vehicle, twice per frame.
"""

import math
from typing import Any

import numpy as np
from numba import carray

from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.jit import entry, kernel, pointer
from driving_sandbox.physics.maths.quat import load, rotate

FORWARD = (0.0, 1.0, 0.0)
TINY = 1e-9  # added to angles, rad, and smallest square of a quaternion's length, so that nothing is divided by 0
# Columns of the table of `read_poses`: addresses of fields of the body (CENTRE: centre of mass in model axes) and of
# the first wheel, the distance between two wheels' records in bytes, the number of wheels; then addresses of fields,
# which are 0 for vehicles that lack them.
POSITION, ORIENTATION, VELOCITY, CENTRE, WHEEL_POSITION, WHEEL_ORIENTATION, HUB_ORIENTATION, STRIDE, COUNT = range(9)
STEER, BRAKE, OMEGA, GEAR = range(9, 13)


@entry
def read_poses(table: Any, positions: Any, orientations: Any, motions: Any) -> None:
    """Write the present poses of the vehicles in a table, int64[vehicles, 13], with the columns above.

    Args:
        positions: float64[rows, 3], m: of the origin of each vehicle's model, followed by its wheels' centres.
        orientations: float64[rows + wheels, 4], x, y, z, w: of bodies and hubs in these rows, then of spinning wheels.
        motions: float64[vehicles, 5]: forward speed, m/s; steer command, -1..1, positive to the right; brake command,
            0..1; engine speed, rad/s; gear, an index into the ratios. 0 for what a vehicle lacks.
    """
    row, wheel_row = 0, len(positions)
    for k, address in enumerate(table):
        q = load(carray(pointer(address[ORIENTATION]), 4, np.float64))
        position = carray(pointer(address[POSITION]), 3, np.float64)
        velocity = carray(pointer(address[VELOCITY]), 3, np.float64)
        centre = carray(pointer(address[CENTRE]), 3, np.float64)
        arm, ahead = rotate(q, (-centre[0], -centre[1], -centre[2])), rotate(q, FORWARD)
        motions[k, 0] = ahead[0] * velocity[0] + ahead[1] * velocity[1] + ahead[2] * velocity[2]
        for j in range(3):
            positions[row, j] = position[j] + arm[j]
        for j in range(4):
            orientations[row, j] = q[j]
        for wheel in range(address[COUNT]):
            row += 1
            offset = wheel * address[STRIDE]
            wheel_position = carray(pointer(address[WHEEL_POSITION] + offset), 3, np.float64)
            hub = carray(pointer(address[HUB_ORIENTATION] + offset), 4, np.float64)
            spinning = carray(pointer(address[WHEEL_ORIENTATION] + offset), 4, np.float64)
            for j in range(3):
                positions[row, j] = wheel_position[j]
            for j in range(4):
                orientations[row, j] = hub[j]
                orientations[wheel_row, j] = spinning[j]
            wheel_row += 1
        row += 1
        motions[k, 1:] = 0.0
        for column in range(STEER, GEAR):
            if address[column] != 0:
                motions[k, 1 + column - STEER] = carray(pointer(address[column]), 1, np.float64)[0]
        if address[GEAR] != 0:
            motions[k, 4] = carray(pointer(address[GEAR]), 1, np.int64)[0]


@kernel
def blend_orientations(before: Any, after: Any, fraction: float, blended: Any) -> None:
    """Spherical linear interpolation of unit quaternions, row by row, by the shorter arc.

    Linear interpolation is too inaccurate: a wheel may turn by 30 degrees within a tick.

    Args:
        before, after: float64[n, 4].
        fraction: 0 gives `before`, 1 gives `after`.
        blended: float64[n, 4], written.
    """
    for i in range(len(before)):
        cosine = 0.0
        for j in range(4):
            cosine += before[i, j] * after[i, j]
        angle = elementary.acos(min(abs(cosine), 1.0)) + TINY  # at TINY the weights are those of linear interpolation
        sine, square = elementary.sin(angle), 0.0
        weight_before = elementary.sin((1.0 - fraction) * angle) / sine
        weight_after = elementary.sin(fraction * angle) / sine
        for j in range(4):
            blended[i, j] = before[i, j] * weight_before + after[i, j] * math.copysign(weight_after, cosine)
            square += blended[i, j] * blended[i, j]
        for j in range(4):
            blended[i, j] /= math.sqrt(max(square, TINY))
