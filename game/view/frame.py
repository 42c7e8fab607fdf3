"""What the view is told: plain numpy data, no physics objects and no Panda3D objects.

`WorldView` describes a world once, `VehicleFrame` one vehicle at one instant. Positions are metres in the
world frame (x right, y forward, z up), orientations unit quaternions (x, y, z, w) from part to world.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np


def _row(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float64)


@dataclass
class WorldView:
    """A world as drawn: `heights[j, i]` at x = origin[0] + i * cell, y = origin[1] + j * cell.

    `cell_surface[j, i]` is the surface id of the cell between samples i, i + 1 and j, j + 1, an index into
    `surface_names`. Without heights, `plane_height` draws an endless plane.
    """

    heights: np.ndarray | None = None
    origin: tuple[float, float] = (0.0, 0.0)
    cell: float = 1.0
    cell_surface: np.ndarray | None = None
    surface_names: list[str] = field(default_factory=list)
    mesh_paths: list[Path] = field(default_factory=list)
    road_path: Path | None = None
    plane_height: float | None = None


@dataclass
class Traces:
    """What one vehicle does to the world at one instant; lists have an entry for each wheel. m, m/s, world axes.

    Attributes:
        surface: id under the wheel, -1 in the air. point: where the tread meets it; normal: of the ground; across: unit
        vector to the tread's right. slide: of the tread over the ground, forward and to the right. roll: forward speed
        of the contact over the ground. used: share of the grip. press: load over the load at rest. half_width: of
        the tread. velocity: of the body. scrapes: [(point, normal, impulse N s)] of the hull. exhaust: how hard the
        engine blows, 0..1; negative without an engine.
    """

    surface: list = field(default_factory=list)
    point: list = field(default_factory=list)
    normal: list = field(default_factory=list)
    across: list = field(default_factory=list)
    slide: list = field(default_factory=list)
    roll: list = field(default_factory=list)
    used: list = field(default_factory=list)
    press: list = field(default_factory=list)
    half_width: list = field(default_factory=list)
    velocity: tuple = (0.0, 0.0, 0.0)
    scrapes: list = field(default_factory=list)
    exhaust: float = -1.0


@dataclass
class VehicleFrame:
    """Pose of one vehicle; `body_*` is the pose of the model origin (road plane, midway between the axles).

    `wheel_orientation` includes steer, camber and spin; `hub_orientation` is the same without the spin.
    `steer_command` is -1..1, +1 to the right; `brake` 0..1.
    """

    body_position: np.ndarray = field(default_factory=lambda: _row(0, 0, 0))
    body_orientation: np.ndarray = field(default_factory=lambda: _row(0, 0, 0, 1))
    wheel_count: int = 0
    wheel_position: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    wheel_orientation: np.ndarray = field(default_factory=lambda: np.zeros((0, 4)))
    hub_orientation: np.ndarray = field(default_factory=lambda: np.zeros((0, 4)))
    steer_command: float = 0.0
    brake: float = 0.0
    reverse: bool = False


def normalized_lerp(a: np.ndarray, b: np.ndarray, fraction: float) -> np.ndarray:
    """Shortest-way normalized blend of quaternions; good for the few degrees a body turns in one tick."""
    sign = np.where(np.sum(a * b, axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
    mixed = a + (b * sign - a) * fraction
    return mixed / np.maximum(np.linalg.norm(mixed, axis=-1, keepdims=True), 1e-12)


def slerp(a: np.ndarray, b: np.ndarray, fraction: float) -> np.ndarray:
    """Shortest-way constant-rate blend of quaternions, row by row (a wheel turns 30 degrees in a tick)."""
    cosine = np.sum(a * b, axis=-1, keepdims=True)
    sign = np.where(cosine < 0.0, -1.0, 1.0)
    angle = np.arccos(np.clip(cosine * sign, -1.0, 1.0))
    sine = np.sin(angle)
    close = sine < 1e-6
    safe = np.where(close, 1.0, sine)
    weight_a = np.where(close, 1.0 - fraction, np.sin((1.0 - fraction) * angle) / safe)
    weight_b = np.where(close, fraction, np.sin(fraction * angle) / safe) * sign
    mixed = a * weight_a + b * weight_b
    return mixed / np.maximum(np.linalg.norm(mixed, axis=-1, keepdims=True), 1e-12)


def interpolate(previous: VehicleFrame, current: VehicleFrame, fraction: float) -> VehicleFrame:
    """The frame `fraction` (0..1) of the way from the previous to the current tick."""
    if previous.wheel_count != current.wheel_count:
        return current
    blend = fraction
    return VehicleFrame(
        body_position=previous.body_position + (current.body_position - previous.body_position) * blend,
        body_orientation=normalized_lerp(previous.body_orientation, current.body_orientation, blend),
        wheel_count=current.wheel_count,
        wheel_position=previous.wheel_position + (current.wheel_position - previous.wheel_position) * blend,
        wheel_orientation=slerp(previous.wheel_orientation, current.wheel_orientation, blend),
        hub_orientation=normalized_lerp(previous.hub_orientation, current.hub_orientation, blend),
        steer_command=previous.steer_command + (current.steer_command - previous.steer_command) * blend,
        brake=previous.brake + (current.brake - previous.brake) * blend,
        reverse=current.reverse,
    )
