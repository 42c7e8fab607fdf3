"""The tuning of each vehicle and world driven since the program was opened, restored when one is driven again.

Values, components, the steps of undo and setups A and B are stored under the path of the vehicle's file, the changed
values of a world under the path of the world's file. The autosaved files of a vehicle that was left stay on the disk
until the program ends, so that a crash does not lose its tuning.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from driving_sandbox.physics.batch.batch import copy_vehicle
from driving_sandbox.physics.vehicle.vehicle import Vehicle

if TYPE_CHECKING:
    from driving_sandbox.physics.world.world import World


@dataclass
class _Memory:
    """The tuning of one vehicle at the end of a drive: the `memory()` of each part."""

    vehicle: Vehicle  # with its trailers
    tuning: tuple
    component_swap: tuple
    file_watcher: tuple
    autosave: tuple


class TuningMemory:
    """The vehicles and worlds that were driven and left since the program was opened."""

    def __init__(self) -> None:
        self._memories: dict[Path, _Memory] = {}  # by the path of the vehicle's file
        self._world_values: dict[Path, dict[str, Any]] = {}  # by the path of the world's file

    def keep_world(self, path: Path, world: "World") -> None:
        """Remember the changed values of a World that is left.

        Args:
            path: the world's file.
        """
        self._world_values[path] = world.parameters.changed_values()

    def world_values(self, path: Path) -> dict[str, Any]:
        """{path: value} of the changed parameters of a world."""
        return self._world_values.get(path, {})

    def keep(self, path: Path, app: Any) -> None:
        """Remember the tuning of the vehicle of a drive that ends.

        Args:
            path: the vehicle's file.
            app: game.program.app.App of the drive.
        """
        session = app.session
        self._memories[path] = _Memory(
            session.vehicle, session.tuning.memory(), session.component_swap.memory(), app.file_watcher.memory(),
            app.autosave.memory(),
        )  # fmt: skip

    def vehicle(self, path: Path) -> Vehicle | None:
        """A copy of a vehicle as it was left; None for a vehicle that was not driven yet."""
        entry = self._memories.get(path)
        return None if entry is None else copy_vehicle(entry.vehicle)

    def hand_on(self, path: Path, app: Any) -> None:
        """Give the stored tuning of a vehicle to the drive that starts with it, and forget it here."""
        entry = self._memories.pop(path, None)
        if entry is None:
            return
        app.session.tuning.take_over(entry.tuning)
        app.session.component_swap.take_over(entry.component_swap)
        app.file_watcher.take_over(entry.file_watcher)
        app.autosave.take_over(entry.autosave)

    def close(self) -> None:
        """Remove the autosaved files, when the program ends properly."""
        for entry in self._memories.values():
            files, _ = entry.autosave  # {kind: path}
            for path in files.values():
                path.unlink(missing_ok=True)
        self._memories.clear()
