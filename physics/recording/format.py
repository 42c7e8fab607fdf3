"""Binary format of a `.drive` file: prefix, chunks, layouts of rows. docs/recording_format.md describes all of it.

    prefix   magic 8 bytes, format version u32, reserved u32
    chunk    type 4 bytes, sequence u32, length u32, payload crc u32, crc of these 16 bytes u32, payload

All numbers are little-endian, all checks are CRC-32. Nothing in a file is trusted: lengths are limited, compressed
blocks state their size beforehand, layouts consist of names and types of numbers, and text is JSON, which
runs no code. The texts of vehicles and worlds within it are YAML without tags, which runs none either.
"""

import json
import struct
import zlib
from typing import Any

import numpy as np
import zstandard

from driving_sandbox.physics.base.json_text import parse_json
from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.base.visible import brief

MAGIC = b"\x89DRIVE\r\n"  # the first byte is not ASCII; \r\n reveals a transfer that converted line ends
# 2: chunks of props; 3: an index; 4: ticks as differences, poses as second differences; 5: wheels of poses
# relative to the model and with angles, checks of ticks of 16 bits
FORMAT_VERSION = 5
READABLE_VERSIONS = (1, 2, 3, 4, 5)
SHORT_CHECKS_SINCE = 5  # version since which checks of ticks have 16 bits
PACKED_SINCE = 4  # version since which ticks are differences, and poses second ones (before: absolute and first ones)
PREFIX = struct.Struct("<8sII")
CHUNK = struct.Struct("<4sIIII")
COMMAND_HEAD = struct.Struct("<QIII")  # first tick, ticks, vehicles, rows of external action
POSE_HEAD = struct.Struct("<QIII")  # first tick, rows, columns, bytes after decompression; of POSES and PROPS
SNAPSHOT_HEAD = struct.Struct("<QQII")  # tick, state hash, kind, bytes after decompression

HEADER, COMMANDS, POSES, SNAPSHOT, EVENT, END = b"HEAD", b"CMDS", b"POSE", b"SNAP", b"EVNT", b"END "
PROPS, INDEX = b"PROP", b"INDX"

# Kinds of SNAPSHOT
CHECK = 0  # a state that was reached by simulation: a repetition of the drive must reach it, too
JUMP = 1  # a state that was set: start, recovery, rewind, fault

# Bits of a row's flags
EXTERNAL_ACTED = 1  # external actions acted on the vehicle in this tick
FAULTED = 2  # the tick ended with a fault

MAX_PAYLOAD = 64 << 20  # bytes; half a second of 64 vehicles is below 2 MiB, the texts of a header are below 16 MiB
MAX_UNPACKED = 64 << 20  # bytes of one block after decompression; a snapshot of MAX_VEHICLES is below that
MAX_FRAMES = 4096  # frames of poses in a block; half a second has 30
MAX_VEHICLES = 1000  # each has a state of about 20,000 bytes and a text of about 10,000 in the header
MAX_WHEELS = 20  # physics.schema.schema.WHEEL_CAPACITY
_NUMBERS = ("<f8", "<f4", "<i8", "<i4", "<u8", "<u4", "<u2", "|u1")
_ZSTD_LEVEL = 3  # level 3 packs half a second of poses in 0.1 ms; higher levels save under 5 %


class RecordingError(UserError):
    """A recording cannot be used; `str()` is one line with file and reason."""


class ChunkError(ValueError):
    """A chunk breaks the format; `str()` says how."""


def chunk(kind: bytes, sequence: int, payload: bytes) -> bytes:
    """One chunk as bytes."""
    head = CHUNK.pack(kind, sequence, len(payload), zlib.crc32(payload), 0)[:-4]  # without its own check
    return head + struct.pack("<I", zlib.crc32(head)) + payload


def compress(data: bytes) -> bytes:
    """The data compressed to a zstd frame that states its unpacked size."""
    return zstandard.ZstdCompressor(level=_ZSTD_LEVEL, write_content_size=True).compress(data)


def decompress(data: bytes, size: int) -> bytes:
    """Contents of a zstd frame that must unpack to exactly `size` bytes; ChunkError otherwise."""
    if size > MAX_UNPACKED:
        raise ChunkError(f"a block of {size} bytes is larger than any recording has")
    try:
        stated = zstandard.frame_content_size(data)
        if stated != size:
            raise ChunkError(f"a packed block states {stated} bytes where {size} belong")
        result = zstandard.ZstdDecompressor().decompress(data)
    except zstandard.ZstdError as error:
        raise ChunkError(f"a packed block cannot be unpacked: {error}") from None
    if len(result) != size:
        raise ChunkError(f"a packed block has {len(result)} bytes where {size} belong")
    return result


def to_json(value: Any) -> bytes:
    """A value as UTF-8 JSON. Raises ValueError for NaN and infinity, which standard JSON lacks."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf8")


def from_json(data: Any, wanted: type = dict) -> Any:
    """Value of a UTF-8 JSON text of the wanted type; ChunkError otherwise."""
    try:
        value = parse_json(data)
    except ValueError as error:
        raise ChunkError(f"its text cannot be read: {error}") from None
    if not isinstance(value, wanted):
        raise ChunkError(f"its text is not a {wanted.__name__}")
    return value


def layout_of(dtype: np.dtype) -> list[list[Any]]:
    """Layout of a flat record for JSON: [[name, number type, count], ...]. Raises ValueError for one with padding."""
    layout: list[list[Any]] = []
    for name in dtype.names or ():
        number_type, shape = dtype[name].base, dtype[name].shape
        layout.append([name, number_type.str, int(np.prod(shape, dtype=int)) if shape else 1])
    if dtype_of(layout).itemsize != dtype.itemsize:
        raise ValueError(f"record {dtype} has padding and cannot be recorded")
    return layout


def dtype_of(layout: Any) -> np.dtype:
    """The packed record type of a layout from a file; ChunkError for anything but named numbers.

    The limits of 256 entries and of 64 numbers each are far above those of COMMAND and EXTERNAL.
    """
    fields: list[Any] = []
    names: set[str] = set()
    if not isinstance(layout, list) or not 0 < len(layout) <= 256:
        raise ChunkError("a record layout must be a list of 1 to 256 entries")
    for entry in layout:
        if not (isinstance(entry, list) and len(entry) == 3):
            raise ChunkError(f"a record layout has the entry {brief(entry)}")
        name, number_type, count = entry
        if not isinstance(name, str) or not name.isidentifier() or name in names or number_type not in _NUMBERS:
            raise ChunkError(f"a record layout has the entry {brief(entry)}")
        if type(count) is not int or not 1 <= count <= 64:
            raise ChunkError(f"a record layout has the entry {brief(entry)}")
        names.add(name)
        fields.append((name, number_type) if count == 1 else (name, number_type, (count,)))
    return np.dtype(fields)


def row_dtype(command: np.dtype) -> np.dtype:
    """Record type of a row: one tick of one vehicle. `command` is the record type of its command.

    `flags` has the bits EXTERNAL_ACTED and FAULTED, `state_check` is the result of the function of that name, and
    `row_check` is the CRC of all bytes before it, seeded by tick and vehicle; of both the bits of `check_mask`.
    """
    fields: list[Any] = [("command", command), ("flags", "<u4"), ("state_check", "<u4"), ("row_check", "<u4")]
    return np.dtype(fields)


TRAILER_SIZE = 12  # bytes of flags and checks after the command of a row


def external_dtype(external: np.dtype) -> np.dtype:
    """Record type of the external actions on one vehicle in one tick, with a check of its own."""
    fields: list[Any] = [("tick", "<u8"), ("vehicle", "<u4"), ("external", external), ("row_check", "<u4")]
    return np.dtype(fields)


def check_mask(version: int = FORMAT_VERSION) -> int:
    """Bits of the checks of a tick that files of a version have.

    A tick that differs escapes 16 bits once in 65,536 times; the next ticks and the next snapshot then show it.
    """
    return 0xFFFF if version >= SHORT_CHECKS_SINCE else 0xFFFFFFFF


def row_seed(tick: int, vehicle: int) -> int:
    """Initial value of a row's check, which also reveals a row moved to another tick or vehicle."""
    return zlib.crc32(struct.pack("<QI", tick, vehicle))


def row_check(raw: bytes | memoryview, tick: int, vehicle: int) -> int:
    """Check of a row. raw: its bytes; the last four, which hold the check itself, are left out."""
    return zlib.crc32(raw[:-4], row_seed(tick, vehicle))


def state_check(command: Any, external: Any, state: Any) -> int:
    """CRC of a tick's inputs and the resulting state.

    Args:
        command: bytes of the command.
        external: bytes of the external actions, or None without any.
        state: bytes of the part of the state in use (physics/tick/used_state.py).
    """
    value = zlib.crc32(command)
    if external is not None:
        value = zlib.crc32(external, value)
    return zlib.crc32(state, value)
