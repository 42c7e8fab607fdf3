"""Magic Formula 6.2 compared with values of another program; the family of tires, its classes, a table of twelve sizes.

`pytest tests/reference --tires DIR` (or SANDBOX_TIRES) takes any folder of the same layout: NAME.json with size,
tire_class and {"coefficients": {NAME: value}}, NAME.csv with load_N, kappa, alpha_rad, camber_rad, pressure_Pa,
road_friction, speed_m_s and the values computed by another program; family_classes.json and table12.csv.
"""

import csv
import json
import math

import numpy as np
import pytest

from driving_sandbox.physics.tire import mf62
from driving_sandbox.physics.tire.mf62_coefficients import NAMES, NEUTRAL, complete_set
from driving_sandbox.physics.tire.mf62_evaluate import evaluate, record_of
from driving_sandbox.physics.tire.mf62_family import CLASSES, family, rated_load
from driving_sandbox.physics.tire.tire_size import read_size

EXACT = 1e-12  # largest error of a value, relative to PER_LOAD times the load, or to the value itself
PER_LOAD = {"fx_N": 1.0, "fy_N": 1.0, "mz_Nm": 0.1, "mx_Nm": 0.1}
COLUMNS = {"fx_N": "fx", "fy_N": "fy", "mz_Nm": "mz", "mx_Nm": "mx", "my_Nm": "my", "trail_m": "trail", "kx_N": "kx",
           "ky_N_rad": "ky", "sigma_x_m": "sigma_x", "sigma_y_m": "sigma_y"}  # fmt: skip
DIMENSIONS = {"width", "aspect_ratio", "rim_radius"}  # of the tire size; not used in the equations
CLASS_NAMES = {"mux": "mu_x", "muy": "mu_y", "sx": "load_sensitivity_x", "sy": "load_sensitivity_y",
               "cy": "cornering_stiffness", "cx": "slip_stiffness", "ap": "peak_angle", "kp": "peak_slip",
               "ylat": "sliding_y", "ylon": "sliding_x", "kg": "camber_stiffness", "rrc": "rolling_resistance",
               "bar": "pressure", "upk": "stiffest_load", "un": "nominal_load"}  # fmt: skip


def set_paths(folder):
    """Files of the coefficient sets in a folder."""
    return sorted(path for path in folder.glob("*.json") if path.stem != "family_classes")


def read_set(path):
    """(document, complete set) of a JSON file."""
    document = json.loads(path.read_text(encoding="utf8"))
    coefficients = {key.lower(): float(value) for key, value in document["coefficients"].items()}
    assert not set(coefficients) - set(NAMES) - DIMENSIONS
    return document, complete_set({key: value for key, value in coefficients.items() if key in NAMES})


def read_rows(path):
    """{column: array} of a CSV file of numbers."""
    with open(path, encoding="utf8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {key: np.array([float(row[key]) for row in rows]) for key in rows[0]}


def computed(c, rows):
    """{column: array} of the formula for the rows."""
    outputs = evaluate(c, rows["load_N"], rows["kappa"], rows["alpha_rad"], rows["camber_rad"], rows["pressure_Pa"],
                     rows["road_friction"], rows["speed_m_s"])  # fmt: skip
    outputs = {column: outputs[name] for column, name in COLUMNS.items()}
    record = record_of(c)
    # the data's wheel speeds, rad/s, are for a rolling radius of 0.97 times the unloaded one
    omega = rows["speed_m_s"] * (1.0 + rows["kappa"]) / (0.97 * c["unloaded_radius"])
    pressure_change = rows["pressure_Pa"] / c["nompres"] - 1.0
    states = list(zip(rows["load_N"], outputs["fx_N"], outputs["fy_N"], pressure_change, omega, strict=True))
    deflections = [mf62.deflection(record, *map(float, state)) for state in states]
    outputs["rl_m"] = [mf62.free_radius(record, float(w)) - d for w, d in zip(omega, deflections, strict=True)]
    outputs["re_m"] = [mf62.effective_radius(record, float(n), float(p), float(w)) for n, _, _, p, w in states]
    return {column: np.asarray(values) for column, values in outputs.items()}


def errors(c, rows):
    """{column: error of every row}"""
    outputs = computed(c, rows)
    scales = {column: PER_LOAD[column] * rows["load_N"] if column in PER_LOAD else np.abs(rows[column])
              for column in outputs}  # fmt: skip
    return {column: np.abs(outputs[column] - rows[column]) / np.where(scales[column] > 0.0, scales[column], 1.0)
            for column in outputs}  # fmt: skip


def test_every_value_of_every_set_is_reproduced(tires_folder, report):
    paths = set_paths(tires_folder)
    assert paths
    for path in paths:
        worst = {
            column: float(e.max())
            for column, e in errors(read_set(path)[1], read_rows(path.with_suffix(".csv"))).items()
        }
        for column, error in worst.items():
            report("tire curve", (path.stem, column, error, "all rows"))
        assert max(worst.values()) < EXACT, worst


def test_a_coefficient_off_by_a_thousandth_is_detected_unless_neutral(tires_folder):
    path = set_paths(tires_folder)[0]
    document, c = read_set(path)
    rows = read_rows(path.with_suffix(".csv"))
    without_effect = {"fittyp", "longvl", "q_re0", "breff"}  # on the values in the files
    for key in {name.lower() for name in document["coefficients"]} & set(c) - without_effect:
        if c[key] == NEUTRAL[key]:
            continue
        changed = errors({**c, key: c[key] * 1.001}, rows)
        assert max(float(e.max()) for e in changed.values()) > 1e-9, key


def test_coefficients_of_the_family_equal_the_sets(tires_folder):
    for path in set_paths(tires_folder):
        document, c = read_set(path)
        size = read_size(document["size"])
        coefficients = complete_set(family(size, document["tire_class"], rated_load(size.load_index)))
        for name, value in c.items():
            assert coefficients[name] == pytest.approx(value, rel=1e-12, abs=1e-15), (path.stem, name)


def test_classes_of_the_family_equal_those_of_the_file(tires_folder):
    classes = json.loads((tires_folder / "family_classes.json").read_text(encoding="utf8"))
    assert set(classes) == set(CLASSES)
    for name, values in classes.items():
        for key, value in values.items():
            assert getattr(CLASSES[name], CLASS_NAMES[key]) == value, (name, key)


def family_row(size, tire_class):
    """A row of the table of twelve sizes, computed."""
    rated = rated_load(size.load_index)
    c = complete_set(family(size, tire_class, rated))
    f0 = c["fnomin"]
    angles, slips = np.radians(np.linspace(0.0, 40.0, 40001)), np.linspace(0.0, 1.0, 20001)
    lateral = {share: evaluate(c, share * f0, angle=angles) for share in (0.5, 1.0, 1.5, 2.0)}
    longitudinal = {share: evaluate(c, share * f0, slip=slips)["fx"] for share in (0.5, 1.0, 1.5, 2.0)}
    fy, mz, record = -lateral[1.0]["fy"], lateral[1.0]["mz"], record_of(c)
    peak = int(mz.argmax())
    row = {"rated_N": rated, "fz0_N": f0, "r0_mm": 1e3 * size.radius, "cz_kN_m": c["vertical_stiffness"] / 1e3}
    row |= {"ca_per_rad": lateral[1.0]["ky"][0] / f0, "ca_0_5": lateral[0.5]["ky"][0] / f0 / 0.5,
            "ca_2": lateral[2.0]["ky"][0] / f0 / 2.0, "cx_per_slip": evaluate(c, f0)["kx"] / f0}  # fmt: skip
    row["ca_per_deg"] = math.radians(row["ca_per_rad"])
    for share, name in ((0.5, "0_5"), (1.0, "1"), (1.5, "1_5"), (2.0, "2")):
        row[f"muy_{name}"] = -lateral[share]["fy"].min() / (share * f0)
        row[f"mux_{name}"] = longitudinal[share].max() / (share * f0)
    row |= {"alpha_peak_deg": math.degrees(angles[fy.argmax()]), "kappa_peak": slips[longitudinal[1.0].argmax()],
            "alpha_peak_2_deg": math.degrees(angles[lateral[2.0]["fy"].argmin()])}  # fmt: skip
    fx = longitudinal[1.0]
    # fy[20000] is at 20 degrees, fx[10000] at a slip of 0.5
    row |= {"fy20_over_peak": fy[20000] / fy.max(), "fx50_over_peak": fx[10000] / fx.max(),
            "fx100_over_peak": fx[-1] / fx.max()}  # fmt: skip
    row |= {"trail_mm": 1e3 * lateral[1.0]["trail"][0], "mz_peak_Nm": mz[peak],
            "mz_peak_deg": math.degrees(angles[peak]),
            "mz_zero_deg": math.degrees(angles[peak + int((mz[peak:] < 0.0).argmax())])}  # fmt: skip
    row |= {"sigma_y_m": lateral[1.0]["sigma_y"][0], "sigma_y_2": lateral[2.0]["sigma_y"][0],
            "sigma_x_m": evaluate(c, f0)["sigma_x"]}  # fmt: skip
    spin = 80.0 / 3.6 / (0.97 * size.radius)  # rad/s at 80 km/h, for which the table has the radii
    row["rl_mm"] = 1e3 * (mf62.free_radius(record, spin) - mf62.deflection(record, f0, 0.0, 0.0, 0.0, spin))
    row["re_mm"] = 1e3 * mf62.effective_radius(record, f0, 0.0, spin)
    row["rrc"] = CLASSES[tire_class].rolling_resistance / 1e3
    return row


def test_properties_of_twelve_tires_are_reproduced(tires_folder):
    """Every number of the table is reproduced to 1.5 units of its last digit."""
    with open(tires_folder / "table12.csv", encoding="utf8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 12
    for row in rows:
        name, tire_class = row.pop("size"), row.pop("tire_class")
        coefficients = family_row(read_size(name), tire_class)
        for key, text in row.items():
            digit = 10.0 ** -len(text.partition(".")[2])
            assert coefficients[key] == pytest.approx(float(text), abs=1.5 * digit), (name, key)
