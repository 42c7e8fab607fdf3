"""The window with the list of keys: groups under headings, in columns.

Font size and number of columns are chosen so that the whole list is visible; if even the smallest font does not fit,
the list scrolls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

from imgui_bundle import imgui

from driving_sandbox.game.toolkit.flags import BARE
from driving_sandbox.game.toolkit.theme import ACCENT, OPAQUE
from driving_sandbox.game.windows.window import FreeArea, Key, Window

if TYPE_CHECKING:
    from driving_sandbox.game.toolkit.backend import ImGuiBackend

FONT_SIZES = (16.0, 15.0, 14.0, 13.0)  # pixels at scale 1; the largest that fits is taken, smaller is hard to read
MAX_COLUMNS = 4
COLUMN_GAP = 30.0  # pixels at scale 1 between columns
INSET = 14.0  # pixels at scale 1 between a key and its text
LINE_GAPS = (4.0, 1.0)  # pixels at scale 1 between rows; the largest that fits is taken
HEADING_GAP = 6.0  # pixels at scale 1 before a heading
PADDING = 22.0, 16.0  # (horizontal, vertical), pixels at scale 1 within the border
MARGIN = 6.0  # pixels at scale 1 around the list
_ALWAYS = imgui.Cond_.always.value
# (font size, gap between rows in pixels, columns, (width, height) with the border in pixels)
_Layout = tuple[float, float, list[list[tuple[str, str]]], tuple[float, float]]


def grouped(groups: Mapping[str, Iterable[str]], rows: Mapping[str, tuple[str, str]]) -> list[tuple[str, str]]:
    """[(key, text)] in groups, each after its heading ("", heading).

    Args:
        groups: {heading: actions}.
        rows: {action: (key, text)}; actions without a row, and groups without rows, are left out.
    """
    pairs = []
    for heading, actions in groups.items():
        group = [rows[action] for action in actions if action in rows]
        pairs += [("", heading), *group] if group else []
    return pairs


def key_columns(keys: list[tuple[str, str]], count: int) -> list[list[tuple[str, str]]]:
    """(key, text) pairs, split into at most `count` columns of similar length; a group is not split, unless it is the
    only one."""
    sections: list[list[tuple[str, str]]] = []
    for pair in keys:
        if not pair[0] or not sections:
            sections.append([])
        sections[-1].append(pair)
    if len(sections) == 1:
        step = -(-len(keys) // count)  # rounded up
        return [keys[i : i + step] for i in range(0, len(keys), step)]
    columns: list[list[tuple[str, str]]] = [[]]
    target_length = len(keys) / count
    for section in sections:
        if columns[-1] and len(columns[-1]) + len(section) / 2.0 > target_length and len(columns) < count:
            columns.append([])
        columns[-1] += section
    return columns


def draw_keys(columns: Sequence[Sequence[tuple[str, str]]], ui: ImGuiBackend) -> None:
    """Draw columns of (key, text) pairs side by side in the present font; a pair without a key is a heading."""
    for i, column in enumerate(columns):
        if i:
            imgui.same_line(0.0, COLUMN_GAP * ui.scale)
        imgui.begin_group()
        inset = _inset(column, ui.scale)
        for row, (key, text) in enumerate(column):
            if not key:
                if row:
                    imgui.dummy(imgui.ImVec2(1.0, HEADING_GAP * ui.scale))
                imgui.push_font(ui.fonts.bold, 0.0)  # 0: in the present size
                imgui.text_unformatted(text)
                imgui.pop_font()
            else:
                imgui.text_colored(imgui.ImVec4(*ACCENT), key)
                imgui.same_line(inset)
                imgui.text_unformatted(text)
            ui.items.note(f"help:{text}")
        imgui.end_group()


def _inset(column: Sequence[tuple[str, str]], scale: float) -> float:
    """Width of a column's keys, with the gap to their texts, pixels."""
    return INSET * scale + max((imgui.calc_text_size(key).x for key, _ in column if key), default=0.0)


def keys_size(columns: Sequence[Sequence[tuple[str, str]]], row_gap: float, scale: float) -> tuple[float, float]:
    """(width, height) of columns drawn by `draw_keys` in the present font, pixels.

    Args:
        row_gap: gap between rows, pixels.
    """
    width = sum(_inset(column, scale) + max(imgui.calc_text_size(text).x for _, text in column) for column in columns)
    row = imgui.get_text_line_height() + row_gap
    height = max(row * len(column) + (HEADING_GAP * scale + row_gap) * sum(not key for key, _ in column[1:])
                 for column in columns)  # fmt: skip
    return width + COLUMN_GAP * scale * (len(columns) - 1), height


class HelpOverlay(Window):
    """The window with the list of keys.

    Args:
        ui: ImGuiBackend.
        rows: function() -> [(key, text)] of the present bindings; ("", text) is a heading.
    """

    name = "keys"
    keys = (Key("help", ("f1",), "Show the keys", "Driving", after="pause"),)
    order = 55
    menu = "Keys"

    def __init__(self, ui: ImGuiBackend, rows: Callable[[], list[tuple[str, str]]]) -> None:
        self.rows = rows
        self._ui = ui

    @classmethod
    def make(cls, screen: Any) -> HelpOverlay:
        """The window with the keys of a screen."""
        return cls(screen.ui, screen.key_help)

    def draw(self, free: FreeArea | None = None) -> None:
        """Draw the window, if it is open."""
        if not self.open:
            return
        scale, size = self._ui.scale, self._ui.size
        limits = [extent - 2.0 * MARGIN * scale for extent in size]
        font_size, row_gap, columns, (width, height) = self._arranged(limits)
        imgui.push_style_var(imgui.StyleVar_.item_spacing.value, imgui.ImVec2(row_gap, row_gap))
        imgui.push_style_var(imgui.StyleVar_.window_padding.value, imgui.ImVec2(*(p * scale for p in PADDING)))
        imgui.set_next_window_pos(imgui.ImVec2(size[0] / 2.0, size[1] / 2.0), _ALWAYS, pivot=imgui.ImVec2(0.5, 0.5))
        imgui.set_next_window_size(imgui.ImVec2(min(width, limits[0]), min(height, limits[1])), _ALWAYS)
        scrolls = width > limits[0] or height > limits[1]
        flag = imgui.WindowFlags_.horizontal_scrollbar if scrolls else imgui.WindowFlags_.no_inputs
        imgui.set_next_window_bg_alpha(OPAQUE)
        imgui.begin("Keys###help", None, BARE | flag.value)
        imgui.push_font(self._ui.fonts.text, font_size)
        draw_keys(columns, self._ui)
        imgui.pop_font()
        position, extent = imgui.get_window_pos(), imgui.get_window_size()
        self._ui.items.put("help", (position.x, position.y, position.x + extent.x, position.y + extent.y))
        imgui.end()
        imgui.pop_style_var(2)

    def _arranged(self, limits: Sequence[float]) -> _Layout:
        """(font size, gap between rows in pixels, columns, (width, height) with the border) of the layout to draw.

        It fits into `limits` (width, height) with the largest font, then the largest gap, then the fewest columns
        possible. If no layout fits, it has the smallest font and as many columns as fit the width.
        """
        keys, narrow = self.rows(), None
        for font_size, row_gap, count in product(FONT_SIZES, LINE_GAPS, range(1, MAX_COLUMNS + 1)):
            layout = self._measured(keys, font_size, row_gap, count)
            width, height = layout[-1]
            if width <= limits[0]:
                if height <= limits[1]:
                    return layout
                narrow = layout
        return narrow or self._measured(keys, FONT_SIZES[-1], LINE_GAPS[-1], 1)

    def _measured(self, keys: list[tuple[str, str]], font_size: float, row_gap: float, count: int) -> _Layout:
        """The layout with this font size, gap and number of columns, as from `_arranged`."""
        columns, scale = key_columns(keys, count), self._ui.scale
        imgui.push_font(self._ui.fonts.text, font_size)
        width, height = keys_size(columns, row_gap * scale, scale)
        imgui.pop_font()
        return (
            font_size,
            row_gap * scale,
            columns,
            (width + 2.0 * PADDING[0] * scale, height + 2.0 * PADDING[1] * scale),
        )
