"""Draws the headings and rows of the parameter panel: name, cells, reset button, tooltip, error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from imgui_bundle import imgui

from driving_sandbox.game.panel.layout import CELLS_PER_ROW, COMPACT, Cell, Group, Row, range_text
from driving_sandbox.game.panel.listed import curve_scale, element_names, is_list
from driving_sandbox.game.panel.tables import Tables, lines_of, sparkline
from driving_sandbox.game.panel.values import VehicleValues
from driving_sandbox.game.panel.views import name_of
from driving_sandbox.game.panel.widgets import Widgets, euler_degrees
from driving_sandbox.game.toolkit.preferences import PanelPreferences
from driving_sandbox.game.toolkit.theme import ACCENT, ERROR, TEXT, TEXT_DIM, WARNING, Icon, color_u32
from driving_sandbox.game.toolkit.units import number_text, shown_unit
from driving_sandbox.lab.sweep import sweepable
from driving_sandbox.physics.schema.schema import (
    Bool,
    Choice,
    Curve,
    Field,
    Floats,
    Named,
    Quat,
    ResponseTable,
    Vec3,
    VecCurve,
    WheelRef,
    WheelRefs,
    Words,
)
from driving_sandbox.physics.vehicle.usual import is_usual

LABEL_SHARE = 0.38  # width of the labels / width of a row
TOOLTIP_WIDTH = 24.0  # font sizes, width of a tooltip
_TEXT = imgui.Col_.text.value
_HOVER_DELAY = imgui.HoveredFlags_.delay_short.value
_COLORS = {c: imgui.ImVec4(*c) for c in (ACCENT, ERROR, TEXT, TEXT_DIM, WARNING)}


class RowView:
    """Draws rows for a panel.

    Args:
        ui: ImGuiBackend.
        values: VehicleValues.
        write: function(row, cell, value) that sets a cell's value.
        reset: function(row) that sets a row's values as loaded.
        preferences: PanelPreferences, for the favourites.
    Attributes:
        pick: function(row) called when the row's name is clicked, or None.
    """

    def __init__(
        self,
        ui: Any,
        values: VehicleValues,
        write: Callable[[Row, Cell, Any], Any],
        reset: Callable[[Row], Any],
        preferences: PanelPreferences,
    ) -> None:
        self._ui = ui
        self._values = values
        self._write = write
        self._reset = reset
        self._preferences = preferences
        self.widgets = Widgets(ui.items)
        self._tables = Tables(self.widgets, ui.items)
        self._open_tables: set[str] = set()  # keys of rows
        self._elided: dict[tuple[Any, ...], tuple[str, str, float]] = {}  # results of `_fitted`
        self.pick: Callable[[Row], Any] | None = None

    def forget(self) -> None:
        """Discard cached texts and ranges, as another vehicle or other units are shown."""
        self.widgets.forget()
        self._elided.clear()
        self.widgets.wheel_names = list(self._values.vehicle.wheel_names)

    def open_table(self, key: str) -> None:
        """Open the table of the row with this key."""
        self._open_tables.add(key)

    def heading(self, group: Group, opened: bool) -> bool:
        """Draw the bar above a group; returns whether it is open after this frame's clicks."""
        imgui.set_next_item_open(opened)
        imgui.push_font(self._ui.fonts.bold, 0.0)
        is_open = imgui.collapsing_header(f"{group.title}###{group.slot}", imgui.TreeNodeFlags_.allow_overlap.value)
        imgui.pop_font()
        self._ui.items.note(f"group:{group.slot}")
        count = self._values.changes_in(group)
        if count:
            text = f"{count} changed"
            right = imgui.get_window_width() - imgui.get_style().scrollbar_size
            imgui.same_line(right - imgui.calc_text_size(text).x - 10.0 * self._ui.scale)
            imgui.text_colored(_COLORS[ACCENT], text)
        if group.tags and is_open:
            label, cell, gap = self._columns(len(group.tags))
            imgui.dummy(imgui.ImVec2(1.0, 1.0))
            for i, tag in enumerate(group.tags):
                imgui.same_line(label + i * (cell + gap))
                imgui.text_colored(_COLORS[TEXT_DIM], tag)
        return is_open

    def _columns(self, count: int) -> tuple[float, float, float]:
        """(label width, cell width, gap) of a row with `count` cells."""
        width = imgui.get_content_region_avail().x
        gap = imgui.get_style().item_inner_spacing.x
        label = width * LABEL_SHARE
        cells_width = width - label - imgui.get_frame_height() - gap
        return label, (cells_width - gap * (count - 1)) / count, gap

    def row(self, row: Row, error: str | None) -> None:
        """Draw one row, with the text `error` below it unless it is None."""
        label, cell_width, gap = self._columns(len(row.cells))
        changed = self._values.row_changed(row)
        self._label(row, label, changed)
        left = imgui.get_cursor_start_pos().x + label
        for i, cell in enumerate(row.cells):
            imgui.same_line(left + i * (cell_width + gap))
            self._cell(row, cell, cell_width)
        if changed:
            right = left + (cell_width + gap) * len(row.cells)
            imgui.same_line(right)
            self._reset_button(row)
        if row.is_table and row.key in self._open_tables:
            self._table(row)
        if error:
            imgui.push_text_wrap_pos(0.0)
            imgui.text_colored(_COLORS[ERROR], f"{Icon.WARNING}  {error}")
            imgui.pop_text_wrap_pos()
            self._ui.items.note(f"error:{row.key}")
        elif changed and not all(is_usual(row.field, self._values.shown(row, cell)) for cell in row.cells):
            imgui.push_text_wrap_pos(0.0)
            imgui.text_colored(_COLORS[WARNING], f"{Icon.WARNING}  allowed but unusual: {range_text(row.field)}")
            imgui.pop_text_wrap_pos()
            self._ui.items.note(f"unusual:{row.key}")

    def _label(self, row: Row, width: float, changed: bool) -> None:
        """Draw the row's name and unit; a click sweeps the parameter, a right click opens the menu."""
        imgui.align_text_to_frame_padding()
        color = ACCENT if changed else TEXT_DIM if row.field.derived else TEXT
        text, unit, unit_width = self._fitted(row, width)
        position = imgui.get_cursor_screen_pos()
        imgui.text_colored(_COLORS[color], text)
        self._ui.items.note(f"label:{row.key}")
        self._menu(row)
        if self.pick is not None and self._sweeps(row) and imgui.is_item_clicked():
            self.pick(row)
        if imgui.is_item_hovered(_HOVER_DELAY):
            self._explain(row, row.cells[0])
        if unit:
            unit_position = imgui.ImVec2(
                position.x + width - unit_width, position.y + imgui.get_style().frame_padding.y
            )
            imgui.get_window_draw_list().add_text(unit_position, color_u32(TEXT_DIM, 0.8), unit)

    def _sweeps(self, row: Row) -> bool:
        """Whether a click on the name sweeps the parameter."""
        return self.pick is not None and row.sweeps and sweepable(row.field)

    def _menu(self, row: Row) -> None:
        """Draw the menu that a right click on a name opens."""
        if not imgui.begin_popup_context_item(f"menu:{row.key}"):
            return
        favourite = name_of(row) in self._preferences.favourites
        word = "Remove from favourites" if favourite else "Add to favourites"
        if imgui.menu_item_simple(f"{Icon.STAR}  {word}"):
            self._preferences.toggle(name_of(row))
        self._ui.items.note("menu:favourite")
        if imgui.menu_item_simple(f"{Icon.UNDO}  Reset", enabled=self._values.row_changed(row)):
            self._reset(row)
        self._ui.items.note("menu:reset")
        if imgui.menu_item_simple(f"{Icon.COPY}  Copy the path"):
            imgui.set_clipboard_text(row.key)
        self._ui.items.note("menu:copy")
        imgui.end_popup()

    def _fitted(self, row: Row, width: float) -> tuple[str, str, float]:
        """(title, unit, unit's width in pixels), shortened to fit into the label; measured once per width and star."""
        starred = name_of(row) in self._preferences.favourites
        key = (row.title, row.field.unit, width, starred)
        elided = self._elided.get(key)
        if elided is None:
            unit = shown_unit(row.field.unit)[1] if row.title and (is_list(row.field) or not row.is_table) else ""
            gap = 8.0 * self._ui.scale
            unit_width = imgui.calc_text_size(unit).x + gap if unit else gap
            text = row.title
            if text and starred:
                text = f"{Icon.STAR} {text}"
            if imgui.calc_text_size(text).x > width - unit_width - gap:
                unit, unit_width = "", gap
            while text and imgui.calc_text_size(text).x > width - unit_width:
                text = text[:-2].rstrip("…") + "…"
            elided = self._elided[key] = (text, unit, unit_width)
        return elided

    def _cell(self, row: Row, cell: Cell, width: float) -> None:
        """Draw a cell, in the colour of warnings if the values that it writes differ, and its tooltip."""
        declared, value = row.field, self._values.shown(row, cell)
        if declared.derived:
            self._read_only(cell.path, declared, value, width)
        else:
            uneven = len(cell.targets) > 1 and not self._values.is_symmetric(row, cell)
            if uneven:
                imgui.push_style_color(_TEXT, _COLORS[WARNING])
            self._input(row, cell, declared, value, width)
            if uneven:
                imgui.pop_style_color()
        if imgui.is_item_hovered(_HOVER_DELAY) and not imgui.is_item_active():
            self._explain(row, cell)

    def _input(self, row: Row, cell: Cell, declared: Field, value: Any, width: float) -> None:
        """Draw the widget for a value's kind, and write the new value if it has changed."""
        if isinstance(declared.kind, COMPACT):
            new = self.widgets.compact(cell.path, declared, value, width)
        elif self._is_inline(row, value):
            new = self._named(row, value, width)
        elif row.is_table:
            self._summary(cell.path, declared, value, width)
            new = None
        else:
            new = self.widgets.wide(cell.path, declared, value, width)
        if new is not None:
            self._write(row, cell, new)

    def _names(self, row: Row, value: Any) -> list[str] | None:
        """Names of a list's elements, or None for other values and for lists without names."""
        return element_names(self._values, row.slot, row.field.name, len(value)) if is_list(row.field) else None

    def _is_inline(self, row: Row, value: Any) -> bool:
        """Whether a list is shown in its row: up to CELLS_PER_ROW wheels or named numbers."""
        few = is_list(row.field) and 0 < len(value) <= CELLS_PER_ROW and row.key not in self._open_tables
        return few and (isinstance(row.field.kind, WheelRefs) or self._names(row, value) is not None)

    def _named(self, row: Row, value: Any, width: float) -> list[Any] | None:
        """Draw a choice or slider for each element of a list, with its name, and a button that opens the table.

        Returns the new list, or None if it is unchanged.
        """
        gap, button = imgui.get_style().item_inner_spacing.x, imgui.get_frame_height()
        cell = (width - button - gap * len(value)) / len(value)
        new = None
        names = self._names(row, value) or [""] * len(value)
        for k, (name, number) in enumerate(zip(names, value, strict=True)):
            changed = self.widgets.element(f"{row.key}[{k}]", row.field, number, cell, name)
            if changed is not None:
                new = [*value[:k], changed, *value[k + 1 :]]
            imgui.same_line(0.0, gap)
        if imgui.button(f"{Icon.DOWN}##{row.key}", imgui.ImVec2(button, button)):
            self._open_tables.add(row.key)
        self._ui.items.note(row.key)
        return new

    def _read_only(self, key: str, declared: Field, value: Any, width: float) -> None:
        """Draw a derived value as text, without its unit."""
        imgui.align_text_to_frame_padding()
        text = value_text(declared, value, self.widgets.wheel_names, digits=6)
        imgui.text_colored(_COLORS[TEXT_DIM], text.removesuffix(shown_unit(declared.unit)[1]).rstrip())
        self._ui.items.note(key)

    def _summary(self, key: str, declared: Field, value: Any, width: float) -> None:
        """Draw a button with the value in brief and a small plot, which opens or closes the table."""
        position = imgui.get_cursor_screen_pos()
        height = imgui.get_frame_height()
        text = value_text(declared, value, self.widgets.wheel_names, digits=4)
        if imgui.button(f"##{key}", imgui.ImVec2(width, height)):
            self._open_tables.symmetric_difference_update({key})
        self._ui.items.note(key)
        draw = imgui.get_window_draw_list()
        padding = imgui.get_style().frame_padding
        draw.add_text(imgui.ImVec2(position.x + padding.x, position.y + padding.y), color_u32(TEXT_DIM), text)
        lines = lines_of(declared.kind, value)
        if lines:
            sparkline(draw, lines, position.x + width * 0.45, position.y + 2.0, width * 0.53, height - 4.0, dots=False)

    def _table(self, row: Row) -> None:
        """Draw the editor of a row whose table is open; derived values have none."""
        cell = row.cells[0]
        if row.field.derived:
            return
        indent = imgui.get_style().indent_spacing
        imgui.indent(indent)
        width = imgui.get_content_region_avail().x - imgui.get_style().item_spacing.x
        value, scale = self._values.get(cell.path), None
        if not isinstance(row.field.kind, Floats | Named | Words):
            scale = curve_scale(self._values, row.slot, row.field)
        new = self._tables.edit(cell.path, row.field, value, width, scale, self._names(row, value))
        imgui.unindent(indent)
        imgui.spacing()
        if new is not None:
            self._write(row, cell, new)

    def _reset_button(self, row: Row) -> None:
        """Draw the button that resets the row's values; its tooltip shows the value as loaded."""
        imgui.push_style_color(_TEXT, _COLORS[ACCENT])
        imgui.push_style_color(imgui.Col_.button.value, imgui.ImVec4(0.0, 0.0, 0.0, 0.0))
        pressed = imgui.button(f"{Icon.UNDO}##reset:{row.key}")
        imgui.pop_style_color(2)
        self._ui.items.note(f"reset:{row.key}")
        if imgui.is_item_hovered(_HOVER_DELAY):
            base = value_text(row.field, self._values.base_shown(row, row.cells[0]), self.widgets.wheel_names, digits=6)
            imgui.set_tooltip(f"Reset to {base}")
        if pressed:
            self._reset(row)

    def _explain(self, row: Row, cell: Cell) -> None:
        """Draw the tooltip: path, meaning, value, allowed range, default and source."""
        declared, names = self._values.declared.get(cell.path, row.field), self.widgets.wheel_names
        if not imgui.begin_tooltip():
            return
        imgui.push_text_wrap_pos(imgui.get_font_size() * TOOLTIP_WIDTH)
        imgui.text_colored(_COLORS[ACCENT], ", ".join(target.path for target in cell.targets))
        if declared.doc:
            imgui.text_unformatted(declared.doc)
        facts = [f"Value: {value_text(declared, self._values.shown(row, cell), names, digits=7)}"]
        if declared.derived:
            facts.append("Computed from other values.")
        else:
            facts.append(f"As loaded: {value_text(declared, self._values.base_shown(row, cell), names, digits=7)}")
            if not isinstance(declared.kind, Bool | Choice | WheelRef | WheelRefs | Words | Quat):
                facts.append(f"Allowed: {range_text(declared)}")
            if not declared.required and row.linked is None:
                facts.append(f"Default: {value_text(declared, declared.default, names, digits=7)}")
        if declared.visual:
            facts.append("Changes the appearance only, not the motion.")
        if len(cell.targets) > 1 and not self._values.is_symmetric(row, cell):
            facts.append("Left and right differ; a change here sets both.")
        if declared.source:
            facts.append(f"Source: {declared.source}")
        if self._sweeps(row):
            facts.append("Click the name to see its effect on a manoeuvre.")
        imgui.text_colored(_COLORS[TEXT_DIM], "\n".join(facts))
        imgui.pop_text_wrap_pos()
        imgui.end_tooltip()


def value_text(declared: Field, value: Any, wheel_names: Sequence[str], digits: int) -> str:
    """A value in one short line, with its unit; numbers have `digits` significant digits."""
    kind = declared.kind
    factor, unit = shown_unit(declared.unit)
    if isinstance(kind, Bool):
        return "on" if value else "off"
    if isinstance(kind, Choice):
        return value
    if isinstance(kind, Words):
        return ", ".join(value)
    if isinstance(kind, Named):
        return f"{len(value)} given"
    if isinstance(kind, WheelRef | WheelRefs):
        wheels = value if isinstance(value, list) else [value]
        return "  ".join(_wheel_text(wheel, wheel_names) for wheel in wheels)
    if isinstance(kind, Quat):
        return "  ".join(f"{number_text(angle, digits)}°" for angle in euler_degrees(value))
    if isinstance(kind, Vec3 | Floats):
        if isinstance(kind, Floats) and len(value) > 8:
            return f"{len(value)} numbers"
        return ("  ".join(number_text(v * factor, digits) for v in value) + f" {unit}").strip()
    if isinstance(kind, Curve | VecCurve):
        return f"{len(value)} points"
    if isinstance(kind, ResponseTable):
        return f"{len(value)} commands"
    return f"{number_text(value * factor, digits)} {unit}".strip()


def _wheel_text(value: Any, wheel_names: Sequence[str]) -> str:
    """The name of the wheel with an index, or the index itself if there is no such wheel."""
    number = int(value) if isinstance(value, int | float) else len(wheel_names)
    return str(wheel_names[number]).upper() if number < len(wheel_names) else str(value)
