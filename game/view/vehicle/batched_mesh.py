"""Several parts of a vehicle in one mesh, each transformed by the shader: the running gear near the eye, bodywork and
wheels farther away.

As separate nodes these are 16 draw calls of a watched car and six of each other one, and as many poses for Panda3D to
process: a third of all with eight cars in the frame. Each vertex has the number of its part in the third number of
`look`, which otherwise only tracks use. Glass and mirrors, which are children of the bodywork, stay separate.
"""

from __future__ import annotations

import numpy as np
from panda3d.core import BoundingSphere, Geom, GeomNode, LMatrix4f, LPoint3f, NodePath, PTA_LMatrix4f

from driving_sandbox.game.view.gl.geometry import joined, mesh, read_rows, sphere_around, transformed
from driving_sandbox.game.view.gl.shading import program, recipe
from driving_sandbox.game.view.light.mirrors import FLANK_MASK
from driving_sandbox.game.view.light.shadow import PART_COUNTS, STATIC_MASK, in_parts
from driving_sandbox.game.view.vehicle.detail import Detail

COLUMNS = ("vertex", "normal", "look")
PART = 8  # column of a row with the number of the part
BODY = 0  # number of the part that is fixed to the body
TRAVEL = 0.5  # m, largest distance of a moving part from its position in the model


class BatchedMesh:
    """A mesh below the body of a vehicle that is drawn instead of its parts.

    Args:
        name: of its node. body: node of the body. hulls: nodes of the bodywork. figure: [node of the driver] or [].
        moving: [(number, node, rest pose in the body frame)] of moving parts, numbered from 1. detail: the forms of
        hulls and wheels.
    Attributes:
        shown: whether it is drawn. possible: whether it can be: not if a replaced part has children, nor with more
        parts than the shader supports.
    """

    def __init__(self, name: str, body: NodePath, hulls, figure, moving, detail: Detail):
        self._has_hulls = bool(hulls)
        riding = [(BODY, path, LMatrix4f(path.getMat())) for path in (*hulls, *figure)]
        self._parts = [part for part in (*riding, *moving) if _has_mesh(part[1])]
        self._stashed, self._detail = [*figure, *(path for _, path, _ in moving)], detail
        needed = 1 + max((number for number, _, _ in moving), default=BODY)
        count = next((count for count in PART_COUNTS if count >= needed), needed)
        below = any(path.getNumChildren() for path in self._stashed)
        self.possible = not below and count in PART_COUNTS
        self._poses = PTA_LMatrix4f([LMatrix4f.identMat() for _ in range(count)])
        self._made: dict[int, Geom | None] = {}
        self._form, self.shown = None, False
        vertex, fragment, defines, include, vertex_include = recipe(body.getParent().getShader())
        defines = (*defines, f"PARTS {count}")
        self.path = body.attachNewNode(GeomNode(name))
        self.path.setShader(program(vertex, fragment, *defines, include=include, vertex_include=vertex_include))
        self.path.setShaderInput("part_pose", self._poses)
        self.path.setTag(*in_parts(count))
        self.path.hide(STATIC_MASK | FLANK_MASK)
        self.path.stash()

    def show(self, shown: bool) -> None:
        """Draw this mesh, or the parts again."""
        self.shown = shown
        if self._has_hulls:
            self._detail.leave_out(shown)
        self.path.unstash() if shown else self.path.stash()
        for path in self._stashed:
            path.stash() if shown else path.unstash()

    def follow(self) -> None:
        """Take the form that `detail` shows."""
        form = self._detail.shown
        if form == self._form:
            return
        node, geom, self._form = self.path.node(), self.made(form), form
        node.removeAllGeoms()
        if geom is not None:
            node.addGeom(geom)
            node.setBounds(geom.getBounds())

    def made(self, form: int) -> Geom | None:
        """The mesh of a form, made when first asked for; None where nothing is drawn."""
        if form not in self._made:
            self._made[form] = self._gather(self._detail.forms(form))
        return self._made[form]

    def renew(self) -> None:
        """Make the meshes again, as other hulls are drawn than before."""
        self._made.clear()
        self._form = None

    def pose(self, matrices) -> None:
        """Set the poses in the world of the body and of the moving parts, in the order of their numbers."""
        for part, matrix in enumerate(matrices):
            self._poses.setElement(part, matrix)

    def _gather(self, forms: dict[NodePath, Geom]) -> Geom | None:
        """The mesh of the parts that are not hidden; None without any."""
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
