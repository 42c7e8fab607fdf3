"""Range check of the integers of a state, which kernels use as indices and counts.

Kernels do not check indices: an untrusted state (from a recording or another process) could make them read or write
anywhere in memory. A state's declaration gives the range of each integer, by default 0 to 1. Integers of components
from a user's own trusted file are unlimited by default.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from driving_sandbox.physics.schema.schema import Block

FLAG = (0, 1)  # default range
ANY = (-(2**63), 2**63 - 1)  # all int64


class Limit(NamedTuple):
    """Limits of an integer of a state."""

    path: tuple[str, ...]  # names of the fields that lead to the integer
    lowest: int
    highest: int


@cache
def limits_of(sequence: Any) -> tuple[Limit, ...]:
    """A Limit for each integer in the state of a list of components; the first is that of `tick`."""
    limits = [Limit(("tick",), lowest=0, highest=ANY[1])]
    for slot, component in sequence.by_slot.items():
        state = component.state
        for name, field in (state.fields if state else {}).items():
            default = FLAG if state.__module__.startswith("driving_sandbox.") else ANY
            if isinstance(field.kind, Block):
                limits += _inside(field.kind.layout, (slot, name), field.kind.limits, default)
            elif state.dtype[name].base.kind in "iu":
                limits.append(Limit((slot, name), *_declared(field, default)))
    return tuple(limits)


def _declared(field: Any, default: tuple[int, int]) -> tuple[int, int]:
    """(lowest, highest) value of an integer field, from its declared limits or else the default."""
    lowest = field.ge if field.ge is not None else default[0] if field.gt is None else field.gt + 1
    highest = field.le if field.le is not None else default[1] if field.lt is None else field.lt - 1
    return lowest, highest


def _inside(
    layout: Any, path: tuple[str, ...], limits: Mapping[str, tuple[int, int]], default: tuple[int, int]
) -> Iterator[Limit]:
    """Yield a Limit for each integer in a record type, including those in its sub-records."""
    for name in layout.names:
        dtype = layout[name].base
        if dtype.names:
            yield from _inside(dtype, (*path, name), limits, default)
        elif dtype.kind in "iu":  # signed or unsigned integers
            yield Limit((*path, name), *limits.get(name, default))


def first_beyond(sequence: Any, states: Any, surface_count: int | None = None) -> str | None:
    """Description of the first integer that is outside its limits in an array of states; None if there is none.

    surface_count: number of surfaces of the states' world, or None if unknown.
    """
    for limit in limits_of(sequence):
        highest = limit.highest
        if limit.path == ("road", "surface") and surface_count is not None:
            highest = surface_count - 1
        values = states
        for name in limit.path:
            values = values[name]
        values = values.reshape(-1)
        wrong = (values < limit.lowest) | (values > highest)
        if wrong.any():
            value = int(values[wrong.argmax()])
            return f"{'.'.join(limit.path)} is {value}, allowed are {limit.lowest} to {highest}"
    return None
