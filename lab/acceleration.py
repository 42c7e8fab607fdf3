"""Accelerations of a vehicle's centre of mass, from its change of velocity: the one definition for measures, plots and
instruments (ISO 8855).

centripetal acceleration  component of the horizontal acceleration normal to the horizontal velocity, positive to the
                          left: a_c = (v_x a_y - v_y a_x) / |v|, with world x, y. This is the cornering acceleration.
                          It equals speed times yaw rate only while the sideslip is constant, so neither in a slalom
                          nor in a spin, where the car yaws much faster than its path turns.
longitudinal and lateral  components of the horizontal acceleration along and across the horizontal projection of the
acceleration              vehicle's longitudinal axis (intermediate axis system; here positive forward and to the
                          right). These are the axes of the g-g diagram and stay meaningful in a spin.

None contains gravity: a vehicle at rest on a slope reads zero. Below WALKING speed the path has no direction and the
centripetal acceleration is undefined.
"""

import math

import numpy as np

from driving_sandbox.physics.maths.quat import rotate

G = 9.80665  # m/s^2, standard gravity
WALKING = 5.0 / 3.6  # m/s, walking speed
SMOOTHING = 0.1  # s, time constant of the Accelerometer: shorter passes road noise, longer lags visibly
LONGEST = 0.5  # s, largest sample spacing for an acceleration


def centripetal(velocities, interval):
    """Centripetal acceleration, m/s^2, positive to the left: array [n] from world velocities [n, 3] every `interval` s.

    nan below WALKING. A single velocity gives none.
    """
    if len(velocities) < 2:
        return np.full(len(velocities), math.nan)
    x, y = velocities[:, 0], velocities[:, 1]
    change = np.gradient(velocities[:, :2], interval, axis=0)
    speed = np.hypot(x, y)
    across = (x * change[:, 1] - y * change[:, 0]) / np.maximum(speed, WALKING)
    return np.where(speed >= WALKING, across, math.nan)


def in_intermediate_axes(acceleration, orientation):
    """(right, forward) parts in m/s^2 of a world acceleration (x, y, z), for an orientation (x, y, z, w).

    Zeros for a vehicle that points straight up or down: its x axis has no horizontal projection.
    """
    ahead, aside, _ = rotate(orientation, (0.0, 1.0, 0.0))
    length = math.hypot(ahead, aside)
    if length < 1e-6:
        return 0.0, 0.0
    x, y, _ = acceleration
    return (x * aside - y * ahead) / length, (x * ahead + y * aside) / length


class Accelerometer:
    """Low-pass filtered lateral and longitudinal acceleration of a body, from successive velocities.

    Attributes:
        value: (to the right, forward), m/s^2.
    """

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Call after a teleport or a jump in time, whose change of velocity is no acceleration."""
        self.value, self._velocity = (0.0, 0.0), None

    def step(self, body, elapsed):
        """Update from the state's body record, `elapsed` seconds after the last call; None and long gaps restart it."""
        velocity, before = body["velocity"][0].tolist(), self._velocity
        if elapsed is None or not 0.0 < elapsed <= LONGEST:
            self.restart()
        elif before is not None:
            change = [(new - old) / elapsed for new, old in zip(velocity, before, strict=True)]
            now = in_intermediate_axes(change, tuple(body["orientation"][0].tolist()))
            share = 1.0 - math.exp(-elapsed / SMOOTHING)
            self.value = tuple(old + (new - old) * share for old, new in zip(self.value, now, strict=True))
        self._velocity = velocity
