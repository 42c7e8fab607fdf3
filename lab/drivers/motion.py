"""A driver's view of a vehicle at one tick, and the driver protocol."""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from driving_sandbox.physics.maths.quat import rotate, rotate_inverse
from driving_sandbox.physics.vehicle.vehicle import Vehicle


@dataclass(frozen=True)
class Motion:
    """Motion of a vehicle's body at one tick.

    Attributes:
        time: time since the start, s.
        position: position of the centre of mass in the world, m.
        heading: yaw angle, rad, 0 facing +y, positive to the left.
        speed: velocity along the vehicle's forward axis, m/s.
        yaw_rate: angular velocity about the vehicle's vertical axis, rad/s, positive to the left.
    """

    time: float
    position: tuple[float, float, float]
    heading: float
    speed: float
    yaw_rate: float


class Driver(Protocol):
    """A driver: called before each tick, in order."""

    def __call__(self, motion: Motion, /) -> np.ndarray:
        """The command of the next tick: a length-1 COMMAND array, which the next call may overwrite."""
        ...


def motion_of(vehicle: Vehicle, time: float) -> Motion:
    """The present Motion of a vehicle, at a time since the start, s."""
    body = vehicle.state["body"][0]
    q = tuple(body["orientation"].tolist())
    forward = rotate(q, (0.0, 1.0, 0.0))
    speed = rotate_inverse(q, tuple(body["velocity"].tolist()))[1]
    yaw_rate = rotate_inverse(q, tuple(body["angular_velocity"].tolist()))[2]
    heading = math.atan2(-forward[0], forward[1])
    return Motion(time, tuple(body["position"].tolist()), heading, speed, yaw_rate)
