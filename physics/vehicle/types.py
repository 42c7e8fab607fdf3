"""Vehicle types, as lists of components. A list is a tick, read from top to bottom.

`VEHICLE_TYPES` maps the `type` of a vehicle's YAML to its list; `VARIANTS` maps a slot to the components that may fill
it, by name.
"""

from driving_sandbox.physics.aero.body_and_wings import BODY_AND_WINGS
from driving_sandbox.physics.aero.drag import AERO
from driving_sandbox.physics.aero.road_car import ROAD_CAR
from driving_sandbox.physics.assists.abs import ABS
from driving_sandbox.physics.assists.brake_distribution import BRAKE_DISTRIBUTION, NO_BRAKE_DISTRIBUTION
from driving_sandbox.physics.assists.hill_hold import HILL_HOLD, NO_HILL_HOLD
from driving_sandbox.physics.assists.peak_seeking_abs import PEAK_SEEKING
from driving_sandbox.physics.assists.stability_control import NO_STABILITY_CONTROL, STABILITY_CONTROL
from driving_sandbox.physics.assists.traction_control import TRACTION_CONTROL
from driving_sandbox.physics.body.assembled import ASSEMBLED
from driving_sandbox.physics.body.driving_state import DRIVING_STATE
from driving_sandbox.physics.body.euler import EULER_BODY
from driving_sandbox.physics.body.gyrostat import ASSEMBLED_GYROSTAT, GYROSTAT
from driving_sandbox.physics.body.inertia import INERTIA_METHODS
from driving_sandbox.physics.body.rigid_body import BODY
from driving_sandbox.physics.body.sprung import SPRUNG_BODY
from driving_sandbox.physics.brakes.clipped import CLIPPED_BRAKES
from driving_sandbox.physics.brakes.hydraulic import HYDRAULIC_BRAKES
from driving_sandbox.physics.brakes.locking import LOCKING_BRAKES
from driving_sandbox.physics.brakes.response import BRAKES
from driving_sandbox.physics.command.linearity import LINEARITY
from driving_sandbox.physics.command.pedal import PEDAL, RAW_COMMANDS
from driving_sandbox.physics.command.pedal_overlap import PEDAL_OVERLAP
from driving_sandbox.physics.command.response import RESPONSE
from driving_sandbox.physics.command.smoothing import SMOOTHING
from driving_sandbox.physics.contact.component import CONTACT
from driving_sandbox.physics.contact.wheel_reactions import WHEEL_REACTIONS
from driving_sandbox.physics.differential.clutch_pack import CLUTCH_PACK, HELICAL
from driving_sandbox.physics.differential.driving_wheels import DRIVING_WHEELS
from driving_sandbox.physics.differential.geared import GEARED
from driving_sandbox.physics.differential.legacy import LEGACY_DIFFERENTIAL
from driving_sandbox.physics.differential.limited_slip import LIMITED_SLIP
from driving_sandbox.physics.differential.locks import LOCKS
from driving_sandbox.physics.differential.multi_wheel import MULTI_WHEEL, OPEN
from driving_sandbox.physics.drivetrain.actuation import DIRECT_ACTUATION, ENGINE_ACTUATION, INTENT
from driving_sandbox.physics.drivetrain.auto_clutch import AUTO_CLUTCH
from driving_sandbox.physics.drivetrain.clutch import CLUTCH
from driving_sandbox.physics.drivetrain.coulomb_brakes import COULOMB_BRAKED_WHEELS
from driving_sandbox.physics.drivetrain.coupling import COUPLING
from driving_sandbox.physics.drivetrain.direct import DIRECT_DRIVE, DIRECT_WHEELS
from driving_sandbox.physics.drivetrain.electric_motor import ELECTRIC_MOTOR
from driving_sandbox.physics.drivetrain.engine import ENGINE
from driving_sandbox.physics.drivetrain.friction_clutch import FRICTION_CLUTCH
from driving_sandbox.physics.drivetrain.friction_drive import FRICTION_DRIVE
from driving_sandbox.physics.drivetrain.launch_clutch import LAUNCH_CLUTCH
from driving_sandbox.physics.drivetrain.rigid_coupling import RIGID_ACTUATION, RIGID_COUPLING
from driving_sandbox.physics.drivetrain.sine_power_engine import RIGID_SINE_POWER, SINE_POWER
from driving_sandbox.physics.drivetrain.stalling_engine import STALLING_ENGINE
from driving_sandbox.physics.drivetrain.timed_clutch import TIMED_CLUTCH, TIMED_TORSION_CLUTCH
from driving_sandbox.physics.drivetrain.torque_converter import TORQUE_CONVERTER
from driving_sandbox.physics.drivetrain.turbocharged_engine import TURBOCHARGED
from driving_sandbox.physics.drivetrain.undriven import UNDRIVEN_ACTUATION, UNDRIVEN_WHEELS
from driving_sandbox.physics.gearbox.autobox import AUTOBOX
from driving_sandbox.physics.gearbox.gearbox import GEARBOX
from driving_sandbox.physics.gearbox.instant_gearbox import INSTANT_GEARBOX
from driving_sandbox.physics.gearbox.rpm_box import RPM_BOX
from driving_sandbox.physics.gearbox.shift_speeds import SHIFT_SPEEDS
from driving_sandbox.physics.gearbox.timed_gearbox import TIMED_GEARBOX
from driving_sandbox.physics.planar.body import PLANAR_BODY
from driving_sandbox.physics.planar.drive import AXLE_DRIVE, BODY_FORCE_BRAKE
from driving_sandbox.physics.planar.engine import TORQUE_TABLE
from driving_sandbox.physics.planar.gearbox import PLANAR_GEARBOX, REDLINE_AUTOBOX
from driving_sandbox.physics.planar.resistance import PLANAR_DRAG, PLANAR_ROLLING
from driving_sandbox.physics.planar.tire_laws import LINEAR_CLAMP, MAGIC_FORMULA
from driving_sandbox.physics.planar.wheel import PLANAR_WHEEL
from driving_sandbox.physics.road.formula import FORMULA
from driving_sandbox.physics.road.query import RAY_QUERY
from driving_sandbox.physics.road.sweep_query import SWEEP_QUERY
from driving_sandbox.physics.steering.ackermann import ACKERMANN, ACKERMANN_SECOND
from driving_sandbox.physics.steering.ahead_of_mass import STEERING_RATE
from driving_sandbox.physics.steering.column import NO_STEERING_COLUMN, STEERING_COLUMN
from driving_sandbox.physics.steering.inner_factor import INNER_FACTOR
from driving_sandbox.physics.steering.response import STEERING
from driving_sandbox.physics.steering.steering_wheel import STEERING_WHEEL
from driving_sandbox.physics.suspension.antiroll import ANTIROLL
from driving_sandbox.physics.suspension.authored_pose import AUTHORED_POSE
from driving_sandbox.physics.suspension.axle_bodies import AXLE_BODIES
from driving_sandbox.physics.suspension.bump_stop import BUMP_STOP
from driving_sandbox.physics.suspension.compliance import COMPLIANCE
from driving_sandbox.physics.suspension.compliance_steer import COMPLIANCE_STEER
from driving_sandbox.physics.suspension.hydraulic import HYDRAULIC
from driving_sandbox.physics.suspension.legacy import LEGACY_SUSPENSION
from driving_sandbox.physics.suspension.roll_centre import ROLL_CENTRE
from driving_sandbox.physics.suspension.stabilizer import STABILIZER
from driving_sandbox.physics.suspension.suspension import SUSPENSION
from driving_sandbox.physics.suspension.unsprung import UNSPRUNG
from driving_sandbox.physics.tank.differential import TANK
from driving_sandbox.physics.tank.levers import LEVER_BRAKES, LEVERS
from driving_sandbox.physics.tank.tracks import TRACK_COUPLING
from driving_sandbox.physics.tick.component import Component, Substeps, components_of, swapped
from driving_sandbox.physics.tire.combined_slip import COMBINED_SLIP
from driving_sandbox.physics.tire.coulomb import COULOMB
from driving_sandbox.physics.tire.legacy import LEGACY_TIRE
from driving_sandbox.physics.tire.mf52 import MF_52
from driving_sandbox.physics.tire.mf62_tire import MF_62
from driving_sandbox.physics.tire.pacejka import PACEJKA_89, PACEJKA_94
from driving_sandbox.physics.wheel.mesh_cylinder import MESH_WHEEL
from driving_sandbox.physics.wheel.wheel import WHEEL

# Parts that several lists share, each in the order of a tick.
COMMANDS = (
    BODY.phase("begin"),          # external impulses
    SMOOTHING,                    # raw commands rise and fall at the vehicle's rates
    RESPONSE,                     # pedals and steering as functions of speed
)  # fmt: skip

STEERED_WHEELS = (STEERING, ACKERMANN, ACKERMANN_SECOND)

SURROUNDINGS = (
    INTENT,                       # whether the driver accelerates or brakes
    AERO,
    SWEEP_QUERY,                  # the plane under every wheel
    WHEEL_REACTIONS,              # clears the sums of the last tick
    CONTACT.phase("generate"),    # where the hull may touch the world
)  # fmt: skip

SUSPENSION_AND_TIRES = (
    SWEEP_QUERY.phase("refresh"),  # again where that plane turns fast
    SUSPENSION,                   # jounce
    SUSPENSION.phase("line_force"),  # spring and damper
    COMPLIANCE,                   # toe, camber and force points at that jounce
    SUSPENSION.phase("force"),    # force of the road on the wheel
    ANTIROLL,
    MF_62.phase("slip"),
    CONTACT.phase("stick"),       # tires that stick instead of slipping
    MF_62.phase("force"),
)  # fmt: skip

MOTION = (
    BODY.phase("velocity"),       # all forces
    CONTACT.phase("solve"),       # constraints correct the velocity
    BODY.phase("pose"),
    CONTACT.phase("settle"),      # constraints without push-out, restitution, sticky wheels
    WHEEL_REACTIONS.phase("gather"),      # impulses from the moving bodies under wheels
)  # fmt: skip

RESULTS = (
    WHEEL,                        # poses for the view
    BODY.phase("measure"),
)  # fmt: skip

ENGINE_DRIVE = (
    *swapped(COMMANDS, GYROSTAT),
    AUTOBOX,                      # picks a gear, cuts the throttle while it changes
    GEARBOX.phase("command"),     # begins a gear change
    BRAKES,
    CLUTCH,
    ENGINE,                       # throttle and speed limits
    *STEERED_WHEELS,
    OPEN,                         # which wheels are driven, and how much
    ENGINE_ACTUATION,
    *SURROUNDINGS,
    Substeps(
        *SUSPENSION_AND_TIRES,
        GEARBOX,                  # counts the time of a gear change
        COUPLING,                 # engine, clutch and wheels, implicitly
        LIMITED_SLIP,
        *swapped(MOTION, GYROSTAT),
    ),
    *swapped(RESULTS, GYROSTAT),
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
    *STEERED_WHEELS,              # a half-track's wheels may steer
    TANK,                         # shares of torque, scaled by the levers
    ENGINE_ACTUATION,
    *SURROUNDINGS,
    Substeps(
        *swapped(SUSPENSION_AND_TIRES, COMBINED_SLIP),  # Magic Formula is for rubber tires, not links of a track
        GEARBOX,
        TRACK_COUPLING,           # engine, clutch and whole tracks, implicitly
        *MOTION,
    ),
    *RESULTS,
)  # fmt: skip

TRAILER = (
    *COMMANDS,                    # of the towing vehicle
    BRAKES,
    STEERING,                     # angle 0 unless the file gives a max_angle
    UNDRIVEN_ACTUATION,
    *SURROUNDINGS,
    Substeps(
        *SUSPENSION_AND_TIRES,
        UNDRIVEN_WHEELS,
        *MOTION,
    ),
    *RESULTS,
)  # fmt: skip

# The planar racing-game model: the fourteen steps of the article that it is taken from (physics/planar/body.py), in
# their order. One step a tick, no substeps.
PLANAR = (
    PLANAR_BODY.phase("begin"),
    SMOOTHING,
    PEDAL_OVERLAP,
    PLANAR_BODY.phase("resolve"),         # 1 speeds forward and to the right, axle loads
    LINEAR_CLAMP.phase("share_load"),
    STEERING,                             # 2 both front wheels alike
    PLANAR_DRAG.phase("drag"),            # 3
    PLANAR_ROLLING.phase("roll"),         # 4
    TORQUE_TABLE.phase("give_torque"),    # 5 traction and brake
    AXLE_DRIVE.phase("drive_axles"),
    BODY_FORCE_BRAKE.phase("brake"),
    LINEAR_CLAMP.phase("front_slip"),     # 6 front side force
    LINEAR_CLAMP.phase("front_law"),
    LINEAR_CLAMP.phase("front_force"),
    LINEAR_CLAMP.phase("rear_slip"),      # 7 rear side force
    LINEAR_CLAMP.phase("rear_law"),
    LINEAR_CLAMP.phase("rear_force"),
    PLANAR_BODY.phase("net_force"),       # 8
    PLANAR_BODY.phase("accelerate"),      # 9
    PLANAR_BODY.phase("move"),            # 10
    PLANAR_BODY.phase("torque"),          # 11
    PLANAR_BODY.phase("yaw"),             # 12
    PLANAR_BODY.phase("turn"),            # 13
    TORQUE_TABLE.phase("follow"),         # 14 engine speed, and the gear of the next step
    REDLINE_AUTOBOX.phase("choose"),
    PLANAR_GEARBOX.phase("change"),
    PLANAR_WHEEL.phase("pose"),
    PLANAR_BODY.phase("measure"),
)  # fmt: skip

# An engine that can stall and a clutch that can slip: the driveline of the Racer simulator, on the standard chassis.
CLUTCH_DRIVE = (
    *swapped(swapped(COMMANDS, ASSEMBLED), LINEARITY),
    SHIFT_SPEEDS,                 # picks a gear
    TIMED_GEARBOX.phase("command"),  # declutches, changes, clutches; blips or cuts the throttle
    CLIPPED_BRAKES,
    FRICTION_CLUTCH,
    STALLING_ENGINE,              # runs, idles, stalls or is cranked
    INNER_FACTOR,
    STEERING_WHEEL,
    GEARED,
    ENGINE_ACTUATION,
    *SURROUNDINGS,
    Substeps(
        *SUSPENSION_AND_TIRES,
        TIMED_GEARBOX,            # opens the clutch during a gear change
        FRICTION_DRIVE,           # engine, clutch, shafts and wheels, implicitly
        LOCKS,                    # couples the differentials' outputs
        *swapped(MOTION, ASSEMBLED),
    ),
    *swapped(RESULTS, ASSEMBLED),
)  # fmt: skip

CRYENGINE = (
    EULER_BODY.phase("begin"),    # external impulses
    DRIVING_STATE.phase("begin"),  # substeps of this tick
    RAW_COMMANDS,
    RESPONSE,
    STEERING_RATE,                # of the wheels ahead of the centre of mass
    RPM_BOX,                      # gear by engine speed, direction by the pedals
    PEDAL,                        # rises at its rate, and is limited when cornering
    INSTANT_GEARBOX.phase("command"),
    LOCKING_BRAKES,
    TIMED_CLUTCH,                 # opened by a gear change
    RIGID_SINE_POWER,
    DRIVING_WHEELS,
    RIGID_ACTUATION,
    *SURROUNDINGS,
    Substeps(
        SWEEP_QUERY.phase("refresh"),
        AUTHORED_POSE,            # jounce
        AUTHORED_POSE.phase("line_force"),
        COMPLIANCE,
        AUTHORED_POSE.phase("force"),
        STABILIZER,
        INSTANT_GEARBOX,
        RIGID_COUPLING.phase("torque"),  # of the engine on the wheels
        COULOMB.phase("slip"),
        CONTACT.phase("stick"),
        COULOMB.phase("force"),
        RIGID_COUPLING,           # speeds of the wheels
        EULER_BODY.phase("velocity"),
        DRIVING_STATE.phase("damp"),
        CONTACT.phase("solve"),
        EULER_BODY.phase("pose"),
        CONTACT.phase("settle"),
        WHEEL_REACTIONS.phase("gather"),
        DRIVING_STATE.phase("rest"),  # falls asleep, or keeps its pose while asleep
        count=DRIVING_STATE.steps("step_count"),
    ),
    MESH_WHEEL,
    EULER_BODY.phase("measure"),
)  # fmt: skip

VEHICLE_TYPES = {
    "engine_drive": ENGINE_DRIVE, "direct_drive": DIRECT_DRIVE_VEHICLE, "tank": TANK_DRIVE, "trailer": TRAILER,
    "cryengine": CRYENGINE,
    "planar": PLANAR,
    "clutch_drive": CLUTCH_DRIVE,
}  # fmt: skip

# Slots that a vehicle may add to a list that lacks them: {slot: {phase: slot after which it runs}}. Several phases
# after one slot run in this order.
ADDED = {
    "traction_control": {"update": "response"},
    "brake_distribution": {"update": "brakes"},
    "stability_control": {"update": "response", "brake": "brakes"},
    "abs": {"update": "brakes"},           # limits the brake torques that the aids before it have set
    "hill_hold": {"update": "brakes"},
    "steering_wheel": {"update": "steering"},
    "steering_column": {"update": "response"},
}  # fmt: skip

# Components that a vehicle's file chooses by name, in addition to those of the lists above
OTHERS = (
    BODY_AND_WINGS,
    ROAD_CAR,
    TRACTION_CONTROL,
    ABS,
    PEAK_SEEKING,
    HYDRAULIC_BRAKES,
    COULOMB_BRAKED_WHEELS,
    INERTIA_METHODS,
    CLUTCH,
    AUTO_CLUTCH,
    LAUNCH_CLUTCH,
    TORQUE_CONVERTER,
    CLUTCH_PACK,
    HELICAL,
    MULTI_WHEEL,
    RAY_QUERY,
    FORMULA,
    BUMP_STOP,
    LEGACY_SUSPENSION,
    HYDRAULIC,
    ROLL_CENTRE,
    UNSPRUNG,
    LEGACY_TIRE,
    PACEJKA_89,
    PACEJKA_94,
    MF_52,
    LEGACY_DIFFERENTIAL,
    PEDAL_OVERLAP,
    MAGIC_FORMULA,
    SINE_POWER,
    ELECTRIC_MOTOR,
    TURBOCHARGED,
    TIMED_TORSION_CLUTCH,
    SPRUNG_BODY,
    ASSEMBLED_GYROSTAT,
    AXLE_BODIES,
    COMPLIANCE_STEER,
    BRAKE_DISTRIBUTION,
    NO_BRAKE_DISTRIBUTION,
    STABILITY_CONTROL,
    NO_STABILITY_CONTROL,
    HILL_HOLD,
    NO_HILL_HOLD,
    STEERING_COLUMN,
    NO_STEERING_COLUMN,
)

# The first component of a slot is that of lists of one's own. Their body is rigid, as a gyrostat needs an engine.
VARIANTS: dict[str, dict[str, Component]] = {}
for _component in (BODY, *(c for entries in VEHICLE_TYPES.values() for c in components_of(entries)), *OTHERS):
    VARIANTS.setdefault(_component.slot, {})[_component.name] = _component
