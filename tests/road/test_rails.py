"""Guard rails: position, clearance, and a car sliding along them."""

import math

import numpy as np
import pytest

from driving_sandbox.game.view.ground.rails import read_rails
from driving_sandbox.physics.tick.commands import neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

WORLDS = ("proving_ground", "mountain_road")
CLEAR_OF_LANES, CLEAR_OF_GATES, CLEAR_OF_SPAWNS = 1.5, 3.0, 5.0  # m
SPEED = 30.0  # m/s
ANGLE = math.radians(20.0)  # between the car's course and the rail
START_OFFSET = 2.2  # m, from the beam to the car's centre 0.1 s after the start
BRIDGE_RAILS = 4  # the last ones of the proving ground, at the bridge's approaches; they are not along a road


@pytest.fixture(scope="module", params=WORLDS)
def world_file(request):
    """Each of WORLDS, loaded."""
    return load_world(request.param)


def densified(points, step=0.5):
    """Points on a polyline, at most `step` metres apart."""
    rows = [
        a + (b - a) * t
        for a, b in zip(points[:-1], points[1:], strict=True)
        for t in np.linspace(0.0, 1.0, 2 + int(np.linalg.norm(b - a) / step))
    ]
    return np.array(rows)


def smallest_distance(points, others):
    """Smallest distance between two sets of points, m."""
    return min(np.linalg.norm(others - point, axis=1).min() for point in points)


def test_rails_keep_clear_of_lanes_gates_and_spawn_points(world_file):
    rails = read_rails(world_file.rails_path)
    roads = np.load(world_file.roads_path, allow_pickle=False)
    assert len(rails) > 15 and sum(len(rail) for rail in rails) > 300
    by_roads = rails[:-BRIDGE_RAILS] if world_file.path.stem == "proving_ground" else rails
    lanes = [(roads[f"{name}_points"][:, :2].astype(float), float(roads[f"{name}_half_width"]))
             for name in roads["names"].tolist() if str(roads[f"{name}_kind"]) != "mark"]  # fmt: skip
    driven_half_width = lanes[0][1]  # the driving line is the middle of the first road
    gates = [densified(np.array([gate.left, gate.right])) for track in world_file.timing for gate in track.gates]
    for rail in by_roads:
        beam = densified(rail[:, :2])
        for line, half_width in lanes:
            close = line[(np.abs(line - beam.mean(axis=0)) < 150.0).all(axis=1)]
            if len(close):
                assert smallest_distance(beam, close) > half_width + CLEAR_OF_LANES
    for rail in rails:
        beam = densified(rail[:, :2])
        for gate in gates:
            assert smallest_distance(gate, beam) > CLEAR_OF_GATES
        for spawn in world_file.spawn_points.values():
            assert smallest_distance([np.array(spawn.position)], beam) > CLEAR_OF_SPAWNS, spawn.name
        assert smallest_distance(world_file.driving_line, beam) > driven_half_width + CLEAR_OF_LANES


def test_collision_meshes_are_at_the_drawn_rails(world_file):
    """A ray from the road at beam height hits each rail's face; one 2.3 m above the ground hits nothing."""
    ground = world_file.ground()
    for rail in read_rails(world_file.rails_path):
        for a, b in zip(rail[:-1], rail[1:], strict=True):
            if a[3] or b[3]:  # m, by which the beam is lowered
                continue  # the lowered end of a beam
            along = (b - a)[:2] / np.linalg.norm((b - a)[:2])
            outward = np.array([along[1], -along[0]])
            middle = 0.5 * (a + b)
            hit, distance, normal, surface = ground.cast(
                (*(middle[:2] - 1.2 * outward), middle[2] + 0.6), (*outward, 0.0), 3.0
            )
            assert hit and distance == pytest.approx(1.2, abs=0.01)
            assert world_file.surfaces[surface].name == "steel" and np.dot(normal[:2], outward) < -0.99
            hit, *_ = ground.cast((*(middle[:2] - 1.2 * outward), middle[2] + 2.3), (*outward, 0.0), 1.6)
            assert not hit


def distance_from_beam(rail, point):
    """Distance of a point from the beam's face, m; only for points beside the rail, not beyond its ends."""
    k = min(int(np.argmin(np.linalg.norm(rail[:, :2] - point, axis=1))), len(rail) - 2)
    along = rail[k + 1, :2] - rail[k, :2]
    along /= np.linalg.norm(along)
    return float((point - rail[k, :2]) @ np.array([-along[1], along[0]]))


def slide(world_file, car, number, share):
    """Hit a rail at SPEED and ANGLE.

    number: index of the rail.
    share: place of the impact, as a share of the rail's points.
    Returns (rows of (speed, m/s, energy per mass, J/kg, distance from the beam, m) in every tick; the vehicle).
    """
    rail, vehicle = read_rails(world_file.rails_path)[number], load_vehicle(car)
    world, body = World(world_file, [vehicle]), vehicle.state["body"][0]
    k = int(len(rail) * share)
    along = (rail[k + 1] - rail[k])[:2] / np.linalg.norm((rail[k + 1] - rail[k])[:2])
    right = np.array([along[1], -along[0]])
    course = along * math.cos(ANGLE) + right * math.sin(ANGLE)
    world.place(0, rail[k, :2] - START_OFFSET * right - 0.1 * SPEED * course, math.atan2(-course[0], course[1]))
    body["velocity"][:2] = SPEED * course
    vehicle.state["wheel"][0]["omega"][: vehicle.wheel_count] = SPEED / vehicle.params["wheel"][0]["radius"][0]
    command, samples = neutral_command(), []
    for _ in range(240):
        assert world.step(command) is None
        speed = float(np.linalg.norm(body["velocity"]))
        samples.append(
            (
                speed,
                0.5 * speed**2 + 9.81 * float(body["position"][2]),
                distance_from_beam(rail, np.array(vehicle.model_position()[:2])),
            )
        )
    return np.array(samples), vehicle


@pytest.mark.parametrize("car", ["roadster_simple", "hatchback", "offroader"])
@pytest.mark.parametrize(("world", "number", "share"), [  # see `slide`
    ("proving_ground", 5, 0.25), ("proving_ground", 11, 0.4), ("mountain_road", 8, 0.3),
])  # fmt: skip
def test_a_car_slides_along_a_rail(world, number, share, car):
    """Energy rises by less than 1 %; the car does not snag, pass through the rail or roll over."""
    ticks, vehicle = slide(load_world(world), car, number, share)
    speed, energy, distance = ticks.T
    assert distance.min() > 0.5  # less than half a car's width, because the car yaws
    assert distance.min() < 1.6  # it hit the rail
    assert (energy - np.minimum.accumulate(energy)).max() < 0.01 * energy[0]  # returned by springs and wheels
    assert speed[-1] < speed[0]
    assert np.diff(speed).min() > -6.0  # m/s in one tick: does not snag on posts or joints
    assert speed[-1] > 0.6 * SPEED  # keeps sliding
    x, y = vehicle.state["body"][0]["orientation"][:2]
    assert 1.0 - 2.0 * (x * x + y * y) > 0.8  # z component of the body's up axis
