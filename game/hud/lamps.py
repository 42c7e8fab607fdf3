"""Lamps of the driving aids above the dial: filled while an aid intervenes, struck through while it is switched off.

Lengths are in units (game/hud/__init__.py).
"""

from __future__ import annotations

from driving_sandbox.game.hud.frame import LIT, OFF, HudFrame
from driving_sandbox.game.hud.style import LABEL, SMALL, glass
from driving_sandbox.game.toolkit.pen import Pen
from driving_sandbox.game.toolkit.theme import WARNING

HEIGHT = 32.0  # of the glass
PADDING = 6.0  # from the glass to the lamps, and from a lamp's edge to its label
BETWEEN = 4.0  # from lamp to lamp
DARK = (0.09, 0.07, 0.02, 1.0)  # label on a lit lamp
FAINT_WARNING = (*WARNING[:3], 0.6)  # line through the label of what is off
STRIKE = 1.5  # width of that line


def lamps_size(pen: Pen, frame: HudFrame, unit: float) -> tuple[float, float]:
    """(width, height) in pixels; (0, 0) without lamps."""
    if not frame.lamps:
        return 0.0, 0.0
    labels = sum(pen.width(label, SMALL * unit) for label, _ in frame.lamps)
    count = len(frame.lamps)
    return labels + (2.0 * PADDING * (count + 1) + BETWEEN * (count - 1)) * unit, HEIGHT * unit


def draw_lamps(pen: Pen, frame: HudFrame, x: float, y: float, unit: float) -> None:
    """Draw the lamps with their upper left corner at (x, y), pixels."""
    width, height = lamps_size(pen, frame, unit)
    glass(pen, x, y, width, height, unit)
    pad, size, x = PADDING * unit, SMALL * unit, x + PADDING * unit
    middle, tall = y + 0.5 * height, height - 2.0 * pad
    for label, state in frame.lamps:
        wide = pen.width(label, size)
        if state == LIT:
            pen.rect(x, y + pad, wide + 2.0 * pad, tall, WARNING, 4.0 * unit)
        if state == OFF:
            pen.frame(x, y + pad, wide + 2.0 * pad, tall, WARNING, 4.0 * unit, max(1.0, unit))
            pen.line(x, y + pad + tall, x + wide + 2.0 * pad, y + pad, FAINT_WARNING, STRIKE * unit)
        pen.text(x + pad, middle, label, size, DARK if state == LIT else WARNING if state == OFF else LABEL)
        x += wide + 2.0 * pad + BETWEEN * unit
