"""Reads the meshes of a world (`.glb`, `.gltf`, `.obj`) without a graphics library; rejects degenerate ones.

glTF is Y-up and is converted here: (x, y, z) = (X, -Z, Y), as panda3d-gltf does for the view. `.obj` files are
read unchanged, z up. The name of a triangle's material is the name of its surface. Coordinates that differ by at most
WELD are made equal, so that edges can be matched by position.
"""

from pathlib import Path
from typing import Any

import numpy as np

from driving_sandbox.physics.ground.obj_file import OPTIONS, obj_scene
from driving_sandbox.physics.ground.surfaces import SurfaceTable
from driving_sandbox.physics.ground.world_mesh import Mesh, check_faces, check_vertices
from driving_sandbox.physics.maths.products import determinant, transformed
from driving_sandbox.physics.schema import glb
from driving_sandbox.physics.schema.gltf_file import VISUAL_EXTENSIONS
from driving_sandbox.physics.schema.model_file import gltf_header, load_model
from driving_sandbox.physics.schema.yaml_file import ConfigError, key_hint

SUFFIXES = (".glb", ".gltf", ".obj")
WELD = 1e-7  # m; vertices that differ by at most this in each coordinate are one; above the rounding of transforms
# Name of a node, transform float64[4, 4], vertices [n, 3], triangles [m, 3], material or None
_Part = tuple[str, np.ndarray, np.ndarray, np.ndarray, str | None]
MAX_TRIANGLES = 500_000  # of a file; building their search tree takes 20 s


def weld(points: np.ndarray, distance: float = WELD) -> np.ndarray:
    """Points [n, 3] with nearly equal coordinates made equal.

    Per axis, values that differ by at most `distance`, m, become one; so do chains of such values.
    """
    points = np.array(points, dtype=np.float64) + 0.0  # no negative zeros
    for axis in range(3):
        values, inverse = np.unique(points[:, axis], return_inverse=True)
        if len(values):
            starts = np.concatenate([[True], np.diff(values) > distance])
            points[:, axis] = values[starts][np.cumsum(starts) - 1][inverse]
    return points


def _check_extensions(path: Path) -> None:
    """Raise ConfigError for a glTF file whose shape depends on an unknown extension."""
    for name in gltf_header(path).get("extensionsRequired", ()):
        if not str(name).startswith(VISUAL_EXTENSIONS):
            text = f"needs the glTF extension {name}, which is not supported: export it without, and uncompressed"
            raise ConfigError(path, None, "", text)


def _scene(path: Path) -> Any:
    """The trimesh scene of a file, geometry unchanged."""
    if path.suffix.lower() not in SUFFIXES:
        raise ConfigError(path, None, "", f"not a mesh file: known are {', '.join(SUFFIXES)}")
    if not path.is_file():
        raise ConfigError(path, None, "", "no such file")
    try:
        if path.suffix.lower() == ".obj":
            return obj_scene(path)
        _check_extensions(path)
        return load_model(path, **OPTIONS)
    except ConfigError:
        raise
    except OSError as error:
        raise ConfigError(path, None, "", f"cannot be read: {error}") from None
    except Exception as error:  # any failure of a foreign file's reader is one error for the user
        what = f"{type(error).__name__}: {error}" if str(error) else "it is damaged or cut off"
        raise ConfigError(path, None, "", f"cannot be read as a mesh: {what}") from None


def _nodes(path: Path) -> list[_Part]:
    """(node name, transform, vertices, triangles, material or None) of every part, in the same order in every run.

    trimesh gives the parts of a node with several materials random names below it, and lists nodes in no fixed order.
    """
    plain = glb.read(path) if path.suffix.lower() == ".glb" else None
    if plain is not None:
        ordered = sorted((node for node in plain if node.pieces), key=lambda node: (node.mesh, node.name))
        return [(n.name, n.matrix, p.vertices, p.faces, p.material) for n in ordered for p in n.pieces]
    scene = _scene(path)
    order = {name: index for index, name in enumerate(scene.geometry)}
    nodes = []
    for node in scene.graph.nodes_geometry:
        transform, geometry_name = scene.graph[node]
        geometry = scene.geometry[geometry_name]
        if not hasattr(geometry, "faces"):
            raise ConfigError(path, None, f'node "{node}"', "has points or lines, only triangles can be driven on")
        if geometry.metadata.get("from_gltf_primitive"):
            node = scene.graph.transforms.parents[node]
        name = f"{path.stem}:{node}" if path.suffix.lower() == ".obj" else str(node)
        material = getattr(getattr(geometry.visual, "material", None), "name", None)
        matrix = np.asarray(transform, dtype=np.float64)
        nodes.append((order[geometry_name], name, matrix, geometry.vertices, geometry.faces, material))
    return [entry[1:] for entry in sorted(nodes, key=lambda entry: entry[:2])]


def load_meshes(path: Path | str, surfaces: SurfaceTable) -> list[Mesh]:
    """All meshes of a file as a list of `Mesh`, one per name of a node. Raises ConfigError.

    Args:
        path: the file.
        surfaces: SurfaceTable that the materials' names refer to.
    """
    path = Path(path)
    parts: dict[str, list[tuple[np.ndarray, np.ndarray, int]]] = {}
    for name, transform, vertices, triangles, material in _nodes(path):
        if material not in surfaces.names:
            what = f'material "{material}" is not a surface' if material else "has no material to name its surface"
            hint = key_hint(material, surfaces.names) if material else ""
            raise ConfigError(path, None, f'mesh "{name}"', f"{what}{hint}; known: {', '.join(surfaces.names)}")
        with np.errstate(invalid="ignore"):  # NaN is reported below
            vertices = transformed(np.asarray(vertices, dtype=np.float64), transform)
        triangles = np.asarray(triangles, dtype=np.int64).reshape(-1, 3)
        if determinant(transform[:3, :3]) < 0.0:
            triangles = triangles[:, ::-1]  # a mirroring node turns the front inwards
        if path.suffix.lower() != ".obj":
            vertices = np.stack([vertices[:, 0], -vertices[:, 2], vertices[:, 1]], axis=1)
        parts.setdefault(name, []).append((vertices, triangles, surfaces.index(material)))
    if not parts:
        raise ConfigError(path, None, "", "contains no mesh")
    counts = {name: sum(len(triangles) for _, triangles, _ in entries) for name, entries in parts.items()}
    if sum(counts.values()) > MAX_TRIANGLES:
        largest = max(counts, key=counts.__getitem__)
        text = f"{counts[largest]} of {sum(counts.values())} triangles in this file; {MAX_TRIANGLES} are allowed"
        raise ConfigError(path, None, f'mesh "{largest}"', f"{text}; terrain of that size should be a heightfield")
    meshes = [_join(name, entries) for name, entries in parts.items()]
    for mesh in meshes:
        check_vertices(mesh, path)
    welded = np.split(weld(np.concatenate([m.vertices for m in meshes])), np.cumsum([len(m.vertices) for m in meshes]))
    # the last part of `welded` is empty
    meshes = [Mesh(m.name, v, m.triangles, m.triangle_surfaces) for m, v in zip(meshes, welded, strict=False)]
    check_faces(meshes, path)
    return meshes


def _join(name: str, entries: list[tuple[np.ndarray, np.ndarray, int]]) -> Mesh:
    """One mesh of the parts of a node."""
    offsets = np.cumsum([0] + [len(vertices) for vertices, _, _ in entries])
    return Mesh(
        name,
        np.concatenate([vertices for vertices, _, _ in entries]),
        np.concatenate([t + offset for (_, t, _), offset in zip(entries, offsets, strict=False)]),
        np.concatenate([np.full(len(t), surface, dtype=np.int32) for _, t, surface in entries]),
    )
