"""The interface between the panel and a vehicle: read it, change it, undo, save and load setups.

`PanelModel` is the whole interface. `VehicleModel` implements it for a vehicle that is not driven. Its subclass
`Tuning` is for the vehicle that is driven: each change acts between two ticks and is recorded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from driving_sandbox.game.platform.user_folder import write_atomic
from driving_sandbox.physics.base.user_error import WrongValue
from driving_sandbox.physics.vehicle.vehicle_file import VEHICLE_FOLDER, apply_setup, load_setup, own_text, setup_text
from driving_sandbox.sound.parameters import is_of_sound

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle
    from driving_sandbox.physics.world.parameters import WorldParameters
    from driving_sandbox.sound.parameters import SoundParameters

RECENT_COUNT = 20  # values in the panel's list of recent changes
HISTORY_LENGTH = 500  # undo steps; a step holds only the values it changed


class PanelModel(Protocol):
    """The interface. Methods that change, save or load may raise UserError; the panel shows its text."""

    vehicle: Any
    world: Any  # physics.world.parameters.WorldParameters, or () without a world
    sound: Any  # sound.parameters.SoundParameters of the vehicle, or () without sound
    messages: list[Any]

    def set_parameters(self, values: dict, gesture: int | None = None) -> None:
        """Change all values or, on an error, none.

        Args:
            gesture: number of a mouse drag; the changes of one drag are one step of undo.
        """

    def set_parameter(self, path: str, value: Any, gesture: int | None = None) -> None:
        """Set one parameter; values set in the same gesture are one step of undo."""

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to undo."""

    @property
    def can_redo(self) -> bool:
        """Whether there is a step to redo."""

    def recent(self) -> list:
        """Paths of the values changed last, the newest change first."""

    def undo(self) -> None:
        """Undo the last step."""

    def redo(self) -> None:
        """Redo the step undone last."""

    def save_setup(self, name: str) -> Path:
        """Save the values as a setup; returns its file."""

    def save_vehicle(self, name: str) -> Path:
        """Save the present vehicle as a new vehicle file; returns the file."""

    def setup_values(self, path: Path) -> dict:
        """{path: value} of all parameters as they would be with a setup."""

    def load_setup(self, path: Path) -> None:
        """Set the values of a setup's file."""

    def setups(self) -> list[Path]:
        """Files of the saved setups, by name."""


def holder_of(model: Any, path: str) -> Any:
    """The one of a model's `sound`, `world` and `vehicle` that has the parameter of this path."""
    if is_of_sound(path) and path in model.sound:
        return model.sound
    return model.world if path in model.world else model.vehicle


@dataclass
class Edit:
    """One step of undo: the values {path: value}, or the component (physics.vehicle.swap.Swap), before and after."""

    before: Any
    after: Any
    gesture: int | None


class EditHistory:
    """The steps that can be undone and redone. A function of the caller applies the changes."""

    def __init__(self) -> None:
        self._done: list[Edit] = []  # Edits, the latest last
        self._undone: list[Edit] = []  # Edits that were undone, the latest last

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to undo."""
        return bool(self._done)

    @property
    def can_redo(self) -> bool:
        """Whether there is a step to redo."""
        return bool(self._undone)

    def add(self, before: Any, after: Any, gesture: int | None = None) -> None:
        """Add a change that was made; what was undone before can be redone no more.

        A change of the same paths in the same gesture is merged into the last step.
        """
        self._undone.clear()
        last = self._done[-1] if self._done else None
        if last and gesture is not None and last.gesture == gesture and last.after.keys() == after.keys():
            last.after = dict(after)
            return
        self._done.append(Edit(copy(before), copy(after), gesture))
        del self._done[:-HISTORY_LENGTH]

    def forget(self, is_gone: Callable[[str], bool]) -> None:
        """Remove the values at the paths for which `is_gone(path)` is true, and steps that are left without values."""
        for steps in (self._done, self._undone):
            for edit in steps:
                if isinstance(edit.after, dict) and any(map(is_gone, edit.after)):
                    edit.before, edit.after = (
                        {path: value for path, value in values.items() if not is_gone(path)}
                        for values in (edit.before, edit.after)
                    )
            steps[:] = [edit for edit in steps if edit.after != {}]

    def latest(self, count: int) -> list[str]:
        """Paths of the values changed last, the newest change first, at most `count`."""
        paths = {}
        for edit in reversed(self._done):
            if isinstance(edit.after, dict):
                paths.update(dict.fromkeys(edit.after))
            if len(paths) >= count:
                break
        return list(paths)[:count]

    def undo(self, change: Callable[..., Any]) -> None:
        """Undo the last step by `change(values before it)`; if that raises, the step stays."""
        if self._done:
            change(self._done[-1].before)
            self._undone.append(self._done.pop())

    def redo(self, change: Callable[..., Any]) -> None:
        """Redo the step undone last by `change(values after it)`."""
        if self._undone:
            change(self._undone[-1].after)
            self._done.append(self._undone.pop())


class VehicleModel:
    """A PanelModel of one vehicle.

    Args:
        vehicle: physics.vehicle.vehicle.Vehicle.
        folder: folder of setups; saved vehicles go into the folder `vehicles` next to it.
        world: WorldParameters that can be changed as well; setups do not contain them.
        sound: SoundParameters that can be changed as well; vehicle files contain them, setups do not.
    """

    def __init__(
        self,
        vehicle: Vehicle,
        folder: Path,
        world: WorldParameters | tuple[()] = (),
        sound: SoundParameters | tuple[()] = (),
    ) -> None:
        self.messages: list[Any] = []
        self.world, self._sound = world, sound
        self._folder = Path(folder)
        self.vehicle = vehicle

    @property
    def vehicle(self) -> Vehicle:
        """The vehicle shown."""
        return self._vehicle

    @vehicle.setter
    def vehicle(self, vehicle: Vehicle) -> None:
        """Show another vehicle, with an empty history: changes of the former one cannot be undone on this one."""
        self._vehicle = vehicle
        self._history = EditHistory()

    @property
    def sound(self) -> SoundParameters | tuple[()]:
        """The SoundParameters that can be changed as well, () without any."""
        return self._sound

    def set_parameters(self, values: Mapping[str, Any], gesture: int | None = None) -> None:
        """Set the parameters {path: value}; values set in the same gesture are one step of undo."""
        before = {path: holder_of(self, path).get(path) for path in values}
        if before != values:
            self._do(before, values, gesture)

    def set_parameter(self, path: str, value: Any, gesture: int | None = None) -> None:
        """Set one parameter; values set in the same gesture are one step of undo."""
        self.set_parameters({path: value}, gesture)

    def _do(self, before: Any, after: Any, gesture: int | None = None) -> None:
        """Make a change, and add it to the history."""
        self._set(after)
        self._history.add(before, after, gesture)

    def _set(self, values: Any) -> None:
        """Set the values {path: value} of the vehicle, the world and the sound."""
        by_holder: dict[Any, dict[str, Any]] = {}  # {vehicle, world or sound: {path: value}}
        for path, value in values.items():
            by_holder.setdefault(holder_of(self, path), {})[path] = value
        for holder, holder_values in by_holder.items():
            holder.set_many(holder_values)

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to undo."""
        return self._history.can_undo

    @property
    def can_redo(self) -> bool:
        """Whether there is a step to redo."""
        return self._history.can_redo

    def recent(self) -> list[str]:
        """Paths of the parameters changed last, the newest change first."""
        return self._history.latest(RECENT_COUNT)

    def undo(self) -> None:
        """Undo the last step."""
        self._history.undo(self._set)

    def redo(self) -> None:
        """Redo the step undone last."""
        self._history.redo(self._set)

    def setups(self) -> list[Path]:
        """Files of the saved setups, by name."""
        return sorted(self._folder.glob("*.yaml"))

    def save_setup(self, name: str) -> Path:
        """Save the vehicle's values as a setup; returns its file. Raises UserError."""
        return self._save(self._folder, name, setup_text(self.vehicle))

    def save_vehicle(self, name: str) -> Path:
        """Save the present vehicle, components included, as a new vehicle file; returns the file. Raises UserError."""
        program_vehicles = {path.stem for path in VEHICLE_FOLDER.glob("*.yaml")}
        if name.strip() in program_vehicles:
            raise WrongValue(f"{name.strip()!r}: the program's own vehicle has this name; choose another")
        return self._save(self._folder.parent / "vehicles", name, own_text(self.vehicle, name.strip()))

    def _save(self, folder: Path, name: str, text: str) -> Path:
        """Write a text to FOLDER/NAME.yaml; returns its path. Raises UserError."""
        name = name.strip()
        if not re.fullmatch(r"[\w][\w .()+-]*", name):
            raise WrongValue(f"{name!r}: a name is made of letters, digits, spaces and . ( ) + - _")
        path = write_atomic(folder / f"{name}.yaml", text)
        self.messages.append(f"saved {path}")
        return path

    def setup_values(self, path: Path) -> dict[str, float | list[float]]:
        """{path: value} of all parameters, with a setup applied to the vehicle as loaded. Raises UserError.

        The setup is applied to the vehicle itself; its present values are set again afterwards.
        """
        setup = load_setup(path)
        base = self.vehicle.base_values()
        present = {p: self.vehicle.get(p) for p in base}
        self.vehicle.set_many(base)
        try:
            apply_setup(self.vehicle, setup)
            return {p: self.vehicle.get(p) for p in base}
        finally:
            self.vehicle.set_many(present)

    def load_setup(self, path: Path) -> None:
        """Replace all changes of the vehicle by those of the setup, as one step of undo. Raises UserError."""
        different = {p: v for p, v in self.setup_values(path).items() if v != self.vehicle.get(p)}
        if different:
            self.set_parameters(different)
        changed = "1 value" if len(different) == 1 else f"{len(different)} values"
        self.messages.append(f"loaded {Path(path).name}: {changed} changed{self._made_for_other(path)}")

    def _made_for_other(self, path: Path) -> str:
        """End of the message if a setup was made for another vehicle, or ""."""
        made_for = load_setup(path).get("vehicle", self.vehicle.name)
        return "" if made_for == self.vehicle.name else f"; it was made for {made_for}"
