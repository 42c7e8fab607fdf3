"""Views of the parameter panel (which parameters it lists), units and linked parameters."""

import math

import pytest

from driving_sandbox.game.panel.linked import LINKED_FORMS
from driving_sandbox.game.platform.user_folder import subfolder
from driving_sandbox.game.plots.layouts import Plot
from driving_sandbox.game.plots.plots import PlotWindow
from driving_sandbox.game.toolkit import units
from driving_sandbox.game.toolkit.preferences import FILE, PanelPreferences, load_preferences
from driving_sandbox.game.toolkit.units import SYSTEMS, motion_unit, shown_unit
from driving_sandbox.lab.units import KMH, MPH
from driving_sandbox.physics.vehicle.types import VARIANTS
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle


@pytest.fixture(autouse=True)
def usual_units():
    """The default units again after each test."""
    yield
    units.choose(units.DEFAULT)


def listed_parameters(user):
    """Paths of the parameters whose rows are drawn."""
    return {name.removeprefix("label:") for name in user.ui.items.names() if name.startswith("label:")}


def test_set_up_parameters_include_springs_and_ratios_but_no_geometry():
    """Mass, springs, dampers, ratios and tire type: in every component with them, unless derived."""
    fields = [(slot, field) for slot, variants in VARIANTS.items() for component in variants.values()
              if component.params for field in component.params.fields.values()]  # fmt: skip
    offered = {(slot, field.name) for slot, field in fields if field.mechanic}
    for name in ("body.mass", "suspension.stiffness", "suspension.bump_damping", "gearbox.ratios", "tire.tire_type"):
        slot, _, key = name.partition(".")
        assert (slot, key) in offered
        assert all(field.mechanic or field.derived for s, field in fields if (s, field.name) == (slot, key)), name
    assert not {key for _, key in offered} & {"attachment", "travel", "inertia", "radius"}
    assert all(linked.field.mechanic for linked in LINKED_FORMS)


def test_the_set_up_view_shows_springs_but_not_their_attachment(panel, user):
    panel.view = "Set-up"
    user.step()
    assert {"suspension.fr.stiffness", "gearbox.ratios"} <= listed_parameters(user)
    assert "suspension.fr.attachment" not in listed_parameters(user) and "engine.inertia" not in listed_parameters(user)


def test_a_right_click_adds_a_favourite_that_is_saved(panel, user, tmp_path):
    panel.preferences.path = tmp_path / "panel.yaml"
    panel.reveal("engine.inertia")
    user.step(5)
    user.move("label:engine.inertia", 0.2)
    user.ui.feed.button(True, "mouse3")
    user.step()
    user.ui.feed.button(False, "mouse3")
    user.step()
    user.click("menu:favourite")
    assert panel.preferences.favourites == ["engine.inertia"]
    panel.view = "Favourites"
    user.step()
    assert listed_parameters(user) == {"engine.inertia"}
    assert "engine.inertia" in (tmp_path / "panel.yaml").read_text()


def test_the_star_is_beside_favourites_only(panel, user):
    """The rows of both inertias have the same title, unit and width."""

    def label_width(path):
        panel.reveal(path)
        user.step(5)
        left, _, right, _ = user.ui.items.rectangle(f"label:{path}")
        return right - left

    plain = label_width("engine.inertia")
    panel.preferences.toggle("engine.inertia")
    assert label_width("engine.inertia") > plain
    assert label_width("steering.inertia") == plain
    panel.preferences.toggle("engine.inertia")
    assert label_width("engine.inertia") == plain


def test_the_latest_changes_are_listed(panel, user, model):
    model.set_parameter("engine.inertia", 0.3)
    model.set_parameter("body.mass", 1000.0)
    assert model.recent() == ["body.mass", "engine.inertia"]
    panel.view = "Recently changed"
    user.step()
    assert listed_parameters(user) == {"body.mass", "engine.inertia"}
    user.click("undo")
    user.step()
    assert listed_parameters(user) == {"engine.inertia"}


def test_the_view_is_chosen_by_mouse(panel, user, model):
    model.set_parameter("engine.inertia", 0.3)
    user.step()
    user.choose("view", ("All", "Set-up", "Favourites", "Recently changed"), "Recently changed")
    assert panel.view == "Recently changed"


@pytest.mark.parametrize("system", SYSTEMS)
def test_values_entered_in_all_unit_systems_are_stored_in_si_units(panel, user, vehicle, system):
    units.choose(system)
    factor, _ = shown_unit("N/m")
    panel.reveal("suspension.fr.stiffness")
    user.step(5)
    user.enter("suspension.fr.stiffness", f"{40e3 * factor:.6g}")
    assert vehicle.get("suspension.fr.stiffness") == pytest.approx(40e3, rel=1e-5)


def test_units_have_the_right_factors():
    units.choose("US customary")
    assert 1.0 * shown_unit("m")[0] == pytest.approx(39.3701, rel=1e-5)
    assert 175.127 * shown_unit("N/m")[0] == pytest.approx(1.0, rel=1e-5)  # 1 lb/in
    assert 6894.757 * shown_unit("Pa")[0] == pytest.approx(1.0, rel=1e-6)
    units.choose("Workshop")
    assert shown_unit("rad/s")[0] * 104.7197551 == pytest.approx(1000.0)
    assert shown_unit("N/rad")[0] * 1000.0 * 180.0 / math.pi == pytest.approx(1.0)


def test_speeds_are_shown_per_hour():
    assert motion_unit("m/s") == (1.0 / KMH, "km/h") and motion_unit("rad") == shown_unit("rad")
    units.choose("US customary")
    assert motion_unit("m/s") == (1.0 / MPH, "mph")


def test_yaw_rates_use_the_unit_of_angles():
    for system, (factor, unit) in {"SI, degrees": (180.0 / math.pi, "°/s"), "SI, radians": (1.0, "rad/s"),
                                   "Workshop": (180.0 / math.pi, "°/s")}.items():  # fmt: skip
        units.choose(system)
        assert motion_unit("rad/s") == (pytest.approx(factor), unit)
    assert shown_unit("rad/s")[1] == "rpm"


def test_plots_follow_the_chosen_units(ui, vehicle):
    window = PlotWindow(ui, [Plot("speeds", ["car.speed", "car.rpm", "tire.fl.load"])])
    units.choose("SI, degrees")
    window.sample(vehicle, 0.0)
    assert [(line.unit, line.axis) for line in window.plots[0].lines] == [("km/h", 0), ("rpm", 1), ("N", 1)]
    units.choose("US customary")
    window.sample(vehicle, 0.1)
    assert [(line.unit, line.factor) for line in window.plots[0].lines][::2] == [
        ("mph", 1.0 / MPH),
        shown_unit("N")[::-1],
    ]
    assert window.history.times().tolist() == [0.0, 0.1]  # the earlier sample is not deleted


def test_speeds_per_hour_and_in_si_have_separate_axes(ui, vehicle):
    window = PlotWindow(ui, [Plot("speeds", ["car.speed", "body.velocity.y"])])
    units.choose("SI, degrees")
    window.sample(vehicle, 0.0)
    assert [(line.unit, line.axis) for line in window.plots[0].lines] == [("km/h", 0), ("m/s", 1)]


def test_units_are_chosen_in_the_panel_and_saved(panel, user, tmp_path):
    panel.preferences.path = tmp_path / "panel.yaml"
    user.choose("units", SYSTEMS, "Workshop")
    assert panel.preferences.units == "Workshop" and shown_unit("m") == (1e3, "mm")
    assert "Workshop" in (tmp_path / "panel.yaml").read_text()


def test_preferences_are_loaded_and_a_wrong_file_is_reported_and_not_overwritten(home):
    expected = PanelPreferences(path=subfolder("settings") / FILE)
    expected.toggle("engine.inertia")
    expected.set_units("Workshop")
    loaded, complaint = load_preferences()
    assert complaint is None and loaded == expected
    expected.path.write_text("favourites: [engine.inertia]\nunits: furlongs\n")
    loaded, complaint = load_preferences()
    assert "panel.yaml:2: units" in complaint and loaded.path is None
    loaded.toggle("body.mass")  # does not overwrite a file that can be corrected
    assert "furlongs" in expected.path.read_text()


@pytest.fixture
def roadster_panel(ui, user, tmp_path):
    """The parameter panel of the roadster, drawn once."""
    from driving_sandbox.game.panel.parameters import ParameterPanel
    from driving_sandbox.game.session.edits import VehicleModel

    panel = ParameterPanel(ui, VehicleModel(load_vehicle("roadster"), tmp_path / "setups"))
    ui.add(panel.draw)
    user.step()
    return panel


def test_frequency_and_damping_ratio_set_spring_and_damper(roadster_panel, user):
    car = roadster_panel._model.vehicle
    mass = car.get("suspension.fr.supported_mass")
    roadster_panel.search = "ride_frequency"
    user.step(5)
    user.enter("suspension.fr.ride_frequency", "1.8")
    stiffness = car.get("suspension.fr.stiffness")
    assert math.sqrt(stiffness / mass) / (2.0 * math.pi) == pytest.approx(1.8, rel=1e-5)
    assert car.get("suspension.fl.stiffness") == pytest.approx(stiffness, rel=1e-6)
    assert car.get("suspension.rr.stiffness") == car.base_values()["suspension.rr.stiffness"]
    roadster_panel.search = "damping_ratio"
    user.step(5)
    user.enter("suspension.rr.damping_ratio", "0.7")
    rear_mass, rear = car.get("suspension.rr.supported_mass"), car.get("suspension.rr.stiffness")
    assert car.get("suspension.rr.damping") == pytest.approx(0.7 * 2.0 * math.sqrt(rear * rear_mass), rel=1e-5)
    user.click("undo")
    assert car.get("suspension.rr.damping") == car.base_values()["suspension.rr.damping"]
