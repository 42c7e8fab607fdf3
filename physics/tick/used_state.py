"""The used part of a vehicle's state, without unused wheel slots.

Every per-wheel array has WHEEL_CAPACITY slots, so three quarters of an ordinary car's state are unused. Code that
keeps, checks or stores states in every tick handles the used words only, which saves cache for the rest of the frame.
"""

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np
from numba import carray

from driving_sandbox.physics.kernel.jit import JIT, entry, pointer
from driving_sandbox.physics.schema.schema import WHEEL_CAPACITY

WORD = 8  # bytes; all numbers of a state are of this size or aligned to it


class UsedState:
    """Packs the used words of one vehicle's state, and puts them back.

    Attributes:
        kept: uint64[n], the words as `keep` last found them.
    """

    def __init__(self, vehicle: Any) -> None:
        self._dtype, self._words = vehicle.state.dtype, vehicle.state_bytes.view(np.uint64)
        ranges = list(_joined(sorted(used_ranges(self._dtype, vehicle.wheel_count))))
        self._places = np.concatenate([np.arange(first, last) for first, last in ranges])
        self.kept = np.zeros(len(self._places), np.uint64)
        lengths = np.array([last - first for first, last in ranges])
        ends = np.cumsum(lengths)
        begins = np.array([first for first, _ in ranges])
        self._moves = np.column_stack([_addresses(self._words, begins), _addresses(self.kept, ends - lengths), lengths])

    def keep(self):
        """Pack the present state; returns `kept`, which the next call overwrites."""
        _copy(self._moves)
        return self.kept

    def put_back(self) -> None:
        """Restore the kept state."""
        self._words[self._places] = self.kept

    def whole(self, rows: np.ndarray) -> np.ndarray:
        """States [m] of packed rows [m, n]."""
        found = np.zeros((len(rows), len(self._words)), np.uint64)
        found[:, self._places] = rows
        return found.view(self._dtype)[:, 0]


class UsedStates(list):
    """UsedState of each of several vehicles, for all of them at once."""

    def __init__(self, vehicles: list[Any]) -> None:
        super().__init__(UsedState(vehicle) for vehicle in vehicles)
        self._moves = np.concatenate([used._moves for used in self] or [np.zeros((0, 3), np.int64)])

    def keep(self) -> None:
        """Pack the present states."""
        _copy(self._moves)


def _addresses(words: np.ndarray, places: np.ndarray) -> np.ndarray:
    return words.ctypes.data + WORD * places


def _joined(ranges: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The same words in as few ranges as there can be; `ranges` in order."""
    first, last = ranges[0]
    for begin, end in ranges:
        if begin > last:
            yield first, last
            first = begin
        last = max(last, end)
    yield first, last


@entry
def _copy_words(moves):
    for k in range(moves.shape[0]):
        found = carray(pointer(moves[k, 0]), moves[k, 2], np.uint64)
        made = carray(pointer(moves[k, 1]), moves[k, 2], np.uint64)
        for i in range(moves[k, 2]):
            made[i] = found[i]


def _copy_plainly(moves):
    """The same without compiling."""
    for found, made, count in moves.tolist():
        ctypes.memmove(made, found, WORD * count)


_copy = _copy_words if JIT else _copy_plainly


def used_ranges(dtype: np.dtype, wheel_count: int, start: float = 0) -> Iterator[tuple[int, int]]:
    """(first word, last + 1) of the used parts of a state, or of a field that begins at byte `start` of one."""
    if dtype.subdtype is not None and dtype.subdtype[1] == (WHEEL_CAPACITY,):
        yield start // WORD, -(-(start + dtype.itemsize // WHEEL_CAPACITY * wheel_count) // WORD)
    elif dtype.names is not None:
        for name in dtype.names:
            inner, offset = dtype.fields[name][:2]
            yield from used_ranges(inner, wheel_count, start + offset)
    else:
        yield start // WORD, -(-(start + dtype.itemsize) // WORD)
