"""Textbook results of parking, rolling and dropping, at two step sizes.

Where `at_both` is used, both results are within a tolerance of theory and differ by less than a third of that
tolerance. There are more such tests in `test_analytic.py` (loads, settling, free rolling) and `test_car_contact.py`
(slopes, sliding).
"""

import math

import numpy as np
import pytest
from drive_rig import GRAVITY, VEHICLES, Drive, slope_ground
from plain_tires import on_plain_tires
from test_analytic import TICKS, at_both

from driving_sandbox.physics.ground.arrays import FRICTION, ROLLING_DRAG
from driving_sandbox.physics.ground.ground import plane_ground
from driving_sandbox.physics.tick.commands import FIRST

WHEELS = ("fl", "fr", "rl", "rr")
CONSTANT_FRICTION = [[0.0, 1.0], [0.1, 1.0], [1.0, 1.0]]  # friction factor 1 at all slips


def each(slot, **values):
    """{path: value} that sets parameters of a slot to the same values on every wheel."""
    return {f"{slot}.{wheel}.{name}": value for wheel in WHEELS for name, value in values.items()}


def with_friction(drive, mu):
    """Give a drive Coulomb friction mu at any slip, and return it."""
    drive.ground.arrays.surfaces[:, FRICTION:] = mu
    drive.vehicle.set_many(each("tire", friction_versus_slip=CONSTANT_FRICTION))
    return drive


@pytest.mark.parametrize("heading", [0.0, math.pi / 2, math.pi])
@pytest.mark.parametrize("name", VEHICLES)
def test_the_handbrake_holds_fifteen_degrees(name, heading):
    """The handbrake acts on the rear wheels alone, yet drift in 30 s is below 1 mm."""

    def drift(tick):
        drive = Drive(name, slope_ground(15.0), heading=heading, tick=tick)
        drive.run(4.0, brake=1.0, handbrake=1.0).run(2.0, handbrake=1.0)
        before = drive.position
        drive.run(30.0, handbrake=1.0)
        return np.linalg.norm(drive.position - before)

    at_both(drift, 0.0, 1e-3)


@pytest.mark.parametrize("heading", [0.0, math.pi / 2, math.pi])
@pytest.mark.parametrize("name", VEHICLES)
def test_the_handbrake_holds_without_rolling_resistance_of_the_other_wheels(name, heading):
    """In gear, the drift in 30 s is below 0.1 mm, also at 60 Hz, where the slip of the front wheels is stiff."""

    def drift(tick):
        drive = Drive(on_plain_tires(name), slope_ground(15.0), heading=heading, tick=tick)
        drive.vehicle.set_many(each("tire", rolling_resistance=0.0) | each("wheel", damping=0.0))
        drive.ground.arrays.surfaces[:, ROLLING_DRAG] = 0.0
        drive.run(4.0, brake=1.0, handbrake=1.0, gear=FIRST).run(2.0, handbrake=1.0, gear=FIRST)
        before = drive.position
        drive.run(30.0, handbrake=1.0, gear=FIRST)
        return np.linalg.norm(drive.position - before)

    at_both(drift, 0.0, 1e-4)
    assert drift(1.0 / 60.0) < 1e-4


@pytest.mark.parametrize("ratio", [0.9, 1.1])
def test_the_handbrake_needs_the_friction_of_the_rear_wheels(ratio):
    """The car holds with 1.1 times the friction m g sin(15 deg) / Fz_rear, and slides with 0.9 times."""
    for tick in TICKS:
        drive = with_friction(Drive(on_plain_tires("hatchback"), slope_ground(15.0), tick=tick), 2.0)
        drive.vehicle.set_many(each("brakes", handbrake_torque=4000.0) | {
            f"brakes.{w}.handbrake_torque": 0.0 for w in ("fl", "fr")})  # fmt: skip
        drive.run(4.0, brake=1.0, handbrake=1.0).run(2.0, handbrake=1.0)
        weight = drive.vehicle.get("body.mass") * GRAVITY
        needed = weight * math.sin(math.radians(15.0)) / drive.wheels("tire", "load")[2:].sum()
        with_friction(drive, ratio * needed)
        before = drive.position
        drive.run(5.0, handbrake=1.0)
        displacement = np.linalg.norm(drive.position - before)
        assert (displacement < 2e-3) if ratio > 1.0 else (displacement > 0.1), (tick, displacement)


def cylinder(tick, ground):
    """A car that rolls like a solid cylinder, by wheels with sum(I / r^2) = m / 2 and no losses."""
    drive = Drive("roadster_simple", ground, tick=tick)
    v = drive.vehicle
    v.set_many({
        "body.centre_of_mass": [0.0, 0.0, 0.02], "aero.drag_area": 0.0, "aero.side_drag_area": 0.0,
        "aero.downforce_area": 0.0,
        **each("wheel", damping=0.0, mass=v.get("body.mass") / 4.0), **each("tire", rolling_resistance=0.0),
        **each("compliance", camber=[], toe=[]),
    })  # fmt: skip
    ground.arrays.surfaces[:, ROLLING_DRAG] = 0.0
    return drive


def test_a_cylinder_rolls_down_an_incline():
    """The acceleration is 2/3 g sin(theta), on 10 degrees 1.136 m/s^2, within 1 %."""

    def acceleration(tick):
        drive = cylinder(tick, slope_ground(10.0)).run(4.0, brake=1.0, handbrake=1.0).run(1.0)
        before = drive.speed
        drive.run(2.0)
        return (before - drive.speed) / 2.0

    at_both(acceleration, 2.0 / 3.0 * GRAVITY * math.sin(math.radians(10.0)), 0.0114)


def test_a_sliding_cylinder_starts_to_roll():
    """From v0 = 10 m/s without spin at friction 0.5 it rolls from t = v0 / (3 mu g) = 0.680 s on, at 2/3 v0.

    Time, speed and the distance slid agree within 3 %.
    """
    v0, mu = 10.0, 0.5
    time, speed = v0 / (3.0 * mu * GRAVITY), 2.0 / 3.0 * v0

    def measured(tick):
        drive = with_friction(cylinder(tick, plane_ground()), mu)
        drive.vehicle.set_many(each("tire", longitudinal_stiffness=300e3))
        drive.run(4.0, brake=1.0)
        drive.run(0.3)  # the pedal takes this long to release
        drive.vehicle.state["body"][0]["velocity"] = (0.0, v0, 0.0)
        radius, start = drive.vehicle.get("wheel.fl.radius"), drive.position[1]
        duration = distance = None  # of the slide, s and m
        for k in range(round(1.5 / tick)):
            drive.run(tick)
            slip_speed = drive.speed - radius * drive.wheels("wheel", "omega").mean()
            if duration is None and slip_speed < 0.02 * v0:
                duration, distance = (k + 1) * tick, drive.position[1] - start
        return duration, drive.speed, distance

    distance = v0 * time - 0.5 * mu * GRAVITY * time**2
    assert (time, speed, distance) == pytest.approx((0.680, 6.67, 5.66), rel=2e-3)
    expected = np.array([time, speed, distance])
    at_both(measured, expected, 0.03 * expected)


MASS = 1500.0  # kg
STIFFNESS = 80e3  # N/m, sum of four springs
HEIGHT = 0.5  # m, from which the wheels fall to the ground
TRAVEL = 0.9  # m, of the suspensions
ATTACHMENT_HEIGHT = 0.45  # m, height of the suspensions' attachments; keeps the hull clear of the ground at full jounce


def on_soft_springs(tick, damping=0.0):
    """1,500 kg on four equal springs of 80 kN/m in total, with travel for a drop of half a metre."""
    drive = Drive("roadster_simple", tick=tick)
    attachments = {w: drive.vehicle.get(f"suspension.{w}.attachment") for w in WHEELS}
    for name, attachment in attachments.items():
        attachment[1] = 1.13 if name[0] == "f" else -1.13  # m: the centre of mass is half way between the axles
        attachment[2] = ATTACHMENT_HEIGHT
    drive.vehicle.set_many({
        "body.mass": MASS, "body.centre_of_mass": [0.0, 0.0, 0.5], "contact.wheels_touch": False,
        "antiroll.stiffness": [0.0, 0.0],
        "aero.drag_area": 0.0, "aero.side_drag_area": 0.0, "aero.downforce_area": 0.0,
        **{f"suspension.{w}.attachment": attachment for w, attachment in attachments.items()},
        **each("suspension", travel=TRAVEL, stiffness=STIFFNESS / 4.0, damping=damping, sprung_mass=MASS / 4.0),
        **each("compliance", camber=[], toe=[], tire_force_point=[], suspension_force_point=[]),
    })  # fmt: skip
    return drive


def dropped(drive):
    """((time, s, speed, m/s) of touchdown after a drop from HEIGHT; rows of (jounce, m, energy, J) in every tick)."""
    radius = drive.vehicle.get("wheel.fl.radius")
    drive.vehicle.put((0.0, 0.0, HEIGHT - (ATTACHMENT_HEIGHT - TRAVEL - radius)), (0.0, 0.0, 0.0, 1.0))
    touch, log = None, []
    for k in range(round(1.5 / drive.dt)):
        vertical_speed = drive.body("velocity")[2]
        drive.run(drive.dt)
        if touch is None and drive.wheels("suspension", "force").any():
            touch = k * drive.dt, -vertical_speed
        log.append((drive.wheels("suspension", "jounce").mean(), drive.energy()))
        assert drive.vehicle.state["contact"][0]["hull_contact_count"] == 0
    return touch, np.array(log)


def test_a_drop_onto_springs_without_dampers_follows_theory():
    """The body touches the ground after sqrt(2 H / g) at sqrt(2 g H), and the peak jounce, by energy, is 0.651 m.

    Tolerances are 0.5 %; for time and speed also three of the longer ticks, whichever is larger.
    """
    weight = MASS * GRAVITY
    peak = (weight + math.sqrt(weight**2 + 2.0 * STIFFNESS * weight * HEIGHT)) / STIFFNESS
    assert peak == pytest.approx(0.651, abs=5e-4)
    expected = np.array([math.sqrt(2.0 * HEIGHT / GRAVITY), math.sqrt(2.0 * GRAVITY * HEIGHT), peak])

    def measured(tick):
        touch, log = dropped(on_soft_springs(tick))
        return *touch, log[:, 0].max()

    at_both(measured, expected, np.maximum(0.005 * expected, [3.0 * TICKS[0], 3.0 * GRAVITY * TICKS[0], 0.0]))


def test_a_drop_onto_dampers_loses_the_energy_above_rest():
    """E_lost = m g (H + x_static) - k x_static^2 / 2 within 1 %; jounce stays below 0.5 m.

    No tick adds more energy than 0.1 % of the loss.
    """
    static = MASS * GRAVITY / STIFFNESS
    loss = MASS * GRAVITY * (HEIGHT + static) - 0.5 * STIFFNESS * static**2

    def measured(tick):
        drive = on_soft_springs(tick, damping=2500.0)
        _, log = dropped(drive)
        assert log[:, 0].max() < 0.5
        energy = log[:, 1]
        assert np.diff(energy).max() < 1e-3 * loss
        drive.run(5.0)
        return energy[0] - drive.energy()

    at_both(measured, loss, 0.01 * loss)


def test_stiff_contact_is_stable():
    """A car of 1,500 kg on 200 kN/m per wheel comes to rest with tire loads that sum to its weight, within 0.2 %."""

    def load_at_rest(tick):
        drive = Drive("roadster_simple", tick=tick)
        drive.vehicle.set_many(
            {
                "body.mass": MASS,
                **each("suspension", stiffness=200e3, damping=6000.0, sprung_mass=375.0),
                **each("wheel", mass=5.0),
            }
        )
        drive.vehicle.put((0.0, 0.0, 0.3), (0.0, 0.0, 0.0, 1.0))
        drive.run(4.0, brake=1.0)
        assert np.linalg.norm(drive.body("velocity")) < 1e-3
        return drive.wheels("suspension", "force").sum()

    at_both(load_at_rest, MASS * GRAVITY, 0.002 * MASS * GRAVITY)


def test_walking_pace_has_no_jitter():
    """Started at 0.05 m/s, a car has this mean speed, within 1 %, over 100 s, without jerks.

    Its longitudinal force changes sign at most twice a second in the mean, in samples at 20 Hz without those below 1 N.
    """

    def speed(tick):
        drive = Drive(on_plain_tires("hatchback"), tick=tick).run(3.0)
        lossless = {**each("tire", rolling_resistance=0.0), **each("wheel", damping=0.0), "aero.drag_area": 0.0,
                    **each("compliance", camber=[], toe=[])}  # fmt: skip
        drive.vehicle.set_many(lossless)
        drive.ground.arrays.surfaces[:, ROLLING_DRAG] = 0.0
        drive.vehicle.state["body"][0]["velocity"] = (0.0, 0.05, 0.0)
        drive.vehicle.state["wheel"][0]["omega"][:4] = 0.05 / drive.vehicle.params["wheel"][0]["radius"][:4]
        start = drive.position[1]
        forces = drive.log(100.0, lambda d: d.wheels("tire", "longitudinal_force").sum(), 0.05)
        counted = forces[np.abs(forces) > 1.0]  # N; less is negligible
        assert (np.diff(np.sign(counted)) != 0).sum() <= 2 * 100
        return (drive.position[1] - start) / 100.0

    at_both(speed, 0.05, 0.0005)


@pytest.mark.parametrize("tick", [0.25, 1.0 / 1000.0])
def test_huge_and_tiny_ticks_stay_finite(tick):
    """Ticks of 1/4 s and of 1 ms, at rest and at speed."""
    drive = Drive("roadster_simple", tick=tick).run(5.0, brake=1.0)
    drive.vehicle.state["body"][0]["velocity"] = (0.0, 20.0, 0.0)
    drive.run(5.0, throttle=0.5, steer=0.3)
    assert np.isfinite(drive.body("position")).all() and np.isfinite(drive.body("velocity")).all()
