"""Editors for values of many numbers: lists, curves, vector curves and response tables.

All show a small picture of the curve and a table of numbers with buttons to add and remove points. Every change makes
a whole new value, so a refused one (x values that do not rise, too many points) leaves the old one as it was.
"""

from __future__ import annotations

from imgui_bundle import imgui

from game.panel.layout import shown_unit
from game.panel.theme import ACCENT, TEXT_DIM, WHEEL_COLORS, Icon, color_u32
from physics.schema import Curve, Floats, ResponseTable, VecCurve

PREVIEW_HEIGHT = 5.0  # lines of text
FLOATS_PER_LINE = 4


class Tables:
    """Draws expanded values with the given Widgets; `edit` returns the new value or None."""

    def __init__(self, widgets, items):
        self._widgets = widgets
        self._items = items

    def edit(self, key, declared, value, width):
        kind = declared.kind
        if isinstance(kind, Floats):
            return self._floats(key, declared, value, width)
        if isinstance(kind, Curve):
            preview([[(x, y) for x, y in value]], width)
            return self._points(key, declared, value, width, kind, vector=False)
        if isinstance(kind, VecCurve):
            preview([[(x, v[axis]) for x, v in value] for axis in range(3)], width)
            return self._points(key, declared, value, width, kind, vector=True)
        if isinstance(kind, ResponseTable):
            preview([[(s, r) for s, r in points] for _, points in value], width)
            return self._response(key, declared, value, width)
        raise TypeError(f"{key}: no table for {type(kind).__name__}")

    def _number(self, key, declared, number, width, **options):
        spec = self._widgets.spec(key, declared, number, **options)
        return self._widgets.number(key, number, spec, width)

    def _button(self, key, icon, tooltip):
        pressed = imgui.button(f"{icon}##{key}")
        self._items.note(key)
        if imgui.is_item_hovered():
            imgui.set_tooltip(tooltip)
        return pressed

    def _floats(self, key, declared, value, width):
        gap = imgui.get_style().item_inner_spacing.x
        cell = (width - gap * (FLOATS_PER_LINE - 1)) / FLOATS_PER_LINE
        new = None
        for i, number in enumerate(value):
            if i % FLOATS_PER_LINE:
                imgui.same_line(0.0, gap)
            changed = self._number(f"{key}[{i}]", declared, number, cell)
            if changed is not None:
                new = [*value[:i], changed, *value[i + 1 :]]
        if self._button(f"{key}[+]", Icon.PLUS, "Add a number"):
            new = [*value, value[-1] if value else 0.0]
        imgui.same_line()
        if value and self._button(f"{key}[-]", Icon.TRASH, "Remove the last number"):
            new = value[:-1]
        return new

    def _points(self, key, declared, value, width, kind, vector):
        """Rows of x and y, or x and three y, each with a button that removes it."""
        columns = 4 if vector else 2
        gap = imgui.get_style().item_inner_spacing.x
        cell = (width - gap * columns - imgui.get_frame_height()) / columns
        headings(
            [labelled(kind.x_label, kind.x_unit)]
            + [labelled(name, declared.unit) for name in (("x", "y", "z") if vector else ("value",))],
            cell + gap,
        )
        new = None
        for i, (x, y) in enumerate(value):
            changed = self._number(f"{key}[{i}].x", declared, x, cell, unit=kind.x_unit, limited=False)
            if changed is not None:
                new = [*value[:i], [changed, y], *value[i + 1 :]]
            parts = list(y) if vector else [y]
            for axis, part in enumerate(parts):
                imgui.same_line(0.0, gap)
                changed = self._number(f"{key}[{i}].y{axis if vector else ''}", declared, part, cell)
                if changed is not None:
                    parts[axis] = changed
                    new = [*value[:i], [x, list(parts) if vector else changed], *value[i + 1 :]]
            imgui.same_line(0.0, gap)
            if self._button(f"{key}[{i}].remove", Icon.CLOSE, "Remove this point"):
                new = [*value[:i], *value[i + 1 :]]
        if self._button(f"{key}[+]", f"{Icon.PLUS}  point", "Add a point after the last one"):
            new = [*value, _next_point(value, vector)]
        return new

    def _response(self, key, declared, value, width):
        """One block per command: the command, then its points of speed and response."""
        gap = imgui.get_style().item_inner_spacing.x
        cell = (width - 3.0 * gap - 2.0 * imgui.get_frame_height()) / 3.0
        headings(["command", "speed  m/s", labelled("response", declared.unit)], cell + gap)
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
                    edited = [*points[:k], point, *points[k + 1 :]]
                    new = [*value[:j], [command, edited], *value[j + 1 :]]
                imgui.same_line(0.0, gap)
                changed = self._response_buttons(row, k, points)
                if changed is not None:
                    new = [*value[:j], *([[command, changed]] if changed else []), *value[j + 1 :]]
        if self._button(f"{key}[+]", f"{Icon.PLUS}  command", "Add a command with the points of the last one"):
            command, points = value[-1] if value else (0.0, [[0.0, 0.0]])
            new = [*value, [command + 0.1, [list(p) for p in points]]]
        return new

    def _response_point(self, key, declared, speed, response, cell, gap):
        changed = self._number(f"{key}.x", declared, speed, cell, unit="m/s", limited=False)
        if changed is not None:
            return [changed, response]
        imgui.same_line(0.0, gap)
        changed = self._number(f"{key}.y", declared, response, cell)
        return None if changed is None else [speed, changed]

    def _response_buttons(self, row, k, points):
        """The row's points after a press of remove or, behind the last point, of add; None without a press."""
        if self._button(f"{row}[{k}].remove", Icon.CLOSE, "Remove this point"):
            return [*points[:k], *points[k + 1 :]]
        if k == len(points) - 1:
            imgui.same_line(0.0, imgui.get_style().item_inner_spacing.x)
            if self._button(f"{row}[+]", Icon.PLUS, "Add a point to this command"):
                return [*points, _next_point(points, vector=False)]
        return None


def _next_point(points, vector):
    """A point one step behind the last one, level with it."""
    if not points:
        return [0.0, [0.0, 0.0, 0.0]] if vector else [0.0, 0.0]
    step = points[-1][0] - points[-2][0] if len(points) > 1 else 1.0
    y = points[-1][1]
    return [points[-1][0] + step, list(y) if vector else y]


def labelled(name, unit):
    text = shown_unit(unit)[1]
    return f"{name}  {text}" if text else name


def headings(texts, step):
    """Dim column headings, `step` apart."""
    start = imgui.get_cursor_pos_x()
    for i, text in enumerate(texts):
        if i:
            imgui.same_line(start + step * i)
        imgui.text_disabled(text)


def preview(lines, width, height=None):
    """A small picture of curves over a common range, without axes."""
    height = height or imgui.get_text_line_height() * PREVIEW_HEIGHT
    corner = imgui.get_cursor_screen_pos()
    draw = imgui.get_window_draw_list()
    far = imgui.ImVec2(corner.x + width, corner.y + height)
    draw.add_rect_filled(corner, far, color_u32((0.0, 0.0, 0.0, 0.28)), imgui.get_style().frame_rounding)
    sparkline(draw, lines, corner.x, corner.y, width, height)
    imgui.dummy(imgui.ImVec2(width, height))


def sparkline(draw, lines, left, top, width, height, dots=True):
    """Curves scaled into a rectangle; the zero line shows where it lies inside."""
    points = [point for line in lines for point in line]
    if not points:
        return
    low_x, high_x = min(p[0] for p in points), max(p[0] for p in points)
    low_y, high_y = min(0.0, *(p[1] for p in points)), max(0.0, *(p[1] for p in points))
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
