"""Differences between two states of one vehicle, by component, wheel and field.

A recording stores a checksum of every tick, and the whole state every one to three seconds. So the first tick that
differs is known exactly, but the numbers that differ are only known for the next stored state. The one with the largest
relative difference is the best clue.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from driving_sandbox.physics.base.record import field_names

MIN_SIZE = 1e-9  # smallest divisor of a relative difference, in the field's unit


@dataclass(frozen=True)
class FieldDifference:
    """A number of a vehicle's state that differs."""

    component: str  # slot
    field: str  # name, with wheel and index
    stored: float  # value in the recording
    repeated: float  # value in the re-simulation

    @property
    def size(self) -> float:
        """Relative difference, up to 2 for values of opposite sign; infinite if one of them is not finite."""
        if not (np.isfinite(self.stored) and np.isfinite(self.repeated)):
            return np.inf
        return abs(self.stored - self.repeated) / max(abs(self.stored), abs(self.repeated), MIN_SIZE)

    def __str__(self) -> str:
        return f"{self.component}.{self.field} is {float(self.stored)} in the recording and {float(self.repeated)} here"


def differing_fields(
    dtype: np.dtype, stored: bytes, repeated: bytes, wheel_names: Sequence[str] = ()
) -> list[FieldDifference]:
    """FieldDifferences of two states, given as bytes of a record of `dtype`, in the order of the record."""
    a, b = (np.frombuffer(data, dtype, 1)[0] for data in (stored, repeated))
    differences: list[FieldDifference] = []
    for slot in field_names(dtype):
        if a[slot].tobytes() != b[slot].tobytes():
            _collect(slot, "", a[slot], b[slot], wheel_names, differences)
    return differences


def _collect(
    slot: str, name: str, a: Any, b: Any, wheel_names: Sequence[str], differences: list[FieldDifference]
) -> None:
    """Append the differing numbers of a field to `differences`, recursing into records and arrays."""
    if getattr(a, "dtype", None) is not None and a.dtype.names and a.shape == ():
        for key in a.dtype.names:
            _collect(slot, f"{name}.{key}" if name else key, a[key], b[key], wheel_names, differences)
    elif np.ndim(a):
        records = bool(a.dtype.names)
        for k in range(len(a)):
            element = wheel_names[k] if records and not name and k < len(wheel_names) else str(k)
            _collect(slot, f"{name}.{element}" if name else element, a[k], b[k], wheel_names, differences)
    elif a != b and not (a != a and b != b):
        differences.append(FieldDifference(slot, name or slot, float(a), float(b)))
