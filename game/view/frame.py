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
    scenery_paths: list[Path] = field(default_factory=list)
    rails_path: Path | None = None


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
    `steer_command` is -1..1, +1 to the right; `brake` 0..1. `speed` is along the vehicle, m/s; `engine_speed` rad/s.
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
    speed: float = 0.0
    engine_speed: float = 0.0


def _dots(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Row by row, as a column; a third of the time of a sum of products along an axis."""
    return np.einsum("ij,ij->i", a, b)[:, None]


def _unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.maximum(np.sqrt(_dots(rows, rows)), 1e-12)


def normalized_lerp(a: np.ndarray, b: np.ndarray, fraction: float) -> np.ndarray:
    """Shortest-way normalized blend of quaternions, row by row; good for the few degrees a body turns in one tick."""
    sign = np.where(_dots(a, b) < 0.0, -1.0, 1.0)
    return _unit(a + (b * sign - a) * fraction)


def slerp(a: np.ndarray, b: np.ndarray, fraction: float) -> np.ndarray:
    """Shortest-way constant-rate blend of quaternions, row by row (a wheel turns 30 degrees in a tick)."""
    cosine = _dots(a, b)
    sign = np.where(cosine < 0.0, -1.0, 1.0)
    angle = np.arccos(np.clip(cosine * sign, -1.0, 1.0))
    sine = np.sin(angle)
    close = sine < 1e-6
    safe = np.where(close, 1.0, sine)
    weight_a = np.where(close, 1.0 - fraction, np.sin((1.0 - fraction) * angle) / safe)
    weight_b = np.where(close, fraction, np.sin(fraction * angle) / safe) * sign
    return _unit(a * weight_a + b * weight_b)


def interpolate(previous: VehicleFrame, current: VehicleFrame, fraction: float) -> VehicleFrame:
    """The frame `fraction` (0..1) of the way from the previous to the current tick."""
    return interpolate_all([previous], [current], fraction)[0]


def _rows(frames: list[VehicleFrame], body: str, wheels: str) -> np.ndarray:
    """Of each vehicle the row of its body, then those of its wheels."""
    return np.concatenate([rows for f in frames for rows in (getattr(f, body)[None], getattr(f, wheels))])


def interpolate_all(previous: list[VehicleFrame], current: list[VehicleFrame], fraction: float) -> list[VehicleFrame]:
    """`interpolate` of several vehicles: all rows go through the equations together, for eight cost little more than
    one. A vehicle whose wheels are others than before stays as it is now."""
    previous = [a if a.wheel_count == b.wheel_count else b for a, b in zip(previous, current, strict=True)]
    before, after = (_rows(frames, "body_position", "wheel_position") for frames in (previous, current))
    places = before + (after - before) * fraction
    before, after = (_rows(frames, "body_orientation", "hub_orientation") for frames in (previous, current))
    turns = normalized_lerp(before, after, fraction)
    before, after = (np.concatenate([f.wheel_orientation for f in frames]) for frames in (previous, current))
    spins = slerp(before, after, fraction)
    found, row, wheel = [], 0, 0
    for a, b in zip(previous, current, strict=True):
        count = b.wheel_count
        wheels = slice(row + 1, row + 1 + count)
        found.append(VehicleFrame(
            places[row], turns[row], count, places[wheels], spins[wheel:wheel + count], turns[wheels],
            a.steer_command + (b.steer_command - a.steer_command) * fraction, a.brake + (b.brake - a.brake) * fraction,
            b.reverse, a.speed + (b.speed - a.speed) * fraction,
            a.engine_speed + (b.engine_speed - a.engine_speed) * fraction))
        row, wheel = row + 1 + count, wheel + count
    return found
