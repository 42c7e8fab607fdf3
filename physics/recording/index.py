"""The index of a finished recording: positions of all chunks, and all events, in one chunk before the end mark.

With it, a recording of hours opens by reading its last chunks and its header. A file without a valid index is read
chunk by chunk, verifying each checksum.

    payload  offset of the index's chunk u64, rows u32, bytes of packed rows u32, unpacked bytes of events u32,
             rows as zstd (ROW, one per chunk before the index), events as zstd (JSON list of [sequence, event])
"""

import struct
import zlib
from typing import Any

import numpy as np

from driving_sandbox.physics.base.json_text import MAX_LENGTH
from driving_sandbox.physics.recording import format as fmt
from driving_sandbox.physics.recording.format import ChunkError

HEAD = struct.Struct("<QIII")
ROW = np.dtype([("kind", "S4"), ("offset", "<u8"), ("length", "<u4"), ("check", "<u4"), ("first", "<u8"),
                ("count", "<u4")])  # fmt: skip
TAIL = 4096  # bytes at the end of a file that are searched for its end mark, which has about a hundred bytes


def pack(offset: int, rows: list[Any], events: list[Any]) -> bytes:
    """Payload of an index chunk at an offset.

    Args:
        rows: [(kind, offset, length, check, first, count)] of all chunks before it; the last two are `packing.extent`.
        events: [[sequence, event]].
    """
    table, events_json = fmt.compress(np.array(rows, ROW).tobytes()), fmt.to_json(events)
    return HEAD.pack(offset, len(rows), len(table), len(events_json)) + table + fmt.compress(events_json)


def find(data: memoryview) -> tuple[np.ndarray, list[Any], int, int] | None:
    """(rows, [(sequence, event)], offset of the index, number of ticks) of a file, or None without a valid index."""
    try:
        offset, sequence = _end_mark(data)
        if offset is None:
            return None
        end = fmt.from_json(_payload(data, offset, fmt.END, sequence))
        index, ticks = end.get("index"), end.get("ticks")
        if type(index) is not int or type(ticks) is not int or not fmt.PREFIX.size <= index < offset:
            return None
        payload = _payload(data, index, fmt.INDEX, sequence - 1)
        stated, count, packed, size = HEAD.unpack_from(payload)
        if stated != index or count != sequence - 1 or not 0 < count * fmt.CHUNK.size <= index:
            return None
        rows = np.frombuffer(fmt.decompress(bytes(payload[HEAD.size : HEAD.size + packed]), count * ROW.itemsize), ROW)
        if size > MAX_LENGTH:
            return None
        events = fmt.from_json(fmt.decompress(bytes(payload[HEAD.size + packed :]), size), list)
        ends = rows["offset"] + np.uint64(fmt.CHUNK.size) + rows["length"]
        contiguous = np.array_equal(rows["offset"][1:], ends[:-1]) and int(ends[-1]) == index
        if not contiguous or int(rows["offset"][0]) != fmt.PREFIX.size or not _are_valid(events):
            return None
    except (ChunkError, struct.error, ValueError, IndexError):
        return None
    return rows, events, index, ticks


def _end_mark(data: memoryview) -> tuple[int | None, int]:
    """(offset, sequence) of the end mark that ends a file, or (None, 0)."""
    start = max(0, len(data) - TAIL)
    tail, position = bytes(data[start:]), -1
    while (position := tail.find(fmt.END, position + 1)) >= 0:
        if len(tail) - position >= fmt.CHUNK.size:
            _, sequence, length, _, _ = fmt.CHUNK.unpack_from(tail, position)
            if position + fmt.CHUNK.size + length == len(tail):
                return start + position, sequence
    return None, 0


def _payload(data: memoryview, offset: int, kind: bytes, sequence: int) -> memoryview:
    """Payload of the chunk at an offset; ChunkError unless it is intact and has this kind and sequence number."""
    kind_read, sequence_read, length, check, head_check = fmt.CHUNK.unpack_from(data, offset)
    payload = data[offset + fmt.CHUNK.size : offset + fmt.CHUNK.size + length]
    head = zlib.crc32(data[offset : offset + fmt.CHUNK.size - 4])
    if (kind_read, sequence_read, head, zlib.crc32(payload)) != (kind, sequence, head_check, check):
        raise ChunkError("an index or end mark is damaged")
    return payload


def _are_valid(events: Any) -> bool:
    """Whether a value from a file is a list of [sequence, event] with kind and tick."""
    return isinstance(events, list) and all(
        isinstance(entry, list) and len(entry) == 2 and type(entry[0]) is int and isinstance(entry[1], dict)
        and isinstance(entry[1].get("kind"), str) and type(entry[1].get("tick")) is int and entry[1]["tick"] >= 0
        for entry in events
    )  # fmt: skip
