"""Largest lateral acceleration of a vehicle on its present surface, limited by tire grip or rollover.

    A = g min(GRIP_SHARE mu, TIP_SHARE (t / 2) / h)      smallest value of the vehicle and its trailers

mu is the lowest load-weighted friction of an axle; t the widest track; h the height of the centre of mass above the
model's origin, which is on the road.
"""

import math
from typing import TYPE_CHECKING

import numpy as np

from driving_sandbox.lab.drivers.proportions import attachments

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

GRIP_SHARE = 0.88  # of the friction, usable in steady cornering: load transfer to the outside tires costs grip
TIP_SHARE = 0.75  # of the rigid-body rollover limit: body roll, tire deflection and keyboard steer steps lower it
DEFAULT_GRIP = 0.8  # friction assumed before any tire has touched the ground: dry road, street tires
MIN_GRIP = 0.05  # lower limit of the friction, so that steering still responds on surfaces slipperier than ice
MIN_HEIGHT = 0.05  # m, lower limit of the height of the centre of mass


def lateral_limit(vehicle: "Vehicle", last: float | None = None) -> float:
    """Largest lateral acceleration, m/s^2.

    While no tire touches the ground: `last`, or the value on a dry road if `last` is None.
    """
    members = (vehicle, *vehicle.trailers)
    grips = [grip for grip in map(axle_friction, members) if grip is not None]
    if not grips and last is not None:
        return last
    gravity = float(np.linalg.norm(vehicle.context["gravity"][0]))
    return gravity * min(GRIP_SHARE * max(min(grips, default=DEFAULT_GRIP), MIN_GRIP),
                         TIP_SHARE * min(map(tipping_limit, members)))  # fmt: skip


def axle_friction(vehicle: "Vehicle") -> float | None:
    """Lowest load-weighted friction coefficient of an axle; None in the air."""
    tire, frictions = vehicle.state["tire"][0], []
    load, friction = tire["load"], tire["friction"]
    for axle in vehicle.axles.values():
        loads = [float(load[i]) for i in axle]
        if sum(loads) > 0.0:
            frictions.append(sum(n * float(friction[i]) for n, i in zip(loads, axle, strict=True)) / sum(loads))
    return min(frictions, default=None)


def tipping_limit(vehicle: "Vehicle") -> float:
    """Lateral acceleration at which a rigid body tips, g: half the track divided by the centre of mass's height."""
    if "suspension" not in vehicle.sequence.by_slot:
        return math.inf
    across = attachments(vehicle)[:, 0]
    height = float(vehicle.params["body"]["centre_of_mass"][0, 2])
    return 0.5 * float(across.max() - across.min()) / max(height, MIN_HEIGHT)
