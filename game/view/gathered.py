"""A vehicle that is neither watched nor near as one mesh: bodywork, driver and wheels, each put in place by the shader.

By themselves they are six draw calls of a car and as many nodes whose poses Panda3D has to work through; of seven other
cars in the picture that was a third of all. Each vertex knows its part by the third number of `look`, which only tracks
use otherwise. What hangs below bodywork, its glass and its mirrors, stays there.
"""

from __future__ import annotations

import numpy as np
from panda3d.core import BoundingSphere, Geom, GeomNode, LMatrix4f, LPoint3f, NodePath, PTA_LMatrix4f

from game.view.bound import pose
from game.view.detail import Detail
from game.view.geometry import joined, mesh, read_rows, sphere_around
from game.view.mirrors import FLANK_MASK
from game.view.shading import program, recipe
from game.view.shadow import STATIC_MASK, VEHICLE_MASK

COLUMNS = ("vertex", "normal", "look")
PART = 8  # which of the ten numbers of a row
BODY = 0  # the part of all that rides on the body, before those of the wheels
TRAVEL = 0.5  # m a wheel gets from where the model has it, at most


class Gathered:
    """Below the body of a vehicle, in place of its parts while it is shown.

    Args:
        body: where bodywork and driver ride. hulls, driver, wheels: their nodes; of the driver one or none. centres: of
        the wheels in the model. detail: the forms of hulls and wheels.
    Attributes:
        shown: whether it is drawn. possible: whether it may be: not where something hangs below driver or wheels.
    """

    def __init__(self, body: NodePath, hulls, driver, wheels, centres, detail: Detail):
        self._parts = [(BODY, path) for path in (*hulls, *driver)] + list(enumerate(wheels, start=BODY + 1))
        self._parts = [(part, path) for part, path in self._parts if _has_mesh(path)]
        self._stashed, self._centres, self._detail = [*driver, *wheels], centres, detail
        self.possible = not any(path.getNumChildren() for path in self._stashed)
        self._poses = PTA_LMatrix4f([LMatrix4f.identMat() for _ in range(1 + len(centres))])
        self._made: dict[int, Geom | None] = {}
        self._form, self.shown = None, False
        vertex, fragment, defines, include, vertex_include = recipe(body.getParent().getShader())
        defines = (*defines, f"PARTS {len(self._poses)}")
        self.path = body.attachNewNode(GeomNode("gathered"))
        self.path.setShader(program(vertex, fragment, *defines, include=include, vertex_include=vertex_include))
        self.path.setShaderInput("part_pose", self._poses)
        self.path.hide(STATIC_MASK | VEHICLE_MASK | FLANK_MASK)
        self.path.stash()

    def show(self, shown: bool) -> None:
        """Draw this, or the parts again."""
        self.shown = shown
        self._detail.leave_out(shown)
        self.path.unstash() if shown else self.path.stash()
        for path in self._stashed:
            path.stash() if shown else path.unstash()

    def follow(self) -> None:
        """Draw the form that the parts would have."""
        form = self._detail.shown
        if form == self._form:
            return
        if form not in self._made:
            self._made[form] = self._gather(self._detail.forms(form))
        node, geom, self._form = self.path.node(), self._made[form], form
        node.removeAllGeoms()
        if geom is not None:
            node.addGeom(geom)
            node.setBounds(geom.getBounds())

    def renew(self) -> None:
        """Other hulls are drawn than before."""
        self._made.clear()
        self._form = None

    def pose(self, places, orientations) -> None:
        """Put body and wheels there in the world; quaternions (x, y, z, w)."""
        for part, (place, orientation) in enumerate(zip(places, orientations, strict=True)):
            self._poses.setElement(part, pose(place, orientation))

    def _gather(self, forms: dict[NodePath, Geom]) -> Geom | None:
        """Of the parts that are not hidden; None without any."""
        found, points = [], []
        for part, path in self._parts:
            if path.node().isOverallHidden():
                continue
            geom = forms.get(path) or path.node().getGeom(0)
            rows, triangles = read_rows(geom, *COLUMNS, place=path.getMat() if part == BODY else None)
            rows[:, PART] = part
            found.append((rows, triangles))
            points.append(rows[:, :3] if part == BODY else rows[:, :3] + self._centres[part - 1])
        if not found:
            return None
        geom, around = mesh(*joined(found), *COLUMNS), sphere_around(np.concatenate(points))
        geom.setBounds(BoundingSphere(LPoint3f(around.getCenter()), around.getRadius() + TRAVEL))
        return geom


def _has_mesh(path: NodePath) -> bool:
    node = path.node()
    return isinstance(node, GeomNode) and node.getNumGeoms() > 0
