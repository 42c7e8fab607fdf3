"""Reads a world's roads.npz: centre lines and half widths of its roads.

Arrays: `names`, then for each road NAME_points (n, 2 or 3), NAME_half_width, NAME_closed and optionally NAME_kind:
"painted" is a road with lane markings, "plain" one without, "loose" a gravel road, "mark" a painted line alone. Without
a kind, roads with a half width above `MAX_PAINTED` are plain (test slopes and pads), all others painted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from driving_sandbox.physics.base.user_error import WrongValue
from driving_sandbox.physics.schema.array_file import open_arrays

MAX_PAINTED = 8.0  # m, half width of two lanes in each direction


@dataclass(frozen=True)
class Road:
    """A road or a painted line.

    Attributes:
        name: as in the file.
        points: centre line (n, 2 or 3), m; a closed one does not repeat its first point.
        half_width: m.
        closed: whether the last point is joined to the first.
        kind: "painted", "plain", "loose" or "mark".
    """

    name: str
    points: np.ndarray
    half_width: float
    closed: bool
    kind: str


def open_road_file(path: Path) -> Any:
    """The arrays of a road file, as opened by numpy.load. Raises WrongValue if it is missing or not a valid archive."""
    path = Path(path)
    if not path.is_file():
        raise WrongValue(f"{path}: no such road file")
    try:
        return open_arrays(path)
    except (OSError, ValueError, BadZipFile) as error:
        raise WrongValue(f"{path}: cannot be read: {error}") from None


def read_roads(path: Path) -> list[Road]:
    """All roads and painted lines of a file.

    Raises WrongValue as `open_road_file`, KeyError for a missing array, and ValueError or BadZipFile for a damaged one.
    """
    with open_road_file(path) as data:
        return [_road(data, name) for name in data["names"].tolist()]


def _road(data: Mapping[str, np.ndarray], name: str) -> Road:
    """The road of a name."""
    half_width = float(data[f"{name}_half_width"])
    default = "plain" if half_width > MAX_PAINTED else "painted"
    kind = str(data[f"{name}_kind"]) if f"{name}_kind" in data else default
    return Road(name, np.asarray(data[f"{name}_points"], float), half_width, bool(data[f"{name}_closed"]), kind)
