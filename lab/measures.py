"""Scalar measures of a drive, from the rows of its trajectory (physics/batch/trajectory.py) at SAMPLE_RATE; a sweep
plots them.

nan where a measure is undefined, as the time to 100 km/h of a car that never reaches it. Each manoeuvre lists the
measures that apply to it (lab/maneuvers.py); lab/outcome.py detects drives that went wrong.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import nan

import numpy as np

from driving_sandbox.lab.acceleration import G, centripetal
from driving_sandbox.lab.kinematics import along, distance, roll, sideslip, slip_angle
from driving_sandbox.physics.batch.trajectory import SAMPLE_RATE, SLIPS, SPIN, VELOCITY

HUNDRED = 100.0 / 3.6  # m/s
STANDING = 0.3  # m/s, slower than which a braked car has stopped
SMOOTHING = 0.2  # s, averaging time of accelerations: the impact of a kerb is not cornering
SETTLED = 1.0  # s at the end of a drive, taken as its steady state
TURNING = 0.02  # rad/s, one degree per second: less counts as straight ahead


@dataclass(frozen=True)
class Measure:
    """unit: of what `of(rows, axles)` returns; doc: description. best: max or min, which of several drives is the best;
    None where neither is better.
    """

    unit: str
    doc: str
    of: Callable
    best: Callable | None = None


def _first(times, condition):
    found = np.flatnonzero(condition)
    return float(times[found[0]]) if len(found) else nan


def _times(rows):
    return (np.arange(len(rows)) + 1.0) / SAMPLE_RATE


def top_speed(rows, axles):
    return float(along(rows)[0].max())


def time_to_100(rows, axles):
    """Timed from the first motion."""
    speed, times = along(rows)[0], _times(rows)
    return _first(times, speed >= HUNDRED) - _first(times, speed > STANDING)


def braking_distance(rows, axles):
    """From 100 km/h, or the highest speed where that is less, to standstill."""
    speed = along(rows)[0]
    peak = int(np.argmax(speed))
    begin = peak + np.flatnonzero(speed[peak:] <= min(HUNDRED, speed[peak]))[:1]
    end = peak + np.flatnonzero(speed[peak:] < STANDING)[:1]
    if not len(begin) or not len(end):
        return nan
    driven = distance(rows)
    return float(driven[end[0]] - driven[begin[0]])


def _cornering(rows):
    """Centripetal acceleration of each row as a mean over SMOOTHING, m/s^2; nan where the vehicle hardly moves."""
    count = max(1, round(SMOOTHING * SAMPLE_RATE))
    across = centripetal(rows[:, VELOCITY], 1.0 / SAMPLE_RATE)
    return np.convolve(across, np.full(count, 1.0 / count), "same") if len(across) >= count else np.full(len(rows), nan)


def centripetal_acceleration(rows, axles):
    """Largest magnitude of the mean over SMOOTHING, in g (lab/acceleration.py)."""
    size = np.abs(_cornering(rows))
    return float(np.nanmax(size)) / G if np.isfinite(size).any() else nan


def yaw_rate(rows, axles):
    return float(np.abs(rows[:, SPIN][:, 2]).max())


def yaw_overshoot(rows, axles):
    """Peak over steady-state yaw rate, minus one; nan when the vehicle does not turn in the end."""
    rate = rows[:, SPIN][:, 2]
    settled = float(rate[-round(SETTLED * SAMPLE_RATE) :].mean())
    return float(np.abs(rate).max() / abs(settled)) - 1.0 if abs(settled) > TURNING else nan


def largest_sideslip(rows, axles):
    return float(np.abs(sideslip(rows)).max())


def balance(rows, axles):
    """Front minus rear slip angle (magnitudes) at the largest lateral acceleration: > 0 is understeer."""
    if rows.shape[1] <= SLIPS or len(axles) < 2:
        return nan
    size = np.abs(_cornering(rows))
    if not np.isfinite(size).any():
        return nan
    k = int(np.nanargmax(size))
    wheels = list(axles.values())
    front, rear = (abs(float(slip_angle(rows[k : k + 1], one)[0])) for one in (wheels[0], wheels[-1]))
    return front - rear


def lean(rows, axles):
    """Largest magnitude of the roll angle: of the vehicle's right-hand axis to the horizon."""
    return float(np.abs(roll(rows)).max())


def driven(rows, axles):
    return float(distance(rows)[-1])


MEASURES = {
    "time_to_100": Measure("s", "from rest to 100 km/h", time_to_100, min),
    "top_speed": Measure("m/s", "highest speed", top_speed, max),
    "braking_distance": Measure("m", "from 100 km/h to rest", braking_distance, min),
    "centripetal_acceleration": Measure("g", "largest across its path, over 0.2 s", centripetal_acceleration, max),
    "yaw_rate": Measure("rad/s", "largest", yaw_rate),
    "yaw_overshoot": Measure("1", "largest over settled yaw rate, less one", yaw_overshoot, min),
    "sideslip": Measure("rad", "largest sideslip angle", largest_sideslip),
    "balance": Measure("rad", "slip angle in front less behind at the hardest turn; above 0 understeers", balance),
    "lean": Measure("rad", "largest roll", lean, min),
    "distance": Measure("m", "driven", driven),
}
