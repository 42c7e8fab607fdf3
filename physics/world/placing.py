"""Placing vehicles on the ground: at rest, springs near static load, trailers straight behind and coupled."""

import math
from typing import TYPE_CHECKING

import numpy as np

from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.maths.products import dot, norm
from driving_sandbox.physics.maths.quat import rotate

if TYPE_CHECKING:
    from driving_sandbox.physics.ground.ground import Ground
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

SPAWN_CLEARANCE = 0.002  # m between the lowest wheel at rest and the ground, so that no wheel starts below it


def stand(
    vehicles: "list[Vehicle]", ground: "Ground", gravity: float, position: tuple[float, ...], heading: float
) -> None:
    """Place a vehicle and its trailers on the ground at rest.

    Args:
        vehicles: the placed vehicle first, then its trailers. gravity: m/s^2. position: (x, y) or
        (x, y, z) of the model's origin, m; with z it hangs there. heading: rad, 0 faces +y, positive to the left.
    """
    first = vehicles[0]
    if len(position) == 3:
        turn = (0.0, 0.0, *elementary.sincos(heading / 2.0))
        first.put(tuple(float(c) for c in position), turn)
    else:
        x, y = float(position[0]), float(position[1])
        normal, height = ground_under(ground, x, y)
        rise = ride_height(first, gravity) + SPAWN_CLEARANCE
        first.put(tuple(np.array([x, y, height]) + np.array(normal) * rise), upright_on(normal, heading))
    for front, rear in zip(vehicles[:-1], vehicles[1:], strict=True):
        couple(front, rear, None if len(position) == 3 else ground, gravity, heading)


def couple(front: "Vehicle", rear: "Vehicle", ground: "Ground", gravity: float, heading: float) -> None:
    """Place a vehicle straight behind another, its coupling on the hitch, its wheels on the ground if one is given."""
    hitch = hitch_position(front, "hitch_rear")
    arm = rear.params["contact"]["hitch_front"][0]
    turn = front.model_orientation()
    if ground is not None:
        turn = _trailing(rear, hitch, ground, gravity, heading)
    rear.put(tuple(hitch - np.array(rotate(turn, tuple(arm.tolist())))), turn)


def hitch_position(vehicle: "Vehicle", name: str) -> np.ndarray:
    """World position of a vehicle's `hitch_rear` or `hitch_front`."""
    arm = tuple(vehicle.params["contact"][name][0].tolist())
    return np.add(vehicle.model_position(), rotate(vehicle.model_orientation(), arm))


def _trailing(
    vehicle: "Vehicle", hitch: np.ndarray, ground: "Ground", gravity: float, heading: float
) -> tuple[float, float, float, float]:
    """Orientation in which the coupling is at the hitch and the middle of the axles at its height above the ground."""
    arm = vehicle.params["contact"]["hitch_front"][0]
    axles = float(np.mean(vehicle.params["suspension"]["attachment"][0, : vehicle.wheel_count, 1]))
    ahead = ahead_of(heading)
    under = hitch - ahead * (float(arm[1]) - axles)
    try:
        normal, height = ground_under(ground, under[0], under[1])
    except ValueError:  # it hangs over an edge: as on level ground
        normal, height = (0.0, 0.0, 1.0), hitch[2] - float(arm[2]) - ride_height(vehicle, gravity)
    along, above = float(arm[1]) - axles, float(arm[2]) + ride_height(vehicle, gravity)
    pitch = elementary.atan2(hitch[2] - height, along) - elementary.atan2(above, along)
    up = np.array(normal) - ahead * dot(ahead, normal) - ahead * elementary.tan(pitch)
    return upright_on(tuple(up / norm(up)), heading)


def ground_under(ground: "Ground", x: float, y: float) -> tuple[tuple[float, float, float], float]:
    """(normal, height) of the highest ground below the sky at a point. ValueError where there is none."""
    low, high = ground.bounds
    top = float(high[2]) + 1.0
    hit, distance, normal, _ = ground.cast((x, y, top), (0.0, 0.0, -1.0), top - float(low[2]) + 2.0)
    if not hit:
        raise ValueError(f"there is no ground at ({x:g}, {y:g})")
    return tuple(float(n) for n in normal), top - distance


def ride_height(vehicle: "Vehicle", gravity: float) -> float:
    """Height of the model's origin above flat ground with every spring carrying its share, m; 0 without springs."""
    if "suspension" not in vehicle.sequence.by_slot:
        return 0.0
    heights = []
    for i in range(vehicle.wheel_count):
        s, w = vehicle.params["suspension"][0][i], vehicle.params["wheel"][0][i]
        weight, stiffness = float(s["supported_mass"]) * gravity, float(s["stiffness"])  # both 0 where weight sets both
        droop = max(0.0, float(s["travel"]) - (weight / stiffness if weight > 0.0 else 0.0))
        if "used_rest_distance" in s.dtype.names:  # springs that carry their share there, whatever their rate
            droop = min(float(s["used_rest_distance"]), float(s["travel"]))
        centre = s["attachment"] + s["direction"] * droop + w["offset"]
        heights.append(float(w["radius"]) - float(centre[2]))
    return max(heights)


def heading_of(vehicle):
    """Yaw from +y, positive to the left, rad."""
    x, y, _ = rotate(vehicle.model_orientation(), (0.0, 1.0, 0.0))
    return elementary.atan2(-x, y)


def ahead_of(heading: float) -> np.ndarray:
    """Level unit vector towards a heading."""
    s, c = elementary.sincos(heading)
    return np.array([-s, c, 0.0])


def upright_on(normal: tuple[float, float, float], heading: float) -> tuple[float, float, float, float]:
    """Orientation that stands on a plane with the nose towards a heading."""
    up = np.array(normal)
    ahead = ahead_of(heading)
    forward = ahead - up * dot(ahead, up)
    forward /= norm(forward)
    right = np.cross(forward, up)
    m = np.column_stack([right, forward, up])
    w2, z2 = 1.0 + m[0, 0] + m[1, 1] + m[2, 2], 1.0 - m[0, 0] - m[1, 1] + m[2, 2]  # together 2 + 2 up: one is large
    k = 0.5 / math.sqrt(max(w2, z2))
    if w2 >= z2:
        return ((m[2, 1] - m[1, 2]) * k, (m[0, 2] - m[2, 0]) * k, (m[1, 0] - m[0, 1]) * k, 0.5 * math.sqrt(w2))
    return ((m[0, 2] + m[2, 0]) * k, (m[1, 2] + m[2, 1]) * k, 0.5 * math.sqrt(z2), (m[1, 0] - m[0, 1]) * k)
