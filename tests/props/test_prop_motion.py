"""Motion of props: rest, hinges, uneven and fine ground, reset, no cost at rest, cars passing each other."""

import numpy as np
import pytest
from panda3d.core import Vec3
from prop_rig import (
    cruise,
    flat,
    launch,
    rolling,
    rotation,
    run,
    thing,
    turned,
)

from driving_sandbox.game.props.simulation import PropSimulation
from driving_sandbox.physics.ground.ground import Ground, Heightfield, plane_ground
from driving_sandbox.physics.ground.surfaces import default_surfaces
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World


def test_a_stack_settles_and_falls_asleep():
    world, simulation = flat([thing("crate", 0.0, 0.0, rise=0.82 * k) for k in range(3)])
    for node in simulation._nodes:
        node.setActive(True)
    simulation.read()
    run(world, simulation, 6.0)
    assert simulation.awake == []
    assert np.allclose(simulation.poses[:, 2], [0.4, 1.2, 2.0], atol=0.01)
    assert np.abs(simulation.poses[:, :2]).max() < 0.02
    assert simulation.outside(world) is None


def test_three_hundred_props_at_rest_are_not_stepped():
    world, simulation = flat([thing("cone", 3.0 * (k % 20), 3.0 * (k // 20)) for k in range(300)])
    steps = []

    class Counting:
        def __init__(self, bullet):
            self._bullet = bullet

        def doPhysics(self, *arguments):
            steps.append(arguments)
            return self._bullet.doPhysics(*arguments)

        def __getattr__(self, name):
            return getattr(self._bullet, name)

    simulation.bullet = Counting(simulation.bullet)
    launch(world.vehicles[0], 20.0)
    run(world, simulation, 1.0)
    assert steps == [] and np.array_equal(simulation.poses, simulation.start)
    world.place(0, (0.0, -6.0), 0.0)
    launch(world.vehicles[0], 10.0)
    run(world, simulation, 1.0)
    assert len(steps) > 150 and len(simulation.awake) >= 1


def test_cones_fly_and_are_reset():
    world, simulation = flat([thing("cone", 0.0, 5.0), thing("cone", 0.0, 60.0)])
    world.place(0, (0.0, 0.0), 0.0)
    launch(world.vehicles[0], 12.0)
    run(world, simulation, 1.0)
    assert np.linalg.norm(simulation.poses[0, :3] - simulation.start[0, :3]) > 1.0
    assert np.array_equal(simulation.poses[1], simulation.start[1])
    assert world.vehicles[0].state["body"]["velocity"][0, 1] > 11.0  # 3 kg do not stop a car
    world.place(0, (500.0, 0.0), 0.0)
    simulation.reset()
    assert np.array_equal(simulation.poses, simulation.start) and simulation.awake == []
    run(world, simulation, 0.5)
    assert np.abs(simulation.poses - simulation.start).max() < 1e-5


def test_the_gate_swings_open_and_its_post_stays():
    world, simulation = flat([thing("gate", -2.0, 5.0)])
    world.place(0, (0.0, 0.0), 0.0)
    launch(world.vehicles[0], 6.0)
    run(world, simulation, 1.5)
    assert turned(simulation, 0) > np.radians(60.0)
    kind = simulation.kinds[0]
    post = simulation.poses[0, :3] + rotation(simulation.poses[0, 3:]) @ (np.array(kind.hinge.at) - kind.centre)
    assert np.linalg.norm(post - (-2.0, 5.0, 0.6)) < 0.03
    assert world.vehicles[0].model_position()[1] > 5.0


def test_a_car_tilts_the_see_saw_and_leaves_at_the_other_end():
    world, simulation = flat([thing("seesaw", 0.0, 7.0)])
    car = world.vehicles[0]
    world.place(0, (0.0, 0.0), 0.0)
    launch(car, 2.5)
    heights = []
    run(world, simulation, 6.0, cruise(car, 2.5), each=lambda: heights.append(car.model_position()[2]))
    assert car.model_position()[1] > 11.0
    assert 0.3 < max(heights) < 0.75
    assert turned(simulation, 0) > np.radians(15.0)  # from one end down to the other
    assert abs(car.model_position()[2]) < 0.1 and abs(car.read("body.angular_velocity.x")) < 0.5


def test_props_rest_on_uneven_ground():
    """With the terrain's diagonals: a crate comes to rest with no corner below a triangle."""
    random = np.random.default_rng(5)
    heights = random.uniform(-0.15, 0.15, (40, 40)).astype(np.float32)
    world = World(
        Ground(Heightfield(heights, np.ones((39, 39), np.uint8), (-20.0, -20.0), 1.0)),
        [load_vehicle("roadster_simple")],
    )
    world.place(0, (-15.0, -15.0), 0.0)
    simulation = PropSimulation(world, [thing("crate", 5.3, 5.6), thing("barrel", 8.0, 2.2)])
    for node in simulation._nodes:
        node.setActive(True)
    simulation.read()
    run(world, simulation, 5.0)
    points = np.array([[x, y, z] for x in (-0.4, 0.4) for y in (-0.4, 0.4) for z in (-0.4, 0.4)])
    corners = simulation.poses[0, :3] + points @ rotation(simulation.poses[0, 3:]).T
    gaps = [z - world.ground.height(x, y) for x, y, z in corners]
    assert -0.02 < min(gaps) < 0.06
    assert np.abs(simulation.poses[:, :2] - [(5.3, 5.6), (8.0, 2.2)]).max() < 3.0


def test_props_slide_and_bounce_by_the_pair_of_prop_and_ground():
    """A crate at 6 m/s on asphalt, on ice and on ice beside asphalt in one tile; a tire dropped on asphalt and mud."""

    def slide(ground):
        world = World(ground, [load_vehicle("roadster_simple")])
        world.place(0, (-15.0, -15.0), 0.0)
        simulation = PropSimulation(world, [thing("crate", 1.0, -8.0)])
        simulation._nodes[0].setActive(True)
        simulation._nodes[0].setLinearVelocity(Vec3(0.0, 6.0, 0.0))
        simulation.read()
        run(world, simulation, 2.0)
        return simulation.poses[0, 1] + 8.0

    def drop(surface):
        world = World(plane_ground(surface=surface), [load_vehicle("roadster_simple")])
        simulation = PropSimulation(world, [thing("tire", 9.0, 9.0, height=1.0)])
        world.place(0, (-15.0, -15.0), 0.0)
        simulation._nodes[0].setActive(True)
        simulation.read()
        speeds = []
        run(world, simulation, 1.5, each=lambda: speeds.append(simulation._nodes[0].getLinearVelocity()[2]))
        return max(speeds)

    names = default_surfaces()
    asphalt, ice = names.index("asphalt"), names.index("ice")
    cells = np.full((40, 40), asphalt, np.uint8)
    cells[:, 20:24] = ice  # the crate's lane, x from 0 to 4 m
    lane = Ground(Heightfield(np.zeros((41, 41), np.float32), cells, (-20.0, -20.0), 1.0))
    distance = slide(plane_ground())
    assert distance == pytest.approx(6.0**2 / (2.0 * 9.81 * 0.55 * 0.9), rel=0.1)  # v^2 / 2 g mu
    assert slide(plane_ground(surface="ice")) > 2.5 * distance
    assert slide(lane) > 2.5 * distance
    assert drop("asphalt") > 2.0 * drop("mud")  # on mud the rest is Bullet's penetration recovery


def test_props_rest_on_fine_ground():
    """A tile of 10 cm cells has 12,800 triangles: a crate rests on the last of them as on the first."""
    cells = np.zeros((160, 160), np.uint8)
    fine = Ground(Heightfield(np.zeros((161, 161), np.float32), cells, (-8.0, -8.0), 0.1))
    world = World(fine, [load_vehicle("roadster_simple")])
    world.place(0, (-5.0, -4.0), 0.0)
    simulation = PropSimulation(world, [thing("crate", 4.0, y) for y in (1.0, 7.0)])
    for node in simulation._nodes:
        node.setActive(True)
        node.setLinearVelocity(Vec3(0.0, 0.0, 1.0))
    simulation.read()
    run(world, simulation, 1.0)
    assert simulation.poses[:, 2] == pytest.approx(simulation.start[:, 2], abs=0.02)  # after a hop


def test_cars_placed_next_to_each_other_do_not_collide():
    """Wheel positions are updated in the first tick after placing; they must not collide at the old position."""
    world, simulation = flat([thing("crate", 1000.9, 1.3), thing("crate", 1000.9, -1.3)], ("buggy", "truck"))
    for i, position in enumerate(((0.0, 0.0), (2.85, 0.0))):
        world.place(i, position, 0.0)
    speeds = []
    run(
        world,
        simulation,
        0.2,
        rolling(brake=1.0),
        lambda: speeds.extend(float(np.linalg.norm(v.state["body"]["velocity"][0, :2])) for v in world.vehicles),
    )
    assert simulation.vehicles[0].attached and max(speeds) < 0.05
    world.place(0, (0.0, 30.0), 0.0)
    world.place(0, (-3.5, 0.0), 0.0)
    run(
        world,
        simulation,
        0.2,
        rolling(brake=1.0),
        lambda: speeds.extend(float(np.linalg.norm(v.state["body"]["velocity"][0, :2])) for v in world.vehicles),
    )
    assert max(speeds) < 0.05


@pytest.mark.parametrize(
    ("aside", "speed", "near"), [(4.0, 10.0, False), (4.0, 30.0, False), (2.4, 10.0, False), (2.15, 10.0, True)]
)
def test_passing_cars_are_simulated_only_if_they_could_collide(aside, speed, near):
    """Their bounding spheres overlap each time; the gap between their boxes is 2 m, 0.4 m or 0.1 m, of which 2 m is
    enough at any speed."""
    world, simulation = flat((), ("roadster_simple", "roadster_simple"))
    world.place(0, (0.0, -15.0), 0.0)
    world.place(1, (aside, 0.0), 0.0)
    launch(world.vehicles[0], speed)
    attached = []
    run(world, simulation, 3.0, rolling(), lambda: attached.append(simulation.vehicles[1].attached))
    assert world.vehicles[0].model_position()[1] > 10.0
    assert any(attached) == near
