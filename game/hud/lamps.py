"""Lamps of the driving aids above the dial: filled while an aid intervenes, struck through while it is switched off.

Lengths are in units (game/hud/__init__.py).
"""

from __future__ import annotations

from driving_sandbox.game.hud.frame import LIT, OFF, HudFrame
from driving_sandbox.game.hud.style import LABEL, SMALL, glass
from driving_sandbox.game.toolkit.pen import Pen
from driving_sandbox.game.toolkit.theme import WARNING

HEIGHT = 32.0  # height of the background
PADDING = 6.0  # from the background's edge to the lamps, and from a lamp's edge to its label
LAMP_DISTANCE = 4.0  # between two lamps
DARK = (0.09, 0.07, 0.02, 1.0)  # RGBA of the label on a lit lamp
FAINT_WARNING = (*WARNING[:3], 0.6)  # RGBA of the line through the lamp of an aid that is off
STRIKE = 1.5  # width of that line


def lamps_size(pen: Pen, frame: HudFrame, unit: float) -> tuple[float, float]:
    """(width, height) of the lamps with their background, pixels; (0, 0) without lamps. unit: pixels per unit."""
    if not frame.lamps:
        return 0.0, 0.0
    labels = sum(pen.width(label, SMALL * unit) for label, _ in frame.lamps)
    count = len(frame.lamps)
    return labels + (2.0 * PADDING * (count + 1) + LAMP_DISTANCE * (count - 1)) * unit, HEIGHT * unit


def draw_lamps(pen: Pen, frame: HudFrame, x: float, y: float, unit: float) -> None:
    """Draw the lamps with their upper left corner at (x, y), pixels. unit: pixels per unit."""
    width, height = lamps_size(pen, frame, unit)
    glass(pen, x, y, width, height, unit)
    pad, size, x = PADDING * unit, SMALL * unit, x + PADDING * unit
    middle, lamp_height = y + 0.5 * height, height - 2.0 * pad
    for label, state in frame.lamps:
        label_width = pen.width(label, size)
        if state == LIT:
            pen.rect(x, y + pad, label_width + 2.0 * pad, lamp_height, WARNING, 4.0 * unit)
        if state == OFF:
            pen.frame(x, y + pad, label_width + 2.0 * pad, lamp_height, WARNING, 4.0 * unit, max(1.0, unit))
            pen.line(x, y + pad + lamp_height, x + label_width + 2.0 * pad, y + pad, FAINT_WARNING, STRIKE * unit)
        pen.text(x + pad, middle, label, size, DARK if state == LIT else WARNING if state == OFF else LABEL)
        x += label_width + 2.0 * pad + LAMP_DISTANCE * unit
