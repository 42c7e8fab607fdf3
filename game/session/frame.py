"""Input of the view: plain numpy data, no physics objects and no Panda3D objects.

`WorldView` describes a world once, `VehicleFrame` one vehicle at one instant. Positions are metres in the
world frame (x right, y forward, z up), orientations unit quaternions (x, y, z, w) from part to world.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from driving_sandbox.physics.recording.poses import carried, carried_turns
from driving_sandbox.physics.world.drawn_poses import blend_orientations


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

    def ground_heights(self, x, y) -> np.ndarray:
        """Heights, m, of the drawn ground at arrays of positions; a cell is two triangles that share the diagonal from
        its lowest x and y to its highest."""
        if self.heights is None:
            return np.full(np.shape(x), self.plane_height or 0.0)
        rows, columns = self.heights.shape
        u = np.clip((np.asarray(x) - self.origin[0]) / self.cell, 0.0, columns - 1.001)
        v = np.clip((np.asarray(y) - self.origin[1]) / self.cell, 0.0, rows - 1.001)
        i, j = u.astype(int), v.astype(int)
        u, v, h = u - i, v - j, self.heights
        a, b, c, d = h[j, i], h[j, i + 1], h[j + 1, i], h[j + 1, i + 1]
        return np.where(u >= v, a + u * (b - a) + v * (d - b), a + v * (c - a) + u * (d - c))


@dataclass
class Treads:
    """Contact of the wheels of one vehicle with the ground; lists have an entry for each wheel. m, world axes.

    Attributes:
        point: of contact. normal: of the ground. across: unit vector to the tread's right. half_width: of the tread.
        used: share of the friction in use. press: load over that at rest.
    """

    point: list = field(default_factory=list)
    normal: list = field(default_factory=list)
    across: list = field(default_factory=list)
    half_width: list = field(default_factory=list)
    used: list = field(default_factory=list)
    press: list = field(default_factory=list)


@dataclass
class Traces:
    """What one vehicle does to the world at one instant; lists have an entry for each wheel. m, m/s, world axes.

    Attributes:
        surface: id under the wheel, -1 in the air. slide: (forward, to the right) speed of the tread over the ground.
        roll: forward speed of the contact over the ground. velocity: of the body. scrapes: [(point, normal, impulse
        N s)] of the hull. exhaust: amount of exhaust, 0..1; negative without a running engine. read_treads: function()
        -> the Treads of this instant.
    """

    surface: list = field(default_factory=list)
    slide: list = field(default_factory=list)
    roll: list = field(default_factory=list)
    velocity: tuple = (0.0, 0.0, 0.0)
    scrapes: list = field(default_factory=list)
    exhaust: float = -1.0
    read_treads: Callable[[], Treads] = Treads

    @cached_property
    def treads(self) -> Treads:
        """Read on first access: most wheels roll without marks, and need no more data."""
        return self.read_treads()

    def renew(self) -> None:
        """Forget the treads: another instant begins."""
        self.__dict__.pop("treads", None)


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


class Frames(list):
    """VehicleFrames whose arrays are views of common ones, so that numpy handles all rows at once.

    Args:
        wheel_counts: of each vehicle. positions: [n, 3], for each vehicle its body, then its wheels. orientations:
        [n + wheels, 4], for each vehicle its body, then its hubs; after all vehicles the wheels of all. Zeros without.
    """

    def __init__(self, wheel_counts, positions=None, orientations=None):
        wheels = sum(wheel_counts)
        rows = wheels + len(wheel_counts)
        self.wheel_counts = wheel_counts
        self.positions = np.zeros((rows, 3)) if positions is None else positions
        self.orientations = np.zeros((rows + wheels, 4)) if orientations is None else orientations
        row, spin = 0, rows
        for count in wheel_counts:
            hubs = slice(row + 1, row + 1 + count)
            self.append(VehicleFrame(
                self.positions[row], self.orientations[row], count, self.positions[hubs],
                self.orientations[spin:spin + count], self.orientations[hubs],
            ))  # fmt: skip
            row, spin = row + 1 + count, spin + count

    @classmethod
    def of(cls, frames: list[VehicleFrame]) -> Frames:
        """A copy of the frames in separate arrays."""
        result = cls([frame.wheel_count for frame in frames])
        for own, frame in zip(result, frames, strict=True):
            for name, value in vars(frame).items():
                if isinstance(value, np.ndarray):
                    getattr(own, name)[...] = value
                else:
                    setattr(own, name, value)
        return result


def carry_wheels(frame: VehicleFrame, before: VehicleFrame) -> None:
    """Give a vehicle that jumped, whose wheels have no pose before its next tick, the wheels of the frame before, moved
    with the body."""
    if frame.wheel_position.any() or frame.wheel_count != before.wheel_count or not before.wheel_position.any():
        return
    now, was = ((f.body_position, f.body_orientation) for f in (frame, before))
    frame.wheel_position[:] = carried(now, was, before.wheel_position)
    frame.wheel_orientation[:] = carried_turns(now, was, before.wheel_orientation)
    frame.hub_orientation[:] = carried_turns(now, was, before.hub_orientation)


def interpolate(previous: VehicleFrame, current: VehicleFrame, fraction: float) -> VehicleFrame:
    """The frame interpolated by `fraction` (0..1) from the previous to the current tick; the current one if the number
    of wheels has changed."""
    if previous.wheel_count != current.wheel_count:
        previous = current
    return interpolate_all(Frames.of([previous]), Frames.of([current]), fraction)[0]


def interpolate_all(previous: Frames, current: Frames, fraction: float) -> Frames:
    """`interpolate` for several vehicles; eight cost little more than one."""
    result = Frames(
        current.wheel_counts,
        previous.positions + (current.positions - previous.positions) * fraction,
        np.empty_like(current.orientations),
    )
    blend_orientations(previous.orientations, current.orientations, fraction, result.orientations)
    for frame, a, b in zip(result, previous, current, strict=True):
        frame.steer_command = a.steer_command + (b.steer_command - a.steer_command) * fraction
        frame.brake = a.brake + (b.brake - a.brake) * fraction
        frame.reverse = b.reverse
        frame.speed = a.speed + (b.speed - a.speed) * fraction
        frame.engine_speed = a.engine_speed + (b.engine_speed - a.engine_speed) * fraction
    return result
