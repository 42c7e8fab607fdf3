"""The twin: a second, planar model driven with the same commands, to show what a simpler model lacks.

    ./drive --twin planar_roadster

The twin is one more vehicle of the world, stepped in the same ticks and recorded and verified with it. It gets the
command of the player's vehicle (the car) in the same tick, touches nothing and is drawn as a ghost. Channels of car and
twin are stored for plots; `join` moves the twin to the car again, with the car's motion.

A planar vehicle has no bodywork and passes through everything. Other types would collide with the car and are refused.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from driving_sandbox.game.plots.history import ChannelHistory
from driving_sandbox.physics.maths.quat import rotate_inverse
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.vehicle.vehicle import Vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.placing import heading_of

RATE_CHANNEL = "body.angular_velocity.z"
CHANNELS = ("car.speed", RATE_CHANNEL, "car.lateral_g")
SPAN = 10.0  # s, length of the plotted history


def load_twin(name: str | Path) -> Vehicle:
    """Load the vehicle of `--twin`.

    Raises:
        ConfigError: the file is wrong, or the vehicle is not planar, so it would collide with the car.
    """
    vehicle = load_vehicle(name)
    if vehicle.info.get("type") != "planar":
        raise ConfigError(
            name, None, "type", f"a twin must be of type planar; {vehicle.name} would collide with the car"
        )
    return vehicle


def twin_among(vehicles: Sequence[Vehicle | None]) -> int | None:
    """Index of the twin among the vehicles of a recorded drive, or None.

    The twin is the last of several vehicles if that is planar. A vehicle that cannot be built is None in the list.
    """
    last = len(vehicles) - 1
    vehicle = vehicles[last] if last >= 1 else None
    if vehicle is None:
        return None
    return last if vehicle.info.get("type") == "planar" else None


class Twin:
    """Drives one vehicle of a session as the twin of the player's vehicle.

    Args:
        session: game.session.session.Session.
        index: index of the twin among the world's vehicles.
    Attributes:
        car_history: ChannelHistory of the player's vehicle over the last SPAN seconds.
        twin_history: ChannelHistory of the twin over the same time.
        shown: whether the twin is drawn and plotted.
    """

    def __init__(self, session: Any, index: int) -> None:
        self._session, self.index = session, index
        session.drivers[index] = self._drive
        self.car_history, self.twin_history = ChannelHistory(SPAN), ChannelHistory(SPAN)
        self.shown = True

    vehicle = property(lambda self: self._session.world.vehicles[self.index])

    def _drive(self, situation: Any) -> Any:
        """The driver of the twin: the command of the player's vehicle."""
        return self._session.command

    def join(self) -> None:
        """Give the twin the car's position, heading, horizontal velocity, yaw rate and, if it has it, gear."""
        car, twin = self._session.vehicle, self.vehicle
        heading = heading_of(car)
        twin.put(car.model_position(), (0.0, 0.0, math.sin(0.5 * heading), math.cos(0.5 * heading)))
        body, car_body = twin.state["body"][0], car.state["body"][0]
        body["velocity"][:2] = car_body["velocity"][:2]
        body["angular_velocity"][2] = car_body["angular_velocity"][2]
        gear = self._session.situation.target_gear
        if gear < int(twin.params["gearbox"]["ratios"]["count"][0]):
            twin.state["gearbox"]["current_gear"] = twin.state["gearbox"]["target_gear"] = gear
            twin.state["autobox"]["gear"] = gear
        self._session.changes.record_jump("twin joins", moved=[self.index], vehicle=self.index)

    def jumped(self) -> None:
        """Clear the plots after a jump of the world."""
        self.car_history.clear()
        self.twin_history.clear()

    def sample(self, time: float) -> None:
        """Store the channels of car and twin at a simulated time, s."""
        for history, vehicle in ((self.car_history, self._session.vehicle), (self.twin_history, self.vehicle)):
            history.follow(vehicle, CHANNELS)
            history.sample(time)

    @property
    def offset(self) -> tuple[float, float]:
        """(m ahead, m to the right) of the twin's model origin relative to the car's, in the car's axes."""
        offset = np.subtract(self.vehicle.model_position(), self._session.vehicle.model_position())
        right, ahead, _ = rotate_inverse(self._session.vehicle.model_orientation(), tuple(offset.tolist()))
        return ahead, right
