"""Lap, sector and split times, and below them the gap to a reference lap.

The gap's bar grows from its middle: to the left and green while the lap is ahead, to the right and red while it is
behind.
"""

from __future__ import annotations

from driving_sandbox.game.hud.frame import HudFrame
from driving_sandbox.game.hud.style import LABEL, SMALL, TRACK, glass
from driving_sandbox.game.toolkit.pen import Pen
from driving_sandbox.game.toolkit.theme import ACCENT, ERROR, GOOD, TEXT, WARNING

RUNNING = ("lap", "run")  # names of lines with a running time
ROW = 22.0  # units, height of a line
RUNNING_EXTRA = 9.0  # units, extra height of a line with a running time
RUNNING_SIZE = 1.5  # font size of a running time / font size of other times
PADDING = 14.0  # units at both ends of the lines
NAME_DISTANCE = 20.0  # units between the name and the time of a line
BAR_HEIGHT = 8.0  # units
BAR_BOX = 48.0  # units, height of the bar with the text above it
FULL = 1.0  # s, gap at the ends of the bar, so that a tenth of a second is still visible


class LapBox:
    """The box with `timing`, `delta` and `reference` of a HudFrame: measured with `size`, then drawn with `draw`."""

    def __init__(self, pen: Pen) -> None:
        self._pen = pen

    def size(self, frame: HudFrame, unit: float) -> tuple[float, float]:
        """(width, height) of the box in pixels; (0, 0) without lines."""
        lines, pen, size = frame.timing, self._pen, SMALL * unit
        if not lines:
            return 0.0, 0.0
        name_width = max(pen.width(name, size) for name, _ in lines)
        value_width = max(pen.width(value, size * (RUNNING_SIZE if name in RUNNING else 1.0), bold=name in RUNNING)
                    for name, value in lines)  # fmt: skip
        width, height = name_width + value_width + NAME_DISTANCE * unit, self._lines_height(lines) * unit
        if frame.delta is not None:
            # with the widest usual text of a gap, so that the box does not change its width with every digit
            reference_width = pen.width(frame.reference, size) + pen.width(
                _gap_text(-88.88), size * RUNNING_SIZE, bold=True
            )
            width, height = max(width, reference_width + NAME_DISTANCE * unit), height + BAR_BOX * unit
        return width + 2.0 * PADDING * unit, height

    @staticmethod
    def _lines_height(lines: list[tuple[str, str]]) -> float:
        """Height of all lines with 7 units above and below, units."""
        return ROW * len(lines) + 14.0 + sum(RUNNING_EXTRA for name, _ in lines if name in RUNNING)

    def draw(self, frame: HudFrame, left: float, top: float, unit: float) -> None:
        """Draw the box with its upper left corner at (left, top), pixels."""
        (width, height), pen, size = self.size(frame, unit), self._pen, SMALL * unit
        glass(pen, left, top, width, height, unit)
        left_edge, end, line_top = left + PADDING * unit, left + width - PADDING * unit, top + 7.0 * unit
        for k, (name, value) in enumerate(frame.timing):
            is_running = name in RUNNING
            step = (ROW + (RUNNING_EXTRA if is_running else 0.0)) * unit
            pen.text(left_edge, line_top + 0.5 * step, name, size, ACCENT if k == 0 else LABEL)
            self._value(value, end, line_top + 0.5 * step, size * (RUNNING_SIZE if is_running else 1.0), is_running)
            line_top += step
        if frame.delta is not None:
            self._delta(frame.delta, frame.reference, left_edge, end, line_top, unit)

    def _value(self, value: str, end: float, middle: float, size: float, bold: bool) -> None:
        """Draw a time with its right end at `end`; a difference after it is green if faster and amber if slower.

        Args:
            value: the time, and perhaps two spaces and a difference, which has a sign.
            end, middle: x of the right end and y of the middle of the line, pixels.
            size: font size, pixels.
        """
        pen = self._pen
        for word in reversed(value.split("  ")):
            color = GOOD if word[:1] == "-" else WARNING if word[:1] == "+" else TEXT
            pen.text(end, middle, word, size, color, align=1.0, bold=bold)
            end -= pen.width(word + "  ", size, bold)

    def _delta(self, delta: float, reference: str, begin: float, end: float, top: float, unit: float) -> None:
        """Draw the gap: its reference and its text, and below them the bar, from x = `begin` to `end`, pixels."""
        pen, size, text = self._pen, SMALL * unit, _gap_text(delta)
        color = GOOD if delta < 0.0 else ERROR
        pen.text(begin, top + 14.0 * unit, reference, size, LABEL)
        pen.text(end, top + 14.0 * unit, text, size * RUNNING_SIZE, color, align=1.0, bold=True)
        bar_top, height, middle = top + 32.0 * unit, BAR_HEIGHT * unit, 0.5 * (begin + end)
        pen.rect(begin, bar_top, end - begin, height, TRACK, 3.0 * unit)
        reach = 0.5 * (end - begin) * min(1.0, max(-1.0, delta / FULL))
        pen.rect(min(middle, middle + reach), bar_top, abs(reach), height, color, rounding=0.0)
        pen.rect(middle - unit, bar_top - 2.0 * unit, 2.0 * unit, height + 4.0 * unit, TEXT, rounding=0.0)


def _gap_text(seconds: float) -> str:
    return f"{seconds:+.2f}"
