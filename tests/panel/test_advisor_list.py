"""The advisor in the panel: a click shows the slider, a button applies the remedy, a measurement runs on a copy."""

import time
from types import SimpleNamespace

import numpy as np
import pytest

from driving_sandbox.game.panel.advisor import MAX_ADVICE, Advisor, AdvisorList, explanation
from driving_sandbox.game.panel.parameters import ParameterPanel
from driving_sandbox.game.session.edits import VehicleModel
from driving_sandbox.lab.advisor.advice import advise
from driving_sandbox.lab.advisor.trials import TRIALS
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world


@pytest.fixture
def session(tmp_path):
    """A roadster on the plane with what the list of advice uses of a session; `messages`: what it was told to say."""
    vehicle = load_vehicle("roadster")
    world = World(load_world("plane"), [vehicle])
    world.spawn()
    messages = []
    return SimpleNamespace(
        vehicle=vehicle, world=world, messages=messages, say=lambda text, level="info": messages.append((text, level))
    )


@pytest.fixture
def panel_and_advisor(ui, session, user, tmp_path):
    """(panel, advisor) with the advisor's section open."""
    model = VehicleModel(session.vehicle, tmp_path)
    panel, advisor = ParameterPanel(ui, model), Advisor(session)
    panel.advisor = AdvisorList(ui, advisor, model, panel.show)
    ui.add(panel.draw)
    user.step()
    user.click("advisor")
    return panel, advisor


def test_a_click_on_a_message_shows_its_slider(panel_and_advisor, session, user):
    panel, advisor = panel_and_advisor
    session.vehicle.set("engine.inertia", 1.0)
    panel.search = "camber"
    user.click("advisor-check")
    assert "engine_inertia" in {a.id for a in advisor.advice}
    text, level = session.messages[-1]
    assert level == "warning" and "engine." in text
    assert "label:engine.inertia" not in user.ui.items
    user.click("advice:engine_inertia", 0.2)
    user.step(5)
    assert panel.search == "" and "label:engine.inertia" in user.ui.items


def test_a_remedy_is_applied_with_undo_and_a_message_can_be_closed(panel_and_advisor, session, user):
    panel, advisor = panel_and_advisor
    flat, wrong = [[0.0, 1.0], [1.0, 1.0]], [[0.0, 0.2], [1.0, 0.3]]  # (share of maximum speed, share of peak torque)
    session.vehicle.set_many({"engine.torque_curve": wrong, "engine.max_omega": 2600.0})
    user.click("advisor-check")
    assert {"torque_curve", "max_omega"} <= {a.id for a in advisor.advice}
    user.click("apply:torque_curve")
    assert session.vehicle.get("engine.torque_curve") == flat
    assert "torque_curve" not in {a.id for a in advisor.advice}
    user.click("undo")
    assert session.vehicle.get("engine.torque_curve") == wrong
    user.click("dismiss:max_omega")
    assert "max_omega" not in {a.id for a in advisor.advice}


def test_a_measurement_runs_in_the_background_without_changing_the_world(panel_and_advisor, session, user):
    _, advisor = panel_and_advisor
    before = session.world.state_hash()
    user.click("trial:Coast-down")
    deadline = time.monotonic() + 400.0  # kernels may have to be compiled
    while advisor.running and time.monotonic() < deadline:
        time.sleep(0.05)
        advisor.poll()
    assert advisor.results and advisor.results[0].startswith("Coast-down: 0.81")
    assert "0.137 m/s^2 of it by air drag" in advisor.results[0]
    assert session.world.state_hash() == before


def test_a_measurement_that_fails_unexpectedly_ends(panel_and_advisor, monkeypatch):
    _, advisor = panel_and_advisor
    monkeypatch.setitem(TRIALS, "Coast-down", lambda vehicle: 1 // 0)
    advisor.measure("Coast-down")
    deadline = time.monotonic() + 60.0
    while advisor.running and time.monotonic() < deadline:
        time.sleep(0.05)
        advisor.poll()
    assert advisor.running is None and "unexpected ZeroDivisionError" in advisor.results[0]


def test_advice_from_measurements_replaces_the_oldest(panel_and_advisor):
    _, advisor = panel_and_advisor
    advisor.advice = MAX_ADVICE * [advise("spring_step", evidence="", path="x")]
    measured = advise("neutral_gear", evidence="", path=None)
    advisor._done.append(SimpleNamespace(text="measured", advice=[measured]))
    advisor.poll()
    assert len(advisor.advice) == MAX_ADVICE and advisor.advice[0] is measured


def test_a_problem_while_driving_is_reported_once(panel_and_advisor, session, user):
    _, advisor = panel_and_advisor
    commands = np.zeros(1, [("throttle", float)])
    session.vehicle.state["input"]["throttle"] = 1.0
    drive = advisor.watched(lambda situation: commands)
    for _ in range(600):
        assert drive(None) is commands
        advisor.poll()
    assert [a.id for a in advisor.advice] == ["neutral_gear"]
    assert len(session.messages) == 1 and "engage a gear" in session.messages[0][0]
    user.step()
    assert "evidence:neutral_gear" in user.ui.items


@pytest.mark.covers("RC-DBG-02")
def test_a_question_mark_opens_and_closes_the_explanation_of_a_warning(panel_and_advisor, session, user):
    panel, advisor = panel_and_advisor
    session.vehicle.set("engine.inertia", 1.0)
    user.click("advisor-check")
    user.step(5)
    advisor_list = panel.advisor
    assert not advisor_list.explained
    user.click("explain:engine_inertia")
    assert advisor_list.explained == {"engine_inertia"}
    user.click("explain:engine_inertia")
    assert not advisor_list.explained


def test_the_explanation_names_the_remedy():
    explanations = [
        explanation(advise(name, evidence="", path=path))
        for name, path in (("neutral_gear", None), ("spring_step", "x"))
    ]
    assert [lines[2] for lines in explanations] == [
        "Remedy: engage a gear.",
        "Remedy: lower suspension.stiffness.",
    ]
