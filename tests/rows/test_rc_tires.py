"""Magic Formula tires of 1989, 1994 and 5.2: the component alone, and on a car."""

import math

import numpy as np
import pytest
from drive_rig import Drive, slope_ground
from row_rig import call, each_wheel, rolling

from driving_sandbox.physics.kernel.jit import JIT
from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.tick.commands import FIRST
from driving_sandbox.physics.tire import mf52, pacejka_curves
from driving_sandbox.physics.vehicle.swap import plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

CAR = "track_roadster"
LEFT, RIGHT = 0, 1  # indices of the front wheels
NO_RELAXATION = {"relaxation_longitudinal": 0.0, "relaxation_lateral": 0.0}
MODELS = ("pacejka_89", "pacejka_94", "mf_52")


def car_on(model, **values):
    """The car with a tire model, without relaxation."""
    vehicle = load_vehicle(CAR)
    if model != "pacejka_89":
        vehicle = swapped_vehicle(vehicle, plan_swap(vehicle, "tire", model))
    vehicle.set_many(each_wheel("tire", **{**NO_RELAXATION, "measured_on": "both", **values}))
    return vehicle


def forces(vehicle, kappa=0.0, alpha=0.0, camber=0.0, load=3000.0, friction=1.0, wheel=RIGHT):
    """(longitudinal force, N; lateral force, N; aligning moment, N m) of one tire."""
    tire = vehicle.state["tire"][0]
    tire["longitudinal_slip"][:4], tire["lateral_slip"][:4], tire["camber"][:4] = kappa, alpha, camber
    tire["load"][:4], tire["road_friction"][:4], tire["longitudinal_speed"][:4] = load, friction, 20.0
    call(vehicle, "tire", "force")
    return tuple(float(tire[name][wheel]) for name in ("longitudinal_force", "lateral_force", "aligning_moment"))


# ---- the formula on a car


@pytest.mark.covers("RC-TIRE-02")
@pytest.mark.parametrize("wheel", [RIGHT, 3])  # front right, rear right
def test_curves_of_three_loads(wheel):
    """At 2, 4 and 6 kN the lateral force peaks at 3 to 6 degrees and the longitudinal one at slips of 0.03 to 0.2. The
    aligning moment changes its sign with growing slip angle."""
    vehicle = car_on("pacejka_89")
    angles, slips = np.radians(np.linspace(0.1, 20.0, 200)), np.linspace(0.005, 1.0, 200)
    highest = []
    for load in (2000.0, 4000.0, 6000.0):
        swept = np.array([forces(vehicle, alpha=a, load=load, wheel=wheel) for a in angles])
        fx = np.array([forces(vehicle, kappa=k, load=load, wheel=wheel)[0] for k in slips])
        side, moment = -swept[:, 1], swept[:, 2]  # the force opposes the slip
        assert 3.0 <= math.degrees(angles[side.argmax()]) <= 6.0
        assert side[-1] < 0.9 * side.max() and np.all(side > 0.0)
        assert 0.03 < slips[fx.argmax()] < 0.2 and fx[-1] < 0.8 * fx.max() and np.all(fx > 0.0)
        assert moment[5] > 0.0 > moment[-1] and math.degrees(angles[moment.argmax()]) < 4.0
        highest.append(side.max() / load)
    assert highest[0] > highest[1] > highest[2] > 0.9  # friction falls with the load


def pure_slip_force(model, p, quantity, slip, load):
    """Force of the curve at a slip (ratio or rad) without camber, N, with the signs of the coefficients.

    quantity: "longitudinal" or "lateral".
    """
    if model == "mf_52":
        if quantity == "longitudinal":
            return mf52.pure_longitudinal(p, slip, 0.0, load, 1.0)
        return -mf52.pure_lateral(p, slip, 0.0, load, 1.0)  # this set's angles push to the left
    if quantity == "longitudinal":
        return pacejka_curves.longitudinal_force(p["longitudinal"]["values"], 100.0 * slip, load / 1000.0, 1.0)
    return pacejka_curves.lateral_force(p["lateral"]["values"], math.degrees(slip), 0.0, load / 1000.0, 1.0)


@pytest.mark.parametrize("model", MODELS)
def test_the_component_is_the_curve_for_pure_slip(model):
    """The formulas have units and signs of their own; after conversion the forces are equal."""
    vehicle = car_on(model)
    p = vehicle.params["tire"].view(np.recarray)[0][RIGHT] if model == "mf_52" else vehicle.params["tire"][0][RIGHT]
    for load in (900.0, 3000.0, 5500.0):
        for slip in (-0.3, -0.04, 0.02, 0.09, 0.5):
            force = forces(vehicle, kappa=slip, load=load)[0]
            assert force == pytest.approx(pure_slip_force(model, p, "longitudinal", slip, load))
            force = forces(vehicle, alpha=-slip, load=load)[1]
            assert force == pytest.approx(pure_slip_force(model, p, "lateral", slip, load), rel=1e-9)


@pytest.mark.parametrize("model", MODELS)
def test_combined_slip_shares_the_grip(model):
    """The force is below 1.25 times the load and opposes the slips; longitudinal slip reduces side force."""
    vehicle, rng = car_on(model), np.random.default_rng(5)
    max_force = 3000.0 * 1.25
    for kappa, alpha in zip(rng.uniform(-1.0, 1.0, 300), rng.uniform(-1.2, 1.2, 300), strict=True):
        fx, fy, mz = forces(vehicle, kappa=kappa, alpha=alpha)
        assert math.hypot(fx, fy) < max_force and math.isfinite(mz)
        assert fx * kappa >= -1.0 and fy * alpha <= 1.0
    alone = abs(forces(vehicle, alpha=0.08)[1])
    assert abs(forces(vehicle, kappa=0.12, alpha=0.08)[1]) < 0.75 * alone
    assert abs(forces(vehicle, kappa=-1.0, alpha=0.08)[1]) < 0.5 * alone
    small = forces(vehicle, kappa=1e-4, alpha=1e-4)
    assert small[0] == pytest.approx(forces(vehicle, kappa=1e-4)[0], rel=0.02)
    assert small[1] == pytest.approx(forces(vehicle, alpha=1e-4)[1], rel=0.02)


def test_a_swap_keeps_coefficients_only_if_they_mean_the_same():
    """a8 concerns camber in 1989 and load in 1994; a3 means the same in both."""
    vehicle = load_vehicle(CAR)
    vehicle.set_many(each_wheel("tire", a8=0.3, a3=2100.0))
    other = swapped_vehicle(vehicle, plan_swap(vehicle, "tire", "pacejka_94"))
    assert other.get("tire.fl.a8") == 0.0 and other.get("tire.fl.a3") == 2100.0


@pytest.mark.parametrize("model", MODELS)
def test_camber_pushes_to_the_side_it_leans_to(model):
    """With `camber_convention: lean_left` the same set pushes to the other side."""
    lean = math.radians(4.0)
    pushed = forces(car_on(model), camber=lean)[1]
    assert pushed > 50.0
    assert forces(car_on(model), camber=-lean)[1] == pytest.approx(-pushed, rel=1e-6)
    assert forces(car_on(model, camber_convention="lean_left"), camber=lean)[1] == pytest.approx(-pushed, rel=1e-6)


@pytest.mark.parametrize(("model", "shift"), [("pacejka_89", "a13"), ("pacejka_94", "a12"), ("mf_52", "pvy1")])
def test_mirrored_tires_pull_against_each_other(model, shift):
    """On an axle, forces without slip cancel for a set measured on one side, and add up for a set for both sides."""
    value = 0.05 if model == "mf_52" else 150.0
    for measured, sign in (("left", -1.0), ("right", -1.0), ("both", 1.0)):
        vehicle = car_on(model, measured_on=measured, **{shift: value})
        left, right = (forces(vehicle, wheel=w)[1] for w in (LEFT, RIGHT))
        assert abs(left) > 100.0 and right == pytest.approx(sign * left)
        left, right = forces(vehicle, alpha=0.02, wheel=LEFT)[1], forces(vehicle, alpha=-0.02, wheel=RIGHT)[1]
        assert (right == pytest.approx(-left)) == (measured != "both")


@pytest.mark.parametrize(("name", "slip", "built"), [("relaxation_lateral", "alpha", "built_angle"),
                                                     ("relaxation_longitudinal", "kappa", "built_slip")])  # fmt: skip
def test_slip_builds_up_over_the_relaxation_length(name, slip, built):
    """Slip and force reach 63 % after that distance; without a relaxation length they are there at once."""
    length, step, speed = 0.4, 1.0 / 960.0, 20.0
    vehicle = car_on("pacejka_89", **{name: length})
    tire = vehicle.state["tire"][0]
    first = forces(vehicle, **{slip: 0.01})
    for _ in range(round(length / speed / step) - 1):
        last = forces(vehicle, **{slip: 0.01})
    assert tire[built][RIGHT] == pytest.approx(0.01 * (1.0 - math.exp(-1.0)), rel=0.03)
    at_once = forces(car_on("pacejka_89"), **{slip: 0.01})
    axis = 1 if slip == "alpha" else 0
    assert abs(first[axis]) < 0.1 * abs(at_once[axis])
    assert last[axis] / at_once[axis] == pytest.approx(0.63, abs=0.04)


@pytest.mark.parametrize("model", MODELS)
def test_every_coefficient_changes_a_force(model):
    """Each changes a force or moment in at least one of 36 combinations of slips, camber and load. Fields in OPTIONS
    are left out."""
    vehicle = car_on(model)
    # arguments of `forces`: kappa, alpha, camber, load
    inputs = [(k, a, c, n) for k in (-0.3, 0.0, 0.05) for a in (-0.15, 0.0, 0.04) for c in (-0.06, 0.05)
              for n in (2200.0, 5200.0)]  # fmt: skip
    # beginning of a coefficient's name: other coefficients without which it has no effect
    helpers = {"rvy": {"rvy1": 0.1, "rvy4": 5.0, "rvy5": 1.5, "rvy6": 8.0}, "pey4": {"pey3": 0.1}, "qez": {"qez4": 0.1},
               "qdz": {"qdz6": 0.01}, "c5": {"c6": 0.01}, "qbz10": {"qdz6": 0.02}, "qbz9": {"qdz6": 0.02}}  # fmt: skip
    for name, field in vehicle.sequence.by_slot["tire"].params.fields.items():
        if field.derived or field.doc == "" or name in OPTIONS:
            continue
        base = next((v for start, v in helpers.items() if name.startswith(start)), {})
        reset = {k: vehicle.get(f"tire.fr.{k}") for k in {*base, name}}
        vehicle.set_many({f"tire.fr.{k}": v for k, v in base.items()})
        before = np.array([forces(vehicle, *slips) for slips in inputs])
        value = vehicle.get(f"tire.fr.{name}")
        vehicle.set(f"tire.fr.{name}", value * 0.93 if value else 0.02)
        after = np.array([forces(vehicle, *slips) for slips in inputs])
        assert np.abs(after - before).max() > 1e-3, name
        vehicle.set_many({f"tire.fr.{k}": v for k, v in reset.items()})


# options of the components, which are no coefficients of the formulas
OPTIONS = ("tire_type", "grip_factor", "camber_convention", "shift_side", "shift_lean", "measured_on", "roll_scrub",
          "axle_scrub", "slip_speed", "combined_reversal", "longitudinal_shift", "rest_load", "relaxation_longitudinal",
          "relaxation_lateral", "friction_versus_slip", "load_filter", "rolling_resistance")  # fmt: skip


def cornering(grip):
    """(lateral acceleration at full steering, m/s^2; ride height at rest, m) with a grip factor."""
    drive = Drive(CAR, values=each_wheel("tire", grip_factor=grip)).run(3.0)
    height = float(drive.position[2])
    rolling(drive, 24.0)
    sideways = drive.log(1.5, lambda d: float(d.body("acceleration")[0]), steer=-1.0)
    return -float(sideways[60:].mean()), height  # from 0.6 s on


@pytest.mark.covers("RC-TIRE-01")
def test_grip_factor_scales_forces_and_not_ride_height_and_aligning_moment():
    """With a factor of 0.9 the lateral acceleration is 1.5 times that with 0.6, within 12 %."""
    low, height = cornering(0.6)
    high, same = cornering(0.9)
    assert high == pytest.approx(1.5 * low, rel=0.12) and low > 4.0
    assert same == pytest.approx(height, abs=1e-6)
    vehicle = car_on("pacejka_89")
    plain = forces(vehicle, kappa=0.03, alpha=0.03)
    vehicle.set_many(each_wheel("tire", grip_factor=1.5))
    more = forces(vehicle, kappa=0.03, alpha=0.03)
    assert more[:2] == pytest.approx((1.5 * plain[0], 1.5 * plain[1])) and more[2] == pytest.approx(plain[2])


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("tire.fl.a0", 0.0, "tire.a0: 0: must be greater than 0"),
        ("tire.fl.a4", -3.0, "tire.a4"),
        ("tire.fl.grip_factor", -0.1, "greater than or equal to 0"),
        ("tire.fl.a1", "stiff", "valid number"),
        ("tire.fl.camber_convention", "left", "lean_right, lean_left"),
        ("tire.fl.measured_on", "front", "both, left, right"),
        ("tire.fl.roll_scrub", 1.5, "less than or equal to 1"),
    ],
)
def test_bad_values_are_refused(path, value, message):
    with pytest.raises(SchemaError, match=message):
        load_vehicle(CAR).set(path, value)


def test_a_parked_car_stands_still_and_held_tires_give_no_force():
    """Braked on a slope of 15 degrees it does not move, although the set has a lateral shift."""
    drive = Drive(CAR, slope_ground(15.0), values=each_wheel("tire", a13=100.0)).run(4.0, brake=1.0)
    start = drive.position
    drive.run(5.0, brake=1.0)
    assert np.abs(drive.position - start).max() < 1e-4
    assert drive.wheels("tire", "sticky_lateral").all() and not drive.wheels("tire", "lateral_force").any()


@pytest.mark.nightly
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", ["buggy", "tank", "truck", "clubsport"])
def test_vehicles_of_four_types_drive_and_stand_on_tires_with_coefficients(name, model):
    vehicle = load_vehicle(name)
    drive = Drive(swapped_vehicle(vehicle, plan_swap(vehicle, "tire", model))).run(3.0, brake=1.0)
    start = drive.position
    drive.run(3.0, brake=1.0)
    assert np.abs(drive.position - start).max() < 1e-4
    drive.run(4.0, throttle=0.5, gear=FIRST)
    assert drive.speed > 1.0
    drive.run(12.0, brake=1.0, gear=FIRST)
    assert abs(drive.speed) < 0.02


def test_a_combined_force_reverses_only_with_combined_reversal():
    """At seven times the slip of a locked wheel the cosine of this set is below 0; otherwise the force is 0."""
    vehicle = car_on("mf_52")
    vehicle.set_many(each_wheel("tire", rcy1=1.4, rvy1=0.0, rvy2=0.0, rvy3=0.0))
    force = forces(vehicle, kappa=7.0, alpha=0.05)[1]
    vehicle.set_many(each_wheel("tire", combined_reversal=True))
    reversed_force = forces(vehicle, kappa=7.0, alpha=0.05)[1]
    plain = forces(vehicle, kappa=0.0, alpha=0.05)[1]
    assert force == 0.0
    assert reversed_force * plain < 0.0


@pytest.mark.parametrize(("lean", "share"), [(1e-3, 0.1), (1e-5, 1.0)])
def test_shifts_change_sides_within_shift_lean(lean, share):
    """At a camber of 0.1 mrad, 10 % of the shift acts with `shift_lean` 1 mrad, and all of it with 0.01 mrad."""
    vehicle = car_on("mf_52", shift_side="lean", shift_lean=lean)
    vehicle.set_many(each_wheel("tire", pvy1=0.05, phy1=0.0, phy3=0.0, pvy3=0.0, pdy3=0.0, pky3=0.0))
    to_right, to_left = (forces(vehicle, camber=s * 1e-4)[1] for s in (1.0, -1.0))
    full = forces(vehicle, camber=0.01)[1]
    assert abs(full) > 1.0
    assert (to_right, to_left) == pytest.approx((share * full, -share * full), rel=0.02)


@pytest.mark.parametrize(("choice", "speed", "longitudinal", "lateral"), [
    ("blended", 8.0, math.hypot(8.0, 4.0), math.hypot(8.0, 1.0)),
    ("least", 8.0, 8.0, 8.0),
    ("least", 2.0, 4.0, 2.0),
    ("least", 0.5, 4.0, 1.0),
])  # fmt: skip
def test_slips_refer_to_the_speed_or_to_its_smallest_value(choice, speed, longitudinal, lateral):
    """For a free wheel the smallest values are 4 m/s longitudinally and 1 m/s laterally.

    choice: "least" takes the larger of speed and smallest value, "blended" the root of their sum of squares.
    longitudinal, lateral: expected denominators, m/s.
    """
    vehicle = Drive(car_on("mf_52", slip_speed=choice)).run(2.0).vehicle
    body = vehicle.state["body"][0]
    body["velocity"], body["angular_velocity"] = (0.3, speed, 0.0), 0.0
    vehicle.state["actuation"][0]["brake_applied"][:4], vehicle.state["actuation"][0]["drive_applied"][:4] = 0, 0
    vehicle.state["wheel"][0]["omega"][:4] = 0.0
    call(vehicle, "tire", "slip")
    tire = vehicle.state["tire"][0]
    assert tire["longitudinal_slip"][:4] == pytest.approx(-tire["longitudinal_speed"][:4] / longitudinal, rel=1e-4)
    assert tire["lateral_slip"][:4] == pytest.approx(np.arctan(tire["lateral_speed"][:4] / lateral), rel=1e-4)
    assert tire["longitudinal_speed"][:4] == pytest.approx([speed] * 4, rel=0.05)


def test_slip_stiffness_grows_with_load_as_published_sets_do():
    """A published 205/60 R 15 has a stiffness per load of 21.5 at F0 and 27.3 at twice that, by exp(+PKX3 dfz)."""
    array = np.zeros(1, mf52.MF52Params.dtype)
    array["fz0"], array["pkx1"], array["pkx2"], array["pkx3"] = 4000.0, 21.51, -0.163, 0.245
    p = (array if JIT else array.view(np.recarray))[0]
    per_load = [mf52.longitudinal_stiffness(p, load, load / 4000.0 - 1.0) / load for load in (2000.0, 4000.0, 8000.0)]
    assert per_load == pytest.approx([19.102, 21.51, 27.274], abs=0.002)
