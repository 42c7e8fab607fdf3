"""Suspension links: joints between hub and body, compared with closed-form solutions, and forces that axles share."""

import numpy as np
import pytest
from drive_rig import Drive
from row_rig import WHEELS, call, each_wheel, kernel_view
from unsprung_rig import HUB, MASS, SPRING, TICKS, car

from driving_sandbox.physics.suspension.hub_mass import largest_hub_share
from driving_sandbox.physics.suspension.links import link_force, opposite_of
from driving_sandbox.physics.tick.commands import FIRST, NEUTRAL
from driving_sandbox.physics.vehicle.swap import plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

COMPLIANCE = 1e-5  # m/N, of a joint
HEIGHT = 300.0  # m, height of the car in tests of free fall


def falling(tick, **values):
    """A Drive of a car in free fall with its hubs at full droop."""
    drive = Drive(car(**{"damping": 4000.0, "joint_compliance": COMPLIANCE, **values}), tick=tick).run(2.0)
    drive.vehicle.state["body"][0]["position"][2] += HEIGHT
    return drive.run(1.0)


def push_hubs(drive, speed):
    """Set the lateral speed of the hubs in their joints, m/s."""
    drive.vehicle.state["suspension"][0]["joint_speed"][:4] = speed
    return drive


@pytest.mark.parametrize("tick", TICKS)
def test_hubs_swing_under_a_body_at_their_natural_frequency_and_lose_no_momentum(tick):
    """The two masses are a hub and a quarter of the body. Without a damper the model has 10 % of critical damping.

    The centre of mass is at the height of the hubs, so that they do not roll the body.
    """
    drive = falling(tick, joint_damping=0.0)
    p = drive.vehicle.params["suspension"][0]
    height = float((p["attachment"] - p["travel"][:, None] * (0.0, 0.0, 1.0))[:4, 2].mean())
    drive.vehicle.set("body.centre_of_mass", [0.0, 0.0, height])
    push_hubs(drive, 0.3)

    def read(d):
        travel, speed = d.wheels("suspension", "joint_travel"), d.wheels("suspension", "joint_speed")
        return travel[0], speed.sum(), d.body("velocity")[0]

    samples = drive.log(0.6, read, every=tick)
    body = MASS / 4.0 - HUB
    natural_square = 1.0 / (COMPLIANCE * HUB * body / (body + HUB))
    loss = 0.1 / np.sqrt(COMPLIANCE * HUB) * (body + HUB) / body
    rate = np.sqrt(natural_square - loss * loss)
    time = tick * np.arange(1, len(samples) + 1)
    expected = 0.3 / rate * np.exp(-loss * time) * np.sin(rate * time)
    assert samples[:, 0] == pytest.approx(expected, abs=0.05 * expected.max())
    momentum = MASS * samples[:, 2] + HUB * samples[:, 1]
    assert momentum == pytest.approx(4.0 * HUB * 0.3, rel=1e-3)  # the rest is in hubs that leave their stops, tilted
    drive.run(3.0)
    assert drive.body("velocity")[0] == pytest.approx(4.0 * HUB * 0.3 / MASS, rel=0.01)
    assert abs(drive.wheels("suspension", "joint_travel")).max() < 1e-5


@pytest.mark.parametrize("tick", TICKS)
def test_a_swing_in_the_joint_never_grows(tick):
    drive = push_hubs(falling(tick, joint_damping=0.0), 0.3)
    travels = drive.log(2.0, lambda d: d.wheels("suspension", "joint_travel")[0], every=tick)
    sections = [np.ptp(part) for part in np.array_split(travels, 10)]
    assert all(later < earlier for earlier, later in zip(sections[:-1], sections[1:], strict=True))


def test_a_steady_force_deflects_the_joint_by_the_force_that_accelerates_the_hub():
    drive = falling(TICKS[0], joint_damping=2000.0)
    drive.run(2.0, force=(6000.0, 0.0, 0.0))
    expected = -HUB * COMPLIANCE * 6000.0 / MASS
    assert drive.wheels("suspension", "joint_travel") == pytest.approx([expected] * 4, rel=0.01)


def test_in_a_bend_the_joint_deflects_by_the_tire_force_less_the_hubs_inertial_force():
    """Both forces and the deflection are to the left in a bend to the left."""
    drive = Drive(car(damping=4000.0, joint_compliance=COMPLIANCE)).run(2.0)
    drive.vehicle.state["body"][0]["velocity"][1] = 15.0
    drive.vehicle.state["wheel"][0]["omega"][:4] = 15.0 / drive.vehicle.get("wheel.fl.radius")
    drive.run(2.5, steer=-0.15, gear=NEUTRAL)
    force = drive.wheels("tire", "lateral_force")
    acceleration = -15.0 * drive.body("angular_velocity")[2]
    expected = COMPLIANCE * (force - HUB * acceleration)
    assert drive.wheels("suspension", "joint_travel") == pytest.approx(expected, rel=0.2, abs=1e-3)
    assert force.sum() < -3000.0


@pytest.mark.parametrize("links", ["independent", "solid_axle"])
@pytest.mark.parametrize("compliance", [1e-4, 1e-6, 1e-9])
@pytest.mark.parametrize("tick", [1.0 / 240.0, 1.0 / 30.0])
def test_any_stiffness_is_stable_at_any_tick(tick, compliance, links):
    values = {"links": links, "roll_centre_height": 0.1, "joint_compliance": compliance, "joint_damping": 0.0}
    drive = Drive(car(damping=4000.0, **values), tick=tick).run(2.0)
    push_hubs(drive, (0.2, 0.2, -0.1, 0.3)).run(6.0)
    assert abs(drive.wheels("suspension", "joint_speed")).max() < 1e-3
    assert np.linalg.norm(drive.body("velocity")) < 1e-3
    assert drive.wheels("suspension", "force").sum() == pytest.approx(MASS * 9.81, rel=1e-3)


def test_without_compliance_there_is_no_joint():
    drive = Drive("roadster_simple")
    vehicle = swapped_vehicle(drive.vehicle, plan_swap(drive.vehicle, "suspension", "unsprung"))
    drive = Drive(vehicle).run(1.0, throttle=1.0, gear=FIRST, steer=0.5)
    assert np.linalg.norm(drive.body("velocity")) > 1.0 and abs(drive.wheels("tire", "lateral_force")).max() > 100.0
    for name in ("joint_travel", "joint_speed"):
        assert not drive.wheels("suspension", name).any()


def front_link_forces(links, on_ground=1, bar_load=0.0, **values):
    """(forces of the links on both front hubs along the body's up axis, N; x of the right wheel, m).

    Side forces are 3 and 1 kN to the left, loads 2 kN, of which `bar_load` is by anti-roll bars; the body's up axis
    leans to the right by 0.1 (as a sine).
    """
    vehicle = car(links=links, lateral_compliance=COMPLIANCE, **values)
    tire_state, suspension = vehicle.state["tire"][0], vehicle.state["suspension"][0]
    tire_state["lateral"][:2], tire_state["lateral_force"][:2] = (1.0, 0.0, 0.0), (-3000.0, -1000.0)
    suspension["on_ground"][:2], suspension["tire_load"][:2] = on_ground, 2000.0 - bar_load
    suspension["bar_load"][:2] = bar_load
    x = vehicle.get("suspension.fr.attachment")[0]
    p, tire, compliance = vehicle.params, vehicle.state["tire"], vehicle.state["compliance"]
    up = (0.1, 0.0, np.sqrt(0.99))
    records = [kernel_view(record)[0] for record in (p["suspension"], vehicle.state["suspension"], tire, compliance)]
    return [link_force(*records, i, up) for i in range(2)], x


def test_independent_links_carry_the_side_force_of_their_own_wheel():
    link_forces, _ = front_link_forces("independent")
    assert link_forces == pytest.approx([-300.0, -100.0])


@pytest.mark.parametrize("links", ["independent", "solid_axle"])
def test_side_forces_press_hubs_towards_the_roll_centre(links):
    """The force on each hub is F_y h / x, and zero off the road; h: height of the roll centre, x: half the track."""
    level, x = front_link_forces(links)
    raised, _ = front_link_forces(links, roll_centre_height=0.3)
    assert np.subtract(raised, level) == pytest.approx([3000.0 * 0.3 / x, -1000.0 * 0.3 / x])
    assert front_link_forces(links, 0, roll_centre_height=0.3)[0] == pytest.approx(front_link_forces(links, 0)[0])


@pytest.mark.parametrize("bar_load", [0.0, 500.0])
def test_a_solid_axle_shares_side_forces_and_carries_laterally_shifted_loads(bar_load):
    link_forces, x = front_link_forces("solid_axle", bar_load=bar_load)
    moment = 2000.0 * COMPLIANCE * -4000.0
    assert link_forces == pytest.approx([-200.0 - 0.5 * moment / x, -200.0 + 0.5 * moment / x])


@pytest.mark.parametrize(("compliance", "has_joint"), [(0.0, False), (COMPLIANCE, True)])
def test_hubs_in_joints_add_all_their_mass_sideways(compliance, has_joint):
    """Largest mass of the hubs that a body which cannot rotate feels in one direction, as a fraction of the car's mass.
    Vertically the body feels all of the hubs' mass. Laterally it feels that mass times s^2 and, with a joint, all of
    the mass in addition. s: sideways motion of a hub per metre that it rises.
    """
    height, radius = 0.1, 0.31
    vehicle = car(joint_compliance=compliance, links="solid_axle", roll_centre_height=height)
    wheels, params, body = vehicle.params["wheel"][0], vehicle.params["suspension"][0], vehicle.params["body"].copy()[0]
    wheels["radius"][:4], body["principal_inertia"] = radius, 1e12
    square = float(np.mean(((height - radius) / params["attachment"][:4, 0]) ** 2))
    expected = 1.0 + square if has_joint else max(1.0, square)
    assert square > 0.05
    assert largest_hub_share(params, body, wheels, 4) == pytest.approx(4.0 * HUB / MASS * expected, rel=1e-6)


def test_wheels_of_an_axle_find_each_other():
    positions = np.array([[-0.7, 1.3], [0.72, 1.3], [-0.7, -1.3], [0.7, -1.3], [0.0, -2.5]])
    assert [opposite_of(positions, i) for i in range(4)] == [1, 0, 3, 2]
    assert opposite_of(positions, 4) == 4
    assert opposite_of(np.array([[-0.7, 1.3], [0.9, 0.4]]), 0) == 0


def test_a_negative_preload_is_carried_by_more_jounce():
    drive = Drive(car(damping=4000.0, preload=-2000.0)).run(6.0)
    load = MASS * 9.81 / 4.0 - HUB * 9.81
    assert drive.wheels("suspension", "jounce") == pytest.approx([(load + 2000.0) / SPRING] * 4, rel=1e-3)


def tread_speeds(share):
    """(lateral speeds of the treads, m/s; vehicle) at a roll rate of 0.5 rad/s while the front left hub rises.

    share: parameter `axle_scrub` of the tires.
    """
    vehicle = load_vehicle("roadster_simple")
    vehicle = swapped_vehicle(vehicle, plan_swap(vehicle, "tire", "mf_52"))
    vehicle.set_many(each_wheel("tire", axle_scrub=share))
    drive = Drive(vehicle).run(1.0)
    drive.vehicle.state["body"][0]["velocity"][1] = 10.0
    drive.vehicle.state["body"][0]["angular_velocity"][:] = (0.0, 0.5, 0.0)
    drive.vehicle.state["suspension"][0]["jounce_speed"][:2] = (0.2, 0.0)
    call(drive.vehicle, "tire", "slip")
    return drive.wheels("tire", "lateral_speed"), drive.vehicle


def test_a_tread_swings_with_the_roll_of_its_axle():
    free, vehicle = tread_speeds(0.0)
    lateral_speeds, _ = tread_speeds(0.5)
    radius = np.array([vehicle.get(f"wheel.{w}.radius") for w in WHEELS])
    x = [vehicle.get(f"suspension.{w}.attachment")[0] for w in WHEELS]
    front = 0.5 - 0.2 / (x[0] - x[1])  # rad/s, roll rate of the front axle: the body's less that by suspension travel
    assert lateral_speeds - free == pytest.approx(-0.5 * radius * (front, front, 0.5, 0.5), rel=1e-6)
