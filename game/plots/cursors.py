"""Cursors shared by all plots with the same horizontal axis, such as time.

The mouse draws one line through all of them and shows each channel's value there. A click sets the first cursor, a
right click the second; for the time between them a table gives change, minimum, maximum and mean. A double click
removes both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from imgui_bundle import imgui, implot

from driving_sandbox.game.toolkit.theme import ACCENT, TEXT_DIM
from driving_sandbox.game.toolkit.units import number_text

if TYPE_CHECKING:
    from driving_sandbox.game.plots.history import ChannelHistory
    from driving_sandbox.game.plots.layouts import Plot

MARK_COLOR = (0.95, 0.95, 0.5, 0.6)  # RGBA
MAX_LETTERS = 28  # longer texts of marks are cut
LEFT, RIGHT = imgui.MouseButton_.left.value, imgui.MouseButton_.right.value


class Cursors:
    """Cursors of plots with one horizontal axis: call `begin` before the plots of a frame, `in_plot` inside each.

    Attributes:
        at: time (or lap distance) under the mouse in the last frame, or None.
        set: times of the two cursors, each may be None.
    """

    def __init__(self) -> None:
        self.at: float | None = None
        self.set: list[float | None] = [None, None]
        self._next: float | None = None  # time under the mouse in this frame
        self._marks: Sequence[tuple[float, str]] = ()  # of this frame
        self._labelled = True  # whether their texts were drawn in a plot

    def begin(self, marks: Sequence[tuple[float, str]] = ()) -> None:
        """Begin a frame: all its plots show the time that was under the mouse in the last frame.

        Args:
            marks: list of (x, text), drawn as vertical lines; texts in the first plot and in the one under the mouse.
        """
        self.at, self._next = self._next, None
        self._marks, self._labelled = marks, False

    def in_plot(self) -> None:
        """Read the mouse and draw the lines."""
        if implot.is_plot_hovered():
            self._next = implot.get_plot_mouse_pos().x
            if imgui.is_mouse_double_clicked(LEFT):
                self.set = [None, None]
            elif imgui.is_mouse_clicked(LEFT):
                self.set[0] = self._next
            elif imgui.is_mouse_clicked(RIGHT):
                self.set[1] = self._next
        if self._marks:
            self._draw_marks()
        self._line("##at", self.at, (1.0, 1.0, 1.0, 0.45))
        for k, time in enumerate(self.set):
            self._line(f"##cursor{k}", time, (*ACCENT[:3], 0.9))

    def _draw_marks(self) -> None:
        """Draw the marks as vertical lines; their texts in the first plot and in the one under the mouse."""
        spec = implot.Spec()
        spec.line_color = imgui.ImVec4(*MARK_COLOR)
        implot.plot_inf_lines("##marks", np.array([time for time, _ in self._marks]), spec)
        if self._labelled and not implot.is_plot_hovered():
            return
        self._labelled = True
        top = implot.get_plot_limits().y.max
        for time, text in self._marks:
            short = text if len(text) <= MAX_LETTERS else f"{text[: MAX_LETTERS - 1]}\N{HORIZONTAL ELLIPSIS}"
            implot.annotation(time, top, imgui.ImVec4(0.0, 0.0, 0.0, 0.6), imgui.ImVec2(4.0, 4.0), True, short)

    @staticmethod
    def _line(name: str, time: float | None, color: Sequence[float]) -> None:
        """Draw a vertical line at a time, if it is not None."""
        if time is None:
            return
        spec = implot.Spec()
        spec.line_color = imgui.ImVec4(*color)
        implot.plot_inf_lines(name, np.array([time]), spec)

    def table(self, plots: Iterable[Plot], history: ChannelHistory) -> None:
        """Draw a table of first value, change, minimum, maximum and mean between the two cursors, a row per line.

        Args:
            plots: the plots over time, whose lines are listed.
            history: ChannelHistory with their samples.
        """
        first, second = self.set
        if first is None or second is None or not imgui.begin_table("between", 6, imgui.TableFlags_.row_bg.value):
            return
        imgui.table_setup_column(f"{abs(second - first):.3f} s")
        for title in ("first", "change", "minimum", "maximum", "mean"):
            imgui.table_setup_column(title)
        imgui.table_headers_row()
        for plot in plots:
            for line in plot.lines:
                figures = between(history.times(), history.values(line.name) * line.factor, first, second)
                if figures is None:
                    continue
                imgui.table_next_row()
                imgui.table_next_column()
                imgui.text_colored(line.spec.line_color, f"{line.label} {line.unit}")
                for figure in figures:
                    imgui.table_next_column()
                    imgui.text_colored(imgui.ImVec4(*TEXT_DIM), number_text(figure, digits=4))
        imgui.end_table()


def at_time(times: np.ndarray | Sequence[float], values: np.ndarray | Sequence[float], time: float) -> float | None:
    """The value of the latest sample not after `time`, or None if `time` is before the first sample."""
    index = int(np.searchsorted(times, time, side="right")) - 1
    return None if index < 0 else float(values[index])


def between(
    times: np.ndarray, values: np.ndarray, first: float, second: float
) -> tuple[float, float, float, float, float] | None:
    """(value at `first`, change from there to `second`; minimum, maximum, mean of the finite samples between), or None.

    None means that there is no such sample.

    A cursor before the first sample takes the value of the first sample.
    """
    low, high = sorted((first, second))
    inside = values[(times >= low) & (times <= high)]
    inside = inside[np.isfinite(inside)]
    if not inside.size:
        return None
    start, end = at_time(times, values, first), at_time(times, values, second)
    start, end = (inside[0] if value is None else value for value in (start, end))
    return start, end - start, float(inside.min()), float(inside.max()), float(inside.mean())
