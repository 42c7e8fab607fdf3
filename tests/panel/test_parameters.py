"""The parameter panel by mouse and keys on its widgets."""

import math
import re

import pytest
from panel_rows import show
from sample_vehicle import EngineParams, build_vehicle

from driving_sandbox.game.panel.layout import build_groups, number_spec, readable, world_groups
from driving_sandbox.game.panel.parameters import ParameterPanel
from driving_sandbox.game.panel.widgets import euler_degrees, quaternion
from driving_sandbox.game.session.edits import VehicleModel
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

EVERY_PATH = [p.path for p in build_vehicle().parameters()]


def test_a_slider_changes_a_parameter_and_derived_values(panel, user, vehicle):
    show(panel, user, "body.mass")
    user.drag("body.mass", 0.3, 0.8)
    low, high = 400.0, 4000.0
    assert vehicle.get("body.mass") == pytest.approx(low + 0.8 * (high - low), rel=0.03)
    assert vehicle.get("body.weight") == pytest.approx(9.81 * vehicle.get("body.mass"))


def test_a_drag_is_one_step_of_undo_and_redo(panel, user, vehicle, model):
    show(panel, user, "body.mass")
    user.drag("body.mass", 0.3, 0.6)
    user.drag("body.mass", 0.6, 0.9)
    after = vehicle.get("body.mass")
    user.click("undo")
    between = vehicle.get("body.mass")
    assert 1320.0 < between < after
    user.click("undo")
    assert vehicle.get("body.mass") == 1320.0
    assert not model.can_undo
    user.click("redo")
    assert vehicle.get("body.mass") == between


def test_direct_entry_applies_when_finished(panel, user, vehicle):
    show(panel, user, "suspension.fr.stiffness")
    user.enter("suspension.fr.stiffness", "45678", finish=None)
    assert vehicle.get("suspension.fr.stiffness") == 32e3  # 4, 45, 456 ... are not applied while typing
    user.key("enter")
    assert vehicle.get("suspension.fr.stiffness") == 45678.0
    assert vehicle.get("suspension.fl.stiffness") == 45678.0  # linked side
    assert vehicle.get("suspension.rr.stiffness") == 32e3


def test_escape_cancels_direct_entry(panel, user, vehicle):
    show(panel, user, "body.mass")
    user.enter("body.mass", "777", finish="escape")
    assert vehicle.get("body.mass") == 1320.0


def test_direct_entry_accepts_values_beyond_the_slider(panel, user, vehicle):
    show(panel, user, "body.mass")
    user.enter("body.mass", "9000")
    assert vehicle.get("body.mass") == 9000.0 and "unusual:body.mass" in user.ui.items


def test_values_between_usual_range_and_hard_limit_show_a_warning(panel, user, vehicle):
    show(panel, user, "body.mass")
    user.enter("body.mass", "30000")
    assert vehicle.get("body.mass") == 30000.0 and "unusual:body.mass" in user.ui.items
    user.enter("body.mass", "300000")
    assert vehicle.get("body.mass") == 30000.0 and "40000" in panel.errors["body.mass"]
    assert "unusual:body.mass" not in user.ui.items and "error:body.mass" in user.ui.items
    user.enter("body.mass", "1500")
    assert not {"unusual:body.mass", "error:body.mass"} & set(user.ui.items.names())


def test_a_refused_value_keeps_the_old_one_and_shows_the_rule(panel, user, vehicle):
    show(panel, user, "body.mass")
    user.enter("body.mass", "-5")
    assert vehicle.get("body.mass") == 1320.0
    assert "error:body.mass" in user.ui.items
    assert "greater than 0" in panel.errors["body.mass"]
    user.enter("body.mass", "1000")
    assert vehicle.get("body.mass") == 1000.0
    assert "error:body.mass" not in user.ui.items


def test_a_refused_combination_is_reported(panel, user, vehicle):
    show(panel, user, "gearbox.ratios")
    for _ in range(3):
        user.click("gearbox.ratios[-]")
    assert len(vehicle.get("gearbox.ratios")) == 3
    user.click("gearbox.ratios[-]")
    assert len(vehicle.get("gearbox.ratios")) == 3
    assert "one forward gear" in panel.errors["gearbox.ratios"]


def test_a_list_of_choices_grows_shrinks_and_changes(panel, user, vehicle):
    show(panel, user, "gearbox.oils")
    user.click("gearbox.oils[+]")
    assert vehicle.get("gearbox.oils") == ["thick", "thick"]
    choose_first(user, "gearbox.oils[1]")
    assert vehicle.get("gearbox.oils") == ["thick", "thin"]
    for _ in range(2):
        user.click("gearbox.oils[-]")
    assert vehicle.get("gearbox.oils") == []


def test_angles_are_shown_and_entered_in_degrees(panel, user, vehicle):
    show(panel, user, "steering.lock")
    user.enter("steering.lock", "30")
    assert vehicle.get("steering.lock") == pytest.approx(math.radians(30.0), rel=1e-6)


def test_linked_sides_mirror_and_unlinked_do_not(panel, user, vehicle):
    show(panel, user, "suspension.fr.toe")
    user.enter("suspension.fr.toe", "1")
    assert vehicle.get("suspension.fr.toe") == pytest.approx(math.radians(1.0), rel=1e-6)
    assert vehicle.get("suspension.fl.toe") == -vehicle.get("suspension.fr.toe")
    user.click("link")
    show(panel, user, "suspension.fl.toe")
    user.enter("suspension.fl.toe", "0.5")
    assert vehicle.get("suspension.fl.toe") == pytest.approx(math.radians(0.5), rel=1e-6)
    assert vehicle.get("suspension.fr.toe") == pytest.approx(math.radians(1.0), rel=1e-6)


def test_the_other_side_of_a_linked_vector_has_the_opposite_x(panel, user, vehicle):
    show(panel, user, "suspension.rr.attachment")
    user.enter("suspension.rr.attachment[0]", "0.75")
    assert vehicle.get("suspension.rr.attachment") == [0.75, 1.2, 0.3]
    assert vehicle.get("suspension.rl.attachment") == [-0.75, 1.2, 0.3]


def test_search_filters_by_name_and_description(panel, user):
    user.click("search")
    user.type("torque curve")
    assert "engine.torque_curve" in user.ui.items
    assert "engine.peak_torque" not in user.ui.items
    user.key("enter")
    panel.search = "full throttle"
    user.step()
    assert "engine.peak_torque" in user.ui.items
    panel.search = "no such thing"
    user.step()
    assert not [name for name in user.ui.items.names() if name.startswith(("group:", "label:"))]


def test_changed_parameters_are_listed_and_reset(panel, user, vehicle):
    vehicle.set("engine.idle_omega", 100.0)
    vehicle.set("suspension.fl.damping", 3000.0)
    user.click("changed")
    labels = {name for name in user.ui.items.names() if name.startswith("label:")}
    assert labels == {"label:engine.idle_omega", "label:suspension.fr.damping"}
    user.click("reset:engine.idle_omega")
    assert vehicle.get("engine.idle_omega") == 80.0
    user.click("reset-all")
    assert vehicle.changed_values() == {}
    user.click("undo")
    assert vehicle.changed_values() == {"suspension.fl.damping": 3000.0}


@pytest.mark.parametrize("path", EVERY_PATH)
def test_every_parameter_has_a_widget(panel, user, path, vehicle):
    panel.linked = False
    panel.relayout()
    panel.reveal(path)
    user.step(5)
    kind, drawn = type(vehicle.parameter(path).field.kind).__name__, user.ui.items.names()
    assert any(name == path or name.startswith(f"{path}[") for name in drawn), f"{path} ({kind}) has no widget"
    first = re.sub(r"\.(fr|rl|rr)\.", ".fl.", path)  # its row has all wheels where they fit into one
    assert {f"label:{path}", f"label:{first}"} & set(drawn)


def choose_first(user, key):
    """Open a combo box and pick its first entry."""
    user.click(key)
    left, top, _, bottom = user.ui.items.rectangle(key)
    user.ui.feed.move(left + 20.0, bottom + (bottom - top) * 0.7)
    user.step()
    user.press()
    user.release()


def test_a_checkbox_and_a_combo_box_change_parameters(panel, user, vehicle):
    show(panel, user, "engine.turbo")
    user.click("engine.turbo")
    assert vehicle.get("engine.turbo") is True
    show(panel, user, "gearbox.mode")
    choose_first(user, "gearbox.mode")
    assert vehicle.get("gearbox.mode") == "manual"


def test_a_parameter_changed_outside_the_panel_gets_a_reset_button(panel, user, vehicle):
    show(panel, user, "body.mass")
    vehicle.set("body.mass", 2000.0)
    user.step()
    assert "reset:body.mass" in user.ui.items


def test_sliders_change_the_new_vehicle_after_a_change_of_vehicle(panel, user, model):
    model.vehicle = build_vehicle()
    user.step()
    show(panel, user, "body.mass")
    user.drag("body.mass", 0.3, 0.8)
    assert model.vehicle.get("body.mass") > 2000.0


def test_rows_cover_every_parameter_once(vehicle):
    for linked in (True, False):
        rows = [row for group in build_groups(vehicle, linked) for row in group.rows]
        paths = [path for row in rows for path in row.paths]
        assert sorted(paths) == sorted(p.path for p in vehicle.parameters())


def test_ranges_of_sliders_and_names_of_rows_follow_from_the_declaration():
    spec = number_spec(EngineParams.fields["inertia"], 0.25)
    assert spec.logarithmic and (spec.low, spec.high) == (0.01, 10.0)
    spec = number_spec(EngineParams.fields["peak_torque"], 1500.0)
    assert not spec.logarithmic and (spec.low, spec.high) == (50.0, 1500.0)  # the present value is always inside
    assert readable("roll_center_height") == "Roll center height"


def test_rotation_angles_round_trip():
    for angles in ([10.0, 20.0, 30.0], [-80.0, 5.0, 170.0]):
        q = quaternion(angles)
        assert sum(c * c for c in q) == pytest.approx(1.0)
        assert euler_degrees(q) == pytest.approx(angles)


# ---- parameters of the world


@pytest.fixture
def world_model(ui, user, tmp_path):
    world = World(load_world("plane"), [])
    return VehicleModel(build_vehicle(), tmp_path / "setups", world.parameters)


def test_parameters_of_the_world_are_rows_like_others(ui, user, world_model):
    panel, world = ParameterPanel(ui, world_model), world_model.world
    ui.add(panel.draw)
    user.step()
    show(panel, user, "world.gravity")
    user.enter("world.gravity", "3.7")
    assert world.get("world.gravity") == 3.7
    user.enter("world.gravity", "500")
    assert world.get("world.gravity") == 3.7 and "less than or equal to 100" in panel.errors["world.gravity"]
    show(panel, user, "world.wind[1]")
    user.enter("world.wind[1]", "-7.5")
    assert world.get("world.wind") == [0.0, -7.5, 0.0]
    user.click("undo")
    assert world.get("world.wind") == [0.0, 0.0, 0.0]
    grip = "surface.asphalt.friction_sport"
    show(panel, user, grip)
    before = world.get(grip)
    user.drag(grip, 0.5, 0.1)
    assert 0.0 <= world.get(grip) < 0.4 < before
    user.click("undo")
    assert world.get(grip) == before
    user.click("redo")
    panel.changed_only = True
    user.step()
    assert {"world.gravity", grip} <= set(ui.items.names()) and "body.mass" not in ui.items
    panel.changed_only, panel.search = False, "free fall"
    user.step()
    assert "world.gravity" in ui.items and grip not in ui.items
    panel.reset_all()
    assert not world.changed_values()


def test_every_row_of_a_surface_has_cells_for_all_tires(world_model):
    groups = {group.slot: group for group in world_groups(world_model.world)}
    assert groups["surface"].tags == ["street", "sport", "offroad", "material"]
    assert [len(row.cells) for row in groups["surface"].rows] == [4] * len(groups["surface"].rows)
    paths = [path for group in groups.values() for row in group.rows for path in row.paths]
    assert paths == list(world_model.world.values())
