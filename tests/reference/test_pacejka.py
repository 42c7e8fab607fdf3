"""Pure slip of the Magic Formula tires, compared with values of another program for several sets of coefficients.

`pytest tests/reference --pacejka DIR` (or SANDBOX_PACEJKA) takes any folder of the same layout: `coefficients.json`
with {set: {"coefficients": {name: value}}}, and `values.csv` with the columns set, quantity (Fx, Fy, Mz), model (pac89,
pac94, mf52), Fz_N, slip, slip_unit (percent, ratio, deg, rad), camber_deg, value_N_or_Nm. Missing
coefficients are 0; names are case-insensitive. The default is the project's rows.
"""

import csv
import json
import math
from dataclasses import dataclass

import numpy as np

from driving_sandbox.physics.kernel.jit import JIT
from driving_sandbox.physics.tire import mf52, pacejka_curves
from driving_sandbox.physics.tire.mf52 import MF52Params
from driving_sandbox.physics.tire.mf52_coefficients import MF52_SET
from driving_sandbox.physics.tire.pacejka_coefficients import SET_1989, SET_1994, as_1994

TOLERANCE = 1e-5  # largest `error`
IN_PERCENT = {"percent": 1.0, "ratio": 100.0}
IN_DEGREES = {"deg": 1.0, "rad": math.degrees(1.0)}
# {model: its coefficients, the name first}
MODEL_COEFFICIENTS = {"pac89": SET_1989, "pac94": SET_1994, "mf52": MF52_SET}
SIZE_NAMES = {"w0", "ar0", "pt0"}  # the tire's size in property files, not coefficients of the formula


@dataclass(frozen=True)
class Row:
    """A row of `values.csv`."""

    name: str  # of the set of coefficients
    quantity: str
    model: str
    load: float  # N
    slip: float  # longitudinal slip or slip angle, in `unit`
    unit: str
    camber: float  # degrees
    value: float  # N or N m

    def percent(self):
        """The longitudinal slip in percent."""
        return self.slip * IN_PERCENT[self.unit]

    def degrees(self):
        """The slip angle in degrees."""
        return self.slip * IN_DEGREES[self.unit]


def read_rows(folder):
    """All rows of `values.csv`."""
    with open(folder / "values.csv", encoding="utf8", newline="") as file:
        return [
            Row(r["set"], r["quantity"], r["model"], float(r["Fz_N"]), float(r["slip"]), r["slip_unit"],
                float(r["camber_deg"]), float(r["value_N_or_Nm"]))
            for r in csv.DictReader(file)
        ]  # fmt: skip


def read_sets(folder):
    """{set: {lower-case name: value}}"""
    document = json.loads((folder / "coefficients.json").read_text(encoding="utf8"))
    return {
        name: {key.lower(): float(v) for key, v in entry["coefficients"].items()} for name, entry in document.items()
    }


def complete(model, coefficients):
    """All coefficients of a model; unknown names are an error in the file."""
    known = [name for name, *_ in MODEL_COEFFICIENTS[model]]
    unknown = set(coefficients) - set(known) - SIZE_NAMES
    assert not unknown, f"{model} has no coefficients {sorted(unknown)}"
    return {name: coefficients.get(name, 0.0) for name in known}


def pacejka_value(coefficients, row):
    """Our value for a row, N or N m, by the formula of 1989 or 1994."""
    year = 1989 if row.model == "pac89" else 1994
    curves = {name: np.array(values) for name, values in as_1994(coefficients, year).items()}
    load = row.load * 1e-3  # kN, as in these formulas
    if row.quantity == "Fx":
        return pacejka_curves.longitudinal_force(curves["longitudinal"], row.percent(), load, 1.0)
    if row.quantity == "Fy":
        return pacejka_curves.lateral_force(curves["lateral"], row.degrees(), row.camber, load, 1.0)
    return pacejka_curves.aligning_moment(curves["aligning"], row.degrees(), row.camber, load, 1.0, int(year == 1994))


def mf52_value(coefficients, row):
    """Our value for a row, N or N m, by Magic Formula 5.2."""
    array = np.zeros(1, MF52Params.dtype)
    for name, value in coefficients.items():
        array[name] = value
    array["pkx3"] *= -1.0  # the values were computed with exp(-PKX3 dfz), the model has the published exp(PKX3 dfz)
    p = (array if JIT else array.view(np.recarray))[0]
    camber = math.radians(row.camber)
    if row.quantity == "Fx":
        return mf52.pure_longitudinal(p, row.percent() / 100.0, camber, row.load, 1.0)
    angle = math.radians(row.degrees())
    lateral_force = mf52.pure_lateral(p, angle, camber, row.load, 1.0)
    if row.quantity == "Fy":
        return lateral_force
    return mf52.moment(p, 0.0, angle, camber, row.load, 1.0, 0.0, lateral_force, 0.0)


def value(sets, row):
    """Our value for a row, N or N m."""
    coefficients = complete(row.model, sets[row.name])
    return mf52_value(coefficients, row) if row.model == "mf52" else pacejka_value(coefficients, row)


def error(computed, expected):
    """Error relative to the value, or to 1 N or 1 N m where the value is smaller, because curves cross zero."""
    return abs(computed - expected) / max(abs(expected), 1.0)


def test_every_value_of_every_set_is_reproduced(pacejka_folder, report):
    sets, rows = read_sets(pacejka_folder), read_rows(pacejka_folder)
    assert rows
    worst = {}
    for row in rows:
        deviation = error(value(sets, row), row.value)
        key = (row.name, row.quantity)
        worst[key] = max(worst.get(key, (0.0, row)), (deviation, row), key=lambda pair: pair[0])
    for (name, quantity), (deviation, row) in worst.items():
        report("tire curve", (name, quantity, deviation, f"Fz {row.load:g} N, slip {row.slip:g} {row.unit}"))
    wrong = {key: pair for key, pair in worst.items() if not pair[0] < TOLERANCE}
    assert not wrong, wrong


def test_a_coefficient_off_by_a_thousandth_is_detected(pacejka_folder):
    """Shape, peak and stiffness coefficients of the forces are changed one after the other, in the first set."""
    sets, rows = read_sets(pacejka_folder), read_rows(pacejka_folder)
    name, model = rows[0].name, rows[0].model
    rows_of_set = [row for row in rows if row.name == name]
    for key in {"a0", "a2", "a3", "a4", "b0", "b2", "b4"} & set(sets[name]):
        changed = {**sets, name: {**sets[name], key: sets[name][key] * 1.001}}
        assert max(error(value(changed, row), row.value) for row in rows_of_set if row.model == model) > TOLERANCE, key
