"""Draws the content of one plot by its kind (game/plots/layouts.py)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from imgui_bundle import imgui, implot

from driving_sandbox.game.plots.axes import ALWAYS, X, Y, axis_range, finite, setup_axis
from driving_sandbox.game.plots.layouts import CIRCLE, ENGINE, HISTOGRAM, SPECTRUM, TIRE
from driving_sandbox.game.plots.spectrum import draw_spectrum
from driving_sandbox.game.toolkit.theme import ACCENT
from driving_sandbox.game.toolkit.units import RPM_PER_RAD_S
from driving_sandbox.physics.base.record import field_names

if TYPE_CHECKING:
    from driving_sandbox.game.plots.cursors import Cursors
    from driving_sandbox.game.plots.history import ChannelHistory
    from driving_sandbox.game.plots.layouts import Plot
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

POINT_PITCH = 2.0  # pixels from one point of a line to the next: the line's width
BINS = 40  # ranges of values in a histogram
# ImPlot's flags as integers, looked up once: reading an enum's `value` takes as long as drawing a line
_AXIS = implot.AxisFlags_
FIXED_AXIS = _AXIS.no_menus.value | _AXIS.no_side_switch.value | _AXIS.no_highlight.value
BARE = _AXIS.no_tick_labels.value | _AXIS.no_tick_marks.value
SMALL = (  # flags of a plot without interaction inside another window
    implot.Flags_.no_menus.value
    | implot.Flags_.no_box_select.value
    | implot.Flags_.no_mouse_text.value
    | implot.Flags_.no_legend.value
)
_OPPOSITE = _AXIS.opposite.value | _AXIS.no_grid_lines.value
_MARKER = implot.Marker_.circle.value
_FAINT = imgui.ImVec4(1.0, 1.0, 1.0, 0.22)
_ANGLES = np.linspace(0.0, 2.0 * math.pi, 49)
_CIRCLE = np.array([np.cos(_ANGLES), np.sin(_ANGLES)])  # x and y of points at radius 1, [2, n]


class PlotDrawing:
    """Draws a plot's content; call `draw` between `implot.begin_plot` and `implot.end_plot`.

    Args:
        history: ChannelHistory of the plotted channels.
        cursors: Cursors of the plots over time.
    Attributes:
        heard: function() -> samples played last, with the engine speed, as from `Silence.recent`.
    """

    def __init__(self, history: ChannelHistory, cursors: Cursors) -> None:
        self._history, self._cursors, self.heard = history, cursors, lambda: None

    def draw(self, plot: Plot, vehicle: Vehicle, size: tuple[float, float], scale: float) -> None:
        """Draw a plot's content.

        Args:
            size: (width, height) of the plot, pixels.
            scale: scale of the interface.
        """
        if plot.kind == CIRCLE and len(plot.lines) >= 2:
            self._circle(plot, scale)
        elif plot.kind == TIRE and len(plot.lines) >= 2:
            self._tires(plot, size, scale)
        elif plot.kind == ENGINE and len(plot.lines) >= 2:
            self._engine(plot, vehicle, size, scale)
        elif plot.kind == HISTOGRAM:
            self._histogram(plot, size)
        elif plot.kind == SPECTRUM:
            draw_spectrum(self.heard(), plot.min_range, size)
        else:
            self._over_time(plot, size)

    def _over_time(self, plot: Plot, size: tuple[float, float]) -> None:
        """Draw a plot over time: outlines of its lines on up to two vertical axes, then the cursors."""
        history = self._history
        implot.setup_axis(X, "", FIXED_AXIS | BARE)
        implot.setup_axis_limits(X, history.now - history.span, history.now, ALWAYS)
        data = []
        for line in plot.lines:
            times, values = history.outline(line.name, int(size[0] / POINT_PITCH))
            data.append((line, times, values * line.factor))
        for side, name in enumerate(Y):
            axis_values = [values for line, _, values in data if line.axis == side]
            if side and not axis_values:
                break
            low, high = axis_range(axis_values, (0.0, 0.0) if side else plot.min_range)
            setup_axis(name, low, high, size[1], FIXED_AXIS | _OPPOSITE if side else FIXED_AXIS)
        for line, times, values in data:
            implot.set_axes(X, Y[line.axis])
            implot.plot_line(line.label, times, values, line.spec)
        implot.set_axes(X, Y[0])
        self._cursors.in_plot()

    def _circle(self, plot: Plot, scale: float) -> None:
        """Draw the second channel versus the first: circles of radius 0.5 and 1, the trace and the latest point."""
        data = [self._history.values(line.name) * line.factor for line in plot.lines[:2]]
        low, high = axis_range(data, plot.min_range)
        reach = max(-low, high)
        for name in (X, Y[0]):
            implot.setup_axis(name, "", FIXED_AXIS)
        half_width = reach * plot.aspect  # so that a circle is round
        implot.setup_axis_limits(X, -half_width, half_width, ALWAYS)
        implot.setup_axis_limits(Y[0], -reach, reach, ALWAYS)
        size = implot.get_plot_size()
        plot.aspect = size.x / max(size.y, 1.0)
        for radius in (0.5, 1.0):
            xs, ys = _CIRCLE * radius
            implot.plot_line(f"##circle{radius}", xs, ys, _line_spec(_FAINT))
        x, y = data
        implot.plot_line("##trace", x, y, plot.lines[0].spec)
        _mark_last("##now", x, y, imgui.ImVec4(*ACCENT), scale)

    def _tires(self, plot: Plot, size: tuple[float, float], scale: float) -> None:
        """Draw each wheel's second channel versus its first: past points and the latest one.

        The plot's lines are the first channel of all wheels, then the second channel of all wheels.
        """
        half = len(plot.lines) // 2
        pairs = [
            [self._history.values(line.name) * line.factor for line in (x_line, y_line)]
            for x_line, y_line in zip(plot.lines[:half], plot.lines[half:], strict=False)
        ]
        for axis, length, series in zip((X, Y[0]), size, zip(*pairs, strict=True), strict=True):
            setup_axis(axis, *axis_range(series, (0.0, 0.0)), length, FIXED_AXIS)
        for k, (x, y) in enumerate(pairs):
            spec = implot.Spec()
            color = plot.lines[k].spec.line_color
            spec.marker, spec.marker_size = _MARKER, 1.2 * scale
            spec.marker_fill_color = spec.marker_line_color = imgui.ImVec4(color.x, color.y, color.z, 0.35)
            implot.plot_scatter(f"##cloud{k}", x, y, spec)
            _mark_last(f"##now{k}", x, y, color, scale)

    def _engine(self, plot: Plot, vehicle: Vehicle, size: tuple[float, float], scale: float) -> None:
        """Draw the engine's full-throttle torque versus its speed, past operating points and the latest one."""
        rpm, torque = (self._history.values(line.name) * line.factor for line in plot.lines[:2])
        full = full_torque(vehicle)
        series = [torque] if full is None else [torque, full[1]]
        setup_axis(X, *axis_range([rpm] if full is None else [rpm, full[0]], (0.0, 0.0)), size[0], FIXED_AXIS)
        setup_axis(Y[0], *axis_range(series, (0.0, 0.0)), size[1], FIXED_AXIS)
        if full is not None:
            implot.plot_line("##full", *full, _line_spec(imgui.ImVec4(1.0, 1.0, 1.0, 0.6)))
        implot.plot_line("##trace", rpm, torque, plot.lines[1].spec)
        _mark_last("##now", rpm, torque, imgui.ImVec4(*ACCENT), scale)

    def _histogram(self, plot: Plot, size: tuple[float, float]) -> None:
        """Draw the percentage of the samples in each of BINS ranges of values."""
        data = [(line, finite(self._history.values(line.name) * line.factor)) for line in plot.lines]
        series = [values for _, values in data if values.size]
        if not series:
            return
        low, high = axis_range(series, (0.0, 0.0))
        edges = np.linspace(low, high, BINS + 1)
        middle = (edges[1:] + edges[:-1]) / 2.0
        percentages = [(line, np.histogram(values, edges)[0] * (100.0 / max(1, values.size))) for line, values in data]
        setup_axis(X, low, high, size[0], FIXED_AXIS)
        highest = axis_range([bars for _, bars in percentages], (0.0, 0.0))[1]
        setup_axis(Y[0], 0.0, highest, size[1], FIXED_AXIS)
        for line, bars in percentages:
            implot.plot_stairs(line.label, middle, bars.astype(float), line.spec)


def full_torque(vehicle: Vehicle) -> tuple[np.ndarray, np.ndarray] | None:
    """(engine speeds in rpm, full-throttle torques in N m) of an engine with a torque curve; None for others."""
    params = vehicle.params["engine"][0] if "engine" in field_names(vehicle.params.dtype) else None
    if params is None or not {"torque_curve", "peak_torque", "max_omega"} <= set(field_names(params.dtype)):
        return None
    curve = params["torque_curve"]
    count = int(curve["count"])
    speeds, torques = np.array(curve["x"][:count]), np.array(curve["y"][:count])  # shares of max_omega, peak_torque
    return speeds * float(params["max_omega"]) * RPM_PER_RAD_S, torques * float(params["peak_torque"])


def _line_spec(color: imgui.ImVec4) -> implot.Spec:
    spec = implot.Spec()
    spec.line_color = color
    return spec


def _mark_last(name: str, x: np.ndarray, y: np.ndarray, color: imgui.ImVec4, scale: float) -> None:
    """Draw a marker at the latest point of a line, if it has any."""
    if not len(x):
        return
    marker = implot.Spec()
    marker.marker, marker.marker_size, marker.marker_fill_color = _MARKER, 4.0 * scale, color
    implot.plot_scatter(name, x[-1:], y[-1:], marker)
