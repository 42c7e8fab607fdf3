"""Impulses of wheels on props do not add energy, and hinges work at every heading."""

import math

import numpy as np
import pytest
from prop_rig import coasting_command, flat, momentum, placed_prop, prop_momentum, rotation, run, throw, weightless


def under_a_wheel(tmp_path, vehicle, kind):
    """(world, vehicle) in empty space, with a prop half a metre below the first wheel."""
    world = weightless(tmp_path, vehicles=(vehicle,))  # tells where the wheel is
    world.vehicles[0].put((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
    world.step(coasting_command())
    x, y, z = world.vehicles[0].state["wheel"]["position"][0, 0].tolist()
    height = z - float(world.vehicles[0].params["wheel"]["radius"][0, 0]) - 0.5
    world = weightless(tmp_path, [placed_prop(kind, x, y, heading=np.pi / 2, height=height)], (vehicle,))
    world.vehicles[0].put((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
    throw(world)
    return world, world.vehicles[0]


@pytest.mark.parametrize(("kind", "speed"), [("tire", 2.0), ("tire", 6.0), ("tire", 15.0), ("plank", 2.0)])
def test_a_heavy_wheel_throws_a_light_prop_at_most_twice_as_fast(tmp_path, kind, speed):
    """Momentum is conserved, and kinetic energy does not rise, although within a tick the prop is as firm as ground."""
    world, lorry = under_a_wheel(tmp_path, "truck", kind)
    body, mass = lorry.state["body"], float(lorry.params["body"]["mass"][0])
    body["velocity"][0] = (0.0, 0.0, -speed)
    before, momenta = momentum(lorry)[0], []
    run(
        world,
        1.4 / speed,
        each=lambda: momenta.append(np.linalg.norm(prop_momentum(world, 0)[0])),
    )
    prop = prop_momentum(world, 0)[0]
    assert 0.5 * speed < max(momenta) / world.props.kinds[0].mass < 2.0 * speed  # an elastic impact would be at 2
    assert np.linalg.norm(momentum(lorry)[0] + prop - before) < 0.02 * np.linalg.norm(prop)
    energy = 0.5 * mass * float(body["velocity"][0] @ body["velocity"][0])
    energy += float(prop @ prop) / (2.0 * world.props.kinds[0].mass)
    assert energy <= 0.5 * mass * speed**2


def test_a_car_parked_on_crates_and_the_crates_do_not_move():
    """The wheels are braked; each crate has about 10 % of the mass that stands on it."""
    world = flat([placed_prop("crate", x, y) for x in (-0.75, 0.75) for y in (-1.2, 1.2)])
    car = world.vehicles[0]
    world.place(0, (0.0, 0.0), 0.0)
    x, y, z = car.model_position()
    car.put((x, y, z + 0.8), car.model_orientation())
    run(world, 6.0, coasting_command(handbrake=1.0, brake=1.0))
    assert np.linalg.norm(world.props.poses()[:, :2] - world.props.start_poses[:, :2], axis=1).max() < 0.1
    assert car.model_position() == pytest.approx((x, y, z + 0.8), abs=0.05)


@pytest.mark.parametrize("heading_deg", [0.0, 90.0, 150.0, 180.0, -130.0])
@pytest.mark.parametrize("kind", ["gate", "seesaw"])
def test_a_hinge_rests_and_turns_to_its_limits_at_every_heading(kind, heading_deg):
    heading = math.radians(heading_deg)
    axis = (0.0, 0.0, 1.0) if kind == "gate" else (math.cos(heading), math.sin(heading), 0.0)
    world = flat([placed_prop(kind, 0.0, 5.0, heading=heading)])
    start = rotation(world.props.start_poses[0, 3:])
    inertia = min(world.props._arrays.kinds[0]["inertia"])

    def angle(torque):
        """Angle about the axis from the start, degrees, after 4 more seconds with a torque, N m."""

        def twist():
            throw(world, spin=world.props.state["angular_velocity"][0] + np.array(axis) * torque / inertia / 240.0)

        run(world, 4.0, each=twist)
        m = rotation(world.props.poses()[0, 3:]) @ start.T
        twice_sine_axis = np.array((m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]))
        return math.degrees(math.atan2(float(twice_sine_axis @ np.array(axis)), float(np.trace(m)) - 1.0))

    assert abs(angle(0.0)) < 0.5
    limits = [math.degrees(v - world.props.kinds[0].hinge.start) for v in world.props.kinds[0].hinge.limits]
    assert [angle(-500.0), angle(500.0)] == pytest.approx(limits, abs=1.0)
