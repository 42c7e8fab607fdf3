"""Rows of Magic Formula tires, of the roll centre suspension and of wings: component by component, and on a car."""

import math

import numpy as np
import pytest
from drive_rig import GRAVITY, Drive, field_ground, slope_ground
from row_rig import WHEELS, call, corners, every, rolling, yaw_rate

from game.panel.views import MECHANIC
from physics.context import new_context
from physics.schema import SchemaError
from physics.swap import planned, rebuilt
from physics.tire import mf52, pacejka_curves
from physics.vehicle_file import load_vehicle

CAR = "track_roadster"
LEFT, RIGHT = 0, 1  # front wheels
DIRECT = {"relaxation_longitudinal": 0.0, "relaxation_lateral": 0.0}
MODELS = ("pacejka_89", "pacejka_94", "mf_52")


def on(model, **values):
    """The car on a tire model whose slips act at once."""
    vehicle = load_vehicle(CAR)
    if model != "pacejka_89":
        vehicle = rebuilt(vehicle, planned(vehicle, "tire", model))
    vehicle.set_many(every("tire", **{**DIRECT, "measured_on": "both", **values}))
    return vehicle


def forces(vehicle, kappa=0.0, alpha=0.0, camber=0.0, load=3000.0, friction=1.0, wheel=RIGHT):
    """(longitudinal, lateral, aligning) of one tire."""
    tire = vehicle.state["tire"][0]
    tire["longitudinal_slip"][:4], tire["lateral_slip"][:4], tire["camber"][:4] = kappa, alpha, camber
    tire["load"][:4], tire["road_friction"][:4], tire["longitudinal_speed"][:4] = load, friction, 20.0
    call(vehicle, "tire", "force")
    return tuple(float(tire[name][wheel]) for name in ("longitudinal_force", "lateral_force", "aligning_moment"))


# ---- the formula on a car


@pytest.mark.covers("RC-TIRE-02")
@pytest.mark.parametrize("wheel", [RIGHT, 3])
def test_curves_of_three_loads(wheel):
    """Fx over slip, Fy and Mz over the angle at 2, 4 and 6 kN: peaks at 3 to 6 degrees, and Mz changes its sign."""
    vehicle = on("pacejka_89")
    angles, slips = np.radians(np.linspace(0.1, 20.0, 200)), np.linspace(0.005, 1.0, 200)
    highest = []
    for load in (2000.0, 4000.0, 6000.0):
        swept = np.array([forces(vehicle, alpha=a, load=load, wheel=wheel) for a in angles])
        fx = np.array([forces(vehicle, kappa=k, load=load, wheel=wheel)[0] for k in slips])
        across, moment = -swept[:, 1], swept[:, 2]  # the force is against the slip
        assert 3.0 <= math.degrees(angles[across.argmax()]) <= 6.0
        assert across[-1] < 0.9 * across.max() and np.all(across > 0.0)
        assert 0.03 < slips[fx.argmax()] < 0.2 and fx[-1] < 0.8 * fx.max() and np.all(fx > 0.0)
        assert moment[5] > 0.0 > moment[-1] and math.degrees(angles[moment.argmax()]) < 4.0
        highest.append(across.max() / load)
    assert highest[0] > highest[1] > highest[2] > 0.9  # friction falls with the load


def pure(model, p, quantity, slip, load):
    """The curve itself at a slip (ratio or rad) without camber, in the frame of the coefficients."""
    if model == "mf_52":
        if quantity == "along":
            return mf52.pure_longitudinal(p, slip, 0.0, load, 1.0)
        return -mf52.pure_lateral(p, slip, 0.0, load, 1.0)  # this set's angles push to the left
    if quantity == "along":
        return pacejka_curves.longitudinal_force(p["longitudinal"]["values"], 100.0 * slip, load / 1000.0, 1.0)
    return pacejka_curves.lateral_force(p["lateral"]["values"], math.degrees(slip), 0.0, load / 1000.0, 1.0)


@pytest.mark.parametrize("model", MODELS)
def test_the_component_is_the_curve_for_pure_slip(model):
    """Loads in newtons and slips in SI reach the formula in its own units, our signs come back."""
    vehicle = on(model)
    p = vehicle.params["tire"].view(np.recarray)[0][RIGHT] if model == "mf_52" else vehicle.params["tire"][0][RIGHT]
    for load in (900.0, 3000.0, 5500.0):
        for slip in (-0.3, -0.04, 0.02, 0.09, 0.5):
            assert forces(vehicle, kappa=slip, load=load)[0] == pytest.approx(pure(model, p, "along", slip, load))
            found = forces(vehicle, alpha=-slip, load=load)[1]
            assert found == pytest.approx(pure(model, p, "across", slip, load), rel=1e-9)


@pytest.mark.parametrize("model", MODELS)
def test_combined_slip_shares_the_grip(model):
    """No force beyond what the better curve has, side force eaten by slip, and a locked wheel pulls against its way."""
    vehicle, rng = on(model), np.random.default_rng(5)
    most = 3000.0 * 1.25
    for kappa, alpha in zip(rng.uniform(-1.0, 1.0, 300), rng.uniform(-1.2, 1.2, 300), strict=True):
        fx, fy, mz = forces(vehicle, kappa=kappa, alpha=alpha)
        assert math.hypot(fx, fy) < most and math.isfinite(mz)
        assert fx * kappa >= -1.0 and fy * alpha <= 1.0
    alone = abs(forces(vehicle, alpha=0.08)[1])
    assert abs(forces(vehicle, kappa=0.12, alpha=0.08)[1]) < 0.75 * alone
    assert abs(forces(vehicle, kappa=-1.0, alpha=0.08)[1]) < 0.5 * alone
    little = forces(vehicle, kappa=1e-4, alpha=1e-4)
    assert little[0] == pytest.approx(forces(vehicle, kappa=1e-4)[0], rel=0.02)
    assert little[1] == pytest.approx(forces(vehicle, alpha=1e-4)[1], rel=0.02)


def test_coefficients_of_the_same_name_and_another_meaning_stay_behind():
    """a8 is camber in 1989 and load in 1994; a3 is the same in both."""
    vehicle = load_vehicle(CAR)
    vehicle.set_many(every("tire", a8=0.3, a3=2100.0))
    other = rebuilt(vehicle, planned(vehicle, "tire", "pacejka_94"))
    assert other.get("tire.fl.a8") == 0.0 and other.get("tire.fl.a3") == 2100.0


@pytest.mark.parametrize("model", MODELS)
def test_camber_pushes_to_the_side_it_leans_to(model):
    """Or to the other, for sets that count a lean to the left as positive."""
    lean = math.radians(4.0)
    pushed = forces(on(model), camber=lean)[1]
    assert pushed > 50.0
    assert forces(on(model), camber=-lean)[1] == pytest.approx(-pushed, rel=1e-6)
    assert forces(on(model, camber_convention="lean_left"), camber=lean)[1] == pytest.approx(-pushed, rel=1e-6)


@pytest.mark.parametrize(("model", "shift"), [("pacejka_89", "a13"), ("pacejka_94", "a12"), ("mf_52", "pvy1")])
def test_mirrored_tires_pull_against_each_other(model, shift):
    """A set with a force at no slip, measured on one side: left and right cancel, alike they add up."""
    value = 0.05 if model == "mf_52" else 150.0
    for measured, sign in (("left", -1.0), ("right", -1.0), ("both", 1.0)):
        vehicle = on(model, measured_on=measured, **{shift: value})
        left, right = (forces(vehicle, wheel=w)[1] for w in (LEFT, RIGHT))
        assert abs(left) > 100.0 and right == pytest.approx(sign * left)
        left, right = forces(vehicle, alpha=0.02, wheel=LEFT)[1], forces(vehicle, alpha=-0.02, wheel=RIGHT)[1]
        assert (right == pytest.approx(-left)) == (measured != "both")


@pytest.mark.parametrize(("name", "slip", "built"), [("relaxation_lateral", "alpha", "built_angle"),
                                                     ("relaxation_longitudinal", "kappa", "built_slip")])  # fmt: skip
def test_slip_builds_up_over_the_relaxation_length(name, slip, built):
    """63 % after that length of road, and force with it; at once with none."""
    length, step, speed = 0.4, 1.0 / 960.0, 20.0
    vehicle = on("pacejka_89", **{name: length})
    tire = vehicle.state["tire"][0]
    first = forces(vehicle, **{slip: 0.01})
    for _ in range(round(length / speed / step) - 1):
        last = forces(vehicle, **{slip: 0.01})
    assert tire[built][RIGHT] == pytest.approx(0.01 * (1.0 - math.exp(-1.0)), rel=0.03)
    at_once = forces(on("pacejka_89"), **{slip: 0.01})
    axis = 1 if slip == "alpha" else 0
    assert abs(first[axis]) < 0.1 * abs(at_once[axis])
    assert last[axis] / at_once[axis] == pytest.approx(0.63, abs=0.04)


@pytest.mark.parametrize("model", MODELS)
def test_every_coefficient_changes_a_force(model):
    """Somewhere among slips, cambers and loads; those that are zero by default included."""
    vehicle = on(model)
    places = [(k, a, c, n) for k in (-0.3, 0.0, 0.05) for a in (-0.15, 0.0, 0.04) for c in (-0.06, 0.05)
              for n in (2200.0, 5200.0)]  # fmt: skip
    helpers = {"rvy": {"rvy1": 0.1, "rvy4": 5.0, "rvy5": 1.5, "rvy6": 8.0}, "pey4": {"pey3": 0.1}, "qez": {"qez4": 0.1},
               "qdz": {"qdz6": 0.01}, "c5": {"c6": 0.01}, "qbz10": {"qdz6": 0.02}, "qbz9": {"qdz6": 0.02}}  # fmt: skip
    for name, field in vehicle.sequence.by_slot["tire"].params.fields.items():
        if field.derived or field.doc == "" or name in SHARED:
            continue
        base = next((v for start, v in helpers.items() if name.startswith(start)), {})
        reset = {k: vehicle.get(f"tire.fr.{k}") for k in {*base, name}}
        vehicle.set_many({f"tire.fr.{k}": v for k, v in base.items()})
        before = np.array([forces(vehicle, *place) for place in places])
        value = vehicle.get(f"tire.fr.{name}")
        vehicle.set(f"tire.fr.{name}", value * 0.93 if value else 0.02)
        after = np.array([forces(vehicle, *place) for place in places])
        assert np.abs(after - before).max() > 1e-3, name
        vehicle.set_many({f"tire.fr.{k}": v for k, v in reset.items()})


SHARED = ("tire_type", "grip_factor", "camber_convention", "measured_on", "roll_scrub", "relaxation_longitudinal",
          "relaxation_lateral", "friction_versus_slip", "load_filter", "rest_load", "rolling_resistance")  # fmt: skip


def cornering(grip):
    """(largest steady lateral acceleration, ride height at rest) with a grip factor."""
    drive = Drive(CAR, values=every("tire", grip_factor=grip)).run(3.0)
    height = float(drive.position[2])
    rolling(drive, 24.0)
    sideways = drive.log(1.5, lambda d: float(d.body("acceleration")[0]), steer=-1.0)
    return -float(sideways[60:].mean()), height


@pytest.mark.covers("RC-TIRE-01")
def test_grip_factor_raises_cornering_and_nothing_else():
    """0.9 against 0.6: 1.5 times the lateral acceleration; the car stands as high as before."""
    low, height = cornering(0.6)
    high, same = cornering(0.9)
    assert high == pytest.approx(1.5 * low, rel=0.12) and low > 4.0
    assert same == pytest.approx(height, abs=1e-6)
    vehicle = on("pacejka_89")
    plain = forces(vehicle, kappa=0.03, alpha=0.03)
    vehicle.set_many(every("tire", grip_factor=1.5))
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
        ("suspension.fl.bump_stop_length", 0.5, "must not be longer than the travel"),
        ("suspension.fl.preload", -1.0, "greater than or equal to 0"),
        ("aero.span", [1.4, 1.3, 1.0], "aero.chord: has 2 numbers, span has 3"),
        ("aero.chord", [1.4, -1.3], "greater than or equal to 0"),
    ],
)
def test_bad_values_are_refused(path, value, message):
    with pytest.raises(SchemaError, match=message):
        load_vehicle(CAR).set(path, value)


def test_a_parked_car_stands_still_and_held_tires_give_no_force():
    """Braked on a slope of 15 degrees, the set's shifts and camber included: it stays where it is."""
    drive = Drive(CAR, slope_ground(15.0), values=every("tire", a13=100.0)).run(4.0, brake=1.0)
    place = drive.position
    drive.run(5.0, brake=1.0)
    assert np.abs(drive.position - place).max() < 1e-4
    assert drive.wheels("tire", "sticky_lateral").all() and not drive.wheels("tire", "lateral_force").any()


@pytest.mark.nightly
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", ["buggy", "tank", "truck", "clubsport"])
def test_every_vehicle_type_drives_and_stands_on_every_tire(name, model):
    vehicle = load_vehicle(name)
    drive = Drive(rebuilt(vehicle, planned(vehicle, "tire", model))).run(3.0, brake=1.0)
    place = drive.position
    drive.run(3.0, brake=1.0)
    assert np.abs(drive.position - place).max() < 1e-4
    drive.run(4.0, throttle=0.5, gear=2)
    assert drive.speed > 1.0
    drive.run(12.0, brake=1.0, gear=2)
    assert abs(drive.speed) < 0.02


# ---- suspension


@pytest.mark.covers("RC-SUSP-01")
def test_attachment_points_place_the_wheels_and_set_up_has_rates():
    """Ten centimetres ahead are ten at the wheel; the set-up view offers rates, not geometry."""
    vehicle = load_vehicle(CAR)
    before = Drive(vehicle).run(2.0).wheels("wheel", "position")[RIGHT]
    x, y, z = vehicle.get("suspension.fr.attachment")
    vehicle.set("suspension.fr.attachment", [x + 0.05, y + 0.1, z])
    after = Drive(vehicle).run(2.0).wheels("wheel", "position")[RIGHT]
    assert after[:2] - before[:2] == pytest.approx([0.05, 0.1], abs=0.004)
    offered = set(MECHANIC["suspension"])
    assert {"stiffness", "bump_damping", "rebound_damping"} <= offered
    assert not offered & {"attachment", "attachment_rotation", "direction", "travel"}


def link_car(**values):
    vehicle = load_vehicle(CAR)
    plain = {"preload": 0.0, "bump_stop_length": 0.0, "roll_centre_height": 0.0, **values}
    vehicle.set_many(every("suspension", **plain))
    return vehicle


def load_at(vehicle, jounce, speed=0.0, side_force=0.0):
    """Load of the right front wheel for a jounce and its speed, on level ground."""
    for slot, key, value in (("suspension", "jounce", jounce), ("suspension", "jounce_speed", speed),
                             ("suspension", "on_ground", 1), ("tire", "lateral_force", side_force)):  # fmt: skip
        vehicle.state[slot][0][key][:4] = value
    vehicle.state["suspension"][0]["direction"][:4] = (0.0, 0.0, -1.0)
    vehicle.state["road"][0]["normal"][:4] = (0.0, 0.0, 1.0)
    call(vehicle, "suspension", "force")
    return float(vehicle.state["suspension"][0]["force"][RIGHT])


def test_dampers_tell_the_ways_apart():
    vehicle = link_car(damping=1000.0, bump_damping=1500.0, rebound_damping=4000.0)
    still = load_at(vehicle, 0.1)
    assert load_at(vehicle, 0.1, 0.2) == pytest.approx(still + 1500.0 * 0.2)
    assert load_at(vehicle, 0.1, -0.2) == pytest.approx(still - 4000.0 * 0.2)
    vehicle = link_car(damping=1000.0, bump_damping=0.0, rebound_damping=0.0)  # 0: the common rate
    assert load_at(vehicle, 0.1, 0.2) - load_at(vehicle, 0.1, -0.2) == pytest.approx(2 * 1000.0 * 0.2)


def test_preload_and_a_bump_stop_whose_rate_rises():
    """The rate grows linearly from none to its value at full compression, over the last 4 cm."""
    bare = load_at(link_car(), 0.05)
    assert load_at(link_car(preload=500.0), 0.05) == pytest.approx(bare + 500.0)
    travel, rate = 0.16, 200e3
    vehicle, plain = link_car(bump_stop_length=0.04, bump_stop_stiffness=rate), link_car()
    extra = [load_at(vehicle, j) - load_at(plain, j) for j in (travel - 0.04, travel - 0.02, travel)]
    assert extra == pytest.approx([0.0, 0.5 * rate * 0.02**2 / 0.04, 0.5 * rate * 0.04], abs=1e-6)


def test_links_move_load_by_the_height_of_the_roll_centre():
    """Side force times height over the wheel's place: more on a wheel that is pushed towards the middle."""
    plain = load_at(link_car(), 0.1)
    x = load_vehicle(CAR).get("suspension.fr.attachment")[0]
    for height in (0.2, -0.1):
        vehicle = link_car(roll_centre_height=height)
        for side_force in (-2000.0, 800.0):
            expected = plain - side_force * height / x
            assert load_at(vehicle, 0.1, side_force=side_force) == pytest.approx(expected)


def test_the_contact_patch_lags_by_the_lateral_compliance():
    """Load acts further in on the outer wheel; never further than half way to the centre line."""
    x = load_vehicle(CAR).get("suspension.fr.attachment")[0]

    def shift(compliance, side_force):
        vehicle = link_car(lateral_compliance=compliance)
        load_at(vehicle, 0.1, side_force=0.0)
        before = vehicle.state["suspension"][0]["force_arm"][RIGHT][0]
        load_at(vehicle, 0.1, side_force=side_force)
        return vehicle.state["suspension"][0]["force_arm"][RIGHT][0] - before

    assert shift(0.0, -3000.0) == 0.0
    assert shift(1.6e-5, -3000.0) == pytest.approx(-0.048)
    assert shift(1.6e-5, 800.0) == pytest.approx(0.0128)
    assert shift(5e-5, -30e3) == pytest.approx(-0.5 * x)


def test_roll_centres_at_the_centre_of_mass_keep_the_body_level():
    """In a steady bend the roll angle falls with the height that is left above the roll centre."""
    rolls = []
    for height in (0.0, 0.23, 0.46):
        drive = Drive(CAR, values={**every("suspension", roll_centre_height=height), "abs.enable": False}).run(3.0)
        rolling(drive, 20.0)
        found = drive.log(2.0, lambda d: (float(d.body("orientation")[1]), float(d.body("acceleration")[0])),
                          steer=-0.25)[120:]  # fmt: skip
        rolls.append(2.0 * found[:, 0].mean() / -found[:, 1].mean())
    assert rolls[0] > 0.004
    assert rolls[1] == pytest.approx(0.5 * rolls[0], rel=0.15)
    assert abs(rolls[2]) < 0.1 * rolls[0]


# ---- air


def loads_at(speed, **values):
    """Sums of the loads (front, rear) at a speed, and the deceleration."""
    drive = Drive(CAR, values=values).run(2.0)
    rolling(drive, speed).run(0.6)
    drive.vehicle.state["body"][0]["velocity"][1] = speed
    force = drive.run(0.1).wheels("suspension", "force")
    return np.array([force[:2].sum(), force[2:].sum()]), -float(drive.vehicle.state["aero"][0]["force"][1])


NO_WINGS = {f"aero.{name}": [] for name in ("span", "chord", "angle", "down", "drag", "forward", "up")}


@pytest.mark.covers("RC-AERO-01")
def test_default_body_and_wings():
    """Without figures the body's 1/2 rho 0.3 x 2 m^2 v^2; wings press down with the square of speed, rear most."""
    vehicle = corners()
    bare = rebuilt(vehicle, planned(vehicle, "aero", "body_and_wings"))
    density = float(new_context()[0]["air_density"])
    bare.state["body"][0]["velocity"] = (0.0, 30.0, 0.0)
    call(bare, "aero")
    assert bare.state["aero"][0]["force"] == pytest.approx([0.0, -0.5 * density * 0.6 * 900.0, 0.0])
    slow, fast = (loads_at(v)[0] - loads_at(v, **NO_WINGS)[0] for v in (20.0, 40.0))
    assert fast.sum() == pytest.approx(4.0 * slow.sum(), rel=0.05) and fast.sum() > 300.0
    assert fast[1] > 1.2 * fast[0] > 0.0
    _, drag = loads_at(40.0)
    assert drag > 1.05 * loads_at(40.0, **NO_WINGS)[1]


def test_a_wing_is_area_times_angle_times_coefficient():
    vehicle = load_vehicle(CAR)
    one = {"span": [1.2], "chord": [0.3], "angle": [0.2], "angle_offset": [0.05], "down": [5.0], "drag": [0.5],
           "forward": [-1.7], "up": [1.0], "right": [0.4]}  # fmt: skip
    vehicle.set_many({**{f"aero.{k}": v for k, v in one.items()}, "aero.drag_coefficient": 0.0,
                      "aero.down_coefficient": 0.0})  # fmt: skip
    vehicle.state["body"][0]["velocity"] = (0.0, 30.0, 0.0)
    call(vehicle, "aero")
    pressure = 0.5 * float(new_context()[0]["air_density"]) * 900.0 * 1.2 * 0.3
    force = np.array([0.0, -pressure * 0.25 * 0.5, -pressure * 0.25 * 5.0])
    assert vehicle.state["aero"][0]["force"] == pytest.approx(force)
    arm = np.array([0.4, -1.7, 1.0]) - vehicle.params["body"][0]["centre_of_mass"]
    assert vehicle.state["aero"][0]["torque"] == pytest.approx(np.cross(arm, force))


# ---- the whole car


def test_slalom_handbrake_turn_and_jump():
    """It follows the wheel to both sides, turns round its locked rear wheels, and lands on all four."""
    drive, rates = rolling(Drive(CAR).run(2.0), 16.0), []
    for k in range(6):
        drive.run(0.9, throttle=0.35, gear=3, steer=0.35 if k % 2 else -0.35)
        rates.append(yaw_rate(drive))
    assert all(rate < -0.4 if k % 2 else rate > 0.4 for k, rate in enumerate(rates)) and 13.0 < drive.speed < 19.0
    turned = []
    for pulled in (0.0, 1.0):
        drive = rolling(Drive(CAR).run(2.0), 14.0)
        turned.append(abs(drive.log(1.5, yaw_rate, steer=-0.6, handbrake=pulled).mean()))
    assert turned[1] > 1.15 * turned[0] > 0.3
    ramp = field_ground(lambda x, y: np.interp(y, [25.0, 37.0, 37.5], [0.0, 1.2, 0.0]))
    drive = rolling(Drive(CAR, ramp).run(1.0, brake=1.0), 20.0)
    flying = drive.log(4.0, lambda d: int(d.wheels("road", "hit").sum()), throttle=0.4, gear=3)
    assert 0.3 < 0.01 * (flying == 0).sum() < 1.5 and flying[-1] == 4
    assert drive.speed > 15.0 and abs(drive.position[0]) < 0.5


def test_gravity_is_the_load_at_rest():
    """Nothing of all this changes what the wheels carry together."""
    drive = Drive(CAR).run(4.0)
    assert drive.wheels("suspension", "force").sum() == pytest.approx(1125.0 * GRAVITY, rel=1e-3)
    assert set(WHEELS) == set(drive.vehicle.wheel_names)
