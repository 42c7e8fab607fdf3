"""The panel of the running program: clicks and typed values change the driven car; plots follow it."""

import numpy as np
import pytest
from app_rig import SETTLE

from driving_sandbox.physics.recording import Recording, verify

pytestmark = pytest.mark.drawn
MASS = "body.mass"


@pytest.fixture
def rig(open_rig):
    """The program with the panel open at the mass."""
    rig = open_rig("--size", "800x450")
    rig.run(0.3)
    rig.press("tab")
    rig.app.panel.reveal(MASS)
    rig.step(8)
    return rig


def enter(rig, name, text):
    """Open a field for typing by Ctrl and click, and enter a text."""
    feed = rig.ui.feed
    feed.button(True, "control")
    rig.step(SETTLE)
    rig.click(name)
    feed.button(False, "control")
    rig.step(SETTLE)
    for character in text:
        feed.text(character)
        rig.step(2)
    feed.button(True, "enter")
    rig.step(SETTLE)
    feed.button(False, "enter")
    rig.step(SETTLE)


def test_a_typed_value_applies_in_the_next_tick_and_is_undone(rig):
    vehicle = rig.session.vehicle
    before, load = vehicle.get(MASS), vehicle.read("tire.rl.load")
    enter(rig, MASS, "2000")
    assert vehicle.get(MASS) == 2000.0
    tick = rig.session.world.tick
    rig.run(2.0)
    assert vehicle.read("tire.rl.load") > 1.3 * load  # the springs carry the new weight
    rig.app.keyboard.key_down("lcontrol")
    rig.app.keyboard.key_down("z")
    rig.step(2)
    rig.hold()
    assert vehicle.get(MASS) == before
    rig.run(2.0)
    assert vehicle.read("tire.rl.load") == pytest.approx(load, rel=0.05)
    path = rig.session.recorder.path
    rig.close()
    changes = [e for e in Recording.open(path).events if e["kind"] == "setup"]
    assert [e["values"] for e in changes] == [{MASS: 2000.0}, {MASS: before}]
    assert changes[0]["tick"] == tick
    assert verify(path).ok


def click_and_type_in_one_frame(rig, item, *keys):
    """Click on a widget and press keys, all within one frame, as in a long frame of a slow machine."""
    feed, keyboard = rig.ui.feed, rig.app.keyboard
    feed.move(*rig.ui.items.point(item))
    for down in (True, False):
        feed.button(down, "mouse1")
    for key in keys:
        keyboard.key_down(key)
        feed.button(True, key)
        feed.text(key)
        keyboard.key_up(key)
        feed.button(False, key)
    rig.step(12)


def test_letters_typed_right_after_a_click_on_a_field_do_not_drive(rig):
    camera = rig.app.camera.mode
    click_and_type_in_one_frame(rig, "search", "c", "m")
    assert rig.app.panel.search == "cm"
    assert rig.app.camera.mode == camera and rig.app.driver.human_driver.automatic  # C: next camera, M: manual gears


def test_keys_right_after_a_click_elsewhere_drive(rig):
    camera = rig.app.camera.mode
    click_and_type_in_one_frame(rig, MASS, "c")
    assert rig.app.camera.mode != camera
    rig.hold("w")
    rig.step()
    rig.ui.feed.move(*rig.ui.items.point("search"))
    rig.ui.feed.button(True, "mouse1")
    rig.step()
    assert rig.app.keyboard.held("throttle")  # pressed before, it stays held until the field has the focus


def test_dragging_a_slider_changes_the_value_while_driving(rig):
    vehicle, feed = rig.session.vehicle, rig.ui.feed
    before = vehicle.get(MASS)
    feed.move(*rig.ui.items.point(MASS, 0.5))
    rig.step(SETTLE)
    feed.button(True, "mouse1")
    rig.step(SETTLE)
    feed.move(*rig.ui.items.point(MASS, 0.9))
    rig.step(SETTLE, frame=1 / 60)
    assert vehicle.get(MASS) != before
    feed.button(False, "mouse1")
    rig.step(SETTLE)
    rig.session.tuning.undo()
    assert vehicle.get(MASS) == before  # one drag, one step of undo


def test_a_negative_mass_is_never_applied_and_undo_restores_the_mass(rig):
    before = rig.session.vehicle.get(MASS)
    enter(rig, MASS, "-5")
    rig.run(0.2)
    assert rig.session.vehicle.get(MASS) > 0.0
    with pytest.raises(ValueError, match="body.mass"):
        rig.session.tuning.set_parameter(MASS, -5.0)
    rig.session.tuning.undo()
    assert rig.session.vehicle.get(MASS) == before


def test_plots_follow_the_car(rig):
    rig.hold("w")
    rig.step(60, frame=1 / 60)
    plots = rig.app.plots
    assert len(plots.plots) >= 3
    speeds = plots.history.values("car.speed")
    assert len(speeds) > 20 and speeds[-1] == pytest.approx(rig.speed, rel=0.05)
    loads = plots.history.values("tire.fl.load")
    assert loads[-1] == rig.read("tire.fl.load")


def test_twelve_parameters_are_visible_beside_the_plots(open_rig):
    rig = open_rig("--size", "1280x720")
    rig.press("tab")
    rig.app.panel.reveal("suspension.fl.stiffness")
    rig.step(8)
    items = rig.ui.items
    bottom = items.rectangle("window:panel")[3]
    rows = [name for name in items.names() if name.startswith("label:") and items.rectangle(name)[3] <= bottom]
    assert len(rows) >= 12 and "tab:plots" in items, rows
    (last,) = [name for name in items.names() if name.startswith("plot:")][-1:]
    assert sum(name.startswith("plot:") for name in items.names()) == 3
    assert items.rectangle(last)[3] <= items.rectangle("window:column")[3]


def test_gravity_changes_while_driving(rig):
    gravity = "world.gravity"
    rig.app.panel.reveal(gravity)
    rig.step(8)
    load = rig.session.vehicle.read("tire.rl.load")
    enter(rig, gravity, "4.905")
    rig.run(3.0)
    assert rig.session.vehicle.read("tire.rl.load") == pytest.approx(load / 2.0, rel=0.05)
    path = rig.session.recorder.path
    rig.close()
    assert [e["values"] for e in Recording.open(path).events if e["kind"] == "world"] == [{gravity: 4.905}]
    assert verify(path).ok


def test_plots_show_the_time_before_they_were_opened(open_rig):
    rig = open_rig("--driver", "ai")
    rig.run(3.0)
    history = rig.app.plots.history
    assert len(history.times()) == 0
    rig.press("tab")
    rig.step(2)
    times, speeds = history.times(), history.values("car.speed")
    assert times[0] < 0.1 and history.now == rig.session.world.time and speeds[0] < 1.0 < 3.0 < speeds[-1]
    rig.press("tab")
    rig.run(2.0)
    rig.press("tab")
    rig.step(2)
    assert len(history.times()) > 250 and np.diff(history.times()).max() < 0.05  # no gap while they were closed
