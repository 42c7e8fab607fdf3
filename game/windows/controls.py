"""The bindings that the settings window changes, and its page of keys.

Every change acts at once and is written to the user's file (settings/controls.yaml, only the differences); a change by
a slider is written when the slider is released. A user's file that could not be read at the start is renamed before a
new one is written, so that manual edits are not lost.
"""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from imgui_bundle import imgui

from driving_sandbox.game.controls.bindings import ACTIONS, MENU, DeviceProfile
from driving_sandbox.game.controls.device import SDL_HAT_BITS
from driving_sandbox.game.platform.user_folder import UserFolderError, file_errors
from driving_sandbox.game.toolkit.flow import button_width, same_line_if_fits
from driving_sandbox.game.toolkit.labels import action_rows, draw_label, draw_status, icon_button, icons_width
from driving_sandbox.game.toolkit.navigation import FLAT
from driving_sandbox.game.toolkit.theme import ACCENT, ERROR, TEXT_DIM, WARNING, Icon
from driving_sandbox.game.windows.bindings_file import load_bindings, save_bindings
from driving_sandbox.physics.schema.yaml_file import ConfigError

if TYPE_CHECKING:
    from driving_sandbox.game.controls.bindings import AxisBinding, Bindings
    from driving_sandbox.game.controls.device import Device
    from driving_sandbox.game.controls.devices import Devices
    from driving_sandbox.game.controls.keyboard import Keyboard
    from driving_sandbox.game.toolkit.backend import ImGuiBackend

CANCEL_KEY = "escape"
NO_KEY = "no key"
HINT = "Click Bind, then press the key. Keys are bound by their position on the keyboard."
_COLORS = {color: imgui.ImVec4(*color) for color in (ACCENT, ERROR, TEXT_DIM, WARNING)}
_log = logging.getLogger(__name__)


class Controls:
    """The bindings in use and their file.

    Args:
        bindings: Bindings.
        keyboard: Keyboard.
        devices: Devices.
        path: the user's file.
    Attributes:
        status: (text, colour) about the last change, or why it was refused.
    """

    def __init__(self, bindings: Bindings, keyboard: Keyboard, devices: Devices, path: str | Path) -> None:
        self.bindings, self.keyboard, self.devices = bindings, keyboard, devices
        self.path = Path(path)
        self.status = ("", TEXT_DIM)
        self._checked = False  # whether the user's file has been checked by `_keep_unreadable`

    def say(self, text: str, color: tuple[float, float, float, float] = TEXT_DIM) -> None:
        """Show a text as the status."""
        self.status = (text, color)

    def save(self) -> None:
        """Write the file. If that fails, the failure is reported, and the change is lost when the program ends."""
        try:
            self._keep_unreadable()
            save_bindings(self.bindings, self.path)
        except UserFolderError as error:
            self.say(f"Not saved: {error}", ERROR)
            _log.warning("controls not saved: %s", error)

    def _keep_unreadable(self) -> None:
        """Before the first write, rename a user's file that cannot be read."""
        if not self._checked and self.path.exists():
            try:
                load_bindings(self.path)
            except ConfigError:
                with file_errors(self.path):
                    self.path.replace(self.path.with_suffix(".unreadable.yaml"))
        self._checked = True

    # ---- keys

    def owner(self, key: str, action: str) -> str | None:
        """The other action that a key is bound to, or None."""
        return next((a for a, keys in self.bindings.keys.items() if key in keys and a != action), None)

    def is_default(self, action: str) -> bool:
        """Whether an action has its default keys."""
        return self.bindings.keys.get(action, ()) == self.bindings.default_keys.get(action, ())

    def set_key(self, action: str, key: str, add: bool = False) -> None:
        """Bind a key to an action, instead of its other keys or, with `add`, in addition to them.

        The key is taken from other actions.
        """
        before = self.bindings.keys.get(action, ()) if add else ()
        self.bindings.set_key(action, key)
        self.bindings.keys[action] = (*(k for k in before if k != key), key)
        self._keys_changed(f"{ACTIONS[action]}: {self.labels(action)}")

    def reset_key(self, action: str) -> None:
        """Bind the default keys to one action; they are taken from other actions."""
        keys = self.bindings.default_keys.get(action, ())
        for key in keys:
            self.bindings.set_key(action, key)
        self.bindings.keys[action] = keys
        self._keys_changed(f"{ACTIONS[action]}: {self.labels(action)}")

    def reset_keys(self) -> None:
        """Bind the default keys to all actions."""
        self.bindings.reset_keys()
        self._keys_changed("All keys are the default ones.")

    def labels(self, action: str) -> str:
        """The names of an action's keys as one text, NO_KEY without any."""
        return ", ".join(self.keyboard.label(key) for key in self.bindings.keys.get(action, ())) or NO_KEY

    def _keys_changed(self, text: str) -> None:
        self.keyboard.rebind(self.bindings.keys)
        self.say(text)
        self.save()

    # ---- devices

    def set_axis(
        self, device: Device, action: str, binding: AxisBinding, save: bool = True, taken_from: Collection[str] = ()
    ) -> None:
        """Bind an axis of a device to an action.

        Args:
            save: whether to write the file.
            taken_from: actions whose axes are unbound.
        """
        if taken_from:
            axes = {a: b for a, b in device.profile.axes.items() if a not in taken_from}
            self.bindings.set_profile(device.guid, replace(device.profile, axes=axes))
            self._renew(device.guid)
        self.devices.bind_axis(device, action, binding)
        if save:
            self.save()

    def set_button(self, device: Device, action: str, button: int | str) -> list[str]:
        """Bind a button of a device to an action; returns the actions that lose the button.

        The button is taken from all actions that had it, by its number or its gamepad name, except for those of menus.
        """
        names = {button, *(n for n, element in device.gamepad_mapping.items() if element == _sdl_element(button))}
        in_menus = {a: sources for a, sources in device.profile.buttons.items() if a in MENU}
        driving = {a: sources for a, sources in device.profile.buttons.items() if a not in MENU}
        lost = [a for a, sources in driving.items() if a != action and names.intersection(sources)]
        buttons = {a: tuple(s for s in sources if s not in names) for a, sources in driving.items()} | in_menus
        self.bindings.set_profile(device.guid, replace(device.profile, buttons=buttons))
        self._renew(device.guid)
        self.devices.bind_button(device, action, button)
        self.save()
        return lost

    def clear(self, device: Device, action: str) -> None:
        """Unbind all axes and buttons of a device from an action."""
        profile = device.profile
        axes = {a: b for a, b in profile.axes.items() if a != action}
        buttons = {a: s for a, s in profile.buttons.items() if a != action}
        self._set_profile(device, replace(profile, axes=axes, buttons=buttons))

    def clear_buttons(self, device: Device, action: str) -> None:
        """Unbind all buttons of a device from an action; its axes stay bound."""
        profile = device.profile
        buttons = {a: s for a, s in profile.buttons.items() if a != action}
        self._set_profile(device, replace(profile, buttons=buttons))

    def set_brake_reverses(self, device: Device, on: bool) -> None:
        """Set whether the brake of a device also reverses."""
        self._set_profile(device, replace(device.profile, brake_reverses=on))

    def set_rotation(self, device: Device, degrees: float, save: bool) -> None:
        """Set the angle of a steering wheel from stop to stop, degrees; 0: not known."""
        self.bindings.set_profile(device.guid, replace(device.profile, rotation=degrees))
        self._renew(device.guid)
        if save:
            self.save()

    def is_own(self, device: Device) -> bool:
        """Whether the user has changed bindings of this device."""
        return any(p.guid == device.guid for p in self.bindings.user_profiles)

    def reset_device(self, device: Device) -> None:
        """Give all devices of this device's GUID the program's own bindings."""
        self.bindings.reset_device(device.guid)
        self._renew(device.guid)
        self.say(f"{device.name}: default bindings restored ({device.profile.name}).")
        self.save()

    def _set_profile(self, device: Device, profile: DeviceProfile) -> None:
        self.bindings.set_profile(device.guid, profile)
        self._renew(device.guid)
        self.save()

    def _renew(self, guid: str) -> None:
        """Give all plugged-in devices of a GUID their present profile."""
        for device in self.devices.devices.values():
            if device.guid == guid:
                is_gamepad = bool(device.gamepad_mapping)
                device.set_profile(self.bindings.profile_for(guid, device.id, device.name, is_gamepad))


def _sdl_element(button: int | str) -> str:
    """A button or hat direction in the notation of SDL's gamepad mappings, such as b3 or h0.1."""
    if isinstance(button, int):
        return f"b{button}"
    hat, _, direction = button.removeprefix("hat").partition(".")
    bits = {name: bit for bit, name in SDL_HAT_BITS.items()}
    return f"h{hat}.{bits.get(direction)}"


class KeysPage:
    """The page with every action and its keys.

    Attributes:
        waiting: the action that gets the next key, or None.
        conflict: (action, key, add) about which the user has to decide, or None.
    """

    def __init__(self, ui: ImGuiBackend, controls: Controls) -> None:
        self._ui, self._controls = ui, controls
        self.waiting: str | None = None
        self.conflict: tuple[str, str, bool] | None = None
        self._add = False  # whether the next key is added to the action's other keys

    def listen(self, action: str, add: bool = False) -> None:
        """Bind the next key that is pressed to an action; Escape cancels."""
        self.waiting, self._add, self.conflict = action, add, None
        self._controls.keyboard.wait_for_key(self._take)

    def cancel(self) -> None:
        """Stop waiting for a key or a decision."""
        if self.waiting is not None:
            self._controls.keyboard.wait_for_key(None)
        self.waiting = self.conflict = None

    def _take(self, key: str) -> None:
        """Bind the key that was pressed after `listen`, or ask first if another action has it."""
        action, self.waiting = self.waiting, None
        assert action is not None  # `listen` was called
        if key == CANCEL_KEY:
            self._controls.say("Nothing has changed.")
        elif self._controls.owner(key, action):
            self.conflict = (action, key, self._add)
        else:
            self._controls.set_key(action, key, self._add)

    def draw(self) -> None:
        """Draw the page: the line at the top, the table of actions, and the button that restores all keys."""
        self._banner()
        imgui.begin_disabled(self.waiting is not None)
        if imgui.begin_child("keys", imgui.ImVec2(0.0, -imgui.get_frame_height_with_spacing()), FLAT):
            self._table()
        imgui.end_child()
        if imgui.button(f"{Icon.REFRESH}  Restore the default keys"):
            self.cancel()
            self._controls.reset_keys()
        self._ui.items.note("keys:reset")
        imgui.end_disabled()

    def _banner(self) -> None:
        """Draw the line at the top: the prompt, a conflict to decide, or the status of the last change."""
        imgui.align_text_to_frame_padding()
        if self.waiting is not None:
            imgui.text_colored(_COLORS[ACCENT], f"Press a key for: {ACTIONS[self.waiting]}   (Escape cancels)")
            self._ui.items.note("keys:prompt")
        elif self.conflict is not None:
            self._decide(*self.conflict)
        else:
            draw_status(self._controls.status, HINT)
            self._ui.items.note("keys:status")

    def _decide(self, action: str, key: str, add: bool) -> None:
        """Ask whether to take a key from the action that has it."""
        controls = self._controls
        label, owner = controls.keyboard.label(key), controls.owner(key, action)
        imgui.text_colored(
            _COLORS[WARNING], f"{Icon.WARNING}  {label} already means: {ACTIONS.get(owner or '', owner)}"
        )
        self._ui.items.note("keys:conflict")
        take, leave = f"Use it for: {ACTIONS[action]}", "Leave it"
        same_line_if_fits(button_width(take), 14.0 * self._ui.scale)
        if imgui.button(f"{take}##take"):
            self.conflict = None
            controls.set_key(action, key, add)
        self._ui.items.note("keys:take")
        same_line_if_fits(button_width(leave))
        if imgui.button(f"{leave}##leave"):
            self.conflict = None
            controls.say("Nothing has changed.")
        self._ui.items.note("keys:leave")

    def _table(self) -> None:
        """Draw the table of actions, two side by side in a wide window."""
        imgui.push_style_var(imgui.StyleVar_.cell_padding.value, imgui.ImVec2(0.25 * imgui.get_font_size(), 0.0))
        keys = max(imgui.calc_text_size(self._controls.labels(action)).x for action in ACTIONS)
        change = button_width("Bind") + icons_width(Icon.PLUS, Icon.UNDO)
        for action in action_rows("actions", keys, change):
            self._row(action)
        imgui.pop_style_var()

    def _row(self, action: str) -> None:
        """Draw the cells of an action: its name, its keys, and the buttons that change them."""
        controls, items = self._controls, self._ui.items
        imgui.push_id(action)
        imgui.table_next_column()
        draw_label(ACTIONS[action])
        items.note(f"key:{action}:label")
        imgui.table_next_column()
        imgui.align_text_to_frame_padding()
        text, is_default = controls.labels(action), controls.is_default(action)
        color = TEXT_DIM if text == NO_KEY else ACCENT
        color = WARNING if text == NO_KEY and not is_default else color  # it has lost its default keys
        imgui.text_colored(_COLORS[color], text)
        items.note(f"key:{action}")
        imgui.table_next_column()
        if imgui.button("Bind"):
            self.listen(action)
        items.note(f"key:{action}:bind")
        imgui.same_line()
        if icon_button(Icon.PLUS, "Bind another key, too"):
            self.listen(action, add=True)
        items.note(f"key:{action}:add")
        if not is_default:
            imgui.same_line()
            if icon_button(Icon.UNDO, "Restore the default key"):
                controls.reset_key(action)
            items.note(f"key:{action}:reset")
        imgui.pop_id()
