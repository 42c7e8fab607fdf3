"""The advisor in the panel: a click jumps to the slider, a button applies the remedy, a test runs on a copy."""

import time
from types import SimpleNamespace

import numpy as np
import pytest

from driving_sandbox.game.panel.advisor import Advisor, AdvisorList
from driving_sandbox.game.panel.parameters import ParameterPanel
from driving_sandbox.game.session.edits import VehicleModel
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world


@pytest.fixture
def session(tmp_path):
    vehicle = load_vehicle("roadster")
    world = World(load_world("plane"), [vehicle])
    world.spawn()
    said = []
    return SimpleNamespace(
        vehicle=vehicle, world=world, said=said, say=lambda text, level="info": said.append((text, level))
    )


@pytest.fixture
def shown(ui, session, hand, tmp_path):
    """(panel, advisor) with the advisor's section open."""
    model = VehicleModel(session.vehicle, tmp_path)
    panel, advisor = ParameterPanel(ui, model), Advisor(session)
    panel.advisor = AdvisorList(ui, advisor, model, panel.show)
    ui.add(panel.draw)
    hand.step()
    hand.click("advisor")
    return panel, advisor


def test_a_click_on_a_message_shows_its_slider(shown, session, hand):
    panel, advisor = shown
    session.vehicle.set("engine.inertia", 1.0)
    panel.search = "camber"
    hand.click("advisor-check")
    assert "engine_inertia" in {a.id for a in advisor.advice}
    assert session.said[-1][1] == "warning" and "engine." in session.said[-1][0]
    assert "label:engine.inertia" not in hand.ui.items
    hand.click("advice:engine_inertia", 0.2)
    hand.step(5)
    assert panel.search == "" and "label:engine.inertia" in hand.ui.items


def test_a_remedy_is_applied_with_undo_and_a_message_can_be_closed(shown, session, hand):
    panel, advisor = shown
    flat, odd = [[0.0, 1.0], [1.0, 1.0]], [[0.0, 0.2], [1.0, 0.3]]
    session.vehicle.set_many({"engine.torque_curve": odd, "engine.max_omega": 2600.0})
    hand.click("advisor-check")
    assert {"torque_curve", "max_omega"} <= {a.id for a in advisor.advice}
    hand.click("apply:torque_curve")
    assert session.vehicle.get("engine.torque_curve") == flat
    assert "torque_curve" not in {a.id for a in advisor.advice}
    hand.click("undo")
    assert session.vehicle.get("engine.torque_curve") == odd
    hand.click("dismiss:max_omega")
    assert "max_omega" not in {a.id for a in advisor.advice}


def test_a_measurement_runs_beside_the_drive(shown, session, hand):
    _, advisor = shown
    before = session.world.state_hash()
    hand.click("trial:Coast-down")
    deadline = time.monotonic() + 400.0  # kernels may have to be compiled
    while advisor.running and time.monotonic() < deadline:
        time.sleep(0.05)
        advisor.poll()
    assert advisor.results and advisor.results[0].startswith("Coast-down: 0.81")
    assert "0.137 m/s^2 of it air" in advisor.results[0]
    assert session.world.state_hash() == before


def test_what_is_wrong_while_driving_is_said_once(shown, session, hand):
    _, advisor = shown
    commands = np.zeros(1, [("throttle", float)])
    session.vehicle.state["input"]["throttle"] = 1.0
    drive = advisor.watched(lambda situation: commands)
    for _ in range(600):
        assert drive(None) is commands
        advisor.poll()
    assert [a.id for a in advisor.advice] == ["neutral_gear"]
    assert len(session.said) == 1 and "engage a gear" in session.said[0][0]
    hand.step()
    assert "evidence:neutral_gear" in hand.ui.items


@pytest.mark.covers("RC-DBG-02")
def test_a_question_mark_opens_the_explanation_of_a_warning(shown, session, hand):
    panel, advisor = shown
    session.vehicle.set("engine.inertia", 1.0)
    hand.click("advisor-check")
    hand.step(5)
    listed = panel.advisor
    assert not listed.explained
    hand.click("explain:engine_inertia")
    assert listed.explained == {"engine_inertia"}
    hand.click("explain:engine_inertia")
    assert not listed.explained
