"""Saves tuning from crashes: changed values are written to a file within a second, and restored at the next start.

Each running program keeps a file for each vehicle that it tunes, trailers included, one for the sound of each, and one
for the world, with its process id in the name, and removes them when it ends properly. A file whose process is gone was
left by a crash. Its values are set as one step of undo; those of a vehicle are also saved as a setup named
`recovered ...`, which later changes leave untouched. A vehicle whose components were swapped is only saved, as a
vehicle file of such a name, which contains its sound.
"""

import logging
import os
import re
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import psutil
import yaml

from driving_sandbox.game.platform.user_folder import UserFolderError, file_errors, write_atomic
from driving_sandbox.physics.base.user_error import UserError, WrongValue
from driving_sandbox.physics.schema.yaml_file import YamlMap, load_yaml
from driving_sandbox.physics.vehicle.vehicle_file import own_text, setup_text
from driving_sandbox.sound.vehicle_sound import SECTION

if TYPE_CHECKING:
    from driving_sandbox.game.session.session import Session
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

WORLD = "world"  # key of the world's file, beside the indices of the vehicles of a train
_Key = int | str | tuple[int, str]  # of a written file: index in the train, WORLD, or (index, SECTION) of a sound
INTERVAL = 0.5  # s between two writes while values keep changing
_log = logging.getLogger(__name__)


class Autosave:
    """Writes and restores the tuning of a session; call `poll` once a frame and `close` at the end.

    Args:
        session: game.session.session.Session.
        folder: folder of the files.
        clock: function() -> time, s.
    """

    def __init__(self, session: "Session", folder: Path, clock: Callable[..., Any] = monotonic) -> None:
        self._session, self._folder, self._clock = session, Path(folder), clock
        self._components = session.vehicle.info.get("components")  # with which the vehicle began
        # whether values have changed since the last write, and its time, s
        self._pending, self._written = bool(session.world.parameters.changed_values()), -INTERVAL
        self._files: dict[_Key, Path] = {}  # the files written
        session.changes.on_change.append(self._changed)
        session.changes.on_section.append(self._changed)
        session.changes.on_swap.append(self._changed)

    def _changed(self) -> None:
        self._pending = True

    def poll(self) -> None:
        """Write pending changes, at most every INTERVAL."""
        if self._pending and self._clock() - self._written >= INTERVAL:
            self._write()

    @property
    def _train(self) -> "list[tuple[int, Vehicle, str]]":
        """[(index in the train, vehicle, stem of its files)] of the player's vehicle and its trailers."""
        world, front = self._session.world, _plain(self._session.vehicle.name)
        members = [world.vehicles[index] for index in world.train_of(self._session.player)]
        return [(k, vehicle, f"{front}-{k}" if k else front) for k, vehicle in enumerate(members)]

    def _write(self) -> None:
        """Save the changed values of every vehicle of the train, of its sound and of the world."""
        self._pending, self._written = False, self._clock()
        for number, vehicle, stem in self._train:
            swapped = number == 0 and vehicle.info.get("components") != self._components
            if swapped:
                self._keep(number, self._path(stem, "vehicle"), own_text(vehicle, vehicle.name))
            elif number in self._files or vehicle.changed_values():
                self._keep(number, self._path(stem, "setup"), setup_text(vehicle))
            sound = {} if swapped else self._session.tuning.changed_sound(number)
            self._keep_values((number, SECTION), self._path(stem, SECTION), sound)
        self._keep_values(
            WORLD, self._path(self._world_stem, "values"), self._session.world.parameters.changed_values()
        )

    def _path(self, stem: str, kind: str) -> Path:
        """Path of this program's file of a kind."""
        return self._folder / f"{stem}.{kind}.{os.getpid()}.yaml"

    def _keep_values(self, key: _Key, path: Path, values: dict[str, Any]) -> None:
        """Write {path: value}; without any, a file written before is removed."""
        if values:
            self._keep(key, path, yaml.safe_dump(values))
        elif key in self._files:
            self._files.pop(key).unlink(missing_ok=True)

    @property
    def _world_stem(self) -> str:
        """Stem of the world's file: WORLD, "-", and the world's name."""
        file = self._session.world.file
        return f"{WORLD}-{_plain(file.name if file else '')}"

    def _keep(self, key: _Key, path: Path, text: str) -> None:
        """Write the file of a key of `_files`, and remove a former one of another name; a failure is only logged."""
        try:
            write_atomic(path, text)
        except UserFolderError as error:
            _log.warning("not saved: %s", error)
            return
        before = self._files.get(key, path)
        if before != path:
            before.unlink(missing_ok=True)
        self._files[key] = path

    def restore(self) -> Path | None:
        """Restore the files that a crashed program left for this train and this world.

        Returns the path of the last setup or vehicle saved from them, or None.
        """
        found: list[tuple[float, Path, int | str]] = []  # (modification time, path, index in the train or WORLD)
        stems: list[tuple[int | str, str]] = [(number, stem) for number, _, stem in self._train]
        for number, stem in [*stems, (WORLD, self._world_stem)]:
            for path in self._folder.glob(f"{stem}.*.yaml"):
                with suppress(FileNotFoundError):  # another program, started now as well, took it
                    if _ownerless(path):
                        found.append((path.stat().st_mtime, path, number))
        restored = None
        for written, path, number in sorted(found):
            if isinstance(number, str):
                self._restore_values(path, 0, "changes of the world")
            elif f".{SECTION}." in path.name:
                self._restore_values(path, number, "changes of the sound")
            else:
                restored = self._recover(path, written, number) or restored
        return restored

    def _restore_values(self, path: Path, number: int, what: str) -> None:
        """Set the values of a file; one with an error is renamed, so that it is not read again.

        Args:
            path: the file, {path: value}.
            number: index in the train.
            what: what the values are, in the plural, for the message.
        """
        say, tuning = self._session.say, self._session.tuning
        try:
            values = load_yaml(path)
            if not isinstance(values, YamlMap) or not all(isinstance(key, str) for key in values):
                raise WrongValue(f"{path.name} must map names of parameters to values")
            with tuning.member(number):
                tuning.set_parameters(dict(values))
        except (UserError, TypeError, KeyError, OSError) as error:  # TypeError: a list for a number, and the like
            path.replace(path.with_suffix(".refused.yaml"))
            say(f"{what} of an earlier drive could not be applied: {error}", "warning")
            return
        path.unlink(missing_ok=True)
        say(f"the last drive crashed; its {what} are restored (undo reverts them)")

    def _recover(self, path: Path, written: float, number: int) -> Path | None:
        """Save a file under a unique name, as a setup or a vehicle, and apply a setup.

        Returns the path of the new file, or None after an error.

        Args:
            path: the file that the crash left.
            written: when it was written, s since the epoch.
            number: index in the train.
        """
        say, tuning = self._session.say, self._session.tuning
        stamp = datetime.fromtimestamp(written).strftime("%Y-%m-%d %H-%M-%S")
        name = f"recovered {tuning.members[number]}{f' {number}' if number else ''} {stamp}"
        is_setup = ".setup." in path.name
        saved_to = self._folder.parent / ("setups" if is_setup else "vehicles") / f"{name}.yaml"
        try:
            with file_errors(path):
                write_atomic(saved_to, path.read_bytes())
                path.unlink(missing_ok=True)
            if is_setup:
                with tuning.member(number):
                    tuning.load_setup(saved_to)
        except UserError as error:
            say(f"tuning left by an earlier drive could not be applied: {error}", "warning")
            return None
        if is_setup:
            say(f"the last drive crashed; its tuning is restored and saved as setup {name!r} (undo reverts it)")
        else:
            say(f"the last drive crashed; its vehicle with other components is saved as {saved_to}")
        return saved_to

    def memory(self) -> tuple[dict[_Key, Path], Any]:
        """(files on the disk, components that the vehicle began with), for a later drive of the same vehicle.

        The world's file is removed, because the next drive writes its own.
        """
        if WORLD in self._files:
            self._files.pop(WORLD).unlink(missing_ok=True)
        return self._files, self._components

    def take_over(self, memory: tuple[Any, ...]) -> None:
        """Continue with the `memory` of an earlier drive of the same vehicle in this program."""
        self._files, self._components = memory

    def close(self) -> None:
        """Remove the files, because nothing has to be recovered after a proper end."""
        for path in self._files.values():
            path.unlink(missing_ok=True)
        self._files.clear()


def _plain(name: str) -> str:
    """A name with "_" in place of everything but letters, digits and "_", for a file's name."""
    return re.sub(r"\W+", "_", name)


def _ownerless(path: Path) -> bool:
    """Whether the process whose id is in a file's name is gone.

    A process that started after the file was written is another one with the same id.
    """
    number = path.name.split(".")[-2]
    if not number.isdecimal() or int(number) == os.getpid():
        return False
    try:
        return psutil.Process(int(number)).create_time() > path.stat().st_mtime
    except psutil.NoSuchProcess:
        return True
    except psutil.Error:
        return False
