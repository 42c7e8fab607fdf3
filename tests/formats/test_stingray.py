"""Importing Stingray vehicles: grammar, units, names, errors by file and line."""

import numpy as np
import pytest
import trimesh
from stingray_samples import (
    BOX,
    ORIGIN,
    block,
    changed,
    line_of,
    load,
    unit_text,
    wheel_centres,
    write_meshes,
    written,
)

from driving_sandbox.formats.sjson import load_sjson, parse_sjson
from driving_sandbox.formats.stingray import import_vehicle, load_stingray
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

# ---- grammar

QUIRKS = '''
// a unit
vehicles = [ { name : "one", "enabled" = true  /* over
two lines */ at = [0 0.5
-0.5], box = [ factor = 0.08 scale = [1 1 0.5] ] none = [] note = """long
text""" e = -1.5e3 } ]
'''


def test_quirks_of_the_grammar_are_read():
    doc = parse_sjson(QUIRKS, "unit.physics")
    vehicle = doc["vehicles"][0]
    assert vehicle == {
        "name": "one", "enabled": True, "at": [0, 0.5, -0.5], "box": {"factor": 0.08, "scale": [1, 1, 0.5]},
        "none": [], "note": "long\ntext", "e": -1500.0,
    }  # fmt: skip
    lines = vehicle.lines
    assert (doc.lines["vehicles"], lines["name"], lines["at"], lines["note"]) == (3, 3, 4, 5)
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
        ('a = 1\nb = "\x1b[2J"', 2, r"character '\\x1b' is not allowed"),
        ('a\x9b2J = 1', 1, r"character '\\x9b' is not allowed"),
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
    for actors, rule in (("3", "must be an array"), ("[ { name = 3 } ]", "0.name: 3 must be text")):
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
    """The first or the named vehicle is written, even if another one has errors."""
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


def test_an_obj_model_works_too(tmp_path):
    """As its objects have no origins, the middles of their bounding boxes are used."""
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
