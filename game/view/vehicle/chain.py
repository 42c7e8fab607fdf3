"""Suspension parts stretched between any two of hull, wheels and other such parts; for drawing only.

A part suspN (or sus_N) has two of these helper nodes, which define the positions and attachments of its ends:

    suspN_hull    suspN_wheelM    suspN_suspM        (also sus_N_..., ..._wheel_M, ..._sus_M)

An end on the hull is fixed to the body. An end on a wheel moves with the wheel's hub, one on another part with the
point of that part where it is attached at rest. Parts are posed after the parts that they are attached to.
This is row CE-LOAD-06 of docs/coverage.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from driving_sandbox.game.view.vehicle.link import Link
from driving_sandbox.physics.base.user_error import WrongValue

_PART = re.compile(r"^sus(?:p|_)([1-9]\d*)$")
_END = re.compile(r"^(sus(?:p|_))([1-9]\d*)_(hull|wheel_?([1-9]\d*)|sus(?:p|_)([1-9]\d*))$")


@dataclass(frozen=True)
class End:
    """An end of a part.

    Attributes:
        position: rest position, m.
        wheel, part: number of the wheel or of the part that it is attached to, 0 for none.
        prefix: "susp" or "sus_", as in the model.
        target: name of the object that it is attached to, as in the model.
    """

    position: tuple
    wheel: int
    part: int
    prefix: str
    target: str


def part_number(name: str) -> int:
    """N of a node's name suspN or sus_N; 0 for other names."""
    match = _PART.match(name)
    return int(match.group(1)) if match else 0


def find_ends(positions: dict[str, Any]) -> dict[int, list[End]]:
    """{part number: [End, ...]} from {node name: rest position} of a model."""
    ends_of: dict[int, list[End]] = {}
    for name, position in sorted(positions.items()):
        match = _END.match(name)
        if match:
            prefix, number, target, wheel, part = match.groups()
            end = End(tuple(float(v) for v in position), int(wheel or 0), int(part or 0), prefix, target)
            ends_of.setdefault(int(number), []).append(end)
    return ends_of


def transformed(rows: Sequence[Sequence[float]], point: Sequence[float]) -> tuple:
    """A point transformed by three rows (linear part, translation)."""
    return tuple(r[0] * point[0] + r[1] * point[1] + r[2] * point[2] + r[3] for r in rows)


class Chain:
    """Stretched parts in the order in which they can be posed.

    Args:
        ends: {part number: [End, End]}.
        wheel_positions: rest positions of the wheels, m, from the first to the last.
    Attributes:
        links: {part number: (Link, End, End)}.
    Raises:
        WrongValue: an end is missing, or parts are attached to each other in a cycle.
    """

    def __init__(self, ends: dict[int, list[End]], wheel_positions: list) -> None:
        self._wheels = [tuple(float(v) for v in position) for position in wheel_positions]
        for number, pair in ends.items():
            self._check(number, pair, ends)
        self.links: dict[int, tuple[Link, End, End]] = {}
        while len(self.links) < len(ends):
            ready = [n for n, pair in ends.items() if n not in self.links and all(
                e.part == 0 or e.part in self.links for e in pair)]  # fmt: skip
            if not ready:
                names = ", ".join(f"{pair[0].prefix}{n}" for n, pair in ends.items() if n not in self.links)
                raise WrongValue(f"model parts {names} are attached in a cycle")
            for n in ready:
                start, end = ends[n]
                self.links[n] = (Link(start.position, end.position), start, end)

    def _check(self, number: int, pair: list[End], ends: dict[int, list[End]]) -> None:
        """Raise WrongValue unless a part has two ends, each attached to a node that the model has."""
        prefix = pair[0].prefix
        name = f"{prefix}{number}"
        if len(pair) != 2:
            text = f"needs two helper nodes {name}_<hull, wheelN or {prefix}N>, not {len(pair)}"
            raise WrongValue(f"model part {name} {text}")
        for end in pair:
            if end.wheel > len(self._wheels):
                raise WrongValue(f"model part {name} is attached to {end.target}, which the model lacks")
            if end.part and end.part not in ends:
                raise WrongValue(f"model part {name} is attached to {end.target}, which has no helper nodes")

    def rows(self, at_wheel: Callable[[int, tuple], Sequence[float]]) -> dict:
        """{part number: three rows (linear part, translation) of its transform from rest}, in the body frame.

        Args:
            at_wheel: function(wheel index, offset from the wheel's rest position) -> present position.
        """
        rows_of: dict[int, Sequence[Sequence[float]]] = {}

        def position_of(end: End) -> Sequence[float]:
            if end.wheel:
                rest = self._wheels[end.wheel - 1]
                return at_wheel(end.wheel - 1, tuple(p - r for p, r in zip(end.position, rest, strict=True)))
            return transformed(rows_of[end.part], end.position) if end.part else end.position

        for number, (link, start, end) in self.links.items():
            rows_of[number] = link.rows(wheel_end=position_of(end), hull_end=position_of(start))
        return rows_of
