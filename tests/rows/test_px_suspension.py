"""Suspension, compliance and anti-roll bars: effects of their parameters, with the numbers of PhysX's guide."""

import math

import numpy as np
import pytest
from drive_rig import GRAVITY, Drive
from naive_ground import box_mesh
from row_rig import (
    NO_AIR,
    WHEELS,
    call,
    car_with_equal_corners,
    each_wheel,
    heave,
    peaks,
    roll_and_pitch,
    rolling,
    yaw_rate,
)
from test_query_rows import queried, top_of_wheel

from driving_sandbox.lab.advisor import check_vehicle
from driving_sandbox.lab.advisor.figures import springs
from driving_sandbox.physics.ground.ground import Ground, Plane
from driving_sandbox.physics.maths.quat import rotate
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

SUBSTEP = 1.0 / 960.0  # s


# ---- how the jounce is found


def jounces(kind, slope_deg=0.0):
    """Jounce, m, of the four wheels of an upright roadster above a plane that falls to the right.

    kind: "ray" or "sweep", the query that finds the jounce.
    """
    vehicle = load_vehicle("roadster_simple")
    vehicle.set_many(each_wheel("suspension", jounce_query=kind, travel=0.6))
    vehicle.put((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
    road = vehicle.state["road"][0]
    road["hit"][:4] = 1
    angle = math.radians(slope_deg)
    road["normal"][:4] = (math.sin(angle), 0.0, math.cos(angle))
    road["offset"][:4] = -0.3 * math.cos(angle)  # 0.3 m above the model's origin
    call(vehicle, "suspension")
    return vehicle.state["suspension"][0]["jounce"][:4].copy()


@pytest.mark.covers("PX-SUSP-07")
def test_a_ray_hits_the_ground_under_the_wheel_centre_only():
    """On level ground its jounce equals the sweep's; a kerb 3 cm ahead of the centre adds nothing to it."""
    flat = jounces("ray")
    assert np.all(flat > 0.05) and flat == pytest.approx(jounces("sweep"), abs=1e-12)
    _, (x, y) = top_of_wheel()
    measured = {}
    for edge in (0.03, -0.03):  # m, from the centre of the left front wheel to the kerb's edge, forward
        kerb = box_mesh("kerb", (x - 0.5, y + edge, -1.0), (x + 0.4, y + 0.9, 0.05))
        world = queried(Ground(Plane(0.0), [kerb]), "ray")
        measured[edge] = world.vehicles[0].state["suspension"][0]["jounce"][0]
    level = queried(Ground(Plane(0.0)), "ray").vehicles[0].state["suspension"][0]["jounce"][0]
    assert measured[0.03] == pytest.approx(level, abs=1e-9)
    assert measured[-0.03] - level == pytest.approx(0.05, abs=1e-3)


@pytest.mark.covers("PX-SUSP-08")
def test_a_sweep_stands_on_the_edge_of_its_cylinder():
    """On a side slope of 20 degrees the sweep puts the wheel higher than the ray, by half width x sin 20 degrees along
    the road's normal."""
    sweep, ray = jounces("sweep", 20.0), jounces("ray", 20.0)
    inside = (ray > 0.0) & (sweep < 0.6)  # m: wheels within their travel
    assert inside.sum() >= 2
    higher = (sweep - ray)[inside] * math.cos(math.radians(20.0))
    assert higher == pytest.approx(0.0925 * math.sin(math.radians(20.0)), rel=1e-9)  # 0.0925 m: half width


@pytest.mark.covers("PX-SUSP-09")
def test_limited_expansion_keeps_the_wheels_off_the_ground_for_longer():
    """A car drives off a step 10 cm high at 20 m/s, with dampers that let a wheel fall only slowly."""
    air_times = {}
    step = box_mesh("upper", (-20.0, -50.0, -1.0), (20.0, 12.0, 0.0))
    for limited in (False, True):
        values = each_wheel("suspension", limit_expansion=limited, damping=6000.0)
        drive = rolling(Drive("roadster_simple", Ground(Plane(-0.1), [step]), values=values).run(1.5), 20.0)
        touching = drive.log(0.8, lambda d: d.wheels("suspension", "on_ground"), every=1 / 240)
        force = drive.log(0.1, lambda d: d.wheels("tire", "load"), every=1 / 240)
        assert drive.position[1] > 15.0 and np.all(force > 0.0)
        air_times[limited] = (touching == 0).sum(axis=0) / 240.0
    assert np.all(air_times[True] > air_times[False] + 0.01), air_times


# ---- masses, springs and dampers


@pytest.mark.covers("PX-SUSP-10")
def test_sprung_masses_are_shares_and_wrong_ones_tilt_the_body():
    """Sprung masses are a quarter each if the centre of mass is in the middle, and larger in front if it is ahead.

    Springs for wrong masses m tilt the body: each is compressed by load / (f^2 m), where f is the natural frequency of
    9 rad/s.
    """
    vehicle = car_with_equal_corners()

    def masses():
        return vehicle.params["suspension"][0]["supported_mass"][:4].copy()

    assert masses() == pytest.approx([375.0] * 4, rel=0.01)
    vehicle.set("body.centre_of_mass", [0.0, 0.2, 0.46])
    true_masses = masses()
    assert true_masses[0] > 375.0 > true_masses[2] and true_masses.sum() == pytest.approx(1500.0)
    for masses_used, tilt in ((true_masses, False), (true_masses[::-1], True)):
        vehicle = car_with_equal_corners(damping=3500.0)
        vehicle.set_many({"body.centre_of_mass": [0.0, 0.2, 0.46]})
        vehicle.set_many({f"suspension.{w}.sprung_mass": float(m) for w, m in zip(WHEELS, masses_used, strict=True)})
        vehicle.set_many(
            {f"suspension.{w}.stiffness": float(81.0 * m) for w, m in zip(WHEELS, masses_used, strict=True)}
        )
        drive = Drive(vehicle).run(5.0)
        jounce = drive.wheels("suspension", "jounce")
        expected = true_masses * GRAVITY / (81.0 * masses_used)
        assert jounce == pytest.approx(expected, rel=0.02)
        assert (abs(jounce[0] - jounce[2]) > 0.03) == tilt


@pytest.mark.covers("PX-SUSP-12")
def test_a_stiffness_from_the_natural_frequency_gives_that_frequency():
    """A frequency of 10 rad/s and 375 kg give 37500 N/m, and the car heaves at that frequency within 2 %."""
    vehicle = car_with_equal_corners(stiffness=10.0**2 * 375.0, damping=150.0)
    assert vehicle.get("suspension.fl.stiffness") == 37500.0
    assert springs(vehicle)["frequency"] == pytest.approx([10.0] * 4, rel=0.005)
    maxima = peaks(heave(vehicle))
    assert 2.0 * math.pi * (len(maxima) - 1) / ((maxima[-1] - maxima[0]) / 240.0) == pytest.approx(10.0, rel=0.02)


@pytest.mark.covers("PX-SUSP-13")
def test_few_steps_per_spring_period_are_reported():
    """alpha = 1 / (f dt) with the natural frequency f in rad/s: with 375 kg and steps of 1/60 s, 6.21 at 35 kN/m is
    enough; at 4.39 (70 kN/m) substeps are advised."""
    for stiffness, alpha, reported in ((35000.0, 6.21, False), (70000.0, 4.39, True)):
        vehicle = car_with_equal_corners(stiffness=stiffness, damping=3000.0)
        vehicle.set_many(each_wheel("suspension", sprung_mass=375.0))
        assert springs(vehicle, 1.0 / 60.0)["alpha"] == pytest.approx([alpha] * 4, abs=0.005)
        advice = [a for a in check_vehicle(vehicle, 1.0 / 60.0) if a.id == "spring_step"]
        assert bool(advice) == reported
        if reported:
            assert f"alpha = {alpha:.2f}" in advice[0].evidence and "substeps" in advice[0].evidence


@pytest.mark.covers("PX-SUSP-14")
@pytest.mark.parametrize("damping", [250.0, 500.0])
def test_a_released_corner_decays_at_damping_divided_by_twice_the_mass(damping):
    """The amplitude decays with exp(-c t / 2 m), energy with its square."""
    z = heave(car_with_equal_corners(damping=damping))
    maxima = peaks(z)
    seconds = (maxima[-1] - maxima[0]) / 240.0
    rate = math.log(z[maxima[0]] / z[maxima[-1]]) / seconds
    assert rate == pytest.approx(damping / (2.0 * 375.0), rel=0.05)
    energy = math.log(z[maxima[0]] ** 2 / z[maxima[-1]] ** 2) / seconds
    assert energy == pytest.approx(2.0 * damping / (2.0 * 375.0), rel=0.05)


@pytest.mark.covers("PX-SUSP-15")
def test_critical_damping_does_not_overshoot():
    """With 35 kN/m and 375 kg, critical damping is 7246 N s/m. At half of it the body does overshoot."""
    critical = 2.0 * math.sqrt(35000.0 * 375.0)
    assert critical == pytest.approx(7246.0, abs=0.5)
    for ratio, overshoots in ((1.2, False), (1.0, False), (0.5, True)):
        vehicle = car_with_equal_corners(damping=ratio * critical)
        vehicle.set_many(each_wheel("suspension", sprung_mass=375.0))
        assert springs(vehicle)["ratio"] == pytest.approx([ratio] * 4, rel=1e-9)
        z = heave(vehicle, 2.0)
        assert z[0] < -0.015 and (z.max() > 5e-4) == overshoots, (ratio, z.max())


# ---- compliance


@pytest.mark.covers("PX-COMPL-01")
def test_normalised_compression_runs_from_droop_to_the_bump_stop():
    """The compression is read from a force point whose height in metres equals it."""

    def compression(drive):
        return drive.wheels("compliance", "tire_force_point")[:, 2]

    values = each_wheel("compliance", tire_force_point=[[0, [0, 0, 0]], [1, [0, 0, 1]]])
    drive = Drive("roadster_simple", position=(0.0, 0.0, 5.0), values=values).run(0.1)
    assert np.all(compression(drive) == 0.0)
    drive = Drive("roadster_simple", values=values).run(3.0, brake=1.0)
    assert compression(drive) == pytest.approx(drive.wheels("suspension", "jounce") / 0.2, rel=1e-6)  # 0.2 m: travel
    drive.run(2.0, force=(0.0, 0.0, -60e3), brake=1.0)
    assert np.all(compression(drive) == 1.0)


def hub_axes(drive, axis):
    """An axis of each hub in the body's frame, as a unit vector; axis: the same vector in the hub's frame."""
    body = drive.body("orientation") * (-1, -1, -1, 1)
    hubs = drive.wheels("wheel", "hub_orientation")
    return np.array([rotate(tuple(body.tolist()), rotate(tuple(q.tolist()), axis)) for q in hubs])


def yaw_after_impulse(toe_in):
    """Integral of the absolute yaw rate, rad, in the 1.5 s after a yaw impulse at 30 m/s.

    toe_in: of the rear wheels, rad.
    """
    graph = [[0.0, toe_in], [1.0, toe_in]]  # positive is to the left, which is toe-in for the right wheel
    values = {**NO_AIR, "compliance.rr.toe": graph, "compliance.rl.toe": [[0.0, -toe_in], [1.0, -toe_in]]}
    drive = rolling(Drive("roadster_simple", values=values).run(2.0, brake=1.0), 30.0).run(0.5)
    drive.vehicle.state["body"][0]["angular_velocity"][2] += 0.35
    return abs(drive.log(1.5, yaw_rate, every=1 / 240)).sum() / 240.0


@pytest.mark.covers("PX-COMPL-03")
def test_toe_steers_the_wheel_and_steadies_the_car():
    toe = [[0.0, 0.01], [0.5, 0.03], [1.0, 0.07]]
    drive = Drive("roadster_simple", values={"compliance.fr.toe": toe, **each_wheel("compliance", camber=[])}).run(3.0)
    compression = drive.wheels("suspension", "jounce")[1] / 0.2
    expected = np.interp(compression, [0.0, 0.5, 1.0], [0.01, 0.03, 0.07])
    ahead = hub_axes(drive, (0.0, 1.0, 0.0))
    assert math.atan2(-ahead[1, 0], ahead[1, 1]) == pytest.approx(expected, abs=1e-6)
    assert np.all(ahead[[0, 2, 3], 0] == pytest.approx(0.0, abs=1e-9))
    toe_in, none, toe_out = (yaw_after_impulse(math.radians(a)) for a in (1.0, 0.0, -1.0))
    assert toe_in < 0.99 * none < 0.98 * toe_out, (toe_in, none, toe_out)


@pytest.mark.covers("PX-COMPL-04")
def test_the_camber_graph_tilts_wheel_tops_outward_in_droop_and_inward_when_compressed():
    sides = zip(WHEELS, (-1, 1, -1, 1), strict=True)
    values = {f"compliance.{w}.camber": [[0, s * 0.05], [1, -s * 0.05]] for w, s in sides}
    hanging = Drive("roadster_simple", position=(0.0, 0.0, 5.0), values=values).run(0.1)
    compressed = Drive("roadster_simple", values=values).run(2.0, force=(0.0, 0.0, -60e3), brake=1.0)
    for drive, inward in ((hanging, -1.0), (compressed, 1.0)):
        tops = hub_axes(drive, (0.0, 0.0, 1.0))[:, 0]
        assert tops == pytest.approx(inward * math.sin(0.05) * np.array([1, -1, 1, -1]), abs=1e-9)
    drive = Drive("roadster_simple", values=values).run(2.0, brake=1.0)
    drive.run(3.0, force=(4000.0, 0.0, 0.0), brake=1.0)
    roll, _ = roll_and_pitch(drive)
    camber_to_body = drive.wheels("compliance", "camber")
    assert roll > 0.01
    assert drive.wheels("tire", "camber") == pytest.approx(camber_to_body + roll, abs=2e-4)


def in_a_turn(height, suspension_too=True, values=None):
    """(roll outwards, rad/g; load transfer, N/g; lateral acceleration, g) in a steady left turn at about 0.5 g.

    height: of the points where forces act, m above the ground; the centre of mass is at 0.46 m.
    suspension_too: whether suspension forces act there too, or only tire forces.
    """
    drive = Drive("roadster_simple", values={**NO_AIR, **each_wheel("compliance", camber=[]), **(values or {})})
    top = drive.vehicle.params["suspension"][0]["attachment"][:4, 2]
    for wheel, z in zip(WHEELS, top, strict=True):
        point = [[0.0, [0.0, 0.0, float(height - z)]]]
        drive.vehicle.set(f"compliance.{wheel}.tire_force_point", point)
        drive.vehicle.set(f"compliance.{wheel}.suspension_force_point", point if suspension_too else [])
    rolling(drive.run(2.0), 16.0)
    drive.run(3.0, steer=-0.17)
    acceleration = -yaw_rate(drive) * drive.speed / GRAVITY
    loads = drive.wheels("suspension", "force")
    transfer = float(loads[[1, 3]].sum() - loads[[0, 2]].sum())
    assert abs(acceleration) > 0.3
    return roll_and_pitch(drive)[0] / abs(acceleration), transfer / abs(acceleration), abs(acceleration)


@pytest.mark.covers("PX-COMPL-05")
def test_the_lower_the_force_points_the_more_the_car_rolls():
    turns = {height: in_a_turn(height) for height in (0.0, 0.2, 0.46, 0.65)}
    assert all(0.4 < acceleration < 0.6 for _, _, acceleration in turns.values()), turns
    rolls = [roll for roll, _, _ in turns.values()]
    assert rolls[0] > 1.5 * rolls[1] > 0.0
    assert abs(rolls[2]) < 0.05 * rolls[0] and rolls[3] < -0.2 * rolls[0]
    transfers = [transfer for _, transfer, _ in turns.values()]
    assert transfers[0] > transfers[1] > 500.0 and transfers[3] < 0.0


@pytest.mark.covers("PX-COMPL-06")
def test_tire_forces_at_the_height_of_the_centre_of_mass_neither_roll_nor_pitch():
    low, high = in_a_turn(0.0, suspension_too=False), in_a_turn(0.46, suspension_too=False)
    assert low[0] > 0.02 and abs(high[0]) < 0.05 * low[0]
    dives = {}
    for height in (0.0, 0.46):
        drive = Drive("roadster_simple", values=NO_AIR)
        for wheel, z in zip(WHEELS, drive.vehicle.params["suspension"][0]["attachment"][:4, 2], strict=True):
            drive.vehicle.set(f"compliance.{wheel}.tire_force_point", [[0.0, [0.0, 0.0, float(height - z)]]])
        rest = roll_and_pitch(drive.run(2.0))[1]
        rolling(drive, 20.0).run(1.2, brake=0.5)
        assert drive.speed > 5.0
        dives[height] = roll_and_pitch(drive)[1] - rest
    assert dives[0.0] < -0.005 and abs(dives[0.46]) < 0.05 * abs(dives[0.0]), dives


# ---- anti-roll bars


@pytest.mark.covers("PX-ARB-03")
def test_twice_the_bar_makes_twice_the_difference():
    """Each wheel's force changes by stiffness times the difference in jounce: 360 N with 9 kN/m and 40 mm."""
    results = []
    for stiffness in (0.0, 9000.0, 18000.0):
        drive = Drive("roadster_simple", values={"antiroll.stiffness": [stiffness, 0.0]}).run(2.0)
        state = drive.vehicle.state["suspension"][0]
        state["jounce"][:2], state["force"][:2] = (0.10, 0.06), 3000.0
        call(drive.vehicle, "antiroll")
        torque = drive.vehicle.state["antiroll"][0]["torque"]
        results.append((state["force"][0] - state["force"][1], np.linalg.norm(torque)))
    (no_force, no_torque), (force, torque), (double_force, double_torque) = results
    assert no_force == 0.0 and no_torque == 0.0
    assert force == pytest.approx(2 * 360.0, rel=1e-3) and double_force == pytest.approx(2.0 * force, rel=1e-9)
    assert torque == pytest.approx(2 * 360.0 * 0.705, rel=1e-2)  # 0.705 m: half the track
    assert double_torque == pytest.approx(2.0 * torque, rel=1e-9)


def understeer(front, rear):
    """Understeer gradient on a radius of 50 m, rad/g.

    front, rear: stiffness of the anti-roll bars, N/m.
    """
    values = {**NO_AIR, "antiroll.stiffness": [front, rear], "response.steer_table": [],
              **each_wheel("compliance", camber=[]), **each_wheel("tire", camber_stiffness=0.0),
              **each_wheel("tire", friction_versus_slip=[[0, 1], [0.1, 1], [1, 1]])}  # fmt: skip
    drive = Drive("roadster_simple", values=values).run(2.0)
    samples = []
    for speed in (9.0, 17.0):
        drive.world.place(0, (0.0, 0.0), 0.0)
        rolling(drive.run(2.0), speed)
        radius, steer = 50.0, 0.08
        for _ in range(40):  # steers onto the radius while the speed hardly falls
            drive.run(0.1, steer=-steer)
            # wheelbase 2.265 m; 0.62 rad at full command
            steer += 0.4 * (2.265 / radius - 2.265 * yaw_rate(drive) / drive.speed) / 0.62
        acceleration = yaw_rate(drive) * drive.speed / GRAVITY
        samples.append((drive.wheels("steering", "angle")[:2].mean(), acceleration))
    (slow_angle, slow_acceleration), (fast_angle, fast_acceleration) = samples
    return (fast_angle - slow_angle) / (fast_acceleration - slow_acceleration)


@pytest.mark.covers("PX-ARB-04")
def test_a_stiffer_bar_takes_grip_from_its_own_axle():
    base, front, rear = understeer(5e3, 5e3), understeer(40e3, 5e3), understeer(5e3, 40e3)
    assert front > base + 2e-3 > base - 2e-3 > rear, (front, base, rear)
