"""Props of a recording: an event that lists all of them, and the poses of those in motion, 60 times a second.

A prop at rest has no rows, so a drive past three hundred cones costs nothing. A row is nine 32-bit integers: tick
relative to the chunk's first tick, index of the prop, position x, y, z in multiples of QUANTUM, orientation x, y, z, w
in multiples of QUATERNION_QUANTUM. Rows are sorted by prop, then tick. A chunk stores their differences from the row
before, in four planes (the lowest bytes of all values, column by column, then their second bytes and so on), compressed
by zstd. Messages call a chunk a block.

The pose of a prop is that of its last row, or before its first row that of the event. Between rows at most BLEND_FRAMES
apart it is interpolated; over longer gaps it is constant.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from driving_sandbox.physics.recording.format import POSE_HEAD, ChunkError, compress, decompress

EVENT_KIND = "props"
THINGS = "things"  # key of the event's list; fixed by the file format
QUANTUM = 1e-4  # m, as for vehicles
QUATERNION_QUANTUM = 2.0**-15  # of a quaternion's components, as for vehicles
COLUMNS = 9  # values per row
MAX_PROPS = 20000  # props of a recording
MAX_ROWS = 10_000_000  # rows of a recording: about 50 props that move for an hour, 640 MB in memory
BLEND_FRAMES = 2  # frames; rows farther apart are not interpolated
_SCALES = np.array([QUANTUM] * 3 + [QUATERNION_QUANTUM] * 4)  # quanta of a pose: position, orientation


def encode(
    ticks: Sequence[int] | np.ndarray, prop_indices: Sequence[int] | np.ndarray, poses: Sequence[Any] | np.ndarray
) -> bytes:
    """Payload of a PROPS chunk.

    Args:
        ticks: [n], tick of each row.
        prop_indices: [n], index of each row's prop.
        poses: [n, 7], position in m and quaternion x, y, z, w.
    """
    ticks, prop_indices = np.asarray(ticks, np.int64), np.asarray(prop_indices, np.int64)
    order = np.lexsort((ticks, prop_indices))
    first = int(ticks.min())
    rows = np.zeros((len(ticks), COLUMNS), np.uint32)
    rows[:, 0], rows[:, 1] = ticks[order] - first, prop_indices[order]
    scaled = np.clip(np.nan_to_num(np.rint(np.asarray(poses)[order] / _SCALES)), -(2**31), 2**31 - 1)
    rows[:, 2:] = scaled.astype(np.int32).view(np.uint32)
    deltas = rows.copy()
    deltas[1:] -= rows[:-1]
    data = np.ascontiguousarray(deltas.T).view(np.uint8).reshape(rows.size, 4).T.tobytes()  # planes of the 4 bytes
    return POSE_HEAD.pack(first, len(rows), COLUMNS, len(data)) + compress(data)


def decode(payload: memoryview) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(ticks, prop_indices, poses [n, 7]) of a PROPS chunk; ChunkError if it breaks the format."""
    if len(payload) < POSE_HEAD.size:
        raise ChunkError("a block of props is shorter than its head")
    first, count, width, size = POSE_HEAD.unpack_from(payload)
    if not count or width != COLUMNS or size != count * width * 4:
        raise ChunkError(f"a block of props cannot have {count} x {width} values in {size} bytes")
    data = np.frombuffer(decompress(bytes(payload[POSE_HEAD.size :]), size), np.uint8)
    deltas = np.ascontiguousarray(data.reshape(4, count * width).T).view("<u4").reshape(width, count).T
    rows = np.cumsum(deltas, axis=0, dtype=np.uint32)
    poses = np.ascontiguousarray(rows[:, 2:]).view(np.int32) * _SCALES
    return rows[:, 0].astype(np.int64) + first, rows[:, 1].astype(np.int64), _normalised(poses)


def _normalised(poses: np.ndarray) -> np.ndarray:
    """Scale the quaternions of poses [n, 7] to length 1, in place; returns the poses."""
    poses[:, 3:] /= np.maximum(np.linalg.norm(poses[:, 3:], axis=1, keepdims=True), 1e-9)
    return poses


def props_event(kinds: Iterable[str], poses: Iterable[Any]) -> list[list[Any]]:
    """The list of all props as JSON values for the event: [[kind, x, y, z, qx, qy, qz, qw], ...]."""
    return [[kind, *(round(float(v), 7) for v in pose)] for kind, pose in zip(kinds, poses, strict=True)]


def read_props(events: Iterable[dict[str, Any]]) -> tuple[list[str], np.ndarray]:
    """(kinds, poses [n, 7]) of the props in a recording's events; empty without a valid event."""
    for event in events:
        if event["kind"] == EVENT_KIND and _is_list_of_props(event.get(THINGS)):
            poses = np.array([entry[1:] for entry in event[THINGS]], float).reshape(-1, 7)
            return [entry[0] for entry in event[THINGS]], _normalised(poses)
    return [], np.zeros((0, 7))


def _is_list_of_props(entries: Any) -> bool:
    """Whether a value from a file has the form of the result of `props_event`."""

    def valid(entry: Any) -> bool:
        return (
            isinstance(entry, list)
            and len(entry) == 8  # kind and pose
            and isinstance(entry[0], str)
            and all(isinstance(v, (int, float)) and math.isfinite(v) for v in entry[1:])
        )

    return isinstance(entries, list) and len(entries) <= MAX_PROPS and all(valid(entry) for entry in entries)


class PropTrack:
    """Poses of the props of a recording over time, from `Recording.props`; a pose is [7], m and quaternion x, y, z, w.

    Args:
        kinds, poses: kind and pose [n, 7] of each prop at the start, from `read_props`.
        payloads: payloads of all PROPS chunks.
        pose_interval: ticks between frames.
    Attributes:
        kinds: kind of each prop.
        start: float64[n, 7], poses at the start.
        poses: float64[n, 7], poses at the last call of `at`.
        moving: indices of the props that ever move.
    Raises:
        ValueError: a payload breaks the format, or there are more than MAX_ROWS rows.
    """

    def __init__(self, kinds: list[str], poses: np.ndarray, payloads: list[memoryview], pose_interval: int) -> None:
        self.kinds, self.start, self.poses = kinds, poses, poses.copy()
        self._gap = BLEND_FRAMES * pose_interval  # ticks; rows farther apart are not interpolated
        stated = sum(POSE_HEAD.unpack_from(payload)[1] for payload in payloads if len(payload) >= POSE_HEAD.size)
        if stated > MAX_ROWS:
            raise ChunkError(f"{stated} poses of props; at most {MAX_ROWS} are read")
        parts = [decode(payload) for payload in payloads]
        ticks, prop_indices, rows = (
            (np.concatenate(group) for group in zip(*parts, strict=True))
            if parts
            else (np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((0, 7)))
        )
        self._rows: dict[int, tuple[np.ndarray, np.ndarray]] = {}  # {index of a prop: (ticks, poses) of its rows}
        for index in np.unique(prop_indices):
            if index >= len(kinds):
                raise ChunkError(f"prop {index} moves, but there are only {len(kinds)}")
            of_prop = prop_indices == index
            order = np.argsort(ticks[of_prop], kind="stable")
            self._rows[int(index)] = (ticks[of_prop][order], rows[of_prop][order])
        self.moving = sorted(self._rows)

    def at(self, tick: float) -> np.ndarray:
        """Poses [n, 7] at a tick, which may have a fractional part."""
        for index, (ticks, rows) in self._rows.items():
            k = int(np.searchsorted(ticks, tick, side="right")) - 1
            if k < 0:
                self.poses[index] = self.start[index]
                continue
            pose = rows[k]
            if k + 1 < len(ticks) and 0 < ticks[k + 1] - ticks[k] <= self._gap:
                fraction = (tick - ticks[k]) / (ticks[k + 1] - ticks[k])
                next_pose = rows[k + 1] * np.where(np.arange(7) < 3, 1.0, np.sign(pose[3:] @ rows[k + 1][3:]) or 1.0)
                pose = pose + (next_pose - pose) * fraction
                pose[3:] /= max(np.linalg.norm(pose[3:]), 1e-9)
            self.poses[index] = pose
        return self.poses
