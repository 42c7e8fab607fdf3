"""Props in a snapshot: the state of those that have changed since they were placed, and the props under wheels."""

import numpy as np

from driving_sandbox.physics.props.records import PROP
from driving_sandbox.physics.props.wheel_support import SUPPORT
from driving_sandbox.physics.tick.context import MOVING_CAPACITY

MOVED_PROP = np.dtype([("index", np.int64), ("prop", PROP)])
SAVED_SUPPORT = np.dtype([("vehicle", np.int64), ("support", SUPPORT)])
ORIENTATION_TOLERANCE = 1e-6  # allowed deviation of an orientation's squared length from 1


def restored(
    data: bytes, start: np.ndarray, supports: np.ndarray, deck_counts: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(PROP array of all props, SUPPORT array of all vehicles) of a snapshot. Raises ValueError if it is invalid.

    Args:
        data: the snapshot's bytes.
        start: PROP array of the props as placed.
        supports: SUPPORT array with a record per vehicle; only its length is used.
        deck_counts: number of decks of each prop, 0 for one on which no wheels may stand.
    """
    count = int.from_bytes(data[:8], "little")  # number of MOVED_PROP rows; SAVED_SUPPORT rows follow them
    split = 8 + count * MOVED_PROP.itemsize
    if data and (split > len(data) or (len(data) - split) % SAVED_SUPPORT.itemsize):
        raise ValueError(f"{len(data)} bytes are not a snapshot of props")
    rows, saved = np.frombuffer(data[8:split], MOVED_PROP), np.frombuffer(data[split:], SAVED_SUPPORT)
    _check_props(rows, len(start))
    indices = saved["vehicle"]
    if len(saved) and not (indices[0] >= 0 and indices[-1] < len(supports) and (np.diff(indices) > 0).all()):
        raise ValueError(f"wheels of other vehicles than the world's {len(supports)} stand on props")
    check_supports(saved["support"], deck_counts)
    state, restored_supports = start.copy(), np.zeros_like(supports)
    state[rows["index"]] = rows["prop"]
    restored_supports[saved["vehicle"]] = saved["support"]
    return state, restored_supports


def _check_props(rows: np.ndarray, count: int) -> None:
    """Raise ValueError unless the MOVED_PROP rows are valid for a world with `count` props."""
    indices, props = rows["index"], rows["prop"]
    if len(rows) and not (indices[0] >= 0 and indices[-1] < count and (np.diff(indices) > 0).all()):
        raise ValueError(f"it moves other props than the world's {count}")
    if not _finite(props, ("position", "orientation", "velocity", "angular_velocity", "rest_time")):
        raise ValueError("the state of a prop contains NaN or infinity")
    deviations = np.abs(np.square(props["orientation"]).sum(axis=1) - 1.0)
    if (deviations > ORIENTATION_TOLERANCE).any() or not all(
        np.isin(props[flag], (0, 1)).all() for flag in ("awake", "rests")
    ):
        raise ValueError("the orientation or a flag of a prop is invalid")


def check_supports(supports: np.ndarray, deck_counts: np.ndarray) -> None:
    """Raise ValueError unless SUPPORT records are valid for bodies with these numbers of decks, 0 for none."""
    for support in supports:
        first, count = int(support["first"]), int(support["count"])
        if not (first >= 0 and 0 < count <= MOVING_CAPACITY - first):
            raise ValueError("more bodies support wheels than there is room for")
        carriers, decks = support["carrier"][:count], support["deck"][:count]
        if not ((carriers >= 0) & (carriers < len(deck_counts))).all() or not deck_counts[carriers].all():
            raise ValueError("wheels stand on a body that does not support any")
        if not ((decks >= 0) & (decks < deck_counts[carriers])).all():
            raise ValueError("wheels stand on a deck that their body does not have")
    if not _finite(supports, ("about", "position", "velocity", "spin")):
        raise ValueError("the state of wheels on bodies contains NaN or infinity")


def _finite(records: np.ndarray, fields: tuple[str, ...]) -> bool:
    return all(np.isfinite(records[field]).all() for field in fields)
