"""Heights and surfaces of the proving ground: 2049 x 2049 vertices, 1 m apart, x and y from -1024 to 1024 m.

The natural terrain is rolling land, gentler around the areas of `world_layout.py`, plus a ridge of 41 to 71 m at the
border. Level areas and roads are laid into it one after the other; the tank ground has separate earthworks.
"""

from collections.abc import Sequence

import numpy as np
import world_tunnel
from world_land import (
    SURFACES,
    distance_to_box,
    fill,
    lay_road,
    level,
    natural_cells,
    pave,
    rounded_heights,
    smoothstep,
    waves,
)
from world_layout import (
    BRAKE,
    CONNECTORS,
    DRAG,
    GRADES,
    GRADES_FOOT,
    PAD,
    PATCHES,
    PAVED,
    PLATEAU,
    PLATEAU_HEIGHT,
    ROUGH,
    SKID,
    SKID_RADIUS,
    SLOPES,
    TANK,
    TUNNEL,
    YARD,
    ZONES,
    roads,
)
from world_roads import MARK, Road, curve_radius

SIZE = 2048  # cells
HALF = 1024.0  # m
SMALLEST_CURVE = 15.0  # m, minimum radius of the handling course
SNOW_LINE = 104.0  # m; natural ground is at most 103.2 m high, so no natural cell is snow at present
SCREE = 0.62  # rise per metre above which grass changes to gravel
WAVES = (  # amplitude m, wavelength m, direction rad, phase rad
    (6.0, 340.0, 0.4, 0.3),
    (5.0, 270.0, 1.9, 2.1),
    (3.6, 170.0, 2.7, 4.0),
    (2.8, 130.0, 1.1, 0.9),
    (1.7, 83.0, 0.1, 5.2),
    (1.3, 61.0, 2.2, 1.4),
    (0.6, 37.0, 1.5, 3.3),
    (0.45, 29.0, 2.9, 0.2),
    (0.16, 13.0, 0.8, 1.9),
    (0.12, 11.0, 2.4, 4.4),
)
CALM = 0.12  # share of the hills' height that is left in level areas
CALM_FADE = 160.0  # m, distance from level areas at which the hills have their full height again
MUD_POOLS = ((-760.0, -640.0, 34.0), (-640.0, -790.0, 42.0), (-830.0, -800.0, 26.0))  # x, y, radius m; see `earthworks`
POOL_DEPTH = 0.9  # m, within 0.55 radii of a pool's centre; natural ground begins at the radius
# `height` is added at the centre, and nothing beyond 1.8 radii
MOUNDS = (  # x, y, radius m, height m
    (-600.0, -640.0, 9.0, 3.0), (-575.0, -665.0, 11.0, 4.2), (-700.0, -700.0, 8.0, 2.4), (-790.0, -720.0, 14.0, 6.0),
    (-560.0, -730.0, 7.0, 2.0), (-850.0, -600.0, 12.0, 4.5),
)  # fmt: skip
# The full depth is within 0.35 half widths of the centre line. Natural ground begins at 1.6 half widths from it and 6 m
# beyond the ends. Mud covers one half width to either side
DITCHES = (  # x low, high, y, depth m, half width m
    (-660.0, -610.0, -560.0, 1.4, 2.2), (-720.0, -560.0, -840.0, 1.8, 3.0),
)  # fmt: skip


def hills(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Heights of the natural terrain, m: rolling near the centre, steeper outwards, a high ring at the border."""
    land = waves(x, y, WAVES)
    # superelliptic distance from the centre: lines of equal distance are squares with round corners
    inner_distance = (x**4 + y**4) ** 0.25
    land = land * (0.55 + 0.75 * smoothstep(inner_distance, 120.0, 420.0)) + 4.0
    calm = np.ones(land.shape)
    for box in ZONES:
        calm = np.minimum(calm, CALM + (1.0 - CALM) * smoothstep(distance_to_box(x, y, box), 0.0, CALM_FADE))
    outer_distance = (x**8 + y**8) ** 0.125  # with sharper corners than the inner one
    ridge = 56.0 + 11.0 * np.sin(x / 97.0 + 1.0) * np.sin(y / 113.0) + 4.0 * np.sin((x + y) / 41.0)
    return land * calm + ridge * smoothstep(outer_distance, 845.0, 1022.0)


def disc(
    land: np.ndarray, x: np.ndarray, y: np.ndarray, centre: tuple[float, float], radius: float, fade: float
) -> None:
    """Make a disc of `land` level at height 0, with a margin `fade`, m; x, y: positions of the vertices."""
    land *= smoothstep(np.hypot(x - centre[0], y - centre[1]), radius, radius + fade)


def earthworks(land: np.ndarray, x: np.ndarray, y: np.ndarray) -> None:
    """Shape the tank ground: wide shallow pools of mud, mounds, ditches, and waves 6.5 to 12 m long all over it."""
    for px, py, radius in MUD_POOLS:
        distance = np.hypot(x - px, y - py)
        land -= POOL_DEPTH * (1.0 - smoothstep(distance, 0.55 * radius, radius))
    for mx, my, radius, height in MOUNDS:
        land += height * (1.0 - smoothstep(np.hypot(x - mx, y - my), 0.0, 1.8 * radius))
    for low, high, ditch_y, depth, half in DITCHES:
        across = 1.0 - smoothstep(np.abs(y - ditch_y), 0.35 * half, 1.6 * half)
        strip = (low, high, ditch_y - 99.0, ditch_y + 99.0)  # box far wider than the ditch: only x counts
        land -= depth * across * (1.0 - smoothstep(distance_to_box(x, y, strip), 0.0, 6.0))
    inside = 1.0 - smoothstep(distance_to_box(x, y, TANK), 0.0, 40.0)
    land += 0.35 * inside * waves(x, y, ((1.0, 9.0, 0.3, 0.1), (0.8, 12.0, 1.7, 2.0), (0.5, 6.5, 2.6, 4.0)))


def heights(network: Sequence[Road]) -> np.ndarray:
    """float64[SIZE + 1, SIZE + 1] heights with all areas and roads laid in.

    What is laid later takes precedence where margins overlap: the slopes over the straight's margin, the handling
    course over all before it, then the embankment of the tunnel and the pad.
    """
    axis = np.arange(SIZE + 1) - HALF
    x, y = axis[None, :], axis[:, None]
    land = hills(x, y)
    earthworks(land, x, y)
    laid = [road for road in network if road.kind != MARK]
    handling_course, straight, *others = laid
    first = len(SLOPES) + len(GRADES)  # slopes and grades come first in `others`
    for road in reversed(others[first:]):  # earlier roads of the list take precedence
        lay_road(land, axis, road)
    for box in (DRAG, BRAKE, ROUGH, YARD, GRADES_FOOT):
        level(land, x, y, box)
    level(land, x, y, PLATEAU, PLATEAU_HEIGHT)
    disc(land, x, y, SKID, SKID_RADIUS + 3.0, 28.0)
    for road in (straight, *others[:first]):
        lay_road(land, axis, road)
    for box in PAVED:
        level(land, x, y, box, fade=14.0)
    for box in (PAD, *CONNECTORS):
        level(land, x, y, box)
    lay_road(land, axis, handling_course)
    world_tunnel.bury(land, axis, next(road for road in network if road.name == "country"), TUNNEL)
    # the handling course, level beside the pad, must not lift the pad with its margin
    land *= smoothstep(distance_to_box(x, y, PAD), 0.0, 10.0)
    return rounded_heights(land)


def surfaces(network: Sequence[Road], land: np.ndarray) -> np.ndarray:
    """uint8[SIZE, SIZE]: for each cell the index of its surface in SURFACES."""
    middle = np.arange(SIZE) - HALF + 0.5
    x, y = np.broadcast_to(middle[None, :], (SIZE, SIZE)), np.broadcast_to(middle[:, None], (SIZE, SIZE))
    cells = natural_cells(land, SNOW_LINE, SCREE)
    for px, py, radius in MUD_POOLS:
        cells[np.hypot(x - px, y - py) < 0.95 * radius] = SURFACES.index("mud")
    for low, high, ditch_y, _, half in DITCHES:
        fill(cells, middle, "mud", (low, high, ditch_y - half, ditch_y + half))
    pave(cells, middle, network)
    for box in (PAD, *CONNECTORS, DRAG, BRAKE, GRADES_FOOT, ROUGH, *PAVED):
        fill(cells, middle, "asphalt", box)
    fill(cells, middle, "concrete", PLATEAU)
    cells[np.hypot(x - SKID[0], y - SKID[1]) < SKID_RADIUS] = SURFACES.index("asphalt")
    for kind, box in PATCHES:
        fill(cells, middle, kind, box)
    return cells


def build() -> tuple[np.ndarray, np.ndarray, list[Road]]:
    """(heights float32[2049, 2049], cell surfaces uint8[2048, 2048], roads)."""
    network = roads(hills)
    tightest = curve_radius(network[0].points)
    if tightest < SMALLEST_CURVE:
        raise ValueError(f"the handling course has a curve of {tightest:.1f} m radius, below {SMALLEST_CURVE}")
    land = heights(network)
    return land.astype(np.float32), surfaces(network, land), network
