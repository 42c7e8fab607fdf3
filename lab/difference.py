"""Quantities that tell two trajectories (rows of physics/batch/trajectory.py, at the same times) apart.

speed        forward speed of the centre of mass, m/s
yaw rate     about the vertical axis, rad/s, positive to the left
sideslip     of the centre of mass, rad, positive to the left (lab/kinematics.py)
slip NAME    mean slip angle of an axle's wheels, rad; left out where the tire model has none
distance     travelled since the first row, m
apart        distance between the two model origins, m
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from driving_sandbox.lab.kinematics import body_velocity, distance, sideslip, slip_angle
from driving_sandbox.physics.batch.trajectory import POSITION, SLIPS, SPIN

END, PEAK = "at the end", "largest"


@dataclass(frozen=True)
class Quantity:
    """A quantity of two trajectories over time, SI units.

    Attributes:
        which: END or PEAK: the row whose value `values` gives.
        first, second: [n], of the two trajectories.
    """

    name: str
    unit: str
    which: str
    first: np.ndarray
    second: np.ndarray

    @property
    def values(self) -> tuple[float, ...]:
        """(first, second) as one number each: the last value (END) or the largest magnitude (PEAK)."""
        return tuple(float(y[-1] if self.which == END else np.abs(y).max()) for y in (self.first, self.second))


def differences(first: np.ndarray, second: np.ndarray, axles: Mapping[str, Sequence[int]]) -> list[Quantity]:
    """List of Quantity of two trajectories of at least one row each; the longer one is cut.

    Args:
        first, second: rows of the trajectories.
        axles: {name: wheel indices} for slip angles, {} to leave them out.
    """
    count = min(len(first), len(second))
    a, b = first[:count], second[:count]
    quantities = [
        Quantity("speed", "m/s", END, body_velocity(a)[0], body_velocity(b)[0]),
        Quantity("yaw rate", "rad/s", PEAK, a[:, SPIN][:, 2], b[:, SPIN][:, 2]),
        Quantity("sideslip", "rad", PEAK, sideslip(a), sideslip(b)),
    ]
    if min(a.shape[1], b.shape[1]) > SLIPS:
        quantities += [Quantity(f"slip {name}", "rad", PEAK, slip_angle(a, wheels), slip_angle(b, wheels))
                  for name, wheels in axles.items()]  # fmt: skip
    apart = np.linalg.norm(b[:, POSITION] - a[:, POSITION], axis=1)
    quantities.append(Quantity("distance", "m", END, distance(a), distance(b)))
    quantities.append(Quantity("apart", "m", END, np.zeros(count), apart))
    return quantities
