"""States of a vehicle's lamps; shaders/vehicle.frag draws the lamps and lets the turn signals flash.

Brake lamps are lit while the brake is pressed, reversing lamps in reverse gear, headlamps at dusk or as the driver
switches them, turn signals as the driver switches them.
"""

from __future__ import annotations

from panda3d.core import LVecBase4f, NodePath, PTA_LVecBase4f

from driving_sandbox.game.session.frame import VehicleFrame

LEFT, RIGHT = 1, 2  # bits of the turn signals; both together are the hazard lights
FLASHES = 1.5  # flashes/s of turn signals, lit in the first half of each; as in shaders/vehicle.frag


class Lamps:
    """Lamps of the nodes below `root`, the node of a vehicle.

    Attributes:
        head: whether the headlamps are on; set by the driver's switch and by each change of the time of day.
        turn: 0, LEFT, RIGHT or both.
    """

    def __init__(self, root: NodePath, head: bool) -> None:
        self.head, self.turn = head, 0
        self._shown = PTA_LVecBase4f([LVecBase4f(0)])  # brake, reverse, head (0 or 1 each) and turn, for the shader
        root.setShaderInput("lamps", self._shown)

    def show(self, frame: VehicleFrame) -> None:
        """Set the lamps that are lit in this frame."""
        self._shown.setElement(0, LVecBase4f(frame.brake > 0.0, frame.reverse, self.head, self.turn))

    @property
    def on(self) -> dict[str, bool]:
        """{lamp: whether it is lit}; for turn signals, whether they are switched on."""
        brake, reverse, head, turn = self._shown.getElement(0)
        return {"brake": brake > 0.0, "reverse": reverse > 0.0, "head": head > 0.0,
                "left": bool(int(turn) & LEFT), "right": bool(int(turn) & RIGHT)}  # fmt: skip
