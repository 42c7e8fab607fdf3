"""Blocks of ticks in a file: commands, flags, checks, and external actions.

Few numbers change from tick to tick, so a block stores a bit mask of the words (8 bytes) of a row that differ, and then
those words. Row checks cover whole rows: a corrupt bit is detected in the first tick it affects. All lengths follow
from the head and the bit masks:

    first tick u64, ticks u32, vehicles u32, external rows u32, words of commands u32
    bit mask of the words that are not 0 in every tick, in whole bytes; of these words:
    for each tick: bit mask of those that differ from the tick before (of the first: from 0), in whole bytes
    for each tick and vehicle: state check u16, row check u16
    for each external row: tick u64, vehicle u32, row check u32
    for each external row: bit mask of the words that differ from the row before, in whole bytes
    words of commands, words of external rows

The words of a tick are, vehicle by vehicle, those of its command and one of its flags. External rows are sorted by
vehicle, then tick. Version 4 had marks of all words and checks of 32 bits, earlier ones whole rows.
"""

import numpy as np
from numpy.typing import DTypeLike

from driving_sandbox.physics.base.record import field_names
from driving_sandbox.physics.recording.format import (
    COMMAND_HEAD,
    MAX_UNPACKED,
    PACKED_SINCE,
    SHORT_CHECKS_SINCE,
    ChunkError,
)

WORD = 8  # bytes
WORD_COUNT = np.dtype("<u4")  # type of the number of words of commands, which follows COMMAND_HEAD
CHECKS = np.dtype([("state_check", "<u2"), ("row_check", "<u2")])
LONG_CHECKS = np.dtype([("state_check", "<u4"), ("row_check", "<u4")])  # before SHORT_CHECKS_SINCE
EXTERNAL_HEAD = np.dtype([("tick", "<u8"), ("vehicle", "<u4"), ("row_check", "<u4")])


def _word_count(dtype: np.dtype) -> int:
    """Number of words of a record type, the last one padded."""
    return -(-dtype.itemsize // WORD)  # rounded up


def _as_words(records: np.ndarray) -> np.ndarray:
    """Packed records [n] as uint64 [n, words]."""
    size = records.dtype.itemsize
    padded = np.zeros((len(records), WORD * _word_count(records.dtype)), np.uint8)
    padded[:, :size] = np.ascontiguousarray(records).view(np.uint8).reshape(len(records), size)
    return padded.view("<u8")


def _as_records(words: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """uint64 [n, words] as packed records [n] of a record type."""
    data = np.ascontiguousarray(words).view(np.uint8).reshape(len(words), WORD * words.shape[1])
    return np.ascontiguousarray(data[:, : dtype.itemsize]).view(dtype).reshape(len(words))


def differing(words: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(bit masks, values) of the words of uint64 [n, width] that differ from the row before; the first one's from 0."""
    differs = words.copy()
    differs[1:] ^= words[:-1]
    differs = differs != 0
    return np.packbits(differs, axis=1), words[differs]


def filled(bits: np.ndarray, words: np.ndarray, width: int) -> np.ndarray:
    """Inverse of `differing`: uint64 [n, width]; words missing in a damaged file have all bits set."""
    differs = np.unpackbits(bits, axis=1, count=width).astype(bool)
    number = np.cumsum(differs.ravel()).reshape(differs.shape)  # of each differing word, counted from 1
    last = np.maximum.accumulate(np.where(differs, number, 0), axis=0)
    values = np.full(int(number[-1, -1]) + 1 if differs.size else 1, ~np.uint64(0))
    values[0] = 0
    values[1 : len(words) + 1] = words[: len(values) - 1]
    return values[last]


def encode(first: int, rows: np.ndarray, external: np.ndarray) -> bytes:
    """Payload of a block.

    Args:
        first: first tick.
        rows: [ticks, vehicles] of `format.row_dtype`, with checks of 16 bits.
        external: [n] of `format.external_dtype`.
    """
    ticks, vehicles = rows.shape
    flat = rows.reshape(-1)
    words = np.column_stack([_as_words(flat["command"]), flat["flags"].astype("<u8")]).reshape(
        ticks, vehicles * (_word_count(rows.dtype["command"]) + 1)
    )
    used = words.any(axis=0)
    bits, values = differing(words[:, used])
    checks = np.zeros(rows.size, CHECKS)
    external = external[np.lexsort((external["tick"], external["vehicle"]))]
    heads = np.zeros(len(external), EXTERNAL_HEAD)
    for name in field_names(CHECKS):
        checks[name] = flat[name]
    for name in field_names(EXTERNAL_HEAD):
        heads[name] = external[name]
    external_bits, external_values = differing(_as_words(external["external"]))
    head = COMMAND_HEAD.pack(first, ticks, vehicles, len(external)) + WORD_COUNT.type(len(values)).tobytes()
    parts = (np.packbits(used), bits, checks, heads, external_bits, values, external_values)
    return head + b"".join(part.tobytes() for part in parts)


def decode(
    payload: bytes | memoryview, row: np.dtype, external: np.dtype, version: int, strict: bool = True
) -> tuple[int, np.ndarray, np.ndarray]:
    """(first tick, rows [ticks, vehicles], external rows [n]) of a block. Raises ChunkError if it breaks the format.

    Args:
        payload: payload of the chunk.
        row, external: `format.row_dtype` and `format.external_dtype` of the file.
        version: format version of the file.
        strict: a number of words that does not fit breaks the format; otherwise such data are decoded as far as
          possible.
    """
    if len(payload) < COMMAND_HEAD.size:
        raise ChunkError("a block of ticks has no head")
    first, ticks, vehicles, external_count = COMMAND_HEAD.unpack_from(payload)
    if max(ticks, 1) * vehicles * row.itemsize + external_count * external.itemsize > MAX_UNPACKED:
        raise ChunkError(f"a block of {ticks} ticks of {vehicles} vehicles is larger than any recording has")
    reader = _ArrayReader(payload, COMMAND_HEAD.size, f"a block of {ticks} ticks has the wrong length")
    if version < PACKED_SINCE:
        rows, records = reader.take(row, ticks * vehicles), reader.take(external, external_count)
        reader.end()
        return first, rows.reshape(ticks, vehicles), records
    word_count = int(reader.take(WORD_COUNT, 1)[0])
    width, external_width = vehicles * (_word_count(row["command"]) + 1), _word_count(external["external"])
    used, check_type = np.arange(width), LONG_CHECKS  # words that have bits
    if version >= SHORT_CHECKS_SINCE:
        used, check_type = np.flatnonzero(np.unpackbits(reader.masks(1, width)[0], count=width)), CHECKS
    bits = reader.masks(ticks, len(used))
    checks, heads = reader.take(check_type, ticks * vehicles), reader.take(EXTERNAL_HEAD, external_count)
    external_bits = reader.masks(external_count, external_width)
    values, external_words = reader.take(np.uint64, word_count), reader.rest(np.uint64)
    if strict and (_ones(bits, len(used)), _ones(external_bits, external_width)) != (word_count, len(external_words)):
        raise ChunkError(f"a block of {ticks} ticks has more or fewer words than differ")
    words = np.zeros((ticks, width), np.uint64)
    words[:, used] = filled(bits, values, len(used))
    rows = _rows(words.reshape(ticks * vehicles, _word_count(row["command"]) + 1), checks, row)
    records = np.zeros(external_count, external)
    records["external"] = _as_records(filled(external_bits, external_words, external_width), external["external"])
    _copy_fields(heads, records)
    return first, rows.reshape(ticks, vehicles), records


def _rows(words: np.ndarray, checks: np.ndarray, row: np.dtype) -> np.ndarray:
    """Records [n] of `row` from the words of command and flags, uint64 [n, words], and the checks [n]."""
    rows = np.zeros(len(words), row)
    rows["command"], rows["flags"] = _as_records(words[:, :-1], row["command"]), words[:, -1]
    _copy_fields(checks, rows)
    return rows


def _copy_fields(source: np.ndarray, target: np.ndarray) -> None:
    """Copy all fields of records to those of the same names."""
    for name in field_names(source.dtype):
        target[name] = source[name]


def _ones(bits: np.ndarray, width: int) -> int:
    """Number of set bits in masks of `width` bits."""
    return int(np.unpackbits(bits, axis=1, count=width).sum()) if bits.size else 0


class _ArrayReader:
    """Reads one array after the other from a payload; raises ChunkError(text) if it is too short or too long."""

    def __init__(self, payload: bytes | memoryview, offset: int, text: str) -> None:
        self._payload, self._offset, self._text = payload, offset, text

    def take(self, dtype: DTypeLike, count: int) -> np.ndarray:
        """The next `count` elements of a type."""
        dtype, start = np.dtype(dtype), self._offset
        self._offset += dtype.itemsize * count
        if self._offset > len(self._payload):
            raise ChunkError(self._text)
        return np.frombuffer(self._payload[start : self._offset], dtype)

    def masks(self, count: int, width: int) -> np.ndarray:
        """The next `count` bit masks of `width` bits each in whole bytes, uint8 [count, bytes]."""
        size = -(-width // 8)
        return self.take(np.uint8, count * size).reshape(count, size)

    def rest(self, dtype: DTypeLike) -> np.ndarray:
        """All remaining bytes as elements of a type."""
        remaining = len(self._payload) - self._offset
        if remaining % np.dtype(dtype).itemsize:
            raise ChunkError(self._text)
        return self.take(dtype, remaining // np.dtype(dtype).itemsize)

    def end(self) -> None:
        """Check that nothing remains."""
        if self._offset != len(self._payload):
            raise ChunkError(self._text)
