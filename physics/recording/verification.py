"""Re-simulation of a recording: verification, and seeking to a tick.

Both need a world rebuilt from the texts in the header, and repeat the recorded events before each tick (changes of
parameters and components, states that were set), so they need the same version of the program. Rebuilding runs no code
from the recording: a vehicle that names a Python component file is refused unless the caller trusts that file.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.recording import format as fmt
from driving_sandbox.physics.recording.chunks import Snapshot
from driving_sandbox.physics.recording.difference import differing_fields
from driving_sandbox.physics.recording.format import ChunkError, RecordingError
from driving_sandbox.physics.recording.reader import Recording
from driving_sandbox.physics.recording.settings import note_setting, put_section, sections_of
from driving_sandbox.physics.recording.versions import vehicle_note, version_note
from driving_sandbox.physics.recording.world import build_world
from driving_sandbox.physics.tick.commands import COMMAND
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.tick.used_state import UsedState
from driving_sandbox.physics.vehicle.swap import swap_from_event, swapped_vehicle
from driving_sandbox.physics.world.world import World

CHANGES = {
    "setup": "the setup change", "swap": "the change of a component", "world": "the change of the world",
    "section": "the change of a section",
}  # fmt: skip

# Kinds of difference
COMMAND_DAMAGED = "command"  # the stored command or external action was changed
STATE_DIVERGES = "state"  # the same command leads to another state
SNAPSHOT_DIVERGES = "snapshot"  # the whole state differs from a stored one
CANNOT_REPEAT = "setup"  # a recorded change of parameters, of a component or of the world cannot be repeated


@dataclass(frozen=True)
class VerifyReport:
    """Result of re-simulating a recording."""

    ok: bool  # every readable tick is reproduced, and at most the end of the file is missing
    ticks: int  # found equal
    seconds: float  # s, length of these ticks
    snapshots: int  # whole states found equal
    text: str  # the result in one line
    tick: int | None = None  # of the first difference; None without one
    time: float | None = None  # s
    vehicle: int | None = None  # index; None also for a difference of the whole world
    kind: str | None = None  # one of the kinds of difference above
    damage: str | None = None  # what is wrong with the file
    note: str = ""  # what may explain a difference
    # number with the largest relative difference at the next stored state; None: there is none, or no difference there
    component: str | None = None
    field: str | None = None
    located: int | None = None  # tick of that state


class Difference(UserError):
    """The re-simulation differs, or cannot continue, at a tick."""

    def __init__(self, tick: int, kind: Any, text: str, vehicle: int | None = None) -> None:
        super().__init__(text)
        self.tick, self.kind, self.vehicle = tick, kind, vehicle


class Resimulation:
    """A world that repeats a recording tick by tick. trust: function(path) -> whether that component file may run."""

    def __init__(self, recording: Recording, world: World, trust: Callable[[Path], bool] | None = None) -> None:
        self.recording, self.world, self.tick = recording, world, 0
        # _loaded: vehicles at the start; tests use worlds without `loaded` and `parameters`
        self._trust, self._loaded = trust, getattr(world, "loaded", tuple(world.vehicles))
        jumps = {s.sequence: s for s in recording.snapshots if s.jump}
        # {tick: [(sequence number, event or snapshot)]} of what happened before each tick, in the order of the file
        self.before: dict[int, list[Any]] = {}
        for event in recording.all_events:
            if event["kind"] in CHANGES:
                self.before.setdefault(event["tick"], []).append((event["sequence"], event))
        for sequence, snapshot in jumps.items():
            self.before.setdefault(snapshot.tick, []).append((sequence, snapshot))
        for changes in self.before.values():
            changes.sort(key=lambda change: change[0])
        self.base = [v.base_values() for v in self._loaded]  # {path: value} of each vehicle at the start
        self._sections = [sections_of(v) for v in self._loaded]
        self._world_base = {}  # {path: value} of the world's parameters at the start
        if hasattr(world, "parameters"):
            self._world_base = {**world.parameters.base_values(), **recording.header["world"].get("values", {})}
        self._present = None  # the events that led to the present settings, if `go_to` made these
        self._used_states: dict[Any, UsedState] = {}  # {Vehicle: UsedState}

    def used_state(self, index: int) -> Any:
        """A vehicle's present state without unused wheels, uint64[n]: what the stored state check covers."""
        vehicle = self.world.vehicles[index]
        if vehicle not in self._used_states:
            self._used_states[vehicle] = UsedState(vehicle)
        return self._used_states[vehicle].keep()

    def apply_events(self, tick: int, after_sequence: int = -1) -> None:
        """Repeat the events before a tick, except those up to chunk `after_sequence` of the file."""
        for sequence, change in self.before.get(tick, ()):
            if sequence > after_sequence:
                (self._repeat_change if isinstance(change, dict) else self._restore)(change)

    def _repeat_change(self, event: Any) -> None:
        """Repeat a recorded change of parameters or of a component. Raises Difference."""
        self._present = None
        try:
            if event["kind"] == "swap":
                vehicle = self.world.vehicles[event["vehicle"]]
                swap = swap_from_event(vehicle, event, self._trust)
                self.world.swap(event["vehicle"], swapped_vehicle(vehicle, swap))
            elif event["kind"] == "world":
                self.world.parameters.set_many(event["values"])
            elif event["kind"] == "section":
                put_section(self.world.vehicles[event["vehicle"]], event["name"], event["values"])
            else:
                self.world.vehicles[event["vehicle"]].set_many(event["values"])
        except (UserError, LookupError, ValueError, TypeError, AttributeError) as error:  # or the event is damaged
            text = error.args[0] if isinstance(error, KeyError) else error
            change = CHANGES[event["kind"]]
            raise Difference(event["tick"], CANNOT_REPEAT, f"{change} cannot be repeated: {text}") from None

    def _restore(self, snapshot: Snapshot) -> None:
        """Set the world to a snapshot. Raises Difference."""
        try:
            self.world.restore(snapshot.state())
        except (ValueError, ChunkError) as error:
            raise Difference(snapshot.tick, SNAPSHOT_DIVERGES, f"a stored state does not fit: {error}") from None

    def step(self, rows: Any) -> Any:
        """Repeat one tick from its stored rows, one per vehicle; returns (fault or None, external actions or None)."""
        external = self.recording.external(self.tick)
        fault = self.world.step(as_commands(rows["command"]), None if external is None else as_external(external))
        self.tick += 1
        return fault, external

    def go_to(self, tick: int) -> None:
        """Seek to the state before a tick, with the events before it repeated. Raises RecordingError or Difference."""
        start = self._snapshot_before(tick)
        if start is None:
            raise RecordingError(f"{self.recording.path}: holds no snapshot at or before tick {tick}")
        settings = self._settings_before(start)
        if settings != self._present:
            self._reset_to_start()
            for event in settings:
                self._repeat_change(event)
            self._present = settings
        self._restore(start)
        self.tick = start.tick
        # a snapshot other than a jump was taken before the events of its tick, wherever the file has them
        self.apply_events(start.tick, start.sequence if start.jump else -1)
        for rows in self.recording.rows(start.tick, tick):
            self.step(rows)
            self.apply_events(self.tick)

    def has_snapshot_ahead(self, tick: int) -> bool:
        """Whether there is a snapshot after the present tick, up to `tick`, so that `go_to` saves ticks."""
        start = self._snapshot_before(tick)
        return start is not None and start.tick > self.tick

    def _snapshot_before(self, tick: int) -> Snapshot | None:
        """The last snapshot at or before a tick, or None."""
        candidates = [s for s in self.recording.snapshots if s.tick <= tick]
        return max(candidates, key=lambda s: (s.tick, s.sequence), default=None)

    def _reset_to_start(self) -> None:
        """Reset vehicles and parameters to those at the start."""
        if self._world_base:
            self.world.parameters.set_many(self._world_base)
        for index, (vehicle, base) in enumerate(zip(self._loaded, self.base, strict=True)):
            if self.world.vehicles[index] is not vehicle:
                self.world.swap(index, vehicle)
            vehicle.set_many(base)
            for name, content in self._sections[index].items():
                put_section(vehicle, name, content)

    def _settings_before(self, snapshot: Snapshot) -> Any:
        """Events that lead to the settings at a snapshot, with only the last change of each value between two swaps."""
        events: list[dict[str, Any]] = []
        for tick in sorted(tick for tick in self.before if tick <= snapshot.tick):
            for sequence, change in self.before[tick]:
                earlier = tick < snapshot.tick or (snapshot.jump and sequence < snapshot.sequence)
                if earlier and isinstance(change, dict):
                    note_setting(events, change)
        return events


def as_external(recorded: np.ndarray) -> np.ndarray:
    """Recorded external actions as EXTERNAL records; fields missing in older files are 0."""
    return _as_records(recorded, EXTERNAL)


def as_commands(recorded: np.ndarray) -> np.ndarray:
    """Recorded commands as COMMAND records; fields missing in older files are 0."""
    return recorded if recorded.dtype == COMMAND else _as_records(recorded, COMMAND)


def _as_records(recorded: np.ndarray, dtype: Any) -> np.ndarray:
    """Records of `dtype` with the recorded values of the fields that both record types have; the others are 0."""
    records = np.zeros(len(recorded), dtype)
    for name in set(dtype.names) & set(recorded.dtype.names or ()):
        if recorded.dtype[name].shape == dtype[name].shape:
            records[name] = recorded[name]
    return records


def _check_row(recording: Recording, tick: int, vehicle: int, raw: Any, flags: int) -> None:
    """Raise Difference if a stored row (bytes) was changed, or lacks the external actions that its flags announce."""
    if fmt.row_check(raw, tick, vehicle) & fmt.check_mask(recording.version) != int.from_bytes(raw[-4:], "little"):
        text = "the stored command was changed: it disagrees with its own check"
        raise Difference(tick, COMMAND_DAMAGED, text, vehicle)
    if flags & fmt.EXTERNAL_ACTED and recording.external(tick) is None:
        raise Difference(tick, COMMAND_DAMAGED, "the stored external action was changed or is missing", vehicle)


def _compare(recording: Recording, resimulation: Resimulation, tick: int, row: Any, stored: Any) -> None:
    """Repeat one tick and compare the result; raises Difference.

    stored: (raw bytes, flags, state check) of each vehicle.
    """
    for i, (raw, flags, _) in enumerate(stored):
        _check_row(recording, tick, i, raw, flags)
    fault, external = resimulation.step(row)
    if bool(fault) != bool(stored[0][1] & fmt.FAULTED):  # which is the same in all rows of a tick
        difference = f"a fault appears: {fault.text}" if fault else "the recorded fault does not appear"
        raise Difference(tick, STATE_DIVERGES, difference)
    for i, (raw, flags, state_check) in enumerate(stored):
        action = external[i].tobytes() if flags & fmt.EXTERNAL_ACTED else None
        check = fmt.state_check(raw[: -fmt.TRAILER_SIZE], action, resimulation.used_state(i))
        if check & fmt.check_mask(recording.version) != state_check:
            raise Difference(tick, STATE_DIVERGES, "the same command leads to another state", i)


def _stored(rows: Any) -> Any:
    """Yield for each tick a list of (raw bytes, flags, state check), one per vehicle."""
    size, raw = rows.itemsize, rows.tobytes()
    flags, state_checks = rows["flags"].tolist(), rows["state_check"].tolist()
    start = 0
    for tick_flags, tick_checks in zip(flags, state_checks, strict=True):
        ends = range(start + size, start + size * (len(tick_flags) + 1), size)
        yield [(raw[end - size : end], f, c) for end, f, c in zip(ends, tick_flags, tick_checks, strict=True)]
        start = ends[-1]


def verify_ticks(
    recording: Recording, resimulation: Resimulation, rows: Any, first: int, expected: Any,
    stepped: Callable[[], None] | None = None,
) -> Any:  # fmt: skip
    """Repeat and compare consecutive rows; returns the number of snapshots found equal. Raises Difference.

    Args:
        first: tick of the first row.
        expected: {tick: Snapshots that the simulation must reproduce}.
        stepped: called after each tick, before the events that precede the next one.
    """
    equal = 0
    for k, (row, stored) in enumerate(zip(rows, _stored(rows), strict=True)):
        _compare(recording, resimulation, first + k, row, stored)
        if stepped is not None:
            stepped()
        for snapshot in expected.get(resimulation.tick, ()):
            if resimulation.world.state_hash() & (2**64 - 1) != snapshot.state_hash:
                raise Difference(first + k, SNAPSHOT_DIVERGES, "the whole state differs from the stored snapshot")
            equal += 1
        if resimulation.tick in resimulation.before:
            resimulation.apply_events(resimulation.tick)
    return equal


def verify(
    path: Recording | str | Path,
    trust: Callable[[Path], bool] | None = None,
    rebuild: Callable[..., World] | None = None,
) -> VerifyReport:
    """Re-simulate a recording and compare every tick and every snapshot; returns a VerifyReport.

    A block of ticks with a wrong checksum is examined as far as possible, to name the changed tick.

    Args:
        path: path of the recording, or the Recording.
        trust: function(path) -> whether a Python component file may run; by default none may.
        rebuild: function(recording, trust) -> World, by default `build_world`.
    Raises:
        RecordingError: the file is not a recording, or its world cannot be rebuilt.
    """
    recording = path if isinstance(path, Recording) else Recording.open(path)
    note = version_note(recording)
    try:
        world = (rebuild or build_world)(recording, trust)
    except RecordingError as error:
        raise RecordingError(f"{error}; {note}" if note else str(error)) from None
    note = "; ".join(filter(None, (note, vehicle_note(recording, world))))
    resimulation = Resimulation(recording, world, trust)
    expected: dict[int, list[Snapshot]] = {}
    for snapshot in recording.snapshots:
        if not snapshot.jump:
            expected.setdefault(snapshot.tick, []).append(snapshot)
    difference, snapshots = None, 0
    try:
        resimulation.apply_events(0)
        snapshots = verify_ticks(recording, resimulation, recording.rows(), first=0, expected=expected)
        if recording.damaged_block is not None:
            first, rows = recording.damaged_block
            verify_ticks(recording, resimulation, rows, first, expected={})
    except Difference as error:
        difference = error
    located = _locate(recording, resimulation, difference, expected) if difference is not None else None
    return _report(recording, resimulation, difference, snapshots, note, located)


def _locate(recording: Recording, resimulation: Resimulation, difference: Any, expected: Any) -> Any:
    """(tick, count of differing numbers, largest FieldDifference) at the next stored state after a difference.

    Repeats the drive up to there. None if no later state is stored or it has no difference.
    """
    if difference.kind not in (STATE_DIVERGES, SNAPSHOT_DIVERGES):
        return None
    try:
        for row in [None, *recording.rows(resimulation.tick)]:  # None: the state where the re-simulation stopped
            if row is not None:
                resimulation.step(row)
            if resimulation.tick in expected:
                stored = expected[resimulation.tick][0].state()
                return _largest_difference(resimulation.world, resimulation.tick, stored)
            if resimulation.tick in resimulation.before:
                resimulation.apply_events(resimulation.tick)
    except (Difference, ChunkError):
        pass  # if it cannot be repeated or unpacked, only the first difference is known
    return None


def _largest_difference(world: World, tick: int, stored: Any) -> Any:
    """The result of `_locate` for the present state of a world; None without a difference."""
    repeated, start, differences = world.snapshot(), 8, []  # a snapshot begins with the 8 bytes of the tick number
    for vehicle in world.vehicles:
        stop = start + len(vehicle.state_bytes)
        differences += differing_fields(
            vehicle.state.dtype, stored[start:stop], repeated[start:stop], vehicle.wheel_names
        )
        start = stop
    return (tick, len(differences), max(differences, key=lambda difference: difference.size)) if differences else None


def _report(
    recording: Recording, resimulation: Resimulation, difference: Any, snapshots: int, note: str, located: Any = None
) -> VerifyReport:
    """The VerifyReport of what `verify` found; located: from `_locate`."""
    ticks = min(resimulation.tick, recording.ticks) if difference is None else difference.tick
    seconds = ticks * recording.tick_seconds
    common: dict[str, Any] = {"ticks": ticks, "seconds": seconds, "snapshots": snapshots, "damage": recording.damage,
                              "note": note}  # fmt: skip
    if difference is not None:
        time = difference.tick * recording.tick_seconds
        vehicle_text = "" if difference.vehicle is None else f", vehicle {difference.vehicle}"
        text = f"tick {difference.tick} ({time:.4f} s{vehicle_text}): {difference}"
        details: dict[str, Any] = {
            "tick": difference.tick,
            "time": time,
            "vehicle": difference.vehicle,
            "kind": difference.kind,
        }
        if located is not None:
            tick, count, largest = located
            text += f"; at {tick * recording.tick_seconds:.3f} s {count} numbers differ, most {largest}"
            details.update(component=largest.component, field=largest.field, located=tick)
        return VerifyReport(ok=False, text=f"{text}; {note}" if note else text, **details, **common)
    text = f"{ticks} ticks ({seconds:.3f} s) and {snapshots} snapshots equal"
    if recording.damage:
        text += f"; {recording.damage}"
    return VerifyReport(ok=recording.complete or recording.truncated, text=text, **common)


def state_at(recording: Recording, world: World, tick: int, trust: Callable[[Path], bool] | None = None) -> World:
    """Put a world built from a recording into the state before a tick, simulated from the last snapshot up to it.

    Driving on from there is a branch. Raises RecordingError when the state cannot be reached.
    """
    if not 0 <= tick <= recording.ticks:
        raise RecordingError(f"{recording.path}: tick {tick} is not between 0 and {recording.ticks}")
    resimulation = Resimulation(recording, world, trust)
    try:
        resimulation.go_to(tick)
    except Difference as error:
        raise RecordingError(f"{recording.path}: tick {error.tick}: {error}") from None
    return world
