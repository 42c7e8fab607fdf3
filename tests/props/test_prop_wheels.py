"""Wheels on props: loads, driving over planks, ramps, tires and crates."""

import numpy as np
import pytest
from prop_rig import (
    coasting_command,
    cruise,
    flat,
    launch,
    moving_count,
    placed_prop,
    run,
)


def test_wheels_on_a_plank_have_their_full_load_and_stand_as_high_as_it_is_thick():
    world = flat([placed_prop("plank", 0.0, 1.14, heading=np.pi / 2)])  # below the front wheels
    car = world.vehicles[0]
    world.place(0, (0.0, 0.0), 0.0)
    run(world, 2.0, coasting_command(handbrake=1.0))
    weight = float(car.params["body"][0]["mass"]) * 9.81
    assert car.state["suspension"]["force"][0, :4].sum() == pytest.approx(weight, rel=0.02)
    front_heights = car.state["wheel"]["position"][0, :2, 2] - car.params["wheel"]["radius"][0, :2]
    assert front_heights == pytest.approx([0.045, 0.045], abs=0.006)
    rear_heights = car.state["wheel"]["position"][0, 2:4, 2] - car.params["wheel"]["radius"][0, 2:4]
    assert np.abs(rear_heights).max() < 0.006


def test_driving_over_a_plank_leaves_car_and_plank_on_the_ground():
    world = flat([placed_prop("plank", 0.0, 6.0, heading=np.pi / 2)])
    car = world.vehicles[0]
    world.place(0, (0.0, 0.0), 0.0)
    launch(car, 8.0)
    lifts = []
    run(world, 3.0, each=lambda: lifts.append(car.model_position()[2]))
    assert car.model_position()[1] > 12.0
    assert 0.005 < max(lifts) < 0.15 and abs(lifts[-1]) < 0.02
    assert world.props.poses()[0, 2] == pytest.approx(0.0225, abs=0.01)
    assert np.abs(world.props.poses()[0, :2] - (0.0, 6.0)).max() < 1.5


@pytest.mark.parametrize("speed", [15.0, 25.0, 35.0])
def test_a_plank_at_speed_does_not_throw_the_car(speed):
    """A plank of 45 mm gives the car an upward velocity below 1.2 m/s."""
    world = flat([placed_prop("plank", 0.0, 6.0, heading=np.pi / 2)])
    car = world.vehicles[0]
    world.place(0, (0.0, 0.0), 0.0)
    launch(car, speed)
    upward_speeds = []
    run(world, 1.0, each=lambda: upward_speeds.append(float(car.state["body"]["velocity"][0, 2])))
    assert max(upward_speeds) < 1.2, max(upward_speeds)
    assert car.state["body"]["velocity"][0, 1] > 0.9 * speed


@pytest.mark.parametrize(("kind", "rise"), [("ramp", 0.22), ("tire", 0.05)])
def test_wheels_drive_over_obstacles(kind, rise):
    """Wheels rise to the height of ramps, or onto a flat tire before it moves away; the car continues."""
    world = flat([placed_prop(kind, x, 6.0) for x in (-0.75, 0.75)])
    car = world.vehicles[0]
    world.place(0, (0.0, 0.0), 0.0)
    launch(car, 3.0)
    radius, lifts = car.params["wheel"]["radius"][0, :4], []
    run(
        world,
        5.0,
        cruise(car, 3.5),
        each=lambda: lifts.append(car.state["wheel"]["position"][0, :4, 2] - radius),
    )
    assert np.max(lifts) > rise and car.model_position()[1] > 9.0
    assert abs(car.model_position()[2]) < 0.05 and abs(car.read("body.angular_velocity.x")) < 0.5


def test_a_car_rests_on_crates_which_are_not_passed_to_a_car_beside_them():
    world = flat([placed_prop("crate", x, y) for x in (-0.75, 0.75) for y in (-1.2, 1.2)])
    car = world.vehicles[0]
    world.place(0, (2.6, 0.0), 0.0)
    run(world, 0.2)
    assert moving_count(world) == 0  # too high to drive on
    world.place(0, (0.0, 0.0), 0.0)
    x, y, z = car.model_position()
    car.put((x, y, z + 0.82), car.model_orientation())
    run(world, 3.0, coasting_command(handbrake=1.0, brake=1.0))
    weight = float(car.params["body"][0]["mass"]) * 9.81
    assert car.state["suspension"]["force"][0, :4].sum() == pytest.approx(weight, rel=0.02)
    heights = car.state["wheel"]["position"][0, :4, 2] - car.params["wheel"]["radius"][0, :4]
    assert heights == pytest.approx([0.8] * 4, abs=0.01)
    assert (car.state["road"]["body"][0, :4] > 0).all()


def test_driving_through_a_wall_of_tires_does_not_throw_the_car():
    """At 20 m/s into twenty tires in stacks of five: wheels do not drive on flying props, so the car stays low."""
    world = flat([placed_prop("tire", -0.99 + 0.66 * i, 6.0, rise=0.2 * k) for i in range(4) for k in range(5)])
    car = world.vehicles[0]
    world.place(0, (0.0, 0.0), 0.0)
    launch(car, 20.0)
    heights = []
    run(world, 1.5, each=lambda: heights.append(car.model_position()[2]))
    assert (np.linalg.norm(world.props.poses()[:, :3] - world.props.start_poses[:, :3], axis=1) > 1.0).sum() >= 15
    assert max(heights) < 0.3 and car.state["body"]["velocity"][0, 1] > 14.0


def test_only_props_within_reach_of_a_wheel_are_passed_to_the_vehicle():
    """A plank between 5 and 30 cm beside the wheels is not passed; one under the front wheels is."""
    world = flat([placed_prop("plank", 1.15, 0.0), placed_prop("plank", 0.0, 30.0, heading=np.pi / 2)])
    car = world.vehicles[0]
    counts = []

    def record_count():
        counts.append(moving_count(world))

    world.place(0, (0.0, 0.0), 0.0)
    run(world, 0.3, coasting_command(brake=1.0), each=record_count)
    # 1.02 m: position of the plank's near side
    gap = 1.02 - float(car.state["wheel"]["position"][0, 1, 0] + car.params["wheel"]["half_width"][0, 1])
    assert 0.05 < gap < 0.3
    assert max(counts) == 0
    world.place(0, (0.0, 30.0 - 1.14), 0.0)
    run(world, 0.3, coasting_command(brake=1.0), each=record_count)
    assert counts[-1] == 1 and (car.state["road"]["body"][0, :2] == 1).all()
