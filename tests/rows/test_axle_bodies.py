"""Solid axles as bodies under a sprung body: the multi-body sedan against closed solutions."""

import math

import numpy as np
import pytest
from drive_rig import GRAVITY, Drive
from row_rig import WHEELS, call, every

from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.maths.quat import multiply, rotate
from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.suspension.suspension import IN_AIR
from driving_sandbox.physics.vehicle.swap import plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

CAR = ROOT / "tests" / "reference" / "data" / "commonroad" / "sedan.yaml"
TICKS = (1.0 / 500.0, 1.0 / 60.0)
MASS, HUB = 1093.295, 31.896  # kg: of all, and of half an axle
SPRUNG = MASS - 4.0 * HUB
SPRINGS, TIRE = np.array([24453.14, 24453.14, 19635.5, 19635.5]), 158294.0  # N/m
JOINT, JOINT_LOSS = 2.0 / 1.14164e-5, 2.0 * 5107.87  # N/m and N s/m of an axle
HEIGHT = 300.0  # m, above all that could be touched


@pytest.fixture
def drive():
    return Drive(load_vehicle(CAR)).run(4.0)


def settled(tick, **values):
    """A Drive of the car that has come to rest with dampers, and then gets other values."""
    vehicle = load_vehicle(CAR)
    drive = Drive(vehicle, tick=tick).run(5.0)
    vehicle.set_many(every("suspension", **values))
    return drive


def test_at_rest_springs_carry_the_body_and_tires_the_axles_too(drive):
    loads, pushes = drive.wheels("suspension", "force"), drive.wheels("suspension", "body_force")
    shares = np.array([1.42275, 1.42275, 1.15615, 1.15615]) / (2.0 * 2.5789)
    assert pushes == pytest.approx(SPRUNG * GRAVITY * shares, rel=2e-3)
    assert loads - pushes == pytest.approx([HUB * GRAVITY] * 4, rel=1e-3)
    assert np.linalg.norm(drive.body("velocity")) < 1e-4


def test_axles_and_body_bounce_at_the_rates_of_three_masses():
    """Heave, pitch and the hop of both axles: four rates of a body on two hubs; each sets in where it is struck."""
    drive = settled(TICKS[0], damping=0.0, tire_damping=0.0)
    a, b, inertia = 1.15615, 1.42275, 1565.818
    k, mass = 2.0 * SPRINGS[::2], np.diag([SPRUNG, inertia, 2.0 * HUB, 2.0 * HUB])
    ways = np.array([[1.0, a, -1.0, 0.0], [1.0, -b, 0.0, -1.0]])  # of the springs
    stiff = (ways.T * k) @ ways + np.diag([0.0, 0.0, 2.0 * TIRE, 2.0 * TIRE])
    expected = np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(mass, stiff)).real)) / math.tau
    drive.vehicle.state["suspension"][0]["jounce_speed"][:2] += 0.2
    z = drive.log(4.0, lambda d: d.wheels("suspension", "jounce")[0], every=TICKS[0])
    power = np.abs(np.fft.rfft((z - z.mean()) * np.hanning(len(z))))
    rate = np.fft.rfftfreq(len(z), TICKS[0])
    high = rate > 5.0
    assert rate[high][power[high].argmax()] == pytest.approx(expected[2:].max(), rel=0.03)
    assert rate[~high][power[~high].argmax()] == pytest.approx(expected[:2].mean(), rel=0.2)


@pytest.mark.parametrize("tick", TICKS)
def test_an_axle_swings_in_its_joint_and_no_momentum_is_lost(tick):
    """In free fall, axles at the ends of their travel: what they lose sideways is the body's, which it also rolls."""
    drive = Drive(load_vehicle(CAR), tick=tick).run(2.0)
    drive.vehicle.state["body"][0]["position"][2] += HEIGHT
    drive.run(1.0)
    drive.vehicle.state["suspension"][0]["axle_speed"][:4] = 0.3

    def momentum():
        across = drive.wheels("suspension", "hub_velocity")[:, 0] + drive.wheels("suspension", "axle_speed")
        return SPRUNG * drive.body("velocity")[0] + HUB * across.sum()

    before = momentum()
    drive.run(0.2)
    assert before > 35.0 and momentum() == pytest.approx(before, rel=0.03)
    assert abs(drive.wheels("suspension", "axle_speed")).max() < 0.05
    assert drive.body("velocity")[0] > 0.02


def cornering(speed=20.0, steer=0.02):
    drive = Drive(load_vehicle(CAR), tick=TICKS[0]).run(4.0)
    drive.vehicle.state["body"][0]["velocity"][1] = speed
    drive.vehicle.state["wheel"][0]["omega"][:4] = speed / 0.344
    return drive.run(3.0, steer=-steer / 1.066, gear=2)


def test_in_a_bend_the_joint_holds_what_pulls_the_body_outwards():
    """Across the leaning body: m_s (a cos + g sin); sideways the tires hold all of the car."""
    drive = cornering()
    pull = float(drive.body("angular_velocity")[2] * np.hypot(*drive.body("velocity")[:2]))
    right = rotate(tuple(drive.body("orientation").tolist()), (1.0, 0.0, 0.0))
    lean = -math.asin(right[2])
    assert 0.02 < lean < 0.1 and pull > 2.0
    joint = -drive.wheels("suspension", "joint_force").sum()
    assert joint == pytest.approx(SPRUNG * (pull * math.cos(lean) + GRAVITY * math.sin(lean)), rel=0.01)
    assert -drive.wheels("tire", "lateral_force").sum() == pytest.approx(MASS * pull, rel=0.01)
    travel = drive.wheels("suspension", "axle_travel")
    assert travel[0] == travel[1] and travel[2] == travel[3]
    jounce, x = drive.wheels("suspension", "jounce"), 0.69342
    bent = travel[0] - 0.344 * (jounce[0] - jounce[1]) / (2.0 * x)
    assert JOINT * bent == pytest.approx(2.0 * drive.wheels("suspension", "joint_force")[0], rel=0.02)


def test_loads_move_outwards_by_the_moment_of_axle_and_body():
    """About the centre of the front axle: springs, joint, side forces, and loads beside their wheels."""
    drive = cornering()
    load, push = drive.wheels("suspension", "force")[:2], drive.wheels("suspension", "body_force")[:2]
    push = push + drive.wheels("suspension", "bar_force")[:2]
    side, joint = -drive.wheels("tire", "lateral_force")[:2], -2.0 * drive.wheels("suspension", "joint_force")[0]
    sunk, lean, half = load.mean() / TIRE, drive.wheels("suspension", "axle_lean")[0], 0.69342
    moment = (push[1] - push[0]) * half - joint * 0.344 + side.sum() * (0.344 - sunk)
    moment += 1.64307e-5 * (load * side).sum() + 0.344 * math.sin(lean) * load.sum()
    assert (load[1] - load[0]) * half == pytest.approx(moment, rel=0.01)
    assert load[1] - load[0] > 500.0


def test_braking_in_a_bend_pitches_and_does_not_turn_the_leaning_body():
    """Equal braking forces at both sides of both axles: no yaw moment, however far the body stands out; a plain rigid
    body has the braking force at half a lean's width. Pitch is F H against the springs."""
    drive = cornering()
    rate = drive.body("angular_velocity")[2]
    state, force = drive.vehicle.state, -1000.0
    state["tire"][0]["longitudinal_force"][:4] = force
    before = state["body"][0].copy()

    def change(value):
        state["body"][0] = before
        state["tire"][0]["longitudinal_force"][:4] = value
        call(drive.vehicle, "body", "velocity")
        return state["body"][0]["angular_velocity"].copy()

    impulse = change(force) - change(0.0)
    normal_part, heading = impulse[2], rotate(tuple(before["orientation"].tolist()), (0.0, 1.0, 0.0))
    pitched = float(np.dot(impulse, np.cross(heading, (0.0, 0.0, 1.0))))
    assert abs(rate) > 0.1 and pitched < 0.0
    assert abs(normal_part) < 0.05 * abs(pitched)


@pytest.mark.parametrize(("slot", "choice", "text"), [
    ("suspension", "axle_bodies", "need `components: {body: sprung}`"),
    ("body", "sprung", "needs `components: {suspension: axle_bodies}`"),
])  # fmt: skip
def test_one_without_the_other_is_refused(slot, choice, text):
    vehicle = load_vehicle("roadster_simple")
    with pytest.raises(SchemaError, match=text.replace("{", r"\{").replace("}", r"\}")):
        swapped_vehicle(vehicle, plan_swap(vehicle, slot, choice))


@pytest.mark.parametrize(("values", "text"), [
    ({"suspension.fl.attachment": [-0.5, 1.3, 0.5]}, "needs a mirror image"),
    (every("suspension", unsprung_mass=300.0), "must be lighter than the whole vehicle"),
    ({"body.principal_inertia": [1500.0, 0.0, 1500.0]}, "give all three"),
])  # fmt: skip
def test_what_makes_no_axles_is_refused(values, text):
    vehicle = load_vehicle(CAR)
    with pytest.raises(SchemaError, match=text):
        vehicle.set_many(values)


@pytest.mark.parametrize("tick", TICKS)
def test_it_flies_lands_and_comes_to_rest(tick):
    drive = Drive(load_vehicle(CAR), tick=tick).run(2.0)
    drive.vehicle.state["body"][0]["position"][2] += 0.8
    drive.run(0.2)
    assert not drive.wheels("suspension", "on_ground").any()
    drive.run(6.0, brake=1.0)
    assert drive.wheels("suspension", "force").sum() == pytest.approx(MASS * GRAVITY, rel=5e-3)
    assert np.linalg.norm(drive.body("velocity")) < 1e-2


def test_a_road_seen_for_the_first_time_comes_as_fast_as_the_body_closes_on_it(drive):
    body, state = drive.vehicle.state["body"][0], drive.vehicle.state["suspension"][0]
    body["velocity"], body["angular_velocity"] = (0.0, 0.0, -2.0), 0.0
    state["road_jounce"][:4], state["jounce_speed"][:4] = -IN_AIR, 0.0
    call(drive.vehicle, "suspension")
    level = rotate(tuple(body["orientation"].tolist()), (0.0, 0.0, 1.0))[2]
    closing_speeds = state["deflection_speed"][:4] + state["jounce_speed"][:4] * level
    assert closing_speeds == pytest.approx([2.0] * 4, rel=1e-9)


def test_on_its_side_it_lies_still_without_a_fault():
    drive = Drive(load_vehicle(CAR), tick=1.0 / 240.0).run(1.0)
    drive.vehicle.state["body"][0]["position"][2] += 1.0
    drive.vehicle.state["body"][0]["orientation"] = (0.0, math.sin(0.8), 0.0, math.cos(0.8))
    drive.run(6.0)
    assert np.isfinite(drive.body("position")).all()
    assert len(WHEELS) == 4 and np.linalg.norm(drive.body("velocity")) < 1.0


def test_treads_slip_by_the_centre_of_mass_however_the_body_leans_pitches_and_rolls(drive):
    """With `roll_scrub: 0`: ahead v - x r, to the right v_y + y r turned by the steering."""
    state, vehicle, steer = drive.vehicle.state, drive.vehicle, 0.05
    body, roll, pitch, yaw_rate = state["body"][0], 0.1, 0.03, 0.4
    body["orientation"] = multiply((math.sin(pitch / 2), 0.0, 0.0, math.cos(pitch / 2)),
                                   (0.0, math.sin(roll / 2), 0.0, math.cos(roll / 2)))  # fmt: skip
    body["velocity"] = (-0.5, 20.0, 0.1)
    body["angular_velocity"] = (0.3, 0.6, yaw_rate + 0.6 * math.tan(pitch))  # rolling with the nose up turns no heading
    state["steering"][0]["angle"][:2] = steer
    arms = vehicle.params["suspension"][0]["arm"][:4]
    state["suspension"][0]["jounce_speed"][:4] = 0.6 * arms[:, 0]  # the axles do not roll
    call(vehicle, "tire", "slip")
    tire = state["tire"][0]
    for i, angle in enumerate((steer, steer, 0.0, 0.0)):
        x, y, _ = arms[i]
        ahead, right = 20.0 + yaw_rate * x, -0.5 - yaw_rate * y
        lengthwise, across = (ahead * math.cos(angle) - right * math.sin(angle),
                              right * math.cos(angle) + ahead * math.sin(angle))  # fmt: skip
        assert tire["longitudinal_speed"][i] == pytest.approx(lengthwise, abs=1e-6)
        assert tire["lateral_speed"][i] == pytest.approx(across, abs=1e-6)
