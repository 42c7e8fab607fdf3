"""The round instrument: a ring with the engine speed, and road speed and gear inside it.

Without an engine the ring shows road speed. Angles are in radians, clockwise from the right as the frame's y points
down.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from driving_sandbox.game.hud.frame import HudFrame
from driving_sandbox.game.hud.style import EDGE, FAINT, GLASS, LABEL, SMALL, TRACK
from driving_sandbox.game.toolkit.pen import Pen
from driving_sandbox.game.toolkit.theme import ACCENT, ERROR, TEXT
from driving_sandbox.lab.units import KMH, MPH

START = math.radians(140.0)  # angle of the value 0
SWEEP = math.radians(260.0)  # angle from 0 to full scale
RADIUS = 92.0  # units (game/hud/__init__.py), radius of the ring
RIM = 10.0  # units, width of the background beyond the ring
MAX_STEPS = 12.0  # largest number of steps between labelled marks; the labels of more would touch
FULL_CIRCLE = 2.0 * math.pi  # rad


def draw_dial(pen: Pen, frame: HudFrame, x: float, y: float, unit: float, share: float = 1.0) -> None:
    """Draw the dial around (x, y), pixels.

    Args:
        unit: length of a unit, pixels.
        share: size of the dial / normal size; its labels keep the size SMALL, other texts shrink.
    """
    label_size, unit = SMALL * unit, unit * share
    radius = RADIUS * unit
    displayed_speed = abs(frame.speed) / (MPH if frame.miles else KMH)
    full, value, redline, step, divisor = _range(frame, displayed_speed)
    over_redline = redline < full and value >= redline
    face = (x, y, unit, label_size, full, redline, frame.miles)
    pen.still("dial", face, lambda: _face(pen, x, y, unit, label_size, (full, step, divisor, redline), frame.miles))
    end = START + SWEEP * min(1.0, max(0.0, value / full))
    pen.arc(x, y, radius, START, end, ERROR if over_redline else ACCENT, 5.0 * unit)
    pen.ray(x, y, end, radius - 15.0 * unit, radius + 4.0 * unit, TEXT, 2.5 * unit)
    pen.text(x, y - 10.0 * unit, f"{displayed_speed:.0f}", 52.0 * unit, TEXT, align=0.5, bold=True)
    pen.text(x, y + 56.0 * unit, frame.gear, 36.0 * unit, ERROR if over_redline else ACCENT, align=0.5, bold=True)
    if frame.max_rpm > 0.0:
        pen.text(x, y + 82.0 * unit, "AUTO" if frame.automatic else "MANUAL", label_size, LABEL, align=0.5)


def _range(frame: HudFrame, displayed_speed: float) -> tuple[float, float, float, float, float]:
    """(full scale, value, redline, step between labelled marks, divisor of the marks' values for labels) of the ring.

    Values are in rpm, or for a vehicle without an engine in km/h or mph, as is `displayed_speed`.
    """
    if frame.max_rpm > 0.0:
        return frame.max_rpm, frame.rpm, frame.redline_rpm or frame.max_rpm, 1000.0, 1000.0
    full = frame.top_speed / (MPH if frame.miles else KMH)
    return full, displayed_speed, full, 20.0 if full < 200.0 else 40.0, 1.0


def _face(
    pen: Pen, x: float, y: float, unit: float, label_size: float, scale: tuple[float, float, float, float], miles: bool
) -> None:
    """Draw the static parts: background, ring, redline, marks, speed unit.

    Args:
        label_size: font size of the labels, pixels.
        scale: (full scale, step between labelled marks, divisor for labels, redline), each as from `_range`.
    """
    radius, (full, _, _, redline) = RADIUS * unit, scale
    pen.disc(x, y, radius + RIM * unit, GLASS)
    pen.arc(x, y, radius + RIM * unit, 0.0, FULL_CIRCLE, EDGE, max(1.0, unit))
    pen.arc(x, y, radius, START, START + SWEEP, TRACK, 5.0 * unit)
    if redline < full:
        pen.arc(x, y, radius, START + SWEEP * redline / full, START + SWEEP, (*ERROR[:3], 0.75), 5.0 * unit)
    outer, label_radius = radius - 3.0 * unit, radius - 21.0 * unit
    for angle, label, red in _marks(*scale):
        color = ERROR if red else (LABEL if label else FAINT)
        pen.ray(x, y, angle, radius - (9.0 if label else 6.0) * unit, outer, color, 1.4 * unit)
        if label:
            label_x, label_y = x + math.cos(angle) * label_radius, y + math.sin(angle) * label_radius
            pen.text(label_x, label_y, label, label_size, color, align=0.5)
    pen.text(x, y + 21.0 * unit, "mph" if miles else "km/h", label_size, LABEL, align=0.5)


def _marks(full: float, step: float, divisor: float, redline: float) -> Iterator[tuple[float, str, bool]]:
    """Yield (angle, label, whether at or beyond the redline) of each mark; every second one has no label ("").

    The arguments are as from `_range`.
    """
    while full / step > MAX_STEPS:
        step *= 2.0
    for index in range(int(2.0 * full / step) + 1):
        value = 0.5 * index * step
        yield START + SWEEP * value / full, "" if index % 2 else f"{value / divisor:g}", value >= redline < full
