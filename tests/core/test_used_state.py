"""Snapshots of the used part of a state."""

import numpy as np
import pytest

from driving_sandbox.physics.tick.commands import AUTOMATIC, COMMAND
from driving_sandbox.physics.tick.used_state import UsedState, UsedStates
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world


@pytest.fixture(scope="module")
def world():
    world = World(load_world("plane"), [load_vehicle("roadster_simple")])
    world.spawn()
    return world


def drive(world, ticks):
    """Drive a bend at full throttle for a number of ticks."""
    command = np.zeros(1, COMMAND)
    command["throttle"], command["steer"], command["gear"] = 1.0, 0.3, AUTOMATIC
    for _ in range(ticks):
        world.step(command)


def test_a_snapshot_is_restored_to_the_byte(world):
    vehicle = world.vehicles[0]
    drive(world, 100)
    used, before = UsedState(vehicle), vehicle.snapshot()
    packed = used.keep()
    assert packed.nbytes < vehicle.state.nbytes / 2
    drive(world, 50)
    assert vehicle.snapshot() != before
    used.put_back()
    assert vehicle.snapshot() == before  # the unused part did not change


def test_fields_of_existing_wheels_are_used_and_those_of_others_are_not(world):
    vehicle = world.vehicles[0]
    used = UsedState(vehicle)
    for wheel, counts in ((3, True), (4, False)):
        for slot, field in (("wheel", "omega"), ("tire", "load"), ("suspension", "jounce")):
            before = used.keep().copy()
            vehicle.state[slot][field][0, wheel] += 1.0
            assert (used.keep() != before).any() == counts
            vehicle.state[slot][field][0, wheel] -= 1.0


def test_packed_rows_are_unpacked_to_states(world):
    vehicle = world.vehicles[0]
    used, rows, expected = UsedState(vehicle), [], []
    for _ in range(3):
        drive(world, 5)
        rows.append(used.keep().copy())
        expected.append(vehicle.snapshot())
    assert [state.tobytes() for state in used.whole(np.array(rows))] == expected


def test_several_vehicles_in_one_call_equal_each_alone():
    world = World(load_world("plane"), [load_vehicle("roadster_simple"), load_vehicle("tank")])
    for index in range(2):
        world.place(index, (10.0 * index, 0.0), 0.0)
    together = UsedStates(world.vehicles)
    together.keep()
    before, states = [used.packed_words.copy() for used in together], [v.snapshot() for v in world.vehicles]
    for vehicle in world.vehicles:
        vehicle.state["body"]["position"] += 1.0
    together.keep()
    for vehicle, used, old in zip(world.vehicles, together, before, strict=True):
        alone = UsedState(vehicle)
        assert (used.packed_words == alone.keep()).all()
        assert (used.packed_words != old).sum() == 3  # words: x, y, z of the position
        used.packed_words[:] = old
        used.put_back()
    assert [v.snapshot() for v in world.vehicles] == states
