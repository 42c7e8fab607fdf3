"""The panel's model of the player's vehicle: every change is checked, recorded, and can be undone."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from driving_sandbox.game.session.edits import EditHistory, VehicleModel
from driving_sandbox.game.session.setup_pair import Flip, SetupPair
from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.vehicle.swap import Swap
from driving_sandbox.physics.world.parameters import is_of_world
from driving_sandbox.sound.parameters import SoundParameters, is_of_sound
from driving_sandbox.sound.vehicle_sound import SECTION

if TYPE_CHECKING:
    from driving_sandbox.game.session.changes import Changes


class Tuning(VehicleModel):
    """The panel's model of the player's vehicle, or of one of its trailers.

    Args:
        changes: game.session.changes.Changes, which makes every change.
        folder: folder of setups.
    Attributes:
        chosen: index in the train of the vehicle shown on the panel, 0 for the towing vehicle.
    """

    def __init__(self, changes: "Changes", folder: Path) -> None:
        self._changes, self.chosen = changes, 0
        super().__init__(changes.vehicle, folder, changes.world.parameters)
        self._histories = {0: self._history}  # this and the following by index in the train
        self._pairs: dict[int, SetupPair] = {}
        self._sounds: dict[int, SoundParameters | tuple[()]] = {}

    @property
    def _train(self) -> range:
        """Indices of the player's vehicle and its trailers among the world's vehicles."""
        return self._changes.world.train_of(self._changes.player)

    @property
    def members(self) -> list[str]:
        """Names of the player's vehicle and its trailers."""
        return [self._changes.world.vehicles[i].name for i in self._train]

    def choose(self, member: int) -> None:
        """Show another member of the train; each member has its own steps of undo."""
        self.chosen = member
        self._vehicle = self._changes.world.vehicles[self._train[member]]
        self._history = self._histories.setdefault(member, EditHistory())

    @property
    def sound(self) -> Any:
        """SoundParameters of the vehicle shown; () if its section `sound` is wrong, which `messages` then says."""
        sound = self._sounds.get(self.chosen)
        try:
            if sound is None:
                sound = SoundParameters(self._vehicle)
            elif sound and sound.vehicle is not self._vehicle:
                sound.follow(self._vehicle)
        except UserError as error:
            self.messages.append(error)
            sound = ()
        self._sounds[self.chosen] = sound
        return sound

    def changed_sound(self, number: int) -> dict[str, Any]:
        """{path: value} of the sound parameters of a member of the train that were changed."""
        if not self._sounds.get(number):  # never read, or its section is wrong
            return {}
        with self.member(number):
            return self.sound.changed_values() if self.sound else {}

    @contextmanager
    def member(self, number: int) -> "Iterator[Tuning]":
        """Context in which changes apply to this member of the train (0 for the towing vehicle), whichever is shown."""
        previous = self.chosen
        self.choose(number)
        try:
            yield self
        finally:
            self.choose(previous)

    @property
    def _world_path(self) -> Path | None:
        """Path of the world's file, which identifies the world."""
        file = self._changes.world.file
        return None if file is None else file.path

    def memory(self) -> tuple[Any, ...]:
        """(steps of undo of all members of the train, their SetupPairs and sounds, path of the world), for a later
        drive."""
        return self._histories, self._pairs, self._sounds, self._world_path

    def take_over(self, memory: tuple[Any, ...]) -> None:
        """Continue with the `memory` of an earlier drive of the same vehicle.

        In another world, steps of undo for the parameters of the former world are dropped.
        """
        self._histories, self._pairs, self._sounds, world = memory
        if world != self._world_path:
            for history in self._histories.values():
                history.forget(is_of_world)
        self.choose(0)

    @property
    def pair(self) -> SetupPair:
        """The SetupPair of the vehicle shown."""
        setups = self._pairs.get(self.chosen)
        if setups is None:
            setups = self._pairs[self.chosen] = SetupPair(self._vehicle)
        return setups

    def flip(self) -> int:
        """Change to the other one of the setups A and B, as one step of undo; returns how many values change."""
        before, after = self.pair.flip(self._vehicle)
        self._do(before, after)
        return len(after)

    def _set(self, change: Any) -> None:
        """Make a change: values {path: value}, or the Swap of a component."""
        if isinstance(change, Swap):
            self._changes.swap(change)
            self._vehicle = self._changes.vehicle  # not the property's setter, which would clear the steps of undo
            return
        sound_values = {path: value for path, value in change.items() if is_of_sound(path)}
        others = {path: value for path, value in change.items() if path not in sound_values}
        if others:
            self._changes.apply(others, self._train[self.chosen])
        if sound_values:
            index = self._train[self.chosen]
            self._changes.apply_to_section(SECTION, lambda: self.sound.set_many(sound_values), index)
        if isinstance(change, Flip):
            self.pair.active = change.setup

    def swap(self, before: Swap, after: Swap) -> None:
        """Swap a component of the towing vehicle, as one step of undo."""
        with self.member(0):
            self._do(before, after)

    def load_setup(self, path: Path) -> None:
        """Set the values of a setup (VehicleModel.load_setup), and record a jump."""
        super().load_setup(path)
        # `setup_values` moved the body with its centre of mass there and back, which may have rounded its position
        self._changes.record_jump("setup", name=Path(path).name)
