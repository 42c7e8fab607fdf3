"""Keyboard, gamepads and steering wheels of the open program with their bindings; they outlast a drive."""

import logging
from typing import Any

from driving_sandbox.game.controls.devices import Devices
from driving_sandbox.game.controls.keyboard import Keyboard
from driving_sandbox.game.windows.bindings_file import load_bindings, user_bindings_path
from driving_sandbox.physics.schema.yaml_file import ConfigError

_log = logging.getLogger(__name__)


class Inputs:
    """Keyboard and devices with their bindings.

    Args:
        base: ShowBase with the window whose keys are read.
    Attributes:
        bindings: Bindings; the default ones if the user's file is faulty.
        keyboard, devices: Keyboard and Devices, which read the input.
        path: the user's file of bindings.
        complaints: messages about bindings or devices that cannot be used, removed when shown.
    """

    def __init__(self, base: Any) -> None:
        self.path = user_bindings_path()
        self.complaints: list[str] = []
        try:
            self.bindings = load_bindings(self.path)
        except ConfigError as error:
            _log.warning("%s", error)
            self.complaints.append(str(error))
            self.bindings = load_bindings()
        self.keyboard = Keyboard(self.bindings.keys)
        self.keyboard.attach(base)
        self.devices = Devices(self.bindings)
        if self.devices.problem:
            self.complaints.append(self.devices.problem)

    def release_all(self) -> None:
        """Treat all keys and buttons as released, and forget pending presses."""
        self.keyboard.release_all()
        self.devices.release_all()

    def close(self) -> None:
        """Release the devices and the window's keys."""
        self.devices.close()
        self.keyboard.detach()
