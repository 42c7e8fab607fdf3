"""Recordings as bytes, taken to pieces and damaged on purpose."""

import json

from driving_sandbox.physics.recording import format as fmt

COMMAND_SIZE = 88
ROW = COMMAND_SIZE + 12  # bytes of a tick of one vehicle


def chunks_of(data):
    """[(place, type, length)] of a sound file."""
    place, found = fmt.PREFIX.size, []
    while place < len(data):
        kind, _, length, _, _ = fmt.CHUNK.unpack_from(data, place)
        found.append((place, kind, length))
        place += fmt.CHUNK.size + length
    return found


def row_place(data, tick):
    """Place of a tick's row in the file."""
    for place, kind, _ in chunks_of(data):
        if kind == fmt.COMMANDS:
            first, ticks, _, _ = fmt.COMMAND_HEAD.unpack_from(data, place + fmt.CHUNK.size)
            if first <= tick < first + ticks:
                return place + fmt.CHUNK.size + fmt.COMMAND_HEAD.size + (tick - first) * ROW
    raise AssertionError(tick)


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
