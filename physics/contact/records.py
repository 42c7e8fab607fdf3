"""Records of hull contact and of the constraint solver: state, scratch and the wheels' rows.

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

NO_FEATURE = -1  # an end of a ground edge that no face clipped; a contact that a candidate has taken over
EDGE_FEATURE = 1 << 62  # features below are vertices of the hull, from here on edges of the ground

CONTACT = np.dtype(
    [
        ("feature", np.int64),  # what touches, to recognise the contact in the next tick
        ("anchor", np.float64, 3),  # m, body axes, fixed in the body
        ("normal", np.float64, 3),  # world axes, unit, towards the hull
        ("offset", np.float64),  # m, see above; includes `allowed`
        ("allowed", np.float64),  # m, depth that is not pushed out (reduction.py)
        ("friction", np.float64),  # coefficients of bodywork and surface
        ("restitution", np.float64),
        ("normal_impulse", np.float64),  # N s of the last substep
        ("tangent_impulse", np.float64, 2),  # N s of the last substep along the normal's `tangents` (frame.py)
        ("tick_impulse", np.float64),  # N s, sum of normal_impulse over the substeps of the tick: for sound and damage
    ],
    align=True,
)

# Values of CONTACT_WHEEL.hold: state of the longitudinal sticky row in the last substep
FREE = 0  # no row
HELD = 1  # brake and tire both hold: the wheel is at rest
BRAKE_SLIPS = 2  # the row is at the brake's limit: the wheel rolls, against its brake torque if it has one
TIRE_SLIDES = 3  # the row is at the friction limit: the locked wheel slides

CONTACT_WHEEL = np.dtype(
    [
        ("longitudinal_offset", np.float64),  # m, displacement from the sticky anchor
        ("lateral_offset", np.float64),  # m
        ("longitudinal_impulse", np.float64),  # N s of the last substep, sticky row
        ("lateral_impulse", np.float64),  # N s of the last substep, sticky row
        ("limit_impulse", np.float64),  # N s of the last substep, suspension limit
        ("longitudinal_time", np.float64),  # s below the longitudinal threshold speed
        ("lateral_time", np.float64),  # s below the lateral threshold speed
        ("hold", np.int64),  # FREE, HELD, BRAKE_SLIPS or TIRE_SLIDES
    ],
    align=True,
)

HITCH_STATE = np.dtype(
    [
        ("ball_impulse", np.float64, 3),  # N s of the last substep on this vehicle's coupling, world axes
        ("limit_impulse", np.float64),  # N m s of the last substep, limit of articulation
        ("roll_impulse", np.float64),  # N m s of the last substep, limit of roll
    ],
    align=True,
)

CONTACT_STATE = np.dtype(
    [
        ("contact_count", np.int64),
        ("rolling_impulse", np.float64, 3),  # N m s of the last substep, world axes: rolling resistance of the hull
        ("contacts", CONTACT, CONTACT_CAPACITY),
        ("wheels", CONTACT_WHEEL, WHEEL_CAPACITY),
        ("hitch", HITCH_STATE),  # to the vehicle in front
    ],
    align=True,
)

CONTACT_LIMITS = {  # valid ranges of the integers above, for states from files
    "contact_count": (0, CONTACT_CAPACITY),
    "feature": (NO_FEATURE, 2**63 - 1),
    "hold": (FREE, TIRE_SLIDES),
}

# Input of the solver from one wheel; scratch. In each substep every field of the first `wheel_count` rows is written,
# except that contact_point, ground_velocity, longitudinal and lateral are written for sticky wheels only, and the
# fields after limit_active only if that is 1.
WHEEL_ROW = np.dtype(
    [
        # road query and tire
        ("on_ground", np.int64),
        ("contact_point", np.float64, 3),  # m, world axes
        ("longitudinal", np.float64, 3),  # unit, world axes, forward in the road plane
        ("lateral", np.float64, 3),  # unit, world axes, right in the road plane
        ("ground_velocity", np.float64, 3),  # m/s, world axes, of the ground or body under the wheel
        ("normal_force", np.float64),  # N, tire load without the suspension limit's impulse
        ("friction", np.float64),  # mu of tire and surface
        # wheel, brake and drive
        ("radius", np.float64),  # m
        ("inertia", np.float64),  # kg m^2 about the axle
        ("rate", np.float64),  # rad/s at the start of the substep
        ("brake_torque", np.float64),  # N m >= 0, dry friction that can hold the wheel: brakes, rolling resistance
        ("pedal_torque", np.float64),  # N m >= 0, the brakes' part of brake_torque
        ("drive_torque", np.float64),  # N m at the wheel, > 0 forward
        ("drive", np.int64),  # 1: the driver's command drives this wheel
        # written by update_sticky; a tire has no slip force in a sticky direction
        ("sticky_longitudinal", np.int64),
        ("sticky_lateral", np.int64),
        ("rolls", np.int64),  # 1: the longitudinal row makes an unbraked wheel roll without slip
        # suspension
        ("limit_active", np.int64),  # 1: the travel has ended, or may end within the substep
        ("limit_separation", np.float64),  # m, < 0: compressed beyond the limit
        ("limit_direction", np.float64, 3),  # unit, world axes, of the limit's force on the body
        ("limit_point", np.float64, 3),  # m, world axes, application point of that force
        ("limit_restitution", np.float64),
    ],
    align=True,
)

# One scalar constraint on the velocity u = l.v + a.w of the body (rows.py)
ROW = np.dtype(
    [
        ("linear", np.float64, 3),  # l
        ("angular", np.float64, 3),  # a = r x l
        ("turn", np.float64, 3),  # inverse inertia times a, world axes
        ("mass", np.float64),  # kg, effective: 1 / (1/m + a.turn)
        ("impulse", np.float64),  # N s, accumulated in this substep
        ("gap", np.float64),  # m, C of solver.py
        ("approach", np.float64),  # m/s, u before warm starting
        ("target", np.float64),  # m/s, u of the ground
        ("settled", np.float64),  # N s, impulse before restitution
    ],
    align=True,
)

# Layout of SCRATCH.rows. Each block is filled from its start without gaps, in the order of wheels or contacts.
LIMIT_START = 0  # suspension limits: the ends of travel at full compression, not the suspension's elastic bump stops
STICKY_START = LIMIT_START + WHEEL_CAPACITY  # longitudinal and lateral alternate
CONTACT_START = STICKY_START + 2 * WHEEL_CAPACITY  # normal, tangent, tangent
ROW_CAPACITY = CONTACT_START + 3 * CONTACT_CAPACITY

# Possible contact, before the reduction to CONTACT_CAPACITY of them (reduction.py)
CANDIDATE = np.dtype(
    [
        ("feature", np.int64),  # as in CONTACT
        ("anchor", np.float64, 3),  # m, body axes
        ("normal", np.float64, 3),  # body axes
        ("separation", np.float64),  # m
        ("surface", np.int64),  # of the ground
        ("material", np.int64),  # of the bodywork
        ("gated", np.int64),  # 1: implausibly deep, used only without other contacts
        ("lasting", np.int64),  # 1: the feature touched in the last tick
        # m^2, squared distance in position and normal to the nearest chosen candidate; or CHOSEN, DROPPED, FAR of
        # reduction.py
        ("spread", np.float64),
        ("allowed", np.float64),  # m, as in CONTACT
        ("normal_impulse", np.float64),  # N s, from the last tick
        ("tangent_impulse", np.float64, 2),  # N s, from the last tick
    ],
    align=True,
)

# One near triangle and the motion of the body in the tick, in body axes; the hull part and edge being tested
LOCAL = np.dtype(
    [
        ("margin", np.float64),  # m, largest travel of any hull point within the tick
        ("reach", np.float64),  # m, largest approach along the triangle's normal within the tick
        ("dt", np.float64),  # s, length of the tick
        ("velocity", np.float64, 3),  # m/s, of the centre of mass
        ("angular_velocity", np.float64, 3),  # rad/s
        ("vertices", np.float64, (3, 3)),  # m
        ("normal", np.float64, 3),  # unit, out of the ground
        ("edge_normals", np.float64, (3, 3)),  # normals of the triangles on the other side of each edge
        ("edge_flags", np.float64, 3),  # EDGE_CONVEX ... of ground/arrays.py
        ("feature", np.int64),  # OUT_FEATURE of the triangle (ground/arrays.py)
        ("surface", np.int64),
        ("gated", np.int64),  # 1: a mesh triangle; deep new contacts with it are gated (reduction.py)
        ("up", np.float64),  # part_up of the hull part being tested
        ("material", np.int64),  # its part_material
        ("near", np.int64),  # 1: the edge being tested passes over the face of the part, 0: beside it
        ("candidate_count", np.int64),
        ("old_normals", np.float64, (CONTACT_CAPACITY, 3)),  # of the last tick's contacts
        ("distances", np.float64, PART_VERTICES),  # m, of the part's vertices from the triangle's plane
    ],
    align=True,
)

# Motion of the body before and after the forces of a substep other than those of the solver's rows (energy.py)
FREE_MOTION = np.dtype(
    [
        ("velocity_before", np.float64, 3),  # m/s, at the start of the substep
        ("velocity", np.float64, 3),  # m/s, after these forces
        ("angular_velocity", np.float64, 3),  # rad/s, world axes, after these forces
        ("energy", np.float64),  # J, kinetic energy after these forces
    ],
    align=True,
)

SCRATCH = np.dtype(
    [
        ("limit_count", np.int64),  # active suspension limits
        ("sticky_count", np.int64),  # sticky wheels
        ("bounce", np.int64),  # 1: a row of this substep has restitution
        ("tick_limit_impulse", np.float64),  # N s, of all suspension limits in the substeps of the tick: for sound
        ("free", FREE_MOTION),
        ("limit_wheel", np.int64, WHEEL_CAPACITY),  # wheel of each row of a suspension limit
        ("sticky_wheel", np.int64, WHEEL_CAPACITY),  # wheel of each pair of sticky rows
        ("rows", ROW, ROW_CAPACITY),
        ("local", LOCAL),
        ("candidates", CANDIDATE, CANDIDATE_CAPACITY),
        ("triangles", np.float64, (TRIANGLE_CAPACITY, TRIANGLE_SIZE)),
        ("triangle_ids", np.int64, (TRIANGLE_CAPACITY, OUT_ID_SIZE)),
    ],
    align=True,
)
