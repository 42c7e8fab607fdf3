"""Props as bodies of the core: mass, friction, restitution, energy, sleep, snapshots."""

import logging
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from prop_rig import awake, displacements, energy, flat, launch, momentum, placed_prop, prop_momentum, run, throw

from driving_sandbox.physics.batch.batch import Batch
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.props import props as props_module
from driving_sandbox.physics.props.kinds import load_kind
from driving_sandbox.physics.props.saved import SAVED_SUPPORT
from driving_sandbox.physics.props.shape import kind_record
from driving_sandbox.physics.tick.context import MOVING_CAPACITY
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world_file import load_world


def with_kind(monkeypatch, name, **values):
    """Change properties of a kind of prop for the rest of the test."""
    monkeypatch.setattr(
        props_module, "load_kind", lambda key: replace(load_kind(key), **values) if key == name else load_kind(key)
    )


def test_moments_of_inertia_are_those_of_the_solids():
    crate, barrel = (kind_record(load_kind(name))[0] for name in ("crate", "barrel"))
    assert crate["inertia"] == pytest.approx(28.0 * (0.8**2 + 0.8**2) / 12.0)
    offset = 50.0 * 0.045**2  # the centre of mass is below the middle
    exact = [50.0 * (3 * 0.29**2 + 0.89**2) / 12.0 + offset] * 2 + [50.0 * 0.29**2 / 2.0]
    assert barrel["inertia"] == pytest.approx(exact, rel=0.03)  # of a prism with 16 sides


@pytest.mark.parametrize("mass", [20.0, 40.0, 80.0])
def test_a_crate_gains_the_momentum_that_the_car_loses(mass, monkeypatch):
    with_kind(monkeypatch, "crate", mass=mass)
    world = flat([placed_prop("crate", 0.0, 6.0)])
    car, car_momenta, crate_momenta = world.vehicles[0], [], []
    world.place(0, (0.0, 0.0), 0.0)
    launch(car, 15.0)

    def record():
        car_momenta.append(momentum(car)[0][1])
        crate_momenta.append(prop_momentum(world, 0)[0][1])

    run(world, 0.4, each=record)
    hit = next(k for k, momentum_y in enumerate(crate_momenta) if momentum_y > 1.0)
    gained, lost = crate_momenta[hit + 2], car_momenta[hit - 1] - car_momenta[hit + 2]
    assert gained > 0.7 * 15.0 * mass  # a car of 1 t hardly slows down
    assert lost == pytest.approx(gained, rel=0.05)  # except friction, drag and rolling resistance


@pytest.mark.parametrize("friction", [0.2, 0.4, 0.8])
def test_the_sliding_distance_of_a_crate_is_that_of_its_friction(friction, monkeypatch):
    with_kind(monkeypatch, "crate", friction=friction)
    world = flat([placed_prop("crate", 0.0, 0.0)])
    throw(world, velocity=(0.0, 4.0, 0.0))
    run(world, 3.0)
    assert world.props.poses()[0, 1] == pytest.approx(16.0 / (2.0 * 9.81 * friction), rel=0.03)


@pytest.mark.parametrize("restitution", [0.0, 0.3, 0.6])
def test_a_dropped_crate_bounces_by_its_restitution(restitution, monkeypatch):
    with_kind(monkeypatch, "crate", restitution=restitution)
    world = flat([placed_prop("crate", 0.0, 0.0, height=1.0)])
    throw(world)
    heights, landed = [], []  # heights are of the bounce only

    def record():
        landed.append(bool(landed and landed[-1]) or world.props.state["velocity"][0, 2] >= 0.0)
        heights.append(float(world.props.poses()[0, 2]) - 0.4 if landed[-1] else 0.0)

    run(world, 1.6, each=record)
    assert max(heights) == pytest.approx(restitution**2, abs=0.06)  # m, as it falls by 1 m


@pytest.mark.parametrize("gravity", [1.62, 9.81])
def test_props_fall_with_the_gravity_of_the_world(gravity):
    world = flat([placed_prop("cone", 0.0, 0.0, height=20.0)])
    world.parameters.set_many({"world.gravity": gravity})
    throw(world)
    run(world, 1.0)
    assert world.props.state["velocity"][0, 2] == pytest.approx(-gravity, rel=1e-6)


@pytest.mark.parametrize("seed", [1, 2])
def test_the_energy_of_a_falling_heap_does_not_rise(seed):
    random = np.random.default_rng(seed)
    kinds = ("crate", "barrel", "cone", "tire", "plank")
    heap = [placed_prop(kinds[k % 5], *random.uniform(-1.0, 1.0, 2), height=0.5 + 0.9 * k) for k in range(15)]
    world = flat(heap)
    throw(world, spin=random.uniform(-3.0, 3.0, (15, 3)))
    energies = [energy(world)]
    run(world, 6.0, each=lambda: energies.append(energy(world)))
    assert np.diff(energies).max() < 1e-4 * energies[0] and energies[-1] < 0.2 * energies[0]


@pytest.mark.parametrize("speed", [20.0, 50.0])
@pytest.mark.parametrize("kind", ["cone", "barrel"])
def test_cones_and_barrels_do_not_pass_through_a_crate_or_a_fast_car(kind, speed):
    world = flat([placed_prop(kind, 0.0, 0.0), placed_prop("crate", 0.0, 6.0)])
    throw(world, 0, velocity=(0.0, speed, 0.0))
    positions = []
    run(world, 5.0 / speed + 0.05, each=lambda: positions.append(world.props.poses()[:, 1].copy()))
    assert max(y[0] - y[1] for y in positions) < -0.3 and displacements(world)[1] > 0.02
    world = flat([placed_prop(kind, 0.0, 8.0)])
    world.place(0, (0.0, 0.0), 0.0)
    launch(world.vehicles[0], speed)
    run(world, 0.5)
    assert world.props.state["velocity"][0, 1] > 0.5 * speed


@pytest.mark.parametrize("speed", [14.0, 28.0])
@pytest.mark.parametrize("kind", ["tire", "cone"])
def test_props_hit_by_a_car_are_not_much_faster_than_it(kind, speed):
    world = flat([placed_prop(kind, 0.6 if k % 2 else -0.6, 8.0 + 3.0 * k) for k in range(6)])
    world.place(0, (0.0, 0.0), 0.0)
    launch(world.vehicles[0], speed)
    speeds = []
    run(world, 30.0 / speed, each=lambda: speeds.append(np.linalg.norm(world.props.state["velocity"], axis=1).max()))
    assert 0.3 * speed < max(speeds) < 1.6 * speed


@pytest.mark.parametrize("spin", [(0.0, 0.0, 4.0), (0.0, 6.0, 0.0)])
def test_a_barrel_that_spins_or_rolls_comes_to_rest(spin):
    world = flat([placed_prop("barrel", 0.0, 0.0)])
    if spin[1]:
        world.props.state["orientation"][0] = (np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))  # on its side, along y
        world.props.state["position"][0, 2] = 0.29
    throw(world, velocity=(0.29 * spin[1], 0.0, 0.0), spin=spin)
    run(world, 0.1)
    assert awake(world) == [0]
    run(world, 20.0)
    assert awake(world) == []


@pytest.mark.parametrize("push", [0.3, 3.0])
def test_a_pushed_row_of_crates_wakes_and_sleeps_again(push):
    world = flat([placed_prop("crate", 0.0, 0.81 * k) for k in range(4)] + [placed_prop("crate", 9.0, 0.0)])
    throw(world, 0, velocity=(0.0, push, 0.0))
    moving = []  # indices of moving props in every tick
    run(world, 5.0, each=lambda: moving.append(awake(world)))
    assert max(map(len, moving)) >= (2 if push < 1.0 else 4) and moving[-1] == []
    assert not any(4 in indices for indices in moving), "the crate far away wakes"
    assert world.props.moving == 0 and (world.props.state["velocity"] == 0.0).all()


@pytest.mark.parametrize("shift", [0.0, 0.2])
def test_a_stack_of_three_crates_stands_until_the_lowest_is_pushed_away(shift):
    world = flat([placed_prop("crate", shift * k, 0.0, rise=0.8 * k) for k in range(3)])
    throw(world)
    run(world, 3.0)
    assert awake(world) == [] and displacements(world).max() < 0.01
    throw(world, 0, velocity=(0.0, 8.0, 0.0))
    run(world, 2.0)
    assert world.props.poses()[2, 2] < 1.5


def scene():
    """A world with a car that drives into four props at 14 m/s."""
    places = {"barrel": (0.2, 4.0), "crate": (0.1, 5.6), "cone": (-0.6, 5.0), "ramp": (0.7, 9.0)}
    world = flat([placed_prop(kind, *place) for kind, place in places.items()])
    world.place(0, (0.0, 0.0), 0.0)
    launch(world.vehicles[0], 14.0)
    return world


def test_a_restored_snapshot_leads_to_the_same_state():
    world = scene()
    run(world, 0.2)
    saved, before = world.snapshot(), world.state_hash()
    run(world, 0.6)
    after = world.state_hash()
    assert displacements(world).max() > 1.0 and after != before
    for target in (world, scene()):
        target.restore(saved)
        assert target.state_hash() == before
        run(target, 0.6)
        assert target.state_hash() == after


@pytest.mark.parametrize(
    ("position", "value"), [(0, b"\xff" * 8), (8, b"\xff" * 8), (16, b"\x00\x00\x00\x00\x00\x00\xf8\x7f")]
)
def test_an_invalid_state_of_props_is_refused(position, value):
    """The value replaces the number of moved props, the index of the first one, or the first number of its state."""
    world = scene()
    run(world, 0.3)
    props = world.props.snapshot()
    before, data = world.state_hash(), world.snapshot()
    start = len(data) - len(props) + position
    with pytest.raises(ValueError, match="props?"):
        world.restore(data[:start] + value + data[start + len(value) :])
    assert world.state_hash() == before


@pytest.fixture(scope="module")
def on_plank():
    """(World, its snapshot) of a car with its front wheels on a plank, and a cone that no wheel may stand on."""
    world = flat([placed_prop("plank", 0.0, 1.14, heading=np.pi / 2), placed_prop("cone", 0.0, 30.0)])
    world.place(0, (0.0, 0.0), 0.0)
    run(world, 0.05)
    return world, world.snapshot()


@pytest.mark.parametrize(
    ("field", "value"),
    [("vehicle", -1), ("vehicle", 1), ("count", 0), ("count", MOVING_CAPACITY + 1), ("first", -1),
     ("first", MOVING_CAPACITY), ("carrier", -1), ("carrier", 1), ("carrier", 2), ("deck", -1), ("deck", 1),
     ("deck", 2**40), ("about", np.nan), ("position", np.inf), ("velocity", -np.inf), ("spin", np.nan)],
)  # fmt: skip
def test_an_invalid_support_of_wheels_is_refused(on_plank, field, value):
    world, data = on_plank
    world.restore(data)
    before, start = world.state_hash(), len(data) - SAVED_SUPPORT.itemsize
    saved = np.frombuffer(data[start:], SAVED_SUPPORT).copy()
    assert saved["support"]["count"][0] == 1 and saved["support"]["carrier"][0, 0] == 0
    record = saved if field == "vehicle" else saved["support"]
    record[field].reshape(-1)[0] = value
    with pytest.raises(ValueError, match="wheels|room"):
        world.restore(data[:start] + saved.tobytes())
    assert world.state_hash() == before


def test_a_snapshot_with_an_invalid_contact_between_vehicles_changes_no_prop():
    world = flat([placed_prop("cone", 0.0, 5.0)], vehicles=("roadster_simple", "roadster_simple"))
    before = world.snapshot()
    throw(world, velocity=(0.0, 0.0, 3.0))
    world.between.memory["impulse"][3, 1] = np.nan
    damaged = world.snapshot()
    world.restore(before)
    with pytest.raises(ValueError, match="contacts between vehicles"):
        world.restore(damaged)
    assert world.snapshot() == before


def test_unmoved_props_do_not_change_snapshots_and_hashes():
    without, with_prop = flat(()), flat([placed_prop("cone", 0.0, 5.0)])
    assert without.snapshot() == with_prop.snapshot() and without.state_hash() == with_prop.state_hash()


HASH = """
import sys
sys.path.insert(0, "tests/props")
from test_prop_bodies import run, scene
world = scene()
run(world, 0.1)
print(f"{world.state_hash():016x}")
"""


def test_compiled_and_plain_python_have_equal_state_hashes():
    hashes = []
    for jit in ("0", "1"):
        environment = {**os.environ, "SANDBOX_JIT": jit, "PYTHONPATH": "."}
        process = subprocess.run(
            [sys.executable, "-c", HASH], cwd=ROOT, env=environment, capture_output=True, check=True
        )
        hashes.append(process.stdout.decode().strip())
    assert hashes[0] == hashes[1] and len(hashes[0]) == 16


@pytest.mark.parametrize(("world", "warns"), [("yard", True), ("plane", False)])
def test_a_batch_warns_that_it_has_no_props(world, warns, caplog):
    with (
        caplog.at_level(logging.WARNING),
        Batch(load_vehicle("roadster_simple"), load_world(world), 2, threads=1) as batch,
    ):
        batch.step(batch.neutral_commands())
    assert ("a batch has no props" in caplog.text) == warns and batch.world.props is None
