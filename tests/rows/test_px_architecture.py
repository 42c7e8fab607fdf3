"""Parameters apart from states, the commands that each kind of vehicle takes, array lengths, shared parameters."""

import math
from copy import deepcopy

import numpy as np
import pytest
import yaml
from drive_rig import Drive
from plain_tires import on_plain_tires
from row_rig import NO_AIR, each_wheel, rolling, yaw_rate

from driving_sandbox.physics.batch.batch import Batch
from driving_sandbox.physics.ground.ground import plane_ground
from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.tick.commands import AUTOMATIC, FIRST, NEUTRAL, REVERSE, neutral_command
from driving_sandbox.physics.vehicle.columns import Columns
from driving_sandbox.physics.vehicle.lever_command import lever_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle, load_vehicle_text, vehicle_text
from driving_sandbox.physics.world.placing import heading_of
from driving_sandbox.physics.world.world import World


@pytest.mark.covers("PX-ARCH-02")
def test_parameters_stay_and_states_change():
    drive = Drive("roadster_simple").run(1.0)
    vehicle = drive.vehicle
    paths = {p.path for p in vehicle.parameters()}
    channels = {c.name for c in vehicle.channels()}
    assert {"suspension.fl.stiffness", "engine.peak_torque"} <= paths and "suspension.fl.jounce" not in paths
    assert {"suspension.fl.jounce", "engine.omega"} <= channels and "engine.peak_torque" not in channels
    assert len(paths) > 100 and len(channels) > 100
    params, state = vehicle.params.tobytes(), vehicle.state_hash()
    for component in vehicle.sequence.components:
        assert component.phases, component.name
    for _ in range(200):
        drive.run(1 / 240, throttle=1.0, steer=0.4, gear=AUTOMATIC)
        assert vehicle.params.tobytes() == params
        assert vehicle.state_hash() != state
        state = vehicle.state_hash()


# ---- commands


@pytest.mark.covers("PX-ARCH-04")
def test_pedal_and_handbrake_act_by_their_own_torques():
    """Both are fields of the command of every kind of vehicle."""
    for name in ("roadster_simple", "buggy"):
        drive = Drive(name, values=each_wheel("brakes", max_torque=700.0, handbrake_torque=0.0))
        drive.vehicle.set_many(each_wheel("brakes", ("rl", "rr"), handbrake_torque=1100.0))
        for pedal, hand, front, rear in ((1.0, 0.0, 700.0, 700.0), (0.0, 1.0, 0.0, 1100.0), (0.5, 0.5, 350.0, 900.0)):
            drive.run(0.05, brake=pedal, handbrake=hand)
            assert drive.wheels("brakes", "torque") == pytest.approx([front, front, rear, rear])


@pytest.mark.covers("PX-ARCH-05")
def test_the_second_brake_acts_on_the_wheels_that_have_a_torque_for_it():
    """If the rear wheels have such a torque, it is a handbrake; if the wheels of one track have, it turns a tank."""
    drive = rolling(Drive("roadster_simple", values=NO_AIR).run(2.0), 15.0)
    drive.run(1.0, handbrake=1.0)
    rates = drive.wheels("wheel", "omega")
    assert np.all(rates[:2] > 20.0) and np.all(np.abs(rates[2:]) < 1.0) and 5.0 < drive.speed < 14.0
    headings = {}  # rad, positive to the left
    for side in ("l", "r"):
        tank = load_vehicle("tank")
        tank.set_many({f"brakes.{w}.handbrake_torque": 2600.0 * (w[0] == side) for w in tank.wheel_names})
        drive = rolling(Drive(tank).run(2.0), 6.0)
        drive.run(1.0, handbrake=1.0, gear=NEUTRAL)
        headings[side] = heading_of(tank)
    assert headings["l"] > 0.15 and headings["r"] == pytest.approx(-headings["l"], rel=0.05)


@pytest.mark.covers("PX-ARCH-06")
def test_every_transmission_takes_its_own_commands():
    """These are forward, neutral and reverse; or a gear, automatic and the clutch; or two thrusts.

    Thrusts are refused by vehicles without thrust levers, and so are negative thrusts in a tank that drives by the
    standard model.
    """
    buggy = Drive(on_plain_tires("buggy"))
    for gear, sign in ((REVERSE, -1.0), (NEUTRAL, 0.0), (FIRST, 1.0)):
        torque = buggy.run(0.2, throttle=0.5, gear=gear).wheels("direct_drive", "torque")
        assert np.all(np.sign(torque) == sign)
    car = Drive("roadster_simple").run(0.5, gear=FIRST + 1)
    assert car.vehicle.read("gearbox.current_gear") == FIRST + 1
    car.run(0.5, gear=AUTOMATIC, throttle=0.3)
    assert car.vehicle.read("gearbox.target_gear") == FIRST
    manual = load_vehicle("truck")  # a vehicle with a clutch pedal; the roadster's clutch is automatic
    tank = load_vehicle("tank")
    for left, right in ((0.8, 0.8), (0.8, 0.2), (0.3, 0.9), (0.6, -0.6), (0.2, -0.9), (-0.5, -0.5)):
        drive = Drive(tank)
        drive.ticks(np.repeat(lever_command(tank, left, right), 3))
        throttle = tank.read("response.throttle")
        assert throttle == pytest.approx(max(abs(left), abs(right)))
        assert throttle * tank.read("levers.thrust_left") == pytest.approx(left, abs=1e-9)
        assert throttle * tank.read("levers.thrust_right") == pytest.approx(right, abs=1e-9)
    with pytest.raises(ValueError, match="Buggy has no thrust levers: .* forward, neutral or reverse only"):
        lever_command(buggy.vehicle, 0.5, 0.5)
    with pytest.raises(ValueError, match="no thrust levers: .* gear or automatic, and the clutch"):
        lever_command(manual, 0.5, 0.5)
    tank.set("levers.drive_model", "standard")
    with pytest.raises(ValueError, match="thrusts of Tank must be 0 to 1, not 0.2 and -0.9"):
        lever_command(tank, 0.2, -0.9)


@pytest.mark.covers("PX-SNIP-03")
def test_levers_drive_a_figure_of_eight():
    """A full turn to the left and one to the right, each with the thrust of one side and the brake of the other.

    Each loop ends within half its size of where it began, and the loops lie side by side.
    """
    tank = load_vehicle("tank")
    drive = Drive(tank).run(1.0)
    loops = []
    for left, right in ((0.0, 0.9), (0.9, 0.0)):
        side, yaw, path = 1.0 if right > left else -1.0, 0.0, []
        levers = lever_command(tank, left, right, brake_left=float(left == 0.0), brake_right=float(right == 0.0))
        drive.ticks(np.repeat(levers, 480))  # until it turns to this side
        while side * yaw < 2.0 * math.pi and len(path) < 1600:
            drive.ticks(np.repeat(levers, 6))
            yaw += yaw_rate(drive) * 6.0 / 240.0
            path.append(drive.position[:2])
        assert side * yaw >= 2.0 * math.pi, f"it turned by {yaw:.2f} only"
        loops.append(np.array(path))
    first, second = loops
    size = [np.ptp(loop, axis=0).mean() for loop in loops]
    assert min(size) > 1.5 and max(size) < 2.0 * min(size)
    assert np.linalg.norm(first[-1] - first[0]) < 0.5 * size[0]  # each loop closes
    assert np.linalg.norm(second[-1] - second[0]) < 0.5 * size[1]
    distance = np.linalg.norm(first.mean(axis=0) - second.mean(axis=0))
    assert 0.6 < distance / np.mean(size) < 1.6, distance  # side by side


@pytest.mark.covers("PX-GEAR-02")
def test_lists_by_gear_have_one_entry_for_each_gear():
    """Five forward gears make seven ratios; other lists per gear must have the same length."""
    vehicle = load_vehicle("roadster_simple")
    ratios = vehicle.get("gearbox.ratios")
    assert len(ratios) == 7 == len(vehicle.get("autobox.up_ratios"))
    with pytest.raises(SchemaError, match="autobox.up_ratios: has 7 entries, but the gearbox has 6 gears"):
        vehicle.set("gearbox.ratios", ratios[:-1])
    with pytest.raises(SchemaError, match="down_ratios: has 6 entries"):
        vehicle.set("autobox.down_ratios", [0.4] * 6)
    with pytest.raises(SchemaError, match="neutral_gear"):
        vehicle.set("gearbox.neutral_gear", 7)
    assert vehicle.get("gearbox.ratios") == ratios
    vehicle.set_many({"gearbox.ratios": ratios[:-1], "autobox.up_ratios": [0.9] * 6, "autobox.down_ratios": [0.4] * 6})
    drive = Drive(vehicle).run(0.5)
    assert drive.run(0.6, gear=5).vehicle.read("gearbox.current_gear") == 5


# ---- data


@pytest.mark.covers("PX-ARCH-11")
def test_columns_and_records_give_the_same_bytes():
    """Three cars are kept as one array per field and as records, and driven by the same commands."""
    vehicle = on_plain_tires("buggy")
    world = World(plane_ground(), [vehicle], 1.0 / 240.0)
    world.place(0, (0.0, 0.0), 0.0)
    start = vehicle.state.copy()
    commands = np.repeat(neutral_command(), 3)
    commands["gear"], commands["throttle"], commands["steer"] = FIRST, (0.3, 0.7, 1.0), (-0.5, 0.0, 0.8)
    records = [start.copy() for _ in range(3)]
    states, params = Columns(vehicle.state.dtype, 3), Columns(vehicle.params.dtype, 1)
    for k in range(3):
        states.store(k, start)
    params.store(0, vehicle.params)
    original = vehicle.params.copy()
    # [vehicle, wheel]; records have room for 20 wheels
    assert states["suspension.jounce"].flags.c_contiguous and states["suspension.jounce"].shape == (3, 20)
    for _ in range(240):
        for k in range(3):
            vehicle.params[:], vehicle.state[:] = original, records[k]
            assert world.step(commands[k : k + 1]) is None
            records[k][:] = vehicle.state
            params.load(0, vehicle.params)
            states.load(k, vehicle.state)
            assert world.step(commands[k : k + 1]) is None
            states.store(k, vehicle.state)
    loaded = start.copy()
    for k in range(3):
        states.load(k, loaded)
        assert loaded.tobytes() == records[k].tobytes() != start.tobytes()
    assert np.all(np.diff(states["body.velocity"][:, 1]) > 0.1)


SIX_WHEELS = ("a1", "a2", "b1", "b2", "c1", "c2")  # wheels: axle and side


@pytest.mark.covers("PX-ARCH-12")
def test_six_wheels_and_five_bars():
    """The number of wheels follows from the axles; the lists of anti-roll bars have a length of their own."""
    doc = yaml.safe_load(vehicle_text(on_plain_tires("buggy")))
    for slot, block in list(doc.items()):
        if isinstance(block, dict) and set(block) == {"fl", "fr", "rl", "rr"}:
            doc[slot] = {name: deepcopy(block["fl" if name[1] == "1" else "fr"]) for name in SIX_WHEELS}
    for name in SIX_WHEELS:
        attachment = doc["suspension"][name]["attachment"]
        attachment[1] = {"a": 1.3, "b": 0.0, "c": -1.3}[name[0]]
        attachment[2] = 0.541
    doc["axles"] = {"front": ["a1", "a2"], "middle": ["b1", "b2"], "rear": ["c1", "c2"]}
    doc["body"]["centre_of_mass"] = [0.0, 0.0, 0.5]
    doc["antiroll"] = {"wheel_a": [0, 2, 4, 0, 1], "wheel_b": [1, 3, 5, 2, 3], "stiffness": [4e3, 3e3, 4e3, 1e3, 1e3]}
    doc["steering"] = {name: {"max_angle": 0.5 if name[0] == "a" else 0.0} for name in SIX_WHEELS}
    doc.pop("model", None)
    doc["contact"] = {}
    vehicle = load_vehicle_text(yaml.safe_dump(doc), "six.yaml")
    assert vehicle.wheel_count == 6 and len(vehicle.get("antiroll.stiffness")) == 5
    drive = Drive(vehicle).run(2.0).run(2.0, throttle=0.5, gear=FIRST, steer=0.2)
    assert drive.speed > 2.0 and drive.wheels("suspension", "on_ground").all()
    assert np.linalg.norm(drive.body("acceleration")) > 0.01
    assert abs(vehicle.state["antiroll"][0]["torque"]).max() > 1.0
    with pytest.raises(SchemaError, match="lists of equal length"):
        vehicle.set("antiroll.stiffness", [1.0, 2.0])
    with pytest.raises(SchemaError, match="6 is not the number of a wheel"):
        vehicle.set("antiroll.wheel_a", [0, 2, 4, 0, 6])
    seven = {**doc, "wheel": {**doc["wheel"], "d1": dict(doc["wheel"]["a1"])}}
    with pytest.raises(ConfigError, match="wheel.d1"):
        load_vehicle_text(yaml.safe_dump(seven), "seven.yaml")
    five = {**doc, "wheel": {k: v for k, v in doc["wheel"].items() if k != "c2"}}
    with pytest.raises(ConfigError, match=r"wheel.c2.\w+: is missing"):
        load_vehicle_text(yaml.safe_dump(five), "five.yaml")


@pytest.mark.covers("PX-ARCH-14")
def test_a_hundred_cars_of_one_set_of_parameters():
    """A change of the peak torque acts on all of them equally."""
    speed_gains = []
    for torque in (149.0, 60.0):
        vehicle = load_vehicle("roadster_simple")
        world = World(plane_ground(), [vehicle], 1.0 / 240.0)
        world.place(0, (0.0, 0.0), 0.0)
        with Batch(vehicle, world, 100, threads=2) as batch:
            assert len(batch.params) == 1
            commands = batch.neutral_commands(240)
            commands["gear"], commands["throttle"] = FIRST, 1.0
            assert batch.step(commands) == []
            batch.set_parameters(None, {"engine.peak_torque": torque})
            before = batch.read("body.velocity.y")
            assert batch.step(commands) == []
            speed_gains.append(batch.read("body.velocity.y") - before)
    assert np.ptp(speed_gains[0]) == np.ptp(speed_gains[1]) == 0.0 and len(speed_gains[0]) == 100
    assert np.all(speed_gains[0] > 1.5 * speed_gains[1])
