"""The values that the panel shows: read when visible, and cached until the parameters change."""

from __future__ import annotations

from typing import Any

from driving_sandbox.game.panel.layout import Cell, Group, Row
from driving_sandbox.game.session.edits import PanelModel, holder_of
from driving_sandbox.physics.schema.schema import Field

_MISSING = object()


class VehicleValues:
    """Cached values of the vehicle, its sound and the world of a PanelModel.

    Attributes:
        vehicle: the vehicle shown at present.
        world: WorldParameters, or () without a world.
        sound: SoundParameters of the vehicle, or () without sound.
        declared: {path: schema.Field}.
        base: {path: value as loaded}.
    """

    def __init__(self, model: PanelModel) -> None:
        self._model = model
        self._bytes: list[bytes] | None = None  # contents of the parameter records when the caches were valid
        self.vehicle: Any = None
        self.world, self.sound = model.world, ()
        self.declared: dict[str, Field] = {}
        self.base: dict[str, Any] = {}
        self._values: dict[str, Any] = {}  # {path: value}
        self._counts: dict[str, int] = {}  # {slot: number of changed values}

    def refresh(self) -> bool:
        """Discard cached values if parameters have changed; returns whether vehicle or sound is another object."""
        vehicle, sound = self._model.vehicle, self._model.sound
        swapped = vehicle is not self.vehicle or sound is not self.sound
        others = [parameters for parameters in (self.world, sound) if parameters]
        content = [parameters.tobytes() for parameters in (vehicle.params, *others)]
        if swapped or content != self._bytes:
            self._bytes = content
            self._values = {}
            self._counts = {}
        if swapped:
            self.vehicle, self.sound = vehicle, sound
            self.declared = {p.path: p.field for source in (vehicle, *others) for p in source.parameters()}
            self.base = {path: value for source in (vehicle, *others) for path, value in source.base_values().items()}
        return swapped

    def shown(self, row: Row, cell: Cell) -> Any:
        """The value that a cell shows; in a row with `linked`, the other form of it."""
        if row.linked is None:
            return self.get(cell.path)
        return row.linked.form_of(self.get, cell.targets[-1].path)  # the last target is a right wheel's

    def base_shown(self, row: Row, cell: Cell) -> Any:
        """The value that a cell would show with the parameters as loaded."""
        if row.linked is None:
            return self.base[cell.path]
        return row.linked.form_of(lambda path: self.base.get(path, self.get(path)), cell.targets[-1].path)

    def get(self, path: str) -> Any:
        """The value at a path."""
        value = self._values.get(path, _MISSING)
        if value is _MISSING:
            value = self._values[path] = holder_of(self, path).get(path)
        return value

    def is_changed(self, path: str) -> bool:
        """Whether the value at a path differs from that loaded; derived values never count."""
        return not self.declared[path].derived and self.get(path) != self.base[path]

    def row_changed(self, row: Row) -> bool:
        """Whether any value that a row writes has changed."""
        return any(self.is_changed(path) for path in row.paths)

    def is_symmetric(self, row: Row, cell: Cell) -> bool:
        """Whether the values that a cell writes together are mirror images of each other."""
        if row.linked is not None:
            return len({self.get(target.path) for target in cell.targets}) == 1
        value, mirrored = self.get(cell.path), row.field.mirrored
        return all(self.get(t.path) == (mirrored(value) if t.mirror else value) for t in cell.targets)

    def changes_in(self, group: Group) -> int:
        """Number of changed values of a group."""
        count = self._counts.get(group.slot)
        if count is None:
            paths = {path for row in group.rows for path in row.paths}
            count = self._counts[group.slot] = sum(map(self.is_changed, paths))
        return count

    def all_changed(self) -> list[str]:
        """Paths of all changed values."""
        return [path for path in self.declared if self.is_changed(path)]
