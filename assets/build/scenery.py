"""Scenery objects with a material per face: rectangles and boxes with an albedo and a finish.

These meshes are visual only; `solids` are the plain collision boxes at the same positions. Colours are albedos. The
shader (game/view/shaders/scenery.frag) adds the ribs, joints and dirt of a finish at true scale, measured from the
floor of the object.

Arrays of scenery.npz; every triangle is shaded flat, so that vertices need no normals:

    finishes   names of the finishes
    places     float32[n, 3], positions of the vertices, m
    floors     float32[n], z of the floor of each vertex's object, m
    looks      uint8[n, 4]: red, green and blue of the albedo x 255, index of the finish
    triangles  uint16 or uint32[m, 3]
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from world_solids import box, placed

FINISHES = (
    "sheet",
    "render",
    "glass",
    "steel",
    "felt",
    "board",
    "mesh",
    "rubber",
    "lamp",
)  # the shader knows them by index
WHITE, GREY_GREEN, GREY, DARK = (0.43, 0.43, 0.40), (0.115, 0.150, 0.128), (0.26, 0.27, 0.27), (0.05, 0.054, 0.058)
ZINC, RED, BLACK, GLASS = (0.44, 0.45, 0.46), (0.45, 0.04, 0.03), (0.018, 0.018, 0.019), (0.03, 0.04, 0.045)
CONCRETE, OCHRE, BLUE_GREY = (0.32, 0.31, 0.285), (0.27, 0.125, 0.05), (0.085, 0.125, 0.165)
LAMP = (0.70, 0.69, 0.64)


class SceneryObject:
    """Drawn faces and collision solids of one object, in the object's axes (right, ahead, up), m.

    Args:
        name: of its solids, which are numbered.
        x, y, z: position of its floor in the world, m.
        heading_deg: 0 faces +y, positive to the left.

    Attributes:
        faces: {finish: [(corners in world axes, albedo)]}.
        solids: nodes of the collision meshes.
    """

    def __init__(self, name: str, x: float, y: float, heading_deg: float = 0.0, z: float = 0.0) -> None:
        self.name, self.at, self.z = name, (x, y, heading_deg), z
        self.faces, self.solids = {}, []

    def _world(self, points):
        """Points of the object in world axes."""
        return placed(points, *self.at, self.z)

    def quad(self, corners: ArrayLike, colour: Sequence[float], finish: str) -> None:
        """Add a face from four corners, counter-clockwise seen from outside; a triangle gives its last corner twice."""
        self.faces.setdefault(finish, []).append((self._world(corners), colour))

    def wall(
        self, a: Sequence[float], b: Sequence[float], low: float, high: float, colour: Sequence[float], finish: str
    ) -> None:
        """Add an upright face from a to b (right, ahead), m; on its visible side a is at the left."""
        self.quad([(*a, low), (*b, low), (*b, high), (*a, high)], colour, finish)

    def box(
        self,
        low: Sequence[float],
        high: Sequence[float],
        colour: Sequence[float],
        finish: str = "render",
        roof: tuple[Sequence[float], str] | None = None,
        solid: str | None = None,
        bottom: bool = False,
    ) -> None:
        """Add the faces of a box.

        Args:
            low, high: opposite corners, m.
            colour: albedo of its sides.
            finish: of its sides.
            roof: (colour, finish) of its top; None for those of the sides.
            solid: surface of its collision box; None for no box.
            bottom: whether to add the bottom face.
        """
        (x0, y0, z0), (x1, y1, z1) = low, high
        ring = ((x0, y0), (x1, y0), (x1, y1), (x0, y1))
        for k in range(4):
            self.wall(ring[k], ring[(k + 1) % 4], z0, z1, colour, finish)
        top = roof or (colour, finish)
        self.quad([(x0, y0, z1), (x1, y0, z1), (x1, y1, z1), (x0, y1, z1)], *top)
        if bottom:
            self.quad([(x0, y1, z0), (x1, y1, z0), (x1, y0, z0), (x0, y0, z0)], colour, finish)
        if solid:
            self.collision_box(low, high, solid)

    def collision_box(self, low: Sequence[float], high: Sequence[float], surface: str) -> None:
        """Add a collision box between two corners; `surface` names its ground surface."""
        x, y = 0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1])
        centre = placed([(x, y, 0.0)], *self.at)[0]
        self.solids.append(box(f"{self.name}_{len(self.solids) + 1}", surface, centre[0], centre[1], self.at[2],
                               high[1] - low[1], high[0] - low[0], self.z + low[2], self.z + high[2]))  # fmt: skip

    def pane(
        self,
        a: ArrayLike,
        b: ArrayLike,
        low: float,
        high: float,
        out: ArrayLike,
        frame: Sequence[float] = WHITE,
        bars: int = 1,
        finish: str = "glass",
        colour: Sequence[float] = GLASS,
    ) -> None:
        """Add a window to an upright wall.

        Args:
            a, b: ends of the window (right, ahead), m.
            low, high: z of its lower and upper edge, m.
            out: the wall's outward normal.
            frame: albedo of frame and bars.
            bars: number of upright bars.
            finish, colour: of the pane.
        """
        a, b, out = (np.asarray(v, dtype=np.float64) for v in (a, b, out))
        along = (b - a) / np.linalg.norm(b - a)

        def panel(start, end, bottom, top, offset, albedo, material):
            self.wall(tuple(start + offset * out), tuple(end + offset * out), bottom, top, albedo, material)

        # a frame 9 cm wide, the pane and bars 7 cm wide, each in front of the last, so that none flickers
        panel(a - 0.09 * along, b + 0.09 * along, low - 0.09, high + 0.09, 0.02, frame, "board")
        panel(a, b, low, high, 0.035, colour, finish)
        for k in range(1, bars + 1):
            middle = a + (b - a) * k / (bars + 1)
            panel(middle - 0.035 * along, middle + 0.035 * along, low, high, 0.05, frame, "board")

    def tube(
        self,
        x: float,
        y: float,
        low: float,
        high: float,
        radius: float,
        colour: Sequence[float],
        finish: str,
        sides: int = 8,
        top: float | None = None,
    ) -> None:
        """Add an upright tube from z `low` to `high`, m; `top` is its radius at the top (None: `radius`)."""
        angle = np.arange(sides + 1) * 2.0 * np.pi / sides
        ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        narrow = radius if top is None else top
        for a, b in zip(ring[:-1], ring[1:], strict=True):
            foot, head = ((x + r * a[0], y + r * a[1], x + r * b[0], y + r * b[1]) for r in (radius, narrow))
            self.quad([(*foot[:2], low), (*foot[2:], low), (*head[2:], high), (*head[:2], high)], colour, finish)
        for k in range(1, sides - 1):
            a, b, c = ((x + narrow * ring[m, 0], y + narrow * ring[m, 1], high) for m in (0, k, k + 1))
            self.quad([a, b, c, c], colour, finish)


def arrays(objects: Sequence[SceneryObject]) -> dict[str, np.ndarray]:
    """Arrays of scenery.npz; vertices that are equal in all of them are stored once."""
    rows = []
    for item in objects:
        for finish, faces in item.faces.items():
            for corners, colour in faces:
                appearance = [*np.round(np.clip(colour, 0.0, 1.0) * 255.0), FINISHES.index(finish)]
                rows.append(np.column_stack([np.round(corners, 3), np.full(4, item.z), np.tile(appearance, (4, 1))]))
    rows, index = np.unique(np.concatenate(rows), axis=0, return_inverse=True)
    index = index.reshape(-1, 4)
    triangles = np.concatenate([index[:, [0, 1, 2]], index[:, [0, 2, 3]]])
    triangles = triangles[(triangles != np.roll(triangles, 1, axis=1)).all(axis=1)]
    return {"finishes": np.array(FINISHES), "places": rows[:, :3].astype(np.float32),
            "floors": rows[:, 3].astype(np.float32), "looks": rows[:, 4:].astype(np.uint8),
            "triangles": triangles.astype(np.uint16 if len(rows) < 65536 else np.uint32)}  # fmt: skip
