"""Momentum of cars and props in collisions, and of wheels on props and on other cars."""

import numpy as np
import pytest
from prop_rig import flat, launch, momentum, placed_prop, prop_momentum, run, throw, weightless


def test_a_car_transfers_its_lost_momentum_to_a_barrel(tmp_path):
    """An off-centre hit at 10 m/s without other forces conserves linear and angular momentum; the barrel has 50 kg."""
    world = weightless(tmp_path, [placed_prop("barrel", 0.5, 6.0, height=0.1)])
    car = world.vehicles[0]
    world.place(0, (0.0, 0.0, 0.0), 0.0)
    launch(car, 10.0)
    car.state["wheel"]["omega"][0] = 0.0
    before = momentum(car)
    run(world, 0.6)
    after, barrel = momentum(car), prop_momentum(world, 0)
    assert barrel[0][1] > 250.0
    size = np.linalg.norm(before[0])
    assert np.linalg.norm(after[0] + barrel[0] - before[0]) < 1e-3 * size
    assert np.linalg.norm(after[0] + barrel[0] - before[0]) < 0.02 * np.linalg.norm(barrel[0])
    assert np.linalg.norm(after[1] + barrel[1] - before[1]) < 0.02 * np.linalg.norm(barrel[1])


def test_on_the_ground_momentum_is_conserved_within_two_percent():
    world = flat([placed_prop("barrel", 0.0, 6.0)])
    car = world.vehicles[0]
    world.place(0, (0.0, 0.0), 0.0)
    launch(car, 10.0)
    totals = []

    def record():
        if np.linalg.norm(world.props.state["velocity"][0]) > 0.5:
            totals.append(momentum(car)[0][1] + prop_momentum(world, 0)[0][1])

    start = momentum(car)[0][1]
    run(world, 0.5, each=record)
    assert len(totals) > 10
    assert abs(totals[10] - start) < 0.02 * start  # in the eleventh tick after the hit


def test_a_collision_of_two_cars_conserves_momentum(tmp_path):
    world = weightless(tmp_path, [], ("roadster_simple", "roadster_simple"))
    a, b = world.vehicles
    world.place(0, (0.0, 0.0, 0.0), 0.0)
    world.place(1, (0.7, 9.0, 0.1), 1.2)
    launch(a, 12.0)
    for car in (a, b):
        car.state["wheel"]["omega"][0] = 0.0
    before = momentum(a)
    run(world, 1.0)
    total = [x + y for x, y in zip(momentum(a), momentum(b), strict=True)]
    assert b.state["body"]["velocity"][0, 1] > 2.0
    assert np.linalg.norm(total[0] - before[0]) < 2e-3 * np.linalg.norm(before[0])
    assert np.linalg.norm(total[1] - before[1]) < 0.02 * np.linalg.norm(momentum(b)[1])


def free_momentum(world, seconds):
    """Linear momentum of all vehicles and props, without what a gravity of 0.01 m/s^2 adds in some seconds."""
    parts = [(momentum(v)[0], float(v.params["body"][0]["mass"])) for v in world.vehicles]
    if world.props is not None:
        parts += [(prop_momentum(world, k)[0], kind.mass) for k, kind in enumerate(world.props.kinds)]
    return sum(p + (0.0, 0.0, 0.01 * m * seconds) for p, m in parts)


@pytest.mark.parametrize(("kind", "speed"), [("plank", 1.5), ("plank", 4.0), ("ramp", 2.0)])
def test_wheels_and_props_exchange_equal_momentum(tmp_path, kind, speed):
    """Wheels land on a free prop, with springs, dampers and bump stops."""
    world = weightless(tmp_path, [placed_prop(kind, 0.0, 1.14, heading=np.pi / 2, height=-0.6)], gravity=0.01)
    car = world.vehicles[0]
    world.place(0, (0.0, 0.0, 0.0), 0.0)
    launch(car, speed, (0.0, 0.0, -1.0))
    car.state["wheel"]["omega"][0] = 0.0
    throw(world)
    before, impulses = free_momentum(world, 0.0), []
    run(
        world,
        2.0,
        each=lambda: impulses.append(np.abs(car.state["wheel_reactions"]["impulse"][0]).max()),
    )
    gained = np.linalg.norm(prop_momentum(world, 0)[0])
    assert max(impulses) > 1.0 and impulses[-1] == 0.0 and gained > 20.0
    assert np.linalg.norm(free_momentum(world, 2.0) - before) < 0.02 * gained


def test_a_wheel_on_another_car_transfers_its_momentum(tmp_path):
    """A car lands on another with its wheels on the bodywork, which gains the momentum that it loses."""
    world = weightless(tmp_path, [], ("roadster_simple", "roadster_simple"), gravity=0.01)
    upper, lower = world.vehicles
    world.place(1, (0.0, 0.0, 0.0), 0.0)
    world.place(0, (0.0, 0.0, 1.9), 1.3)
    launch(upper, 1.0, (0.0, 0.0, -1.0))
    upper.state["wheel"]["omega"][0] = 0.0
    before, impulses = free_momentum(world, 0.0), []
    run(
        world,
        1.5,
        each=lambda: impulses.append(upper.state["wheel_reactions"]["impulse"][0, :4, 2].sum()),
    )
    assert sum(impulses) > 100.0 and lower.state["body"]["velocity"][0, 2] < -0.05
    gained = np.linalg.norm(momentum(lower)[0])
    assert np.linalg.norm(free_momentum(world, 1.5) - before) < 0.02 * gained


def test_a_scraping_car_drags_another_by_the_friction_of_their_bodywork(tmp_path):
    """Rubber on rubber drags the other car more than steel on steel."""
    speeds = {}
    for material in ("steel", "rubber"):
        world = weightless(tmp_path, vehicles=("hatchback", "hatchback"))
        for vehicle in world.vehicles:
            vehicle.set_many({"contact.material": material, "aero.drag_coefficient": 0.0})
            vehicle.state["body"]["orientation"][0] = (0.0, 0.0, 0.0, 1.0)
        first, second = (vehicle.state["body"] for vehicle in world.vehicles)
        first["position"][0], second["position"][0] = (0.0, 0.0, 0.0), (1.9, 0.5, 0.0)
        first["velocity"][0], second["velocity"][0] = (1.0, 4.0, 0.0), (0.0, 0.0, 0.0)
        run(world, 0.6)
        assert second["velocity"][0, 0] > 0.3, "no contact"
        speeds[material] = float(second["velocity"][0, 1])
    assert speeds["rubber"] > 1.5 * speeds["steel"] > 0.05
