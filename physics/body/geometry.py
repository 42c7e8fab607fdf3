"""What the core takes from a vehicle's model file: the convex hull parts, read by trimesh without any window.

Parts named `hullproxyN` stand for the bodywork; a model without proxies is hulled from its `hullN` parts. glTF is
y up: (x, y, z) there is (x, -z, y) here. The model's origin is the origin of every position in the vehicle's YAML.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

_PART = re.compile(r"^hull(proxy)?_?(\d+)$")


class GeometryError(ValueError):
    """A model file is missing, unreadable or lacks its parts; `str()` names file and part."""


@dataclass(frozen=True)
class Geometry:
    """Parts of a model.

    Attributes:
        path: the file. parts: {name: float64[n, 3] points in the model's frame} of what collides. nodes: {name:
        position [3]} of every named node.
    """

    path: Path
    parts: dict
    nodes: dict


@cache
def load_geometry(path):
    """Geometry of a model file. Raises GeometryError."""
    import trimesh

    path = Path(path)
    if not path.is_file():
        raise GeometryError(f"no such model file: {path}")
    try:
        scene = trimesh.load(path, force="scene", process=False)
    except Exception as error:  # trimesh's readers raise whatever their formats raise
        raise GeometryError(f"{path} cannot be read: {type(error).__name__}: {error}") from None
    turn = np.array([[1.0, 0, 0, 0], [0, 0, -1.0, 0], [0, 1.0, 0, 0], [0, 0, 0, 1.0]])
    if path.suffix.lower() == ".obj":
        turn = np.eye(4)
    nodes, found = {}, {}
    for name in scene.graph.nodes:
        matrix, geometry = scene.graph.get(name)
        matrix = turn @ matrix
        nodes[name] = matrix[:3, 3].copy()
        match = _PART.match(name)
        if match and geometry is not None:
            vertices = np.asarray(scene.geometry[geometry].vertices, float)
            if not len(vertices) or not np.isfinite(vertices).all():
                raise GeometryError(f"{path}: part {name} is empty or has a coordinate that is not a number")
            found[name] = (vertices @ matrix[:3, :3].T + matrix[:3, 3], bool(match.group(1)))
    if not found:
        raise GeometryError(f"{path}: no part named hull1 or hullproxy1; it has: {', '.join(sorted(nodes)[:12])}")
    proxies = {name: points for name, (points, proxy) in sorted(found.items()) if proxy}
    parts = proxies or {name: points for name, (points, _) in sorted(found.items())}
    return Geometry(path, parts, nodes)
