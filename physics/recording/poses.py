"""Poses of a recording for rendering, plots and sound, 60 times a second, quantised and delta-coded.

Later versions of the program can show them even if they cannot re-simulate the drive. A frame is a row of 32-bit
integers: the tick counted from the block's first, a jump flag (1: do not blend from the frame before), then for each
vehicle the columns of its layout. A chunk stores

1. the second differences of the rows (the first row unchanged, the second as a first difference),
2. with the sign in the lowest bit,
3. in four planes: the lowest bytes of all numbers, column by column, then their second bytes and so on,
4. compressed with zstd.

Differences wrap modulo 2**32, so only the rounding to a multiple of the quantum loses anything.

Positions are those of the model's origin, orientations are quaternions x, y, z, w, both in the world frame. Wheels are
stored relative to the model, as they hardly move there: WHEEL_OFFSET and HUB_TURN.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.physics.base.record import field_names
from driving_sandbox.physics.base.visible import brief
from driving_sandbox.physics.recording.format import (
    FORMAT_VERSION,
    MAX_FRAMES,
    MAX_WHEELS,
    PACKED_SINCE,
    POSE_HEAD,
    ChunkError,
    compress,
    decompress,
)

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

# of a wheel's centre, m, and of its hub relative to the model's origin, in the model's axes; 0 while undefined
WHEEL_OFFSET, HUB_TURN = "wheel_offset", "hub_turn"
ANGLE = "wheel_angle"  # rad, of a wheel to its hub about the axle, in the reverse direction; unwrapped in a chunk
# (name, slot, field of the vehicle's state, number of values, quantum in SI units); fields a vehicle lacks are left out
BODY_COLUMNS = (
    ("model_position", None, None, 3, 1e-4),  # m; a tenth of a millimetre is below a pixel
    ("model_orientation", None, None, 4, 2.0**-15),  # 6e-5 rad: 0.1 mm at the end of a 2 m lever
    ("velocity", "body", "velocity", 3, 1e-3),
    ("angular_velocity", "body", "angular_velocity", 3, 1e-3),
    ("engine_omega", "engine", "omega", 1, 1e-2),
    ("gear", "gearbox", "current_gear", 1, 1.0),
    ("engine_torque", "engine", "torque", 1, 0.1),
    ("clutch_torque", "drivetrain", "clutch_torque", 1, 0.1),
    ("boost", "engine", "boost", 1, 100.0),
    ("engine_throttle", "engine", "throttle", 1, 1e-3),
    ("contact_rise", None, None, 1, 0.1),  # see impulses.py
    ("contact_impulse", None, None, 1, 0.1),
)
WHEEL_COLUMNS = (
    (WHEEL_OFFSET, "wheel", "position", 3, 1e-4),
    ("wheel_orientation", "wheel", "orientation", 4, 2.0**-15),
    (HUB_TURN, "wheel", "hub_orientation", 4, 2.0**-15),
    # rad, below 0.1 mm at the tread; replaces wheel_orientation, whose numbers turn with it
    (ANGLE, "wheel", "rotation_angle", 1, 2.0**-12),
    ("wheel_omega", "wheel", "omega", 1, 1e-2),
    ("jounce", "suspension", "jounce", 1, 1e-4),
    ("hit", "road", "hit", 1, 1.0),
    ("surface", "road", "surface", 1, 1.0),
    # for the sound of ghosts and laps that cannot be repeated; what is plotted and exported comes from repeated ticks
    ("load", "tire", "load", 1, 10.0),
    ("longitudinal_slip", "tire", "longitudinal_slip", 1, 2.0**-10),  # a hundredth of that of the largest force
    ("lateral_slip", "tire", "lateral_slip", 1, 2.0**-10),
)
_IMPULSES = ("contact_rise", "contact_impulse")  # not of the state
# undefined after a teleport, as wheels
_OF_TICK = ("engine_omega", "gear", "engine_torque", "clutch_torque", "boost", "engine_throttle")
_SOURCES = {name: (slot, field) for name, slot, field, _, _ in BODY_COLUMNS + WHEEL_COLUMNS}
_HEAD_COLUMNS = 2  # columns before the vehicles: tick, jump
_NUMBER = np.dtype("<u4")  # type of the numbers of a frame


def _has(state_dtype: np.dtype, slot: str | None, field: str | None) -> bool:
    return slot is not None and slot in field_names(state_dtype) and field in field_names(state_dtype[slot].base)


def pose_layout(vehicle: "Vehicle") -> list[list[Any]]:
    """Layout of one vehicle for the header: [[name, wheels or 0, numbers per wheel or of the body, quantum], ...]."""
    dtype = vehicle.state.dtype
    layout = [[n, 0, size, q] for n, s, f, size, q in BODY_COLUMNS if s is None or _has(dtype, s, f)]
    wheels = int(vehicle.wheel_count)
    present = [column for column in WHEEL_COLUMNS if wheels and _has(dtype, *column[1:3])]
    names = {name for name, *_ in present}
    left_out = "wheel_orientation" if {ANGLE, HUB_TURN} <= names else ANGLE
    return layout + [[n, wheels, size, q] for n, _, _, size, q in present if n != left_out]


def check_layout(layout: list[list[Any]]) -> int:
    """Raise ChunkError unless a layout from a file is usable; returns its number of columns.

    The limits of 64 entries, 16 numbers and a quantum of 1e6 are far above any layout of the program.
    """
    if not isinstance(layout, list) or len(layout) > 64:
        raise ChunkError("a pose layout must be a list of at most 64 entries")
    total = 0
    for entry in layout:
        if not (isinstance(entry, list) and len(entry) == 4 and isinstance(entry[0], str)):
            raise ChunkError(f"a pose layout has the entry {brief(entry)}")
        _, wheels, size, quantum = entry
        if type(wheels) is not int or type(size) is not int or not 0 <= wheels <= MAX_WHEELS or not 1 <= size <= 16:
            raise ChunkError(f"a pose layout has the entry {brief(entry)}")
        if not isinstance(quantum, (int, float)) or not 0 < quantum < 1e6:
            raise ChunkError(f"a pose layout has the entry {brief(entry)}")
        total += max(wheels, 1) * size
    if not {"model_position", "model_orientation"} <= {entry[0] for entry in layout}:
        raise ChunkError("a pose layout does not tell where the vehicle is")
    forms = {name: (wheels, size) for name, wheels, size, _ in layout}
    _check_wheels(forms)
    return total


def _check_wheels(forms: dict[str, tuple[int, int]]) -> None:
    """Raise ChunkError unless poses of wheels follow from a layout's {name: (wheels, numbers per wheel or body)}."""
    if WHEEL_OFFSET in forms or HUB_TURN in forms:
        wheels, _ = forms.get(WHEEL_OFFSET, (0, 0))
        wanted = {"model_position": (0, 3), "model_orientation": (0, 4), WHEEL_OFFSET: (wheels, 3)}
        wanted |= {HUB_TURN: (wheels, 4)} if HUB_TURN in forms else {}
        absolute = {"wheel_position", "hub_orientation"} & forms.keys()
        if not wheels or absolute or any(forms.get(name) != form for name, form in wanted.items()):
            raise ChunkError("a pose layout has wheels that cannot be placed")
    wheels, _ = forms.get(ANGLE, (0, 0))
    hubs = forms.get(HUB_TURN, forms.get("hub_orientation"))
    if ANGLE in forms and not (wheels and forms[ANGLE] == (wheels, 1) and hubs == (wheels, 4)):
        raise ChunkError("a pose layout has angles of wheels without orientations of as many hubs")


def _multiply(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Product of quaternions [..., 4]; numpy twin of physics.maths.quat.multiply."""
    ax, ay, az, aw = np.moveaxis(a, -1, 0)
    bx, by, bz, bw = np.moveaxis(b, -1, 0)
    return np.stack(
        [
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz,
        ],
        axis=-1,
    )


def rotated(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Vectors [..., 3] rotated by quaternions [..., 4]."""
    u = q[..., :3]
    t = 2.0 * np.cross(u, v)
    return v + q[..., 3:] * t + np.cross(u, t)


def model_offset(vehicle: "Vehicle") -> tuple[np.ndarray, np.ndarray]:
    """(position, orientation) of the model's origin relative to the body's pose; constant until a parameter changes."""
    body = vehicle.state[0]["body"]
    inverse = np.array(body["orientation"]) * (-1.0, -1.0, -1.0, 1.0)
    position = rotated(inverse, np.asarray(vehicle.model_position(), float) - body["position"])
    return position, _multiply(inverse, np.asarray(vehicle.model_orientation(), float))


def vehicle_columns(
    states: np.ndarray, layout: list[list[Any]], offset: tuple[np.ndarray, np.ndarray], impulses: np.ndarray
) -> np.ndarray:
    """Columns float64[frames, n] of one vehicle.

    Args:
        states: of the vehicle [frames].
        layout: its layout.
        offset: its `model_offset`.
        impulses: float64[frames, 2], from ContactImpulses.
    """
    columns = []
    for name, wheels, size, _ in layout:
        if name == "model_position":
            value = _model_pose(states, offset)[0]
        elif name == "model_orientation":
            value = _model_pose(states, offset)[1]
        elif name in _IMPULSES:
            value = impulses[:, _IMPULSES.index(name)]
        else:
            slot, field = _SOURCES[name]
            if _has(states.dtype, slot, field):
                value = states[slot][field]
                value = value[:, :wheels] if wheels else value
                value = np.unwrap(value, axis=0) if name == ANGLE else value
                value = _relative(name, value, states, offset) if name in (WHEEL_OFFSET, HUB_TURN) else value
            else:  # a component swapped in later may lack the field
                value = np.zeros((len(states), max(wheels, 1), size))
        columns.append(value.reshape(len(states), -1).astype(np.float64))
    return np.concatenate(columns, axis=1)


def _model_pose(states: np.ndarray, offset: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """(positions [frames, 3], orientations [frames, 4]) of the model's origin."""
    body = states["body"]
    orientations = _multiply(body["orientation"], np.broadcast_to(offset[1], (len(states), 4)))
    return body["position"] + rotated(body["orientation"], offset[0]), orientations


def _relative(name: str, values: np.ndarray, states: np.ndarray, offset: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Positions or orientations of wheels [frames, wheels, n] relative to the model; 0 while they are undefined."""
    position, orientation = (value[:, None] for value in _model_pose(states, offset))
    inverse = orientation * (-1.0, -1.0, -1.0, 1.0)
    if name == HUB_TURN:
        return _multiply(np.broadcast_to(inverse, values.shape), values)
    return rotated(inverse, values - position) * values.any(axis=(1, 2), keepdims=True)


def _placed(values: dict[str, np.ndarray]) -> None:
    """Replace the poses of wheels relative to the model by those in the world; changes `values`."""
    position, orientation = values["model_position"][:, None], values["model_orientation"][:, None]
    if WHEEL_OFFSET in values:
        offsets = values.pop(WHEEL_OFFSET)
        values["wheel_position"] = (position + rotated(orientation, offsets)) * offsets.any(axis=(1, 2), keepdims=True)
    if HUB_TURN in values:
        turns = values.pop(HUB_TURN)
        values["hub_orientation"] = _multiply(np.broadcast_to(orientation, turns.shape), turns)


def quanta(layouts: list[list[list[Any]]]) -> np.ndarray:
    """Quantum of every column, one vehicle after the other."""
    return np.array([q for layout in layouts for _, wheels, size, q in layout for _ in range(max(wheels, 1) * size)])


def encode(ticks: list[int], jumps: list[bool], columns: np.ndarray, quantum: np.ndarray) -> bytes:
    """Payload of a POSES chunk. columns: [frames, n] of all vehicles. quantum: [n], one for each column."""
    frames = np.zeros((len(ticks), _HEAD_COLUMNS + columns.shape[1]), np.uint32)
    frames[:, 0] = np.asarray(ticks) - ticks[0]
    frames[:, 1] = jumps
    scaled = np.clip(np.nan_to_num(np.rint(columns / quantum)), -(2**31), 2**31 - 1)
    frames[:, _HEAD_COLUMNS:] = scaled.astype(np.int32).view(np.uint32)
    planes = np.ascontiguousarray(second_differences(frames).T).view(np.uint8).reshape(frames.size, _NUMBER.itemsize).T
    data = planes.tobytes()
    return POSE_HEAD.pack(int(ticks[0]), frames.shape[0], frames.shape[1], len(data)) + compress(data)


def second_differences(frames: np.ndarray) -> np.ndarray:
    """Second differences of the rows with the sign in the lowest bit, so that the higher bytes of small ones are 0."""
    changes = frames.copy()
    changes[1:] -= frames[:-1]
    changes[2:] -= frames[1:-1] - frames[:-2]
    signed = changes.view(np.int32)
    return ((signed << 1) ^ (signed >> 31)).view(np.uint32)


def from_second_differences(coded: np.ndarray) -> np.ndarray:
    """Inverse of `second_differences`."""
    changes = (coded >> 1) ^ (0 - (coded & 1))
    changes[1:] = np.cumsum(changes[1:], axis=0, dtype=np.uint32)
    return np.cumsum(changes, axis=0, dtype=np.uint32)


def decode(
    payload: bytes | memoryview, quantum: np.ndarray, version: int = FORMAT_VERSION
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(ticks, jumps, columns [frames, n]) of a POSES chunk; ChunkError if it breaks the format.

    version: format version of the file; before PACKED_SINCE plain first differences were stored.
    """
    if len(payload) < POSE_HEAD.size:
        raise ChunkError("a pose block has no head")
    first, rows, width, size = POSE_HEAD.unpack_from(payload)
    if not 0 < rows <= MAX_FRAMES or width != _HEAD_COLUMNS + len(quantum) or size != rows * width * _NUMBER.itemsize:
        raise ChunkError(f"a pose block of {rows} x {width} in {size} bytes does not fit the header")
    data = np.frombuffer(decompress(bytes(payload[POSE_HEAD.size :]), size), np.uint8)
    deltas = np.ascontiguousarray(data.reshape(_NUMBER.itemsize, rows * width).T).view(_NUMBER).reshape(width, rows).T
    frames = from_second_differences(deltas) if version >= PACKED_SINCE else np.cumsum(deltas, axis=0, dtype=np.uint32)
    columns = frames[:, _HEAD_COLUMNS:].astype(np.int32) * quantum
    return frames[:, 0].astype(np.int64) + first, frames[:, 1] != 0, columns


def carried(
    now: tuple[np.ndarray, np.ndarray], was: tuple[np.ndarray, np.ndarray], positions: np.ndarray
) -> np.ndarray:
    """Positions [n, 3] carried along by a body that moves from pose `was` to `now`, each (position, orientation)."""
    turn = _multiply(now[1], was[1] * (-1.0, -1.0, -1.0, 1.0))
    return now[0] + rotated(turn, positions - was[0])


def carried_turns(
    now: tuple[np.ndarray, np.ndarray], was: tuple[np.ndarray, np.ndarray], turns: np.ndarray
) -> np.ndarray:
    """Orientations [n, 4] carried along by a body that moves from pose `was` to pose `now`."""
    turn = _multiply(now[1], was[1] * (-1.0, -1.0, -1.0, 1.0))
    return _multiply(np.broadcast_to(turn, turns.shape), turns)


def complete(
    jumps: np.ndarray, columns: np.ndarray, layouts: list[list[list[Any]]], after: np.ndarray | None = None
) -> None:
    """Fill in the wheels of frames at jumps from the next frame, or else the one before; changes `columns`.

    After a teleport, wheel poses are undefined until the next tick: positions at the world's origin, loads 0.
    Recordings contain such frames at starts and recoveries; they must neither be drawn nor blended. The wheels filled
    in have the poses relative to the body that they have in the other frame.

    Args:
        jumps, columns: as `decode` returns them.
        layouts: layout of each vehicle.
        after: the row that follows the last one, or None if there is none or it is a jump itself.
    """
    for k in np.flatnonzero(jumps).tolist():
        neighbour = columns[k + 1] if k + 1 < len(columns) else after
        if neighbour is None or (k + 1 < len(columns) and jumps[k + 1]):
            neighbour = columns[k - 1] if k else None
        if neighbour is not None:
            for slots in _slots(layouts):
                _carry(columns[k], neighbour, slots)


def _slots(layouts: list[list[list[Any]]]) -> Iterator[dict[str, tuple[slice, int, int]]]:
    """Yield for each vehicle {name: (slice of the columns, wheels, numbers per wheel or body)}."""
    offset = 0
    for layout in layouts:
        slots = {}
        for name, wheels, size, _ in layout:
            width = max(wheels, 1) * size
            slots[name] = slice(offset, offset + width), wheels, size
            offset += width
        yield slots


def _carry(row: np.ndarray, source: np.ndarray, slots: dict[str, tuple[slice, int, int]]) -> None:
    """Copy a vehicle's wheels and driveline from another row, moved with the body, unless `row` has wheel poses."""
    columns, _, _ = slots.get(WHEEL_OFFSET, slots.get("wheel_position", (None, 0, 0)))
    if columns is None or row[columns].any():
        return

    def read(frame: np.ndarray, name: str) -> np.ndarray:
        columns, wheels, size = slots[name]
        return frame[columns].reshape(wheels, size) if wheels else frame[columns]

    now, was = ((read(frame, "model_position"), read(frame, "model_orientation")) for frame in (row, source))
    for name, (columns, wheels, _) in slots.items():
        if name == "wheel_position":
            row[columns] = carried(now, was, read(source, name)).ravel()
        elif name in ("wheel_orientation", "hub_orientation"):
            row[columns] = carried_turns(now, was, read(source, name)).ravel()
        elif wheels or name in _OF_TICK:
            row[columns] = source[columns]


def split(columns: np.ndarray, layouts: list[list[list[Any]]]) -> list[dict[str, np.ndarray]]:
    """Columns as one dict per vehicle: name -> [frames, n] for the body, [frames, wheels, n] for wheels.

    A single number has no last axis. Orientations come out with unit length. Wheels are in the world, also where they
    are stored relative to the model or by their angles.
    """
    vehicles, offset = [], 0
    for layout in layouts:
        values = {}
        for name, wheels, size, _ in layout:
            width = max(wheels, 1) * size
            shape = (len(columns), wheels, size) if wheels else (len(columns), size)
            value = columns[:, offset : offset + width].reshape(shape)
            offset += width
            if name.endswith("orientation") or name == HUB_TURN:
                value = value / np.maximum(np.linalg.norm(value, axis=-1, keepdims=True), 1e-9)
            values[name] = value[..., 0] if size == 1 else value
        _placed(values)
        if ANGLE in values:
            values["wheel_orientation"] = turned(values["hub_orientation"], values.pop(ANGLE))
        vehicles.append(values)
    return vehicles


def turned(hubs: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """Orientations [..., 4] of wheels from those of their hubs and the ANGLE of each [...]."""
    zero = np.zeros_like(angles)
    return _multiply(hubs, np.stack([np.sin(-0.5 * angles), zero, zero, np.cos(0.5 * angles)], axis=-1))


def blend(before: dict[str, np.ndarray], after: dict[str, np.ndarray], fraction: float) -> dict[str, np.ndarray]:
    """Values interpolated between two frames, orientations along the shorter arc; gear, hit and surface of `before`."""
    result = {}
    for name, a in before.items():
        b = after[name]
        if name.endswith("orientation"):
            # spherical interpolation; linear for angles whose sine is too small to divide by
            cosine = np.sum(a * b, axis=-1, keepdims=True)
            angle = np.arccos(np.clip(np.abs(cosine), 0.0, 1.0))
            sine = np.where(np.sin(angle) < 1e-6, 1.0, np.sin(angle))
            nearly_equal = np.sin(angle) < 1e-6
            weight_a = np.where(nearly_equal, 1.0 - fraction, np.sin((1.0 - fraction) * angle) / sine)
            weight_b = np.where(nearly_equal, fraction, np.sin(fraction * angle) / sine) * np.where(
                cosine < 0.0, -1.0, 1.0
            )
            mixed = a * weight_a + b * weight_b
            result[name] = mixed / np.maximum(np.linalg.norm(mixed, axis=-1, keepdims=True), 1e-9)
        elif name in ("gear", "hit", "surface"):
            result[name] = a
        else:
            result[name] = a + (b - a) * fraction
    return result
