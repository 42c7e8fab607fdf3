"""Writer of a `.drive` file while the simulation runs.

A tick only copies bytes and computes a CRC per vehicle; packing, writing and flushing to the disk happen in a thread,
once per block of at most half a second. Within a block, setup changes and jumps, on which ticks depend, are written
before the ticks, so that whatever part of a file survives a crash can be verified.
The tick count of a recording also goes on after rewinds and resets: a *jump* stores the state that was set.
"""

import logging
import math
import os
import queue
import struct
import threading
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from driving_sandbox import VERSION
from driving_sandbox.physics.recording import format as fmt
from driving_sandbox.physics.recording import index as recording_index
from driving_sandbox.physics.recording import poses as recording_poses
from driving_sandbox.physics.recording import props as recording_props
from driving_sandbox.physics.recording.header import header_of
from driving_sandbox.physics.recording.impulses import ContactImpulses
from driving_sandbox.physics.recording.packing import PACK, TRAILER, extent
from driving_sandbox.physics.tick.commands import COMMAND
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.tick.used_state import UsedStates
from driving_sandbox.physics.vehicle.swap import Swap, swap_event
from driving_sandbox.physics.world.world import World

BLOCK_SECONDS = 0.5  # s, longest block; with the thread's own delay a killed program loses less than a second
SNAPSHOT_SECONDS = (1.0, 3.0)  # s between snapshots, of one vehicle and of several, whose states take more space
FLAGS_AND_CHECK = struct.Struct("<2I")  # the first two fields of TRAILER; the third is written in the thread
PropPoses = Sequence[Sequence[float] | np.ndarray] | np.ndarray  # [n, 7]: position in m, quaternion x, y, z, w
_log = logging.getLogger(__name__)


class Recorder:
    """Appends a world's ticks to a new file. Use as a context manager, or call `close()`.

    Raises RecordingError as `header_of` does, and for too many vehicles; OSError if the file cannot be created.
    Attributes:
        path: the file.
        tick: number of ticks recorded so far.
    """

    def __init__(self, path: str | Path, world: World, created: str, program: str = VERSION) -> None:
        self.path = os.fspath(path)
        self.world = world
        if len(world.vehicles) > fmt.MAX_VEHICLES:
            raise fmt.RecordingError(
                f"{self.path}: {len(world.vehicles)} vehicles; at most {fmt.MAX_VEHICLES} are recorded"
            )
        self.tick = 0
        self.tick_seconds = float(world.tick_seconds)
        header = header_of(world, created, program)
        self._file = _Writer(self.path)
        self._layouts = [v["poses"] for v in header["vehicles"]]
        self._quantum = recording_poses.quanta(self._layouts)  # of every column of the poses
        self._pose_interval = header["pose_interval"]
        self._snapshot_interval = max(1, round(SNAPSHOT_SECONDS[len(world.vehicles) > 1] / self.tick_seconds))
        self._capacity = max(1, math.ceil(BLOCK_SECONDS / self.tick_seconds))  # ticks of a block
        self._pose_capacity = self._capacity // self._pose_interval + 2  # frames that `_pose_states` has room for
        self._row_size = COMMAND.itemsize + TRAILER.itemsize  # bytes
        self._check_mask = fmt.check_mask()
        self._no_external = bytes(EXTERNAL.itemsize)
        self._closed = False
        self._used_states, self._impulses = UsedStates(world.vehicles), ContactImpulses(world)
        self._start_block()
        self._offsets = [recording_poses.model_offset(v) for v in world.vehicles]  # of each vehicle, at present
        self._file.put([(fmt.HEADER, fmt.to_json(header))])
        self.jump("start")
        self.flush()

    def _start_block(self) -> None:
        self._rows = bytearray(self._capacity * len(self.world.vehicles) * self._row_size)
        self._first, self._fill = self.tick, 0  # first tick of the block; bytes of `_rows` in use
        self._external: list[Any] = []  # (tick, index of the vehicle, bytes of its EXTERNAL record)
        self._before: list[Any] = []  # chunks that precede the ticks of this block
        self._after: list[Any] = []  # chunks that follow them
        self._pose_ticks: list[int] = []
        self._pose_jumps: list[bool] = []
        self._pose_impulses: list[Any] = []  # of the frames, from ContactImpulses
        self._prop_rows: list[Any] = []  # (ticks, indices of the props, poses) of moving props
        self._block_start = time.monotonic()

    def record(self, commands: np.ndarray, external: np.ndarray | None = None, fault: bool = False) -> None:
        """Append the tick that the world has just stepped with these commands and external actions.

        commands, external: arrays of COMMAND and EXTERNAL, one record per vehicle.
        fault: whether the tick ended with a fault.
        """
        if self._closed:
            return
        size = COMMAND.itemsize
        raw = commands.tobytes()
        external_bytes = None if external is None else external.tobytes()
        rows, offset = self._rows, self._fill
        self._used_states.keep()
        self._impulses.note()
        for i, used_state in enumerate(self._used_states):
            command = raw[i * size : (i + 1) * size]
            flags = fmt.FAULTED if fault else 0
            check = zlib.crc32(command)
            if external_bytes is not None:
                action = external_bytes[i * EXTERNAL.itemsize : (i + 1) * EXTERNAL.itemsize]
                if action != self._no_external:
                    flags |= fmt.EXTERNAL_ACTED
                    check = zlib.crc32(action, check)
                    self._external.append((self.tick, i, action))
            rows[offset : offset + size] = command
            check = zlib.crc32(used_state.packed_words, check) & self._check_mask
            FLAGS_AND_CHECK.pack_into(rows, offset + size, flags, check)
            offset += self._row_size
        self._fill = offset
        self.tick += 1
        if self.tick % self._pose_interval == 0:
            self._pose(jump=False)
        if self.tick % self._snapshot_interval == 0:
            self._after.append((fmt.SNAPSHOT, self._snapshot(fmt.CHECK)))
        if self.tick - self._first >= self._capacity:
            self.flush()

    def _pose(self, jump: bool) -> None:
        """Add a frame of poses, from the states last packed by `self._used_states`."""
        if len(self._pose_ticks) == self._pose_capacity:
            self._flush_poses()  # many jumps in one block
        if not self._pose_ticks:  # a new array: the last one belongs to the writing thread
            sizes = [len(used_state.packed_words) for used_state in self._used_states]
            self._pose_states = [np.empty((self._pose_capacity, size), np.uint64) for size in sizes]
        frame = len(self._pose_ticks)
        for used_state, states in zip(self._used_states, self._pose_states, strict=True):
            states[frame] = used_state.packed_words
        self._pose_impulses.append(self._impulses.take())
        self._pose_ticks.append(self.tick)
        self._pose_jumps.append(jump)

    def _snapshot(self, kind: Any) -> Any:
        """(tick, state hash, kind: CHECK or JUMP, bytes of the state) of the present state."""
        return (self.tick, int(self.world.state_hash()) & (2**64 - 1), kind, self.world.snapshot())

    def event(self, kind: str, **data: Any) -> None:
        """Record an event before the next tick. data: JSON values."""
        if not self._closed:
            self._before.append((fmt.EVENT, fmt.to_json({"kind": kind, "tick": self.tick, **data})))

    def setup(self, vehicle: int, values: Mapping[str, Any]) -> None:
        """Record parameter changes {path: value} of a vehicle, effective from the next tick."""
        if self._closed:
            return
        self._flush_poses()  # the pending frames have the old offset of the model's origin
        self._offsets[vehicle] = recording_poses.model_offset(self.world.vehicles[vehicle])
        self.event("setup", vehicle=int(vehicle), values=dict(values))

    def world_setup(self, values: Mapping[str, Any]) -> None:
        """Record changes {path: value} of the world's parameters, effective from the next tick."""
        if not self._closed:
            self.event("world", values=dict(values))

    def _vehicle_replaced(self, vehicle: int) -> None:
        """Follow the world's vehicle of this index, in place of the one recorded so far, whose rows are flushed."""
        self._offsets[vehicle] = recording_poses.model_offset(self.world.vehicles[vehicle])
        self._used_states, self._impulses = UsedStates(self.world.vehicles), ContactImpulses(self.world)
        self._start_block()

    def props(self, kinds: Sequence[str], poses: PropPoses) -> None:
        """Record all props, once: kind and pose [7] (position, orientation) of each."""
        self.event(recording_props.EVENT_KIND, **{recording_props.THINGS: recording_props.props_event(kinds, poses)})

    def prop_poses(self, numbers: Sequence[int] | np.ndarray, poses: PropPoses) -> None:
        """Record the poses [n, 7] of the props with these indices. Call it every `pose_interval` ticks."""
        if not self._closed and len(numbers):
            ticks = np.full(len(numbers), self.tick, np.int64)
            self._prop_rows.append((ticks, np.array(numbers, np.int64), np.array(poses, float)))

    def jump(self, reason: str, **data: Any) -> None:
        """Record that the world's state was set (start, recover, rewind, after a fault), not simulated."""
        if self._closed:
            return
        self.event("jump", reason=reason, **data)
        self._before.append((fmt.SNAPSHOT, self._snapshot(fmt.JUMP)))
        self._used_states.keep()
        self._impulses.forget()
        self._pose(jump=True)

    def poll(self) -> None:
        """Flush a block older than half a second, as in pauses and slow motion. Call it once a frame."""
        if not self._closed and time.monotonic() - self._block_start > BLOCK_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Pass everything recorded so far to the writing thread."""
        self._flush_poses()
        chunks = list(self._before)
        if self.tick > self._first:
            chunks.append(
                (fmt.COMMANDS, (self._first, len(self.world.vehicles), self._rows[: self._fill], self._external))
            )
        chunks += self._after
        if chunks:
            self._file.put(chunks)
        self._start_block()

    def _flush_poses(self) -> None:
        if self._prop_rows:
            self._after.append((fmt.PROPS, self._prop_rows))
            self._prop_rows = []
        if not self._pose_ticks:
            return
        count = len(self._pose_ticks)
        states = [s[:count] for s in self._pose_states]
        used_states, offsets = list(self._used_states), list(self._offsets)
        impulses = list(np.array(self._pose_impulses).swapaxes(0, 1))  # of each vehicle
        job = (self._pose_ticks, self._pose_jumps, states, used_states, self._layouts, offsets, impulses, self._quantum)
        self._after.append((fmt.POSES, job))
        self._pose_ticks, self._pose_jumps, self._pose_impulses = [], [], []

    def sync(self) -> None:
        """Flush, and wait until everything is in the file; for tests and for copying the file."""
        if not self._closed:
            self.flush()
            self._file.wait()

    def rename(self, path: str | Path) -> None:
        """Rename the file while it is being written. Raises OSError if the system forbids that."""
        os.rename(self.path, path)
        self.path = os.fspath(path)

    @property
    def error(self) -> str | None:
        """Why writing has stopped, or None."""
        return self._file.error

    @property
    def written(self) -> int:
        """Number of ticks on the disk."""
        return self._file.written

    def close(self, reason: str = "closed") -> None:
        """Write the rest and the end mark. Safe to call twice."""
        if self._closed:
            return
        self.flush()
        self._file.put([(fmt.END, {"ticks": self.tick, "reason": reason})])
        self._closed = True
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, error: object, trace: object) -> None:
        self.close("closed" if kind is None else f"ended by {kind.__name__}")


def record_swap(recorder: Recorder, vehicle: int, swap: Swap, apply: Callable[[], None]) -> None:
    """Record the swap of a component of a vehicle, from the next tick on.

    apply: function that puts the changed vehicle into the world; it is called once the pending rows are flushed.
    """
    recorder.flush()
    apply()
    if recorder._closed:
        return
    recorder._vehicle_replaced(vehicle)
    recorder.event("swap", vehicle=int(vehicle), **swap_event(swap))
    recorder.jump("swap", vehicle=int(vehicle))


class _Writer:
    """The thread that turns blocks into chunks and appends them to the file."""

    def __init__(self, path: str | Path) -> None:
        self.error: str | None = None
        self.written = 0
        self._file = open(path, "xb", buffering=0)  # noqa: SIM115 - closed by the thread; "x": never overwrite a drive
        self._sequence, self._offset = 0, fmt.PREFIX.size  # sequence number and byte offset of the next chunk
        self._started = False  # whether the prefix is written
        self._index_rows: list[Any] = []
        self._events: list[Any] = []  # [sequence number, event], for the index
        self._queue: queue.SimpleQueue[Any] = queue.SimpleQueue()  # lists of (type, content), Events to set, None
        self._thread = threading.Thread(target=self._run, name="recording", daemon=True)
        self._thread.start()

    def put(self, chunks: Any) -> None:
        self._queue.put(chunks)

    def wait(self) -> None:
        finished = threading.Event()
        self._queue.put(finished)
        while self._thread.is_alive() and not finished.wait(0.05):
            pass

    def close(self) -> None:
        self._queue.put(None)
        self._thread.join()
        self._file.close()

    def _run(self) -> None:
        while (job := self._queue.get()) is not None:
            if isinstance(job, threading.Event):
                job.set()
            elif self.error is None:
                try:
                    self._write(job)
                except Exception as error:  # disk errors must not stop the drive; the session shows the text
                    self.error = f"{self._file.name}: recording stopped: {getattr(error, 'strerror', None) or error}"
                    _log.exception("recording stopped")

    def _write(self, chunks: Any) -> None:
        parts: list[bytes] = []
        ticks = 0
        for kind, content in chunks:
            if kind == fmt.COMMANDS:
                ticks = extent(kind, content)[1]
            if kind == fmt.END:
                offset = self._offset
                self._append(parts, fmt.INDEX, recording_index.pack(offset, self._index_rows, self._events))
                content = fmt.to_json({**content, "index": offset})
            self._append(parts, kind, PACK.get(kind, bytes)(content), *extent(kind, content))
            if kind == fmt.EVENT:
                self._events.append([self._sequence - 1, fmt.from_json(content)])
        if not self._started:  # written together with the header: a program killed before leaves an empty file
            parts.insert(0, fmt.PREFIX.pack(fmt.MAGIC, fmt.FORMAT_VERSION, 0))
            self._started = True
        data = memoryview(b"".join(parts))
        while data:
            data = data[self._file.write(data) :]
        os.fsync(self._file.fileno())
        self.written += ticks

    def _append(self, parts: list[bytes], kind: Any, payload: bytes, first: int = 0, count: int = 0) -> None:
        """Append the chunk of a payload to `parts`, and note its position for the index."""
        data = fmt.chunk(kind, self._sequence, payload)
        self._index_rows.append((kind, self._offset, len(payload), zlib.crc32(payload), first, count))
        self._sequence, self._offset = self._sequence + 1, self._offset + len(data)
        parts.append(data)
