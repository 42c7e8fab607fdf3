"""Records as columns: one array per field instead of one record per vehicle (PX-ARCH-11).

Kernels work on records. Programs that keep many vehicles in their own arrays (tables, shared memory, learning buffers)
can store every field of a state or of parameters as a column [count, ...], and load and store single vehicles. Values
are copied bit for bit, so results do not depend on the storage.

    columns = Columns(vehicle.state.dtype, 1000)
    columns.store(k, vehicle.state)
    columns["body.velocity"][:, 1]               # velocities of all vehicles along the world's y axis, a view
    columns.load(k, vehicle.state)
"""

from collections.abc import Iterator

import numpy as np


class Columns:
    """`count` records of a dtype, field by field.

    Names are paths of fields; an array of sub-records adds a dimension: "suspension.jounce" is [count, WHEEL_CAPACITY].
    """

    def __init__(self, dtype: np.dtype, count: int) -> None:
        self.dtype, self.count = dtype, count
        self._columns = {path: np.zeros((count, *shape), kind) for path, kind, shape in _leaves(dtype)}

    def __getitem__(self, path: str) -> np.ndarray:
        return self._columns[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def store(self, k: int, record: np.ndarray) -> None:
        """Copy a record (array of length 1) to row k."""
        for path, column in self._columns.items():
            column[k] = _field(record, path)[0]

    def load(self, k: int, record: np.ndarray) -> None:
        """Copy row k to a record (array of length 1)."""
        for path, column in self._columns.items():
            _field(record, path)[0] = column[k]


def _leaves(
    dtype: np.dtype, path: str = "", shape: tuple[int, ...] = ()
) -> Iterator[tuple[str, np.dtype, tuple[int, ...]]]:
    """(path, plain dtype, shape) of every field below a record type."""
    if dtype.subdtype is not None:
        element, inner_shape = dtype.subdtype
        yield from _leaves(element, path, shape + inner_shape)
    elif dtype.names is not None:
        for name in dtype.names:
            yield from _leaves(dtype[name], f"{path}.{name}".strip("."), shape)
    else:
        yield path, dtype, shape


def _field(records: np.ndarray, path: str) -> np.ndarray:
    """View of a field by its path."""
    for name in path.split("."):
        records = records[name]
    return records
