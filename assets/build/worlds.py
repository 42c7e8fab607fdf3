"""Builds the assets of the worlds: `python assets/build/worlds.py [--out FOLDER]`.

Writes for the proving ground heights.npy (float32 m), surface.npy (uint8, see SURFACES), meshes.glb, roads.npz (centre
lines for the picture's paint) and line.csv (the driving line: the loop, a point every LINE_SPACING). Equal sources
give equal bytes; a test rebuilds and compares.
"""

import argparse
from pathlib import Path

import numpy as np
import world_meshes
import world_terrain
from glb import write_glb

DEFAULT_OUT = Path(__file__).resolve().parents[1] / "worlds"
LINE_SPACING = 4  # points of the loop, about a metre each
LENGTH_STEP = 1e-3  # m, of points in roads.npz and line.csv


def rounded(points):
    """Multiples of a millimetre, without negative zeros."""
    return np.round(np.asarray(points, dtype=np.float64) / LENGTH_STEP) * LENGTH_STEP + 0.0


def road_arrays(roads):
    """Arrays of roads.npz: `names`, then for each road NAME_points float32[n, 3], NAME_half_width, NAME_closed."""
    arrays = {"names": np.array([road.name for road in roads])}
    for road in roads:
        arrays[f"{road.name}_points"] = rounded(road.points).astype(np.float32)
        arrays[f"{road.name}_half_width"] = np.float32(road.half_width)
        arrays[f"{road.name}_closed"] = np.bool_(road.closed)
    return arrays


def build_proving_ground(folder):
    """Write all files of the proving ground into a folder; returns {file name: bytes}."""
    folder.mkdir(parents=True, exist_ok=True)
    heights, surface, roads = world_terrain.build()
    np.save(folder / "heights.npy", heights)
    np.save(folder / "surface.npy", surface)
    np.savez(folder / "roads.npz", **road_arrays(roads))
    write_glb(folder / "meshes.glb", world_meshes.nodes(roads[0]), world_meshes.MATERIALS)
    line = rounded(roads[0].points[::LINE_SPACING, :2])
    text = "# x, y in m; closed, driven in this order\n" + "".join(f"{x:.3f},{y:.3f}\n" for x, y in line)
    (folder / "line.csv").write_bytes(text.encode())
    return {path.name: path.stat().st_size for path in sorted(folder.iterdir())}


def main():
    parser = argparse.ArgumentParser(description="Build the assets of the worlds.")
    parser.add_argument("--out", type=Path, default=DEFAULT_OUT, help="folder to write into (default: assets/worlds)")
    folder = parser.parse_args().out / "proving_ground"
    for name, size in build_proving_ground(folder).items():
        print(f"{folder / name}: {size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
