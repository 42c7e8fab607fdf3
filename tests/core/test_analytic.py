"""Textbook results at two step sizes: each within its tolerance, their difference within a third of it."""

import math

import numpy as np
import pytest
from drive_rig import GRAVITY, Drive, slope_ground

from driving_sandbox.physics.maths.quat import rotate
from driving_sandbox.physics.tick.commands import FIRST

TICKS = (1.0 / 120.0, 1.0 / 480.0)  # s


def at_both(measure, expected, tolerance):
    """Assert that measure(tick) is within the tolerance of theory at both steps, and that both differ by less than a
    third of it."""
    coarse, fine = (np.asarray(measure(tick), float) for tick in TICKS)
    assert np.all(np.abs(coarse - expected) <= tolerance), (coarse, expected)
    assert np.all(np.abs(fine - expected) <= tolerance), (fine, expected)
    assert np.all(np.abs(coarse - fine) <= tolerance / 3.0), (coarse, fine)


def settled(tick, ground=None, name="roadster_simple", **values):
    """A vehicle after 4 s with the brake on."""
    return Drive(name, ground, tick=tick, values=values or None).run(4.0, brake=1.0)


def rolling(drive, speed):
    """Give a settled vehicle a forward speed, m/s, with rolling wheels."""
    v = drive.vehicle
    q = tuple(drive.body("orientation").tolist())
    v.state["body"][0]["velocity"] = rotate(q, (0.0, speed, 0.0))
    v.state["wheel"][0]["omega"][:4] = speed / v.params["wheel"][0]["radius"][:4]
    return drive


def test_axle_loads_at_rest_follow_the_lever_rule():
    """F_front = m g b / L, F_rear = m g a / L within 0.5 %."""
    v = settled(TICKS[0]).vehicle
    weight = v.get("body.mass") * GRAVITY
    arms = v.params["suspension"][0]["arm"][:4, 1]
    base = arms[0] - arms[2]
    expected = np.array([-weight * arms[2], weight * arms[0]]) / base
    at_both(lambda t: settled(t).wheels("suspension", "force").reshape(2, 2).sum(axis=1), expected, 0.005 * expected)


def test_loads_on_a_slope_sum_to_the_weights_normal_component():
    """The sum is m g cos(slope), within 0.2 % of the weight."""
    ground = slope_ground(10.0)
    weight = settled(TICKS[0]).vehicle.get("body.mass") * GRAVITY
    expected = weight * math.cos(math.radians(10.0))
    at_both(lambda t: settled(t, ground).wheels("suspension", "force").sum(), expected, 0.002 * weight)


def test_a_settled_vehicle_stays():
    """After 5 s with the brake on, speeds are below 1 mm/s and 1e-3 rad/s, and creep is below 1 mm in 30 s."""
    for tick in TICKS:
        drive = settled(tick).run(1.0, brake=1.0)
        before = drive.position
        assert np.linalg.norm(drive.body("velocity")) < 1e-3
        assert np.linalg.norm(drive.body("angular_velocity")) < 1e-3
        drive.run(30.0, brake=1.0)
        assert np.linalg.norm(drive.position - before) < 1e-3


def test_the_static_deflection_is_load_over_stiffness():
    """The jounce is load / stiffness, within 1 %."""
    v = settled(TICKS[0]).vehicle
    s = v.params["suspension"][0][:4]
    expected = s["supported_mass"] * GRAVITY / s["stiffness"]
    at_both(lambda t: settled(t).wheels("suspension", "jounce"), expected, 0.01 * expected)


def test_free_rolling_down_a_slope_accelerates_by_theory():
    """a = g sin(theta) m / m_eff within 1 %, without rolling resistance, camber, air and damping of the wheels."""
    no_losses = {f"tire.{w}.rolling_resistance": 0.0 for w in ("fl", "fr", "rl", "rr")}
    no_losses |= {f"wheel.{w}.damping": 0.0 for w in ("fl", "fr", "rl", "rr")}
    no_losses |= {f"compliance.{w}.camber": [] for w in ("fl", "fr", "rl", "rr")}
    no_losses |= {"aero.drag_area": 0.0, "aero.side_drag_area": 0.0, "aero.downforce_area": 0.0}
    ground = slope_ground(5.0)
    ground.arrays.surfaces[:, 0] = 0.0  # no rolling drag

    def acceleration(tick):
        drive = rolling(settled(tick, ground, **no_losses), -5.0).run(1.0)
        before = drive.speed
        drive.run(2.0)
        return (drive.speed - before) / 2.0

    v = settled(TICKS[0]).vehicle
    wheel = v.params["wheel"][0][:4]
    mass = v.get("body.mass")
    effective = mass + (wheel["inertia"] / wheel["radius"] ** 2).sum()
    expected = -GRAVITY * math.sin(math.radians(5.0)) * mass / effective
    at_both(acceleration, expected, 0.01 * abs(expected))


def test_a_falling_car_gains_g_t_and_keeps_its_horizontal_velocity():
    """After 0.45 s of free fall (1 m) the speed is g t within 0.5 %; the horizontal velocity is constant."""

    def speeds(tick):
        drive = Drive("roadster_simple", tick=tick)
        drive.vehicle.set_many({"aero.drag_area": 0.0, "aero.side_drag_area": 0.0, "aero.downforce_area": 0.0})
        body = drive.vehicle.state["body"][0]
        body["position"][2] += 5.0
        body["velocity"] = (1.5, -2.5, 0.0)
        drive.run(0.45)
        return drive.body("velocity")

    expected = np.array([1.5, -2.5, -GRAVITY * 0.45])
    at_both(speeds, expected, np.array([1e-9, 1e-9, 0.005 * GRAVITY * 0.45]))


@pytest.mark.parametrize(("name", "engine", "values"), [
    ("roadster_simple", 350.0, {}), ("roadster", 400.0, {}),
    # controllers that switch have no error proportional to the step
    ("coupe", 300.0, {"stability_control.enable": False, "traction_control.enable": False}),
])  # fmt: skip
def test_halving_the_step_reduces_the_error(name, engine, values):
    """A slalom in gear converges: from 120 to 960 Hz, each halving of the step moves its end less than the one before.

    The first moves it by less than 1 cm, the last by less than half of that. engine: initial speed, rad/s.
    """

    def end(tick):
        drive = rolling(settled(tick, name=name, **values), 15.0)
        drive.vehicle.state["engine"][0]["omega"] = engine
        for steer in (0.15, -0.15, 0.1):
            drive.run(0.5, steer=steer, gear=FIRST + 1, throttle=0.3)
        return drive.position

    ends = [end(tick) for tick in (1 / 120, 1 / 240, 1 / 480, 1 / 960)]
    differences = [float(np.linalg.norm(a - b)) for a, b in zip(ends, ends[1:], strict=False)]
    assert differences[0] > differences[1] > differences[2] and differences[2] < 0.5 * differences[0]
    assert differences[0] < 0.01, "m, after a drive of over 20 m"
