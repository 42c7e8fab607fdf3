"""Poses at which the props of a world file are placed."""

from dataclasses import dataclass

import numpy as np

from driving_sandbox.physics.ground.ground import Ground
from driving_sandbox.physics.maths import quat
from driving_sandbox.physics.props.kinds import Kind
from driving_sandbox.physics.props.shape import frame_of
from driving_sandbox.physics.props.vectors import Quaternion, Vector


@dataclass(frozen=True)
class PlacedProp:
    """One prop of a world file."""

    kind: str  # name of its file in configs/props
    position: tuple[float, float]  # x, y of the centre of its underside, m
    height: float | None  # z of that point for the lowest of a stack, m; None: on the ground
    rise: float  # m above the lowest prop of its stack, along the ground's normal
    heading: float  # rad, 0 along +y, positive to the left
    group: int  # index of its entry in the world file


def placed_pose(placed: PlacedProp, kind: Kind, ground: Ground) -> tuple[np.ndarray, Quaternion, Quaternion]:
    """(position of its frame in m, orientation, orientation at which its hinge's angle is 0) of a prop.

    The prop stands perpendicular to the ground, or upright where its height is given, or at z = 0 without ground; it is
    then turned to its hinge's start angle.
    """
    x, y = placed.position
    normal: Vector = (0.0, 0.0, 1.0)
    height = placed.height
    if height is None:
        low, high = ground.bounds
        top = float(high[2]) + 1.0
        hit, distance, ground_normal, _ = ground.cast((x, y, top), (0.0, 0.0, -1.0), top - float(low[2]) + 2.0)
        height, normal = (top - distance, ground_normal) if hit else (0.0, normal)
    zero = quat.multiply(_tilt(normal), quat.from_axis_angle((0.0, 0.0, 1.0), placed.heading))
    underside = np.array((x, y, height)) + np.array(normal) * placed.rise
    start = zero
    if kind.hinge is not None:
        start = quat.multiply(zero, quat.from_axis_angle(kind.hinge.axis, kind.hinge.start))
    return underside + quat.rotate(zero, frame_of(kind)), start, zero


def _tilt(normal: Vector) -> Quaternion:
    """Smallest rotation that takes the z axis to a normal, which points upwards; a quaternion."""
    tilt: Quaternion = quat.normalize((-normal[1], normal[0], 0.0, 1.0 + normal[2]))
    return tilt
