"""The wind of a world: air forces follow the velocity relative to the air; still air changes nothing."""

import itertools
import math

import numpy as np
import pytest
from drive_rig import Drive
from row_rig import call

from driving_sandbox.physics.aero.drag import velocity_through_air
from driving_sandbox.physics.batch.batch import Batch
from driving_sandbox.physics.ground.ground import plane_ground
from driving_sandbox.physics.kernel.jit import JIT
from driving_sandbox.physics.maths import quat, vec3
from driving_sandbox.physics.maths.quat import rotate
from driving_sandbox.physics.planar.body import axes
from driving_sandbox.physics.planar.resistance import wind_along
from driving_sandbox.physics.tick.commands import neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import WORLD_FOLDER, load_world

CARS = ("roadster_simple", "track_roadster", "planar_roadster")  # with three different aero components
HEADING = 0.7  # rad, so that world and body axes differ
OUTPUTS = ("force", "torque", "drag_long", "drag_lat", "yaw_moment")


def air_of(name, velocity, wind):
    """{state field: value} of the air's forces and moments on a vehicle.

    velocity, wind: m/s, in world axes.
    """
    vehicle = load_vehicle(name)
    vehicle.put((0.0, 0.0, 0.0), (0.0, 0.0, math.sin(0.5 * HEADING), math.cos(0.5 * HEADING)), velocity)
    vehicle.context["wind"][0] = wind
    if name == "planar_roadster":
        call(vehicle, "body", "resolve")
        call(vehicle, "aero", "drag")
    else:
        call(vehicle, "aero")
    state = vehicle.state["aero"][0]
    return {key: np.array(state[key]) for key in OUTPUTS if key in state.dtype.names}


@pytest.mark.parametrize("name", CARS)
@pytest.mark.parametrize(("velocity", "wind"), [((8.0, 20.0), (-5.0, 3.0)), ((0.0, 0.0), (12.0, -9.0))])
def test_air_forces_follow_the_velocity_relative_to_the_air(name, velocity, wind):
    moving = air_of(name, (*velocity, 0.0), (*wind, 0.0))
    still = air_of(name, (*np.subtract(velocity, wind), 0.0), (0.0, 0.0, 0.0))
    for key, value in still.items():
        assert moving[key] == pytest.approx(value, rel=1e-12, abs=1e-9)
    assert max(np.abs(value).max() for value in moving.values()) > 50.0
    carried = air_of(name, (*velocity, 0.0), (*velocity, 0.0))  # a vehicle that moves with the wind
    assert all(np.abs(value).max() < 1e-9 for value in carried.values())


@pytest.mark.parametrize("turn", [0.0, 0.7, 2.0, math.pi, -1.6])
def test_still_air_leaves_a_velocity_bit_identical(turn):
    """Even the sign of a zero is kept, because states are compared bit by bit."""
    vehicle = load_vehicle("roadster_simple")
    context = vehicle.context[0] if JIT else vehicle.context.view(np.recarray)[0]
    nose, right = axes(turn)
    for velocity in itertools.product((0.0, -0.0, 12.5, -1e-300), repeat=3):
        vehicle.put((0.0, 0.0, 0.0), (0.0, 0.0, math.sin(0.5 * turn), math.cos(0.5 * turn)), velocity)
        body = vehicle.state["body"][0] if JIT else vehicle.state.view(np.recarray)["body"][0]
        through_air = velocity_through_air(body, context)
        expected = quat.rotate_inverse(quat.load(body["orientation"]), vec3.load(body["velocity"]))
        assert np.array(through_air).tobytes() == np.array(expected).tobytes()
        for axis in (nose, right):
            # never -0: subtracting it would turn a velocity of -0 into +0
            assert math.copysign(1.0, wind_along(axis, context["wind"])) == 1.0


def coasting_speed(wind, seconds=4.0, speed=25.0):
    """Speed along +y, m/s, after coasting from `speed`, m/s, for some seconds in a steady wind, m/s, world axes."""
    drive = Drive("roadster_simple", values={"aero.side_drag_area": 0.0}).run(2.0)
    drive.world.parameters.set_many({"world.wind": wind})
    state, n = drive.vehicle.state, drive.vehicle.wheel_count
    q = tuple(drive.body("orientation").tolist())
    state["body"][0]["velocity"] = rotate(q, (0.0, speed, 0.0))
    state["wheel"][0]["omega"][:n] = speed / drive.vehicle.params["wheel"][0]["radius"][:n]
    return drive.run(seconds).body("velocity")[1]


def test_a_head_wind_slows_and_a_tail_wind_carries():
    still, head, tail = (coasting_speed([0.0, wind, 0.0]) for wind in (0.0, -15.0, 15.0))
    assert head < still - 1.0 and tail > still + 0.5
    # 1/2 rho Cd A ((v + w)^2 - v^2) / m times the duration, with v = 24 m/s, slightly below the initial speed
    vehicle = load_vehicle("roadster_simple")
    per_mass = 0.5 * 1.204 * vehicle.get("aero.drag_area") / vehicle.get("body.mass")
    assert still - head == pytest.approx(4.0 * per_mass * (39.0**2 - 24.0**2), rel=0.1)


def test_a_parked_planar_car_is_pushed_sideways_by_the_air_alone():
    values = {f"tire.{w}.side_friction": 0.0 for w in ("fl", "fr", "rl", "rr")}
    values |= {"aero.side_drag_factor": 2.0, "aero.side_centre": 0.3, "rolling.coefficient": 0.0}
    car = Drive("planar_roadster", values=values)
    car.world.context["wind"][0] = (20.0, 0.0, 0.0)  # from the left of a car that faces +y
    car.run(1.0 / 240.0)
    assert car.vehicle.read("aero.drag_lat") == pytest.approx(800.0)  # 2.0 * 20**2
    # -0.3 * 800: the side force acts ahead of the centre of mass, so that the nose turns downwind
    assert car.vehicle.read("aero.yaw_moment") == pytest.approx(-240.0)
    assert car.run(1.0).body("velocity")[0] > 0.3


def test_the_vehicles_of_a_batch_share_the_wind_of_their_world():
    finals = []
    for wind in ([0.0, 0.0, 0.0], [18.0, 0.0, 0.0]):
        world = World(plane_ground(), [load_vehicle("roadster_simple")])
        world.place(0, (0.0, 0.0), 0.0)
        world.parameters.set_many({"world.wind": wind})
        with Batch(world.vehicles[0], world, 2, threads=1) as batch:
            commands = np.repeat(neutral_command()[:, None], 120, axis=0)[:, [0, 0]]  # [tick, vehicle]
            assert batch.step(commands) == []
            finals.append(batch.states.tobytes())
            side = batch.read("aero.force.x")
        for _ in range(120):
            world.step(neutral_command())
        # the first of the two vehicles; a snapshot begins with 8 bytes of tick number
        assert finals[-1][: len(finals[-1]) // 2] == world.snapshot()[8:]
        assert (side > 300.0).all() if wind[0] else (np.abs(side) < 1.0).all()
    assert finals[0] != finals[1]


def test_a_world_file_sets_the_wind_without_negative_zeros(tmp_path):
    text = (WORLD_FOLDER / "plane.yaml").read_text(encoding="utf8")
    path = tmp_path / "windy.yaml"
    # without `surfaces`, whose relative path would not be found from tmp_path
    lines = [line for line in text.splitlines() if not line.startswith("surfaces")]
    path.write_text("\n".join([*lines, "wind: [3, -4.5, -0.0]"]), encoding="utf8")
    world = World(load_world(path), [load_vehicle("roadster_simple")])
    assert world.parameters.get("world.wind") == [3.0, -4.5, 0.0]
    assert not np.signbit(world.context["wind"][0, 2])
    assert world.vehicles[0].context["wind"][0].tolist() == [3.0, -4.5, 0.0]
    world.parameters.set_many({"world.wind": [-0.0, 2.0, 1.0]})
    assert not np.signbit(world.context["wind"][0, 0])
    assert world.parameters.changed_values() == {"world.wind": [0.0, 2.0, 1.0]}
    assert load_world("plane").wind == [0.0, 0.0, 0.0]
