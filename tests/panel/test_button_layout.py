"""Buttons of the panel and of the plots are inside their windows at a small and a large scale."""

import pytest

from driving_sandbox.game.experiments.what_if_window import TryOutRow
from driving_sandbox.game.panel.parameters import ParameterPanel
from driving_sandbox.game.plots.plots import PlotWindow
from driving_sandbox.game.session.tuning import SetupPair

BUTTONS = ("undo", "redo", "link", "changed", "reset-all", "setups")
TRY_OUT = ("what-if", "what-if-span", "setup-pair:A", "setup-pair:B", "setup-pair-copy", "setup-pair-diff")
PLOTS = ("plots:span", "plots:add", "plots:layouts", "plots:laps")


class WhatIf:
    """The part of WhatIf that the row of buttons reads."""

    on, span = False, 10.0


class Laps:
    """No laps."""

    def sample(self, *of_a_tick):
        pass


@pytest.mark.parametrize("scale", [1.0, 2.5])
def test_no_button_is_cut_off(ui, user, model, vehicle, scale):
    ui.set_scale(scale)
    model.pair = SetupPair(vehicle)
    panel = ParameterPanel(ui, model)
    panel.try_out = TryOutRow(ui, WhatIf(), model, print)
    plots = PlotWindow(ui, laps=Laps())
    ui.add(panel.draw)
    ui.add(lambda: plots.draw(vehicle))
    user.step(5)
    items = ui.items
    width = ui.size[0]
    for names, left, right in ((BUTTONS + TRY_OUT, 0.0, panel.width), (PLOTS, width - plots.width, width)):
        for name in names:
            x0, _, x1, _ = items.rectangle(name)
            assert left < x0 < x1 < right, name
    rows = {round(items.rectangle(name)[1]) for name in BUTTONS}
    assert (len(rows) == 1) == (scale == 1.0)  # at a large scale they do not fit in one row
