"""Drawing of props: one node per prop; all props of a kind share a mesh, coloured by the model's materials.

A prop costs a draw call in the main pass and one in every shadow map that it is in, and most props are never touched.
So a group whose props all have their initial pose is drawn as one mesh.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from panda3d.core import GeomNode, LQuaternionf, MaterialAttrib, NodePath, Point3, RenderState

from driving_sandbox.game.view.gl.geometry import joined, mesh, read_rows, sphere_around
from driving_sandbox.game.view.vehicle.model import read_scene

if TYPE_CHECKING:
    from driving_sandbox.game.props.motion import PropMotion

MAX_DISTANCE = 400.0  # m from the camera; groups farther away are not drawn; a cone covers a pixel there
CULL_EVERY = 15  # frames between two checks of the distances of groups
PLAIN_LAYER = -1.0  # layer of plain paint: fourth component of the vertex attribute "look" (tint, layer) in mesh.vert
COLUMNS = ("vertex", "normal", "look")
MAX_INTERPOLATED = 60  # ticks; after a longer gap between two frames the props jump to their new poses
MIN_CHANGE = 1e-6  # m and quaternion components; an untouched prop has exactly its initial pose


def load_mesh(kind: Any) -> GeomNode:
    """GeomNode of a kind of prop, with its centre of mass as origin, for one draw call.

    Normals and linear colours are those of the file.
    """
    return _load_mesh(kind.model, kind.centre)


@cache
def _load_mesh(path: Path, centre: tuple[float, ...]) -> GeomNode:
    """`load_mesh` by model file and centre of mass, m, read once."""
    scene = read_scene(path)
    parts = []
    for node_path in scene.findAllMatches("**/+GeomNode"):
        geom_node, transform = node_path.node(), node_path.getMat(scene)
        for index in range(geom_node.getNumGeoms()):
            rows, triangles = read_rows(geom_node.getGeom(index), "vertex", "normal", transform=transform)
            rows[:, :3] -= np.array(centre, np.float32)
            look = np.full((len(rows), 4), PLAIN_LAYER, np.float32)
            look[:, :3] = _colour(geom_node.getGeomState(index))
            parts.append((np.hstack([rows, look]), triangles))
    node = GeomNode(path.stem)
    node.addGeom(mesh(*joined(parts), *COLUMNS))
    return node


def _merged(nodes: Iterable[NodePath]) -> GeomNode:
    """One GeomNode with the meshes of these nodes, in the frame of their parent."""
    parts = [read_rows(path.node().getGeom(0), *COLUMNS, transform=path.getMat()) for path in nodes]
    rows, triangles = joined(parts)
    node = GeomNode("untouched")
    node.addGeom(mesh(rows, triangles, *COLUMNS))
    node.setBounds(sphere_around(rows[:, :3]))
    return node


def _colour(state: RenderState) -> tuple[float, ...]:
    """Linear base colour (r, g, b) of a RenderState's material, grey without one."""
    attribute = state.getAttrib(MaterialAttrib)
    material = attribute.getMaterial() if attribute else None
    if material is None or not material.hasBaseColor():
        return (0.4, 0.4, 0.4)
    return tuple(material.getBaseColor())[:3]


class PropsView:
    """Nodes of a world's props, below the scene's meshes, whose shader and shadows they share.

    Args:
        scene: game.view.scene.Scene.
        kinds: Kind of each prop, or None if it is not drawn.
        poses: [n, 7] initial centre of mass, m, and orientation x, y, z, w.
        groups: group index of each prop; the props of a group are culled together. None: each prop is its own group.
    Attributes:
        root: node above all groups.
        nodes: node of each prop.
    """

    def __init__(
        self, scene: Any, kinds: Sequence[Any], poses: np.ndarray, groups: Sequence[int] | None = None
    ) -> None:
        self._scene, self.root = scene, scene.meshes.attachNewNode("props")
        groups = range(len(kinds)) if groups is None else groups
        self._groups: dict[int, NodePath] = {}
        self._frame = 0  # number of the frame
        # by group: separate props, merged mesh, touched indices
        self._single: dict[int, NodePath] = {}
        self._whole: dict[int, NodePath] = {}
        self._touched: dict[int, set[int]] = {}
        self.nodes: list[NodePath] = []
        for kind, group in zip(kinds, groups, strict=True):
            if group not in self._groups:
                self._groups[group] = self.root.attachNewNode(f"group {group}")
                self._single[group] = self._groups[group].attachNewNode("props")
            node = NodePath("hidden") if kind is None else self._single[group].attachNewNode(load_mesh(kind).makeCopy())
            self.nodes.append(node)
        members = {group: [k for k, g in enumerate(groups) if g == group] for group in self._groups}
        self._middles = {g: np.asarray(poses)[indices, :3].mean(axis=0) for g, indices in members.items()}
        # poses: `follow` interpolates from _from to _to; _first are the initial ones
        self._to = np.array(poses, float).reshape(-1, 7)
        self._from, self._first, self._group_of = self._to.copy(), self._to.copy(), list(groups)
        # indices of the props that move; number of ticks from `_from` to `_to`; tick of `_to`
        self._moving, self._span = np.zeros(0, int), 1
        self._tick: int | None = None
        self.set_poses(range(len(kinds)), self._to)
        for group, single in self._single.items():
            if single.getNumChildren() > 1:
                self._whole[group] = self._groups[group].attachNewNode(_merged(single.getChildren()))
                self._touched[group] = set()
                single.hide()

    def set_poses(self, indices: Iterable[int], poses: np.ndarray) -> None:
        """Move the props of these indices.

        Args:
            poses: [n, 7] of all props, not only of `indices`, as in the class.
        """
        for k in indices:
            x, y, z, qx, qy, qz, qw = poses[k].tolist()
            self.nodes[k].setPosQuat(Point3(x, y, z), LQuaternionf(qw, qx, qy, qz))
            if self._group_of[k] in self._whole:
                self._touch(k, self._group_of[k], np.abs(poses[k] - self._first[k]).max() > MIN_CHANGE)

    def _touch(self, k: int, group: int, touched: bool) -> None:
        """Note whether prop `k` is touched; draw its group as one mesh if no prop is touched, else one by one."""
        indices, was_whole = self._touched[group], not self._touched[group]
        (indices.add if touched else indices.discard)(k)
        if was_whole == bool(indices):
            for node, shown in ((self._whole[group], not indices), (self._single[group], bool(indices))):
                node.show() if shown else node.hide()

    def follow(self, prop_motion: "PropMotion", fraction: float) -> None:
        """Show the props of a PropMotion interpolated between the last two ticks, like vehicles.

        Args:
            fraction: interpolation factor from the last tick but one (0) to the last (1), as of FixedClock.
        """
        tick = prop_motion.world.tick
        self._scene.moving_others = False
        if tick != self._tick:
            self._advance(prop_motion, tick)
        if not len(self._moving):
            return
        # the time shown is 1 - fraction ticks before `_to`
        share = min(1.0, max(0.0, 1.0 - (1.0 - fraction) / self._span))
        self.set_poses(self._moving, self._blend(share))
        self._scene.moving_others = True

    def _advance(self, prop_motion: "PropMotion", tick: int) -> None:
        """Interpolate towards the newest poses from now on; props that have come to rest get their last pose."""
        if prop_motion.awake:
            prop_motion.read()
        moved = prop_motion.take_changed()
        if self._tick is not None and not len(moved) and not len(self._moving):  # true in nearly every frame
            self._tick = tick
            return
        rested = np.setdiff1d(self._moving, moved)
        self.set_poses(rested, self._to)
        self._scene.moving_others = len(rested) > 0
        self._from[moved] = self._to[moved]
        self._to[moved] = prop_motion.poses[moved]
        self._span = 1 if self._tick is None else tick - self._tick
        if self._tick is None or not 0 < self._span < MAX_INTERPOLATED:
            self._span, self._from[moved] = 1, self._to[moved]
        self._moving, self._tick = moved, tick

    def _blend(self, share: float) -> np.ndarray:
        """[n, 7] poses of all props, those that move interpolated by `share` (0..1) to the newest poses."""
        a, b = self._from, self._to
        if share >= 1.0:
            return b
        mixed = b.copy()
        k = self._moving
        sign = np.where(np.sum(a[k, 3:] * b[k, 3:], axis=1, keepdims=True) < 0.0, -1.0, 1.0)
        mixed[k, :3] = a[k, :3] + (b[k, :3] - a[k, :3]) * share
        orientation = a[k, 3:] + (b[k, 3:] * sign - a[k, 3:]) * share
        mixed[k, 3:] = orientation / np.linalg.norm(orientation, axis=1, keepdims=True)
        return mixed

    def cull(self, camera_position: np.ndarray) -> None:
        """Hide groups that are too far away to be seen; checked only every CULL_EVERY frames."""
        self._frame += 1
        if self._frame % CULL_EVERY != 1:
            return
        camera = np.asarray(camera_position, float)
        for group, node in self._groups.items():
            near = np.linalg.norm(self._middles[group] - camera) < MAX_DISTANCE
            node.show() if near else node.hide()
