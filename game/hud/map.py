"""The small map: roads and the driving line around the vehicle, rotated so that the vehicle drives upwards.

All lines are cut into short pieces once. Each frame rotates all points in one matrix product and draws only the pieces
that reach into the map.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from driving_sandbox.game.hud.style import EDGE, GLASS
from driving_sandbox.game.toolkit.pen import Pen
from driving_sandbox.game.toolkit.theme import ACCENT, TEXT

SIZE = 150.0  # units, width and height of the map
RADIUS = 260.0  # m from the middle to the border, which shows the next two or three bends
SPACING = 12.0  # m between points: in a hairpin of radius 15 m the chord is off by 1.2 m, a third of a unit
PIECE = 8  # number of segments in a piece
MIN_WIDTH = 1.6  # units, smallest width of a drawn line
ROAD, LINE, GATE = (0.46, 0.49, 0.52, 1.0), (0.95, 0.96, 0.97, 1.0), ACCENT  # RGBA
COLORS = {"road": ROAD, "line": LINE, "gate": GATE}
DOT = 4.0  # units, radius of another vehicle
ARROW = ((0.0, -8.0), (5.5, 7.0), (0.0, 3.5), (-5.5, 7.0))  # units, tip first, y down


@dataclass(frozen=True)
class MapLine:
    """A line seen from above.

    Attributes:
        points: [n, 2], m.
        width: m; 0 gives the width MIN_WIDTH.
        kind: "road", "line" (driving line) or "gate".
    """

    points: np.ndarray
    width: float = 0.0
    kind: str = "road"


class MiniMap:
    """The small map of a world's lines around the vehicle.

    Args:
        lines: MapLines in the order of drawing; without any, the map is `empty` and not drawn.
    """

    def __init__(self, lines: Sequence[MapLine]) -> None:
        pieces = [(line, piece) for line in lines for piece in _pieces(line.points)]
        self.empty = not pieces
        if self.empty:
            return
        self._points = np.concatenate([piece for _, piece in pieces])  # [points of all pieces, 2], m
        ends = np.cumsum([len(piece) for _, piece in pieces])
        self._slices = [slice(int(end) - len(piece), int(end)) for end, (_, piece) in zip(ends, pieces, strict=True)]
        self._styles = [(COLORS[line.kind], line.width) for line, _ in pieces]  # widths in m
        # middle [pieces, 2] of each piece's bounding rectangle, and half its diagonal [pieces], m
        self._middles = np.array([0.5 * (piece.min(axis=0) + piece.max(axis=0)) for _, piece in pieces])
        self._reach = np.array([0.5 * float(np.linalg.norm(np.ptp(piece, axis=0))) for _, piece in pieces])

    def near(self, position: tuple[float, float], heading: float) -> list[int]:
        """Indices of the pieces that may reach into the map at a position (x, y) and heading, rad."""
        distance = np.abs((self._middles - position) @ _map_axes(heading)).max(axis=1)
        return np.flatnonzero(distance < RADIUS + self._reach).tolist()

    def draw(
        self,
        pen: Pen,
        position: tuple[float, float],
        heading: float,
        others: Iterable[tuple[float, float, Any]],
        x: float,
        y: float,
        unit: float,
    ) -> None:
        """Draw the map.

        Args:
            pen: Pen.
            position: (x, y) of the vehicle, m.
            heading: heading of the vehicle, rad, 0 along +y, positive to the left.
            others: [(x, y, colour)] of other vehicles, m.
            x, y: upper left corner of the map, pixels.
            unit: length of a unit, pixels.
        """
        size = SIZE * unit
        pen.rect(x, y, size, size, GLASS, 9.0 * unit)
        pen.clip(x, y, size, size)
        scale = 0.5 * size / RADIUS
        to_pixels = _map_axes(heading) * scale
        middle = np.array((x + 0.5 * size, y + 0.5 * size))
        pixels = (self._points - position) @ to_pixels + middle
        for k in self.near(position, heading):
            color, width = self._styles[k]
            pen.polyline(pixels[self._slices[k]].tolist(), color, max(MIN_WIDTH * unit, width * scale))
        for other_x, other_y, color in others:
            dot_x, dot_y = ((np.array((other_x, other_y)) - position) @ to_pixels + middle).tolist()
            pen.disc(dot_x, dot_y, DOT * unit, color)
        pen.fan([(middle[0] + u * unit, middle[1] + v * unit) for u, v in ARROW], TEXT)
        pen.unclip()
        pen.frame(x, y, size, size, EDGE, 9.0 * unit, max(1.0, unit))


def _map_axes(heading: float) -> np.ndarray:
    """The matrix [2, 2] that turns horizontal offsets [n, 2] in the world into offsets on the map.

    `offsets @ matrix` is (to the vehicle's right, backwards), which is (right, down) on the map.
    """
    cosine, sine = math.cos(heading), math.sin(heading)
    return np.array([[cosine, sine], [sine, -cosine]])


def _pieces(points: np.ndarray) -> list[np.ndarray]:
    """Pieces [n, 2] of a line that share their end points, with the line's points thinned out to SPACING."""
    points = np.asarray(points, float)
    distance = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    steps = np.flatnonzero(np.diff(np.floor(distance / SPACING)) > 0.0) + 1
    thinned = points[np.unique(np.concatenate([[0], steps, [len(points) - 1]]))]
    return [thinned[first : first + PIECE + 1] for first in range(0, len(thinned) - 1, PIECE)]
