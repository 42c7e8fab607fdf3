"""Live plots of a vehicle's channels, along the right edge of the frame or in the column.

A plot lists names of channels; `*` in a name matches every wheel, and names of trailers' channels begin with
`trailer1.` or `trailer2.`. Lines whose unit differs from the first line's use a second axis on the right. While closed,
the plots neither sample nor draw; when opened, they read earlier samples from the session's log of states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from imgui_bundle import imgui, implot

from driving_sandbox.game.panel.layout import readable
from driving_sandbox.game.panel.parameters import MARGIN
from driving_sandbox.game.plots.cursors import Cursors, at_time
from driving_sandbox.game.plots.derived_channels import plottable
from driving_sandbox.game.plots.drawing import POINT_PITCH, PlotDrawing
from driving_sandbox.game.plots.history import ChannelHistory
from driving_sandbox.game.plots.laps import LapPlots, has_laps
from driving_sandbox.game.plots.layout_menu import LayoutMenu
from driving_sandbox.game.plots.layouts import (
    CIRCLE,
    KINDS,
    LAP_GAP,
    LAP_KINDS,
    TIME,
    Layouts,
    Line,
    Plot,
    default_plots,
    lap_layout,
)
from driving_sandbox.game.toolkit.flow import button_width, same_line_if_fits
from driving_sandbox.game.toolkit.theme import TEXT_DIM, WHEEL_COLORS, Icon
from driving_sandbox.game.toolkit.units import current_system, motion_unit, number_text, shown_unit
from driving_sandbox.game.toolkit.widget_events import checkbox
from driving_sandbox.physics.vehicle.trailers import member_of

WIDTH = 350.0  # pixels at scale 1
MAX_WIDTH_SHARE = 0.26  # largest width / frame's width
MIN_PLOT_HEIGHT = 52.0  # pixels at scale 1
RELATIVE_HEIGHT = 1.8  # height of any other plot / height of a plot over time or a lap
SPANS = (5.0, 10.0, 20.0, 60.0)  # s
LINE_WEIGHT = 1.5  # pixels at scale 1
# RGBA of the lines for which WHEEL_COLORS has no colour
MORE_COLORS = ((0.72, 0.55, 0.95, 1.0), (0.95, 0.55, 0.70, 1.0), (0.65, 0.85, 0.40, 1.0), (0.8, 0.8, 0.8, 1.0))
PICKER_LINES = 14  # lines of the list of channels
ADD = f"{Icon.PLUS}  Plot"


class PlotWindow:
    """The telemetry window; call `draw(vehicle)` once a frame, after `sample(vehicle, time)`.

    Args:
        plots: list of Plot; None for the default plots.
        layouts: Layouts to choose from and to save in.
        laps: game.laps.reference.Laps of the plots over a lap, or None if there are no laps.
    Attributes:
        open: whether the window is shown.
        width: pixels covered from the right edge.
        plots: list of Plot; call `changed()` after editing it.
        cursors: Cursors of the plots over time.
        marks: function() -> [(time, text)] to show in the plots over time.
        drawing: PlotDrawing.
        column: the Column of windows that it may be part of, or None.
    """

    def __init__(self, ui: Any, plots: list[Plot] | None = None, layouts: Layouts | None = None,
                 laps: Any = None) -> None:  # fmt: skip
        self.open, self._closed = True, False  # _closed: whether the window was closed at the last `sample`
        self.width, self.layouts = 0.0, layouts or Layouts()
        self.plots = default_plots() if plots is None else plots
        self._menu = LayoutMenu(ui, self.layouts)
        self.history, self.cursors = ChannelHistory(), Cursors()
        self.drawing, self._lap_plots, self.laps = PlotDrawing(self.history, self.cursors), LapPlots(ui), laps
        self.column: Any = None
        self.marks: Callable[[], Iterable[tuple[float, str]]] = tuple  # a function that returns no marks
        self._ui, self._search = ui, ""
        self._vehicle: Any = None  # for which channels and lines were chosen, as `_units`
        self._units: Any = None
        self._placed_for: Any = None  # scale, or (scale, frame size), for which the window was placed

    def changed(self) -> None:
        """Apply an edit of the list of plots or of their channels."""
        self._vehicle = None

    def sample(self, vehicle: Any, time: float) -> None:
        """Record the plotted channels at simulated `time`, s; does nothing while closed."""
        if not self.open:
            self._closed = True
            return
        if self._closed:
            self._closed = False
            self.history.read_again()
        self._follow(vehicle)
        self.history.sample(time)
        if self.laps is not None and self._lap_channels is not None:
            self.laps.sample(time, vehicle.model_position(), self._lap_values, self._past_lap_values)

    def jumped(self) -> None:
        """To be called after a jump of the vehicle."""
        self.history.jumped()

    def _lap_values(self) -> dict[str, float]:
        """{channel: value} of the channels plotted over a lap."""
        return {name: self.history.read(name) for name in self._lap_channels or ()}

    def _past_lap_values(self, start: float, end: float) -> Iterator[tuple[float, Any, dict[str, float]]]:
        """Iterator of (time, position, {channel: value}) of the channels plotted over a lap, from the session's log."""
        return self.history.past(self._lap_channels or (), start, end)

    def _follow(self, vehicle: Any) -> None:
        """Choose channels and lines anew when the vehicle or the units have changed."""
        if vehicle is self._vehicle and self._units is current_system():
            return
        self._vehicle, self._units = vehicle, current_system()
        self._channels = plottable(vehicle)
        channels = [name for plot in self.plots for name in self._expand(plot)]
        known = set(self.history.follow(vehicle, dict.fromkeys(channels)))
        for plot in self.plots:
            plot.lines = self._lines([name for name in self._expand(plot) if name in known])
        over_lap = [line.name for plot in self.plots if plot.kind in LAP_KINDS for line in plot.lines]
        self._lap_channels = list(dict.fromkeys(over_lap)) if has_laps(self.plots) else None

    def _expand(self, plot: Plot) -> Iterator[str]:
        """Channel names of a plot, `*` replaced by every wheel."""
        for pattern in plot.channels:
            try:
                _, member, _ = member_of(self._vehicle, pattern)
            except KeyError:
                continue  # a channel of a trailer that this vehicle does not have
            if "*" in pattern:
                yield from (pattern.replace("*", str(wheel)) for wheel in member.wheel_names)
            else:
                yield pattern

    def _lines(self, names: Sequence[str]) -> list[Line]:
        """[Line] of the channels `names`; all units but the first share the second axis."""
        colors = WHEEL_COLORS + MORE_COLORS
        factors_and_units = [(motion_unit if name == "car.speed" else shown_unit)(self._channels[name].unit)
                             for name in names]  # fmt: skip
        units = list(dict.fromkeys(text for _, text in factors_and_units))
        lines = []
        for i, (name, (factor, text)) in enumerate(zip(names, factors_and_units, strict=True)):
            spec = implot.Spec()
            spec.line_color = imgui.ImVec4(*colors[i % len(colors)])
            spec.line_weight = LINE_WEIGHT * self._ui.scale
            lines.append(Line(name, self._label(name), factor, text, min(1, units.index(text)), spec))
        return lines

    def _label(self, name: str) -> str:
        """Name above a plot: wheel, last of two words, or whole name; T1 or T2 before a trailer's wheel or word."""
        k, member, own_name = member_of(self._vehicle, name)
        parts, trailer = own_name.split("."), f"T{k} " if k else ""
        if len(parts) > 2 and parts[1] in member.wheel_names:
            return trailer + parts[1].upper()
        if name == "car.rpm":
            return "Engine"
        return name if len(parts) > 2 else trailer + readable(parts[-1])

    def draw(self, vehicle: Any) -> None:
        """Draw the window, if it is open."""
        self.width = 0.0
        if not self.open:
            return
        self._follow(vehicle)
        self._set_window()
        visible, is_open = imgui.begin("Telemetry###plots", True)
        self.open = bool(is_open)
        if visible:
            self._inside()
            self.width = self._ui.size[0] - imgui.get_window_pos().x
        position = imgui.get_window_pos()
        self._ui.items.put("window:plots", (position.x, position.y, position.x + imgui.get_window_width(),
                                            position.y + imgui.get_window_height()))  # fmt: skip
        imgui.end()

    def content(self, vehicle: Any) -> None:
        """Draw the plots inside another window."""
        if self._placed_for != self._ui.scale:
            self._placed_for = self._ui.scale
            self.changed()  # line widths follow the scale
        self._follow(vehicle)
        self._inside()

    def close(self) -> None:
        """Close the window."""
        self.open = False

    def _inside(self) -> None:
        """Draw the content of the window."""
        self._toolbar()
        if imgui.begin_child("plots"):
            self._plots()
        imgui.end_child()

    @property
    def breadth(self) -> float:
        """Width of the window while it is not part of a column, pixels."""
        return min(WIDTH * self._ui.scale, self._ui.size[0] * MAX_WIDTH_SHARE)

    def _set_window(self) -> None:
        """Place the window at the right edge, again whenever the interface's scale or the frame's size changes."""
        scale, size = self._ui.scale, self._ui.size
        is_resized = self._placed_for != (scale, size)
        if is_resized:
            self.changed()  # line widths follow the scale
        condition = imgui.Cond_.always.value if is_resized else imgui.Cond_.once.value
        self._placed_for = (scale, size)
        margin, width = MARGIN * scale, self.breadth
        imgui.set_next_window_pos(imgui.ImVec2(size[0] - width - margin, margin), condition)
        imgui.set_next_window_size(imgui.ImVec2(width, max(200.0, size[1] - 2.0 * margin)), condition)

    def _toolbar(self) -> None:
        """Draw the row of choices above the plots."""
        imgui.set_next_item_width(imgui.get_font_size() * 5.0)
        spans = [f"{span:g} s" for span in SPANS]
        selected = SPANS.index(self.history.span) if self.history.span in SPANS else 1
        changed, index = imgui.combo("##span", selected, spans)
        self._ui.items.note("plots:span")
        if changed:
            self.history.set_span(SPANS[index])
        same_line_if_fits(button_width(ADD))
        if imgui.button(ADD):
            self.plots.append(Plot(f"Plot {len(self.plots) + 1}", []))
            self.changed()
        self._ui.items.note("plots:add")
        if self._menu.draw(self.plots):
            self.changed()
        if self.laps is not None:
            self._lap_button()
        if self.column is not None:
            self._move_button()
        self.cursors.table([plot for plot in self.plots if plot.kind == TIME], self.history)

    def _move_button(self) -> None:
        """Draw the button that moves the plots into the column or to the right edge."""
        aside = self.column.plots_aside
        icon, words = (Icon.LEFT, "Into the column") if aside else (Icon.RIGHT, "To the right edge")
        same_line_if_fits(button_width(icon))
        if imgui.button(f"{icon}##move"):
            self.column.move_plots()
        self._ui.items.note("plots:move")
        if imgui.is_item_hovered(imgui.HoveredFlags_.delay_short.value):
            imgui.set_tooltip(words)

    def _lap_button(self) -> None:
        """Draw the button with the choice of laps."""
        same_line_if_fits(button_width("Laps"))
        if imgui.button("Laps"):
            imgui.open_popup("laps")
        self._ui.items.note("plots:laps")
        if imgui.begin_popup("laps"):
            if not has_laps(self.plots):
                if imgui.selectable("Show the plots of a lap", False)[0]:
                    self.plots[:] = lap_layout()
                    self.changed()
                self._ui.items.note("laps:layout")
            self._lap_plots.chooser(self.laps)
            imgui.end_popup()

    def _plots(self) -> None:
        """Draw all plots, with the height divided among them; those outside the window only take their height."""
        self.cursors.begin(self._marks())
        self._lap_plots.begin()
        if not self.plots:
            imgui.text_disabled("No plots. Add one and choose its channels.")
            return
        line = imgui.get_text_line_height_with_spacing() + imgui.get_style().item_spacing.y
        shares = [1.0 if plot.kind in (TIME, *LAP_KINDS) else RELATIVE_HEIGHT for plot in self.plots]
        height = (imgui.get_content_region_avail().y - line * len(self.plots)) / sum(shares)
        base_height = max(MIN_PLOT_HEIGHT * self._ui.scale, height)
        removed = None
        for i, (plot, share) in enumerate(zip(self.plots, shares, strict=True)):
            imgui.push_id(i)
            height = base_height * share
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

    def _marks(self) -> list[tuple[float, str]]:
        """Marks within the span of time shown."""
        start, end = self.history.now - self.history.span, self.history.now
        return [(time, text) for time, text in self.marks() if start <= time <= end]

    def _header(self, plot: Plot, index: int) -> bool:
        """Draw a plot's title, the names of its lines and two small buttons; returns whether to remove the plot."""
        right, step = imgui.get_content_region_avail().x, imgui.get_font_size() * 1.5
        start = imgui.get_cursor_screen_pos()
        end = imgui.ImVec2(start.x + right - 2.2 * step, start.y + imgui.get_frame_height())
        imgui.push_clip_rect(start, end, True)  # long texts are cut off before the buttons
        self._names(plot)
        imgui.pop_clip_rect()
        imgui.push_style_color(imgui.Col_.button.value, imgui.ImVec4(0.0, 0.0, 0.0, 0.0))
        imgui.same_line(right - 2.0 * step)
        if imgui.small_button(f"{Icon.PLUS}##pick"):
            self._search = ""
            imgui.open_popup("pick")
        self._ui.items.note(f"plot{index}:pick")
        imgui.same_line(right - step)
        removed = imgui.small_button(f"{Icon.CLOSE}##remove")
        self._ui.items.note(f"plot{index}:remove")
        imgui.pop_style_color()
        if imgui.begin_popup("pick"):
            self._picker(plot)
            imgui.end_popup()
        return removed

    def _names(self, plot: Plot) -> None:
        """Draw title, unit, and the names of the lines in their colours."""
        units = {line.unit for line in plot.lines}
        imgui.text_unformatted(plot.title)
        if len(units) == 1 and "" not in units:
            imgui.same_line(0.0, imgui.get_font_size() * 0.5)
            imgui.text_colored(imgui.ImVec4(*TEXT_DIM), *units)
        for line in self._named(plot):
            imgui.same_line(0.0, imgui.get_font_size() * 0.6)
            text = line.label if len(units) == 1 else f"{line.label} {line.unit}"
            imgui.text_colored(line.spec.line_color, text + self._at_cursor(plot, line))
        if plot.kind == LAP_GAP and self.laps is not None:
            for text, color in self._lap_plots.gap_texts(self.laps):
                imgui.same_line(0.0, imgui.get_font_size() * 0.6)
                imgui.text_colored(imgui.ImVec4(*color), text)

    @staticmethod
    def _named(plot: Plot) -> Iterable[Line]:
        """The lines whose names are written above a plot; plots with two channels per wheel name each wheel once."""
        if plot.kind == CIRCLE:
            return ()
        if plot.kind in (TIME, *LAP_KINDS):
            return plot.lines
        return {line.label: line for line in reversed(plot.lines)}.values()

    def _at_cursor(self, plot: Plot, line: Line) -> str:
        """Text after a line's name: the channel's value under the mouse, or nothing."""
        if plot.kind in LAP_KINDS and self.laps is not None:
            return self._lap_plots.cursor_text(plot, line, self.laps)
        if plot.kind != TIME or self.cursors.at is None:
            return ""
        value = at_time(self.history.times(), self.history.values(line.name), self.cursors.at)
        return "" if value is None else f" {number_text(value * line.factor, digits=4)}"

    def _picker(self, plot: Plot) -> None:
        """Draw the popup that selects the plot's kind and channels."""
        imgui.set_next_item_width(imgui.get_font_size() * 18.0)
        kinds = list(KINDS)
        changed, index = imgui.combo("##kind", kinds.index(plot.kind), [KINDS[kind] for kind in kinds])
        self._ui.items.note("pick:kind")
        if changed:
            plot.kind = kinds[index]
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

    def _pick(self, plot: Plot, name: str, shown: Sequence[str]) -> None:
        """Draw the checkbox of a channel, ticked if it is among the names `shown`."""
        channel = self._channels[name]
        changed, ticked = checkbox(f"{name}   {shown_unit(channel.unit)[1]}###{name}", name in shown)
        self._ui.items.note(f"pick:{name}")
        if channel.doc and imgui.is_item_hovered():
            imgui.set_tooltip(channel.doc)
        if changed:
            plot.channels = [*shown, name] if ticked else [other for other in shown if other != name]
            self.changed()

    def _plot(self, plot: Plot, height: float) -> None:
        """Draw a plot's content, `height` pixels high, by its kind."""
        flags = implot.Flags_
        width = imgui.get_content_region_avail().x
        plain = flags.no_menus.value | flags.no_box_select.value | flags.no_mouse_text.value | flags.no_legend.value
        padding = imgui.ImVec2(imgui.get_font_size(), implot.get_style().plot_padding.y)  # for half of the last label
        implot.push_style_var(implot.StyleVar_.plot_padding.value, padding)
        if implot.begin_plot("##plot", imgui.ImVec2(-1.0, height), plain):
            if plot.kind not in LAP_KINDS:
                self.drawing.draw(plot, self._vehicle, (width, height), self._ui.scale)
            elif self.laps is not None:
                self._lap_plots.draw(plot, self.laps, (width, height), int(width / POINT_PITCH))
            implot.end_plot()
            self._ui.items.note(f"plot:{plot.title}")
        implot.pop_style_var()
