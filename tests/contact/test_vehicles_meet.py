"""Vehicles of a world push, ram and rest upon each other: momentum is conserved, and none passes through another."""

import numpy as np
import pytest
from meeting_rig import (
    coasting,
    conserved,
    go,
    in_space,
    launch,
    length_of,
    positions,
    thrown_together,
    velocities,
    world_of,
)
from plain_tires import on_massless_wheels

from driving_sandbox.physics.kernel.jit import JIT
from driving_sandbox.physics.tick.commands import AUTOMATIC
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

compiled = pytest.mark.skipif(not JIT, reason="long drives")  # in plain Python they take minutes


@compiled
@pytest.mark.parametrize("seed", range(6))
def test_momentum_is_conserved_and_energy_never_rises_in_space(seed):
    # springs of wheels that touch a hull would store energy
    world = in_space("roadster_simple", "hatchback", wheels_on_vehicles=False)
    thrown_together(world, seed)
    before = conserved(world)
    contact_ticks, lowest_energy = 0, before[2]
    for _ in range(240):
        assert world.step(coasting(world)) is None
        contact_ticks += world.acted is not None
        momentum, angular_momentum, energy = conserved(world)
        assert energy <= lowest_energy + 1e-6
        lowest_energy = min(lowest_energy, energy)
    scale = np.abs(before[0]).max()
    assert contact_ticks > 2 and lowest_energy < 0.95 * before[2]
    assert np.abs(momentum - before[0]).max() < 1e-12 * scale
    assert np.abs(angular_momentum - before[1]).max() < 1e-10 * 50.0 * scale  # 50 m from the world's origin


@compiled
@pytest.mark.parametrize("speed", [5.0, 13.9])
def test_cars_head_on_stop_each_other(speed):
    world = world_of("roadster_simple", "roadster_simple")
    touching = 2.0 * float(world.vehicles[0].params["contact"]["hull"]["high"][0, 1])  # m between cars nose to nose
    world.place(0, (0.0, 0.0), 0.0)
    world.place(1, (0.0, touching + 1.0), np.pi)
    launch(world.vehicles[0], (0.0, speed, 0.0))
    launch(world.vehicles[1], (0.0, -speed, 0.0))
    go(world, 0.3)
    assert np.abs(velocities(world)[:, :2]).max() < 0.2 * speed  # restitution 0.1
    assert touching - 0.3 < positions(world)[1, 1] - positions(world)[0, 1] < touching + 0.3  # the cars dive a little


@compiled
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_car_rammed_from_the_side_is_shoved_along(side):
    world = world_of("roadster_simple", "hatchback")
    world.place(0, (0.0, 0.0), 0.0)
    world.place(1, (side * 1.2, 6.0), -side * np.pi / 2.0)
    launch(world.vehicles[0], (0.0, 13.9, 0.0))
    go(world, 0.6)
    assert 2.0 < velocities(world)[1, 1] < 9.0
    assert velocities(world)[0, 1] < 9.0


@compiled
@pytest.mark.parametrize("offset", [0.0, 0.9, -1.3])
@pytest.mark.parametrize("pair", [("roadster_simple", "hatchback"), ("three_wheeler", "truck")])
def test_vehicles_that_meet_at_a_hundred_metres_a_second_do_not_pass_through(pair, offset):
    """Each drives at 50 m/s; their hulls enter each other by less than 1 cm."""
    world = world_of(*pair)
    world.place(0, (offset, 0.0), 0.0)
    world.place(1, (0.0, 20.3), np.pi)
    launch(world.vehicles[0], (0.0, 50.0, 0.0))
    launch(world.vehicles[1], (0.0, -50.0, 0.0))
    depths = []

    def note():
        if world.acted is not None:
            depths.append(world.between.gaps.min())

    go(world, 0.25, each=note)
    assert depths and min(depths) > -0.01
    assert abs(velocities(world)[0, 1] - 50.0) > 5.0  # it did not pass unhindered


@compiled
@pytest.mark.parametrize("heading", [0.0, np.pi / 2.0])
def test_a_car_dropped_on_a_roof_comes_to_rest(heading):
    world = World(load_world("plane"), [on_massless_wheels("hatchback") for _ in range(2)])
    world.place(0, (0.0, 0.0), 0.0)
    world.place(1, (0.1, 0.3, 1.8), heading)
    commands = coasting(world, brake=1.0)
    go(world, 8.0, commands)
    at_rest = positions(world)
    go(world, 4.0, commands)
    assert np.abs(positions(world) - at_rest).max() < 1e-4  # m in 4 s, as wheels settle on a roof
    assert at_rest[1, 2] > at_rest[0, 2] + 0.7 and world.acted is not None


@compiled
@pytest.mark.parametrize("speed", [0.3, 1.0])
def test_cars_parked_bumper_to_bumper_stand_still(speed):
    """A car rolls into a parked one at a low speed, m/s, before it is braked too."""
    world = world_of("roadster_simple", "roadster_simple")
    world.place(0, (0.0, 0.0), 0.0)
    world.place(1, (0.0, length_of(world.vehicles[0]) + 0.05), 0.0)
    launch(world.vehicles[0], (0.0, speed, 0.0))
    go(world, 1.0, coasting(world, brake=[0.0, 1.0]))
    commands = coasting(world, brake=1.0)
    go(world, 4.0, commands)
    at_rest = positions(world)
    go(world, 4.0, commands)
    assert world.acted is not None and world.between.gaps.max() < 0.01
    assert np.abs(positions(world) - at_rest).max() < 1e-8


@compiled
@pytest.mark.parametrize("throttle", [0.3, 0.6])
def test_a_car_pushes_another_along(throttle):
    world = world_of("roadster_simple", "hatchback")
    world.place(0, (0.0, 0.0), 0.0)
    world.place(1, (0.0, 4.4), 0.0)
    commands = coasting(world)
    commands["throttle"][0], commands["gear"][0] = throttle, AUTOMATIC
    alone = world_of("roadster_simple")
    go(world, 4.0, commands)
    go(alone, 4.0, commands[:1])
    pushed, free = velocities(world), velocities(alone)
    assert pushed[0, 1] == pytest.approx(pushed[1, 1], abs=0.05)
    assert 0.2 * free[0, 1] < pushed[0, 1] < 0.8 * free[0, 1]


@compiled
@pytest.mark.parametrize("small", ["three_wheeler", "roadster_simple"])
def test_a_small_car_between_two_is_squeezed_to_rest(small):
    world = world_of("hatchback", small, "truck")
    for index, (y, heading) in enumerate([(0.0, 0.0), (6.0, 0.0), (14.0, np.pi)]):
        world.place(index, (0.0, y), heading)
    launch(world.vehicles[0], (0.0, 13.9, 0.0))
    go(world, 3.0, coasting(world, brake=[0.0, 0.0, 1.0]))
    assert np.abs(velocities(world)).max() < 0.1
    y = positions(world)[:, 1]
    assert y[0] + 2.5 < y[1] < y[2] - 4.0


@compiled
@pytest.mark.parametrize("unit", [0, 1, 2])
def test_every_unit_of_a_train_is_met(unit):
    world = world_of("road_train", "hatchback")
    world.place(0, (0.0, 0.0), 0.0)
    hit, car = world.vehicles[unit], world.trains[1].start
    y = float(hit.model_position()[1])
    world.place(car, (9.0, y), np.pi / 2.0)
    launch(world.vehicles[car], (-13.9, 0.0, 0.0))
    max_impulses = np.zeros(len(world.vehicles))

    def note():
        if world.acted is not None:
            np.maximum(max_impulses, np.abs(world.acted["impulse"]).max(axis=1), out=max_impulses)

    go(world, 0.8, each=note)
    assert max_impulses[unit] > 1000.0 and max_impulses[car] > 1000.0
    assert positions(world)[car, 0] > 2.0 and velocities(world)[car, 0] > -3.0


@compiled
def test_units_of_one_train_do_not_touch_each_other():
    world = world_of("road_train", "hatchback")
    world.place(0, (0.0, 0.0), 0.0)
    world.place(world.trains[1].start, (30.0, 0.0), 0.0)
    go(world, 0.1)
    assert world.acted is None


@compiled
def test_vehicles_put_into_each_other_pass_through():
    alone, doubled = world_of("roadster_simple"), world_of("roadster_simple", "roadster_simple")
    for world in (alone, doubled):
        go(world, 0.2, coasting(world, throttle=1.0, gear=AUTOMATIC))
    assert doubled.vehicles[0].state_hash() == doubled.vehicles[1].state_hash() == alone.vehicles[0].state_hash()


@pytest.mark.parametrize("distance", [3.0, 200.0])
def test_vehicles_apart_are_as_if_alone(distance):
    alone, pair = world_of("roadster_simple"), world_of("roadster_simple", "hatchback")
    pair.place(1, (distance, 0.0), 0.0)
    for world in (alone, pair):
        go(world, 0.02)
    assert pair.vehicles[0].state_hash() == alone.vehicles[0].state_hash()


@pytest.mark.parametrize("contact", [True, False])
def test_contact_between_vehicles_can_be_switched_off(contact):
    world = about_to_collide(vehicle_contact=contact)
    world.vehicles[1].state["body"]["position"][0, 1] -= 0.6  # nearer, so that the cars meet within the 0.05 s
    go(world, 0.05)
    assert (velocities(world)[0, 1] < 12.0) == contact


def about_to_collide(**options):
    """World in which a car at 13.9 m/s is about to hit another one at rest."""
    world = world_of("roadster_simple", "hatchback", **options)
    world.place(0, (0.0, 0.0), 0.0)
    world.place(1, (0.3, 5.0), 0.2)
    launch(world.vehicles[0], (0.0, 13.9, 0.0))
    return world


@compiled
def test_a_collision_continued_from_a_snapshot_gives_equal_bytes():
    first, second = about_to_collide(), about_to_collide()
    go(first, 0.12)
    middle = first.snapshot()
    go(first, 0.1)
    second.restore(middle)
    go(second, 0.1)
    assert first.snapshot() == second.snapshot() and first.state_hash() == second.state_hash()


@compiled
def test_a_pile_at_rest_goes_on_from_a_snapshot_bit_for_bit():
    first, second = world_of("hatchback", "hatchback"), world_of("hatchback", "hatchback")
    first.place(0, (0.0, 0.0), 0.0)
    first.place(1, (0.1, 0.3, 1.8), 0.0)
    commands = coasting(first, brake=1.0)
    go(first, 2.0, commands)
    second.restore(first.snapshot())
    for world in (first, second):
        go(world, 0.5, commands)
    assert first.snapshot() == second.snapshot()


@compiled
def test_the_order_of_vehicles_makes_less_than_two_centimetres_of_difference():
    """Contacts are solved one after the other, so the order has a small effect on a collision."""

    def after(order):
        names = ["roadster_simple", "hatchback"]
        world = world_of(*(names[k] for k in order))
        starts = {0: ((0.0, 0.0), 0.0), 1: ((0.3, 5.0), 0.2)}
        for index, k in enumerate(order):
            world.place(index, *starts[k])
        launch(world.vehicles[order.index(0)], (0.0, 13.9, 0.0))
        go(world, 0.2)
        return positions(world)[[order.index(k) for k in range(2)]]

    assert np.abs(after((1, 0)) - after((0, 1))).max() < 0.02


@compiled
def test_a_change_of_mass_counts_from_the_next_tick():
    light, heavy = about_to_collide(), about_to_collide()
    heavy.vehicles[1].set_many({"body.mass": 5000.0})
    for world in (light, heavy):
        go(world, 0.2)
    assert velocities(heavy)[0, 1] < velocities(light)[0, 1] - 1.0


@compiled
def test_a_swapped_vehicle_still_meets_the_other():
    world = about_to_collide()
    twin = world_of("roadster_simple").vehicles[0]
    twin.state_bytes[:] = world.vehicles[0].state_bytes
    world.swap(0, twin)
    go(world, 0.2)
    assert velocities(world)[0, 1] < 12.0
