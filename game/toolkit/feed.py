"""Feeds mouse, keys and text into Dear ImGui, from a Panda3D window or from a test.

Key names are Panda3D's. A separate button thrower is attached to the mouse watcher, so that the game still gets all its
own events; the backend's `wants_keyboard` and `wants_mouse` say whether the game may use them.
"""

from __future__ import annotations

from typing import Any

from direct.showbase.DirectObject import DirectObject
from imgui_bundle import imgui
from panda3d.core import ButtonThrower, GraphicsWindow

OUTSIDE = -3.4028235e38  # mouse position that means "outside the window" to ImGui: minus the largest float

_NAMES = {
    "tab": "tab", "arrow_left": "left_arrow", "arrow_right": "right_arrow", "arrow_up": "up_arrow",
    "arrow_down": "down_arrow", "enter": "enter", "escape": "escape", "backspace": "backspace", "space": "space",
    "delete": "delete", "insert": "insert", "home": "home", "end": "end", "page_up": "page_up",
    "page_down": "page_down", "lshift": "left_shift", "rshift": "right_shift", "lcontrol": "left_ctrl",
    "rcontrol": "right_ctrl", "lalt": "left_alt", "ralt": "right_alt", "lmeta": "left_super", "rmeta": "right_super",
    "shift": "mod_shift", "control": "mod_ctrl", "alt": "mod_alt", "meta": "mod_super", "-": "minus", "=": "equal",
    ".": "period", ",": "comma", "/": "slash", ";": "semicolon", "'": "apostrophe", "[": "left_bracket",
    "]": "right_bracket", "\\": "backslash", "`": "grave_accent",
}  # fmt: skip
_NAMES.update({c: c for c in "abcdefghijklmnopqrstuvwxyz"})
_NAMES.update({c: f"_{c}" for c in "0123456789"})
_NAMES.update({f"f{i}": f"f{i}" for i in range(1, 13)})
KEYS = {panda: getattr(imgui.Key, name) for panda, name in _NAMES.items()}  # {Panda3D's name: ImGui key}
MOUSE_BUTTONS = {"mouse1": 0, "mouse3": 1, "mouse2": 2}  # {Panda3D's name: ImGui's number}: left, right, middle
CLICK, BUTTON_EVENT = "mouse1", imgui.internal.InputEventType.mouse_button
ANSWER_FRAMES = 2  # a field gets the focus in the frame of the click; want_text_input is true from the next frame on
# {Panda3D's name: (horizontal, vertical) steps as ImGui counts them}
WHEEL_STEPS = {"wheel_up": (0, 1), "wheel_down": (0, -1), "wheel_left": (1, 0), "wheel_right": (-1, 0)}


class InputFeed(DirectObject):  # type: ignore[misc]  # Panda3D has no types
    """Passes input on to ImGui. `button`, `text`, `move` and `leave` may also be called by tests and remote control."""

    def __init__(self, base: Any) -> None:
        super().__init__()
        self._base = base
        self._io = imgui.get_io()
        self._pointer: tuple[Any, Any] | None = (
            None  # pixel of the mouse that was passed on last, or None outside the window
        )
        self._answer_frames = 0  # frames until the last click is answered
        self._focused = True
        self._thrower = None  # node of the button thrower, or None without a window
        if getattr(base, "mouseWatcher", None):
            thrower = ButtonThrower("imgui")
            thrower.setSpecificFlag(False)
            thrower.setButtonDownEvent("imgui-down")
            thrower.setButtonUpEvent("imgui-up")
            thrower.setKeystrokeEvent("imgui-text")
            self._thrower = base.mouseWatcher.attachNewNode(thrower)
            self.accept("imgui-down", self.button, extraArgs=[True])
            self.accept("imgui-up", self.button, extraArgs=[False])
            self.accept("imgui-text", self.text)

    def button(self, down: bool, name: str) -> None:
        """Pass on that a key or mouse button, given by its Panda3D name, went down or up."""
        if name in MOUSE_BUTTONS:
            if down and name == CLICK:
                self._answer_frames = ANSWER_FRAMES
            self._follow_pointer()  # the button acts where the mouse is now, not where the last frame saw it
            self._io.add_mouse_button_event(MOUSE_BUTTONS[name], down)
        elif name in WHEEL_STEPS:
            if down:
                self._io.add_mouse_wheel_event(*WHEEL_STEPS[name])
        elif name in KEYS:
            self._io.add_key_event(KEYS[name], down)

    @property
    def awaits_answer(self) -> bool:
        """Whether ImGui has not processed the last click yet; until then, keys may be meant for a text field."""
        return self._answer_frames > 0

    def frame_began(self) -> None:
        """To be called after ImGui has begun a frame: count it as answering the last click, unless events still wait.

        Of several mouse button events, ImGui processes one a frame.
        """
        if self._answer_frames:
            queue = imgui.get_current_context().input_events_queue
            waiting = any(queue[k].type == BUTTON_EVENT for k in range(queue.size()))
            self._answer_frames -= not waiting

    def text(self, characters: str) -> None:
        """Pass on typed characters, as the keyboard layout gives them."""
        printable = "".join(c for c in characters if c >= " " and c != "\x7f")
        if printable:
            self._io.add_input_characters_utf8(printable)

    def move(self, x: float, y: float) -> None:
        """Pass on that the mouse is at pixel (x, y), from the top left."""
        self._io.add_mouse_pos_event(x, y)

    def leave(self) -> None:
        """Pass on that the mouse left the window, so that nothing stays highlighted."""
        self._io.add_mouse_pos_event(OUTSIDE, OUTSIDE)

    def poll(self) -> None:
        """Read pointer and focus of a window; an offscreen buffer has neither."""
        self._follow_pointer()
        if not isinstance(self._base.win, GraphicsWindow):
            return
        focused = self._base.win.getProperties().getForeground()
        if focused != self._focused:
            self._focused = focused
            self._io.add_focus_event(focused)

    def _follow_pointer(self) -> None:
        """Pass on the window's mouse position if it has changed since the last call."""
        if not isinstance(self._base.win, GraphicsWindow):
            return
        pointer = self._base.win.getPointer(0)
        position = (pointer.getX(), pointer.getY()) if pointer.getInWindow() else None
        if position != self._pointer:
            self._pointer = position
            if position is None:
                self.leave()
            else:
                self.move(*position)

    def close(self) -> None:
        """Stop listening to keys and mouse."""
        self.ignoreAll()
        if self._thrower is not None:
            self._thrower.removeNode()
