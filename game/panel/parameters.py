"""The parameter panel: every parameter of a vehicle, its sound and the world, generated from their declarations.

Only visible rows are drawn, so that several hundred parameters cost no more time than a screenful. Left and right
wheels are edited together unless unlinked. A drag is one step of undo.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from imgui_bundle import imgui

from driving_sandbox.game.panel.components import ComponentList
from driving_sandbox.game.panel.layout import Cell, Group, Row, build_groups, matches, sound_groups, world_groups
from driving_sandbox.game.panel.rows import RowView
from driving_sandbox.game.panel.setups import SetupPopup
from driving_sandbox.game.panel.values import VehicleValues
from driving_sandbox.game.panel.views import ALL, FAVOURITES, SETUP, VIEWS, in_view
from driving_sandbox.game.session.edits import PanelModel
from driving_sandbox.game.toolkit import units
from driving_sandbox.game.toolkit.flow import button_width, same_line_if_fits
from driving_sandbox.game.toolkit.preferences import PanelPreferences
from driving_sandbox.game.toolkit.theme import ACCENT, ERROR, TEXT_DIM, Icon
from driving_sandbox.physics.base.user_error import UserError

WIDTH = 480.0  # pixels at scale 1
MAX_SHARE = 0.36  # largest width / frame's width: the car stays visible between panel and plots
MARGIN = 12.0  # pixels at scale 1
MIN_HEIGHT = 200.0  # pixels
MIN_ROWS = 3  # smallest number of rows for which the list has room
DENSE = {  # pixels at scale 1 in the list: twelve parameters fit above the plots in a frame 720 pixels high
    imgui.StyleVar_.frame_padding.value: (6.0, 2.0),
    imgui.StyleVar_.item_spacing.value: (6.0, 1.0),
}
_FIXED = imgui.WindowFlags_.no_move.value | imgui.WindowFlags_.no_collapse.value
UNCHANGED = "Nothing has been changed."
NOTHING = {  # {view: text of its empty list}
    FAVOURITES: "No favourites yet: a right click on a parameter's name adds it.",
    SETUP: "Nothing here that a mechanic could change.",
}


class ParameterPanel:
    """The panel's window. Call `draw` once a frame.

    Args:
        ui: ImGuiBackend.
        model: PanelModel.
        component_swap: game.session.component_swap.ComponentSwap, or None if components cannot be changed.
        preferences: PanelPreferences, which store favourites and units.
    Attributes:
        components: ComponentList or None.
        advisor: AdvisorList or None.
        try_out: TryOutRow or None.
        open: whether the window is shown.
        width: pixels that the window covers from the left edge, 0 when closed.
        size: (width, height) of the window, pixels.
        area: function() -> (x, y, width, height) of the window, or None if the user places it.
        search: text of the search box.
        changed_only: whether only changed values are listed.
        linked: whether left and right wheels are edited together.
        view: one of VIEWS.
        errors: {key of a row: why its last value was refused}.
    """

    def __init__(
        self, ui: Any, model: PanelModel, component_swap: Any = None, preferences: PanelPreferences | None = None
    ) -> None:
        self.open = True
        self.width, self.size = 0.0, (0.0, 0.0)
        self.area: Callable[[], tuple[float, float, float, float]] | None = None
        self.search = ""
        self.changed_only = False
        self.linked = True
        self.view = ALL
        self._ui = ui
        self._model = model
        self._values = VehicleValues(model)
        self.preferences = preferences or PanelPreferences()
        units.choose(self.preferences.units)
        self._view = RowView(ui, self._values, self._write, self._reset, self.preferences)
        self._setups = SetupPopup(ui.items)
        self.components = ComponentList(ui, component_swap, model) if component_swap else None
        self.advisor: Any = None
        self.try_out: Any = None
        self._groups: list[Group] = []  # layout.Groups of vehicle, world and sound
        self._open_groups: set[str] = set()  # slots
        # {slot of a heading, or key of a row: its height when it was drawn last, pixels}
        self._heights: dict[str, float] = {}
        self.errors: dict[str, str] = {}
        self._status = ("", TEXT_DIM)  # (text, colour) of the last message
        self._gesture = 0  # number of the present mouse drag
        self._reveal: str | None = None  # path of the parameter to scroll to, then the key of its row
        self._arranged_for: tuple[float, Any] | None = None  # (scale, frame size) that the window was placed for

    @property
    def on_pick(self) -> Callable[[Row], Any] | None:
        """The function called with a Row whose name is clicked, or None."""
        return self._view.pick

    @on_pick.setter
    def on_pick(self, function: Callable[[Row], Any] | None) -> None:
        self._view.pick = function

    def reveal(self, path: str) -> None:
        """Open the group of a parameter and its table, if any, and scroll to the parameter."""
        self._reveal = path

    def show(self, path: str) -> None:
        """Open the panel, clear search box and filters, and `reveal` a parameter."""
        self.search, self.changed_only, self.view, self.open = "", False, ALL, True
        self.reveal(path)

    def reset_all(self) -> None:
        """Reset all values to those of the files of vehicle and world, as one step of undo."""
        values = {path: self._values.base[path] for path in self._values.all_changed()}
        if values:
            self._attempt(lambda: self._model.set_parameters(values), f"{len(values)} values reset")
        self.errors.clear()

    def draw(self) -> None:
        """Draw the window, if it is open."""
        self.width = 0.0
        if not self.open:
            return
        if self._values.refresh():
            self.errors.clear()
            self._view.forget()
            self.relayout()
        if not imgui.is_any_item_active():
            self._gesture += 1  # the next drag is another step of undo
        self._set_window()
        title = getattr(self._values.vehicle, "name", "Vehicle")
        visible, is_open = imgui.begin(f"{title}###parameters", True, 0 if self.area is None else _FIXED)
        self.open = bool(is_open)
        if visible:
            self._members()
            self._toolbar()
            self._setups.draw(self._model)
            if self.try_out:
                self.try_out.draw()
            flags = imgui.WindowFlags_.always_vertical_scrollbar.value
            min_height = MIN_ROWS * imgui.get_frame_height_with_spacing()
            fits = imgui.get_content_region_avail().y >= min_height
            height = 0.0 if fits else min_height  # 0: the remaining height; else the whole panel scrolls
            if imgui.begin_child("rows", imgui.ImVec2(0.0, height), window_flags=flags):
                self._list()
            imgui.end_child()
            self.width = imgui.get_window_pos().x + imgui.get_window_width()
        self.size = imgui.get_window_width(), imgui.get_window_height()
        position = imgui.get_window_pos()
        self._ui.items.put(
            "window:panel", (position.x, position.y, position.x + self.size[0], position.y + self.size[1])
        )
        imgui.end()

    def _set_window(self) -> None:
        """Place the window by `area`.

        Without `area` the window is placed along the left edge at first and whenever the frame's size or the scale
        changes, and otherwise stays where the user put it.
        """
        if self.area is not None:
            x, y, *area = self.area()
            imgui.set_next_window_pos(imgui.ImVec2(x, y), imgui.Cond_.always.value)
            imgui.set_next_window_size(imgui.ImVec2(*area), imgui.Cond_.always.value)
            return
        scale, size = self._ui.scale, self._ui.size
        condition = imgui.Cond_.always.value if self._arranged_for != (scale, size) else imgui.Cond_.once.value
        self._arranged_for = (scale, size)
        margin = MARGIN * scale
        width = min(WIDTH * scale, size[0] * MAX_SHARE)
        imgui.set_next_window_pos(imgui.ImVec2(margin, margin), condition)
        imgui.set_next_window_size(imgui.ImVec2(width, max(MIN_HEIGHT, size[1] - 2.0 * margin)), condition)

    def relayout(self) -> None:
        """Build the rows again. Call it after a change of `linked` or of the vehicle."""
        values = self._values
        self._groups = build_groups(values.vehicle, self.linked) + world_groups(values.world)
        self._groups += sound_groups(values.sound)
        self._heights.clear()

    # -- changes ----------------------------------------------------------------------------------------------------

    def _write(self, row: Row, cell: Cell, value: Any) -> None:
        """Set all values that a cell writes, from the value that the cell shows; those of left wheels are mirrored."""
        if row.linked is not None:
            get, linked = self._values.get, row.linked
            self._change(row, {t.path: linked.value_for(get, t.path, value) for t in cell.targets})
            return
        mirrored = row.field.mirrored
        self._change(row, {t.path: mirrored(value) if t.mirror else value for t in cell.targets})

    def _reset(self, row: Row) -> None:
        self._change(row, {path: self._values.base[path] for path in row.paths if self._values.is_changed(path)})

    def _change(self, row: Row, values: dict[str, Any]) -> None:
        """Set values; if they are refused, the old ones stay and the reason is shown below the row."""
        try:
            self._model.set_parameters(values, self._gesture)
        except UserError as error:
            self.errors[row.key] = str(error).removeprefix(f"{row.key}: ")
        else:
            self.errors.pop(row.key, None)
        self._values.refresh()

    def _attempt(self, action: Callable[[], object], success: str = "") -> None:
        """Call `action()`, and show the text `success` or the error below the toolbar; a success clears row errors."""
        try:
            action()
        except UserError as error:
            self._status = (str(error), ERROR)
        else:
            self._status = (success, TEXT_DIM)
            self.errors.clear()
        self._values.refresh()

    # -- toolbar ----------------------------------------------------------------------------------------------------

    def _members(self) -> None:
        """Draw the choice of the vehicle of a train whose parameters are shown; nothing for a single vehicle."""
        members = getattr(self._model, "members", ())
        if len(members) < 2:
            return
        train: Any = self._model  # with `members` there are `chosen` and `choose`
        imgui.set_next_item_width(-1.0)
        names = [f"{k + 1}  {name}" for k, name in enumerate(members)]
        changed, chosen = imgui.combo("##member", train.chosen, names)
        self._ui.items.note("member")
        if changed:
            train.choose(chosen)
            self._values.refresh()
            self._view.forget()
            self.errors.clear()
            self.relayout()

    def _toolbar(self) -> None:
        """Draw the search box, the choices and buttons above the list, and the last message."""
        imgui.set_next_item_width(-1.0)
        _, self.search = imgui.input_text_with_hint("##search", f"{Icon.SEARCH}  Search name, unit, text", self.search)
        self._ui.items.note("search")
        self._choices()
        if self._button("undo", Icon.UNDO, "Undo", enabled=self._model.can_undo, first=True):
            self._attempt(self._model.undo)
        if self._button("redo", Icon.REPEAT, "Redo", enabled=self._model.can_redo):
            self._attempt(self._model.redo)
        link = Icon.LINK if self.linked else Icon.UNLINK
        if self._button("link", f"{link}  L = R", "Edit left and right wheels together", lit=self.linked):
            self.linked = not self.linked
            self.relayout()
        if self._button("changed", f"{Icon.FILTER}  Changed", "Show only changed values", lit=self.changed_only):
            self.changed_only = not self.changed_only
        tooltip = "Reset all values to those of the files of vehicle and world"
        if self._button("reset-all", f"{Icon.REFRESH}  Reset all", tooltip):
            self.reset_all()
        if self._button("setups", f"{Icon.FOLDER}  Setups", "Save or load the changed values"):
            self._setups.open(self._model)
        if self._model.messages:
            self._status = (str(self._model.messages[-1]), TEXT_DIM)
            self._model.messages.clear()
        text, color = self._status
        if text:
            imgui.push_text_wrap_pos(0.0)
            imgui.text_colored(imgui.ImVec4(*color), text)
            imgui.pop_text_wrap_pos()
        imgui.spacing()

    def _choices(self) -> None:
        """Draw the choices of the view and of the units."""
        width = imgui.get_content_region_avail().x
        imgui.set_next_item_width(width * 0.45)
        changed, index = imgui.combo("##view", VIEWS.index(self.view), list(VIEWS))
        self._ui.items.note("view")
        if changed:
            self.view = VIEWS[index]
        imgui.same_line()
        names = list(units.SYSTEMS)
        imgui.set_next_item_width(-1.0)
        changed, index = imgui.combo("##units", names.index(self.preferences.units), names)
        self._ui.items.note("units")
        if changed:
            self.preferences.set_units(names[index])
            units.choose(names[index])
            self._view.forget()

    def _button(
        self, key: str, text: str, tooltip: str, enabled: bool = True, lit: bool = False, first: bool = False
    ) -> bool:
        """Draw a button of the toolbar, on a new line if `first`, coloured if `lit`; returns whether it was pressed."""
        if not first:
            same_line_if_fits(button_width(text))
        if lit:
            imgui.push_style_color(imgui.Col_.text.value, imgui.ImVec4(*ACCENT))
        imgui.begin_disabled(not enabled)
        pressed = imgui.button(f"{text}##{key}")
        imgui.end_disabled()
        if lit:
            imgui.pop_style_color()
        self._ui.items.note(key)
        if imgui.is_item_hovered(imgui.HoveredFlags_.delay_short.value):
            imgui.set_tooltip(tooltip)
        return pressed

    @property
    def _filtering(self) -> bool:
        return bool(self.search.strip()) or self.changed_only or self.view != ALL

    # -- list -------------------------------------------------------------------------------------------------------

    def _filtered(self) -> Iterator[tuple[Group, list[Row], bool]]:
        """Yield (group, its rows that pass the filters, whether it is open) for every group that is shown."""
        terms = self.search.lower().split()
        filtering = self._filtering
        shows = in_view(self.view, self.preferences.favourites, set(self._model.recent()))
        for group in self._groups:
            rows = group.rows
            if self.view != ALL:
                rows = [row for row in rows if shows(row)]
            if terms:
                rows = [row for row in rows if matches(row, terms)]
            if self.changed_only:
                rows = [row for row in rows if self._values.row_changed(row)]
            if not filtering or rows:
                yield group, rows, filtering or group.slot in self._open_groups

    def _list(self) -> None:
        """Draw components, advisor and parameters, denser than other windows."""
        for style, (horizontal, vertical) in DENSE.items():
            imgui.push_style_var(style, imgui.ImVec2(horizontal * self._ui.scale, vertical * self._ui.scale))
        if self.components:
            self.components.draw()
        if self.advisor:
            self.advisor.draw()
        self._rows()
        imgui.pop_style_var(len(DENSE))

    def _rows(self) -> None:
        """Draw the visible rows; the others only take up their height."""
        self._seek()
        top, top_y = imgui.get_scroll_y(), imgui.get_cursor_pos_y()
        y = top_y
        bottom = top + imgui.get_window_height()
        row_height = imgui.get_frame_height_with_spacing()
        for group, rows, opened in self._filtered():
            entries: list[tuple[str, Row | None]] = [(group.slot, None)]
            if opened:
                entries += [(row.key, row) for row in rows]
            for key, row in entries:
                height = self._heights.get(key, row_height)
                if self._reveal == key:
                    above = min(4.0 * row_height, 0.3 * (bottom - top))  # four rows, or fewer in a low list
                    imgui.set_scroll_y(max(0.0, y - above))
                if y + height >= top and y <= bottom:
                    imgui.set_cursor_pos_y(y)
                    if row is None:
                        self._heading(group, opened)
                    else:
                        self._view.row(row, self.errors.get(key))
                    drawn_height = imgui.get_cursor_pos_y() - y
                    if self._reveal == key and self._heights.get(key) == drawn_height:
                        self._reveal = None  # the height of a table just opened is known one frame later
                    self._heights[key] = height = drawn_height
                y += height
        imgui.set_cursor_pos_y(y)
        if y == top_y:
            imgui.text_disabled("Nothing found." if self.search else NOTHING.get(self.view, UNCHANGED))
        imgui.dummy(imgui.ImVec2(1.0, 1.0))

    def _heading(self, group: Group, opened: bool) -> None:
        """Draw a group's heading; a click opens or closes the group, unless a filter opens all groups."""
        is_open = self._view.heading(group, opened)
        if is_open != opened and not self._filtering:
            (self._open_groups.add if is_open else self._open_groups.discard)(group.slot)

    def _seek(self) -> None:
        """Open the group and table of the parameter to reveal, and replace its path by the key of its row."""
        if self._reveal is None:
            return
        for group in self._groups:
            for row in group.rows:
                if self._reveal in row.paths:
                    self._open_groups.add(group.slot)
                    if row.is_table:
                        self._view.open_table(row.key)
                    self._reveal = row.key
                    return
        self._reveal = None
