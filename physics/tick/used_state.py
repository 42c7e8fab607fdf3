"""The used part of a vehicle's state: everything but the records of wheels that the vehicle lacks.

Every per-wheel array has WHEEL_CAPACITY records, so three quarters of an ordinary car's state are unused. Code that
copies or checks states in every tick handles the used words only, which leaves more of the processor's cache free.
"""

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np
from numba import carray

from driving_sandbox.physics.base.record import field_of
from driving_sandbox.physics.kernel.jit import JIT, entry, pointer
from driving_sandbox.physics.schema.schema import WHEEL_CAPACITY

WORD = 8  # bytes; size or alignment of all numbers of a state


class UsedState:
    """Packs the used words of one vehicle's state, and puts them back.

    Attributes:
        packed_words: uint64[n], the words at the last call of `keep`.
    """

    def __init__(self, vehicle: Any) -> None:
        self._dtype, self._words = vehicle.state.dtype, vehicle.state_bytes.view(np.uint64)
        ranges = list(_joined(sorted(used_ranges(self._dtype, vehicle.wheel_count))))
        self._indices = np.concatenate([np.arange(begin, end) for begin, end in ranges])  # of the used words
        self.packed_words = np.zeros(len(self._indices), np.uint64)
        lengths = np.array([end - begin for begin, end in ranges])
        ends = np.cumsum(lengths)  # in `packed_words`
        begins = np.array([begin for begin, _ in ranges])
        # a row for each range: argument of `_copy_words`
        sources, targets = _addresses(self._words, begins), _addresses(self.packed_words, ends - lengths)
        self._moves = np.column_stack([sources, targets, lengths])

    def keep(self) -> np.ndarray:
        """Copy the present state into `packed_words`, and return that; the next call overwrites it."""
        _copy(self._moves)
        return self.packed_words

    def put_back(self) -> None:
        """Set the vehicle's state to `packed_words`."""
        self._words[self._indices] = self.packed_words

    def whole(self, rows: np.ndarray) -> np.ndarray:
        """State records [m] from packed rows [m, n]."""
        full_rows = np.zeros((len(rows), len(self._words)), np.uint64)
        full_rows[:, self._indices] = rows
        return full_rows.view(self._dtype)[:, 0]


class UsedStates(list):
    """UsedState of each of several vehicles, packed in one call."""

    def __init__(self, vehicles: list[Any]) -> None:
        super().__init__(UsedState(vehicle) for vehicle in vehicles)
        self._moves = np.concatenate([used._moves for used in self] or [np.zeros((0, 3), np.int64)])

    def keep(self) -> None:
        """Pack the present states."""
        _copy(self._moves)


def _addresses(words: np.ndarray, indices: np.ndarray) -> np.ndarray:
    return words.ctypes.data + WORD * indices


def _joined(ranges: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Ranges (first, last + 1) from sorted ones, of which those that touch or overlap are joined."""
    joined_begin, joined_end = ranges[0]
    for begin, end in ranges:
        if begin > joined_end:
            yield joined_begin, joined_end
            joined_begin = begin
        joined_end = max(joined_end, end)
    yield joined_begin, joined_end


@entry
def _copy_words(moves: Any) -> None:
    """Copy words. moves: [n, 3] source address, target address, number of words."""
    for k in range(moves.shape[0]):
        source = carray(pointer(moves[k, 0]), moves[k, 2], np.uint64)
        target = carray(pointer(moves[k, 1]), moves[k, 2], np.uint64)
        for i in range(moves[k, 2]):
            target[i] = source[i]


def _copy_uncompiled(moves: np.ndarray) -> None:
    """`_copy_words` without compiled code."""
    for source, target, count in moves.tolist():
        ctypes.memmove(target, source, WORD * count)


_copy = _copy_words if JIT else _copy_uncompiled


def used_ranges(dtype: np.dtype, wheel_count: int, start: int = 0) -> Iterator[tuple[int, int]]:
    """(first word, last word + 1) of the used parts of a state, or of a field that begins at byte `start` of one."""
    # -(-bytes // WORD) rounds an end up to whole words
    if dtype.subdtype is not None and dtype.subdtype[1] == (WHEEL_CAPACITY,):
        yield start // WORD, -(-(start + dtype.itemsize // WHEEL_CAPACITY * wheel_count) // WORD)
    elif dtype.names is not None:
        for name in dtype.names:
            inner, offset = field_of(dtype, name)
            yield from used_ranges(inner, wheel_count, start + offset)
    else:
        yield start // WORD, -(-(start + dtype.itemsize) // WORD)
