"""Kinds of values that are curves or tables (physics/schema/kinds.py has the others).

The limits of a field apply to the y values and responses only.
"""

from collections.abc import Callable
from dataclasses import dataclass
from types import GenericAlias
from typing import Any

import numpy as np
from pydantic import AfterValidator, TypeAdapter
from pydantic import Field as Limit

from driving_sandbox.physics.schema.kinds import Kind, Limits, list_of, number_type


def _rising(points: list[Any]) -> list[Any]:
    """Check that the first numbers of the points rise; returns the points."""
    for before, after in zip(points, points[1:], strict=False):
        if not after[0] > before[0]:
            raise ValueError(f"x values must rise: {before[0]:g} is followed by {after[0]:g}")
    return points


def _within(limits: Limits) -> Callable[[list[Any]], list[Any]]:
    """A function that checks that the second number of every point is within the field's limits."""
    check = TypeAdapter(number_type(limits))

    def within(points: list[Any]) -> list[Any]:
        for _, y in points:
            check.validate_python(y)
        return points

    return within


def _store(block: Any, points: Any) -> None:
    """Store points [x, y], y a number or a vector, in a record of `count`, `x` and `y`, and zeros after them."""
    block["count"] = len(points)
    block["x"] = 0.0
    block["y"] = 0.0
    for i, (x, y) in enumerate(points):
        block["x"][i], block["y"][i] = x, y


@dataclass(frozen=True)
class Curve(Kind):
    """Up to `capacity` points [x, y] with rising x; kernels read `.count`, `.x[i]`, `.y[i]`."""

    capacity: int
    x_unit: str = "1"
    x_label: str = "x"  # name of the quantity x

    def dtype(self) -> np.dtype[Any]:
        """Record of `count`, `x` and `y`."""
        n = self.capacity
        return np.dtype([("count", np.int64), ("x", np.float64, (n,)), ("y", np.float64, (n,))], align=True)

    def annotation(self, limits: Limits) -> Any:
        """A list of points [x, y] with rising x, and y within the limits."""
        point = list_of(number_type({}), Limit(min_length=2, max_length=2))
        within = AfterValidator(_within(limits))
        return list_of(point, Limit(max_length=self.capacity), AfterValidator(_rising), within)

    def write(self, record: Any, name: str, value: Any) -> None:
        """Store the points, and zeros after them."""
        _store(record[name], value)

    def read(self, record: Any, name: str) -> Any:
        """The list of points [x, y]."""
        block = record[name]
        n = int(block["count"])
        return [[float(x), float(y)] for x, y in zip(block["x"][:n], block["y"][:n], strict=True)]


@dataclass(frozen=True)
class VecCurve(Kind):
    """Up to `capacity` points [x, [vx, vy, vz]] with rising x; kernels read `.count`, `.x[i]`, `.y[i, k]`."""

    capacity: int
    x_unit: str = "1"
    x_label: str = "x"  # name of the quantity x

    def dtype(self) -> np.dtype[Any]:
        """Record of `count`, `x` and the vectors `y`."""
        n = self.capacity
        return np.dtype([("count", np.int64), ("x", np.float64, (n,)), ("y", np.float64, (n, 3))], align=True)

    def annotation(self, limits: Limits) -> Any:
        """A list of points [x, vector] with rising x, and the vector's numbers within the limits."""
        vector = list_of(number_type(limits), Limit(min_length=3, max_length=3))
        point = GenericAlias(tuple, (number_type({}), vector))
        return list_of(point, Limit(max_length=self.capacity), AfterValidator(_rising))

    def write(self, record: Any, name: str, value: Any) -> None:
        """Store the points, and zeros after them."""
        _store(record[name], value)

    def read(self, record: Any, name: str) -> Any:
        """The list of points [x, [vx, vy, vz]]."""
        block = record[name]
        return [[float(block["x"][i]), block["y"][i].tolist()] for i in range(int(block["count"]))]


@dataclass(frozen=True)
class ResponseTable(Kind):
    """Response by command and speed: rows [command, [[speed, response], ...]] with rising commands and speeds.

    Kernels read `.count`, `.command[j]`, `.point_count[j]`, `.speed[j, k]`, `.response[j, k]`.
    """

    rows: int = 8  # largest number of rows
    points: int = 8  # largest number of points in a row

    def dtype(self) -> np.dtype[Any]:
        """Record of `count` and, for each row, `command`, `point_count`, `speed` and `response`."""
        r, p = self.rows, self.points
        return np.dtype([("count", np.int64), ("command", np.float64, (r,)), ("point_count", np.int64, (r,)),
                         ("speed", np.float64, (r, p)), ("response", np.float64, (r, p))], align=True)  # fmt: skip

    def annotation(self, limits: Limits) -> Any:
        """A list of rows with rising commands and speeds, and responses within the limits."""
        point = list_of(number_type({}), Limit(min_length=2, max_length=2))
        within = AfterValidator(_within(limits))
        points = list_of(point, Limit(min_length=1, max_length=self.points), AfterValidator(_rising), within)
        row = GenericAlias(tuple, (number_type({}), points))
        return list_of(row, Limit(max_length=self.rows), AfterValidator(_rising))

    def write(self, record: Any, name: str, value: Any) -> None:
        """Store the rows, and zeros after them."""
        block = record[name]
        block["count"] = len(value)
        for key in ("command", "point_count", "speed", "response"):
            block[key] = 0
        for j, (command, points) in enumerate(value):
            block["command"][j] = command
            block["point_count"][j] = len(points)
            for k, (speed, response) in enumerate(points):
                block["speed"][j, k] = speed
                block["response"][j, k] = response

    def read(self, record: Any, name: str) -> Any:
        """The list of rows [command, [[speed, response], ...]]."""
        block = record[name]
        rows = []
        for j in range(int(block["count"])):
            points = [
                [float(block["speed"][j, k]), float(block["response"][j, k])]
                for k in range(int(block["point_count"][j]))
            ]
            rows.append([float(block["command"][j]), points])
        return rows
