"""The kinds of values that a field may have: how each is stored in a record, checked, written and read.

Kernels read variable-length kinds as sub-records with a `count`. A kind's `annotation` is the type that pydantic checks
a YAML value against. `limits` are the field's gt, ge, lt, le; they apply to all numbers of a value. Curves and tables
are in physics/schema/curves.py.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from types import GenericAlias
from typing import Annotated, Any

import numpy as np
from pydantic import AfterValidator
from pydantic import Field as Limit

from driving_sandbox.physics.schema.yaml_file import key_hint

Limits = dict[str, Any]  # numbers of a field: gt, ge, lt, le

WHEEL_CAPACITY = 20  # wheels a vehicle may have; the length of every per-wheel array
LARGEST = 1e12  # SI; far above any vehicle quantity, and its powers are finite: 1e300 squared is infinite
SMALLEST = 1e-12  # SI; lower limit of positive quantities, as equations divide by them
_ANNOTATED: Any = Annotated  # of types that are made when the program runs


@dataclass(frozen=True)
class Kind:
    """How one type of value is stored, checked, written into a record and read back."""

    def dtype(self) -> np.dtype[Any]:
        """Type of the value's field in a record."""
        raise NotImplementedError

    def annotation(self, limits: Limits) -> Any:
        """Type that pydantic checks a YAML value against; `limits` are its gt, ge, lt, le."""
        raise NotImplementedError

    def write(self, record: Any, name: str, value: Any) -> None:
        """Store a value in the field `name` of a record."""
        record[name] = value

    def read(self, record: Any, name: str) -> Any:
        """The value in the field `name` of a record, as Python objects."""
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


def number_type(limits: Limits) -> Any:
    """Type of a finite number within limits; next to `gt` 0 a `ge` is checked by `_sized`, whose message names it."""
    rules = {key: limit for key, limit in limits.items() if key != "ge" or limits.get("gt") != 0}
    return Annotated[float, Limit(strict=True, allow_inf_nan=False, **rules), _sized(limits)]


def checked(base: Any, *checks: Any) -> Any:
    """The type of values of type `base` that pass `checks`, for pydantic; made when it runs, unlike a type in code."""
    return _ANNOTATED[(base, *checks)]


def list_of(item: Any, *checks: Any) -> Any:
    """The type of lists of `item` that pass `checks`."""
    return checked(GenericAlias(list, (item,)), *checks)


def _word(options: Sequence[str]) -> Any:
    """Type of a word that must be one of `options`."""

    def known(word: str) -> str:
        if word not in options:
            raise ValueError(f"must be one of {', '.join(options)}{key_hint(word, options)}")
        return word

    return Annotated[str, Limit(strict=True), AfterValidator(known)]


@dataclass(frozen=True)
class Float(Kind):
    """A number."""

    def dtype(self) -> np.dtype[Any]:
        """A double."""
        return np.dtype(np.float64)

    def annotation(self, limits: Limits) -> Any:
        """A number within the limits."""
        return number_type(limits)


@dataclass(frozen=True)
class Int(Kind):
    """An integer."""

    def dtype(self) -> np.dtype[Any]:
        """A 64-bit integer."""
        return np.dtype(np.int64)

    def annotation(self, limits: Limits) -> Any:
        """An integer within the limits."""
        return Annotated[int, Limit(strict=True, **limits), _sized({})]


@dataclass(frozen=True)
class Bool(Kind):
    """true or false, stored as 1 or 0."""

    def dtype(self) -> np.dtype[Any]:
        """A 64-bit integer, 0 or 1."""
        return np.dtype(np.int64)

    def annotation(self, limits: Limits) -> Any:
        """true or false."""
        return Annotated[bool, Limit(strict=True)]

    def read(self, record: Any, name: str) -> Any:
        """The value as a bool."""
        return bool(record[name])


@dataclass(frozen=True)
class Vec3(Kind):
    """Three numbers [x right, y forward, z up]."""

    def dtype(self) -> np.dtype[Any]:
        """Three doubles."""
        return np.dtype((np.float64, (3,)))

    def annotation(self, limits: Limits) -> Any:
        """A list of three numbers, each within the limits."""
        return list_of(number_type(limits), Limit(min_length=3, max_length=3))

    def read(self, record: Any, name: str) -> Any:
        """The three numbers as a list."""
        return record[name].tolist()


@dataclass(frozen=True)
class Quat(Kind):
    """A unit quaternion [x, y, z, w]."""

    def dtype(self) -> np.dtype[Any]:
        """Four doubles."""
        return np.dtype((np.float64, (4,)))

    def annotation(self, limits: Limits) -> Any:
        """A list of four numbers whose squares add up to 1."""

        def unit(q: list[float]) -> list[float]:
            if abs(sum(c * c for c in q) - 1.0) > 1e-5:  # float32 files carry about 1e-7
                raise ValueError("must be a rotation: the squares of x, y, z, w add up to 1")
            return q

        return list_of(number_type({}), Limit(min_length=4, max_length=4), AfterValidator(unit))

    def read(self, record: Any, name: str) -> Any:
        """The four numbers as a list."""
        return record[name].tolist()


@dataclass(frozen=True)
class Block(Kind):
    """A record within a state, never in a file.

    limits: {name of an integer in it: (min, max)}; by default 0 to 1 (physics/vehicle/state_limits.py).
    """

    layout: np.dtype[Any]
    limits: Mapping[str, tuple[int, int]] = dataclass_field(default_factory=dict, hash=False)

    def dtype(self) -> np.dtype[Any]:
        """The layout of the record."""
        return self.layout

    def read(self, record: Any, name: str) -> Any:
        """None: a record is not a value of a file."""
        return None


@dataclass(frozen=True)
class Choice(Kind):
    """One word of a list, stored as its index."""

    options: tuple[str, ...]

    def dtype(self) -> np.dtype[Any]:
        """A 64-bit integer, the index of the word."""
        return np.dtype(np.int64)

    def annotation(self, limits: Limits) -> Any:
        """One of the words."""
        return _word(self.options)

    def write(self, record: Any, name: str, value: Any) -> None:
        """Store the index of a word."""
        record[name] = self.options.index(value)

    def read(self, record: Any, name: str) -> Any:
        """The word."""
        return self.options[int(record[name])]


@dataclass(frozen=True)
class WheelRef(Kind):
    """A wheel, written by its name and stored as its index (the loader resolves names before it writes)."""

    def dtype(self) -> np.dtype[Any]:
        """A 64-bit integer, the index of the wheel."""
        return np.dtype(np.int64)

    def annotation(self, limits: Limits) -> Any:
        """The index of a wheel."""
        return Annotated[int, Limit(strict=True, ge=0, lt=WHEEL_CAPACITY)]


@dataclass(frozen=True)
class Floats(Kind):
    """A list of up to `capacity` numbers; kernels read `.count` and `.values[i]`."""

    capacity: int

    def dtype(self) -> np.dtype[Any]:
        """Record of `count` and `values`, doubles."""
        return np.dtype([("count", np.int64), ("values", np.float64, (self.capacity,))], align=True)

    def annotation(self, limits: Limits) -> Any:
        """A list of at most `capacity` numbers, each within the limits."""
        return list_of(number_type(limits), Limit(max_length=self.capacity))

    def write(self, record: Any, name: str, value: Any) -> None:
        """Store the numbers, and zeros after them."""
        block = record[name]
        block["count"] = len(value)
        block["values"] = 0.0
        block["values"][: len(value)] = value

    def read(self, record: Any, name: str) -> Any:
        """The list of numbers."""
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
        """Record of `count` and `values`, indices of words."""
        return np.dtype([("count", np.int64), ("values", np.int64, (self.capacity,))], align=True)

    def annotation(self, limits: Limits) -> Any:
        """A list of at most `capacity` of the words."""
        return list_of(_word(self.options), Limit(max_length=self.capacity))

    def write(self, record: Any, name: str, value: Any) -> None:
        """Store the indices of the words, and zeros after them."""
        block = record[name]
        block["count"] = len(value)
        block["values"] = 0
        block["values"][: len(value)] = [self.options.index(word) for word in value]

    def read(self, record: Any, name: str) -> Any:
        """The list of words."""
        block = record[name]
        return [self.options[k] for k in block["values"][: int(block["count"])].tolist()]


@dataclass(frozen=True)
class Named(Kind):
    """Numbers by name: some or all of `names` (lower case). Kernels read `.<name>`, NaN for one that is not given.

    Files may write the names in any case; `read` returns them in upper case, as in tire property files.
    """

    names: tuple[str, ...]

    def dtype(self) -> np.dtype[Any]:
        """Record of a double for each name."""
        return np.dtype([(name, np.float64) for name in self.names], align=True)

    def annotation(self, limits: Limits) -> Any:
        """A mapping of known names, in any case, to numbers within the limits."""
        known = [name.upper() for name in self.names]

        def in_upper_case(values: dict[Any, Any]) -> dict[str, Any]:
            uppercase = {str(name).upper(): value for name, value in values.items()}
            for name in uppercase:
                if name not in known:
                    raise ValueError(f"{name!r} is not a known name{key_hint(name, known)}")
            if len(uppercase) < len(values):
                raise ValueError("gives a name twice, with different capital letters")
            return uppercase

        return checked(GenericAlias(dict, (str, number_type(limits))), AfterValidator(in_upper_case))

    def write(self, record: Any, name: str, value: Any) -> None:
        """Store the numbers of a mapping of upper-case names, and NaN for a name that it lacks."""
        block = record[name]
        for key in self.names:
            block[key] = value.get(key.upper(), math.nan)

    def read(self, record: Any, name: str) -> Any:
        """{name in upper case: number} of those that are given."""
        block = record[name]
        return {key.upper(): float(block[key]) for key in self.names if not math.isnan(block[key])}
