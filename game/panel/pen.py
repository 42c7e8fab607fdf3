"""Shapes and text on a Dear ImGui draw list, in pixels, with text aligned and measured without asking ImGui again."""

from __future__ import annotations

import math

from imgui_bundle import imgui

from game.panel.theme import color_u32

_MEASURE_SIZE = 64.0  # px; advances are measured once at this size and scale with the size
_OPEN = 0
_CLOSED = imgui.ImDrawFlags_.closed.value


class Pen:
    """Draws on one list after another; `opacity` multiplies every colour.

    Args:
        fonts: theme.Fonts.
    """

    def __init__(self, fonts):
        self._fonts = fonts
        self._advances = ({}, {})
        self._draw = None
        self.opacity = 1.0

    def begin(self, draw_list):
        """Draw on this list from now on; to be called in every frame, as lists live for one."""
        self._draw = draw_list
        self.opacity = 1.0

    def rect(self, x, y, width, height, color, rounding=0.0):
        low, high = imgui.ImVec2(x, y), imgui.ImVec2(x + width, y + height)
        self._draw.add_rect_filled(low, high, color_u32(color, self.opacity), rounding)

    def frame(self, x, y, width, height, color, rounding=0.0, thickness=1.0):
        low, high = imgui.ImVec2(x, y), imgui.ImVec2(x + width, y + height)
        self._draw.add_rect(low, high, color_u32(color, self.opacity), rounding, thickness)

    def disc(self, x, y, radius, color):
        self._draw.add_circle_filled(imgui.ImVec2(x, y), radius, color_u32(color, self.opacity), 0)

    def line(self, x0, y0, x1, y1, color, thickness=1.0):
        self._draw.add_line(imgui.ImVec2(x0, y0), imgui.ImVec2(x1, y1), color_u32(color, self.opacity), thickness)

    def arc(self, x, y, radius, start, end, color, thickness):
        """Part of a circle; angles in radians, 0 to the right, growing clockwise on the screen."""
        if end - start < 1e-3:
            return
        self._draw.path_clear()
        self._draw.path_arc_to(imgui.ImVec2(x, y), radius, start, end, 0)
        self._draw.path_stroke(color_u32(color, self.opacity), thickness, _OPEN)

    def ray(self, x, y, angle, inner, outer, color, thickness):
        """A line along a radius, from `inner` to `outer`."""
        cosine, sine = math.cos(angle), math.sin(angle)
        self.line(x + cosine * inner, y + sine * inner, x + cosine * outer, y + sine * outer, color, thickness)

    def text(self, x, y, text, size, color, align=0.0, bold=False):
        """One line of text, `y` its middle; `align` 0 starts at x, 0.5 is centred on it, 1 ends there."""
        if align:
            x -= self.width(text, size, bold) * align
        font = self._fonts.bold if bold else self._fonts.text
        place = imgui.ImVec2(round(x), round(y - size * 0.5))
        self._draw.add_text(font, size, place, color_u32(color, self.opacity), text)

    def width(self, text, size, bold=False):
        """Width of a line of text in pixels."""
        advances = self._advances[bold]
        total = 0.0
        for character in text:
            advance = advances.get(character)
            if advance is None:
                advance = advances[character] = self._measure(character, bold)
            total += advance
        return total * size

    def _measure(self, character, bold):
        scale = imgui.get_style().font_scale_main or 1.0
        imgui.push_font(self._fonts.bold if bold else self._fonts.text, _MEASURE_SIZE / scale)
        width = imgui.calc_text_size(character).x / imgui.get_font_size()
        imgui.pop_font()
        return width
