"""What is left out until the next look around: only what no wheel gets to meanwhile."""

import math

import numpy as np
import pytest
from prop_rig import flat, launch, rolling, run, thing

from driving_sandbox.game.props import wheel_support
from driving_sandbox.game.props.bodies import read_pose, transform
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle


def seesaw():
    return flat([thing("seesaw", 0.0, 9.0)]), 8.0


def planks():
    """The second and the third fly up in front of the wheels behind."""
    return flat([thing("plank", 0.3, 6.0 + 4.0 * k, heading=0.5 * k) for k in range(4)]), 14.0


def wedges():
    ramps = [thing("ramp", x, 6.0) for x in (-0.75, 0.75)]
    return flat([*ramps, thing("tire", 0.6, 11.0), thing("crate", -0.8, 11.0)]), 9.0


def another_car():
    """From behind, so fast that its wheels get onto the other's bodywork."""
    world, simulation = flat((), ("coupe", "patrol"))
    world.place(1, (0.1, 12.0), 0.02)
    return (world, simulation), 15.0


def handed_in(scene):
    """Bytes of all that was handed in, tick by tick, and of where everything ended."""
    (world, simulation), speed = scene()
    world.place(0, (0.0, 0.0), 0.0)
    launch(world.vehicles[0], speed)
    ticks, handed = [], 0
    for _ in range(round(2.5 / world.tick_seconds)):
        outside = simulation.outside(world)
        if outside is not None:
            handed += int(outside["moving_count"].sum())
            ticks.append((world.tick, outside.tobytes()))
        world.step(np.concatenate([rolling()] * len(world.vehicles)), outside)
    assert handed > 20, "wheels met something"
    return ticks, world.state_hash(), simulation.poses.tobytes()


@pytest.mark.parametrize("scene", [seesaw, planks, wedges, another_car])
def test_what_is_left_out_between_looks_is_not_missed(scene, monkeypatch):
    """The same to the byte as when everything near is followed every tick."""
    found = handed_in(scene)
    monkeypatch.setattr(wheel_support, "AROUND", math.inf)
    assert handed_in(scene) == found


def test_cars_bumper_to_bumper_take_part_and_nobody_follows_what_no_wheel_can_reach():
    world, simulation = flat((), ("roadster_simple", "roadster_simple"))
    world.place(0, (0.0, 0.0), 0.0)
    world.place(1, (0.0, 4.1), 0.0)
    run(world, simulation, 0.2, rolling(brake=1.0))
    assert all(body.attached for body in simulation.vehicles)
    assert simulation._followed == [] and simulation._external["moving_count"].max() == 0


def test_a_thing_is_read_where_it_came_to_rest_and_not_again_while_it_sleeps():
    _, simulation = flat([thing("crate", 0.0, 5.0)])
    node, crate = simulation._nodes[0], simulation._prop_carriers[0]
    crate.look()
    node.setActive(True)
    crate.follow()
    x, y, z, *turn = read_pose(node)
    node.setTransform(transform((x, y + 0.1, z, *turn)))
    node.setActive(False, True)  # asleep at the end of the step that brought it there
    crate.follow()
    assert crate.middles[0] == pytest.approx((x, y + 0.1, z))
    node.setTransform(transform((x, y, z, *turn)))
    node.setActive(False, True)
    crate.follow()
    assert crate.middles[0] == pytest.approx((x, y + 0.1, z))
    crate.look()
    assert crate.middles[0] == pytest.approx((x, y, z))


def test_a_part_of_a_hull_that_is_raised_is_met_where_it_is_then():
    world, simulation = flat((), ("roadster_simple",))
    run(world, simulation, 0.1)
    before, low = (
        simulation._bodyworks[0].treads[0].middle,
        simulation.vehicles[0]._hull.getShapeBounds().getCenter()[2],
    )
    world.vehicles[0].set_many({"contact.part_zoffset": [0.3]})
    run(world, simulation, 0.1)
    assert simulation._bodyworks[0].treads[0].middle == pytest.approx((before[0], before[1], before[2] + 0.3))
    assert simulation.vehicles[0]._hull.getShapeBounds().getCenter()[2] > low + 0.1


def test_what_wheels_meet_is_chosen_anew_for_a_vehicle_that_was_exchanged():
    """Bodywork and wheel supports are those of the new one from the very next tick."""
    world, simulation = flat((), ("roadster_simple", "roadster_simple"))
    world.place(0, (0.0, 0.0), 0.0)
    world.place(1, (1.8, 0.0), 0.0)
    run(world, simulation, 0.1, rolling(brake=1.0))
    assert simulation._followed, "they are beside each other"
    new = load_vehicle("roadster_simple")
    new.restore(world.vehicles[1].snapshot())
    world.swap(1, new)
    simulation.vehicle_swapped()
    simulation.outside(world)
    followed = [carrier.vehicle for carrier in simulation._followed]
    assert all(vehicle in world.vehicles for vehicle in followed) and new in followed
