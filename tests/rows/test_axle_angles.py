"""Heading, pitch and roll of a body on solid axles, and the response of its springs, bars and tires."""

import math

import numpy as np
import pytest
from drive_rig import Drive
from row_rig import call, each_wheel

from driving_sandbox.physics.body.heading import roll_rate, yaw_rate
from driving_sandbox.physics.body.rigid_body import small_rotation
from driving_sandbox.physics.body.sprung import spin_on_road
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.maths import quat
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

CAR = ROOT / "tests" / "reference" / "data" / "commonroad" / "sedan.yaml"
RADIUS = 0.344  # m, of the wheels
TRAVEL = 0.5  # m, of the suspension
MOMENTS = (1565.818, 207.265, 1791.6)  # kg m^2, inertia in pitch, roll and yaw
RIGHT, AHEAD, UP = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
ROLL = 0.1  # rad, right side down
PITCH = -0.04  # rad, nose down
STEER = 0.2  # rad


def pitched_and_rolled(roll=ROLL, pitch=PITCH):
    """Orientation of a body that is first pitched and then rolled about its own longitudinal axis; angles: rad."""
    return quat.multiply((math.sin(0.5 * pitch), 0.0, 0.0, math.cos(0.5 * pitch)),
                         (0.0, math.sin(0.5 * roll), 0.0, math.cos(0.5 * roll)))  # fmt: skip


def body_spin(yaw, pitching, rolling, pitch=PITCH):
    """Angular velocity in world axes of a body that heads along y, from its yaw, pitch and roll rates, rad/s.

    pitch: its pitch angle, rad.
    """
    return np.array([pitching, rolling * math.cos(pitch), yaw + rolling * math.sin(pitch)])


@pytest.fixture
def drive():
    """The sedan at rest."""
    return Drive(load_vehicle(CAR)).run(4.0)


def test_roll_and_yaw_rates_are_recovered_from_the_angular_velocity():
    nose = quat.rotate(pitched_and_rolled(), AHEAD)
    w = tuple(body_spin(0.4, 0.3, 0.7))
    assert roll_rate(w, nose, AHEAD) == pytest.approx(0.7, rel=1e-12)
    assert yaw_rate(w, nose, AHEAD, UP) == pytest.approx(0.4, rel=1e-12)


def test_rolling_and_pitching_at_once_keeps_the_heading():
    """The body rolls at 0.6 rad/s and pitches at 0.3 rad/s for 333 ms, without a change of heading.

    If it rolled about a horizontal axis, its heading would change by the integral of roll rate times pitch, 0.1 degree.
    """
    dt, pitching, rolling = 1e-3, 0.3, 0.6
    q, w = pitched_and_rolled(0.0), tuple(body_spin(0.0, pitching, rolling))
    for _ in range(333):
        q = quat.normalize(quat.multiply(small_rotation(tuple(dt * x for x in w)), q))
        nose = quat.rotate(q, AHEAD)
        ahead = np.array([nose[0], nose[1], 0.0]) / math.hypot(nose[0], nose[1])
        right = np.array([ahead[1], -ahead[0], 0.0])
        w = spin_on_road(w, nose, tuple(right), tuple(ahead), UP, (0.0, 0.0, 0.0), MOMENTS, dt)
    nose, side = quat.rotate(q, AHEAD), quat.rotate(q, RIGHT)
    assert math.atan2(nose[0], nose[1]) == pytest.approx(0.0, abs=1e-4)
    assert math.asin(nose[2]) == pytest.approx(PITCH + 0.333 * pitching, abs=2e-4)
    assert math.asin(-side[2] / math.cos(math.asin(nose[2]))) == pytest.approx(0.333 * rolling, abs=2e-4)


def test_bars_of_a_pitched_body_roll_it_without_yaw(drive):
    body = drive.vehicle.state["body"][0]
    body["orientation"], body["angular_velocity"] = pitched_and_rolled(), 0.0
    nose = quat.rotate(pitched_and_rolled(), AHEAD)
    before = body.copy()

    def spin_after_step(torque):
        """Angular velocity after a step; torque: of the anti-roll bars about the longitudinal axis of the body, N m."""
        drive.vehicle.state["body"][0] = before
        drive.vehicle.state["antiroll"][0]["torque"] = quat.rotate(pitched_and_rolled(), (0.0, torque, 0.0))
        call(drive.vehicle, "body", "velocity")
        return tuple(drive.body("angular_velocity").tolist())

    dt = 1.0 / 960.0
    bars, none = spin_after_step(1000.0), spin_after_step(0.0)
    assert roll_rate(bars, nose, AHEAD) - roll_rate(none, nose, AHEAD) == pytest.approx(
        1000.0 / MOMENTS[1] * dt, rel=1e-3
    )
    assert abs(yaw_rate(bars, nose, AHEAD, UP) - yaw_rate(none, nose, AHEAD, UP)) < 1e-6


@pytest.mark.parametrize("stretch", ["length", "angles"])
def test_a_rolled_body_compresses_its_springs_by_length_or_by_angles(drive, stretch):
    """By length: how far the wheel centre must move up from full droop until it is one wheel radius above the road.

    That is measured along the body's vertical axis.
    By angles: a corner (x, y) of the body is h / cos(roll) - x roll + y pitch above its wheel centre, where h is the
    height of the centre of mass above the wheel centres.
    """
    vehicle = drive.vehicle
    vehicle.set_many(each_wheel("suspension", stretch=stretch))
    body, suspension = vehicle.state["body"][0], vehicle.state["suspension"][0]
    body["orientation"] = pitched_and_rolled()
    suspension["axle_lean"][:4] = 0.0
    height, arms = float(body["position"][2]), vehicle.params["suspension"][0]["arm"][:4]
    below = TRAVEL - arms[:, 2]  # m, from the centre of mass down to the wheel centres at full droop
    if stretch == "angles":
        expected = below - (height - RADIUS) / math.cos(ROLL) + arms[:, 0] * ROLL - arms[:, 1] * PITCH
    else:
        ends = np.array(
            [quat.rotate(pitched_and_rolled(), (x, y, -z)) for (x, y, _), z in zip(arms, below, strict=True)]
        )
        expected = (RADIUS - height - ends[:, 2]) / (math.cos(ROLL) * math.cos(PITCH))
    call(vehicle, "suspension")
    assert suspension["road_jounce"][:4] == pytest.approx(expected, abs=1e-9)


def test_the_lean_of_an_axle_changes_the_jounce_of_its_wheels_under_a_rolled_body(drive):
    """A lean s of the axle, rad, adds (x s (1 - c) - R s^2 / 2) / c to the jounce.

    x: lateral position of the wheel, R: its radius, c: cosine of the angle between the body's vertical axis and z.
    """
    body, suspension, lean = drive.vehicle.state["body"][0], drive.vehicle.state["suspension"][0], 0.02
    body["orientation"] = pitched_and_rolled()

    def road_jounce(axle_lean):
        suspension["axle_lean"][:4] = axle_lean
        call(drive.vehicle, "suspension")
        return suspension["road_jounce"][:4].copy()

    x, cosine = drive.vehicle.params["suspension"][0]["arm"][:4, 0], math.cos(ROLL) * math.cos(PITCH)
    expected = (x * lean * (1.0 - cosine) - 0.5 * RADIUS * lean * lean) / cosine
    assert road_jounce(lean) - road_jounce(0.0) == pytest.approx(expected, abs=1e-9)


def test_with_angles_dampers_ignore_the_height_change_of_a_rolled_body(drive):
    """The change of h / cos(roll) lengthens the springs at h tan(roll) x roll rate; the dampers must ignore that part.

    h: height of the body above the wheel centres of an axle, along the body's vertical axis.
    `roll_damper_force` is the damper force that it would cause, and the suspension subtracts it.
    """
    vehicle, rolling = drive.vehicle, 0.5
    body, suspension = vehicle.state["body"][0], vehicle.state["suspension"][0]
    body["orientation"], body["angular_velocity"] = pitched_and_rolled(), body_spin(0.0, 0.0, rolling)
    jounce, p, start = suspension["jounce"][:4].copy(), vehicle.params["suspension"][0], vehicle.snapshot()
    rates = p["damping"][:4].copy()
    p["damping"][:4] = 0.0
    call(vehicle, "suspension")
    without_dampers = suspension["external_force"][:4].copy()
    vehicle.restore(start)
    p["damping"][:4] = rates
    call(vehicle, "suspension")
    mean = np.repeat(0.5 * (jounce[::2] + jounce[1::2]), 2)
    h = TRAVEL - p["arm"][:4, 2] - p["arm"][:4, 1] * PITCH - mean
    expected = -p["damping"][:4] * h * math.tan(ROLL) * rolling
    assert suspension["roll_damper_force"][:4] == pytest.approx(expected, rel=1e-9)
    assert expected[0] < -10.0
    assert suspension["external_force"][:4] - without_dampers == pytest.approx(expected, rel=1e-6)
    roll_damper_force, dt = suspension["roll_damper_force"][:4].copy(), 1.0 / 960.0
    call(vehicle, "suspension", "force", dt)
    body_force = suspension["body_force"][:4].copy()
    suspension["roll_damper_force"][:4] = 0.0
    call(vehicle, "suspension", "force", dt)
    assert body_force - suspension["body_force"][:4] == pytest.approx(-roll_damper_force, rel=1e-9)
    vehicle.set_many(each_wheel("suspension", stretch="length"))
    call(vehicle, "suspension")
    assert (suspension["roll_damper_force"][:4] == 0.0).all()


def test_camber_follows_body_roll_and_forces_follow_the_steer_angle(drive):
    """With `roll_scrub: 0`, camber is the body's roll plus the wheel's camber relative to the body.

    Tire forces act along the level road, in directions that depend on the steering angle but not on the body's roll.
    """
    state = drive.vehicle.state
    state["body"][0]["orientation"], state["steering"][0]["angle"][:2] = pitched_and_rolled(), STEER
    state["body"][0]["velocity"], state["body"][0]["angular_velocity"] = (-0.5, 20.0, 0.0), body_spin(0.1, 0.2, 0.5)
    call(drive.vehicle, "tire", "slip")
    tire, camber_to_body = state["tire"][0], state["compliance"][0]["camber"][:4]
    assert tire["camber"][:4] == pytest.approx(ROLL + camber_to_body, abs=1e-9)
    for i, angle in enumerate((STEER, STEER, 0.0, 0.0)):
        assert tire["longitudinal"][i] == pytest.approx([-math.sin(angle), math.cos(angle), 0.0], abs=1e-6)
        assert tire["lateral"][i] == pytest.approx([math.cos(angle), math.sin(angle), 0.0], abs=1e-6)
