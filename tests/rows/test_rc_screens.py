"""Screens that Racer's documentation describes: pages of numbers, steering wheel, help for warnings."""

import math
import sys

import numpy as np
import pytest

from driving_sandbox.game.panel.advisor import explanation
from driving_sandbox.game.windows.debug_pages import HEIGHT, PAGES
from driving_sandbox.lab.advisor import check_vehicle
from driving_sandbox.physics.kernel.jit import ROOT

sys.path.insert(0, str(ROOT / "tests" / "app"))
from app_rig import Rig  # noqa: E402

pytestmark = pytest.mark.drawn
KEYS = {"page_aids": "4", "page_driveline": "8", "page_height": "9"}


@pytest.fixture(scope="module")
def rig(tmp_path_factory):
    """The program with the clubsport."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SANDBOX_HOME", str(tmp_path_factory.mktemp("home")))
        opened = Rig("--vehicle", "clubsport")
        yield opened
        opened.close()


def press_with_control(rig, key):
    """Press a key with Control held."""
    rig.app.keyboard.key_down("lcontrol")
    rig.press(key)
    rig.app.keyboard.key_up("lcontrol")
    rig.step()


@pytest.mark.covers("RC-DBG-01")
@pytest.mark.parametrize("action", KEYS)
def test_each_key_toggles_its_page_whose_numbers_are_the_telemetry(rig, action):
    pages = rig.app.windows["debug_pages"]
    press_with_control(rig, KEYS[action])
    assert pages.shown == {action}
    rig.hold("w")
    rig.run(1.0)
    rig.hold()
    values = pages.values(action)
    assert len(values) > 6
    for name, value, _ in values:
        if name != HEIGHT:
            assert value == rig.read(name), name
    press_with_control(rig, KEYS[action])
    assert not pages.open and not rig.app.windows["keys"].open and set(KEYS) == set(PAGES)


@pytest.mark.covers("RC-DBG-01")
def test_pages_show_the_values_that_the_documentation_names(rig):
    names = {action: {name for name, _, _ in rig.app.windows["debug_pages"].values(action)} for action in PAGES}
    assert {"input.throttle", "response.brake", "engine.throttle"} <= names["page_aids"]
    driveline = {"engine.omega", "drivetrain.output_omega", "wheel.rl.omega", "suspension.fl.jounce"}
    assert driveline <= names["page_driveline"]
    assert HEIGHT in names["page_height"]


@pytest.mark.covers("RC-GEAR-04")
def test_the_driveline_page_shows_the_gearboxs_output(rig):
    rig.hold("w")
    rig.until(lambda: rig.read("clutch.normalised") == 1.0 and rig.speed > 5.0, 5.0)
    shown = {name: value for name, value, _ in rig.app.windows["debug_pages"].values("page_driveline")}
    ratio = rig.session.vehicle.get("gearbox.ratios")[shown["gearbox.current_gear"]]
    assert shown["drivetrain.output_omega"] == pytest.approx(shown["engine.omega"] / ratio, rel=1e-6)
    rig.hold()


@pytest.mark.covers("RC-MASS-04")
def test_the_page_shows_the_settled_height_of_the_centre_of_mass(rig):
    rig.hold("s")
    rig.until(lambda: abs(rig.speed) < 0.1, 8.0)
    rig.hold("space")
    rig.run(2.0)
    vehicle = rig.session.vehicle
    (name, shown, unit), *_ = rig.app.windows["debug_pages"].values("page_height")
    model = np.array(vehicle.model_position())
    assert (name, unit) == (HEIGHT, "m")
    assert shown == pytest.approx(model[2] + vehicle.get("body.centre_of_mass")[2], abs=1e-3)  # the plane lies at 0
    assert abs(shown - vehicle.get("body.cg")[2]) > 0.1 and 0.3 < shown < 0.6
    rig.hold()


def steering_node(rig):
    """Node of the drawn steering wheel, after a frame."""
    rig.step()
    return rig.app.views[0].body.find("**/steering_wheel")


@pytest.mark.covers("RC-STEER-01")
def test_the_steering_wheel_has_its_position_and_turns_about_its_tilted_axis(rig):
    node = steering_node(rig)
    original = tuple(node.getPos())
    tilt = math.radians(25.0)
    rig.session.changes.apply({"steering_wheel.position": [-0.4, 0.3, 0.9], "steering_wheel.tilt": tilt})
    node = steering_node(rig)
    assert tuple(node.getPos()) == pytest.approx((-0.4, 0.3, 0.9))
    axis = node.getQuat().xform((0.0, 1.0, 0.0))
    assert tuple(axis) == pytest.approx((0.0, math.cos(tilt), -math.sin(tilt)), abs=1e-6)
    rig.app.views[0].frame.steer_command = 0.0
    frame = rig.session.interpolated()
    frame.steer_command = 0.7
    rig.app.views[0].update(frame)
    direction = node.getQuat().xform((0.0, 1.0, 0.0))
    assert tuple(direction) == pytest.approx(tuple(axis), abs=1e-6)  # about its own tilted axis
    rig.session.changes.apply({"steering_wheel.position": [0.0, 0.0, 0.0]})
    assert tuple(steering_node(rig).getPos()) == pytest.approx(original)


@pytest.mark.covers("RC-STEER-02")
@pytest.mark.parametrize("lock", [90.0, 130.0])
def test_full_steering_turns_the_drawn_wheel_by_its_lock(rig, lock):
    rig.session.changes.apply({"steering_wheel.lock": math.radians(lock)})
    node, view = steering_node(rig), rig.app.views[0]
    turns = []
    for command in (0.0, 1.0):
        frame = rig.session.interpolated()
        frame.steer_command = command
        view.update(frame)
        turns.append(node.getQuat())
    between = turns[1] * turns[0].conjugate()
    assert 2.0 * math.degrees(math.acos(min(1.0, abs(between.getR())))) == pytest.approx(lock, abs=0.01)


@pytest.mark.covers("RC-DBG-02")
def test_the_warnings_shown_are_explained_in_the_help(rig):
    page = (ROOT / "docs" / "tuning_help.md").read_text(encoding="utf8")
    rig.session.vehicle.set_many({"clutch.max_torque": 100.0, "gearbox.end_ratio": 3.0})
    app = rig.app
    app.advisor.check()
    assert {a.id for a in check_vehicle(rig.session.vehicle)} >= {"clutch_capacity", "end_ratio_unused"}
    for advice in app.advisor.advice:
        assert f"`{advice.id}`" in page and advice.cause in page
        text = " ".join(explanation(advice))  # what the question mark opens: tests/panel/test_advisor_list.py
        assert advice.cause in text and f"docs/tuning_help.md, {advice.id}" in text
