"""Moving bodies for tests: EXTERNAL records, and a naive reference of their triangles."""

from typing import NamedTuple

import numpy as np
from naive_ground import Soup

from driving_sandbox.physics.maths import quat
from driving_sandbox.physics.tick.context import EXTERNAL

# The six faces of a box: corners by the signs of x, y and z, counter-clockwise from outside. Each face is split from
# its first to its third corner as in the program, so that the same triangles are dropped as too high to be road.
SIDES = {
    "left": ["--+", "-++", "-+-", "---"], "right": ["++-", "+++", "+-+", "+--"],
    "back": ["+--", "+-+", "--+", "---"], "front": ["-++", "+++", "++-", "-+-"],
    "bottom": ["-+-", "++-", "+--", "---"], "top": ["+-+", "+++", "-++", "--+"],
}  # fmt: skip


class Body(NamedTuple):
    """A moving box, or a wedge with a shorter top face; lengths in m, vectors in world axes."""

    position: tuple  # of its centre
    half: tuple  # half its size along its own axes
    orientation: tuple = (0.0, 0.0, 0.0, 1.0)
    velocity: tuple = (0.0, 0.0, 0.0)  # m/s
    spin: tuple = (0.0, 0.0, 0.0)  # rad/s
    top: tuple | None = None  # lowest and highest y of the top face, in its own axes; None: a box
    surface: int = 0  # index in the table of surfaces

    def at(self, points, elapsed=0.0):
        """Points of the body's frame in world coordinates after `elapsed` seconds."""
        angle = np.linalg.norm(self.spin) * elapsed
        spin_rotation = np.eye(3)
        if angle > 0.0:  # rotation matrix by Rodrigues' formula
            x, y, z = np.array(self.spin) / np.linalg.norm(self.spin)
            k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
            spin_rotation = np.eye(3) + np.sin(angle) * k + (1.0 - np.cos(angle)) * k @ k
        rotation = spin_rotation @ np.array(quat.to_matrix(self.orientation))
        return np.asarray(points) @ rotation.T + self.position + np.array(self.velocity) * elapsed

    def corner(self, sides):
        """Position of a corner in the body's frame; sides: signs of x, y and z, such as "+-+"."""
        x, y, z = ((1.0 if side == "+" else -1.0) * half for side, half in zip(sides, self.half, strict=True))
        if sides[2] == "+" and self.top is not None:
            y = self.top[1] if sides[1] == "+" else self.top[0]
        return x, y, z

    def triangles(self, elapsed=0.0):
        """(n, 3, 3) triangles in world coordinates, without degenerate ones."""
        corners = []
        for face in SIDES.values():
            a, b, c, d = (self.at(self.corner(sides), elapsed) for sides in face)
            corners += [(a, b, c), (a, c, d)]
        corners = np.array(corners)
        area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
        return corners[area > 1e-12]


def external_of(bodies, count=1):
    """EXTERNAL records of `count` vehicles; the bodies are near the first one."""
    external = np.zeros(count, EXTERNAL)
    record = external[0]
    record["moving_count"] = len(bodies)
    for k, body in enumerate(bodies):
        for key, size, values in (
            ("position", 3, body.position), ("orientation", 4, body.orientation), ("velocity", 3, body.velocity),
            ("spin", 3, body.spin), ("half", 3, body.half), ("top", 2, body.top or (-body.half[1], body.half[1])),
            ("surface", 1, body.surface),
        ):  # fmt: skip
            record[f"moving_{key}"][size * k : size * (k + 1)] = values
    return external


def body_soup(bodies, elapsed=0.0):
    """Triangles of the bodies after `elapsed` seconds, as a Soup."""
    corners = [body.triangles(elapsed) for body in bodies]
    surfaces = np.concatenate([np.full(len(c), body.surface) for c, body in zip(corners, bodies, strict=True)])
    corners = np.concatenate(corners)
    return Soup(corners, surfaces, np.zeros(len(corners), bool), np.full(len(corners), -1))
