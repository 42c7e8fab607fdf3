"""One declaration per parameter or state: type, unit, range, meaning, source.

    class SuspensionParams(PerWheel):
        stiffness: Float = field(unit="N/m", gt=0, suggest=(15e3, 80e3), doc="Force per metre of jounce.")

From it come the numpy record that kernels read (`dtype`), the check of a YAML value (`parse`), the slider of the panel,
the telemetry channel and the reference documentation. Values are in SI units, angles in rad.

A field's kind is one of physics/schema/kinds.py (`Float`, `Int`, `Bool`, `Vec3`, `Choice`, `Words`, `Floats`,
`WheelRef` and others) or of curves.py beside it (`Curve`, `VecCurve`, `ResponseTable`). Arguments of the kind are given
to `field` too, as in `jounce_query: Choice = field(options=("ray", "sweep"), doc=...)`. Kernels read variable-length
kinds as sub-records with a `count`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from dataclasses import field as data_field
from functools import cached_property
from typing import Any, TypedDict, Unpack

import numpy as np
from pydantic import TypeAdapter, ValidationError

from driving_sandbox.physics.base.user_error import WrongValue
from driving_sandbox.physics.base.visible import brief
from driving_sandbox.physics.schema.curves import Curve, ResponseTable, VecCurve
from driving_sandbox.physics.schema.kinds import (
    WHEEL_CAPACITY,
    Block,
    Bool,
    Choice,
    Float,
    Floats,
    Int,
    Kind,
    Named,
    Quat,
    Vec3,
    WheelRef,
    WheelRefs,
    Words,
)
from driving_sandbox.physics.schema.yaml_file import key_hint

__all__ = [  # the kinds belong to declarations and are imported from here
    "WHEEL_CAPACITY", "Block", "Bool", "Choice", "Curve", "Declaration", "Field", "Float", "Floats", "Int", "Kind",
    "Named", "PerWheel", "Quat", "ResponseTable", "Schema", "SchemaError", "Vec3", "VecCurve", "WheelRef", "WheelRefs",
    "Words", "field",
]  # fmt: skip

_KIND_NAMES = sorted(
    name
    for name, kind in list(globals().items())
    if isinstance(kind, type) and issubclass(kind, Kind) and kind is not Kind
)
_MISSING = object()  # the `default` of a field that has none
_TAKEN = set(dir(np.recarray))  # a field named like a numpy attribute would break runs without JIT


class SchemaError(WrongValue):
    """A value violates its declaration; `str()` says the rule."""


@dataclass(frozen=True)
class Field:
    """A declared value.

    Attributes:
        kind: how the value is stored and checked.
        unit: SI unit, "1" for a ratio.
        doc: meaning.
        gt, ge, lt, le: limits (>, >=, <, <=) of the value's numbers (kinds.py and curves.py say which).
        suggest: (low, high) of usual values, the slider's range; also sets missing limits, see LIMIT_FACTOR.
        default: value where a file has none; without a default the field is required.
        mirror: how a value given for an axle or for all wheels is changed for a left wheel: "x" negates the x of a
          vector, "sign" the value (of a curve, its y values).
        derived: computed from other values, never given in a file.
        visual: changes the view only.
        advised: (low, high) of advisable magnitudes; the tuning report lists values outside.
        at_zero: what the report says about a value of 0, unless 0 is the default and so means that the part is off.
        mechanic: adjustable on a real car with tools and spare parts.
        begins_like: field of the same component whose magnitude initialises this one after a component swap, as it
          has no sensible default.
        telemetry: name of a wheel's value in packets for other programs (game/session/stream.py).
        source: requirement or book.
        kind_arguments: arguments of `kind`, kept until the class with the field is created.
    """

    name: str = ""
    kind: Kind = None  # type: ignore[assignment]  # until the class with the field is created
    unit: str = "1"
    doc: str = ""
    gt: float | None = None
    ge: float | None = None
    lt: float | None = None
    le: float | None = None
    suggest: tuple[float, float] | None = None
    default: Any = data_field(default=_MISSING)
    mirror: str | None = None
    derived: bool = False
    visual: bool = False
    advised: tuple[float, float] | None = None
    at_zero: str = ""
    mechanic: bool = False
    begins_like: str | None = None
    telemetry: str | None = None
    source: str = ""
    kind_arguments: dict[str, Any] = data_field(default_factory=dict, hash=False)

    @property
    def required(self) -> bool:
        """Whether a file must give the value."""
        return self.default is _MISSING and not self.derived

    @cached_property
    def _adapter(self) -> TypeAdapter[Any]:
        limits = {k: getattr(self, k) for k in ("gt", "ge", "lt", "le") if getattr(self, k) is not None}
        return TypeAdapter(self.kind.annotation(limits))

    def parse(self, value: Any) -> Any:
        """The value, checked. Raises SchemaError with its position (in lists), the given value and the broken rule."""
        try:
            return self._adapter.validate_python(value)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = "".join(f"[{part}]" for part in first["loc"] if isinstance(part, int))
            rule = first["msg"].removeprefix("Value error, ").replace("Input should be", "must be")
            raise SchemaError(f"{where} {brief(value)}: {rule}".strip()) from None

    def mirrored(self, value: Any) -> Any:
        """The value that means the same on the other side of the car."""
        if self.mirror is None:
            return value
        if isinstance(self.kind, Vec3):
            return [-value[0], value[1], value[2]]
        if isinstance(self.kind, VecCurve):
            return [[x, [-v[0], v[1], v[2]]] for x, v in value]
        if isinstance(self.kind, Curve):
            return [[x, -y] for x, y in value]
        return -value


_DECLARED = {f.name for f in fields(Field)} - {"name", "kind", "kind_arguments"}


class Declaration(TypedDict, total=False):
    """Arguments of `field`: those of `Field`, and after `source` those of the kinds."""

    unit: str
    doc: str
    gt: float | None
    ge: float | None
    lt: float | None
    le: float | None
    suggest: tuple[float, float] | None
    default: Any
    mirror: str | None
    derived: bool
    visual: bool
    advised: tuple[float, float] | None
    at_zero: str
    mechanic: bool
    begins_like: str | None
    telemetry: str | None
    source: str
    capacity: int
    layout: Any
    limits: Mapping[str, tuple[int, int]]
    names: tuple[str, ...]
    options: tuple[str, ...]
    points: int
    rows: int
    x_label: str
    x_unit: str


def field(**declaration: Unpack[Declaration]) -> Any:
    """Declare one value of a Schema: arguments of `Field`, and of the kind in its annotation."""
    field_arguments: dict[str, Any] = {key: value for key, value in declaration.items() if key in _DECLARED}
    kind_arguments = {key: value for key, value in declaration.items() if key not in _DECLARED}
    return _with_hard_limits(Field(**field_arguments, kind_arguments=kind_arguments))


LIMIT_FACTOR = 10.0  # how far hard limits lie beyond the suggested range: room for extreme tuning


def _with_hard_limits(declared: Field) -> Field:
    """The Field with hard limits where it declares none.

    The upper one is LIMIT_FACTOR times the largest suggested magnitude. The lower one is the negative of that, or for a
    positive range its lower end divided by LIMIT_FACTOR. The default always lies within them.
    """
    if declared.suggest is None:
        return declared
    low, high = declared.suggest
    bound = LIMIT_FACTOR * max(abs(low), abs(high))
    default = [declared.default] if isinstance(declared.default, int | float) else []
    if declared.lt is None and declared.le is None:
        declared = replace(declared, le=max([bound, *default]))
    if declared.ge is None and (declared.gt is None or (declared.gt == 0.0 and low > 0.0)):
        lowest = low / LIMIT_FACTOR if low > 0.0 else -bound
        declared = replace(declared, ge=min([lowest, *default]))
    return declared


def _named(schema: str, name: str, kind: Any, declared: Any) -> Field:
    """A class attribute's Field, completed by its name and the kind in its annotation.

    Raises SchemaError for an unknown kind, a missing `field(...)`, or arguments that the kind does not take.
    """
    where = f"{schema}.{name}"
    if not (isinstance(kind, type) and issubclass(kind, Kind)):
        written = getattr(kind, "__name__", str(kind))
        hint = key_hint(written, _KIND_NAMES)
        raise SchemaError(f"{where}: {written} is not a kind of value; kinds are {', '.join(_KIND_NAMES)}{hint}")
    if not isinstance(declared, Field):
        raise SchemaError(f"{where}: must be declared by field(...)")
    if declared.kind is not None:  # a Field of another Schema, reused with an annotation of the same kind
        return replace(declared, name=name)
    try:
        return replace(declared, name=name, kind=kind(**declared.kind_arguments), kind_arguments={})
    except TypeError as error:
        raise SchemaError(f"{where}: field() for a {kind.__name__}: {error}") from None


class Schema:
    """Base class of declarations.

    Attributes:
        fields: {name: Field}, base classes first.
        dtype: aligned record of the fields.
        per_wheel: whether every wheel has its own record.
    """

    fields: dict[str, Any] = {}
    dtype: np.dtype[Any]
    per_wheel = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.fields = dict(cls.fields)
        for name, kind in cls.__dict__.get("__annotations__", {}).items():
            declared = cls.__dict__.get(name)
            if name in _TAKEN:
                raise TypeError(f"{cls.__name__}.{name}: numpy records have an attribute of this name; choose another")
            cls.fields[name] = _named(cls.__name__, name, kind, declared)
        layout = [(f.name, f.kind.dtype()) for f in cls.fields.values()]
        cls.dtype = np.dtype(layout or [("unused", np.int64)], align=True)

    @classmethod
    def defaults(cls, record: Any) -> None:
        """Write every default into a record (a numpy void or 0-d element)."""
        for f in cls.fields.values():
            if f.default is not _MISSING:
                f.kind.write(record, f.name, f.default)


class PerWheel(Schema):
    """A Schema with a record for every wheel."""

    per_wheel = True
