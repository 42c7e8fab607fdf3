"""Moments of inertia of a car from its axles.

    yaw = K_YAW m a b,   pitch = K_PITCH yaw,   roll = K_ROLL m (t / 2)^2, limited to yaw - pitch .. yaw + pitch

m: mass. a, b: distances of the front and the rear axles from the centre of mass. t: widest track. The ratio of the
squared radius of gyration in yaw to a b, the dynamic index, is 0.9 to 1.05 for road cars; masses beyond the axles raise
it. The limits of roll follow from a law for any solid: none of its principal moments is larger than the sum of the
other two. A long and narrow vehicle reaches the lower limit, a short and wide one the upper. Uncertainty: 10 % for yaw
and pitch, 20 % for roll.

The axle formula and the rule of thumb are Racer's (physics/body/assembled.py).
"""

import numpy as np

K_YAW = 0.95  # dynamic index, near the middle of the range of road cars
K_PITCH = 0.96  # pitch / yaw inertia; they differ little, as a car is long and flat
K_ROLL = 0.62  # roll inertia / (m (t / 2)^2) of cars with ordinary bodywork
PITCH_FACTOR = 0.8  # axle formula: pitch inertia per m_f a^2 + m_r b^2
YAW_PER_PITCH = 1.2  # axle formula: ratio of yaw to pitch inertia
MIN_ROLL_PER_YAW = 0.5  # axle formula: smallest ratio of roll to yaw inertia
EXAMPLE_PITCH = 1950.0  # kg m^2, pitch inertia of the one car that the rule of thumb is scaled from
EXAMPLE_MASS = 1280.0  # kg, mass of that car
THUMB_YAW_PER_PITCH = 0.9  # rule of thumb: ratio of yaw to pitch inertia
THUMB_ROLL_PER_PITCH = 0.6  # rule of thumb: ratio of roll to pitch inertia


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


def axle_formula(
    front_mass: float, rear_mass: float, front_distance: float, wheelbase: float, roll_share: float = MIN_ROLL_PER_YAW
) -> tuple[float, float, float]:
    """(pitch, roll, yaw) inertia by the axle formula, kg m^2.

    front_mass, rear_mass: masses borne by the axles, kg.
    front_distance: from the front axle to the centre of mass, m.
    wheelbase: m.
    roll_share: ratio of roll to yaw inertia.
    """
    pitch = PITCH_FACTOR * (front_mass * front_distance**2 + rear_mass * (wheelbase - front_distance) ** 2)
    yaw = YAW_PER_PITCH * pitch
    return pitch, roll_share * yaw, yaw


def rule_of_thumb(mass: float) -> tuple[float, float, float]:
    """(pitch, roll, yaw) inertia of a car by the rule of thumb, kg m^2. mass: kg."""
    pitch = EXAMPLE_PITCH / EXAMPLE_MASS * mass
    return pitch, THUMB_ROLL_PER_PITCH * pitch, THUMB_YAW_PER_PITCH * pitch


def solid_disc(mass: float, radius: float) -> float:
    """Moment of inertia of a wheel about its axle, as a solid disc, kg m^2. mass: kg. radius: m."""
    return 0.5 * mass * radius**2
