"""The driver's hands on the steering wheel, as his own eyes and those near by see them.

They go with the rim as far as arms can without letting go; from there the rim slips through them. Each forearm is on
the line from its elbow, which stays, to where its hand is, the thumb along the rim. The frame of a forearm is that of
assets/build/hands.py. Instead a plain pair of forearms that stays is drawn from farther away, of vehicles that
are not watched, and in the small picture of software OpenGL from everywhere but his own eyes.
"""

from __future__ import annotations

import math

from panda3d.core import Geom, LMatrix4f, LQuaternionf, LVecBase3f, LVector3f, NodePath

from driving_sandbox.game.view.gl.geometry import joined, mesh, read_rows
from driving_sandbox.game.view.light.mirrors import FLANK_MASK
from driving_sandbox.game.view.light.shadow import STATIC_MASK, VEHICLE_MASK
from driving_sandbox.game.view.vehicle.model import VehicleModel

FARTHEST = math.radians(80.0)  # of the wheel to either side; one hand is at its top then, the other below
COLUMNS = ("vertex", "normal", "look")
OWN_EYES = 0.45  # m round the driver's eyes: from there he sees them himself
STEP = 0.02  # rad of the wheel: hands go on by 3 mm, a third of a pixel of 1080 from the chase camera
NEAR = 9.0  # m; the chase camera is nearer, and from there a hand is 12 pixels of 1080


def wheel_turn(angle: float) -> LQuaternionf:
    """Of the steering wheel about its own axis, rad to the right."""
    return LQuaternionf(math.cos(0.5 * angle), 0.0, math.sin(0.5 * angle), 0.0)


def _as_one(*geoms: Geom) -> Geom:
    """All in one draw call."""
    return mesh(*joined([read_rows(geom, *COLUMNS) for geom in geoms]), *COLUMNS)


class Hands:
    """The nodes `forearm_left` and `forearm_right` below `body`; none are no hands. `driver_forearms` become a part of
    the figure, which is drawn without them while these are.

    `shown`: whether those that move are drawn. own: whether from the driver's eyes. `forms` of the figure.
    """

    def __init__(self, body: NodePath, model: VehicleModel) -> None:
        eye = model.node_position("eye_pos")
        self.eyes = None if eye is None else tuple(eye.tolist())  # numbers: compared with the eye in every frame
        self.arms: list[tuple[NodePath, LVector3f, LVector3f, LVector3f]] = []
        self.shown, self.own, self._held = True, False, None
        self.figure, self.forms = body.find("driver"), ()
        plain = body.find("driver_forearms")
        if not plain.isEmpty() and not self.figure.isEmpty():
            bare = self.figure.node().getGeom(0).makeCopy()
            self.forms = (_as_one(bare, plain.node().getGeom(0)), bare)
            plain.removeNode()
            self.figure.node().setGeom(0, self.forms[0])
        wheel = model.parts.get("steering_wheel")
        for side, name in ((-1.0, "forearm_left"), (1.0, "forearm_right")):
            elbow = model.node_position(f"{name}_elbow")
            if name in model.parts and elbow is not None and self.eyes is not None and wheel is not None:
                grip = LMatrix4f(wheel.rest)
                grip.invertInPlace()
                on_rim = LVector3f(grip.xformPoint(LVecBase3f(*model.node_position(name))))
                thumb = LVector3f(0.0, side, 0.0).cross(-on_rim)
                thumb.normalize()
                path = body.find(name)
                path.hide(STATIC_MASK | VEHICLE_MASK | FLANK_MASK)
                self.arms.append((path, LVector3f(*elbow), on_rim, thumb))
        self.show(False)

    def see(self, eye, still: bool = False) -> None:
        """Show them to an eye at this position in the model, which is the driver's if it is near enough; `still`: from
        outside the plain ones."""
        if self.arms:
            away = math.dist(eye, self.eyes)
            self.own = away < OWN_EYES
            self.show(self.own or (away < NEAR and not still and bool(self.forms)))

    def show(self, shown: bool) -> None:
        if shown != self.shown:
            self.shown = shown
            for path, *_ in self.arms:
                path.unstash() if shown else path.stash()
            if self.forms:
                self.figure.node().setGeom(0, self.forms[1 if shown else 0])
            if shown and self._held:
                wheel, rest, angle = self._held
                self.hold(wheel.getPos(), rest, angle)

    def follow(self, wheel: NodePath, rest: LQuaternionf, angle: float) -> None:
        """`hold` the node of the wheel while they are shown, and when they will be; for eyes outside in steps."""
        held = self._held
        if held and held[1] is rest and abs(angle - held[2]) <= (0.0 if self.own else STEP):
            return
        self._held = (wheel, rest, angle)
        if self.shown:
            self.hold(wheel.getPos(), rest, angle)

    def hold(self, centre, rest: LQuaternionf, angle: float) -> None:
        """On a wheel with its middle there and, when straight, with this pose, that has turned by `angle` rad."""
        pose = wheel_turn(min(max(angle, -FARTHEST), FARTHEST)) * rest
        for path, elbow, on_rim, thumb in self.arms:
            grip = LVector3f(centre) + pose.xform(on_rim)
            ahead = grip - elbow
            ahead.normalize()
            right = ahead.cross(pose.xform(thumb))
            right.normalize()
            up = right.cross(ahead)
            path.setMat(LMatrix4f(*right, 0.0, *ahead, 0.0, *up, 0.0, *grip, 1.0))
