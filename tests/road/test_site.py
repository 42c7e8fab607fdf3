"""Buildings of the proving ground: collision meshes where they are drawn, clear of roads, gates, spawns and props."""

import numpy as np
import pytest

from driving_sandbox.physics.world.world_file import load_world

CLEAR_OF_LANES, CLEAR_OF_GATES, CLEAR_OF_SPAWNS, CLEAR_OF_PROPS = 1.5, 3.0, 8.0, 15.0  # m
FINISHES = {"sheet", "render", "glass", "steel", "felt", "board", "mesh", "rubber", "lamp"}
SOLID = ("hall", "tower", "office", "canopy", "container", "mast", "tires", "site_fence", "straight_", "drag_")


@pytest.fixture(scope="module")
def world_file():
    return load_world("proving_ground")


@pytest.fixture(scope="module")
def drawn(world_file):
    """[n, 3] positions of all drawn vertices, m."""
    (path,) = world_file.scenery_paths
    with np.load(path, allow_pickle=False) as data:
        assert set(data["finishes"][np.unique(data["looks"][:, 3])].tolist()) == FINISHES
        return data["places"].astype(float)


@pytest.fixture(scope="module")
def solids(world_file):
    """{name: collision mesh}."""
    meshes = {mesh.name: mesh for mesh in world_file.meshes if mesh.name.startswith(SOLID)}
    assert len(meshes) > 30
    return meshes


def test_collision_meshes_of_every_kind_are_drawn(drawn, solids):
    """Drawn vertices above each collision mesh's footprint reach within 0.7 m of its sides and 0.2 m of its top."""
    for kind in SOLID:
        assert any(name.startswith(kind) for name in solids), kind
    for name, mesh in solids.items():
        low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
        around = ((drawn[:, :2] > low[:2] - 0.2) & (drawn[:, :2] < high[:2] + 0.2)).all(axis=1)
        assert around.any(), name
        for axis in range(2):
            assert drawn[around, axis].min() < low[axis] + 0.7 and drawn[around, axis].max() > high[axis] - 0.7, name
        assert drawn[around, 2].max() > high[2] - 0.2, name


def test_buildings_keep_clear_of_roads_gates_spawns_and_props(world_file, drawn):
    roads = np.load(world_file.roads_path, allow_pickle=False)
    corners = np.unique(np.round(drawn[:, :2], 1), axis=0)

    def distance(points):
        """Smallest distance of a drawn vertex from any of the points, m, seen from above."""
        return min(np.linalg.norm(corners - point, axis=1).min() for point in np.asarray(points, dtype=float))

    for name in roads["names"].tolist():
        if str(roads[f"{name}_kind"]) != "mark":
            assert distance(roads[f"{name}_points"][:, :2]) > float(roads[f"{name}_half_width"]) + CLEAR_OF_LANES, name
    assert distance([spawn.position for spawn in world_file.spawn_points.values()]) > CLEAR_OF_SPAWNS
    for track in world_file.timing:
        for gate in track.gates:
            assert distance(np.linspace(gate.left, gate.right, 30)) > CLEAR_OF_GATES, gate.label
    assert distance([prop.position[:2] for prop in world_file.props]) > CLEAR_OF_PROPS
