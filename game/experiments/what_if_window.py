"""The panel's row for trying things out (what if, slots A and B), and the window with what a change would have done."""

from __future__ import annotations

import numpy as np
from imgui_bundle import imgui, implot

from driving_sandbox.game.experiments.what_if import SPANS
from driving_sandbox.game.panel.differences import differing, show_differences
from driving_sandbox.game.plots.axes import ALWAYS, X, Y, axis_range, setup_axis
from driving_sandbox.game.plots.drawing import BARE, SMALL, STILL
from driving_sandbox.game.toolkit.flow import button_width, same_line_if_fits, tick_width
from driving_sandbox.game.toolkit.theme import ACCENT, ERROR, TEXT, TEXT_DIM, Icon
from driving_sandbox.game.toolkit.units import motion_unit
from driving_sandbox.lab.difference import END
from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.batch.trajectory import ORIENTATION, POSITION, SAMPLE_RATE

PLOT_HEIGHT, PLAN_HEIGHT = 74.0, 120.0  # pixels at scale 1
MARGIN = 12.0  # pixels at scale 1
DRIVEN = (0.92, 0.93, 0.95, 0.8)


class TryOutRow:
    """Draw it in the panel's window, above the parameters.

    Args:
        ui: ImGuiBackend. what_if: game.experiments.what_if.WhatIf. tuning: game.session.tuning.Tuning. say:
        function(text, level).
    """

    def __init__(self, ui, what_if, tuning, say):
        self._ui, self._what_if, self._tuning, self._say = ui, what_if, tuning, say
        self._listed = []

    def flip(self):
        """Drive the other slot, or say why that cannot be."""
        try:
            count = self._tuning.flip()
        except UserError as error:  # with another component its values may be wrong
            self._say(f"setup {self._tuning.slots.other} cannot be driven: {error}", "warning")
            return
        values = f"{count} values differ" if count != 1 else "1 value differs"
        self._say(f"setup {self._tuning.slots.active}: {values} from {self._tuning.slots.other}")

    def draw(self):
        what_if, slots = self._what_if, self._tuning.slots
        changed, on = imgui.checkbox("What if", what_if.on)
        self._note("what-if", "Every change repeats the last seconds of your driving with the new value")
        if changed:
            what_if.on = on
        self._span()
        gap = imgui.get_style().item_spacing.x
        same_line_if_fits(imgui.calc_text_size("Setup").x + 2.0 * (gap + tick_width("A")), imgui.get_font_size())
        imgui.text_colored(imgui.ImVec4(*TEXT_DIM), "Setup")
        for name in ("A", "B"):
            imgui.same_line()
            if imgui.radio_button(f"{name}##slot", slots.active == name) and slots.active != name:
                self.flip()
            self._note(f"slot:{name}", "Drive this setup; B starts from the vehicle's file")
        text = f"{slots.active} to {slots.other}"
        same_line_if_fits(button_width(text))
        if imgui.button(f"{text}##copy"):
            slots.copy_to_other(self._tuning.vehicle)
            self._say(f"setup {slots.other} is now as {slots.active}")
        self._note("slot-copy", f"Make {slots.other} as {slots.active} is now, to change it from there")
        same_line_if_fits(button_width(Icon.FILTER))
        if imgui.button(f"{Icon.FILTER}##diff"):
            self._listed = self._rows()
            imgui.open_popup("slot-differences")
        self._note("slot-diff", "Differences between A, B and the vehicle's file")
        self._differences()

    def _note(self, key, tooltip):
        self._ui.items.note(key)
        if imgui.is_item_hovered(imgui.HoveredFlags_.delay_short.value):
            imgui.set_tooltip(tooltip)

    def _span(self):
        what_if, width = self._what_if, imgui.get_font_size() * 4.2
        same_line_if_fits(width)
        imgui.set_next_item_width(width)
        here = SPANS.index(what_if.span) if what_if.span in SPANS else 1
        changed, index = imgui.combo("##what-if-span", here, [f"{span:g} s" for span in SPANS])
        self._note("what-if-span", "How far to go back")
        if changed:
            what_if.set_span(SPANS[index])

    def _rows(self):
        """(path, base, A, B) of every value that is not the same in all three."""
        vehicle, slots = self._tuning.vehicle, self._tuning.slots
        pairs = {slots.active: vehicle.values(), slots.other: slots.stored[slots.other]}
        return differing(vehicle.base_values(), pairs["A"], pairs["B"])

    def _differences(self):
        if not imgui.begin_popup("slot-differences"):
            return
        if self._listed:
            show_differences(("file", "A", "B"), self._listed)
        else:
            imgui.text_disabled("A and B are both as the vehicle's file.")
        self._ui.items.note("slot-differences")
        imgui.end_popup()


class WhatIfSection:
    """Draw with `draw()` while what-if is on. chosen: the quantity that is plotted."""

    def __init__(self, ui, what_if):
        self._ui, self._what_if = ui, what_if
        self.chosen = "yaw rate"

    def draw(self):
        what_if = self._what_if
        outcome = what_if.outcome
        if outcome is None or not outcome.quantities:
            imgui.push_text_wrap_pos(0.0)
            imgui.text_disabled(what_if.state or "Change a parameter: the last seconds are driven again with it.")
            imgui.pop_text_wrap_pos()
            self._ui.items.note("what-if-empty")
            return
        done = f"the last {outcome.seconds:.1f} s"
        if outcome.share < 1.0:
            done += f", {outcome.share:.0%} done"
        imgui.text_colored(imgui.ImVec4(*TEXT_DIM), f"{done}, with the same commands")
        if outcome.fault:
            imgui.text_colored(imgui.ImVec4(*ERROR), outcome.fault)
        self._table(outcome)
        self._plot(outcome)
        self._plan(outcome)

    def _table(self, outcome):
        if not imgui.begin_table("what-if", 4, imgui.TableFlags_.row_bg.value):
            return
        imgui.table_setup_column("", imgui.TableColumnFlags_.width_stretch.value)  # names are whole before numbers
        for title in ("driven", "now", "change"):
            imgui.table_setup_column(title, imgui.TableColumnFlags_.width_fixed.value)
        imgui.table_headers_row()
        for quantity in outcome.quantities:
            factor, unit = motion_unit(quantity.unit)
            before, after = (value * factor for value in quantity.values)
            imgui.table_next_row()
            imgui.table_next_column()
            words = quantity.name if quantity.which == END else f"{quantity.name}, peak"
            if imgui.selectable(f"{words} {unit}##{quantity.name}", quantity.name == self.chosen)[0]:
                self.chosen = quantity.name
            self._ui.items.note(f"what-if:{quantity.name}")
            for text, color in ((f"{before:z.2f}", TEXT_DIM), (f"{after:z.2f}", TEXT),
                                (f"{after - before:+z.2f}", ACCENT)):  # fmt: skip
                imgui.table_next_column()
                imgui.text_colored(imgui.ImVec4(*color), text)
        imgui.end_table()

    def _plot(self, outcome):
        """The chosen quantity over time, driven and now."""
        quantity = next((q for q in outcome.quantities if q.name == self.chosen), outcome.quantities[0])
        factor, unit = motion_unit(quantity.unit)
        self._heading(f"{quantity.name} {unit}")
        if not implot.begin_plot("##what-if", imgui.ImVec2(-1.0, PLOT_HEIGHT * self._ui.scale), SMALL):
            return
        series = [np.ascontiguousarray(s * factor) for s in (quantity.before, quantity.after)]
        times = np.arange(len(series[0])) / SAMPLE_RATE - outcome.seconds
        implot.setup_axis(X, "", STILL | BARE)
        implot.setup_axis_limits(X, -outcome.seconds, 0.0, ALWAYS)
        setup_axis(Y[0], *axis_range(series, (0.0, 0.0)), PLOT_HEIGHT * self._ui.scale, STILL)
        for name, values, color in zip(("driven", "now"), series, (DRIVEN, ACCENT), strict=True):
            implot.plot_line(name, times, values, self._spec(color))
        implot.end_plot()

    def _heading(self, text):
        """What a plot shows, and the colours of its lines."""
        imgui.text_colored(imgui.ImVec4(*TEXT_DIM), text)
        for words, color in (("driven", DRIVEN), ("now", ACCENT)):
            imgui.same_line()
            imgui.text_colored(imgui.ImVec4(*color), words)

    def _plan(self, outcome):
        """Both paths seen from above, the driven one's end upwards."""
        self._heading("seen from above")
        size = imgui.ImVec2(-1.0, PLAN_HEIGHT * self._ui.scale)
        if not implot.begin_plot("##plan", size, SMALL | implot.Flags_.equal.value):
            return
        heading = outcome.driven[-1, ORIENTATION]
        for axis in (X, Y[0]):
            implot.setup_axis(axis, "", STILL | BARE | implot.AxisFlags_.auto_fit.value)
        for name, rows, color in (("driven", outcome.driven, DRIVEN), ("now", outcome.changed, ACCENT)):
            across, up = plan(rows[:, POSITION] - outcome.driven[-1, POSITION], heading)
            implot.plot_line(name, across, up, self._spec(color))
        implot.end_plot()

    def _spec(self, color):
        spec = implot.Spec()
        spec.line_color = imgui.ImVec4(*color)
        spec.line_weight = 1.6 * self._ui.scale
        return spec


def plan(points, orientation):
    """(across, up) of points [n, 3] in the plane, turned so that a vehicle of this orientation points up."""
    x, y, z, w = orientation
    fx, fy = 2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z)
    size = max(float(np.hypot(fx, fy)), 1e-9)
    fx, fy = fx / size, fy / size
    px, py = points[:, 0], points[:, 1]
    return np.ascontiguousarray(px * fy - py * fx), np.ascontiguousarray(px * fx + py * fy)
