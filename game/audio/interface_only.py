"""Sounds of the interface where no drive can be heard: in a replay that is shown from stored poses.

The device is opened with the first sound, and only if nothing has to be compiled for it.
"""

import atexit
from time import sleep
from typing import Any

import numpy as np

from driving_sandbox.game.audio.interface_player import TAIL, InterfacePlayer
from driving_sandbox.game.audio.levels import interface_gain, set_levels
from driving_sandbox.game.audio.player import is_ready, open_device
from driving_sandbox.game.audio.sdl import NoSound
from driving_sandbox.game.audio.silence import Say, Silence
from driving_sandbox.sound.device.stream import Stream
from driving_sandbox.sound.interface.kinds import Kind
from driving_sandbox.sound.scene import Scene
from driving_sandbox.sound.space.emitters import EMITTERS
from driving_sandbox.sound.voices import VoiceParameters

ROW_SECONDS = 1.0 / 60.0  # s, between rows of a ring that stays empty


class InterfaceOnly(Silence):
    """The sounds of the interface; methods as those of Silence.

    Args:
        settings: Settings, whose volumes and switches are followed.
        say: function(text) that shows a line to the user.
    """

    def __init__(self, settings: Any, say: Say) -> None:
        self._settings, self._say = settings, say
        self._tried = False  # whether opening was tried, or `close` forbids it
        self._stream: Any = None
        self._device: Any = None
        self._player: Any = None

    def _open(self) -> None:
        """Open the device if the kernels are compiled; an error is noted in `problem`."""
        if not is_ready(False):  # no worker compiles for these sounds
            return
        self._tried = True
        self._stream = Stream(Scene(np.zeros(0, VoiceParameters), np.zeros(0, EMITTERS)), ROW_SECONDS, target=1.0)
        try:
            self._device = open_device(self._stream, self._settings.sound_device)
        except NoSound as error:
            self.problem = str(error)
            return
        self._player = InterfacePlayer(self._stream, self._device)
        atexit.register(self.close)  # SDL's thread must not outlive the memory

    def _gain(self) -> float:
        """Gain of the sounds: 0 while the program is not to be heard."""
        is_on = self._settings.sound and (self.focused or self._settings.sound_without_focus)
        return interface_gain(self._settings) if is_on else 0.0

    def play_interface_sound(self, kind: Kind) -> None:
        """Play a sound of the interface; the first one opens the device."""
        if not self._gain():
            return
        if not self._tried:
            self._open()
        if self._player is not None:
            self.set_levels()
            self._player.post(kind)

    def frame(self, view: Any, moment: float, speed: float) -> None:
        """Apply the settings, and stop the device after the last sound; view, moment and speed are ignored."""
        if self._player is not None:
            self.set_levels()
            self._player.step()

    def set_levels(self) -> None:
        """Apply the volumes of the settings, once there is a stream."""
        if self._stream is not None:
            set_levels(self._stream.scene.levels, self._settings)
            self._stream.scene.levels["interface"] = self._gain()

    def toggle(self) -> None:
        """Switch the sound off or on, store the setting and tell the user."""
        self._settings.sound = not self._settings.sound
        self._settings.save()
        self._say("sound on" if self._settings.sound else "sound off")

    def close(self) -> None:
        """Fade out what still sounds and close the device. Safe to call twice."""
        self._tried, player, self._player = True, self._player, None
        if player is None:
            return
        atexit.unregister(self.close)
        if player.is_sounding:
            self._stream.scene.levels["interface"] = 0.0
            sleep(TAIL)
        self._device.close()
        self._device = self._stream = None


def hear_interface(options: Any, settings: Any, say: Say) -> Silence:
    """InterfaceOnly, or silence offscreen and with `--no-sound`."""
    if options.offscreen or getattr(options, "no_sound", False):
        return Silence()
    return InterfaceOnly(settings, say)
