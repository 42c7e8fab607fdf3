"""Magic Formula 6.2: the default family of coefficients, and laws that the formula obeys."""

import math
from dataclasses import replace

import numpy as np
import pytest

from driving_sandbox.physics.tire import mf62_family
from driving_sandbox.physics.tire.mf62_coefficients import complete_set
from driving_sandbox.physics.tire.mf62_evaluate import evaluate
from driving_sandbox.physics.tire.mf62_family import CLASSES, family, rated_load
from driving_sandbox.physics.tire.tire_size import TireSize, read_size
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

ANGLES = np.radians(np.linspace(0.0, 30.0, 3001))
ROAD_TIRES = [
    ("185/60 R14 82H", "touring"), ("195/65 R15 91V", "touring"), ("205/55 R16 91V", "touring"),
    ("225/45 R17 94W", "touring"), ("185/60 R14 82H", "sport"), ("205/55 R16 91V", "sport"),
    ("225/40 R18 92Y", "sport"), ("265/35 R19 98Y", "sport"),
]  # fmt: skip
LOAD = 4000.0  # N


def coefficients_of(size, tire_class):
    """(all coefficients, nominal load in N) of a size and class."""
    tire_size = read_size(size)
    c = complete_set(family(tire_size, tire_class, rated_load(tire_size.load_index)))
    return c, c["fnomin"]


TOURING = coefficients_of("205/55 R16 91V", "touring")[0]


def lateral_curves(c, load):
    """(lateral force, N; aligning moment, N m; trail, m) at the slip angles ANGLES."""
    result = evaluate(c, load, angle=ANGLES)
    return -result["fy"], result["mz"], result["trail"]


# ---- the default family


@pytest.mark.parametrize(("size", "tire_class"), ROAD_TIRES)
def test_grip_falls_with_load(size, tire_class):
    c, f0 = coefficients_of(size, tire_class)
    half, rated, double = (lateral_curves(c, share * f0)[0].max() / (share * f0) for share in (0.5, 1.0, 2.0))
    assert 0.05 <= 1.0 - rated / half <= 0.08 and 0.12 <= 1.0 - double / rated <= 0.16


@pytest.mark.parametrize(("size", "tire_class"), ROAD_TIRES)
def test_the_side_force_peaks_and_then_falls(size, tire_class):
    c, f0 = coefficients_of(size, tire_class)
    force = lateral_curves(c, f0)[0]
    assert 6.0 <= math.degrees(ANGLES[force.argmax()]) <= 9.01
    assert 0.05 <= 1.0 - force[2000] / force.max() <= 0.15  # at 20 degrees


@pytest.mark.parametrize(("size", "tire_class"), ROAD_TIRES)
def test_the_trail_vanishes_shortly_beyond_the_peak_of_the_side_force(size, tire_class):
    c, f0 = coefficients_of(size, tire_class)
    force, moment, trail = lateral_curves(c, f0)
    assert 0.020 <= trail[1] <= 0.040
    peak, zero_trail = ANGLES[force.argmax()], ANGLES[int((trail < 0.0).argmax())]
    assert peak < zero_trail < 1.2 * peak and moment[int(moment.argmax())] > 20.0


@pytest.mark.parametrize("tire_class", sorted(CLASSES))
def test_every_tire_class_gives_peaks_at_its_own_slips_and_finite_forces(tire_class):
    """Slip stiffness per load rises with load, peaks are at the slips of the class, and all results are finite up to
    a slip angle of 89 degrees."""
    class_values = CLASSES[tire_class]
    c = complete_set(family(TireSize(0.235, 0.65, 0.2032), tire_class, 9000.0))
    nominal_load = 0.65 * 9000.0  # N, by the rated load
    force, slips = lateral_curves(c, nominal_load)[0], np.linspace(0.0, 1.0, 2001)
    assert math.degrees(ANGLES[force.argmax()]) == pytest.approx(class_values.peak_angle, abs=0.02)
    assert slips[evaluate(c, nominal_load, slip=slips)["fx"].argmax()] == pytest.approx(
        class_values.peak_slip, abs=0.002
    )
    assert force.max() == pytest.approx(class_values.mu_y * nominal_load, rel=1e-6)
    kx = [float(evaluate(c, load)["kx"]) / load for load in (0.5 * nominal_load, nominal_load, 2.0 * nominal_load)]
    assert kx[0] < kx[1] < kx[2]
    combined = evaluate(
        c, nominal_load, slip=np.linspace(-1.0, 1.0, 41)[:, None], angle=np.radians(np.linspace(-89, 89, 41))
    )
    assert all(np.isfinite(values).all() for values in combined.values())


def test_a_touring_tire_has_the_recorded_forces_and_moments():
    """Forces and moments of 205/55 R 16 at 4 kN are within 0.1 N and 0.1 N m of recorded values; angles: degrees."""
    for state, expected in (
        ({"angle": -2.0}, {"fy": 1871.8, "mz": -45.5}), ({"angle": -9.0}, {"fy": 4070.6}),
        ({"angle": -20.0}, {"fy": 3800.8, "mz": 13.5}), ({"slip": 0.1}, {"fx": 4367.2}),
        ({"slip": -0.1, "angle": -4.0}, {"fx": -3919.8, "fy": 1870.1, "mz": 15.2}),
        ({"camber": -3.0}, {"fy": -188.4, "mz": -9.9, "mx": 9.6}),
    ):  # fmt: skip
        radians = {key: value if key == "slip" else math.radians(value) for key, value in state.items()}
        result = evaluate(TOURING, LOAD, **radians)
        assert {key: float(result[key]) for key in expected} == pytest.approx(expected, abs=0.1), state


def test_more_pressure_lowers_cornering_stiffness_relaxation_length_trail_and_rolling_resistance():
    """20 % more pressure changes them by -7, -15, -10 and -7 % (within 1 %)."""
    plain, hard = (evaluate(TOURING, LOAD, pressure=p, speed=20.0) for p in (230e3, 276e3))
    change = {key: float(hard[key] / plain[key]) - 1.0 for key in ("ky", "sigma_y", "trail", "my")}
    assert change == pytest.approx({"ky": -0.07, "sigma_y": -0.15, "trail": -0.10, "my": -0.07}, abs=0.01)


def test_the_front_tires_of_the_roadster_are_one_of_the_road_tires():
    roadster, simple = load_vehicle("roadster"), load_vehicle("roadster_simple")
    c = coefficients_of("185/60 R14 82H", "sport")[0]
    for record in roadster.params["tire"]["c"][0, :2]:
        assert {name: float(record[name]) for name in c} == c
    assert [v.sequence.by_slot["tire"].name for v in (roadster, simple)] == ["mf_62", "combined_slip"]


# ---- laws of the formula


def test_mirrored_slip_angle_and_camber_give_mirrored_forces():
    rng = np.random.default_rng(3)
    load, slip, angle, camber = (rng.uniform(a, b, 400) for a, b in ((500, 9000), (-1, 1), (-0.6, 0.6), (-0.1, 0.1)))
    result, other = evaluate(TOURING, load, slip, angle, camber), evaluate(TOURING, load, slip, -angle, -camber)
    assert np.array_equal(result["fx"], other["fx"])
    for key in ("fy", "mz", "mx"):
        assert np.abs(result[key] + other[key]).max() == 0.0


def test_forces_do_not_depend_on_the_nominal_load_of_the_family(monkeypatch):
    rng = np.random.default_rng(4)
    # load, slip, angle, camber
    inputs = [rng.uniform(low, high, 200) for low, high in ((500, 9000), (-1, 1), (-0.6, 0.6), (-0.1, 0.1))]
    size = read_size("205/55 R16 91V")
    result = evaluate(TOURING, *inputs, speed=30.0)
    monkeypatch.setitem(mf62_family.CLASSES, "touring", replace(CLASSES["touring"], nominal_load=0.9))
    other = evaluate(complete_set(family(size, "touring", rated_load(91))), *inputs, speed=30.0)
    for key, scale in (("fx", 1.0), ("fy", 1.0), ("mz", 0.1), ("my", 0.1)):
        assert np.abs(result[key] - other[key]).max() / (scale * inputs[0]).min() < 1e-11, key


def test_slopes_at_zero_slip_are_the_stiffnesses():
    """dFx/dkappa = Kx, dFy/dalpha = -Ky, dMz/dalpha = Ky t (t: trail), dFy/dcamber is the camber stiffness."""
    step = 1e-7
    c = {**TOURING, "pky7": 0.1}
    steps = {
        key: (evaluate(c, LOAD, **{key: step}), evaluate(c, LOAD, **{key: -step}))
        for key in ("slip", "angle", "camber")
    }
    slope = {key: {k: float(a[k] - b[k]) / (2 * step) for k in ("fx", "fy", "mz")} for key, (a, b) in steps.items()}
    zero_slip = evaluate(c, LOAD)
    assert slope["slip"]["fx"] == pytest.approx(float(zero_slip["kx"]), rel=1e-7)
    assert slope["angle"]["fy"] == pytest.approx(-float(zero_slip["ky"]), rel=1e-7)
    assert slope["angle"]["mz"] == pytest.approx(float(zero_slip["ky"] * zero_slip["trail"]), rel=1e-7)
    assert slope["camber"]["fy"] == pytest.approx(LOAD * (c["pky6"] + 0.1 * (LOAD / c["fnomin"] - 1.0)), rel=1e-6)


def test_camber_into_the_turn_raises_the_peak():
    """3 degrees raise the largest side force by 1.8 %."""
    upright, leaning = (evaluate(TOURING, LOAD, angle=-ANGLES, camber=math.radians(g))["fy"].max() for g in (0.0, 3.0))
    assert leaning / upright - 1.0 == pytest.approx(0.018, abs=0.002)


@pytest.mark.parametrize("friction", [0.0, 0.3, 0.7])
def test_a_slippery_road_lowers_peaks_and_leaves_stiffness(friction):
    dry, wet = evaluate(TOURING, LOAD, angle=-ANGLES), evaluate(TOURING, LOAD, angle=-ANGLES, friction=friction)
    assert wet["fy"].max() == pytest.approx(friction * dry["fy"].max(), rel=1e-3)
    if friction:
        assert wet["fy"][1] == pytest.approx(dry["fy"][1], rel=1e-3)
