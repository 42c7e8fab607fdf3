"""Editors for values of many numbers or words: lists, named numbers, curves, vector curves and response tables.

Curves have points to drag and a table of numbers with buttons to add and remove points. Every change makes a new value,
so that a refused value (x values that do not rise, too many points) leaves the old one unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from imgui_bundle import imgui

from driving_sandbox.game.panel.curve_editor import CurveEditor, PointEdit
from driving_sandbox.game.panel.layout import NumberSpec, number_spec, text_format
from driving_sandbox.game.panel.listed import CurveScale
from driving_sandbox.game.panel.widgets import Widgets, tidy
from driving_sandbox.game.toolkit.backend import ItemLog
from driving_sandbox.game.toolkit.theme import ACCENT, TEXT_DIM, WHEEL_COLORS, Icon, color_u32
from driving_sandbox.game.toolkit.units import shown_unit
from driving_sandbox.physics.schema.schema import Curve, Field, Floats, Named, ResponseTable, VecCurve, Words

CELLS_PER_LINE = 4


class Tables:
    """Draws the editor that opens below a row of the panel.

    Args:
        widgets: Widgets, which draws single numbers and choices.
        items: ItemLog in which the editors' own widgets are noted.
    """

    def __init__(self, widgets: Widgets, items: ItemLog) -> None:
        self._widgets = widgets
        self._items = items
        self._curves = CurveEditor(items)

    def edit(
        self,
        key: str,
        declared: Field,
        value: Any,
        width: float,
        scale: CurveScale | None = None,
        names: Sequence[str] | None = None,
    ) -> Any:
        """Draw the editor of a value; returns the new value, or None if it is unchanged.

        Args:
            key: path of the value.
            declared: schema.Field of the value.
            value: the present value.
            width: width of the editor, pixels.
            scale: CurveScale of a curve or response table.
            names: names of the elements of a list, or None.
        """
        kind = declared.kind
        if isinstance(kind, Floats):
            labels = dict(enumerate(names or ()))
            return self._list(key, value, width, first=0.0, draw=lambda k, number, cell: self._widgets.element(
                f"{key}[{k}]", declared, number, cell, labels.get(k, str(k + 1))))  # fmt: skip
        if isinstance(kind, Named):
            return self._named(key, declared, value, width)
        if isinstance(kind, Words):
            options = kind.options
            return self._list(key, value, width, first=options[0], draw=lambda k, word, cell: self._widgets.choice(
                f"{key}[{k}]", options, word, cell))  # fmt: skip
        if scale is None or not isinstance(kind, Curve | VecCurve | ResponseTable):
            raise TypeError(f"{key}: no table for {type(kind).__name__}")
        dragged = self._drag(key, declared, value, width, scale)
        if isinstance(kind, ResponseTable):
            typed = self._response(key, declared, value, width)
        else:
            typed = self._points(key, declared, value, width, scale, vector=isinstance(kind, VecCurve))
        return typed if dragged is None else dragged

    def _named(self, key: str, declared: Field, value: Any, width: float) -> Any:
        """Draw the numbers of the value, each with its name; returns the new value or None."""
        new = None
        for name, number in value.items():
            part = f"{key}.{name}"
            changed = self._widgets.number(part, number, self._widgets.spec(part, declared, number), width, name)
            if changed is not None:
                new = {**value, name: changed}
        return new

    def _drag(self, key: str, declared: Field, value: Any, width: float, scale: CurveScale) -> Any:
        """Draw the curve with points to drag; returns the new value or None."""
        kind = declared.kind
        stored = lines_of(kind, value)
        lines = [[(x * scale.x, y * scale.y) for x, y in line] for line in stored]
        spec = scaled(number_spec(declared, max((abs(y) for line in stored for _, y in line), default=1.0)), scale.y)
        edit = self._curves.edit(key, lines, width, (scale.x_unit, scale.y_unit), (spec.floor, spec.ceiling))
        if edit is None:
            return None
        return edited(kind, value, replace(edit, x=tidy(edit.x) / scale.x, y=tidy(edit.y) / scale.y))

    def _number(
        self, key: str, declared: Field, number: float, width: float, factor: float | None = None, **options: Any
    ) -> float | None:
        """Draw a number; `factor` is displayed number / value, or None for the unit's factor."""
        spec = self._widgets.spec(key, declared, number, **options)
        if factor is not None and factor != spec.factor:
            spec = scaled(spec, factor, abs(number))
        return self._widgets.number(key, number, spec, width)

    def _button(self, key: str, icon: str, tooltip: str) -> bool:
        """Draw a button with a tooltip; returns whether it was pressed."""
        pressed = imgui.button(f"{icon}##{key}")
        self._items.note(key)
        if imgui.is_item_hovered():
            imgui.set_tooltip(tooltip)
        return pressed

    def _list(self, key: str, value: Any, width: float, first: Any, draw: Callable[[int, Any, float], Any]) -> Any:
        """Draw the elements of a list in lines, with buttons to add and remove one; returns the new list or None.

        Args:
            width: width of a full line, pixels.
            first: first element for an empty list.
            draw: function(index, element, width) -> changed element or None.
        """
        gap = imgui.get_style().item_inner_spacing.x
        cell = (width - gap * (CELLS_PER_LINE - 1)) / CELLS_PER_LINE
        new = None
        for i, element in enumerate(value):
            if i % CELLS_PER_LINE:
                imgui.same_line(0.0, gap)
            changed = draw(i, element, cell)
            if changed is not None:
                new = [*value[:i], changed, *value[i + 1 :]]
        if self._button(f"{key}[+]", Icon.PLUS, "Add an element"):
            new = [*value, value[-1] if value else first]
        imgui.same_line()
        if value and self._button(f"{key}[-]", Icon.TRASH, "Remove the last element"):
            new = value[:-1]
        return new

    def _points(self, key: str, declared: Field, value: Any, width: float, scale: CurveScale, vector: bool) -> Any:
        """Draw x and y (three y for a vector curve) of each point and a button to remove it, and one to add a point.

        Returns the new value or None.
        """
        columns = 4 if vector else 2
        gap = imgui.get_style().item_inner_spacing.x
        cell = (width - gap * columns - imgui.get_frame_height()) / columns
        headings(
            [f"{scale.x_label}  {scale.x_unit}".rstrip()]
            + [f"{name}  {scale.y_unit}".rstrip() for name in (("x", "y", "z") if vector else (scale.y_label,))],
            cell + gap,
        )
        new = None
        for i, (x, y) in enumerate(value):
            changed = self._number(f"{key}[{i}].x", declared, x, cell, factor=scale.x, limited=False)
            if changed is not None:
                new = [*value[:i], [changed, y], *value[i + 1 :]]
            parts = list(y) if vector else [y]
            for axis, part in enumerate(parts):
                imgui.same_line(0.0, gap)
                changed = self._number(f"{key}[{i}].y{axis if vector else ''}", declared, part, cell, factor=scale.y)
                if changed is not None:
                    parts[axis] = changed
                    new = [*value[:i], [x, list(parts) if vector else changed], *value[i + 1 :]]
            imgui.same_line(0.0, gap)
            if self._button(f"{key}[{i}].remove", Icon.CLOSE, "Remove this point"):
                new = [*value[:i], *value[i + 1 :]]
        if self._button(f"{key}[+]", f"{Icon.PLUS}  point", "Add a point after the last one"):
            new = [*value, _next_point(value, vector)]
        return new

    def _response(self, key: str, declared: Field, value: Any, width: float) -> Any:
        """Draw a block for each command of a response table: the command, then its points of speed and response.

        Returns the new value or None.
        """
        gap = imgui.get_style().item_inner_spacing.x
        cell = (width - 3.0 * gap - 2.0 * imgui.get_frame_height()) / 3.0
        headings(["command", labelled("speed", "m/s"), labelled("response", declared.unit)], cell + gap)
        new = None
        for j, (command, points) in enumerate(value):
            row = f"{key}[{j}]"
            start = imgui.get_cursor_pos_x()
            changed = self._number(f"{row}.command", declared, command, cell, unit="1", limited=False)
            if changed is not None:
                new = [*value[:j], [changed, points], *value[j + 1 :]]
            for k, (speed, response) in enumerate(points):
                if k:
                    imgui.set_cursor_pos_x(start + cell + gap)
                else:
                    imgui.same_line(0.0, gap)
                point = self._response_point(f"{row}[{k}]", declared, speed, response, cell, gap)
                if point is not None:
                    new_points = [*points[:k], point, *points[k + 1 :]]
                    new = [*value[:j], [command, new_points], *value[j + 1 :]]
                imgui.same_line(0.0, gap)
                changed = self._response_buttons(row, k, points)
                if changed is not None:  # a command without points is removed
                    new = [*value[:j], *([[command, changed]] if changed else []), *value[j + 1 :]]
        if self._button(f"{key}[+]", f"{Icon.PLUS}  command", "Add a command with the points of the last one"):
            command, points = value[-1] if value else (0.0, [[0.0, 0.0]])
            new = [*value, [command + 0.1, [list(p) for p in points]]]
        return new

    def _response_point(self, key: str, declared: Field, speed: float, response: float, cell: float, gap: float) -> Any:
        """Draw speed and response of a point; returns the new [speed, response], or None."""
        changed = self._number(f"{key}.x", declared, speed, cell, unit="m/s", limited=False)
        if changed is not None:
            return [changed, response]
        imgui.same_line(0.0, gap)
        changed = self._number(f"{key}.y", declared, response, cell)
        return None if changed is None else [speed, changed]

    def _response_buttons(self, row: str, k: int, points: Any) -> Any:
        """Draw a point's button to remove it and, after the last point, to add one; returns the new points or None.

        They are [] after the only point was removed.
        """
        if self._button(f"{row}[{k}].remove", Icon.CLOSE, "Remove this point"):
            return [*points[:k], *points[k + 1 :]]
        if k == len(points) - 1:
            imgui.same_line(0.0, imgui.get_style().item_inner_spacing.x)
            if self._button(f"{row}[+]", Icon.PLUS, "Add a point to this command"):
                return [*points, _next_point(points, vector=False)]
        return None


def scaled(spec: NumberSpec, factor: float, size: float = 0.0) -> NumberSpec:
    """A NumberSpec with another factor; `size` is the magnitude of a typical value, for specs without a range."""
    ratio = factor / spec.factor
    ends = [None if end is None else end * ratio for end in (spec.low, spec.high, spec.floor, spec.ceiling)]
    low, high, floor, ceiling = ends
    size = size * factor if low is None or high is None else max(abs(low), abs(high))
    return replace(spec, factor=factor, low=low, high=high, floor=floor, ceiling=ceiling, speed=spec.speed * abs(ratio),
                   text=text_format(size))  # fmt: skip


def _next_point(points: Any, vector: bool) -> list[Any]:
    """The point to append: x grows by the last step, or by 1 after a single point; y is the last point's."""
    if not points:
        return [0.0, [0.0, 0.0, 0.0]] if vector else [0.0, 0.0]
    step = points[-1][0] - points[-2][0] if len(points) > 1 else 1.0
    y = points[-1][1]
    return [points[-1][0] + step, list(y) if vector else y]


def labelled(name: str, unit: str) -> str:
    """A heading of the name and the displayed unit."""
    text = shown_unit(unit)[1]
    return f"{name}  {text}" if text else name


def headings(texts: Sequence[str], step: float) -> None:
    """Draw dim column headings, `step` pixels apart."""
    start = imgui.get_cursor_pos_x()
    for i, text in enumerate(texts):
        if i:
            imgui.same_line(start + step * i)
        imgui.text_disabled(text)


def lines_of(kind: Any, value: Any) -> list[Any]:
    """The plotted lines of a value, each a list of (x, y); [] for kinds other than curves and response tables."""
    if isinstance(kind, Curve):
        return [[(x, y) for x, y in value]]
    if isinstance(kind, VecCurve):
        return [[(x, v[axis]) for x, v in value] for axis in range(3)]
    if isinstance(kind, ResponseTable):
        return [[(speed, response) for speed, response in points] for _, points in value]
    return []


def edited(kind: Any, value: Any, edit: PointEdit) -> list[Any]:
    """The value of a curve or response table after a PointEdit.

    The other two components of a new point in a vector curve are interpolated.
    """
    if isinstance(kind, ResponseTable):
        command, points = value[edit.line]
        return [*value[: edit.line], [command, _put(points, edit, edit.y)], *value[edit.line + 1 :]]
    if isinstance(kind, Curve):
        return _put(value, edit, edit.y)
    xs = [x for x, _ in value]
    y = [float(np.interp(edit.x, xs, line)) for line in zip(*(v for _, v in value), strict=True)]
    if not edit.new:
        y = list(value[edit.point][1])
    y[edit.line] = edit.y
    return _put(value, edit, y)


def _put(points: Any, edit: PointEdit, y: Any) -> list[Any]:
    """The points with the one of a PointEdit replaced by [x, y], or with [x, y] inserted there if it is new."""
    after = edit.point if edit.new else edit.point + 1
    return [*points[: edit.point], [edit.x, y], *points[after:]]


def sparkline(
    draw: Any, lines: Sequence[Any], left: float, top: float, width: float, height: float, dots: bool = True
) -> None:
    """Draw lines scaled to a rectangle (left, top, width and height in pixels), with the zero line.

    dots: whether the points of lines with fewer than 40 are marked.
    """
    points = [point for line in lines for point in line]
    if not points:
        return
    low_x, high_x = min(p[0] for p in points), max(p[0] for p in points)
    low_y, high_y = min(0.0, *(p[1] for p in points)), max(0.0, *(p[1] for p in points))
    # margins: 3 % of the width on each side, 10 % of the height above and below
    scale_x = (width * 0.94) / ((high_x - low_x) or 1.0)
    scale_y = (height * 0.8) / ((high_y - low_y) or 1.0)
    x0, y0 = left + width * 0.03, top + height * 0.9
    zero = y0 + low_y * scale_y
    draw.add_line(imgui.ImVec2(x0, zero), imgui.ImVec2(left + width * 0.97, zero), color_u32(TEXT_DIM, 0.35))
    colors = [ACCENT] if len(lines) == 1 else WHEEL_COLORS
    thickness = max(1.0, imgui.get_font_size() / 9.0)
    for i, line in enumerate(lines):
        path = [imgui.ImVec2(x0 + (x - low_x) * scale_x, y0 - (y - low_y) * scale_y) for x, y in line]
        color = color_u32(colors[i % len(colors)])
        if len(path) > 1:
            draw.add_polyline(path, color, thickness, 0)
        for dot in path if dots and len(path) < 40 else ():
            draw.add_circle_filled(dot, thickness * 1.3, color, 8)
