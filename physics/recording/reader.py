"""Reader of a `.drive` file, up to its end or to the first damage, which is reported.

Opening a file reads all its chunks, verifies their checksums and decodes the ticks; poses are decoded on demand. With
`check=False` large chunks are verified and decoded on first read, and the index of a finished file replaces the scan:
two hours open in milliseconds. Damage found later truncates the recording there, as if it had been found at once. No
code from the file is run, no length in it is trusted. `sequence` is the number of a chunk in the file, from 0.
"""

import bisect
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from driving_sandbox.physics.recording import format as fmt
from driving_sandbox.physics.recording import index as recording_index
from driving_sandbox.physics.recording import poses as recording_poses
from driving_sandbox.physics.recording import props as recording_props
from driving_sandbox.physics.recording import ticks as recording_ticks
from driving_sandbox.physics.recording.chunks import NAMES, ChunkFile, Snapshot, up_to_damage
from driving_sandbox.physics.recording.format import ChunkError, RecordingError


@dataclass(frozen=True)
class PoseSample:
    """Poses of all vehicles at one time; `vehicles[i]` maps names to arrays or numbers, see physics.recording.poses."""

    time: float
    vehicles: list[dict[str, Any]]


class Recording(ChunkFile):
    """An opened recording; make one with `Recording.open(path)`.

    Attributes:
        path: path of the file.
        header: see docs/recording_format.md.
        vehicle_count: number of vehicles.
        tick_seconds: length of a tick, s.
        ticks: number of readable ticks.
        events: list of {kind, tick, ...} up to tick number `ticks`, the first that cannot be read.
        all_events: the same, with those of later ticks.
        snapshots: list of Snapshot, in the order of the file.
        damage: what is wrong with the file, or None.
        truncated: whether the file is only incomplete at its end, as when the program was killed.
        damaged_block: (first tick, rows) of a damaged block of ticks that is still partly readable, or None.
        first_damaged_chunk: sequence number of the first chunk that cannot be read, or None.
    """

    def __init__(self, path: Path, data: memoryview, check: bool = True) -> None:
        super().__init__(path, data, check)
        self.header: dict[str, Any] = {}  # empty until it is read
        self.damage: str | None = None
        self.damaged_block: tuple[int, np.ndarray] | None = None
        self.first_damaged_chunk: int | None = None
        self.truncated, self.ticks = False, 0
        self.events: list[dict[str, Any]] = []
        self.all_events: list[dict[str, Any]] = []
        self.snapshots: list[Snapshot] = []
        self._block_starts: list[int] = []  # first tick of each block of ticks
        self._block_sequences: list[int] = []  # its sequence number
        self._block_rows: dict[int, np.ndarray] = {}  # {sequence number: rows [ticks, vehicles]} of the decoded blocks
        self._external: dict[tuple[int, int], bytes] = {}  # {(tick, vehicle): bytes of the external actions}
        self._external_ticks: set[int] = set()  # ticks with external actions
        self._pose_blocks: list[int] = []  # sequence numbers of the chunks with poses
        self._pose_starts: list[int] = []  # their first ticks
        self._stated_ticks: int | None = None  # in the end mark; -1: it has none, None: no end mark yet
        self._decoded: tuple[int | None, Any] = (None, None)  # the last (index in `_pose_blocks`, its `_pose_block`)
        self._prop_blocks: list[int] = []  # sequence numbers of the chunks with poses of props
        self._props: recording_props.PropTrack | None = None  # until it is read
        if check or not self._by_index():
            self._scan()
        self.all_events = self.events
        self.events = [e for e in self.events if e["tick"] <= self.ticks]

    def jump_ticks(self, index: int) -> set[int]:
        """Ticks before which the state of the vehicle at `index` was set; a jump that lists none is of all."""
        jumps = [event for event in self.events if event["kind"] == "jump"]
        return {e["tick"] for e in jumps if not isinstance(e.get("moved"), list) or index in e["moved"]}

    @property
    def seconds(self) -> float:
        """Length of the readable part, s."""
        return self.ticks * self.tick_seconds

    @property
    def complete(self) -> bool:
        """Whether the program closed the file and nothing is damaged."""
        return self.damage is None

    def _by_index(self) -> bool:
        """Read the file by its index; returns False if it has no valid one."""
        entry = recording_index.find(self._data)
        if entry is None:
            return False
        table, events, _, ticks = entry
        kinds, firsts, counts = table["kind"], table["first"].astype(np.int64), table["count"].astype(np.int64)
        blocks = np.flatnonzero(kinds == fmt.COMMANDS)
        ends = np.cumsum(counts[blocks])
        if kinds[0] != fmt.HEADER or not np.array_equal(firsts[blocks], ends - counts[blocks]):
            return False
        if (int(ends[-1]) if len(ends) else 0) != ticks or (firsts < 0).any():
            return False
        self._chunks = list(zip(kinds.tolist(), table["offset"].tolist(), table["length"].tolist(),
                                table["check"].tolist(), strict=True))  # fmt: skip
        self._take(fmt.HEADER, self.payload(0), 0)
        self._block_starts, self._block_sequences = firsts[blocks].tolist(), blocks.tolist()
        poses, snapshots = np.flatnonzero(kinds == fmt.POSES), np.flatnonzero(kinds == fmt.SNAPSHOT)
        self._pose_blocks, self._pose_starts = poses.tolist(), firsts[poses].tolist()
        self._prop_blocks = np.flatnonzero(kinds == fmt.PROPS).tolist()
        # for a snapshot, the column `count` has its kind
        rows = zip(firsts[snapshots].tolist(), counts[snapshots].tolist(), snapshots.tolist(), strict=True)
        self.snapshots = [Snapshot(self, tick, jump=kind == fmt.JUMP, sequence=number) for tick, kind, number in rows]
        self.events = [{**event, "sequence": sequence} for sequence, event in events]
        self.ticks = self._stated_ticks = ticks
        return True

    def _leave_out(self, sequence: int) -> None:
        """Forget a chunk and all after it."""
        block_count = bisect.bisect_left(self._block_sequences, sequence)
        if block_count < len(self._block_sequences):
            self.ticks = self._block_starts[block_count]
            del self._block_starts[block_count:], self._block_sequences[block_count:]
        pose_count = bisect.bisect_left(self._pose_blocks, sequence)
        del self._pose_blocks[pose_count:], self._pose_starts[pose_count:]
        self._prop_blocks = [block for block in self._prop_blocks if block < sequence]
        self.snapshots = [snapshot for snapshot in self.snapshots if snapshot.sequence < sequence]
        self.all_events = [event for event in self.all_events if event["sequence"] < sequence]
        self.events = [event for event in self.all_events if event["tick"] <= self.ticks]
        self._decoded, self._props = (None, None), None

    def truncate_like(self, checked: "Recording") -> None:
        """Truncate this recording where `checked`, a verified one of the same file, found damage."""
        first = checked.first_damaged_chunk
        if first is not None and (self.first_damaged_chunk is None or first < self.first_damaged_chunk):
            self._leave_out(first)
            self.damage, self.truncated, self.first_damaged_chunk = checked.damage, checked.truncated, first

    def _scan(self) -> None:
        """Read all chunks, up to the end mark or to the first damage."""
        offset, sequence = fmt.PREFIX.size, 0
        while offset < len(self._data) and self._stated_ticks is None:
            try:
                kind, payload, intact = self._read_chunk(offset, sequence)
                if not intact and kind == fmt.COMMANDS and self.header:
                    self.damaged_block = self._commands(payload, self.ticks, strict=False)
                if not intact:
                    raise ChunkError(f"the checksum of a {NAMES[kind]} is wrong")
                self._take(kind, payload, sequence)
            except ChunkError as error:
                self._damaged(offset, str(error), sequence)
                return
            offset += fmt.CHUNK.size + len(payload)
            sequence += 1
        if not self.header:
            raise RecordingError(f"{self.path}: ends before its header is complete; nothing can be read")
        if self._stated_ticks is None:
            self.truncated = True
            self._damaged(offset, "no end mark: the program was stopped while recording", sequence)
        elif offset < len(self._data):
            self._damaged(offset, "there is something after the end mark", sequence)
        elif self._stated_ticks != self.ticks:
            self._damaged(offset, f"the end mark counts {self._stated_ticks} ticks", sequence)

    def _damaged(self, offset: int, why: str, sequence: int) -> None:
        """Note the damage of a chunk at a byte offset. Raises RecordingError if the header is not read yet."""
        if not self.header:
            raise RecordingError(f"{self.path}: damaged at byte {offset}: {why}; without a header nothing can be read")
        size, self.first_damaged_chunk = len(self._data), sequence
        lost = f", {size - offset} of {size} bytes left out" if offset < size else ""
        read = f"read up to {self.seconds:.3f} s (tick {self.ticks})"
        self.damage = f"byte {offset} (block {sequence}): {why}; {read}{lost}"

    def _take(self, kind: bytes, payload: memoryview, sequence: int) -> None:
        """Register one intact chunk."""
        if bool(self.header) == (kind == fmt.HEADER):
            raise ChunkError("the header must come first, once")
        if kind == fmt.HEADER:
            self._take_header(fmt.from_json(payload))
        elif kind == fmt.COMMANDS:
            ticks = self._count(payload, sequence)
            self._block_starts.append(self.ticks)
            self._block_sequences.append(sequence)
            self.ticks += ticks
        elif kind == fmt.SNAPSHOT:
            self._take_snapshot(payload, sequence)
        elif kind == fmt.POSES:
            if len(payload) < fmt.POSE_HEAD.size:
                raise ChunkError("a pose block has no head")
            self._pose_blocks.append(sequence)
            first, _, _, _ = fmt.POSE_HEAD.unpack_from(payload)
            self._pose_starts.append(first)
        elif kind == fmt.PROPS:
            self._prop_blocks.append(sequence)
        elif kind == fmt.EVENT:
            event = fmt.from_json(payload)
            if not isinstance(event.get("kind"), str) or type(event.get("tick")) is not int or event["tick"] < 0:
                raise ChunkError("an event has no kind or tick")
            event["sequence"] = sequence
            self.events.append(event)
        elif kind == fmt.END:
            ticks = fmt.from_json(payload).get("ticks")
            self._stated_ticks = ticks if type(ticks) is int else -1

    def _take_header(self, header: dict[str, Any]) -> None:
        """Check the header and keep it. Raises ChunkError."""
        try:
            tick_seconds, vehicles = float(header["tick_seconds"]), header["vehicles"]
            if not 0.0 < tick_seconds <= 1.0 or not 0 < len(vehicles) <= fmt.MAX_VEHICLES:
                raise ChunkError("its tick or its number of vehicles is impossible")
            for vehicle in vehicles:
                recording_poses.check_layout(vehicle["poses"])
                if not isinstance(vehicle["config"], str) or not isinstance(vehicle["name"], str):
                    raise ChunkError("a vehicle has no name or config")
                if not isinstance(vehicle.get("path", ""), str):
                    raise ChunkError("a vehicle's path is not a text")
                if not isinstance(vehicle.get("towed", False), bool):
                    raise ChunkError("whether a vehicle is towed is neither true nor false")
            if not isinstance(header["world"], dict) or type(header["substeps"]) is not int:
                raise ChunkError("it has no world or substeps")
            for key in ("vehicle_contact", "wheels_on_vehicles", "props"):
                if type(header.get(key, False)) is not bool:
                    raise ChunkError(f"its {key} is neither true nor false")
            if not isinstance(header["world"].get("values", {}), dict):
                raise ChunkError("the values of its world are not a mapping")
            self._row = fmt.row_dtype(fmt.dtype_of(header["command_layout"]))
            self._external_row = fmt.external_dtype(fmt.dtype_of(header["external_layout"]))
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            reason = str(error) if isinstance(error, ChunkError) else f"{type(error).__name__} {error}"
            raise ChunkError(f"the header is incomplete: {reason}") from None
        self.header, self.tick_seconds, self.vehicle_count = header, tick_seconds, len(vehicles)
        self._layouts = [vehicle["poses"] for vehicle in vehicles]
        self._quantum = recording_poses.quanta(self._layouts)

    def _count(self, payload: memoryview, sequence: int) -> int:
        """Number of ticks of a block; its rows are decoded now if all checksums are verified on opening."""
        if self._check:
            _, self._block_rows[sequence] = self._commands(payload, self.ticks, strict=True)
            return len(self._block_rows[sequence])
        if len(payload) < fmt.COMMAND_HEAD.size:
            raise ChunkError("a block of ticks has no head")
        return int(fmt.COMMAND_HEAD.unpack_from(payload)[1])

    def _rows_of(self, index: int) -> np.ndarray:
        """Rows [ticks, vehicles] of a block of ticks, decoded on first use."""
        sequence = self._block_sequences[index]
        if sequence not in self._block_rows:
            try:
                payload, first = self.payload(sequence), self._block_starts[index]
                _, self._block_rows[sequence] = self._commands(payload, first, strict=True)
            except ChunkError as error:
                self._end_before(sequence, str(error))
        return self._block_rows[sequence]

    def _commands(self, payload: memoryview, expected: int, strict: bool) -> Any:
        """(first tick, rows [ticks, vehicles]) of a block of ticks; registers its external actions.

        Raises ChunkError for damage if `strict`; else reads what it can, or returns None if that is nothing.
        """
        try:
            first, rows, external = recording_ticks.decode(payload, self._row, self._external_row, self.version, strict)
            if rows.shape[1] != self.vehicle_count or first != expected:
                raise ChunkError(f"a block of {len(rows)} ticks from tick {first} does not follow tick {expected}")
        except ChunkError:
            if strict:
                raise
            return None
        for record in external:
            tick, vehicle = int(record["tick"]), int(record["vehicle"])
            intact = zlib.crc32(record.tobytes()[:-4]) == int(record["row_check"])
            if intact and first <= tick < first + len(rows) and vehicle < self.vehicle_count:
                self._external[(tick, vehicle)] = record["external"].tobytes()
                self._external_ticks.add(tick)
            elif strict:
                raise ChunkError("an external action does not belong to its block")
        return first, rows

    def _take_snapshot(self, payload: memoryview, sequence: int) -> None:
        if len(payload) < fmt.SNAPSHOT_HEAD.size:
            raise ChunkError("a snapshot has no head")
        tick, _, kind, size = fmt.SNAPSHOT_HEAD.unpack_from(payload)
        if kind not in (fmt.CHECK, fmt.JUMP) or size > fmt.MAX_UNPACKED or tick > self.ticks + 2**32:
            raise ChunkError("the head of a snapshot is impossible")
        self.snapshots.append(Snapshot(self, tick, jump=kind == fmt.JUMP, sequence=sequence))

    @up_to_damage
    def rows(self, start: int = 0, stop: int | None = None) -> np.ndarray:
        """Rows [ticks, vehicles] of ticks start .. stop (not included), as stored: command, flags, checks."""
        start, stop = max(0, start), self.ticks if stop is None else min(stop, self.ticks)
        parts = []
        for index in range(max(0, bisect.bisect_right(self._block_starts, start) - 1), len(self._block_starts)):
            first = self._block_starts[index]
            if first >= stop:
                break
            parts.append(self._rows_of(index)[max(0, start - first) : stop - first])
        return np.concatenate(parts) if parts else np.zeros((0, self.vehicle_count), self._row)

    def commands(self, start: int = 0, stop: int | None = None) -> np.ndarray:
        """Commands [ticks, vehicles] of ticks start .. stop (not included)."""
        return np.ascontiguousarray(self.rows(start, stop)["command"])

    @up_to_damage
    def external(self, tick: int) -> np.ndarray | None:
        """External actions in a tick: array [vehicles], or None without any."""
        index = bisect.bisect_right(self._block_starts, tick) - 1
        if not self._check and index >= 0 and tick < self.ticks:
            self._rows_of(index)
        if tick not in self._external_ticks:
            return None
        actions = [self._external.get((tick, i)) for i in range(self.vehicle_count)]
        dtype = self._external_row["external"]
        return np.frombuffer(b"".join(raw or bytes(dtype.itemsize) for raw in actions), dtype).copy()

    def _pose_block(self, index: int) -> Any:
        """(ticks, jumps, columns) of a block of poses, completed at jumps; the last block is cached."""
        if self._decoded[0] != index:
            ticks, jumps, columns = self._stored_poses(index)
            after = None
            if jumps[-1] and index + 1 < len(self._pose_blocks):
                _, next_jumps, rows = self._stored_poses(index + 1)
                after = None if next_jumps[0] else rows[0]
            recording_poses.complete(jumps, columns, self._layouts, after)
            self._decoded = (index, (ticks, jumps, columns))
        return self._decoded[1]

    def _stored_poses(self, index: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(ticks, jumps, columns) of a block of poses as stored."""
        try:
            return recording_poses.decode(self.payload(self._pose_blocks[index]), self._quantum, self.version)
        except (ChunkError, ValueError, OverflowError) as error:
            raise RecordingError(f"{self.path}: poses cannot be read: {error}") from None

    @up_to_damage
    def poses(
        self, start_time: float = 0.0, stop_time: float | None = None
    ) -> tuple[np.ndarray, np.ndarray, list[dict[str, np.ndarray]]]:
        """(times in s, jumps, vehicles) of the stored frames in a time span; vehicles as in `PoseSample`, stacked."""
        starts, stop_time = self._pose_starts, self.seconds if stop_time is None else stop_time
        low = max(0, bisect.bisect_right(starts, start_time / self.tick_seconds) - 1)
        parts = []
        for index in range(low, len(starts)):
            if starts[index] * self.tick_seconds > stop_time:
                break
            parts.append(self._pose_block(index))
        if not parts:
            no_columns = np.zeros((0, len(self._quantum)))
            return np.zeros(0), np.zeros(0, bool), recording_poses.split(no_columns, self._layouts)
        ticks, jumps, columns = (np.concatenate(group) for group in zip(*parts, strict=True))
        times = ticks * self.tick_seconds
        in_span = (times >= start_time - 1e-9) & (times <= stop_time + 1e-9)
        return times[in_span], jumps[in_span], recording_poses.split(columns[in_span], self._layouts)

    @up_to_damage
    def props(self) -> recording_props.PropTrack:
        """PropTrack of the props of this drive; empty if it has none."""
        if self._props is None:
            kinds, poses = recording_props.read_props(self.events)
            interval = self.header.get("pose_interval")
            interval = interval if type(interval) is int and interval > 0 else 1
            try:
                payloads = [self.payload(sequence) for sequence in self._prop_blocks]
                self._props = recording_props.PropTrack(kinds, poses, payloads, interval)
            except (ChunkError, ValueError, OverflowError) as error:
                raise RecordingError(f"{self.path}: props cannot be read: {error}") from None
        return self._props

    @up_to_damage
    def pose_at(self, time: float) -> PoseSample | None:
        """PoseSample at a time, blended between the frames around it; outside the recording the first or last frame.

        Returns None when the recording holds no poses. Raises RecordingError, as `poses`, if they cannot be read.
        """
        starts = self._pose_starts
        if not starts:
            return None
        target_tick = time / self.tick_seconds
        index = max(0, bisect.bisect_right(starts, target_tick) - 1)
        ticks, jumps, columns = self._pose_block(index)
        frame = int(np.clip(np.searchsorted(ticks, target_tick, side="right") - 1, 0, len(ticks) - 1))
        tick, before = ticks[frame], columns[frame : frame + 1]
        if frame + 1 < len(ticks):
            after = (ticks[frame + 1], jumps[frame + 1], columns[frame + 1 : frame + 2])
        elif index + 1 < len(starts):
            later = self._pose_block(index + 1)
            after = (later[0][0], later[1][0], later[2][:1])
        else:
            after = (tick, True, before)
        vehicles = [_first(values) for values in recording_poses.split(before, self._layouts)]
        if not after[1] and after[0] > tick:
            fraction = min(1.0, max(0.0, (target_tick - tick) / (after[0] - tick)))
            later = [_first(values) for values in recording_poses.split(after[2], self._layouts)]
            vehicles = [recording_poses.blend(a, b, fraction) for a, b in zip(vehicles, later, strict=True)]
        return PoseSample(time, vehicles)


def _first(values: Any) -> Any:
    return {name: value[0] for name, value in values.items()}
