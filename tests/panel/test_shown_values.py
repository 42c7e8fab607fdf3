"""Display and entry of lists, curves and numbers."""

import math
import re
from types import SimpleNamespace

import pytest
from imgui_bundle import imgui

from driving_sandbox.game.experiments.effect_window import EffectSection
from driving_sandbox.game.panel.differences import brief
from driving_sandbox.game.panel.layout import number_spec, range_text
from driving_sandbox.game.panel.listed import curve_scale, element_names
from driving_sandbox.game.panel.parameters import ParameterPanel
from driving_sandbox.game.panel.rows import value_text
from driving_sandbox.game.panel.widgets import Widgets
from driving_sandbox.game.session.edits import VehicleModel
from driving_sandbox.game.toolkit.units import DEFAULT, SYSTEMS, choose, number_text
from driving_sandbox.lab.sweep import Point, sweepable
from driving_sandbox.physics.schema.schema import Block, Field, Float
from driving_sandbox.physics.vehicle.vehicle_file import VEHICLE_FOLDER, load_vehicle


@pytest.fixture
def roadster(ui, user, tmp_path):
    """(panel of the roadster, roadster)."""
    vehicle = load_vehicle("roadster")
    panel = ParameterPanel(ui, VehicleModel(vehicle, tmp_path / "setups"))
    ui.add(panel.draw)
    user.step()
    return panel, vehicle


def test_anti_roll_bars_are_sliders_with_the_names_of_their_axles(roadster, user):
    panel, vehicle = roadster
    path = "antiroll.stiffness"
    panel._open_groups.add("antiroll")
    panel.search = path
    user.step(4)
    assert element_names(panel._values, "antiroll", "stiffness", 2) == ["front", "rear"]
    assert vehicle.get(path) == [9000.0, 4500.0]
    user.drag(f"{path}[1]", 0.1, 0.6)
    front, rear = vehicle.get(path)
    assert front == 9000.0 and rear == pytest.approx(30e3, rel=0.1)
    user.enter(f"{path}[0]", "12345")
    assert vehicle.get(path)[0] == 12345.0
    user.click(path)  # its arrow
    assert f"{path}[+]" in user.ui.items
    vehicle.set("antiroll.wheel_b", [2, 3])
    panel._values.refresh()
    assert element_names(panel._values, "antiroll", "stiffness", 2)[0] == "FL-RL"  # a bar from wheel 0 to wheel 2


def test_the_wheels_of_anti_roll_bars_are_chosen_by_name(roadster, user):
    panel, vehicle = roadster
    path = "antiroll.wheel_b"
    declared = vehicle.parameter(path).field
    text = value_text(declared, vehicle.get(path), vehicle.wheel_names, digits=7)
    assert text == "FR  RR" and not sweepable(declared)
    panel._open_groups.add("antiroll")
    panel.search = path
    user.step(4)
    for key in (f"{path}[0]", f"{path}[1]"):  # in the row, and in the table below
        user.choose(key, vehicle.wheel_names, "rl")
        if f"{path}[+]" not in user.ui.items:
            user.click(path)  # its arrow
    assert vehicle.get(path) == [2.0, 2.0]  # index of "rl"


def test_ratios_have_the_names_of_gears(roadster):
    panel, vehicle = roadster
    count = len(vehicle.get("gearbox.ratios"))
    assert element_names(panel._values, "gearbox", "ratios", count)[:4] == ["R", "N", "1", "2"]
    assert element_names(panel._values, "autobox", "up_ratios", count)[2] == "1"
    assert element_names(panel._values, "body", "anything", 3) is None


def test_the_torque_curve_is_shown_and_set_in_rpm_and_newton_metres(roadster, user):
    panel, vehicle = roadster
    path = "engine.torque_curve"
    scale = curve_scale(panel._values, "engine", vehicle.parameter(path).field)
    assert (scale.x_unit, scale.y_unit) == ("rpm", "N·m")
    assert scale.x == pytest.approx(vehicle.get("engine.max_omega") * 30.0 / math.pi)
    assert scale.y == vehicle.get("engine.peak_torque")
    panel.show(path)
    panel.search = path
    user.step(5)
    before = vehicle.get(path)
    rpm = round(0.5 * (before[1][0] + before[2][0]) * scale.x)
    user.enter(f"{path}[1].x", str(rpm))
    user.enter(f"{path}[1].y", str(round(0.5 * scale.y)))
    x, y = vehicle.get(path)[1]
    assert x * scale.x == pytest.approx(rpm, rel=1e-5) and y == pytest.approx(0.5, abs=0.5 / scale.y)
    left, top, right, _ = user.ui.items.rectangle(f"{path}[0][1]@plot")
    user.ui.feed.move((left + right) / 2.0, top + (right - left) / 2.0)
    user.step()
    user.press()
    user.ui.feed.move((left + right) / 2.0, top - 500.0)  # far above the peak
    user.step()
    user.release()
    assert vehicle.get(path)[1][1] == pytest.approx(1.0)


def test_a_curve_of_the_planar_engine_is_in_rpm_too(ui, tmp_path):
    vehicle = load_vehicle("planar_roadster")
    panel = ParameterPanel(ui, VehicleModel(vehicle, tmp_path))
    panel._values.refresh()
    scale = curve_scale(panel._values, "engine", vehicle.parameter("engine.torque_table").field)
    assert (scale.x, scale.x_unit, scale.y, scale.y_unit) == (pytest.approx(30.0 / math.pi), "rpm", 1.0, "N·m")


@pytest.mark.parametrize(
    ("number", "digits", "text"),
    [(30000.0, 4, "30000"), (123456.7, 4, "123457"), (3.0e9, 4, "3000000000"), (0.00012345, 3, "0.000123"),
     (9.9999, 4, "10"), (-0.5, 4, "-0.5"), (0.0, 4, "0"), (1.0e-6, 4, "0.000001"), (2.5, 7, "2.5")],
)  # fmt: skip
def test_numbers_are_written_without_exponent(number, digits, text):
    assert number_text(number, digits) == text


def test_other_displayed_values_are_written_without_exponent():
    """In the comparison of setups, and for the best value of a sweep."""
    assert [brief(value) for value in (123456.0, 3.0e9, 0.25, [1, 2])] == ["123456", "3000000000", "0.25", "[1, 2]"]
    effect = SimpleNamespace(points=(), maneuver="launch")
    section = EffectSection(None, effect, None)
    section._row, section.measure = SimpleNamespace(field=Field(name="x", kind=Float(), unit="N/m")), "top_speed"
    for value, speed, text in ((30000.0, 12345.0, "12345 km/h at 30000 N/m"), (2.5, 9.0, "9 km/h at 2.5 N/m")):
        effect.points = [Point(value, {"top_speed": speed / 3.6})]
        assert section.verdict() == [f"best: {text}"]


def test_no_parameter_is_shown_with_an_exponent(ui, tmp_path):
    """Values, ranges and slider formats of all vehicles in all unit systems."""
    vehicles = [load_vehicle(path) for path in VEHICLE_FOLDER.glob("*.yaml")]
    try:
        for system in SYSTEMS:
            choose(system)
            for vehicle in vehicles:
                for parameter in vehicle.parameters():
                    declared = parameter.field
                    if isinstance(declared.kind, Block):
                        continue
                    value = vehicle.get(parameter.path)
                    texts = [value_text(declared, value, vehicle.wheel_names, digits=7), range_text(declared)]
                    if isinstance(declared.kind, Float):
                        spec = number_spec(declared, value)
                        texts.append(spec.text % (value * spec.factor))
                    assert not any(re.search(r"\de[+-]?\d", text) for text in texts), (parameter.path, texts)
    finally:
        choose(DEFAULT)


def test_a_logarithmic_slider_sets_small_values(ui, user, tmp_path):
    widgets = Widgets(ui.items)
    declared = Field(name="x", kind=Float(), unit="1", gt=0, suggest=(1e-3, 1e6))
    value, entered = 0.01234, []

    def draw():
        imgui.begin("w")
        entered.append(widgets.number("x", value, widgets.spec("x", declared, value), 300.0))
        imgui.end()

    ui.add(draw)
    user.step()
    user.drag("x", 0.9, 0.12)
    changes = [change for change in entered if change is not None]
    assert changes and 0.0 < changes[-1] < 0.05
