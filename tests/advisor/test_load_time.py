"""Checks of a loaded vehicle: a wrong value gives its advice, and no shipped vehicle gets any.

Vehicles have combined_slip tires in place of mf_62 (watched.py).
"""

import pytest
from watched import everywhere, fresh

from driving_sandbox.docs.build import tuning_help
from driving_sandbox.lab.advisor import SYMPTOMS, check_vehicle
from driving_sandbox.lab.advisor.figures import (
    best_acceleration,
    box_inertia,
    driven_radius,
    effective_mass,
    forward_ratios,
    motor_force,
    resistances,
    rest_loads,
    springs,
    time_to,
)
from driving_sandbox.lab.advisor.report import report
from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.vehicle.vehicle_file import VEHICLE_FOLDER, load_vehicle
from driving_sandbox.physics.world.world_file import load_world

SHIPPED = sorted(path.stem for path in VEHICLE_FOLDER.glob("*.yaml"))
STEP = 1.0 / 960.0  # s, substep
SPEED = 15.0  # m/s, at which second gear has the engine above its idle speed


def advice_of(name, values=None, vehicle="roadster_simple", step=STEP, gravity=None):
    """The first advice with the id `name` about a vehicle with some values changed; fails if there is none.

    values: {path: value}, or a function of the vehicle that returns it.
    step: substep, s.
    gravity: m/s^2.
    """
    loaded = fresh(vehicle)
    changes = values(loaded) if callable(values) else values or {}
    loaded.set_many(changes)
    if gravity is not None:
        loaded.context["gravity"][0] = (0.0, 0.0, -gravity)
    advice = [a for a in check_vehicle(loaded, step) if a.id == name]
    assert advice, f"{name} is not reported"
    return advice[0]


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_vehicles_get_no_advice(name):
    assert [str(advice) for advice in check_vehicle(load_vehicle(name), STEP)] == []


@pytest.mark.covers("PX-HELP-01")
def test_a_scene_in_centimetres_and_a_vehicle_in_metres():
    advice = advice_of("length_scale", gravity=981.0)
    assert "scene's scale is 100 " in advice.evidence and "vehicle's about 0.8" in advice.evidence
    assert advice.path == "wheel.fl.radius"
    advice_of("length_scale", lambda v: everywhere(v, "wheel", radius=29.0))


@pytest.mark.covers("PX-HELP-02")
def test_a_spring_too_stiff_for_the_step_is_given_the_fewest_sufficient_substeps():
    """alpha, the time constant sqrt(m / k) divided by the step, must reach 5; advised are the fewest substeps."""
    advice = advice_of("spring_step", step=1.0 / 15.0)
    alpha = float(springs(fresh(), 1.0 / 15.0)["alpha"].min())
    assert alpha < 5.0
    factor = int(advice.evidence.split(" times as many")[0].split()[-1])
    assert springs(fresh(), 1.0 / 15.0 / factor)["alpha"].min() >= 5.0
    assert springs(fresh(), 1.0 / 15.0 / max(factor - 1, 1))["alpha"].min() < 5.0
    assert advice.path.endswith(".stiffness") and advice.action == "lower"
    assert "spring_step" not in [a.id for a in check_vehicle(fresh(), 1.0 / 60.0)]


def test_travel_that_leaves_no_room_is_reported():
    advice = advice_of("travel_room", {"suspension.rl.travel": 0.11, "suspension.rr.travel": 0.11})
    assert advice.path == "suspension.rl.travel" and "travel 0.110 m, compressed 0.106 m" in advice.evidence


@pytest.mark.parametrize("preload", [0.0, 1000.0])
def test_a_preload_takes_its_part_of_the_compression_at_rest(preload):
    vehicle = fresh("track_roadster")
    vehicle.set_many({"suspension.fl.preload": preload})
    load = float(rest_loads(vehicle)[0])
    assert springs(vehicle)["rest"][0] == pytest.approx((load - preload) / 35000.0)  # N/m, of its front springs


@pytest.mark.covers("PX-HELP-05")
@pytest.mark.parametrize(("key", "value"), [("inertia", 1400.0), ("peak_torque", 0.149)])  # kg cm^2, kN m
def test_engine_figures_of_another_scale(key, value):
    advice = advice_of("engine_scale", {f"engine.{key}": value})
    assert advice.path == f"engine.{key}"
    assert advice_of("engine_scale", gravity=981.0).path == "engine.peak_torque"  # metres in a centimetre scene


@pytest.mark.covers("PX-HELP-06")
def test_an_engine_inertia_too_large_for_its_torque():
    advice = advice_of("engine_inertia", {"engine.inertia": 1.0})
    assert advice.path == "engine.inertia" and "rad/s^2" in advice.evidence
    assert 3.0 < float(advice.evidence.split()[0]) < 10.0
    assert "149 rad/s^2" in advice.evidence


@pytest.mark.covers("PX-HELP-07")
def test_torque_too_small_for_the_mass():
    advice = advice_of("peak_torque", {"engine.peak_torque": 75.0})
    assert advice.path == "engine.peak_torque" and "75 N*m for 1125 kg (usually 450 N*m)" in advice.evidence


@pytest.mark.covers("PX-HELP-08")
@pytest.mark.parametrize("points", [[[0, 1], [0.5, 0], [1, 1]], [[0, 0.3], [1, 0.4]]])
def test_an_implausible_torque_curve_can_be_replaced_by_a_flat_one(points):
    advice = advice_of("torque_curve", {"engine.torque_curve": points})
    vehicle = fresh()
    vehicle.set_many({"engine.torque_curve": points})
    vehicle.set_many(advice.changes)
    assert vehicle.get("engine.torque_curve") == [[0.0, 1.0], [1.0, 1.0]]
    assert "torque_curve" not in [a.id for a in check_vehicle(vehicle, STEP)]


@pytest.mark.covers("PX-HELP-09")
@pytest.mark.parametrize(("omega", "action"), [(95.0, "raise"), (2600.0, "lower")])
def test_an_unrealistic_limit_of_the_engine_speed(omega, action):
    """A limit of the engine's speed that is too low is to be raised, one that is too high lowered."""
    advice = advice_of("max_omega", {"engine.max_omega": omega})
    assert (advice.path, advice.action) == ("engine.max_omega", action) and "rad/s" in advice.evidence


@pytest.mark.covers("PX-HELP-10")
def test_engine_damping_that_takes_most_of_the_torque():
    advice = advice_of("engine_damping", {"engine.damping_full_throttle": 0.17})
    assert advice.path == "engine.damping_full_throttle"
    assert "128 N*m of 149 N*m" in advice.evidence
    vehicle = fresh()
    vehicle.set("engine.damping_full_throttle", 0.15)  # takes 76 % of the torque
    assert "engine_damping" not in [a.id for a in check_vehicle(vehicle, STEP)]


@pytest.mark.covers("PX-HELP-12")
@pytest.mark.parametrize("ratio", [0.3, 0.75])
def test_a_differential_whose_torque_ratios_do_not_sum_to_one(ratio):
    with pytest.raises(SchemaError, match=r"differential.torque_ratio: must not be 0 on every wheel"):
        fresh().set_many({"differential.rl.torque_ratio": 0.0, "differential.rr.torque_ratio": 0.0})
    values = {"differential.rl.torque_ratio": ratio, "differential.rr.torque_ratio": ratio}
    advice = advice_of("no_drive_torque", values)
    assert advice.path.startswith("differential.") and advice.evidence == f"the sum is {2 * ratio:.3g}"


@pytest.mark.covers("PX-HELP-14", "PX-HELP-15", "PX-HELP-37")
def test_wheel_inertia_relative_to_mass_and_radius():
    ring = 16.0 * 0.289**2  # m r^2 of the roadster's wheel, kg m^2
    for factor, name, action in [(5.5, "wheel_scale", "correct"), (0.04, "wheel_scale", "correct"),
                               (3.2, "wheel_inertia_high", "lower"), (0.18, "wheel_inertia_low", "raise")]:  # fmt: skip
        advice = advice_of(name, {"wheel.rr.spin_inertia": factor * ring})
        assert (advice.path, advice.action) == ("wheel.rr.spin_inertia", action)
        assert f"{factor * ring:.3g} kg*m^2" in advice.evidence
    for factor in (2.9, 0.21):  # within 0.2 to 3 times m r^2
        vehicle = fresh()
        vehicle.set("wheel.rr.spin_inertia", factor * ring)
        assert not [a for a in check_vehicle(vehicle, STEP) if a.path == "wheel.rr.spin_inertia"]


@pytest.mark.covers("PX-HELP-16")
def test_wheel_damping():
    """Too much damping is reported, of one wheel or of all."""
    assert advice_of("wheel_damping", {"wheel.fl.damping": 2.1}).path == "wheel.fl.damping"
    advice = advice_of("wheel_damping", lambda v: everywhere(v, "wheel", damping=0.5))
    assert "in top gear" in advice.evidence


@pytest.mark.covers("PX-HELP-20")
def test_sprung_masses_relative_to_the_weight_and_their_shares():
    advice = advice_of("sprung_masses", lambda v: everywhere(v, "suspension", sprung_mass=250.0))
    assert "1000 kg of 1125 kg" in advice.evidence
    four = dict(zip(("fl", "fr", "rl", "rr"), (420.0, 420.0, 142.5, 142.5), strict=True))
    advice = advice_of("sprung_masses", {f"suspension.{w}.sprung_mass": m for w, m in four.items()})
    assert advice.path == "suspension.fl.sprung_mass" and "420 kg, its share is 292 kg" in advice.evidence


@pytest.mark.covers("PX-HELP-22")
def test_longitudinal_stiffness_below_the_load():
    advice = advice_of("longitudinal_stiffness", {"tire.rl.longitudinal_stiffness": 2500.0})
    assert advice.path == "tire.rl.longitudinal_stiffness" and "rest load 2649 N" in advice.evidence


@pytest.mark.covers("PX-HELP-23")
def test_a_mass_the_torque_cannot_move():
    advice = advice_of("mass_for_torque", {"body.mass": 9000.0, "body.principal_inertia": [9000, 3000, 9000]})
    assert advice.path == "body.mass" and "m/s^2 with 9000 kg" in advice.evidence


@pytest.mark.covers("PX-HELP-25")
def test_yaw_inertia_relative_to_that_of_the_box():
    box = float(box_inertia(fresh())[2])
    advice = advice_of("yaw_inertia_high", {"body.principal_inertia": [3.1 * box, 400, 3.1 * box]})
    assert advice.path == "body.principal_inertia" and "3.10 times" in advice.evidence
    assert advice_of("yaw_inertia", {"body.principal_inertia": [2.2 * box, 400, 2.2 * box]}).action.startswith("lower")
    assert advice_of("yaw_inertia", {"body.principal_inertia": [500, 330, 0.3 * box]}).action.startswith("raise")


@pytest.mark.covers("PX-HELP-28")
def test_lateral_stiffness_and_its_load():
    advice = advice_of("lateral_stiffness", {"tire.fl.lateral_stiffness": 28000.0})
    assert advice.path == "tire.fl.lateral_stiffness" and "9.8 rest loads" in advice.evidence
    for load in (0.9, 5.1):
        advice = advice_of("lateral_stiffness", {"tire.rr.lateral_stiffness_load": load})
        assert advice.path == "tire.rr.lateral_stiffness_load"


@pytest.mark.covers("PX-HELP-29")
def test_damping_that_takes_the_power_lists_each_share():
    advice = advice_of("damping_losses", {"engine.damping_full_throttle": 0.08})
    assert advice.path == "engine.damping_full_throttle"
    assert "engine damping takes 40 %" in advice.evidence and "wheel damping takes 7 %" in advice.evidence
    line = next(line for line in report(fresh()) if "relative to peak power" in line)
    assert "engine damping 7.4 %" in line and "wheel damping 6.6 %" in line


@pytest.mark.covers("PX-HELP-31")
def test_time_to_100_is_shown_with_the_torque_for_ten_seconds():
    vehicle = fresh()
    vehicle.set("engine.peak_torque", 100.0)
    line = next(line for line in report(vehicle) if "0-100" in line)
    seconds = float(line.split("about ")[1].split()[0])
    torque = float(line.split("; ")[1].split()[0])
    assert seconds > 13.0 and line.endswith("N*m would give 10 s")
    vehicle.set("engine.peak_torque", torque)
    assert "about 10.0 s" in next(line for line in report(vehicle) if "0-100" in line)
    assert advice_of("engine_weak", {"engine.peak_torque": 40.0}).path == "engine.peak_torque"


@pytest.mark.covers("PX-HELP-32")
def test_wheels_whose_inertia_implies_a_fifth_of_the_vehicles_mass():
    advice = advice_of("wheel_inertia_heavy", lambda v: everywhere(v, "wheel", spin_inertia=5.0))
    assert advice.path.endswith(".spin_inertia") and "239 kg, 21 % of 1125 kg" in advice.evidence


@pytest.mark.covers("PX-HELP-34")
def test_body_damping_is_shown_with_its_deceleration():
    line = next(line for line in report(fresh()) if line.startswith("air drag"))
    rate, slowing = float(line.split(": ")[1].split()[0]), float(line.split(", ")[1].split()[0])
    force = 0.5 * 1.204 * 0.64 * 20.0**2  # N: density, kg/m^3; drag area, m^2; speed, m/s
    assert rate == pytest.approx(force / 20.0, abs=0.06) and slowing == pytest.approx(force / 1125.0, abs=6e-4)
    assert advice_of("no_body_damping", {"aero.drag_area": 0.0}).path == "aero.drag_area"


def test_a_car_that_nothing_slows_down_is_reported():
    def values(v):
        return {**everywhere(v, "wheel", damping=0.0), **everywhere(v, "tire", rolling_resistance=0.0),
                "aero.drag_area": 0.1, "engine.damping_zero_throttle_clutch_engaged": 0.005}  # fmt: skip

    advice = advice_of("coasts_on", values)
    assert advice.path == "engine.damping_zero_throttle_clutch_engaged"
    assert float(advice.evidence.split()[0]) < 0.1


def test_latency_not_above_the_switch_time_is_reported():
    advice = advice_of("gear_hunting", {"autobox.latency": 0.2})
    assert advice.evidence == "latency 0.2 s, switch time 0.22 s" and advice.changes == {"autobox.latency": 0.88}


@pytest.mark.covers("PX-HELP-43")
def test_frequency_and_ratio_are_printed_with_a_verdict():
    lines = [line for line in report(fresh()) if line.startswith("suspension.")]
    assert len(lines) == 4
    expected = "natural frequency 9.41 rad/s (1.50 Hz), within the guide's range; damping ratio 0.36, under-damped"
    assert expected in lines[0]
    hard = advice_of("spring_frequency", lambda v: everywhere(v, "suspension", stiffness=250000.0, damping=6000.0))
    assert hard.action == "lower" and float(hard.evidence.split()[1]) > 25.0
    soft = advice_of("spring_frequency", {"suspension.rl.stiffness": 3000.0, "suspension.rr.stiffness": 3000.0})
    assert soft.action == "raise" and soft.path == "suspension.rl.stiffness"
    for damping, action in [(500.0, "raise"), (13000.0, "lower")]:
        advice = advice_of("damping_ratio", {"suspension.fr.damping": damping})
        assert (advice.path, advice.action) == ("suspension.fr.damping", action)


@pytest.mark.covers("PX-HELP-44")
def test_full_steer_at_speed_offers_a_table():
    advice = advice_of("steer_at_speed", {"response.steer_table": []})
    assert advice.path == "response.steer_table" and "at 30 m/s ask for 246 m/s^2" in advice.evidence
    vehicle = fresh()
    vehicle.set_many(advice.changes)
    assert "steer_at_speed" not in [a.id for a in check_vehicle(vehicle, STEP)]


def test_a_wheelbase_of_the_steering_that_is_not_the_cars_is_reported():
    advice = advice_of("ackermann_geometry", {"ackermann.wheelbase": 4.0})
    assert advice.path == "ackermann.wheelbase" and advice.changes == {"ackermann.wheelbase": 2.265}


def test_advice_names_file_and_line(tmp_path):
    text = (VEHICLE_FOLDER / "roadster_simple.yaml").read_text(encoding="utf8")
    text = text.replace("latency: 0.8", "latency: 0.1")
    text = text.replace("rear: {lateral_stiffness: 54000", "rear: {lateral_stiffness: 5400")
    path = tmp_path / "odd.yaml"
    path.write_text(text, encoding="utf8")
    lines = text.splitlines()
    locations = {a.id: (a.file, a.line) for a in check_vehicle(load_vehicle(path), STEP)}
    assert locations == {
        "gear_hunting": (str(path), 1 + next(i for i, line in enumerate(lines) if "latency: 0.1" in line)),
        "lateral_stiffness": (str(path), 1 + next(i for i, line in enumerate(lines) if "stiffness: 5400" in line)),
    }


def test_the_text_of_advice_is_one_line_with_path_evidence_cause_and_id():
    advice = advice_of("max_omega", {"engine.max_omega": 95.0})
    text = str(advice)
    assert "\n" not in text and "roadster_simple.yaml:" in text
    for part in (advice.path, advice.evidence, advice.cause, advice.symptom.title, "[max_omega]"):
        assert part in text


def test_every_symptom_has_an_id_and_texts():
    for name, symptom in SYMPTOMS.items():
        assert name == symptom.id and symptom.when in ("load", "drive", "trial")
        assert symptom.title and symptom.cause and symptom.criterion and symptom.action


def test_the_page_of_the_documentation_is_current():
    assert tuning_help.PAGE.read_text(encoding="utf8") == tuning_help.page(), (
        "run python -m driving_sandbox.docs.build.tuning_help"
    )
    for name in SYMPTOMS:
        assert f"| `{name}` |" in tuning_help.page()


def test_gravity_of_the_flat_world_is_in_metres():
    assert load_world("plane").gravity == pytest.approx(9.81)


@pytest.mark.parametrize(("gears", "final"), [(0.8, 1.0), (0.96, 0.9)])
def test_gears_that_lose_power_lengthen_the_estimated_sprint(gears, final):
    """The driving force is that without losses times the efficiency of gearbox and final drive."""
    car = fresh("roadster_simple")
    lossless = best_acceleration(car, SPEED, gear=1, grip=9.0)[0]
    car.set_many({"gearbox.efficiency": [gears], "gearbox.final_efficiency": final})
    lossy = best_acceleration(car, SPEED, gear=1, grip=9.0)[0]
    ratio = float(forward_ratios(car)[1])
    omega = SPEED * ratio / driven_radius(car)
    drag = sum(resistances(car, SPEED, omega, ratio, throttle=1.0).values()) / effective_mass(car, ratio)
    assert lossy + drag == pytest.approx(gears * final * (lossless + drag), rel=1e-3)
    assert time_to(car, 27.8) > time_to(fresh("roadster_simple"), 27.8) * 1.02


@pytest.mark.parametrize("power", [5e3, 10e3])
def test_the_power_of_motors_in_the_wheels_limits_their_estimated_force(power):
    car = fresh("buggy")
    car.set_many({f"direct_drive.{wheel}.power": power for wheel in car.wheel_names})
    torque, radius = car.params["direct_drive"][0]["max_torque"][:4], car.params["wheel"][0]["radius"][:4]
    assert motor_force(car, 2.0) == pytest.approx((torque / radius).sum())
    assert motor_force(car, 40.0) == pytest.approx(4.0 * power / 40.0)
    car.set_many({f"direct_drive.{wheel}.power": 0.0 for wheel in car.wheel_names})  # no limit
    assert motor_force(car, 40.0) == pytest.approx((torque / radius).sum())
