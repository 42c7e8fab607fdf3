"""Kinematics of a vehicle from the rows of its trajectory (physics/batch/trajectory.py); in ISO 8855's terms:

longitudinal speed  of the centre of mass along the vehicle's longitudinal axis, m/s
sideslip            angle from the longitudinal axis to the velocity, rad, positive to the left as yaw is; of a vehicle
                    that goes backwards from its tail. 0 below SLOWEST, where it means nothing
roll                angle of the vehicle's right-hand axis below the horizon, rad, positive leaning to the right
heading             yaw angle of the longitudinal axis, rad, 0 facing +y, positive to the left
"""

import numpy as np

from driving_sandbox.physics.batch.trajectory import ORIENTATION, POSITION, SLIPS, VELOCITY

SLOWEST = 2.0  # m/s


def forward_axis(rows):
    """[n, 3] the longitudinal axis in the world."""
    x, y, z, w = rows[:, ORIENTATION].T
    return np.column_stack([2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)])


def along(rows):
    """(forward, rightward) velocity of each row, m/s, in the vehicle's axes."""
    x, y, z, w = rows[:, ORIENTATION].T
    velocity = rows[:, VELOCITY]
    right = np.column_stack([1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)])
    return np.einsum("ij,ij->i", velocity, forward_axis(rows)), np.einsum("ij,ij->i", velocity, right)


def heading(rows):
    """[n] rad, see the module's head."""
    ahead = forward_axis(rows)
    return np.arctan2(-ahead[:, 0], ahead[:, 1])


def sideslip(rows):
    """[n] rad, see the module's head."""
    ahead, right = along(rows)
    return np.where(np.hypot(ahead, right) > SLOWEST, np.arctan2(-right, np.abs(ahead)), 0.0)


def roll(rows):
    """[n] rad, see the module's head."""
    x, y, z, w = rows[:, ORIENTATION].T
    return -np.arcsin(np.clip(2.0 * (x * z - w * y), -1.0, 1.0))


def distance(rows):
    """[n] m driven up to each row."""
    steps = np.linalg.norm(np.diff(rows[:, POSITION], axis=0), axis=1)
    return np.concatenate([[0.0], np.cumsum(steps)])


def slip_angle(rows, wheels):
    """[n] mean slip angle of some wheels, rad."""
    return rows[:, [SLIPS + i for i in wheels]].mean(axis=1)
