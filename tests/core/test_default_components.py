"""Default components of vehicles, and what a file for other components is told."""

import re

import pytest

from driving_sandbox.cli.program import main
from driving_sandbox.physics.estimate import estimate_lines
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.schema.yaml_file import ConfigError, parse_yaml
from driving_sandbox.physics.tick.component import components_of
from driving_sandbox.physics.vehicle.component_file import sequence_data
from driving_sandbox.physics.vehicle.types import VARIANTS, VEHICLE_TYPES
from driving_sandbox.physics.vehicle.vehicle_file import (
    VEHICLE_FOLDER,
    apply_setup,
    load_vehicle,
    load_vehicle_text,
    vehicle_text,
)

KART = """name: Kart
type: direct_drive
axles: {front: [fl, fr], rear: [rl, rr]}
body: {mass: 600, centre_of_mass: [0, 0, 0.4]}
wheel:
  all: {radius: 0.3, half_width: 0.1, mass: 12}
suspension:
  all: {travel: 0.2, stiffness: 20000, damping: 1500}
  front: {attachment: [0.7, 1.1, 0.45]}
  rear: {attachment: [0.7, -1.1, 0.45]}
brakes:
  all: {max_torque: 500}
direct_drive:
  rear: {max_torque: 200}
"""
OLD_TIRE = "tire:\n  all: {lateral_stiffness: 30000, longitudinal_stiffness: 32000}\n"
SIMPLE = (VEHICLE_FOLDER / "roadster_simple.yaml").read_text(encoding="utf8")


def kart(text=""):
    """The kart, with further sections."""
    return load_vehicle_text(KART + text, "kart.yaml")


def estimates(text=""):
    """Lines on the estimated tires of the kart with further sections."""
    return [line.removeprefix("tire.") for line in estimate_lines(kart(text)) if line.startswith("tire.")]


TIRES = {
    "engine_drive": "mf_62", "direct_drive": "mf_62", "trailer": "mf_62", "clutch_drive": "mf_62",
    "tank": "combined_slip", "cryengine": "coulomb", "planar": "linear_clamp",
}  # fmt: skip


@pytest.mark.parametrize("kind", VEHICLE_TYPES)
def test_road_vehicles_have_magic_formula_tires_by_default(kind):
    (tire,) = (c.name for c in components_of(VEHICLE_TYPES[kind]) if c.slot == "tire")
    assert tire == TIRES[kind]


@pytest.mark.parametrize("kind", VEHICLE_TYPES)
def test_engine_and_wheels_react_on_the_body_of_a_car_by_default(kind):
    (body,) = (c.name for c in components_of(VEHICLE_TYPES[kind]) if c.slot == "body")
    other = {"engine_drive": "gyrostat", "clutch_drive": "assembled", "cryengine": "euler", "planar": "planar"}
    assert body == other.get(kind, "rigid")


def test_an_own_list_has_magic_formula_tires_by_default():
    components = "components: {actuation: direct_drive, drivetrain: direct_wheels}\n"
    text = f"sequence: {sequence_data(VEHICLE_TYPES['direct_drive'])}\n{components}"
    own = load_vehicle_text(KART.replace("type: direct_drive\n", text), "own.yaml")
    assert own.sequence.by_slot["tire"].name == "mf_62" and own.sequence.by_slot["body"].name == "rigid"
    assert own.sequence.source == kart().sequence.source


def test_a_file_for_the_former_default_is_told_what_to_write():
    with pytest.raises(ConfigError) as caught:
        kart(OLD_TIRE)
    line = 1 + KART.count("\n") + 1
    assert str(caught.value).startswith(
        f"kart.yaml:{line}: tire.all.lateral_stiffness: tire mf_62 has no such key, but combined_slip and legacy have: "
        "`components: {tire: combined_slip}` in the vehicle's file chooses combined_slip; known here: tire_type, "
    )
    followed = kart(OLD_TIRE + "components: {tire: combined_slip}\n")
    assert followed.get("tire.fl.lateral_stiffness") == 30000.0


@pytest.mark.parametrize(
    ("slot", "key", "value", "present", "named"),
    [
        ("tire", "  all: {size: 195/60 R15}", "size", "combined_slip", "mf_62"),
        ("tire", "  front: {a3: 1800}", "a3", "combined_slip", "pacejka_89"),
        ("antiroll", "  stabilizer: 0.5", "stabilizer", "bars", "stabilizer"),
        ("engine", "  spool_power: 9e3", "spool_power", "torque_curve", "turbocharged"),
    ],
)
def test_a_key_of_another_component_of_the_slot_is_said_to_be_one(slot, key, value, present, named):
    text = re.sub(rf"^{slot}:.*\n(?:  .*\n)*", f"{slot}:\n{key}\n", SIMPLE, flags=re.M)
    with pytest.raises(ConfigError) as caught:
        load_vehicle_text(text, "car.yaml")
    line = 1 + text[: text.index(key)].count("\n")
    message = str(caught.value)
    assert message.startswith(f"car.yaml:{line}: {slot}.") and f"{value}: {slot} {present} has no such key" in message
    assert f"`components: {{{slot}: {named}}}`" in message


def test_a_setup_for_another_component_is_told_so():
    roadster = load_vehicle("roadster")
    setup = parse_yaml("vehicle: Roadster\n\ntire:\n  fl: {lateral_stiffness: 60000.0}\n", "setup.yaml")
    with pytest.raises(ConfigError, match=r"^setup.yaml:4: tire.fl.lateral_stiffness: .*\{tire: combined_slip\}"):
        apply_setup(roadster, setup)
    setup = parse_yaml("vehicle: Roadster\n\ntire:\n  fl: {lateral_grop: 0.9}\n", "setup.yaml")
    with pytest.raises(ConfigError, match='unknown key .did you mean "lateral_grip"'):
        apply_setup(roadster, setup)


@pytest.mark.parametrize("name", ["roadster_simple", "truck_trailer", "patrol", "clubsport"])
def test_a_written_vehicle_names_its_components(name):
    """So it stays the same vehicle when defaults change. Slots with one component only need no name."""
    vehicle = load_vehicle(name)
    written = parse_yaml(vehicle_text(vehicle), VEHICLE_FOLDER / "written.yaml")
    for member, doc in zip((vehicle, *vehicle.trailers), (written, *written.get("trailers", ())), strict=True):
        filled = {slot: c.name for slot, c in member.sequence.by_slot.items() if len(VARIANTS.get(slot, ())) > 1}
        assert doc["components"] == filled and {"tire", "body"} < filled.keys()
    again = load_vehicle_text(vehicle_text(vehicle), VEHICLE_FOLDER / "written.yaml")
    assert again.sequence is vehicle.sequence and again.params.tobytes() == vehicle.params.tobytes()


@pytest.mark.parametrize("half_width", [0.1, 0.12])
def test_size_class_and_load_index_of_tires_are_estimated_and_reported(half_width):
    """The wheel has a radius of 0.3 m; the usual height of a section is 55 % of its width."""
    width = 2.0 * half_width
    car = load_vehicle_text(KART.replace("half_width: 0.1", f"half_width: {half_width}"), "kart.yaml")
    lines = "\n".join(line for line in estimate_lines(car) if line.startswith("tire."))
    assert "tire.tire_class of fl, fr, rl, rr is not given: estimated as touring from" in lines
    assert f"tire.section_width of fl, fr, rl, rr is not given: estimated as {width:.3g} m from the wheel's wi" in lines
    assert f"tire.rim_radius of fl, fr, rl, rr is not given: estimated as {0.3 - 0.55 * width:.3g} m from" in lines
    assert "tire.load_index of fl, fr, rl, rr is not given: estimated from the load at rest, 65%" in lines
    tire = car.params["tire"][0, 0]
    assert tire["rated_load"] == pytest.approx(tire["nominal_load"] / 0.65)
    assert tire["c"]["unloaded_radius"] == pytest.approx(0.3)


def test_only_what_is_missing_about_tires_is_estimated():
    some = estimates("tire:\n  all: {tire_class: sport}\n  front: {size: 195/60 R15}\n  rear: {size: 195/60 R15 88V}\n")
    assert [line.partition(" is not")[0] for line in some] == ["load_index of fl, fr"]
    assert estimates("tire:\n  all: {tire_class: sport, size: 195/60 R15 88V}\n") == []
    measured = (
        ROOT / "tests" / "reference" / "data" / "commonroad" / "sedan_mf62.yaml"
    )  # a complete set of coefficients
    assert not any(line.startswith("tire.") for line in estimate_lines(load_vehicle(measured)))


def test_check_reports_estimated_tires(tmp_path, capsys):
    path = tmp_path / "kart.yaml"
    path.write_text(KART, encoding="utf8")
    assert main(["check", str(path)]) == 0
    out = capsys.readouterr().out
    assert "kart.yaml: tire.tire_class of fl, fr, rl, rr is not given: estimated as touring from" in out
    path.write_text(KART + OLD_TIRE, encoding="utf8")
    assert main(["check", str(path)]) == 2
    assert "`components: {tire: combined_slip}` in the vehicle's file" in capsys.readouterr().out
