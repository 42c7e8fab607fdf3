"""The contact solver as a component of a vehicle: hull against world, suspension limits, sticky tires.

Per tick `generate` finds where the hull may touch. Per substep `stick` decides which tires hold fast, `solve` corrects
the velocity before the pose moves, `relax` takes out what the correction added and sets the wheels that are held.
"""

import numpy as np

from physics import vec3
from physics.body.hull import build_hull
from physics.component import Component
from physics.contact.generation import generate_hull_contacts
from physics.contact.records import CONTACT_STATE, HULL, SCRATCH, WHEEL_CAPACITY, WHEEL_ROW
from physics.contact.solver import relax, solve_velocities
from physics.contact.sticky import held_wheel_rate, sticky_candidates
from physics.jit import kernel
from physics.schema import Block, Choice, Schema, field

ROAD_NORMAL, SUSPENSION_LINE, NO_LIMIT = 0, 1, 2
LIMIT_OPTIONS = ("road_normal", "suspension", "none")


class ContactParams(Schema):
    """Bodywork against the world, bump stops and holding at rest."""

    friction: float = field(unit="1", ge=0, le=5, default=1.0, suggest=(0, 2),
                            doc="Factor on the surface's friction with bodywork.")
    restitution: float = field(unit="1", ge=0, le=1, default=0.1, suggest=(0, 1), doc="Bounce of bodywork, 0 to 1.")
    suspension_limit: Choice(LIMIT_OPTIONS) = field(
        default="road_normal", doc="Which way a fully compressed suspension pushes the body.", source="PX-CONT-05"
    )
    limit_restitution: float = field(unit="1", ge=0, le=1, default=0.0, suggest=(0, 1), doc="Bounce of the bump stop.")
    longitudinal_speed: float = field(unit="m/s", ge=0, default=0.2, suggest=(0, 1), source="PX-STICK-02",
                                      doc="Below it a braked wheel holds fast.")
    lateral_speed: float = field(unit="m/s", ge=0, default=0.2, suggest=(0, 1), source="PX-STICK-02",
                                 doc="Below it a slow wheel holds fast sideways.")
    longitudinal_time: float = field(unit="s", ge=0, default=0.05, suggest=(0, 2), source="PX-STICK-03",
                                     doc="Slow for this long before a free wheel holds fast sideways.")
    lateral_time: float = field(unit="s", ge=0, default=0.05, suggest=(0, 2), source="PX-STICK-03",
                                doc="Slow sideways for this long before it holds fast.")
    hull: Block(HULL) = field(derived=True, doc="Convex parts against the centre of mass.")


class ContactState(Schema):
    """Contacts and anchors that last from tick to tick."""

    solver: Block(CONTACT_STATE) = field(doc="Contacts, warm-start impulses, sticky anchors.")
    hull_contact_count: int = field(unit="1", doc="Points where bodywork touches the world.")
    hull_impulse: float = field(unit="N*s", doc="Normal impulse on the bodywork in the last substep.")


CONTACT_SCRATCH = np.dtype([("solver", SCRATCH), ("wheels", WHEEL_ROW, WHEEL_CAPACITY)], align=True)


@kernel
def generate(params, state, scratch, body, ground, dt):
    generate_hull_contacts(params.hull, body, ground, state.solver, scratch.solver, dt)


@kernel
def fill_limit(row, suspension_s, road_s, force_point, which, restitution):
    """Bump stop of one wheel."""
    row.limit_active = 0
    if suspension_s.on_ground == 0 or suspension_s.separation >= 0.0 or which == NO_LIMIT:
        return
    push = vec3.load(road_s.normal)
    if which == SUSPENSION_LINE:
        slope = vec3.dot(push, vec3.load(suspension_s.direction))
        if slope == 0.0:
            return
        push = vec3.scale(vec3.load(suspension_s.direction), 1.0 if slope > 0.0 else -1.0)
    row.limit_active = 1
    row.limit_separation = suspension_s.separation
    row.limit_restitution = restitution
    vec3.store(row.limit_direction, push)
    vec3.store(row.limit_point, force_point)


@kernel
def stick(params, state, scratch, suspension, road, tire, tire_params, wheel, wheel_params, brakes, actuation, body,
          wheel_count, dt):
    """Hand every wheel to the solver and mark the tire directions it will hold.

    What holds a wheel is dry: its brakes and its rolling resistance.
    """
    origin = vec3.load(body.position)
    for i in range(wheel_count):
        row = scratch.wheels[i]
        t = tire[i]
        row.on_ground = suspension[i].on_ground
        vec3.store(row.contact_point, vec3.load(road[i].point))
        vec3.store(row.longitudinal, vec3.load(t.longitudinal))
        vec3.store(row.lateral, vec3.load(t.lateral))
        vec3.store(row.ground_velocity, vec3.load(road[i].velocity))
        row.normal_force = t.load
        row.friction = t.friction
        row.radius = wheel_params[i].radius
        row.rate = wheel[i].omega
        drag = (tire_params[i].rolling_resistance + road[i].rolling_drag) * t.load * wheel_params[i].radius
        row.brake_torque = brakes[i].torque + drag
        row.drive_torque = actuation[i].drive_torque
        row.drive = actuation[i].drive_applied
        point = vec3.add(origin, vec3.load(suspension[i].force_arm))
        fill_limit(row, suspension[i], road[i], point, params.suspension_limit, params.limit_restitution)
    sticky_candidates(params, scratch.wheels, wheel_count, body, state.solver, dt)
    for i in range(wheel_count):
        tire[i].sticky_longitudinal = scratch.wheels[i].sticky_longitudinal
        tire[i].sticky_lateral = scratch.wheels[i].sticky_lateral


@kernel
def solve(state, scratch, body, body_params, wheel_count, dt):
    solve_velocities(body, body_params, scratch.wheels, wheel_count, state.solver, scratch.solver, dt)


@kernel
def settle(state, scratch, body, body_params, wheel, wheel_count, dt):
    """After the pose has moved: relax, and let held wheels turn as the solver says."""
    relax(body, body_params, scratch.wheels, wheel_count, state.solver, scratch.solver, dt)
    for i in range(wheel_count):
        if scratch.wheels[i].sticky_longitudinal != 0:
            wheel[i].omega = held_wheel_rate(scratch.wheels[i], state.solver.wheels[i], body)
    state.hull_contact_count = state.solver.contact_count
    impulse = 0.0
    for k in range(state.solver.contact_count):
        impulse += state.solver.contacts[k].normal_impulse
    state.hull_impulse = impulse


def derive(params, body_params, geometry):
    parts = {} if geometry is None else geometry.parts
    params["hull"] = build_hull(
        parts, tuple(body_params["centre_of_mass"]), float(params["friction"]), float(params["restitution"])
    )[0]


CONTACT = Component(
    slot="contact", name="solver", params=ContactParams, state=ContactState,
    phases={"generate": generate, "stick": stick, "solve": solve, "settle": settle}, writes=("tire", "body", "wheel"),
    derive=derive, scratch=CONTACT_SCRATCH,
    doc="Hull contact, suspension limits and sticky tires in one velocity-level solver.",
)
