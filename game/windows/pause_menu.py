"""The menu of a paused drive: a column of buttons, for mouse, keys and gamepad."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from imgui_bundle import imgui

from driving_sandbox.game.toolkit.flags import FITTED
from driving_sandbox.game.toolkit.theme import OPAQUE

if TYPE_CHECKING:
    from driving_sandbox.game.toolkit.backend import ImGuiBackend

WIDTH = 15.0  # font sizes, width of a button
HEIGHT = 1.5  # height of a button relative to ImGui's standard buttons
SHADE = (0.02, 0.025, 0.03, 0.45)  # RGBA with which the frame is darkened


def shade(ui: "ImGuiBackend") -> None:
    """Darken the frame behind the windows."""
    width, height = ui.size
    color = imgui.get_color_u32(SHADE)
    imgui.get_background_draw_list().add_rect_filled(imgui.ImVec2(0, 0), imgui.ImVec2(width, height), color)


class PauseMenu:
    """The menu; it appears with the focus on its first entry.

    Args:
        ui: ImGuiBackend.
        entries: {text: function()}.
    """

    def __init__(self, ui: "ImGuiBackend", entries: Mapping[str, Callable[[], object]]) -> None:
        self._ui, self._entries = ui, entries

    def draw(self) -> None:
        """Draw the menu, and call the function of a chosen entry."""
        width, height = self._ui.size
        middle = imgui.ImVec2(width / 2.0, height / 2.0)
        imgui.set_next_window_pos(middle, imgui.Cond_.always.value, pivot=imgui.ImVec2(0.5, 0.5))
        imgui.set_next_window_bg_alpha(OPAQUE)
        imgui.begin("Paused###pause", None, FITTED)
        appearing = imgui.is_window_appearing()
        if appearing:
            imgui.set_window_focus()
            imgui.set_nav_cursor_visible(True)
        imgui.push_font(self._ui.fonts.bold, 22.0)
        imgui.text_unformatted("Paused")
        imgui.pop_font()
        imgui.separator()
        imgui.spacing()
        chosen = self._buttons(appearing)
        imgui.end()
        if chosen:
            self._entries[chosen]()

    def _buttons(self, appearing: bool) -> str | None:
        """Draw the buttons, the first with the focus in the first frame; returns the text of a clicked one, or None."""
        size = imgui.ImVec2(imgui.get_font_size() * WIDTH, imgui.get_frame_height() * HEIGHT)
        clicked = None
        for k, text in enumerate(self._entries):
            if imgui.button(text, size):
                clicked = text
            if appearing and k == 0:
                imgui.set_item_default_focus()
            self._ui.items.note(f"pause:{text.lower()}")
        return clicked
