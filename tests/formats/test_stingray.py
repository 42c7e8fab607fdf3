"""Importing Stingray vehicles: grammar, errors by file and line, values."""

import numpy as np
import pytest
import trimesh
from stingray_samples import (
    BOX,
    ORIGIN,
    RADIUS,
    TRACK,
    WHEELBASE,
    block,
    changed,
    sjson,
    unit_text,
    wheel_centres,
    write_meshes,
    written,
)

from driving_sandbox.formats.sjson import load_sjson, parse_sjson
from driving_sandbox.formats.stingray import import_vehicle, load_stingray
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle


def load(tmp_path, axles=2, data=None, **changes):
    """The vehicle of a changed sample."""
    data = changed(block(axles) if data is None else data, **changes)
    return load_stingray(written(tmp_path, data, axles=axles))["sample"].vehicle


def remarks(tmp_path, **changes):
    return load_stingray(written(tmp_path, changed(block(), **changes))).warnings


def line_of(path, text):
    return next(n for n, line in enumerate(path.read_text().splitlines(), start=1) if text in line)


# ---- grammar

QUIRKS = '''
// a unit
vehicles = [ { name : "one", "enabled" = true  /* over
two lines */ at = [0 0.5
-0.5], box = [ factor = 0.08 scale = [1 1 0.5] ] none = [] note = """long
text""" e = -1.5e3 } ]
'''


def test_quirks_of_the_grammar():
    doc = parse_sjson(QUIRKS, "unit.physics")
    one = doc["vehicles"][0]
    assert one == {"name": "one", "enabled": True, "at": [0, 0.5, -0.5], "box": {"factor": 0.08, "scale": [1, 1, 0.5]},
                   "none": [], "note": "long\ntext", "e": -1500.0}  # fmt: skip
    assert (doc.lines["vehicles"], one.lines["name"], one.lines["at"], one.lines["note"]) == (3, 3, 4, 5)
    assert parse_sjson("{ a = 1, }", "x") == parse_sjson("a = 1", "x") == {"a": 1}
    assert parse_sjson("\n\n", "x") == {}


@pytest.mark.parametrize(
    ("text", "line", "rule"),
    [
        ("a = 1\nb = [1 2", 2, "never closed"),
        ("a = 1\n\na = 2", 3, "given twice, first in line 1"),
        ("a = wide", 1, "neither a number"),
        ("a = 1e999", 1, "not a usable number"),
        ("a = 1\n5", 2, "a key and = or :"),
        ("a = 1 }", 1, "a key and = or :"),
        ("a =", 1, "a value is missing"),
        ("a = ]", 1, "is no value"),
        ("\na = \"b", 2, "not closed"),
        ("{ a = 1 } b = 2", 1, "after the end"),
        ("a = " + "[" * 80, 1, "64 nested brackets"),
    ],
)  # fmt: skip
def test_syntax_errors_name_their_line(text, line, rule):
    with pytest.raises(ConfigError, match=rf"^unit\.physics:{line}: .*{rule}"):
        parse_sjson(text, "unit.physics")


def test_files_of_other_content_are_refused(tmp_path):
    with pytest.raises(ConfigError, match="no such file"):
        load_sjson(tmp_path / "nowhere.physics")
    (tmp_path / "unit.physics").write_bytes(b"\n// \xff\xfe\x00")
    with pytest.raises(ConfigError, match="unit.physics:2: cannot be read: byte 0xff is not UTF-8 text"):
        load_sjson(tmp_path / "unit.physics")
    for text, rule in (("", "vehicles: is missing"), ("vehicles = []", "has no vehicle"), ("vehicles = 3", "array")):
        (tmp_path / "unit.physics").write_text(text)
        with pytest.raises(ConfigError, match=rule):
            load_stingray(tmp_path / "unit.physics")


# ---- the unit


@pytest.mark.covers("ST-FORM-01")
def test_sections_parse_and_unknown_ones_are_named_by_line(tmp_path):
    """Sections as in the format's documentation: brackets for braces, flat pairs, both forms of keys."""
    data = changed(block(), chassis__moment_of_inertia=None, turbo={"boost": 1.0}, wheels__tyre=3.0)
    text = unit_text(data).replace(
        "mass = 1500.0",
        "mass = 1500.0\nmoment_of_inertia = { cuboid = [ mass_factor = 0.08"
        " scale = [ 1.0 1.0 0.5 ] ] mass_factor = 0.055 responsiveness = 0.9 }",
        1,
    )
    path = tmp_path / "unit.physics"
    path.write_text(text, encoding="utf8")
    write_meshes(path.with_suffix(".glb"))
    unit = load_stingray(path)
    v = unit["sample"].vehicle
    assert (v.get("body.cuboid_mass_factor"), v.get("body.cuboid_scale")) == (0.08, [1.0, 1.0, 0.5])
    assert (v.get("body.mass_factor"), v.get("body.responsiveness")) == (0.055, 0.9)
    assert v.get("response.steer_table")[1][1] == [[0.0, 1.0], [5.0, 0.75], [30.0, 0.22], [120.0, 0.19]]
    turbo = [w for w in unit.warnings if "turbo" in w]
    assert turbo == [f"{path}:{line_of(path, 'turbo =')}: vehicles.0.turbo: unknown key, left out"]
    tyres = [w for w in unit.warnings if "tyre" in w]
    assert len(tyres) == 4 and 'did you mean "tire"' in tyres[0]
    assert len(unit.warnings) == 5


@pytest.mark.covers("ST-FORM-03")
def test_vehicles_are_found_by_name_and_names_are_unique(tmp_path):
    other = changed(block(), name="second", chassis__mass=1800.0)
    unit = load_stingray(written(tmp_path, block(), other))
    assert unit["second"].vehicle.get("body.mass") == 1800.0
    with pytest.raises(KeyError, match="did you mean .*second.*sample, second"):
        unit["secnod"]
    path = written(tmp_path, block(), block())
    with pytest.raises(ConfigError, match=r"unit\.physics:\d+: vehicles\.1\.name: .*line 5 already"):
        load_stingray(path)


@pytest.mark.covers("ST-FORM-04")
def test_the_actor_must_exist(tmp_path):
    path = written(tmp_path, block(), actors=("door", "cat_actor"))
    line = line_of(path, "actor_name")
    rule = "no actor 'car_actor'.*cat_actor.*known: door, cat_actor"
    with pytest.raises(ConfigError, match=rf"physics:{line}: .*{rule}"):
        load_stingray(path)
    assert load_stingray(written(tmp_path, block()))["sample"].actor == "car_actor"
    assert "lists no actors" in load_stingray(written(tmp_path, block(), actors=None)).warnings[0]
    for actors, rule in (("3", "must be an array"), ("[ { name = 3 } ]", "0.name: 3 must be a text")):
        path.write_text(f"actors = {actors}\n{unit_text(block(), actors=None)}", encoding="utf8")
        with pytest.raises(ConfigError, match=rf"physics:1: actors[:.] ?{rule}"):
            load_stingray(path)


def test_placeholders_of_missing_meshes_are_reported(tmp_path):
    unit = load_stingray(written(tmp_path, block(), meshes=False))
    assert len(unit.warnings) == 1 and "no model beside the file" in unit.warnings[0]
    path = written(tmp_path, block())
    write_meshes(path.with_suffix(".glb"), axles=1)
    with pytest.raises(ConfigError, match=r"wheels\.2\.scene_graph_shape_node: unit\.glb has no shape 'w_l1'"):
        load_stingray(path)


def test_written_files_need_no_importer(tmp_path):
    """The YAML file and its model are an ordinary vehicle with hull and wheels."""
    out = tmp_path / "out"
    out.mkdir()
    path = written(tmp_path, block())
    text, warnings = import_vehicle(path, out)
    assert warnings == [] and text.startswith("# From unit.physics")
    v = load_vehicle(out / "sample.yaml")
    assert v.params.tobytes() == load_stingray(path)["sample"].vehicle.params.tobytes()
    assert set(v.geometry.parts) == {"hullproxy1"}  # the drawn body is a separate node
    assert {"wheel1", "wheel4", "j_body@body.full"} <= set(v.geometry.nodes)
    assert np.allclose(v.geometry.nodes["wheel4"], wheel_centres()[3], atol=1e-6)
    low, high = (f(v.geometry.parts["hullproxy1"], axis=0) for f in (np.min, np.max))
    assert np.allclose(high - low, BOX, atol=1e-5) and np.allclose(0.5 * (low + high), ORIGIN, atol=1e-5)


def test_only_the_imported_vehicle_is_converted(tmp_path):
    """The first or the named vehicle is written, and a mistake in another one does not matter."""
    path = written(tmp_path, block(), changed(block(), name="second", chassis__mass=1800.0))
    for name, stem, mass in ((None, "sample", 1500.0), ("second", "second", 1800.0)):
        folder = tmp_path / stem
        folder.mkdir()
        import_vehicle(path, folder, name)
        assert sorted(file.name for file in folder.iterdir()) == [f"{stem}.glb", f"{stem}.yaml"]
        assert load_vehicle(folder / f"{stem}.yaml").get("body.mass") == mass
    with pytest.raises(KeyError, match="did you mean .*second"):
        import_vehicle(path, tmp_path, "secnod")
    broken = written(tmp_path, block(), changed(block(), name="second", chassis__mass=-1.0))
    import_vehicle(broken, tmp_path, "sample")
    with pytest.raises(ConfigError, match="mass"):
        import_vehicle(broken, tmp_path, "second")


def test_an_obj_does_as_well(tmp_path):
    """Its objects have no origins: the middles of their boxes serve."""
    path = written(tmp_path, block(), meshes=False)
    lines, first = [], 1
    wheels = [(f"w_{'lr'[k % 2]}{k // 2}", (0.2, 0.66, 0.66), centre) for k, centre in enumerate(wheel_centres())]
    for name, size, at in (("c_body", BOX, ORIGIN), ("j_body", (1, 1, 1), ORIGIN), *wheels):
        box = trimesh.creation.box(size)
        lines += [f"o {name}", *("v {} {} {}".format(*(v + at)) for v in box.vertices)]
        lines += ["f {} {} {}".format(*(f + first)) for f in box.faces]
        first += len(box.vertices)
    path.with_suffix(".obj").write_text("\n".join(lines))
    unit = load_stingray(path)
    assert unit.warnings == []
    v = unit["sample"].vehicle
    assert v.get("wheel.fl.radius") == pytest.approx(0.33)
    assert v.get("body.centre_of_mass") == pytest.approx([0, 0, 0.55])


# ---- rules


@pytest.mark.parametrize(
    ("changes", "key", "rule"),
    [
        ({"chassis__mass": 0.0}, "chassis.mass", "0 must be > 0"),
        ({"chassis__mass": None}, "chassis.mass", "is missing"),
        ({"chassis__center_of_mass_offset": [0.0, 1.0]}, "chassis.center_of_mass_offset", "has 2 numbers, not 3"),
        ({"chassis__moment_of_inertia": {"raw": [1.0, 0.0, 1.0]}}, "chassis.moment_of_inertia.raw", "must be > 0"),
        ({"wheels__moi": -1.0}, "wheels.0.moi", "must be > 0"),
        ({"wheels__damping_rate": 0.0}, "wheels.0.damping_rate", "must be > 0"),
        ({"wheels__suspension__max_droop": 0.0}, "wheels.0.suspension.max_droop", "must be > 0"),
        ({"wheels__suspension__travel_direction": [0.0, 0.0, 0.0]}, "suspension.travel_direction", "zero vector"),
        ({"wheels__suspension__camber_rest": 2.0}, "suspension.camber_rest", "less than or equal to 0.7"),
        ({"wheels__tire__friction_versus_slip": [0.0, 1.0, 1.0, 1.0]}, "friction_versus_slip", "not 3 pairs"),
        ({"wheels__tire__friction_versus_slip": [0.0, 1.0, 0.5, 1.0, 0.5, 1.0]}, "friction_versus_slip", "must rise"),
        ({"wheels__max_steer": 2.0}, "wheels.0.max_steer", "less than 1.57"),
        ({"engine__max_omega": 0.0}, "engine.max_omega", "must be > 0"),
        ({"differential__type": "open_4dw"}, "differential.type", 'did you mean "open_4wd"'),
        ({"differential__type": "ls_4wd", "differential__center_bias": 0.9}, "center_bias", "must be >= 1"),
        ({"differential__type": "open_4wd", "differential__front_rear_split": 1.5}, "front_rear_split", "<= 1"),
        ({"clutch__strength": 0.0}, "clutch.strength", "must be > 0"),
        ({"ackermann_correction__accuracy": 2.0}, "accuracy", "<= 1"),
        ({"steer_vs_forward_speed": [0.0, 1.0, 0.0, 0.5]}, "steer_vs_forward_speed", "must rise"),
        ({"input_smoothing": {"rise_rates": {"brake": 0.0}}}, "input_smoothing.rise_rates.brake", "must be > 0"),
        ({"gears__ratios": [4.0, 0.0, -4.0]}, "gears.ratios", "must be"),
        ({"vehicle_physics_model": "boat"}, "vehicle_physics_model", "none of car, tank"),
        ({"chassis__scene_graph_render_nodes": [{"node": "a", "transform_type": "ful"}]}, "transform_type", "full"),
        ({"enabled": "yes"}, "enabled", "must be true or false"),
        ({"wheels": [1.0]}, "wheels", "array of sections"),
    ],
)  # fmt: skip
def test_errors_name_line_key_and_rule(tmp_path, changes, key, rule):
    with pytest.raises(ConfigError, match=rf"unit\.physics:[1-9]\d*: vehicles\.0\..*{key}: .*{rule}") as caught:
        load(tmp_path, **changes)
    word = key.split(".")[-1]
    text = (tmp_path / "unit.physics").read_text().splitlines()[caught.value.line - 1]
    assert word in text or "is missing" in rule or word == "wheels", text


@pytest.mark.covers("ST-WHEEL-01")
def test_a_wrong_order_of_wheels_is_reported(tmp_path):
    fl, fr, rl, rr = wheel_centres()
    for at, key, rule in (([fr, fl, rl, rr], "wheels.0", "the left wheel comes first"),
                          ([fl, fr, rr, rl], "wheels.2", "the left wheel comes first"),
                          ([rl, rr, fl, fr], "wheels.2", "axles come from front to rear")):  # fmt: skip
        with pytest.raises(ConfigError, match=rf"physics:\d+: vehicles\.0\.{key}\.scene_graph_shape_node: .*{rule}"):
            load_stingray(written(tmp_path, block(), at=at))
    v = load(tmp_path)
    assert [v.get(f"suspension.{w}.attachment")[:2] for w in ("fl", "fr", "rl", "rr")] == [
        pytest.approx(p[:2]) for p in (fl, fr, rl, rr)
    ]


@pytest.mark.covers("ST-WHEEL-02")
def test_radius_is_half_the_shapes_height(tmp_path):
    v = load(tmp_path)
    assert v.get("wheel.rr.radius") == pytest.approx(RADIUS, abs=1e-6)
    assert v.get("wheel.rr.half_width") == pytest.approx(0.11, abs=1e-6)
    assert load(tmp_path, wheels__radius_scale=1.1).get("wheel.rr.radius") == pytest.approx(1.1 * RADIUS, abs=1e-6)


@pytest.mark.covers("ST-WHEEL-03")
def test_unusual_wheel_masses_are_reported_and_used_in_the_inertia(tmp_path):
    for mass, advised in ((19.0, 4), (20.0, 0), (80.0, 0), (81.0, 4)):
        found = [w for w in remarks(tmp_path, wheels__mass=mass) if "usually 20 to 80 kg" in w]
        assert len(found) == advised, mass
        assert load(tmp_path, wheels__mass=mass).get("wheel.fl.inertia") == pytest.approx(mass * RADIUS**2, rel=1e-5)


@pytest.mark.covers("ST-ENG-03")
@pytest.mark.parametrize("rate", ["full_throttle", "zero_throttle_clutch_engaged", "zero_throttle_clutch_disengaged"])
def test_an_undamped_engine_gives_a_warning(tmp_path, rate):
    found = remarks(tmp_path, **{f"engine__damping_rates__{rate}": 0.0})
    assert len(found) == 1 and f"engine.damping_rates.{rate}: 0 may be unstable" in found[0]
    assert remarks(tmp_path) == []
    inline = changed(block(), engine__damping_rates=None, **{f"engine__{k}": v for k, v in
                     block()["engine"]["damping_rates"].items()})  # fmt: skip
    assert load(tmp_path, data=inline).get("engine.damping_full_throttle") == 0.3


@pytest.mark.covers("ST-GEAR-04")
def test_at_most_thirty_forward_gears(tmp_path):
    many = [-4.0, 0.0, *np.linspace(6.0, 0.5, 31).round(4).tolist()]
    assert len(load(tmp_path, gears__ratios=many[:32]).get("gearbox.ratios")) == 32
    with pytest.raises(ConfigError, match=r"gears\.ratios: has 33 entries; .*1 to 30 forward"):
        load(tmp_path, gears__ratios=many)
    v = load(tmp_path, gears__ratios=[-4.0, 0.0, 4.2, 2.0, 1.1, 1.0])
    assert v.get("gearbox.ratios")[0] < 0.0 and v.get("gearbox.neutral_gear") == 1


def test_automatic_gears_by_either_key(tmp_path):
    assert load(tmp_path).get("autobox.up_ratios") == [0.65] * 7
    off = load(tmp_path, gears__use_auto_gears=None, gears__auto_gears_enabled=False)
    assert off.get("autobox.up_ratios") == [1.0] * 7
    assert load(tmp_path, gears__use_auto_gears=False).params.tobytes() == off.params.tobytes()
    with pytest.raises(ConfigError, match="use_auto_gears: contradicts auto_gears_enabled in line"):
        load(tmp_path, gears__auto_gears_enabled=False)
    load(tmp_path, gears__auto_gears_enabled=True)


@pytest.mark.covers("ST-SUSP-01")
def test_sprung_masses_are_equal_or_add_up(tmp_path):
    v = load(tmp_path)
    assert [v.get(f"suspension.{w}.supported_mass") for w in v.wheel_names] == [375.0] * 4
    given = load(tmp_path, wheels__suspension__sprung_mass=(400.0, 400.0, 350.0, 350.0))
    assert [given.get(f"suspension.{w}.supported_mass") for w in given.wheel_names] == [400.0, 400.0, 350.0, 350.0]
    with pytest.raises(ConfigError, match=r"sprung_mass: .*sum to 1400 kg, not to the chassis mass of 1500 kg"):
        load(tmp_path, wheels__suspension__sprung_mass=(400.0, 400.0, 300.0, 300.0))


@pytest.mark.covers("ST-MASS-02", "ST-WHEEL-02")
def test_the_mass_is_at_the_chassis_node_and_wheels_are_centred_in_their_shapes(tmp_path):
    path = written(tmp_path, block())
    moved = {"c_body": (0.1, 0.2, 0.3), **{f"w_{side}{k}": (0.0, 0.05, 0.02) for side in "lr" for k in (0, 1)}}
    write_meshes(path.with_suffix(".glb"), moved=moved)
    vehicle = load_stingray(path)["sample"].vehicle
    assert vehicle.get("body.centre_of_mass") == pytest.approx(np.array(ORIGIN) + (0.0, 0.0, -0.35), abs=1e-5)
    for i, name in enumerate(vehicle.wheel_names):  # full jounce is 0.15 m above
        expected = wheel_centres()[i] + (0.0, 0.05, 0.17)
        assert vehicle.get(f"suspension.{name}.attachment") == pytest.approx(expected, abs=1e-5)


@pytest.mark.covers("ST-TIRE-03", "ST-SUSP-01")
def test_stiffness_is_per_static_load_of_the_wheel(tmp_path):
    masses = (400.0, 410.0, 340.0, 350.0)
    vehicle = load(tmp_path, wheels__suspension__sprung_mass=masses)
    for wheel, mass in zip(("fl", "fr", "rl", "rr"), masses, strict=True):
        assert vehicle.get(f"tire.{wheel}.lateral_stiffness") == pytest.approx(18.0 * mass * 9.81)
        assert vehicle.get(f"tire.{wheel}.nominal_load") == pytest.approx(mass * 9.81)
        assert vehicle.get(f"tire.{wheel}.camber_stiffness") == pytest.approx(mass * 9.81)
        assert vehicle.get(f"tire.{wheel}.longitudinal_stiffness") == pytest.approx(6000.0 * 9.81)


@pytest.mark.covers("ST-DIFF-07", "ST-DIFF-09")
@pytest.mark.parametrize("axles", [2, 3, 5])
def test_axles_behind_the_first_share_the_rear_torque(tmp_path, axles):
    split = {"type": "open_4wd", "front_rear_split": 0.4, "rear_left_right_split": 0.25}
    vehicle = load(tmp_path, axles, differential=split)
    found = [vehicle.get(f"differential.{w}.torque_ratio") for w in vehicle.wheel_names]
    assert found == pytest.approx([0.2, 0.2, *(axles - 1) * [0.6 * 0.25 / (axles - 1), 0.6 * 0.75 / (axles - 1)]])


@pytest.mark.covers("ST-STEER-01")
@pytest.mark.parametrize(("angles", "corrected"), [
    ((0.5, 0.5, -0.3, -0.3), {"ackermann": (0, 1, WHEELBASE), "ackermann_second": (2, 3, -WHEELBASE)}),
    ((0.0, 0.0, -0.3, -0.3), {"ackermann": (2, 3, -WHEELBASE)}),
])  # fmt: skip
def test_each_steered_axle_has_ackermann_geometry(tmp_path, angles, corrected):
    vehicle = load(tmp_path, wheels__max_steer=angles)
    for slot, wanted in corrected.items():
        assert [vehicle.get(f"{slot}.{key}") for key in ("left", "right", "wheelbase")] == pytest.approx(wanted)
        assert (vehicle.get(f"{slot}.track"), vehicle.get(f"{slot}.strength")) == pytest.approx((TRACK, 1.0))


def test_smoothing_applies_to_keys_and_sticks(tmp_path):
    rates = {"rise_rates": {"acceleration": 6.0, "steer_left": 2.5, "steer_right": 2.5},
             "fall_rates": {"handbrake": 12.0, "steer_left": 4.0, "steer_right": 5.0}}  # fmt: skip
    v = load(tmp_path, input_smoothing=rates)
    for key, value in (("throttle_rise", 6.0), ("analog_throttle_rise", 6.0), ("analog_handbrake_fall", 12.0),
                       ("steer_left_rise", 2.5), ("analog_steer_rise", 2.5), ("steer_right_fall", 5.0),
                       ("analog_steer_fall", 4.5)):  # fmt: skip
        assert v.get(f"input.{key}") == value, key
    assert any("analog sticks their mean" in w for w in remarks(tmp_path, input_smoothing=rates))


def test_unknown_tires_and_filters_are_reported(tmp_path):
    assert load(tmp_path, wheels__tire__type="slick").get("tire.fl.tire_type") == "sport"
    found = remarks(tmp_path, wheels__tire__type="slcik", wheels__wheel_raycast_filter="water")
    assert sum("street is used" in w for w in found) == 4 and sum("no filter 'water'" in w for w in found) == 4
    assert load(tmp_path, wheels__wheel_raycast_filter="no_kerbs").get("road.fl.raycast_filter") == "no_kerbs"


def test_drawn_nodes_are_bound_to_their_bodies(tmp_path):
    nodes = [{"node": "tread", "transform_type": "translation"}]
    data = changed(block(), wheels__scene_graph_render_nodes=nodes)
    unit = load_stingray(written(tmp_path, data))
    assert len(unit.warnings) == 4 and "the model has no node 'tread', which wheel fl would move" in unit.warnings[0]
    unit = load_stingray(written(tmp_path, data, extra={"tread": (0.7, 0.5, 0.1)}.items()))
    assert unit.warnings == [] and "tread@wheel3.translation" in unit["sample"].vehicle.geometry.nodes
    assert unit["sample"].bindings == [("j_body", "full", None), *((("tread", "translation", w)) for w in
                                                                   ("fl", "fr", "rl", "rr"))]  # fmt: skip


def test_geometry_of_the_file_is_imported(tmp_path):
    v = load(tmp_path)
    assert (v.get("ackermann.wheelbase"), v.get("ackermann.track")) == (pytest.approx(WHEELBASE), pytest.approx(TRACK))
    assert v.get("suspension.fl.travel") == pytest.approx(0.27) and v.get("suspension.fl.rest_distance") == 0.15
    assert sjson([1.0]) == "[\n    1.0\n]"


@pytest.mark.covers("ST-MASS-08")
def test_the_check_command_reads_units(tmp_path, home, capsys):
    """One line per vehicle with its inertia method, warnings with their lines; errors give exit code 2."""
    from driving_sandbox.cli import program

    tank = changed(block(model="tank"), name="tracked", enabled=False, chassis__moment_of_inertia={"raw": [9e2] * 3})
    path = written(tmp_path, changed(block(), turbo=1.0), tank)
    assert program.main(["check", str(path)]) == 0
    output = capsys.readouterr().out
    assert 'car "sample", 4 wheels, inertia by the cuboid method\n' in output
    assert 'tank "tracked", 4 wheels, inertia by the raw method, not enabled\n' in output
    assert f"{path}:{line_of(path, 'turbo')}: warning: vehicles.0.turbo: unknown key, left out" in output
    path.write_text(path.read_text().replace("mass = 1500.0", "mass = -1500.0", 1))
    assert program.main(["check", str(path)]) == 2
    line = line_of(path, "mass = -1500")
    assert f"{path}:{line}: vehicles.0.chassis.mass: -1500 must be > 0" in capsys.readouterr().out


def test_names_give_safe_file_names(tmp_path):
    names = ("../a b", ".. a b", "")
    folder = tmp_path / "out"
    folder.mkdir()
    unit = load_stingray(written(tmp_path, *(changed(block(), name=n) for n in names)), folder=folder)
    models = [unit[n].model for n in names]
    assert len(set(models)) == 3 and all(m.is_file() and m.parent == folder for m in models)


def test_a_tank_has_a_track_on_each_side(tmp_path):
    v = load(tmp_path, data=block(axles=3, model="tank"), axles=3)
    assert [v.get(f"differential.{w}.track") for w in v.wheel_names] == [1, 2] * 3
    assert [v.get(f"differential.{w}.lever") for w in v.wheel_names] == ["left", "right"] * 3
    assert v.get("levers.drive_model") == "special"
    v = load(tmp_path, data=block(axles=3, model="tank"), axles=3, tank_drive_model="standard")
    assert v.get("levers.drive_model") == "standard"
    with pytest.raises(ConfigError, match="tank_drive_model: is missing"):
        load(tmp_path, data=block(axles=3, model="tank"), axles=3, tank_drive_model=None)
