"""The panel is used as a person would: by mouse and keys, aiming at widgets."""

import math

import pytest
from sample_vehicle import EngineParams, build_vehicle

from driving_sandbox.game.panel.layout import build_groups, number_spec, readable, world_groups
from driving_sandbox.game.panel.parameters import ParameterPanel
from driving_sandbox.game.panel.widgets import euler_degrees, quaternion
from driving_sandbox.game.session.edits import VehicleModel
from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

EVERY_PATH = [p.path for p in build_vehicle().parameters()]


def show(panel, hand, path):
    panel.reveal(path)
    hand.step(5)
    assert any(name.startswith(path) for name in hand.ui.items.names()), f"{path} is not visible"


def test_slider_moves_a_parameter_and_what_derives_from_it(panel, hand, vehicle):
    show(panel, hand, "body.mass")
    hand.drag("body.mass", 0.3, 0.8)
    low, high = 400.0, 4000.0
    assert vehicle.get("body.mass") == pytest.approx(low + 0.8 * (high - low), rel=0.03)
    assert vehicle.get("body.weight") == pytest.approx(9.81 * vehicle.get("body.mass"))


def test_a_drag_is_one_step_of_undo_and_redo_repeats_it(panel, hand, vehicle, model):
    show(panel, hand, "body.mass")
    hand.drag("body.mass", 0.3, 0.6)
    hand.drag("body.mass", 0.6, 0.9)
    after = vehicle.get("body.mass")
    hand.click("undo")
    between = vehicle.get("body.mass")
    assert 1320.0 < between < after
    hand.click("undo")
    assert vehicle.get("body.mass") == 1320.0
    assert not model.can_undo
    hand.click("redo")
    assert vehicle.get("body.mass") == between


def test_direct_entry_acts_when_it_is_left(panel, hand, vehicle):
    show(panel, hand, "suspension.fr.stiffness")
    hand.enter("suspension.fr.stiffness", "45678", finish=None)
    assert vehicle.get("suspension.fr.stiffness") == 32e3  # 4, 45, 456 ... must not reach the springs
    hand.key("enter")
    assert vehicle.get("suspension.fr.stiffness") == 45678.0
    assert vehicle.get("suspension.fl.stiffness") == 45678.0  # linked
    assert vehicle.get("suspension.rr.stiffness") == 32e3


def test_escape_leaves_the_value(panel, hand, vehicle):
    show(panel, hand, "body.mass")
    hand.enter("body.mass", "777", finish="escape")
    assert vehicle.get("body.mass") == 1320.0


def test_direct_entry_may_go_beyond_the_sliders_ends(panel, hand, vehicle):
    show(panel, hand, "body.mass")
    hand.enter("body.mass", "9000")
    assert vehicle.get("body.mass") == 9000.0 and "unusual:body.mass" in hand.ui.items


def test_between_the_usual_range_and_the_hard_limit_stands_a_warning(panel, hand, vehicle):
    show(panel, hand, "body.mass")
    hand.enter("body.mass", "30000")
    assert vehicle.get("body.mass") == 30000.0 and "unusual:body.mass" in hand.ui.items
    hand.enter("body.mass", "300000")
    assert vehicle.get("body.mass") == 30000.0 and "40000" in panel.errors["body.mass"]
    assert "unusual:body.mass" not in hand.ui.items and "error:body.mass" in hand.ui.items
    hand.enter("body.mass", "1500")
    assert not {"unusual:body.mass", "error:body.mass"} & set(hand.ui.items.names())


def test_refused_value_keeps_the_old_one_and_says_the_rule(panel, hand, vehicle):
    show(panel, hand, "body.mass")
    hand.enter("body.mass", "-5")
    assert vehicle.get("body.mass") == 1320.0
    assert "error:body.mass" in hand.ui.items
    assert "greater than 0" in panel.errors["body.mass"]
    hand.enter("body.mass", "1000")
    assert vehicle.get("body.mass") == 1000.0
    assert "error:body.mass" not in hand.ui.items


def test_a_refused_combination_is_shown_too(panel, hand, vehicle):
    show(panel, hand, "gearbox.ratios")
    for _ in range(3):
        hand.click("gearbox.ratios[-]")
    assert len(vehicle.get("gearbox.ratios")) == 3
    hand.click("gearbox.ratios[-]")
    assert len(vehicle.get("gearbox.ratios")) == 3
    assert "one forward gear" in panel.errors["gearbox.ratios"]


def test_a_list_of_words_grows_shrinks_and_changes(panel, hand, vehicle):
    show(panel, hand, "gearbox.oils")
    hand.click("gearbox.oils[+]")
    assert vehicle.get("gearbox.oils") == ["thick", "thick"]
    choose_first(hand, "gearbox.oils[1]")
    assert vehicle.get("gearbox.oils") == ["thick", "thin"]
    for _ in range(2):
        hand.click("gearbox.oils[-]")
    assert vehicle.get("gearbox.oils") == []


def test_angles_are_shown_and_entered_in_degrees(panel, hand, vehicle):
    show(panel, hand, "steering.lock")
    hand.enter("steering.lock", "30")
    assert vehicle.get("steering.lock") == pytest.approx(math.radians(30.0), rel=1e-6)


def test_linked_sides_mirror_and_unlinked_do_not(panel, hand, vehicle):
    show(panel, hand, "suspension.fr.toe")
    hand.enter("suspension.fr.toe", "1")
    assert vehicle.get("suspension.fr.toe") == pytest.approx(math.radians(1.0), rel=1e-6)
    assert vehicle.get("suspension.fl.toe") == -vehicle.get("suspension.fr.toe")
    hand.click("link")
    show(panel, hand, "suspension.fl.toe")
    hand.enter("suspension.fl.toe", "0.5")
    assert vehicle.get("suspension.fl.toe") == pytest.approx(math.radians(0.5), rel=1e-6)
    assert vehicle.get("suspension.fr.toe") == pytest.approx(math.radians(1.0), rel=1e-6)


def test_linked_vector_mirrors_x_only(panel, hand, vehicle):
    show(panel, hand, "suspension.rr.attachment")
    hand.enter("suspension.rr.attachment[0]", "0.75")
    assert vehicle.get("suspension.rr.attachment") == [0.75, 1.2, 0.3]
    assert vehicle.get("suspension.rl.attachment") == [-0.75, 1.2, 0.3]


def test_search_filters_by_name_unit_and_text(panel, hand):
    hand.click("search")
    hand.type("torque curve")
    assert "engine.torque_curve" in hand.ui.items
    assert "engine.peak_torque" not in hand.ui.items
    hand.key("enter")
    panel.search = "full throttle"
    hand.step()
    assert "engine.peak_torque" in hand.ui.items
    panel.search = "no such thing"
    hand.step()
    assert not [name for name in hand.ui.items.names() if name.startswith(("group:", "label:"))]


def test_changed_only_and_reset(panel, hand, vehicle):
    vehicle.set("engine.idle_omega", 100.0)
    vehicle.set("suspension.fl.damping", 3000.0)
    hand.click("changed")
    labels = {name for name in hand.ui.items.names() if name.startswith("label:")}
    assert labels == {"label:engine.idle_omega", "label:suspension.fr.damping"}
    hand.click("reset:engine.idle_omega")
    assert vehicle.get("engine.idle_omega") == 80.0
    hand.click("reset-all")
    assert vehicle.changed_values() == {}
    hand.click("undo")
    assert vehicle.changed_values() == {"suspension.fl.damping": 3000.0}


@pytest.mark.parametrize("path", EVERY_PATH)
def test_every_parameter_has_a_widget(panel, hand, path, vehicle):
    panel.linked = False
    panel.relayout()
    panel.reveal(path)
    hand.step(5)
    declared = vehicle.parameter(path).field
    parts = [name for name in hand.ui.items.names() if name.startswith(path)]
    assert parts, f"{path} ({type(declared.kind).__name__}) is not on the panel"
    assert f"label:{path}" in hand.ui.items or ".fl." not in path


def choose_first(hand, key):
    """Open a list of words and take its first."""
    hand.click(key)
    left, top, _, bottom = hand.ui.items.rectangle(key)
    hand.ui.feed.move(left + 20.0, bottom + (bottom - top) * 0.7)
    hand.step()
    hand.press()
    hand.release()


def test_checkbox_and_combos(panel, hand, vehicle):
    show(panel, hand, "engine.turbo")
    hand.click("engine.turbo")
    assert vehicle.get("engine.turbo") is True
    show(panel, hand, "gearbox.mode")
    choose_first(hand, "gearbox.mode")
    assert vehicle.get("gearbox.mode") == "manual"


def test_curve_points_are_edited_added_and_removed(panel, hand, vehicle):
    path = "engine.torque_curve"
    show(panel, hand, path)
    hand.enter(f"{path}[1].y", "0.5")
    assert vehicle.get(path)[1] == [0.4, 0.5]
    hand.click(f"{path}[+]")
    assert len(vehicle.get(path)) == 5
    hand.click(f"{path}[0].remove")
    assert [x for x, _ in vehicle.get(path)] == pytest.approx([0.4, 0.7, 1.0, 1.3])
    hand.enter(f"{path}[0].x", "0.9")
    assert vehicle.get(path)[0][0] == 0.4
    assert "must rise" in panel.errors[path]


def test_response_table_and_vector_curve(panel, hand, vehicle):
    show(panel, hand, "steering.response")
    hand.enter("steering.response[1][2].y", "0.3")
    assert vehicle.get("steering.response")[1] == [1.0, [[0.0, 1.0], [20.0, 0.6], [50.0, 0.3]]]
    show(panel, hand, "suspension.fr.path")
    hand.enter("suspension.fr.path[1].y0", "0.02")
    assert vehicle.get("suspension.fr.path")[1][1] == [0.02, 0.0, 0.2]
    assert vehicle.get("suspension.fl.path")[1][1] == [-0.02, 0.0, 0.2]


def centre(rectangle):
    left, top, right, bottom = rectangle
    return (left + right) / 2.0, (top + bottom) / 2.0


def drag_point(hand, name, by):
    """Drag a point of a curve by (right, down) pixels."""
    x, y = centre(hand.ui.items.rectangle(name))
    hand.ui.feed.move(x, y)
    hand.step()
    hand.press()
    for part in range(1, 7):
        hand.ui.feed.move(x + by[0] * part / 6, y + by[1] * part / 6)
        hand.step()
    hand.release()


def test_a_point_of_a_curve_is_dragged_between_its_neighbours_as_one_step_of_undo(panel, hand, vehicle, model):
    path = "engine.torque_curve"
    show(panel, hand, path)
    before = vehicle.get(path)
    places = [centre(hand.ui.items.rectangle(f"{path}[0][{i}]@plot")) for i in range(2)]
    drag_point(hand, f"{path}[0][1]@plot", (0.0, 20.0))
    after = vehicle.get(path)
    assert after[0] == before[0] and after[2:] == before[2:] and after[1][0] == pytest.approx(before[1][0], abs=0.01)
    assert after[1][1] < before[1][1]
    drag_point(hand, f"{path}[0][1]@plot", (-3.0 * (places[1][0] - places[0][0]), 0.0))  # it stops at the first one
    assert before[0][0] < vehicle.get(path)[1][0] < before[0][0] + 0.01
    hand.click("undo")
    assert vehicle.get(path) == after
    hand.click("undo")
    assert vehicle.get(path) == before and not model.can_undo


def test_a_double_click_adds_a_point(panel, hand, vehicle):
    path = "engine.torque_curve"
    show(panel, hand, path)
    places = [centre(hand.ui.items.rectangle(f"{path}[0][{i}]@plot")) for i in range(2)]
    hand.ui.feed.move((places[0][0] + places[1][0]) / 2, (places[0][1] + places[1][1]) / 2)
    hand.step()
    before = vehicle.get(path)
    for _ in range(2):
        hand.ui.feed.button(True, "mouse1")
        hand.step(1)
        hand.ui.feed.button(False, "mouse1")
        hand.step(1)
    after = vehicle.get(path)
    assert len(after) == len(before) + 1 and [after[0], *after[2:]] == before
    assert after[1] == pytest.approx([(a + b) / 2 for a, b in zip(*before[:2], strict=True)], rel=0.03)


def test_dragged_points_of_tables_and_vectors(panel, hand, vehicle):
    show(panel, hand, "steering.response")
    drag_point(hand, "steering.response[1][2]@plot", (0.0, 8.0))
    command, points = vehicle.get("steering.response")[1]
    assert command == 1.0 and points[:2] == [[0.0, 1.0], [20.0, 0.6]] and points[2][1] < 0.35
    show(panel, hand, "suspension.fr.path")
    before = vehicle.get("suspension.fr.path")
    drag_point(hand, "suspension.fr.path[0][1]@plot", (0.0, -15.0))
    x, (to_right, forward, up) = vehicle.get("suspension.fr.path")[1]
    assert to_right > before[1][1][0] and [forward, up] == before[1][1][1:]
    assert x == pytest.approx(before[1][0], abs=0.01)
    assert vehicle.get("suspension.fl.path")[1][1][0] == -to_right


def test_setup_is_saved_and_loaded(panel, hand, vehicle, model):
    vehicle.set("engine.peak_torque", 600.0)
    hand.click("setups")
    hand.click("setup-name")
    hand.type("wet")
    hand.click("setup-save")
    assert [path.stem for path in model.setups()] == ["wet"]
    vehicle.set("engine.peak_torque", 300.0)
    vehicle.set("body.mass", 900.0)
    hand.step()
    hand.click("setup:wet")
    assert vehicle.changed_values() == {"engine.peak_torque": 600.0}
    hand.click("undo")
    assert vehicle.changed_values() == {"engine.peak_torque": 300.0, "body.mass": 900.0}


def test_a_setup_is_compared_with_what_is_driven_without_being_loaded(panel, hand, vehicle, model):
    vehicle.set("engine.peak_torque", 600.0)
    model.save_setup("strong")
    vehicle.set("engine.peak_torque", 300.0)
    vehicle.set("body.mass", 900.0)
    hand.step()
    hand.click("setups")
    hand.click("setup-compare:strong")
    assert "setup-comparison" in hand.ui.items
    _, rows = panel._setups._compared
    assert rows == [("body.mass", 1320.0, 900.0, 1320.0), ("engine.peak_torque", 410.0, 300.0, 600.0)]
    assert vehicle.changed_values() == {"engine.peak_torque": 300.0, "body.mass": 900.0}


def test_the_vehicle_as_it_is_becomes_one_of_its_own(tmp_path):
    car = load_vehicle("roadster")
    model = VehicleModel(car, tmp_path / "setups")
    car.set("engine.inertia", 0.2)
    path = model.save_vehicle("My roadster")
    assert path == tmp_path / "vehicles" / "My roadster.yaml"
    again = load_vehicle(path)
    assert again.name == "My roadster" and again.values() == car.values() and not again.changed_values()
    assert again.geometry.path == car.geometry.path
    with pytest.raises(ValueError, match="program's own vehicle"):
        model.save_vehicle("roadster")


def test_a_bad_setup_is_refused_as_a_whole(vehicle, model, tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text("engine:\n  peak_torque: 500\n  idle_omega: -1\n")
    before = vehicle.values()
    with pytest.raises(Exception, match=r"bad.yaml:3.*idle_omega"):
        model.load_setup(path)
    assert vehicle.values() == before


def test_a_setup_of_another_vehicle_says_so(vehicle, model, tmp_path):
    path = tmp_path / "soft.yaml"
    path.write_text("vehicle: Tank\nengine: {peak_torque: 500}\n")
    model.load_setup(path)
    assert model.messages[-1] == "loaded soft.yaml: 1 values changed; it was made for Tank"
    assert vehicle.get("engine.peak_torque") == 500.0
    path.write_text(f"vehicle: {vehicle.name}\nengine: {{peak_torque: 400}}\n")
    model.load_setup(path)
    assert model.messages[-1].endswith("1 values changed")


@pytest.mark.parametrize("text", ["", "[engine]", "5", "engine: 5", "suspension: {no_wheel: {}}", "{: }"])
def test_what_is_no_setup_is_refused_with_the_file_named(vehicle, model, tmp_path, text):
    path = tmp_path / "odd.yaml"
    path.write_text(text)
    before = vehicle.values()
    with pytest.raises(UserError, match="odd.yaml"):
        model.load_setup(path)
    assert vehicle.values() == before


def test_a_change_from_elsewhere_shows(panel, hand, vehicle):
    show(panel, hand, "body.mass")
    vehicle.set("body.mass", 2000.0)
    hand.step()
    assert "reset:body.mass" in hand.ui.items


def test_another_vehicle_takes_over(panel, hand, model):
    model.vehicle = build_vehicle()
    hand.step()
    show(panel, hand, "body.mass")
    hand.drag("body.mass", 0.3, 0.8)
    assert model.vehicle.get("body.mass") > 2000.0


def test_rows_cover_every_parameter_once(vehicle):
    for linked in (True, False):
        rows = [row for group in build_groups(vehicle, linked) for row in group.rows]
        written = [path for row in rows for path in row.paths]
        authored = sorted(p.path for p in vehicle.parameters())
        assert sorted(written) == authored


def test_slider_ranges():
    spec = number_spec(EngineParams.fields["inertia"], 0.25)
    assert spec.logarithmic and (spec.low, spec.high) == (0.01, 10.0)
    spec = number_spec(EngineParams.fields["peak_torque"], 1500.0)
    assert not spec.logarithmic and (spec.low, spec.high) == (50.0, 1500.0)  # the value now is always inside
    assert readable("roll_center_height") == "Roll center height"


def test_angles_of_a_rotation_round_trip():
    for angles in ([10.0, 20.0, 30.0], [-80.0, 5.0, 170.0]):
        q = quaternion(angles)
        assert sum(c * c for c in q) == pytest.approx(1.0)
        assert euler_degrees(q) == pytest.approx(angles)


# ---- the world


@pytest.fixture
def world_model(ui, hand, tmp_path):
    world = World(load_world("plane"), [])
    return VehicleModel(build_vehicle(), tmp_path / "setups", world.parameters)


def test_the_worlds_parameters_are_rows_like_all_others(ui, hand, world_model):
    panel, world = ParameterPanel(ui, world_model), world_model.world
    ui.add(panel.draw)
    hand.step()
    show(panel, hand, "world.gravity")
    hand.enter("world.gravity", "3.7")
    assert world.get("world.gravity") == 3.7
    hand.enter("world.gravity", "500")
    assert world.get("world.gravity") == 3.7 and "less than or equal to 100" in panel.errors["world.gravity"]
    show(panel, hand, "world.wind[1]")
    hand.enter("world.wind[1]", "-7.5")
    assert world.get("world.wind") == [0.0, -7.5, 0.0]
    hand.click("undo")
    assert world.get("world.wind") == [0.0, 0.0, 0.0]
    grip = "surface.asphalt.friction_sport"
    show(panel, hand, grip)
    before = world.get(grip)
    hand.drag(grip, 0.5, 0.1)
    assert 0.0 <= world.get(grip) < 0.4 < before
    hand.click("undo")
    assert world.get(grip) == before
    hand.click("redo")
    panel.changed_only = True
    hand.step()
    assert {"world.gravity", grip} <= set(ui.items.names()) and "body.mass" not in ui.items
    panel.changed_only, panel.search = False, "free fall"
    hand.step()
    assert "world.gravity" in ui.items and grip not in ui.items
    panel.reset_all()
    assert not world.changed_values()


def test_every_surface_has_one_row_with_its_tires(world_model):
    groups = {group.slot: group for group in world_groups(world_model.world)}
    assert groups["surface"].tags == ["street", "sport", "offroad", "material"]
    assert [len(row.cells) for row in groups["surface"].rows] == [4] * len(groups["surface"].rows)
    paths = [path for group in groups.values() for row in group.rows for path in row.paths]
    assert paths == list(world_model.world.values())
