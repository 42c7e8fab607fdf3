"""Vehicles at rest, rolling, and in steady load transfer compared with statics; most tests with four vehicles."""

import math

import numpy as np
import pytest
from drive_rig import GRAVITY, VEHICLES, Drive, slope_ground
from plain_tires import on_massless_wheels

from driving_sandbox.physics.ground.arrays import FRICTION
from driving_sandbox.physics.maths.quat import rotate
from driving_sandbox.physics.tick.commands import FIRST


def base_and_tracks(drive):
    """(wheelbase, front track, rear track) between the wheel centres, m."""
    p = drive.vehicle.params["suspension"][0]["attachment"][:4]
    return p[0, 1] - p[2, 1], p[1, 0] - p[0, 0], p[3, 0] - p[2, 0]


def height_of_mass(drive):
    """Height of the centre of mass above the ground, m."""
    return float(drive.body("position")[2])


@pytest.mark.covers("PX-SUSP-01", "PX-SUSP-11")
@pytest.mark.parametrize("name", VEHICLES)
def test_loads_at_rest(name):
    """Axle loads follow the lever rule, and each spring is compressed by its load divided by its stiffness."""
    drive = Drive(on_massless_wheels(name)).run(5.0)
    mass = drive.vehicle.get("body.mass")
    arms = drive.vehicle.params["suspension"][0]["arm"][:4]
    base, _, _ = base_and_tracks(drive)
    loads = drive.wheels("suspension", "force")
    front, rear = loads[:2].sum(), loads[2:].sum()
    assert front + rear == pytest.approx(mass * GRAVITY, rel=1e-6)
    assert front == pytest.approx(mass * GRAVITY * -arms[2, 1] / base, rel=0.005)
    assert rear == pytest.approx(mass * GRAVITY * arms[0, 1] / base, rel=0.005)
    deflection = loads / drive.vehicle.params["suspension"][0]["stiffness"][:4]
    # springs stand at the angle of pitch, below 0.006 rad, to the loads
    assert drive.wheels("suspension", "jounce") == pytest.approx(deflection, rel=2e-5)
    sprung = drive.vehicle.params["suspension"][0]["supported_mass"][:4]
    assert drive.wheels("tire", "load") == pytest.approx(sprung * GRAVITY, rel=0.01)


@pytest.mark.parametrize("name", VEHICLES)
def test_a_car_does_not_creep_on_level_ground(name):
    drive = Drive(on_massless_wheels(name)).run(3.0)
    assert np.linalg.norm(drive.body("velocity")) < 1e-3
    assert np.linalg.norm(drive.body("angular_velocity")) < 1e-3
    before = drive.position
    drive.run(30.0)
    assert np.linalg.norm(drive.position - before) < 1e-4


@pytest.mark.parametrize("heading", [0.0, 0.6, math.pi / 2, math.pi])
@pytest.mark.parametrize("name", VEHICLES)
def test_a_car_braked_on_a_slope_rests_and_its_loads_sum_to_the_normal_weight(name, heading):
    drive = Drive(on_massless_wheels(name), slope_ground(10.0), heading=heading).run(3.0, brake=1.0, handbrake=1.0)
    assert np.linalg.norm(drive.body("velocity")) < 1e-3
    weight = drive.vehicle.get("body.mass") * GRAVITY * math.cos(math.radians(10.0))
    assert drive.wheels("suspension", "force").sum() == pytest.approx(weight, rel=0.002)


@pytest.mark.parametrize("heading", [0.0, math.pi / 2, math.pi])
@pytest.mark.parametrize("name", VEHICLES)
def test_the_handbrake_holds_on_fifteen_degrees(name, heading):
    """The service brake helps at first, as a vehicle on locked rear wheels only would slide while it settles."""
    drive = (
        Drive(on_massless_wheels(name), slope_ground(15.0), heading=heading)
        .run(4.0, brake=1.0, handbrake=1.0)
        .run(2.0, handbrake=1.0)
    )
    before = drive.position
    drive.run(30.0, handbrake=1.0)
    assert np.linalg.norm(drive.position - before) < 1e-3


def test_brakes_hold_only_with_sufficient_friction():
    """Locked wheels on ice slide at g (sin - mu cos); at three times the friction they hold."""
    slope, mu = math.radians(15.0), 0.1
    drive = Drive("roadster_simple", slope_ground(15.0))
    drive.ground.arrays.surfaces[:, FRICTION:] = mu
    for wheel in drive.vehicle.wheel_names:
        drive.vehicle.set(f"tire.{wheel}.friction_versus_slip", [[0, 1], [0.1, 1], [1, 1]])
    drive.run(1.0, brake=1.0, handbrake=1.0)
    before = drive.speed
    drive.run(2.0, brake=1.0, handbrake=1.0)
    expected = GRAVITY * (math.sin(slope) - mu * math.cos(slope))
    assert (before - drive.speed) / 2.0 == pytest.approx(expected, rel=0.01)
    parked = Drive("roadster_simple", slope_ground(15.0))
    parked.ground.arrays.surfaces[:, FRICTION:] = 3.0 * mu
    assert abs(parked.run(3.0, brake=1.0, handbrake=1.0).speed) < 1e-3


@pytest.mark.parametrize("name", VEHICLES)
def test_a_released_vehicle_rolls_at_once(name):
    drive = Drive(on_massless_wheels(name), slope_ground(10.0)).run(4.0, handbrake=1.0)
    assert abs(drive.speed) < 1e-3
    drive.run(0.1)
    assert -drive.speed > 0.08  # m/s; g sin(10 deg) x 0.1 s less rolling resistance is 0.15


@pytest.mark.parametrize("name", VEHICLES)
def test_free_rolling_down_a_slope_accelerates_by_theory(name):
    """a = (g sin - f g cos) m / m_eff, less bearing damping."""
    car = on_massless_wheels(name)
    drag = "drag_coefficient" if car.sequence.by_slot["aero"].name == "road_car" else "drag_area"
    drive = Drive(car, slope_ground(10.0), values={f"aero.{drag}": 0.0}).run(4.0, handbrake=1.0)
    p, slope = drive.vehicle.params, math.radians(10.0)
    mass, wheel = float(p["body"]["mass"][0]), p["wheel"][0][:4]
    effective = mass + (wheel["inertia"] / wheel["radius"] ** 2).sum()
    rolling = p["tire"][0]["rolling_resistance"][0] * math.cos(slope)
    drive.run(1.0)
    before, seconds = drive.speed, 1.0
    drive.run(seconds)
    middle = -(drive.speed + before) / 2.0
    bearings = (wheel["damping"] / wheel["radius"] ** 2).sum() * middle / mass
    expected = (GRAVITY * (math.sin(slope) - rolling) - bearings) * mass / effective
    assert (before - drive.speed) / seconds == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("name", VEHICLES)
def test_lateral_load_transfer(name):
    """A steady lateral force at the centre of mass transfers F h / T, plus the shift of the weight by roll.

    Spring forces act at the contact patch here. At the attachment, the default, their line of action would miss the
    contact by roll times height.
    """
    drive = Drive(on_massless_wheels(name))
    for wheel in drive.vehicle.wheel_names:
        points = drive.vehicle.get(f"compliance.{wheel}.tire_force_point")
        drive.vehicle.set(f"compliance.{wheel}.suspension_force_point", points)
    drive.run(2.0, brake=1.0)
    mass = drive.vehicle.get("body.mass")
    force = 0.3 * mass * GRAVITY
    drive.run(4.0, force=(force, 0.0, 0.0), brake=1.0)
    assert np.linalg.norm(drive.body("velocity")) < 1e-3
    loads = drive.wheels("suspension", "force")
    points = np.array(drive.vehicle.state["road"][0]["point"][:4])
    middle = points[:, 0].mean()
    _, front, rear = base_and_tracks(drive)
    moment = (loads[1] - loads[0]) * front / 2.0 + (loads[3] - loads[2]) * rear / 2.0
    expected = force * height_of_mass(drive) + mass * GRAVITY * (drive.body("position")[0] - middle)
    assert moment == pytest.approx(expected, rel=0.03)
    assert loads.sum() == pytest.approx(mass * GRAVITY, rel=0.002)


@pytest.mark.parametrize("name", VEHICLES)
def test_longitudinal_load_transfer(name):
    """A steady rearward force F with locked brakes transfers F h / L from the front axle to the rear."""
    drive = Drive(on_massless_wheels(name)).run(2.0, brake=1.0)
    mass = drive.vehicle.get("body.mass")
    before = drive.wheels("suspension", "force")
    force = 0.3 * mass * GRAVITY
    drive.run(4.0, force=(0.0, -force, 0.0), brake=1.0)
    assert np.linalg.norm(drive.body("velocity")) < 1e-3
    loads = drive.wheels("suspension", "force")
    points = np.array(drive.vehicle.state["road"][0]["point"][:4])
    base = points[:2, 1].mean() - points[2:, 1].mean()
    expected_rear = (force * height_of_mass(drive)
                     + mass * GRAVITY * (points[:2, 1].mean() - drive.body("position")[1])) / base  # fmt: skip
    assert loads[2:].sum() == pytest.approx(expected_rear, rel=0.01)
    assert loads[2:].sum() - before[2:].sum() > 0.9 * force * height_of_mass(drive) / base


@pytest.mark.covers("PX-ARB-01")
def test_a_stiffer_front_bar_takes_more_of_the_load_transfer():
    """The body rolls less with it; the sum of both axles' transfers changes by less than 6 %."""
    roll_travel, front, total = [], [], []
    for stiffness in (0.0, 10e3, 20e3, 40e3):
        drive = Drive("roadster_simple", values={"antiroll.stiffness": [stiffness, 4500.0]}).run(2.0, brake=1.0)
        height = height_of_mass(drive)
        drive.run(4.0, force=(0.3 * drive.vehicle.get("body.mass") * GRAVITY, 0.0, 0.0), brake=1.0)
        loads = drive.wheels("suspension", "force")
        jounce = drive.wheels("suspension", "jounce")
        roll_travel.append(jounce[1] - jounce[0])
        front.append(loads[1] - loads[0])
        total.append(loads[1] - loads[0] + loads[3] - loads[2])
        # a bar causes no heave; wheels cambered by roll touch with the edges of their treads
        edge = drive.vehicle.get("wheel.fl.half_width") * roll_travel[-1] / base_and_tracks(drive)[1]
        assert height_of_mass(drive) == pytest.approx(height + edge, abs=2e-3)
    assert np.all(np.diff(roll_travel) < 0.0)
    assert np.all(np.diff(front) > 0.0) and front[3] > 1.2 * front[0]
    assert np.ptp(total) < 0.06 * total[0]  # the mass shifts sideways and rises with roll


def test_a_bar_unloads_a_wheel_by_no_more_than_its_load():
    drive = Drive("roadster_simple", values={"antiroll.stiffness": [200e3, 0.0]}).run(2.0, brake=1.0)
    drive.run(2.0, force=(0.9 * drive.vehicle.get("body.mass") * GRAVITY, 0.0, 0.0), brake=1.0)
    loads = drive.wheels("suspension", "force")
    assert loads[0] < 1.0 < loads[1]
    assert loads.sum() == pytest.approx(drive.vehicle.get("body.mass") * GRAVITY, rel=0.03)


@pytest.mark.covers("PX-FRAME-04")
def test_springs_under_lunar_gravity():
    """Springs are compressed in proportion to gravity."""
    earth = Drive("roadster_simple").run(5.0).wheels("suspension", "jounce")
    moon = Drive("roadster_simple")
    moon.world.context["gravity"][0] = (0.0, 0.0, -1.62)
    assert moon.run(8.0).wheels("suspension", "jounce") == pytest.approx(earth * 1.62 / GRAVITY, rel=0.002)


@pytest.mark.covers("PX-SUSP-04", "PX-SUSP-05", "PX-SUSP-03")
def test_the_limits_of_travel():
    """A lifted wheel is one travel below its attachment; the jounce of fully loaded ones is their whole travel."""
    drive = Drive("roadster_simple", position=(0.0, 0.0, 5.0))
    drive.run(0.1)
    car, name = drive.vehicle, drive.vehicle.wheel_names[1]
    car.set(f"suspension.{name}.direction", [0.0, 0.0, -7.0])
    assert car.get(f"suspension.{name}.direction") == [0.0, 0.0, -1.0]
    travel, attachment = car.get(f"suspension.{name}.travel"), np.array(car.get(f"suspension.{name}.attachment"))
    centre = drive.wheels("wheel", "position")[1] - drive.position
    assert centre == pytest.approx(attachment - [0.0, 0.0, travel], abs=1e-9)
    loaded = Drive("roadster_simple")
    loaded.run(3.0, force=(0.0, 0.0, -60e3))
    assert loaded.wheels("suspension", "jounce") == pytest.approx([travel] * 4)
    centre = loaded.wheels("wheel", "position")[1] - loaded.position
    assert centre == pytest.approx(attachment, abs=5e-3)  # the stop is stiff, not rigid


@pytest.mark.covers("PX-INT-01")
def test_free_fall():
    """The speed is g t, and the distance g t (t + substep) / 2."""
    no_air = {"aero.drag_area": 0.0, "aero.side_drag_area": 0.0, "aero.downforce_area": 0.0}
    drive = Drive("roadster_simple", position=(0.0, 0.0, 500.0), values=no_air)
    drive.run(2.0)
    assert drive.body("velocity")[2] == pytest.approx(-GRAVITY * 2.0, rel=1e-12)
    step = drive.dt / 4.0  # semi-implicit Euler is half a substep ahead
    assert 500.0 - drive.position[2] == pytest.approx(0.5 * GRAVITY * 2.0 * (2.0 + step), rel=1e-9)


@pytest.mark.parametrize("substeps", [1, 3, 4, 8])
def test_a_car_braked_on_a_slope_rests_at_any_substep_count(substeps):
    drive = Drive("roadster_simple", slope_ground(10.0))
    drive.world.context["substep_count"] = substeps
    drive.run(3.0, brake=1.0)
    assert np.linalg.norm(drive.body("velocity")) < 1e-3


def static_loads(drive, acceleration):
    """[4] wheel loads by statics, N, at the present pitch and an acceleration ahead along +y, m/s^2."""
    ahead, mass = drive.wheels("suspension", "force_arm")[:, 1], drive.vehicle.get("body.mass")
    front, rear = ahead[:2].mean(), ahead[2:].mean()  # the contact patches, seen from the centre of mass
    on_front = mass * (-GRAVITY * rear - acceleration * height_of_mass(drive)) / (front - rear)
    return 0.5 * np.repeat([on_front, mass * GRAVITY - on_front], 2)


@pytest.mark.parametrize("height", [0.4, 0.6])
def test_the_nose_rises_under_drive_and_dives_under_brakes_by_the_load_transfer(height):
    """Load moves between the axles, and each spring changes its length by its share over its stiffness.

    The buggy's motors have constant torque here, so that the acceleration is steady. Its suspension has no geometry in
    side view: all forces act at the contact patch. height: of the centre of mass, m.
    """
    values = {"body.centre_of_mass": [0.0, -0.184, height], "aero.drag_area": 0.0}
    values |= {f"direct_drive.{wheel}.power": 0.0 for wheel in ("fl", "fr", "rl", "rr")}
    drive = Drive("buggy", values=values).run(2.0, brake=1.0)
    rest, loads, base = drive.wheels("suspension", "jounce").copy(), static_loads(drive, 0.0), base_and_tracks(drive)[0]
    stiffness = drive.vehicle.params["suspension"][0]["stiffness"][:4]
    for seconds, direction, commands in ((3.0, 1.0, {"throttle": 0.7, "gear": FIRST}), (1.2, -1.0, {"brake": 0.4})):
        drive.run(seconds, **commands)
        speed, interval = drive.speed, 0.1
        drive.run(interval, **commands)
        acceleration = (drive.speed - speed) / interval
        assert acceleration * direction > 2.0
        expected = (static_loads(drive, acceleration) - loads) / stiffness
        assert expected[0] * direction < -0.015  # m; the front springs stretch under drive
        assert drive.wheels("suspension", "jounce") - rest == pytest.approx(expected, rel=0.02)
        nose = rotate(tuple(drive.body("orientation").tolist()), (0.0, 1.0, 0.0))[2]
        assert math.asin(nose) == pytest.approx((expected[2] - expected[0]) / base, rel=0.02)
