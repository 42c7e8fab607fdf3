"""Parts of a vehicle as one mesh, each transformed by the shader: the running gear near by, all other parts from
farther away.

By themselves these are 16 draw calls of a car that is watched, and six of each other one, and as many nodes whose poses
Panda3D has to work through; with eight cars in the picture that was a third of all. Each vertex knows its part by the
third number of `look`, which only tracks use otherwise. What hangs below bodywork, its glass and mirrors, stays there.
"""

from __future__ import annotations

import numpy as np
from panda3d.core import BoundingSphere, Geom, GeomNode, LMatrix4f, LPoint3f, NodePath, PTA_LMatrix4f

from driving_sandbox.game.view.gl.geometry import joined, mesh, moved, read_rows, sphere_around
from driving_sandbox.game.view.gl.shading import program, recipe
from driving_sandbox.game.view.light.mirrors import FLANK_MASK
from driving_sandbox.game.view.light.shadow import PART_COUNTS, STATIC_MASK, in_parts
from driving_sandbox.game.view.vehicle.detail import Detail

COLUMNS = ("vertex", "normal", "look")
PART = 8  # which of the ten numbers of a row
BODY = 0  # the part of all that rides on the body
TRAVEL = 0.5  # m a part gets from where the model has it, at most


class BatchedMesh:
    """Below the body of a vehicle, instead of its parts while it is shown.

    Args:
        name: of its node. body: node that carries the bodywork. hulls, figure: nodes of that, and of the driver, one or
        none. moving: [(number, node, rest position in the body frame)] of moving parts, numbered from 1. detail:
        the forms of hulls and wheels.
    Attributes:
        shown: whether it is drawn. possible: whether it may be: not where something hangs below a part that is taken
        out, and not with more parts than its shader knows.
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
        """Draw this, or the parts again."""
        self.shown = shown
        if self._has_hulls:
            self._detail.leave_out(shown)
        self.path.unstash() if shown else self.path.stash()
        for path in self._stashed:
            path.stash() if shown else path.unstash()

    def follow(self) -> None:
        """Draw the form that the parts would have."""
        form = self._detail.shown
        if form == self._form:
            return
        node, geom, self._form = self.path.node(), self.made(form), form
        node.removeAllGeoms()
        if geom is not None:
            node.addGeom(geom)
            node.setBounds(geom.getBounds())

    def made(self, form: int) -> Geom | None:
        """The mesh of a form, made where there is none yet; None where nothing is drawn."""
        if form not in self._made:
            self._made[form] = self._gather(self._detail.forms(form))
        return self._made[form]

    def renew(self) -> None:
        """Other hulls are drawn than before."""
        self._made.clear()
        self._form = None

    def pose(self, matrices) -> None:
        """Put the body and the moving parts there in the world, in the order of their numbers."""
        for part, matrix in enumerate(matrices):
            self._poses.setElement(part, matrix)

    def _gather(self, forms: dict[NodePath, Geom]) -> Geom | None:
        """Of the parts that are not hidden; None without any."""
        found, points = [], []
        for part, path, rest in self._parts:
            if path.node().isOverallHidden():
                continue
            geom = forms.get(path) or path.node().getGeom(0)
            rows, triangles = read_rows(geom, *COLUMNS, transform=rest if part == BODY else None)
            rows[:, PART] = part
            found.append((rows, triangles))
            points.append(rows[:, :3] if part == BODY else moved(rows[:, :3], rest))
        if not found:
            return None
        geom, around = mesh(*joined(found), *COLUMNS), sphere_around(np.concatenate(points))
        geom.setBounds(BoundingSphere(LPoint3f(around.getCenter()), around.getRadius() + TRAVEL))
        return geom


def _has_mesh(path: NodePath) -> bool:
    node = path.node()
    return isinstance(node, GeomNode) and node.getNumGeoms() > 0
