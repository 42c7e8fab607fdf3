"""Layout of the proving ground: level areas, roads and painted lines. x east, y north, in m.

pad (0, 0)              handling course (around it and through the hills, banked)       straight y = -135
slopes (+-90, -165)     even planes of 10 and 20 degrees            dragstrip y = -420, 1000 m timed
brake lanes y = -485    ice or wet asphalt under the left wheels, dry asphalt under the right
grades (-220, -700)     10, 20, 30 and 40 % up to one plateau        rough lanes (590, -220)
oval (640, 420)         turns banked by up to 26 degrees             skid pad (-650, 80): R 30 m and R 100 m
trailer yard (-490, -140)    tank ground (-690, -710)    gravel loop (500, -720)    country road in the north
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from world_land import distance_to_box, smoothstep
from world_roads import LOOSE, MARK, PAINTED, PLAIN, Road, banking, loop_line, open_line, smooth_closed, smooth_open

PAD = (-155.0, 155.0, -95.0, 95.0)  # m; x low, high, y low, high
STRAIGHT_Y, STRAIGHT_END = -135.0, 370.0  # m
LOOP_HALF_WIDTH, STRAIGHT_HALF_WIDTH = 4.5, 6.0  # m
CONNECTORS = ((-106.0, -94.0, -135.0, -95.0), (94.0, 106.0, -135.0, -95.0))  # from the pad to the straight
SLOPES = (  # name, angle in degrees, middle x, half width, foot y, length; both rise towards -y
    ("slope_10", 10.0, -90.0, 14.0, -165.0, 90.0),
    ("slope_20", 20.0, 90.0, 12.0, -165.0, 60.0),
)
SLOPE_SHELF = 18.0  # m, length of the level ground above a slope
SLOPE_APRON = 24.0  # m, length of the level ground that joins a slope's foot to the straight
# Corners of the handling course; the first leg crosses the pad from west to east.
LOOP_CORNERS = (
    (-150.0, -25.0),
    (0.0, 0.0),
    (150.0, 25.0),
    (235.0, 38.0),
    (300.0, 0.0),
    (355.0, 60.0),
    (330.0, 190.0),
    (245.0, 215.0),
    (250.0, 320.0),
    (150.0, 345.0),
    (95.0, 225.0),
    (5.0, 195.0),
    (-30.0, 300.0),
    (-120.0, 345.0),
    (-215.0, 300.0),
    (-205.0, 190.0),
    (-320.0, 165.0),
    (-350.0, 40.0),
    (-270.0, -45.0),
)
LOOP_ROUNDING = 18.0  # m, see loop_line
LOOP_BANK = 0.06  # rise per metre across the road in curves of LOOP_BANK_RADIUS and tighter
LOOP_BANK_RADIUS = 40.0  # m

# Level areas as PAD: x low, high, y low, high, m.
DRAG = (-820.0, 820.0, -432.0, -408.0)
BRAKE = (-450.0, 120.0, -502.0, -468.0)
GRADES_FOOT, PLATEAU = (-330.0, -110.0, -625.0, -580.0), (-330.0, -110.0, -800.0, -745.0)
PLATEAU_HEIGHT = 12.0  # m
GRADES = ((0.1, -310.0), (0.2, -250.0), (0.3, -190.0), (0.4, -130.0))  # rise per metre, x of the middle
GRADE_HALF_WIDTH = 6.0  # m
ROUGH = (420.0, 770.0, -335.0, -110.0)
SKID = (-650.0, 80.0)  # middle of the skid pad
SKID_RADIUS = 118.0  # m
YARD = (-560.0, -420.0, -205.0, -80.0)
PAVED = (  # level asphalt that joins these areas
    (-425.0, -365.0, -141.0, -129.0),
    (365.0, 425.0, -141.0, -129.0),  # straight to yard and to the rough lanes
    (-440.0, -428.0, -470.0, -430.0),
    (60.0, 72.0, -470.0, -430.0),  # dragstrip to brake lanes
    (-226.0, -214.0, -585.0, -500.0),  # brake lanes to grades
    (-660.0, -555.0, -146.0, -134.0),
    (-656.0, -644.0, -146.0, -30.0),  # yard to skid pad
)
OVAL_CENTRE = (640.0, 420.0)  # m
OVAL_HALF = 130.0  # m, half the length of its straights
OVAL_RADIUS = 110.0  # m, of its turns
OVAL_BANK = 0.5  # rise per metre across the road
OVAL_HALF_WIDTH = 7.0  # m
GRAVEL_CORNERS = (
    (260.0, -600.0),
    (380.0, -570.0),
    (520.0, -640.0),
    (640.0, -560.0),
    (790.0, -580.0),
    (830.0, -700.0),
    (740.0, -760.0),
    (770.0, -840.0),
    (620.0, -850.0),
    (540.0, -750.0),
    (440.0, -840.0),
    (280.0, -850.0),
    (200.0, -740.0),
)
COUNTRY_CORNERS = (
    (-650.0, 210.0),
    (-690.0, 330.0),
    (-560.0, 470.0),
    (-600.0, 640.0),
    (-430.0, 760.0),
    (-170.0, 640.0),
    (0.0, 770.0),
    (220.0, 690.0),
    (370.0, 560.0),
    (440.0, 440.0),
    (515.0, 420.0),
)
TUNNEL = (900, 960)  # first and last point of the country road (one per metre)
TANK = (-900.0, -480.0, -900.0, -530.0)  # tank ground: x low, high, y low, high, m
PATCHES = (  # surface, box
    ("concrete", (-40.0, 40.0, -90.0, -55.0)),
    ("asphalt_wet", (60.0, 150.0, -88.0, -74.0)),
    ("snow", (60.0, 150.0, -72.0, -60.0)),
    ("ice", (60.0, 150.0, -58.0, -48.0)),
    ("mud", (175.0, 215.0, -60.0, -25.0)),
    ("sand", (-225.0, -175.0, -90.0, -60.0)),
    ("concrete", YARD),
    ("ice", (-150.0, 60.0, -478.0, -474.0)),
    ("asphalt_wet", (-150.0, 60.0, -490.0, -486.0)),
)
# Areas where hills are flattened to CALM of their height (world_terrain.py); the last two hold skid pad and oval.
ZONES = (DRAG, BRAKE, GRADES_FOOT, ROUGH, YARD, (-768.0, -532.0, -38.0, 198.0), (510.0, 770.0, 160.0, 680.0))


def handling_course(hills: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Road:
    """The loop: its heights follow the hills, smoothed, and are level on and near the pad."""
    line = loop_line(LOOP_CORNERS, LOOP_ROUNDING)
    start = int(np.argmin(np.hypot(line[:, 0], line[:, 1])))
    line = np.roll(line, -start, axis=0)
    off_pad = distance_to_box(line[:, 0], line[:, 1], PAD)
    height = smooth_closed(hills(line[:, 0], line[:, 1]), 36.0) * smoothstep(off_pad, 15.0, 110.0)
    height = smooth_closed(height, 5.0)
    height[off_pad == 0.0] = 0.0
    bank = banking(line, LOOP_BANK, LOOP_BANK_RADIUS) * smoothstep(off_pad, 25.0, 60.0)
    return Road("loop", np.column_stack([line, height]), LOOP_HALF_WIDTH, closed=True, bank=bank)


def straight_road() -> Road:
    """The straight south of the pad, level, driven towards +x."""
    x = np.linspace(-STRAIGHT_END, STRAIGHT_END, int(2 * STRAIGHT_END) + 1)
    points = np.column_stack([x, np.full(len(x), STRAIGHT_Y), np.zeros(len(x))])
    return Road("straight", points, STRAIGHT_HALF_WIDTH, closed=False)


def slope_road(name: str, angle_deg: float, x: float, half_width: float, foot: float, length: float) -> Road:
    """The middle line of a slope with its apron and shelf; it rises from y = `foot` towards -y over `length`, m."""
    y = np.arange(foot + SLOPE_APRON, foot - length - SLOPE_SHELF - 0.5, -1.0)
    z = np.tan(np.radians(angle_deg)) * np.clip(foot - y, 0.0, length)
    surface = "concrete" if name == "slope_20" else "asphalt"
    points = np.column_stack([np.full(len(y), x), y, z])
    return Road(name, points, half_width, closed=False, kind=PLAIN, surface=surface)


def grade_foot(grade: float) -> float:
    """y where a grade begins to rise towards -y."""
    return PLATEAU[3] + PLATEAU_HEIGHT / grade


def grade_road(grade: float, x: float) -> Road:
    """The middle line of a grade of `grade` m per m at `x`, from its foot to the plateau; it rises towards -y."""
    y = np.arange(GRADES_FOOT[2] + 5.0, PLATEAU[3] - 12.5, -1.0)
    z = np.minimum(grade * np.clip(grade_foot(grade) - y, 0.0, None), PLATEAU_HEIGHT)
    points = np.column_stack([np.full(len(y), x), y, z])
    return Road(f"grade_{round(grade * 100)}", points, GRADE_HALF_WIDTH, closed=False, kind=PLAIN, surface="concrete")


def oval() -> Road:
    """Two straights along y and two half circles, driven counter-clockwise from the north end of the east straight."""
    x, y = OVAL_CENTRE
    turn = np.linspace(0.0, np.pi, 80)
    arc = OVAL_RADIUS * np.column_stack([np.cos(turn), np.sin(turn)])
    line = np.vstack([(x, y + OVAL_HALF) + arc, (x, y - OVAL_HALF) - arc])
    line = loop_line(line, sigma=12.0)
    bank = banking(line, OVAL_BANK, OVAL_RADIUS, sigma=18.0)
    height = (OVAL_HALF_WIDTH + 2.5) * np.abs(bank)  # the inner edge of the shoulder stays at ground level
    return Road("oval", np.column_stack([line, height]), OVAL_HALF_WIDTH, closed=True, bank=bank)


def gravel_loop(hills: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Road:
    """The closed gravel track, which follows the hills, smoothed over 14 m."""
    line = loop_line(GRAVEL_CORNERS, sigma=16.0)
    height = smooth_closed(hills(line[:, 0], line[:, 1]), 14.0)
    bank = banking(line, steepest=0.05, radius=40.0)
    points = np.column_stack([line, height])
    return Road("gravel_loop", points, half_width=4.0, closed=True, bank=bank, kind=LOOSE, surface="gravel")


def open_road(
    name: str,
    corners: ArrayLike,
    hills: Callable[[np.ndarray, np.ndarray], np.ndarray],
    sigma: float,
    half_width: float,
    kind: str,
    ends: tuple[float, float],
) -> Road:
    """A road along the smoothed hills; `corners`, `sigma`: as for open_line, `ends`: heights of its two ends, m."""
    line = open_line(corners, sigma)
    along = np.arange(len(line), dtype=float)
    height = smooth_open(hills(line[:, 0], line[:, 1]), 30.0)
    for distance, at in ((along, ends[0]), (along[::-1], ends[1])):
        height += (at - height) * (1.0 - smoothstep(distance, 4.0, 90.0))
    return Road(name, np.column_stack([line, height]), half_width, closed=False, kind=kind,
                surface="gravel" if kind == LOOSE else "asphalt")  # fmt: skip


def circle(name: str, x: float, y: float, radius: float) -> Road:
    """A painted circle."""
    angle = np.arange(0.0, 2.0 * np.pi, 1.0 / radius)
    points = np.column_stack([x + radius * np.cos(angle), y + radius * np.sin(angle), 0.0 * angle])
    return Road(name, points, half_width=0.06, closed=True, kind=MARK)


def mark(name: str, x0: float, y0: float, x1: float, y1: float) -> Road:
    """A painted straight line."""
    return Road(name, np.array([[x0, y0, 0.0], [x1, y1, 0.0]]), half_width=0.06, closed=False, kind=MARK)


def marks() -> list[Road]:
    """All painted lines. Their ends are at least 3.5 m apart, which keeps the distance map unambiguous."""
    lines = [circle("circle_30", *SKID, 30.0), circle("circle_100", *SKID, 100.0)]
    for k, y in enumerate((-430.5, -420.0, -409.5)):
        lines.append(mark(f"drag_{k}", -800.0, y, 800.0, y))
    for k, x in enumerate((-750.0, -750.0 + 201.168, -750.0 + 402.336, 250.0)):  # start, 1/8 and 1/4 mile, 1000 m
        lines += [mark(f"drag_at_{k}{side}", x, y - 1.5, x, y + 1.5) for side, y in (("s", -425.25), ("n", -414.75))]
    for k, y in enumerate((-470.0, -482.0, -494.0)):
        lines.append(mark(f"brake_{k}", -440.0, y, 110.0, y))
    for k, x in enumerate(np.arange(-545.0, -480.0, 7.0)):
        lines.append(mark(f"bay_{k}", x, -100.0, x, -84.0))
    for k, y in enumerate((-172.0, -202.0, -232.0, -262.0, -292.0)):  # between the rough lanes
        lines.append(mark(f"rough_{k}", 440.0, y + 15.0, 760.0, y + 15.0))
    return lines


def roads(hills: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> list[Road]:
    """All roads and marks. Where they overlap, `pave` of world_land.py decides on the surface, world_terrain.py on the
    height."""
    return [
        handling_course(hills), straight_road(), *(slope_road(*slope) for slope in SLOPES),
        *(grade_road(*grade) for grade in GRADES), oval(),
        open_road("link_south", [(-362.0, -143.0), (-362.0, -270.0), (-362.0, -406.0)], hills,
                  sigma=5.0, half_width=4.5, kind=PAINTED, ends=(0.0, 0.0)),
        open_road("link_oval", [(500.0, -108.0), (500.0, 40.0), (480.0, 160.0), (505.0, 300.0), (520.0, 330.0)], hills,
                  sigma=20.0, half_width=4.0, kind=PAINTED, ends=(0.0, 0.0)),
        open_road("country", COUNTRY_CORNERS, hills, sigma=22.0, half_width=4.0, kind=PAINTED, ends=(0.0, 0.0)),
        gravel_loop(hills),
        open_road("gravel_link", [(300.0, -434.0), (300.0, -500.0), (330.0, -578.0)], hills,
                  sigma=10.0, half_width=3.5, kind=LOOSE,
                  ends=(0.0, float(hills(np.array([330.0]), np.array([-580.0]))[0]))),
        open_road("tank_link", [(-700.0, -434.0), (-700.0, -480.0), (-680.0, -545.0)], hills,
                  sigma=10.0, half_width=4.0, kind=LOOSE, ends=(0.0, 0.0)),
        *marks(),
    ]  # fmt: skip
