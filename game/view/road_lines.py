"""Reads a world's road.npz: centre lines and half widths, for the paint on the asphalt."""

from __future__ import annotations

from pathlib import Path

import numpy as np


def read_road_lines(path: Path) -> list[tuple[np.ndarray, float, bool]]:
    """List of (points (n, 2), half width, painted). Accepted arrays: see `_groups`."""
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such road file")
    with np.load(path, allow_pickle=False) as data:
        return _groups({name: data[name] for name in data.files})


def _groups(arrays: dict[str, np.ndarray]) -> list[tuple[np.ndarray, float, bool]]:
    """`points` (n, 2+) of all lines one after the other, `starts` (lines,) first index of each, `half_width` (lines,)."""
    points = np.asarray(arrays["points"], dtype=float)[:, :2]
    starts = np.asarray(arrays.get("starts", [0]), dtype=int)
    widths = np.atleast_1d(np.asarray(arrays["half_width"], dtype=float))
    ends = np.append(starts[1:], len(points))
    return [(points[a:b], float(widths[min(k, len(widths) - 1)]), True)
            for k, (a, b) in enumerate(zip(starts, ends, strict=True))]
