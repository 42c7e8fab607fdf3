"""Tracked vehicles: wheels of a track turn together, levers steer, and without tracks the drivetrain is a car's."""

import json
from pathlib import Path

import numpy as np
import pytest

from driving_sandbox.formats.physx import load_physx
from driving_sandbox.formats.physx_read import MULTI_WHEEL
from driving_sandbox.physics.ground.ground import plane_ground
from driving_sandbox.physics.kernel.jit import JIT
from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.tank.tracks import TRACK_COUPLING
from driving_sandbox.physics.tick.binding import argument_names
from driving_sandbox.physics.tick.commands import FIRST, REVERSE, neutral_command
from driving_sandbox.physics.world.world import World

TANK = Path(__file__).resolve().parents[1] / "reference" / "data" / "vehicles" / "tank_8wheel.json"
TICK = 1.0 / 120.0  # s
SECOND = FIRST + 1


def tank(**values):
    """An eight-wheel tank with brakes on all wheels; values: parameters, with "__" for the dots of their paths."""
    vehicle = load_physx(TANK).vehicle
    brakes = {f"brakes.{n}.max_torque": 9000.0 for n in vehicle.wheel_names}
    vehicle.set_many({**brakes, **{k.replace("__", "."): v for k, v in values.items()}})
    return vehicle


def in_world(vehicle, substeps=4):
    """A World of a level plane with the vehicle at its origin."""
    world = World(plane_ground(), [vehicle], TICK, substeps)
    world.place(0, (0.0, 0.0), 0.0)
    return world


def drive(world, seconds, **command):
    """Drive in first gear, unless the command has another one; returns the vehicle."""
    record = neutral_command()
    record["gear"] = FIRST
    for name, value in command.items():
        record[name] = value
    for _ in range(round(seconds / TICK)):
        assert world.step(record) is None
    return world.vehicles[0]


def yaw_rate(vehicle):
    """rad/s, positive to the left."""
    return vehicle.read("body.angular_velocity.z")


def speed(vehicle):
    """Speed of the body, m/s."""
    return float(np.linalg.norm(vehicle.state["body"]["velocity"][0]))


def rim_speeds(vehicle):
    """Circumferential speed of each wheel, m/s."""
    n = vehicle.wheel_count
    return vehicle.state["wheel"]["omega"][0, :n] * vehicle.params["wheel"]["radius"][0, :n]


def tracks(vehicle):
    """Wheel indices of each track."""
    track = vehicle.params["differential"]["track"][0, : vehicle.wheel_count]
    return [np.flatnonzero(track == k) for k in sorted(set(track.tolist()) - {0})]


def run_update(vehicle, component, dt):
    """Run the "update" kernel of one component on the vehicle's records."""

    def element(array):
        return array[0] if JIT else array.view(np.recarray)[0]

    slot_records = {"state": vehicle.state[component.slot], "scratch": vehicle.scratch[component.slot]}
    values = []
    for name in argument_names(component.phases["update"]):
        if name in ("dt", "wheel_count"):
            values.append(dt if name == "dt" else vehicle.wheel_count)
        elif name in slot_records:
            values.append(element(slot_records[name]))
        elif name.endswith("_params"):
            values.append(element(vehicle.params[name.removesuffix("_params")]))
        else:
            values.append(element(vehicle.state[name]))
    component.phases["update"](*values)


@pytest.mark.covers("PX-LEG-05", "PX-TANK-01")
def test_wheels_of_a_track_keep_one_surface_speed_in_a_turn():
    """Circumferential speeds are equal although wheels of one track differ in size."""
    world = in_world(tank(wheel__l2__radius=0.3, wheel__r3__radius=0.42))
    drive(world, 3.0, throttle=1.0)
    for _ in range(100):
        vehicle = drive(world, TICK, throttle=1.0, steer=0.9)
        for wheels in tracks(vehicle):
            assert np.ptp(rim_speeds(vehicle)[wheels]) < 1e-9
    assert abs(yaw_rate(vehicle)) > 0.05


@pytest.mark.covers("ST-TANK-02")
@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_the_special_drive_model_turns_on_the_spot(side):
    """At full steering the tracks run in opposite directions; the tank turns towards `side`, below 0.2 m/s."""
    vehicle = drive(in_world(tank()), 4.0, throttle=1.0, steer=side)
    assert -side * yaw_rate(vehicle) > 0.2
    assert speed(vehicle) < 0.2
    left, right = (rim_speeds(vehicle)[w].mean() for w in sorted(tracks(vehicle), key=lambda w: w[0]))
    assert side * left > 0.3 and side * right < -0.3


@pytest.mark.covers("ST-TANK-01")
def test_the_standard_drive_model_never_drives_a_track_backwards():
    vehicle = tank(levers__drive_model="standard")
    world = in_world(vehicle)
    for steer in (-1.0, -0.5, 0.0, 0.5, 1.0):
        drive(world, TICK, throttle=1.0, steer=steer)
        ratios = vehicle.state["differential"]["torque_ratio"][0, :8]
        assert ratios.min() >= 0.0 and ratios.max() == pytest.approx(0.125)  # 1 / wheel count
    drive(world, 0.02, throttle=1.0, steer=1.0)
    assert vehicle.read("levers.thrust_right") == 0.0 and vehicle.read("levers.thrust_left") == 1.0


@pytest.mark.covers("PX-TANK-04")
def test_steering_left_brakes_the_left_track_and_drives_the_right_one():
    brakes = {f"brakes.{n}.lever_torque": 9000.0 for n in tank().wheel_names}
    world = in_world(tank(levers__drive_model="standard", levers__brake_share=1.0, **brakes))
    drive(world, 2.0, throttle=1.0)
    vehicle = drive(world, 1.5, throttle=1.0, steer=-1.0)
    torque = vehicle.state["brakes"]["torque"][0, :8]
    assert torque[0::2].sum() == pytest.approx(4 * 9000.0, rel=1e-12)  # left wheels come first on every axle
    assert np.all(torque[1::2] == 0.0)
    assert yaw_rate(vehicle) > 0.1


@pytest.mark.covers("PX-TANK-02")
def test_two_tracks_follow_each_lever():
    """Four tracks of two wheels: each pair of tracks has one lever, but every track its own speed."""
    names = tank().wheel_names
    vehicle = tank(**{f"differential.{n}.track": 1 + i % 2 + 2 * (i // 4) for i, n in enumerate(names)})
    assert [len(w) for w in tracks(vehicle)] == [2, 2, 2, 2]
    world = in_world(vehicle)
    drive(world, 1.0, throttle=1.0, steer=1.0)
    ratios = vehicle.state["differential"]["torque_ratio"][0, :8]
    assert np.allclose(ratios[0::2], 0.125) and np.allclose(ratios[1::2], -0.125)
    speeds = rim_speeds(vehicle)
    assert np.ptp(speeds[[0, 2]]) < 1e-9 and np.ptp(speeds[[4, 6]]) < 1e-9
    assert abs(speeds[0] - speeds[4]) > 1e-6


@pytest.mark.covers("PX-TANK-03")
def test_wheels_with_and_without_a_track():
    """A half-track: front wheels without a track roll on the road; undriven wheels on a track turn with the track."""
    values = {}
    for n in ("l1", "r1"):
        values.update({f"differential.{n}.track": 0, f"differential.{n}.torque_ratio": 0.0})
        values[f"differential.{n}.speed_ratio"] = 0.0
    for n in ("l2", "r2"):
        values.update({f"differential.{n}.torque_ratio": 0.0, f"differential.{n}.speed_ratio": 0.0})
    for n in ("l3", "r3", "l4", "r4"):
        values.update({f"differential.{n}.torque_ratio": 0.25, f"differential.{n}.speed_ratio": 0.25})
    vehicle = tank(**values)
    world = in_world(vehicle)
    drive(world, 3.0, throttle=1.0)
    differential = vehicle.state["differential"][0]
    assert differential["connected"][:4].tolist() == [0, 0, 1, 1]
    assert np.ptp(rim_speeds(vehicle)[[2, 4, 6]]) < 1e-9
    assert rim_speeds(vehicle)[0] == pytest.approx(speed(vehicle), rel=0.05)


@pytest.mark.parametrize(("in_reverse", "reverse_side"), [("mirrored", 1.0), ("same_turn", -1.0)])
def test_in_reverse_gears_levers_stay_or_change_sides(in_reverse, reverse_side):
    """mirrored: each lever keeps its side, and the nose swings as in a reversing car; same_turn: they change sides.

    With `from_steer` 0.2, steering of 0.5 is (0.5 - 0.2) / 0.8 = 0.375 of a lever's range; the inner lever goes back
    by twice that.
    """
    vehicle = tank(levers__in_reverse=in_reverse, levers__from_steer=0.2)
    for gear, sides in ((FIRST, 1.0), (REVERSE, reverse_side)):
        for steer in (0.5, -0.5):
            drive(in_world(vehicle), 3 * TICK, steer=steer, throttle=1.0, gear=gear)
            inner = "right" if steer * sides > 0.0 else "left"
            outer = "left" if inner == "right" else "right"
            assert vehicle.read(f"levers.thrust_{inner}") == pytest.approx(1.0 - 2.0 * 0.375)
            assert vehicle.read(f"levers.thrust_{outer}") == 1.0


def test_brake_torques_act_on_a_track_by_the_speed_ratios_of_its_wheels():
    """In neutral, the first wheel of a track slows by dt sum(s T) / sum(s^2 I), apart from damping.

    s: speed of a wheel per speed of the first, R_first / R; T: brake torques; I: inertias. One wheel is smaller.
    """
    vehicle = tank(wheel__l2__radius=0.3)
    n = vehicle.wheel_count
    p = vehicle.params["wheel"][0][:n]
    scale = np.array([p["radius"][i % 2] / p["radius"][i] for i in range(n)])
    brake = 100.0 * np.arange(1, n + 1)
    track = vehicle.params["differential"]["track"][0, :n]
    vehicle.state["differential"]["track"][0, :n], vehicle.state["differential"]["connected"][0, :n] = track, 1
    vehicle.state["brakes"]["torque"][0, :n] = brake
    vehicle.state["wheel"]["omega"][0, :n] = 30.0 * scale
    dt = 1e-3
    run_update(vehicle, TRACK_COUPLING, dt)
    for k in (1, 2):
        wheels = track == k
        h = dt / float((scale**2 * p["inertia"])[wheels].sum())
        damping = 1.0 + h * float((scale**2 * p["damping"])[wheels].sum())  # implicit
        slowed = (30.0 - h * float((scale * brake)[wheels].sum())) / damping
        assert vehicle.state["wheel"]["omega"][0, :n][wheels] == pytest.approx(slowed * scale[wheels])


def test_coupling_the_wheels_of_a_track_creates_no_momentum_or_energy():
    """Wheels of different speeds are coupled at once: the track's angular momentum is kept, their energy falls."""
    vehicle = tank(wheel__l2__radius=0.3)
    n = vehicle.wheel_count
    p = vehicle.params["wheel"][0][:n]
    rng = np.random.default_rng(1)
    scale = np.array([p["radius"][i % 2] / p["radius"][i] for i in range(n)])
    vehicle.state["wheel"]["omega"][0, :n] = rng.uniform(-20.0, 20.0, n)
    vehicle.state["differential"]["track"][0, :n] = track = vehicle.params["differential"]["track"][0, :n]
    vehicle.state["differential"]["connected"][0, :n] = 1

    def totals():
        """([momentum of each track, reduced to its first wheel, kg m^2/s], kinetic energy of all wheels, J)."""
        omega = vehicle.state["wheel"]["omega"][0, :n]
        momentum = [float((scale * p["inertia"] * omega)[track == k].sum()) for k in (1, 2)]
        return np.array(momentum), 0.5 * float((p["inertia"] * omega**2).sum())

    before = totals()
    dt = 1e-9  # no time for damping
    run_update(vehicle, TRACK_COUPLING, dt)
    after = totals()
    assert np.allclose(after[0], before[0], rtol=1e-6)
    assert after[1] < 0.9 * before[1]


def test_wheels_without_tracks_are_driven_like_those_of_a_car(tmp_path):
    """Without tracks the solve is the one of a car with a multi-wheel differential, within 1e-6."""
    path = tmp_path / "car.json"
    path.write_text(json.dumps({**json.loads(TANK.read_text()), "type": MULTI_WHEEL}))
    car = load_physx(path).vehicle
    trackless = tank(**{f"differential.{n}.track": 0 for n in car.wheel_names})
    for vehicle in (trackless, car):
        world = in_world(vehicle)
        state = vehicle.state[0]
        state["body"]["velocity"][1] = 8.0
        state["gearbox"]["current_gear"] = state["gearbox"]["target_gear"] = SECOND
        # already rolling, at 8 m/s on wheels of 0.35 m radius: near standstill the tire forces are too stiff to compare
        state["wheel"]["omega"][:8], state["engine"]["omega"] = 8.0 / 0.35, 250.0
        drive(world, 20 * TICK, throttle=0.8, gear=SECOND)
    assert abs(rim_speeds(car) - 8.0).max() > 0.05
    assert np.allclose(rim_speeds(trackless), rim_speeds(car), rtol=1e-6)
    assert trackless.read("engine.omega") == pytest.approx(car.read("engine.omega"), rel=1e-9)


def test_wheels_of_a_track_must_follow_one_lever():
    with pytest.raises(SchemaError, match="differential.lever: wheels of track 2 follow different levers"):
        tank(differential__l3__lever="right")


def test_a_braked_track_stops():
    world = in_world(tank())
    drive(world, 3.0, throttle=1.0)
    vehicle = drive(world, 4.0, brake=1.0, clutch=1.0)
    assert np.all(np.abs(vehicle.state["wheel"]["omega"][0, :8]) < 1e-9)
    assert speed(vehicle) < 0.05


def test_a_track_distributes_its_brake_force_by_wheel_load():
    """The brake forces of a track's wheels are added up and divided by load; a wheel without track has its own."""
    strong = {f"brakes__{n}__max_torque": 12000.0 for n in ("l1", "r1")}
    large = {f"wheel__{n}__radius": 0.55 for n in ("l4", "r4")}
    single = {f"differential__{n}__track": 0 for n in ("l2", "r2")}
    world = in_world(tank(**strong, **large, **single))
    vehicle = drive(world, 2.0, brake=1.0, clutch=1.0)
    load = vehicle.state["tire"]["load"][0, :8].copy()
    drive(world, TICK, brake=1.0, clutch=1.0)
    torque, max_torque = vehicle.state["brakes"]["torque"][0, :8], vehicle.params["brakes"]["max_torque"][0, :8]
    radius = vehicle.params["wheel"]["radius"][0, :8]
    for wheels in tracks(vehicle):
        force = (max_torque[wheels] / radius[wheels]).sum()
        expected = force * radius[wheels] * load[wheels] / load[wheels].sum()
        np.testing.assert_allclose(torque[wheels], expected, rtol=1e-9)
    assert np.all(torque[2:4] == max_torque[2:4])
