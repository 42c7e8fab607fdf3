"""A vehicle in contact with props: its hull, with the wheels where the suspension has them."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.physics.props.proximity import RADIUS, SPEED
from driving_sandbox.physics.props.records import NONE, PropArrays
from driving_sandbox.physics.props.wheel_support import WheelSupport
from driving_sandbox.physics.shape.hull import ANY_NORMAL
from driving_sandbox.physics.shape.vehicle_hull import wheel_parts

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

MOTION = ("position", "orientation", "velocity", "angular_velocity")


class VehicleBody:
    """One vehicle with bodywork of a world, as a body of the solver of the props.

    Args:
        vehicle: a vehicle with bodywork.
        arrays: arrays of the world's props.
        index: index of the vehicle in its world.
        support: WheelSupport, or None for a vehicle without reactions of wheels.
    """

    def __init__(self, vehicle: "Vehicle", arrays: PropArrays, index: int, support: WheelSupport | None) -> None:
        self.index, self._vehicle, self._arrays = index, vehicle, arrays
        self.support: Any = support
        self._hull_index = len(arrays.kinds) + index
        body = vehicle.state["body"]
        self._rows = [(arrays.bodies[name], body[name]) for name in MOTION]  # (column of `bodies`, vehicle's value [1])
        self._wheels, self._wheel_rows = vehicle.state["wheel"]["position"], arrays.wheel_position[index : index + 1]
        self._hull_array = vehicle.params["contact"]["hull"]
        self._derivations, self._slot = -1, 0  # `Vehicle.derivations` at the last refresh; slot in `bodies`

    def write_proximity_row(self, row: np.ndarray) -> None:
        """Write a row of VEHICLE_ROW numbers for `find_near`."""
        position, orientation, velocity, spin = (view[0] for _, view in self._rows)
        radius = float(self._hull_array["radius"][0])
        row[:3], row[3:7] = position, orientation
        row[7:10], row[10:13] = self._hull_array["low"][0], self._hull_array["high"][0]
        row[RADIUS], row[SPEED] = radius, _length(velocity) + radius * _length(spin)

    def take_slot(self, slot: int) -> None:
        """Occupy this slot of the props' bodies from now on."""
        self._slot = slot
        self._refresh()

    def _refresh(self) -> None:
        """Copy mass and radius into the slot, and the hull, if parameters have changed, into the props' arrays."""
        params, arrays, slot = self._vehicle.params, self._arrays, self._slot
        bodies = arrays.bodies
        bodies["mass"][slot], bodies["inertia"][slot] = params["body"]["mass"][0], params["body"]["inertia"][0]
        bodies["radius"][slot], arrays.hull_of[slot] = self._hull_array["radius"][0], self._hull_index
        if self._derivations == self._vehicle.derivations:
            return
        self._derivations = self._vehicle.derivations
        bare_index = self._hull_index + len(arrays.wheel_of)  # of the hull without wheels
        arrays.hulls[self._hull_index] = arrays.hulls[bare_index] = self._hull_array[0]
        arrays.hulls[bare_index]["part_count"] = np.count_nonzero(_bodywork(self._hull_array[0]))
        arrays.wheel_of[self.index] = NONE
        for part, wheel, centre in self._wheel_parts():
            arrays.wheel_of[self.index, part], arrays.wheel_centre[self.index, part] = wheel, centre

    def _wheel_parts(self) -> Iterator[tuple[int, int, np.ndarray]]:
        """(part of the hull, wheel, its centre at full compression in body axes, m) of each wheel in the hull."""
        params, count = self._vehicle.params, self._vehicle.wheel_count
        hull = params["contact"][0]["hull"]
        parts = np.flatnonzero(~_bodywork(hull)).tolist()  # the wheels come after the parts of the bodywork
        for part, name in zip(parts, wheel_parts(params["wheel"][0], params["suspension"][0], count), strict=False):
            i = int(name.split()[1]) - 1  # from "wheel 1"
            centre = params["suspension"][0, i]["attachment"] + params["wheel"][0, i]["offset"]
            yield part, i, centre - params["body"]["centre_of_mass"][0]

    def write_motion(self) -> None:
        """Write the vehicle's motion into its slot, and where its wheels are."""
        if self._derivations != self._vehicle.derivations:
            self._refresh()
        slot = self._slot
        for rows, view in self._rows:
            rows[slot] = view[0]
        self._wheel_rows[:] = self._wheels


def _bodywork(hull: np.void) -> np.ndarray:
    """bool for each part of a hull: True for bodywork, False for a wheel."""
    return hull["part_up"][: int(hull["part_count"])] >= ANY_NORMAL


def _length(v: np.ndarray) -> float:
    return float(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) ** 0.5
