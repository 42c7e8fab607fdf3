"""The contact solver as a vehicle component: hull against world, suspension limits, sticky tires.

Per tick `generate` finds the possible hull contacts. Per substep `stick` decides which tires stick, `solve` corrects
the velocity before the pose is integrated, `settle` relaxes the constraints and sets the speeds of sticky wheels.

The hull's parts come from the model (`physics/shape/geometry.py`) and from the wheels at full compression, which
collide only with surfaces steep in body axes: walls, or the ground when the car lies on its side. With
`mass_from: model` the parts' masses add up to the body's.

A suspension limit is the constraint at full compression. The elastic bump stop of some suspensions is part of their
spring force instead.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.contact.energy import note_velocity
from driving_sandbox.physics.contact.generation import generate_hull_contacts
from driving_sandbox.physics.contact.records import (
    CONTACT_CAPACITY,
    CONTACT_LIMITS,
    CONTACT_STATE,
    SCRATCH,
    WHEEL_CAPACITY,
    WHEEL_ROW,
)
from driving_sandbox.physics.contact.solver import relax, solve_velocities
from driving_sandbox.physics.contact.sticky import (
    any_braking,
    any_driving,
    speeds_at,
    sticky_wheel_rate,
    update_sticky,
)
from driving_sandbox.physics.ground.surfaces import hull_materials
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import vec3
from driving_sandbox.physics.schema.schema import Block, Bool, Choice, Float, Floats, Int, Schema, Vec3, Words, field
from driving_sandbox.physics.shape.hull import BODY_PARTS, HULL
from driving_sandbox.physics.shape.mass import announce, mass_of
from driving_sandbox.physics.shape.vehicle_hull import hull_of, part_settings
from driving_sandbox.physics.tick.component import Component

LIMIT_OPTIONS = ("road_normal", "suspension", "none")
ROAD_NORMAL, SUSPENSION_LINE, NO_LIMIT = 0, 1, 2  # their indices
MASS_OPTIONS = ("values", "model")
# A suspension limit acts from a gap of this many times the jounce travel of a substep at the present speed. Above 1, as
# the wheel may accelerate.
LIMIT_REACH = 2.0


class ContactParams(Schema):
    """Contact of bodywork, suspension limits, sticky tires and hitches."""

    friction: Float = field(
        unit="1", ge=0, le=5, default=1.0, suggest=(0, 2), doc="Factor on the friction of bodywork with any surface."
    )
    restitution: Float = field(
        unit="1",
        ge=0,
        le=1,
        default=0.1,
        suggest=(0, 1),
        doc="Lower limit of the bodywork's restitution; values listed per pair in the surfaces file override it.",
    )
    material: Choice = field(
        options=hull_materials(),
        default=hull_materials()[0],
        doc="Material of the bodywork and of the wheels' sides, for friction and restitution.",
    )
    suspension_limit: Choice = field(
        options=LIMIT_OPTIONS,
        default="road_normal",
        doc="Direction in which the suspension limit, the stop at full compression, acts on the body; none: no limit.",
        source="PX-CONT-05",
    )
    limit_restitution: Float = field(
        unit="1", ge=0, le=1, default=0.0, suggest=(0, 1), doc="Restitution of the suspension limit."
    )
    longitudinal_speed: Float = field(
        unit="m/s",
        ge=0,
        default=0.2,
        suggest=(0, 1),
        source="PX-STICK-02",
        doc="Longitudinal speed below which a braked wheel sticks, and a free one on a braked vehicle rolls without "
        "slip.",
    )
    lateral_speed: Float = field(
        unit="m/s",
        ge=0,
        default=0.2,
        suggest=(0, 1),
        source="PX-STICK-02",
        doc="Lateral speed below which a wheel may stick laterally.",
    )
    longitudinal_time: Float = field(
        unit="s",
        ge=0,
        default=0.05,
        suggest=(0, 2),
        source="PX-STICK-03",
        doc="Time below the longitudinal threshold before an unbraked wheel sticks laterally.",
    )
    lateral_time: Float = field(
        unit="s",
        ge=0,
        default=0.05,
        suggest=(0, 2),
        source="PX-STICK-03",
        doc="Time below the lateral threshold before a wheel sticks laterally.",
    )
    wheels_touch: Bool = field(
        default=True, doc="Whether wheels collide with walls, and with the ground when the car lies on its side."
    )
    part_flags: Floats = field(
        capacity=BODY_PARTS,
        unit="1",
        ge=0,
        le=2,
        default=[],
        source="CE-HULL-03",
        doc="For hull1, hull2 ...: 0 collides but is not drawn, 1 both, 2 only drawn. Parts not listed: 1.",
    )
    part_excluded: Floats = field(
        capacity=BODY_PARTS,
        unit="1",
        ge=0,
        le=1,
        default=[],
        source="CE-HULL-02",
        doc="For hull1, hull2 ...: 1 excludes the part from collisions, but not from the mass.",
    )
    part_mass: Floats = field(
        capacity=BODY_PARTS,
        unit="kg",
        ge=0,
        default=[],
        suggest=(0, 3000),
        source="CE-MASS-03",
        doc="Masses of hull1, hull2 ..., for `mass_from: model`.",
    )
    part_zoffset: Floats = field(
        capacity=BODY_PARTS,
        unit="m",
        default=[],
        suggest=(-1, 1),
        source="CE-HULL-04",
        doc="Vertical offsets of hull1, hull2 ... from the model, for collisions and mass.",
    )
    part_material: Words = field(
        options=hull_materials(),
        capacity=BODY_PARTS,
        default=[],
        doc="Materials of hull1, hull2 ... Parts not listed: as named in their meshes, else `material`.",
    )
    mass_from: Choice = field(
        options=MASS_OPTIONS,
        default="values",
        source="CE-MASS-02",
        doc="model: mass, centre of mass and inertia of the body are those of the parts, each of uniform density.",
    )
    hitch_rear: Vec3 = field(
        unit="m",
        default=[0, 0, 0],
        suggest=(-10, 10),
        source="PX-JOINT-01",
        doc="Hitch point for a trailer, relative to the model's origin.",
    )
    hitch_front: Vec3 = field(
        unit="m",
        default=[0, 0, 0],
        suggest=(-10, 10),
        source="PX-JOINT-01",
        doc="Coupling point to the vehicle in front, relative to the model's origin.",
    )
    hitch_limit: Float = field(
        unit="rad",
        gt=0,
        default=math.pi,
        suggest=(0.3, math.pi),
        doc="Largest articulation angle to the vehicle in front; pi: no limit.",
    )
    hitch_roll: Float = field(
        unit="rad",
        gt=0,
        default=math.pi,
        suggest=(0.01, math.pi),
        doc="Largest roll relative to the vehicle in front, the play of a fifth wheel; pi: no limit, a ball joint.",
    )
    hull: Block = field(layout=HULL, derived=True, doc="Convex parts, relative to the centre of mass.")


class ContactState(Schema):
    """Contacts and sticky anchors that persist from tick to tick."""

    solver: Block = field(layout=CONTACT_STATE, limits=CONTACT_LIMITS, doc="Contacts, impulses, sticky anchors.")
    hull_contact_count: Int = field(
        unit="1", ge=0, le=CONTACT_CAPACITY, doc="Number of possible contacts of bodywork with the world in this tick."
    )
    hull_impulse: Float = field(unit="N*s", doc="Sum of the normal impulses on bodywork in the last substep.")


CONTACT_SCRATCH = np.dtype([("solver", SCRATCH), ("wheels", WHEEL_ROW, WHEEL_CAPACITY)], align=True)


@kernel
def generate(params: Any, state: Any, scratch: Any, body: Any, ground: Any, dt: float) -> None:
    """Find the possible hull contacts with the world in this tick, and reset the tick's sum of limit impulses."""
    scratch.solver.tick_limit_impulse = 0.0
    generate_hull_contacts(params.hull, body, ground, state.solver, scratch.solver, dt)


@kernel
def fill_limit(
    row: Any, suspension_s: Any, road_s: Any, force_point: Any, option: Any, restitution: Any, dt: float
) -> None:
    """Write the suspension limit of a wheel into its row; it is active once the wheel may reach it within the substep.

    A limit that acted only after being passed would leave the body lower than the spring's compression accounts for,
    and the spring would then add energy.

    row: WHEEL_ROW.
    force_point: where the limit acts on the body, m, world axes.
    option: index of LIMIT_OPTIONS.
    """
    row.limit_active = 0
    gap = suspension_s.limit_gap
    reach = LIMIT_REACH * max(0.0, suspension_s.jounce_speed) * dt
    if suspension_s.on_ground == 0 or gap >= reach or option == NO_LIMIT:
        return
    direction = vec3.load(road_s.normal)
    if option == SUSPENSION_LINE:
        cosine = vec3.dot(direction, vec3.load(suspension_s.direction))
        if cosine == 0.0:
            return
        direction = vec3.scale(vec3.load(suspension_s.direction), 1.0 if cosine > 0.0 else -1.0)
        gap = gap / abs(cosine) if gap > 0.0 else gap  # converted from along the normal to along the suspension
    row.limit_active = 1
    row.limit_separation = gap
    row.limit_restitution = restitution
    vec3.store(row.limit_direction, direction)
    vec3.store(row.limit_point, force_point)


@kernel
def fill_contact(row: Any, road_s: Any, t: Any) -> None:
    """Write contact point, velocity of the ground and directions of a sticky wheel into its row."""
    vec3.store(row.contact_point, vec3.load(road_s.point))
    vec3.store(row.ground_velocity, vec3.load(road_s.velocity))
    vec3.store(row.longitudinal, vec3.load(t.longitudinal))
    vec3.store(row.lateral, vec3.load(t.lateral))


@kernel
def stick(
    params: Any, state: Any, scratch: Any, suspension: Any, road: Any, tire: Any, tire_params: Any, wheel: Any,
    wheel_params: Any, brakes: Any, actuation: Any, body: Any, wheel_count: int, dt: float,
) -> None:  # fmt: skip
    """Write every wheel's WHEEL_ROW, and mark the sticky directions of its tire.

    `brake_torque` is the dry friction that can hold a wheel: brakes and rolling resistance. The contact point is
    written for sticky wheels only, which saves time while driving: then no wheel sticks.
    """
    note_velocity(body, scratch.solver.free)
    origin = vec3.load(body.position)
    for i in range(wheel_count):
        row, t, radius = scratch.wheels[i], tire[i], wheel_params[i].radius
        row.on_ground = suspension[i].on_ground
        row.normal_force = t.load
        row.friction = t.friction
        row.radius = radius
        row.inertia = wheel_params[i].inertia
        row.rate = wheel[i].omega
        row.pedal_torque = brakes[i].torque
        drag = (tire_params[i].rolling_resistance + road[i].rolling_drag) * t.load * radius
        row.brake_torque = row.pedal_torque + drag
        row.drive_torque = actuation[i].drive_torque
        row.drive = actuation[i].drive_applied
        point = vec3.add(origin, vec3.load(suspension[i].force_arm))
        fill_limit(row, suspension[i], road[i], point, params.suspension_limit, params.limit_restitution, dt)
    driving, braking = any_driving(scratch.wheels, wheel_count), any_braking(scratch.wheels, wheel_count)
    for i in range(wheel_count):
        row, r, t = scratch.wheels[i], road[i], tire[i]
        longitudinal_speed, lateral_speed = speeds_at(
            vec3.load(r.point), vec3.load(r.velocity), vec3.load(t.longitudinal), vec3.load(t.lateral), body
        )
        update_sticky(params, row, state.solver.wheels[i], longitudinal_speed, lateral_speed, driving, braking, dt)
        t.sticky_longitudinal = row.sticky_longitudinal
        t.sticky_lateral = row.sticky_lateral
        if row.sticky_longitudinal + row.sticky_lateral != 0:
            fill_contact(row, r, t)


@kernel
def solve(state: Any, scratch: Any, body: Any, body_params: Any, wheel_count: int, dt: float) -> None:
    """Correct the body's velocity by the impulses of the constraints, before the pose is integrated."""
    solve_velocities(body, body_params, scratch.wheels, wheel_count, state.solver, scratch.solver, dt)


@kernel
def settle(state: Any, scratch: Any, body: Any, body_params: Any, wheel: Any, wheel_count: int, dt: float) -> None:
    """After integration of the pose: relax, and set the speeds of wheels with a longitudinal sticky constraint."""
    relax(body, body_params, scratch.wheels, wheel_count, state.solver, scratch.solver, dt)
    for i in range(wheel_count):
        if scratch.wheels[i].sticky_longitudinal != 0:
            wheel[i].omega = sticky_wheel_rate(scratch.wheels[i], state.solver.wheels[i], body, wheel[i].omega)
    state.hull_contact_count = state.solver.contact_count
    impulse = 0.0
    for k in range(state.solver.contact_count):
        impulse += state.solver.contacts[k].normal_impulse
    state.hull_impulse = impulse


def drawn_parts(vehicle: Any) -> list[str]:
    """Names of a vehicle's visible hull parts, by its part flags."""
    return vehicle.geometry.drawn_names(part_settings(vehicle.params["contact"][0]))


def derive(
    params: Any, body_params: Any, wheel_params: Any, suspension_params: Any, wheel_count: int, geometry: Any
) -> None:
    """Write the hull and, with `mass_from: model`, the body's mass, centre of mass and inertia."""
    if MASS_OPTIONS[int(params["mass_from"])] == "model":
        properties = mass_of(geometry, part_settings(params))
        announce(geometry, part_settings(params))
        body_params["mass"], body_params["centre_of_mass"] = properties.mass, properties.centre_of_mass
        body_params["principal_inertia"] = body_params["inertia"] = np.diag(properties.inertia)
    params["hull"] = hull_of(params, body_params, wheel_params, suspension_params, wheel_count, geometry)[0]


def check(
    params: Any, body_params: Any, wheel_params: Any, suspension_params: Any, wheel_count: int, geometry: Any
) -> list[tuple[str, str]]:
    """[(parameter, problem)] of the lists of parts.

    Problems are: more entries than the model has parts; fractions where whole numbers are needed; `mass_from: model`
    without a model, or with parts that are not closed or have no mass; degenerate shapes.
    """
    settings = part_settings(params)
    count = 0 if geometry is None else len(geometry.hulls)
    problems = []
    for name, values in (
        ("part_flags", settings.flags),
        ("part_excluded", settings.excluded),
        ("part_mass", settings.masses),
        ("part_zoffset", settings.z_offsets),
        ("part_material", settings.materials),
    ):
        if len(values) > count:
            problems.append((name, f"lists {len(values)} parts, the model has {count}"))
        if name in ("part_flags", "part_excluded") and any(value != int(value) for value in values):
            problems.append((name, "takes whole numbers only"))
    if problems:
        return problems
    from_model = MASS_OPTIONS[int(params["mass_from"])] == "model"
    if from_model and geometry is None:
        return [("mass_from", "the vehicle has no model to take the mass from")]
    try:
        if from_model:
            mass_of(geometry, settings)
    except ValueError as error:
        return [("part_mass", str(error))]
    try:
        hull_of(params, body_params, wheel_params, suspension_params, wheel_count, geometry)
    except ValueError as error:
        return [("part_flags", str(error))]
    return []


CONTACT = Component(
    slot="contact",
    name="solver",
    params=ContactParams,
    state=ContactState,
    phases={"generate": generate, "stick": stick, "solve": solve, "settle": settle},
    optional=("generate", "stick", "solve", "settle"),  # a list may use another solver
    writes=("tire", "body", "wheel"),
    derive=derive,
    check=check,
    scratch=CONTACT_SCRATCH,
    doc="Hull contact, suspension limits and sticky tires in one velocity-level solver.",
)
