"""Motion of props: rest, hinges, uneven and fine ground, reset; props at rest are not simulated."""

import numpy as np
import pytest
from prop_rig import angle_from_start, awake, cruise, flat, launch, placed_prop, rotation, run, throw

from driving_sandbox.physics.ground.ground import Ground, Heightfield, plane_ground
from driving_sandbox.physics.ground.surfaces import default_surfaces
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World


def test_a_stack_settles_and_falls_asleep():
    world = flat([placed_prop("crate", 0.0, 0.0, rise=0.82 * k) for k in range(3)])
    throw(world)
    run(world, 6.0)
    assert awake(world) == []
    assert np.allclose(world.props.poses()[:, 2], [0.4, 1.2, 2.0], atol=0.01)
    assert np.abs(world.props.poses()[:, :2]).max() < 0.02
    assert world.props.moving == 0


def test_three_hundred_props_at_rest_are_not_simulated_until_a_car_comes_near():
    world = flat([placed_prop("cone", 3.0 * (k % 20), 3.0 * (k // 20)) for k in range(300)])
    props, near = world.props, []
    launch(world.vehicles[0], 20.0)
    run(world, 1.0, each=lambda: near.append(props._near_count))
    assert not any(near) and props.snapshot() == b"" and np.array_equal(props.poses(), props.start_poses)
    world.place(0, (0.0, -6.0), 0.0)
    launch(world.vehicles[0], 10.0)
    run(world, 1.0)
    assert len(awake(world)) >= 1


def test_cones_fly_and_are_reset():
    world = flat([placed_prop("cone", 0.0, 5.0), placed_prop("cone", 0.0, 60.0)])
    world.place(0, (0.0, 0.0), 0.0)
    launch(world.vehicles[0], 12.0)
    run(world, 1.0)
    assert np.linalg.norm(world.props.poses()[0, :3] - world.props.start_poses[0, :3]) > 1.0
    assert np.array_equal(world.props.poses()[1], world.props.start_poses[1])
    assert world.vehicles[0].state["body"]["velocity"][0, 1] > 11.0  # 3 kg do not stop a car
    world.place(0, (500.0, 0.0), 0.0)
    world.props.reset()
    assert np.array_equal(world.props.poses(), world.props.start_poses) and awake(world) == []
    run(world, 0.5)
    assert np.abs(world.props.poses() - world.props.start_poses).max() < 1e-5


def test_the_gate_swings_open_and_its_post_stays():
    world = flat([placed_prop("gate", -2.0, 5.0)])
    world.place(0, (0.0, 0.0), 0.0)
    launch(world.vehicles[0], 6.0)
    run(world, 1.5)
    assert angle_from_start(world, 0) > np.radians(60.0)
    kind = world.props.kinds[0]
    post = world.props.poses()[0, :3] + rotation(world.props.poses()[0, 3:]) @ (np.array(kind.hinge.at) - kind.centre)
    assert np.linalg.norm(post - (-2.0, 5.0, 0.6)) < 0.03
    assert world.vehicles[0].model_position()[1] > 5.0


def test_a_car_tilts_the_see_saw_and_leaves_at_the_other_end():
    world = flat([placed_prop("seesaw", 0.0, 7.0)])
    car = world.vehicles[0]
    world.place(0, (0.0, 0.0), 0.0)
    launch(car, 2.5)
    heights = []
    run(world, 6.0, cruise(car, 2.5), each=lambda: heights.append(car.model_position()[2]))
    assert car.model_position()[1] > 11.0
    assert 0.3 < max(heights) < 0.75
    assert angle_from_start(world, 0) > np.radians(15.0)  # from one end down to the other
    assert abs(car.model_position()[2]) < 0.1 and abs(car.read("body.angular_velocity.x")) < 0.5


def test_props_stay_on_uneven_ground():
    """After 5 s no corner of a crate is more than 2 cm below the terrain's triangles, and one is within 6 cm."""
    random = np.random.default_rng(5)
    heights = random.uniform(-0.15, 0.15, (40, 40)).astype(np.float32)
    world = World(
        Ground(Heightfield(heights, np.ones((39, 39), np.uint8), (-20.0, -20.0), 1.0)),
        [load_vehicle("roadster_simple")],
        props=[placed_prop("crate", 5.3, 5.6), placed_prop("barrel", 8.0, 2.2)],
    )
    world.place(0, (-15.0, -15.0), 0.0)
    throw(world)
    run(world, 5.0)
    points = np.array([[x, y, z] for x in (-0.4, 0.4) for y in (-0.4, 0.4) for z in (-0.4, 0.4)])
    corners = world.props.poses()[0, :3] + points @ rotation(world.props.poses()[0, 3:]).T
    gaps = [z - world.ground.height(x, y) for x, y, z in corners]
    assert -0.02 < min(gaps) < 0.06
    assert np.abs(world.props.poses()[:, :2] - [(5.3, 5.6), (8.0, 2.2)]).max() < 3.0


def test_sliding_and_bouncing_depend_on_the_surface():
    """A crate slides on asphalt, on ice, and on ice beside asphalt in one tile; a tire falls on asphalt and on mud."""

    def slide(ground):
        world = World(ground, [load_vehicle("roadster_simple")], props=[placed_prop("crate", 1.0, -8.0)])
        world.place(0, (-15.0, -15.0), 0.0)
        throw(world, velocity=(0.0, 6.0, 0.0))
        run(world, 2.0)
        return world.props.poses()[0, 1] + 8.0

    def drop(surface):
        tire = placed_prop("tire", 9.0, 9.0, height=1.0)
        world = World(plane_ground(surface=surface), [load_vehicle("roadster_simple")], props=[tire])
        world.place(0, (-15.0, -15.0), 0.0)
        throw(world)
        speeds = []
        run(world, 1.5, each=lambda: speeds.append(world.props.state["velocity"][0, 2]))
        return max(speeds)

    names = default_surfaces()
    asphalt, ice = names.index("asphalt"), names.index("ice")
    cells = np.full((40, 40), asphalt, np.uint8)
    cells[:, 20:24] = ice  # below the crate, x from 0 to 4 m
    lane = Ground(Heightfield(np.zeros((41, 41), np.float32), cells, (-20.0, -20.0), 1.0))
    distance = slide(plane_ground())
    assert distance == pytest.approx(6.0**2 / (2.0 * 9.81 * 0.55), rel=0.02)  # v^2 / (2 g mu)
    assert slide(plane_ground(surface="ice")) > 2.5 * distance
    assert slide(lane) > 2.5 * distance
    assert drop("asphalt") > 2.0 * drop("mud")


def test_props_rest_on_fine_ground():
    """A tile of 10 cm cells has 12,800 triangles: crates rest on its first and on its last ones."""
    cells = np.zeros((160, 160), np.uint8)
    fine = Ground(Heightfield(np.zeros((161, 161), np.float32), cells, (-8.0, -8.0), 0.1))
    crates = [placed_prop("crate", 4.0, y) for y in (1.0, 7.0)]
    world = World(fine, [load_vehicle("roadster_simple")], props=crates)
    world.place(0, (-5.0, -4.0), 0.0)
    throw(world, velocity=(0.0, 0.0, 1.0))
    run(world, 1.0)
    assert world.props.poses()[:, 2] == pytest.approx(world.props.start_poses[:, 2], abs=0.02)  # after a hop
