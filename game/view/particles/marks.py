"""Tire marks: ribbons of quads that multiply the colour of the ground.

A wheel that marks the ground adds a quad in the first frame in which it is at least `STEP` from the end of its last
quad. The new quad begins at that end; the strength is interpolated along it.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import dist

from panda3d.core import ColorBlendAttrib, DepthOffsetAttrib, NodePath

from driving_sandbox.game.view.gl.shading import program
from driving_sandbox.game.view.light.order import MARKS
from driving_sandbox.game.view.light.shadow import STATIC_MASK, VEHICLE_MASK
from driving_sandbox.game.view.particles.pool import QuadPool

STEP = 0.22  # m, minimum length of a quad
MAX_STEP = 2.5  # m; a wheel that is farther from the end of its last quad has jumped, and gets no quad
LIFT = 0.012  # m above the ground, in addition to the depth offset
PER_PARTICLE = 4  # quads of marks per particle of the quality level
FOREVER = 1e12  # s, time until which marks are visible

Point = tuple[float, float, float]
# left, right, middle, distance along the mark, strength, factor
End = tuple[Point, Point, Sequence[float], float, float, Sequence[float]]


class Marks:
    """The tire marks of a scene, all drawn by the node `root`; call `lay` once a frame for each wheel on the ground.

    Args:
        quality: name of the quality level.
        particles: number of particles of the level.
    """

    def __init__(self, quality: str, particles: int) -> None:
        self.pool = QuadPool("marks", particles * PER_PARTICLE, "vertex", "look", "age", width=11)
        self.root: NodePath = self.pool.root
        self.root.setShader(program("mark", "mark", quality.upper()))
        multiply = ColorBlendAttrib.make(ColorBlendAttrib.MAdd, ColorBlendAttrib.OZero, ColorBlendAttrib.OIncomingColor)
        self.root.setAttrib(multiply)
        self.root.setAttrib(DepthOffsetAttrib.make(1))
        self.root.setDepthWrite(False)
        self.root.setTwoSided(True)
        self.root.setBin(MARKS, 0)
        self.root.hide(VEHICLE_MASK | STATIC_MASK)
        self._ends: dict[Hashable, End] = {}

    def lay(
        self,
        wheel: Hashable,
        point: Sequence[float],
        normal: Sequence[float],
        across: Sequence[float],
        half_width: float,
        factor: Sequence[float],
        strength: float,
    ) -> None:
        """Continue a wheel's mark to `point`, m.

        Args:
            across: unit vector to the right, across the tread.
            half_width: half the width of the tread, m.
            factor: RGB by which the ground's colour is multiplied at full strength.
            strength: 0 for no mark, 1 for a full one; it may exceed 1. 0 ends the mark with a last quad.
        """
        last = self._ends.get(wheel)
        if strength <= 0.0 and (last is None or last[4] <= 0.0):
            self._ends.pop(wheel, None)
            return
        if last is not None and dist(last[2], point) < STEP:
            return
        x, y, z = (p + LIFT * n for p, n in zip(point, normal, strict=True))
        ax, ay, az = (a * half_width for a in across)
        left, right = (x - ax, y - ay, z - az), (x + ax, y + ay, z + az)
        along = 0.0
        if last is not None:
            step = dist(last[2], point)
            along = last[3] + step
            if step < MAX_STEP:
                self._quad(last, (left, right, point, along, strength, factor))
        self._ends[wheel] = (left, right, point, along, strength, factor)
        if strength <= 0.0:
            self._ends.pop(wheel)

    def lays(self, wheel: Hashable) -> bool:
        """Whether a wheel is leaving a mark."""
        return wheel in self._ends

    def end(self, wheel: Hashable) -> None:
        """End a wheel's mark, because the wheel has left the ground."""
        self._ends.pop(wheel, None)

    def _quad(self, begin: End, end: End) -> None:
        """Add a quad between two ends, as in `_ends`."""
        rows = self.pool.add(FOREVER)
        for k, ((left, right, _, along, strength, factor), on_right) in enumerate(
            ((begin, False), (begin, True), (end, True), (end, False))
        ):
            # position, factor and strength, side of the mark and distance along it
            rows[k] = (*(right if on_right else left), *factor, strength, 1.0 if on_right else -1.0, along, 0.0, 0.0)

    def lift(self) -> None:
        """End all marks."""
        self._ends.clear()
