"""Wheels stand and roll on the bodywork of other vehicles: a lorry's roof, a car transporter with a ramp."""

from itertools import pairwise

import numpy as np
import pytest
from meeting_rig import coasting, conserved, go, in_space, launch, positions, thrown_together, velocities, world_of

from driving_sandbox.physics.kernel.jit import JIT
from driving_sandbox.physics.props.wheel_support import SUPPORT
from driving_sandbox.physics.shape.hull import build_hull
from driving_sandbox.physics.tick.commands import AUTOMATIC

pytestmark = pytest.mark.skipif(not JIT, reason="long drives")
ROOF = 3.65  # m, height of the model's origin of a car that is dropped on the lorry's roof
BED = 0.42  # m, height of the transporter's bed above the ground


def on_a_roof(lower="truck", upper="roadster_simple", seconds=8.0, y=-1.4, height=ROOF, **options):
    """(world of a lorry with a braked car on its roof, commands)."""
    world = world_of(lower, upper, **options)
    world.place(0, (0.0, 0.0), 0.0)
    world.place(1, (0.1, y, height), 0.0)
    commands = coasting(world, brake=1.0)
    go(world, seconds, commands)
    return world, commands


def drive_off(commands):
    """Command the lorry to drive off gently."""
    commands["gear"][0], commands["brake"][0], commands["throttle"][0] = AUTOMATIC, 0.0, 0.3


def load_on(vehicle):
    """Sum of the loads of a vehicle's wheels, N."""
    return float(vehicle.state["tire"]["load"][0, : vehicle.wheel_count].sum())


@pytest.mark.parametrize("upper", ["roadster_simple", "hatchback"])
def test_a_car_dropped_on_a_lorry_stands_on_its_wheels(upper):
    world, commands = on_a_roof(upper=upper, seconds=10.0)
    lorry, car = world.vehicles
    weights = [9.81 * float(v.params["body"]["mass"][0]) for v in (car, lorry)]
    assert load_on(car) == pytest.approx(weights[0], rel=2e-3)
    assert load_on(lorry) == pytest.approx(sum(weights), rel=2e-3)
    assert len(world.between.gaps) == 0  # no bodywork touches
    at_rest = positions(world)
    go(world, 4.0, commands)
    assert np.abs(positions(world) - at_rest).max() < 2e-4


@pytest.mark.parametrize("seconds", [2.0, 3.0])
def test_a_braked_car_rides_along_when_the_lorry_drives_off(seconds):
    world, commands = on_a_roof()
    start = positions(world)
    drive_off(commands)
    go(world, seconds, commands)
    moved = positions(world) - start
    assert moved[0, 1] > 1.0 and abs(moved[1, 1] - moved[0, 1]) < 0.05 and abs(moved[1, 2]) < 0.05
    assert velocities(world)[1, 1] == pytest.approx(velocities(world)[0, 1], abs=0.1)


@pytest.mark.parametrize("seconds", [2.0, 3.0])
def test_a_car_without_brakes_does_not_ride_along(seconds):
    world, commands = on_a_roof()
    start = positions(world)
    drive_off(commands)
    commands["brake"][1] = 0.0
    go(world, seconds, commands)
    moved = positions(world) - start
    assert moved[0, 1] > 1.0 and abs(moved[1, 1]) < 0.15 * moved[0, 1]


def transporter(vehicle):
    """Replace a lorry's bodywork by a bed, BED above the ground, with a ramp of 3 m behind it."""
    x, y, z = 1.25, 4.0, BED - vehicle.state["body"]["position"][0, 2]
    centre = vehicle.params["body"]["centre_of_mass"][0]
    bed = [(a, b, c) for a in (-x, x) for b in (-y, y) for c in (z - 0.2, z)]
    ramp = [(a, b, c) for a in (-x, x) for b, c in ((-y - 3.0, z - BED + 0.03), (-y, z - BED + 0.03), (-y, z))]
    parts = {name: np.array(points) + centre for name, points in (("bed", bed), ("ramp", ramp))}
    hull = build_hull(parts, tuple(centre.tolist()), friction=1.0, restitution=0.1, wheels={}, material=0)
    vehicle.params["contact"]["hull"][0] = hull[0]


@pytest.mark.parametrize("speed", [1.5, 3.0])
def test_a_car_drives_up_a_ramp_onto_a_parked_transporter(speed):
    world = world_of("truck", "roadster_simple")
    world.place(0, (0.0, 0.0), 0.0)
    world.place(1, (0.0, -12.0), 0.0)
    commands = coasting(world, handbrake=1.0, brake=1.0)
    go(world, 2.0, commands)
    transporter(world.vehicles[0])
    level = positions(world)[1, 2]
    commands["handbrake"][1], commands["gear"][1] = 0.0, 2

    def cruise():
        missing = speed - velocities(world)[1, 1]
        arrived = positions(world)[1, 1] > -1.0
        commands["throttle"][1] = 0.0 if arrived else np.clip(missing, 0.0, 0.6)
        commands["brake"][1] = 1.0 if arrived else np.clip(-missing, 0.0, 0.5)

    go(world, 14.0, commands, each=cruise)
    position = positions(world)[1]
    assert -2.0 < position[1] < 2.0 and position[2] - level == pytest.approx(BED, abs=0.05)
    assert np.abs(velocities(world)).max() < 0.01


def with_pending(world):
    """(momentum, angular momentum about the origin) with the wheels' reactions of the last tick, not yet passed on."""
    momentum, angular_momentum, _ = conserved(world)
    for vehicle, support in zip(world.vehicles, world.between.bodywork.supports, strict=True):
        if support["count"]:
            reactions = vehicle.state["wheel_reactions"][0]
            impulse, moment = reactions["impulse"].sum(axis=0), reactions["moment"].sum(axis=0)
            momentum, angular_momentum = momentum - impulse, angular_momentum - moment
            angular_momentum -= np.cross(support["about"], impulse)
    return momentum, angular_momentum


@pytest.mark.parametrize("speed", [0.5, 2.0])
def test_momentum_is_conserved_when_wheels_land_on_a_car(speed):
    world = in_space("roadster_simple", "roadster_simple")
    for vehicle, height in zip(world.vehicles, (50.0, 51.9), strict=True):
        vehicle.put((0.0, 0.2 * height - 10.0, height), (0.0, 0.0, 0.0, 1.0))
    launch(world.vehicles[1], (0.0, 0.0, -speed))
    before, by_wheels = with_pending(world), []
    reactions = world.vehicles[1].state["wheel_reactions"]["impulse"][0]
    go(world, 2.0, each=lambda: by_wheels.append(np.abs(reactions).sum()))
    after, transferred = with_pending(world), sum(by_wheels)
    assert transferred > 100.0 * speed
    assert np.abs(after[0] - before[0]).max() < 1e-9 * transferred
    assert np.abs(after[1] - before[1]).max() < 1e-3 * transferred


@pytest.mark.parametrize("seed", [2, 4, 5])
def test_an_impact_of_wheels_on_bodywork_adds_no_energy(seed):
    """Cars tumble into each other at up to 60 m/s. While wheels touch, energy is in springs or a tick late."""
    world = in_space("roadster_simple", "hatchback")
    thrown_together(world, seed)
    free, ticks_loaded = [conserved(world)[2]], 0  # J, energies in ticks without a wheel near bodywork
    for _ in range(480):
        assert world.step(coasting(world)) is None
        ticks_loaded += world.between.bodywork.loaded
        if not world.between.bodywork.loaded:
            free.append(conserved(world)[2])
    assert ticks_loaded > 1
    assert max(b - a for a, b in pairwise(free)) < 1e-4 * free[0]


def test_the_order_of_the_vehicles_does_not_matter():
    names, results = ["truck", "roadster_simple"], []
    for order in (0, 1), (1, 0):
        world = world_of(*(names[k] for k in order))
        world.place(order.index(0), (0.0, 0.0), 0.0)
        world.place(order.index(1), (0.1, -1.4, ROOF), 0.0)
        go(world, 1.5)
        assert world.between.bodywork.loaded
        results.append(positions(world)[list(order)])
    assert np.abs(results[0] - results[1]).max() < 1e-9


@pytest.mark.parametrize("ticks", [1, 100])
def test_a_restored_world_repeats_the_ride_bit_for_bit(ticks):
    world, commands = on_a_roof(seconds=1.5)
    drive_off(commands)
    go(world, 1.0, commands)
    saved = world.snapshot()
    hashes = []
    for _ in range(2):
        go(world, ticks * world.tick_seconds, commands)
        hashes.append(world.state_hash())
        world.restore(saved)
    assert hashes[0] == hashes[1]


@pytest.mark.parametrize("index", [0, 1])
def test_a_vehicle_placed_elsewhere_takes_no_reaction_with_it(index):
    world, commands = on_a_roof(seconds=3.0)
    world.place(index, (100.0, 0.0), 0.0)
    go(world, world.tick_seconds, commands)
    assert np.abs(velocities(world)[index]).max() < 0.1
    assert not world.between.bodywork.loaded


def test_wheels_do_not_stand_on_vehicles_if_switched_off():
    world, _ = on_a_roof(seconds=2.0, wheels_on_vehicles=False)
    assert load_on(world.vehicles[1]) == 0.0 and len(world.between.gaps) > 0


@pytest.mark.parametrize(("field", "value"), [("carrier", 7), ("count", 99), ("velocity", np.nan)])
def test_a_snapshot_with_invalid_supports_is_refused(field, value):
    world, _ = on_a_roof(seconds=2.0)
    data = bytearray(world.snapshot())
    supports = np.frombuffer(data, SUPPORT, 2, len(data) - 2 * SUPPORT.itemsize)
    assert supports["count"].tolist() == [0, 1]
    supports[field][1] = value
    before = world.state_hash()
    with pytest.raises(ValueError, match="wheels|bodies"):
        world.restore(bytes(data))
    assert world.state_hash() == before
