"""Solid axles as bodies under a sprung body: the multi-body sedan compared with closed-form solutions."""

import math
import re

import numpy as np
import pytest
from drive_rig import GRAVITY, Drive
from row_rig import call, each_wheel

from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.maths.quat import multiply, rotate
from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.suspension.suspension import IN_AIR
from driving_sandbox.physics.tick.commands import FIRST
from driving_sandbox.physics.vehicle.swap import plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

CAR = ROOT / "tests" / "reference" / "data" / "commonroad" / "sedan.yaml"
TICKS = (1.0 / 500.0, 1.0 / 60.0)  # s
MASS = 1093.295  # kg, whole car
HUB = 31.896  # kg, mass of half an axle
SPRUNG = MASS - 4.0 * HUB  # kg
SPRINGS = np.array([24453.14, 24453.14, 19635.5, 19635.5])  # N/m
TIRE = 158294.0  # N/m, vertical stiffness
JOINT = 2.0 / 1.14164e-5  # N/m, lateral stiffness of the joint of an axle
TIRE_COMPLIANCE = 1.64307e-5  # m/N, lateral
RADIUS, HALF_TRACK = 0.344, 0.69342  # m
FULL_LOCK = 1.066  # rad, angle of the front wheels at full command
HEIGHT = 300.0  # m, height of the car in tests of free fall


@pytest.fixture
def drive():
    """The sedan at rest."""
    return Drive(load_vehicle(CAR)).run(4.0)


def settled(tick, **values):
    """A Drive whose car has come to rest with its own dampers and has then been given other suspension values."""
    vehicle = load_vehicle(CAR)
    drive = Drive(vehicle, tick=tick).run(5.0)
    vehicle.set_many(each_wheel("suspension", **values))
    return drive


def test_at_rest_springs_carry_the_body_and_tires_the_axles_too(drive):
    loads, body_forces = drive.wheels("suspension", "force"), drive.wheels("suspension", "body_force")
    # m: distances of the other axle from the centre of mass, wheelbase
    shares = np.array([1.42275, 1.42275, 1.15615, 1.15615]) / (2.0 * 2.5789)
    assert body_forces == pytest.approx(SPRUNG * GRAVITY * shares, rel=2e-3)
    assert loads - body_forces == pytest.approx([HUB * GRAVITY] * 4, rel=1e-3)
    assert np.linalg.norm(drive.body("velocity")) < 1e-4


def test_a_struck_axle_hops_and_the_body_bounces_at_the_frequencies_of_three_masses():
    """The spectrum of the front left jounce has peaks at two frequencies that follow from the stiffness matrix of a
    body on two axles: the higher frequency of axle hop (within 3 %), and the mean of the frequencies of heave and
    pitch (within 20 %)."""
    drive = settled(TICKS[0], damping=0.0, tire_damping=0.0)
    a, b, inertia = 1.15615, 1.42275, 1565.818  # m, from the centre of mass to the axles; kg m^2, in pitch
    k, mass = 2.0 * SPRINGS[::2], np.diag([SPRUNG, inertia, 2.0 * HUB, 2.0 * HUB])
    # rows: deflections of the front and rear springs; columns: heave, pitch, rise of the front axle, of the rear axle
    deflections = np.array([[1.0, a, -1.0, 0.0], [1.0, -b, 0.0, -1.0]])
    stiffness = (deflections.T * k) @ deflections + np.diag([0.0, 0.0, 2.0 * TIRE, 2.0 * TIRE])
    expected = np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(mass, stiffness)).real)) / math.tau
    drive.vehicle.state["suspension"][0]["jounce_speed"][:2] += 0.2
    z = drive.log(4.0, lambda d: d.wheels("suspension", "jounce")[0], every=TICKS[0])
    power = np.abs(np.fft.rfft((z - z.mean()) * np.hanning(len(z))))
    frequency = np.fft.rfftfreq(len(z), TICKS[0])
    high = frequency > 5.0
    assert frequency[high][power[high].argmax()] == pytest.approx(expected[2:].max(), rel=0.03)
    assert frequency[~high][power[~high].argmax()] == pytest.approx(expected[:2].mean(), rel=0.2)


@pytest.mark.parametrize("tick", TICKS)
def test_axles_pass_their_lateral_momentum_to_the_body(tick):
    """In free fall with the axles at full droop, the lateral momentum of body and axles is conserved within 3 %."""
    drive = Drive(load_vehicle(CAR), tick=tick).run(2.0)
    drive.vehicle.state["body"][0]["position"][2] += HEIGHT
    drive.run(1.0)
    drive.vehicle.state["suspension"][0]["axle_speed"][:4] = 0.3

    def momentum():
        lateral = drive.wheels("suspension", "hub_velocity")[:, 0] + drive.wheels("suspension", "axle_speed")
        return SPRUNG * drive.body("velocity")[0] + HUB * lateral.sum()

    before = momentum()
    drive.run(0.2)
    assert before > 35.0 and momentum() == pytest.approx(before, rel=0.03)
    assert abs(drive.wheels("suspension", "axle_speed")).max() < 0.05
    assert drive.body("velocity")[0] > 0.02


def cornering(speed=20.0, steer=0.02):
    """The car after 3 s in a bend to the left.

    speed: m/s.
    steer: angle of the front wheels, rad.
    """
    drive = Drive(load_vehicle(CAR), tick=TICKS[0]).run(4.0)
    drive.vehicle.state["body"][0]["velocity"][1] = speed
    drive.vehicle.state["wheel"][0]["omega"][:4] = speed / RADIUS
    return drive.run(3.0, steer=-steer / FULL_LOCK, gear=FIRST)


def test_in_a_bend_the_joints_carry_the_body_and_the_tires_the_whole_car():
    """At lateral acceleration a and roll f the joints carry m_s (a cos f + g sin f) across the body, the tires m a.

    m_s: sprung mass, m: mass of the whole car.
    """
    drive = cornering()
    acceleration = float(drive.body("angular_velocity")[2] * np.hypot(*drive.body("velocity")[:2]))
    right = rotate(tuple(drive.body("orientation").tolist()), (1.0, 0.0, 0.0))
    roll = -math.asin(right[2])
    assert 0.02 < roll < 0.1 and acceleration > 2.0
    joint = -drive.wheels("suspension", "joint_force").sum()
    assert joint == pytest.approx(SPRUNG * (acceleration * math.cos(roll) + GRAVITY * math.sin(roll)), rel=0.01)
    assert -drive.wheels("tire", "lateral_force").sum() == pytest.approx(MASS * acceleration, rel=0.01)
    travel = drive.wheels("suspension", "axle_travel")
    assert travel[0] == travel[1] and travel[2] == travel[3]
    jounce = drive.wheels("suspension", "jounce")
    deflection = travel[0] - RADIUS * (jounce[0] - jounce[1]) / (2.0 * HALF_TRACK)
    assert JOINT * deflection == pytest.approx(2.0 * drive.wheels("suspension", "joint_force")[0], rel=0.02)


def test_the_load_transfer_of_the_front_axle_balances_its_moments():
    """Moments about the axle's centre: springs, joint, side forces, and wheel loads that the tires' lateral deflection
    and the axle's tilt shift sideways."""
    drive = cornering()
    load, spring = drive.wheels("suspension", "force")[:2], drive.wheels("suspension", "body_force")[:2]
    spring = spring + drive.wheels("suspension", "bar_force")[:2]
    side, joint = -drive.wheels("tire", "lateral_force")[:2], -2.0 * drive.wheels("suspension", "joint_force")[0]
    tire_deflection, lean = load.mean() / TIRE, drive.wheels("suspension", "axle_lean")[0]
    moment = (spring[1] - spring[0]) * HALF_TRACK - joint * RADIUS + side.sum() * (RADIUS - tire_deflection)
    moment += TIRE_COMPLIANCE * (load * side).sum() + RADIUS * math.sin(lean) * load.sum()
    assert (load[1] - load[0]) * HALF_TRACK == pytest.approx(moment, rel=0.01)
    assert load[1] - load[0] > 500.0


def test_braking_in_a_bend_pitches_the_leaning_body_and_hardly_turns_it():
    """Equal braking forces on all wheels change the yaw rate by less than 5 % of the change of the pitch rate.

    On a plain rigid body they would have a yaw moment, because its centre of mass moves sideways with roll.
    """
    drive = cornering()
    rate = drive.body("angular_velocity")[2]
    state, force = drive.vehicle.state, -1000.0
    state["tire"][0]["longitudinal_force"][:4] = force
    before = state["body"][0].copy()

    def spin_after_step(longitudinal_force):
        state["body"][0] = before
        state["tire"][0]["longitudinal_force"][:4] = longitudinal_force
        call(drive.vehicle, "body", "velocity")
        return state["body"][0]["angular_velocity"].copy()

    spin_change = spin_after_step(force) - spin_after_step(0.0)
    yaw_change, heading = spin_change[2], rotate(tuple(before["orientation"].tolist()), (0.0, 1.0, 0.0))
    pitch_change = float(np.dot(spin_change, np.cross(heading, (0.0, 0.0, 1.0))))
    assert abs(rate) > 0.1 and pitch_change < 0.0
    assert abs(yaw_change) < 0.05 * abs(pitch_change)


@pytest.mark.parametrize(("slot", "choice", "text"), [
    ("suspension", "axle_bodies", "need `components: {body: sprung}`"),
    ("body", "sprung", "needs `components: {suspension: axle_bodies}`"),
])  # fmt: skip
def test_a_sprung_body_and_axle_bodies_are_refused_without_each_other(slot, choice, text):
    vehicle = load_vehicle("roadster_simple")
    with pytest.raises(SchemaError, match=re.escape(text)):
        swapped_vehicle(vehicle, plan_swap(vehicle, slot, choice))


@pytest.mark.parametrize(("values", "text"), [
    ({"suspension.fl.attachment": [-0.5, 1.3, 0.5]}, "needs a mirror image"),
    (each_wheel("suspension", unsprung_mass=300.0), "must be lighter than the whole vehicle"),
    ({"body.principal_inertia": [1500.0, 0.0, 1500.0]}, "give all three"),
])  # fmt: skip
def test_values_that_make_no_axles_are_refused(values, text):
    vehicle = load_vehicle(CAR)
    with pytest.raises(SchemaError, match=text):
        vehicle.set_many(values)


@pytest.mark.parametrize("tick", TICKS)
def test_a_dropped_car_lands_and_comes_to_rest(tick):
    drive = Drive(load_vehicle(CAR), tick=tick).run(2.0)
    drive.vehicle.state["body"][0]["position"][2] += 0.8
    drive.run(0.2)
    assert not drive.wheels("suspension", "on_ground").any()
    drive.run(6.0, brake=1.0)
    assert drive.wheels("suspension", "force").sum() == pytest.approx(MASS * GRAVITY, rel=5e-3)
    assert np.linalg.norm(drive.body("velocity")) < 1e-2


def test_tires_that_meet_the_road_deflect_at_the_closing_speed_of_the_body(drive):
    body, state = drive.vehicle.state["body"][0], drive.vehicle.state["suspension"][0]
    body["velocity"], body["angular_velocity"] = (0.0, 0.0, -2.0), 0.0
    state["road_jounce"][:4], state["jounce_speed"][:4] = -IN_AIR, 0.0
    call(drive.vehicle, "suspension")
    level = rotate(tuple(body["orientation"].tolist()), (0.0, 0.0, 1.0))[2]
    closing_speeds = state["deflection_speed"][:4] + state["jounce_speed"][:4] * level
    assert closing_speeds == pytest.approx([2.0] * 4, rel=1e-9)


def test_a_car_dropped_on_its_side_ends_below_1_m_s():
    drive = Drive(load_vehicle(CAR), tick=1.0 / 240.0).run(1.0)
    drive.vehicle.state["body"][0]["position"][2] += 1.0
    # rolled by 1.6 rad to the right
    drive.vehicle.state["body"][0]["orientation"] = (0.0, math.sin(0.8), 0.0, math.cos(0.8))
    drive.run(6.0)
    assert np.isfinite(drive.body("position")).all()
    assert np.linalg.norm(drive.body("velocity")) < 1.0


def test_treads_move_with_the_centre_of_mass_however_the_body_leans_pitches_and_rolls(drive):
    """With `roll_scrub: 0`, a tread at (x to the right, y forward) moves at v + x r forward and u - y r to the right.

    These components are then turned by the steering angle. v, u: velocity of the centre of mass forward and to the
    right, r: yaw rate to the left.
    """
    state, vehicle, steer = drive.vehicle.state, drive.vehicle, 0.05
    body, roll, pitch, yaw_rate = state["body"][0], 0.1, 0.03, 0.4
    body["orientation"] = multiply((math.sin(pitch / 2), 0.0, 0.0, math.cos(pitch / 2)),
                                   (0.0, math.sin(roll / 2), 0.0, math.cos(roll / 2)))  # fmt: skip
    body["velocity"] = (-0.5, 20.0, 0.1)
    # the last term keeps the heading while the body rolls with its nose up
    body["angular_velocity"] = (0.3, 0.6, yaw_rate + 0.6 * math.tan(pitch))
    state["steering"][0]["angle"][:2] = steer
    arms = vehicle.params["suspension"][0]["arm"][:4]
    state["suspension"][0]["jounce_speed"][:4] = 0.6 * arms[:, 0]  # the axles do not roll
    call(vehicle, "tire", "slip")
    tire = state["tire"][0]
    for i, angle in enumerate((steer, steer, 0.0, 0.0)):
        x, y, _ = arms[i]
        ahead, right = 20.0 + yaw_rate * x, -0.5 - yaw_rate * y
        longitudinal, lateral = (ahead * math.cos(angle) - right * math.sin(angle),
                                 right * math.cos(angle) + ahead * math.sin(angle))  # fmt: skip
        assert tire["longitudinal_speed"][i] == pytest.approx(longitudinal, abs=1e-6)
        assert tire["lateral_speed"][i] == pytest.approx(lateral, abs=1e-6)
