"""Kinematics of a vehicle from the rows of its trajectory (physics/batch/trajectory.py); in ISO 8855's terms:

longitudinal speed  of the centre of mass along the vehicle's longitudinal axis, m/s
sideslip            angle between the longitudinal axis (for a vehicle that goes backwards, its rear end) and the
                    velocity, rad, positive if the vehicle moves to its left. 0 below MIN_SPEED, where it is ill-defined
roll                angle of the vehicle's right-hand axis below the horizon, rad, positive leaning to the right
heading             yaw angle of the longitudinal axis, rad, 0 facing +y, positive to the left
"""

from collections.abc import Sequence

import numpy as np

from driving_sandbox.physics.batch.trajectory import ORIENTATION, POSITION, SLIPS, VELOCITY

MIN_SPEED = 2.0  # m/s in the plane of the vehicle's floor, for a sideslip angle


def forward_axis(rows: np.ndarray) -> np.ndarray:
    """[n, 3] longitudinal axis of the vehicle in world axes, unit vectors."""
    x, y, z, w = rows[:, ORIENTATION].T
    return np.column_stack([2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)])


def body_velocity(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """([n] forward, [n] rightward) velocity of the centre of mass in the vehicle's axes, m/s."""
    x, y, z, w = rows[:, ORIENTATION].T
    velocity = rows[:, VELOCITY]
    right = np.column_stack([1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)])
    return np.einsum("ij,ij->i", velocity, forward_axis(rows)), np.einsum("ij,ij->i", velocity, right)


def heading(rows: np.ndarray) -> np.ndarray:
    """[n] yaw angle of the longitudinal axis, rad: 0 facing +y, positive to the left."""
    forward = forward_axis(rows)
    return np.arctan2(-forward[:, 0], forward[:, 1])


def sideslip(rows: np.ndarray) -> np.ndarray:
    """[n] angle between the longitudinal axis and the velocity, rad, positive to the left; 0 below MIN_SPEED."""
    forward, right = body_velocity(rows)
    return np.where(np.hypot(forward, right) > MIN_SPEED, np.arctan2(-right, np.abs(forward)), 0.0)


def roll(rows: np.ndarray) -> np.ndarray:
    """[n] angle of the right-hand axis below the horizon, rad, positive leaning to the right."""
    x, y, z, w = rows[:, ORIENTATION].T
    return -np.arcsin(np.clip(2.0 * (x * z - w * y), -1.0, 1.0))


def distance(rows: np.ndarray) -> np.ndarray:
    """[n] length of the path through the positions up to each row, m."""
    steps = np.linalg.norm(np.diff(rows[:, POSITION], axis=0), axis=1)
    return np.concatenate([[0.0], np.cumsum(steps)])


def slip_angle(rows: np.ndarray, wheels: Sequence[int]) -> np.ndarray:
    """[n] mean slip angle of the wheels with these indices, rad, positive when sliding right."""
    return rows[:, [SLIPS + i for i in wheels]].mean(axis=1)
