"""YAML files and schemas: accepted values, and one-line errors."""

from dataclasses import fields

import numpy as np
import pytest

from driving_sandbox.physics.schema import schema
from driving_sandbox.physics.schema.schema import (  # fmt: skip
    Bool,
    Choice,
    Curve,
    Float,
    Floats,
    Int,
    PerWheel,
    Quat,
    ResponseTable,
    Schema,
    SchemaError,
    Vec3,
    VecCurve,
    WheelRef,
    Words,
    field,
)
from driving_sandbox.physics.schema.yaml_file import ConfigError, check_keys, key_hint, load_yaml, parse_yaml
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle_text


def test_scalars_are_read_by_yaml_1_2():
    doc = parse_yaml("a: -3e4\nb: 10e3\nc: 012\nd: no\ne: on\nf: true\ng: .5\nh: 1_000\ni: 12:30\nj: 2020-01-01\n", "x")
    assert [doc["a"], doc["b"], doc["c"], doc["g"]] == [-3e4, 10e3, 12, 0.5]
    assert [doc["d"], doc["e"], doc["h"], doc["i"], doc["j"]] == ["no", "on", "1_000", "12:30", "2020-01-01"]
    assert doc["f"] is True


def test_values_have_the_line_they_are_in():
    doc = parse_yaml("# car\nmass: 3\nlist:\n  - 1\n  - [2, 3]\nmap:\n  deep: {x: 1}\n", "car.yaml")
    assert (doc.line("mass"), doc["list"].line(1), doc["map"]["deep"].line("x")) == (2, 5, 7)
    assert str(doc["map"]["deep"].error("x", "must not")) == "car.yaml:7: map.deep.x: must not"
    assert str(doc["list"].error(1, "no")) == "car.yaml:5: list.1: no"


LETTERS = "abcdefgh"
ALIASES = "".join(f"{b}: &{b} [{', '.join(10 * [f'*{a}'])}]\n" for a, b in zip(LETTERS, LETTERS[1:], strict=False))


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("a: 1\nb: 2\na: 3\n", 3, "given twice, first in line 1"),
        ("a: .inf\n", 1, "not a usable number"),
        ("a: 1\nb: .nan\n", 2, "not a usable number"),
        ("a: 1e999\n", 1, "not a usable number"),
        ("a: [1, 2\n", 2, "not valid YAML"),
        ("a: 'open\n", 2, "not valid YAML"),
        ("a: 1\n b: 2\n", 2, "not valid YAML"),
        ("\ta: 1\n", 1, "not valid YAML"),
        ("a: 1\nb: \0\n", 2, r"not valid YAML: character '\x00' is not allowed"),
        ("[1]: 2\n", 1, "a key must be a word or a number"),
        ("a: !!python/object/apply:os.system [ls]\n", 1, ""),
        ("a: !!int x\n", 1, "cannot be read"),
        ("a: *nobody\n", 1, "not valid YAML"),
        ("a: !!bool x\n", 1, "cannot be read"),
        ('a: 1\nb: "\\UFFFFFFFF"\n', 2, "not valid YAML"),
        ('a: "\\ud800"\n', 1, "not valid YAML"),
        ("a: 1\nb: " + 65 * "[" + "\n", 2, "nested deeper than 64 levels"),
        (65 * "{a: ", 1, "deeper than 64"),
        ("a: " + 100_000 * "[", 1, "deeper than 64"),
        ("a:\n  &b [1, *b]\n", 2, "alias *b is inside the value it refers to"),
        ("a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n" + ALIASES, 6, "more than 1000000 values"),
        ("", None, "the file is empty"),
        ("# nothing\n", None, "the file is empty"),
        ("a: 1\n---\nb: 2\n", 2, "not valid YAML"),
    ],
)
def test_errors_in_yaml_are_one_line(text, line, message):
    try:
        doc = parse_yaml(text, "car.yaml")
    except ConfigError as error:
        assert error.line == line and message in str(error) and str(error).startswith("car.yaml")
        assert "\n" not in str(error)
    else:
        assert message == "" and doc == {"a": ["ls"]}, "Python tags must be plain data"


def test_yaml_within_the_limits_is_read():
    deep = parse_yaml("a: " + 63 * "[" + "1" + 63 * "]", "car.yaml")["a"]
    for _ in range(63):
        (deep,) = deep
    assert deep == 1
    assert parse_yaml("a: &a [1, 2]\nb: [*a, *a]\n", "car.yaml") == {"a": [1, 2], "b": [[1, 2], [1, 2]]}


def test_a_list_for_a_name_is_refused():
    for text, key in (("type: [roadster]\n", "type"), ("type: {a: 1}\n", "type"),
                      ("type: direct_drive\ncomponents: {tire: [legacy]}\n", "components.tire")):  # fmt: skip
        with pytest.raises(ConfigError, match=rf"^car\.yaml:\d: {key}: .*(\[|\{{)"):
            load_vehicle_text("name: x\naxles: {front: [fl, fr]}\n" + text, "car.yaml")


@pytest.mark.parametrize(("base", "rule"), [
    ("3", "must be the name of a vehicle"), ("[truck]", "must be the name of a vehicle"), ('""', "must be the name of"),
    ("truk", r'truk: no such vehicle \(did you mean "truck"\?\)'), ("semi", "must be the name of a vehicle that"),
])  # fmt: skip
def test_an_unknown_base_is_reported_with_its_line(tmp_path, base, rule):
    (tmp_path / "semi.yaml").write_text("base: truck\nname: semi\n", encoding="utf8")
    with pytest.raises(ConfigError, match=rf"car\.yaml:2: base: {rule}"):
        load_vehicle_text(f"name: x\nbase: {base}\n", tmp_path / "car.yaml")


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(ConfigError, match="no such file"):
        load_yaml(tmp_path / "none.yaml")
    with pytest.raises(ConfigError, match="cannot be read"):
        load_yaml(tmp_path)
    (tmp_path / "latin.yaml").write_bytes(b"type: x\r\nname: caf\xe9\n")
    with pytest.raises(ConfigError, match="latin.yaml:2: cannot be read: byte 0xe9 is not UTF-8 text"):
        load_yaml(tmp_path / "latin.yaml")


def test_unknown_and_missing_keys_are_named():
    doc = parse_yaml("stifness: 3\n", "car.yaml")
    with pytest.raises(ConfigError, match=r'car.yaml:1: stifness: unknown key \(did you mean "stiffness"\?\)'):
        check_keys(doc, ("stiffness", "damping"))
    with pytest.raises(ConfigError, match="damping: is missing"):
        check_keys(parse_yaml("stiffness: 1\n", "x"), ("stiffness", "damping"), ("damping",))
    assert key_hint("zzz", ["stiffness"]) == ""


class Everything(Schema):
    """A field of every kind."""

    number: Float = field(gt=0, le=10, default=1.0)
    whole: Int = field(ge=0, default=1)
    switch: Bool = field(default=False)
    point: Vec3 = field(ge=-5, default=[1, 2, 3])
    turn: Quat = field(default=[0, 0, 0, 1])
    word: Choice = field(options=("one", "two"), default="one")
    wheel: WheelRef = field(default=0)
    numbers: Floats = field(capacity=3, ge=0, default=[])
    words: Words = field(options=("one", "two"), capacity=3, default=[])
    curve: Curve = field(capacity=3, le=5, default=[])
    path: VecCurve = field(capacity=2, default=[])
    table: ResponseTable = field(rows=2, points=3, ge=0, le=1, default=[])
    given: Float = field(unit="m")
    computed: Float = field(derived=True)


ACCEPTED = {
    "number": 2.5, "whole": 3, "switch": True, "point": [0.0, -1.0, 4.0], "turn": [1.0, 0.0, 0.0, 0.0], "word": "two",
    "wheel": 19, "numbers": [1.0, 2.0], "words": ["two", "one"], "curve": [[0.0, 1.0], [2.0, 5.0]],
    "path": [[0.5, [1.0, 2.0, 3.0]]],
    "table": [[0.0, [[0.0, 0.0]]], [1.0, [[0.0, 1.0], [9.0, 0.5]]]], "given": -4.0,
}  # fmt: skip


@pytest.mark.parametrize("name", ACCEPTED)
def test_values_round_trip(name):
    record = np.zeros(1, Everything.dtype)[0]
    declared = Everything.fields[name]
    declared.kind.write(record, name, declared.parse(ACCEPTED[name]))
    back = declared.kind.read(record, name)
    assert back == ACCEPTED[name] and type(back) is type(ACCEPTED[name])


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("number", 0, "greater than 0"),
        ("number", 10.1, "less than or equal to 10"),
        ("number", "3", "number"),
        ("number", True, "number"),
        ("number", float("nan"), "finite"),
        ("number", None, "number"),
        ("number", 1e-300, "at least 1e-12"),
        ("given", 1e300, "must not be beyond 1e+12"),
        ("given", -1.1e12, "must not be beyond 1e+12"),
        ("point", [1, 2, 1e300], "beyond 1e+12"),
        ("numbers", [1, 1e13], "beyond 1e+12"),
        ("curve", [[0, 1], [1e200, 2]], "beyond 1e+12"),
        ("curve", [[0, 1], [1, -1e200]], "beyond 1e+12"),
        ("path", [[0, [1, 2, 1e20]]], "beyond 1e+12"),
        ("whole", 10**30, "beyond 1e+12"),
        ("whole", 1.5, "integer"),
        ("whole", -1, "greater than or equal to 0"),
        ("switch", 1, "bool"),
        ("switch", "no", "bool"),
        ("point", [1, 2], "at least 3"),
        ("point", [1, 2, 3, 4], "at most 3"),
        ("point", [1, "x", 3], "[1]"),
        ("point", [1, -6, 3], "greater than or equal to -5"),
        ("turn", [0, 0, 0, 2], "must be a rotation"),
        ("word", "three", "must be one of one, two"),
        ("word", "tow", 'did you mean "two"'),
        ("words", ["one", "tow"], 'did you mean "two"'),
        ("words", ["one"] * 4, "at most 3"),
        ("wheel", 20, "less than 20"),
        ("numbers", [1, 2, 3, 4], "at most 3"),
        ("numbers", [1, -2], "[1]"),
        ("curve", [[0, 1], [0, 2]], "must rise"),
        ("curve", [[0, 1], [1, 6]], "less than or equal to 5"),
        ("curve", [[0, 1, 2]], "at most 2"),
        ("path", [[0, [1, 2]]], "at least 3"),
        ("table", [[0.0, []]], "at least 1"),
        ("table", [[0.0, [[0, 0]]], [0.0, [[0, 1]]]], "must rise"),
        ("table", 3, "list"),
    ],
)
def test_wrong_values_name_the_rule(name, value, message):
    with pytest.raises(SchemaError) as error:
        Everything.fields[name].parse(value)
    assert message in str(error.value) and "\n" not in str(error.value)


def test_limits_apply_in_response_tables():
    with pytest.raises(SchemaError, match="less than or equal to 1"):
        Everything.fields["table"].parse([[0.0, [[0.0, 0.0]]], [1.0, [[0.0, 1.5]]]])


def test_records_are_aligned_to_words_and_filled_with_defaults():
    record = np.zeros(1, Everything.dtype)
    Everything.defaults(record[0])
    assert Everything.dtype.itemsize % 8 == 0
    assert record["number"][0] == 1.0 and record["point"][0].tolist() == [1, 2, 3] and record["turn"][0][3] == 1.0
    assert [f.name for f in Everything.fields.values() if f.required] == ["given"]


def test_a_field_must_not_hide_an_attribute_of_records():
    with pytest.raises(TypeError, match="choose another"):
        type("Wrong", (Schema,), {"__annotations__": {"size": Float}, "size": field()})


@pytest.mark.parametrize(
    ("kind", "declared", "message"),
    [
        (float, field(), 'Wrong.mass: float is not a kind of value.*did you mean "Float"'),
        (Vec3(), field(), "Wrong.mass: Vec3.. is not a kind of value"),
        (Float, 3.0, "Wrong.mass: must be declared by field"),
        (Float, field(sugest=(0, 1)), "Wrong.mass: field.. for a Float: .*sugest"),
        (Choice, field(default="a"), "Wrong.mass: field.. for a Choice: .*options"),
    ],
)
def test_errors_in_declarations_are_named(kind, declared, message):
    with pytest.raises(SchemaError, match=message):
        type("Wrong", (Schema,), {"__annotations__": {"mass": kind}, "mass": declared})


def test_values_are_mirrored_by_the_rule_of_their_field():
    class Side(PerWheel):
        at: Vec3 = field(mirror="x")
        toe: Curve = field(capacity=3, mirror="sign")
        path: VecCurve = field(capacity=3, mirror="x")
        angle: Float = field(mirror="sign")
        mass: Float = field()

    sides = Side.fields
    assert sides["at"].mirrored([1, 2, 3]) == [-1, 2, 3]
    assert sides["toe"].mirrored([[0, 0.1]]) == [[0, -0.1]]
    assert sides["path"].mirrored([[0.5, [1, 2, 3]]]) == [[0.5, [-1, 2, 3]]]
    assert sides["angle"].mirrored(0.2) == -0.2 and sides["mass"].mirrored(5.0) == 5.0


def test_the_typed_arguments_of_field_are_those_of_fields_and_kinds():
    """A type checker refuses others; without this a new argument could not be used."""
    kinds = [getattr(schema, name) for name in schema._KIND_NAMES]
    arguments = {argument.name for kind in kinds for argument in fields(kind)}
    assert set(schema.Declaration.__annotations__) == schema._DECLARED | arguments
