"""Records of hull contact and of the constraint solver: params, state, scratch and the wheels' rows.

All data that persists across substeps (warm-start impulses, contact features and anchors, sticky anchors) is in
CONTACT_STATE, so that a snapshot of the vehicle's state is complete. SCRATCH is written before it is read in every
tick (generation) and substep (solver); it need not be saved, and vehicles that step one after another may share it.

The hull (physics/shape/hull.py) is in body axes relative to the centre of mass; contact normals and wheel vectors are
in world axes. A contact's separation is normal . x + offset with x the world position of its body anchor; negative is
penetration.
"""

import numpy as np

from driving_sandbox.physics.ground.arrays import OUT_ID_SIZE, TRIANGLE_SIZE
from driving_sandbox.physics.shape.hull import PART_VERTICES

WHEEL_CAPACITY = 20  # length of every per-wheel array
CONTACT_CAPACITY = 12  # three rows each; a box on flat ground needs 4, wedged between walls 8
CANDIDATE_CAPACITY = 96  # before reduction; a hull deep in rough ground makes about 60
TRIANGLE_CAPACITY = 384  # near triangles per batch: a 5 m car on a 0.5 m grid has 200

NO_FEATURE = -1
EDGE_FEATURE = 1 << 62  # features from here on are edges of the ground, below it they are vertices of the hull

CONTACT = np.dtype(
    [
        ("feature", np.int64),  # pair of features, to match the contact in the next tick
        ("anchor", np.float64, 3),  # m, body axes, fixed in the body
        ("normal", np.float64, 3),  # world, unit, towards the hull
        ("offset", np.float64),  # m
        ("allowed", np.float64),  # m, initial depth, treated as zero penetration; never grows
        ("friction", np.float64),
        ("restitution", np.float64),
        ("normal_impulse", np.float64),  # N s of the last substep
        ("tangent_impulse", np.float64, 2),  # N s along the two tangents that belong to the normal
        ("tick_impulse", np.float64),  # N s, normal, summed since the contact was generated: for sound and damage
    ],
    align=True,
)

# CONTACT_WHEEL.hold: what the longitudinal sticky row did
FREE = 0  # no row
HELD = 1  # brake and tire both hold: at rest
BRAKE_SLIPS = 2  # row at the brake's limit: the wheel rolls, against its brake torque if it has one
TIRE_SLIDES = 3  # at the friction limit: the locked wheel slides

CONTACT_WHEEL = np.dtype(
    [
        ("longitudinal_offset", np.float64),  # m, displacement from the sticky anchor
        ("lateral_offset", np.float64),
        ("longitudinal_impulse", np.float64),  # N s of the last substep
        ("lateral_impulse", np.float64),
        ("limit_impulse", np.float64),
        ("longitudinal_time", np.float64),  # s below the longitudinal threshold speed
        ("lateral_time", np.float64),
        ("hold", np.int64),
    ],
    align=True,
)

HITCH_STATE = np.dtype(
    [
        ("ball_impulse", np.float64, 3),  # N s of the last substep on this vehicle's coupling, world
        ("limit_impulse", np.float64),  # N m s that keeps the angle below its limit
        ("roll_impulse", np.float64),  # N m s that keeps the roll below its limit
    ],
    align=True,
)

CONTACT_STATE = np.dtype(
    [
        ("contact_count", np.int64),
        ("rolling_impulse", np.float64, 3),  # N m s, world, of the last substep: all hull contacts against turning
        ("contacts", CONTACT, CONTACT_CAPACITY),
        ("wheels", CONTACT_WHEEL, WHEEL_CAPACITY),
        ("hitch", HITCH_STATE),  # to the vehicle in front
    ],
    align=True,
)

CONTACT_LIMITS = {  # of the whole numbers above
    "contact_count": (0, CONTACT_CAPACITY),
    "feature": (NO_FEATURE, 2**63 - 1),
    "hold": (FREE, TIRE_SLIDES),
}

# What a wheel hands to the solver. Scratch: of the first `wheel_count` rows every field is written in each substep, but
# where it stands and pushes only if it sticks or its travel has ended.
WHEEL_ROW = np.dtype(
    [
        # road query and tire
        ("on_ground", np.int64),
        ("contact_point", np.float64, 3),  # m, world
        ("longitudinal", np.float64, 3),  # unit, world, forward in the road plane
        ("lateral", np.float64, 3),  # unit, world, right in the road plane
        ("ground_velocity", np.float64, 3),  # m/s of what the wheel stands on
        ("normal_force", np.float64),  # N, suspension force along the road normal, the bump stop's left out
        ("friction", np.float64),  # mu of tire and surface
        # wheel, brake and drive
        ("radius", np.float64),  # m
        ("inertia", np.float64),  # kg m^2 about the axle
        ("rate", np.float64),  # rad/s at the start of the substep
        ("brake_torque", np.float64),  # N m >= 0: the dry torques that can hold the wheel (brakes, rolling resistance)
        ("pedal_torque", np.float64),  # N m >= 0, the share of the brakes in it
        ("drive_torque", np.float64),  # N m at the wheel, > 0 forward
        ("drive", np.int64),  # 1: the driver asks this wheel to drive
        # update_sticky writes these three; the tire gives no slip force along a sticky direction
        ("sticky_longitudinal", np.int64),
        ("sticky_lateral", np.int64),
        ("rolls", np.int64),  # 1: the longitudinal row makes the wheel roll, nothing holds it
        # suspension
        ("limit_active", np.int64),  # travel ended, or about to end: separation > 0 is allowed
        ("limit_separation", np.float64),  # m, < 0: compressed beyond the stop
        ("limit_direction", np.float64, 3),  # unit, world: the way the stop pushes the body
        ("limit_point", np.float64, 3),  # m, world, where it pushes
        ("limit_restitution", np.float64),
    ],
    align=True,
)

# One scalar constraint: velocity l.v + a.w of the body, effective mass, accumulated impulse
ROW = np.dtype(
    [
        ("linear", np.float64, 3),  # l
        ("angular", np.float64, 3),  # a = r x l
        ("turn", np.float64, 3),  # inverse inertia times a, world
        ("mass", np.float64),  # kg; 1 / (1/m + a.turn)
        ("impulse", np.float64),  # N s
        ("gap", np.float64),  # m, C
        ("approach", np.float64),  # m/s, row velocity before warm starting
        ("target", np.float64),  # m/s, row velocity of the ground
        ("settled", np.float64),  # N s, impulse before restitution
    ],
    align=True,
)

# Row layout. Each block is filled from its start without gaps, in wheel or contact order.
LIMIT_START = 0
STICKY_START = LIMIT_START + WHEEL_CAPACITY  # longitudinal and lateral alternate
CONTACT_START = STICKY_START + 2 * WHEEL_CAPACITY  # normal, tangent, tangent
ROW_CAPACITY = CONTACT_START + 3 * CONTACT_CAPACITY

CANDIDATE = np.dtype(
    [
        ("feature", np.int64),
        ("anchor", np.float64, 3),  # m, body axes
        ("normal", np.float64, 3),  # body axes
        ("separation", np.float64),  # m
        ("surface", np.int64),
        ("material", np.int64),
        ("gated", np.int64),  # 1: implausibly deep, used only without other contacts
        ("lasting", np.int64),  # 1: the feature touched in the last tick
        ("spread", np.float64),  # distance to the contacts chosen so far, or one of the marks of reduction.py
        ("allowed", np.float64),  # m
        ("normal_impulse", np.float64),  # N s, carried over
        ("tangent_impulse", np.float64, 2),
    ],
    align=True,
)

# One near triangle in body axes, and the motion of the body over the tick
LOCAL = np.dtype(
    [
        ("margin", np.float64),  # m, largest travel of any hull point within the tick
        ("reach", np.float64),  # m, largest approach along the triangle's normal
        ("dt", np.float64),  # s, length of the tick
        ("velocity", np.float64, 3),  # body axes
        ("angular_velocity", np.float64, 3),
        ("vertices", np.float64, (3, 3)),
        ("normal", np.float64, 3),
        ("edge_normals", np.float64, (3, 3)),
        ("edge_flags", np.float64, 3),
        ("feature", np.int64),
        ("surface", np.int64),
        ("gated", np.int64),  # 1: a mesh triangle, whose depth is gated
        ("up", np.float64),  # part_up of the part looked at
        ("material", np.int64),  # its part_material
        ("near", np.int64),  # 1: the edge looked at passes over the face, 0: beside it
        ("candidate_count", np.int64),
        ("old_normals", np.float64, (CONTACT_CAPACITY, 3)),  # of the last tick's contacts, in body axes
        ("distances", np.float64, PART_VERTICES),
    ],
    align=True,
)

# Effect of the other forces of a substep, before its rows act
FREE_MOTION = np.dtype(
    [
        ("velocity_before", np.float64, 3),  # m/s, at the start of the substep
        ("velocity", np.float64, 3),
        ("angular_velocity", np.float64, 3),  # rad/s, world
        ("energy", np.float64),  # J, kinetic
    ],
    align=True,
)

SCRATCH = np.dtype(
    [
        ("limit_count", np.int64),
        ("sticky_count", np.int64),
        ("bounce", np.int64),  # 1: a row of this substep has restitution to apply
        ("free", FREE_MOTION),
        ("limit_wheel", np.int64, WHEEL_CAPACITY),
        ("sticky_wheel", np.int64, WHEEL_CAPACITY),
        ("rows", ROW, ROW_CAPACITY),
        ("local", LOCAL),
        ("candidates", CANDIDATE, CANDIDATE_CAPACITY),
        ("triangles", np.float64, (TRIANGLE_CAPACITY, TRIANGLE_SIZE)),
        ("triangle_ids", np.int64, (TRIANGLE_CAPACITY, OUT_ID_SIZE)),
    ],
    align=True,
)
