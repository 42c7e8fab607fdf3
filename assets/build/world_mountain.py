"""The mountain road: 1025 x 1025 vertices 1 m apart. A serpentine up the south flank, over the top, and a fast descent.

The road is a loop, driven up the serpentine. It climbs and descends at constant gradients. The mountain is shaped to
it: beyond its shoulders the road's level fades into the rough land. Hairpins are banked, walls stand outside tight
curves, and on the descent there is a tunnel.
"""

from collections.abc import Sequence

import numpy as np
import world_tunnel
from glb import Node
from world_land import lay_road, natural_cells, pave, rounded_heights, smoothstep, waves
from world_meshes import timing_gate_on
from world_roads import Road, banking, curve_radius, loop_line, rights, signed_curvature, smooth_closed
from world_solids import SUNK, solid

SIZE = 1024  # cells
HALF = 512.0  # m
SMALLEST_CURVE = 11.0  # m, minimum radius of a curve
HALF_WIDTH = 4.0  # m
ROUNDING = 12.0  # m, see loop_line
FADE = 20.0  # m beyond the shoulder within which the road's level fades into the land
HAIRPIN = 24.0  # m, radius
HAIRPINS = (  # x, y of the half circle's centre, m; 1 if it bulges to +x, -1 to -x
    (150.0, -342.0, 1.0), (-120.0, -265.0, -1.0), (140.0, -188.0, 1.0), (-110.0, -111.0, -1.0), (90.0, -34.0, 1.0),
)  # fmt: skip


def corners() -> list[tuple[float, float]]:
    """Corner points of the road from the foot of the serpentine, m; each hairpin is five points on a half circle."""
    points = [(-300.0, -395.0), (-60.0, -400.0)]
    for x, y, side in HAIRPINS:
        for turn in np.radians((-90.0, -45.0, 0.0, 45.0, 90.0)):
            points.append((x + side * HAIRPIN * np.cos(turn), y + HAIRPIN * np.sin(turn)))
    return [*points, (20.0, 40.0), (-50.0, 150.0), (30.0, 260.0), (-60.0, 350.0), (-210.0, 360.0), (-330.0, 280.0),
            (-330.0, 120.0), (-400.0, 0.0), (-390.0, -160.0), (-420.0, -300.0), (-390.0, -390.0)]  # fmt: skip


FOOT, TOP = 4.0, 104.0  # m, heights of the road
TOP_AT = 0.56  # share of the road's length where the climb ends
DOWN_AT = 0.62  # share of the road's length where the descent begins
FOOT_AT = 0.97  # share of the road's length where the descent ends
BANK = 0.07  # rise per metre across the road in curves of BANK_RADIUS and tighter
BANK_RADIUS = 25.0  # m
WALL_CURVE = 60.0  # m, curves tighter than this get a wall at the outside
WALL_OUT, WALL_THICK, WALL_HEIGHT = 1.1, 0.35, 0.8  # m: distance from the road's edge, thickness, height
TUNNEL_AT = 0.80  # share of the road's length where the tunnel begins
TUNNEL_LENGTH = 70  # points of the road, about a metre each
# amplitude in m, wavelength in m, direction and phase in rad of each of `waves`
ROUGH = ((4.0, 173.0, 0.5, 0.4), (3.0, 107.0, 2.0, 1.0), (2.2, 61.0, 1.2, 3.0), (1.5, 37.0, 2.7, 0.7),
         (0.9, 23.0, 0.2, 2.2), (0.5, 13.0, 1.6, 5.0), (1.2, 41.0, 2.2, 1.9), (0.8, 19.0, 0.9, 3.7))  # fmt: skip
COARSE = 8  # m, grid on which the land between road segments is computed
NEAR_ROAD = 20.0  # m; a point of the road nearer than this hardly gains further weight, see mountain
SNOW_LINE = 150.0  # m
SCREE = 0.8  # rise per metre above which grass changes to gravel


def mountain(axis: np.ndarray, road: Road) -> np.ndarray:
    """The land: a mean of the road's heights, plus waves, and a ring of hills around it.

    The mean is weighted by (d^2 + NEAR_ROAD^2)^-2 of the distance d, which leaves no seam between segments.
    """
    coarse = np.arange(-HALF, HALF + COARSE, COARSE)
    x, y = coarse[None, :], coarse[:, None]
    weight, land = np.zeros((len(coarse), len(coarse))), 0.0
    for px, py, pz in road.points[::6]:
        closeness = ((x - px) ** 2 + (y - py) ** 2 + NEAR_ROAD**2) ** -2.0
        weight, land = weight + closeness, land + closeness * pz
    land = np.stack([np.interp(axis, coarse, row) for row in land / weight])
    land = np.stack([np.interp(axis, coarse, column) for column in land.T], axis=1)
    x, y = axis[None, :], axis[:, None]
    edge = (x**8 + y**8) ** 0.125
    return land + waves(x, y, ROUGH) + 70.0 * smoothstep(edge, 430.0, 511.0)


def road() -> Road:
    """The closed road, its first point at the foot of the serpentine."""
    line = loop_line(corners(), ROUNDING)
    start = int(np.argmin(np.hypot(line[:, 0] + 300.0, line[:, 1] + 395.0)))
    line = np.roll(line, -start, axis=0)
    fraction = np.arange(len(line)) / len(line)
    climb = np.clip(fraction / TOP_AT, 0.0, 1.0) - np.clip((fraction - DOWN_AT) / (FOOT_AT - DOWN_AT), 0.0, 1.0)
    height = smooth_closed(FOOT + (TOP - FOOT) * climb, 25.0)
    bank = banking(line, BANK, BANK_RADIUS, sigma=9.0)
    return Road("mountain", np.column_stack([line, height]), HALF_WIDTH, closed=True, bank=bank)


def tunnel_span(road: Road) -> tuple[int, int]:
    """Indices (first, stop) of the road's points in the tunnel; `stop` is the first one after it."""
    first = int(TUNNEL_AT * len(road.points))
    return first, first + TUNNEL_LENGTH


def build() -> tuple[np.ndarray, np.ndarray, list[Road]]:
    """(heights float32[1025, 1025], cell surfaces uint8[1024, 1024], roads)."""
    loop = road()
    tightest = curve_radius(loop.points)
    if tightest < SMALLEST_CURVE:
        raise ValueError(f"the mountain road has a curve of {tightest:.1f} m radius, below {SMALLEST_CURVE}")
    axis = np.arange(SIZE + 1) - HALF
    land = mountain(axis, loop)
    lay_road(land, axis, loop, FADE)
    world_tunnel.bury(land, axis, loop, tunnel_span(loop))
    land = rounded_heights(land)
    cells = natural_cells(land, SNOW_LINE, SCREE)
    pave(cells, np.arange(SIZE) - HALF + 0.5, [loop])
    return land.astype(np.float32), cells, [loop]


def wall_section(road: Road, k: int, side: float, right: np.ndarray, sink: float) -> np.ndarray:
    """Outline of a wall beside a road's point `k`, on its right (side 1) or left (-1); its top is lowered by `sink`, m.

    `right`: unit vectors to the right at the road's points.
    """
    inner = road.half_width + WALL_OUT
    outline = ((inner, -2.0 * SUNK), (inner + WALL_THICK, -2.0 * SUNK), (inner + 0.8 * WALL_THICK, WALL_HEIGHT - sink),
               (inner + 0.2 * WALL_THICK, WALL_HEIGHT - sink))  # fmt: skip
    z, bank = road.points[k, 2], road.bank[k]
    return np.array([[*(road.points[k, :2] + side * u * right[k]), z + bank * side * u + up] for u, up in outline])


def walls(road: Road) -> list[Node]:
    """Walls along the outsides of tight curves; they rise from the ground at their ends."""
    curvature = signed_curvature(road.points[:, :2])
    bent = np.abs(curvature) > 1.0 / WALL_CURVE
    # walls begin 20 m before a tight curve and end 20 m after it; there are none at the tunnel
    bent = np.convolve(np.concatenate([bent[-20:], bent, bent[:20]]), np.ones(41), "valid") > 0.0
    first, stop = tunnel_span(road)
    bent[first - 25 : stop + 25] = False
    turn = smooth_closed(curvature, 8.0)
    right, solids, start = rights(road.points, True), [], None
    for k in range(len(bent) + 1):
        inside = k < len(bent) and bent[k] and (start is None or np.sign(turn[k]) == np.sign(turn[start]))
        if inside and start is None:
            start = k
        elif not inside and start is not None:
            indices = range(start, k, 3)
            side = np.sign(turn[(start + k) // 2])
            if len(indices) >= 5:  # shorter walls are left out
                stations = [  # the ends rise over 6 points of the road
                    wall_section(road, m, side, right, 0.7 * max(0.0, 1.0 - min(m - start, k - 1 - m) / 6.0))
                    for m in indices
                ]
                solids.append(solid(f"wall_{len(solids) + 1}", "concrete", stations[0], stations))
            start = None
    return solids


def nodes(network: Sequence[Road]) -> list[Node]:
    """All solids of the mountain: walls, tunnel and timing gates."""
    road = network[0]
    top = int(0.59 * len(road.points))  # between TOP_AT and DOWN_AT
    return [*walls(road), *world_tunnel.nodes("tunnel", road, tunnel_span(road)),
            *timing_gate_on("portal_start", road, k=40, half=7.0),
            *timing_gate_on("portal_top", road, k=top, half=7.0)]  # fmt: skip
