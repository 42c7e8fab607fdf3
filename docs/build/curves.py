"""Draws the curves of docs/components.md and docs/variants.md.

    python -m driving_sandbox.docs.build.curves [NAME ...]

Values are computed by the program's kernels on its vehicles (curves_*.py); each picture is a plot that ImPlot draws
in an offscreen window of its size.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from imgui_bundle import imgui, implot

from driving_sandbox.docs.build.all_curves import CURVES
from driving_sandbox.docs.build.curve import Figure, Line
from driving_sandbox.game.platform.window import WindowSettings, open_window, screenshot
from driving_sandbox.game.plots.plots import MORE_COLORS
from driving_sandbox.game.toolkit.backend import ImGuiBackend
from driving_sandbox.game.toolkit.theme import TEXT, WHEEL_COLORS

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "pictures" / "curves"
SIZE = (640, 360)  # px of a picture
SETTLING_FRAMES = 4  # frames until the font's atlas and the plot's layout have settled
FAINT = (1.0, 1.0, 1.0, 0.35)  # colour of faint lines
BACKGROUND = (0.085, 0.09, 0.098, 1.0)
MARK = 9.0  # px, side of the coloured square of a legend's entry
MARK_ROOM = 6.0  # px on each side of the square
LEGEND_ROOM = 40.0  # px of the picture's width that a row of legend entries leaves free
MARGINS = (0.02, 0.06)  # fractions of the range of x, and of y, left free on both sides of the lines


def limits(lines: Sequence[Line]) -> list[tuple[float, float]]:
    """[(x low, x high), (y low, y high)] of the axes around all lines; NaN, a gap in a line, is ignored."""
    ranges = []
    for margin, values in zip(MARGINS, ([line.x for line in lines], [line.y for line in lines]), strict=True):
        joined = np.concatenate(values)
        low, high = np.nanmin(joined), np.nanmax(joined)
        extra = margin * (high - low or 1.0)
        ranges.append((low - extra, high + extra))
    return ranges


def draw(figure: Figure) -> None:
    """Draw one frame: the figure in a window of the picture's size."""
    imgui.set_next_window_pos(imgui.ImVec2(0.0, 0.0))
    imgui.set_next_window_size(imgui.ImVec2(*SIZE))
    imgui.push_style_color(imgui.Col_.window_bg.value, imgui.ImVec4(*BACKGROUND))
    imgui.push_style_var(imgui.StyleVar_.window_rounding.value, 0.0)
    imgui.push_style_var(imgui.StyleVar_.window_border_size.value, 0.0)
    flags = imgui.WindowFlags_
    imgui.begin("curve", None, flags.no_decoration.value | flags.no_move.value)
    plain = implot.Flags_.no_menus.value | implot.Flags_.no_mouse_text.value
    if not _fits_a_row(figure.lines):
        _legend(figure.lines)
        plain |= implot.Flags_.no_legend.value
    implot.push_style_color(implot.Col_.axis_text.value, imgui.ImVec4(*TEXT))
    if implot.begin_plot("##curve", imgui.ImVec2(-1.0, -1.0), plain):
        _plot(figure)
        implot.end_plot()
    implot.pop_style_color()
    imgui.end()
    imgui.pop_style_var(2)
    imgui.pop_style_color()


def _plot(figure: Figure) -> None:
    """Draw axes, legend and lines of a figure."""
    x_axis, y_axis, always = implot.ImAxis_.x1.value, implot.ImAxis_.y1.value, implot.Cond_.always.value
    implot.setup_axis(x_axis, figure.x_label)
    implot.setup_axis(y_axis, figure.y_label)
    (left, right), (low, high) = limits(figure.lines)
    implot.setup_axis_limits(x_axis, left, right, always)
    implot.setup_axis_limits(y_axis, low, high, always)
    outside = implot.LegendFlags_.outside.value | implot.LegendFlags_.horizontal.value  # hides no line
    implot.setup_legend(implot.Location_.north.value, outside)
    for line, color in zip(figure.lines, colors_of(figure.lines), strict=True):
        spec = implot.Spec()
        spec.line_color = imgui.ImVec4(*color)
        spec.line_weight = 1.2 if line.faint else 2.0
        implot.plot_line(line.label, np.ascontiguousarray(line.x), np.ascontiguousarray(line.y), spec)


def colors_of(lines: Sequence[Line]) -> list[Any]:
    """The colour of each line."""
    colors = iter(WHEEL_COLORS + MORE_COLORS)
    return [FAINT if line.faint else next(colors) for line in lines]


def _entry_width(label: str) -> float:
    return MARK + 2 * MARK_ROOM + imgui.calc_text_size(label).x


def _fits_a_row(lines: Sequence[Line]) -> bool:
    """Whether the plot's own legend, which is one row, can show all labels."""
    return sum(_entry_width(line.label) for line in lines) < SIZE[0] - LEGEND_ROOM


def _legend(lines: Sequence[Line]) -> None:
    """Draw a legend of several rows above the plot."""
    left, height = 0.0, imgui.get_text_line_height()  # px; `left`: end of the entries in the present row
    paint = imgui.get_window_draw_list()
    for line, color in zip(lines, colors_of(lines), strict=True):
        width = _entry_width(line.label)
        if left and left + width < SIZE[0] - LEGEND_ROOM / 2:
            imgui.same_line(0.0, 2 * MARK_ROOM)
        else:
            left = 0.0
            imgui.set_cursor_pos_x(LEGEND_ROOM / 2)
        left += width + MARK_ROOM
        corner = imgui.get_cursor_screen_pos()
        top = corner.y + 0.5 * (height - MARK)
        ends = imgui.ImVec2(corner.x, top), imgui.ImVec2(corner.x + MARK, top + MARK)
        paint.add_rect_filled(*ends, imgui.get_color_u32(imgui.ImVec4(*color)))
        imgui.dummy(imgui.ImVec2(MARK, height))
        imgui.same_line(0.0, MARK_ROOM)
        imgui.text_colored(imgui.ImVec4(*TEXT), line.label)


class Sheet:
    """The offscreen window, which shows one figure at a time."""

    def __init__(self) -> None:
        self.base = open_window(WindowSettings(offscreen=True, size=SIZE))
        self.ui = ImGuiBackend(self.base, scale=1.0)
        self.figure: Any = None
        self.ui.add(lambda: draw(self.figure))

    def save(self, figure: Figure, path: Path) -> None:
        """Write the picture of a figure."""
        self.figure = figure
        for _ in range(SETTLING_FRAMES):
            self.base.taskMgr.step()
        screenshot(self.base, path)


def main(arguments: list[str]) -> int:
    """Draw the figures named in the arguments, or all."""
    parser = argparse.ArgumentParser(description="Draw the curves of docs/components.md and docs/variants.md.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which of {', '.join(CURVES)} (all)")
    parser.add_argument("--out", type=Path, default=FOLDER)
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in CURVES]
    if unknown:
        parser.error(f"no such curve: {', '.join(unknown)}")
    options.out.mkdir(parents=True, exist_ok=True)
    sheet = Sheet()
    for name in options.names or CURVES:
        sheet.save(CURVES[name].figure(), options.out / f"{name}.png")
        print(options.out / f"{name}.png")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
