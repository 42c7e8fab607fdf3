"""Untrusted states: integers used by kernels as indices and counts are refused outside their limits.

Accepted states are stepped in a separate process, which an index outside its record would crash.
"""

import subprocess
import sys

import numpy as np
import pytest

from driving_sandbox.physics.batch.batch import Batch
from driving_sandbox.physics.ground.arrays import NO_SURFACE
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.tick.commands import AUTOMATIC, FIRST, REVERSE, neutral_command
from driving_sandbox.physics.vehicle.state_limits import limits_of
from driving_sandbox.physics.vehicle.types import VEHICLE_TYPES
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

VEHICLES = sorted(path.stem for path in (ROOT / "configs" / "vehicles").glob("*.yaml"))
# of each type, and together with all integers of states that shipped vehicles have
OF_EACH_TYPE = (
    "roadster", "buggy", "clubsport", "patrol", "planar_roadster", "tank", "road_train", "coupe", "track_roadster",
    "lowrider",
)  # fmt: skip
VALUES = (-(2**63), -1, 0, 1, 2, 3, 12, 31, 32, 254, 255, 2**40, 2**63 - 1)


def world_of(name):
    """(world after a short drive, so that its state is not the initial one; command of the drive)."""
    world = World(load_world("plane"), [load_vehicle(name)])
    world.spawn(None)
    command = neutral_command()
    command["throttle"], command["steer"], command["gear"] = 1.0, 0.3, AUTOMATIC
    for _ in range(120):
        world.step(command)
    return world, command


def values_of(state, path):
    """Flat view of the integers of a state at `path`, names of nested fields."""
    for name in path:
        state = state[name]
    return state.reshape(-1)


def fuzz(name):
    """Set every integer of a state to each of VALUES in turn, and step the world if the state is accepted.

    Returns (number of refused states, number of stepped ones).
    """
    world, command = world_of(name)
    good, refused, stepped = world.snapshot(), 0, 0
    kinds = [v.state.dtype for v in world.vehicles]
    ends = np.cumsum([8, *(kind.itemsize for kind in kinds)])  # 8 bytes of the tick come first
    for vehicle, start, end in zip(world.vehicles, ends[:-1], ends[1:], strict=True):
        for limit in limits_of(vehicle.sequence):
            for value in VALUES:
                data = bytearray(good)
                values = values_of(np.frombuffer(data, np.uint8)[start:end].view(vehicle.state.dtype), limit.path)
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


def integers(name):
    """(module, path in the state) of each integer of a vehicle's state and those of its trailers."""
    train = load_vehicle(name)
    sequences = [vehicle.sequence for vehicle in (train, *train.trailers)]
    return {
        (sequence.by_slot[limit.path[0]].state.__module__, *limit.path[1:])
        for sequence in sequences
        for limit in limits_of(sequence)
        if limit.path != ("tick",)
    }


def test_every_integer_of_a_shipped_vehicle_is_tried():
    tried = set().union(*map(integers, OF_EACH_TYPE))
    assert set().union(*map(integers, VEHICLES)) - tried == set()


@pytest.mark.parametrize("name", OF_EACH_TYPE)
def test_no_integer_of_a_state_leads_outside_its_records(name):
    code = f"import sys; sys.path.insert(0, 'tests/core'); import test_state_limits as t; print(*t.fuzz({name!r}))"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, f"ended with {result.returncode}: {result.stderr[-500:]}"
    refused, stepped = map(int, result.stdout.split())
    assert refused > 15 and stepped > 15


@pytest.mark.parametrize("name", VEHICLES)
def test_every_integer_of_a_state_has_limits(name):
    def count(kind):
        if kind.names:
            return sum(count(kind[n].base) for n in kind.names)
        return kind.kind in "iu"

    sequence = load_vehicle(name).sequence
    assert len(limits_of(sequence)) == count(sequence.dtypes["state"])


def drive_through_everything(world):
    """Drive a world's first train forward, backward, through every gear, in the air and on its roof.

    Yields the name of the part of the drive every tenth tick.
    """

    def commands(**values):
        command = neutral_command()
        for name, value in values.items():
            command[name] = value
        return command

    def hang():
        world.place(0, (0.0, 0.0, 6.0), 0.0)

    def turn_over():
        x, y, _ = world.vehicles[0].model_position()
        world.vehicles[0].put((x, y, 2.5), (0.0, 1.0, 0.0, 0.0), (0.0, 5.0, 0.0))

    parts = [  # name, ticks, command, preparation
        ("drives off", 600, commands(throttle=1.0, steer=0.3, gear=AUTOMATIC), None),
        ("brakes", 300, commands(brake=1.0, gear=AUTOMATIC), None),
        ("reverses", 300, commands(throttle=0.6, gear=REVERSE), None),
        *((f"gear {gear}", 80, commands(throttle=1.0, gear=gear), None) for gear in range(8)),
        ("skids", 200, commands(handbrake=1.0, steer=-1.0, digital=1), None),
        ("turns by levers", 100, commands(thrust_left=1.0, thrust_right=-1.0, gear=FIRST), None),
        ("falls", 300, commands(throttle=1.0, gear=AUTOMATIC), hang),
        ("on its roof", 400, commands(throttle=0.5, gear=FIRST), turn_over),
        ("put upright", 60, commands(), world.recover),
    ]
    for part, ticks, command, before in parts:
        if before is not None:
            before()
        for tick in range(ticks):
            assert world.step(command) is None
            if tick % 10 == 0:
                yield part


@pytest.mark.parametrize("name", OF_EACH_TYPE)
def test_states_of_a_drive_can_be_restored(name):
    world, _ = world_of(name)
    off_the_ground = set()
    for part in drive_through_everything(world):
        state = world.snapshot()
        world.restore(state)
        assert world.snapshot() == state
        for vehicle in world.vehicles:
            if "road" in vehicle.state.dtype.names and not vehicle.state["road"]["hit"][0, : vehicle.wheel_count].any():
                off_the_ground.add(part)
    if "road" in world.vehicles[0].state.dtype.names:
        assert off_the_ground >= {"falls", "on its roof"}


def test_a_batch_can_restore_a_state_in_the_air():
    with Batch(load_vehicle("roadster"), load_world("plane"), 2, threads=1) as batch:
        world, command = world_of("roadster")
        world.place(0, (0.0, 0.0, 6.0), 0.0)
        world.step(command)
        batch.states[:] = world.vehicles[0].state
        assert (batch.states["road"]["surface"][:, :4] == NO_SURFACE).all()
        state = batch.snapshot()
        batch.restore(state)
        assert batch.snapshot() == state


def test_a_refused_value_is_named_and_changes_nothing():
    world, _ = world_of("roadster")
    good = world.snapshot()
    state = np.frombuffer(bytearray(good)[8:], world.vehicles[0].state.dtype)
    state["gearbox"]["current_gear"] = 2**40
    with pytest.raises(ValueError, match=r"gearbox.current_gear is 1099511627776, allowed are 0 to 31"):
        world.restore(good[:8] + state.tobytes())
    with pytest.raises(ValueError, match="tick 18446744073709551615"):
        world.restore(b"\xff" * 8 + good[8:])
    state["gearbox"]["current_gear"], state["road"]["surface"] = 2, 200
    with pytest.raises(ValueError, match=r"road.surface is 200, allowed are -1 to \d+"):
        world.restore(good[:8] + state.tobytes())
    state["road"]["surface"] = NO_SURFACE - 1
    with pytest.raises(ValueError, match=r"road.surface is -2, allowed are -1 to \d+"):
        world.restore(good[:8] + state.tobytes())
    assert world.snapshot() == good


def test_states_of_a_batch_are_checked_as_those_of_a_world():
    with Batch(load_vehicle("roadster"), load_world("plane"), 3, threads=1) as batch:
        good = batch.snapshot()
        states = np.frombuffer(bytearray(good)[8:], batch.states.dtype)
        states["contact"]["solver"]["contact_count"][2] = 2**20
        with pytest.raises(ValueError, match=r"contact.solver.contact_count is 1048576, allowed are 0 to 12"):
            batch.restore(good[:8] + states.tobytes())
        assert batch.snapshot() == good
