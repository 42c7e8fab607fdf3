"""What a session tells others of a vehicle: to a driver before a tick, to a picture after it."""

import math

import numpy as np

from game.view.frame import VehicleFrame
from physics.command.commands import FIRST, REVERSE
from physics.quat import rotate


class Situation:
    """What a driver may know when a tick begins; one object, valid during the call.

    Attributes:
        vehicle: the Vehicle (read only). tick, dt: number and length (s) of the coming tick.
        commanded_gear: gear of the last command.
    """

    def __init__(self, vehicle, dt):
        self.vehicle, self.tick, self.dt = vehicle, 0, dt
        self.commanded_gear = FIRST
        self._gearbox = vehicle.state["gearbox"] if "gearbox" in vehicle.state.dtype.names else None
        self._places = vehicle.state["body"]["position"]  # looking a field up costs as much as reading it

    @property
    def time(self):
        """Simulated seconds since the start."""
        return self.tick * self.dt

    @property
    def position(self):
        """Model origin, m."""
        return self.vehicle.model_position()

    @property
    def height(self):
        """Of the centre of mass, m."""
        return self._places[0, 2]

    @property
    def motion(self):
        """(position, heading, forward speed) at once."""
        position, turn = self.vehicle.model_pose()
        fx, fy, fz = rotate(turn, (0.0, 1.0, 0.0))
        vx, vy, vz = self.vehicle.state["body"]["velocity"][0].tolist()
        return position, math.atan2(-fx, fy), fx * vx + fy * vy + fz * vz

    @property
    def heading(self):
        """Yaw from +y, positive to the left, rad."""
        return self.motion[1]

    @property
    def forward_speed(self):
        """Along the vehicle, m/s."""
        return self.motion[2]

    @property
    def gear(self):
        """Gear that is engaged, as an index; without a gearbox the one commanded last."""
        return self.commanded_gear if self._gearbox is None else int(self._gearbox["current_gear"][0])

    @property
    def target_gear(self):
        """Gear being engaged."""
        return self.commanded_gear if self._gearbox is None else int(self._gearbox["target_gear"][0])


def new_frame(vehicle):
    """A VehicleFrame with arrays for a vehicle, to be filled again and again."""
    n = vehicle.wheel_count
    return VehicleFrame(
        wheel_count=n, wheel_position=np.zeros((n, 3)), wheel_orientation=np.zeros((n, 4)),
        hub_orientation=np.zeros((n, 4)),
    )


def fill_frame(frame, vehicle):
    """Write a vehicle's present poses into a frame."""
    state, n = vehicle.state, vehicle.wheel_count
    wheels, names = state["wheel"], state.dtype.names
    frame.body_position[:], turn = vehicle.model_pose()
    frame.body_orientation[:] = turn
    fx, fy, fz = rotate(turn, (0.0, 1.0, 0.0))
    vx, vy, vz = state["body"]["velocity"][0].tolist()
    frame.speed = fx * vx + fy * vy + fz * vz
    frame.wheel_position[:] = wheels["position"][0, :n]
    frame.wheel_orientation[:] = wheels["orientation"][0, :n]
    frame.hub_orientation[:] = wheels["hub_orientation"][0, :n]
    if "input" in names:
        frame.steer_command, frame.brake = float(state["input"]["steer"][0]), float(state["input"]["brake"][0])
    if "gearbox" in names:
        frame.reverse = int(state["gearbox"]["current_gear"][0]) == REVERSE
    if "engine" in names:
        frame.engine_speed = float(state["engine"]["omega"][0])
