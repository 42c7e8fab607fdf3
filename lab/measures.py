"""Scalar measures of a drive, for sweeps and comparisons.

Each is computed from the rows of a trajectory (physics/batch/trajectory.py), the vehicle's axles {name: wheel indices}
and the interval from one row to the next, s, which depends on the world's tick. It is nan where it is undefined, such
as the time to 100 km/h of a car that never reaches it.
Each manoeuvre lists the measures that apply to it (lab/maneuvers.py); lab/outcome.py detects drives that went wrong.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from driving_sandbox.lab.acceleration import G, centripetal
from driving_sandbox.lab.kinematics import body_velocity, distance, roll, sideslip, slip_angle
from driving_sandbox.lab.units import KMH
from driving_sandbox.physics.batch.trajectory import SLIPS, SPIN, VELOCITY

SPEED_100_KMH = 100.0 * KMH  # m/s, 100 km/h
STOPPED = 0.3  # m/s, below this speed the car counts as stopped
AVERAGING_TIME = 0.2  # s, averaging time of accelerations, so that the impact of a kerb does not count as cornering
SETTLING_TIME = 0.5  # s at the end of a drive over which the steady yaw rate is averaged
MIN_YAW_RATE = 0.02  # rad/s, about a degree per second: less counts as straight ahead
PERCENT = 100.0  # per unit


@dataclass(frozen=True)
class Measure:
    """A measure.

    Attributes:
        unit: of the value.
        doc: description.
        of: function (rows, axles, interval) that returns the value.
        best: max where more is better, min where less is; None where neither is.
    """

    unit: str
    doc: str
    of: Callable
    best: Callable | None = None


def _first_time(condition: np.ndarray, interval: float) -> float:
    """Time from the first row to the first one where the [n] `condition` holds, s; nan if it never does."""
    indices = np.flatnonzero(condition)
    return float(indices[0]) * interval if len(indices) else nan


def top_speed(rows: np.ndarray, axles: Mapping[str, Sequence[int]], interval: float) -> float:
    """Largest forward velocity, m/s."""
    return float(body_velocity(rows)[0].max())


def time_to_100(rows: np.ndarray, axles: Mapping[str, Sequence[int]], interval: float) -> float:
    """Time from the first motion (STOPPED) to 100 km/h, s."""
    speed = body_velocity(rows)[0]
    return _first_time(speed >= SPEED_100_KMH, interval) - _first_time(speed > STOPPED, interval)


def braking_distance(rows: np.ndarray, axles: Mapping[str, Sequence[int]], interval: float) -> float:
    """Distance from 100 km/h to rest after the highest speed, m; nan if it never reaches 100 km/h or does not stop."""
    speed = body_velocity(rows)[0]
    peak = int(np.argmax(speed))
    if speed[peak] < SPEED_100_KMH:
        return nan
    start = peak + np.flatnonzero(speed[peak:] <= SPEED_100_KMH)[:1]
    end = peak + np.flatnonzero(speed[peak:] < STOPPED)[:1]
    if not len(start) or not len(end):
        return nan
    travelled = distance(rows)
    return float(travelled[end[0]] - travelled[start[0]])


def _cornering(rows: np.ndarray, interval: float) -> np.ndarray:
    """[n] centripetal acceleration averaged over AVERAGING_TIME, m/s^2; nan where the vehicle hardly moves.

    Positive to the left (lab/acceleration.py).
    """
    count = max(1, round(AVERAGING_TIME / interval))
    across = centripetal(rows[:, VELOCITY], interval)
    return np.convolve(across, np.full(count, 1.0 / count), "same") if len(across) >= count else np.full(len(rows), nan)


def centripetal_acceleration(rows: np.ndarray, axles: Mapping[str, Sequence[int]], interval: float) -> float:
    """Largest magnitude of the centripetal acceleration averaged over AVERAGING_TIME, g."""
    magnitude = np.abs(_cornering(rows, interval))
    return float(np.nanmax(magnitude)) / G if np.isfinite(magnitude).any() else nan


def yaw_rate(rows: np.ndarray, axles: Mapping[str, Sequence[int]], interval: float) -> float:
    """Largest magnitude of the yaw rate, rad/s."""
    return float(np.abs(rows[:, SPIN][:, 2]).max())


def yaw_overshoot(rows: np.ndarray, axles: Mapping[str, Sequence[int]], interval: float) -> float:
    """The `overshoot` of the yaw rate."""
    return overshoot(rows[:, SPIN][:, 2], interval)


def overshoot(yaw_rates: np.ndarray, interval: float) -> float:
    """Excess of the largest yaw rate in the direction of the steady one over the steady one, %.

    Args:
        yaw_rates: [n] rad/s, every `interval` s.
    Returns:
        nan if the steady yaw rate is at most MIN_YAW_RATE.
    """
    steady = steady_yaw_rate(yaw_rates, interval)
    if abs(steady) <= MIN_YAW_RATE:
        return nan
    return PERCENT * (float((yaw_rates / steady).max()) - 1.0)


def steady_yaw_rate(yaw_rates: np.ndarray, interval: float) -> float:
    """Mean of the last SETTLING_TIME of [n] yaw rates, rad/s, one every `interval` s."""
    return float(yaw_rates[-round(SETTLING_TIME / interval) :].mean())


def largest_sideslip(rows: np.ndarray, axles: Mapping[str, Sequence[int]], interval: float) -> float:
    """Largest magnitude of the sideslip angle, rad."""
    return float(np.abs(sideslip(rows)).max())


def balance(rows: np.ndarray, axles: Mapping[str, Sequence[int]], interval: float) -> float:
    """Magnitude of the front slip angle less that of the rear one at the largest centripetal acceleration, rad.

    Positive in understeer. Front and rear are the first and the last axle; nan with fewer than two.
    """
    if rows.shape[1] <= SLIPS or len(axles) < 2:
        return nan
    magnitude = np.abs(_cornering(rows, interval))
    if not np.isfinite(magnitude).any():
        return nan
    k = int(np.nanargmax(magnitude))
    wheels = list(axles.values())
    front, rear = (abs(float(slip_angle(rows[k : k + 1], axle)[0])) for axle in (wheels[0], wheels[-1]))
    return front - rear


def largest_roll(rows: np.ndarray, axles: Mapping[str, Sequence[int]], interval: float) -> float:
    """Largest magnitude of the roll angle, rad."""
    return float(np.abs(roll(rows)).max())


def path_length(rows: np.ndarray, axles: Mapping[str, Sequence[int]], interval: float) -> float:
    """Length of the path driven, m."""
    return float(distance(rows)[-1])


MEASURES = {
    "time_to_100": Measure("s", "from the first motion to 100 km/h", time_to_100, min),
    "top_speed": Measure("m/s", "highest forward speed", top_speed, max),
    "braking_distance": Measure("m", "from 100 km/h to rest", braking_distance, min),
    "centripetal_acceleration": Measure("g", "largest, averaged over 0.2 s", centripetal_acceleration, max),
    "yaw_rate": Measure("rad/s", "largest magnitude", yaw_rate),
    "yaw_overshoot": Measure("%", "excess of the largest yaw rate over the steady one", yaw_overshoot, min),
    "sideslip": Measure("rad", "largest magnitude", largest_sideslip),
    "balance": Measure("rad", "front less rear slip angle at the largest cornering; > 0: understeer", balance),
    "lean": Measure("rad", "largest roll angle", largest_roll, min),
    "distance": Measure("m", "length of the path", path_length),
}
