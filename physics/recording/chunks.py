"""Chunk structure of a `.drive` file: prefix and chunks, checksums verified at once or on first read."""

import functools
import mmap
import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn, ParamSpec, Self, TypeVar

from driving_sandbox.physics.base.input_file import open_regular
from driving_sandbox.physics.recording import format as fmt
from driving_sandbox.physics.recording.format import ChunkError, RecordingError

LARGE = (fmt.COMMANDS, fmt.POSES, fmt.PROPS, fmt.SNAPSHOT)  # types whose checksums may be verified on first read
_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")
NAMES = {  # names of the chunk types in messages, which call a chunk a block
    fmt.HEADER: "header",
    fmt.COMMANDS: "block of ticks",
    fmt.POSES: "block of poses",
    fmt.PROPS: "block of props",
    fmt.SNAPSHOT: "snapshot",
    fmt.EVENT: "event",
    fmt.INDEX: "index",
    fmt.END: "end mark",
}


class _Truncated(Exception):
    """A chunk was found damaged on its first read; the recording now ends before it."""


def up_to_damage(method: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
    """Decorator of a reading method: it runs again if it finds damage, as the recording then ends before the damage."""

    @functools.wraps(method)
    def read(*arguments: _Arguments.args, **named: _Arguments.kwargs) -> _Result:
        while True:
            try:
                return method(*arguments, **named)
            except _Truncated:
                continue

    return read


class Snapshot:
    """Stored state of the world before a tick.

    Attributes:
        tick: number of the tick.
        jump: whether the state was set (by a start, reset or rewind) instead of simulated.
        sequence: number of the chunk in the file, from 0.
    """

    __slots__ = ("_recording", "jump", "sequence", "tick")

    def __init__(self, recording: "ChunkFile", tick: int, jump: bool, sequence: int) -> None:
        self._recording, self.tick, self.jump, self.sequence = recording, tick, jump, sequence

    def _payload(self) -> memoryview:
        try:
            return self._recording.payload(self.sequence)
        except _Truncated as error:
            raise ChunkError(str(error)) from None

    @property
    def state_hash(self) -> int:
        """`World.state_hash` of this state. Raises ChunkError if it cannot be read."""
        _, state_hash, _, _ = fmt.SNAPSHOT_HEAD.unpack_from(self._payload())
        return state_hash

    def state(self) -> bytes:
        """The snapshot for `World.restore`. Raises ChunkError if it cannot be unpacked."""
        payload = self._payload()
        _, _, _, size = fmt.SNAPSHOT_HEAD.unpack_from(payload)
        return fmt.decompress(bytes(payload[fmt.SNAPSHOT_HEAD.size :]), size)


class ChunkFile:
    """Byte level of a Recording, whose methods `_leave_out` and `_damaged` truncate it at a damaged chunk."""

    @classmethod
    def open(cls, path: Path | str, check: bool = True) -> Self:
        """Open a file. Raises RecordingError if it is not a recording or its header cannot be read.

        check: True verifies all checksums now, False those of large chunks only when they are first read.
        """
        path = Path(path)
        try:
            with open_regular(path) as file:
                size = os.fstat(file.fileno()).st_size
                data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
        except FileNotFoundError:
            raise RecordingError(f"{path}: no such file") from None
        except (OSError, ValueError) as error:
            raise RecordingError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
        return cls(path, memoryview(data), check)

    def __init__(self, path: Path, data: memoryview, check: bool) -> None:
        self.path, self._data, self._check = path, data, check
        self._chunks: list[tuple[bytes, int, int, int]] = []  # (type, offset, length, checksum) of each
        self._checked: set[int] = set()  # sequence numbers of the chunks whose checksums were verified
        self._check_prefix()

    def _check_prefix(self) -> None:
        """Raise RecordingError unless the file begins with the prefix of a readable version."""
        if len(self._data) in (0, fmt.PREFIX.size):
            raise RecordingError(f"{self.path}: holds nothing: the program was stopped before it could record anything")
        if len(self._data) < fmt.PREFIX.size:
            raise RecordingError(f"{self.path}: is not a recording (only {len(self._data)} bytes)")
        magic, self.version, _ = fmt.PREFIX.unpack_from(self._data)
        if magic != fmt.MAGIC:
            raise RecordingError(f"{self.path}: is not a recording (it does not begin like one)")
        if self.version not in fmt.READABLE_VERSIONS:
            known = " or ".join(map(str, fmt.READABLE_VERSIONS))
            raise RecordingError(f"{self.path}: recording format {self.version}; this program reads format {known}")

    def payload(self, sequence: int) -> memoryview:
        """Payload of a chunk, with its checksum verified the first time."""
        kind, offset, length, check = self._chunks[sequence]
        payload = self._data[offset + fmt.CHUNK.size : offset + fmt.CHUNK.size + length]
        if sequence not in self._checked and not self._check:
            head = fmt.CHUNK.pack(kind, sequence, length, check, 0)[:-4]
            stored = self._data[offset : offset + fmt.CHUNK.size]
            if stored != head + zlib.crc32(head).to_bytes(4, "little") or zlib.crc32(payload) != check:
                self._end_before(sequence, f"the checksum of a {NAMES[kind]} is wrong")
            self._checked.add(sequence)
        return payload

    def _leave_out(self, sequence: int) -> None:
        """Forget a chunk and all after it."""
        raise NotImplementedError

    def _damaged(self, offset: int, why: str, sequence: int) -> None:
        """Note the damage of a chunk at a byte offset. Raises RecordingError if the header is not read yet."""
        raise NotImplementedError

    def _end_before(self, sequence: int, why: str) -> NoReturn:
        """Truncate the recording before a damaged chunk. Raises _Truncated, or RecordingError for a header."""
        _, offset, _, _ = self._chunks[sequence]
        self._leave_out(sequence)
        self._damaged(offset, why, sequence)
        raise _Truncated(why)

    def _read_chunk(self, offset: int, sequence: int) -> tuple[bytes, memoryview, bool]:
        """(type, payload, whether its checksum is right or to be verified later) of the chunk at an offset.

        Lists the chunk in `_chunks`. Raises ChunkError unless it is complete and has this sequence number; sets
        `truncated` if the file ends inside it.
        """
        remaining = len(self._data) - offset
        if remaining < fmt.CHUNK.size:
            self.truncated = True
            raise ChunkError("the file ends inside the head of a block")
        kind, stored_sequence, length, check, head_check = fmt.CHUNK.unpack_from(self._data, offset)
        if zlib.crc32(self._data[offset : offset + fmt.CHUNK.size - 4]) != head_check or kind not in NAMES:
            raise ChunkError("the head of a block is damaged")
        if stored_sequence != sequence:
            raise ChunkError(f"block {stored_sequence} stands where block {sequence} belongs")
        if length > fmt.MAX_PAYLOAD:
            raise ChunkError(f"a block of {length} bytes is larger than any recording has")
        if length > remaining - fmt.CHUNK.size:
            self.truncated = True
            raise ChunkError(f"the file ends inside a {NAMES[kind]}")
        payload = self._data[offset + fmt.CHUNK.size : offset + fmt.CHUNK.size + length]
        self._chunks.append((kind, offset, length, check))
        return kind, payload, (not self._check and kind in LARGE) or zlib.crc32(payload) == check
