"""What if, and setups A and B, by clicks and keys in the running program."""

import numpy as np
import pytest
from app_rig import SETTLE
from imgui_bundle import imgui

from driving_sandbox.game.experiments import what_if_window
from driving_sandbox.game.view.gl.geometry import read_column
from driving_sandbox.game.view.vehicle.ghost import LINE_HEIGHT, ribbon
from driving_sandbox.lab.maneuvers import MANEUVERS
from driving_sandbox.lab.sweep import Point

pytestmark = pytest.mark.drawn
MASS = "body.mass"


def with_panel(rig):
    """The rig with the panel open and the welcome closed."""
    rig.app.welcome = None
    rig.press("tab")
    rig.step(4)
    return rig


@pytest.fixture
def rig(open_rig):
    return with_panel(open_rig("--size", "960x540"))


@pytest.fixture
def driven(open_rig):
    """A car after four seconds along the driving line, with the panel open."""
    rig = open_rig("--size", "960x540", "--driver", "ai", "--world", "proving_ground", "--spawn", "course")
    rig.run(4.0)
    return with_panel(rig)


def line_of(path):
    """Centre line of a drawn ribbon, [n, 3]."""
    geom = path.node().getGeom(0)
    points = read_column(geom.getVertexData(), "vertex")
    return (points[0::2] + points[1::2]) / 2.0


def test_a_change_is_drawn_on_the_ground_and_listed_in_the_window(driven):
    rig = driven
    rig.click("what-if")
    what_if = rig.app.experiments.what_if
    assert what_if.on and what_if.wait()
    rig.step(2)
    assert what_if.outcome.quantities[-1].values == (0.0, 0.0)  # nothing has been changed yet
    rig.session.tuning.set_parameter(MASS, 2.0 * rig.session.vehicle.get(MASS))
    rig.step()
    assert what_if.wait()
    rig.step(SETTLE)
    assert what_if.outcome.quantities[-1].values[1] > 1.0  # m apart
    unchanged, changed = (line_of(line.path) for line in rig.app.experiments.path_lines)
    position = np.array(rig.session.vehicle.model_position()) + (0.0, 0.0, LINE_HEIGHT)
    assert np.linalg.norm(unchanged[-1] - position) < 0.1  # the driven line ends under the car
    assert np.linalg.norm(changed[-1] - position) > 1.0
    assert np.linalg.norm(unchanged[0] - changed[0]) < 0.1  # and both start at the same point
    rig.ui.items.point("what-if:speed", 0.5)  # the window shows the values
    rig.click("what-if:distance")
    assert rig.app.experiments.what_if_section.chosen == "distance"
    rig.session.changes.recover()
    rig.step(2)
    assert what_if.outcome is None and rig.app.experiments.path_lines[0].node.getNumGeoms() == 0
    rig.press("u")
    assert not what_if.on


def test_panel_plots_what_if_and_effect_leave_the_road_visible(open_rig):
    """The windows end at 40 % of the width at most, and the view is centred in the free part."""
    rig = with_panel(open_rig("--size", "1280x720"))
    rig.run(1.0)
    rig.press("u")
    rig.app.panel.reveal(MASS)
    rig.step(8)
    rig.click(f"label:{MASS}")
    rig.step(SETTLE)
    items = rig.ui.items
    assert {"tab:plots", "tab:what-if", "tab:effect", "effect:names"} <= set(items.names())
    rig.app.experiments.effect.cancel()
    windows = [items.rectangle(name) for name in items.names() if name.startswith("window:")]
    assert len(windows) == 2 and all(right <= 0.4 * 1280 for _, _, right, _ in windows)
    middle = rig.app.base.camLens.getFilmOffset()[0] / rig.app.base.camLens.getFilmSize()[0]
    assert abs(middle + rig.app.column.width / 2.0 / 1280) < 0.01  # the car is in the middle of the free part
    rig.click("tab:what-if")
    assert "what-if-empty" in items or "what-if:speed" in items


def test_names_of_quantities_fit_in_a_narrow_column(open_rig, monkeypatch):
    rig = with_panel(open_rig("--size", "800x600"))
    rig.run(1.0)
    rig.press("u")
    rig.session.tuning.set_parameter(MASS, 1500.0)
    rig.step()
    assert rig.app.experiments.what_if.wait()
    widths, selectable = {}, imgui.selectable

    def measured(label, *arguments):
        result = selectable(label, *arguments)
        widths[label] = imgui.get_item_rect_size().x, imgui.calc_text_size(label, True).x
        return result

    monkeypatch.setattr(what_if_window.imgui, "selectable", measured)
    rig.step(SETTLE)
    quantities = rig.app.experiments.what_if.outcome.quantities
    assert len(widths) == len(quantities) > 2
    assert all(column >= text for column, text in widths.values()), widths


def test_setups_a_and_b_are_switched_while_driving_and_undone(rig):
    vehicle, pair = rig.session.vehicle, rig.session.tuning.pair
    base = vehicle.get(MASS)
    rig.session.tuning.set_parameter(MASS, 1500.0)
    rig.press("o")
    assert vehicle.get(MASS) == base and pair.active == "B"
    assert any("setup B: 1 value differs" in text for text in rig.shown)
    rig.session.tuning.set_parameter(MASS, 900.0)
    rig.press("o")
    assert vehicle.get(MASS) == 1500.0 and pair.active == "A"
    rig.click("setup-pair:B")
    assert vehicle.get(MASS) == 900.0 and pair.active == "B"
    rig.session.tuning.undo()
    assert vehicle.get(MASS) == 1500.0 and pair.active == "A"
    rig.session.tuning.redo()
    assert vehicle.get(MASS) == 900.0 and pair.active == "B"
    rig.click("setup-pair-diff")
    rig.step(SETTLE)
    rig.ui.items.point("setup-pair-differences", 0.5)
    assert rig.app.panel.try_out._rows() == [(MASS, base, 1500.0, 900.0)]


def test_the_present_values_can_be_copied_to_the_other_setup(rig):
    vehicle, tuning = rig.session.vehicle, rig.session.tuning
    rig.session.tuning.set_parameter(MASS, 1500.0)
    rig.click("setup-pair-copy")
    assert tuning.pair.differences(vehicle) == {}
    rig.press("o")
    assert vehicle.get(MASS) == 1500.0 and tuning.pair.active == "B"
    rig.session.tuning.undo()
    assert tuning.pair.active == "A"


def test_a_ribbon_has_its_width_and_height_above_its_points():
    points = np.column_stack([np.zeros(50), np.linspace(0.0, 10.0, 50), np.full(50, 2.0)])
    rows, triangles = ribbon(points, 0.4)
    assert np.allclose(rows[0::2, 0], -0.2) and np.allclose(rows[1::2, 0], 0.2)
    assert np.allclose(rows[:, 2], 2.0 + LINE_HEIGHT) and len(triangles) == 2 * (len(rows) // 2 - 1)
    standing = np.repeat(points[:1], 50, axis=0)
    assert len(ribbon(standing, 0.4)[1]) == 0 and len(ribbon(points[:1], 0.4)[1]) == 0


def test_a_click_on_a_name_sweeps_it_and_plots_the_effect(rig):
    app = rig.app
    app.panel.reveal(MASS)
    rig.step(8)
    rig.click(f"label:{MASS}")
    effect = app.experiments.effect
    assert effect.names == (MASS,) and effect.running and app.experiments.effect_section.open
    rig.click("effect:cancel")
    assert not effect.running and effect.error == ""
    app.experiments.effect.maneuver, app.experiments.effect_section.measure = "launch", "top_speed"
    rig.click("effect:again")
    effect.worker.wait()
    rig.step(SETTLE)
    values, speeds = app.experiments.effect_section.curve()  # of 13 masses; the lightest car may spin
    assert len(values) >= 12 and (np.diff(speeds[-6:]) < 0.0).all()  # the heavier, the slower
    assert effect.present == rig.session.vehicle.get(MASS)
    rig.ui.items.point("effect:plot", 0.5)
    app.experiments.effect_section._set(1234.0)
    assert rig.session.vehicle.get(MASS) == 1234.0
    rig.session.tuning.undo()


def test_failed_drives_are_excluded_from_the_scale_and_the_best(rig):
    """Otherwise a spin of 1.87 g would set the scale of the plot and count as the best setting."""
    rig.app.panel.reveal(MASS)
    rig.step(8)
    rig.click(f"label:{MASS}")
    effect, window = rig.app.experiments.effect, rig.app.experiments.effect_section
    rig.click("effect:cancel")
    assert window.measure == "centripetal_acceleration"
    masses = [value for value, _ in effect.worker.request.points]
    points = [Point(mass, {window.measure: 0.6 + 0.01 * k}) for k, mass in enumerate(masses)]
    points[4] = Point(masses[4], {window.measure: 1.87}, events={"spin": 15.4})
    effect.worker.points = points
    rig.step(SETTLE)
    rig.ui.items.point("effect:verdict", 0.5)
    assert window.curve()[1].max() == pytest.approx(0.72) and len(window.curve()[0]) == len(masses) - 1
    assert window.curve(valid=False)[1].tolist() == [1.87]
    best_line, left_out = window.verdict()
    assert (
        best_line.startswith("best: 0.72 g at")
        and best_line.endswith(" kg")
        and left_out == "1 left out, marked by crosses: spun"
    )
    effect.worker.points = [Point(mass, {window.measure: 1.0}, events={"impact": 1.0}) for mass in masses]
    rig.step(SETTLE)
    assert window.verdict() == [f"all {len(masses)} left out, marked by crosses: hit something"]


def test_only_measures_of_the_manoeuvre_can_be_chosen(rig):
    rig.app.panel.reveal(MASS)
    rig.step(8)
    rig.click(f"label:{MASS}")
    rig.click("effect:cancel")
    rig.click("effect:measure")
    names = MANEUVERS["step_steer"].measures
    for name in names:
        rig.ui.items.point(f"effect:measure:{name}", 0.5)
    with pytest.raises(KeyError):
        rig.ui.items.point("effect:measure:braking_distance", 0.5)
