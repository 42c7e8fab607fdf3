"""Smoke, dust, spray, thrown grains and sparks: particles that are added here and moved by the vertex shader."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from panda3d.core import ColorBlendAttrib, LMatrix4f, LVecBase4f, NodePath, PTA_LMatrix4f, PTA_LVecBase4f

from driving_sandbox.game.view.gl.shading import program
from driving_sandbox.game.view.light.shadow import STATIC_MASK, VEHICLE_MASK
from driving_sandbox.game.view.particles.pool import QuadPool

SOFT, GRAIN, SPARK = 0.0, 1.0, 2.0  # kinds, as in particle.vert
GRAVITY = -9.81  # m/s2
STILL_AIR = (0.0, 0.0, 0.0)  # m/s
RANDOM_ROWS = 2048  # rows of stored random numbers; each particle takes the next one
OWNERS = 8  # vehicles whose own smoke is not drawn inside a box about their bodywork; the largest races have as many
NO_OWNER = -1  # owner of a particle that is drawn inside of vehicles, too
BODY_WIDTH = 0.87  # width of the box relative to the drawn width; only mirrors are farther out


@dataclass(frozen=True)
class ParticleKind:
    """One kind of particle.

    Attributes:
        kind: SOFT, GRAIN or SPARK.
        life: mean lifetime, s.
        size: half width at birth, m.
        growth: final increase of `size`, approached at a rate of 1.8/s, m.
        alpha: maximum opacity, at its centre; a SOFT particle nearly reaches it 0.1 s after its birth, then fades.
        drag: rate at which the velocity relative to the air decays, 1/s.
        rise: upward acceleration, m/s2.
        spread: maximum random deviation of the velocity along x and y, m/s; along z 0.6 of it.
    """

    kind: float
    life: float
    size: float
    growth: float
    alpha: float
    drag: float
    rise: float
    spread: float


class Particles:
    """The particles of a scene, all drawn by the node `root`.

    Args:
        quality: name of the quality level.
        count: maximum number of particles.
        switches: further switches of the shaders.
    """

    def __init__(self, quality: str, count: int, switches: tuple[str, ...] = ()) -> None:
        self.pool = QuadPool("particles", count, "vertex", "velocity", "age", "motion", "look", "normal", width=22)
        self.root: NodePath = self.pool.root
        self._time = PTA_LVecBase4f([LVecBase4f(0)])  # simulated time, s, and wind, m/s, for the shader
        # by owner: transform from the world to the vehicle; (half width, half length, height of its box, m; 1 once set)
        self._frames = PTA_LMatrix4f([LMatrix4f.identMat() for _ in range(OWNERS)])
        self._boxes = PTA_LVecBase4f([LVecBase4f(0) for _ in range(OWNERS)])
        self.root.setShader(program("particle", "particle", quality.upper(), *switches, f"OWNERS {OWNERS}",
                                    vertex_include=("in_vertex", "common")))  # fmt: skip
        self.root.setShaderInput("effect_time", self._time)
        self.root.setShaderInput("vehicle_frame", self._frames)
        self.root.setShaderInput("vehicle_box", self._boxes)
        one, transmission = ColorBlendAttrib.OOne, ColorBlendAttrib.OOneMinusIncomingAlpha
        self.root.setAttrib(ColorBlendAttrib.make(ColorBlendAttrib.MAdd, one, transmission))
        self.root.setDepthWrite(False)
        self.root.setTwoSided(True)
        self.root.setBin("fixed", 5)
        self.root.hide(VEHICLE_MASK | STATIC_MASK)
        self._random = np.random.default_rng(seed=7).uniform(-1.0, 1.0, (RANDOM_ROWS, 5)).tolist()
        self._random_index, self._now = 0, 0.0  # row of `_random` used last; time of the last `set_time`, s
        self._until = [-math.inf] * OWNERS  # time at which the last particle of each vehicle ends

    def add(self, time: float, kind: ParticleKind, point: Sequence[float], velocity: Sequence[float], ground: float,
            colour: Sequence[float], share: float = 1.0, slope: Sequence[float] = (0.0, 0.0),
            owner: int = NO_OWNER) -> None:  # fmt: skip
        """Add a particle.

        Args:
            time: time of birth, s.
            point, velocity: position and velocity at birth, m and m/s.
            ground, slope: height of the ground below, m, and its slope along x and y.
            colour: linear RGB.
            share: share of the kind's alpha.
            owner: index of the vehicle in whose box it fades if it is SOFT.
        """
        self._random_index = (self._random_index + 1) % RANDOM_ROWS
        a, b, c, d, e = self._random[self._random_index]  # -1..1
        life = kind.life * (1.0 + 0.3 * d)
        rows = self.pool.add(time + life)
        owner = owner if owner < OWNERS else NO_OWNER
        if owner != NO_OWNER:
            self._until[owner] = max(self._until[owner], time + life)
        size, spread, shade = kind.size * (1.0 + 0.35 * e), kind.spread, 1.0 + 0.10 * a
        rows[:] = (
            point[0] + 0.1 * size * b, point[1] + 0.1 * size * c, point[2],  # vertex: position, m
            velocity[0] + spread * a, velocity[1] + spread * b, velocity[2] + spread * 0.6 * c,  # velocity: m/s
            ground,  # and the height of the ground, m
            time, life, size, kind.growth,  # age
            kind.drag, kind.rise, kind.kind, 0.5 + 0.5 * e,  # motion; the last is a random seed, 0..1
            colour[0] * shade, colour[1] * shade, colour[2] * shade, kind.alpha * share,  # look
            slope[0], slope[1], owner,  # normal
        )  # fmt: skip

    def set_fade_boxes(self, views: Sequence[Any]) -> None:
        """Set the boxes in which the shader fades smoke, for the vehicles that have live particles.

        To be called after `set_time`, in each frame with particles.
        """
        for index, view in enumerate(views[:OWNERS]):
            if self._until[index] < self._now:
                continue
            self._frames.setElement(index, LMatrix4f(self.root.getMat(view.body)))
            width, length, top = view.half_size.tolist()
            self._boxes.setElement(index, LVecBase4f(BODY_WIDTH * width, length, top, 1.0))

    def set_time(self, time: float, wind: Sequence[float] = STILL_AIR) -> None:
        """Set the time, s, which may pause or jump in a replay, and the wind, m/s."""
        self._now = time
        self._time.setElement(0, LVecBase4f(time, *wind))
