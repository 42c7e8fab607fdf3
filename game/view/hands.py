"""The driver's hands on the steering wheel, as his own eyes and those near by see them.

They go with the rim as far as arms can without letting go; from there the rim slips through them. Each forearm lies on
the line from its elbow, which stays, to where its hand is, the thumb along the rim. The frame of a forearm is that of
assets/build/hands.py. From farther away, and in the small picture of software OpenGL from everywhere but his own eyes,
a plain pair of forearms that stays is drawn in their place.
"""

from __future__ import annotations

import math

from panda3d.core import LMatrix4f, LQuaternionf, LVecBase3f, LVector3f, NodePath

from game.view.mirrors import FLANK_MASK
from game.view.model import VehicleModel
from game.view.shadow import STATIC_MASK, VEHICLE_MASK

FARTHEST = math.radians(80.0)  # of the wheel to either side; one hand is at its top then, the other below
OWN_EYES = 0.45  # m round the driver's eyes: from there he sees them himself
NEAR = 9.0  # m; the chase camera is nearer, and from there a hand is 12 pixels of 1080


def wheel_turn(angle: float) -> LQuaternionf:
    """Of the steering wheel about its own axis, rad to the right."""
    return LQuaternionf(math.cos(0.5 * angle), 0.0, math.sin(0.5 * angle), 0.0)


class Hands:
    """The nodes `forearm_left` and `forearm_right` below `body`, and `driver_forearms`; none are no hands.

    `shown`: whether those that move are drawn. own: whether from the driver's eyes.
    """

    def __init__(self, body: NodePath, model: VehicleModel):
        self.eyes = model.place("eye_pos")
        self.arms: list[tuple[NodePath, LVector3f, LVector3f, LVector3f]] = []
        self.shown, self.own, self._held = True, False, None
        self.plain = body.find("driver_forearms")
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

    def see(self, eye, small: bool = False) -> None:
        """Show them to an eye at this place of the model, which is the driver's if it is near enough; `small`: in the
        small picture of software OpenGL."""
        if self.arms:
            away = math.dist(eye, self.eyes)
            self.own = away < OWN_EYES
            self.show(self.own or (away < NEAR and not small and not self.plain.isEmpty()))

    def show(self, shown: bool) -> None:
        if shown != self.shown:
            self.shown = shown
            for path, *_ in self.arms:
                path.show() if shown else path.hide()
            if not self.plain.isEmpty():
                self.plain.hide() if shown else self.plain.show()
            if shown and self._held:
                self.hold(*self._held)

    def follow(self, *held) -> None:
        """`hold` while they are shown, and when they will be; only where something of it has changed."""
        if held != self._held:
            self._held = held
            if self.shown:
                self.hold(*held)

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
