"""A step that calls separately compiled parts gives the bytes of the merged step, which replaces it while driving."""

import numpy as np
import pytest

from driving_sandbox.benchmarks.scenes import RING_RADIUS, command, hill_world, hills
from driving_sandbox.physics.compile import longest_first
from driving_sandbox.physics.ground.ground import Ground
from driving_sandbox.physics.kernel.jit import JIT
from driving_sandbox.physics.tick import parts
from driving_sandbox.physics.tick.binding import GROUND
from driving_sandbox.physics.tick.commands import neutral_command
from driving_sandbox.physics.tick.component import swapped
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.tick.parts import bind_parts, is_merged, parts_of
from driving_sandbox.physics.tick.sequence import sequence_of
from driving_sandbox.physics.vehicle.types import VARIANTS
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world import world as world_module
from driving_sandbox.physics.world.world import World

pytestmark = pytest.mark.skipif(not JIT, reason="parts are machine code")
DRIVE = ({"throttle": 0.8, "steer": 0.3}, {"brake": 1.0, "steer": -0.5}, {"throttle": 1.0, "handbrake": 1.0})
TICKS = 90  # of each command


def driven(world, step):
    """State after the commands of DRIVE, each for TICKS ticks."""
    vehicle, no_force = world.vehicles[0], np.zeros(1, EXTERNAL)
    for values in DRIVE:
        for _ in range(TICKS):
            assert step(no_force, command(vehicle, **values), world.tick_seconds) == 0
    return vehicle.snapshot()


@pytest.mark.parametrize("kind", ["roadster_simple", "buggy"])
def test_parts_give_the_bytes_of_the_merged_step(kind):
    states = []
    for bind in (lambda v, *records: v.sequence.bind(*records), lambda v, *records: bind_parts(v.sequence, *records)):
        world = hill_world(kind, tick_rate=60.0, substeps=3, cells=128)
        v = world.vehicles[0]
        start = v.snapshot()
        states.append(driven(world, bind(v, v.params, v.state, v.scratch, world.context, world.ground.arrays)))
    assert states[0] == states[1] != start


def test_a_fault_equals_that_of_the_merged_step():
    world = hill_world("roadster_simple", tick_rate=60.0, substeps=3, cells=128)
    v = world.vehicles[0]
    step = bind_parts(v.sequence, v.params, v.state, v.scratch, world.context, world.ground.arrays)
    v.state["wheel"]["omega"][0, 2] = np.nan
    assert (
        step(np.zeros(1, EXTERNAL), command(v), world.tick_seconds)
        == v.sequence.bind(v.params, v.state, v.scratch, world.context, world.ground.arrays)(
            np.zeros(1, EXTERNAL), command(v), world.tick_seconds
        )
        != 0
    )


def test_another_component_compiles_only_its_parts():
    vehicle = hill_world("roadster_simple", tick_rate=60.0, substeps=3, cells=128).vehicles[0]
    own = {part.module.__name__ for part in parts_of(vehicle.sequence).values()}
    legacy = sequence_of(swapped(vehicle.sequence.entries, VARIANTS["tire"]["legacy"]))
    assert legacy is not vehicle.sequence
    new = {part.module.__name__ for part in parts_of(legacy).values()} - own
    users = [p for p in parts_of(legacy) if p is not None and p.component.slot == "tire"]
    assert 1 <= len(new) <= len(users)  # all other parts are shared with the vehicle's own list


def test_parts_that_query_the_ground_are_compiled_first():
    parts_of_car = list(parts_of(load_vehicle("roadster_simple").sequence).values())
    queries = [GROUND in part.arguments for part in longest_first(parts_of_car)]
    assert 0 < sum(queries) < len(queries) == len(parts_of_car)
    assert queries == sorted(queries, reverse=True)
    assert [GROUND in part.arguments for part in parts_of_car] != queries  # else the order would not matter


def unmerged_world(monkeypatch, tmp_path):
    """A world of one roadster whose merged step counts as not compiled."""
    monkeypatch.setattr(parts, "_merged_marker", lambda sequence: tmp_path / "merged")
    world = World(Ground(hills(128)), [load_vehicle("roadster_simple")], 1.0 / 60.0, 3)
    world.place(0, (RING_RADIUS, 0.0), 0.0)
    assert world.in_parts() == [0]
    return world


def test_a_world_steps_by_parts_until_the_merged_step_is_compiled(monkeypatch, tmp_path):
    whole = hill_world("roadster_simple", tick_rate=60.0, substeps=3, cells=128)
    world = unmerged_world(monkeypatch, tmp_path)
    for k in range(60):
        if k == 30:
            world.merge(0)
            assert world.in_parts() == [] and is_merged(world.vehicles[0].sequence)
        for stepped in (world, whole):
            assert stepped.step(command(stepped.vehicles[0], throttle=0.5)) is None
    assert world.state_hash() == whole.state_hash()


def test_a_long_run_is_merged_first(monkeypatch, tmp_path):
    monkeypatch.setattr(world_module, "WORTH_MERGING", 20)
    world = unmerged_world(monkeypatch, tmp_path)
    world.run(neutral_command(19))
    assert world.in_parts() == [0]
    world.run(neutral_command(20))
    assert world.in_parts() == []
