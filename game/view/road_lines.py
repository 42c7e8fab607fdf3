"""Reads a world's roads.npz: centre lines and half widths, for the paint on the asphalt.

Arrays: `names`, then for each road NAME_points (n, 2 or 3), NAME_half_width and NAME_closed. Slabs wider than
`WIDEST_PAINTED` are test slopes and pads without lanes; they get no paint.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

WIDEST_PAINTED = 8.0  # m half width: two lanes each way


@dataclass(frozen=True)
class RoadLine:
    """A polyline in plan, closed lines with their first point repeated; half width in metres."""

    points: np.ndarray
    half_width: float
    closed: bool


def read_road_lines(path: Path) -> list[RoadLine]:
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such road file")
    roads = []
    with np.load(path, allow_pickle=False) as data:
        for name in data["names"].tolist():
            points = np.asarray(data[f"{name}_points"], dtype=float)[:, :2]
            half_width, closed = float(data[f"{name}_half_width"]), bool(data[f"{name}_closed"])
            if half_width > WIDEST_PAINTED:
                continue
            if closed:
                points = np.concatenate([points, points[:1]])
            roads.append(RoadLine(points, half_width, closed))
    return roads
