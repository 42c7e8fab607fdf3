"""Props and vehicles: momentum, rest, hinges, wheels on things, putting back, and no cost at rest."""

import numpy as np
import pytest
from panda3d.core import Vec3
from prop_rig import (
    EMPTY,
    cruise,
    flat,
    launch,
    momentum,
    rolling,
    rotation,
    run,
    thing,
    thing_momentum,
    turned,
    weightless,
)

from driving_sandbox.game.props.bodies import read_pose
from driving_sandbox.game.props.simulation import PropSimulation
from driving_sandbox.physics.ground.ground import Ground, Heightfield, plane_ground
from driving_sandbox.physics.ground.surfaces import default_surfaces
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world


def test_a_car_gives_a_barrel_exactly_the_momentum_it_loses(tmp_path):
    """10 m/s into 50 kg, off centre, nothing else acting: linear and angular momentum of both together stay."""
    world, simulation = weightless(tmp_path, [thing("barrel", 0.5, 6.0, height=0.1)])
    car = world.vehicles[0]
    world.place(0, (0.0, 0.0, 0.0), 0.0)
    launch(car, 10.0)
    car.state["wheel"]["omega"][0] = 0.0
    simulation.read()
    before = momentum(car)
    run(world, simulation, 0.6)
    simulation.poses[0] = read_pose(simulation._nodes[0])
    after, barrel = momentum(car), thing_momentum(simulation, 0)
    assert barrel[0][1] > 250.0  # it was hit
    size = np.linalg.norm(before[0])
    assert np.linalg.norm(after[0] + barrel[0] - before[0]) < 1e-3 * size
    assert np.linalg.norm(after[0] + barrel[0] - before[0]) < 0.02 * np.linalg.norm(barrel[0])
    assert np.linalg.norm(after[1] + barrel[1] - before[1]) < 0.02 * np.linalg.norm(barrel[1])


def test_on_the_ground_the_sum_of_momenta_keeps_within_two_percent():
    world, simulation = flat([thing("barrel", 0.0, 6.0)])
    car = world.vehicles[0]
    world.place(0, (0.0, 0.0), 0.0)
    launch(car, 10.0)
    hit = []

    def watch():
        if simulation._nodes[0].getLinearVelocity().length() > 0.5:
            hit.append(momentum(car)[0][1] + thing_momentum(simulation, 0)[0][1])

    start = momentum(car)[0][1]
    run(world, simulation, 0.5, each=watch)
    assert len(hit) > 10
    assert abs(hit[10] - start) < 0.02 * start


def test_two_cars_share_their_momentum(tmp_path):
    world, simulation = weightless(tmp_path, [], ("roadster_simple", "roadster_simple"))
    a, b = world.vehicles
    world.place(0, (0.0, 0.0, 0.0), 0.0)
    world.place(1, (0.7, 9.0, 0.1), 1.2)
    launch(a, 12.0)
    for car in (a, b):
        car.state["wheel"]["omega"][0] = 0.0
    before = momentum(a)
    run(world, simulation, 1.0)
    together = [x + y for x, y in zip(momentum(a), momentum(b), strict=True)]
    assert b.state["body"]["velocity"][0, 1] > 2.0
    assert np.linalg.norm(together[0] - before[0]) < 2e-3 * np.linalg.norm(before[0])
    assert np.linalg.norm(together[1] - before[1]) < 0.02 * np.linalg.norm(momentum(b)[1])


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


def test_three_hundred_things_at_rest_are_not_even_stepped():
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


def test_cones_fly_and_are_put_back():
    world, simulation = flat([thing("cone", 0.0, 5.0), thing("cone", 0.0, 60.0)])
    world.place(0, (0.0, 0.0), 0.0)
    launch(world.vehicles[0], 12.0)
    run(world, simulation, 1.0)
    assert np.linalg.norm(simulation.poses[0, :3] - simulation.start[0, :3]) > 1.0
    assert np.array_equal(simulation.poses[1], simulation.start[1])
    assert world.vehicles[0].state["body"]["velocity"][0, 1] > 11.0  # three kilograms do not stop a car
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


def test_a_car_tilts_the_see_saw_and_drives_off_at_the_other_end():
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


def test_wheels_stand_on_a_plank_with_their_full_load():
    world, simulation = flat([thing("plank", 0.0, 1.14, heading=np.pi / 2)])
    car = world.vehicles[0]
    world.place(0, (0.0, 0.0), 0.0)
    run(world, simulation, 2.0, rolling(handbrake=1.0))
    weight = float(car.params["body"][0]["mass"]) * 9.81
    assert car.state["suspension"]["force"][0, :4].sum() == pytest.approx(weight, rel=0.02)
    front = car.state["wheel"]["position"][0, :2, 2] - car.params["wheel"]["radius"][0, :2]
    assert front == pytest.approx([0.045, 0.045], abs=0.006)
    rear = car.state["wheel"]["position"][0, 2:4, 2] - car.params["wheel"]["radius"][0, 2:4]
    assert np.abs(rear).max() < 0.006


def test_driving_over_a_plank_leaves_car_and_plank_on_the_ground():
    world, simulation = flat([thing("plank", 0.0, 6.0, heading=np.pi / 2)])
    car = world.vehicles[0]
    world.place(0, (0.0, 0.0), 0.0)
    launch(car, 8.0)
    lifts = []
    run(world, simulation, 3.0, each=lambda: lifts.append(car.model_position()[2]))
    assert car.model_position()[1] > 12.0
    assert 0.005 < max(lifts) < 0.15 and abs(lifts[-1]) < 0.02
    assert simulation.poses[0, 2] == pytest.approx(0.0225, abs=0.01)
    assert np.abs(simulation.poses[0, :2] - (0.0, 6.0)).max() < 1.5


def test_things_stand_on_the_drawn_ground_of_a_hill():
    """On uneven ground, with our diagonal: a crate comes to rest with no corner below a triangle."""
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


@pytest.mark.parametrize("speed", [15.0, 25.0, 35.0])
def test_a_plank_at_speed_is_a_bump_and_no_ramp(speed):
    """45 mm under a wheel that crosses them in two ticks: the car keeps its wheels near the ground."""
    world, simulation = flat([thing("plank", 0.0, 6.0, heading=np.pi / 2)])
    car = world.vehicles[0]
    world.place(0, (0.0, 0.0), 0.0)
    launch(car, speed)
    rises = []
    run(world, simulation, 1.0, each=lambda: rises.append(float(car.state["body"]["velocity"][0, 2])))
    assert max(rises) < 1.2, max(rises)
    assert car.state["body"]["velocity"][0, 1] > 0.9 * speed


def almost_weightless(tmp_path, things, vehicles=("roadster_simple",)):
    """Space with a hundredth of a m/s^2: tires need a rest load. Momentum it gives is taken off by `free_momentum`."""
    path = tmp_path / "empty.yaml"
    path.write_text(EMPTY.replace("gravity: 0\n", "gravity: 0.01\n"))
    world = World(load_world(path), [load_vehicle(name) for name in vehicles])
    return world, PropSimulation(world, things)


def free_momentum(simulation, seconds):
    """Linear momentum of all vehicles and things, without what gravity gave."""
    simulation.read()
    parts = [(momentum(v)[0], float(v.params["body"][0]["mass"])) for v in simulation.world.vehicles]
    parts += [(thing_momentum(simulation, k)[0], kind.mass) for k, kind in enumerate(simulation.kinds)]
    return sum(p + (0.0, 0.0, 0.01 * m * seconds) for p, m in parts)


@pytest.mark.parametrize(("kind", "speed"), [("plank", 1.5), ("plank", 4.0), ("ramp", 2.0)])
def test_wheels_give_what_they_stand_on_exactly_what_it_gives_them(tmp_path, kind, speed):
    """Front wheels come down on a free plank, springs, dampers and bump stops at work: no momentum is lost or made."""
    world, simulation = almost_weightless(tmp_path, [thing(kind, 0.0, 1.14, heading=np.pi / 2, height=-0.6)])
    car = world.vehicles[0]
    world.place(0, (0.0, 0.0, 0.0), 0.0)
    launch(car, speed, (0.0, 0.0, -1.0))
    car.state["wheel"]["omega"][0] = 0.0
    simulation._nodes[0].setActive(True)
    before, pressed = free_momentum(simulation, 0.0), []
    run(
        world,
        simulation,
        2.0,
        each=lambda: pressed.append(np.abs(car.state["wheel_reactions"]["impulse"][0]).max()),
    )
    given = np.linalg.norm(thing_momentum(simulation, 0)[0])
    assert max(pressed) > 1.0 and pressed[-1] == 0.0 and given > 20.0
    assert np.linalg.norm(free_momentum(simulation, 2.0) - before) < 0.02 * given


def test_a_wheel_on_another_car_presses_on_it(tmp_path):
    """One car comes down on the other: wheels roll on its bodywork, and what they lose the other gets."""
    world, simulation = almost_weightless(tmp_path, [], ("roadster_simple", "roadster_simple"))
    upper, lower = world.vehicles
    world.place(1, (0.0, 0.0, 0.0), 0.0)
    world.place(0, (0.0, 0.0, 1.9), 1.3)
    launch(upper, 1.0, (0.0, 0.0, -1.0))
    upper.state["wheel"]["omega"][0] = 0.0
    before, pressed = free_momentum(simulation, 0.0), []
    run(
        world,
        simulation,
        1.5,
        each=lambda: pressed.append(upper.state["wheel_reactions"]["impulse"][0, :4, 2].sum()),
    )
    assert sum(pressed) > 100.0 and lower.state["body"]["velocity"][0, 2] < -0.05
    given = np.linalg.norm(momentum(lower)[0])
    assert np.linalg.norm(free_momentum(simulation, 1.5) - before) < 0.02 * given


@pytest.mark.parametrize(("kind", "rise"), [("ramp", 0.22), ("tire", 0.05)])
def test_wheels_drive_up_and_over_what_lies_in_their_way(kind, rise):
    """Over wedges to their top; a lying tire is climbed at first and then squeezed aside. The car drives on beyond."""
    world, simulation = flat([thing(kind, x, 6.0) for x in (-0.75, 0.75)])
    car = world.vehicles[0]
    world.place(0, (0.0, 0.0), 0.0)
    launch(car, 3.0)
    radius, lifts = car.params["wheel"]["radius"][0, :4], []
    run(
        world,
        simulation,
        5.0,
        cruise(car, 3.5),
        lambda: lifts.append(car.state["wheel"]["position"][0, :4, 2] - radius),
    )
    assert np.max(lifts) > rise and car.model_position()[1] > 9.0
    assert abs(car.model_position()[2]) < 0.05 and abs(car.read("body.angular_velocity.x")) < 0.5


def test_a_car_stands_on_crates_and_nothing_is_handed_in_beside_them():
    world, simulation = flat([thing("crate", x, y) for x in (-0.75, 0.75) for y in (-1.2, 1.2)])
    car = world.vehicles[0]
    world.place(0, (2.6, 0.0), 0.0)
    run(world, simulation, 0.2)
    assert simulation.vehicles[0].attached and simulation._external["moving_count"][0] == 0  # too high to be road
    world.place(0, (0.0, 0.0), 0.0)
    x, y, z = car.model_position()
    car.put((x, y, z + 0.82), car.model_orientation())
    run(world, simulation, 3.0, rolling(handbrake=1.0, brake=1.0))
    weight = float(car.params["body"][0]["mass"]) * 9.81
    assert car.state["suspension"]["force"][0, :4].sum() == pytest.approx(weight, rel=0.02)
    heights = car.state["wheel"]["position"][0, :4, 2] - car.params["wheel"]["radius"][0, :4]
    assert heights == pytest.approx([0.8] * 4, abs=0.01)
    assert (car.state["road"]["body"][0, :4] > 0).all()


def test_a_wall_of_tires_is_ploughed_through_and_throws_no_car():
    """Twenty tires, five high, at 20 m/s: what flies about is no road, so the car stays down and upright."""
    world, simulation = flat([thing("tire", -0.99 + 0.66 * i, 6.0, rise=0.2 * k) for i in range(4) for k in range(5)])
    car = world.vehicles[0]
    world.place(0, (0.0, 0.0), 0.0)
    launch(car, 20.0)
    heights = []
    run(world, simulation, 1.5, each=lambda: heights.append(car.model_position()[2]))
    assert (np.linalg.norm(simulation.poses[:, :3] - simulation.start[:, :3], axis=1) > 1.0).sum() >= 15
    assert max(heights) < 0.3 and car.state["body"]["velocity"][0, 1] > 14.0


def test_things_slide_and_bounce_by_the_pair_of_thing_and_ground():
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
    cells[:, 20:24] = ice  # the lane the crate slides in, x from 0 to 4 m
    lane = Ground(Heightfield(np.zeros((41, 41), np.float32), cells, (-20.0, -20.0), 1.0))
    way = slide(plane_ground())
    assert way == pytest.approx(6.0**2 / (2.0 * 9.81 * 0.55 * 0.9), rel=0.1)  # v^2 / 2 g mu
    assert slide(plane_ground(surface="ice")) > 2.5 * way
    assert slide(lane) > 2.5 * way
    assert drop("asphalt") > 2.0 * drop("mud")  # what mud has left is Bullet pushing the tire out of it


def test_things_stand_on_fine_ground():
    """A tile of 10 cm cells has 12,800 triangles: the crate stands where the last of them are, as at the first."""
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
    assert simulation.poses[:, 2] == pytest.approx(simulation.start[:, 2], abs=0.02)  # where they hopped up from


def test_cars_put_beside_each_other_do_not_touch():
    """Until the first tick after that nobody knows where the wheels are; they must not meet at the old position."""
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
def test_cars_that_pass_take_part_only_as_near_as_they_could_touch(aside, speed, near):
    """Their spheres overlap each time, the air between their boxes is 2 m, 0.4 m or 0.1 m: the first they keep however
    fast they pass."""
    world, simulation = flat((), ("roadster_simple", "roadster_simple"))
    world.place(0, (0.0, -15.0), 0.0)
    world.place(1, (aside, 0.0), 0.0)
    launch(world.vehicles[0], speed)
    taking_part = []
    run(world, simulation, 3.0, rolling(), lambda: taking_part.append(simulation.vehicles[1].attached))
    assert world.vehicles[0].model_position()[1] > 10.0
    assert any(taking_part) == near


def test_only_what_a_wheel_can_reach_in_a_tick_is_handed_in():
    """A plank one hand beside the wheels is not; one under the front wheels is."""
    world, simulation = flat([thing("plank", 1.15, 0.0), thing("plank", 0.0, 30.0, heading=np.pi / 2)])
    car = world.vehicles[0]
    counts = []

    def note():
        counts.append(int(simulation._external["moving_count"][0]))

    world.place(0, (0.0, 0.0), 0.0)
    run(world, simulation, 0.3, rolling(brake=1.0), note)
    gap = 1.02 - float(car.state["wheel"]["position"][0, 1, 0] + car.params["wheel"]["half_width"][0, 1])
    assert 0.05 < gap < 0.3
    assert simulation.vehicles[0].attached and max(counts) == 0
    world.place(0, (0.0, 30.0 - 1.14), 0.0)
    run(world, simulation, 0.3, rolling(brake=1.0), note)
    assert counts[-1] == 1 and (car.state["road"]["body"][0, :2] == 1).all()


def test_two_cars_scrape_by_what_their_bodywork_is_of(tmp_path):
    """A car passes another with a light push sideways: rubber against rubber drags the other along more than steel."""
    dragged = {}
    for material in ("steel", "rubber"):
        world, simulation = weightless(tmp_path, vehicles=("hatchback", "hatchback"))
        for vehicle in world.vehicles:
            vehicle.set_many({"contact.material": material, "aero.drag_area": 0.0})
            vehicle.state["body"]["orientation"][0] = (0.0, 0.0, 0.0, 1.0)
        one, other = (vehicle.state["body"] for vehicle in world.vehicles)
        one["position"][0], other["position"][0] = (0.0, 0.0, 0.0), (1.9, 0.5, 0.0)
        one["velocity"][0], other["velocity"][0] = (1.0, 4.0, 0.0), (0.0, 0.0, 0.0)
        run(world, simulation, 0.6)
        assert other["velocity"][0, 0] > 0.3, "they touched"
        dragged[material] = float(other["velocity"][0, 1])
    print(dragged)
    assert dragged["rubber"] > 1.5 * dragged["steel"] > 0.05
