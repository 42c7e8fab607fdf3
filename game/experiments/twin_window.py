"""The window of the twin: the motion of car and twin and their difference, as numbers and plotted over time."""

from __future__ import annotations

from typing import Any

import numpy as np
from imgui_bundle import imgui, implot

from driving_sandbox.game.experiments.twin import RATE_CHANNEL, SPAN, Twin
from driving_sandbox.game.experiments.what_if_window import BEFORE_COLOR, MARGIN
from driving_sandbox.game.plots.axes import ALWAYS, X, Y, axis_range, setup_axis
from driving_sandbox.game.plots.drawing import BARE, FIXED_AXIS, SMALL
from driving_sandbox.game.toolkit.theme import ACCENT, TEXT, TEXT_DIM
from driving_sandbox.game.toolkit.units import motion_unit

WIDTH = 330.0  # pixels at scale 1
PLOT_HEIGHT = 64.0  # pixels at scale 1
QUANTITIES = (  # (label, channel, unit of the channel)
    ("Speed", "car.speed", "m/s"),
    ("Yaw rate", RATE_CHANNEL, "rad/s"),
    ("Lateral acceleration", "car.lateral_g", "g"),
)
_ALWAYS = imgui.Cond_.always.value


def differences(twin: Twin) -> list[tuple[str, str, float, float]]:
    """[(label, unit, car's value, twin's value)] of the latest sample, in displayed units."""
    rows = []
    for label, channel, unit in QUANTITIES:
        factor, display_unit = motion_unit(unit)
        car, other = twin.car_history.values(channel), twin.twin_history.values(channel)
        if len(car) and len(other):
            rows.append((label, display_unit, float(car[-1]) * factor, float(other[-1]) * factor))
    return rows


class TwinWindow:
    """The window of a game.experiments.twin.Twin. Call `draw` once a frame."""

    def __init__(self, ui: Any, twin: Twin) -> None:
        self._ui, self._twin = ui, twin

    def draw(self, left: float, right: float) -> None:
        """Draw the window if the twin is shown; closing the window hides the twin.

        `left` and `right` are pixels between which no panel covers the frame.
        """
        if not self._twin.shown:
            return
        scale = self._ui.scale
        imgui.set_next_window_pos(imgui.ImVec2(left + MARGIN * scale, MARGIN * scale), _ALWAYS)
        imgui.set_next_window_size(imgui.ImVec2(min(WIDTH * scale, right - left), 0.0), _ALWAYS)
        visible, is_open = imgui.begin("Twin###twin", True, imgui.WindowFlags_.no_focus_on_appearing.value)
        if visible:
            self._content()
        imgui.end()
        if not is_open:
            self._twin.shown = False

    def _content(self) -> None:
        """Draw the twin's offset from the car, the button that joins them, and a row and a plot per quantity."""
        ahead, right = self._twin.offset
        label = f"{self._twin.vehicle.name}: {ahead:+z.1f} m ahead, {right:+z.1f} m right"
        imgui.text_colored(imgui.ImVec4(*TEXT_DIM), label)
        self._ui.items.note("twin-apart")
        imgui.same_line()
        if imgui.small_button("Join"):
            self._twin.join()
        self._ui.items.note("twin-join")
        if imgui.is_item_hovered(imgui.HoveredFlags_.delay_short.value):
            imgui.set_tooltip("Move the twin to the car, with the car's velocity")
        rows = {row[0]: row for row in differences(self._twin)}
        for label, channel, unit in QUANTITIES:
            if label in rows:
                self._line(*rows[label])
                self._plot(label, channel, unit)

    def _line(self, label: str, unit: str, car: float, twin: float) -> None:
        """Draw a quantity of car and twin, and their difference, in displayed units."""
        imgui.text_unformatted(f"{label} {unit}")
        imgui.same_line()
        for text, color in ((f"{car:z.2f}", TEXT_DIM), (f"{twin:z.2f}", TEXT), (f"{twin - car:+z.2f}", ACCENT)):
            imgui.same_line()
            imgui.text_colored(imgui.ImVec4(*color), text)
        self._ui.items.note(f"twin:{label}")

    def _plot(self, label: str, channel: str, unit: str) -> None:
        """Plot a channel of car and twin over the last SPAN seconds, with the area between the lines shaded.

        `unit` is the channel's own unit.
        """
        if not implot.begin_plot(f"##twin {label}", imgui.ImVec2(-1.0, PLOT_HEIGHT * self._ui.scale), SMALL):
            return
        factor, _ = motion_unit(unit)
        twin = self._twin
        series = [np.ascontiguousarray(h.values(channel) * factor) for h in (twin.car_history, twin.twin_history)]
        times = np.ascontiguousarray(twin.car_history.times() - twin.car_history.now)
        implot.setup_axis(X, "", FIXED_AXIS | BARE)
        implot.setup_axis_limits(X, -SPAN, 0.0, ALWAYS)
        setup_axis(Y[0], *axis_range(series, (0.0, 0.0)), PLOT_HEIGHT * self._ui.scale, FIXED_AXIS)
        if len(series[0]) == len(series[1]):
            area = implot.Spec()
            area.fill_color, area.fill_alpha = imgui.ImVec4(*ACCENT), 0.25
            implot.plot_shaded("difference", times, series[0], series[1], area)
            for name, values, color in (("car", series[0], BEFORE_COLOR), ("twin", series[1], ACCENT)):
                line = implot.Spec()
                line.line_color, line.line_weight = imgui.ImVec4(*color), 1.6 * self._ui.scale
                implot.plot_line(name, times, values, line)
        implot.end_plot()
