"""The widgets of a bound axis on the page of its device: inversion, dead zone, ends and curve."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from imgui_bundle import imgui

from driving_sandbox.game.toolkit.widget_events import checkbox

if TYPE_CHECKING:
    from driving_sandbox.game.controls.bindings import AxisBinding
    from driving_sandbox.game.controls.device import Device
    from driving_sandbox.game.toolkit.backend import ImGuiBackend
    from driving_sandbox.game.windows.controls import Controls

MIN_RANGE = 0.05  # raw value, minimum distance of the two ends of a range
DEAD_ZONE_ENDS, CURVE_ENDS = (0.0, 0.9), (0.2, 5.0)  # the limits in the bindings file


class AxisEdit:
    """The widgets of a bound axis. A change acts while they are dragged, and is written to the file when released."""

    def __init__(self, ui: ImGuiBackend, controls: Controls, device: Device, action: str, binding: AxisBinding) -> None:
        self._ui, self._controls = ui, controls
        self._device, self._action, self._binding = device, action, binding

    def inverted(self) -> None:
        """Draw whether the raw value falls when pressed, turned right or pushed ahead."""
        changed, ticked = checkbox("##inverted", self._binding.inverted)
        self._settle("inverted", changed, {"inverted": ticked}, save=changed)

    def dead_zone(self) -> None:
        """Draw the share of the travel without effect."""
        low, high = DEAD_ZONE_ENDS
        changed, percent = self._slider(
            "dead_zone", self._binding.dead_zone * 100.0, low, high, factor=100.0, text="%.0f %%"
        )
        self._settle("dead_zone", changed, {"dead_zone": round(min(max(percent / 100.0, low), high), 4)})

    def curve(self) -> None:
        """Draw the exponent of the value."""
        low, high = CURVE_ENDS
        changed, curve = self._slider("curve", self._binding.curve, low, high, factor=1.0, text="%.2f")
        self._settle("curve", changed, {"curve": round(min(max(curve, low), high), 3)})

    def ends(self) -> None:
        """Draw the raw values at both ends of the travel."""
        gap = imgui.get_style().item_inner_spacing.x
        width = (imgui.get_content_region_avail().x - gap) / 2.0
        low, high = self._binding.minimum, self._binding.maximum
        imgui.set_next_item_width(width)
        changed, new = imgui.drag_float(
            "##minimum", low, v_speed=0.005, v_min=-1.0, v_max=high - MIN_RANGE, format="%.2f"
        )
        new = min(max(new, -1.0), high - MIN_RANGE)
        self._settle("minimum", changed, {"minimum": round(new, 4)})
        imgui.same_line(0.0, gap)
        imgui.set_next_item_width(width)
        changed, new = imgui.drag_float(
            "##maximum", high, v_speed=0.005, v_min=low + MIN_RANGE, v_max=1.0, format="%.2f"
        )
        new = max(min(new, 1.0), low + MIN_RANGE)
        self._settle("maximum", changed, {"maximum": round(new, 4)})

    @staticmethod
    def _slider(name: str, value: float, low: float, high: float, factor: float, text: str) -> tuple[bool, float]:
        """Draw a slider; returns (whether it was changed, displayed number).

        Args:
            value: displayed number.
            low, high: ends in the bindings file; displayed times `factor`.
            text: printf format.
        """
        imgui.set_next_item_width(-1.0)
        return imgui.slider_float(f"##{name}", value, low * factor, high * factor, text)

    def _settle(self, name: str, changed: bool, values: dict[str, Any], save: bool = False) -> None:
        """Apply changed values of the binding; write the file if the widget was released, or at once with `save`."""
        self._ui.items.note(f"axis:{self._action}:{name}")
        if changed:
            self._controls.set_axis(self._device, self._action, replace(self._binding, **values), save=save)
        elif imgui.is_item_deactivated_after_edit():
            self._controls.save()
