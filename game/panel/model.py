"""What the panel needs from the program: read a vehicle, change it, undo, keep setups.

`PanelModel` is the whole interface. `VehicleModel` implements it for a vehicle that is changed through one callable,
so that a session can record every change and let it act between two ticks.
"""

from __future__ import annotations

import re
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from physics.vehicle_file import apply_setup, setup_text
from physics.yaml_file import ConfigError, load_yaml

USER_ERRORS = (ValueError, OSError, ConfigError)  # what a wrong value, name or file raises; shown, never fatal
HISTORY_LENGTH = 500  # steps kept; a step holds only the values it changed


class PanelModel(Protocol):
    """`set_parameters`, `save_setup` and `load_setup` may raise USER_ERRORS; the panel shows their text."""

    vehicle: Any
    messages: list

    def set_parameters(self, values: dict, gesture: int | None = None) -> None:
        """Change several values at once or none. Changes of one `gesture` (one drag) are one step of undo."""

    def set_parameter(self, path: str, value: Any) -> None: ...

    @property
    def can_undo(self) -> bool: ...

    @property
    def can_redo(self) -> bool: ...

    def undo(self) -> None: ...

    def redo(self) -> None: ...

    def save_setup(self, name: str) -> Path: ...

    def load_setup(self, path: Path) -> None: ...

    def setups(self) -> list: ...


@dataclass
class Edit:
    """One step of undo: the values before and after, or the components (physics.swap.Plan)."""

    before: Any
    after: Any
    gesture: int | None


class EditHistory:
    """Undo and redo of changes made through `apply(values)`, which raises before it changes anything."""

    def __init__(self, apply):
        self._apply = apply
        self._done = []
        self._undone = []

    @property
    def can_undo(self):
        return bool(self._done)

    @property
    def can_redo(self):
        return bool(self._undone)

    def change(self, before, after, gesture=None):
        """Apply `after` and remember `before`; the same values changed in the same gesture extend the last step."""
        self._apply(after)
        self._undone.clear()
        last = self._done[-1] if self._done else None
        if last and gesture is not None and last.gesture == gesture and last.after.keys() == after.keys():
            last.after = dict(after)
            return
        self._done.append(Edit(copy(before), copy(after), gesture))
        del self._done[:-HISTORY_LENGTH]

    def undo(self):
        if self._done:
            self._apply(self._done[-1].before)
            self._undone.append(self._done.pop())

    def redo(self):
        if self._undone:
            self._apply(self._undone[-1].after)
            self._done.append(self._undone.pop())


class VehicleModel:
    """A PanelModel over one vehicle.

    Args:
        vehicle: physics.vehicle.Vehicle. folder: where setups lie.
        apply: callable taking {path: value}; `vehicle.set_many` unless a session wants to hear of changes.
    """

    def __init__(self, vehicle, folder, apply=None):
        self.messages = []
        self._folder = Path(folder)
        self._apply = apply or (lambda values: self._vehicle.set_many(values))
        self.vehicle = vehicle

    @property
    def vehicle(self):
        return self._vehicle

    @vehicle.setter
    def vehicle(self, vehicle):
        """Another vehicle has other paths: what was done to the last one cannot be undone here."""
        self._vehicle = vehicle
        self._history = EditHistory(self._apply)

    def set_parameters(self, values, gesture=None):
        before = {path: self.vehicle.get(path) for path in values}
        if before != values:
            self._history.change(before, values, gesture)

    def set_parameter(self, path, value):
        self.set_parameters({path: value})

    @property
    def can_undo(self):
        return self._history.can_undo

    @property
    def can_redo(self):
        return self._history.can_redo

    def undo(self):
        self._history.undo()

    def redo(self):
        self._history.redo()

    def setups(self):
        return sorted(self._folder.glob("*.yaml"))

    def save_setup(self, name):
        name = name.strip()
        if not re.fullmatch(r"[\w][\w .()+-]*", name):
            raise ValueError(f"{name!r}: a setup's name is made of letters, digits, spaces and . ( ) + - _")
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{name}.yaml"
        path.write_text(setup_text(self.vehicle), encoding="utf-8")
        self.messages.append(f"saved {path}")
        return path

    def load_setup(self, path):
        """Replace all changes by the setup's, as one step of undo."""
        setup = load_yaml(path)
        authored = [p.path for p in self.vehicle.parameters() if not p.field.derived]
        kept = {p: self.vehicle.get(p) for p in authored}
        base = self.vehicle.base_values()
        self.vehicle.set_many({p: base[p] for p in authored})
        try:
            apply_setup(self.vehicle, setup)
            wanted = {p: self.vehicle.get(p) for p in authored}
        finally:
            self.vehicle.set_many(kept)
        different = {p: v for p, v in wanted.items() if v != kept[p]}
        if different:
            self.set_parameters(different)
        self.messages.append(f"loaded {Path(path).name}: {len(different)} values changed")
