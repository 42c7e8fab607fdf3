"""Input of the view: plain numpy data, no physics objects and no Panda3D objects.

`WorldView` describes a world once, `VehicleFrame` one vehicle at one instant. Positions are metres in the
world frame (x right, y forward, z up), orientations unit quaternions (x, y, z, w) from part to world.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    """A world as drawn.

    Attributes:
        heights: heights[j, i], m, at x = origin[0] + i * cell, y = origin[1] + j * cell.
        cell: distance between samples, m.
        cell_surface: cell_surface[j, i] is the surface id of the cell between samples i, i + 1 and j, j + 1, an index
            into `surface_names`.
        plane_height: height of an endless plane that is drawn if there are no `heights`, m.
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

    @property
    def heightfield(self) -> np.ndarray:
        """`heights` of a world that has them. Raises ValueError for a plane."""
        if self.heights is None:
            raise ValueError("a plane has no heights")
        return self.heights

    def ground_heights(self, x: np.ndarray | float, y: np.ndarray | float) -> np.ndarray:
        """Heights of the drawn ground at arrays of positions, m.

        A cell is drawn as two triangles that share the diagonal from its lowest x and y to its highest.
        """
        if self.heights is None:
            return np.full(np.shape(x), self.plane_height or 0.0)
        rows, columns = self.heights.shape
        u = np.clip((np.asarray(x) - self.origin[0]) / self.cell, 0.0, columns - 1.001)  # below the last sample
        v = np.clip((np.asarray(y) - self.origin[1]) / self.cell, 0.0, rows - 1.001)
        i, j = u.astype(int), v.astype(int)
        u, v, h = u - i, v - j, self.heights
        a, b, c, d = h[j, i], h[j, i + 1], h[j + 1, i], h[j + 1, i + 1]
        return np.where(u >= v, a + u * (b - a) + v * (d - b), a + v * (c - a) + u * (d - c))


@dataclass
class Treads:
    """Contact of the wheels of one vehicle with the ground; lists have an entry for each wheel; world axes.

    Attributes:
        point: point of contact, m.
        normal: normal of the ground.
        across: unit vector to the tread's right.
        half_width: half width of the tread, m.
        saturation: tire force as a share of friction times load.
        relative_load: load relative to the load at rest.
    """

    point: list = field(default_factory=list)
    normal: list = field(default_factory=list)
    across: list = field(default_factory=list)
    half_width: list = field(default_factory=list)
    saturation: list = field(default_factory=list)
    relative_load: list = field(default_factory=list)


@dataclass
class Traces:
    """Causes of marks, smoke, sparks and exhaust of one vehicle at one instant; lists have an entry for each wheel.

    Attributes:
        surface: id of the surface under the wheel, -1 in the air.
        slide: (circumferential speed minus forward speed, which is above 0 for a spinning wheel; speed of the contact
            to the right), m/s.
        roll: forward speed of the contact over the ground, m/s.
        velocity: of the body, world axes, m/s.
        scrapes: [(point in m, normal, impulse in N s)] of contacts of the hull, world axes.
        exhaust: amount of exhaust, 0..1; negative without a running engine.
        read_treads: function() -> the Treads of this instant.
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
        """The Treads, read on first access, because most wheels roll without marks and need no Treads."""
        return self.read_treads()

    def renew(self) -> None:
        """Forget the treads, when another instant begins."""
        self.__dict__.pop("treads", None)


@dataclass
class VehicleFrame:
    """Pose of one vehicle, and what else of its state is drawn.

    Attributes:
        body_position, body_orientation: [3], m, and [4], pose of the model origin (road plane, midway between the
            axles).
        wheel_position: centre of each wheel, [wheels, 3], m.
        wheel_orientation: [wheels, 4], includes steer, camber and spin.
        hub_orientation: [wheels, 4], includes steer and camber, without the spin.
        steer_command: -1..1, +1 to the right.
        brake: 0..1.
        reverse: whether reverse is engaged, for the lamps.
        speed: forward speed, m/s.
        engine_speed: rad/s.
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
    """VehicleFrames whose arrays are views of common arrays, so that numpy handles all vehicles at once.

    Args:
        wheel_counts: number of wheels of each vehicle.
        positions: [n, 3], a row per vehicle and wheel: for each vehicle its body, then its wheels, m. None: zeros.
        orientations: [n + wheels, 4]: for each vehicle its body, then its hubs; after these the wheels of all vehicles.
            None: zeros.
    """

    def __init__(
        self, wheel_counts: Sequence[int], positions: np.ndarray | None = None, orientations: np.ndarray | None = None
    ) -> None:
        wheels = sum(wheel_counts)
        rows = wheels + len(wheel_counts)
        self.wheel_counts = wheel_counts
        self.positions = np.zeros((rows, 3)) if positions is None else positions
        self.orientations = np.zeros((rows + wheels, 4)) if orientations is None else orientations
        row, wheel_row = 0, rows
        for count in wheel_counts:
            hubs = slice(row + 1, row + 1 + count)
            self.append(VehicleFrame(
                self.positions[row], self.orientations[row], count, self.positions[hubs],
                self.orientations[wheel_row:wheel_row + count], self.orientations[hubs],
            ))  # fmt: skip
            row, wheel_row = row + 1 + count, wheel_row + count

    @classmethod
    def of(cls, frames: list[VehicleFrame]) -> Frames:
        """A copy of the frames, in common arrays of its own."""
        result = cls([frame.wheel_count for frame in frames])
        for target, frame in zip(result, frames, strict=True):
            for name, value in vars(frame).items():
                if isinstance(value, np.ndarray):
                    getattr(target, name)[...] = value
                else:
                    setattr(target, name, value)
        return result


def carry_wheels(frame: VehicleFrame, before: VehicleFrame) -> None:
    """Fill in the wheel poses of a vehicle that jumped, which has none until its next tick: those of the frame before,
    moved along with the body."""
    if frame.wheel_position.any() or frame.wheel_count != before.wheel_count or not before.wheel_position.any():
        return
    pose, pose_before = ((f.body_position, f.body_orientation) for f in (frame, before))
    frame.wheel_position[:] = carried(pose, pose_before, before.wheel_position)
    frame.wheel_orientation[:] = carried_turns(pose, pose_before, before.wheel_orientation)
    frame.hub_orientation[:] = carried_turns(pose, pose_before, before.hub_orientation)


def interpolate(previous: VehicleFrame, current: VehicleFrame, fraction: float) -> VehicleFrame:
    """A frame interpolated by `fraction` (0..1) from the previous to the current one.

    If the number of wheels has changed, the result is the current one.
    """
    if previous.wheel_count != current.wheel_count:
        previous = current
    return interpolate_all(Frames.of([previous]), Frames.of([current]), fraction)[0]


def interpolate_all(previous: Frames, current: Frames, fraction: float) -> Frames:
    """`interpolate` for several vehicles at once; eight take little longer than one."""
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
