"""Magic Formula 6.2 evaluated over arrays, without a vehicle: for tables, plots and comparisons."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from driving_sandbox.physics.base.record import field_names
from driving_sandbox.physics.kernel.jit import JIT, kernel
from driving_sandbox.physics.tire import mf62
from driving_sandbox.physics.tire.mf62_coefficients import COEFFICIENTS, write_set

ROWS = 16  # largest number of input rows evaluated in parallel
# Inputs in the symbols of mf62.py
_INPUTS = np.dtype([(name, np.float64) for name in ("load", "kappa", "a", "g", "camber", "e", "m", "speed")])
_RESULTS = np.dtype(
    [(name, np.float64) for name in ("fx", "fy", "mz", "mx", "my", "trail", "kx", "ky", "sigma_x", "sigma_y")]
)


@kernel
def _evaluate_rows(c: Any, w: Any, inputs: Any, results: Any) -> None:
    """Evaluate at most ROWS rows."""
    count = len(inputs)
    for i in range(count):
        row = inputs[i]
        w.load[i], w.kappa[i], w.a[i], w.g[i] = row.load, row.kappa, row.a, row.g
        w.camber[i], w.e[i], w.m[i] = row.camber, row.e, row.m
        mf62.stiffness(c, w, i)
        mf62.fill(c, w, i, count)
    mf62.evaluate_curves(w, count)
    for i in range(count):
        mf62.finish(c, w, i, count)
        row = results[i]
        row.fx, row.fy, row.mz, row.mx, row.trail = w.fx[i], w.fy[i], w.mz[i], w.mx[i], w.trail[i]
        row.kx, row.ky, row.sigma_x, row.sigma_y = w.kx[i], w.ky[i], w.sigma_x[i], w.sigma_y[i]
        row.my = mf62.rolling_moment(c, inputs[i].load, w.fx[i], inputs[i].camber, inputs[i].e, inputs[i].speed)


def record_of(coefficients: dict) -> Any:
    """A record of COEFFICIENTS. coefficients: {lower-case name: value} of a complete set (see `complete_set`)."""
    array = np.zeros(1, COEFFICIENTS)
    write_set(array[0], coefficients)
    return (array if JIT else array.view(np.recarray))[0]


def evaluate(
    coefficients: dict,
    load: ArrayLike,
    slip: ArrayLike = 0.0,
    angle: ArrayLike = 0.0,
    camber: ArrayLike = 0.0,
    pressure: ArrayLike | None = None,
    friction: ArrayLike = 1.0,
    speed: ArrayLike = 0.0,
) -> dict[str, np.ndarray]:
    """Forces and moments of a tire; arguments are numbers or arrays that broadcast.

    Args:
        coefficients: {lower-case name: value} of a complete set.
        load: N.
        slip: slip ratio, > 0 when driving.
        angle: slip angle, rad, > 0 when the contact point moves right.
        camber: rad, > 0 with the top to the right.
        pressure: Pa; None: nominal.
        friction: friction of the road divided by that of the measurement.
        speed: m/s, for rolling resistance.
    Returns:
        {name: array}, with signs as in mf62.py: fx and fy, N; mx, mz and the magnitude my, N m; trail and the
        relaxation lengths sigma_x and sigma_y, m; slip stiffness kx, N; cornering stiffness ky, N/rad.
    """
    nominal = coefficients["nompres"]
    e = np.asarray(pressure) / nominal - 1.0 if pressure is not None and nominal > 0.0 else 0.0
    values = (load, slip, -np.tan(angle), np.sin(camber), camber, e, friction, speed)
    columns = np.broadcast_arrays(*(np.asarray(value, float) for value in values))
    inputs = np.zeros(columns[0].size, _INPUTS)
    for name, column in zip(field_names(_INPUTS), columns, strict=True):
        inputs[name] = column.ravel()
    results, lanes = np.zeros(len(inputs), _RESULTS), np.zeros(1, mf62.lanes(ROWS))
    if not JIT:
        inputs, results, lanes = (array.view(np.recarray) for array in (inputs, results, lanes))
    record = record_of(coefficients)
    for start in range(0, len(inputs), ROWS):
        _evaluate_rows(record, lanes[0], inputs[start : start + ROWS], results[start : start + ROWS])
    return {name: np.asarray(results[name]).reshape(columns[0].shape) for name in field_names(_RESULTS)}
