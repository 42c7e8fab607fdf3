"""The dials behind the steering wheel: marks, numerals, and needles for speed and engine speed.

assets/build/dials.py describes the nodes and their properties. The dials are drawn only for an eye in the vehicle or
next to it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from panda3d.core import LQuaternionf, NodePath

from driving_sandbox.game.session.frame import VehicleFrame
from driving_sandbox.game.view.light.mirrors import FLANK_MASK
from driving_sandbox.game.view.light.shadow import STATIC_MASK, VEHICLE_MASK
from driving_sandbox.game.view.vehicle.model import VehicleModel

# m, largest distance of the camera from the driver's eyes; farther away, numerals of 7 mm are less than 3 of 1080
# pixels high: illegible
READABLE = 4.5
STOP = math.radians(254.0)  # rotation of a needle from its first mark to its stop, slightly beyond the last mark
QUANTITIES = {"needle_speed": "speed", "needle_engine": "engine_speed"}  # {node: attribute of VehicleFrame}


class Dials:
    """The nodes `dials`, `needle_speed` and `needle_engine` below `body`, as far as the model has them.

    Attributes:
        eyes: position of the driver's eyes in the model frame, m; None if the model has no node `eye_pos`: dials and
            needles then stay as modelled.
        shown: whether the dials are drawn; meaningless for a model without `eye_pos` or without dials.
        needles: [(node, rest orientation, attribute of VehicleFrame, rad per unit)].
    """

    def __init__(self, body: NodePath, model: VehicleModel) -> None:
        eye = model.node_position("eye_pos")
        self.eyes = None if eye is None else tuple(eye.tolist())
        self.shown = True
        self.needles: list[tuple[NodePath, LQuaternionf, str, float]] = []
        self._paths = []  # nodes of dials and needles
        if self.eyes is None:
            return
        for name in ("dials", *QUANTITIES):
            path = body.find(name)
            if path.isEmpty():
                continue
            path.hide(STATIC_MASK | VEHICLE_MASK | FLANK_MASK)
            self._paths.append(path)
            if name in QUANTITIES:
                per_unit = model.parts[name].number("per_unit", "0")
                self.needles.append((path, LQuaternionf(path.getQuat()), QUANTITIES[name], per_unit))

    def see(self, eye: Sequence[float]) -> None:
        """Show the dials if an eye at a position in the model frame, m, is near enough to read them."""
        visible = self.eyes is not None and bool(self._paths) and math.dist(eye, self.eyes) < READABLE
        if visible != self.shown:
            self.shown = visible
            for path in self._paths:
                path.unstash() if visible else path.stash()

    def turn(self, frame: VehicleFrame) -> None:
        """Set the needles to the values of a VehicleFrame."""
        for path, rest, quantity, per_unit in self.needles:
            angle = min(abs(getattr(frame, quantity)) * per_unit, STOP)
            path.setQuat(LQuaternionf(math.cos(0.5 * angle), 0.0, math.sin(0.5 * angle), 0.0) * rest)
