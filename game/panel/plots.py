"""Live plots of a vehicle's channels, along the right edge of the picture.

A plot names channels; `*` in a name stands for every wheel. Lines whose unit differs from the first one's are drawn
against a second axis on the right. Closed, the plots neither sample nor draw.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from imgui_bundle import imgui, implot

from game.panel.history import MADE, ChannelHistory
from game.panel.layout import readable, shown_unit
from game.panel.parameters import MARGIN
from game.panel.theme import ACCENT, TEXT_DIM, WHEEL_COLORS, Icon

WIDTH = 350.0  # pixels at scale 1
WIDEST = 0.26  # of the picture
SMALLEST_PLOT = 68.0
CIRCLE_HEIGHT = 1.8  # times that of the other plots
SPANS = (5.0, 10.0, 20.0, 60.0)  # s
LINE_WEIGHT = 1.5
MORE_COLORS = ((0.72, 0.55, 0.95, 1.0), (0.95, 0.55, 0.70, 1.0), (0.65, 0.85, 0.40, 1.0), (0.8, 0.8, 0.8, 1.0))
PICKER_LINES = 14
# ImPlot's numbers, looked up once: an enum's `value` costs as much as drawing a line
_X, _Y = implot.ImAxis_.x1.value, (implot.ImAxis_.y1.value, implot.ImAxis_.y2.value)
_AXIS = implot.AxisFlags_
_STILL = _AXIS.no_menus.value | _AXIS.no_side_switch.value | _AXIS.no_highlight.value
_BARE = _AXIS.no_tick_labels.value | _AXIS.no_tick_marks.value
_OPPOSITE = _AXIS.opposite.value | _AXIS.no_grid_lines.value
_ALWAYS = implot.Cond_.always.value
SHOWN_UNITS = {"m/s": (3.6, "km/h")}  # besides degrees; for `car.speed` only


@dataclass
class Plot:
    """One plot. `channels` are names or patterns; `room` is the least range of the left axis, as shown."""

    title: str
    channels: list
    room: tuple = (0.0, 0.0)
    circle: bool = False  # a g-g diagram: the second channel over the first
    aspect: float = 1.0  # width over height of the drawing area in the last frame
    lines: list = field(default_factory=list)


@dataclass
class Line:
    """One drawn channel: its label in the legend, the factor to what is shown, and 0 or 1 for the axis."""

    name: str
    label: str
    factor: float
    unit: str
    axis: int
    spec: object


def default_plots():
    return [
        Plot("Speed and revs", ["car.speed", "car.rpm"], (0.0, 60.0)),
        Plot("Wheel load", ["tire.*.load"], (0.0, 6000.0)),
        Plot("Slip ratio", ["tire.*.longitudinal_slip"], (-0.1, 0.1)),
        Plot("Slip angle", ["tire.*.lateral_slip"], (-4.0, 4.0)),
        Plot("Jounce", ["suspension.*.jounce"], (0.0, 0.1)),
        Plot("Acceleration (g-g)", ["car.lateral_g", "car.longitudinal_g"], (-1.2, 1.2), circle=True),
    ]


class PlotWindow:
    """Draw with `draw(vehicle)` once a frame, after `sample(vehicle, time)`.

    Attributes:
        open: shown or not. width: pixels covered from the right edge. plots: list of Plot; call `changed()` after
        editing it.
    """

    def __init__(self, ui, plots=None):
        self.open = True
        self.width = 0.0
        self.plots = default_plots() if plots is None else plots
        self.history = ChannelHistory()
        self._ui = ui
        self._vehicle = None
        self._search = ""
        self._placed_for = None

    def changed(self):
        """The list of plots or their channels was edited."""
        self._vehicle = None

    def sample(self, vehicle, time):
        """Record the channels in use at simulated `time`; free of cost while closed."""
        if self.open:
            self._follow(vehicle)
            self.history.sample(time)

    def _follow(self, vehicle):
        if vehicle is self._vehicle:
            return
        self._vehicle = vehicle
        self._channels = {**MADE, **{c.name: c for c in vehicle.channels()}}
        wanted = [name for plot in self.plots for name in self._expand(plot)]
        known = set(self.history.follow(vehicle, dict.fromkeys(wanted)))
        for plot in self.plots:
            plot.lines = self._lines([name for name in self._expand(plot) if name in known])

    def _expand(self, plot):
        """Channel names of a plot, `*` replaced by every wheel."""
        for pattern in plot.channels:
            if "*" in pattern:
                yield from (pattern.replace("*", str(wheel)) for wheel in self._vehicle.wheel_names)
            else:
                yield pattern

    def _lines(self, names):
        colors = WHEEL_COLORS + MORE_COLORS
        units = list(dict.fromkeys(self._channels[name].unit for name in names))
        lines = []
        for i, name in enumerate(names):
            unit = self._channels[name].unit
            factor, text = SHOWN_UNITS.get(unit, (1.0, unit)) if name == "car.speed" else shown_unit(unit)
            spec = implot.Spec()
            spec.line_color = imgui.ImVec4(*colors[i % len(colors)])
            spec.line_weight = LINE_WEIGHT * self._ui.scale
            lines.append(Line(name, self._label(name), factor, text, min(1, units.index(unit)), spec))
        return lines

    def _label(self, name):
        """Short name for a legend: the wheel if there is one, else the last word."""
        parts = name.split(".")
        if len(parts) > 2 and parts[1] in self._vehicle.wheel_names:
            return parts[1].upper()
        if name == "car.rpm":
            return "Engine"
        return name if len(parts) > 2 else readable(parts[-1])

    # -- drawing ----------------------------------------------------------------------------------------------------

    def draw(self, vehicle):
        self.width = 0.0
        if not self.open:
            return
        self._follow(vehicle)
        self._place()
        visible, self.open = imgui.begin("Telemetry###plots", True)
        if visible:
            self._toolbar()
            if imgui.begin_child("plots"):
                self._plots()
            imgui.end_child()
            self.width = self._ui.size[0] - imgui.get_window_pos().x
        imgui.end()

    def _place(self):
        scale, size = self._ui.scale, self._ui.size
        moved = self._placed_for != (scale, size)
        if moved:
            self.changed()  # line widths follow the scale
        condition = imgui.Cond_.always.value if moved else imgui.Cond_.once.value
        self._placed_for = (scale, size)
        margin = MARGIN * scale
        width = min(WIDTH * scale, size[0] * WIDEST)
        imgui.set_next_window_pos(imgui.ImVec2(size[0] - width - margin, margin), condition)
        imgui.set_next_window_size(imgui.ImVec2(width, max(200.0, size[1] - 2.0 * margin)), condition)

    def _toolbar(self):
        imgui.set_next_item_width(imgui.get_font_size() * 5.0)
        spans = [f"{span:g} s" for span in SPANS]
        here = SPANS.index(self.history.span) if self.history.span in SPANS else 1
        changed, index = imgui.combo("##span", here, spans)
        self._ui.items.note("plots:span")
        if changed:
            self.history.set_span(SPANS[index])
        imgui.same_line()
        if imgui.button(f"{Icon.PLUS}  Plot"):
            self.plots.append(Plot(f"Plot {len(self.plots) + 1}", []))
            self.changed()
        self._ui.items.note("plots:add")

    def _plots(self):
        if not self.plots:
            imgui.text_disabled("No plots. Add one and choose its channels.")
            return
        line = imgui.get_text_line_height_with_spacing() + imgui.get_style().item_spacing.y
        shares = [CIRCLE_HEIGHT if plot.circle else 1.0 for plot in self.plots]
        room = (imgui.get_content_region_avail().y - line * len(self.plots)) / sum(shares)
        usual = max(SMALLEST_PLOT * self._ui.scale, room)
        removed = None
        for i, (plot, share) in enumerate(zip(self.plots, shares, strict=True)):
            imgui.push_id(i)
            height = usual * share
            if self._header(plot, i):
                removed = plot
            if imgui.is_rect_visible(imgui.ImVec2(1.0, height)):
                self._plot(plot, height)
            else:
                imgui.dummy(imgui.ImVec2(1.0, height))
            imgui.pop_id()
        if removed is not None:
            self.plots.remove(removed)
            self.changed()

    def _header(self, plot, index):
        """Title, unit, names of the lines in their colours and two small buttons; True if the plot is to go."""
        right = imgui.get_content_region_avail().x
        units = {line.unit for line in plot.lines}
        imgui.text_unformatted(plot.title)
        if len(units) == 1 and "" not in units:
            imgui.same_line(0.0, imgui.get_font_size() * 0.5)
            imgui.text_colored(imgui.ImVec4(*TEXT_DIM), *units)
        for line in plot.lines if not plot.circle else ():
            imgui.same_line(0.0, imgui.get_font_size() * 0.6)
            imgui.text_colored(line.spec.line_color, line.label if len(units) == 1 else f"{line.label} {line.unit}")
        step = imgui.get_font_size() * 1.5
        imgui.push_style_color(imgui.Col_.button.value, imgui.ImVec4(0.0, 0.0, 0.0, 0.0))
        imgui.same_line(right - 2.0 * step)
        if imgui.small_button(f"{Icon.PLUS}##pick"):
            self._search = ""
            imgui.open_popup("pick")
        self._ui.items.note(f"plot{index}:pick")
        imgui.same_line(right - step)
        gone = imgui.small_button(f"{Icon.CLOSE}##remove")
        self._ui.items.note(f"plot{index}:remove")
        imgui.pop_style_color()
        if imgui.begin_popup("pick"):
            self._picker(plot)
            imgui.end_popup()
        return gone

    def _picker(self, plot):
        """Channels by search; those in the plot are ticked."""
        imgui.set_next_item_width(imgui.get_font_size() * 18.0)
        _, self._search = imgui.input_text_with_hint("##find", f"{Icon.SEARCH}  Search channels", self._search)
        self._ui.items.note("pick:search")
        terms = self._search.lower().split()
        shown = list(self._expand(plot))
        names = [name for name in self._channels if all(term in name.lower() for term in terms)]
        height = imgui.get_frame_height_with_spacing() * PICKER_LINES
        if imgui.begin_child("channels", imgui.ImVec2(0.0, height)):
            clipper = imgui.ListClipper()
            clipper.begin(len(names))
            while clipper.step():
                for name in names[clipper.display_start : clipper.display_end]:
                    self._pick(plot, name, shown)
        imgui.end_child()

    def _pick(self, plot, name, shown):
        channel = self._channels[name]
        changed, ticked = imgui.checkbox(f"{name}   {shown_unit(channel.unit)[1]}###{name}", name in shown)
        self._ui.items.note(f"pick:{name}")
        if channel.doc and imgui.is_item_hovered():
            imgui.set_tooltip(channel.doc)
        if changed:
            plot.channels = [*shown, name] if ticked else [other for other in shown if other != name]
            self.changed()

    def _plot(self, plot, height):
        flags = implot.Flags_
        points = int(imgui.get_content_region_avail().x)  # one a pixel
        plain = flags.no_menus.value | flags.no_box_select.value | flags.no_mouse_text.value | flags.no_legend.value
        if not implot.begin_plot("##plot", imgui.ImVec2(-1.0, height), plain):
            return
        if plot.circle and len(plot.lines) >= 2:
            self._draw_circle(plot)
        else:
            self._draw_lines(plot, points)
        implot.end_plot()

    def _draw_lines(self, plot, points):
        history = self.history
        implot.setup_axis(_X, "", _STILL | _BARE)
        implot.setup_axis_limits(_X, history.now - history.span, history.now, _ALWAYS)
        data = []
        for line in plot.lines:
            times, values = history.outline(line.name, points)
            data.append((line, times, values * line.factor))
        for side, name in enumerate(_Y):
            mine = [values for line, _, values in data if line.axis == side]
            if side and not mine:
                break
            implot.setup_axis(name, "", _STILL | _OPPOSITE if side else _STILL)
            low, high = axis_range(mine, plot.room if side == 0 else (0.0, 0.0))
            implot.setup_axis_limits(name, low, high, _ALWAYS)
        for line, times, values in data:
            implot.set_axes(_X, _Y[line.axis])
            implot.plot_line(line.label, times, values, line.spec)

    def _draw_circle(self, plot):
        """One channel over another with circles at 0.5 and 1, the way and the present point."""
        data = [self.history.values(line.name) * line.factor for line in plot.lines[:2]]
        low, high = axis_range(data, plot.room)
        reach = max(-low, high)
        for name in (_X, _Y[0]):
            implot.setup_axis(name, "", _STILL)
        wide = reach * plot.aspect  # so that a circle is round
        implot.setup_axis_limits(_X, -wide, wide, _ALWAYS)
        implot.setup_axis_limits(_Y[0], -reach, reach, _ALWAYS)
        size = implot.get_plot_size()
        plot.aspect = size.x / max(size.y, 1.0)
        for radius in (0.5, 1.0):
            implot.plot_line(f"##circle{radius}", *(_CIRCLE * radius), _circle_spec())
        implot.plot_line("##way", *data, plot.lines[0].spec)
        if len(data[0]):
            marker = implot.Spec()
            marker.marker = implot.Marker_.circle.value
            marker.marker_size = 4.0 * self._ui.scale
            marker.marker_fill_color = imgui.ImVec4(*ACCENT)
            implot.plot_scatter("##now", data[0][-1:], data[1][-1:], marker)


_ANGLES = np.linspace(0.0, 2.0 * math.pi, 49)
_CIRCLE = np.array([np.cos(_ANGLES), np.sin(_ANGLES)])


def _circle_spec():
    spec = implot.Spec()
    spec.line_color = imgui.ImVec4(1.0, 1.0, 1.0, 0.22)
    return spec


def axis_range(series, room):
    """Round ends that hold all finite values and `room`; they move in steps, so the picture does not tremble."""
    low, high = room
    values = np.concatenate(series) if series else np.zeros(0)
    finite = values[np.isfinite(values)]
    if finite.size:
        low, high = min(low, float(finite.min())), max(high, float(finite.max()))
    size = high - low
    if size <= 0.0:
        return low - 1.0, high + 1.0
    step = 10.0 ** math.floor(math.log10(size)) / 2.0
    return math.floor(low / step) * step, math.ceil((high + 0.08 * size) / step) * step
