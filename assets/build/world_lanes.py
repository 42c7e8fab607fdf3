"""The rough lanes (suspension obstacles, jumps, kerbs) and the trailer yard, as closed meshes.

Each lane runs along +x on the level asphalt of `world_layout.ROUGH`. The obstacles are meshes, not terrain: washboard,
twist waves, a slab with potholes, blocks for the left and the right wheels in turn, jumps with landings, and kerbs
across the lane.
"""

import manifold3d
import numpy as np
from glb import Node, Primitive
from world_solids import SUNK, box, joined, kerb, outward, prism

LANE = 5.0  # m, width of a lane
START = 480.0  # m, x where the obstacles of each lane begin, after 60 m of asphalt
WASHBOARD_Y, POTHOLES_Y, BLOCKS_Y, JUMPS_Y, TWIST_Y, KERBS_Y = -135.0, -172.0, -202.0, -232.0, -262.0, -300.0
WASHBOARD = (0.6, 0.02, 24.0)  # m: wavelength, amplitude, length of each half (in phase, then in antiphase)
TWIST = (7.0, 0.11, 84.0)  # m: wavelength, amplitude, length; left and right a quarter wave apart
UNDER = 4  # points of an edge per vertex of the underside, see _wavy
RISE = 4.0  # m in which a wavy lane rises from the asphalt
POTHOLE_SLAB = (0.16, 80.0)  # m: height and length
POTHOLE_BEVEL = 0.08  # m, bevel of a hole's edge
POTHOLES = (  # distance along the slab, to the right of its middle, radius, depth; m
    (8.0, -0.8, 0.35, 0.06), (14.0, 0.8, 0.35, 0.06), (20.0, -0.8, 0.45, 0.09), (20.6, 0.85, 0.4, 0.09),
    (29.0, 0.75, 0.55, 0.12), (35.0, -0.85, 0.55, 0.12), (43.0, -0.7, 0.8, 0.10), (44.5, 0.9, 0.5, 0.12),
    (52.0, -0.9, 0.3, 0.10), (52.9, -0.7, 0.35, 0.12), (54.0, 0.8, 0.3, 0.10), (61.0, 0.0, 0.9, 0.08),
    (68.0, 0.9, 0.65, 0.12), (70.5, -0.9, 0.65, 0.12),
)  # fmt: skip
BLOCK = (1.1, 0.9, 1.2)  # m: length of a block's slopes, of its top, and its width
BLOCK_STEP = 3.4  # m, from block to block
BLOCK_COUNT = 16
BLOCK_SIDE = 0.8  # m, from the middle of the lane to the middle of a block
BLOCK_HEIGHTS = (0.12, 0.36)  # m, of the first and the last block
JUMPS = (  # name, x of the foot, angle in degrees, length of the ramp, gap, length of the landing; m
    ("jump_small", START, 8.0, 6.0, 7.0, 9.0),
    ("jump_large", START + 110.0, 12.0, 9.0, 14.0, 16.0),
)
CROSS_KERBS = (0.05, 0.08, 0.12, 0.15)  # m, heights
CORRIDOR = ((-535.0, -180.0), 40.0, 3.6)  # m: where it begins, its length and width


def _wavy(name, y, start, length, step, heights):
    """A lane with wavy edges, whose ends slope to below the asphalt.

    Its underside has vertices below every UNDER-th vertex of the edges only, which saves over a third of the triangles.

    Args:
        name: of the node.
        y: of its middle line, m.
        start: x of its beginning, m.
        length: m.
        step: distance between points of an edge, m.
        heights: function (distance along the lane, m) -> heights of the left and the right edge, m.
    """
    count = int(round(length / step / UNDER)) * UNDER
    along = np.linspace(0.0, length, count + 1)
    rows = []
    for at in along:
        left, right = heights(at)
        blend = min(1.0, min(at, length - at) / RISE)  # from 0 at the ends, 5 cm below the asphalt, to 1
        rows.append([-0.05 * (1.0 - blend) + blend * height for height in (left, right)])
    top = np.array([[(start + at, y + side, up) for at, up in zip(along, column, strict=True)]
                    for side, column in zip((LANE / 2, -LANE / 2), np.array(rows).T, strict=True)])  # fmt: skip
    under = top[:, ::UNDER].copy()
    under[..., 2] = -SUNK
    n, m = count + 1, under.shape[1]
    left, right, low_left, low_right = 0, n, 2 * n, 2 * n + m
    triangles = []
    for k in range(count):
        triangles += [(left + k, right + k, right + k + 1), (left + k, right + k + 1, left + k + 1)]
        below = (k + UNDER // 2) // UNDER  # number of the underside vertex nearest to the edge segment
        triangles += [(left + k, left + k + 1, low_left + below), (right + k + 1, right + k, low_right + below)]
    for q in range(m - 1):
        edge = q * UNDER + (UNDER + 1) // 2  # boundary between two underside vertices
        triangles += [(low_left + q, left + edge, low_left + q + 1), (low_right + q + 1, right + edge, low_right + q)]
        triangles += [(low_left + q, low_left + q + 1, low_right + q + 1)]
        triangles += [(low_left + q, low_right + q + 1, low_right + q)]
    triangles += [(left, low_left, low_right), (left, low_right, right)]
    last = m - 1
    triangles += [(left + count, low_right + last, low_left + last), (left + count, right + count, low_right + last)]
    vertices = np.concatenate([top[0], top[1], under[0], under[1]])
    return Node(name, primitives=[Primitive(vertices, outward(vertices, np.array(triangles)), "concrete")])


def washboard() -> list[Node]:
    """Sine waves across both wheel tracks: in phase, then in antiphase left and right."""
    wave, amplitude, length = WASHBOARD

    def in_phase(along):
        height = 0.005 + amplitude * (1.0 + np.sin(2.0 * np.pi * along / wave))
        return height, height

    def antiphase(along):
        bump = amplitude * np.sin(2.0 * np.pi * along / wave)
        return 0.005 + amplitude + bump, 0.005 + amplitude - bump

    return [
        _wavy("washboard_even", WASHBOARD_Y, START, length, wave / 8.0, in_phase),
        _wavy("washboard_counter", WASHBOARD_Y, START + length + 15.0, length, wave / 8.0, antiphase),
    ]


def twist() -> list[Node]:
    """Long sine waves, a quarter wave apart left and right: pitch and roll in turn."""
    wave, amplitude, length = TWIST

    def heights(along):
        phase = 2.0 * np.pi * along / wave
        return 0.01 + amplitude * (1.0 + np.sin(phase)), 0.01 + amplitude * (1.0 + np.cos(phase))

    return [_wavy("twist", TWIST_Y, START, length, wave / 14.0, heights)]


def potholes() -> list[Node]:
    """A slab with bevelled holes; their floors lie above the asphalt."""
    height, length = POTHOLE_SLAB
    run = 2.5  # m, length of the slopes at the slab's ends
    rise = height / run
    profile = np.array([(-SUNK / rise, -SUNK), (length + SUNK / rise, -SUNK), (length - run, height), (run, height)])
    slab = manifold3d.Manifold.extrude(manifold3d.CrossSection([profile]), LANE)
    slab = slab.rotate((90.0, 0.0, 0.0)).translate((START, POTHOLES_Y + LANE / 2.0, 0.0))
    for along, right, radius, depth in POTHOLES:
        bottom = height - depth
        # The cone extends above the slab, which makes a clean cut at its rim.
        up, slope = depth + 0.1, POTHOLE_BEVEL / depth
        hole = manifold3d.Manifold.cylinder(up, radius - POTHOLE_BEVEL, radius + 0.1 * slope, 16)
        slab -= hole.translate((START + along, POTHOLES_Y - right, bottom))
    mesh = slab.to_mesh()
    vertices = np.round(np.asarray(mesh.vert_properties, dtype=np.float64)[:, :3], 4)
    return [Node("potholes", primitives=[Primitive(vertices, np.asarray(mesh.tri_verts), "concrete")])]


def blocks() -> list[Node]:
    """Trapezoidal blocks of increasing height, alternately under the left and the right wheels: axle articulation."""
    slope, top, width = BLOCK
    meshes = []
    for k in range(BLOCK_COUNT):
        height = BLOCK_HEIGHTS[0] + (BLOCK_HEIGHTS[1] - BLOCK_HEIGHTS[0]) * k / (BLOCK_COUNT - 1)
        sunk = SUNK * slope / height
        profile = [(-sunk, -SUNK), (2 * slope + top + sunk, -SUNK), (slope + top, height), (slope, height)]
        side = BLOCK_SIDE if k % 2 else -BLOCK_SIDE
        x, y = START + k * BLOCK_STEP, BLOCKS_Y + side
        meshes.append(prism("block", "concrete", profile, width, x, y, heading_deg=-90.0))
    return [joined("blocks", meshes)]


def jumps() -> list[Node]:
    """Ramps with landing slopes behind a gap, one behind the other."""
    meshes = []
    for name, x, angle, length, gap, landing in JUMPS:
        rise = np.tan(np.radians(angle))
        up = [(-SUNK / rise, -SUNK), (length, -SUNK), (length, rise * length)]
        high = rise * length * 0.9  # the landing begins a little lower than the ramp ends
        down = [(0.0, -SUNK), (landing * (1.0 + SUNK / high), -SUNK), (0.0, high)]
        meshes.append(prism(f"{name}_ramp", "wood", up, LANE, x, JUMPS_Y, heading_deg=-90.0))
        far = x + length + gap
        meshes.append(prism(f"{name}_landing", "wood", down, LANE + 1.5, far, JUMPS_Y, heading_deg=-90.0))
    return meshes


def cross_kerbs() -> list[Node]:
    """Kerbs across their lane, each higher than the one before."""
    return [
        kerb(f"cross_kerb_{round(height * 100)}", START + 20.0 * k, KERBS_Y - LANE / 2.0, 0.0, LANE, 1.2, height)
        for k, height in enumerate(CROSS_KERBS)
    ]


def yard() -> list[Node]:
    """A loading dock to reverse to, and a corridor 3.6 m wide."""
    meshes = [
        box("dock", "concrete", -427.0, -120.0, 0.0, length=44.0, thickness=8.0, low=-SUNK, high=1.2),
        box("dock_wall", "metal", -422.6, -120.0, 0.0, length=44.0, thickness=0.8, low=-SUNK, high=4.2),
    ]
    (x, y), length, width = CORRIDOR
    for tag, side in (("north", 1.0), ("south", -1.0)):
        middle = y + side * (width / 2.0 + 0.2)
        meshes.append(
            box(
                f"corridor_{tag}",
                "concrete",
                x + length / 2.0,
                middle,
                90.0,
                length,
                thickness=0.4,
                low=-SUNK,
                high=0.9,
            )
        )
    return meshes


def nodes() -> list[Node]:
    """All solids of the rough lanes."""
    return washboard() + twist() + potholes() + blocks() + jumps() + cross_kerbs() + yard()
