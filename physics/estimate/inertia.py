"""Moments of inertia of a car from its axles.

    yaw = K_YAW m a b,   pitch = K_PITCH yaw,   roll = K_ROLL m (t / 2)^2, limited to yaw - pitch .. yaw + pitch

m: mass. a, b: distances of the front and the rear axles from the centre of mass. t: widest track. The ratio of the
squared radius of gyration in yaw to a b, the dynamic index, is 0.9 to 1.05 for road cars; masses beyond the axles raise
it. The limits of roll follow from a law for any solid: none of its principal moments is larger than the sum of the
other two. A long and narrow vehicle reaches the lower limit, a short and wide one the upper. Uncertainty: 10 % for yaw
and pitch, 20 % for roll.
"""

import numpy as np

K_YAW = 0.95  # dynamic index, near the middle of the range of road cars
K_PITCH = 0.96  # pitch / yaw inertia; they differ little, as a car is long and flat
K_ROLL = 0.62  # roll inertia / (m (t / 2)^2) of cars with ordinary bodywork


def axle_distances(ahead: np.ndarray) -> tuple[float, float] | None:
    """(front, rear) mean distances of the axles from the centre of mass, both positive, m.

    None if all wheels are on one side of it. ahead: [n] distance of each wheel ahead of the centre of mass, m.
    """
    front, rear = ahead[ahead > 0.0], ahead[ahead <= 0.0]
    if not len(front) or not len(rear) or not rear.min() < 0.0:
        return None
    return float(front.mean()), float(-rear.mean())


def principal_inertia(mass: float, front: float, rear: float, track: float) -> tuple[float, float, float]:
    """(pitch, roll, yaw) inertia of a vehicle, kg m^2.

    mass: kg.
    front, rear: distances of the axles from the centre of mass, m.
    track: widest track, m.
    """
    yaw = K_YAW * mass * front * rear
    pitch = K_PITCH * yaw
    roll = K_ROLL * mass * (0.5 * track) ** 2
    return pitch, min(max(roll, yaw - pitch), yaw + pitch), yaw
