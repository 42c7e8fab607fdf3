"""Gamepads and wheels through pygame (SDL), without a window of SDL's own.

SDL runs with its dummy video driver and never opens a window: joystick events then flow without focus. Devices come
and go while the program runs; they are identified by SDL's instance id, which is never reused. A device that is
unplugged is no longer read, so its contribution to the input is zero from the same poll on.
"""

import logging
import os
import sys
from collections.abc import Callable
from typing import Any

from driving_sandbox.game.controls.bindings import (
    ANALOG,
    HELD_ACTIONS,
    MENU,
    SHIFTS,
    SIDES,
    AxisBinding,
    Bindings,
    DeviceProfile,
)
from driving_sandbox.game.controls.device import Device
from driving_sandbox.game.controls.inputs import AnalogInput, merge

log = logging.getLogger(__name__)

_HELD_BUTTONS = {*HELD_ACTIONS, *SHIFTS, *MENU} - {*SIDES, *ANALOG}  # pedals and sides are part of `analog` instead


def import_pygame() -> Any:
    """Import pygame, with SDL told beforehand to open no window and to leave the process's signals alone."""
    os.environ["SDL_VIDEODRIVER"] = "dummy"
    os.environ["SDL_JOYSTICK_ALLOW_BACKGROUND_EVENTS"] = "1"
    os.environ["SDL_JOYSTICK_THREAD"] = "1"  # Windows: reports arrive without an SDL window to pump messages
    os.environ["SDL_NO_SIGNAL_HANDLERS"] = "1"  # else SDL swallows SIGTERM and the program cannot be ended
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    modules: dict[str, Any] = sys.modules  # None blocks an import
    blocked = modules.setdefault("pkg_resources", None) is None  # pygame imports it, slowly, and works without it
    try:
        import pygame
    finally:
        if blocked:
            del sys.modules["pkg_resources"]
    return pygame


class Devices:
    """All plugged-in gamepads and wheels.

    `poll()` once per frame, then read `analog`, `held_actions` and `take_presses()`.

    Attributes:
        devices: {SDL's instance id: Device}.
        analog: AnalogInput of all devices together.
        held_actions: those of HELD_ACTIONS, SHIFTS and MENU whose button is down, without those that are part of
            `analog`.
        problem: why no device can be read, or "".
        lost_device: whether a device was unplugged since the last `take_lost`.
        before_close: function(SDL's instance id) that is called before a device is closed.
        on_poll: function() that is called after each poll.
    """

    def __init__(self, bindings: Bindings) -> None:
        self.bindings = bindings
        self.devices: dict[int, Device] = {}
        self.analog = AnalogInput()
        self.held_actions: frozenset[str] = frozenset()
        self.problem = ""
        self.lost_device = False
        self.on_poll: Callable[[], object] = lambda: None
        self.before_close: Callable[[int], object] = lambda instance_id: None
        self._presses: list[str] = []  # actions whose button went down, not taken yet
        self._notices: list[str] = []  # texts about devices plugged in or unplugged, not taken yet
        self._events: list[Any] = []  # pygame events of the latest poll
        try:
            self._pygame = import_pygame()
            self._pygame.display.init()
            self._pygame.joystick.init()
        except Exception as error:  # no pygame, or an SDL that cannot start: the keyboard still drives
            self._pygame, self.problem = None, f"gamepads and wheels cannot be read: {error}"
            log.warning(self.problem)

    def poll(self) -> None:
        """Add devices that were plugged in, remove those that were unplugged, and read the present state of all."""
        if self._pygame is None:
            return
        pygame = self._pygame
        self._events = pygame.event.get()
        for event in self._events:
            if event.type == pygame.JOYDEVICEADDED:
                self._open(event.device_index)
            elif event.type == pygame.JOYDEVICEREMOVED:
                self._close(event.instance_id)
        analog = AnalogInput()
        actions: set[str] = set()
        for device in self.devices.values():
            device.note_movement()
            analog = merge(analog, device.read())
            actions |= device.held_actions()
            self._presses += device.new_presses()
        self.analog, self.held_actions = analog, frozenset(actions & _HELD_BUTTONS)
        self.on_poll()

    def _open(self, index: int) -> None:
        """Add the device with SDL's index, unless it is open already."""
        try:
            joystick = self._pygame.joystick.Joystick(index)
        except self._pygame.error as error:  # pulled out again before it was opened
            log.warning("a device could not be opened: %s", error)
            return
        if joystick.get_instance_id() in self.devices:
            return
        device = Device(joystick, _gamepad_mapping(index), self.bindings)
        self.devices[device.instance_id] = device
        hint = "; F3, Calibrate takes a minute" if device.profile.kind == "wheel" and not device.profile.guid else ""
        self._notice(f"{device.name} connected as {device.profile.kind} ({device.profile.name}){hint}")

    def _close(self, instance_id: int) -> None:
        """Remove the device with SDL's instance id, which was unplugged."""
        device = self.devices.pop(instance_id, None)
        if device is None:
            return
        self.before_close(instance_id)
        device.joystick.quit()
        self.lost_device = True
        self._notice(f"{device.name} unplugged")

    def _notice(self, text: str) -> None:
        log.info(text)
        self._notices.append(text)

    @property
    def events(self) -> list[Any]:
        """The pygame events of the latest poll, for press-to-bind."""
        return self._events

    @property
    def button_down_event(self) -> int | None:
        """Type of pygame's event of a pressed button, None without pygame."""
        return self._pygame.JOYBUTTONDOWN if self._pygame else None

    def take_presses(self) -> list[str]:
        """Actions whose button went down since the last call."""
        presses, self._presses = self._presses, []
        return presses

    def take_notices(self) -> list[str]:
        """One sentence for each device plugged in or unplugged since the last call."""
        notices, self._notices = self._notices, []
        return notices

    def take_lost(self) -> bool:
        """Whether a device was unplugged since the last call; the drive is then paused."""
        lost, self.lost_device = self.lost_device, False
        return lost

    def release_all(self) -> None:
        """Treat everything as released until the next poll, and discard presses not taken yet."""
        self.analog, self.held_actions = AnalogInput(), frozenset()
        self._presses.clear()

    def bind_axis(self, device: Device, action: str, binding: AxisBinding) -> None:
        """Bind an axis of this device and of all plugged-in devices with its GUID. `save_bindings` saves the change."""
        self._apply(self.bindings.set_axis(device.guid, device.profile, action, binding))

    def bind_button(self, device: Device, action: str, button: int | str) -> None:
        """Bind a button of this device and of all plugged-in devices with its GUID."""
        self._apply(self.bindings.set_button(device.guid, device.profile, action, button))

    def _apply(self, profile: DeviceProfile) -> None:
        for device in self.devices.values():
            if device.guid == profile.guid:
                device.set_profile(profile)

    def rumble(self, low: float, high: float, seconds: float) -> None:
        """Shake the motors of all devices, 0..1 each, for some seconds."""
        for device in self.devices.values():
            device.rumble(low, high, seconds)

    def close(self) -> None:
        """Release every device and SDL."""
        for device in list(self.devices.values()):
            device.joystick.quit()
        self.devices.clear()
        self.release_all()
        if self._pygame is not None:
            _quit_gamepad_names()
            self._pygame.joystick.quit()
            self._pygame.display.quit()
            self._pygame = None


def _gamepad_mapping(index: int) -> dict[str, str]:
    """{SDL's gamepad name: button, axis or hat of the device}; empty for devices that SDL does not know as gamepads."""
    try:
        from pygame._sdl2 import controller

        if not controller.get_init():
            controller.init()
        if not controller.is_controller(index):
            return {}
        pad = controller.Controller(index)
        mapping = dict(pad.get_mapping())
        pad.quit()
        return mapping
    except Exception as error:  # an experimental part of pygame; without it a pad is an unnamed joystick
        log.warning("gamepad names are not available: %s", error)
        return {}


def _quit_gamepad_names() -> None:
    """Close pygame's module that `_gamepad_mapping` uses."""
    try:
        from pygame._sdl2 import controller

        controller.quit()
    except Exception as error:
        log.debug("gamepad names were not in use: %s", error)
