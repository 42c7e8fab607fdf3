"""Recordings as bytes, taken to pieces and damaged on purpose."""

import json

from driving_sandbox.physics.recording import format as fmt
from driving_sandbox.physics.recording.ticks import decode, encode
from driving_sandbox.physics.tick.commands import COMMAND
from driving_sandbox.physics.tick.context import EXTERNAL

ROW = COMMAND.itemsize + 12  # bytes of a tick of one vehicle in memory
ACTED_BITS = -(-EXTERNAL.itemsize // 64)  # bytes that tell which words of an external record differ


def chunks_of(data):
    """[(place, type, length)] of a sound file."""
    place, found = fmt.PREFIX.size, []
    while place < len(data):
        kind, _, length, _, _ = fmt.CHUNK.unpack_from(data, place)
        found.append((place, kind, length))
        place += fmt.CHUNK.size + length
    return found


def _block_of(data, tick):
    """(place of the payload, its bytes) of the block of ticks that has a tick."""
    for place, kind, length in chunks_of(data):
        start = place + fmt.CHUNK.size
        if kind == fmt.COMMANDS:
            first, ticks, _, _ = fmt.COMMAND_HEAD.unpack_from(data, start)
            if first <= tick < first + ticks:
                return start, data[start : start + length]
    raise AssertionError(tick)


def place_in_file(data, tick, part):
    """Place of a byte of a tick of one vehicle: of the bits that tell what changes ("bits"), of the first number that
    does ("number"), of the state check or the row's own check."""
    start, payload = _block_of(data, tick)
    first, ticks, _, acted = fmt.COMMAND_HEAD.unpack_from(payload)
    row, bits = tick - first, fmt.COMMAND_HEAD.size + 4
    checks = bits + 2 * ticks  # 12 words: 11 of the command, one of the flags
    if part == "bits":
        return start + bits + 2 * row
    if part in ("state_check", "row_check"):
        return start + checks + 8 * row + (4 if part == "row_check" else 0)
    before = int.from_bytes(payload[bits : bits + 2 * row], "big").bit_count()
    return start + checks + 8 * ticks + 16 * acted + acted * ACTED_BITS + 8 * before


def with_rows(data, tick, change):
    """The file with `change(rows, row)` made to the rows [ticks, 1] of a tick's block, and right checksums."""
    start, payload = _block_of(data, tick)
    first, rows, external = decode(payload, fmt.row_dtype(COMMAND), fmt.external_dtype(EXTERNAL), fmt.FORMAT_VERSION)
    change(rows, tick - first)
    changed = encode(first, rows, external)
    kinds = [(kind, data[p + fmt.CHUNK.size : p + fmt.CHUNK.size + n], p) for p, kind, n in chunks_of(data)]
    return data[: fmt.PREFIX.size] + b"".join(
        fmt.chunk(kind, k, changed if place + fmt.CHUNK.size == start else old)
        for k, (kind, old, place) in enumerate(kinds)
    )


def saved(tmp_path, data):
    path = tmp_path / "damaged.drive"
    path.write_bytes(data)
    return path


def flipped(data, place, bit=0):
    changed = bytearray(data)
    changed[place] ^= 1 << bit
    return bytes(changed)


def repaired(data):
    """The file with every checksum of its chunks made right again."""
    result = bytearray(data[: fmt.PREFIX.size])
    for sequence, (place, kind, length) in enumerate(chunks_of(data)):
        start = place + fmt.CHUNK.size
        result += fmt.chunk(kind, sequence, data[start : start + length])
    return bytes(result)


def with_header(data, change):
    """The file with a changed header and right checksums."""
    place, _, length = chunks_of(data)[0]
    start = place + fmt.CHUNK.size
    header = json.loads(data[start : start + length])
    change(header)
    return data[:place] + fmt.chunk(fmt.HEADER, 0, fmt.to_json(header)) + data[start + length :]


def read_until_it_ends(recording):
    """Read all there is, as playing it does; damage only makes it shorter."""
    for reader in (recording.rows, recording.poses, recording.props):
        reader()
    for snapshot in list(recording.snapshots):
        try:
            snapshot.state()
        except fmt.ChunkError:
            break
