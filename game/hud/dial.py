"""The round instrument: revs around speed and gear; without an engine the ring shows speed."""

from __future__ import annotations

import math

from driving_sandbox.game.hud.style import EDGE, FAINT, GLASS, LABEL, SMALL, TRACK
from driving_sandbox.game.toolkit.theme import ACCENT, ERROR, TEXT

KMH, MPH = 3.6, 2.2369363  # per m/s
START, SWEEP = math.radians(140.0), math.radians(260.0)
RADIUS, RIM = 92.0, 10.0
MOST_TICKS = 12.0
TURN = 2.0 * math.pi


def draw_dial(pen, frame, x, y, unit, share=1.0):
    """The dial around (x, y), `share` of its usual size; its texts shrink with it, but not below the least size."""
    least, unit = SMALL * unit, unit * share
    radius = RADIUS * unit
    shown = abs(frame.speed) * (MPH if frame.miles else KMH)
    full, value, redline, step, divisor = _range(frame, shown)
    warm = redline < full and value >= redline
    face = (x, y, unit, least, full, redline, frame.miles)
    pen.still("dial", face, lambda: _face(pen, x, y, unit, least, (full, step, divisor, redline), frame.miles))
    end = START + SWEEP * min(1.0, max(0.0, value / full))
    pen.arc(x, y, radius, START, end, ERROR if warm else ACCENT, 5.0 * unit)
    pen.ray(x, y, end, radius - 15.0 * unit, radius + 4.0 * unit, TEXT, 2.5 * unit)
    pen.text(x, y - 10.0 * unit, f"{shown:.0f}", 52.0 * unit, TEXT, 0.5, bold=True)
    pen.text(x, y + 56.0 * unit, frame.gear, 36.0 * unit, ERROR if warm else ACCENT, 0.5, bold=True)
    if frame.max_rpm > 0.0:
        pen.text(x, y + 82.0 * unit, "AUTO" if frame.automatic else "MANUAL", least, LABEL, 0.5)


def _range(frame, shown):
    """(full scale, value, redline, step of the ticks, divisor of their labels)."""
    if frame.max_rpm > 0.0:
        return frame.max_rpm, frame.rpm, frame.redline_rpm or frame.max_rpm, 1000.0, 1000.0
    full = frame.top_speed * (MPH if frame.miles else KMH)
    return full, shown, full, 20.0 if full < 200.0 else 40.0, 1.0


def _face(pen, x, y, unit, least, scale, miles):
    """What does not move: glass, ring, red line, marks, unit. least: size of its texts, pixels."""
    radius, (full, _, _, redline) = RADIUS * unit, scale
    pen.disc(x, y, radius + RIM * unit, GLASS)
    pen.arc(x, y, radius + RIM * unit, 0.0, TURN, EDGE, max(1.0, unit))
    pen.arc(x, y, radius, START, START + SWEEP, TRACK, 5.0 * unit)
    if redline < full:
        pen.arc(x, y, radius, START + SWEEP * redline / full, START + SWEEP, (*ERROR[:3], 0.75), 5.0 * unit)
    outer, far = radius - 3.0 * unit, radius - 21.0 * unit
    for angle, label, hot in _marks(*scale):
        color = ERROR if hot else (LABEL if label else FAINT)
        pen.ray(x, y, angle, radius - (9.0 if label else 6.0) * unit, outer, color, 1.4 * unit)
        if label:
            pen.text(x + math.cos(angle) * far, y + math.sin(angle) * far, label, least, color, 0.5)
    pen.text(x, y + 21.0 * unit, "mph" if miles else "km/h", least, LABEL, 0.5)


def _marks(full, step, divisor, redline):
    """(angle, label, beyond the red line) of each; every second mark is a short one without label."""
    while full / step > MOST_TICKS:
        step *= 2.0
    for half in range(int(2.0 * full / step) + 1):
        value = 0.5 * half * step
        yield START + SWEEP * value / full, "" if half % 2 else f"{value / divisor:g}", value >= redline < full
