"""A line for writing a note about the moment at which the line was opened."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from imgui_bundle import imgui

from driving_sandbox.game.toolkit.flags import FITTED
from driving_sandbox.game.toolkit.theme import TEXT_DIM
from driving_sandbox.game.windows.window import FreeArea, Key, Window

if TYPE_CHECKING:
    from driving_sandbox.game.toolkit.backend import ImGuiBackend

WIDTH, TOP = 420.0, 64.0  # pixels at scale 1, width and distance from the frame's upper edge
MAX_LENGTH = 200  # characters of a note
_ENTER = imgui.InputTextFlags_.enter_returns_true.value


class NoteLine(Window):
    """The line for a note.

    Args:
        ui: ImGuiBackend.
        keep: function(moment, text) that saves a note.
        moment: function() -> the present moment.
    """

    name = "note"
    keys = (Key("note", ("f5",), "Write a note of this moment", "Recording", after="mark"),)
    order = 60
    replay_keys = ("n", "f5")

    def __init__(self, ui: ImGuiBackend, keep: Callable[[Any, str], object], moment: Callable[[], Any]) -> None:
        self._ui, self._keep, self._moment_now = ui, keep, moment
        self._moment: Any = None  # of the note, None while the line is closed
        self._text = ""
        self._fresh = False  # whether the line was opened since the last frame, and gets the focus

    @classmethod
    def make(cls, screen: Any) -> NoteLine:
        """The line for notes about a screen's moments."""
        return cls(screen.ui, screen.keep_note, screen.note_moment)

    def toggle(self) -> None:
        """Open the line for a note about the present moment, or close it."""
        self.begin(self._moment_now())

    def begin(self, moment: Any) -> None:
        """Open the line for a note about a moment, or close it if it is open."""
        self._set_moment(None if self.open else moment)
        self._text, self._fresh = "", True

    def _set_moment(self, moment: Any) -> None:
        """Set the moment of the note; None closes the line."""
        self._moment, self.open = moment, moment is not None

    def draw(self, free: FreeArea) -> None:
        """Draw the line, if it is open, at the top of the free area."""
        if not self.open:
            return
        scale = self._ui.scale
        width = min(WIDTH * scale, 0.9 * (free.right - free.left))
        imgui.set_next_window_pos(imgui.ImVec2((free.left + free.right) / 2.0, TOP * scale), imgui.Cond_.always.value,
                                  pivot=imgui.ImVec2(0.5, 0.0))  # fmt: skip
        imgui.set_next_window_size(imgui.ImVec2(width, 0.0), imgui.Cond_.always.value)
        imgui.begin("Note###note", None, FITTED)
        if self._fresh:
            imgui.set_keyboard_focus_here()
            self._fresh = False
        imgui.set_next_item_width(-1.0)
        entered, text = imgui.input_text_with_hint("##note", "a note of this moment", self._text, _ENTER)
        self._text = text[:MAX_LENGTH]
        self._ui.items.note("note")
        imgui.text_colored(imgui.ImVec4(*TEXT_DIM), "Enter saves, Escape cancels")
        imgui.end()
        if entered:
            if self._text.strip():
                self._keep(self._moment, self._text.strip())
            self._set_moment(None)
        elif imgui.is_key_pressed(imgui.Key.escape):
            self._set_moment(None)
