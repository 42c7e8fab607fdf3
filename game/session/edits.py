"""What the panel needs from the program: read a vehicle, change it, undo, save and load setups.

`PanelModel` is the whole interface. `VehicleModel` implements it for a vehicle that is not driven; its subclass
`Tuning`, for the one that is driven, records every change, and it acts between two ticks.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from driving_sandbox.game.platform.user_folder import write_atomic
from driving_sandbox.physics.base.user_error import WrongValue
from driving_sandbox.physics.vehicle.vehicle_file import VEHICLE_FOLDER, apply_setup, load_setup, own_text, setup_text

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle
    from driving_sandbox.physics.world.parameters import WorldParameters

RECENT_COUNT = 20  # values in the panel's list of recent changes
HISTORY_LENGTH = 500  # undo steps; a step holds only the values it changed


class PanelModel(Protocol):
    """`set_parameters`, `save_setup` and `load_setup` may raise UserError; the panel shows their text."""

    vehicle: Any
    world: Any  # physics.world.parameters.WorldParameters, or () without a world
    messages: list

    def set_parameters(self, values: dict, gesture: int | None = None) -> None:
        """Change all values or, on an error, none. Changes of one `gesture` (one drag) are one step of undo."""

    def set_parameter(self, path: str, value: Any, gesture: int | None = None) -> None: ...

    @property
    def can_undo(self) -> bool: ...

    @property
    def can_redo(self) -> bool: ...

    def recent(self) -> list:
        """Paths of the values changed last, the newest first."""

    def undo(self) -> None: ...

    def redo(self) -> None: ...

    def save_setup(self, name: str) -> Path: ...

    def save_vehicle(self, name: str) -> Path: ...

    def setup_values(self, path: Path) -> dict:
        """{path: value} that every parameter would have with a setup."""

    def load_setup(self, path: Path) -> None: ...

    def setups(self) -> list: ...


@dataclass
class Edit:
    """One step of undo: the values before and after, or the components (physics.vehicle.swap.Swap)."""

    before: Any
    after: Any
    gesture: int | None


class EditHistory:
    """The steps that can be undone and redone; the caller applies the changes."""

    def __init__(self) -> None:
        self._done = []
        self._undone = []

    @property
    def can_undo(self) -> bool:
        return bool(self._done)

    @property
    def can_redo(self):
        return bool(self._undone)

    def add(self, before, after, gesture=None):
        """Add a change that was made; one of the same values in the same gesture extends the last step."""
        self._undone.clear()
        last = self._done[-1] if self._done else None
        if last and gesture is not None and last.gesture == gesture and last.after.keys() == after.keys():
            last.after = dict(after)
            return
        self._done.append(Edit(copy(before), copy(after), gesture))
        del self._done[:-HISTORY_LENGTH]

    def forget(self, is_gone):
        """Remove the values at paths for which `is_gone(path)` holds, and steps without values."""
        for steps in (self._done, self._undone):
            for edit in steps:
                if isinstance(edit.after, dict) and any(map(is_gone, edit.after)):
                    edit.before, edit.after = (
                        {path: value for path, value in values.items() if not is_gone(path)}
                        for values in (edit.before, edit.after)
                    )
            steps[:] = [edit for edit in steps if edit.after != {}]

    def latest(self, count):
        """Paths of the values changed last, the newest first, at most `count`."""
        paths = {}
        for edit in reversed(self._done):
            if isinstance(edit.after, dict):
                paths.update(dict.fromkeys(edit.after))
            if len(paths) >= count:
                break
        return list(paths)[:count]

    def undo(self, change: Callable[..., Any]) -> None:
        """Pass the values before the last step to `change`; the step counts as undone unless that raises."""
        if self._done:
            change(self._done[-1].before)
            self._undone.append(self._done.pop())

    def redo(self, change):
        """Pass the values of the step undone last to `change`."""
        if self._undone:
            change(self._undone[-1].after)
            self._done.append(self._undone.pop())


class VehicleModel:
    """A PanelModel over one vehicle.

    Args:
        vehicle: physics.vehicle.vehicle.Vehicle. folder: of setups; saved vehicles go into its sibling
        `vehicles`. world: WorldParameters that are changed along with it. Setups are a vehicle's and leave them out.
    """

    def __init__(self, vehicle: Vehicle, folder: Path, world: WorldParameters | tuple[()] = ()) -> None:
        self.messages, self.world = [], world
        self._folder = Path(folder)
        self.vehicle = vehicle

    @property
    def vehicle(self) -> Vehicle | None:
        return self._vehicle

    @vehicle.setter
    def vehicle(self, vehicle: Vehicle) -> None:
        """Another vehicle has other paths: changes of the previous one cannot be undone here."""
        self._vehicle = vehicle
        self._history = EditHistory()

    def set_parameters(self, values, gesture=None):
        before = {path: (self.world if path in self.world else self.vehicle).get(path) for path in values}
        if before != values:
            self._do(before, values, gesture)

    def set_parameter(self, path, value, gesture=None):
        self.set_parameters({path: value}, gesture)

    def _do(self, before, after, gesture=None):
        """Make a change, as a step of undo."""
        self._set(after)
        self._history.add(before, after, gesture)

    def _set(self, values):
        """Change values {path: value}, all or none."""
        of_world = {path: value for path, value in values.items() if path in self.world}
        self._vehicle.set_many({path: value for path, value in values.items() if path not in of_world})
        if of_world:
            self.world.set_many(of_world)

    @property
    def can_undo(self) -> bool:
        return self._history.can_undo

    @property
    def can_redo(self):
        return self._history.can_redo

    def recent(self):
        return self._history.latest(RECENT_COUNT)

    def undo(self) -> None:
        self._history.undo(self._set)

    def redo(self) -> None:
        self._history.redo(self._set)

    def setups(self):
        return sorted(self._folder.glob("*.yaml"))

    def save_setup(self, name):
        return self._save(self._folder, name, setup_text(self.vehicle))

    def save_vehicle(self, name):
        """Save the present vehicle, components included, as a new vehicle file."""
        known = {path.stem for path in VEHICLE_FOLDER.glob("*.yaml")}
        if name.strip() in known:
            raise WrongValue(f"{name.strip()!r}: the program's own vehicle has this name; choose another")
        return self._save(self._folder.parent / "vehicles", name, own_text(self.vehicle, name.strip()))

    def _save(self, folder, name, text):
        name = name.strip()
        if not re.fullmatch(r"[\w][\w .()+-]*", name):
            raise WrongValue(f"{name!r}: a name is made of letters, digits, spaces and . ( ) + - _")
        path = write_atomic(folder / f"{name}.yaml", text)
        self.messages.append(f"saved {path}")
        return path

    def setup_values(self, path: Path) -> dict[str, float | list[float]]:
        """{path: value} of all parameters with a setup applied to the vehicle as loaded; the vehicle keeps its own."""
        setup = load_setup(path)
        base = self.vehicle.base_values()
        unchanged = {p: self.vehicle.get(p) for p in base}
        self.vehicle.set_many(base)
        try:
            apply_setup(self.vehicle, setup)
            return {p: self.vehicle.get(p) for p in base}
        finally:
            self.vehicle.set_many(unchanged)

    def load_setup(self, path: Path) -> None:
        """Replace all changes by the setup's, as one step of undo."""
        different = {p: v for p, v in self.setup_values(path).items() if v != self.vehicle.get(p)}
        if different:
            self.set_parameters(different)
        self.messages.append(f"loaded {Path(path).name}: {len(different)} values changed{self._made_for_other(path)}")

    def _made_for_other(self, path: Path) -> str:
        """End of the message for a setup of another vehicle, or ""."""
        made_for = load_setup(path).get("vehicle", self.vehicle.name)
        return "" if made_for == self.vehicle.name else f"; it was made for {made_for}"
