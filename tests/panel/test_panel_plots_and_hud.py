"""Panel, plots and HUD together on the program's vehicles."""

import sys

import pytest

from driving_sandbox.game.hud import Hud, HudFrame
from driving_sandbox.game.panel.parameters import ParameterPanel
from driving_sandbox.game.plots.plots import PlotWindow
from driving_sandbox.game.session.edits import VehicleModel
from driving_sandbox.physics.schema.schema import Block
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

CALL_BUDGET = 4500  # calls of functions in a frame of panel, four plots and HUD, with sampling: a measure of its cost


@pytest.fixture
def build(ui, tmp_path, user):
    """A function that loads a vehicle and opens its parameter panel; it returns both."""

    def make(name):
        vehicle = load_vehicle(name)
        panel = ParameterPanel(ui, VehicleModel(vehicle, tmp_path))
        ui.add(panel.draw)
        user.step()
        return vehicle, panel

    return make


@pytest.mark.parametrize("name", ["roadster", "buggy"])
def test_every_parameter_is_on_the_panel(build, user, name):
    vehicle, panel = build(name)
    panel.linked = False
    panel.relayout()
    user.step()
    missing = []
    for parameter in vehicle.parameters():
        if isinstance(parameter.field.kind, Block):
            continue  # internal tables of a component
        panel.reveal(parameter.path)
        for _ in range(8):
            user.step(1)
            if any(item.startswith(parameter.path) for item in user.ui.items.names()):
                break
        else:
            missing.append(parameter.path)
    assert missing == []


@pytest.mark.drawn
def test_a_frame_of_panel_plots_and_hud_stays_within_its_budget(build, ui, user):
    vehicle, panel = build("roadster")
    plots, hud, count = PlotWindow(ui), Hud(ui), vehicle.wheel_count
    frame = HudFrame(
        max_rpm=7000.0, rpm=3000.0, wheel_loads=[3000.0] * count, wheel_slips=[0.1] * count,
        wheel_saturations=[0.5] * count, axles=list(vehicle.axles.values()),
    )  # fmt: skip
    ui.add(lambda: plots.draw(vehicle))
    ui.add(lambda: hud.draw(frame, (panel.width, 0.0, 1280.0 - panel.width - plots.width, 720.0)))
    ui.items.enabled = False
    for i in range(700):
        vehicle.state["tire"][0]["load"][:count] = 3000.0 + i
        plots.sample(vehicle, i / 60.0)
    for group in ("body", "engine", "suspension"):
        panel.reveal(next(p.path for p in vehicle.parameters() if p.slot == group))
        user.step(4)
    calls = []

    def count_call(frame, event, argument):
        calls[-1] += event in ("call", "c_call")

    for i in range(20):
        calls.append(0)
        sys.setprofile(count_call)
        plots.sample(vehicle, 12.0 + i / 60.0)
        ui.build_frame(*ui.size)
        sys.setprofile(None)
    assert len(plots.plots) >= 4 and plots.width and panel.width
    assert max(calls) < CALL_BUDGET
