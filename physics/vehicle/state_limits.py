"""Range check of the integers of a state, which kernels use as indices and counts.

Kernels do not check indices: an untrusted state (from a recording or another process) could make them read or write
anywhere in memory. A state's declaration gives the range of each integer, by default 0..1; for components from a user's
own trusted file the default is unlimited.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from driving_sandbox.physics.schema.schema import Block

FLAG = (0, 1)
ANY = (-(2**63), 2**63 - 1)


class Limit(NamedTuple):
    """What one whole number of a state may be: fields that lead to it, and the least and greatest."""

    path: tuple[str, ...]
    least: float
    greatest: float


@cache
def limits_of(sequence: Any) -> tuple[Limit, ...]:
    """A Limit for each whole number in the state of a list of components, the tick's own first."""
    found = [Limit(("tick",), 0, ANY[1])]
    for slot, component in sequence.by_slot.items():
        state = component.state
        for name, field in (state.fields if state else {}).items():
            usual = FLAG if state.__module__.startswith("driving_sandbox.") else ANY
            if isinstance(field.kind, Block):
                found += _inside(field.kind.layout, (slot, name), field.kind.limits, usual)
            elif state.dtype[name].base.kind in "iu":
                found.append(Limit((slot, name), *_declared(field, usual)))
    return tuple(found)


def _declared(field: Any, usual: tuple[int, int]) -> tuple[float, float]:
    least = field.ge if field.ge is not None else usual[0] if field.gt is None else field.gt + 1
    greatest = field.le if field.le is not None else usual[1] if field.lt is None else field.lt - 1
    return least, greatest


def _inside(
    layout: Any, path: tuple[str, ...], limits: Mapping[str, tuple[int, int]], usual: tuple[int, int]
) -> Iterator[Limit]:
    for name in layout.names:
        kind = layout[name].base
        if kind.names:
            yield from _inside(kind, (*path, name), limits, usual)
        elif kind.kind in "iu":
            yield Limit((*path, name), *limits.get(name, usual))


def first_beyond(sequence: Any, states: Any, surface_count: int | None = None) -> str | None:
    """The first whole number in state records outside of its limits, and what they are; None if none is.

    surface_count: of the world they are for, or None where that is not known.
    """
    for limit in limits_of(sequence):
        greatest = limit.greatest
        if limit.path == ("road", "surface") and surface_count is not None:
            greatest = surface_count - 1
        values = states
        for name in limit.path:
            values = values[name]
        values = values.reshape(-1)
        wrong = (values < limit.least) | (values > greatest)
        if wrong.any():
            value = int(values[wrong.argmax()])
            return f"{'.'.join(limit.path)} is {value}, allowed are {limit.least} to {greatest}"
    return None
