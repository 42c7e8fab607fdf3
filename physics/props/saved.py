"""Props in a snapshot: those that are not as they were placed, and what wheels stand on."""

import numpy as np

from driving_sandbox.physics.props.records import PROP
from driving_sandbox.physics.props.wheel_support import SUPPORT
from driving_sandbox.physics.tick.context import MOVING_CAPACITY

MOVED_PROP = np.dtype([("number", np.int64), ("prop", PROP)])
GIVEN = np.dtype([("vehicle", np.int64), ("support", SUPPORT)])
UNIT = 1e-6  # tolerance of the squared length of an orientation


def restored(
    data: bytes, start: np.ndarray, supports: np.ndarray, drivable: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(PROP array of all props, SUPPORT array of all vehicles) of a snapshot. Raises ValueError if it is invalid.

    start: PROP array as placed. supports: SUPPORT array, for its length. drivable: whether wheels may stand on a prop.
    """
    count = int.from_bytes(data[:8], "little")
    split = 8 + count * MOVED_PROP.itemsize
    if data and (split > len(data) or (len(data) - split) % GIVEN.itemsize):
        raise ValueError(f"{len(data)} bytes are no snapshot of props")
    rows, given = np.frombuffer(data[8:split], MOVED_PROP), np.frombuffer(data[split:], GIVEN)
    _check_props(rows, len(start))
    _check_supports(given, len(supports), drivable)
    state, stood = start.copy(), np.zeros_like(supports)
    state[rows["number"]] = rows["prop"]
    stood[given["vehicle"]] = given["support"]
    return state, stood


def _check_props(rows: np.ndarray, count: int) -> None:
    numbers, props = rows["number"], rows["prop"]
    if len(rows) and not (numbers[0] >= 0 and numbers[-1] < count and (np.diff(numbers) > 0).all()):
        raise ValueError(f"it moves other props than the world's {count}")
    if not _finite(props, ("position", "orientation", "velocity", "angular_velocity", "rest_time")):
        raise ValueError("the state of a prop contains NaN or infinity")
    lengths = np.abs(np.square(props["orientation"]).sum(axis=1) - 1.0)
    if (lengths > UNIT).any() or not all(np.isin(props[mark], (0, 1)).all() for mark in ("awake", "rests")):
        raise ValueError("the orientation or a mark of a prop is invalid")


def _check_supports(given: np.ndarray, vehicles: int, drivable: np.ndarray) -> None:
    numbers, supports = given["vehicle"], given["support"]
    if len(given) and not (numbers[0] >= 0 and numbers[-1] < vehicles and (np.diff(numbers) > 0).all()):
        raise ValueError(f"wheels of other vehicles than the world's {vehicles} stand on props")
    for support in supports:
        first, count = int(support["first"]), int(support["count"])
        if not (first >= 0 and 0 < count <= MOVING_CAPACITY - first):
            raise ValueError("more props support wheels than there is room for")
        carriers = support["carrier"][:count]
        if not ((carriers >= 0) & (carriers < len(drivable))).all() or not drivable[carriers].all():
            raise ValueError("wheels stand on a prop that does not support any")
    if not _finite(supports, ("about", "position", "velocity", "spin")):
        raise ValueError("what wheels stand on contains NaN or infinity")


def _finite(records: np.ndarray, fields: tuple[str, ...]) -> bool:
    return all(np.isfinite(records[field]).all() for field in fields)
