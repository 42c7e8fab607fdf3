"""Reads the meshes of a world (`.glb`, `.gltf`, `.obj`) without a graphics library; rejects degenerate ones.

glTF is Y-up and is converted here: (x, y, z) = (X, -Z, Y), as panda3d-gltf does for the view. `.obj` files are
read as they are, z up. The name of a triangle's material is the name of its surface. Vertices closer than WELD are
merged, so that edges can be matched by position.

Triangles without area, duplicates and triangles folded onto a neighbour are errors: wheel queries would return invalid
normals, and a hull would be thrown into the air. So are non-manifold edges of three triangles and inconsistent winding
within one mesh, as the ground side would be ambiguous. Separate meshes may touch in any way.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from driving_sandbox.physics.ground.edges import edge_pairs, unit
from driving_sandbox.physics.ground.obj_file import OPTIONS, obj_scene
from driving_sandbox.physics.maths.products import transformed
from driving_sandbox.physics.schema import glb
from driving_sandbox.physics.schema.model_file import gltf_header, load_model
from driving_sandbox.physics.schema.yaml_file import ConfigError, key_hint

SUFFIXES = (".glb", ".gltf", ".obj")
VISUAL_EXTENSIONS = ("KHR_materials_", "KHR_texture_", "KHR_lights_", "EXT_texture_")  # of glTF; move no vertex
WELD = 1e-7  # m, difference in each coordinate up to which vertices are one; above the rounding of transforms
MIN_TRIANGLE_HEIGHT = 1e-5  # m, over the longest side; less is rounding
MAX_COORDINATE = 1e5  # m; beyond it the rounding of coordinates is no longer far below WELD
MAX_TRIANGLES = 500_000  # of a file; building their search tree takes 20 s
FOLD_ANGLE = 0.01  # rad; two faces with a smaller angle at their edge are folded onto each other


@dataclass(frozen=True)
class Mesh:
    """Triangles of one node, in world coordinates."""

    name: str
    vertices: np.ndarray  # float64[n, 3]
    triangles: np.ndarray  # int64[m, 3], counter-clockwise seen from the front
    triangle_surfaces: np.ndarray  # int32[m]


def weld(points, distance=WELD):
    """Points [n, 3], of which coordinates that differ by at most `distance` (m) are made equal."""
    points = np.array(points, dtype=np.float64) + 0.0  # no negative zeros
    for axis in range(3):
        values, inverse = np.unique(points[:, axis], return_inverse=True)
        if len(values):
            starts = np.concatenate([[True], np.diff(values) > distance])
            points[:, axis] = values[starts][np.cumsum(starts) - 1][inverse]
    return points


def check_mesh(mesh, path):
    """Raise ConfigError, naming file and mesh, for invalid triangles."""

    def error(text):
        return ConfigError(path, None, f'mesh "{mesh.name}"', text)

    if not len(mesh.triangles):
        raise error("has no triangles")
    if not np.isfinite(mesh.vertices).all():
        bad = int(np.argwhere(~np.isfinite(mesh.vertices).all(axis=1))[0, 0])
        raise error(f"vertex {bad} is not a number")
    far = np.flatnonzero(np.abs(mesh.vertices).max(axis=1) > MAX_COORDINATE)
    if len(far):
        at = ", ".join(f"{v:.6g}" for v in mesh.vertices[far[0]])
        raise error(f"vertex {far[0]} at ({at}) is more than {MAX_COORDINATE / 1000:g} km away; are the units metres?")
    if mesh.triangles.min() < 0 or mesh.triangles.max() >= len(mesh.vertices):
        raise error(f"a triangle names a vertex outside 0..{len(mesh.vertices) - 1}")
    corners = mesh.vertices[mesh.triangles]
    doubled = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    longest = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    thin = np.flatnonzero(doubled <= MIN_TRIANGLE_HEIGHT * longest)
    if len(thin):
        at = ", ".join(f"{v:.3f}" for v in corners[thin[0]].mean(axis=0))
        raise error(f"triangle {thin[0]} at ({at}) has no area ({len(thin)} in all); remove it")
    pairs = edge_pairs(corners)
    _check_folds(corners, pairs, error)
    _check_edges(corners, pairs, error)


def _check_edges(corners, pairs, error):
    """Raise for non-manifold edges and inconsistent winding."""
    side = 3 * pairs.triangle + pairs.edge
    shared = np.bincount(side, minlength=3 * len(corners))
    crowded, inconsistent = np.flatnonzero(shared > 1), np.flatnonzero(pairs.same_way)
    if len(crowded):
        triangle, edge = divmod(int(crowded[0]), 3)
        others = ", ".join(str(k) for k in pairs.other[side == crowded[0]])
        text = f"triangle {triangle} shares an edge at ({_middle(corners, triangle, edge)}) with triangles {others}"
        raise error(f"{text}: at most two may meet in one mesh; make separate meshes of the parts")
    if len(inconsistent):
        k = inconsistent[0]
        place = _middle(corners, pairs.triangle[k], pairs.edge[k])
        who = f"triangles {pairs.triangle[k]} and {pairs.other[k]}"
        raise error(f"{who} face opposite ways at their edge at ({place}): flip one of them")


def _middle(corners, triangle, edge):
    """Middle of an edge, in words."""
    return ", ".join(f"{v:.3f}" for v in 0.5 * (corners[triangle, edge] + corners[triangle, (edge + 1) % 3]))


def _check_folds(corners, pairs, error):
    """Raise when two triangles with a common edge are folded onto each other."""
    start, end = corners[pairs.triangle, pairs.edge], corners[pairs.triangle, (pairs.edge + 1) % 3]
    tangent = unit(end - start)

    def side(triangle, edge):
        reach = corners[triangle, (edge + 2) % 3] - start
        return unit(reach - tangent * np.einsum("ij,ij->i", reach, tangent)[:, None])

    first, second = side(pairs.triangle, pairs.edge), side(pairs.other, pairs.other_edge)
    # by the tangent of half the angle, which is precise for small angles, unlike the cosine
    angle = 2.0 * np.arctan2(np.linalg.norm(first - second, axis=1), np.linalg.norm(first + second, axis=1))
    folded = np.flatnonzero(angle < FOLD_ANGLE)
    if len(folded):
        k = folded[0]
        at = ", ".join(f"{v:.3f}" for v in 0.5 * (start[k] + end[k]))
        raise error(f"triangles {pairs.triangle[k]} and {pairs.other[k]} are folded onto each other at the edge ({at})")


def _check_extensions(path):
    """Raise ConfigError for a glTF file whose shape depends on an unknown extension."""
    for name in gltf_header(path).get("extensionsRequired", ()):
        if not str(name).startswith(VISUAL_EXTENSIONS):
            text = f"needs the glTF extension {name}, which is not known here: export it without, and uncompressed"
            raise ConfigError(path, None, "", text)


def _scene(path):
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


def _nodes(path):
    """(node name, transform, vertices, triangles, material or None) of every part, in the same order in every run.

    trimesh gives the parts of a node with several materials random names below it, and lists nodes in no fixed order.
    """
    plain = glb.read(path) if path.suffix.lower() == ".glb" else None
    if plain is not None:
        ordered = sorted((node for node in plain if node.pieces), key=lambda node: (node.mesh, node.name))
        return [(n.name, n.matrix, p.vertices, p.faces, p.material) for n in ordered for p in n.pieces]
    scene = _scene(path)
    places = {name: index for index, name in enumerate(scene.geometry)}
    found = []
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
        found.append((places[geometry_name], name, matrix, geometry.vertices, geometry.faces, material))
    return [entry[1:] for entry in sorted(found, key=lambda entry: entry[:2])]


def load_meshes(path, surfaces):
    """All meshes of a file as a list of `Mesh`, one per node. Raises ConfigError.

    Args:
        path: the file.
        surfaces: SurfaceTable that the materials' names refer to.
    """
    path = Path(path)
    parts = {}
    for name, transform, vertices, triangles, material in _nodes(path):
        if material not in surfaces.names:
            what = f'material "{material}" is no surface' if material else "has no material to name its surface"
            hint = key_hint(material, surfaces.names) if material else ""
            raise ConfigError(path, None, f'mesh "{name}"', f"{what}{hint}; known: {', '.join(surfaces.names)}")
        with np.errstate(invalid="ignore"):  # NaN is reported below
            vertices = transformed(np.asarray(vertices, dtype=np.float64), transform)
        triangles = np.asarray(triangles, dtype=np.int64).reshape(-1, 3)
        if np.linalg.det(transform[:3, :3]) < 0.0:
            triangles = triangles[:, ::-1]  # a mirroring node turns the front inwards
        if path.suffix.lower() != ".obj":
            vertices = np.stack([vertices[:, 0], -vertices[:, 2], vertices[:, 1]], axis=1)
        parts.setdefault(name, []).append((vertices, triangles, surfaces.index(material)))
    if not parts:
        raise ConfigError(path, None, "", "contains no mesh")
    counts = {name: sum(len(triangles) for _, triangles, _ in entries) for name, entries in parts.items()}
    if sum(counts.values()) > MAX_TRIANGLES:
        most = max(counts, key=counts.get)
        text = f"{counts[most]} of {sum(counts.values())} triangles in this file, at most {MAX_TRIANGLES} are possible"
        raise ConfigError(path, None, f'mesh "{most}"', f"{text}; terrain of that size belongs into a heightfield")
    meshes = [_join(name, entries) for name, entries in parts.items()]
    for mesh in meshes:
        if not np.isfinite(mesh.vertices).all():
            check_mesh(mesh, path)
    welded = np.split(weld(np.concatenate([m.vertices for m in meshes])), np.cumsum([len(m.vertices) for m in meshes]))
    meshes = [Mesh(m.name, v, m.triangles, m.triangle_surfaces) for m, v in zip(meshes, welded, strict=False)]
    for mesh in meshes:
        check_mesh(mesh, path)
    return meshes


def _join(name, entries):
    """One mesh of the parts of a node."""
    offsets = np.cumsum([0] + [len(vertices) for vertices, _, _ in entries])
    return Mesh(
        name,
        np.concatenate([vertices for vertices, _, _ in entries]),
        np.concatenate([t + offset for (_, t, _), offset in zip(entries, offsets, strict=False)]),
        np.concatenate([np.full(len(t), surface, dtype=np.int32) for _, t, surface in entries]),
    )
