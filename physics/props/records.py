"""Records of props: their state, their kinds, and the arrays of a world's props as one argument of kernels.

A prop's frame has the axes of its model and is at its centre of mass; that of a hinged prop is at a point of its axis.
A *slot* is an index into `bodies`: 0 is the ground, then come vehicles, then the props that move or may be touched in
this tick.
"""

from typing import NamedTuple

import numpy as np

AWAKE_CAPACITY = 256  # props that move at the same time; further ones stay asleep
SLOT_CAPACITY = 1024  # ground, vehicles, props that move and those near them; further ones are not touched
PAIR_CAPACITY = 2048  # contacts between props and with vehicles; 256 crates in stacks have about 1500
GROUND_CAPACITY = 4096  # contacts with the ground and stops of hinges
HEAVY = 1e30  # kg, kg m^2 of what no impulse may move: the ground, sleeping props, hinged props except about their axis
NONE = -1  # in arrays of indices: no prop, no slot, no wheel

# State of a prop: all of it that a snapshot stores
PROP = np.dtype(
    [
        ("position", np.float64, 3),  # m
        ("orientation", np.float64, 4),  # x, y, z, w
        ("velocity", np.float64, 3),  # m/s; 0 for a hinged prop
        ("angular_velocity", np.float64, 3),  # rad/s, world axes
        ("rest_time", np.float64),  # s for which it has been slow
        ("awake", np.int64),  # 1: it moves
        ("rests", np.int64),  # 1: in its last tick something other than a vehicle carried it
    ],
    align=True,
)

KIND = np.dtype(
    [
        ("mass", np.float64),  # kg
        ("solver_mass", np.float64),  # kg, mass for impulses: HEAVY for a hinged prop
        ("inertia", np.float64, 3),  # kg m^2 about the frame's axes; HEAVY about those that a hinge blocks
        ("hinged", np.int64),  # 1: it only turns about a hinge
        ("axis", np.float64, 3),  # unit, of the hinge, one of the frame's axes
        ("centre", np.float64, 3),  # m, centre of mass of a hinged prop; else 0
        ("limits", np.float64, 2),  # rad, angles of the stops
        ("restitution", np.float64),  # coefficient of restitution on dry asphalt
        ("damping", np.float64),  # 1/s, fraction of a hinged prop's angular velocity lost per second
        ("drivable", np.int64),  # 1: wheels roll on it (wheel_support.py), and do not bump into it
    ],
    align=True,
)


class PropArrays(NamedTuple):
    """The props of a world and the work space of their tick."""

    props: np.ndarray  # PROP[n]
    start: np.ndarray  # PROP[n], as placed
    kind_of: np.ndarray  # int64[n], index into kinds and hulls
    kinds: np.ndarray  # KIND[m]
    zero: np.ndarray  # float64[n, 4], orientation at which a hinge's angle is 0
    hulls: np.ndarray  # HULL[m + 2 * vehicles]: of kinds, of vehicles, of vehicles without wheels
    wheel_of: np.ndarray  # int64[vehicles, parts], index of the wheel that a part of a vehicle's hull is, or NONE
    wheel_centre: np.ndarray  # float64[vehicles, parts, 3], m, centre of that wheel in the hull, body axes
    wheel_position: np.ndarray  # float64[vehicles, wheels, 3], m, present centre of each wheel in the world
    near: np.ndarray  # int64[n], indices of the props that may be touched until the next check, increasing
    slot_of: np.ndarray  # int64[n], slot of a prop, or NONE
    bodies: np.ndarray  # BODY[SLOT_CAPACITY]
    shapes: np.ndarray  # SHAPE[SLOT_CAPACITY]
    hull_of: np.ndarray  # int64[slots], index into hulls
    prop_of: np.ndarray  # int64[slots], index of the prop, NONE for ground and vehicles
    posed: np.ndarray  # int64[slots], 1: its SHAPE is written
    rank: np.ndarray  # int64[slots], position in the queue, NONE for a body that does not move
    queue: np.ndarray  # int64[slots], slots of moving bodies, in the order in which they are tested
    contacts: np.ndarray  # CONTACT[PAIR_CAPACITY + GROUND_CAPACITY]
    pair_scratch: np.ndarray  # PAIR_SCRATCH[1]
    ground_state: np.ndarray  # CONTACT_STATE[1], of one prop at a time
    ground_scratch: np.ndarray  # SCRATCH[1]
