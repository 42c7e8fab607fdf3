"""Grass tufts and stones around the camera, as geometry without transparency; each ring is one draw call.

A ring is made of a square tile with randomly scattered roots. The vertex shader (shaders/grass.vert) repeats the tile
around the eye, puts every root on the triangles of the ground, leaves out most tufts where the ground does not look
like grass, and stones where it looks like neither soil nor gravel. It shrinks both at the ring's borders so that none
appears suddenly; no Python runs from frame to frame. Farther rings have fewer, wider and simpler blades. Tufts take
light and colour from the ground below them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from panda3d.core import GeomNode, LVecBase4f, NodePath, OmniBoundingVolume, SamplerState, Texture

from driving_sandbox.game.view.cameras.view import USUAL_LENS
from driving_sandbox.game.view.gl.geometry import Mesh, still_mesh
from driving_sandbox.game.view.gl.quality import Quality
from driving_sandbox.game.view.gl.shading import program


@dataclass(frozen=True)
class Ring:
    """Tufts between two distances from the eye.

    Attributes:
        period: side of the tile, m.
        begin, end: distances from the eye, m.
        density: tufts per m2.
        blades: blades of a tuft.
        bent: whether blades have a second segment.
        widening: half width added to blades per metre of distance, for a lens of USUAL_LENS.
    """

    period: float
    begin: float
    end: float
    density: float
    blades: int
    bent: bool
    widening: float


RINGS = (  # period, begin, end, density, blades, bent, widening
    Ring(17.0, 0.0, 8.0, 14.0, 9, True, 0.0004),
    Ring(52.0, 6.0, 25.0, 4.5, 8, False, 0.0007),
    Ring(104.0, 19.0, 50.0, 1.3, 7, False, 0.0010),
    Ring(190.0, 40.0, 92.0, 0.5, 7, False, 0.0012),
)
# its density counts stones, of which a quality level draws a share
STONES = Ring(period=10.0, begin=0.0, end=5.0, density=80.0, blades=0, bent=False, widening=0.0)
HEIGHT = (0.07, 0.24)  # m, range of a blade's height, which grass.vert scales by 0.55 to 1.3
HALF_WIDTH = (0.0022, 0.0045)  # m, range of a blade's half width at its root
STRAW = 0.35  # share of dry blades
STONE_SIZE = (0.009, 0.024)  # m, range of a stone's semi-axes, which grass.vert scales by 0.6 to 1.4


def height_texture(heights: np.ndarray) -> Texture:
    """Texture with a 32-bit texel for each sample of the ground, [rows, columns] in m, read without interpolation."""
    texture = Texture("heights")
    texture.setup2dTexture(heights.shape[1], heights.shape[0], Texture.TFloat, Texture.FR32)
    texture.setRamImage(np.ascontiguousarray(heights, np.float32))
    texture.setMinfilter(SamplerState.FTNearest)
    texture.setMagfilter(SamplerState.FTNearest)
    return texture


def tufts(ring: Ring, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """(rows, triangles) of a tile of grass.

    Rows: position relative to the root (3), root in the tile (2, 0..1) and a random number (1), direction of widening
    (2), share of the blade's height, dryness.
    """
    count = int(ring.density * ring.period**2)
    roots = np.repeat(np.column_stack([random.uniform(0, 1, (count, 2)), random.uniform(0, 1, count)]), ring.blades, 0)
    total = len(roots)
    # direction in which a blade leans, rad; horizontal offset of its tip / its height
    angle, lean = random.uniform(0, 2 * np.pi, total), random.uniform(0.1, 0.75, total)
    height = random.uniform(*HEIGHT, total)
    foot = random.normal(size=(total, 2)) * 0.035  # m, spread of a tuft's blades around its root
    outward = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    sideways = np.stack([-outward[:, 1], outward[:, 0]], axis=-1)
    half_width = random.uniform(*HALF_WIDTH, total)
    dry = np.where(random.uniform(0, 1, total) < STRAW, random.uniform(0.35, 1.0, total), random.uniform(0, 0.2, total))
    # (share of the blade's height, half width relative to `half_width`) of each pair of vertices; the tip is a point
    levels = ((0.0, 1.0), (0.55, 0.75)) if ring.bent else ((0.0, 1.6),)
    corners = [(t, w * s) for t, w in levels for s in (-1.0, 1.0)] + [(1.0, 0.0)]
    rows = np.empty((total, len(corners), 10), np.float32)
    for k, (t, across) in enumerate(corners):
        rows[:, k, :2] = foot + outward * (lean * height * t * t)[:, None] + sideways * (half_width * across)[:, None]
        rows[:, k, 2] = height * t * (1.0 - 0.25 * lean * t)
        rows[:, k, 3:6] = roots
        rows[:, k, 6:8], rows[:, k, 8], rows[:, k, 9] = sideways * across, t, dry
    pattern = np.array([[0, 1, 3], [0, 3, 2], [2, 3, 4]] if ring.bent else [[0, 1, 2]])
    indices = np.arange(total)[:, None, None] * len(corners) + pattern[None]
    return rows.reshape(-1, 10), indices.reshape(-1, 3)


def stones(ring: Ring, share: float, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """(rows, triangles) of a tile of stones: low domes, randomly rotated and deformed.

    Rows: position relative to the root (3), root in the tile (2, 0..1) and a random number (1), normal (3), shade.
    """
    count = int(ring.density * ring.period**2 * share)
    angles = np.arange(5) * 2 * np.pi / 5
    lower = np.stack([np.cos(angles), np.sin(angles), -0.2 + 0 * angles], axis=-1)  # a ring of 5 below the ground
    corner = np.concatenate([lower, lower * [0.62, 0.62, 0] + [0, 0, 0.8]])  # and a smaller one on top
    k, after = np.arange(5), (np.arange(5) + 1) % 5
    sides = np.concatenate([np.stack([k, after, after + 5], -1), np.stack([k, after + 5, k + 5], -1)])
    faces = np.concatenate([sides, [[5, 6, 7], [5, 7, 8], [5, 8, 9]]])
    size = random.uniform(*STONE_SIZE, (count, 1, 1)) * random.uniform(0.6, 1.3, (count, 1, 3)) * [1, 1, 0.7]
    points = (corner[None] + random.normal(size=(count, len(corner), 3)) * 0.13) * size
    angle = random.uniform(0, 2 * np.pi, count)
    rotated = points.copy()
    rotated[..., 0] = points[..., 0] * np.cos(angle)[:, None] - points[..., 1] * np.sin(angle)[:, None]
    rotated[..., 1] = points[..., 0] * np.sin(angle)[:, None] + points[..., 1] * np.cos(angle)[:, None]
    corners = rotated[:, faces]  # indices: stone, face, corner
    normals = np.cross(corners[:, :, 1] - corners[:, :, 0], corners[:, :, 2] - corners[:, :, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=-1, keepdims=True), 1e-12)
    rows = np.empty((count, len(faces), 3, 10), np.float32)
    rows[..., :3], rows[..., 6:9] = corners, normals[:, :, None]
    rows[..., 3:5] = random.uniform(0, 1, (count, 1, 1, 2))
    rows[..., 5] = random.uniform(0, 1, (count, 1, 1))
    rows[..., 9] = random.uniform(0, 1, (count, 1, 1))
    return rows.reshape(-1, 10), np.arange(count * len(faces) * 3).reshape(-1, 3)


def grass(
    level: Quality,
    heights: np.ndarray,
    origin: tuple[float, float],
    cell: float,
    switches: tuple[str, ...] = (),
    seed: int = 31,
) -> NodePath:
    """Node with the rings of grass and the stones of a quality level.

    The maps of the ground's looks and the noise texture are shader inputs inherited from the scene.

    Args:
        heights: [rows, columns] samples of the ground, m.
        origin, cell: position of the first sample and spacing, m.
        switches: further switches of the shaders.
    """
    random = np.random.default_rng(seed)
    root = NodePath("grass")
    root.setShaderInput("height_map", height_texture(heights))
    root.setShaderInput("height_rect", LVecBase4f(*origin, 1.0 / cell, cell))
    blades = program("grass", "grass", f"USUAL_LENS {USUAL_LENS:.6f}", level.name.upper(), *switches,
                     vertex_include=("tints",))  # fmt: skip
    for number, ring in enumerate(RINGS[: level.grass]):
        _attach(root, f"tufts {number}", tufts(ring, random), ring).setShader(blades)
    if level.stones:
        stones_path = _attach(root, "stones", stones(STONES, level.stones, random), STONES)
        stones_path.setShader(
            program("grass", "grass", "STONES", level.name.upper(), *switches, vertex_include=("tints",))
        )
    root.setTwoSided(True)
    return root


def _attach(root: NodePath, name: str, tile: Mesh, ring: Ring) -> NodePath:
    """Attach the mesh of a tile (rows, triangles) to `root`."""
    node = GeomNode(name)
    node.addGeom(still_mesh(*tile, "vertex", "normal", "look"))
    node.setBounds(OmniBoundingVolume())  # it is always around the camera
    node.setFinal(True)
    path = root.attachNewNode(node)
    path.setShaderInput("tile", LVecBase4f(ring.period, ring.begin, ring.end, ring.widening))
    return path
