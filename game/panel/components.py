"""The panel's list of components: the one in each slot, and a choice of all that fit, also while the car drives."""

from __future__ import annotations

from typing import Any

from imgui_bundle import imgui

from driving_sandbox.game.panel.layout import readable
from driving_sandbox.game.session.edits import PanelModel
from driving_sandbox.game.toolkit.theme import ACCENT, ERROR, TEXT_DIM, Icon
from driving_sandbox.physics.vehicle.swap import label
from driving_sandbox.physics.vehicle.types import VARIANTS

LABEL_SHARE = 0.38  # width of the labels / width of the row, as in the parameters' rows
_COLORS = {color: imgui.ImVec4(*color) for color in (ACCENT, ERROR, TEXT_DIM)}


class ComponentList:
    """The list under a heading that opens; draw it in the panel's window.

    Args:
        ui: ImGuiBackend.
        component_swap: game.session.component_swap.ComponentSwap.
        model: PanelModel, for its vehicle.
    """

    def __init__(self, ui: Any, component_swap: Any, model: PanelModel) -> None:
        self._ui, self._component_swap, self._model = ui, component_swap, model
        self._vehicle: Any = None  # that `_choices` belong to
        self._choices: dict[str, tuple[Any, Any]] = {}  # {slot: (choices, present choice)}
        self.open = False

    def draw(self) -> None:
        """Draw the heading and, if it is open, a row for each slot; the rows are disabled while a swap is prepared."""
        imgui.set_next_item_open(self.open)
        imgui.push_font(self._ui.fonts.bold, 0.0)
        self.open = imgui.collapsing_header("Components###components")
        imgui.pop_font()
        self._ui.items.note("components")
        if not self.open:
            return
        if getattr(self._model, "chosen", 0):
            imgui.text_disabled("Components of trailers cannot be changed.")
            self._ui.items.note("components-of-trailer")
            return
        if self._model.vehicle is not self._vehicle:
            self._vehicle, self._choices = self._model.vehicle, self._component_swap.choices()
        imgui.begin_disabled(self._component_swap.job is not None)
        for slot, (choices, present) in self._choices.items():
            self._row(slot, choices, present)
        imgui.end_disabled()
        imgui.spacing()

    def _row(self, slot: str, choices: Any, present: Any) -> None:
        """Draw a slot's name, the choice of its component, and the status of the last swap."""
        imgui.align_text_to_frame_padding()
        imgui.text_colored(_COLORS[TEXT_DIM], readable(slot))
        imgui.same_line(imgui.get_cursor_start_pos().x + imgui.get_content_region_avail().x * LABEL_SHARE)
        imgui.set_next_item_width(-1.0)
        if imgui.begin_combo(f"##part:{slot}", readable(label(present))):
            for choice in choices:
                if imgui.selectable(readable(label(choice)), choice == present)[0]:
                    self._component_swap.request(slot, choice)
                self._ui.items.note(f"part:{slot}:{label(choice)}")
                if isinstance(choice, str) and imgui.is_item_hovered(imgui.HoveredFlags_.delay_short.value):
                    imgui.set_tooltip(VARIANTS[slot][choice].doc or readable(choice))
            imgui.end_combo()
        self._ui.items.note(f"part:{slot}")
        text, is_error = self._component_swap.status.get(slot, ("", False))
        if text:
            imgui.push_text_wrap_pos(0.0)
            mark = f"{Icon.WARNING}  " if is_error else ""
            imgui.text_colored(_COLORS[ERROR if is_error else ACCENT], f"{mark}{text}")
            imgui.pop_text_wrap_pos()
            self._ui.items.note(f"part-status:{slot}")
