"""The panel's row for what-if and setups A and B, and the tab with the effect that a change would have had."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from imgui_bundle import imgui, implot

from driving_sandbox.game.experiments.what_if import SPANS, Outcome, WhatIf
from driving_sandbox.game.panel.differences import differing, show_differences
from driving_sandbox.game.plots.axes import ALWAYS, X, Y, axis_range, setup_axis
from driving_sandbox.game.plots.drawing import BARE, FIXED_AXIS, SMALL
from driving_sandbox.game.toolkit.flow import button_width, checkbox_width, same_line_if_fits
from driving_sandbox.game.toolkit.theme import ACCENT, ERROR, TEXT, TEXT_DIM, Icon
from driving_sandbox.game.toolkit.units import motion_unit
from driving_sandbox.game.toolkit.widget_events import checkbox
from driving_sandbox.lab.difference import END
from driving_sandbox.lab.kinematics import forward_axis
from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.batch.trajectory import POSITION

PLOT_HEIGHT = 74.0  # pixels at scale 1
PATHS_HEIGHT = 120.0  # pixels at scale 1, height of the plot of the paths seen from above
MARGIN = 12.0  # pixels at scale 1
BEFORE_COLOR = (0.92, 0.93, 0.95, 0.8)  # RGBA of lines of the drive before the change


class TryOutRow:
    """The row above the parameters in the panel's window.

    Args:
        ui: ImGuiBackend.
        what_if: game.experiments.what_if.WhatIf.
        tuning: game.session.tuning.Tuning.
        say: function(text, level) that shows a message.
    """

    def __init__(self, ui: Any, what_if: WhatIf, tuning: Any, say: Callable[..., None]) -> None:
        self._ui, self._what_if, self._tuning, self._say = ui, what_if, tuning, say
        self._listed: list[Any] = []  # rows of the open popup, as from `_rows`

    def flip(self) -> None:
        """Drive the other setup, A or B, or say why it cannot be driven."""
        try:
            count = self._tuning.flip()
        except UserError as error:  # the setup's values may not suit components swapped since
            self._say(f"setup {self._tuning.pair.other} cannot be driven: {error}", "warning")
            return
        values = f"{count} values differ" if count != 1 else "1 value differs"
        self._say(f"setup {self._tuning.pair.active}: {values} from setup {self._tuning.pair.other}")

    def draw(self) -> None:
        """Draw the row: what-if with its span, and setups A and B with copying and comparing."""
        what_if, pair = self._what_if, self._tuning.pair
        changed, on = checkbox("What if", what_if.on)
        self._note("what-if", "Simulate the last seconds again after every change of a parameter")
        if changed:
            what_if.on = on
        self._span()
        gap = imgui.get_style().item_spacing.x
        same_line_if_fits(imgui.calc_text_size("Setup").x + 2.0 * (gap + checkbox_width("A")), imgui.get_font_size())
        imgui.text_colored(imgui.ImVec4(*TEXT_DIM), "Setup")
        for name in ("A", "B"):
            imgui.same_line()
            if imgui.radio_button(f"{name}##setup-pair", pair.active == name) and pair.active != name:
                self.flip()
            self._note(f"setup-pair:{name}", "Drive this setup; B starts from the vehicle's file")
        text = f"{pair.active} to {pair.other}"
        same_line_if_fits(button_width(text))
        if imgui.button(f"{text}##copy"):
            pair.copy_to_other(self._tuning.vehicle)
            self._say(f"setup {pair.active} copied to {pair.other}")
        self._note("setup-pair-copy", f"Copy setup {pair.active} to {pair.other}")
        same_line_if_fits(button_width(Icon.FILTER))
        if imgui.button(f"{Icon.FILTER}##diff"):
            self._listed = self._rows()
            imgui.open_popup("setup-pair-differences")
        self._note("setup-pair-diff", "Differences between A, B and the vehicle's file")
        self._differences()

    def _note(self, key: str, tooltip: str) -> None:
        """Log the rectangle of the widget drawn last under `key`, and show its tooltip."""
        self._ui.items.note(key)
        if imgui.is_item_hovered(imgui.HoveredFlags_.delay_short.value):
            imgui.set_tooltip(tooltip)

    def _span(self) -> None:
        """Draw the choice of how many seconds are simulated again."""
        what_if, width = self._what_if, imgui.get_font_size() * 4.2
        same_line_if_fits(width)
        imgui.set_next_item_width(width)
        selected = SPANS.index(what_if.span) if what_if.span in SPANS else 1
        changed, index = imgui.combo("##what-if-span", selected, [f"{span:g} s" for span in SPANS])
        self._note("what-if-span", "Seconds that are simulated again")
        if changed:
            what_if.set_span(SPANS[index])

    def _rows(self) -> list[Any]:
        """[(path, value in the file, in setup A, in setup B)] of the values that are not equal in all three."""
        vehicle, pair = self._tuning.vehicle, self._tuning.pair
        values = {pair.active: vehicle.values(), pair.other: pair.stored[pair.other]}
        return differing(vehicle.base_values(), values["A"], values["B"])

    def _differences(self) -> None:
        """Draw the popup with the differences listed when it was opened."""
        if not imgui.begin_popup("setup-pair-differences"):
            return
        if self._listed:
            show_differences(("file", "A", "B"), self._listed)
        else:
            imgui.text_disabled("A and B both equal the vehicle's file.")
        self._ui.items.note("setup-pair-differences")
        imgui.end_popup()


class WhatIfSection:
    """The tab of what-if. Call `draw` while what-if is on.

    Args:
        ui: ImGuiBackend.
        what_if: game.experiments.what_if.WhatIf.
    Attributes:
        chosen: name of the plotted quantity.
    """

    def __init__(self, ui: Any, what_if: WhatIf) -> None:
        self._ui, self._what_if = ui, what_if
        self.chosen = "yaw rate"

    def draw(self) -> None:
        """Draw progress and fault, the table of quantities, and the plots; without an outcome a hint."""
        what_if = self._what_if
        outcome = what_if.outcome
        if outcome is None or not outcome.quantities:
            imgui.push_text_wrap_pos(0.0)
            imgui.text_disabled(what_if.state or "Change a parameter: the last seconds are simulated again.")
            imgui.pop_text_wrap_pos()
            self._ui.items.note("what-if-empty")
            return
        progress = f"the last {outcome.seconds:.1f} s"
        if outcome.share < 1.0:
            progress += f", {outcome.share:.0%} done"
        imgui.text_colored(imgui.ImVec4(*TEXT_DIM), f"{progress}, with the same commands")
        if outcome.fault:
            imgui.text_colored(imgui.ImVec4(*ERROR), outcome.fault)
        self._table(outcome)
        self._plot(outcome)
        self._plot_paths(outcome)

    def _table(self, outcome: Outcome) -> None:
        """Draw each quantity before and after the change; a click on a name chooses it for the plot."""
        if not imgui.begin_table("what-if", 4, imgui.TableFlags_.row_bg.value):
            return
        imgui.table_setup_column("", imgui.TableColumnFlags_.width_stretch.value)  # names get all remaining width
        for title in ("before", "after", "change"):
            imgui.table_setup_column(title, imgui.TableColumnFlags_.width_fixed.value)
        imgui.table_headers_row()
        for quantity in outcome.quantities:
            factor, unit = motion_unit(quantity.unit)
            before, after = (value * factor for value in quantity.values)
            imgui.table_next_row()
            imgui.table_next_column()
            label = quantity.name if quantity.which == END else f"{quantity.name}, peak"
            if imgui.selectable(f"{label} {unit}##{quantity.name}", quantity.name == self.chosen)[0]:
                self.chosen = quantity.name
            self._ui.items.note(f"what-if:{quantity.name}")
            for text, color in ((f"{before:z.2f}", TEXT_DIM), (f"{after:z.2f}", TEXT),
                                (f"{after - before:+z.2f}", ACCENT)):  # fmt: skip
                imgui.table_next_column()
                imgui.text_colored(imgui.ImVec4(*color), text)
        imgui.end_table()

    def _plot(self, outcome: Outcome) -> None:
        """Plot the chosen quantity over time, before and after the change."""
        quantity = next((q for q in outcome.quantities if q.name == self.chosen), outcome.quantities[0])
        factor, unit = motion_unit(quantity.unit)
        self._heading(f"{quantity.name} {unit}")
        if not implot.begin_plot("##what-if", imgui.ImVec2(-1.0, PLOT_HEIGHT * self._ui.scale), SMALL):
            return
        series = [np.ascontiguousarray(s * factor) for s in (quantity.first, quantity.second)]
        times = np.arange(len(series[0])) * outcome.interval - outcome.seconds
        implot.setup_axis(X, "", FIXED_AXIS | BARE)
        implot.setup_axis_limits(X, -outcome.seconds, 0.0, ALWAYS)
        setup_axis(Y[0], *axis_range(series, (0.0, 0.0)), PLOT_HEIGHT * self._ui.scale, FIXED_AXIS)
        for name, values, color in zip(("before", "after"), series, (BEFORE_COLOR, ACCENT), strict=True):
            implot.plot_line(name, times, values, self._spec(color))
        implot.end_plot()

    def _heading(self, text: str) -> None:
        """Draw the heading of a plot: its text, and the names of its lines in their colours."""
        imgui.text_colored(imgui.ImVec4(*TEXT_DIM), text)
        for name, color in (("before", BEFORE_COLOR), ("after", ACCENT)):
            imgui.same_line()
            imgui.text_colored(imgui.ImVec4(*color), name)

    def _plot_paths(self, outcome: Outcome) -> None:
        """Plot the paths before and after the change, seen from above; up is the heading in which the drive ended."""
        self._heading("path from above")
        size = imgui.ImVec2(-1.0, PATHS_HEIGHT * self._ui.scale)
        if not implot.begin_plot("##paths", size, SMALL | implot.Flags_.equal.value):
            return
        end = outcome.driven[-1:]
        forward = forward_axis(end)[0]
        for axis in (X, Y[0]):
            implot.setup_axis(axis, "", FIXED_AXIS | BARE | implot.AxisFlags_.auto_fit.value)
        for name, rows, color in (("before", outcome.driven, BEFORE_COLOR), ("after", outcome.changed, ACCENT)):
            right, up = seen_from_above(rows[:, POSITION] - end[:, POSITION], forward)
            implot.plot_line(name, right, up, self._spec(color))
        implot.end_plot()

    def _spec(self, color: Sequence[float]) -> implot.Spec:
        """The implot Spec of a line."""
        spec = implot.Spec()
        spec.line_color = imgui.ImVec4(*color)
        spec.line_weight = 1.6 * self._ui.scale
        return spec


def seen_from_above(points: np.ndarray, forward: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(right, up) coordinates, m, of points [n, 3] seen from above, with a vehicle's `forward` axis [3] pointing up."""
    x, y = forward[:2] / max(float(np.hypot(*forward[:2])), 1e-9)  # 1e-9: no division by 0 if it is vertical
    px, py = points[:, 0], points[:, 1]
    return np.ascontiguousarray(px * y - py * x), np.ascontiguousarray(px * x + py * y)
