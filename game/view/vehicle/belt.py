"""The track of a tracked vehicle: links along a path below the road wheels and around the wheels at its ends.

The path is a closed polyline (y, z) in the body frame: below the road wheels from the rear to the front, where it
follows their travel, then the fixed part from the model (assets/build/running.py says how a model describes a track).
With the path's present length L and n links, link k is at the arc length

    s_k = (k - travel / pitch) L / n   mod L,

and lies between two points of the path 0.9 L / n apart, so that the track bends around corners as a chain does.
`travel` is the distance that the road wheels have rolled forward, modulo a pitch: rolling forward moves the lower run
backwards relative to the body, so that it is at rest relative to the ground. Limit: a wheel must rotate by less than
half a turn between two frames.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from panda3d.core import (
    BitMask32,
    BoundingSphere,
    Geom,
    GeomNode,
    LPoint3f,
    LQuaternionf,
    LVecBase4f,
    NodePath,
    PTA_LVecBase4f,
    Shader,
)

from driving_sandbox.game.view.gl.geometry import column_of, mesh, read_shape
from driving_sandbox.game.view.light.shadow import STATIC_MASK, VEHICLE_MASK
from driving_sandbox.game.view.vehicle.model import Part
from driving_sandbox.physics.base.user_error import WrongValue

BEND = 0.45  # half length of a link relative to the distance of neighbouring links
MAX_LINKS = 128  # links of a track, the length of the shader's array
SWITCH = f"TRACK {MAX_LINKS}"  # switch of the vehicle shader
MAIN_MASK = BitMask32.bit(0)  # mask of the main camera
SHADE = 0.55  # share of the sky's light that reaches a track; most of a track is between wheels and mudguards


def rolling_angle(wheel: Sequence[float], hub: Sequence[float]) -> float:
    """Angle about the axle from a hub's orientation to its wheel's, rad, positive when rolling forward.

    Both are unit quaternions (x, y, z, w).
    """
    ax, ay, az, aw = hub
    bx, by, bz, bw = wheel
    # x and w of the rotation from hub to wheel, conj(hub) * wheel
    x = aw * bx - ax * bw - ay * bz + az * by
    w = aw * bw + ax * bx + ay * by + az * bz
    return -2.0 * math.atan2(x, w)


@dataclass(frozen=True)
class Track:
    """What a model states about a track.

    Attributes:
        wheels: indices of the road wheels.
        pitch: distance of two links, m.
        under, reach: see `Belt._path_around`, m.
        path: [n, 2] fixed part of the path (y, z), m.
        radius: of a road wheel with the track, m.
        rest: {index of a road wheel: its rest position, m}.
    """

    wheels: list[int]
    pitch: float
    under: float
    reach: float
    path: np.ndarray
    radius: float
    rest: dict[int, np.ndarray]


def track_of(part: Part, rest_of: Callable[[str], np.ndarray | None]) -> Track:
    """The Track that a link's properties describe.

    Args:
        part: Part of a link.
        rest_of: function(node name) -> its rest position, m; None if there is no such node.
    Raises:
        WrongValue: the part has no mesh, or a property is missing or wrong.
    """
    if part.opaque is None:
        raise WrongValue(f"model part {part.name} has no mesh")
    wheels = [int(number) - 1 for number in part.numbers("wheels")]
    rest = {wheel: at for wheel in wheels if (at := rest_of(f"wheel{wheel + 1}")) is not None}
    if not wheels or len(rest) < len(set(wheels)):
        raise WrongValue(f"model part {part.name}: property wheels must be numbers of wheels that the model has")
    pitch, under, reach = (part.number(key) for key in ("pitch", "under", "reach"))
    path = part.numbers("path")
    if pitch <= 0.0 or len(path) < 4 or len(path) % 2 or np.ptp(path.reshape(-1, 2), axis=0).max() < pitch:
        raise WrongValue(f"model part {part.name}: path must be pairs y, z that span more than the pitch")
    # wheels stand on z = 0 in the model
    return Track(wheels, pitch, under, reach, path.reshape(-1, 2), radius=float(rest[max(wheels)][2]), rest=rest)


def wheel_radius(part: Part) -> float:
    """Radius of a wheel at a track's end, m. Raises WrongValue."""
    radius = part.number("radius")
    if radius <= 0.0:
        raise WrongValue(f"model part {part.name}: property radius must be above 0")
    return radius


class Belt:
    """One track.

    Args:
        part: Part of a link, whose properties describe the track.
        turning: [(node, radius in m)] of the wheels at its ends.
        parent: node of the body.
        rest_of: function(node name) -> its rest position, m.
        shader: shader of vehicles with the switch SWITCH.
    Attributes:
        wheels: indices of the road wheels.
        travel: distance rolled forward, modulo a pitch, m.
        links: [count, 3] y, z (m) and sine of the slope of each link.
    """

    def __init__(
        self,
        part: Part,
        turning: list[tuple[NodePath, float]],
        parent: NodePath,
        rest_of: Callable[[str], np.ndarray | None],
        shader: Shader,
    ) -> None:
        track = track_of(part, rest_of)
        self.wheels, self.pitch, self.radius = track.wheels, track.pitch, track.radius
        self.last = max(self.wheels)  # the track can be drawn only if the vehicle has this wheel
        self._under, self._reach, self._path = track.under, track.reach, track.path
        self.travel = 0.0  # m, below one pitch
        self.turning, self._turn_angles = turning, [0.0] * len(turning)
        self._angles: list[float] | None = None  # rolling angles of the road wheels in the last frame, rad
        path = self._path_around(track.rest.__getitem__)
        self.count = min(MAX_LINKS, max(1, round(_arc_length(path)[-1] / self.pitch)))
        self.links = np.zeros((self.count, 3))
        self._shown = PTA_LVecBase4f([LVecBase4f(0) for _ in range(MAX_LINKS)])
        # [MAX_LINKS, 4] of the shader: y, z, cosine and sine of the slope
        self._poses = np.asarray(memoryview(self._shown))
        self.path = parent.attachNewNode(part.name)
        self.path.setMat(part.rest)
        assert part.opaque is not None  # `track_of` has checked it
        half_width = self._add_links(part.opaque.getGeom(0), shader)
        self._add_caster(half_width)
        self._update_links(path)

    def _add_links(self, geom: Geom, shader: Shader) -> float:
        """Add all links as one mesh, with their numbers for the shader; returns half the width of a link, m."""
        positions, normals, indices, _ = read_shape(geom)
        link = np.column_stack([positions, normals, column_of(geom, "look")]).astype(np.float32)
        link[:, 7] = SHADE
        rows = np.tile(link, (self.count, 1, 1))
        rows[:, :, 8] = np.arange(self.count)[:, None]  # number of the link
        indices = indices[None] + (np.arange(self.count) * len(link))[:, None, None]
        links = self._node("links", rows.reshape(-1, 10), indices.reshape(-1, 3))
        links.setShader(shader)
        links.setShaderInput("links", self._shown)
        links.hide(VEHICLE_MASK | STATIC_MASK)
        return float(np.abs(positions[:, 0]).max())

    def _add_caster(self, half_width: float) -> None:
        """Add a band along the links that casts their shadow; the shader of shadow maps does not place links."""
        self._band = np.zeros((self.count, 2, 10), np.float32)
        self._band[:, :, 0] = -half_width, half_width
        first, following = 2 * np.arange(self.count), 2 * np.roll(np.arange(self.count), -1)
        indices = np.concatenate([np.column_stack([first, following, first + 1]),
                                  np.column_stack([first + 1, following, following + 1])])  # fmt: skip
        caster = self._node("band", self._band.reshape(-1, 10), indices)
        caster.hide(MAIN_MASK)
        self._caster = caster.node()

    def _node(self, name: str, rows: np.ndarray, indices: np.ndarray) -> NodePath:
        """Attach a mesh with these rows; returns its node."""
        node = GeomNode(name)
        node.addGeom(mesh(rows, indices, "vertex", "normal", "look"))
        node.setBounds(BoundingSphere(LPoint3f(0, 0, 0), float(np.abs(self._path).max()) + 1.0))
        node.setFinal(True)
        return self.path.attachNewNode(node)

    def update(
        self,
        on_body: Callable[[int], Sequence[float]],
        wheels: Sequence[Sequence[float]],
        hubs: Sequence[Sequence[float]],
    ) -> None:
        """Move the track with the wheels.

        Args:
            on_body: function(wheel index) -> centre of the wheel in the body frame, m.
            wheels, hubs: orientations of all wheels and hubs, quaternions (x, y, z, w).
        """
        self._roll([rolling_angle(wheels[i], hubs[i]) for i in self.wheels])
        self._update_links(self._path_around(on_body))

    def _path_around(self, on_body: Callable[[int], Sequence[float] | np.ndarray]) -> np.ndarray:
        """[n, 2] closed path (y, z) around the wheels at their present positions, m.

        Below each road wheel it has two points, `_under` below the centre, and `_reach` behind and ahead of it.
        """
        points = []
        for i in reversed(self.wheels):
            _, y, z = on_body(i)
            points += [(y - self._reach, z - self._under), (y + self._reach, z - self._under)]
        return np.concatenate([points, self._path, points[:1]])

    def _roll(self, angles: list[float]) -> None:
        """Advance `travel` and rotate the wheels at the ends, by the road wheels' rolling angles, rad."""
        if self._angles is not None:
            steps = [math.remainder(new - old, 2.0 * math.pi) for new, old in zip(angles, self._angles, strict=True)]
            distance = self.radius * sum(steps) / len(steps)
            self.travel = math.fmod(self.travel + distance, self.pitch)
            for k, (path, radius) in enumerate(self.turning):
                self._turn_angles[k] = math.remainder(self._turn_angles[k] - distance / radius, 2.0 * math.pi)
                path.setQuat(
                    LQuaternionf(math.cos(self._turn_angles[k] / 2.0), math.sin(self._turn_angles[k] / 2.0), 0.0, 0.0)
                )
        self._angles = angles

    def _update_links(self, path: np.ndarray) -> None:
        """Place the links evenly along the closed path [n, 2] (y, z), shifted by `travel`, and align each with it."""
        arc, n = _arc_length(path), self.count
        spacing = arc[-1] / n
        middle = (np.arange(n) - self.travel / self.pitch) * spacing
        ends = np.concatenate([middle - BEND * spacing, middle + BEND * spacing]) % arc[-1]
        y, z = (np.interp(ends, arc, path[:, k]) for k in (0, 1))
        dy, dz = y[n:] - y[:n], z[n:] - z[:n]
        length = np.hypot(dy, dz)
        self.links[:, 0], self.links[:, 1], self.links[:, 2] = (y[n:] + y[:n]) / 2, (z[n:] + z[:n]) / 2, dz / length
        self._poses[:n, :2] = self.links[:, :2]
        self._poses[:n, 2], self._poses[:n, 3] = dy / length, dz / length
        self._band[:, :, 1:3] = self.links[:, None, :2]
        array = self._caster.modifyGeom(0).modifyVertexData().modifyArray(0)
        memoryview(array).cast("B")[:] = self._band.reshape(-1).data.cast("B")


def _arc_length(path: np.ndarray) -> np.ndarray:
    """Arc length at each point of a path [n, 2], m."""
    steps = np.diff(path, axis=0)
    return np.concatenate([[0.0], np.cumsum(np.hypot(steps[:, 0], steps[:, 1]))])
