"""Records of our components for rows of PhysX's function tables (table_harness.py), also with float32 numbers."""

import numpy as np

from driving_sandbox.physics.kernel.jit import JIT
from driving_sandbox.physics.schema.schema import WHEEL_CAPACITY

ROW_WHEELS = 8  # wheels in every row of a table; those that a vehicle lacks are unused
WHEEL_PARAMS = np.dtype([("inertia", np.float64), ("damping", np.float64)], align=True)


def float32_type(dtype):
    """The same record type with float32 instead of float64."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return np.dtype((float32_type(base), shape))
    if dtype.names is None:
        return np.dtype(np.float32) if dtype == np.float64 else dtype
    return np.dtype([(name, float32_type(dtype.fields[name][0])) for name in dtype.names], align=True)


def new(dtype, **values):
    """A record for kernels with some fields set, the others zero."""
    array = np.zeros(1, dtype)
    for name, value in values.items():
        array[name] = value
    return array[0] if JIT else array.view(np.recarray)[0]


def per_wheel(dtype):
    """An array of wheel records as passed to kernels, compiled or plain."""
    array = np.zeros(WHEEL_CAPACITY, dtype)
    return array if JIT else array.view(np.recarray)


def wheels_in(row):
    """Number of wheels of a row that describes a vehicle's axles."""
    return int(row["wheels_per_axle"].sum())


def write_floats(block, values, count):
    """Write the first values into a block of fixed length, with their count."""
    block["count"] = count
    block["values"][:count] = values[:count]
