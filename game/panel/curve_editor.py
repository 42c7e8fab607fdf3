"""A plot of curves with points that are dragged by the mouse; a double click adds a point to the first curve.

A point stays between its neighbours and within the field's limits. The axes are fixed while a point is dragged, and fit
the curve again when it is released.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from imgui_bundle import imgui, implot

from driving_sandbox.game.toolkit.theme import ACCENT, WHEEL_COLORS

HEIGHT = 9.0  # lines of text
POINT = 4.5  # pixels at a font size of 16, radius of a point
FONT = 16.0  # pixels, font size at scale 1
MARGIN_X, MARGIN_Y = 0.04, 0.12  # free margin around the curve / range of the curve
MIN_STEP = 1e-3  # smallest distance between neighbours in x / range of x
_ALWAYS = implot.Cond_.always.value
_PLAIN = implot.Flags_.no_menus.value | implot.Flags_.no_box_select.value | implot.Flags_.no_legend.value
_AXIS = implot.AxisFlags_.no_menus.value | implot.AxisFlags_.no_side_switch.value
_X, _Y = implot.ImAxis_.x1.value, implot.ImAxis_.y1.value
_LEFT_BUTTON = imgui.MouseButton_.left.value


@dataclass(frozen=True)
class PointEdit:
    """Point number `point` of line number `line` (both from 0) was moved to (x, y).

    If `new`, a point was inserted with that number instead.
    """

    line: int
    point: int
    x: float
    y: float
    new: bool = False


class CurveEditor:
    """Draws curves with points to drag; each point is put into the ItemLog `items` as `KEY[line][point]@plot`."""

    def __init__(self, items: Any) -> None:
        self._items = items
        # (key of the plot, ends of its axes as from `_ends`) while a point is dragged
        self._held: tuple[str, tuple[float, float, float, float]] | None = None

    def edit(
        self,
        key: str,
        lines: Sequence[Any],
        width: float,
        units: tuple[str, str] = ("", ""),
        limits: tuple[float | None, float | None] = (None, None),
    ) -> PointEdit | None:
        """Draw a plot and return the PointEdit of this frame, or None.

        Args:
            key: key of the plot.
            lines: lists of (x, y) in displayed units.
            width: width of the plot, pixels.
            units: labels of the axes.
            limits: (minimum, maximum) of y, each None without a limit.
        """
        size = imgui.ImVec2(width, imgui.get_text_line_height() * HEIGHT)
        if not implot.begin_plot(f"##{key}@plot", size, _PLAIN):
            return None
        low_x, high_x, low_y, high_y = ends = self._held_ends(key) or _ends(lines)
        implot.setup_axis(_X, units[0], _AXIS)
        implot.setup_axis(_Y, units[1], _AXIS)
        implot.setup_axis_limits(_X, low_x, high_x, _ALWAYS)
        implot.setup_axis_limits(_Y, low_y, high_y, _ALWAYS)
        is_held, edit = False, None
        for number, line in enumerate(lines):
            point_edit, holds = self._line(key, number, line, high_x - low_x, limits)
            is_held |= holds
            edit = edit or point_edit
        if lines and not is_held and implot.is_plot_hovered() and imgui.is_mouse_double_clicked(_LEFT_BUTTON):
            edit = _new_point(lines[0], implot.get_plot_mouse_pos(), high_x - low_x, limits)
        implot.end_plot()
        if is_held:
            self._held = (key, ends)
        elif self._held_ends(key) is not None:
            self._held = None
        return edit

    def _held_ends(self, key: str) -> tuple[float, float, float, float] | None:
        """The ends of the axes of a plot whose point is dragged, else None."""
        return self._held[1] if self._held is not None and self._held[0] == key else None

    def _line(
        self, key: str, number: int, line: Sequence[Any], range_x: float, limits: tuple[float | None, float | None]
    ) -> tuple[PointEdit | None, bool]:
        """Draw a line; returns (PointEdit of a dragged point or None, whether a point is held).

        Args:
            number: index of the line.
            range_x: range of the horizontal axis.
            limits: (minimum, maximum) of y.
        """
        spec = implot.Spec()
        spec.line_color = imgui.ImVec4(*_color(number))
        spec.line_weight = max(1.5, imgui.get_font_size() / 9.0)
        points = np.array(line, dtype=float).reshape(-1, 2)
        implot.plot_line(f"##{number}", points[:, 0].copy(), points[:, 1].copy(), spec)
        radius = POINT * imgui.get_font_size() / FONT
        edit: PointEdit | None = None
        any_held = False
        for i, (x, y) in enumerate(line):
            drag_id = (number << 16) + i  # unique within the plot
            is_dragged, to_x, to_y, _, _, held = implot.drag_point(
                drag_id, x, y, spec.line_color, radius, flags=0, out_clicked=False, out_hovered=False, out_held=False
            )
            any_held |= bool(held)
            self._note(f"{key}[{number}][{i}]@plot", x, y, radius)
            if is_dragged:
                edit = PointEdit(number, i, _between(line, i, to_x, range_x), _clamped(to_y, limits))
        return edit, any_held

    def _note(self, name: str, x: float, y: float, radius: float) -> None:
        if self._items.enabled:
            center = implot.plot_to_pixels(x, y)
            self._items.put(name, (center.x - radius, center.y - radius, center.x + radius, center.y + radius))


def _color(number: int) -> Any:
    return ACCENT if number == 0 else WHEEL_COLORS[number % len(WHEEL_COLORS)]


def _ends(lines: Sequence[Any]) -> tuple[float, float, float, float]:
    """(minimum x, maximum x, minimum y, maximum y) of the axes; the range of y includes zero."""
    points = [point for line in lines for point in line] or [(0.0, 0.0)]
    xs, ys = [x for x, _ in points], [y for _, y in points]
    low, high = min(0.0, *ys), max(0.0, *ys)
    margin_x, margin_y = MARGIN_X * (max(xs) - min(xs) or 1.0), MARGIN_Y * (high - low or 1.0)
    return min(xs) - margin_x, max(xs) + margin_x, low - margin_y, high + margin_y


def _between(line: Sequence[Any], i: int, x: float, range_x: float) -> float:
    """`x`, limited so that it stays between the neighbours of point `i`."""
    step = MIN_STEP * range_x
    if i > 0:
        x = max(x, line[i - 1][0] + step)
    if i + 1 < len(line):
        x = min(x, line[i + 1][0] - step)
    return x


def _clamped(y: float, limits: tuple[float | None, float | None]) -> float:
    low, high = limits
    y = y if low is None else max(y, low)
    return y if high is None else min(y, high)


def _new_point(
    line: Sequence[Any], mouse: Any, range_x: float, limits: tuple[float | None, float | None]
) -> PointEdit | None:
    """The PointEdit of a new point at the mouse, or None if another point is too near."""
    if any(abs(x - mouse.x) < MIN_STEP * range_x for x, _ in line):
        return None
    return PointEdit(0, bisect([x for x, _ in line], mouse.x), mouse.x, _clamped(mouse.y, limits), new=True)
