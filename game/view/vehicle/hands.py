"""The driver's hands on the steering wheel, as seen by the driver and from nearby; position of the head.

The hands move with the rim up to MAX_TURN; beyond, the rim slips through them. Each forearm is on the line from its
fixed elbow to its hand, with the thumb along the rim. The axes of a forearm are those of assets/build/hands.py. A fixed
pair of forearms is drawn instead when seen from farther away; for vehicles that are not watched, and on software
OpenGL, it is drawn for all eyes but the driver's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from panda3d.core import Geom, LMatrix4f, LQuaternionf, LVecBase3f, LVector3f, NodePath

from driving_sandbox.game.view.gl.geometry import column_of, joined, mesh, read_rows
from driving_sandbox.game.view.light.mirrors import FLANK_MASK
from driving_sandbox.game.view.light.shadow import STATIC_MASK, VEHICLE_MASK
from driving_sandbox.game.view.vehicle.model import Part, VehicleModel

MAX_TURN = math.radians(80.0)  # drawn rotation of the wheel to either side: one hand is then at the top of the wheel
COLUMNS = ("vertex", "normal", "look")
HEAD = 0.25  # m, height of a figure's head
OWN_EYES = 0.45  # m around the driver's eyes; an eye this near counts as the driver's
STEP = 0.02  # rad of the wheel; moves a hand by less than 4 mm, about a pixel of 1080 lines from the chase camera
NEAR = 9.0  # m; at this distance a hand is about 15 of 1080 pixels high; the chase camera is nearer


def head_position(part: Part) -> tuple[float, float, float] | None:
    """Position of a figure's head, model frame, m: middle of its top 25 cm; None if the figure has no vertices.

    A figure without opaque meshes has the head of its glass.
    """
    for node in (part.opaque, part.glass):
        for geom in node.getGeoms() if node is not None else ():
            points = column_of(geom, "vertex").astype(float)
            if len(points):
                high = points[points[:, 2] > points[:, 2].max() - HEAD]
                middle = (high.min(axis=0) + high.max(axis=0)) / 2.0 + np.array(part.rest.getRow3(3))
                return (float(middle[0]), float(middle[1]), float(middle[2]))
    return None


def wheel_turn(angle: float) -> LQuaternionf:
    """Rotation of the steering wheel about its own axis by an angle, rad, positive to the right."""
    return LQuaternionf(math.cos(0.5 * angle), 0.0, math.sin(0.5 * angle), 0.0)


def _merged(*geoms: Geom) -> Geom:
    """One Geom with the triangles of several."""
    return mesh(*joined([read_rows(geom, *COLUMNS) for geom in geoms]), *COLUMNS)


class Hands:
    """The moving nodes `forearm_left` and `forearm_right` below `body`, if the model has them.

    The fixed `driver_forearms` become a part of the figure, which is drawn without them while the moving forearms are
    shown.

    Attributes:
        shown: whether the moving forearms are drawn.
        own: whether the eye is the driver's.
        forms: Geoms of the figure with and without forearms, or ().
    """

    def __init__(self, body: NodePath, model: VehicleModel) -> None:
        eye = model.node_position("eye_pos")
        self.eyes = None if eye is None else tuple(eye.tolist())  # plain floats, compared with the eye in every frame
        # (node, elbow in the model frame, grip and direction of the thumb in the wheel's frame)
        self.arms: list[tuple[NodePath, LVector3f, LVector3f, LVector3f]] = []
        self.shown, self.own, self.figure = True, False, body.find("driver")
        self._wheel: tuple[NodePath, LQuaternionf, float] | None = None  # last arguments of `follow`
        self.forms: tuple[Geom, ...] = ()
        plain = body.find("driver_forearms")
        if not plain.isEmpty() and not self.figure.isEmpty():
            bare = self.figure.node().getGeom(0).makeCopy()
            self.forms = (_merged(bare, plain.node().getGeom(0)), bare)
            plain.removeNode()
            self.figure.node().setGeom(0, self.forms[0])
        wheel = model.parts.get("steering_wheel")
        for side, name in ((-1.0, "forearm_left"), (1.0, "forearm_right")):
            grip, elbow = model.node_position(name), model.node_position(f"{name}_elbow")
            if grip is not None and elbow is not None and self.eyes is not None and wheel is not None:
                to_wheel = LMatrix4f(wheel.rest)
                to_wheel.invertInPlace()
                on_rim = LVector3f(to_wheel.xformPoint(LVecBase3f(*grip)))
                thumb = LVector3f(0.0, side, 0.0).cross(-on_rim)
                thumb.normalize()
                path = body.find(name)
                path.hide(STATIC_MASK | VEHICLE_MASK | FLANK_MASK)
                self.arms.append((path, LVector3f(*elbow), on_rim, thumb))
        self.show(False)

    def see(self, eye: Sequence[float], still: bool = False) -> None:
        """Choose between moving and fixed forearms for an eye at a position in the model frame, m.

        Args:
            still: whether eyes other than the driver's see the fixed forearms.
        """
        if self.arms and self.eyes is not None:
            distance = math.dist(eye, self.eyes)
            self.own = distance < OWN_EYES
            self.show(self.own or (distance < NEAR and not still and bool(self.forms)))

    def show(self, shown: bool) -> None:
        """Show the moving forearms and the figure without forearms, or the whole figure alone."""
        if shown != self.shown:
            self.shown = shown
            for path, *_ in self.arms:
                path.unstash() if shown else path.stash()
            if self.forms:
                self.figure.node().setGeom(0, self.forms[1 if shown else 0])
            if shown and self._wheel:
                wheel, rest, angle = self._wheel
                self.hold(wheel.getPos(), rest, angle)

    def follow(self, wheel: NodePath, rest: LQuaternionf, angle: float) -> None:
        """Put the hands on the wheel (see `hold`) while they are shown; for eyes outside only after each STEP.

        Args:
            wheel: node of the steering wheel.
        """
        last = self._wheel
        if last and last[1] is rest and abs(angle - last[2]) <= (0.0 if self.own else STEP):
            return
        self._wheel = (wheel, rest, angle)
        if self.shown:
            self.hold(wheel.getPos(), rest, angle)

    def hold(self, centre: LVecBase3f, rest: LQuaternionf, angle: float) -> None:
        """Put the hands on a steering wheel.

        Args:
            centre: middle of the wheel in the body frame, m.
            rest: its orientation when straight.
            angle: its rotation, rad, positive to the right.
        """
        pose = wheel_turn(min(max(angle, -MAX_TURN), MAX_TURN)) * rest
        for path, elbow, on_rim, thumb in self.arms:
            grip = LVector3f(centre) + pose.xform(on_rim)
            forward = grip - elbow
            forward.normalize()
            right = forward.cross(pose.xform(thumb))
            right.normalize()
            up = right.cross(forward)
            path.setMat(LMatrix4f(*right, 0.0, *forward, 0.0, *up, 0.0, *grip, 1.0))
