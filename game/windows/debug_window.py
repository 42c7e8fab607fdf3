"""The window of the debug drawing: a switch for each layer in its colour, and the scales of forces and impulses."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from imgui_bundle import imgui

from driving_sandbox.game.debug.drawing import DebugDrawing
from driving_sandbox.game.debug.layers import LAYERS
from driving_sandbox.game.toolkit.theme import TEXT_DIM
from driving_sandbox.game.toolkit.widget_events import checkbox
from driving_sandbox.game.windows.window import FreeArea, Key, Window

if TYPE_CHECKING:
    from driving_sandbox.game.toolkit.backend import ImGuiBackend

GROUP = "Numbers and forces"
PER_KILO = 1000.0  # scales are in m per N and shown in m per kN
FORCES = 0.002, 1.0  # m per kN, ends of the slider
IMPULSES = 0.1, 100.0  # m per kN s, ends of the slider
LEFT, TOP = 16.0, 120.0  # pixels at scale 1, position where the window opens
SLIDER = 130.0  # pixels at scale 1, width of a slider
_FLAGS = imgui.WindowFlags_.always_auto_resize.value | imgui.WindowFlags_.no_focus_on_appearing.value
_LOGARITHMIC = imgui.SliderFlags_.logarithmic.value


class DebugWindow(Window):
    """Window in which the user chooses the layers and scales of the debug drawing.

    Args:
        ui: ImGuiBackend.
        drawing: game.debug.drawing.DebugDrawing.
    Attributes:
        drawing: the same DebugDrawing.
        open: whether the window is shown.
    """

    name = "debug_drawing"
    keys = (
        Key("debug_lines", ("f6",), "Forces, contacts and more drawn into the scene", GROUP, after="page_height"),
        Key("debug_window", ("f7",), "Choose the debug layers in the scene", GROUP, after="debug_lines"),
    )
    order = 20

    def __init__(self, ui: ImGuiBackend, drawing: DebugDrawing) -> None:
        self._ui, self.drawing = ui, drawing

    @classmethod
    def make(cls, screen: Any) -> DebugWindow:
        """The window with a new DebugDrawing in the screen's scene."""
        return cls(screen.ui, DebugDrawing(screen.scene, screen.ui))

    def actions(self) -> dict[str, Callable[[], object]]:
        """{action: function}: the drawing and the window are switched separately."""
        return {"debug_lines": self.drawing.toggle, "debug_window": self.toggle}

    def toggle(self) -> None:
        """Open or close the window; opening it switches the drawing on."""
        self.open = not self.open
        self.drawing.on = self.drawing.on or self.open

    def draw(self, free: FreeArea) -> None:
        """Draw the window if it is open; it appears at the left of the free area."""
        if not self.open:
            return
        scale, drawing = self._ui.scale, self.drawing
        imgui.set_next_window_pos(imgui.ImVec2(free.left + LEFT * scale, TOP * scale), imgui.Cond_.appearing.value)
        _, is_open = imgui.begin("Debug drawing###debug_drawing", True, _FLAGS)
        self.open = bool(is_open)
        drawing.on = self._box("on", "Drawn", drawing.on)
        imgui.separator()
        imgui.begin_disabled(not drawing.on)
        for name, layer in LAYERS.items():
            red, green, blue, *_ = layer.colour
            imgui.push_style_color(imgui.Col_.check_mark.value, imgui.ImVec4(red, green, blue, 1.0))
            drawing.layers[name] = self._box(name, layer.label, drawing.layers[name])
            imgui.pop_style_color()
        for label, value in (("All", True), ("None", False)):
            if imgui.button(label):
                drawing.layers = dict.fromkeys(LAYERS, value)
            self._ui.items.note(f"debug:{label.lower()}")
            imgui.same_line()
        imgui.new_line()
        imgui.separator()
        scales = drawing.scales
        scales.force = self._slider("force", "m per kN", scales.force, FORCES)
        scales.impulse = self._slider("impulse", "m per kN s", scales.impulse, IMPULSES)
        imgui.end_disabled()
        imgui.end()

    def _box(self, name: str, label: str, value: bool) -> bool:
        """Draw a checkbox; returns whether it is ticked."""
        _, value = checkbox(f"{label}##{name}", value)
        self._ui.items.note(f"debug:{name}")
        return value

    def _slider(self, name: str, unit: str, value: float, limits: tuple[float, float]) -> float:
        """Draw a slider for a length per N or N s, shown per kN or kN s; returns the new value."""
        imgui.set_next_item_width(SLIDER * self._ui.scale)
        low, high = limits
        _, per_kilo = imgui.slider_float(f"##{name}", value * PER_KILO, low, high, "%.2f", _LOGARITHMIC)
        self._ui.items.note(f"debug:{name}")
        imgui.same_line()
        imgui.text_colored(imgui.ImVec4(*TEXT_DIM), unit)
        return per_kilo / PER_KILO
