"""Sizes of a model's drawn wheels, to be compared with the parameters: a wheel of wrong size hovers or sinks in.

The meshes of a node `wheelN` or `wheel_N` and directly below it are measured about that node, whose x axis is the axle:
radius is the distance of the farthest vertex from the axle, half width that of the farthest vertex along it.
"""

import re
from functools import cache
from pathlib import Path

import numpy as np

from driving_sandbox.physics.maths.products import transformed
from driving_sandbox.physics.shape.geometry import _scene

WHEEL_NODE = re.compile(r"wheel_?([1-9]\d*)$")


@cache
def drawn_wheels(path: Path | str) -> dict[int, tuple[float, float]]:
    """{wheel number, from 1: (radius, half width) in m}. Raises GeometryError for a file that cannot be read."""
    scene = _scene(Path(path))
    sizes: dict[int, tuple[float, float]] = {}
    for node in scene.graph.nodes:
        owner, (_, geometry) = node, scene.graph.get(node)
        if geometry is None:
            continue
        if not WHEEL_NODE.match(owner):
            owner = scene.graph.transforms.parents.get(node) or ""
        match = WHEEL_NODE.match(owner)
        if match is None or not hasattr(scene.geometry[geometry], "faces"):
            continue
        into_wheel = np.linalg.inv(scene.graph.get(owner)[0]) @ scene.graph.get(node)[0]
        points = transformed(np.asarray(scene.geometry[geometry].vertices, float), into_wheel)
        size = np.hypot(points[:, 1], points[:, 2]).max(), np.abs(points[:, 0]).max()
        number = int(match.group(1))
        sizes[number] = tuple(np.maximum(size, sizes.get(number, (0.0, 0.0))).tolist())
    return sizes
