"""The kinds of values that a field may have: how each is stored in a record, checked, written and read.

Kernels read variable-length kinds as sub-records with a `count`. A kind's `annotation` is the type that pydantic checks
a YAML value against. `limits` are the field's gt, ge, lt, le; they apply to all numbers of a value, but in curves and
tables only to the y values and responses.
"""

# mypy cannot follow types made at run time, which pydantic checks against.
# mypy: disable-error-code="call-overload, misc, valid-type"

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import Annotated, Any

import numpy as np
from pydantic import AfterValidator, TypeAdapter
from pydantic import Field as Limit

from driving_sandbox.physics.schema.yaml_file import key_hint

Limits = dict[str, float]  # of a field: gt, ge, lt, le

WHEEL_CAPACITY = 20  # wheels a vehicle may have; the length of every per-wheel array
LARGEST = 1e12  # SI; far above any vehicle quantity, and its powers are finite: 1e300 squared is infinite
SMALLEST = 1e-12  # SI; lower limit of positive quantities, as equations divide by them


@dataclass(frozen=True)
class Kind:
    """How one type of value is stored, checked, written into a record and read back."""

    def dtype(self) -> np.dtype[Any]:
        raise NotImplementedError

    def annotation(self, limits: Limits) -> Any:
        """Type that pydantic checks a YAML value against; `limits` are its gt, ge, lt, le."""
        raise NotImplementedError

    def write(self, record: Any, name: str, value: Any) -> None:
        record[name] = value

    def read(self, record: Any, name: str) -> Any:
        return record[name].item()


def _sized(limits: Limits) -> AfterValidator:
    """Check that a number is at most LARGEST in magnitude, and where `gt` is 0 at least SMALLEST, or `ge` if larger."""
    lowest = max(SMALLEST, limits.get("ge", SMALLEST)) if limits.get("gt") == 0 else None

    def sized(value: float) -> float:
        if abs(value) > LARGEST:
            raise ValueError(f"must not be beyond {LARGEST:g} in magnitude")
        if lowest is not None and value < lowest:
            raise ValueError(f"must be at least {lowest:g}")
        return value

    return AfterValidator(sized)


def _number(limits: Limits) -> Any:
    """Type of a finite number within limits; next to `gt` 0 a `ge` is checked by `_sized`, whose message names it."""
    rules = {key: limit for key, limit in limits.items() if key != "ge" or limits.get("gt") != 0}
    return Annotated[float, Limit(strict=True, allow_inf_nan=False, **rules), _sized(limits)]


def _word(options: Sequence[str]) -> Any:
    """Type of a word that must be one of `options`."""

    def known(word: str) -> str:
        if word not in options:
            raise ValueError(f"must be one of {', '.join(options)}{key_hint(word, options)}")
        return word

    return Annotated[str, Limit(strict=True), AfterValidator(known)]


@dataclass(frozen=True)
class Float(Kind):
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(np.float64)

    def annotation(self, limits: Limits) -> Any:
        return _number(limits)


@dataclass(frozen=True)
class Int(Kind):
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(np.int64)

    def annotation(self, limits: Limits) -> Any:
        return Annotated[int, Limit(strict=True, **limits), _sized({})]


@dataclass(frozen=True)
class Bool(Kind):
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(np.int64)

    def annotation(self, limits: Limits) -> Any:
        return Annotated[bool, Limit(strict=True)]

    def read(self, record: Any, name: str) -> Any:
        return bool(record[name])


@dataclass(frozen=True)
class Vec3(Kind):
    """Three numbers [x right, y forward, z up]."""

    def dtype(self) -> np.dtype[Any]:
        return np.dtype((np.float64, (3,)))

    def annotation(self, limits: Limits) -> Any:
        return Annotated[list[_number(limits)], Limit(min_length=3, max_length=3)]

    def read(self, record: Any, name: str) -> Any:
        return record[name].tolist()


@dataclass(frozen=True)
class Quat(Kind):
    """A unit quaternion [x, y, z, w]."""

    def dtype(self) -> np.dtype[Any]:
        return np.dtype((np.float64, (4,)))

    def annotation(self, limits: Limits) -> Any:
        def unit(q: list[float]) -> list[float]:
            if abs(sum(c * c for c in q) - 1.0) > 1e-5:  # float32 files carry about 1e-7
                raise ValueError("must be a rotation: the squares of x, y, z, w add up to 1")
            return q

        return Annotated[list[_number({})], Limit(min_length=4, max_length=4), AfterValidator(unit)]

    def read(self, record: Any, name: str) -> Any:
        return record[name].tolist()


@dataclass(frozen=True)
class Block(Kind):
    """A record within a state, never in a file.

    limits: {name of an integer in it: (min, max)}; by default 0 to 1 (physics/vehicle/state_limits.py).
    """

    layout: Any
    limits: Mapping[str, tuple[int, int]] = dataclass_field(default_factory=dict, hash=False)

    def dtype(self) -> np.dtype[Any]:
        return self.layout

    def read(self, record: Any, name: str) -> Any:
        return None


@dataclass(frozen=True)
class Choice(Kind):
    """One word of a list, stored as its index."""

    options: tuple[str, ...]

    def dtype(self) -> np.dtype[Any]:
        return np.dtype(np.int64)

    def annotation(self, limits: Limits) -> Any:
        return _word(self.options)

    def write(self, record: Any, name: str, value: Any) -> None:
        record[name] = self.options.index(value)

    def read(self, record: Any, name: str) -> Any:
        return self.options[int(record[name])]


@dataclass(frozen=True)
class WheelRef(Kind):
    """A wheel, written by its name and stored as its index (the loader resolves names before it writes)."""

    def dtype(self) -> np.dtype[Any]:
        return np.dtype(np.int64)

    def annotation(self, limits: Limits) -> Any:
        return Annotated[int, Limit(strict=True, ge=0, lt=WHEEL_CAPACITY)]


@dataclass(frozen=True)
class Floats(Kind):
    """A list of up to `capacity` numbers; kernels read `.count` and `.values[i]`."""

    capacity: int

    def dtype(self) -> np.dtype[Any]:
        return np.dtype([("count", np.int64), ("values", np.float64, (self.capacity,))], align=True)

    def annotation(self, limits: Limits) -> Any:
        return Annotated[list[_number(limits)], Limit(max_length=self.capacity)]

    def write(self, record: Any, name: str, value: Any) -> None:
        block = record[name]
        block["count"] = len(value)
        block["values"] = 0.0
        block["values"][: len(value)] = value

    def read(self, record: Any, name: str) -> Any:
        block = record[name]
        return block["values"][: int(block["count"])].tolist()


class WheelRefs(Floats):
    """A list of up to `capacity` wheels by their indices, stored as `Floats`."""


@dataclass(frozen=True)
class Words(Kind):
    """A list of up to `capacity` words of `options`, stored as indices; kernels read `.count` and `.values[i]`."""

    options: tuple[str, ...]
    capacity: int

    def dtype(self) -> np.dtype[Any]:
        return np.dtype([("count", np.int64), ("values", np.int64, (self.capacity,))], align=True)

    def annotation(self, limits: Limits) -> Any:
        return Annotated[list[_word(self.options)], Limit(max_length=self.capacity)]

    def write(self, record: Any, name: str, value: Any) -> None:
        block = record[name]
        block["count"] = len(value)
        block["values"] = 0
        block["values"][: len(value)] = [self.options.index(word) for word in value]

    def read(self, record: Any, name: str) -> Any:
        block = record[name]
        return [self.options[k] for k in block["values"][: int(block["count"])].tolist()]


@dataclass(frozen=True)
class Named(Kind):
    """Numbers by name: some or all of `names` (lower case). Kernels read `.<name>`, NaN for one that is not given.

    Files may write the names in any case; `read` returns them in upper case, as in tire property files.
    """

    names: tuple[str, ...]

    def dtype(self) -> np.dtype[Any]:
        return np.dtype([(name, np.float64) for name in self.names], align=True)

    def annotation(self, limits: Limits) -> Any:
        known = [name.upper() for name in self.names]

        def in_upper_case(values: dict[Any, Any]) -> dict[str, Any]:
            uppercase = {str(name).upper(): value for name, value in values.items()}
            for name in uppercase:
                if name not in known:
                    raise ValueError(f"{name!r} is not a known name{key_hint(name, known)}")
            if len(uppercase) < len(values):
                raise ValueError("gives a name twice, with different capital letters")
            return uppercase

        return Annotated[dict[str, _number(limits)], AfterValidator(in_upper_case)]

    def write(self, record: Any, name: str, value: Any) -> None:
        block = record[name]
        for key in self.names:
            block[key] = value.get(key.upper(), math.nan)

    def read(self, record: Any, name: str) -> Any:
        block = record[name]
        return {key.upper(): float(block[key]) for key in self.names if not math.isnan(block[key])}


def _rising(points: list[Any]) -> list[Any]:
    """Check that the first numbers of the points rise; returns the points."""
    for before, after in zip(points, points[1:], strict=False):
        if not after[0] > before[0]:
            raise ValueError(f"x values must rise: {before[0]:g} is followed by {after[0]:g}")
    return points


def _within(limits: Limits) -> Callable[[list[Any]], list[Any]]:
    """A function that checks that the second number of every point is within the field's limits."""
    check = TypeAdapter(_number(limits))

    def within(points: list[Any]) -> list[Any]:
        for _, y in points:
            check.validate_python(y)
        return points

    return within


@dataclass(frozen=True)
class Curve(Kind):
    """Up to `capacity` points [x, y] with rising x; kernels read `.count`, `.x[i]`, `.y[i]`."""

    capacity: int
    x_unit: str = "1"
    x_label: str = "x"  # name of the quantity x

    def dtype(self) -> np.dtype[Any]:
        n = self.capacity
        return np.dtype([("count", np.int64), ("x", np.float64, (n,)), ("y", np.float64, (n,))], align=True)

    def annotation(self, limits: Limits) -> Any:
        point = Annotated[list[_number({})], Limit(min_length=2, max_length=2)]
        within = AfterValidator(_within(limits))
        return Annotated[list[point], Limit(max_length=self.capacity), AfterValidator(_rising), within]

    def write(self, record: Any, name: str, value: Any) -> None:
        block = record[name]
        block["count"] = len(value)
        block["x"] = 0.0
        block["y"] = 0.0
        for i, (x, y) in enumerate(value):
            block["x"][i] = x
            block["y"][i] = y

    def read(self, record: Any, name: str) -> Any:
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
        n = self.capacity
        return np.dtype([("count", np.int64), ("x", np.float64, (n,)), ("y", np.float64, (n, 3))], align=True)

    def annotation(self, limits: Limits) -> Any:
        vector = Annotated[list[_number(limits)], Limit(min_length=3, max_length=3)]
        return Annotated[list[tuple[_number({}), vector]], Limit(max_length=self.capacity), AfterValidator(_rising)]

    def write(self, record: Any, name: str, value: Any) -> None:
        block = record[name]
        block["count"] = len(value)
        block["x"] = 0.0
        block["y"] = 0.0
        for i, (x, vector) in enumerate(value):
            block["x"][i] = x
            block["y"][i] = vector

    def read(self, record: Any, name: str) -> Any:
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
        r, p = self.rows, self.points
        return np.dtype([("count", np.int64), ("command", np.float64, (r,)), ("point_count", np.int64, (r,)),
                         ("speed", np.float64, (r, p)), ("response", np.float64, (r, p))], align=True)  # fmt: skip

    def annotation(self, limits: Limits) -> Any:
        point = Annotated[list[_number({})], Limit(min_length=2, max_length=2)]
        within = AfterValidator(_within(limits))
        row = Annotated[list[point], Limit(min_length=1, max_length=self.points), AfterValidator(_rising), within]
        return Annotated[list[tuple[_number({}), row]], Limit(max_length=self.rows), AfterValidator(_rising)]

    def write(self, record: Any, name: str, value: Any) -> None:
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
        block = record[name]
        rows = []
        for j in range(int(block["count"])):
            points = [
                [float(block["speed"][j, k]), float(block["response"][j, k])]
                for k in range(int(block["point_count"][j]))
            ]
            rows.append([float(block["command"][j]), points])
        return rows
