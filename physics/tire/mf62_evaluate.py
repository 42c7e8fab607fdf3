"""Magic Formula 6.2 evaluated over arrays, away from any vehicle: for tables, plots and comparisons."""

import numpy as np

from driving_sandbox.physics.kernel.jit import JIT, kernel
from driving_sandbox.physics.tire import mf62
from driving_sandbox.physics.tire.mf62_coefficients import COEFFICIENTS, write_set

ROWS = 16  # slips worked out side by side
_GIVEN = np.dtype([(name, np.float64) for name in ("load", "kappa", "a", "g", "camber", "e", "m", "speed")])
_FOUND = np.dtype(
    [(name, np.float64) for name in ("fx", "fy", "mz", "mx", "my", "trail", "kx", "ky", "sigma_x", "sigma_y")]
)


@kernel
def _run(c, w, given, found):
    """Work out at most ROWS rows."""
    count = len(given)
    for i in range(count):
        row = given[i]
        w.load[i], w.kappa[i], w.a[i], w.g[i] = row.load, row.kappa, row.a, row.g
        w.camber[i], w.e[i], w.m[i] = row.camber, row.e, row.m
        mf62.stiffness(c, w, i)
        mf62.fill(c, w, i, count)
    mf62.bend(w, count)
    for i in range(count):
        mf62.finish(c, w, i, count)
        row = found[i]
        row.fx, row.fy, row.mz, row.mx, row.trail = w.fx[i], w.fy[i], w.mz[i], w.mx[i], w.trail[i]
        row.kx, row.ky, row.sigma_x, row.sigma_y = w.kx[i], w.ky[i], w.sigma_x[i], w.sigma_y[i]
        row.my = mf62.rolling_moment(c, given[i].load, w.fx[i], given[i].camber, given[i].e, given[i].speed)


def record_of(coefficients: dict):
    """A record of COEFFICIENTS from {lower-case name: value}; every name of a whole set must be there."""
    array = np.zeros(1, COEFFICIENTS)
    write_set(array[0], coefficients)
    return (array if JIT else array.view(np.recarray))[0]


def evaluate(
    coefficients: dict, load, slip=0.0, angle=0.0, camber=0.0, pressure=None, friction=1.0, speed=0.0
) -> dict[str, np.ndarray]:
    """Forces and moments of a tire; arguments are numbers or arrays that fit each other.

    Args:
        coefficients: {lower-case name: value} of a whole set. load: N. slip: ratio, > 0 drives. angle: slip angle,
            rad, > 0 when the contact point moves right. camber: rad, > 0 leaning right. pressure: Pa; None: nominal.
            friction: of the road against that of the measurement. speed: m/s, of rolling resistance.
    Returns:
        fx, fy: N; mx, my, mz: N m, my as a size; trail, sigma_x, sigma_y: m; kx: N; ky: N/rad.
    """
    nominal = coefficients["nompres"]
    e = np.asarray(pressure) / nominal - 1.0 if pressure is not None and nominal > 0.0 else 0.0
    values = (load, slip, -np.tan(angle), np.sin(camber), camber, e, friction, speed)
    columns = np.broadcast_arrays(*(np.asarray(value, float) for value in values))
    given = np.zeros(columns[0].size, _GIVEN)
    for name, column in zip(_GIVEN.names, columns, strict=True):
        given[name] = column.ravel()
    found, lanes = np.zeros(len(given), _FOUND), np.zeros(1, mf62.lanes(ROWS))
    if not JIT:
        given, found, lanes = (array.view(np.recarray) for array in (given, found, lanes))
    record = record_of(coefficients)
    for first in range(0, len(given), ROWS):
        _run(record, lanes[0], given[first : first + ROWS], found[first : first + ROWS])
    return {name: np.asarray(found[name]).reshape(columns[0].shape) for name in _FOUND.names}
