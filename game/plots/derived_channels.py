"""Channels that the plots compute from a vehicle's state, in addition to the vehicle's own channels.

Accelerations are those of lab/acceleration.py: in the vehicle's axes, horizontal, without gravity.
`car.balance` is the magnitude of the front axle's mean slip angle, each wheel weighted by its load, minus that of the
rear axle. Positive is understeer: the front slides more (Milliken, Race Car Vehicle Dynamics, ch. 5).
`car.airspeed` and `car.aerodynamic_yaw_angle` are magnitude and direction of the velocity through the air, in the plane
of the body's x and y axes, as in physics/aero/road_car.py, with the present wind.
`trailerN.hitch_force` is the impulse on the coupling in the last substep, divided by the substep's length. The length
follows from the vehicle's tick count; a replay from stored poses alone has no tick count, hence no force (NaN).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.game.toolkit.units import RPM_PER_RAD_S
from driving_sandbox.lab.acceleration import Accelerometer, G
from driving_sandbox.physics.base.record import field_names
from driving_sandbox.physics.maths.quat import rotate
from driving_sandbox.physics.vehicle.trailers import MAX_TRAILERS, channels_of, member_prefix, split_name
from driving_sandbox.physics.world.placing import heading_of

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

MIN_SPEED = 2.0  # m/s; below it, slip angles say nothing about balance, and the flow angle nothing about wind


@dataclass(frozen=True)
class DerivedChannel:
    """A computed channel, with the attributes of a vehicle's own channel."""

    name: str
    unit: str
    doc: str


DERIVED = {
    channel.name: channel
    for channel in (
        DerivedChannel("car.speed", "m/s", "Forward speed of the centre of mass."),
        DerivedChannel("car.rpm", "rpm", "Engine speed."),
        DerivedChannel("car.longitudinal_g", "g", "Longitudinal acceleration, + forward."),
        DerivedChannel("car.lateral_g", "g", "Lateral acceleration, + to the right."),
        DerivedChannel("car.balance", "rad", "Front slip angle minus rear slip angle, magnitudes: + understeer."),
        DerivedChannel("car.airspeed", "m/s", "Speed of the centre of mass through the air."),
        DerivedChannel("car.aerodynamic_yaw_angle", "rad", "From heading to velocity through air: + wind from left."),
        DerivedChannel("car.ride_height_front", "m", "Model's ground plane above the road at the first axle."),
        DerivedChannel("car.ride_height_rear", "m", "Model's ground plane above the road at the last axle."),
        *(DerivedChannel(f"{member_prefix(k)}articulation", "rad", "Heading relative to the vehicle in front, + left.")
          for k in range(1, MAX_TRAILERS + 1)),
        *(DerivedChannel(f"{member_prefix(k)}hitch_force", "N", "Size of the force on the coupling.")
          for k in range(1, MAX_TRAILERS + 1)),
    )
}  # fmt: skip


def plottable(vehicle: Vehicle) -> dict[str, Any]:
    """{name: channel} of everything that can be plotted of a vehicle and its trailers."""
    return {**{name: DERIVED[name] for name in DerivedChannels(vehicle).names}, **channels_of(vehicle)}


class DerivedChannels:
    """Follows one vehicle; `step` once per sample, then `read` by name."""

    def __init__(self, vehicle: Vehicle) -> None:
        self._vehicle, self._state = vehicle, vehicle.state
        slots = field_names(vehicle.state.dtype)
        self.names = [name for name in DERIVED if self._has(name, slots)]
        self._velocity: Any = None  # [3] read by the last `step`, world, m/s
        self._acceleration = Accelerometer()
        self._tick, self._substep = int(self._state["tick"][0]), math.nan  # last tick read; length of a substep, s
        axles = list(vehicle.axles.values())
        self._axles = axles[0], axles[-1]  # wheel indices of the first and the last axle

    def _has(self, name: str, slots: Collection[str]) -> bool:
        """Whether the vehicle has what a derived channel is computed from.

        Args:
            slots: names of the components in its state.
        """
        if name.startswith("trailer"):
            return int(name.partition(".")[0].removeprefix("trailer")) <= len(self._vehicle.trailers)
        if name == "car.rpm":
            return "engine" in slots and "omega" in (self._state.dtype["engine"].names or ())
        if name == "car.balance":
            return "tire" in slots and len(self._vehicle.axles) > 1
        if name.startswith("car.ride_height"):
            return {"road", "suspension"} <= set(slots) and "attachment" in (
                self._vehicle.params.dtype["suspension"].base.names or ()
            )
        return True

    def jumped(self) -> None:
        """To be called after a jump: the change of velocity during it is not an acceleration."""
        self._acceleration.restart()

    def step(self, elapsed: float | None) -> None:
        """Read the present state, `elapsed` seconds after the last one; None for the first one."""
        body = self._state["body"][0]
        velocity, q = body["velocity"].tolist(), tuple(body["orientation"].tolist())
        self._forward = rotate(q, (0.0, 1.0, 0.0))
        self._acceleration.step(self._state["body"], elapsed)
        self._velocity = velocity
        ticks, self._tick = int(self._state["tick"][0]) - self._tick, int(self._state["tick"][0])
        if elapsed and ticks > 0:
            self._substep = elapsed / ticks / int(self._vehicle.context["substep_count"][0])

    def continue_from(self, other: DerivedChannels) -> None:
        """Take over the velocity, acceleration and tick that `other` has read from an equal vehicle."""
        self._velocity, self._acceleration, self._tick = other._velocity, other._acceleration, other._tick

    def read(self, name: str) -> float:
        """The value of one of `names` at the last step; NaN where it has no meaning."""
        if name == "car.speed":
            return _dot(self._velocity, self._forward)
        if name == "car.rpm":
            return float(self._state["engine"]["omega"][0]) * RPM_PER_RAD_S
        if name == "car.balance":
            return self._balance()
        if name.startswith("trailer"):
            return self._of_trailer(name)
        if name.startswith("car.ride_height"):
            return self._ride_height(self._axles[0] if name.endswith("front") else self._axles[1])
        if name in ("car.airspeed", "car.aerodynamic_yaw_angle"):
            return self._air_flow()[name == "car.aerodynamic_yaw_angle"]  # False is index 0, the airspeed
        right, forward = self._acceleration.value
        return (forward if name == "car.longitudinal_g" else right) / G

    def _air_flow(self) -> tuple[float, float]:
        """(airspeed in m/s, yaw angle in rad or NaN at low airspeed)."""
        right = rotate(tuple(self._state["body"]["orientation"][0].tolist()), (1.0, 0.0, 0.0))
        wind = self._vehicle.context["wind"][0].tolist()
        velocity = [v - w for v, w in zip(self._velocity, wind, strict=True)]
        ahead, aside = _dot(velocity, self._forward), _dot(velocity, right)
        speed = math.hypot(ahead, aside)
        return speed, math.atan2(-aside, ahead) if speed >= MIN_SPEED else math.nan

    def _of_trailer(self, name: str) -> float:
        """Articulation angle, rad, or hitch force, N, of a trailer."""
        k, quantity = split_name(self._vehicle, name)
        members = (self._vehicle, *self._vehicle.trailers)
        if quantity == "articulation":
            angle = heading_of(members[k]) - heading_of(members[k - 1])
            return (angle + math.pi) % (2.0 * math.pi) - math.pi
        return math.hypot(*members[k].state["contact"]["solver"]["hitch"]["ball_impulse"][0].tolist()) / self._substep

    def _balance(self) -> float:
        """Front minus rear mean slip angle, magnitudes, rad; NaN below MIN_SPEED."""
        if abs(_dot(self._velocity, self._forward)) < MIN_SPEED:
            return math.nan
        tire = self._state["tire"][0]
        front, rear = (self._slip(tire, wheels) for wheels in self._axles)
        return front - rear

    @staticmethod
    def _slip(tire: np.void, wheels: Sequence[int]) -> float:
        """Magnitude of an axle's mean slip angle, each wheel weighted by its load, rad."""
        loads = [float(tire["load"][i]) for i in wheels]
        total = sum(loads)
        if total <= 0.0:
            return math.nan
        return abs(sum(load * float(tire["lateral_slip"][i]) for load, i in zip(loads, wheels, strict=True)) / total)

    def _ride_height(self, wheels: Sequence[int]) -> float:
        """Mean height of the model's ground plane above the road at an axle's wheels, m; NaN if one has no road."""
        road, vehicle = self._state["road"][0], self._vehicle
        attachments = vehicle.params["suspension"]["attachment"][0]
        origin, orientation = vehicle.model_position(), tuple(vehicle.model_orientation())
        heights = []
        for i in wheels:
            if not road["hit"][i]:
                return math.nan
            arm = rotate(orientation, (float(attachments[i][0]), float(attachments[i][1]), 0.0))
            position = [o + a for o, a in zip(origin, arm, strict=True)]
            heights.append(_dot(road["normal"][i].tolist(), position) + float(road["offset"][i]))
        return sum(heights) / len(heights)


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
