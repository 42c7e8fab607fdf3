"""Solid axles as separate bodies between the springs of the body and the tires.

An axle can move vertically, laterally and in roll relative to the body, and follows it longitudinally and in yaw. Half
of its mass is at each wheel; its roll inertia follows from that. Its springs are vertical in the body, one at each
wheel; a joint locates it laterally at the roll centre: a Panhard rod, a Watt's linkage, or leaf springs. The equations:

    m z'' = N + P - S + m (g - a) . up                          at each wheel, z: jounce of its hub
    M y'' = Y - J + M (g - a) . right                           y: displacement of the axle's centre to the right
    J = d / c + e d',   d = y - (R - h) t                       force of the joint on the body, to the right
    P = -T / (2 x),     T = J (R - h) - sum F_y (R - D) - sum N s      T: roll moment on the axle, left side up

m: unsprung mass of a wheel, M = 2 m; N, F_y: load and lateral force of each tire, Y: lateral force of both in the body;
S: force of spring, damper, bars and bump stop; P: vertical force of the links on a hub; c, e: `joint_compliance` and
`joint_damping` of both wheels in parallel; h: height of the roll centre; R: wheel radius, D: deflection of a tire; x:
position of a wheel right of the centre line; t: roll of the axle relative to the body, left side up; g, a: gravity,
acceleration of the body. s: lateral offset of a load, to the right: the carcass deflection (`lateral_compliance`),
minus R b for an axle that has rolled on its tires by an angle b, left side up. The vertical component of tire forces on
a rolled body is in P as well, half of it at each wheel; for roll moments the loads act at the full track, as the axle
does not roll with the body.

`stretch: angles` repeats a simplification of handling models, small angles and vertical springs between body and axle.
With the body's roll f to the right and pitch q, nose up, the spring of a wheel at x and l ahead of the body's centre,
which is H above the axle, is compressed by x f - l q - H / cos f, apart from a constant; its damper ignores the change
of H / cos f with f.

Only S and J act on the body (body/sprung.py), whose mass does not include the axles. Both are known when the body is
integrated, so axles may have any mass, unlike the hubs of unsprung.py, which are part of the body's mass. The axle's
equations use the acceleration that the body actually had, and are solved exactly over a step (hub.py); the body
receives the mean of J over that step, which conserves momentum.

Limitations: the wheels of an axle are mirror images; slip includes the motion of the body, with `axle_scrub`
(magic_tire.py) also the roll of the axle, but not its lateral travel in the joint. All else is as in unsprung.py.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat, vec3
from driving_sandbox.physics.maths.products import norm
from driving_sandbox.physics.schema.schema import Choice, Float, Vec3, field
from driving_sandbox.physics.suspension.hub import exact_step, move_hub
from driving_sandbox.physics.suspension.hub_mass import SOLID_AXLE, derive_tire, hub_mass_of
from driving_sandbox.physics.suspension.hub_records import HubState, UnsprungParams
from driving_sandbox.physics.suspension.hub_springs import (
    balance,
    linear_spring,
    tire_spring_force,
    update_deflection,
)
from driving_sandbox.physics.suspension.links import apply_antiroll_bars, grip, opposite_of
from driving_sandbox.physics.suspension.roll_centre import ROLL_CENTRE, patch_shift, spring_force
from driving_sandbox.physics.suspension.roll_centre import check as check_roll_centre
from driving_sandbox.physics.suspension.sprung_mass import sprung_masses
from driving_sandbox.physics.suspension.suspension import AT_ATTACHMENT, IN_AIR, SHALLOWEST, SWEEP
from driving_sandbox.physics.suspension.suspension import derive as derive_standard
from driving_sandbox.physics.tick.component import Component
from driving_sandbox.physics.wheel.wheel import wheel_centre

ANGLES = 1  # index of `angles` among the options of `stretch`
MIN_COSINE_SQUARED = 0.01  # smallest squared cosine of pitch (84 degrees), as roll is not defined at 90 degrees
SPRUNG_BODY = "sprung"  # the component of slot body that receives the axles' forces


class AxleBodiesParams(UnsprungParams):
    """Parameters of unsprung.py for one end of an axle."""

    jounce_query: Choice = field(
        options=("ray", "sweep"), default="sweep", derived=True, doc="Always the tire as a cylinder on the road plane."
    )
    force_application: Choice = field(
        options=("attachment", "contact"), default="attachment", derived=True,
        doc="Always the attachment: springs and joint act where they are fixed to the body.",
    )  # fmt: skip
    links: Choice = field(
        options=("independent", "solid_axle"), default="solid_axle", derived=True, doc="Always a solid axle."
    )
    stretch: Choice = field(options=("length", "angles"),
        default="length",
        doc="How springs deflect when the body rolls and pitches. length: by the distance from axle to body; angles: "
            "as in handling models, by roll and pitch times their distance from the body's centre.",
    )  # fmt: skip
    joint_compliance: Float = field(
        unit="m/N",
        gt=0,
        le=1e-4,
        default=1e-5,
        suggest=(1e-6, 2e-5),
        doc="Lateral displacement of the axle relative to the body, per force in this wheel's half of the joint.",
    )
    joint_damping: Float = field(
        unit="N*s/m",
        ge=0,
        default=1000.0,
        suggest=(0, 10e3),
        doc="Lateral force of this wheel's half of the joint, per lateral speed of the axle in it.",
    )


class AxleBodiesState(HubState):
    """State of a hub and its axle; the axle's is stored at both of its wheels."""

    hub_velocity: Vec3 = field(unit="m/s", doc="Velocity of the body at the wheel, world axes.")
    specific_force_vector: Vec3 = field(
        unit="m/s^2", doc="Gravity minus the body's acceleration at the hub, world axes."
    )
    axle_travel: Float = field(unit="m", doc="Displacement of the axle's centre to the right in the body.")
    axle_speed: Float = field(unit="m/s", doc="Rate of `axle_travel`, to the right.")
    axle_lean: Float = field(unit="rad", doc="Roll of the axle on its tires, to the right.")
    joint_force: Float = field(unit="N", doc="Force on the body to the right, this wheel's half of the joint.")
    roll_damper_force: Float = field(
        unit="N",
        doc="Part of the damper's force caused by body roll alone, which `stretch: angles` ignores; up on the hub.",
    )
    body_force: Float = field(unit="N", doc="Force of spring, damper and ends of the travel on the body, up.")


@inline_kernel
def along_road(v: Any, normal: Any) -> tuple[float, float, float]:
    """Unit vector along the projection of v onto the plane with a unit normal."""
    return vec3.normalize(vec3.add_scaled(v, normal, -vec3.dot(v, normal)))


@kernel
def update_specific_force(
    params: Any, state: Any, road: Any, body: Any, m: Any, gravity: Any, wheel_count: int, dt: float
) -> None:
    """Update the specific force at every hub: gravity minus the body's acceleration over the last substep."""
    v, angular_velocity, g = vec3.load(body.velocity), vec3.load(body.angular_velocity), vec3.load(gravity)
    ahead, up = vec3.transform(m, (0.0, 1.0, 0.0)), vec3.transform(m, (0.0, 0.0, 1.0))
    for i in range(wheel_count):
        p, s = params[i], state[i]
        vec3.store(s.direction, vec3.transform(m, vec3.load(p.direction)))
        hub = vec3.add_scaled(vec3.load(p.arm), vec3.load(p.direction), p.travel - s.jounce)
        velocity = vec3.add(v, vec3.cross(angular_velocity, vec3.transform(m, hub)))
        specific_force = g
        if s.hub_initialized != 0:
            specific_force = vec3.add_scaled(g, vec3.sub(velocity, vec3.load(s.hub_velocity)), -1.0 / dt)
        vec3.store(s.hub_velocity, velocity)
        if s.on_ground != 0:  # along the road the links accelerate the axle, not its springs, also on a pitched body
            along = along_road(ahead, vec3.load(road[i].normal))
            specific_force = vec3.add_scaled(specific_force, along, -vec3.dot(along, specific_force))
        vec3.store(s.specific_force_vector, specific_force)
        if s.stop_impulse == 0.0:
            s.specific_force = vec3.dot(up, specific_force)


@inline_kernel
def roll_and_pitch(m: Any, normal: Any) -> tuple[Any, Any]:
    """(roll to the right, pitch nose up) of a body relative to the road, rad; pitch comes first, then roll."""
    rise = vec3.dot(normal, vec3.transform(m, (0.0, 1.0, 0.0)))  # sine of pitch
    cosine = math.sqrt(max(1.0 - rise * rise, MIN_COSINE_SQUARED))
    fall = -vec3.dot(normal, vec3.transform(m, (1.0, 0.0, 0.0))) / cosine  # sine of roll
    return elementary.asin(min(max(fall, -1.0), 1.0)), elementary.asin(min(max(rise, -1.0), 1.0))


@kernel
def required_jounce(
    p: Any, wheel_p: Any, steer: float, axle_roll: float, road: Any, origin: Any, m: Any, direction: Any
) -> tuple[bool, float, float]:
    """(whether the road can carry the wheel, J of hub.py in m, cosine of the angle between road normal and suspension).

    Axles are parallel to the road, so that a wheel stands on its free radius at any roll of the body.

    steer: steer angle, rad.
    axle_roll: roll of the axle on its tires, rad.
    origin, m: position and rotation matrix of the body.
    direction: unit vector of droop, world axes.
    """
    normal = vec3.load(road.normal)
    along = -vec3.dot(normal, direction)
    if road.hit == 0 or along < SHALLOWEST:
        return False, -IN_AIR, 1.0
    if p.stretch == ANGLES:
        roll, pitch = roll_and_pitch(m, normal)
        height = vec3.dot(normal, origin) + road.offset - p.used_free_radius
        jounce = p.travel - p.arm[2] - height / elementary.cos(roll) + p.arm[0] * roll - p.arm[1] * pitch
        # roll of the axle itself acts at its whole track, and lowers its wheels' centres below their radius
        change = p.arm[0] * axle_roll * (1.0 - along) - 0.5 * wheel_p.radius * axle_roll * axle_roll
        return True, jounce + change / along, along
    centre = vec3.add(origin, vec3.transform(m, wheel_centre(p, wheel_p, p.travel, 0.0, steer)))  # camber 0
    return True, (p.used_free_radius - vec3.dot(normal, centre) - road.offset) / along, along


@kernel
def roll_damper_force_of(params: Any, state: Any, road: Any, body: Any, m: Any, i: int) -> float:
    """Force of wheel i's damper due to the rate of H / cos f alone (see `stretch: angles` above), N, up on the hub."""
    p, s, normal = params[i], state[i], vec3.load(road.normal)
    roll, pitch = roll_and_pitch(m, normal)
    ahead = along_road(vec3.transform(m, (0.0, 1.0, 0.0)), normal)
    roll_rate = vec3.dot(vec3.load(body.angular_velocity), ahead) / elementary.cos(pitch)
    height = 0.5 * (s.jounce + state[p.opposite_wheel].jounce) - p.travel + p.arm[2] + p.arm[1] * pitch
    _, _, damping = linear_spring(p, s.jounce, s.jounce_speed)
    return damping * height * elementary.tan(roll) * roll_rate


@inline_kernel
def load_moment(p: Any, s: Any, radius: float, side_force: float) -> float:
    """Moment -N s of a tire's load, which acts beside its undeflected place under the axle, N m, left side up."""
    if s.on_ground == 0:
        return 0.0
    return -s.tire_load * (patch_shift(p, p.attachment[0], side_force) - radius * elementary.sin(s.axle_lean))


@kernel
def move_axle(params: Any, state: Any, tire: Any, road: Any, wheel_params: Any, m: Any, i: int, dt: float) -> None:
    """Advance the lateral motion of the axle of wheel i and its opposite by a step.

    Writes axle_travel, axle_speed and joint_force, and external_force, which is P.
    """
    j = params[i].opposite_wheel
    right, ahead = vec3.transform(m, (1.0, 0.0, 0.0)), vec3.transform(m, (0.0, 1.0, 0.0))
    up = vec3.transform(m, (0.0, 0.0, 1.0))
    track = params[j].attachment[0] - params[i].attachment[0]
    deflection = 0.5 * (state[i].tire_deflection + state[j].tire_deflection)
    roll = (state[i].jounce - state[j].jounce) / track  # t in the module's docstring
    roll_rate = (state[i].jounce_speed - state[j].jounce_speed) / track
    mass, stiffness, damping, lever, lateral_force, lift, moment = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in (i, j):
        p, s, radius = params[k], state[k], wheel_params[k].radius
        mass += p.hub_mass
        stiffness += 1.0 / p.joint_compliance
        damping += p.joint_damping
        lever += 0.5 * (radius - p.roll_centre_height)  # R - h, mean of both wheels
        lateral_force += p.hub_mass * vec3.dot(right, vec3.load(s.specific_force_vector))
        if s.on_ground != 0:
            normal = vec3.load(road[k].normal)
            right_in_road = vec3.normalize(vec3.cross(ahead, normal))  # to the right in the road
            side_force = vec3.dot(right_in_road, grip(tire[k]))
            lateral_force += side_force * vec3.dot(right_in_road, right) + s.force * vec3.dot(normal, right)
            lift += 0.5 * side_force * vec3.dot(right_in_road, up)
            moment += load_moment(p, s, radius, tire[k].lateral_force) - side_force * (radius - deflection)
            # a rolled body reduces the loads along its springs, but the whole loads roll the axle
            moment -= p.attachment[0] * s.force * (1.0 - vec3.dot(normal, up))
    speed_before = state[i].axle_speed
    # the joint takes the place of the tire in `exact_step`: its neutral position moves with the roll, and the force on
    # the axle does not depend on travel and speed
    neutral, external = (lever * roll, lever * roll_rate), (lateral_force, 0.0, 0.0)
    travel, speed = exact_step(state[i].axle_travel, speed_before, dt, neutral, (stiffness, damping), external, mass)
    joint = lateral_force - mass * (speed - speed_before) / dt
    moment += joint * lever
    for k in (i, j):
        s = state[k]
        s.axle_travel, s.axle_speed, s.joint_force = travel, speed, 0.5 * joint
        s.external_force = lift - 0.5 * moment / params[k].attachment[0]


@kernel
def reset_axle(s: Any) -> None:
    """Put an axle at rest, without roll, into the neutral position of its joint."""
    s.axle_travel, s.axle_speed, s.axle_lean = 0.0, 0.0, 0.0
    s.joint_force, s.external_force, s.roll_damper_force = 0.0, 0.0, 0.0


@kernel
def update(params: Any, state: Any, wheel_params: Any, steering: Any, road: Any, tire: Any, antiroll_params: Any,
           body: Any, context: Any, wheel_count: int, dt: float) -> None:  # fmt: skip
    """Advance every axle and its hubs over the last step, in which the body has already moved."""
    m = quat.to_matrix(quat.load(body.orientation))
    origin = vec3.load(body.position)
    update_specific_force(params, state, road, body, m, context.gravity, wheel_count, dt)
    for i in range(wheel_count):
        if params[i].opposite_wheel > i:
            move_axle(params, state, tire, road, wheel_params, m, i, dt)
        whole_damper = params[i].stretch != ANGLES or state[i].on_ground == 0
        state[i].roll_damper_force = 0.0 if whole_damper else roll_damper_force_of(params, state, road[i], body, m, i)
    for i in range(wheel_count):
        p, s = params[i], state[i]
        supported, required, along = required_jounce(
            p, wheel_params[i], steering[i].angle, s.axle_lean, road[i], origin, m, vec3.load(s.direction)
        )
        s.bar_load = s.force - s.tire_load if s.on_ground != 0 else 0.0
        if antiroll_params.loads_tires != 0:
            s.bar_force = s.bar_load
        rate = (required - s.road_jounce) / dt
        if s.hub_initialized == 0:
            s.jounce, s.jounce_speed, rate = balance(p, required, along, p.hub_mass * s.specific_force), 0.0, 0.0
            s.hub_initialized = 1 if supported else 0
            reset_axle(s)
        else:
            if not supported:
                rate = 0.0
            elif s.road_jounce <= -IN_AIR:  # first contact: at the body's approach speed
                closing = vec3.sub(vec3.load(road[i].velocity), vec3.load(s.hub_velocity))
                rate = vec3.dot(vec3.load(road[i].normal), closing) / along
            s.external_force += s.roll_damper_force - s.bar_force
            move_hub(p, s, required, rate, along, dt)
        update_deflection(p, s, required, rate, along)
    for i in range(wheel_count):
        j = params[i].opposite_wheel
        track = params[j].attachment[0] - params[i].attachment[0]
        state[i].axle_lean = (state[j].tire_deflection - state[i].tire_deflection) / track
    if antiroll_params.loads_tires == 0:
        apply_antiroll_bars(antiroll_params, state, wheel_count)


@kernel
def force_on_body(p: Any, s: Any, push: float, dt: float) -> float:
    """Upward force of a hub on the body, N, including the reaction of the stop at an end of the travel.

    push: force of the tire's spring along the suspension, N.
    """
    spring = spring_force(p, s.jounce, s.jounce_speed)
    excess = push + p.hub_mass * s.specific_force + s.external_force - spring
    if (s.jounce >= p.travel and excess > 0.0) or (s.jounce <= 0.0 and excess < 0.0):
        spring += excess
    return spring - s.roll_damper_force + s.stop_impulse / dt


@kernel
def force(params: Any, state: Any, road: Any, body: Any, wheel_count: int, dt: float) -> None:
    """Set the load of every tire, the force of spring and joint on the body, and its application point."""
    m = quat.to_matrix(quat.load(body.orientation))
    right = vec3.transform(m, (1.0, 0.0, 0.0))
    for i in range(wheel_count):
        p, s = params[i], state[i]
        direction = vec3.load(s.direction)
        push = tire_spring_force(p, s)
        along = -vec3.dot(vec3.load(road[i].normal), direction) if s.on_ground != 0 else 0.0
        s.body_force = force_on_body(p, s, push * along, dt)
        s.tire_load = push - s.bar_load if p.tire_pulls != 0 else max(0.0, push - s.bar_load)
        s.force = s.tire_load
        vec3.store(s.force_vector, vec3.add_scaled(vec3.scale(direction, -s.body_force), right, s.joint_force))
        hub = vec3.add_scaled(vec3.load(p.arm), vec3.load(p.direction), p.travel - s.jounce)
        vec3.store(s.force_arm, vec3.transform(m, hub))


def axle_mass(params: Any, wheel_params: Any, wheel_count: int) -> float:
    """Mass of all axles, kg."""
    pairs = zip(params[:wheel_count], wheel_params[:wheel_count], strict=True)
    return sum(hub_mass_of(p, wheel) for p, wheel in pairs)


def derive(params: Any, body_params: Any, wheel_params: Any, wheel_count: int, context: Any) -> None:
    """Set masses, tire springs, opposite wheels, and the choices that this suspension always makes."""
    derive_standard(params, body_params, wheel_count)
    gravity = float(norm(context["gravity"]))
    wheels = params[:wheel_count]
    sprung_mass = float(body_params["mass"]) - axle_mass(params, wheel_params, wheel_count)
    if not np.all(wheels["sprung_mass"] > 0.0):
        wheels["supported_mass"] = sprung_masses(sprung_mass, wheels["arm"][:, :2])
        wheels["supported_mass"] += [hub_mass_of(p, w) for p, w in zip(wheels, wheel_params[:wheel_count], strict=True)]
    for i, (p, wheel) in enumerate(zip(wheels, wheel_params[:wheel_count], strict=True)):
        p["jounce_query"], p["force_application"] = SWEEP, AT_ATTACHMENT
        p["links"], p["opposite_wheel"], p["lateral_ratio"] = (
            SOLID_AXLE,
            opposite_of(wheels["attachment"][:, :2], i),
            0.0,
        )
        weight = float(p["supported_mass"]) * gravity
        p["hub_mass"] = hub_mass_of(p, wheel)
        p["used_joint_damping"] = p["joint_damping"]
        derive_tire(p, wheel, weight, gravity)


def check(
    params: Any, body_params: Any, wheel_params: Any, wheel_count: int, names: dict[str, str]
) -> list[tuple[str, str]]:
    """Problems of the standard values, the body component, wheels without mirror images, and too heavy axles."""
    problems = check_roll_centre(params, body_params, wheel_count)
    if names.get("body") != SPRUNG_BODY:
        problems.append(("links", f"axles that are separate bodies need `components: {{body: {SPRUNG_BODY}}}`"))
    positions = params["attachment"][:wheel_count, :2]
    if any(opposite_of(positions, i) == i for i in range(wheel_count)):
        problems.append(("attachment", "every wheel of a solid axle needs a mirror image on the other side"))
    mass = axle_mass(params, wheel_params, wheel_count)
    if mass >= float(body_params["mass"]):
        problems.append(("unsprung_mass", f"the axles, {mass:.0f} kg in all, must be lighter than the whole vehicle"))
    return problems


AXLE_BODIES = Component(
    slot="suspension", name="axle_bodies", params=AxleBodiesParams, state=AxleBodiesState,
    phases={**ROLL_CENTRE.phases, "update": update, "force": force}, derive=derive, check=check,
    doc="Solid axles as bodies of their own below the springs, located laterally by a joint.",
)  # fmt: skip
