"""The light of head lamps in the dark: one cone a vehicle, of the one that is watched and of those nearest the eye.

Shaders read them (common.glsl, `lamp_light`) where the switch BEAMS says how many there are; by day there are none,
as they would not be seen. Per beam: (place, strength) and (direction, 0), world axes.
"""

from __future__ import annotations

from math import dist

from panda3d.core import LVecBase4f, NodePath, PTA_LVecBase4f

from game.view.vehicle import rotate

STRENGTH = 420.0  # radiance of a white card 1 m before the lamps, in the sun's unit; chosen by eye
BEFORE = 0.3  # m before the lamps, so that they do not light the nose they are in
DIP = 0.035  # rad below straight ahead
HANDED_OVER = 0.25  # a beam fades while the nearest vehicle left out is less than so much farther: none ends at once


class Beams:
    """`count` beams for what is below `root`."""

    def __init__(self, root: NodePath, count: int):
        self.count = count
        self._data = PTA_LVecBase4f([LVecBase4f(0) for _ in range(2 * count)])
        root.setShaderInput("beams", self._data)

    def follow(self, views, eye, watched=None) -> None:
        """Take the lamps that are on, of the vehicles nearest the eye, that of the `watched` first."""
        lit = [v for v in views if v.lamps.on["head"] and v.frame is not None and v.model.head_lamp is not None]
        left_out = None
        if len(lit) > self.count:
            lit.sort(key=lambda v: (v is not watched, dist(v.frame.body_position, eye)))
            left_out = dist(lit[self.count].frame.body_position, eye)
        for k in range(self.count):
            place, direction = self._beam(lit[k]) if k < len(lit) else (LVecBase4f(0), LVecBase4f(0))
            if left_out is not None and lit[k] is not watched:
                farther = left_out / max(dist(lit[k].frame.body_position, eye), 1e-6) - 1.0
                place.w *= min(1.0, farther / HANDED_OVER)
            self._data.setElement(2 * k, place)
            self._data.setElement(2 * k + 1, direction)

    @staticmethod
    def _beam(view):
        turn = [float(c) for c in view.frame.body_orientation]
        _, ahead, up = (float(v) for v in view.model.head_lamp)
        x, y, z = rotate(turn, (0.0, ahead + BEFORE, up))
        direction = rotate(turn, (0.0, 1.0, -DIP))
        px, py, pz = (float(v) for v in view.frame.body_position)
        return LVecBase4f(px + x, py + y, pz + z, STRENGTH), LVecBase4f(*direction, 0.0)
