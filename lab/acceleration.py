"""Accelerations of a vehicle's centre of mass from its change of velocity, for measures, plots and instruments.

Terms as in ISO 8855:

centripetal acceleration  component of the horizontal acceleration normal to the horizontal velocity, positive to the
                          left: a_c = (v_x a_y - v_y a_x) / |v|, with world x, y. It equals speed times yaw rate only
                          while the sideslip is constant: neither in a slalom nor in a spin, where the car yaws much
                          faster than its path turns.
longitudinal and lateral  components of the horizontal acceleration along and across the horizontal projection of the
acceleration              vehicle's longitudinal axis (intermediate axis system; here positive forward and to the
                          right). They are the axes of the g-g diagram, and defined in a spin as well.

Gravity is left out: a vehicle at rest on a slope reads zero. Below WALKING_SPEED the direction of the path, and with it
the centripetal acceleration, is undefined.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from driving_sandbox.physics.maths.quat import rotate

G = 9.80665  # m/s^2, standard gravity
WALKING_SPEED = 5.0 / 3.6  # m/s, 5 km/h
TIME_CONSTANT = 0.1  # s, of the Accelerometer's filter: shorter passes road noise, longer lags visibly
MAX_INTERVAL = 0.5  # s between two samples; a longer interval restarts the filter


def centripetal(velocities: np.ndarray, interval: float) -> np.ndarray:
    """[n] centripetal acceleration, m/s^2, positive to the left, from [n, 3] world velocities every `interval` s.

    nan below WALKING_SPEED, and for a single velocity.
    """
    if len(velocities) < 2:
        return np.full(len(velocities), math.nan)
    x, y = velocities[:, 0], velocities[:, 1]
    change = np.gradient(velocities[:, :2], interval, axis=0)
    speed = np.hypot(x, y)
    across = (x * change[:, 1] - y * change[:, 0]) / np.maximum(speed, WALKING_SPEED)
    return np.where(speed >= WALKING_SPEED, across, math.nan)


def in_intermediate_axes(acceleration: Sequence[float], orientation: Sequence[float]) -> tuple[float, float]:
    """(right, forward) components, m/s^2, of a world acceleration (x, y, z), for an orientation (x, y, z, w).

    Zeros for a vehicle that points straight up or down: its longitudinal axis has no horizontal projection.
    """
    forward_x, forward_y, _ = rotate(orientation, (0.0, 1.0, 0.0))
    length = math.hypot(forward_x, forward_y)
    if length < 1e-6:  # the axis points straight up or down
        return 0.0, 0.0
    x, y, _ = acceleration
    return (x * forward_y - y * forward_x) / length, (x * forward_x + y * forward_y) / length


class Accelerometer:
    """Low-pass filtered lateral and longitudinal acceleration of a body, from successive velocities.

    Attributes:
        value: (to the right, forward), m/s^2.
    """

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Set the value to zero and forget the last velocity, after a teleport or a jump in time."""
        self.value, self._velocity = (0.0, 0.0), None

    def step(self, body: Any, elapsed: float | None) -> None:
        """Update from the state's body record, `elapsed` seconds after the last call.

        The filter restarts if `elapsed` is None, not positive or more than MAX_INTERVAL.
        """
        velocity, previous = body["velocity"][0].tolist(), self._velocity
        if elapsed is None or not 0.0 < elapsed <= MAX_INTERVAL:
            self.restart()
        elif previous is not None:
            change = [(new - old) / elapsed for new, old in zip(velocity, previous, strict=True)]
            present = in_intermediate_axes(change, tuple(body["orientation"][0].tolist()))
            weight = 1.0 - math.exp(-elapsed / TIME_CONSTANT)
            self.value = tuple(old + (new - old) * weight for old, new in zip(self.value, present, strict=True))
        self._velocity = velocity
