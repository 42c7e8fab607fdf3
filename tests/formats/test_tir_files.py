"""Tire property files: values, units, axes and errors."""

import math
import os

import pytest

from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.tire.mf62_coefficients import complete_set
from driving_sandbox.physics.tire.mf62_evaluate import evaluate
from driving_sandbox.physics.tire.tir_file import ISO_NEGATED, read_tir
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

UNITS = "[UNITS]\nLENGTH = 'meter'\nFORCE = 'newton'\nANGLE = 'radians'\nMASS = 'kg'\nTIME = 'second'\n"
MODERN = {  # a set of Magic Formula 6.2
    "FITTYP": 62, "LONGVL": 16.7, "UNLOADED_RADIUS": 0.3, "FNOMIN": 4000, "NOMPRES": 220000, "INFLPRES": 250000,
    "VERTICAL_STIFFNESS": 210000, "LONGITUDINAL_STIFFNESS": 350000, "LATERAL_STIFFNESS": 120000, "PCX1": 1.6,
    "PDX1": 1.1, "PDX2": -0.1, "PKX1": 22, "PKX3": 0.2, "PCY1": 1.4, "PDY1": 1.0, "PDY2": -0.12, "PEY1": -0.8,
    "PKY1": 18, "PKY2": 1.8, "PKY4": 1.9, "PKY6": 0.9, "PVY3": 0.4, "PHY1": 0.002, "QBZ1": 9.0, "QCZ1": 1.1,
    "QDZ1": 0.1, "QDZ8": 0.15, "QSX3": -0.05,
}  # fmt: skip
SECTION = {"FITTYP": "MODEL", "LONGVL": "MODEL", "UNLOADED_RADIUS": "DIMENSION", "FNOMIN": "VERTICAL",
           "NOMPRES": "OPERATING_CONDITIONS", "INFLPRES": "OPERATING_CONDITIONS", "VERTICAL_STIFFNESS": "VERTICAL",
           "LONGITUDINAL_STIFFNESS": "STRUCTURAL", "LATERAL_STIFFNESS": "STRUCTURAL"}  # fmt: skip


def section_of(key):
    """Section of a property file for a key."""
    if key in SECTION:
        return SECTION[key]
    kind = "LONGITUDINAL" if key[0] == "P" and key[2] == "X" else "LATERAL" if key[0] == "P" else "ALIGNING"
    kind = "OVERTURNING" if key.startswith("QSX") else "SCALING" if key[0] == "L" else kind
    return f"{kind}_COEFFICIENTS"


def text_of(values, units=UNITS):
    """A property file with these values by section."""
    lines = ["[MDI_HEADER]", "FILE_TYPE = 'tir'", units]
    for section in dict.fromkeys(section_of(key) for key in values):
        lines.append(f"$---------{section.lower()}\n[{section}]")
        lines += [f"{key:24s} = {value}   $ meaning" for key, value in values.items() if section_of(key) == section]
    return "\n".join([*lines, "[SHAPE]", "{radial width}", " 1.0  0.0", "! the end"]) + "\n"


@pytest.fixture
def written(tmp_path):
    """written(values, ...): the path of a file with these values."""

    def write(values, units=UNITS):
        path = tmp_path / "own.tir"
        path.write_text(text_of(values, units), encoding="utf8")
        return path

    return write


def test_values_are_read_from_sections_with_comments(written):
    tir = read_tir(written({**MODERN, "PEX1": "-3.7604e-005"}))
    assert tir.coefficients["PKY1"] == 18.0 and tir.coefficients["PEX1"] == -3.7604e-5
    assert tir.coefficients["FITTYP"] == 62.0 and tir.pressure == 250000.0 and tir.side == "both"
    assert "INFLPRES" not in tir.coefficients


def test_units_of_the_file_are_converted(written):
    """A set in mm and kN equals one in m and N."""
    units = (
        "[UNITS]\nLENGTH = 'mm'\nFORCE = 'kN'\nANGLE = 'radian'\nMASS = 'kg'\nTIME = 'millisecond'\nPRESSURE = 'bar'\n"
    )
    scaled = {"UNLOADED_RADIUS": 300.0, "FNOMIN": 4.0, "LONGVL": 16.7, "NOMPRES": 2.2, "INFLPRES": 2.5,
              "VERTICAL_STIFFNESS": 0.21, "LONGITUDINAL_STIFFNESS": 0.35, "LATERAL_STIFFNESS": 0.12}  # fmt: skip
    plain, other = read_tir(written(MODERN)), read_tir(written({**MODERN, **scaled}, units))
    assert other.coefficients == pytest.approx(plain.coefficients) and other.pressure == pytest.approx(plain.pressure)
    pounds = read_tir(written({**MODERN, "FNOMIN": 900.0}, UNITS.replace("newton", "pound_force")))
    assert pounds.coefficients["FNOMIN"] == pytest.approx(4003.4, abs=0.1)


def test_iso_axes_are_converted_to_ours(written):
    """Files in ISO axes, one of them with a negative peak factor, give the coefficients of one in our axes."""
    iso = {key: -value if key in ISO_NEGATED else value for key, value in MODERN.items()}
    with_negative_peak = {**iso, "PDY1": -MODERN["PDY1"], "PDY2": -MODERN["PDY2"]}
    ours = read_tir(written(MODERN)).coefficients
    for other in (iso, with_negative_peak):
        assert read_tir(written(other)).coefficients == ours
    c = complete_set({key.lower(): value for key, value in ours.items()})
    forces = evaluate(c, 4000.0, slip=0.02, angle=math.radians(-4.0), camber=0.05)
    assert forces["fy"] > 2000.0 and forces["mz"] < 0.0 and forces["mx"] != 0.0


def test_version_5_2_uses_its_own_camber_and_relaxation_terms(written):
    old = {key: value for key, value in MODERN.items() if key not in ("FITTYP", "PKY4", "PKY6", "NOMPRES", "INFLPRES")}
    old = {**old, "PHY3": 0.03, "PVY3": -0.2, "PTX1": 2.0, "PTX3": 0.3, "PTY1": 2.1, "PTY2": 2.0}
    for key in ("LONGITUDINAL_STIFFNESS", "LATERAL_STIFFNESS"):
        del old[key]
    tir = read_tir(written(old))
    assert tir.coefficients["FITTYP"] == 52.0 and tir.pressure == 0.0
    c = complete_set({key.lower(): value for key, value in tir.coefficients.items()})
    upright, cambered = (evaluate(c, 4000.0, camber=camber) for camber in (0.0, 0.05))
    # PTX1 R0, and PTY1 R0 sin(2 atan(1 / PTY2)) at the nominal load
    assert cambered["sigma_x"] == pytest.approx(2.0 * 0.3) and cambered["sigma_y"] == pytest.approx(2.1 * 0.3 * 0.8)
    slope = c["pky1"] * 4000.0 * 2.0 * (1 / 1.8) / (1 + 1 / 1.8**2)
    difference = cambered["fy"] - upright["fy"]
    assert difference == pytest.approx(slope * 0.03 * math.sin(0.05) - 0.2 * 4000.0 * math.sin(0.05), rel=0.03)


def test_scale_factors_are_multiplied_in(written):
    plain = read_tir(written(MODERN)).coefficients
    scaled = read_tir(written({**MODERN, "LMUY": 0.9, "LKX": 1.2, "LFZO": 0.8, "LSGAL": 1.5, "LTR": 1.1})).coefficients
    assert scaled["PDY1"] == pytest.approx(0.9 * plain["PDY1"]) and scaled["PKX1"] == pytest.approx(1.2 * 22.0)
    assert scaled["FNOMIN"] == 3200.0 and scaled["LATERAL_STIFFNESS"] == pytest.approx(80000.0)
    assert scaled["QDZ1"] == pytest.approx(0.11) and scaled["QBZ1"] == pytest.approx(10.0)  # slopes of grip and trail
    assert {key for key in plain if plain[key] != scaled[key]} == {
        "PDY1", "PDY2", "PVY3", "PKX1", "FNOMIN", "LATERAL_STIFFNESS", "QDZ1", "QBZ1",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "line", "rule"),
    [
        ({"PKY1": "fast"}, True, "PKY1: 'fast' is not a number"),
        ({"PKY11": 3.0}, True, "PKY11: is not a coefficient of Magic Formula 5.2, 6.1 or 6.2 (did you mean"),
        ({"FITTYP": 70}, True, "FITTYP: 70 is not supported; must be one of 5, 6, 51, 52, 60, 61, 62"),
        ({"PDX1": None}, False, "PDX1: is missing"),
        ({"LMUV": 0.1}, True, "LMUV: scales an effect that is not modelled; must be 0"),
    ],
)
def test_errors_name_file_line_and_key(written, changed, line, rule):
    path = written({key: value for key, value in {**MODERN, **changed}.items() if value is not None})
    with pytest.raises(ConfigError) as error:
        read_tir(path)
    number = 1 + next(
        (i for i, row in enumerate(path.read_text().splitlines()) if row.startswith(f"{next(iter(changed))} ")), 0
    )
    assert str(error.value).startswith(f"{path}:{number}: {rule}" if line else f"{path}: {rule}"), str(error.value)


@pytest.mark.parametrize("units", [UNITS.replace("meter", "furlong"), UNITS.replace("radians", "degree")])
def test_an_unknown_unit_is_refused(written, units):
    with pytest.raises(ConfigError, match=r"own.tir:\d+: (LENGTH|ANGLE): .* must be one of"):
        read_tir(written(MODERN, units))


def test_a_key_given_twice_is_refused(written):
    path = written(MODERN)
    path.write_text(path.read_text() + "[LATERAL_COEFFICIENTS]\nPKY1 = 3\n", encoding="utf8")
    with pytest.raises(ConfigError, match=r"PKY1: is given twice; first in line \d+"):
        read_tir(path)


VEHICLE = """base: roadster
components: {{clutch: launch, suspension: unsprung, tire: mf_62, abs: peak_seeking, aero: road_car,
              compliance: graphs_and_bushes}}
name: Own
tire:
  all: {{size: 185/60 R14 82H, tire_class: sport}}
  front: {{file: {file}}}
"""


def test_a_vehicle_takes_its_tires_from_a_file(written, tmp_path):
    """The front tires have the file's coefficients; the size given for all wheels applies to the rear ones."""
    written({**MODERN, "UNLOADED_RADIUS": 0.29})
    path = tmp_path / "car.yaml"
    path.write_text(VEHICLE.format(file="own.tir"), encoding="utf8")
    vehicle = load_vehicle(path)
    tires = vehicle.params["tire"][0]
    assert tires["c"]["pky1"][0] == 18.0 and tires["c"]["fnomin"][0] == 4000.0
    assert tires["c"]["fnomin"][2] == pytest.approx(3038.0, abs=1.0) and vehicle.get("tire.fl.pressure") == 250000.0
    assert vehicle.get("tire.rl.coefficients") == {} and vehicle.get("tire.fl.coefficients")["PKY6"] == 0.9


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("missing.tir", r"car.yaml:7: tire.front.file: no such file"),
        ("3", r"car.yaml:7: tire.front.file: must be the path"),
    ],
)
def test_a_wrong_file_name_is_reported_with_its_line(tmp_path, file, message):
    path = tmp_path / "car.yaml"
    path.write_text(VEHICLE.format(file=file), encoding="utf8")
    with pytest.raises(ConfigError, match=message):
        load_vehicle(path)


def test_a_wrong_size_is_reported_with_its_line(tmp_path):
    path = tmp_path / "car.yaml"
    path.write_text(VEHICLE.format(file="own.tir").replace("185/60 R14 82H", "185-60-14"), encoding="utf8")
    with pytest.raises(ConfigError, match=r"car.yaml:6: tire.all.size: '185-60-14' is not a tire size"):
        load_vehicle(path)


@pytest.mark.parametrize(
    ("keys", "key", "other"),
    [
        ("file: own.tir\n    size: 185/60 R14 82H", "size", "file"),
        ("size: 185/60 R14 82H\n    file: own.tir", "file", "size"),
    ],
)
def test_a_file_together_with_a_size_is_refused(written, tmp_path, keys, key, other):
    """Both keys give coefficients, so one of them would be lost."""
    written(MODERN)
    path = tmp_path / "car.yaml"
    path.write_text(VEHICLE.format(file="").replace("front: {file: }", f"front:\n    {keys}"), encoding="utf8")
    with pytest.raises(ConfigError, match=rf"car.yaml:9: tire.front.{key}: gives coefficients, as {other} does: leave"):
        load_vehicle(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes")
def test_pipes_and_large_files_are_refused(tmp_path):
    """Reading a pipe would block forever."""
    os.mkfifo(tmp_path / "pipe.tir")
    (tmp_path / "large.tir").write_bytes(b" " * 1_000_001)
    for name, message in (("pipe", "not a regular file"), ("large", "1.0 MB, at most 1 MB"), ("gone", "no such tire")):
        with pytest.raises(ConfigError, match=message):
            read_tir(tmp_path / f"{name}.tir")
