"""Finds parameters whose values are allowed, but outside the usual range (`suggest` of their fields)."""

from collections.abc import Container, Iterator
from typing import Any, NamedTuple

from driving_sandbox.physics.base.visible import brief
from driving_sandbox.physics.schema.schema import Curve, Field, Kind, ResponseTable, VecCurve
from driving_sandbox.physics.vehicle.vehicle import Vehicle


class Unusual(NamedTuple):
    """A parameter outside its field's suggested range; for a parameter per wheel, the first wheel outside it."""

    path: str
    value: object
    field: Field

    @property
    def range(self) -> str:
        """The suggested range in words, in the field's unit."""
        low, high = self.field.suggest or (0.0, 0.0)
        unit = "" if self.field.unit == "1" else f" {self.field.unit}"
        return f"usually {low:g} to {high:g}{unit}"

    def __str__(self) -> str:
        return f"{self.path}: {brief(self.value)}: {self.range}"


def _numbers_of(kind: Kind, value: Any) -> Iterator[float]:
    """The numbers that a field's limits apply to: all of them, or only the y of a curve, the responses of a table."""
    if isinstance(kind, Curve | VecCurve | ResponseTable):
        value = [y for _, y in value]
    if isinstance(kind, ResponseTable):
        value = [response for points in value for _, response in points]
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, list | tuple | dict):
            stack.extend(item.values() if isinstance(item, dict) else item)
        else:
            yield item


def is_usual(field: Field, value: object) -> bool:
    """Whether a value is the field's default or has all its numbers within the suggested range."""
    if field.suggest is None or value == field.default:
        return True
    low, high = field.suggest
    return all(low <= number <= high for number in _numbers_of(field.kind, value))


def unusual(vehicle: Vehicle, paths: Container[str] | None = None) -> list[Unusual]:
    """The unusual parameters among `paths`, by default among all that can be set; one for each field."""
    warnings = {}
    for parameter in vehicle.parameters():
        field, key = parameter.field, (parameter.slot, parameter.field.name)
        if field.derived or key in warnings or (paths is not None and parameter.path not in paths):
            continue
        value = vehicle.get(parameter.path)
        if not is_usual(field, value):
            warnings[key] = Unusual(parameter.path, value, field)
    return list(warnings.values())
