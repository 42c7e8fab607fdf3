"""The list of keys: groups under headings, in columns.

Font size and columns are chosen so that the whole list is visible; if even the smallest does not fit, it scrolls.
"""

from __future__ import annotations

from itertools import product

from imgui_bundle import imgui

from driving_sandbox.game.toolkit.flags import BARE
from driving_sandbox.game.toolkit.theme import ACCENT, OPAQUE
from driving_sandbox.game.windows.window import Key, Window

FONT_SIZES = (16.0, 15.0, 14.0, 13.0)  # pixels at scale 1, the largest that fits; smaller ones are hard to read
MAX_COLUMNS = 4
BETWEEN = 30.0  # pixels at scale 1 between columns
INSET = 14.0  # pixels at scale 1 between a key and its text
LINE_GAPS = (4.0, 1.0)  # pixels at scale 1 between rows, the largest that fits
BREAK = 6.0  # pixels at scale 1 before a heading
PADDING = 22.0, 16.0  # pixels at scale 1 within the border
MARGIN = 6.0  # pixels at scale 1 around the list
_ALWAYS = imgui.Cond_.always.value


def grouped(groups, rows):
    """[(key, text)] with headings ("", heading). groups: {heading: actions}. rows: {action: (key, text)}; actions
    without a row, and groups without rows, are left out."""
    listed = []
    for heading, actions in groups.items():
        known = [rows[action] for action in actions if action in rows]
        listed += [("", heading), *known] if known else []
    return listed


def key_columns(keys, count):
    """(key, text) pairs split into at most `count` columns of similar length, without splitting a group."""
    sections = []
    for pair in keys:
        if not pair[0] or not sections:
            sections.append([])
        sections[-1].append(pair)
    if len(sections) == 1:
        step = -(-len(keys) // count)
        return [keys[i : i + step] for i in range(0, len(keys), step)]
    columns, enough = [[]], len(keys) / count
    for section in sections:
        if columns[-1] and len(columns[-1]) + len(section) / 2.0 > enough and len(columns) < count:
            columns.append([])
        columns[-1] += section
    return columns


def draw_keys(columns, ui):
    """Draw columns of (key, text) side by side in the present font; a pair without key is a heading."""
    for i, column in enumerate(columns):
        if i:
            imgui.same_line(0.0, BETWEEN * ui.scale)
        imgui.begin_group()
        inset = _inset(column, ui.scale)
        for row, (key, text) in enumerate(column):
            if not key:
                if row:
                    imgui.dummy(imgui.ImVec2(1.0, BREAK * ui.scale))
                imgui.push_font(ui.fonts.bold, 0.0)
                imgui.text_unformatted(text)
                imgui.pop_font()
            else:
                imgui.text_colored(imgui.ImVec4(*ACCENT), key)
                imgui.same_line(inset)
                imgui.text_unformatted(text)
            ui.items.note(f"help:{text}")
        imgui.end_group()


def _inset(column, scale):
    return INSET * scale + max((imgui.calc_text_size(key).x for key, _ in column if key), default=0.0)


def keys_size(columns, line, scale):
    """(width, height), pixels, of columns drawn by `draw_keys` in the present font, with `line` pixels between rows."""
    wide = sum(_inset(column, scale) + max(imgui.calc_text_size(text).x for _, text in column) for column in columns)
    row = imgui.get_text_line_height() + line
    tall = max(row * len(column) + (BREAK * scale + line) * sum(not key for key, _ in column[1:])
               for column in columns)  # fmt: skip
    return wide + BETWEEN * scale * (len(columns) - 1), tall


class HelpOverlay(Window):
    """The list of keys. rows: function() -> [(key, text)] of the present bindings; ("", text) is a heading."""

    name = "keys"
    keys = (Key("help", ("f1",), "Show the keys", "Driving", after="pause"),)
    order = 55
    menu = "Keys"

    def __init__(self, ui, rows):
        self.rows = rows
        self._ui = ui

    @classmethod
    def make(cls, screen):
        return cls(screen.ui, screen.key_help)

    def draw(self, free=None):
        if not self.open:
            return
        scale, size = self._ui.scale, self._ui.size
        limits = [extent - 2.0 * MARGIN * scale for extent in size]
        letters, line, columns, (wide, tall) = self._arranged(limits)
        imgui.push_style_var(imgui.StyleVar_.item_spacing.value, imgui.ImVec2(line, line))
        imgui.push_style_var(imgui.StyleVar_.window_padding.value, imgui.ImVec2(*(p * scale for p in PADDING)))
        imgui.set_next_window_pos(imgui.ImVec2(size[0] / 2.0, size[1] / 2.0), _ALWAYS, imgui.ImVec2(0.5, 0.5))
        imgui.set_next_window_size(imgui.ImVec2(min(wide, limits[0]), min(tall, limits[1])), _ALWAYS)
        scrolls = wide > limits[0] or tall > limits[1]
        inputs = imgui.WindowFlags_.horizontal_scrollbar if scrolls else imgui.WindowFlags_.no_inputs
        imgui.set_next_window_bg_alpha(OPAQUE)
        imgui.begin("Keys###help", None, BARE | inputs.value)
        imgui.push_font(self._ui.fonts.text, letters)
        draw_keys(columns, self._ui)
        imgui.pop_font()
        position, extent = imgui.get_window_pos(), imgui.get_window_size()
        self._ui.items.put("help", (position.x, position.y, position.x + extent.x, position.y + extent.y))
        imgui.end()
        imgui.pop_style_var(2)

    def _arranged(self, limits):
        """(font size, pixels between rows, columns, (width, height) with the border) that fit into `limits` (width,
        height), preferring large letters, then large gaps, then few columns.

        If none fit: the smallest letters in as many columns as are not too wide.
        """
        keys, narrow = self.rows(), None
        for letters, line, count in product(FONT_SIZES, LINE_GAPS, range(1, MAX_COLUMNS + 1)):
            layout = self._measured(keys, letters, line, count)
            wide, tall = layout[-1]
            if wide <= limits[0]:
                if tall <= limits[1]:
                    return layout
                narrow = layout
        return narrow or self._measured(keys, FONT_SIZES[-1], LINE_GAPS[-1], 1)

    def _measured(self, keys, letters, line, count):
        columns, scale = key_columns(keys, count), self._ui.scale
        imgui.push_font(self._ui.fonts.text, letters)
        wide, tall = keys_size(columns, line * scale, scale)
        imgui.pop_font()
        return letters, line * scale, columns, (wide + 2.0 * PADDING[0] * scale, tall + 2.0 * PADDING[1] * scale)
