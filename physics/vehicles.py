"""The vehicles there are, as lists of components. A list is a tick, read from top to bottom.

`VEHICLE_TYPES` maps the `type` of a vehicle's YAML to its list; `VARIANTS` maps a slot to the components that may fill
it, by name.
"""

from physics.aero.drag import AERO
from physics.body.inertia import INERTIA_METHODS
from physics.body.rigid_body import BODY
from physics.brakes.response import BRAKES
from physics.command.response import RESPONSE
from physics.command.smoothing import SMOOTHING
from physics.component import Substeps, components_of
from physics.contact.component import CONTACT
from physics.drivetrain.actuation import DIRECT_ACTUATION, ENGINE_ACTUATION, INTENT
from physics.drivetrain.auto_clutch import AUTO_CLUTCH
from physics.drivetrain.autobox import AUTOBOX
from physics.drivetrain.clutch import CLUTCH
from physics.drivetrain.coupling import COUPLING
from physics.drivetrain.differential_legacy import LEGACY_DIFFERENTIAL
from physics.drivetrain.differential_multi_wheel import MULTI_WHEEL, OPEN
from physics.drivetrain.direct import DIRECT_DRIVE, DIRECT_WHEELS
from physics.drivetrain.engine import ENGINE
from physics.drivetrain.gearbox import GEARBOX
from physics.drivetrain.limited_slip import LIMITED_SLIP
from physics.drivetrain.undriven import UNDRIVEN_ACTUATION, UNDRIVEN_WHEELS
from physics.road.formula import FORMULA
from physics.road.pressed import PRESSED
from physics.road.query import RAY_QUERY, SWEEP_QUERY
from physics.steering.ackermann import ACKERMANN, ACKERMANN_SECOND
from physics.steering.response import STEERING
from physics.suspension.antiroll import ANTIROLL
from physics.suspension.bump_stop import BUMP_STOP
from physics.suspension.compliance import COMPLIANCE
from physics.suspension.hydraulic import HYDRAULIC
from physics.suspension.legacy import LEGACY_SUSPENSION
from physics.suspension.suspension import SUSPENSION
from physics.tank.differential import TANK
from physics.tank.levers import LEVER_BRAKES, LEVERS
from physics.tank.tracks import TRACK_COUPLING
from physics.tire.combined_slip import COMBINED_SLIP
from physics.tire.legacy import LEGACY_TIRE
from physics.wheel.wheel import WHEEL

# What all lists have in common, in the order of a tick.
COMMANDS = (
    BODY.phase("begin"),          # impulses from outside
    SMOOTHING,                    # raw commands rise and fall at the vehicle's rates
    RESPONSE,                     # pedals and steering over speed
)  # fmt: skip

STEERED_WHEELS = (STEERING, ACKERMANN, ACKERMANN_SECOND)

SURROUNDINGS = (
    INTENT,                       # whether the driver wants to go or to stop
    AERO,
    SWEEP_QUERY,                  # the plane under every wheel
    PRESSED,
    CONTACT.phase("generate"),    # where the hull may touch the world
)  # fmt: skip

SUSPENSION_AND_TIRES = (
    SWEEP_QUERY.phase("refresh"),  # again where that plane turns fast
    SUSPENSION,                   # jounce
    COMPLIANCE,                   # toe, camber and force points at that jounce
    SUSPENSION.phase("force"),
    ANTIROLL,
    COMBINED_SLIP.phase("slip"),
    CONTACT.phase("stick"),       # tires that hold fast instead of slipping
    COMBINED_SLIP.phase("force"),
)  # fmt: skip

MOTION = (
    BODY.phase("velocity"),       # all forces
    CONTACT.phase("solve"),       # constraints correct the velocity
    BODY.phase("pose"),
    CONTACT.phase("settle"),
    PRESSED.phase("gather"),      # what the things under wheels gave
)  # fmt: skip

RESULTS = (
    WHEEL,                        # poses for pictures
    BODY.phase("measure"),
)  # fmt: skip

ENGINE_DRIVE = (
    *COMMANDS,
    AUTOBOX,                      # picks a gear, cuts the throttle while it changes
    GEARBOX.phase("command"),     # begins a change
    BRAKES,
    CLUTCH,
    ENGINE,                       # throttle and speed limits
    *STEERED_WHEELS,
    OPEN,                         # which wheels are driven, and how much
    ENGINE_ACTUATION,
    *SURROUNDINGS,
    Substeps(
        *SUSPENSION_AND_TIRES,
        GEARBOX,                  # time passes in a change
        COUPLING,                 # engine, clutch and wheels, implicitly
        LIMITED_SLIP,
        *MOTION,
    ),
    *RESULTS,
)  # fmt: skip

DIRECT_DRIVE_VEHICLE = (
    *COMMANDS,
    BRAKES,
    DIRECT_DRIVE,                 # torque straight to the wheels
    *STEERED_WHEELS,
    DIRECT_ACTUATION,
    *SURROUNDINGS,
    Substeps(
        *SUSPENSION_AND_TIRES,
        DIRECT_WHEELS,
        *MOTION,
    ),
    *RESULTS,
)  # fmt: skip

TANK_DRIVE = (
    *COMMANDS,
    LEVERS,                       # thrust and brake of each side
    AUTOBOX,
    GEARBOX.phase("command"),
    LEVER_BRAKES,
    CLUTCH,
    ENGINE,
    *STEERED_WHEELS,              # wheels beside the tracks may steer
    TANK,                         # shares of torque, scaled by the levers
    ENGINE_ACTUATION,
    *SURROUNDINGS,
    Substeps(
        *SUSPENSION_AND_TIRES,
        GEARBOX,
        TRACK_COUPLING,           # engine, clutch and whole tracks, implicitly
        *MOTION,
    ),
    *RESULTS,
)  # fmt: skip

TRAILER = (
    *COMMANDS,                    # of the vehicle that pulls
    BRAKES,
    STEERING,                     # no column: toe only
    UNDRIVEN_ACTUATION,
    *SURROUNDINGS,
    Substeps(
        *SUSPENSION_AND_TIRES,
        UNDRIVEN_WHEELS,
        *MOTION,
    ),
    *RESULTS,
)  # fmt: skip

VEHICLE_TYPES = {
    "engine_drive": ENGINE_DRIVE, "direct_drive": DIRECT_DRIVE_VEHICLE, "tank": TANK_DRIVE, "trailer": TRAILER,
}  # fmt: skip

OTHERS = (INERTIA_METHODS, CLUTCH, AUTO_CLUTCH, MULTI_WHEEL, RAY_QUERY, FORMULA, BUMP_STOP, LEGACY_SUSPENSION,
          HYDRAULIC, LEGACY_TIRE, LEGACY_DIFFERENTIAL)  # chosen by name; the lists above name the rest

VARIANTS = {}
for _component in (*(c for entries in VEHICLE_TYPES.values() for c in components_of(entries)), *OTHERS):
    VARIANTS.setdefault(_component.slot, {})[_component.name] = _component
