"""Finds the props that a vehicle or a moving prop may touch before the next check.

Such a prop is called near: it moves itself, or its distance from a vehicle or a moving prop is less than a margin plus
twice the distance that the fastest body covers until the next check.
"""

import math

import numpy as np

from driving_sandbox.physics.contact.pair_records import Vector
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat
from driving_sandbox.physics.maths.vec3 import dot, length, load, sub

TRAVEL = 0.5  # m that a wheel may hang below its place in the hull, which has it at full compression
# Columns of a vehicle's row; before them: position (3), orientation (4), lowest and highest corner of the hull (3 each)
RADIUS = 13  # m, of the hull
SPEED = 14  # m/s, largest of any point of the vehicle
VEHICLE_ROW = 15  # number of columns


@kernel
def find_near(
    props: np.ndarray, radii: np.ndarray, vehicles: np.ndarray, seconds: float, margin: float, moving: np.ndarray,
    near: np.ndarray, close: np.ndarray,
) -> tuple[int, float, float]:  # fmt: skip
    """Find the near props, and the vehicles close enough to a prop to make it near.

    Args:
        props: PROP[n].
        radii: radius of each prop, m.
        vehicles: float64[m, VEHICLE_ROW]; corners of the hull in body axes.
        seconds, margin: time until the next check, s; added to the distance that counts as near, m.
        moving: int64[n], scratch.
        near: int64[n]; the indices of the near props are written here, increasing.
        close: int64[m]; 1 is written for each vehicle that is close to a prop, else 0.
    Returns:
        (number of near props, lower bound of the distance from any vehicle to the nearest prop in m, speed of the
        fastest point of all bodies in m/s)
    """
    moving_count, fastest = find_moving(props, radii, vehicles, moving)
    close[:] = 0
    reach, nearest, count = margin + 2.0 * seconds * fastest, math.inf, 0
    for k in range(len(props)):
        x, gap = load(props[k].position), math.inf
        for i in range(len(vehicles)):
            distance = vehicle_gap(vehicles[i], x) - radii[k]
            gap = min(gap, distance)
            close[i] = 1 if distance < reach else close[i]
        nearest = min(nearest, gap)
        for other in moving[:moving_count]:
            gap = min(gap, gap_to(x, radii[k], load(props[other].position), radii[other]))
        if gap < reach:
            near[count] = k
            count += 1
    return count, nearest, fastest


@kernel
def find_moving(props: np.ndarray, radii: np.ndarray, vehicles: np.ndarray, moving: np.ndarray) -> tuple[int, float]:
    """Write the indices of moving props; returns (their number, speed of the fastest point of all bodies in m/s)."""
    count, fastest = 0, 0.0
    for i in range(len(vehicles)):
        fastest = max(fastest, vehicles[i, SPEED])
    for k in range(len(props)):
        if props[k].awake == 1:
            fastest = max(fastest, length(load(props[k].velocity)) + radii[k] * length(load(props[k].angular_velocity)))
            moving[count] = k
            count += 1
    return count, fastest


@kernel
def vehicle_gap(row: np.ndarray, x: Vector) -> float:
    """Lower bound of the distance from a point to the box around a vehicle and its wheels, m."""
    away = sub(x, (row[0], row[1], row[2]))
    beyond = math.sqrt(dot(away, away)) - row[RADIUS] - TRAVEL
    if beyond > 0.0:
        return beyond
    in_body = quat.rotate_inverse((row[3], row[4], row[5], row[6]), away)
    dx = max(0.0, max(row[7] - in_body[0], in_body[0] - row[10]))
    dy = max(0.0, max(row[8] - in_body[1], in_body[1] - row[11]))
    dz = max(0.0, max(row[9] - TRAVEL - in_body[2], in_body[2] - row[12]))
    return math.sqrt(dx * dx + dy * dy + dz * dz)


@kernel
def gap_to(a: Vector, radius_a: float, b: Vector, radius_b: float) -> float:
    """Gap between two spheres, from their centres and radii, m; negative where they overlap."""
    away = sub(b, a)
    return math.sqrt(dot(away, away)) - radius_a - radius_b
