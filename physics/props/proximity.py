"""The look around: which props something that moves may come to touch until the next one."""

import math

import numpy as np

from driving_sandbox.physics.contact.pair_records import Vector
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat
from driving_sandbox.physics.maths.vec3 import dot, length, load, sub

TRAVEL = 0.5  # m a wheel may hang below the hull, where it is at full compression
RADIUS, SPEED = 13, 14  # columns of a vehicle's row
VEHICLE_ROW = 15


@kernel
def find_near(
    props: np.ndarray,
    radii: np.ndarray,
    vehicles: np.ndarray,
    seconds: float,
    margin: float,
    moving: np.ndarray,
    near: np.ndarray,
    close: np.ndarray,
) -> tuple[int, float, float]:
    """Write the numbers of near props into `near`, increasing, and mark the vehicles that are `close` to any.

    Near are props that move, and those within twice the way of the fastest body in these seconds, and the margin, m.
    vehicles: float64[n, VEHICLE_ROW], position, orientation, lowest and highest corner of the hull in body axes,
    radius, largest speed of a point. moving: int64, as long as `near`, scratch. Returns (number of near ones, distance
    from a vehicle to the nearest prop in m, fastest speed in m/s).
    """
    fastest, moves = 0.0, 0
    for i in range(len(vehicles)):
        fastest, close[i] = max(fastest, vehicles[i, SPEED]), 0
    for k in range(len(props)):
        if props[k].awake == 1:
            fastest = max(fastest, length(load(props[k].velocity)) + radii[k] * length(load(props[k].angular_velocity)))
            moving[moves] = k
            moves += 1
    reach, nearest, count = margin + 2.0 * seconds * fastest, math.inf, 0
    for k in range(len(props)):
        x, gap = load(props[k].position), math.inf
        for i in range(len(vehicles)):
            distance = vehicle_gap(vehicles[i], x) - radii[k]
            gap = min(gap, distance)
            close[i] = 1 if distance < reach else close[i]
        nearest = min(nearest, gap)
        for m in range(moves):
            other = moving[m]
            gap = min(gap, gap_to(x, radii[k], load(props[other].position), radii[other]))
        if gap < reach:
            near[count] = k
            count += 1
    return count, nearest, fastest


@kernel
def vehicle_gap(row: np.ndarray, x: Vector) -> float:
    """Distance of a point from the box of a vehicle and its wheels, m; no more than that."""
    away = sub(x, (row[0], row[1], row[2]))
    beyond = math.sqrt(dot(away, away)) - row[RADIUS] - TRAVEL
    if beyond > 0.0:
        return beyond
    p = quat.rotate_inverse((row[3], row[4], row[5], row[6]), away)
    dx = max(0.0, max(row[7] - p[0], p[0] - row[10]))
    dy = max(0.0, max(row[8] - p[1], p[1] - row[11]))
    dz = max(0.0, max(row[9] - TRAVEL - p[2], p[2] - row[12]))
    return math.sqrt(dx * dx + dy * dy + dz * dz)


@kernel
def gap_to(a: Vector, radius_a: float, b: Vector, radius_b: float) -> float:
    """Distance of two spheres, m; negative where they overlap."""
    away = sub(b, a)
    return math.sqrt(dot(away, away)) - radius_a - radius_b
