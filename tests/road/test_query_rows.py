"""Road queries by ray and sweep: their vertical range, the contact plane, and kerbs that only the cylinder meets."""

import math

import numpy as np
import pytest
from naive_ground import box_mesh
from test_query_sweep import wheels

from driving_sandbox.benchmarks.sweep import with_query
from driving_sandbox.physics.ground.arrays import ROUGHNESS_AMPLITUDE
from driving_sandbox.physics.ground.ground import Ground, Plane
from driving_sandbox.physics.ground.world_mesh import Mesh
from driving_sandbox.physics.maths import quat
from driving_sandbox.physics.tick.commands import neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World


def queried(ground, query, pose=None, values=None):
    """World of a roadster after one tick.

    pose: (position of the model, orientation); None: at rest at the origin.
    values: {(slot, key): value}, for every wheel.
    """
    vehicle = with_query(load_vehicle("roadster_simple"), query)
    if values:
        vehicle.set_many({f"{slot}.{wheel}.{key}": value for wheel in vehicle.wheel_names
                          for (slot, key), value in values.items()})  # fmt: skip
    world = World(ground, [vehicle], tick_seconds=1.0 / 240.0)
    world.ground.arrays.surfaces[:, ROUGHNESS_AMPLITUDE] = 0.0
    world.place(0, (0.0, 0.0), 0.0)
    if pose is not None:
        vehicle.put(*pose)
    assert world.step(neutral_command()) is None
    return world


def top_of_wheel():
    """Height of the top of the left front wheel at full jounce, for a car at rest on z = 0, and its (x, y)."""
    vehicle = load_vehicle("roadster_simple")
    world = World(Ground(Plane(0.0)), [vehicle])
    world.place(0, (0.0, 0.0), 0.0)
    radius = float(vehicle.params["wheel"]["radius"][0, 0])
    suspension = vehicle.params["suspension"][0, 0]
    x, y, _ = suspension["attachment"].tolist()
    world.step(neutral_command())
    centre = float(vehicle.state["wheel"]["position"][0, 0, 2])
    travel_left = float(suspension["travel"]) - float(vehicle.state["suspension"]["jounce"][0, 0])
    return centre + travel_left + radius, (x, y)


@pytest.mark.covers("PX-QUERY-01")
@pytest.mark.parametrize("query", ["ray", "sweep"])
def test_objects_above_the_wheel_at_full_jounce_are_not_hit(query):
    """A plate 1 cm above the wheel's top is not hit. One 3 cm below the top is hit by the ray only."""
    top, (x, y) = top_of_wheel()
    for height, is_hit in ((top + 0.01, False), (top - 0.03, query == "ray")):
        plate = box_mesh("plate", (x - 0.4, y - 0.4, height - 0.005), (x + 0.4, y + 0.4, height))
        world = queried(Ground(Plane(0.0), [plate]), query)
        point = wheels(world, "road", "point")[0]
        assert point[2] == pytest.approx(height if is_hit else 0.0, abs=0.02), (height, is_hit)


@pytest.mark.covers("PX-QUERY-02")
@pytest.mark.parametrize("query", ["ray", "sweep"])
def test_a_tilted_plane_is_found_with_its_normal_and_friction(query):
    """The normal is within 0.1 degrees of the plane's, with the car parallel to the plane and with the car upright."""
    for slope in ((0.15, 0.0), (0.0, -0.2), (0.1, 0.1)):  # (dz/dx, dz/dy)
        corners = np.array([(x, y, slope[0] * x + slope[1] * y) for x in (-50, 50) for y in (-50, 50)], float)
        sheet = Mesh("slope", corners, np.array([(0, 2, 1), (1, 2, 3)]), np.full(2, 5, np.int32))
        expected = np.array([-slope[0], -slope[1], 1.0]) / math.sqrt(1.0 + slope[0] ** 2 + slope[1] ** 2)
        axis = np.cross((0.0, 0.0, 1.0), expected)
        angle = math.asin(np.linalg.norm(axis))
        parallel = quat.from_axis_angle(tuple((axis / np.linalg.norm(axis)).tolist()), angle)
        for orientation in (parallel, (0.0, 0.0, 0.0, 1.0)):
            world = queried(Ground(None, [sheet]), query, ((0.0, 0.0, 0.05), orientation))
            hit = wheels(world, "road", "hit") == 1
            assert hit.sum() >= 2
            error_deg = np.degrees(np.arccos(np.clip(wheels(world, "road", "normal")[hit] @ expected, -1.0, 1.0)))
            assert error_deg.max() < 0.1
            assert wheels(world, "road", "surface")[hit].tolist() == [5] * hit.sum()
            friction = world.ground.surfaces[5].friction["street"]
            assert wheels(world, "road", "friction")[hit] == pytest.approx([friction] * hit.sum())


@pytest.mark.covers("PX-QUERY-04")
def test_a_sweep_of_the_cylinder_hits_a_kerb_that_the_centre_ray_misses():
    """Radius 0.33 m, half width 0.11 m: a kerb 0.1 m ahead of its axle or 0.05 m beside its centre lifts the wheel."""
    size = {("wheel", "radius"): 0.33, ("wheel", "half_width"): 0.11}
    _, (x, y) = top_of_wheel()
    for low in ((x - 5.0, y + 0.1, -1.0), (x - 5.0, y - 5.0, -1.0)):
        beside = low[1] < y
        high = (x - 0.05, y + 5.0, 0.08) if beside else (x + 0.4, y + 5.0, 0.08)
        ground = Ground(Plane(0.0), [box_mesh("kerb", low, high)])
        ray, sweep = (wheels(queried(ground, query, values=size), "road", "point")[0] for query in ("ray", "sweep"))
        assert ray[2] == pytest.approx(0.0, abs=1e-3)
        assert sweep[2] > 0.05
