"""What a session tells others of a vehicle: to a driver before a tick, to a picture after it."""

import math

import numpy as np

from game.view.frame import VehicleFrame
from physics.command.commands import FIRST, REVERSE
from physics.quat import rotate


class Poses:
    """Where a vehicle is, read anew at every call: views of its records, for looking a field up costs as much as
    reading it."""

    def __init__(self, vehicle):
        state, names, n = vehicle.state, vehicle.state.dtype.names, vehicle.wheel_count
        body, wheels = state["body"][0], state["wheel"][0, :n]
        self.place, self._turn, self._velocity = (body[name] for name in ("position", "orientation", "velocity"))
        self._centre = vehicle.params["body"]["centre_of_mass"][0]
        self._wheels = [wheels[name] for name in ("position", "orientation", "hub_orientation")]
        self._input = state["input"] if "input" in names else None
        self.gearbox = state["gearbox"] if "gearbox" in names else None
        self._engine_speed = state["engine"]["omega"] if "engine" in names else None

    def model(self):
        """(position, orientation) of the model's origin, as `Vehicle.model_pose`."""
        turn = tuple(self._turn.tolist())
        x, y, z = self.place.tolist()
        cx, cy, cz = self._centre.tolist()
        ox, oy, oz = rotate(turn, (-cx, -cy, -cz))
        return (x + ox, y + oy, z + oz), turn

    def motion(self):
        """(model position, model orientation, forward axis, forward speed)."""
        position, turn = self.model()
        ahead = fx, fy, fz = rotate(turn, (0.0, 1.0, 0.0))
        vx, vy, vz = self._velocity.tolist()
        return position, turn, ahead, fx * vx + fy * vy + fz * vz

    def fill(self, frame):
        """Write the present poses into a VehicleFrame."""
        frame.body_position[:], _, _, frame.speed = self.motion()
        frame.body_orientation[:] = self._turn
        frame.wheel_position[:], frame.wheel_orientation[:], frame.hub_orientation[:] = self._wheels
        if self._input is not None:
            frame.steer_command, frame.brake = self._input["steer"].item(), self._input["brake"].item()
        if self.gearbox is not None:
            frame.reverse = self.gearbox["current_gear"].item() == REVERSE
        if self._engine_speed is not None:
            frame.engine_speed = self._engine_speed.item()


class Situation:
    """What a driver may know when a tick begins; one object, valid during the call.

    Attributes:
        vehicle: the Vehicle (read only). poses: its Poses. tick, dt: number and length (s) of the coming tick.
        commanded_gear: gear of the last command.
    """

    def __init__(self, vehicle, dt):
        self.vehicle, self.tick, self.dt = vehicle, 0, dt
        self.poses = Poses(vehicle)
        self.commanded_gear = FIRST
        gearbox = self.poses.gearbox
        self._gears = None if gearbox is None else (gearbox["current_gear"], gearbox["target_gear"])

    @property
    def time(self):
        """Simulated seconds since the start."""
        return self.tick * self.dt

    @property
    def position(self):
        """Model origin, m."""
        return self.poses.model()[0]

    @property
    def height(self):
        """Of the centre of mass, m."""
        return self.poses.place[2]

    @property
    def motion(self):
        """(position, heading, forward speed) at once."""
        position, _, (fx, fy, _), speed = self.poses.motion()
        return position, math.atan2(-fx, fy), speed

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
        return self.commanded_gear if self._gears is None else self._gears[0].item()

    @property
    def target_gear(self):
        """Gear being engaged."""
        return self.commanded_gear if self._gears is None else self._gears[1].item()


def new_frame(vehicle):
    """A VehicleFrame with arrays for a vehicle, to be filled again and again."""
    n = vehicle.wheel_count
    return VehicleFrame(
        wheel_count=n, wheel_position=np.zeros((n, 3)), wheel_orientation=np.zeros((n, 4)),
        hub_orientation=np.zeros((n, 4)),
    )


def fill_frame(frame, vehicle):
    """Write a vehicle's present poses into a frame."""
    Poses(vehicle).fill(frame)
