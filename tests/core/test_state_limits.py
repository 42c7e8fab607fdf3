"""States made elsewhere: whole numbers that kernels use as indices and counts are refused outside of their limits.

Whatever is not refused is stepped, in a process of its own: an index followed out of its record would end it.
"""

import subprocess
import sys

import numpy as np
import pytest

from driving_sandbox.physics.batch.batch import Batch
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.tick.commands import AUTOMATIC, neutral_command
from driving_sandbox.physics.vehicle.state_limits import limits_of
from driving_sandbox.physics.vehicle.types import VEHICLE_TYPES
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

VEHICLES = sorted(path.stem for path in (ROOT / "configs" / "vehicles").glob("*.yaml"))
OF_EACH_TYPE = ("roadster", "buggy", "clubsport", "patrol", "planar_roadster", "tank", "road_train")
VALUES = (-(2**63), -1, 0, 1, 2, 3, 12, 31, 32, 254, 255, 2**40, 2**63 - 1)


def world_of(name):
    """One that has been driven for a little, so that its state is no first one."""
    world = World(load_world("plane"), [load_vehicle(name)])
    world.spawn(None)
    command = neutral_command()
    command["throttle"], command["steer"], command["gear"] = 1.0, 0.3, AUTOMATIC
    for _ in range(120):
        world.step(command)
    return world, command


def numbers(state, path):
    for name in path:
        state = state[name]
    return state.reshape(-1)


def fuzz(name):
    """Put every value into every whole number of a state, alone; step where it is taken. Counts of both."""
    world, command = world_of(name)
    good, refused, stepped = world.snapshot(), 0, 0
    kinds = [v.state.dtype for v in world.vehicles]
    ends = np.cumsum([8, *(kind.itemsize for kind in kinds)])
    for vehicle, start, end in zip(world.vehicles, ends[:-1], ends[1:], strict=True):
        for limit in limits_of(vehicle.sequence):
            for value in VALUES:
                data = bytearray(good)
                values = numbers(np.frombuffer(data, np.uint8)[start:end].view(vehicle.state.dtype), limit.path)
                values[:] = value
                try:
                    world.restore(bytes(data))
                except ValueError:
                    refused += 1
                    continue
                world.step(command)
                world.step(command)
                stepped += 1
    return refused, stepped


def test_every_type_of_vehicle_is_tried():
    types = {vehicle.info["type"] for name in OF_EACH_TYPE for vehicle in world_of(name)[0].vehicles}
    assert types == set(VEHICLE_TYPES)


@pytest.mark.parametrize("name", OF_EACH_TYPE)
def test_no_whole_number_of_a_state_leads_out_of_its_records(name):
    code = f"import sys; sys.path.insert(0, 'tests/core'); import test_state_limits as t; print(*t.fuzz({name!r}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"ended with {done.returncode}: {done.stderr[-500:]}"
    refused, stepped = map(int, done.stdout.split())
    assert refused > 15 and stepped > 15


@pytest.mark.parametrize("name", VEHICLES)
def test_every_whole_number_of_a_state_has_limits(name):
    def count(kind):
        if kind.names:
            return sum(count(kind[n].base) for n in kind.names)
        return kind.kind in "iu"

    sequence = load_vehicle(name).sequence
    assert len(limits_of(sequence)) == count(sequence.dtypes["state"])


def test_what_is_refused_is_named_and_changes_nothing():
    world, _ = world_of("roadster")
    good = world.snapshot()
    state = np.frombuffer(bytearray(good)[8:], world.vehicles[0].state.dtype)
    state["gearbox"]["current_gear"] = 2**40
    with pytest.raises(ValueError, match=r"gearbox.current_gear is 1099511627776, allowed are 0 to 31"):
        world.restore(good[:8] + state.tobytes())
    with pytest.raises(ValueError, match="tick 18446744073709551615"):
        world.restore(b"\xff" * 8 + good[8:])
    state["gearbox"]["current_gear"], state["road"]["surface"] = 2, 200
    with pytest.raises(ValueError, match=r"road.surface is 200, allowed are 0 to \d+"):
        world.restore(good[:8] + state.tobytes())
    assert world.snapshot() == good


def test_a_member_of_a_batch_is_checked_as_a_vehicle_of_a_world_is():
    with Batch(load_vehicle("roadster"), load_world("plane"), 3, threads=1) as batch:
        good = batch.snapshot()
        states = np.frombuffer(bytearray(good)[8:], batch.states.dtype)
        states["contact"]["solver"]["contact_count"][2] = 2**20
        with pytest.raises(ValueError, match=r"contact.solver.contact_count is 1048576, allowed are 0 to 12"):
            batch.restore(good[:8] + states.tobytes())
        assert batch.snapshot() == good
