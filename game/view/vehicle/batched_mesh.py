"""Several parts of a vehicle in one mesh, each transformed by the shader.

A vehicle has two such meshes: the running gear, drawn near the eye; bodywork, driver and wheels, drawn farther away.
Separate nodes are 16 draw calls for the watched car and six for each other car, and as many poses for Panda3D to
process: with eight cars a third of all draw calls and poses of a frame. Each vertex has the number of its part in the
third component of the vertex column `look` (shaders/vehicle.vert), which otherwise only the tracks of tracked vehicles
use. Glass and mirrors, which are children of the bodywork, stay separate.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import numpy as np
from panda3d.core import BoundingSphere, Geom, GeomNode, LMatrix4f, LPoint3f, NodePath, PTA_LMatrix4f

from driving_sandbox.game.view.gl.geometry import joined, mesh, read_rows, sphere_around, transformed
from driving_sandbox.game.view.gl.shading import program, recipe
from driving_sandbox.game.view.light.mirrors import FLANK_MASK
from driving_sandbox.game.view.light.shadow import PART_COUNTS, STATIC_MASK, in_parts
from driving_sandbox.game.view.vehicle.detail import Detail

COLUMNS = ("vertex", "normal", "look")
PART = 8  # index in a row of COLUMNS of the third component of `look`
BODY = 0  # number of the part that is fixed to the body
TRAVEL = 0.5  # m, maximum distance of a moving part from its position in the model


class BatchedMesh:
    """A mesh, child of the node of a vehicle's body, that is drawn instead of the parts it is made of.

    Args:
        name: name of the mesh's node.
        body: node of the body.
        hulls: nodes of the bodywork, if the mesh has it.
        figure: [node of the driver] or [], if the mesh has none.
        moving: [(number, node, rest pose in the body frame)] of moving parts, numbered from 1.
        detail: Detail of hulls and wheels. A form of the mesh is one of its levels of detail.
    Attributes:
        shown: whether the mesh is drawn.
        possible: whether it can be drawn; not if the driver or a moving part has children, which would be stashed with
            it, or if there are more parts than the shader supports.
    """

    def __init__(
        self,
        name: str,
        body: NodePath,
        hulls: Collection[NodePath],
        figure: Collection[NodePath],
        moving: Sequence[tuple[int, NodePath, LMatrix4f]],
        detail: Detail,
    ) -> None:
        self._has_hulls = bool(hulls)
        fixed = [(BODY, path, LMatrix4f(path.getMat())) for path in (*hulls, *figure)]
        self._parts = [part for part in (*fixed, *moving) if _has_mesh(part[1])]
        # nodes that are stashed while the mesh is drawn; hulls are left out by their Detail instead
        self._stashed, self._detail = [*figure, *(path for _, path, _ in moving)], detail
        part_count = 1 + max((number for number, _, _ in moving), default=BODY)
        count = next((count for count in PART_COUNTS if count >= part_count), part_count)
        has_children = any(path.getNumChildren() for path in self._stashed)
        self.possible = not has_children and count in PART_COUNTS
        self._poses = PTA_LMatrix4f([LMatrix4f.identMat() for _ in range(count)])
        self._geoms: dict[int, Geom | None] = {}  # {form: mesh, None if no part is visible}
        self._form: int | None = None  # of the mesh in the node
        self.shown = False
        shader = recipe(body.getParent().getShader())
        assert shader is not None  # VehicleView makes it by `program`
        vertex, fragment, defines, include, vertex_include = shader
        defines = (*defines, f"PARTS {count}")
        self.path = body.attachNewNode(GeomNode(name))
        self.path.setShader(program(vertex, fragment, *defines, include=include, vertex_include=vertex_include))
        self.path.setShaderInput("part_pose", self._poses)
        self.path.setTag(*in_parts(count))
        self.path.hide(STATIC_MASK | FLANK_MASK)
        self.path.stash()

    def show(self, shown: bool) -> None:
        """Choose whether this mesh is drawn, or its parts."""
        self.shown = shown
        if self._has_hulls:
            self._detail.leave_out(shown)
        self.path.unstash() if shown else self.path.stash()
        for path in self._stashed:
            path.stash() if shown else path.unstash()

    def follow(self) -> None:
        """Draw the form that `detail` shows."""
        form = self._detail.shown
        if form == self._form:
            return
        node, geom, self._form = self.path.node(), self.geom(form), form
        node.removeAllGeoms()
        if geom is not None:
            node.addGeom(geom)
            node.setBounds(geom.getBounds())

    def geom(self, form: int) -> Geom | None:
        """The mesh of a form, built at the first call; None if no part is visible."""
        if form not in self._geoms:
            self._geoms[form] = self._gather(self._detail.forms(form))
        return self._geoms[form]

    def renew(self) -> None:
        """Let the forms be built anew, after other hulls were chosen to be drawn."""
        self._geoms.clear()
        self._form = None

    def pose(self, matrices: Iterable[LMatrix4f]) -> None:
        """Set the world poses of the body and of the moving parts, in the order of their numbers."""
        for part, matrix in enumerate(matrices):
            self._poses.setElement(part, matrix)

    def _gather(self, forms: dict[NodePath, Geom]) -> Geom | None:
        """The mesh of the visible parts, None without any. forms: Geoms of the parts that have levels of detail."""
        pieces, points = [], []
        for part, path, rest in self._parts:
            if path.node().isOverallHidden():
                continue
            geom = forms.get(path) or path.node().getGeom(0)
            rows, triangles = read_rows(geom, *COLUMNS, transform=rest if part == BODY else None)
            rows[:, PART] = part
            pieces.append((rows, triangles))
            points.append(rows[:, :3] if part == BODY else transformed(rows[:, :3], rest))
        if not pieces:
            return None
        geom, around = mesh(*joined(pieces), *COLUMNS), sphere_around(np.concatenate(points))
        geom.setBounds(BoundingSphere(LPoint3f(around.getCenter()), around.getRadius() + TRAVEL))
        return geom


def _has_mesh(path: NodePath) -> bool:
    node = path.node()
    return isinstance(node, GeomNode) and node.getNumGeoms() > 0
