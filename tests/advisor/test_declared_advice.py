"""Usual ranges come from the declarations of parameters; symptoms name only declared parameters and state."""

import ast
import re

import pytest

from driving_sandbox.lab.advisor import SYMPTOMS
from driving_sandbox.lab.advisor.report import report
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.tick.component import components_of
from driving_sandbox.physics.tick.context import Context
from driving_sandbox.physics.vehicle.types import VARIANTS, VEHICLE_TYPES
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

COMPONENTS = [c for entries in VEHICLE_TYPES.values() for c in components_of(entries)]
COMPONENTS += [c for variants in VARIANTS.values() for c in variants.values()]
SYMPTOM_FILES = sorted((ROOT / "lab" / "advisor").glob("*.py"))


def declared(kind):
    """{slot: names} of all parameters (kind "params") or of all state ("state")."""
    names_of = {"context": set(Context.fields)}
    for component in COMPONENTS:
        if schema := getattr(component, kind):
            names_of.setdefault(component.slot, set()).update(schema.fields)
    return names_of


PARAMETERS, STATE = declared("params"), declared("state")


@pytest.mark.parametrize("symptom", SYMPTOMS.values(), ids=SYMPTOMS)
def test_parameters_named_by_a_symptom_are_declared(symptom):
    paths = [symptom.parameter] if symptom.parameter else []
    paths += re.findall(r"\b[a-z_]+\.[a-z_]{2,}\b", symptom.action)
    for path in paths:
        slot, _, name = path.partition(".")
        assert name in PARAMETERS[slot], path


def written_paths(path):
    """Strings `slot.name` of a module. In formatted strings `slot.{wheel}.name` the wheel is left out."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
        if isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "{}" for part in node.values]
            text = "".join(parts).replace(".{}.", ".")
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        else:
            continue
        if re.fullmatch(r"[a-z_]+\.[a-z_]+", text) and text.partition(".")[0] in PARAMETERS:
            yield text


def test_remedies_and_measurements_name_what_is_declared():
    named = {text for path in SYMPTOM_FILES for text in written_paths(path)}
    assert len(named) > 40
    known = {f"{slot}.{name}" for names in (PARAMETERS, STATE) for slot in names for name in names[slot]}
    assert not named - known


def test_usual_ranges_are_declared_once_and_reported():
    """The simple roadster declares four ranges: half the lower end is reported, values inside either end are not."""
    vehicle = load_vehicle("roadster_simple")
    advised = [(c.slot, f) for c in vehicle.sequence.components if c.params for f in c.params.fields.values()
               if f.advised is not None]  # fmt: skip
    assert {(slot, f.name) for slot, f in advised} == {
        ("wheel", "mass"), ("wheel", "damping"), ("body", "mass"), ("steering", "max_angle")}  # fmt: skip
    for slot, field in advised:
        low, high = field.advised
        wheel = "" if slot == "body" else "fl."
        path = f"{slot}.{wheel}{field.name}"
        for value, reported in ((0.5 * low, True), (1.01 * low, False), (0.99 * high, False)):
            vehicle = load_vehicle("roadster_simple")
            vehicle.set(path, value)
            lines = [line for line in report(vehicle) if line.startswith(f"{path}: ")]
            assert bool(lines) == reported, (path, value)
            assert all(f"the guide advises {low:.3g} to {high:.6g} {field.unit}" in line for line in lines)


def test_an_angle_of_opposite_steering_is_compared_by_its_magnitude():
    vehicle = load_vehicle("hatchback")
    vehicle.set_many({"steering.rl.max_angle": -0.1, "steering.rr.max_angle": -0.6})
    rear = [line for line in report(vehicle) if line.startswith("steering.r")]
    assert rear == ["steering.rl.max_angle: -0.1 rad, the guide advises 0.524 to 1.5708 rad in magnitude"]
