"""Colours (RGBA) and sizes of the instruments and of the dark background behind them."""

from __future__ import annotations

from functools import lru_cache

from driving_sandbox.game.toolkit.pen import Color, Pen
from driving_sandbox.game.toolkit.theme import ACCENT, ERROR, GOOD, WARNING

GLASS = (0.035, 0.042, 0.050, 0.66)  # background of an instrument
EDGE = (1.0, 1.0, 1.0, 0.10)  # hairline around the background
TRACK = (1.0, 1.0, 1.0, 0.15)  # empty part of a bar or ring
FAINT = (1.0, 1.0, 1.0, 0.22)  # ticks without label and the ring of the available friction
LABEL = (0.74, 0.77, 0.80, 1.0)  # labels; lighter than the panel's dim text, to be legible in front of the scene
CLUTCH = (0.30, 0.66, 0.92, 1.0)
LEVEL_COLORS = {"info": ACCENT, "good": GOOD, "warning": WARNING, "error": ERROR}
SMALL = 15.0  # units, smallest font size: the em is 12.8 pixels in a frame 720 pixels high
GAP = 10.0  # units between two instruments
CALM = 0.7  # share of the friction in use up to which a wheel is green
TIGHT = 0.9  # share of the friction in use at which a wheel is amber; colours are blended between CALM, TIGHT and 1
SHADES = 50  # steps of the share from 0 to 1, each with one colour


def blend(a: Color, b: Color, share: float) -> Color:
    """The colour between a (share 0) and b (share 1)."""
    red, green, blue, opacity = (x + (y - x) * share for x, y in zip(a, b, strict=True))
    return red, green, blue, opacity


def saturation_color(share: float) -> Color:
    """The colour for a share of the friction in use: green up to CALM, amber at TIGHT, red at 1."""
    return _shade(round(min(1.0, max(0.0, share)) * SHADES))


@lru_cache(SHADES + 1)
def _shade(step: int) -> Color:
    """`saturation_color` of a share in steps of 1 / SHADES."""
    share = step / SHADES
    if share < TIGHT:
        return blend(GOOD, WARNING, min(1.0, max(0.0, (share - CALM) / (TIGHT - CALM))))
    return blend(WARNING, ERROR, min(1.0, (share - TIGHT) / (1.0 - TIGHT)))


def glass(pen: Pen, x: float, y: float, width: float, height: float, unit: float) -> None:
    """Draw the dark rounded background of an instrument."""
    pen.rect(x, y, width, height, GLASS, 9.0 * unit)
    pen.frame(x, y, width, height, EDGE, 9.0 * unit, max(1.0, unit))
