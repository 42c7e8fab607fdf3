"""Parameters shown as the quantities that tuners use: stiffness as ride frequency, damping as damping ratio.

With the sprung mass m on a wheel, stiffness k and damping c, the ride frequency is sqrt(k / m) / (2 pi) and the damping
ratio c / (2 sqrt(k m)) (Milliken, Race Car Vehicle Dynamics, chapters 16 and 22). Editing such a form changes the
parameter itself.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from driving_sandbox.physics.schema.schema import Field, Float


@dataclass(frozen=True)
class LinkedForm:
    """Another form of a parameter.

    Attributes:
        slot: slot of the parameter.
        parameter: field name of the parameter.
        field: declaration of the other form.
        needs: names of fields of the same wheel that the conversion needs.
        to_form: function(value, *needs) -> other form.
        to_value: function(other form, *needs) -> value.
    """

    slot: str
    parameter: str
    field: Field
    needs: tuple
    to_form: Callable
    to_value: Callable

    def path(self, path: str) -> str:
        """The path under which the panel shows the other form of the value at `path`."""
        return f"{path.rpartition('.')[0]}.{self.field.name}"

    def form_of(self, get: Callable[[str], Any], path: str) -> Any:
        """The other form of the value at `path`; `get` is function(path) -> value."""
        return self.to_form(get(path), *self._others(get, path))

    def value_for(self, get: Callable[[str], Any], path: str, form: Any) -> Any:
        """The value to set at `path` so that the other form becomes `form`."""
        return self.to_value(form, *self._others(get, path))

    def _others(self, get: Callable[[str], Any], path: str) -> list[Any]:
        """Values of the fields `needs` of the wheel that `path` belongs to."""
        stem = path.rpartition(".")[0]
        return [get(f"{stem}.{name}") for name in self.needs]


LINKED_FORMS = (
    LinkedForm(
        slot="suspension", parameter="stiffness",
        field=Field(name="ride_frequency", kind=Float(), unit="Hz", gt=0, suggest=(0.8, 4.0), default=None,
                    mechanic=True, source="Milliken",
                    doc="Natural frequency of the sprung mass on this spring. Comfortable cars 1 to 1.5, sports cars "
                        "1.5 to 2.5, racing cars with wings 3 to 6. Changing it changes the stiffness."),
        needs=("supported_mass",),
        to_form=lambda k, mass: math.sqrt(k / mass) / (2.0 * math.pi),
        to_value=lambda frequency, mass: mass * (2.0 * math.pi * frequency) ** 2,
    ),
    LinkedForm(
        slot="suspension", parameter="damping",
        field=Field(name="damping_ratio", kind=Float(), unit="1", ge=0, suggest=(0.1, 1.2), default=None,
                    mechanic=True, source="Milliken",
                    doc="Damping over critical damping. 0.2 to 0.4 rides softly, 0.6 to 0.8 grips best. Changing it "
                        "changes the damping."),
        needs=("stiffness", "supported_mass"),
        to_form=lambda c, k, mass: c / (2.0 * math.sqrt(k * mass)),
        to_value=lambda ratio, k, mass: ratio * 2.0 * math.sqrt(k * mass),
    ),
)  # fmt: skip


def linked_to(vehicle: Any, slot: str, name: str) -> LinkedForm | None:
    """The LinkedForm of a parameter, or None if it has none or the vehicle lacks a field that the conversion needs."""
    for linked in LINKED_FORMS:
        if (linked.slot, linked.parameter) == (slot, name):
            component = vehicle.sequence.by_slot.get(slot)
            fields = component.params.fields if component and component.params else {}
            if all(need in fields for need in linked.needs):
                return linked
    return None
