"""Bytes of recordings: their chunks, and damage."""

import json

import numpy as np

from driving_sandbox.physics.recording import format as fmt
from driving_sandbox.physics.recording.ticks import decode, encode
from driving_sandbox.physics.tick.commands import COMMAND
from driving_sandbox.physics.tick.context import EXTERNAL

ROW = COMMAND.itemsize + 12  # bytes of a tick of one vehicle in memory: command, flags and two checks
EXTERNAL_MARK_SIZE = -(-EXTERNAL.itemsize // 64)  # bytes that mark which words of an external record changed


def chunks_of(data):
    """[(start, kind, length)] of the chunks of an undamaged file."""
    start, chunks = fmt.PREFIX.size, []
    while start < len(data):
        kind, _, length, _, _ = fmt.CHUNK.unpack_from(data, start)
        chunks.append((start, kind, length))
        start += fmt.CHUNK.size + length
    return chunks


def _block_of(data, tick):
    """(start of the payload, its bytes) of the block of ticks with this tick."""
    for begin, kind, length in chunks_of(data):
        start = begin + fmt.CHUNK.size
        if kind == fmt.COMMANDS:
            first, ticks, _, _ = fmt.COMMAND_HEAD.unpack_from(data, start)
            if first <= tick < first + ticks:
                return start, data[start : start + length]
    raise AssertionError(tick)


WORDS = 12  # number of words of a row: 11 of the command, one of the flags


def bits_of_tick(data, tick):
    """{part: [(offset in the file, bit)]} of a tick of one vehicle.

    Parts are the marks of changed words ("changes"), the changed words of the command ("command") and of the flags,
    the state check and the check of the row.
    """
    start, payload = _block_of(data, tick)
    first, ticks, _, external_count = fmt.COMMAND_HEAD.unpack_from(payload)
    row, used = tick - first, np.unpackbits(np.frombuffer(payload, np.uint8, 2, fmt.COMMAND_HEAD.size + 4))[:WORDS]
    changes = fmt.COMMAND_HEAD.size + 6
    assert used.sum() <= 8  # a byte marks the changed ones of these words
    checks = changes + ticks
    before, upto = (int.from_bytes(payload[changes : changes + k], "big").bit_count() for k in (row, row + 1))
    words = checks + 4 * ticks + 16 * external_count + external_count * EXTERNAL_MARK_SIZE + 8 * before

    unused = 8 - int(used.sum())  # bits at the end of the byte
    flags = int(used[-1]) and payload[changes + row] >> unused & 1  # 1 if the flags, the last word, changed

    def bits(offset, size):
        return [(start + offset + k // 8, k % 8) for k in range(8 * size)]

    padding = {(start + changes + row, bit) for bit in range(unused)}
    return {
        "changes": [position for position in bits(changes + row, 1) if position not in padding],
        "command": bits(words, 8 * (upto - before - flags)),
        "flags": bits(words + 8 * (upto - before - flags), 8 * flags),
        "state_check": bits(checks + 4 * row, 2),
        "row_check": bits(checks + 4 * row + 2, 2),
    }


def with_rows(data, tick, change):
    """The file with changed rows in the block of a tick, and correct checksums.

    change(rows, row): changes the block's rows, [ticks, 1]; `row` is the index of the tick in the block.
    """
    start, payload = _block_of(data, tick)
    first, rows, external = decode(payload, fmt.row_dtype(COMMAND), fmt.external_dtype(EXTERNAL), fmt.FORMAT_VERSION)
    change(rows, tick - first)
    changed = encode(first, rows, external)
    payloads = [(kind, data[p + fmt.CHUNK.size : p + fmt.CHUNK.size + n], p) for p, kind, n in chunks_of(data)]
    return data[: fmt.PREFIX.size] + b"".join(
        fmt.chunk(kind, k, changed if begin + fmt.CHUNK.size == start else old)
        for k, (kind, old, begin) in enumerate(payloads)
    )


def saved(tmp_path, data):
    """Path of a new file with these bytes."""
    path = tmp_path / "damaged.drive"
    path.write_bytes(data)
    return path


def flipped(data, start, bit=0):
    """The file with one inverted bit of the byte at `start`."""
    changed = bytearray(data)
    changed[start] ^= 1 << bit
    return bytes(changed)


def repaired(data):
    """The file with correct checksums of its chunks."""
    result = bytearray(data[: fmt.PREFIX.size])
    for sequence, (begin, kind, length) in enumerate(chunks_of(data)):
        start = begin + fmt.CHUNK.size
        result += fmt.chunk(kind, sequence, data[start : start + length])
    return bytes(result)


def with_header(data, change):
    """The file with a changed header and correct checksums."""
    begin, _, length = chunks_of(data)[0]
    start = begin + fmt.CHUNK.size
    header = json.loads(data[start : start + length])
    change(header)
    return data[:begin] + fmt.chunk(fmt.HEADER, 0, fmt.to_json(header)) + data[start + length :]


def read_until_it_ends(recording):
    """Read all content, as playing a recording does; damage only makes it shorter."""
    for reader in (recording.rows, recording.poses, recording.props):
        reader()
    for snapshot in list(recording.snapshots):
        try:
            snapshot.state()
        except fmt.ChunkError:
            break
