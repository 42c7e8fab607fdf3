"""The tab with the effect of a parameter: a measure of a manoeuvre plotted over the parameter's values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from imgui_bundle import imgui, implot

from driving_sandbox.game.experiments.effect import Effect
from driving_sandbox.game.panel.layout import Row
from driving_sandbox.game.plots.axes import X, Y, axis_range, setup_axis
from driving_sandbox.game.toolkit.theme import ACCENT, ERROR, TEXT_DIM, Icon
from driving_sandbox.game.toolkit.units import motion_unit, number_text, shown_unit
from driving_sandbox.lab.maneuvers import MANEUVERS
from driving_sandbox.lab.measures import MEASURES
from driving_sandbox.lab.outcome import WORDS
from driving_sandbox.lab.sweep import best_point, points_of, sweepable
from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.schema.schema import Float, Int

PLOT_HEIGHT = 170.0  # pixels at scale 1
DIGITS = 4  # significant digits of the best value and its measure
MARKER = 3.0  # pixels at scale 1, radius of a marker
EDGE = 0.07  # share of the plot's height that a cross stays away from the border, so that all of it is visible
PRESENT = (1.0, 1.0, 1.0, 0.45)  # RGBA of the line at the present value
_PLAIN = implot.Flags_.no_menus.value | implot.Flags_.no_box_select.value | implot.Flags_.no_legend.value
_FIXED_AXIS = implot.AxisFlags_.no_menus.value | implot.AxisFlags_.no_side_switch.value


class EffectSection:
    """The tab that `pick` opens for a row of the tuning panel; call `draw` while it is open.

    Args:
        ui: ImGuiBackend.
        effect: game.experiments.effect.Effect.
        tuning: game.session.tuning.Tuning.
    Attributes:
        open: whether the tab is shown.
        measure: name of the plotted measure.
    """

    def __init__(self, ui: Any, effect: Effect, tuning: Any) -> None:
        self._ui, self._effect, self._tuning = ui, effect, tuning
        self.open = False
        self.measure = MANEUVERS[effect.maneuver].measures[0]
        self._row: Any = None  # Row of the panel that is swept, or None
        self._number: int | None = None  # index of the swept number in its list

    def pick(self, row: Row) -> None:
        """Sweep the parameters of the tuning panel's row whose name was clicked, if they can be swept.

        Of a list parameter the first number is swept.
        """
        if not sweepable(row.field):
            return
        self._row, self._number = row, None
        if not isinstance(row.field.kind, Float | Int):
            self._number = 0
        self._sweep()

    def _sweep(self) -> None:
        """Open the tab, and sweep the chosen row, or the chosen number of its list."""
        self.open = True
        targets = self._row.cells[0].targets
        suffix = "" if self._number is None else f"[{self._number}]"
        self._effect.sweep([t.path + suffix for t in targets], [t.path for t in targets if t.mirror])

    def _numbers(self) -> None:
        """Draw the choice of the number that is swept in a list parameter."""
        count = len(self._tuning.vehicle.get(self._row.key))
        for k in range(count):
            if k:
                imgui.same_line()
            if imgui.radio_button(f"{k + 1}##number", self._number == k) and self._number != k:
                self._number = k
                self._sweep()
            self._ui.items.note(f"effect:number:{k}")

    def _set(self, value: float) -> None:
        """Set the swept parameters to a value, as one step of undo; an error is shown in the tab."""
        # the parameters' values at the first of two points of a sweep that begins at `value`
        values = points_of(
            self._tuning.vehicle,
            self._effect.names,
            low=value,
            high=value + 1.0,
            count=2,
            mirrored=self._effect.mirrored,
        )[0][1]
        try:
            self._tuning.set_parameters(values)
        except UserError as error:
            self._effect.error = str(error)

    def close(self) -> None:
        """Close the tab and cancel its sweep."""
        self.open = False
        self._effect.cancel()

    def draw(self) -> None:
        """Draw the swept parameters, the choices, the progress or the errors of the sweep, and the plot."""
        effect = self._effect
        imgui.text_colored(imgui.ImVec4(*ACCENT), ", ".join(effect.names) or "Click a parameter's name")
        self._ui.items.note("effect:names")
        if self._number is not None:
            self._numbers()
        self._choices()
        if effect.worker is not None and effect.running:
            imgui.progress_bar(effect.worker.progress, imgui.ImVec2(-imgui.get_font_size() * 6.0, 0.0))
            imgui.same_line()
            if imgui.button(f"{Icon.CLOSE}  Cancel"):
                effect.cancel()
            self._ui.items.note("effect:cancel")
        elif effect.names:
            if imgui.button(f"{Icon.REFRESH}  Again"):
                effect.begin()
            self._ui.items.note("effect:again")
        for text in dict.fromkeys([effect.error, *(p.error for p in effect.points if p.error)]):
            if text:
                imgui.push_text_wrap_pos(0.0)
                imgui.text_colored(imgui.ImVec4(*ERROR), text)
                imgui.pop_text_wrap_pos()
        self._plot()

    def _choices(self) -> None:
        """Draw the choices of manoeuvre and measure."""
        effect = self._effect
        width = imgui.get_content_region_avail().x
        imgui.set_next_item_width(width * 0.45)
        if imgui.begin_combo("##maneuver", effect.maneuver.replace("_", " ")):
            for name, kind in MANEUVERS.items():
                if imgui.selectable(name.replace("_", " "), name == effect.maneuver)[0]:
                    self.measure = kind.measures[0]
                    effect.choose(name)
                self._ui.items.note(f"effect:maneuver:{name}")
                if imgui.is_item_hovered():
                    imgui.set_tooltip(kind.summary)
            imgui.end_combo()
        self._ui.items.note("effect:maneuver")
        imgui.same_line()
        imgui.set_next_item_width(-1.0)
        if imgui.begin_combo("##measure", self.measure.replace("_", " ")):
            for name in MANEUVERS[effect.maneuver].measures:
                if imgui.selectable(name.replace("_", " "), name == self.measure)[0]:
                    self.measure = name
                self._ui.items.note(f"effect:measure:{name}")
                if imgui.is_item_hovered():
                    imgui.set_tooltip(MEASURES[name].doc)
            imgui.end_combo()
        self._ui.items.note("effect:measure")

    def curve(self, valid: bool = True) -> tuple[np.ndarray, np.ndarray]:
        """(parameter values, measures) of the points that have the chosen measure, in displayed units, by rising value.

        Args:
            valid: True for drives that went to the end, False for those that spun, rolled over or hit something.
        """
        factor_x = shown_unit(self._row.field.unit)[0]
        pairs = sorted((p.value, p.figures[self.measure]) for p in self._effect.points
                       if p.valid == valid and p.figures.get(self.measure) is not None)  # fmt: skip
        x, y = np.array(pairs).reshape(-1, 2).T
        return x * factor_x, y * self._unit()[0]

    def verdict(self) -> list[str]:
        """Lines of text: the best value, and how many points were left out of the comparison and why."""
        effect, lines = self._effect, []
        best_result = best_point(effect.points, self.measure)
        if best_result is not None:
            (value_factor, value_unit), (factor, unit) = shown_unit(self._row.field.unit), self._unit()
            number, value = best_result.figures[self.measure] * factor, best_result.value * value_factor
            best_figure, at = number_text(number, DIGITS), number_text(value, DIGITS)
            lines.append(f"best: {best_figure} {unit}".rstrip() + f" at {at} {value_unit}".rstrip())
        failed = [p for p in effect.points if p.events]
        if failed:
            kinds = ", ".join(dict.fromkeys(WORDS[kind] for p in failed for kind in p.events))
            count = f"all {len(failed)}" if len(failed) == len(effect.points) else f"{len(failed)}"
            lines.append(f"{count} left out, marked by crosses: {kinds}")
        return lines

    def _unit(self) -> tuple[float, str]:
        """(factor, name) of the displayed unit of the chosen measure."""
        unit = MEASURES[self.measure].unit
        return motion_unit(unit)

    def _plot(self) -> None:
        """Draw the plot, or the reason why there is none, and the verdict below."""
        effect = self._effect
        x, y = self.curve() if self._row else (np.empty(0), np.empty(0))
        if len(x) < 2:
            imgui.text_colored(imgui.ImVec4(*TEXT_DIM), "computing" if effect.running else "nothing to plot")
        elif implot.begin_plot("##effect", imgui.ImVec2(-1.0, PLOT_HEIGHT * self._ui.scale), _PLAIN):
            self._draw_plot(x, y)
        for line in self.verdict() if effect.points else ():
            imgui.text_colored(imgui.ImVec4(*TEXT_DIM), line)
            self._ui.items.note("effect:verdict")
        if len(x) >= 2:
            imgui.text_colored(imgui.ImVec4(*TEXT_DIM), "white: the present value; a double click sets another")

    def _draw_plot(self, x: np.ndarray, y: np.ndarray) -> None:
        """Draw the plot's content after begin_plot, and call end_plot."""
        effect, worker = self._effect, self._effect.worker
        assert worker is not None and effect.present is not None  # there are points
        factor, unit = shown_unit(self._row.field.unit)
        values = [value * factor for value, _ in worker.request.points]
        setup_axis(X, min(values), max(values), imgui.get_content_region_avail().x, _FIXED_AXIS, unit)
        low, high = axis_range([y], (float(y.min()), float(y.max())))
        height = PLOT_HEIGHT * self._ui.scale
        # the measure's name is left out: it stands above, and may be longer than the axis
        setup_axis(Y[0], low, high, height, _FIXED_AXIS, self._unit()[1])
        failed_x, failed_y = self.curve(valid=False)
        # A drive that was left out becomes nan, so that the line has a gap there.
        order = np.argsort(np.concatenate([x, failed_x]))
        xs, ys = np.concatenate([x, failed_x])[order], np.concatenate([y, np.full(len(failed_x), np.nan)])[order]
        implot.plot_line("##curve", xs, ys, self._marked(ACCENT, implot.Marker_.circle))
        if len(failed_x):
            inset = EDGE * (high - low)
            inside = np.clip(failed_y, low + inset, high - inset)
            implot.plot_scatter("##left out", failed_x, inside, self._marked(ERROR, implot.Marker_.cross))
        line = implot.Spec()
        line.line_color = imgui.ImVec4(*PRESENT)
        implot.plot_inf_lines("##present", np.array([effect.present * factor]), line)
        hovered = implot.is_plot_hovered()
        clicked_value = implot.get_plot_mouse_pos().x / factor if hovered else 0.0
        implot.end_plot()
        self._ui.items.note("effect:plot")
        if hovered and imgui.is_mouse_double_clicked(0):
            self._set(clicked_value)

    def _marked(self, color: Sequence[float], marker: implot.Marker_) -> implot.Spec:
        """The implot Spec of a series with markers."""
        spec, rgba = implot.Spec(), imgui.ImVec4(*color)
        spec.line_color = spec.marker_fill_color = spec.marker_line_color = rgba
        spec.line_weight = 2.0 * self._ui.scale
        spec.marker, spec.marker_size = marker.value, MARKER * self._ui.scale
        return spec
