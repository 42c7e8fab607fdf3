"""Values of a vehicle outside the usual range of cars, though allowed."""

from collections.abc import Container, Iterator
from typing import Any, NamedTuple

from driving_sandbox.physics.base.visible import brief
from driving_sandbox.physics.schema.schema import Curve, Field, Kind, ResponseTable, VecCurve
from driving_sandbox.physics.vehicle.vehicle import Vehicle


class Unusual(NamedTuple):
    """A value outside of the suggested range of its field; of wheels the first one's."""

    path: str
    value: object
    field: Field

    @property
    def range(self) -> str:
        """What is usual, in the field's unit."""
        low, high = self.field.suggest or (0.0, 0.0)
        unit = "" if self.field.unit == "1" else f" {self.field.unit}"
        return f"usual are {low:g} to {high:g}{unit}"

    def __str__(self) -> str:
        return f"{self.path}: {brief(self.value)}: {self.range}"


def _numbers_of(kind: Kind, value: Any) -> Iterator[float]:
    """The numbers of a plain value that limits and ranges are about: of a curve its y, of a table its responses."""
    if isinstance(kind, Curve | VecCurve | ResponseTable):
        value = [y for _, y in value]
    if isinstance(kind, ResponseTable):
        value = [response for points in value for _, response in points]
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, list | tuple | dict):
            waiting.extend(one.values() if isinstance(one, dict) else one)
        else:
            yield one


def is_usual(field: Field, value: object) -> bool:
    """Whether every number of a value lies in the suggested range of its field; what it is by default does as well."""
    if field.suggest is None or value == field.default:
        return True
    low, high = field.suggest
    return all(low <= number <= high for number in _numbers_of(field.kind, value))


def unusual(vehicle: Vehicle, paths: Container[str] | None = None) -> list[Unusual]:
    """Unusual values among some paths, or all that can be set; one for all wheels."""
    found = {}
    for parameter in vehicle.parameters():
        field, key = parameter.field, (parameter.slot, parameter.field.name)
        if field.derived or key in found or (paths is not None and parameter.path not in paths):
            continue
        value = vehicle.get(parameter.path)
        if not is_usual(field, value):
            found[key] = Unusual(parameter.path, value, field)
    return list(found.values())
