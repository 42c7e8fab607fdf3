"""The row of the program page with the aids for keys: presets, and a switch or slider of each aid."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from imgui_bundle import imgui

from driving_sandbox.game.controls.presets import PRESETS, preset_of
from driving_sandbox.game.toolkit.flow import checkbox_width, same_line_if_fits
from driving_sandbox.game.toolkit.labels import hover
from driving_sandbox.game.toolkit.widget_events import checkbox

if TYPE_CHECKING:
    from driving_sandbox.game.controls.presets import DrivingAids
    from driving_sandbox.game.toolkit.backend import ImGuiBackend

SWITCHES = {  # {name in DrivingAids: (label, hint)}
    "steering": ("Steering", "Steering keys are limited by grip and speed, and steer against a slide"),
    "braking": ("Braking", "Beside a world's line, the car slows for the bends by itself"),
    "throttle": ("Throttle", "The throttle key gives less while the tires spin or work hard sideways"),
}
LINE_HINT = "Share of the steering towards the world's line that is added to the keys; needs the steering aid"
LINE_WIDTH = 9.0  # of the slider, in sizes of the font
_CLAMPED = imgui.SliderFlags_.always_clamp.value


class AidsSection:
    """Draws the aids; each change acts at once and is saved.

    Args:
        ui: ImGuiBackend.
        settings: Settings.
        set_aids: function(DrivingAids).
    """

    def __init__(self, ui: ImGuiBackend, settings: Any, set_aids: Callable[[DrivingAids], object]) -> None:
        self._ui, self._settings, self._set_aids = ui, settings, set_aids

    def draw(self, row: Callable[[str], object]) -> None:
        """Draw the aids; `row`: function(label) that begins a row."""
        aids = self._settings.aids
        row("Aids for keys")
        for k, (name, preset) in enumerate(PRESETS.items()):
            if k:
                same_line_if_fits(checkbox_width(name))
            if imgui.radio_button(name, name == preset_of(aids)):
                self._choose(preset)
            self._ui.items.note(f"program:preset:{name}")
        for name, (label, hint) in SWITCHES.items():
            same_line_if_fits(checkbox_width(label))
            changed, ticked = checkbox(f"{label}##key_aid", getattr(aids, name))
            self._ui.items.note(f"program:key_{name}_aid")
            hover(f"{hint}. Pads and wheels are not aided")
            if changed:
                self._choose(aids._replace(**{name: ticked}))
        same_line_if_fits(imgui.get_font_size() * LINE_WIDTH)
        self._line(aids)

    def _line(self, aids: DrivingAids) -> None:
        """Draw the slider of the line aid."""
        imgui.set_next_item_width(imgui.get_font_size() * LINE_WIDTH)
        imgui.begin_disabled(not aids.steering)
        changed, percent = imgui.slider_float("##key_line_aid", 100.0 * aids.line, 0.0, 100.0, "Line %.0f %%", _CLAMPED)
        imgui.end_disabled()
        self._ui.items.note("program:key_line_aid")
        hover(LINE_HINT)
        if changed:
            self._choose(aids._replace(line=round(percent / 100.0, 2)))

    def _choose(self, aids: DrivingAids) -> None:
        """Save and apply these DrivingAids."""
        self._settings.aids = aids
        self._settings.save()
        self._set_aids(aids)
