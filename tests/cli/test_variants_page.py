"""docs/variants.md: every component for a slot is a line of a plot, and the plots show their claims."""

import re
from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

from driving_sandbox.docs.build import variants
from driving_sandbox.docs.build.concept import CONCEPTS, joined
from driving_sandbox.docs.build.curve import CURVES, Line
from driving_sandbox.physics.vehicle.types import VARIANTS


@cache
def lines(name):
    """{label: line} of a plot."""
    return {line.label: line for line in CURVES[name].figure().lines}


def test_every_variant_is_in_a_plot_that_shows_it_or_excused():
    assert variants.faults() == []


def test_a_component_without_a_plot_is_reported():
    extended = {**VARIANTS, "clutch": {**VARIANTS["clutch"], "fluid_coupling": None}}
    assert variants.component_faults(extended) == ["clutch: fluid_coupling is in no plot and not excused"]


def test_the_check_of_the_page_is_as_strict(monkeypatch, capsys):
    """For a current page `--check` fails, too, if an excused component does not exist or a plot's lines are flat."""
    page = variants.page()
    monkeypatch.setattr(variants, "page", lambda: page)
    monkeypatch.setitem(variants.EXCUSED, ("tire", "square"), "It is not round.")
    name = next(iter(CONCEPTS))
    figure = CURVES[name].figure()
    monkeypatch.setattr(variants, "CONCEPTS", {name: CONCEPTS[name]})
    flat = [replace(line, y=0.0 * line.y) for line in figure.lines]
    monkeypatch.setitem(CURVES, name, SimpleNamespace(figure=lambda: replace(figure, lines=flat)))
    assert variants.main(["--check"]) == 1
    errors = capsys.readouterr().err
    assert "tire: square is excused and no choice" in errors
    assert f"{name}: shows nothing that changes" in errors and "not current" not in errors


def test_variants_name_their_origin_and_the_vehicles_that_use_them():
    vehicles = variants.users()
    assert variants.system(VARIANTS["tire"]["coulomb"]) == "CryEngine"
    assert variants.system(VARIANTS["brakes"]["clipped"]) == "Racer"
    assert variants.system(VARIANTS["clutch"]["automatic"]) == "the program's own"
    assert vehicles["brakes", "footbrake_and_lock"] == ["patrol"]
    assert ("tire", "pacejka_94") not in vehicles


def test_tires_have_comparable_grip():
    """The largest force of each is within 0.5 kN of load times friction, 3 kN, and acts against the slide."""
    for line in lines("variants_tires_lateral").values():
        assert 2.5 < line.y.max() < 3.5
        assert line.y[0] > 0.0 > line.y[-1]


def test_dry_friction_is_a_circle_and_linear_clamp_does_not_couple_the_directions():
    curves = lines("variants_tires_combined")
    assert np.hypot(curves["coulomb"].x, curves["coulomb"].y) == pytest.approx(3.0, rel=1e-6)
    assert np.ptp(curves["linear_clamp"].y) == 0.0 < np.ptp(curves["linear_clamp"].x)


def test_the_plot_of_the_handbrake_shows_clipped_and_locking_brakes():
    curves = lines("variants_handbrake")
    assert curves["clipped, clubsport"].y[-1] < curves["clipped, clubsport"].y[0] + 0.3  # clipped by the pedal's torque
    assert np.ptp(curves["footbrake_and_lock, patrol"].y[:120]) == 0.0 < np.ptp(curves["footbrake_and_lock, patrol"].y)


def test_lines_that_coincide_are_joined():
    x = np.linspace(0.0, 1.0, 5)
    merged = joined(
        [Line("one", x, x), Line("other", x, 2.0 * x), Line("same", x, x.copy()), Line("faint", x, x, True)]
    )
    assert [line.label for line in merged] == ["one, same", "other", "faint"]


def test_the_plot_of_clutches_shows_capacity_and_linearity():
    """A friction clutch has a capacity, a torsion damper is linear, and `automatic` halfway has half its torque."""
    curves = lines("variants_clutch_torque")
    whole, half = curves["torsion_damper"], curves["automatic, halfway"]
    assert half.y == pytest.approx(0.5 * whole.y)
    assert whole.y == pytest.approx(whole.x * whole.y[-1] / whole.x[-1])
    assert curves["friction"].y.max() == pytest.approx(330.0) and np.ptp(curves["friction"].y[-50:]) < 1e-9


def test_gears_rise_at_full_throttle():
    for line in lines("variants_automatic_gears").values():
        gears = line.y[line.y > 0.0]  # not in neutral
        assert gears[0] == 1.0 and gears[-1] >= 3.0 and (np.diff(gears) >= 0.0).all()


def test_a_clutch_closes_at_the_rate_its_label_says():
    for label, line in lines("variants_gear_changes").items():
        if label.startswith("timed"):
            rate = float(re.search(r"([\d.]+) /s", label).group(1))
            assert line.x[line.y >= 1.0 - 1e-9][0] == pytest.approx(1.0 / rate, abs=0.01)
