"""The light of lamps in the dark, of the watched vehicle and of the vehicles nearest the eye.

The headlamps of a vehicle throw one beam. On a graphics card, the lamps at both rear corners light surfaces close
behind: red under braking, white in reverse, amber as the turn signals flash; front signals would not be visible in the
beam. The switch BEAMS gives the shaders the number of beams (common.glsl, `lamp_light`); by day there are none. Shader
inputs in world axes: per beam (position, strength) and (direction, 0); per rear lamp (position, x of its direction) and
(colour, y of its direction).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import dist
from typing import Any

from panda3d.core import LVecBase4f, NodePath, PTA_LVecBase4f

from driving_sandbox.game.view.vehicle.lamps import FLASHES
from driving_sandbox.game.view.vehicle.rotations import rotate

# a white card d m ahead of the lamps has the radiance STRENGTH / (d^2 + 12), in the sun's unit; chosen by eye
STRENGTH = 420.0
FRONT_OFFSET = 0.3  # m from the headlamps forward to the light source, so that it does not light the vehicle's nose
DIP = 0.035  # rad below straight ahead
REAR_OFFSET = 0.06  # m from the rear lamps backwards to the light source
# RGB; a white card d m behind a lamp has the radiance RGB / (d^2 + 0.6), in the sun's unit; chosen by eye
BRAKE, TAIL = (1.5, 0.03, 0.02), (0.22, 0.004, 0.003)
REVERSE, SIGNAL = (1.1, 1.07, 0.98), (1.3, 0.42, 0.02)  # reversing lamps and turn signals
FADE = 0.25  # lamps have full strength if the nearest vehicle without light is at least 25 % farther from the eye


class Beams:
    """`count` beams that light the nodes below `root`."""

    def __init__(self, root: NodePath, count: int) -> None:
        self.count = count
        # inputs of the shader for headlamp beams and for rear lamps, see the module's docstring
        self._data = PTA_LVecBase4f([LVecBase4f(0) for _ in range(2 * count)])
        self._rear = PTA_LVecBase4f([LVecBase4f(0) for _ in range(4 * count)])
        root.setShaderInput("beams", self._data)
        root.setShaderInput("rear_lamps", self._rear)

    def follow(self, views: Sequence[Any], eye: Sequence[float], watched: Any = None, time: float = 0.0) -> None:
        """Set the lamps that give light: those of the `watched` vehicle and of the vehicles nearest the eye.

        Args:
            views: all VehicleViews.
            time: simulated time, s, by which turn signals flash.
        """
        front = [v for v in views if v.lamps.on["head"] and v.frame is not None and v.model.head_lamp is not None]
        for k, (view, share) in enumerate(self._nearest(front, eye, watched)):
            position, direction = self._beam(view) if view else (LVecBase4f(0), LVecBase4f(0))
            position.w *= share
            self._data.setElement(2 * k, position)
            self._data.setElement(2 * k + 1, direction)
        rear = [v for v in views if v.frame is not None and v.model.rear_lamp is not None]
        rear = [v for v in rear if any(v.lamps.on.values())]
        for k, (view, share) in enumerate(self._nearest(rear, eye, watched)):
            lamps = self._rear_lamps(view, share, time) if view else [LVecBase4f(0)] * 4
            for number, data in enumerate(lamps):
                self._rear.setElement(4 * k + number, data)

    def _nearest(self, lit: list[Any], eye: Sequence[float], watched: Any) -> list[tuple[Any, float]]:
        """`count` pairs (VehicleView, share of its strength), filled up with (None, 0).

        If more vehicles are lit, these are the watched one and the others nearest the eye.

        Args:
            lit: VehicleViews with lamps that are on.
        """
        left_out = None  # distance from the eye to the nearest vehicle that is left out, m
        if len(lit) > self.count:
            lit = sorted(lit, key=lambda v: (v is not watched, dist(v.frame.body_position, eye)))
            left_out = dist(lit[self.count].frame.body_position, eye)
        nearest: list[tuple[Any, float]] = []
        for view in lit[: self.count]:
            share = 1.0
            if left_out is not None and view is not watched:
                farther = left_out / max(dist(view.frame.body_position, eye), 1e-6) - 1.0
                share = min(1.0, farther / FADE)
            nearest.append((view, share))
        return nearest + [(None, 0.0)] * (self.count - len(nearest))

    @staticmethod
    def _rear_lamps(view: Any, share: float, time: float) -> list[LVecBase4f]:
        """(position, x), (colour, y) of the left rear lamp, then of the right one, see the module's docstring."""
        on, vectors = view.lamps.on, []
        frame = view.frame
        orientation, origin = (tuple(float(c) for c in v) for v in (frame.body_orientation, frame.body_position))
        aside, along, up = (float(v) for v in view.model.rear_lamp)
        backwards = rotate(orientation, (0.0, -1.0, 0.0))
        flash = time * FLASHES % 1.0 < 0.5
        steady = [BRAKE] * on["brake"] + [TAIL] * on["head"] + [REVERSE] * on["reverse"]
        for side, x in (("left", -aside), ("right", aside)):
            shining = steady + [SIGNAL] * (on[side] and flash)
            offset = rotate(orientation, (x, along - REAR_OFFSET, up))
            colour = [share * sum(light[k] for light in shining) for k in range(3)]
            vectors.append(LVecBase4f(*(o + p for o, p in zip(origin, offset, strict=True)), backwards[0]))
            vectors.append(LVecBase4f(*colour, backwards[1]))
        return vectors

    @staticmethod
    def _beam(view: Any) -> tuple[LVecBase4f, LVecBase4f]:
        """(position, strength), (direction, 0) of a vehicle's beam."""
        orientation = [float(c) for c in view.frame.body_orientation]
        _, ahead, up = (float(v) for v in view.model.head_lamp)
        x, y, z = rotate(orientation, (0.0, ahead + FRONT_OFFSET, up))
        direction = rotate(orientation, (0.0, 1.0, -DIP))
        px, py, pz = (float(v) for v in view.frame.body_position)
        return LVecBase4f(px + x, py + y, pz + z, STRENGTH), LVecBase4f(*direction, 0.0)
