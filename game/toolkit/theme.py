"""Colours, sizes and fonts of everything drawn with Dear ImGui: dark, translucent, one accent colour."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

import imgui_bundle
from imgui_bundle import imgui, implot

# colours: R, G, B, A, 0..1
ACCENT = (0.906, 0.431, 0.141, 1.0)  # #E76E24
GOOD = (0.42, 0.74, 0.47, 1.0)
WARNING = (0.96, 0.75, 0.25, 1.0)
ERROR = (0.96, 0.36, 0.32, 1.0)
TEXT = (0.93, 0.94, 0.95, 1.0)
TEXT_DIM = (0.60, 0.63, 0.67, 1.0)
# colours of lines, one per wheel in the order of the wheels
WHEEL_COLORS = ((0.906, 0.431, 0.141, 1.0), (0.98, 0.78, 0.35, 1.0), (0.30, 0.66, 0.92, 1.0), (0.47, 0.86, 0.78, 1.0))

FONT_SIZE = 15.0  # pixels at scale 1: about 2 % of a 720 pixel high window
OPAQUE = 1.0  # opacity of windows on top of others, so that no text shows through
SCALE_RANGE = (0.75, 3.0)  # limits of the interface scale
_FONT_FOLDER = Path(imgui_bundle.__file__).parent / "assets" / "fonts"
_SYSTEM_FONTS = Path("/usr/share/fonts/truetype/dejavu")
_TEXT_FONTS = (
    _FONT_FOLDER / "Roboto/Roboto-Regular.ttf",
    _FONT_FOLDER / "DroidSans.ttf",
    _SYSTEM_FONTS / "DejaVuSans.ttf",
)
_BOLD_FONTS = (_FONT_FOLDER / "Roboto/Roboto-Bold.ttf", _SYSTEM_FONTS / "DejaVuSans-Bold.ttf")
_ICON_FONT = _FONT_FOLDER / "fontawesome-webfont.ttf"


class Icon:
    """Code points of the icon font merged into the text font."""

    SEARCH = "\uf002"
    CLOSE = "\uf00d"
    REPEAT = "\uf01e"
    REFRESH = "\uf021"
    STEP_BACK = "\uf048"
    PLAY = "\uf04b"
    PAUSE = "\uf04c"
    STEP_FORWARD = "\uf051"
    PLUS = "\uf067"
    FOLDER = "\uf07c"
    FILTER = "\uf0b0"
    LINK = "\uf0c1"
    SAVE = "\uf0c7"
    UNDO = "\uf0e2"
    UNLINK = "\uf127"
    TRASH = "\uf1f8"
    WARNING = "\uf071"
    STAR = "\uf005"
    COPY = "\uf0c5"
    DRIVE = "\uf1b9"
    LEFT = "\uf053"
    RIGHT = "\uf054"
    DOWN = "\uf078"


class Fonts:
    """The fonts `text` (with icons) and `bold` at any size."""

    def __init__(self, atlas: Any) -> None:
        self.text = _first_font(atlas, _TEXT_FONTS)
        if _ICON_FONT.exists():
            merge = imgui.ImFontConfig()
            merge.merge_mode = True
            merge.glyph_offset = imgui.ImVec2(0.0, 0.0)
            atlas.add_font_from_file_ttf(str(_ICON_FONT), FONT_SIZE * 0.92, merge)  # a little smaller than letters
        self.bold = _first_font(atlas, _BOLD_FONTS)


def _first_font(atlas: Any, candidates: Iterable[Path]) -> Any:
    """The first font file that exists, added to the atlas; ImGui's own font if there is none."""
    for path in candidates:
        if path.exists():
            return atlas.add_font_from_file_ttf(str(path), FONT_SIZE)
    return atlas.add_font_default()


_SIZES = {  # ImGui style, pixels at scale 1
    "window_padding": (10, 10), "frame_padding": (6, 3), "item_spacing": (6, 4), "item_inner_spacing": (5, 4),
    "indent_spacing": 14, "scrollbar_size": 11, "grab_min_size": 5, "window_rounding": 7, "child_rounding": 5,
    "frame_rounding": 4, "popup_rounding": 5, "scrollbar_rounding": 6, "grab_rounding": 3, "tab_rounding": 4,
    "window_border_size": 1, "popup_border_size": 1, "cell_padding": (4, 2), "separator_text_padding": (10, 3),
}  # fmt: skip
_PLOT_SIZES = {  # ImPlot style, pixels at scale 1
    "plot_padding": (6, 5), "label_padding": (4, 3), "legend_padding": (6, 4), "legend_inner_padding": (3, 2),
    "legend_spacing": (8, 0), "plot_border_size": 0,
}  # fmt: skip


def _surface(level: float, alpha: float = 1.0) -> tuple[float, float, float, float]:
    """A slightly bluish grey (R, G, B, A) for backgrounds; `level` is its brightness, 0..1."""
    return (level * 0.94, level, level * 1.08, alpha)


_COLORS = {
    "text": TEXT, "text_disabled": TEXT_DIM, "window_bg": _surface(0.075, 0.90), "child_bg": (0, 0, 0, 0),
    "popup_bg": _surface(0.095, 0.97), "border": (1, 1, 1, 0.08), "frame_bg": (1, 1, 1, 0.07),
    "frame_bg_hovered": (1, 1, 1, 0.12), "frame_bg_active": (1, 1, 1, 0.17), "title_bg": _surface(0.06, 0.95),
    "title_bg_active": _surface(0.09, 0.97), "title_bg_collapsed": _surface(0.06, 0.85),
    "scrollbar_bg": (0, 0, 0, 0), "scrollbar_grab": (1, 1, 1, 0.16), "scrollbar_grab_hovered": (1, 1, 1, 0.26),
    "scrollbar_grab_active": (1, 1, 1, 0.34), "check_mark": ACCENT, "slider_grab": (0.86, 0.87, 0.89, 0.55),
    "slider_grab_active": ACCENT, "button": (1, 1, 1, 0.09), "button_hovered": (1, 1, 1, 0.17),
    "button_active": (ACCENT[0], ACCENT[1], ACCENT[2], 0.75), "header": (1, 1, 1, 0.06),
    "header_hovered": (1, 1, 1, 0.11), "header_active": (1, 1, 1, 0.15), "separator": (1, 1, 1, 0.09),
    "resize_grip": (1, 1, 1, 0.08), "resize_grip_hovered": (ACCENT[0], ACCENT[1], ACCENT[2], 0.6),
    "resize_grip_active": ACCENT, "text_selected_bg": (ACCENT[0], ACCENT[1], ACCENT[2], 0.40),
    "tab": (1, 1, 1, 0.06), "tab_hovered": (1, 1, 1, 0.17), "tab_selected": (1, 1, 1, 0.13),
    "tab_selected_overline": ACCENT, "tab_dimmed": (1, 1, 1, 0.06), "tab_dimmed_selected": (1, 1, 1, 0.13),
    "tab_dimmed_selected_overline": ACCENT, "nav_cursor": ACCENT,
    "checkbox_selected_bg": (1, 1, 1, 0.07), "input_text_cursor": ACCENT,
    "plot_histogram": (ACCENT[0], ACCENT[1], ACCENT[2], 0.55),
}  # fmt: skip
_PLOT_COLORS = {
    "plot_bg": (0, 0, 0, 0.22), "frame_bg": (0, 0, 0, 0), "plot_border": (1, 1, 1, 0.06),
    "legend_bg": _surface(0.07, 0.55), "legend_border": (0, 0, 0, 0), "axis_grid": (1, 1, 1, 0.10),
    "axis_text": TEXT_DIM, "inlay_text": TEXT_DIM,
}  # fmt: skip


def apply_theme(scale: float) -> None:
    """Set every size and colour for an interface `scale`; call between frames."""
    style = imgui.get_style()
    _set_sizes(style, _SIZES, scale)
    style.font_size_base = FONT_SIZE
    style.font_scale_main = scale
    for name, color in _COLORS.items():
        style.set_color_(getattr(imgui.Col_, name).value, imgui.ImVec4(*color))
    plot = implot.get_style()
    _set_sizes(plot, _PLOT_SIZES, scale)
    for name, color in _PLOT_COLORS.items():
        plot.set_color_(getattr(implot.Col_, name).value, imgui.ImVec4(*color))


def _set_sizes(style: imgui.Style | implot.Style, sizes: dict[str, Any], scale: float) -> None:
    for name, size in sizes.items():
        scaled = imgui.ImVec2(*(v * scale for v in size)) if isinstance(size, tuple) else size * scale
        setattr(style, name, scaled)


@lru_cache(1024)
def color_u32(color: tuple[float, float, float, float], alpha: float = 1.0) -> int:
    """A colour (R, G, B, A), with its opacity multiplied by `alpha`, as ImGui's integer (R in the lowest byte)."""
    r, g, b, a = (int(part * 255.0 + 0.5) for part in (*color[:3], color[3] * alpha))
    return r | g << 8 | b << 16 | a << 24


def suggested_scale(window_height: float) -> float:
    """Interface scale that keeps text at about 2 % of the window's height, in steps of 1/8."""
    low, high = SCALE_RANGE
    return min(high, max(low, round(window_height / 720.0 * 8.0) / 8.0))
