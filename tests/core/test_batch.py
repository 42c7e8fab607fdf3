"""Batches: bytes equal to single steps with one to three threads, faults, resets, parameters per vehicle."""

import subprocess
import sys

import numpy as np
import pytest

from driving_sandbox.benchmarks.scenes import forward_gear, hill_world
from driving_sandbox.physics.batch.batch import Batch
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.tick.commands import COMMAND
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.vehicle.trailers import split_name
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World

KINDS = ("roadster_simple", "buggy")  # of two vehicle types: engine_drive and direct_drive
COUNT = 7  # vehicles of the batch
TICKS = 40  # of the drives that are compared
OWN_PARAMETERS = [{"body.mass": 1000.0 + 40.0 * k, "wheel.fl.radius": 0.32 + 0.002 * k} for k in range(COUNT)]


def batch_of(kind, threads=2, parameters=None, count=COUNT):
    """Vehicles on wavy ground, each at its own position."""
    world = hill_world(kind, tick_rate=60.0, substeps=3, cells=256)
    batch = Batch(world.vehicles[0], world, count, parameters, threads=threads)
    angle = np.arange(count) * 0.9  # rad, along the circle
    batch.place(np.column_stack([50.0 * np.cos(angle), 50.0 * np.sin(angle)]), angle)
    return batch


def varied_commands(batch, ticks=TICKS):
    """Array of commands, [ticks, vehicles], different for every vehicle and tick."""
    rng = np.random.default_rng(7)
    commands = batch.neutral_commands(ticks)
    commands["gear"] = forward_gear(batch.vehicle)
    commands["throttle"] = rng.uniform(0.0, 1.0, commands.shape)
    commands["brake"] = rng.uniform(0.0, 1.0, commands.shape) > 0.8
    commands["steer"] = rng.uniform(-1.0, 1.0, (1, batch.count))
    return commands


def stepped_one_by_one(kind, parameters, commands):
    """States after `World.step` of every vehicle in its own world."""
    states = []
    start = batch_of(kind, 1, parameters)
    for i in range(start.count):
        world = hill_world(kind, tick_rate=60.0, substeps=3, cells=256)
        for path, value in parameters[i].items() if parameters else ():
            member, member_path = split_name(world.vehicles[0], path)
            world.vehicles[member].set(member_path, value)
        world.restore(bytes(8) + start.states[i].tobytes())  # a snapshot begins with 8 bytes of tick number
        for tick in range(len(commands)):
            assert world.step(commands[tick, i : i + 1]) is None
        states.append(world.snapshot()[8:])
    return states


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("parameters", [None, OWN_PARAMETERS], ids=["shared", "own"])
def test_bytes_equal_single_steps_in_any_number_of_threads(kind, parameters):
    """One, two and three threads give the same bytes, in one call for all ticks and in a call per tick."""
    commands = varied_commands(batch_of(kind))
    expected = stepped_one_by_one(kind, parameters, commands)
    assert len(set(expected)) == COUNT
    for threads in (1, 2, 3):
        with batch_of(kind, threads, parameters) as one_call, batch_of(kind, threads, parameters) as by_tick:
            assert one_call.step(commands) == []
            for k in range(TICKS):
                assert by_tick.step(commands[k]) == []
            assert [s.tobytes() for s in one_call.states] == expected
            assert one_call.snapshot() == by_tick.snapshot()
            assert one_call.tick == TICKS


TRAIN_MASSES = [{"body.mass": 17000.0 + 500.0 * k, "trailer1.body.mass": 9000.0 + 900.0 * k} for k in range(COUNT)]


@pytest.mark.parametrize(("kind", "parameters"), [("truck_trailer", None), ("truck_trailer", TRAIN_MASSES),
                                                  ("road_train", None)])  # fmt: skip
def test_trains_equal_single_steps_in_any_number_of_threads(kind, parameters):
    """One, two and three threads give the same bytes."""
    commands = varied_commands(batch_of(kind, 1))
    expected = stepped_one_by_one(kind, parameters, commands)
    assert len(set(expected)) == COUNT
    for threads in (1, 2, 3):
        with batch_of(kind, threads, parameters) as batch:
            assert batch.step(commands) == []
            assert [s.tobytes() for s in batch.states] == expected


def test_channels_and_parameters_of_trailers_are_prefixed():
    with batch_of("truck_trailer", parameters=TRAIN_MASSES, count=COUNT) as batch:
        batch.step(batch.neutral_commands(120))
        wheels = [f"trailer1.suspension.{w}.force" for w in batch.vehicle.trailers[0].wheel_names]
        loads = batch.observe(wheels).sum(axis=1)
        assert np.all(np.diff(loads) > 0.0)
        assert loads == pytest.approx([9.81 * values["trailer1.body.mass"] for values in TRAIN_MASSES], rel=0.1)
        assert batch.states["trailer1"]["body"]["position"].shape == (COUNT, 3)
        with pytest.raises(SchemaError, match="body.mass"):
            batch.set_parameters(2, {"body.mass": 20000.0, "trailer1.body.mass": -1.0})
        batch.set_parameters(2, {})  # the refused values were not applied
        assert batch.params["vehicle"]["body"]["mass"][2] == TRAIN_MASSES[2]["body.mass"]
        with pytest.raises(KeyError, match="pulls 1 trailer"):
            batch.read("trailer2.body.position.x")


def test_external_forces_act_on_a_trailer_and_its_fault_stops_the_train():
    with batch_of("truck_trailer") as batch:
        commands, external = batch.neutral_commands(20), np.zeros((COUNT, 2), EXTERNAL)
        before = batch.read("trailer1.body.position.x")
        external["force"][:, 1] = (2e5, 0.0, 0.0)
        assert batch.step(commands, external) == []
        pushed = batch.read("trailer1.body.velocity.x") - batch.read("body.velocity.x")
        assert np.all(pushed > 0.05) and np.all(batch.read("trailer1.body.position.x") > before)
        good, external["force"][3, 1] = batch.states[3].copy(), (0.0, 1e12, 0.0)
        (fault,) = batch.step(commands[:1], external)
        assert (fault.vehicle, fault.tick) == (3, 20)
        assert batch.states[3].tobytes() == good.tobytes()
        with pytest.raises(ValueError, match="7 x 2 EXTERNAL"):
            batch.step(commands, external[:, 0])


def test_parameters_per_vehicle_are_applied_and_checked():
    with batch_of("roadster_simple", parameters=OWN_PARAMETERS) as batch:
        batch.step(batch.neutral_commands(240))
        loads = batch.observe([f"suspension.{w}.force" for w in batch.vehicle.wheel_names]).sum(axis=1)
    weights = [9.81 * values["body.mass"] for values in OWN_PARAMETERS]
    assert loads == pytest.approx(weights, rel=0.05)  # on wavy ground in neutral
    with pytest.raises(SchemaError, match="body.mass"):
        batch.set_parameters(2, {"body.mass": -1.0})
    with pytest.raises(ValueError, match="7 vehicles"):
        Batch(batch.vehicle, batch.world, COUNT, OWN_PARAMETERS[:3])


def test_shared_parameters_change_for_all_without_moving_bodies():
    with batch_of("roadster_simple") as batch:
        before = batch.observe(["body.position.x", "body.position.y"])
        centre = batch.vehicle.get("body.centre_of_mass")
        batch.set_parameters(None, {"body.centre_of_mass": [centre[0], centre[1] + 0.1, centre[2]]})
        positions = batch.observe(["body.position.x", "body.position.y"]) - before
        assert np.hypot(*positions.T) == pytest.approx(np.full(COUNT, 0.1), abs=0.01)
        with pytest.raises(ValueError, match="share"):
            batch.set_parameters(1, {"body.mass": 1000.0})


def test_a_fault_stops_that_vehicle_only():
    with batch_of("roadster_simple") as batch, batch_of("roadster_simple") as whole:
        commands = varied_commands(batch)
        batch.step(commands[:10])
        whole.step(commands[:10])
        good = batch.states[3].copy()
        external = np.zeros(COUNT, EXTERNAL)
        external["force"][3] = (0.0, 1e9, 0.0)
        faults = batch.step(commands[10:], external)
        whole.step(commands[10:])
        assert [(f.vehicle, f.component, f.tick) for f in faults] == [(3, "body", 10)]
        assert "the body's speed or position is above the limit" in faults[0].text
        assert batch.states[3].tobytes() == good.tobytes()
        others = [i for i in range(COUNT) if i != 3]
        assert batch.states[others].tobytes() == whole.states[others].tobytes()


def test_a_fault_equals_that_of_a_world():
    with batch_of("buggy", count=2) as batch:
        commands, external = batch.neutral_commands(), np.zeros(2, EXTERNAL)
        external["impulse"][1] = (0.0, 0.0, 1e9)
        world = World(batch.world.ground, [load_vehicle("buggy")], 1.0 / 60.0, 3)
        world.vehicles[0].restore(batch.states[1].tobytes())
        alone = world.step(commands[1:], external[1:])
        (fault,) = batch.step(commands, external)
        assert (fault.component, fault.wheel, fault.text) == (alone.component, alone.wheel, alone.text)
        assert fault.vehicle == 1


def test_a_restored_snapshot_repeats_the_steps_and_a_reset_affects_its_mask_only():
    with batch_of("roadster_simple") as batch:
        start = batch.states.copy()
        commands = varied_commands(batch)
        batch.step(commands[:20])
        middle = batch.snapshot()
        batch.step(commands[20:])
        end, end_hash = batch.snapshot(), batch.state_hash()
        batch.restore(middle)
        batch.step(commands[20:])
        assert batch.snapshot() == end and batch.state_hash() == end_hash
        mask = np.arange(COUNT) % 2 == 0
        batch.reset(mask)
        assert batch.states[mask].tobytes() == start[mask].tobytes()
        assert batch.states[~mask].tobytes() == np.frombuffer(end[8:], batch.states.dtype)[~mask].tobytes()
        batch.reset()
        assert batch.states.tobytes() == start.tobytes()
        with pytest.raises(ValueError, match="bytes"):
            batch.restore(middle[:-8])


def test_read_gives_one_value_per_vehicle():
    with batch_of("roadster_simple") as batch:
        batch.step(varied_commands(batch))
        speeds = batch.read("tire.fl.longitudinal_speed")
        assert speeds.shape == (COUNT,) and len(set(speeds.tolist())) == COUNT
        vehicle = load_vehicle("roadster_simple")
        vehicle.restore(batch.states[4].tobytes())
        assert speeds[4] == vehicle.read("tire.fl.longitudinal_speed")
        assert batch.observe(["engine.omega", "gearbox.current_gear"]).dtype == np.float64


def test_wrong_arguments_are_named():
    with batch_of("roadster_simple") as batch:
        with pytest.raises(ValueError, match="7 COMMAND records"):
            batch.step(np.zeros(3, COMMAND))
        with pytest.raises(ValueError, match="EXTERNAL"):
            batch.step(batch.neutral_commands(), np.zeros(2, EXTERNAL))
        with pytest.raises(ValueError, match="at least 1"):
            Batch(batch.vehicle, batch.world, 0)


def test_example_of_the_documentation_runs():
    """The Python example in docs/batches.md."""
    text = (ROOT / "docs" / "batches.md").read_text(encoding="utf8")
    code = text.split("```python\n")[1].split("```")[0]
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    lines = result.stdout.splitlines()
    assert len(lines) == 2 and lines[0].startswith("fastest ") and lines[1].endswith("faults")
    assert float(lines[0].split()[1]) > 1.0, lines
