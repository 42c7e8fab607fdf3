"""Ride frequencies: the sprung mass of an axle on the ride rate of its springs, bars and tires.

    f = sqrt(k / m) / (2 pi),  k = F / dz

F is a small force downwards on the body above the axle, dz the deflection of the body there once it is at rest; m is
the mass that the axle's tires carry, less its unsprung mass, or less its wheels if the suspension has none (Milliken,
Race Car Vehicle Dynamics, chapter 16: ride rate).
"""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.lab.kinematics import forward_axis
from driving_sandbox.lab.maneuvers import Maneuver
from driving_sandbox.lab.road_test.track import TestTrack
from driving_sandbox.physics.batch.trajectory import POSITION
from driving_sandbox.physics.maths.quat import rotate
from driving_sandbox.physics.tick.commands import NEUTRAL
from driving_sandbox.physics.tick.context import EXTERNAL

if TYPE_CHECKING:
    from driving_sandbox.lab.drivers.motion import Motion
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

LOAD_SHARE = 0.1  # test force as a fraction of the axle's load: enough to measure, not enough to reach a bump stop
REST_TIME = 5.0  # s until the body is at rest under the force
MIN_DEFLECTION = 1e-5  # m; a body that deflects less is not sprung


class Neutral(Maneuver):
    """No pedal, gearbox in neutral."""

    def command(self, motion: "Motion", c: np.void) -> None:
        """Neutral, without any other input."""
        c["gear"] = NEUTRAL


def ride_frequencies(track: TestTrack) -> dict:
    """Ride frequencies over the first and the last axle, Hz; {} for a vehicle without springs or with one axle."""
    vehicle = track.vehicle
    slots = vehicle.sequence.by_slot
    if "suspension" not in slots or len(vehicle.axles) < 2:
        return {}
    track.to_rest()
    loads = vehicle.state["tire"]["load"][0].copy()
    axles = list(vehicle.axles.values())
    frequencies = {}
    for name, wheels in (("ride_frequency_front", axles[0]), ("ride_frequency_rear", axles[-1])):
        force = LOAD_SHARE * float(loads[wheels].sum())
        unsprung = float(_unsprung_masses(vehicle)[wheels].sum())
        mass = float(loads[wheels].sum()) / track.gravity - unsprung
        deflection = _height(track, wheels, 0.0) - _height(track, wheels, force)
        if deflection > MIN_DEFLECTION and mass > 0.0:
            frequencies[name] = math.sqrt(force / deflection / mass) / (2.0 * math.pi)
    return frequencies


def _unsprung_masses(vehicle: "Vehicle") -> np.ndarray:
    """Unsprung mass of every wheel, or the wheel's mass if the suspension has none, kg."""
    suspension = vehicle.params["suspension"][0]
    if "hub_mass" in suspension.dtype.names:
        return suspension["hub_mass"]
    return vehicle.params["wheel"]["mass"][0]


def _height(track: TestTrack, wheels: Any, force: float) -> float:
    """Height of the body above an axle, m, at rest under a downward force (N) there."""
    vehicle = track.vehicle
    external = np.zeros(len(track.world.vehicles), EXTERNAL)
    axle = float(vehicle.params["suspension"]["attachment"][0, wheels, 1].mean())
    ahead = axle - float(vehicle.params["body"]["centre_of_mass"][0, 1])  # m, of the axle ahead of the centre of mass
    track.to_rest()
    forward = np.array(rotate(tuple(vehicle.state["body"]["orientation"][0]), (0.0, 1.0, 0.0)))
    down = np.array([0.0, 0.0, -force])
    external["force"][0], external["torque"][0] = down, np.cross(ahead * forward, down)
    trace = track.run(track.maneuver(Neutral), REST_TIME, external=external)
    return float(trace.rows[-1, POSITION][2] + ahead * forward_axis(trace.rows)[-1, 2])
