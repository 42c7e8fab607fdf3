"""Menus without a mouse: Dear ImGui's navigation by keys and by the buttons of gamepads and steering wheels.

The navigation is on only while a menu is open; while driving, arrow keys steer and must not move the focus in windows.
"""

from collections.abc import Collection

from imgui_bundle import imgui

PAD_KEYS = {  # {action of game.controls.bindings.MENU: ImGui key}; going back is handled by game/program/pause.py
    "menu_up": imgui.Key.gamepad_dpad_up,
    "menu_down": imgui.Key.gamepad_dpad_down,
    "menu_left": imgui.Key.gamepad_dpad_left,
    "menu_right": imgui.Key.gamepad_dpad_right,
    "menu_accept": imgui.Key.gamepad_face_down,
}
FLAT = imgui.ChildFlags_.nav_flattened.value  # flag of a child window that navigation treats as part of its parent
_FLAGS = imgui.ConfigFlags_.nav_enable_keyboard.value | imgui.ConfigFlags_.nav_enable_gamepad.value


class MenuNavigation:
    """Switches ImGui's navigation and feeds it the devices' buttons; call `update` once a frame before drawing."""

    def __init__(self) -> None:
        self._io = imgui.get_io()
        self._io.backend_flags |= imgui.BackendFlags_.has_gamepad.value
        self._down: set[str] = set()  # actions whose buttons ImGui takes for pressed

    def update(self, on: bool, held: Collection[str]) -> None:
        """Switch the navigation on or off, and pass on buttons that went down or up.

        Args:
            on: whether a menu is open.
            held: names of the actions whose buttons are down.
        """
        self._io.config_flags = self._io.config_flags | _FLAGS if on else self._io.config_flags & ~_FLAGS
        for action, key in PAD_KEYS.items():
            down = on and action in held
            if down != (action in self._down):
                self._io.add_key_event(key, down)
                (self._down.add if down else self._down.discard)(action)
