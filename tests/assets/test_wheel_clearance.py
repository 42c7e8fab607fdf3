"""Rotating parts of a wheel keep a clearance to fixed ones.

Revolved about the axle, both are areas in the plane of x and radius, which must be MIN_CLEARANCE apart.
"""

import re

import numpy as np
import pytest
import trimesh
from test_models import Model

from driving_sandbox.assets.build import vehicles

MIN_CLEARANCE = 0.004  # m
REACH = 0.006  # m; wider gaps are not measured
CELL = 0.0005  # m, cells of the measurement
SAMPLE = 0.004  # m between points of a surface: a gap of 4 mm is measured as 4.5 mm at most
# offsets within REACH, in cells, nearest first
OFFSETS = np.stack(np.meshgrid(*[np.arange(-int(REACH / CELL), int(REACH / CELL) + 1)] * 2), -1).reshape(-1, 2)
OFFSETS = OFFSETS[np.argsort(np.hypot(*OFFSETS.T), kind="stable")]


def swept(points):
    """(x, radius) of points that rotate about the x axis."""
    return np.stack([points[:, 0], np.hypot(points[:, 1], points[:, 2])], axis=1)


def surface(points, faces):
    """Points all over a surface, at most SAMPLE apart."""
    points, faces = trimesh.remesh.subdivide_to_size(points, faces, SAMPLE)
    return np.concatenate([points[np.unique(faces)], points[faces].mean(axis=1)])


def bodies(points, faces):
    """[(points, faces)] of the parts of a mesh that are connected by shared vertices."""
    vertices, index = np.unique(np.round(points, 5), axis=0, return_inverse=True)
    faces, label = index.reshape(-1)[faces], np.arange(len(vertices))
    while True:
        lower = label.copy()
        np.minimum.at(lower, faces.ravel(), np.repeat(label[faces].min(axis=1), 3))
        if np.array_equal(lower, label):
            return [(vertices, faces[label[faces[:, 0]] == part]) for part in np.unique(label[faces[:, 0]])]
        label = lower


def is_revolved(points, faces):
    """Whether a body is one of revolution, as disc, hat and hub are: at most 31 degrees from corner to corner."""
    p = points[np.unique(faces)]
    p = p[np.hypot(p[:, 1], p[:, 2]) > 1e-4]
    directions = np.unique(np.round(np.arctan2(p[:, 1], p[:, 2]), 3) % (2 * np.pi))
    return np.diff(directions, append=directions[0] + 2 * np.pi).max() < np.radians(31.0)


def gap_between(fixed, wheel):
    """Distance of two sets of (x, radius), m, at most REACH."""
    low = fixed.min(axis=0) - 2 * REACH
    size = np.ceil((fixed.max(axis=0) + 2 * REACH - low) / CELL).astype(int)
    grids = []
    for points in (fixed, wheel):
        cells = np.round((points - low) / CELL).astype(int)
        grid = np.zeros(size, bool)
        grid[tuple(cells[((cells >= 0) & (cells < size)).all(axis=1)].T)] = True
        grids.append(grid)
    fixed_cells, grid = np.argwhere(grids[0]), grids[1]
    for offset in OFFSETS:  # the nearest ones first
        if grid[tuple((fixed_cells + offset).T)].any():
            return min(REACH, np.hypot(*offset) * CELL)
    return REACH


def clearance(model, n):
    """Gap between wheel n and the fixed parts of its brake, m; None if there are none."""
    centre = model.place(f"wheel{n}")
    parts = [body for points, faces, _ in model.meshes(f"brake{n}") for body in bodies(points - centre, faces)]
    fixed = [swept(surface(*body)) for body in parts if not is_revolved(*body)]
    if not fixed:
        return None
    fixed = np.concatenate(fixed)
    low, high = fixed.min(axis=0) - REACH, fixed.max(axis=0) + REACH
    near = []
    for points, faces, _ in model.meshes(f"wheel{n}"):
        corners = swept(points - centre)[faces]
        faces = faces[((corners.max(axis=1) > low) & (corners.min(axis=1) < high)).all(axis=1)]
        if len(faces):
            near.append(swept(surface(points - centre, faces)))
    return gap_between(fixed, np.concatenate(near)) if near else REACH


@pytest.mark.parametrize("name", vehicles.NAMES)
def test_every_wheel_has_clearance_to_its_caliper_and_upright(name):
    model = Model(vehicles.MODELS / f"{name}.glb")
    count = sum(re.fullmatch(r"wheel\d+", node) is not None for node in model.scene.graph.nodes)
    measured = {}  # {shape: gap}: wheels of the same shape are measured once
    for n in range(1, count + 1):
        # odd wheels are the left ones, mirrored
        corners = [swept(m[0] - model.place(f"{kind}{n}")) * [1 if n % 2 == 0 else -1, 1]
                   for kind in ("wheel", "brake") for m in model.meshes(f"{kind}{n}")]  # fmt: skip
        shape = tuple(np.round(np.concatenate([p.sum(axis=0) for p in corners]), 2))
        if shape not in measured:
            measured[shape] = clearance(model, n)
    clearances = [gap for gap in measured.values() if gap is not None]
    assert clearances or name == "tank"  # whose road wheels have no brakes
    assert min(clearances, default=REACH) >= MIN_CLEARANCE, measured


def test_a_caliper_in_the_spokes_is_found():
    """A box in two places: in the area that a spoke sweeps, and at 5 mm beside it."""
    spoke, caliper = (trimesh.creation.box(size) for size in ((0.02, 0.03, 0.20), (0.04, 0.05, 0.06)))
    for offset, expected in ((0.0, 0.0), (0.035, 0.005)):
        points = caliper.vertices + [offset, 0.0, -0.06]
        gap = gap_between(swept(surface(points, caliper.faces)), swept(surface(spoke.vertices, spoke.faces)))
        assert gap == pytest.approx(expected, abs=7e-4)
