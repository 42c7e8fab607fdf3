"""The page of the sound: volumes, when it is heard, and the device."""

from __future__ import annotations

from typing import Any

from imgui_bundle import imgui

from driving_sandbox.game.audio.levels import VOLUMES
from driving_sandbox.game.audio.silence import Silence
from driving_sandbox.game.toolkit.labels import draw_status, hover
from driving_sandbox.game.toolkit.navigation import FLAT
from driving_sandbox.game.toolkit.theme import TEXT_DIM
from driving_sandbox.game.toolkit.widget_events import checkbox

_CLAMPED = imgui.SliderFlags_.always_clamp.value
DEFAULT_DEVICE = "Default of the system"
SWITCHES = {  # {setting: (name, explanation)}
    "sound_without_focus": ("In the background", "Also heard while another window has the keyboard"),
    "sound_in_slow_motion": ("Slow motion", "Slow motion sounds slower and deeper; else it is silent"),
}


def status_of(hearing: Silence) -> str:
    """Why nothing is heard, or ""."""
    compiling = "The sound is being compiled; it begins by itself." if hearing.compiling else ""
    return hearing.problem or compiling


class SoundPage:
    """The page. Every change is heard at once and saved; that of a volume is saved when its slider is released.

    Args:
        ui: ImGuiBackend.
        settings: Settings.
        hearing: game.audio.hearing.Hearing, or Silence.
    """

    def __init__(self, ui: Any, settings: Any, hearing: Silence) -> None:
        self._ui, self._settings, self._hearing = ui, settings, hearing
        self._devices: list[str] | None = None  # names of the devices, read when the list is opened

    def draw(self) -> None:
        """Draw the page."""
        if imgui.begin_child("sound", imgui.ImVec2(0.0, 0.0), FLAT):
            imgui.separator_text("Volume")
            self._switch("sound", "Sound", "")
            for setting, (name, _) in VOLUMES.items():
                self._volume(setting, name)
            imgui.separator_text("Playing")
            for setting, (name, text) in SWITCHES.items():
                self._switch(setting, name, text)
            self._device()
            if status := status_of(self._hearing):
                draw_status((status, TEXT_DIM))
        imgui.end_child()

    def _row(self, label: str) -> None:
        """Draw the label of a setting and leave the cursor where its widget begins."""
        imgui.align_text_to_frame_padding()
        imgui.text_unformatted(label)
        imgui.same_line(imgui.get_font_size() * 10.0)

    def _switch(self, setting: str, name: str, text: str) -> None:
        """Draw a checkbox of a setting."""
        self._row(name)
        changed, ticked = checkbox(f"##{setting}", getattr(self._settings, setting))
        self._ui.items.note(f"sound:{setting}")
        if text:
            hover(text)
        if changed:
            setattr(self._settings, setting, ticked)
            self._settings.save()

    def _volume(self, setting: str, name: str) -> None:
        """Draw the slider of a volume; it is heard at once and saved when it is released."""
        self._row(name)
        imgui.set_next_item_width(imgui.get_font_size() * 16.0)
        percent = 100.0 * getattr(self._settings, setting)
        changed, percent = imgui.slider_float(f"##{setting}", percent, 0.0, 100.0, "%.0f %%", _CLAMPED)
        self._ui.items.note(f"sound:{setting}")
        if changed:
            setattr(self._settings, setting, round(percent / 100.0, 3))
            self._hearing.set_levels()
        if imgui.is_item_deactivated_after_edit():
            self._settings.save()

    def _device(self) -> None:
        """Draw the list of devices."""
        self._row("Device")
        imgui.set_next_item_width(imgui.get_font_size() * 24.0)
        opened = imgui.begin_combo("##device", self._settings.sound_device or DEFAULT_DEVICE)
        self._ui.items.note("sound:device")
        if not opened:
            self._devices = None
            return
        if self._devices is None:
            self._devices = self._hearing.devices()
        for name in ("", *self._devices):
            if imgui.selectable(f"{name or DEFAULT_DEVICE}##{name}", name == self._settings.sound_device)[0]:
                self._settings.sound_device = name
                self._settings.save()
                self._hearing.choose_device(name)
            self._ui.items.note(f"sound:device:{name}")
        imgui.end_combo()
