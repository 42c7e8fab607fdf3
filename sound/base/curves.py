"""Elementary functions of arrays for values that are computed when a vehicle or a recording is loaded.

Numpy's own differ in the last bit between processors, and so would the samples (physics/kernel/elementary.py).
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.jit import kernel

ROOT_STEPS = 64  # of Newton's iteration; from 1 it reaches the cube root of 1e-9 to 1e9 in fewer


@kernel
def _fill_sines(x: Any, sines: Any, cosines: Any) -> None:
    """Fill `sines` and `cosines` with those of the angles `x`, rad; float64 [n] each."""
    for i in range(len(x)):
        sines[i], cosines[i] = elementary.sincos(x[i])


@kernel
def _fill_angles(y: Any, x: Any, angles: Any) -> None:
    """Fill `angles` with those of the points (x, y) from the x axis, rad; float64 [n] each."""
    for i in range(len(x)):
        angles[i] = elementary.atan2(y[i], x[i])


def sines_of(angles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(sines, cosines) of angles in rad, of any shape."""
    flat = np.ascontiguousarray(angles, np.float64).ravel()
    sines, cosines = np.empty_like(flat), np.empty_like(flat)
    _fill_sines(flat, sines, cosines)
    return sines.reshape(np.shape(angles)), cosines.reshape(np.shape(angles))


def angles_of(y: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Angles of points (x, y) from the x axis, rad; float64 [n] each."""
    flat_y, flat_x = (np.ascontiguousarray(numbers, np.float64) for numbers in (y, x))
    angles = np.empty_like(flat_x)
    _fill_angles(flat_y, flat_x, angles)
    return angles


def length_of(x: Any, y: Any) -> Any:
    """Length of vectors (x, y) of any shape."""
    return np.sqrt(x * x + y * y)


def cube_root(x: float) -> float:
    """Cube root of a number from 1e-9 to 1e9."""
    root = 1.0
    for _ in range(ROOT_STEPS):
        root = (2.0 * root + x / (root * root)) / 3.0
    return root
