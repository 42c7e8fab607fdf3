"""Key figures of the difference between two trajectories, rows of physics/batch/trajectory.py at the same times.

speed        of the centre of mass along the vehicle, m/s
yaw rate     about the vertical axis, rad/s, positive to the left
sideslip     lab/kinematics.py, rad, positive to the left
slip angle   mean of an axle's wheels, rad; none where the tire model has none
distance     driven since the first row, m
apart        between the two model origins, m
"""

from dataclasses import dataclass

import numpy as np

from driving_sandbox.lab.kinematics import along, distance, sideslip, slip_angle
from driving_sandbox.physics.batch.trajectory import POSITION, SLIPS, SPIN

END, PEAK = "at the end", "largest"


@dataclass(frozen=True)
class Quantity:
    """One quantity over time of two trajectories, SI. which: END or PEAK, which value represents it."""

    name: str
    unit: str
    which: str
    before: np.ndarray
    after: np.ndarray

    @property
    def values(self):
        """(before, after) in one number each: the last value, or the largest magnitude."""
        return tuple(float(s[-1] if self.which == END else np.abs(s).max()) for s in (self.before, self.after))


def differences(before, after, axles):
    """List of Quantity of two trajectories of at least one row each; the longer is cut. axles: {name: wheel
    indices}."""
    count = min(len(before), len(after))
    a, b = before[:count], after[:count]
    found = [
        Quantity("speed", "m/s", END, along(a)[0], along(b)[0]),
        Quantity("yaw rate", "rad/s", PEAK, a[:, SPIN][:, 2], b[:, SPIN][:, 2]),
        Quantity("sideslip", "rad", PEAK, sideslip(a), sideslip(b)),
    ]
    if min(a.shape[1], b.shape[1]) > SLIPS:
        found += [Quantity(f"slip {name}", "rad", PEAK, slip_angle(a, wheels), slip_angle(b, wheels))
                  for name, wheels in axles.items()]  # fmt: skip
    apart = np.linalg.norm(b[:, POSITION] - a[:, POSITION], axis=1)
    found.append(Quantity("distance", "m", END, distance(a), distance(b)))
    found.append(Quantity("apart", "m", END, np.zeros(count), apart))
    return found
