"""The listener of a soundtrack, and of a drive with the same camera, who follows the first vehicle of a world.

`chase` is behind and above the vehicle, and turns behind it with a lag; it stays level when the vehicle rolls over.
`cabin` is near the centre of mass, `bonnet` just behind the front axle and above it; both turn with the vehicle.
`cabin_back` and `bonnet_back` are those of a view to the rear: position and ears rotated by half a turn about the
vehicle.
"""

import math

import numpy as np

from driving_sandbox.physics.base.user_error import WrongValue
from driving_sandbox.physics.maths.quat import rotate
from driving_sandbox.physics.schema.yaml_file import key_hint
from driving_sandbox.physics.world.world import World
from driving_sandbox.sound.axles import axle_positions
from driving_sandbox.sound.space.listener import LISTENER

CAMERAS = ("chase", "cabin", "bonnet", "cabin_back", "bonnet_back")
LOOKING_BACK = {"cabin": "cabin_back", "bonnet": "bonnet_back"}  # {camera: that of the same seat's view to the rear}
IN_CABIN, ON_BONNET = ("cabin", "cabin_back"), ("bonnet", "bonnet_back")
BEHIND, BEHIND_PER_WHEELBASE = 2.5, 1.5  # m, and per wheelbase: 6 m for a car, 10 m for a lorry
ABOVE, ABOVE_PER_WHEELBASE = 0.8, 0.4
TURN_TIME = 0.4  # s, time constant with which the listener turns behind the vehicle
STEEP = 0.1  # horizontal share of the longitudinal axis below which the direction is kept
HEAD = (0.0, -0.2, 0.45)  # m, of the driver's head from the centre of mass of a car, body axes
BEHIND_AXLE = 0.3  # m, of the listener on the bonnet, from the front axle
ABOVE_BONNET = 0.5  # m, from the centre of mass


class Follower:
    """A listener who moves with the first vehicle of a world. camera: one of CAMERAS; raises WrongValue for another."""

    def __init__(self, world: World, camera: str = "chase") -> None:
        if camera not in CAMERAS:
            raise WrongValue(f"no camera {camera!r}{key_hint(camera, CAMERAS)}; known: {', '.join(CAMERAS)}")
        self._world, self._camera = world, camera
        front, rear = axle_positions(world.vehicles[0])
        # of a listener in the vehicle from its centre of mass, m, body axes
        x, y, z = HEAD if camera in IN_CABIN else (0.0, front - BEHIND_AXLE, ABOVE_BONNET)
        sense = -1.0 if camera in LOOKING_BACK.values() else 1.0
        self._seat, self._right = (sense * x, sense * y, z), (sense, 0.0, 0.0)
        self._behind = BEHIND + BEHIND_PER_WHEELBASE * (front - rear)
        self._above = ABOVE + ABOVE_PER_WHEELBASE * (front - rear)
        self._ahead: tuple[float, float] | None = None  # horizontal unit vector
        self._listener = np.zeros(1, LISTENER)

    def restart(self) -> None:
        """The world has jumped: look along the vehicle at once, without lag."""
        self._ahead = None

    def listen(self) -> np.ndarray:
        """LISTENER [1] after a tick, valid until the next call; call once for each."""
        body = self._world.vehicles[0].state["body"][0]
        position, orientation = body["position"], tuple(body["orientation"].tolist())
        listener = self._listener
        if self._camera != "chase":
            listener["position"] = position + rotate(orientation, self._seat)
            listener["right"] = rotate(orientation, self._right)
            listener["inside"], listener["bonnet"] = self._camera in IN_CABIN, self._camera in ON_BONNET
            return listener
        x, y = self._turned(rotate(orientation, (0.0, 1.0, 0.0)))
        listener["position"] = position - (self._behind * x, self._behind * y, -self._above)
        listener["right"] = (y, -x, 0.0)
        return listener

    def _turned(self, forward: tuple[float, float, float]) -> tuple[float, float]:
        """Horizontal direction in which the listener looks, after a tick."""
        length = math.sqrt(forward[0] * forward[0] + forward[1] * forward[1])
        if self._ahead is None:
            self._ahead = (forward[0] / length, forward[1] / length) if length > STEEP else (0.0, 1.0)
        elif length > STEEP:
            share = 1.0 / (1.0 + TURN_TIME / self._world.tick_seconds)
            x = self._ahead[0] + share * (forward[0] / length - self._ahead[0])
            y = self._ahead[1] + share * (forward[1] / length - self._ahead[1])
            size = math.sqrt(x * x + y * y)
            self._ahead = (x / size, y / size) if size > STEEP else self._ahead  # it spins faster than one can follow
        return self._ahead
