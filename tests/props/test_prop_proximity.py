"""Bodies out of reach are ignored until the next search for near bodies; no wheel reaches one before it."""

import math

import numpy as np
import pytest
from prop_rig import awake, coasting_command, flat, launch, placed_prop, run, throw

from driving_sandbox.physics.props import props as props_module
from driving_sandbox.physics.props import wheel_support
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle


def seesaw():
    """(world, speed of the first vehicle, m/s), as in the other scenes."""
    return flat([placed_prop("seesaw", 0.0, 9.0)]), 8.0


def planks():
    """The second and the third are thrown up in front of the rear wheels."""
    return flat([placed_prop("plank", 0.3, 6.0 + 4.0 * k, heading=0.5 * k) for k in range(4)]), 14.0


def wedges():
    """A ramp for the wheels of either side, then a tire and a crate."""
    ramps = [placed_prop("ramp", x, 6.0) for x in (-0.75, 0.75)]
    return flat([*ramps, placed_prop("tire", 0.6, 11.0), placed_prop("crate", -0.8, 11.0)]), 9.0


def another_car():
    """It is hit from behind, so fast that wheels roll onto its bodywork."""
    world = flat((), ("coupe", "patrol"))
    world.place(1, (0.1, 12.0), 0.02)
    return world, 15.0


def barrels():
    """A moving barrel rolls towards sleeping ones."""
    world = flat([placed_prop("barrel", 0.7 * (k % 3 - 1), 6.0 + 2.0 * k) for k in range(8)])
    throw(world, 0, velocity=(0.0, 9.0, 0.0))
    return world, 20.0


def external_and_hash(scene):
    """([(tick, bytes of its external records)] of ticks that have them, hash of the final state) of a scene."""
    world, speed = scene()
    world.place(0, (0.0, 0.0), 0.0)
    launch(world.vehicles[0], speed)
    ticks, contacts = [], 0
    for _ in range(round(2.5 / world.tick_seconds)):
        world.step(np.concatenate([coasting_command()] * len(world.vehicles)))
        if world.acted is not None:
            contacts += int(world.acted["moving_count"].sum()) + int(np.abs(world.acted["impulse"]).max() > 1.0)
            ticks.append((world.tick, world.acted.tobytes()))
    assert contacts > 20, "no contact"
    return ticks, world.state_hash()


@pytest.mark.parametrize("scene", [seesaw, planks, wedges, another_car])
def test_ignored_bodies_do_not_change_the_result(scene, monkeypatch):
    """A search without limit of distance gives the same bits."""
    result = external_and_hash(scene)
    monkeypatch.setattr(wheel_support, "SELECT_MARGIN", math.inf)
    assert external_and_hash(scene) == result


@pytest.mark.parametrize("scene", [planks, wedges, barrels])
@pytest.mark.parametrize(("constant", "value"), [("CHECK_SECONDS", 1.0 / 240.0), ("MARGIN", 1e3)])
def test_props_do_not_depend_on_the_interval_and_distance_of_the_search(scene, constant, value, monkeypatch):
    result = external_and_hash(scene)
    monkeypatch.setattr(props_module, constant, value)
    assert external_and_hash(scene) == result


@pytest.mark.parametrize(("position", "reached"), [((0.0, 4.1), False), ((1.7, 0.0), False), ((0.0, 0.3, 1.3), True)])
def test_wheels_reach_the_bodywork_below_them_but_not_beside_them(position, reached):
    world = flat((), ("roadster_simple", "roadster_simple"))
    world.place(0, (0.0, 0.0), 0.0)
    world.place(1, position, 0.0)
    run(world, 0.2, coasting_command(brake=1.0))
    assert world.between.bodywork.loaded == reached


def test_decks_and_hull_move_with_a_raised_part():
    world = flat([placed_prop("barrel", 1000.0, 2.5)], ("roadster_simple", "roadster_simple"))
    world.place(1, (1001.8, 0.0), 0.0)
    run(world, 0.1)
    # hull 0 is that of the kind `barrel`, hull 1 the vehicle's
    carrier = world.between.bodywork._carriers[0]
    before, top = carrier.decks[0].middle, float(world.props._arrays.hulls[1]["high"][2])
    world.vehicles[0].set_many({"contact.part_zoffset": [0.3]})
    run(world, 0.1)
    assert carrier.decks[0].middle == pytest.approx((before[0], before[1], before[2] + 0.3))
    assert float(world.props._arrays.hulls[1]["high"][2]) == pytest.approx(top + 0.3)


def test_a_prop_is_hit_by_a_vehicle_that_replaced_another():
    world = flat([placed_prop("barrel", 0.0, 6.0)])
    world.place(0, (0.0, 0.0), 0.0)
    launch(world.vehicles[0], 12.0)
    run(world, 0.1)
    new = load_vehicle("roadster_simple")
    new.restore(world.vehicles[0].snapshot())
    world.swap(0, new)
    run(world, 0.4)
    assert awake(world) == [0] and world.props.state["velocity"][0, 1] > 9.0
