"""Centre of mass, sprung masses, inertia and wheels: effects of their parameters, and what the report says."""

import math

import numpy as np
import pytest
from drive_rig import GRAVITY, Drive
from naive_ground import box_mesh
from plain_tires import on_plain_tires
from row_rig import NO_AIR, WHEELS, car_with_equal_corners, each_wheel
from test_query_rows import queried, top_of_wheel

from driving_sandbox.lab.advisor import guide
from driving_sandbox.lab.advisor.report import report
from driving_sandbox.physics.ground.arrays import FRICTION
from driving_sandbox.physics.ground.ground import Ground, Plane, plane_ground
from driving_sandbox.physics.tick.commands import FIRST
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle


@pytest.mark.covers("PX-FRAME-05")
def test_a_shift_of_the_centre_of_mass_moves_the_arms_oppositely_and_leaves_the_wheels():
    drive = Drive("roadster_simple").run(1.0)
    vehicle = drive.vehicle
    suspension, body = vehicle.params["suspension"][0], vehicle.params["body"][0]
    before = suspension["arm"][:4].copy()
    centres = drive.body("position") + before  # it stands upright
    shift = np.array([0.04, -0.11, 0.07])
    vehicle.set("body.centre_of_mass", (body["centre_of_mass"] + shift).tolist())
    assert suspension["arm"][:4] == pytest.approx(before - shift, abs=1e-12)
    assert drive.body("position") + suspension["arm"][:4] == pytest.approx(centres, abs=1e-3)
    wheels = drive.wheels("wheel", "position")
    drive.run(1 / 240)
    assert drive.wheels("wheel", "position") == pytest.approx(wheels, abs=2e-3)


def line_of(vehicle, start):
    """The first line of the report that begins with `start`."""
    return next(line for line in report(vehicle) if line.startswith(start))


@pytest.mark.covers("PX-MASS-01")
def test_sprung_masses_of_another_vehicle_are_reported_and_change_the_rest_pose():
    """Springs are chosen for the sprung masses at 9 rad/s. If these differ from the body's, it rests elsewhere."""
    sags = {}
    for name, masses in (("right", [375.0] * 4), ("wrong", [475.0, 475.0, 275.0, 275.0]), ("heavy", [400.0] * 4)):
        vehicle = car_with_equal_corners(damping=3000.0)
        vehicle.set_many({f"suspension.{w}.sprung_mass": m for w, m in zip(WHEELS, masses, strict=True)})
        vehicle.set_many({f"suspension.{w}.stiffness": 81.0 * m for w, m in zip(WHEELS, masses, strict=True)})
        mass_difference, (right, ahead) = guide.residuals(vehicle)
        line = line_of(vehicle, "sprung masses")
        assert ("they agree" in line) == (name == "right") and ("mismatch" in line) == (name != "right")
        equivalent_body = [
            reported for reported in report(vehicle) if reported.startswith("body of these sprung masses")
        ]
        assert bool(equivalent_body) == (name != "right")
        if equivalent_body:
            assert f"mass {sum(masses):.1f} kg, centre_of_mass [{right:.3f}, " in equivalent_body[0]
        assert f"{mass_difference:+.1f} kg" in line and f"{ahead:+.3f} m ahead" in line
        assert mass_difference == pytest.approx(sum(masses) - 1500.0) and right == pytest.approx(0.0, abs=1e-9)
        half_wheelbase = vehicle.get("suspension.fl.attachment")[1]
        assert ahead == pytest.approx(half_wheelbase * (masses[0] - masses[2]) * 2.0 / sum(masses))
        jounce = Drive(vehicle).run(4.0).wheels("suspension", "jounce")
        sags[name] = np.abs(jounce - GRAVITY / 81.0).max()  # m, from the compression for which the springs are chosen
    assert sags["right"] < 2e-3 and min(sags["wrong"], sags["heavy"]) > 5e-3, sags


@pytest.mark.covers("PX-MASS-02")
def test_a_body_made_of_chosen_sprung_masses():
    """430, 430, 320 and 320 kg make a body of 1500 kg whose centre of mass is (860 - 640) / 1500 of half the wheelbase
    ahead of the middle."""
    vehicle = load_vehicle("roadster_simple")
    masses = [430.0, 430.0, 320.0, 320.0]
    vehicle.set_many(guide.from_sprung_masses(vehicle, masses))
    assert vehicle.get("body.mass") == 1500.0
    right, ahead, up = vehicle.get("body.centre_of_mass")
    assert (right, up) == (pytest.approx(0.0, abs=1e-12), 0.46)
    # 1.1325 m: half the wheelbase
    assert ahead == pytest.approx(1.1325 * 220.0 / 1500.0, rel=1e-12) and ahead == pytest.approx(0.1661, abs=1e-4)
    mass_difference, centre = guide.residuals(vehicle)
    assert mass_difference == 0.0 and centre == pytest.approx((0.0, 0.0), abs=1e-12)
    assert "they agree" in line_of(vehicle, "sprung masses")
    loads = Drive(vehicle).run(5.0).wheels("suspension", "force")
    assert loads == pytest.approx(np.array(masses) * GRAVITY, rel=0.01)  # the body pitches a little


@pytest.mark.covers("PX-MASS-04")
def test_inertia_of_the_bounding_box_by_axis():
    """A box 1.8 m wide, 1.4 m high and 4.4 m long of 1500 kg has 2665 kg m^2 about the lateral axis, 2825 about the
    vertical and 650 about the longitudinal one."""
    vehicle = load_vehicle("roadster_simple")
    vehicle.set_many({**NO_AIR, "body.mass": 1500.0, "body.principal_inertia": [0, 0, 0],
                      "body.box_size": [1.8, 4.4, 1.4]})  # fmt: skip
    pitch, roll, yaw = vehicle.get("body.inertia")
    assert (pitch, roll, yaw) == (pytest.approx(2665.0), pytest.approx(650.0), pytest.approx(2825.0))
    for axis, moment in enumerate((2665.0, 650.0, 2825.0)):  # x lateral, y longitudinal, z vertical
        drive = Drive(vehicle, position=(0.0, 0.0, 50.0))
        external = np.zeros(1, EXTERNAL)
        external["torque"][0, axis] = 3000.0
        drive.ticks(drive.commands(1), external)
        assert drive.body("angular_velocity")[axis] * 240.0 == pytest.approx(3000.0 / moment, rel=1e-3)
        assert np.abs(np.delete(drive.body("angular_velocity"), axis)).max() < 1e-6


@pytest.mark.covers("PX-MASS-05")
def test_twice_the_mass_halves_the_acceleration():
    speed_gains = {}
    for mass in (1500.0, 3000.0):
        vehicle = on_plain_tires("buggy")
        light = {
            **NO_AIR,
            **each_wheel("wheel", spin_inertia=0.05, damping=0.01),
            **each_wheel("tire", rolling_resistance=0.0),
        }
        vehicle.set_many({"body.mass": mass, **light})
        assert vehicle.get("body.mass") == mass
        drive = Drive(vehicle).run(2.0).run(1.0, throttle=0.5, gear=FIRST)
        before = drive.speed
        speed_gains[mass] = drive.run(1.0, throttle=0.5, gear=FIRST).speed - before
    assert speed_gains[1500.0] > 1.0 and speed_gains[1500.0] / speed_gains[3000.0] == pytest.approx(2.0, rel=0.02)
    for mass, reported in ((90.0, True), (110.0, False), (99000.0, False), (101000.0, True)):
        vehicle.set_many({"body.mass": mass, "body.principal_inertia": [1.5 * mass, 0.5 * mass, 1.5 * mass]})
        assert any(line.startswith("body.mass") and "100 to 100000" in line for line in report(vehicle)) == reported


@pytest.mark.covers("PX-WHEEL-02")
def test_a_wheel_two_centimetres_larger_than_drawn_is_reported():
    """The wheel's centre is at the height of its radius all the same."""
    vehicle = load_vehicle("roadster_simple")
    assert not [line for line in report(vehicle) if "drawn" in line]
    drive = Drive(vehicle).run(3.0)
    assert drive.wheels("wheel", "position")[:, 2] == pytest.approx([0.289] * 4, abs=1e-3)
    vehicle.set("wheel.fr.radius", 0.309)
    lines = [line for line in report(vehicle) if "drawn" in line]
    assert len(lines) == 1 and lines[0].startswith("wheel.fr: radius 0.309 m, drawn with 0.289 m")
    assert drive.run(3.0).wheels("wheel", "position")[1, 2] == pytest.approx(0.309, abs=1e-3)


@pytest.mark.covers("PX-WHEEL-03")
def test_a_sweep_reaches_half_a_width_to_the_side():
    """A kerb on the left is hit 1 cm inside of half_width, and not 1 cm outside."""
    _, (x, y) = top_of_wheel()
    size = {("wheel", "half_width"): 0.15}
    heights = {}
    for inside in (0.01, -0.01):
        edge = x - 0.15 + inside
        ground = Ground(Plane(0.0), [box_mesh("kerb", (edge - 5.0, y - 5.0, -1.0), (edge, y + 5.0, 0.05))])
        world = queried(ground, "sweep", values=size)
        heights[inside] = world.vehicles[0].state["road"][0]["point"][0, 2]
    assert heights[0.01] == pytest.approx(0.05, abs=5e-3) and heights[-0.01] == pytest.approx(0.0, abs=1e-6)


@pytest.mark.covers("PX-WHEEL-04")
def test_an_unusual_mass_of_a_wheel_is_reported_and_leaves_the_ride_height():
    """The ride height stays, because a wheel's mass is part of the vehicle's."""
    heights = []
    for mass, reported in ((16.0, True), (21.0, False), (79.0, False), (81.0, True)):
        vehicle = load_vehicle("roadster_simple")
        vehicle.set_many(each_wheel("wheel", mass=mass))
        lines = [line for line in report(vehicle) if line.startswith("wheel.") and ".mass:" in line]
        assert len(lines) == (4 if reported else 0) and all("20 to 80 kg" in line for line in lines)
        heights.append(Drive(vehicle).run(4.0).body("position")[2])
    assert np.ptp(heights) < 1e-6


@pytest.mark.covers("PX-WHEEL-05")
def test_the_inertia_of_a_wheel_follows_from_its_mass_and_radius():
    """m = 20 kg and r = 0.33 m give 1.089 kg m^2; with twice that, wheels spin up half as fast in a launch on ice."""
    vehicle = on_plain_tires("buggy")
    vehicle.set_many(each_wheel("wheel", mass=20.0, radius=0.33))
    assert vehicle.get("wheel.fl.inertia") == pytest.approx(1.089, rel=1e-12)
    accelerations = {}
    for inertia in (1.089, 2.178):
        vehicle.set_many(each_wheel("wheel", spin_inertia=inertia))
        ground = plane_ground()
        ground.arrays.surfaces[:, FRICTION:] = 0.02
        drive = Drive(vehicle, ground).run(1.0, brake=1.0)
        accelerations[inertia] = drive.run(0.2, throttle=0.3, gear=FIRST).wheels("wheel", "omega") / 0.2
    assert np.all(accelerations[2.178] > 10.0)
    assert accelerations[1.089] / accelerations[2.178] == pytest.approx([2.0] * 4, rel=0.03)


@pytest.mark.covers("PX-WHEEL-06")
def test_a_free_wheel_slows_with_the_time_constant_inertia_per_damping():
    for damping in (0.5, 1.5):
        drive = Drive(
            on_plain_tires("buggy"),
            position=(0.0, 0.0, 500.0),
            values={**NO_AIR, **each_wheel("wheel", damping=damping)},
        )
        drive.vehicle.state["wheel"][0]["omega"][:4] = 80.0
        inertia = drive.vehicle.get("wheel.fl.inertia")
        omega = drive.run(1.5).wheels("wheel", "omega")
        assert -1.5 / np.log(omega / 80.0) == pytest.approx([inertia / damping] * 4, rel=0.005)
    vehicle = on_plain_tires("buggy")
    for damping, reported in ((0.0, True), (0.3, False), (2.5, True)):
        vehicle.set_many(each_wheel("wheel", damping=damping))
        lines = [line for line in report(vehicle) if line.startswith("wheel.") and ".damping" in line]
        assert bool(lines) == reported and all("never stops" in line for line in lines) == (damping == 0.0 or not lines)
    assert math.isclose(inertia, 0.5 * 19.0 * 0.36**2)  # mass in kg and radius in m of the buggy's wheels
