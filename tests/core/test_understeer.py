"""The understeer gradient: estimate by the single-track model, what a file may give instead, and that of road cars."""

import math
import re
from functools import cache

import numpy as np
import pytest

from driving_sandbox.cli.program import main
from driving_sandbox.lab.road_test.circle import skid_pad
from driving_sandbox.lab.road_test.track import TestTrack
from driving_sandbox.lab.tire_curves import SMALL_ANGLE, of_wheel
from driving_sandbox.physics.estimate.cornering_stiffness import FORMULAS, cornering_stiffness, pneumatic_trail
from driving_sandbox.physics.estimate.understeer import Wheels, roll_gradient, understeer_gradient
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.tire import mf62
from driving_sandbox.physics.tire.mf62_coefficients import NAMES
from driving_sandbox.physics.tire.mf62_evaluate import record_of
from driving_sandbox.physics.vehicle.swap import plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.understeer import degrees_per_g, estimated_understeer, understeer
from driving_sandbox.physics.vehicle.vehicle_file import VEHICLE_FOLDER, load_vehicle, load_vehicle_text, vehicle_text
from driving_sandbox.physics.world.world_file import load_world

ROADSTER = (VEHICLE_FOLDER / "roadster_simple.yaml").read_text()
G = 9.81  # m/s^2
AHEAD, BEHIND = 1.1, 1.5  # m, front axle ahead of the centre of mass, rear axle behind it
MASS = 1300.0  # kg


def car(front=60e3, rear=70e3, **changes):
    """A car of MASS with those cornering stiffnesses of its front and rear wheels."""
    load_per_metre = MASS * G / (2.0 * (AHEAD + BEHIND))
    zeros = np.zeros(4)
    values = {
        "ahead": np.array([AHEAD, AHEAD, -BEHIND, -BEHIND]),
        "load": np.array([BEHIND, BEHIND, AHEAD, AHEAD]) * load_per_metre,
        "stiffness": np.array([front, front, rear, rear]),
        "trail": zeros, "steered": np.array([1.0, 1.0, 0.0, 0.0]),
        "force_steer": zeros, "moment_steer": zeros, "roll_steer": zeros,
    }  # fmt: skip
    return Wheels(**{**values, **{name: np.array(value) for name, value in changes.items()}})


FRONT, REAR = MASS * BEHIND / (AHEAD + BEHIND), MASS * AHEAD / (AHEAD + BEHIND)  # kg on the axles


@pytest.mark.parametrize("front, rear", [(60e3, 70e3), (80e3, 50e3)])
def test_two_axles_have_the_gradient_of_the_textbook(front, rear):
    expected = FRONT / (2.0 * front) - REAR / (2.0 * rear)
    assert understeer_gradient(car(front, rear), G) == pytest.approx(expected)


@pytest.mark.parametrize("coefficient", [-2e-6, 3e-6])
def test_compliance_adds_its_angle_per_side_force(coefficient):
    rigid = understeer_gradient(car(), G)
    front = understeer_gradient(car(force_steer=[coefficient] * 2 + [0.0] * 2), G)
    assert front - rigid == pytest.approx(-coefficient * FRONT / 2.0)
    rear = understeer_gradient(car(force_steer=[0.0] * 2 + [coefficient] * 2), G)
    assert rear - rigid == pytest.approx(coefficient * REAR / 2.0)


def test_aligning_moments_turn_the_wheels_out_and_the_car_straight():
    trail, moment_steer = 0.025, 1.2e-4
    trailing = car(trail=[trail] * 4)
    base, shifted_mass = AHEAD + BEHIND, MASS * trail / (AHEAD + BEHIND)  # m, kg
    # the moments load the front tires and free the rear
    straightened = shifted_mass / (2.0 * 60e3) + shifted_mass / (2.0 * 70e3)
    assert understeer_gradient(trailing, G) - understeer_gradient(car(), G) == pytest.approx(straightened)
    soft = understeer_gradient(car(trail=[trail] * 4, moment_steer=[moment_steer] * 2 + [0.0] * 2), G)
    front_wheel_mass = MASS * (BEHIND + trail) / base / 2.0
    assert soft - understeer_gradient(trailing, G) == pytest.approx(moment_steer * trail * front_wheel_mass)


@pytest.mark.parametrize("front, rear", [(-2e-4, 0.0), (0.0, 3e-4)])
def test_roll_steer_in_front_counts_opposite_to_that_at_the_rear(front, rear):
    rolled = understeer_gradient(car(roll_steer=[front] * 2 + [rear] * 2), G)
    assert rolled - understeer_gradient(car(), G) == pytest.approx(rear - front)


def test_no_gradient_without_steered_wheels_or_with_wheels_that_turn_by_themselves():
    assert understeer_gradient(car(steered=[0.0] * 4), G) is None
    assert understeer_gradient(car(force_steer=[0.0] * 2 + [1.0 / 60e3] * 2), G) is None


def test_roll_follows_the_stiffness_less_the_weight():
    soft, stiff = (roll_gradient(10e3, arm=0.5, stiffness=stiffness, gravity=G) for stiffness in (30e3, 55e3))
    assert soft == pytest.approx(2.0 * stiff)
    assert stiff == pytest.approx(10e3 / G * 0.5 / 50e3)
    assert roll_gradient(10e3, arm=0.5, stiffness=4e3, gravity=G) == 0.0


TIRES = {
    "combined_slip": "{lateral_stiffness: 50e3, longitudinal_stiffness: 60e3, lateral_stiffness_load: 1.6}",
    "legacy": "{lateral_stiffness: 70e3, longitudinal_stiffness: 60e3, lateral_stiffness_load: 0}",
    "pacejka_89": "{a3: 1800}", "pacejka_94": "{a3: 1500}", "mf_52": "{pky1: -18}",
    "mf_62": "{size: 195/55 R15 85V}",
}  # fmt: skip


def on_tires(tire, parameters):
    """The roadster on tires of this component, with these parameters (YAML text)."""
    text = re.sub(r"^tire:\n(?:  .*\n)+", f"tire: {{all: {parameters}}}\n", ROADSTER, flags=re.M)
    components = f"components: {{body: rigid, clutch: automatic, tire: {tire}}}"
    text = re.sub(r"^components: .*$", components, text, flags=re.M)
    return load_vehicle_text(text, f"{tire}.yaml")


def test_every_tire_with_a_formula_is_tried():
    assert TIRES.keys() == FORMULAS.keys()


@pytest.mark.parametrize("tire", TIRES)
def test_stiffnesses_are_those_of_the_tires_kernels(tire):
    vehicle = on_tires(tire, TIRES[tire])
    for index, wheel in ((0, "fl"), (2, "rl")):
        p = vehicle.params["tire"][0, index]
        load = float(p["nominal_load"])
        forces = of_wheel(vehicle, wheel).forces(load, 0.0, np.array([-SMALL_ANGLE, 0.0]), 0.0)
        slope = float(forces["fy"][0] - forces["fy"][1]) / math.radians(SMALL_ANGLE)
        assert cornering_stiffness(tire, p) == pytest.approx(slope, rel=1e-2)
        if tire == "mf_62":
            assert pneumatic_trail(tire, p) == pytest.approx(float(forces["trail"][0]), rel=0.02)
    assert cornering_stiffness("coulomb", p) is None and pneumatic_trail("coulomb", p) == 0.0


@pytest.mark.parametrize("pressure", [190e3, 280e3])
def test_pressure_changes_the_stiffness_as_in_the_formula(pressure):
    vehicle = on_tires("mf_62", f"{{size: 195/55 R15 85V, pressure: {pressure}}}")
    p = vehicle.params["tire"][0, 0]
    c = record_of({name: float(p["c"][name]) for name in NAMES})
    expected = mf62.cornering_stiffness(c, float(p["nominal_load"]), 0.0, float(p["pressure_change"]))
    assert cornering_stiffness("mf_62", p) == pytest.approx(expected)


@cache
def measured(name):
    """Understeer gradient of a shipped car on a skid pad, degrees per g."""
    return skid_pad(TestTrack(load_vehicle(name), load_world("plane")))["understeer_gradient"]


ROAD_CARS = ("coupe", "roadster", "mx5_na", "m3_e46", "golf_gti_mk7", "hatchback", "offroader")
EVERY_RUN = ROAD_CARS[:2]  # cars that drive in every run; a skid pad takes half a minute


@pytest.mark.parametrize("name", EVERY_RUN)
def test_estimates_follow_what_the_skid_pad_measures(name):
    """The estimate, of a linear model, is less than what is measured on a circle, by at most 0.35 degrees per g."""
    estimate = degrees_per_g(estimated_understeer(load_vehicle(name)).value)
    assert measured(name) - 0.35 < estimate < measured(name)


@pytest.mark.parametrize(
    "name", [*EVERY_RUN, *(pytest.param(name, marks=pytest.mark.nightly) for name in ROAD_CARS[2:])]
)
def test_road_cars_understeer_by_1_5_to_3_degrees_per_g(name):
    assert 1.5 < measured(name) < 3.0


@pytest.mark.parametrize("name", ROAD_CARS)
def test_roll_turns_the_wheels_of_road_cars_towards_understeer(name):
    """Toe-out in jounce of 1.5 to 10 degrees per m in front, toe-in of 0.5 to 4 at the rear, throughout the travel."""
    vehicle = load_vehicle(name)
    for wheel, low, high in (("fr", -10.0, -1.5), ("rr", 0.5, 4.0)):
        share, toe = np.transpose(vehicle.get(f"compliance.{wheel}.toe"))
        slopes = np.degrees(np.diff(toe)) / (np.diff(share) * vehicle.get(f"suspension.{wheel}.travel"))
        assert np.all((slopes > low) & (slopes < high))


@pytest.mark.parametrize("component", ["unsprung", "roll_centre"])
def test_roll_steer_is_the_slope_of_the_toe_curve_at_rest(component):
    """The wheels rest below a bend of the curve, as preload and unsprung mass bear a part of their load."""
    vehicle = load_vehicle("mx5_na")
    if component != "unsprung":
        vehicle = swapped_vehicle(vehicle, plan_swap(vehicle, "suspension", component))
    suspension = vehicle.params["suspension"][0][1]
    spring_force = vehicle.params["tire"]["nominal_load"][0, 1] - suspension["preload"]
    if component == "unsprung":
        spring_force -= suspension["unsprung_mass"] * G
    rest = float(spring_force / suspension["stiffness"] / suspension["travel"])
    estimates = []
    for slope_at_rest, slope_beyond in ((0.0, 0.0), (0.0, 0.05), (0.05, 0.0), (0.05, 0.05)):
        bend = rest + 0.1
        curve = [[0.0, -slope_at_rest * bend], [bend, 0.0], [1.0, slope_beyond * (1.0 - bend)]]
        vehicle.set_many({"compliance.fr.toe": curve, "compliance.fl.toe": [[x, -y] for x, y in curve]})
        estimates.append(understeer(vehicle))
    assert estimates[0] == estimates[1] and estimates[2] == pytest.approx(estimates[3])
    assert estimates[2] < estimates[0] - 1e-4


def test_the_estimate_follows_the_parameters_from_which_it_is_computed():
    vehicle = load_vehicle("coupe")
    before = understeer(vehicle)
    vehicle.set_many({f"tire.{w}.cornering_stiffness_factor": 1.2 for w in ("rl", "rr")})
    stiff = understeer(vehicle)
    assert stiff > before + 5e-4
    vehicle.set_many({f"compliance.{w}.lateral_force_steer": 0.0 for w in ("fl", "fr")})
    assert understeer(vehicle) < stiff - 5e-4


@pytest.mark.parametrize("name", ["planar_roadster", "road_train", "tank"])
def test_planar_tracked_and_towing_vehicles_have_no_estimate(name):
    assert estimated_understeer(load_vehicle(name)) is None


@pytest.mark.parametrize("gradient", [0.0031, -0.0004])
def test_a_file_may_give_the_gradient(gradient):
    vehicle = load_vehicle_text(ROADSTER + f"keyboard: {{understeer_gradient: {gradient}}}\n", "given.yaml")
    assert understeer(vehicle) == gradient
    reloaded = load_vehicle_text(vehicle_text(vehicle), "again.yaml")
    assert understeer(reloaded) == gradient


@pytest.mark.parametrize("section, message", [
    ("{understeer_gradient: 3}", "keyboard.understeer_gradient: 3: must be less than or equal to 0.05"),
    ("{understeer: 0.003}", "understeer_gradient"), ("soft", "must be a mapping"),
])  # fmt: skip
def test_a_wrong_section_is_refused_with_its_line(section, message):
    line = len(ROADSTER.splitlines()) + 1
    with pytest.raises(ConfigError, match=f"wrong.yaml:{line}.*") as error:
        load_vehicle_text(ROADSTER + f"keyboard: {section}\n", "wrong.yaml")
    assert message in str(error.value)


def test_check_prints_the_estimate_and_what_the_file_gives(tmp_path, capsys):
    path = tmp_path / "car.yaml"
    path.write_text(ROADSTER)
    main(["check", str(path), "--figures"])
    estimate = degrees_per_g(understeer(load_vehicle("roadster_simple")))
    assert "understeer gradient estimated as" in (out := capsys.readouterr().out)
    assert f"({estimate:.1f} degrees per g)" in out and "as the file gives it" not in out
    path.write_text(ROADSTER + "keyboard: {understeer_gradient: 0.0036}\n")
    main(["check", str(path), "--figures"])
    assert "understeer gradient 2.0 degrees per g, as the file gives it" in capsys.readouterr().out
