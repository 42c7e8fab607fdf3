"""Rules of Racer's documentation: mass and inertia, steering, brakes and linearity, with its numbers."""

import math

import numpy as np
import pytest
from drive_rig import Drive
from racer_rig import UNMOVED, car, on_road, read, roll, trace
from row_rig import call, each_wheel

from driving_sandbox.lab.advisor import check_vehicle
from driving_sandbox.lab.advisor.report import report
from driving_sandbox.physics.command.linearity import linearize
from driving_sandbox.physics.estimate.inertia import axle_formula
from driving_sandbox.physics.maths.quat import rotate_inverse
from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.tick.commands import FIRST
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle_text

RIGHT = 1.0  # full steering command to the right


# ---- linearity


@pytest.mark.covers("RC-INPUT-01")
def test_linearize_has_the_documented_values_and_is_odd():
    for linearity, expected in ((0.0, 0.125), (1.0, 0.5), (1.5, 0.6875), (2.0, 0.875)):
        assert linearize(0.5, linearity) == expected and linearize(-0.5, linearity) == -expected
        for fixed in (-1.0, 0.0, 1.0):
            assert linearize(fixed, linearity) == fixed
    with pytest.raises(SchemaError, match="less than or equal to 2"):
        car(response__steer_linearity=2.1)


def responses(vehicle, value=0.5):
    """{control: response} of all controls to the same command."""
    for name in ("throttle", "brake", "handbrake", "steer"):
        vehicle.state["input"][name] = value
    call(vehicle, "response")
    return {name: float(vehicle.state["response"][name][0]) for name in ("throttle", "brake", "handbrake", "steer")}


LINEAR = {"response__steer_table": [], "response__steer_linearity": 1.0, "response__brake_linearity": 1.0}


@pytest.mark.covers("RC-INPUT-02")
def test_throttle_brake_and_steering_have_linearities_of_their_own():
    linear = responses(car(**LINEAR))
    assert linear == {"throttle": 0.5, "brake": 0.5, "handbrake": 0.5, "steer": 0.5}
    for name in ("throttle", "brake", "steer"):
        nonlinear = responses(car(**{**LINEAR, f"response__{name}_linearity": 0.0}))
        assert nonlinear == {**linear, name: 0.125}
    assert set(responses(car(**LINEAR, response__controls_linearity=0.0)).values()) == {0.125}


@pytest.mark.covers("RC-INPUT-02")
def test_the_engine_maps_the_throttle_in_each_gear():
    vehicle = car(engine__throttle_linearity=[1.0, 1.0, 0.0, 2.0, 1.0, 1.0, 1.0])
    vehicle.state["autobox"]["throttle"] = 0.5
    throttles = []
    for gear in range(1, 5):
        vehicle.state["gearbox"]["current_gear"] = gear
        call(vehicle, "engine")
        throttles.append(float(vehicle.state["engine"]["throttle"][0]))
    assert throttles == [0.5, 0.125, 0.875, 0.5]
    with pytest.raises(SchemaError, match=r"engine.throttle_linearity: has 2 entries, but the gearbox has 7 gears"):
        car(engine__throttle_linearity=[1.0, 0.5])


# ---- steering


def wheel_angles(vehicle, steer):
    """Steering angles of the front wheels, degrees, positive to the right."""
    vehicle.state["response"]["steer"] = steer
    call(vehicle, "steering")
    return -np.degrees(vehicle.state["steering"]["angle"][0, :2])


@pytest.mark.covers("RC-STEER-04")
def test_the_inner_wheel_turns_farther_by_its_factor():
    angle = math.radians(10.0)
    factors = each_wheel("steering", ("fl", "fr"), max_angle=angle, inner_factor=2.0)
    vehicle = car(**factors)
    left, right = wheel_angles(vehicle, RIGHT)
    assert (left, right) == (pytest.approx(10.0), pytest.approx(20.0))
    left, right = wheel_angles(vehicle, -RIGHT)
    assert (left, right) == (pytest.approx(-20.0), pytest.approx(-10.0))
    vehicle.set_many(each_wheel("steering", ("fl", "fr"), inner_factor=1.0))
    assert wheel_angles(vehicle, RIGHT) == pytest.approx([10.0, 10.0])
    vehicle.set_many(each_wheel("steering", ("fl", "fr"), inner_factor=0.8))
    assert wheel_angles(vehicle, RIGHT) == pytest.approx([10.0, 8.0])
    with pytest.raises(SchemaError, match="turns wheel fl by 115 degrees; it must stay below 90"):
        car(**each_wheel("steering", ("fl", "fr"), max_angle=1.0, inner_factor=2.0))


@pytest.mark.covers("RC-STEER-05")
def test_steering_linearity_acts_on_the_wheels_angle():
    vehicle = car(**{**LINEAR, "response__steer_linearity": 0.0},
                  **each_wheel("steering", ("fl", "fr"), max_angle=0.4, inner_factor=1.0))  # fmt: skip
    vehicle.state["input"]["steer"] = 0.5
    call(vehicle, "response")
    call(vehicle, "steering")
    assert vehicle.state["steering"]["angle"][0, :2] == pytest.approx(-0.125 * 0.4)


@pytest.mark.covers("RC-STEER-03")
def test_the_steering_ratio_is_the_lock_of_the_steering_wheel_per_lock_of_the_wheels():
    vehicle = car(steering_wheel__lock=math.radians(480.0),
                  **each_wheel("steering", ("fl", "fr"), max_angle=math.radians(32.0), inner_factor=1.0))  # fmt: skip
    assert vehicle.get("steering_wheel.ratio") == pytest.approx(15.0)
    for steer in (0.3, -1.0):
        left, _ = wheel_angles(vehicle, steer)
        call(vehicle, "steering_wheel")
        wheel_degrees = -math.degrees(vehicle.read("steering_wheel.angle"))
        assert wheel_degrees == pytest.approx(480.0 * steer) and left == pytest.approx(wheel_degrees / 15.0)


# ---- brakes


def torques(vehicle, brake, handbrake):
    """Brake torques of the wheels, N m, for pedal and handbrake of 0 to 1."""
    vehicle.state["response"]["brake"], vehicle.state["response"]["handbrake"] = brake, handbrake
    call(vehicle, "brakes")
    return vehicle.state["brakes"]["torque"][0, :4].tolist()


SERVICE = each_wheel("brakes", max_torque=1000.0)  # N m, of the brake pedal


@pytest.mark.covers("RC-BRAKE-03")
def test_pedal_and_handbrake_add_up_to_at_most_the_pedals_largest_torque():
    vehicle = car(**SERVICE, **each_wheel("brakes", ("rl", "rr"), handbrake_torque=1000.0))
    assert torques(vehicle, 0.8, 0.5) == [800.0, 800.0, 1000.0, 1000.0]
    assert torques(vehicle, 0.3, 0.5) == [300.0, 300.0, 800.0, 800.0]
    assert torques(vehicle, 1.0, 1.0) == [1000.0] * 4


def test_a_handbrake_torque_where_no_handbrake_acts_is_refused():
    with pytest.raises(SchemaError, match="brakes.handbrake_torque: of wheel fl has no effect"):
        car(**each_wheel("brakes", ("fl",), handbrake_torque=100.0))


# ---- mass and inertia


@pytest.mark.covers("RC-MASS-07")
def test_the_axle_formula_gives_the_documented_numbers():
    # masses on the axles, kg; distance from the front axle to the centre of mass and wheelbase, m
    pitch, roll, yaw = axle_formula(525.0 * 0.4, 525.0 * 0.6, 1.6, 2.78)
    assert (round(pitch), round(yaw), round(roll)) == (781, 937, 469)
    y = [1.6, -1.18]  # axles about the centre of mass, at the model's origin
    attachments = {f"suspension.{w}.attachment": [0.7 if w[1] == "r" else -0.7, y[w[0] == "r"], 0.4]
              for w in ("fl", "fr", "rl", "rr")}  # fmt: skip
    values = {"body__body_mass": 525.0, "body__engine_mass": 0.0, "body__driver_mass": 0.0, "body__cg": [0, 0, 0],
              "body__front_share": 0.4, "body__inertia_from": "axle_formula"}  # fmt: skip
    vehicle = car(**attachments, **values)
    assert vehicle.get("body.inertia") == pytest.approx([780.96, 468.58, 937.16], abs=0.01)
    vehicle.set("body.roll_share", 0.8)
    assert vehicle.get("body.inertia")[1] == pytest.approx(0.8 * 937.16, abs=0.01)
    with pytest.raises(SchemaError, match="greater than or equal to 0.5"):
        vehicle.set("body.roll_share", 0.4)
    vehicle.set("body.front_share", 0.0)  # the lever rule: 1.18 / 2.78 of the mass in front
    front = 525.0 * 1.18 / 2.78
    assert vehicle.get("body.inertia")[0] == pytest.approx(0.8 * (front * 1.6**2 + (525.0 - front) * 1.18**2))


def test_the_rule_of_thumb_gives_the_inertia_of_the_documented_car():
    # 1280 kg with an engine of 165 kg and a driver of 75 kg
    vehicle = car(body__inertia_from="rule_of_thumb", body__body_mass=1280.0 - 165.0 - 75.0)
    assert vehicle.get("body.inertia") == pytest.approx([1950.0, 0.6 * 1950.0, 0.9 * 1950.0])
    light = car(body__inertia_from="rule_of_thumb", body__body_mass=500.0)
    assert light.get("body.inertia")[0] < 1950.0


@pytest.mark.covers("RC-ENG-02")
def test_the_engines_mass_is_added_and_leaves_the_centre_of_mass():
    light, heavy = car(body__body_mass=1000.0, body__engine_mass=0.0), car(body__body_mass=1000.0)
    heavy.set_many({"body.engine_mass": 150.0, "body.driver_mass": 0.0})
    assert heavy.get("body.mass") == 1150.0
    assert heavy.get("body.centre_of_mass") == light.get("body.centre_of_mass") == pytest.approx([0.0, 0.04, 0.45])
    weight = Drive(heavy).run(3.0, handbrake=1.0).wheels("tire", "load").sum()
    assert weight == pytest.approx(1150.0 * 9.81, rel=1e-3)


@pytest.mark.covers("RC-FRAME-02")
def test_moving_every_position_together_changes_nothing():
    """If nullpoint and cg are shifted in opposite directions, the drive is bit-identical. If nullpoint and all points
    of the model are shifted by the same vector, it is equal within 1e-6."""
    shift = np.array([0.125, -0.25, -0.125])  # m; sums of these are exact
    nullpoint, cg = np.array([0.0, 0.0, 0.375]), np.array([0.0, 0.0625, 0.0625])

    def path(nullpoint=nullpoint, cg=cg, **values):
        vehicle = car(body__nullpoint=nullpoint.tolist(), body__cg=cg.tolist(), **UNMOVED, **values)
        d = Drive(vehicle).run(2.0, brake=1.0)
        roll(d, 10.0, gear=FIRST + 1)
        start = d.body("position")
        return d.log(1.5, lambda d: np.append(d.body("position") - start, d.body("orientation")), throttle=0.6,
                     gear=FIRST + 1, steer=0.3)  # fmt: skip

    plain, base = path(), car()
    assert np.array_equal(path(nullpoint + shift, cg - shift), plain)
    shifted_values = {f"suspension.{w}.attachment": (np.array(base.get(f"suspension.{w}.attachment")) + shift).tolist()
             for w in base.wheel_names}  # fmt: skip
    assert np.abs(path(nullpoint + shift, **shifted_values) - plain).max() < 1e-6
    assert np.abs(path(cg=cg + 0.2 * shift) - plain).max() > 1e-2


@pytest.mark.covers("RC-MASS-04")
def test_the_settled_height_of_the_centre_of_mass_is_a_channel():
    """It equals the height by geometry within 1 mm; the parameter differs, because it leaves out spring deflection."""
    d = on_road(**each_wheel("suspension", stiffness=30000.0))
    d.run(2.0, brake=1.0)
    up = rotate_inverse(tuple(d.body("orientation").tolist()), (0.0, 0.0, 1.0))
    settled = d.body("position")[2]
    origin = d.position
    height = origin[2] + np.dot(up, d.vehicle.get("body.centre_of_mass"))
    assert read(d, "body.position.z") == settled == pytest.approx(height, abs=1e-3)
    assert abs(settled - d.vehicle.get("body.centre_of_mass")[2]) > 1e-3
    stiff = on_road(**each_wheel("suspension", stiffness=80000.0)).run(2.0, brake=1.0)
    assert stiff.body("position")[2] > settled + 0.01


def error_with(old, new):
    """Message of the error in the clubsport's file with `old` replaced by `new`."""
    with open(car().info["path"], encoding="utf8") as file:
        text = file.read()
    assert text.count(old) == 1
    with pytest.raises(ConfigError) as error:
        load_vehicle_text(text.replace(old, new), "car.yaml")
    return str(error.value)


@pytest.mark.parametrize(("old", "new", "rule"), [
    ("body_mass: 905", "body_mass: 0", "body_mass"),
    ("engine_mass: 165", "engine_mas: 165", "engine_mass"),
    ("inertia_from: given", "inertia_from: axles", "given, axle_formula, rule_of_thumb"),
    ("principal_inertia: [1750, 540, 1950]", "principal_inertia: [0, 0, 0]", "must be three numbers above 0"),
    ("stall_omega: 42", "stall_omega: 99", "must be below idle_omega (94)"),
    ("start_omega: 63", "start_omega: 30", "between stall_omega and idle_omega (42..94)"),
    ("max_torque: 330", "max_torque: 0", "max_torque"),
    ("auto_omega: 190", "auto_omega: 80", "above the engine's idle speed (94)"),
    ("down_omega: 290", "down_omega: 700", "after the widest change up"),
    ("inertias: [0.012, 0, 0.014", "inertias: [0.014", "has 5 entries, but there are 7 gears"),
    ("1.15, 0.92]", "1.15, 1.92]", "forward ratios must fall"),
    ("rear_ratio: 4.1}", "rear_ratio: -4.1}", "rear_ratio"),
    ("rear_type: salisbury", "rear_type: torsen", "open, spool, viscous, salisbury"),
    ("inner_factor: 1.12", "inner_factor: 0", "inner_factor"),
    ("steer_linearity: 0.85", "steer_linearity: 3", "steer_linearity"),
    ("blip_throttle: 0.35", "blip_throttle: 1.5", "blip_throttle"),
])  # fmt: skip
def test_bad_values_are_refused_with_their_line_and_rule(old, new, rule):
    message = error_with(old, new)
    assert message.startswith("car.yaml:") and rule in message and "\n" not in message


def test_parts_that_do_not_fit_together_are_refused():
    for part in ("drivetrain: engine_clutch_wheels", "engine: torque_curve", "clutch: torsion_damper",
                 "gearbox: neutral_during_change"):  # fmt: skip
        with pytest.raises(ConfigError):
            load_vehicle_text(f"base: clubsport\nname: mix\ncomponents: {{{part}}}\n", "configs/vehicles/mix.yaml")
    engine = ("engine: {peak_torque: 100, torque_curve: [[0, 1]], idle_omega: 90, max_omega: 700, inertia: 0.1, "
              "stall_omega: 40, start_omega: 60}\n")  # fmt: skip
    with pytest.raises(ConfigError, match="needs the component drivetrain: friction_drive"):
        components = "components: {engine: stalling, clutch: automatic, tire: combined_slip}"
        load_vehicle_text(f"base: roadster_simple\nname: mix\n{components}\n{engine}", "configs/vehicles/mix.yaml")


def test_the_engine_idles_at_its_speed_and_its_torque_rolls_the_body():
    d = on_road(engine__torque_reaction=1.0)
    d.run(3.0, brake=1.0)
    assert read(d, "engine.omega") == pytest.approx(94.0, abs=0.5)
    roll_component = trace(d, 0.3, "body.orientation.y", throttle=1.0, brake=1.0)["body.orientation.y"]
    still = trace(on_road(engine__torque_reaction=0.0), 0.3, "body.orientation.y", throttle=1.0, brake=1.0)
    assert roll_component.max() > 1e-4 + np.abs(still["body.orientation.y"]).max()  # the right side goes down


# ---- what the tuning help says


def advice(name, **values):
    """The advice of one kind about the changed clubsport, or None."""
    return next((a for a in check_vehicle(car(**values)) if a.id == name), None)


@pytest.mark.covers("RC-MASS-01")
def test_the_report_adds_up_the_masses():
    lines = "\n".join(report(car(body__body_mass=1000.0, body__engine_mass=150.0, body__driver_mass=80.0)))
    assert "body: 1230 kg in all: body 1000, engine 150, driver 80 kg" in lines


@pytest.mark.covers("RC-MASS-02")
def test_a_centre_of_mass_below_the_ground_or_outside_the_hull_is_reported():
    assert advice("cg_outside") is None
    assert "m above the ground" in advice("cg_outside", body__cg=[0.0, 0.04, -0.45]).evidence
    assert "is outside the hull" in advice("cg_outside", body__cg=[0.0, 0.04, 1.2]).evidence
    notice = advice("cg_outside", body__cg=[0.0, 1.2, 0.7])  # above the bonnet
    assert "is outside the hull" in notice.evidence and notice.path == "body.cg"


@pytest.mark.covers("RC-MASS-03")
def test_an_unusual_height_of_the_centre_of_mass_is_reported():
    for height, reported in ((0.15, True), (0.25, False), (0.75, False), (0.85, True)):
        # 0.4 m: height of the settled car's nullpoint above the ground
        notice = advice("cg_height", body__cg=[0.0, 0.04, height - 0.4])
        assert (notice is not None) == reported, (height, notice)


@pytest.mark.covers("RC-MASS-06")
def test_unusual_ratios_of_inertia_are_reported_with_both_rules():
    def reported(pitch, roll, yaw):
        return advice("inertia_ratios", body__inertia_from="given", body__principal_inertia=[pitch, roll, yaw])

    assert reported(1950.0, 0.6 * 1950.0, 0.9 * 1950.0) is None and advice("inertia_ratios") is None
    for yaw, share in ((0.65, 0.6), (1.35, 0.6), (0.9, 0.25), (0.9, 0.85)):
        notice = reported(1950.0, share * 1950.0, yaw * 1950.0)
        assert "yaw 0.9 and roll 0.6 of pitch" in notice.evidence and "yaw 1.2 of pitch" in notice.evidence
    assert reported(1950.0, 0.35 * 1950.0, 0.75 * 1950.0) is None


@pytest.mark.covers("RC-CLUTCH-02")
def test_a_clutch_weaker_than_the_engine_is_reported():
    notice = advice("clutch_capacity", clutch__max_torque=150.0, engine__peak_torque=300.0)
    assert notice.evidence == "holds 150 N*m of the engine's 300 N*m" and notice.changes == {"clutch.max_torque": 450}
    assert advice("clutch_capacity", clutch__max_torque=310.0, engine__peak_torque=300.0) is None


@pytest.mark.covers("RC-GEAR-05")
def test_an_end_ratio_that_is_not_used_is_reported():
    assert advice("end_ratio_unused", gearbox__end_ratio=3.9).path == "gearbox.end_ratio"
    assert advice("end_ratio_unused") is None
