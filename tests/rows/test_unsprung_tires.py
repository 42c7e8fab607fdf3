"""Tires of wheels with mass: their spring, damper and pull, where they meet the road, how they load the car."""

import math

import numpy as np
import pytest
from drive_rig import GRAVITY, Drive
from row_rig import WHEELS, call, each_wheel
from unsprung_rig import MASS, SPRING, TIRE, car

from driving_sandbox.physics.suspension.hub import advance, exact_step
from driving_sandbox.physics.suspension.hub_springs import tire_spring_force
from driving_sandbox.physics.suspension.suspension import IN_AIR
from driving_sandbox.physics.suspension.unsprung import set_loads
from driving_sandbox.physics.tick.context import EXTERNAL


def test_a_tire_that_lands_within_a_step_has_a_force_from_the_landing_on():
    """A step of 10 ms equals a step of free fall and one of contact. A tire that may pull acts during all of it."""
    fall, hub = (-400.0, 1e-6, 0.0), 40.0  # N on 40 kg, without a spring: an acceleration of -10 m/s^2
    ramp, tire = (0.0, 0.0), (200e3, 0.0)
    gap, speed = 0.01, -2.0
    z, w = advance(gap, speed, 0.01, ramp, tire, fall, hub, False)
    landing = (speed + math.sqrt(speed * speed + 2.0 * 10.0 * gap)) / 10.0
    z1, w1 = exact_step(0.0, speed - 10.0 * landing, 0.01 - landing, ramp, tire, fall, hub)
    assert (z, w) == pytest.approx((z1, w1), rel=0.02)
    assert advance(gap, speed, 0.01, ramp, tire, fall, hub, True)[1] < w - 0.05


@pytest.mark.parametrize("loads_tires", [False, True])
def test_a_roll_torque_is_balanced_by_the_tire_loads(loads_tires):
    """The roll angle follows from springs, bars and tires in series, whether bars act on hubs or on tires."""
    vehicle = car(damping=4000.0)
    vehicle.set_many({"antiroll.wheel_a": [0, 2], "antiroll.wheel_b": [1, 3], "antiroll.stiffness": [20e3, 10e3],
                      "antiroll.loads_tires": loads_tires, **each_wheel("tire", camber_stiffness=0.0)})  # fmt: skip
    drive = Drive(vehicle).run(4.0)
    level = drive.body("orientation")[1]
    ticks = round(6.0 / drive.dt)
    external = np.zeros(ticks, EXTERNAL)
    external["torque"] = (0.0, 1500.0, 0.0)
    drive.ticks(drive.commands(ticks), external)
    x = np.array([vehicle.get(f"suspension.{w}.attachment")[0] for w in WHEELS])
    loads = drive.wheels("suspension", "force")
    assert loads.sum() == pytest.approx(MASS * GRAVITY, rel=1e-3)
    roll = 2.0 * (drive.body("orientation")[1] - level)
    # m, of the centre of mass above the attachments of the springs, about which it moves outwards
    height = -vehicle.params["suspension"][0]["arm"][0][2]
    torque = 1500.0 + MASS * GRAVITY * height * roll
    assert loads @ x == pytest.approx(torque, rel=0.01)
    stiffness = [2.0 * (SPRING + 2.0 * bar) for bar in (20e3, 10e3)]  # of an axle, per half track squared
    tires = 2.0 * TIRE
    expected = torque / sum(x[2 * i] ** 2 * k * tires / (k + tires) for i, k in enumerate(stiffness))
    assert roll == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize(("pulls", "deflection", "speed", "push"), [
    (False, 0.02, 0.5, 0.02 * TIRE + 100.0),
    (False, 0.02, -0.5, 0.02 * TIRE - 100.0),
    (False, 1e-3, -2.0, 0.0),  # the damper would pull the road up
    (True, 1e-3, -2.0, 1e-3 * TIRE - 400.0),
    (False, 0.30, 0.0, 0.08 * TIRE),  # on its rim
])  # fmt: skip
def test_a_tire_pushes_by_its_spring_and_damper_and_pulls_only_with_tire_pulls(pulls, deflection, speed, push):
    vehicle = car(tire_damping=200.0, tire_depth=0.08, tire_pulls=pulls)
    state = vehicle.state["suspension"][0]
    state["tire_deflection"][0], state["deflection_speed"][0] = deflection, speed
    for on_ground in (1, 0):
        state["on_ground"][0] = on_ground
        pushes = tire_spring_force(vehicle.params["suspension"][0].view(np.recarray)[0], state.view(np.recarray)[0])
        assert pushes == pytest.approx(push * on_ground, abs=1e-9)


@pytest.mark.parametrize("rising", [0.0, 0.5])
def test_tires_that_meet_the_road_deflect_at_the_closing_speed_of_the_body(rising):
    """A landing tire has no previous deflection to take a rate from. On a tilted body its rate is measured along the
    springs.

    rising: speed at which the road rises, m/s.
    """
    vehicle = Drive(car(damping=4000.0)).run(2.0).vehicle
    body, state, lean = vehicle.state["body"][0], vehicle.state["suspension"][0], 0.1
    body["orientation"] = (0.0, math.sin(0.5 * lean), 0.0, math.cos(0.5 * lean))
    body["velocity"], body["angular_velocity"] = (0.0, 0.0, -2.0), 0.0
    state["road_jounce"][:4], state["jounce_speed"][:4] = -IN_AIR, 0.0
    vehicle.state["road"][0]["velocity"][:4] = (0.0, 0.0, rising)
    call(vehicle, "suspension")
    closing_speeds = state["deflection_speed"][:4] + state["jounce_speed"][:4] * math.cos(lean)
    assert closing_speeds == pytest.approx([2.0 + rising] * 4, rel=1e-9)


def test_forces_at_the_contact_act_where_the_tire_meets_the_road():
    """With `force_application: attachment` they act more than 5 cm from the road."""
    heights = {}
    for place in ("contact", "attachment"):
        drive = Drive(car(damping=4000.0, force_application=place)).run(3.0)
        arms = drive.vehicle.state["suspension"][0]["force_arm"][:4, 2]
        heights[place] = drive.body("position")[2] + arms
    assert heights["contact"] == pytest.approx([0.0] * 4, abs=1e-3)
    assert np.abs(heights["attachment"]).min() > 0.05


@pytest.mark.parametrize("radius_excess", [None, 0.0, 0.01])
def test_a_loaded_tire_is_smaller_by_its_deflection(radius_excess):
    """radius_excess: free radius minus the wheel's, m; None: estimated, so that the loaded radius is the wheel's."""
    vehicle = car(damping=4000.0)
    radius, deflection = vehicle.get("wheel.fl.radius"), MASS * GRAVITY / 4.0 / TIRE
    if radius_excess is not None:
        vehicle.set_many(each_wheel("suspension", vehicle.wheel_names, free_radius=radius + radius_excess))
    drive = Drive(vehicle).run(4.0)
    assert drive.wheels("suspension", "tire_deflection") == pytest.approx([deflection] * 4, rel=0.01)
    loaded = radius if radius_excess is None else radius + radius_excess - deflection
    assert drive.vehicle.state["wheel"][0]["position"][:4, 2] == pytest.approx([loaded] * 4, abs=1e-4)
    assert vehicle.params["suspension"]["used_free_radius"][0, :4] == pytest.approx([loaded + deflection] * 4)


def test_a_tire_that_pulls_holds_a_lifted_car():
    lift = 1.3 * MASS * GRAVITY
    cars = (car(damping=4000.0, tire_damping=5000.0, tire_pulls=pulls) for pulls in (True, False))
    pulled, free = (Drive(vehicle).run(3.0) for vehicle in cars)
    start = pulled.position[2]
    for share in np.linspace(0.1, 1.3, 13):  # in steps, so that no tire is torn off
        pulled.run(1.5, force=(0.0, 0.0, share * MASS * GRAVITY))
    assert pulled.wheels("suspension", "force") == pytest.approx([-0.3 * MASS * GRAVITY / 4.0] * 4, rel=0.05)
    assert pulled.position[2] - start < 0.4
    assert not free.run(3.0, force=(0.0, 0.0, lift)).wheels("suspension", "on_ground").any()
    assert free.position[2] - start > 5.0


def test_a_torn_off_tire_no_longer_pulls():
    """The force lifts the tires beyond the gap up to which they pull, and then the car."""
    drive = Drive(car(damping=4000.0, tire_pulls=True)).run(2.0)
    start = drive.position[2]
    assert drive.run(1.0, force=(0.0, 0.0, 5.0 * MASS * GRAVITY)).position[2] - start > 5.0


def test_a_tire_has_the_load_of_its_spring_however_hard_its_bar_pushes():
    vehicle = Drive(car(damping=4000.0)).run(1.0).vehicle
    vehicle.set_many({"antiroll.wheel_a": [0], "antiroll.wheel_b": [1], "antiroll.stiffness": [20e3]})
    state = vehicle.state["suspension"][0]
    state["jounce"][:2], state["bar_force"][:2] = (0.2, 0.1), (2000.0, -2000.0)
    state["tire_deflection"][:2], state["deflection_speed"][:4] = (1e-3, 10e-3), 0.0
    call(vehicle, "suspension", kernel=set_loads)
    call(vehicle, "antiroll")
    assert state["force"][:2] == pytest.approx([1e-3 * TIRE, 10e-3 * TIRE], rel=1e-6)
