"""Heights, surfaces and roads of the proving ground: 1025 x 1025 vertices of 1 m, x and y from -512 to 512 m.

    pad        level asphalt, 310 x 190 m around the origin, with strips of concrete, wet asphalt, snow and ice
    straight   level, 740 m along y = -135
    slopes     two even planes rising to the south of the straight: 10 degrees, 90 m long, and 20 degrees, 60 m long
    loop       the handling road: across the pad, then through the hills and back
    rim        a ring of hills, 60 to 110 m high at the border

Each is laid over the hills with a margin in which it fades smoothly into them. Heights are multiples of 2^-13 m
(0.12 mm), exact as float32: differences in the last bits of a maths library vanish.
"""

import numpy as np
from world_roads import Road, curve_radius, loop_line, near, smooth_closed

SIZE = 1024  # cells
HALF = 512.0  # m
HEIGHT_STEP = 2.0**-13  # m
PAD = (-155.0, 155.0, -95.0, 95.0)  # m; x low, high, y low, high
STRAIGHT_Y, STRAIGHT_END = -135.0, 370.0  # m
LOOP_HALF_WIDTH, STRAIGHT_HALF_WIDTH = 4.5, 6.0  # m
SHOULDER = 2.5  # m of gravel beside a road
FADE = 28.0  # m in which a road's level fades into the hills
CONNECTORS = ((-106.0, -94.0, -135.0, -95.0), (94.0, 106.0, -135.0, -95.0))  # from the pad to the straight
SMALLEST_CURVE = 15.0  # m
SLOPES = (  # name, angle in degrees, middle x, half width, foot y, length; both rise towards -y
    ("slope_10", 10.0, -90.0, 14.0, -165.0, 90.0),
    ("slope_20", 20.0, 90.0, 12.0, -165.0, 60.0),
)
SLOPE_SHELF = 18.0  # m of level ground above a slope
SLOPE_APRON = 24.0  # m of level ground below it, joining it to the straight
SURFACES = ("grass", "asphalt", "asphalt_wet", "concrete", "gravel", "mud", "sand", "snow", "ice")
# Corners of the loop; the first leg crosses the pad from west to east.
LOOP_CORNERS = (
    (-150.0, -25.0), (0.0, 0.0), (150.0, 25.0), (235.0, 38.0), (300.0, 0.0), (355.0, 60.0), (330.0, 190.0),
    (245.0, 215.0), (250.0, 320.0), (150.0, 345.0), (95.0, 225.0), (5.0, 195.0), (-30.0, 300.0), (-120.0, 345.0),
    (-215.0, 300.0), (-205.0, 190.0), (-320.0, 165.0), (-350.0, 40.0), (-270.0, -45.0),
)
LOOP_ROUNDING = 18.0  # m, see loop_line
PATCHES = (  # surface, x low, high, y low, high; on and beside the pad
    ("concrete", -40.0, 40.0, -90.0, -55.0),
    ("asphalt_wet", 60.0, 150.0, -88.0, -74.0),
    ("snow", 60.0, 150.0, -72.0, -60.0),
    ("ice", 60.0, 150.0, -58.0, -48.0),
    ("mud", 175.0, 215.0, -60.0, -25.0),
    ("sand", -225.0, -175.0, -90.0, -60.0),
)
SNOW_LINE = 62.0  # m
SCREE = 0.62  # rise per metre above which grass gives way to gravel


def smoothstep(x, low, high):
    """0 below low, 1 above high, with level ends in slope and curvature."""
    t = np.clip((x - low) / (high - low), 0.0, 1.0)
    return t * t * t * (t * (6.0 * t - 15.0) + 10.0)


def outside(x, y, box):
    """Distance of points to a box (x low, high, y low, high), 0 inside."""
    dx = np.maximum(np.maximum(box[0] - x, x - box[1]), 0.0)
    dy = np.maximum(np.maximum(box[2] - y, y - box[3]), 0.0)
    return np.hypot(dx, dy)


def hills(x, y):
    """The land before anything was built: rolling near the middle, steeper outwards, a high ring at the rim."""
    land = np.zeros(np.broadcast(x, y).shape)
    waves = (  # amplitude m, length m, direction rad, phase rad
        (6.0, 340.0, 0.4, 0.3), (5.0, 270.0, 1.9, 2.1), (3.6, 170.0, 2.7, 4.0), (2.8, 130.0, 1.1, 0.9),
        (1.7, 83.0, 0.1, 5.2), (1.3, 61.0, 2.2, 1.4), (0.6, 37.0, 1.5, 3.3), (0.45, 29.0, 2.9, 0.2),
        (0.16, 13.0, 0.8, 1.9), (0.12, 11.0, 2.4, 4.4),
    )
    for amplitude, length, direction, phase in waves:
        k = 2.0 * np.pi / length
        land = land + amplitude * np.sin(k * (x * np.cos(direction) + y * np.sin(direction)) + phase)
    radius = (x**4 + y**4) ** 0.25
    land = land * (0.55 + 0.75 * smoothstep(radius, 120.0, 420.0)) + 4.0
    ridge = 78.0 + 14.0 * np.sin(x / 47.0 + 1.0) * np.sin(y / 53.0) + 6.0 * np.sin((x + y) / 19.0)
    return land + ridge * smoothstep(radius, 385.0, 508.0)


def loop_road():
    """The handling loop: its line, and heights that follow the hills, smoothed, and level on and near the pad."""
    line = loop_line(LOOP_CORNERS, LOOP_ROUNDING)
    start = int(np.argmin(np.hypot(line[:, 0], line[:, 1])))
    line = np.roll(line, -start, axis=0)
    height = smooth_closed(hills(line[:, 0], line[:, 1]), 36.0)
    height = height * smoothstep(outside(line[:, 0], line[:, 1], PAD), 15.0, 110.0)
    height = smooth_closed(height, 5.0)
    height[outside(line[:, 0], line[:, 1], PAD) == 0.0] = 0.0
    return Road("loop", np.column_stack([line, height]), LOOP_HALF_WIDTH, True)


def straight_road():
    count = int(2 * STRAIGHT_END) + 1
    x = np.linspace(-STRAIGHT_END, STRAIGHT_END, count)
    points = np.column_stack([x, np.full(count, STRAIGHT_Y), np.zeros(count)])
    return Road("straight", points, STRAIGHT_HALF_WIDTH, False)


def slope_road(name, angle_deg, x, half_width, foot, length):
    """The middle line of a slope with its apron and shelf."""
    y = np.arange(foot + SLOPE_APRON, foot - length - SLOPE_SHELF - 0.5, -1.0)
    z = np.tan(np.radians(angle_deg)) * np.clip(foot - y, 0.0, length)
    return Road(name, np.column_stack([np.full(len(y), x), y, z]), half_width, False)


def roads():
    """All roads, the loop first."""
    return [loop_road(), straight_road()] + [slope_road(*slope) for slope in SLOPES]


def level(land, x, y, box):
    """Make a box level at height 0, with a margin."""
    land *= smoothstep(outside(x, y, box), SHOULDER, SHOULDER + FADE)


def heights(network):
    """float64[SIZE + 1, SIZE + 1] heights with all roads laid in, multiples of HEIGHT_STEP.

    Later ones win where margins overlap: the slopes over the straight's margin, the loop over all.
    """
    axis = np.arange(SIZE + 1) - HALF
    x, y = axis[None, :], axis[:, None]
    land = hills(x, y)
    loop, straight, *slopes = network
    for road in (straight, *slopes, loop):
        if road is loop:
            for box in (PAD, *CONNECTORS):
                level(land, x, y, box)
        wide = road.half_width + SHOULDER
        distance, height, _ = near(road, axis, axis, wide + FADE)
        land += (height - land) * (1.0 - smoothstep(distance, wide, wide + FADE))
    land *= smoothstep(outside(x, y, PAD), 0.0, 10.0)  # the loop's margin must not lift the pad; the loop is level here
    return np.round(land / HEIGHT_STEP) * HEIGHT_STEP


def surfaces(network, land):
    """uint8[SIZE, SIZE]: for each cell the place of its surface in SURFACES."""
    middle = np.arange(SIZE) - HALF + 0.5
    x, y = np.broadcast_to(middle[None, :], (SIZE, SIZE)), np.broadcast_to(middle[:, None], (SIZE, SIZE))
    rise = np.hypot(land[:-1, 1:] - land[:-1, :-1], land[1:, :-1] - land[:-1, :-1])
    cells = np.zeros((SIZE, SIZE), dtype=np.uint8)
    cells[land[:-1, :-1] > SNOW_LINE] = SURFACES.index("snow")
    cells[(rise > SCREE) & (land[:-1, :-1] <= SNOW_LINE)] = SURFACES.index("gravel")
    distances = [near(road, middle, middle, road.half_width + SHOULDER + 1.0)[0] for road in network]
    for road, distance in zip(network, distances, strict=True):
        cells[distance <= road.half_width + SHOULDER] = SURFACES.index("gravel")
    for road, distance in reversed(list(zip(network, distances, strict=True))):  # the loop and the straight on top
        # half a cell more than the road is wide: its painted edges then lie on asphalt
        kind = "concrete" if road.name == "slope_20" else "asphalt"
        cells[distance <= road.half_width + 0.5] = SURFACES.index(kind)
    for box in (PAD, *CONNECTORS):
        cells[outside(x, y, box) == 0.0] = SURFACES.index("asphalt")
    for kind, *box in PATCHES:
        cells[outside(x, y, box) == 0.0] = SURFACES.index(kind)
    return cells


def build():
    """(heights float32[1025, 1025], cell surfaces uint8[1024, 1024], roads)."""
    network = roads()
    tightest = curve_radius(network[0].points)
    if tightest < SMALLEST_CURVE:
        raise ValueError(f"the loop has a curve of {tightest:.1f} m radius, below {SMALLEST_CURVE}")
    land = heights(network)
    return land.astype(np.float32), surfaces(network, land), network
