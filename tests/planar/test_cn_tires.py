"""Lateral tire forces of the planar model (rules CN-..., from a Chinese article on cars in 2D racing games)."""

import math

import numpy as np
import pytest
from planar_rig import FREE, NO_AIR, NO_ROLLING, WHEELS, Planar

from driving_sandbox.physics.tick.commands import REVERSE

DEGREE = math.pi / 180.0
EQUAL = {**NO_AIR, **NO_ROLLING, **{f"tire.{w}.stiffness": 12.0 for w in WHEELS}}
MAGIC = {"tire": "magic_formula"}


def sliding(degrees, values=(), components=None, mass=1125.0):
    """The car (of a mass in kg) after a tick at a slip angle without yaw."""
    values = {**NO_AIR, **NO_ROLLING, **dict(values), "body.mass": mass}
    car = Planar(values, components).going(ahead=20.0, right=20.0 * math.tan(degrees * DEGREE)).tick()
    assert car.read("tire.fl.lateral_slip") == pytest.approx(degrees * DEGREE)
    return car


def force_per_load(degrees, values=(), components=None):
    """Lateral force of a front wheel at a slip angle, divided by its load."""
    car = sliding(degrees, values, components)
    return car.read("tire.fl.lateral_force") / car.read("tire.fl.load")


@pytest.mark.covers("CN-TIRE-02")
@pytest.mark.parametrize("components", [None, MAGIC])
@pytest.mark.parametrize("ahead", [15.0, -15.0])
@pytest.mark.parametrize("right", [0.4, -0.4, 6.0, -6.0])
def test_lateral_force_is_against_the_slide(components, ahead, right):
    car = Planar(components=components).going(ahead=ahead, right=right).tick()
    for wheel in WHEELS:
        assert car.read(f"tire.{wheel}.lateral_force") * right < 0.0
    assert abs(car.read("body.v_lat")) < abs(right)


@pytest.mark.covers("CN-TIRE-03", "CN-TIRE-05")
def test_curve_has_its_peak_at_five_degrees():
    """The linear law is constant from there; the magic formula has its maximum there and is lower beyond."""
    angles = np.arange(0.5, 20.01, 0.5)
    magic = [-force_per_load(a, components=MAGIC) for a in angles]
    assert angles[int(np.argmax(magic))] == pytest.approx(5.0, abs=1.0)
    assert max(magic) == pytest.approx(1.02, rel=2e-3) and 0.85 < magic[-1] < 0.99
    peak = {f"tire.{w}.peak_angle": 0.16 for w in WHEELS}
    scaled_forces = [-force_per_load(a, peak, MAGIC) for a in angles]
    assert angles[int(np.argmax(scaled_forces))] == pytest.approx(0.16 / DEGREE, abs=1.0)
    declared = {f"tire.{w}.stiffness": 1.0 / (5.0 * DEGREE) for w in WHEELS}
    # the declared defaults; the car's file has other values
    declared.update({f"tire.{w}.side_friction": 1.0 for w in WHEELS})
    linear = np.array([-force_per_load(a, declared) for a in angles])
    assert angles[int(np.argmax(linear > linear.max() - 1e-9))] == pytest.approx(5.0, abs=1.0)
    magic_with_values = [-force_per_load(a, declared, MAGIC) for a in angles]
    assert magic_with_values[0] == pytest.approx(linear[0], rel=0.05), "both have the same slope at zero"


@pytest.mark.covers("CN-TIRE-04")
def test_linear_law_is_proportional_then_constant_and_grows_with_load():
    assert force_per_load(2.0, EQUAL) == pytest.approx(2.0 * force_per_load(1.0, EQUAL))
    assert force_per_load(2.0, EQUAL) == pytest.approx(-12.0 * 2.0 * DEGREE)
    assert force_per_load(5.0, EQUAL) == force_per_load(20.0, EQUAL) == pytest.approx(-1.02)
    front_wheel_load = 2250.0 * 9.81 * 0.52 / 2.0  # N, of a car of twice the mass: 52 % on two front wheels
    heavy = sliding(3.0, EQUAL, mass=2250.0)
    assert heavy.read("tire.fl.lateral_force") == pytest.approx(force_per_load(3.0, EQUAL) * front_wheel_load, rel=1e-3)


@pytest.mark.covers("CN-TIRE-05")
def test_both_laws_have_the_same_slip_and_load():
    linear, magic = (Planar(NO_AIR, c).going(ahead=18.0, right=0.7, rate=0.2).tick(steer=0.1) for c in (None, MAGIC))
    assert magic.vehicle.sequence.by_slot["tire"].name == "magic_formula"
    for name in ("load", "lateral_slip"):
        assert np.array_equal(linear.wheels("tire", name), magic.wheels("tire", name))
    assert not np.array_equal(linear.wheels("tire", "lateral_force"), magic.wheels("tire", "lateral_force"))


@pytest.mark.covers("CN-SLIP-01")
def test_slip_angles_of_the_axles_are_opposite_in_a_rotation_on_the_spot():
    for rate in (0.8, -0.8):
        car = Planar(FREE).going(rate=rate).tick()
        front, rear = car.read("tire.fl.lateral_slip"), car.read("tire.rl.lateral_slip")
        assert front * rate < 0.0 < rear * rate
    moving = Planar(FREE).going(ahead=12.0, right=1.0, rate=0.5).tick()
    assert moving.read("tire.rr.lateral_slip") == pytest.approx(math.atan((1.0 + 0.5 * 1.1775) / 12.0))


@pytest.mark.covers("CN-SLIP-02")
def test_steering_changes_slip_forward_and_in_reverse_but_not_when_sliding_sideways():
    steer = 0.3
    ahead, back, sideways = (Planar(FREE).going(ahead=v, right=0.2).tick(steer=steer) for v in (5.0, -5.0, 0.0))
    angle = -ahead.read("steering.fl.angle")  # rad, to the right
    assert angle > 0.1
    assert ahead.read("tire.fl.lateral_slip") == pytest.approx(math.atan(0.2 / 5.0) - angle)
    assert back.read("tire.fl.lateral_slip") == pytest.approx(math.atan(0.2 / 5.0) - back.read("steering.fl.angle"))
    unsteered = Planar(FREE).going(ahead=0.0, right=0.2).tick()
    assert sideways.read("tire.fl.lateral_slip") == unsteered.read("tire.fl.lateral_slip") == math.pi / 2
    forward = Planar().going(ahead=5.0).tick(120, steer=steer)
    assert forward.body("angular_velocity")[2] < -0.1, "to the right when driving forward"
    reverse = Planar().going(ahead=-5.0, gear=REVERSE).tick(120, steer=steer)
    assert reverse.body("angular_velocity")[2] > 0.1, "to the left when driving backwards"


@pytest.mark.covers("CN-TIRE-06")
def test_cornering_slows():
    straight = Planar(NO_AIR).going(ahead=15.0).tick(240, throttle=0.2)
    car = Planar(NO_AIR).going(ahead=15.0).tick(30, throttle=0.2, steer=0.3)
    front_force = car.wheels("tire", "lateral_force")[:2].sum()
    angle = -car.read("steering.fl.angle")  # rad, to the right
    assert front_force > 1000.0 and angle > 0.05
    # N, coefficient of rolling resistance times load
    rolling = 0.012 * (car.read("body.front_load") * math.cos(angle) + car.read("body.rear_load"))
    expected = car.sum("tire", "longitudinal_force") - front_force * math.sin(angle) - rolling
    assert car.read("body.force_long") == pytest.approx(expected, rel=1e-3)
    car.tick(210, throttle=0.2, steer=0.3)
    assert np.hypot(*car.body("velocity")[:2]) < np.hypot(*straight.body("velocity")[:2]) - 0.3


@pytest.mark.parametrize("tick", [1.0 / 30.0, 1.0 / 60.0, 1.0 / 240.0])
@pytest.mark.parametrize("inertia", [300.0, 1300.0, 20000.0])
def test_lateral_force_stops_a_slide_without_oscillation(tick, inertia):
    """The explicit Euler steps of the article would reverse a slow slide again and again."""
    car = Planar({"body.yaw_inertia": inertia}, tick=tick).going(ahead=0.05, right=0.8, rate=0.5)
    slides = [math.hypot(0.8, 0.5)]  # size of (lateral speed in m/s, yaw rate in rad/s)
    for _ in range(round(2.0 / tick)):
        car.tick(brake=0.2, steer=0.5)
        slides.append(np.hypot(car.read("body.v_lat"), car.body("angular_velocity")[2]))
    assert max(slides) < 1.0 and slides[-1] < 0.02
    assert np.diff(slides).max() < 0.02


def test_the_handbrake_locks_the_rear_wheels_and_turns_the_car_further():
    headings = []
    for lever in (0.0, 1.0):
        car = Planar().going(ahead=14.0).tick(60, steer=-1.0).tick(240, steer=-1.0, handbrake=lever)
        headings.append(car.heading)
    assert headings[0] > 0.3 and headings[1] > headings[0] + 0.6
    assert car.read("tire.rl.longitudinal_slip") == -1.0 and car.read("wheel.rl.omega") == 0.0
    assert car.sum("tire", "lateral_force") != 0.0
