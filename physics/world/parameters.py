"""Parameters of a world that can be changed between ticks: gravity, air density, wind, friction of each surface.

They are declared, checked and named as a vehicle's parameters are (physics/schema/schema.py): `world.gravity`,
`world.air_density`, `world.wind`, `surface.NAME.friction_street` and so on. They are stored where the kernels read
them: in the world's context and in the surface table of its ground. What vehicles derive from gravity is recomputed at
every change, so that the result equals that of a world file with the new value. Barriers have no friction parameters,
as no tire rolls on them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.physics.ground.arrays import FRICTION, MATERIAL_FRICTION, TIRE_TYPES
from driving_sandbox.physics.ground.hull_materials import FRICTION_RANGE
from driving_sandbox.physics.schema.schema import Float, Schema, Vec3, field
from driving_sandbox.physics.tick.context import GRAVITY, Context
from driving_sandbox.physics.vehicle.vehicle import Parameter
from driving_sandbox.physics.world.parameter_table import ParameterTable

if TYPE_CHECKING:
    from driving_sandbox.physics.ground.ground import Ground

WORLD, SURFACE = "world", "surface"  # first components of the parameters' paths


def unsigned_zeros(value: Any) -> np.ndarray:
    """A number or a list of numbers with 0 in place of -0, as equal values must give bit-identical results."""
    return np.add(value, 0.0)


def is_of_world(path: str) -> bool:
    """Whether a path begins like that of a world's parameter, not of a vehicle's; it need not exist."""
    return path.split(".", 1)[0] in (WORLD, SURFACE)


class WorldParams(Schema):
    """Gravity and air, the same for all vehicles; keys of a world file."""

    gravity: Float = field(
        unit="m/s^2", ge=0, le=100, suggest=(0.0, 25.0), default=GRAVITY, doc="Acceleration of free fall, downwards."
    )
    air_density: Float = field(
        unit="kg/m^3", ge=0, le=100, suggest=(0.0, 2.0), default=Context.fields["air_density"].default,
        doc="Drag and downforce are proportional to it; 1.204 at 20 degrees Celsius and sea level.",
    )  # fmt: skip
    wind: Vec3 = field(
        unit="m/s", ge=-100, le=100, suggest=(-20.0, 20.0), default=Context.fields["wind"].default,
        doc="Velocity of the air in world axes (not the direction it comes from); steady and the same everywhere.",
    )  # fmt: skip


def _friction(doc: str) -> Any:
    low, high = FRICTION_RANGE
    return field(ge=low, le=high, suggest=(0.0, 1.5), doc=doc)


class SurfaceParams(Schema):
    """Friction of one surface; keys of a surface in the surfaces file."""

    friction_street: Float = _friction("Coulomb coefficient of a street tire at its nominal load.")
    friction_sport: Float = _friction("Coulomb coefficient of a sport tire at its nominal load.")
    friction_offroad: Float = _friction("Coulomb coefficient of an off-road tire at its nominal load.")
    material_friction: Float = _friction("Friction of the material alone, for vehicles with `friction_rule: mean`.")


# {parameter: its column in the surface table}
COLUMNS = {**{f"friction_{tire}": FRICTION + k for k, tire in enumerate(TIRE_TYPES)},
           "material_friction": MATERIAL_FRICTION}  # fmt: skip


@dataclass(frozen=True)
class _Target:
    """Where a parameter is stored."""

    numbers: np.ndarray  # array that kernels read
    index: tuple  # index of the parameter's elements in it
    sign: float = 1.0  # stored elements = sign * value


class WorldParameters(ParameterTable):
    """Access to a world's parameters by path.

    Args:
        context: the world's context, length-1 record array.
        ground: the world's Ground.
        vehicles: function() -> the world's vehicles.
    """

    owner = "the world"

    def __init__(self, context: np.ndarray, ground: "Ground", vehicles: Callable[..., Any]) -> None:
        super().__init__()
        self._context, self._surfaces, self._vehicles = context, ground.arrays.surfaces, vehicles
        self._targets: dict[str, _Target] = {}
        world_targets = {
            "gravity": _Target(context["gravity"], (0, 2), -1.0), "air_density": _Target(context["air_density"], (0,)),
            "wind": _Target(context["wind"], (0,)),
        }  # fmt: skip
        for f in WorldParams.fields.values():
            self._add(Parameter(f"{WORLD}.{f.name}", WORLD, wheel=None, field=f), world_targets[f.name])
        for row, surface in enumerate(ground.surfaces.surfaces):
            slot = f"{SURFACE}.{surface.name}"
            for f in () if surface.barrier else SurfaceParams.fields.values():
                target = _Target(self._surfaces, (row, COLUMNS[f.name]))
                self._add(Parameter(f"{slot}.{f.name}", slot, wheel=None, field=f), target)
        self._base = self.values()  # {path: value} before any change

    def _add(self, parameter: Parameter, target: "_Target") -> None:
        self._parameters[parameter.path], self._targets[parameter.path] = parameter, target

    def get(self, path: str) -> Any:
        """Present value, SI: a number, or a list of three for a vector."""
        self.parameter(path)
        target = self._targets[path]
        return (target.sign * target.numbers[target.index]).tolist()

    def base(self, path: str) -> Any:
        """Value in the world's files, before any change."""
        self.parameter(path)
        return self._base[path]

    def tobytes(self) -> bytes:
        """Bytes of the arrays that store the parameters: equal bytes mean equal values."""
        return self._context.tobytes() + self._surfaces.tobytes()

    def base_values(self) -> dict[str, Any]:
        """{path: value} of all parameters in the world's files, before any change."""
        return dict(self._base)

    def changed_values(self) -> dict[str, Any]:
        """{path: present value} of the parameters that differ from the world's files."""
        return {path: value for path, value in self.values().items() if value != self._base[path]}

    def set_many(self, values: dict[str, Any]) -> None:
        """Set several parameters at once, all or none, then recompute what vehicles derive. Raises as `checked`."""
        for path, value in self.checked(values).items():
            target = self._targets[path]
            target.numbers[target.index] = target.sign * unsigned_zeros(value)
        for vehicle in self._vehicles():
            vehicle.derive()
