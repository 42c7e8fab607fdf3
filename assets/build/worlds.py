"""Builds the assets of the worlds: `python assets/build/worlds.py [--out FOLDER] [NAME ...]`.

Writes for each world heights.npy (float32 m), surface.npy (uint8, see SURFACES of world_land.py), meshes.glb, roads.npz
(centre lines and marks, and the map of their paint), rails.npz (guard rails, see world_rails.py), collision.glb
(collision meshes that are not drawn), scenery.npz where there are buildings (their drawn faces), and line.csv (the
driving line: every LINE_SPACING-th point of the first road). Running it again gives identical files; a test rebuilds
and compares. Gates and spawn points, from which rails and boards keep a distance, are read from the world's own file.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import world_meshes
import world_mountain
import world_rails
import world_terrain
from glb import Node, write_glb
from numpy.typing import ArrayLike
from world_roads import Road
from world_solids import COLLIDING, MATERIALS

sys.path.insert(1, str(Path(__file__).resolve().parents[2]))
import scenery  # noqa: E402
import world_site  # noqa: E402

from driving_sandbox.game.view.ground.maps import road_map  # noqa: E402
from driving_sandbox.game.view.ground.road_lines import paint_arrays, read_road_lines  # noqa: E402
from driving_sandbox.physics.schema.yaml_file import load_yaml  # noqa: E402
from driving_sandbox.physics.world.timing import read_timing  # noqa: E402

DEFAULT_OUT = Path(__file__).resolve().parents[1] / "worlds"
LINE_SPACING = 4  # points of the line, about a metre each
LENGTH_STEP = 1e-3  # m, rounding of points in roads.npz, rails.npz and line.csv
CONFIGS = Path(__file__).resolve().parents[2] / "configs" / "worlds"


def rounded(points: ArrayLike) -> np.ndarray:
    """Points rounded to a millimetre, without negative zeros."""
    return np.round(np.asarray(points, dtype=np.float64) / LENGTH_STEP) * LENGTH_STEP + 0.0


def road_arrays(roads: Sequence[Road]) -> dict[str, Any]:
    """Arrays of roads.npz: `names`, then for each NAME_points float32[n, 3], NAME_half_width, _closed and _kind."""
    arrays = {"names": np.array([road.name for road in roads])}
    for road in roads:
        arrays[f"{road.name}_points"] = rounded(road.points).astype(np.float32)
        arrays[f"{road.name}_half_width"] = np.float32(road.half_width)
        arrays[f"{road.name}_closed"] = np.bool_(road.closed)
        arrays[f"{road.name}_kind"] = np.array(road.kind)
    return arrays


def paint(path: Path, half: float) -> dict[str, Any]:
    """The paint map of a roads file, as the game builds it for files without one; `half`: half the world's width, m."""
    pixels, texel = road_map(read_road_lines(path), np.array([-half, -half]), (2.0 * half, 2.0 * half))
    return paint_arrays(pixels, texel)


def surroundings_of(
    name: str, world: ModuleType, heights: np.ndarray, surface: np.ndarray, nodes: Sequence[Node]
) -> world_rails.Surroundings:
    """`Surroundings` of a world's roads: its ground, and the objects that guard rails are kept clear of."""
    doc = load_yaml(CONFIGS / f"{name}.yaml")
    spawns = np.array([spot["position"][:2] for spot in doc["spawn_points"].values()], dtype=np.float64)
    gates = [np.linspace(gate.left, gate.right, 30) for track in read_timing(doc) for gate in track.gates]
    corners = [piece.vertices[:, :2] for node in nodes for piece in node.primitives if "kerb" not in node.name]
    solids = np.unique(np.round(np.concatenate(corners), 1), axis=0)
    return world_rails.Surroundings(heights, surface, world.HALF, solids, gates=np.concatenate(gates), spawns=spawns)


def build(folder: Path, name: str) -> dict[str, int]:
    """Write all files of a world into a folder; returns {file name: size in bytes}."""
    world, solids, extra_rails, scenery_objects = WORLDS[name]
    folder.mkdir(parents=True, exist_ok=True)
    heights, surface, roads = world.build()
    nodes = solids(roads)
    site = surroundings_of(name, world, heights, surface, nodes)
    rails = world_rails.rails(roads, site)
    rails = [rounded(rows) for rows in (*rails, *extra_rails())]
    np.save(folder / "heights.npy", heights)
    np.save(folder / "surface.npy", surface)
    np.savez(folder / "roads.npz", **road_arrays(roads))  # first without the paint map, which is made from this file
    np.savez(folder / "roads.npz", **road_arrays(roads), **paint(folder / "roads.npz", world.HALF))
    np.savez(folder / "rails.npz", **world_rails.arrays(rails))
    write_glb(folder / "meshes.glb", nodes, MATERIALS)
    objects = scenery_objects(roads, site)
    collision_solids = [solid for item in objects for solid in item.solids]
    write_glb(folder / "collision.glb", world_rails.solids(rails) + collision_solids, COLLIDING)
    if objects:
        np.savez(folder / "scenery.npz", **scenery.arrays(objects))
    line = rounded(roads[0].points[::LINE_SPACING, :2])
    text = "# x, y in m; closed, driven in this order\n" + "".join(f"{x:.3f},{y:.3f}\n" for x, y in line)
    (folder / "line.csv").write_bytes(text.encode())
    return {path.name: path.stat().st_size for path in sorted(folder.iterdir())}


WORLDS = {  # name -> (module of its terrain, functions that make its solids, additional rails and buildings)
    "proving_ground": (world_terrain, world_meshes.nodes, world_meshes.bridge_rails, world_site.scenery_objects),
    "mountain_road": (world_mountain, world_mountain.nodes, list, lambda roads, surroundings: []),
}


def main() -> None:
    """Build the worlds named on the command line, and print the sizes of their files."""
    parser = argparse.ArgumentParser(description="Build the assets of the worlds.")
    parser.add_argument("--out", type=Path, default=DEFAULT_OUT, help="folder to write into (default: assets/worlds)")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which: {', '.join(WORLDS)} (all)")
    options = parser.parse_args()
    for name in options.names or WORLDS:
        folder = options.out / name
        for file, size in build(folder, name).items():
            print(f"{folder / file}: {size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
