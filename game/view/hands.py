"""The driver's hands on the steering wheel, as his own eyes see them.

They go with the rim as far as arms can without letting go; from there the rim slips through them. Each forearm lies on
the line from its elbow, which stays, to where its hand is, the thumb along the rim. The frame of a forearm is that of
assets/build/hands.py.
"""

from __future__ import annotations

import math

from panda3d.core import LMatrix4f, LQuaternionf, LVecBase3f, LVector3f, NodePath

from game.view.mirrors import FLANK_MASK
from game.view.model import VehicleModel
from game.view.shadow import STATIC_MASK, VEHICLE_MASK

FARTHEST = math.radians(80.0)  # of the wheel to either side; one hand is at its top then, the other below
OWN_EYES = 0.45  # m round the driver's eyes: from there they are seen


def wheel_turn(angle: float) -> LQuaternionf:
    """Of the steering wheel about its own axis, rad to the right."""
    return LQuaternionf(math.cos(0.5 * angle), 0.0, math.sin(0.5 * angle), 0.0)


class Hands:
    """The nodes `forearm_left` and `forearm_right` below `body`; none are no hands."""

    def __init__(self, body: NodePath, model: VehicleModel):
        self.eyes = model.place("eye_pos")
        self.arms: list[tuple[NodePath, LVector3f, LVector3f, LVector3f]] = []
        self.shown = True
        wheel = model.parts.get("steering_wheel")
        for side, name in ((-1.0, "forearm_left"), (1.0, "forearm_right")):
            elbow = model.place(f"{name}_elbow")
            if name in model.parts and elbow is not None and self.eyes is not None and wheel is not None:
                grip = LMatrix4f(wheel.rest)
                grip.invertInPlace()
                on_rim = LVector3f(grip.xformPoint(LVecBase3f(*model.place(name))))
                thumb = LVector3f(0.0, side, 0.0).cross(-on_rim)
                thumb.normalize()
                path = body.find(name)
                path.hide(STATIC_MASK | VEHICLE_MASK | FLANK_MASK)
                self.arms.append((path, LVector3f(*elbow), on_rim, thumb))
        self.show(False)

    def see(self, eye) -> None:
        """Show them to an eye at this place of the model, which is the driver's if it is near enough."""
        if self.arms:
            self.show(math.dist(eye, self.eyes) < OWN_EYES)

    def show(self, shown: bool) -> None:
        if shown != self.shown:
            self.shown = shown
            for path, *_ in self.arms:
                path.show() if shown else path.hide()

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
