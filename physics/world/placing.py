"""Placing vehicles at rest on the ground, with springs near static load and trailers coupled straight behind.

Headings are in rad, 0 along +y, positive to the left. Orientations are quaternions x, y, z, w.
"""

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
        vehicles: the towing vehicle, followed by its trailers.
        ground: the ground.
        gravity: m/s^2.
        position: (x, y) or (x, y, z) of the towing vehicle's model origin, m; with z, the origin is placed at that
            height, wherever the ground is, and all vehicles are level.
        heading: rad, of all vehicles.
    Raises:
        ValueError: there is no ground at (x, y).
    """
    towing = vehicles[0]
    if len(position) == 3:
        level = (0.0, 0.0, *elementary.sincos(heading / 2.0))
        towing.put(tuple(float(c) for c in position), level)
    else:
        x, y = float(position[0]), float(position[1])
        normal, height = ground_under(ground, x, y)
        rise = ride_height(towing, gravity) + SPAWN_CLEARANCE
        towing.put(tuple(np.array([x, y, height]) + np.array(normal) * rise), upright_on(normal, heading))
    for front, rear in zip(vehicles[:-1], vehicles[1:], strict=True):
        couple(front, rear, None if len(position) == 3 else ground, gravity, heading)


def couple(front: "Vehicle", rear: "Vehicle", ground: "Ground | None", gravity: float, heading: float) -> None:
    """Place a trailer straight behind another unit, its coupling at the hitch and its wheels on the ground.

    Args:
        front, rear: the unit in front, in place, and the trailer.
        gravity: m/s^2.
        heading: rad, of the trailer.
        ground: None: the trailer has the orientation of the unit in front, wherever the ground is.
    """
    hitch = hitch_position(front, "hitch_rear")
    arm = rear.params["contact"]["hitch_front"][0]
    orientation = front.model_orientation()
    if ground is not None:
        orientation = _trailing(rear, hitch, ground, gravity, heading)
    rear.put(tuple(hitch - np.array(rotate(orientation, tuple(arm.tolist())))), orientation)


def hitch_position(vehicle: "Vehicle", name: str) -> np.ndarray:
    """World position of the hitch point `hitch_rear` or `hitch_front` of a vehicle, m."""
    arm = tuple(vehicle.params["contact"][name][0].tolist())
    return np.add(vehicle.model_position(), rotate(vehicle.model_orientation(), arm))


def _trailing(
    vehicle: "Vehicle", hitch: np.ndarray, ground: "Ground", gravity: float, heading: float
) -> tuple[float, float, float, float]:
    """Orientation of a trailer with its coupling at the hitch and its axles at ride height above the ground.

    hitch: position of the hitch of the unit in front, m. Other arguments: see `couple`.
    """
    coupling = vehicle.params["contact"]["hitch_front"][0]
    axle_y = float(np.mean(vehicle.params["suspension"]["attachment"][0, : vehicle.wheel_count, 1]))
    forward = forward_of(heading)
    axle_point = hitch - forward * (float(coupling[1]) - axle_y)  # its x and y are those of the middle of the axles
    try:
        normal, height = ground_under(ground, axle_point[0], axle_point[1])
    except ValueError:  # no ground there: assume level ground at the height at which the trailer does not pitch
        normal, height = (0.0, 0.0, 1.0), hitch[2] - float(coupling[2]) - ride_height(vehicle, gravity)
    length, coupling_height = float(coupling[1]) - axle_y, float(coupling[2]) + ride_height(vehicle, gravity)
    # angle of rise of the line from the ground below the axles to the coupling, less that of a level trailer
    pitch = elementary.atan2(hitch[2] - height, length) - elementary.atan2(coupling_height, length)
    up = np.array(normal) - forward * dot(forward, normal) - forward * elementary.tan(pitch)
    return upright_on(tuple(up / norm(up)), heading)


def ground_under(ground: "Ground", x: float, y: float) -> tuple[tuple[float, float, float], float]:
    """(unit normal, z in m) of the highest ground at a point. Raises ValueError where there is none."""
    low, high = ground.bounds
    top = float(high[2]) + 1.0  # the ray begins 1 m above the highest ground and ends 2 m below the lowest
    hit, distance, normal, _ = ground.cast((x, y, top), (0.0, 0.0, -1.0), top - float(low[2]) + 2.0)
    if not hit:
        raise ValueError(f"there is no ground at ({x:g}, {y:g})")
    right, forward, up = (float(n) for n in normal)
    return (right, forward, up), top - distance


def ride_height(vehicle: "Vehicle", gravity: float) -> float:
    """Height of the model's origin above flat ground, m, with every spring at its static load; 0 without suspension.

    If the wheels' heights differ, it is the largest, so that no wheel starts below the ground.
    """
    if "suspension" not in vehicle.sequence.by_slot:
        return 0.0
    heights = []
    for i in range(vehicle.wheel_count):
        s, w = vehicle.params["suspension"][0][i], vehicle.params["wheel"][0][i]
        weight, stiffness = float(s["supported_mass"]) * gravity, float(s["stiffness"])
        # distance of the wheel from full compression; without weight, a stiffness derived from it is 0: no division
        length = max(0.0, float(s["travel"]) - (weight / stiffness if weight > 0.0 else 0.0))
        if "used_rest_distance" in s.dtype.names:  # this distance at rest, which the spring rate alone does not give
            length = min(float(s["used_rest_distance"]), float(s["travel"]))
        centre = s["attachment"] + s["direction"] * length + w["offset"]
        heights.append(float(w["radius"]) - float(centre[2]))
    return max(heights)


def heading_of(vehicle: "Vehicle") -> float:
    """Heading of a vehicle, rad, -pi to pi."""
    x, y, _ = rotate(vehicle.model_orientation(), (0.0, 1.0, 0.0))
    return elementary.atan2(-x, y)


def forward_of(heading: float) -> np.ndarray:
    """Horizontal unit vector along a heading."""
    s, c = elementary.sincos(heading)
    return np.array([-s, c, 0.0])


def upright_on(normal: tuple[float, float, float], heading: float) -> tuple[float, float, float, float]:
    """Orientation with the z axis along a plane's normal, and the y axis along a heading when seen from above."""
    up = np.array(normal)
    level = forward_of(heading)
    forward = level - up * dot(level, up)
    forward /= norm(forward)
    right = np.cross(forward, up)
    m = np.column_stack([right, forward, up])
    # Quaternion of m by the larger of 4 w^2 and 4 z^2: their sum is 2 + 2 m[2, 2] >= 2 where the ground looks upwards.
    w2, z2 = 1.0 + m[0, 0] + m[1, 1] + m[2, 2], 1.0 - m[0, 0] - m[1, 1] + m[2, 2]
    k = 0.5 / math.sqrt(max(w2, z2))
    if w2 >= z2:
        return ((m[2, 1] - m[1, 2]) * k, (m[0, 2] - m[2, 0]) * k, (m[1, 0] - m[0, 1]) * k, 0.5 * math.sqrt(w2))
    return ((m[0, 2] + m[2, 0]) * k, (m[1, 2] + m[2, 1]) * k, 0.5 * math.sqrt(z2), (m[1, 0] - m[0, 1]) * k)
