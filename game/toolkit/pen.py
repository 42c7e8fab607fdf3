"""Shapes and text on a Dear ImGui draw list, with cached widths of text.

Lengths and positions are in pixels, from the frame's upper left corner; colours are (R, G, B, A), 0..1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from imgui_bundle import imgui

from driving_sandbox.game.toolkit.theme import Fonts, color_u32

Color = tuple[float, float, float, float]

_MAX_SIZES = 64  # cached text sizes; a frame has about twenty
_MAX_TEXTS = 512  # cached texts of each size; a running clock adds sixty a second
_OPEN = 0  # ImGui flags of a line whose end is not joined to its start


class _CallRecorder:
    """Stands in for a draw list and records the calls to it."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[Any, ...]]] = []

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *arguments: self.calls.append((name, arguments))


class Pen:
    """Draws on an ImGui draw list, set by `begin`.

    Args:
        fonts: theme.Fonts.
    Attributes:
        opacity: factor on the opacity of every colour.
    """

    def __init__(self, fonts: Fonts) -> None:
        self._fonts = fonts
        self._widths: dict[tuple[float, bool], dict[str, float]] = {}  # {(size, bold): {text or character: pixels}}
        self._recorded: dict[str, tuple[Any, list[Any]]] = {}  # {name of a recording: (key, calls)}
        self._draw: Any = None  # the draw list, or a _CallRecorder
        self.opacity = 1.0

    def begin(self, draw_list: Any) -> None:
        """Draw on this draw list from now on; to be called in every frame, because a list is valid for one frame."""
        self._draw = draw_list
        self.opacity = 1.0

    def still(self, name: str, key: Any, draw: Callable[[], object]) -> None:
        """Draw shapes that seldom change: if `key` is that of the last time, the recorded shapes are drawn again.

        Args:
            name: name of the recording.
            draw: function() that draws the shapes with this pen; called only if `key` has changed.
        """
        key = (key, self.opacity)
        recorded = self._recorded.get(name)
        if recorded is None or recorded[0] != key:
            live, self._draw = self._draw, _CallRecorder()
            draw()
            recorded = self._recorded[name] = (key, self._draw.calls)
            self._draw = live
        for method, arguments in recorded[1]:
            getattr(self._draw, method)(*arguments)

    def rect(self, x: float, y: float, width: float, height: float, color: Color, rounding: float = 0.0) -> None:
        """Draw a filled rectangle; (x, y) is its upper left corner, pixels."""
        low, high = imgui.ImVec2(x, y), imgui.ImVec2(x + width, y + height)
        self._draw.add_rect_filled(low, high, color_u32(color, self.opacity), rounding)

    def frame(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        color: Color,
        rounding: float = 0.0,
        thickness: float = 1.0,
    ) -> None:
        """Draw the outline of a rectangle; (x, y) is its upper left corner, pixels."""
        low, high = imgui.ImVec2(x, y), imgui.ImVec2(x + width, y + height)
        self._draw.add_rect(low, high, color_u32(color, self.opacity), rounding, thickness)

    def disc(self, x: float, y: float, radius: float, color: Color) -> None:
        """Draw a filled circle about (x, y)."""
        self._draw.add_circle_filled(imgui.ImVec2(x, y), radius, color_u32(color, self.opacity), 0)

    def line(self, x0: float, y0: float, x1: float, y1: float, color: Color, thickness: float = 1.0) -> None:
        """Draw a straight line."""
        self._draw.add_line(imgui.ImVec2(x0, y0), imgui.ImVec2(x1, y1), color_u32(color, self.opacity), thickness)

    def polyline(self, points: Iterable[tuple[float, float]], color: Color, thickness: float = 1.0) -> None:
        """Draw a line through (x, y) points."""
        corners = [imgui.ImVec2(x, y) for x, y in points]
        self._draw.add_polyline(corners, color_u32(color, self.opacity), thickness, _OPEN)

    def fan(self, points: Iterable[tuple[float, float]], color: Color) -> None:
        """Draw a filled polygon of (x, y) corners, clockwise, as triangles that share the first corner."""
        first, *others = (imgui.ImVec2(x, y) for x, y in points)
        for second, third in zip(others, others[1:], strict=False):
            self._draw.add_triangle_filled(first, second, third, color_u32(color, self.opacity))

    def clip(self, x: float, y: float, width: float, height: float) -> None:
        """Draw only within a rectangle until `unclip`."""
        self._draw.push_clip_rect(imgui.ImVec2(x, y), imgui.ImVec2(x + width, y + height), True)

    def unclip(self) -> None:
        """End the last `clip`."""
        self._draw.pop_clip_rect()

    def arc(self, x: float, y: float, radius: float, start: float, end: float, color: Color, thickness: float) -> None:
        """Draw part of a circle; angles in rad, 0 to the right, growing clockwise on the screen."""
        if end - start < 1e-3:  # invisible
            return
        self._draw.path_clear()
        self._draw.path_arc_to(imgui.ImVec2(x, y), radius, start, end, 0)
        self._draw.path_stroke(color_u32(color, self.opacity), thickness, _OPEN)

    def ray(self, x: float, y: float, angle: float, inner: float, outer: float, color: Color, thickness: float) -> None:
        """Draw a line along the radius at `angle` (as in `arc`), from radius `inner` to `outer`."""
        cosine, sine = math.cos(angle), math.sin(angle)
        self.line(x + cosine * inner, y + sine * inner, x + cosine * outer, y + sine * outer, color, thickness)

    def text(
        self, x: float, y: float, text: str, size: float, color: Color, align: float = 0.0, bold: bool = False
    ) -> None:
        """Draw one line of text with its middle at y; it starts (align 0), is centred (0.5) or ends (1) at x."""
        if align:
            x -= self.width(text, size, bold) * align
        font = self._fonts.bold if bold else self._fonts.text
        position = imgui.ImVec2(round(x), round(y - size * 0.5))
        self._draw.add_text(font, size, position, color_u32(color, self.opacity), text)

    def width(self, text: str, size: float, bold: bool = False) -> float:
        """Width of a line of text, pixels: the sum of its characters' advances, measured anew for every size because
        they are rounded to whole pixels."""
        cache = self._widths.get((size, bold))
        if cache is None:
            if len(self._widths) >= _MAX_SIZES:
                self._widths.clear()
            cache = self._widths[size, bold] = {}
        total = cache.get(text)
        if total is None:
            if len(cache) >= _MAX_TEXTS:
                cache.clear()
            for character in text:
                if character not in cache:
                    cache[character] = self._measure(character, size, bold)
            total = cache[text] = sum([cache[character] for character in text])
        return total

    def _measure(self, character: str, size: float, bold: bool) -> float:
        """Width of a character, pixels."""
        scale = imgui.get_style().font_scale_main or 1.0
        imgui.push_font(self._fonts.bold if bold else self._fonts.text, size / scale)
        width = imgui.calc_text_size(character).x
        imgui.pop_font()
        return width
