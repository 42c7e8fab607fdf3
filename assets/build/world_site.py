"""The buildings of the proving ground and objects around them, clear of every manoeuvre.

hall, tower, containers, fence   the pad's north-east corner, seen from the start beside the handling course
office, fuel canopy              between the pad and the straight
masts                            at the pad's corners and along its long sides
boards                           200, 100 and 50 m before the ends of straight and dragstrip, arrows outside bends
tire walls                       before the tower, and behind the dragstrip
"""

from collections.abc import Callable, Sequence

import numpy as np
from scenery import (
    BLACK,
    BLUE_GREY,
    CONCRETE,
    DARK,
    GREY,
    GREY_GREEN,
    LAMP,
    OCHRE,
    RED,
    WHITE,
    ZINC,
    SceneryObject,
)
from world_layout import DRAG, STRAIGHT_END, STRAIGHT_HALF_WIDTH, STRAIGHT_Y
from world_rails import FACE, Surroundings
from world_roads import Road, directions, rights, signed_curvature

from driving_sandbox.assets.build.lettering import lettering

HALL = (146.0, 66.0)  # m; its front looks west, over the pad
HALL_HALF, HALL_DEEP, EAVES, RIDGE = 18.0, 10.0, 5.6, 7.4  # m: half length, half depth, z of eaves and ridge
DOORS = (-13.0, -4.0, 5.0)  # m along the front, where each door begins
DOOR = (7.0, 4.5)  # m, width and height
TOWER = (149.5, 41.0)  # m
OFFICE = (-26.0, -112.5, 0.9)  # m, z of the floor
CANOPY = (-79.5, -108.5, 0.02)  # m, z of the floor
CONTAINER = (2.44, 6.06, 2.59)  # m: width, length, height
CONTAINERS = (  # x, y, heading, colour
    (139.5, 91.5, 0.0, OCHRE), (143.0, 91.8, 2.0, BLUE_GREY), (151.0, 91.0, 90.0, GREY_GREEN),
)  # fmt: skip
MASTS = ((158.0, 97.5), (158.0, -98.0), (-158.0, 97.5), (-158.0, -98.0), (10.0, 98.5), (60.0, -98.5), (-70.0, -98.5))
MAST = 15.0  # m, height of a light mast
FENCE = (((160.0, 46.0), (160.0, 100.0), (134.0, 100.0)), ((126.0, 100.0), (104.0, 100.0)))
FENCE_HIGH = 2.1  # m
FENCE_POST = 3.0  # m from post to post
DISTANCES = (200, 100, 50)  # m, distances of the boards before the end of a straight
BOARD_OUT = 3.2  # m from the edge of the drivable surface
ARROW_CURVE = 1.0 / 42.0  # 1/m, curvature from which a bend has arrow boards
ARROW_STEP = 7  # points of the course (about a metre each) from board to board
ARROW_COUNT = 3  # boards of a bend
ARROW_BEHIND = 1.4  # m behind a rail's face
ARROW_FACING = 26  # points of the course between a board and the place from which it is read
ARROW_CLEAR = 9.0  # m, minimum distance from spawn points and gates
TIRES = ((142.0, 35.0, 156.0, 35.0), (828.0, -432.0, 828.0, -408.0))  # x, y of the first end, x, y of the last; m
TIRE_RADIUS = 0.33  # m
STACK = 5  # tires in a stack
TREAD = 0.21  # m, height of a tire in a stack


def hall() -> SceneryObject:
    """A workshop: sheet walls on a plinth, a shallow roof, three sliding doors, one of them open."""
    item = SceneryObject("hall", *HALL, 90.0)
    w, d = HALL_HALF, HALL_DEEP
    ring = ((-w, -d), (w, -d), (w, d), (-w, d))
    for k in range(4):
        a, b = ring[k], ring[(k + 1) % 4]
        item.wall(a, b, -0.3, 0.6, CONCRETE, "render")
        item.wall(a, b, 0.6, EAVES, WHITE, "sheet")
    for side in (-1.0, 1.0):  # gables, and the roof with its eaves
        a, b = ((w, -d), (w, d)) if side > 0 else ((-w, d), (-w, -d))
        item.quad([(*a, EAVES), (*b, EAVES), (a[0], 0.0, RIDGE), (a[0], 0.0, RIDGE)], WHITE, "sheet")
        x, y, drop = w + 0.5, side * (d + 0.6), 0.6 * (RIDGE - EAVES) / d
        foot = [(side * x, y, EAVES - drop), (-side * x, y, EAVES - drop)]
        item.quad([*foot, (-side * x, 0.0, RIDGE + 0.06), (side * x, 0.0, RIDGE + 0.06)], GREY, "sheet")
        low, high = min(y, y + side * 0.14), max(y, y + side * 0.14)
        item.box((-x, low, EAVES - drop - 0.16), (x, high, EAVES - drop + 0.02), ZINC, "steel", bottom=True)
    item.box((-w - 0.02, d, 4.75), (w + 0.02, d + 0.03, 5.05), GREY_GREEN, "board")
    for number, left in enumerate(DOORS):
        right, out = left + DOOR[0], d + 0.09
        # The object's right is the left of a viewer in front.
        if number == 1:
            item.wall((right, d + 0.02), (left, d + 0.02), 0.0, DOOR[1], BLACK, "board")
            item.box((right - 0.2, d + 0.04, 0.05), (right + 3.4, d + 0.14, DOOR[1]), GREY_GREEN, "sheet")
        else:
            item.box((left, d + 0.02, 0.05), (right, out, DOOR[1]), GREY_GREEN, "sheet")
            for k in range(3):
                a = right - 0.9 - 2.1 * k
                item.pane((a, out), (a - 1.3, out), 2.5, 3.3, out=(0.0, 1.0), frame=GREY, bars=0)
        item.box((left - 0.6, d + 0.02, DOOR[1] + 0.02), (right + 0.6, d + 0.16, DOOR[1] + 0.16), ZINC, "steel")
        written(item, str(number + 1), (0.5 * (left + right), d + 0.05), 1.2, 4.9, WHITE)
    item.pane((16.9, d), (13.4, d), 1.1, 2.4, out=(0.0, 1.0), frame=GREY, bars=2)
    for k in range(6):  # along the wall to the south, where the sun stands
        a = -d + 1.2 + 3.0 * k
        item.pane((-w, a + 2.2), (-w, a), 2.6, 3.9, out=(-1.0, 0.0), frame=GREY, bars=1)
    item.box((-w - 0.06, -1.0, 0.0), (-w, 0.1, 2.1), GREY_GREEN, "board")
    for x in (-9.0, 9.0):
        item.box((x - 0.5, -1.4, RIDGE - 0.5), (x + 0.5, -0.4, RIDGE + 0.5), ZINC, "steel")
    item.collision_box((-w, -d, -0.3), (w, d, RIDGE - 0.8), "metal")
    return item


def written(
    item: SceneryObject, text: str, at: tuple[float, float], high: float, low: float, colour: Sequence[float]
) -> None:
    """Add letters to a face of the object that faces ahead.

    Args:
        item: SceneryObject.
        text: characters of lettering.GLYPHS.
        at: (right, ahead) of the text's middle, m.
        high: height of the letters, m.
        low: z of their foot above the object's floor, m.
        colour: albedo.
    """
    # A field so wide that the height `high` decides; letters take 0.74 (TALL) of a field's height.
    mesh = lettering(text, (9.0, high / 0.74))
    points = mesh.v
    middle = low + 0.5 * high
    for corners in mesh.t:
        a, b, c = ((at[0] - points[k, 0], at[1], middle + points[k, 2]) for k in corners)
        item.quad([a, b, c, c], colour, "board")


def tower() -> SceneryObject:
    """Timing and control: a shaft, a cabin with glass all around, a balcony with a railing."""
    item = SceneryObject("tower", *TOWER, 90.0)
    item.box((-1.7, -1.7, -0.3), (1.7, 1.7, 6.2), WHITE, "render", solid="concrete")
    item.box((-1.72, -1.72, 0.0), (1.72, 1.72, 0.5), CONCRETE, "render")
    item.box((-0.5, 1.7, 0.0), (0.5, 1.76, 2.1), GREY_GREEN, "board")
    for low in (3.2, 4.8):
        item.pane((0.4, 1.7), (-0.4, 1.7), low, low + 0.9, out=(0.0, 1.0), frame=GREY, bars=0)
    item.box((-3.7, -3.7, 6.0), (3.7, 3.7, 6.25), CONCRETE, "render", bottom=True)
    half = 2.6
    item.box((-half, -half, 6.25), (half, half, 8.9), GREY_GREEN, "sheet", roof=(GREY, "felt"))
    ring = ((-half, -half), (half, -half), (half, half), (-half, half))
    for k, out in enumerate(((0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0))):
        a, b = np.array(ring[k]), np.array(ring[(k + 1) % 4])
        along = (b - a) / (2.0 * half)
        item.pane(tuple(a + 0.25 * along), tuple(b - 0.25 * along), 7.1, 8.45, out=out, frame=GREY, bars=3)
    item.box((-3.2, -3.2, 8.9), (3.2, 3.2, 9.2), WHITE, "render", roof=(GREY, "felt"), bottom=True)
    rim = ((-3.6, -3.6), (3.6, -3.6), (3.6, 3.6), (-3.6, 3.6))
    for k in range(4):
        a, b = np.array(rim[k]), np.array(rim[(k + 1) % 4])
        low, high = np.minimum(a, b) - 0.025, np.maximum(a, b) + 0.025
        for up in (6.6, 6.95, 7.3):
            item.box((*low, up), (*high, up + 0.05), ZINC, "steel")
        for fraction in np.linspace(0.0, 1.0, 6)[:-1]:
            x, y = a + (b - a) * fraction
            item.box((x - 0.03, y - 0.03, 6.25), (x + 0.03, y + 0.03, 7.3), ZINC, "steel")
    item.tube(1.6, -1.6, 9.2, 13.6, 0.07, ZINC, "steel", 6, 0.03)
    item.collision_box((-3.7, -3.7, 6.0), (3.7, 3.7, 9.2), "concrete")
    return item


def office() -> SceneryObject:
    """A low building with a flat roof; its windows look over the pad and over the straight."""
    x, y, z = OFFICE
    item = SceneryObject("office", x, y, 0.0, z)
    item.box((-15.0, -4.6, -1.6), (15.0, 4.6, 3.3), WHITE, "render", roof=(DARK, "felt"), solid="concrete")
    item.box((-15.05, -4.65, -1.6), (15.05, 4.65, 0.35), CONCRETE, "render")
    item.box((-15.3, -4.9, 3.15), (15.3, 4.9, 3.55), GREY_GREEN, "sheet", roof=(DARK, "felt"), bottom=True)
    for k in range(7):
        if k != 3:
            a = 13.6 - 4.0 * k
            item.pane((a, 4.6), (a - 2.6, 4.6), 1.0, 2.5, out=(0.0, 1.0), frame=GREY, bars=1)
        item.pane((-13.6 + 4.0 * k, -4.6), (-11.0 + 4.0 * k, -4.6), 1.0, 2.5, out=(0.0, -1.0), frame=GREY, bars=1)
    item.pane((1.1, 4.6), (-1.1, 4.6), 0.4, 2.6, out=(0.0, 1.0), frame=GREY, bars=1)
    item.box((-2.2, 4.6, 2.75), (2.2, 6.2, 2.95), WHITE, "render", bottom=True)
    for k in range(2):
        item.box((-9.0 + 14.0 * k, -1.0, 3.55), (-7.4 + 14.0 * k, 0.8, 4.4), ZINC, "steel")
    return item


def canopy() -> SceneryObject:
    """Fuel: a roof on four columns over two pumps, with a kiosk."""
    x, y, z = CANOPY
    item = SceneryObject("canopy", x, y, 0.0, z)
    item.box((-8.0, -5.5, -0.6), (8.0, 13.4, 0.07), CONCRETE, "render", solid="concrete")  # to the pad's edge
    item.box((-7.0, -4.2, 4.4), (7.0, 4.2, 5.1), WHITE, "board", roof=(GREY, "felt"), bottom=True)
    item.box((-7.03, -4.23, 4.52), (7.03, 4.23, 4.72), GREY_GREEN, "board")
    for a in (-5.2, 3.2):
        for b in (-2.6, 2.6):
            item.box((a - 0.14, b - 0.14, 0.1), (a + 0.14, b + 0.14, 4.4), ZINC, "steel", solid="metal")
        item.box((a - 0.6, -1.6, 0.1), (a + 0.6, 1.6, 0.26), CONCRETE, "render")
        item.box((a - 0.28, -0.5, 0.26), (a + 0.28, 0.5, 1.85), WHITE, "board", solid="metal")
        item.box((a - 0.29, -0.4, 1.1), (a + 0.29, 0.4, 1.6), DARK, "board")
    item.box((5.0, -2.2, 0.1), (7.6, 2.2, 2.9), WHITE, "sheet", roof=(GREY, "felt"), solid="metal")
    item.pane((5.0, 1.4), (5.0, -1.4), 1.1, 2.2, out=(-1.0, 0.0), frame=GREY, bars=1)
    return item


def container(number: int, x: float, y: float, heading: float, colour: Sequence[float]) -> SceneryObject:
    """A shipping container on the pad, with darker edges."""
    item = SceneryObject(f"container_{number}", x, y, heading)
    (w, length, high), edges = CONTAINER, tuple(0.75 * c for c in colour)
    item.box((-w / 2, -length / 2, 0.1), (w / 2, length / 2, high), colour, "sheet", solid="metal", bottom=True)
    for a in (-1.0, 1.0):
        for b in (-1.0, 1.0):
            cx, cy = a * w / 2, b * length / 2
            item.box((cx - 0.07, cy - 0.07, 0.0), (cx + 0.07, cy + 0.07, high + 0.02), edges, "board")
        side = a * w / 2
        item.box((side - 0.05, -length / 2, high - 0.12), (side + 0.05, length / 2, high + 0.01), edges, "board")
    return item


def mast(number: int, x: float, y: float, z: float) -> SceneryObject:
    """A light mast with four lamps on a crossbar that face the middle of the pad."""
    item = SceneryObject(f"mast_{number}", x, y, np.degrees(np.arctan2(x, -y)), z)
    item.box((-0.35, -0.35, -0.6), (0.35, 0.35, 0.35), CONCRETE, "render", solid="concrete")
    item.tube(0.0, 0.0, 0.35, MAST, 0.16, ZINC, "steel", 8, 0.08)
    item.collision_box((-0.16, -0.16, 0.35), (0.16, 0.16, MAST), "metal")
    item.box((-1.5, -0.06, MAST - 0.1), (1.5, 0.06, MAST + 0.04), ZINC, "steel", bottom=True)
    for k in range(4):
        a = -1.35 + 0.75 * k
        item.box((a, 0.06, MAST - 0.45), (a + 0.45, 0.2, MAST + 0.1), DARK, "board", bottom=True)
        item.wall((a + 0.42, 0.205), (a + 0.03, 0.205), MAST - 0.42, MAST + 0.07, LAMP, "lamp")
    return item


def fence(
    number: int, line: Sequence[tuple[float, float]], height: Callable[[np.ndarray], np.ndarray]
) -> tuple[SceneryObject, SceneryObject]:
    """(posts and rails, the mesh between them) of a fence along a line of corners."""
    posts, mesh = SceneryObject(f"site_fence_{number}", 0.0, 0.0), SceneryObject(f"fence_{number}", 0.0, 0.0)
    for a, b in zip(line[:-1], line[1:], strict=True):
        a, b = np.array(a), np.array(b)
        count = int(round(np.linalg.norm(b - a) / FENCE_POST))
        posts_at = a + (b - a) * np.linspace(0.0, 1.0, count + 1)[:, None]
        z = height(posts_at)
        for k, (p, q) in enumerate(zip(posts_at[:-1], posts_at[1:], strict=True)):
            posts.box((*(p - 0.03), z[k] - 0.4), (*(p + 0.03), z[k] + FENCE_HIGH + 0.05), ZINC, "steel")
            low, high = np.minimum(p, q) - 0.015, np.maximum(p, q) + 0.015
            up = 0.5 * (z[k] + z[k + 1]) + FENCE_HIGH
            posts.box((*low, up), (*high, up + 0.03), ZINC, "steel")
            mesh.wall(tuple(p), tuple(q), min(z[k], z[k + 1]) - 0.1, up, tuple(0.5 * c for c in ZINC), "mesh")
        low, high = np.minimum(a, b) - 0.05, np.maximum(a, b) + 0.05
        posts.collision_box((*low, z.min() - 0.4), (*high, z.max() + FENCE_HIGH), "steel")
    return posts, mesh


def distance_board(name: str, x: float, y: float, z: float, metres: int) -> SceneryObject:
    """A board with a distance in metres; it faces -x, for traffic towards +x."""
    item = SceneryObject(name, x, y, 90.0, z)
    for side in (-0.45, 0.45):
        item.box((side - 0.04, -0.12, -0.4), (side + 0.04, -0.04, 2.2), ZINC, "steel")
    item.box((-0.75, -0.03, 1.0), (0.75, 0.03, 2.2), WHITE, "board", bottom=True)
    item.wall((0.7, 0.036), (-0.7, 0.036), 1.05, 2.15, WHITE, "board")
    mesh = lettering(str(metres), (1.3, 0.95))
    points = mesh.v
    for corners in mesh.t:
        a, b, c = ((-points[k, 0], 0.045, 1.6 + points[k, 2]) for k in corners)
        item.quad([a, b, c, c], BLACK, "board")
    item.collision_box((-0.75, -0.12, -0.4), (0.75, 0.05, 2.2), "steel")
    return item


def arrow_board(name: str, x: float, y: float, z: float, heading: float, side: float) -> SceneryObject:
    """Three chevrons that point to the inside of a bend; side is +1 for the reader's left."""
    item = SceneryObject(name, x, y, heading, z)
    for a in (-0.6, 0.6):
        item.box((a - 0.04, -0.1, -0.5), (a + 0.04, -0.03, 1.65), ZINC, "steel")
    item.box((-0.95, -0.02, 1.0), (0.95, 0.02, 1.65), WHITE, "board", bottom=True)
    for k in range(3):
        middle = -0.58 + 0.58 * k
        tip, tail = middle + side * 0.16, middle - side * 0.16  # mirrored: the board faces the reader
        for low, high in ((1.05, 1.325), (1.6, 1.325)):
            a, b = (tail - 0.13, 0.03, low), (tail + 0.13, 0.03, low)
            c, d = (tip + 0.13, 0.03, high), (tip - 0.13, 0.03, high)
            item.quad([b, a, d, c] if low < high else [c, d, a, b], RED, "board")
    return item


def arrow_boards(course: Road, site: Surroundings) -> list[SceneryObject]:
    """Chevron boards outside the sharp bends of the course, behind their rails."""
    bend = signed_curvature(course.points[:, :2])
    ahead, right = directions(course.points, True), rights(course.points, True)
    n, boards = len(bend), []
    sharp = np.abs(bend) > ARROW_CURVE
    peaks = [k for k in range(n) if sharp[k] and abs(bend[k]) == np.abs(bend[np.arange(k - 30, k + 31) % n]).max()]
    for number, peak in enumerate(peaks):
        side = np.sign(bend[peak])  # the outside of a bend to the left is on the right
        for m in range(ARROW_COUNT):
            k = (peak + (m - 1) * ARROW_STEP) % n
            xy = course.points[k, :2] + side * (course.half_width + FACE + ARROW_BEHIND) * right[k]
            z = float(site.height(xy[None])[0])
            taken = np.linalg.norm(np.vstack([site.spawns, site.gates]) - xy, axis=1).min() < ARROW_CLEAR
            if taken or abs(z - course.points[k, 2]) > 1.4 or site.paved(xy[None])[0]:
                continue
            facing = ahead[(k - ARROW_FACING) % n]
            heading = np.degrees(np.arctan2(facing[0], -facing[1]))  # the board faces oncoming traffic
            boards.append(arrow_board(f"arrow_{number + 1}_{m + 1}", *xy, z, heading, side))
    return boards


def tire_wall(
    number: int, x0: float, y0: float, x1: float, y1: float, height: Callable[[np.ndarray], np.ndarray]
) -> SceneryObject:
    """Stacks of tires in a row, some of them painted."""
    item = SceneryObject(f"tires_{number}", 0.0, 0.0)
    a, b = np.array([x0, y0]), np.array([x1, y1])
    count = int(np.linalg.norm(b - a) / (2.0 * TIRE_RADIUS))
    centres = a + (b - a) * ((np.arange(count) + 0.5) / count)[:, None]
    z = height(centres)
    for k, ((x, y), up) in enumerate(zip(centres, z, strict=True)):
        colour = RED if k % 8 == 3 else WHITE if k % 8 in (2, 4) else BLACK
        item.tube(x, y, up - 0.1, up + STACK * TREAD, TIRE_RADIUS, colour, "rubber", 7)
    half = TIRE_RADIUS * np.abs(b - a)[::-1] / np.linalg.norm(b - a)
    low, high = np.minimum(a, b) - half, np.maximum(a, b) + half
    item.collision_box((*low, z.min() - 0.2), (*high, z.max() + STACK * TREAD), "rubber")
    return item


def scenery_objects(network: Sequence[Road], site: Surroundings) -> list[SceneryObject]:
    """All buildings and objects of the proving ground."""
    course = network[0]

    def height(x, y):
        return float(site.height(np.array([[x, y]]))[0])

    meshes = [hall(), tower(), office(), canopy()]
    meshes += [container(k + 1, *entry) for k, entry in enumerate(CONTAINERS)]
    meshes += [mast(k + 1, x, y, height(x, y)) for k, (x, y) in enumerate(MASTS)]
    for k, line in enumerate(FENCE):
        meshes += fence(k + 1, line, site.height)
    for name, end, y in (("straight", STRAIGHT_END, STRAIGHT_Y - STRAIGHT_HALF_WIDTH - BOARD_OUT),
                         ("drag", DRAG[1], DRAG[2] - BOARD_OUT)):  # fmt: skip
        meshes += [distance_board(f"{name}_{d}", end - d, y, height(end - d, y), d) for d in DISTANCES]
    meshes += arrow_boards(course, site)
    meshes += [tire_wall(k + 1, *line, site.height) for k, line in enumerate(TIRES)]
    return meshes
