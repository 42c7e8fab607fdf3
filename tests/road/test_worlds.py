"""The shipped worlds: all load, the proving ground has the geometry that its file describes, files are reproducible."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from driving_sandbox.physics.ground.arrays import EDGE_FLAGS, EDGE_NORMALS, EDGE_OPEN
from driving_sandbox.physics.tick.commands import neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

ROOT = Path(__file__).resolve().parents[2]
WORLDS = sorted((ROOT / "configs" / "worlds").glob("*.yaml"))
ASSETS = ROOT / "assets" / "worlds"


@pytest.fixture(scope="module")
def world():
    """The world file of the proving ground."""
    return load_world(ROOT / "configs" / "worlds" / "proving_ground.yaml")


@pytest.fixture(scope="module")
def ground(world):
    """The ground of the proving ground."""
    return world.ground()


@pytest.mark.parametrize("path", WORLDS, ids=lambda p: p.stem)
def test_every_world_loads_with_spawn_points_on_drivable_ground_in_the_open(path):
    world = load_world(path)
    ground = world.ground()
    assert world.name and world.description and world.tick_rate >= 60 and world.substeps >= 1
    for spawn in world.spawn_points.values():
        x, y = spawn.position
        hit, distance, normal, surface = ground.cast((x, y, 200.0), (0, 0, -1), 400.0)
        assert hit and 0 <= surface < len(world.surfaces)
        assert distance == pytest.approx(200.0 - ground.height(x, y)), f"{spawn.name}: a mesh is above the terrain here"
        assert normal[2] > 0.9  # at most 26 degrees
    for x, y in world.driving_line:
        assert np.isfinite(ground.height(x, y))


@pytest.mark.parametrize("name", ["roadster_simple", "patrol"])  # spring rates of the second are derived from weight
def test_driving_without_gravity_gives_no_fault(name, tmp_path):
    """With a static tire load of 0 no tick has a fault, and a car that moves towards the ground bounces off, slower."""
    path = tmp_path / "space.yaml"
    path.write_text("name: S\ngravity: 0\nair_density: 0\nterrain: {plane: 0, surface: asphalt}\n"
                    "spawn_points: {start: {position: [0, 0]}}\n")  # fmt: skip
    world = World(load_world(path), [load_vehicle(name)])
    world.spawn()
    body, command = world.vehicles[0].state["body"], neutral_command()
    body["velocity"][0, 2] = -2.0
    faults = [world.step(command) for _ in range(240)]
    assert faults == [None] * 240 and 0.0 < body["velocity"][0, 2] < 2.0


def content_of(path):
    """A file's bytes; for an .npz the bytes of each member, because Python releases compress differently."""
    if path.suffix != ".npz":
        return path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_rebuilding_gives_the_committed_content(tmp_path):
    subprocess.run(
        [sys.executable, ROOT / "assets" / "build" / "worlds.py", "--out", tmp_path],
        check=True,
        capture_output=True,
        env={**os.environ, "PYTHONHASHSEED": "7"},
    )
    names = {p.relative_to(tmp_path) for p in tmp_path.rglob("*.*")}
    assert names == {p.relative_to(ASSETS) for p in ASSETS.rglob("*.*")}
    for name in names:
        assert content_of(tmp_path / name) == content_of(ASSETS / name), f"{name}: run assets/build/worlds.py"


def test_the_assets_stay_small():
    assert sum(p.stat().st_size for p in ASSETS.rglob("*.*")) < 40e6  # bytes


def test_the_terrain_is_large_hilly_and_enclosed(world):
    heights = world.terrain.heights
    assert heights.shape == (2049, 2049) and world.terrain.cell == 1.0
    assert not heights[1024 - 95 : 1024 + 96, 1024 - 155 : 1024 + 156].any()  # the level pad
    rim = np.concatenate([heights[0], heights[-1], heights[:, 0], heights[:, -1]])
    inner = heights[250:-250, 250:-250]
    assert rim.min() > 35.0 and inner.max() < 40.0
    assert np.hypot(*np.gradient(inner.astype(float))).max() > 0.5


def test_slopes_are_plane_and_have_their_angle(ground):
    # m: x of the middle of a slope, y of its foot, its length on the map
    for angle_deg, x, foot, length in ((10.0, -90.0, -165.0, 90.0), (20.0, 90.0, -165.0, 60.0)):
        for dx in (-8.3, 0.0, 8.3):
            for y in np.linspace(foot - 1.5, foot - length + 1.5, 25):
                normal = ground.cast((x + dx, y, 100.0), (0, 0, -1), 200.0)[2]
                assert np.degrees(np.arctan2(normal[1], normal[2])) == pytest.approx(angle_deg, abs=0.01)
                assert abs(normal[0]) < 2e-4


def test_surfaces_are_where_the_world_file_says(world, ground):
    def name(x, y):
        """Name of the surface at a position, m."""
        return world.surfaces[ground.cast((x, y, 200.0), (0, 0, -1), 400.0)[3]].name

    assert name(0, 0) == "asphalt" and name(0, -70) == "concrete" and name(100, -53) == "ice"
    assert name(100, -80) == "asphalt_wet" and name(195, -40) == "mud" and name(-200, -75) == "sand"
    assert name(0, 120) == "grass" and name(300, -135) == "asphalt" and name(300, -142.5) == "gravel"
    for x, y in world.driving_line:
        assert name(x, y) == "asphalt"


def test_the_driving_line_is_a_smooth_closed_loop(world):
    line = world.driving_line
    steps = np.roll(line, -1, axis=0) - line
    lengths = np.linalg.norm(steps, axis=1)
    assert lengths.sum() > 1000.0 and lengths.max() < 6.0
    heading = np.arctan2(steps[:, 1], steps[:, 0])
    turn = np.abs((np.roll(heading, -1) - heading + np.pi) % (2 * np.pi) - np.pi)
    assert (turn / lengths).max() < 1.0 / 15.0  # no curve below 15 m radius
    start = world.spawn()
    nearest = np.argmin(np.linalg.norm(line - start.position, axis=1))
    ahead = np.array([-np.sin(start.heading), np.cos(start.heading)])
    assert steps[nearest] @ ahead / lengths[nearest] > 0.99  # the default spawn point faces along the line


def test_ramps_walls_kerbs_and_bridge_are_where_the_world_file_says(world, ground):
    names = [mesh.name for mesh in ground.meshes]
    assert sum(n.startswith("wall") for n in names) >= 3 and sum(n.startswith("kerb") for n in names) == 3
    down = (0, 0, -1)
    for x, y, angle, kind in ((-64.0, 45.0, 10.0, "wood"), (-16.0, -45.0, 20.0, "metal")):
        hit, distance, normal, surface = ground.cast((x, y, 10.0), down, 20.0)
        assert world.surfaces[surface].name == kind
        assert np.degrees(np.arccos(normal[2])) == pytest.approx(angle, abs=1e-3)
        assert normal[0] < 0.0  # rises towards +x
    assert 10.0 - ground.cast((60.0, -30.0, 10.0), down, 20.0)[1] == pytest.approx(0.05, abs=1e-5)
    assert ground.cast((-85.0, 72.0, 10.0), down, 20.0)[1] == pytest.approx(10.0 - 3.9, abs=1e-5)
    assert ground.cast((-85.0, 72.0, 3.0), down, 20.0)[1] == pytest.approx(3.0)  # room to drive below
    hit, distance, normal, _ = ground.cast((30.0, -85.0, 0.7), (0, -1, 0), 20.0)
    assert hit and distance == pytest.approx(4.5, abs=1e-4) and normal[1] == pytest.approx(1.0)


def test_solids_are_watertight(ground):
    assert (ground.arrays.triangles[:, EDGE_FLAGS:EDGE_NORMALS] != EDGE_OPEN).all()


def test_the_roads_file_has_roads_and_markings(world):
    roads = np.load(world.roads_path, allow_pickle=False)
    names = roads["names"].tolist()
    assert names[:4] == ["loop", "straight", "slope_10", "slope_20"] and {"oval", "country", "circle_100"} < set(names)
    for name in names:
        points = roads[f"{name}_points"]
        assert points.shape[1] == 3 and (str(roads[f"{name}_kind"]) == "mark" or roads[f"{name}_half_width"] > 3.0)
    loop, ground = roads["loop_points"], world.ground()
    error = [abs(ground.height(x, y) - z) for x, y, z in loop.astype(float)]
    assert max(error) < 0.03  # interpolation between vertices 1 m apart
    assert bool(roads["loop_closed"]) and not bool(roads["straight_closed"])


def test_grades_banking_and_split_mu_lanes_are_as_the_world_file_says(world, ground):
    def down(x, y):
        return ground.cast((x, y, 200.0), (0, 0, -1), 400.0)

    for percent, x in ((10, -310.0), (20, -250.0), (30, -190.0), (40, -130.0)):
        for y in (-742.0 + 600.0 / percent, -748.0 + 1150.0 / percent):  # in the middle and near the foot
            normal = down(x, y)[2]
            assert 100.0 * normal[1] / normal[2] == pytest.approx(percent, abs=0.1)
    normal = down(640.0, 420.0 + 130.0 + 110.0)[2]  # the oval's bend is banked towards its centre
    assert normal[1] / normal[2] == pytest.approx(-0.5, abs=0.06) and abs(normal[0]) < 0.05
    for y, left in ((-478.0, "ice"), (-490.0, "asphalt_wet")):
        for x in (-140.0, 0.0, 50.0):  # driven towards +x: the left wheels are to the north
            assert world.surfaces[down(x, y + 0.8)[3]].name == left
            assert world.surfaces[down(x, y - 0.8)[3]].name == "asphalt"
