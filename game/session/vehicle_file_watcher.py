"""Watches the vehicle's file during the drive: edited values act within INTERVAL after the file is saved, components
once they are compiled; an invalid file is reported and changes nothing."""

from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.vehicle.swap import choice_of
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.sound.parameters import SoundParameters, differing_paths
from driving_sandbox.sound.vehicle_sound import SECTION

if TYPE_CHECKING:
    from driving_sandbox.game.session.session import Session
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

INTERVAL = 0.5  # s between checks of the file


def _counted(count: int, noun: str) -> str:
    """A count with its noun, e.g. "1 value" or "2 values"."""
    return f"1 {noun}" if count == 1 else f"{count} {noun}s"


class VehicleFileWatcher:
    """Applies edits of the vehicle's file; call `poll` once a frame.

    Args:
        session: game.session.session.Session.
        path: the vehicle's file.
        trust: function(path) -> whether a Python file may run.
        clock: function() -> time, s.
    """

    def __init__(
        self,
        session: "Session",
        path: str | Path,
        trust: Callable[[Path], bool] | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._session, self._path, self._trust, self._clock = session, Path(path), trust, clock
        self._checked = clock()  # time of the last check, s
        self._last_stamp = self._stamp()
        # {path: value} and the section `sound` of the file as read last
        self._loaded, self._sound_section = session.vehicle.base_values(), session.vehicle.info.get(SECTION)
        # [(slot, choice)] of components still to be swapped, one after the other
        self._waiting: list[tuple[str, Any]] = []

    def _stamp(self) -> tuple[int, int] | None:
        """(modification time, size) of the file, or None if it cannot be read."""
        try:
            status = self._path.stat()
        except OSError:
            return None  # an editor is replacing it
        return status.st_mtime_ns, status.st_size

    def memory(self) -> tuple[Any, ...]:
        """(stamp, values, section `sound`) of the file when it was read last, for a later drive of the same vehicle."""
        return self._last_stamp, self._loaded, self._sound_section

    def take_over(self, memory: tuple[Any, ...]) -> None:
        """Continue with the `memory` of an earlier drive, so that edits of the file since then are found."""
        self._last_stamp, self._loaded, self._sound_section = memory

    def poll(self) -> None:
        """Apply the file, if it was saved since the last check, and request the next of the swaps that wait."""
        if self._waiting and self._session.component_swap.job is None:
            self._session.component_swap.request(*self._waiting.pop(0))
        if self._clock() - self._checked < INTERVAL:
            return
        self._checked = self._clock()
        stamp = self._stamp()
        if stamp is None or stamp == self._last_stamp:
            return
        self._last_stamp = stamp
        try:
            text = self._apply(load_vehicle(self._path, trust=self._trust))
        except UserError as error:
            self._session.say(f"{error}; the values stay as they were", "warning")
            return
        self._session.say(f"{self._path.name}: {text}")

    def _apply(self, edited: "Vehicle") -> str:
        """Set every value that changed in the file, and request the swaps of changed components; returns the message.

        Values that the file did not change keep their tuning.
        """
        vehicle = self._session.vehicle
        if (edited.wheel_names, edited.info.get("type")) != (vehicle.wheel_names, vehicle.info.get("type")):
            return "its wheels or its type changed; that takes effect at the next start"
        in_file, present = edited.values(), vehicle.values()
        changed = {p: value for p, value in in_file.items() if p in present and self._loaded.get(p) != value}
        sound_section = edited.info.get(SECTION)
        with self._session.tuning.member(0) as tuning:
            if tuning.sound:
                sound = SoundParameters(edited)
                paths = [
                    path
                    for path in differing_paths(self._sound_section, sound_section)
                    if path in sound and path in tuning.sound
                ]
                changed.update({path: sound.get(path) for path in paths})
            if changed:
                tuning.set_parameters(changed)
        self._loaded, self._sound_section = in_file, sound_section
        self._waiting = [
            (slot, choice_of(edited, slot)) for slot in edited.sequence.by_slot
            if slot in vehicle.sequence.by_slot and choice_of(edited, slot) != choice_of(vehicle, slot)
        ]  # fmt: skip
        components = f", {_counted(len(self._waiting), 'component')}" if self._waiting else ""
        return f"{_counted(len(changed), 'value')}{components} changed in the file"
