"""What if, and the slots A and B, by clicks and keys in the running program."""

import numpy as np
import pytest

from game.view.geometry import read_column
from game.view.ghost import LINE_HEIGHT, ribbon

pytestmark = pytest.mark.drawn
MASS = "body.mass"
SETTLE = 3  # frames until a click is seen, laid out and let go


def with_panel(rig):
    rig.app.welcome = None
    rig.press("tab")
    rig.step(4)
    return rig


@pytest.fixture
def rig(open_rig):
    return with_panel(open_rig("--size", "960x540"))


@pytest.fixture
def driven(open_rig):
    """Four seconds along a course."""
    rig = open_rig("--size", "960x540", "--driver", "ai", "--world", "proving_ground", "--spawn", "course")
    rig.run(4.0)
    return with_panel(rig)


def click(rig, name):
    feed = rig.ui.feed
    feed.move(*rig.ui.items.point(name, 0.5))
    for down in (None, True, False):
        if down is not None:
            feed.button(down, "mouse1")
        rig.step(SETTLE)


def line_of(path):
    """Middle of a drawn line, [n, 3]."""
    geom = path.node().getGeom(0)
    points = read_column(geom.getVertexData(), "vertex")
    return (points[0::2] + points[1::2]) / 2.0


def test_a_change_is_drawn_on_the_ground_and_told_in_the_window(driven):
    rig = driven
    click(rig, "what-if")
    what_if = rig.app.trying.what_if
    assert what_if.on and what_if.wait()
    rig.step(2)
    assert what_if.outcome.quantities[-1].values == (0.0, 0.0)  # nothing has been changed yet
    rig.session.set_parameter(MASS, 2.0 * rig.session.vehicle.get(MASS))
    rig.step()
    assert what_if.wait()
    rig.step(SETTLE)
    assert what_if.outcome.quantities[-1].values[1] > 1.0  # m apart
    unchanged, changed = (line_of(line.path) for line in rig.app.trying.ways)
    place = np.array(rig.session.vehicle.model_position()) + (0.0, 0.0, LINE_HEIGHT)
    assert np.linalg.norm(unchanged[-1] - place) < 0.1  # the driven line ends under the car
    assert np.linalg.norm(changed[-1] - place) > 1.0
    assert np.linalg.norm(unchanged[0] - changed[0]) < 0.1  # and both begin in one place
    rig.ui.items.point("what-if:speed", 0.5)  # the figures are in the window
    click(rig, "what-if:distance")
    assert rig.app.trying.what_if_window.chosen == "distance"
    rig.session.recover()
    rig.step(2)
    assert what_if.outcome is None and rig.app.trying.ways[0].node.getNumGeoms() == 0
    rig.press("u")
    assert not what_if.on


def test_slots_are_flipped_while_driving_and_undone(rig):
    vehicle, slots = rig.session.vehicle, rig.session.tuning.slots
    base = vehicle.get(MASS)
    rig.session.set_parameter(MASS, 1500.0)
    rig.press("o")
    assert vehicle.get(MASS) == base and slots.active == "B"
    assert any("setup B: 1 value differs" in text for text in rig.shown)
    rig.session.set_parameter(MASS, 900.0)
    rig.press("o")
    assert vehicle.get(MASS) == 1500.0 and slots.active == "A"
    click(rig, "slot:B")
    assert vehicle.get(MASS) == 900.0 and slots.active == "B"
    rig.session.undo()
    assert vehicle.get(MASS) == 1500.0 and slots.active == "A"
    rig.session.redo()
    assert vehicle.get(MASS) == 900.0 and slots.active == "B"
    click(rig, "slot-diff")
    rig.step(SETTLE)
    rig.ui.items.point("slot-differences", 0.5)
    assert rig.app.panel.try_out._rows() == [(MASS, base, 1500.0, 900.0)]


def test_a_slot_can_be_filled_with_what_is_driven(rig):
    vehicle, tuning = rig.session.vehicle, rig.session.tuning
    rig.session.set_parameter(MASS, 1500.0)
    click(rig, "slot-copy")
    assert tuning.slots.differences(vehicle) == {}
    rig.press("o")
    assert vehicle.get(MASS) == 1500.0 and tuning.slots.active == "B"
    rig.session.undo()
    assert tuning.slots.active == "A"


def test_a_ribbon_is_as_wide_as_asked_and_lies_above_its_points():
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
    click(rig, f"label:{MASS}")
    effect = app.trying.effect
    assert effect.names == (MASS,) and effect.running and app.trying.effect_window.open
    click(rig, "effect:cancel")
    assert not effect.running and effect.error == ""
    app.trying.effect.maneuver, app.trying.effect_window.measure = "launch", "top_speed"
    click(rig, "effect:again")
    effect.helper.wait()
    rig.step(SETTLE)
    values, speeds = app.trying.effect_window.curve()
    assert len(values) == 13 and (np.diff(speeds[-6:]) < 0.0).all()  # the heavier, the slower
    assert effect.present == rig.session.vehicle.get(MASS)
    rig.ui.items.point("effect:plot", 0.5)
    app.trying.effect_window._set(1234.0)
    assert rig.session.vehicle.get(MASS) == 1234.0
    rig.session.undo()
