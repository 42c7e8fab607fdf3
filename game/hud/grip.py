"""The g-g diagram: acceleration to the right and forward in g, its recent trail, and the grip under the wheels.

The dot shows the direction of the acceleration: right in a right-hand bend, up under throttle, down under the brakes.
The light ring is the friction that the road offers: a dot on it means that no friction is left.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from driving_sandbox.game.hud.frame import HudFrame
from driving_sandbox.game.hud.style import FAINT, LABEL, SMALL, TRACK
from driving_sandbox.game.toolkit.pen import Pen
from driving_sandbox.game.toolkit.theme import ACCENT, TEXT
from driving_sandbox.lab.acceleration import G

FULL = 1.5  # g at the border, which sport tires and downforce reach
NOTABLE = 0.2  # g above which the number is bright
RADIUS = 42.0  # units (game/hud/__init__.py), radius of the border
FULL_CIRCLE = 2.0 * math.pi  # rad


def draw_grip(pen: Pen, frame: HudFrame, x: float, y: float, unit: float) -> None:
    """Draw the diagram around (x, y), pixels, unless the acceleration is unknown.

    Args:
        unit: length of a unit, pixels.
    """
    if frame.acceleration is None:
        return
    radius = RADIUS * unit
    pen.still("grip", (x, y, unit), lambda: _background(pen, x, y, radius, max(1.0, unit)))
    if frame.grip > 0.0:
        pen.arc(x, y, radius * min(1.0, frame.grip / FULL), 0.0, FULL_CIRCLE, FAINT, 2.0 * unit)
    dot_x, dot_y = _pixels(frame.acceleration, x, y, radius)
    if frame.trail:
        points = [_pixels(point, x, y, radius) for point in frame.trail]
        pen.polyline([*points, (dot_x, dot_y)], (*ACCENT[:3], 0.45), 2.0 * unit)
    pen.disc(dot_x, dot_y, 5.0 * unit, ACCENT)
    total = math.hypot(*frame.acceleration) / G
    pen.text(x, y + radius + 10.0 * unit, f"{total:.1f} g", SMALL * unit, TEXT if total > NOTABLE else LABEL, align=0.5)


def _background(pen: Pen, x: float, y: float, radius: float, line_width: float) -> None:
    """Draw the static parts: disc, rings at 1 g and at the border, axes."""
    pen.disc(x, y, radius, (1.0, 1.0, 1.0, 0.05))
    for ring in (1.0 / FULL, 1.0):
        pen.arc(x, y, radius * ring, 0.0, FULL_CIRCLE, TRACK, line_width)
    pen.line(x - radius, y, x + radius, y, TRACK, line_width)
    pen.line(x, y - radius, x, y + radius, TRACK, line_width)


def _pixels(acceleration: Sequence[float], x: float, y: float, radius: float) -> tuple[float, float]:
    """Pixel (x, y) of an acceleration (to the right, forward) in m/s^2; beyond FULL it is on the border."""
    right, forward = acceleration[0] / (G * FULL), acceleration[1] / (G * FULL)
    size = math.hypot(right, forward)
    if size > 1.0:
        right, forward = right / size, forward / size
    return x + right * radius, y - forward * radius
