"""The button "Layouts" of the plots: choose a layout, or save the present plots as one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from imgui_bundle import imgui

from driving_sandbox.game.toolkit.flow import button_width, same_line_if_fits
from driving_sandbox.game.toolkit.theme import ERROR, Icon
from driving_sandbox.physics.base.user_error import UserError

if TYPE_CHECKING:
    from driving_sandbox.game.plots.layouts import Layouts, Plot
    from driving_sandbox.game.toolkit.backend import ImGuiBackend

BUTTON = f"{Icon.FOLDER}  Layouts"


class LayoutMenu:
    """Button with a list of layouts, to choose from and to save the present plots in.

    Args:
        ui: ImGuiBackend.
        layouts: Layouts to choose from and to save in.
    """

    def __init__(self, ui: ImGuiBackend, layouts: Layouts) -> None:
        self._ui, self._layouts = ui, layouts
        self._name, self._error = "", ""

    def draw(self, plots: list[Plot]) -> bool:
        """Draw the button and its list; returns whether `plots`, a list, was replaced by those of a layout."""
        same_line_if_fits(button_width(BUTTON))
        if imgui.button(BUTTON):
            self._error = ""
            imgui.open_popup("layouts")
        self._ui.items.note("plots:layouts")
        if not imgui.begin_popup("layouts"):
            return False
        replaced = self._choose(plots)
        imgui.separator()
        self._save(plots)
        imgui.end_popup()
        return replaced

    def _choose(self, plots: list[Plot]) -> bool:
        """Draw the list of layouts; returns whether `plots` was replaced by those of a layout."""
        replaced = False
        for name in self._layouts.names:
            if imgui.selectable(name, False)[0]:
                plots[:], replaced = self._layouts.plots(name), True
            self._ui.items.note(f"layout:{name}")
        return replaced

    def _save(self, plots: list[Plot]) -> None:
        """Draw the field of the name and the button that saves the plots as a layout of this name."""
        imgui.set_next_item_width(imgui.get_font_size() * 10.0)
        _, self._name = imgui.input_text_with_hint("##layout-name", "name", self._name)
        self._ui.items.note("layout-name")
        imgui.same_line()
        if imgui.button(f"{Icon.SAVE}  Save"):
            try:
                self._layouts.save(self._name, plots)
                self._error = ""
            except UserError as error:
                self._error = str(error)
        self._ui.items.note("layout-save")
        if self._error:
            imgui.text_colored(imgui.ImVec4(*ERROR), self._error)
