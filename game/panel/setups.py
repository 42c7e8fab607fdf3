"""The popup that saves changed values as a setup or the whole vehicle as a new file, and loads and compares setups."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from imgui_bundle import imgui

from driving_sandbox.game.panel.differences import differing, show_differences
from driving_sandbox.game.session.edits import PanelModel
from driving_sandbox.game.toolkit.theme import ERROR, Icon
from driving_sandbox.physics.base.user_error import UserError

POPUP = "setups"  # ImGui's id of the popup
LIST_LINES = 8  # setups visible without scrolling


class SetupPopup:
    """The popup: call `open` when its button is pressed, and `draw` in the same window every frame."""

    def __init__(self, items: Any) -> None:
        self._items = items
        self._name = ""
        self._error = ""
        self._files: list[Path] = []  # paths of the setups listed
        self._compared: tuple[str, list[Any]] | None = None  # (name of a setup, rows of its differences), or None

    def open(self, model: PanelModel) -> None:
        """Open the popup with the setups that a PanelModel can load."""
        self._files = model.setups()
        self._error, self._compared = "", None
        imgui.open_popup(POPUP)

    def draw(self, model: PanelModel) -> None:
        """Draw the popup, if it is open, and carry out what is chosen with the PanelModel."""
        if not imgui.begin_popup(POPUP):
            return
        imgui.text("Save the changed values as")
        imgui.set_next_item_width(imgui.get_font_size() * 14.0)
        entered, self._name = imgui.input_text_with_hint(
            "##setup-name", "name", self._name, imgui.InputTextFlags_.enter_returns_true.value
        )
        self._items.note("setup-name")
        imgui.same_line()
        pressed = imgui.button(f"{Icon.SAVE}  Save")
        self._items.note("setup-save")
        if (pressed or entered) and self._try(model.save_setup, self._name):
            self._files = model.setups()
        if imgui.button("Save all as a new vehicle"):
            self._try(model.save_vehicle, self._name)
        self._items.note("vehicle-save")
        if imgui.is_item_hovered():
            imgui.set_tooltip("Save all present values and components; drive it with --vehicle NAME")
        imgui.separator_text("Load")
        if not self._files:
            imgui.text_disabled("none saved yet")
        height = imgui.get_text_line_height_with_spacing() * min(LIST_LINES, len(self._files))
        if self._files and imgui.begin_child("setup-files", imgui.ImVec2(0.0, height)):
            for path in self._files:
                if imgui.small_button(f"{Icon.FILTER}##compare:{path.stem}"):
                    self._try(lambda chosen: self._compare(model, chosen), path)
                self._items.note(f"setup-compare:{path.stem}")
                if imgui.is_item_hovered():
                    imgui.set_tooltip("Differences between the vehicle's file, the current values and this setup")
                imgui.same_line()
                if imgui.selectable(path.stem, False)[0] and self._try(model.load_setup, path):
                    imgui.close_current_popup()
                self._items.note(f"setup:{path.stem}")
        if self._files:
            imgui.end_child()
        self._comparison()
        if self._error:
            imgui.push_text_wrap_pos(imgui.get_font_size() * 20.0)
            imgui.text_colored(imgui.ImVec4(*ERROR), self._error)
            imgui.pop_text_wrap_pos()
        imgui.end_popup()

    def _compare(self, model: PanelModel, path: Path) -> None:
        """List where a setup, the vehicle's present values and those of its file differ."""
        vehicle = model.vehicle
        self._compared = path.stem, differing(vehicle.base_values(), vehicle.values(), model.setup_values(path))

    def _comparison(self) -> None:
        """Draw the differences found by `_compare`, if there was a comparison."""
        if self._compared is None:
            return
        name, rows = self._compared
        imgui.separator_text(f"Compared with {name}")
        if rows:
            show_differences(("file", "now", name), rows)
        else:
            imgui.text_disabled("Nothing differs.")
        self._items.note("setup-comparison")

    def _try(self, action: Callable[[Any], object], argument: Any) -> bool:
        """Call `action(argument)`; returns whether it succeeded. Its error is shown in the popup."""
        try:
            action(argument)
        except UserError as error:
            self._error = str(error)
            return False
        self._error = ""
        return True
