"""Packing of a recorder's buffers into chunk payloads, in the writing thread."""

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from driving_sandbox.physics.recording import format as fmt
from driving_sandbox.physics.recording import poses as recording_poses
from driving_sandbox.physics.recording import props as recording_props
from driving_sandbox.physics.recording import ticks as recording_ticks
from driving_sandbox.physics.tick.commands import COMMAND
from driving_sandbox.physics.tick.context import EXTERNAL

TRAILER = np.dtype([("flags", "<u4"), ("state_check", "<u4"), ("row_check", "<u4")])  # of a row, after its command


def extent(kind: bytes, content: Any) -> tuple[int, int]:
    """(first, count) of a chunk for the index; (0, 0) for types not listed.

    block of ticks: first tick, number of ticks
    block of poses: first tick, number of frames
    snapshot: tick, kind (CHECK or JUMP)
    """
    if kind == fmt.COMMANDS:
        first, vehicles, rows, _ = content
        return first, len(rows) // (vehicles * (COMMAND.itemsize + TRAILER.itemsize))
    if kind == fmt.SNAPSHOT:
        tick, _, snapshot_kind, _ = content
        return tick, snapshot_kind
    if kind == fmt.POSES:
        ticks, *_ = content
        return ticks[0], len(ticks)
    return 0, 0


def _pack_commands(content: tuple[int, int, Any, list[Any]]) -> bytes:
    """Payload of a block of ticks from (first tick, number of vehicles, rows without their checks, external actions).

    Writes the checks into the rows.
    """
    first, vehicles, rows, external = content
    size = COMMAND.itemsize + TRAILER.itemsize
    view = memoryview(rows)
    for k in range(len(rows) // size):
        end = (k + 1) * size
        check = fmt.row_check(view[k * size : end], first + k // vehicles, k % vehicles) & fmt.check_mask()
        rows[end - 4 : end] = check.to_bytes(4, "little")  # the last field, row_check
    view.release()
    actions = bytearray()
    for tick, vehicle, action in external:
        row = tick.to_bytes(8, "little") + vehicle.to_bytes(4, "little") + action  # as in `format.external_dtype`
        actions += row + zlib.crc32(row).to_bytes(4, "little")
    rows = np.frombuffer(rows, fmt.row_dtype(COMMAND)).reshape(-1, vehicles)
    return recording_ticks.encode(first, rows, np.frombuffer(actions, fmt.external_dtype(EXTERNAL)))


def _pack_snapshot(content: tuple[int, int, int, bytes]) -> bytes:
    """Payload of a snapshot from (tick, state hash, kind, state)."""
    tick, state_hash, kind, data = content
    return fmt.SNAPSHOT_HEAD.pack(tick, state_hash, kind, len(data)) + fmt.compress(data)


def _pack_poses(content: tuple[Any, ...]) -> bytes:
    """Payload of a block of poses.

    content: (ticks, jumps, five lists with an entry per vehicle, quanta); the lists hold the used words of the states,
    UsedStates, layouts, `model_offset`s and impulses [frames, 2] of ContactImpulses.
    """
    ticks, jumps, states, used_states, layouts, offsets, impulses, quantum = content
    columns = [
        recording_poses.vehicle_columns(used_state.whole(rows), *others)
        for rows, used_state, *others in zip(states, used_states, layouts, offsets, impulses, strict=True)
    ]
    return recording_poses.encode(ticks, jumps, np.concatenate(columns, axis=1), quantum)


def _pack_props(rows: list[tuple[Any, ...]]) -> bytes:
    """Payload of a block of props from [(ticks, prop_indices, poses)] of the moving props, one entry per frame."""
    return recording_props.encode(*(np.concatenate(group) for group in zip(*rows, strict=True)))


# {type of chunk: function that makes its payload of its content}; the content of others is their payload
PACK: dict[bytes, Callable[[Any], bytes]] = {
    fmt.COMMANDS: _pack_commands, fmt.SNAPSHOT: _pack_snapshot, fmt.POSES: _pack_poses, fmt.PROPS: _pack_props,
}  # fmt: skip
