"""Reads a vehicle's state: the Situation for a driver before a tick, the poses for the renderer after it."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.game.session.frame import VehicleFrame
from driving_sandbox.physics.base.record import field_names
from driving_sandbox.physics.kernel.jit import JIT
from driving_sandbox.physics.maths.quat import rotate
from driving_sandbox.physics.tick.commands import FIRST
from driving_sandbox.physics.world.drawn_poses import read_poses

if TYPE_CHECKING:
    from driving_sandbox.game.session.frame import Frames
    from driving_sandbox.physics.vehicle.vehicle import Vehicle


class Poses:
    """Reads the poses of a vehicle from views of its records; the views are looked up only once, to save time."""

    def __init__(self, vehicle: "Vehicle") -> None:
        state, names, n = vehicle.state, field_names(vehicle.state.dtype), vehicle.wheel_count
        body, wheels = state["body"][0], state["wheel"][0, :n]
        # `position` is that of the centre of mass
        self.position, self._orientation, self._velocity = body["position"], body["orientation"], body["velocity"]
        self._centre = vehicle.params["body"]["centre_of_mass"][0]  # in the model frame, m
        self._wheels = [wheels[name] for name in ("position", "orientation", "hub_orientation")]
        self._input = state["input"] if "input" in names else None
        self.gearbox = state["gearbox"] if "gearbox" in names else None
        self._neutral_gear: Any = None if self.gearbox is None else vehicle.params["gearbox"]["neutral_gear"]
        self._engine_speed = state["engine"]["omega"] if "engine" in names else None

    has_input = property(lambda self: self._input is not None)
    has_engine = property(lambda self: self._engine_speed is not None)

    def is_reverse(self, gear: float) -> bool:
        """Whether a gear of the gearbox, an index into its ratios, is a reverse gear."""
        return gear < self._neutral_gear.item()

    def addresses(self) -> list[int]:
        """The vehicle's row in the table of `read_poses`: addresses of its fields, 0 for fields that it lacks, and
        between them the distance from wheel to wheel in bytes and the number of wheels."""
        position, orientation, hub = self._wheels
        fields = [self.position, self._orientation, self._velocity, self._centre, position, orientation, hub]
        fields += [None, None] if self._input is None else [self._input["steer"], self._input["brake"]]
        fields += [self._engine_speed, None if self.gearbox is None else self.gearbox["current_gear"]]
        pointers = [0 if field is None else field.ctypes.data for field in fields]
        return [*pointers[:7], position.strides[0], len(position), *pointers[7:]]

    def model(self) -> tuple[tuple[float, float, float], tuple[float, float, float, float]]:
        """(position, orientation) of the model's origin, as `Vehicle.model_pose`."""
        orientation = tuple(self._orientation.tolist())
        x, y, z = self.position.tolist()
        cx, cy, cz = self._centre.tolist()
        ox, oy, oz = rotate(orientation, (-cx, -cy, -cz))
        return (x + ox, y + oy, z + oz), orientation

    def motion(
        self,
    ) -> tuple[tuple[float, float, float], tuple[float, float, float, float], tuple[float, float, float], float]:
        """(model position in m, model orientation, forward axis, forward speed in m/s)."""
        position, orientation = self.model()
        forward = fx, fy, fz = rotate(orientation, (0.0, 1.0, 0.0))
        vx, vy, vz = self._velocity.tolist()
        return position, orientation, forward, fx * vx + fy * vy + fz * vz

    def fill(self, frame: VehicleFrame) -> None:
        """Write the present poses into a VehicleFrame."""
        frame.body_position[:], _, _, frame.speed = self.motion()
        frame.body_orientation[:] = self._orientation
        frame.wheel_position[:], frame.wheel_orientation[:], frame.hub_orientation[:] = self._wheels
        if self._input is not None:
            frame.steer_command, frame.brake = self._input["steer"].item(), self._input["brake"].item()
        if self.gearbox is not None:
            frame.reverse = self.is_reverse(self.gearbox["current_gear"].item())
        if self._engine_speed is not None:
            frame.engine_speed = self._engine_speed.item()


class AllPoses:
    """`Poses` of several vehicles, read together."""

    def __init__(self, poses: "Iterator[Any] | list[Poses]") -> None:
        self._poses = list(poses)
        self._table = np.array([poses.addresses() for poses in self._poses], np.int64)
        self._motions = np.zeros((len(self._poses), 5))  # speed, steer, brake, engine speed and gear of each

    def fill(self, frames: "Frames") -> None:
        """Write the present poses into Frames of the same vehicles."""
        if not JIT:
            for frame, poses in zip(frames, self._poses, strict=True):
                poses.fill(frame)
            return
        read_poses(self._table, frames.positions, frames.orientations, self._motions)
        for frame, poses, motion in zip(frames, self._poses, self._motions.tolist(), strict=True):
            frame.speed, steer, brake, engine_speed, gear = motion
            if poses.has_input:
                frame.steer_command, frame.brake = steer, brake
            if poses.gearbox is not None:
                frame.reverse = poses.is_reverse(gear)
            if poses.has_engine:
                frame.engine_speed = engine_speed


class Situation:
    """The state that a driver sees at the start of a tick. The same object is passed every time; it is valid during
    the call.

    Attributes:
        vehicle: the Vehicle (read only).
        poses: its Poses.
        tick: number of the coming tick.
        dt: length of a tick, s.
        commanded_gear: gear of the last command.
    """

    def __init__(self, vehicle: "Vehicle", dt: float) -> None:
        self.vehicle, self.tick, self.dt = vehicle, 0, dt
        self.poses = Poses(vehicle)
        self.commanded_gear = FIRST
        gearbox = self.poses.gearbox
        self._gears = None if gearbox is None else (gearbox["current_gear"], gearbox["target_gear"])  # views

    @property
    def time(self) -> float:
        """Simulated time since the start, s."""
        return self.tick * self.dt

    @property
    def position(self) -> tuple[float, float, float]:
        """Position of the model origin, m."""
        return self.poses.model()[0]

    @property
    def height(self) -> float:
        """Height of the centre of mass, m."""
        return self.poses.position[2]

    @property
    def motion(self) -> tuple[tuple[float, float, float], float, float]:
        """(position in m, heading in rad, forward speed in m/s), read together."""
        position, _, (fx, fy, _), speed = self.poses.motion()
        return position, math.atan2(-fx, fy), speed

    @property
    def heading(self) -> float:
        """Yaw angle from +y, positive to the left, rad."""
        return self.motion[1]

    @property
    def forward_speed(self) -> float:
        """Speed along the vehicle's forward axis, m/s."""
        return self.motion[2]

    @property
    def gear(self) -> int:
        """Index of the engaged gear; without a gearbox, of the gear commanded last."""
        return self.commanded_gear if self._gears is None else self._gears[0].item()

    @property
    def target_gear(self) -> int:
        """Index of the gear that is being engaged; without a gearbox, of the gear commanded last."""
        return self.commanded_gear if self._gears is None else self._gears[1].item()


def new_frame(vehicle: "Vehicle") -> VehicleFrame:
    """A VehicleFrame with arrays of the right size for a vehicle, to be filled by `fill_frame`."""
    n = vehicle.wheel_count
    return VehicleFrame(
        wheel_count=n,
        wheel_position=np.zeros((n, 3)),
        wheel_orientation=np.zeros((n, 4)),
        hub_orientation=np.zeros((n, 4)),
    )


def fill_frame(frame: VehicleFrame, vehicle: "Vehicle") -> None:
    """Write a vehicle's present poses into a frame."""
    Poses(vehicle).fill(frame)
