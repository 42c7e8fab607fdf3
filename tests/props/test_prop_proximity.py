"""What is left out until the next look around: only what no wheel gets to meanwhile."""

import math

import numpy as np
import pytest
from prop_rig import awake, flat, launch, placed_prop, rolling, run, throw

from driving_sandbox.game.props.bodywork import Bodywork
from driving_sandbox.physics.props import props as props_module
from driving_sandbox.physics.props import wheel_support
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle


def seesaw():
    return flat([placed_prop("seesaw", 0.0, 9.0)]), 8.0


def planks():
    """The second and the third fly up in front of the wheels behind."""
    return flat([placed_prop("plank", 0.3, 6.0 + 4.0 * k, heading=0.5 * k) for k in range(4)]), 14.0


def wedges():
    ramps = [placed_prop("ramp", x, 6.0) for x in (-0.75, 0.75)]
    return flat([*ramps, placed_prop("tire", 0.6, 11.0), placed_prop("crate", -0.8, 11.0)]), 9.0


def another_car():
    """From behind, so fast that its wheels get onto the other's bodywork."""
    world = flat((), ("coupe", "patrol"))
    world.place(1, (0.1, 12.0), 0.02)
    return world, 15.0


def barrels():
    """A row of barrels in motion towards others that sleep."""
    world = flat([placed_prop("barrel", 0.7 * (k % 3 - 1), 6.0 + 2.0 * k) for k in range(8)])
    throw(world, 0, velocity=(0.0, 9.0, 0.0))
    return world, 20.0


def handed_in(scene):
    """Bytes of all that was handed in, tick by tick, and of where everything ended."""
    world, speed = scene()
    bodywork = Bodywork(world)
    world.place(0, (0.0, 0.0), 0.0)
    launch(world.vehicles[0], speed)
    ticks, handed = [], 0
    for _ in range(round(2.5 / world.tick_seconds)):
        world.step(np.concatenate([rolling()] * len(world.vehicles)), bodywork.outside(world))
        if world.acted is not None:
            handed += int(world.acted["moving_count"].sum()) + int(np.abs(world.acted["impulse"]).max() > 1.0)
            ticks.append((world.tick, world.acted.tobytes()))
    assert handed > 20, "they met something"
    return ticks, world.state_hash()


@pytest.mark.parametrize("scene", [seesaw, planks, wedges, another_car])
def test_what_is_left_out_between_looks_is_not_missed(scene, monkeypatch):
    """The same to the byte as when everything near is followed every tick."""
    found = handed_in(scene)
    monkeypatch.setattr(wheel_support, "AROUND", math.inf)
    assert handed_in(scene) == found


@pytest.mark.parametrize("scene", [planks, wedges, barrels])
@pytest.mark.parametrize(("constant", "value"), [("LOOK_SECONDS", 1.0 / 240.0), ("MARGIN", 1e3)])
def test_props_do_not_depend_on_when_what_is_near_was_looked_at(scene, constant, value, monkeypatch):
    found = handed_in(scene)
    monkeypatch.setattr(props_module, constant, value)
    assert handed_in(scene) == found


def test_nobody_follows_what_no_wheel_can_reach():
    world = flat((), ("roadster_simple", "roadster_simple"))
    world.place(0, (0.0, 0.0), 0.0)
    world.place(1, (0.0, 4.1), 0.0)
    bodywork = Bodywork(world)
    run(world, 0.2, rolling(brake=1.0), bodywork=bodywork)
    assert not any(support.followed for support in bodywork._supports.values())


@pytest.mark.parametrize(("aside", "follows"), [(4.0, False), (1.8, True)])
def test_wheels_follow_the_bodywork_beside_them(aside, follows):
    world = flat((), ("roadster_simple", "roadster_simple"))
    for i, x in enumerate((0.0, aside)):
        world.place(i, (x, 0.0), 0.0)
    bodywork = Bodywork(world)
    run(world, 0.2, rolling(brake=1.0), bodywork=bodywork)
    assert any(support.followed for support in bodywork._supports.values()) == follows


def test_a_part_of_a_hull_that_is_raised_is_met_where_it_is_then():
    world = flat([placed_prop("barrel", 1000.0, 2.5)])
    bodywork = Bodywork(world)
    run(world, 0.1, bodywork=bodywork)
    before, low = bodywork._carriers[0].treads[0].middle, float(world.props._arrays.hulls[1]["high"][2])
    world.vehicles[0].set_many({"contact.part_zoffset": [0.3]})
    bodywork.vehicles_changed()
    run(world, 0.1, bodywork=bodywork)
    assert bodywork._carriers[0].treads[0].middle == pytest.approx((before[0], before[1], before[2] + 0.3))
    assert float(world.props._arrays.hulls[1]["high"][2]) == pytest.approx(low + 0.3)


def test_props_meet_a_vehicle_that_was_exchanged():
    """Hull and wheels are those of the new one from the very next tick."""
    world = flat([placed_prop("barrel", 0.0, 6.0)])
    world.place(0, (0.0, 0.0), 0.0)
    launch(world.vehicles[0], 12.0)
    run(world, 0.1)
    new = load_vehicle("roadster_simple")
    new.restore(world.vehicles[0].snapshot())
    world.swap(0, new)
    run(world, 0.4)
    assert awake(world) == [0] and world.props.state["velocity"][0, 1] > 9.0
