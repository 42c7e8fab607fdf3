"""Independent suspension: each wheel travels along a straight line, with spring and damper along it.

The attachment is the wheel centre at full compression; the wheel centre lies (travel - jounce) from there along the
unit vector d (`direction`, of droop). Jounce follows from the road plane n.x + offset = 0 under the wheel (PX-SUSP-07,
PX-SUSP-08): depth = signed distance of the tire's lowest point at full droop from the plane, jounce = depth / (d.n),
limited to 0..travel; depth in excess of the travel is the negative separation that the contact solver removes.

Force along the line (phase `line_force`; PX-SUSP-11, PX-SUSP-14): F = k jounce + c jounce_speed. Other suspensions
differ in this law; the resulting load on the road is computed alike for all (phase `force`).

With `force_application: attachment` the load N is the component of F along the road normal, plus the component of the
sprung weight that a line tilted relative to the road normal does not carry. This holds for a vehicle on its wheels; on
a vehicle that lies on its side, that component at a wheel barely in contact would throw the vehicle up repeatedly. The
more the line is tilted beyond 41 degrees, the more the load is therefore limited to the one that balances F, N = F /
|d.n|. Application points are those of slot `compliance`.

With `force_application: contact` the road's reaction is N = F / |d.n| along n at the contact point. It does exactly the
work stored in the spring, for any contact normal: rolling over a kerb conserves energy. It requires a normal that
varies continuously with the contact, as that of the road query `sweep` does.

In both cases a suspension never pulls a wheel down: N >= 0.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat, vec3
from driving_sandbox.physics.maths.products import norm
from driving_sandbox.physics.schema.schema import Bool, Choice, Float, Int, PerWheel, Quat, Vec3, field
from driving_sandbox.physics.suspension.sprung_mass import sprung_masses
from driving_sandbox.physics.tick.component import Component
from driving_sandbox.physics.wheel.rim import rim_support
from driving_sandbox.physics.wheel.wheel import hub_axes, suspension_to_body, wheel_centre

IN_AIR = 1.0  # m, separation reported for a wheel in the air; any positive number would do
RAY, SWEEP = 0, 1  # indices of the options of `jounce_query`
AT_ATTACHMENT, AT_CONTACT = 0, 1  # indices of the options of `force_application`
UPRIGHT = 0.75  # |d.n|, 41 degrees: above it the whole `tilted_weight` acts
LYING = 0.5  # |d.n|, 60 degrees: below it the balance with F limits that weight; between both they are blended
SHALLOWEST = 0.2  # smallest |d.n|, 78 degrees: bounds the load if the road is nearly parallel to the suspension line
MAX_DAMPER_SPEED = 5.0  # m/s, limit for damper forces; a kerb hit at 30 m/s would give a rigid wheel 50 m/s


class SuspensionParams(PerWheel):
    """Geometry, spring and damper of one suspension line."""

    attachment: Vec3 = field(
        unit="m",
        ge=-30,
        le=30,
        mirror="x",
        doc="Wheel centre at full compression, relative to the model's origin.",
        source="PX-SUSP-03",
    )
    attachment_rotation: Quat = field(
        unit="1", default=[0, 0, 0, 1], doc="Rotation of the suspension's axes relative to the body's."
    )
    direction: Vec3 = field(
        unit="1",
        ge=-10,
        le=10,
        default=[0, 0, -1],
        mirror="x",
        doc="Direction of droop in the body; need not have unit length.",
    )
    travel: Float = field(unit="m", gt=0, suggest=(0.05, 0.5), doc="Distance from full compression to full droop.")
    stiffness: Float = field(
        unit="N/m", gt=0, suggest=(10e3, 150e3), mechanic=True, doc="Force per metre of jounce.", source="PX-SUSP-11"
    )
    damping: Float = field(
        unit="N*s/m", ge=0, suggest=(0, 15e3), mechanic=True, doc="Force per jounce speed.", source="PX-SUSP-14"
    )
    sprung_mass: Float = field(
        unit="kg",
        ge=0,
        default=0.0,
        suggest=(0, 1000),
        source="PX-SUSP-10",
        doc="Mass that this wheel carries at rest; 0 on all wheels: derived from the centre of mass.",
    )
    jounce_query: Choice = field(
        options=("ray", "sweep"),
        default="ray",
        doc="Shape of the tire at the road plane: its lowest point on the suspension line, or a cylinder.",
    )
    force_application: Choice = field(
        options=("attachment", "contact"),
        default="attachment",
        doc="Where the load acts: at the suspension force point of slot compliance, or at the contact point.",
    )
    limit_expansion: Bool = field(
        default=False,
        source="PX-SUSP-09",
        doc="Whether a wheel extends only as fast as spring and damper accelerate its mass; until it reaches the road "
        "it is in the air. Without this it follows the road at once.",
    )
    arm: Vec3 = field(unit="m", derived=True, doc="Attachment relative to the centre of mass.")
    turned: Int = field(unit="1", derived=True, doc="1 if attachment_rotation is not the identity.")
    supported_mass: Float = field(unit="kg", derived=True, doc="Sprung mass in use.")


class SuspensionState(PerWheel):
    """Position of a wheel along its suspension line, and force of spring and damper."""

    jounce: Float = field(unit="m", telemetry="jounce", doc="Compression from full droop.")
    jounce_speed: Float = field(unit="m/s", telemetry="jounce_speed", doc="Rate of `jounce`; positive in compression.")
    separation: Float = field(unit="m", doc="Gap to the ground; negative when compressed beyond the travel.")
    limit_gap: Float = field(
        unit="m", doc="Distance along the road normal to the end of the travel; negative when compressed beyond it."
    )
    jounce_known: Int = field(unit="1", doc="0 until the first tick has computed the jounce.")
    on_ground: Int = field(unit="1", doc="1 if the tire touches the ground.")
    line_force: Float = field(unit="N", doc="Force along the suspension line; positive pushes the wheel down.")
    force: Float = field(unit="N", doc="Load along the road normal; 0 in the air.")
    direction: Vec3 = field(unit="1", doc="Direction of droop, world axes.")
    force_vector: Vec3 = field(unit="N", doc="Force on the body, world axes.")
    force_arm: Vec3 = field(unit="m", doc="From the centre of mass to the force point, world axes.")


@kernel
def ray_depth(normal: Any, offset: float, centre: Any, direction: Any, radius: float) -> float:
    """Distance of the tire's end on the suspension line from the road plane n.x + offset = 0, m; negative below it.

    centre: of the wheel, world axes, m. direction: unit vector of droop.
    """
    slope = vec3.dot(direction, normal)
    signed_radius = radius if slope < 0.0 else (-radius if slope > 0.0 else 0.0)
    return vec3.dot(normal, vec3.add_scaled(centre, direction, signed_radius)) + offset


@kernel
def sweep_depth(normal: Any, offset: float, centre: Any, axle: Any, radius: float, half_width: float) -> float:
    """Distance of a cylinder's lowest point from the road plane n.x + offset = 0, m; negative below it.

    centre: of the wheel, world axes, m. axle: unit vector of the cylinder's axis.
    """
    tilt = vec3.dot(normal, axle)
    rim = radius * math.sqrt(max(0.0, 1.0 - tilt * tilt))
    return vec3.dot(normal, centre) + offset - rim - half_width * abs(tilt)


@kernel
def jounce_from_depth(depth: float, slope: float, travel: float, previous: Any) -> tuple[Any, float]:
    """(jounce, separation), m, from the depth at full droop.

    slope: d.n. previous: jounce (m) to keep if the road plane is parallel to the suspension line.
    """
    if slope == 0.0:
        return (0.0, IN_AIR) if depth >= 0.0 else (previous, depth)
    if depth > 0.0:
        return (0.0, IN_AIR)
    jounce = depth / slope
    if jounce <= 0.0:
        return (0.0, depth)
    if jounce > travel:
        return (travel, depth * (jounce - travel) / jounce)
    return (jounce, 0.0)


@kernel
def extension_speed(p: Any, wheel_mass: float, jounce: float, speed: float, dt: float) -> float:
    """Speed of extension, m/s, to which spring and damper accelerate a wheel of mass `wheel_mass` (kg) within a step.

    jounce, speed: jounce (m) and its rate (m/s) before the step.
    """
    pushed = jounce * p.stiffness / wheel_mass * dt - speed
    damped = pushed + speed * p.damping / wheel_mass * dt
    return max(0.0, damped) if pushed >= 0.0 else min(0.0, damped)


@kernel
def limited_expansion(p: Any, s: Any, wheel_mass: float, gravity_along: float, hit: Any, jounce: float,
                      separation: float, dt: float) -> tuple[float, float, float]:  # fmt: skip
    """(jounce, jounce speed, separation) with `limit_expansion`. s: state, still that of the previous step.

    gravity_along: g.d, m/s^2. hit: 0 if there is no ground below the wheel.
    jounce, separation: those of a wheel that follows the road plane at once, m.
    """
    speed = (jounce - s.jounce) / dt
    if speed >= 0.0:
        return jounce, speed, separation
    extension = extension_speed(p, wheel_mass, s.jounce, s.jounce_speed, dt)
    limited = s.jounce - extension * dt
    if hit == 0:
        return (limited, -extension, limited) if speed < -extension else (0.0, 0.0, IN_AIR)  # gap > 0: in the air
    if speed >= -(extension + max(0.0, gravity_along) * dt):
        return jounce, speed, separation
    return limited, -extension, limited - jounce if separation >= 0.0 else separation


@kernel
def spring_damper_force(p: Any, s: Any) -> float:
    """Force along the suspension line that pushes the wheel down, N."""
    speed = min(max(s.jounce_speed, -MAX_DAMPER_SPEED), MAX_DAMPER_SPEED)
    return p.stiffness * s.jounce + p.damping * speed


@kernel
def line_force(params: Any, state: Any, wheel_count: int) -> None:
    """Set the force of spring and damper along every suspension line."""
    for i in range(wheel_count):
        state[i].line_force = spring_damper_force(params[i], state[i])


@inline_kernel
def tilted_weight(acceleration_force: Any, normal: Any, direction: Any, arm: Any, torque: Any, share: float) -> float:
    """Component of the sprung weight into the road that a tilted suspension line does not carry, N.

    All vectors are in world axes.

    acceleration_force: weight of the whole vehicle plus external force, N.
    torque: external torque on the whole vehicle, N m.
    arm: from the centre of mass to the attachment, m.
    share: sprung mass of the wheel divided by the vehicle's mass.
    """
    load = acceleration_force
    if torque[0] != 0.0 or torque[1] != 0.0 or torque[2] != 0.0:
        arm_squared = vec3.dot(arm, arm)  # torque x arm / arm^2: force that, at the arm, has this torque
        if arm_squared > 0.0:
            load = vec3.add_scaled(load, vec3.cross(torque, arm), 1.0 / arm_squared)
    pressing = vec3.dot(normal, load)
    if pressing >= 0.0:
        return 0.0
    return share * (vec3.dot(direction, load) * vec3.dot(normal, direction) - pressing)


@inline_kernel
def limited_tilted_weight(weight: float, push: float, along: float) -> float:
    """`tilted_weight`, limited on a line tilted far, so that the load at most balances the line's force `push` (N).

    along: |d.n|.
    """
    if along >= UPRIGHT:
        return weight
    balance = max(0.0, push) * (1.0 / max(SHALLOWEST, along) - along)
    weighting = max(0.0, (along - LYING) / (UPRIGHT - LYING))
    return weighting * weight + (1.0 - weighting) * min(weight, balance)


@inline_kernel
def load_at_attachment(p: Any, push: float, normal: Any, direction: Any, arm: Any, applied_force: Any, torque: Any,
                       per_mass: float) -> float:  # fmt: skip
    """Load along the road normal of a force `push` along the suspension line, plus the tilted weight, N.

    applied_force: weight of the whole vehicle plus external force, N.
    torque: external torque on the whole vehicle, N m.
    arm: from the centre of mass to the attachment, world axes, m.
    per_mass: 1 / mass of the vehicle, 1/kg.
    """
    along = -vec3.dot(normal, direction)
    weight = tilted_weight(applied_force, normal, direction, arm, torque, p.supported_mass * per_mass)
    return push * along + limited_tilted_weight(weight, push, along)


@inline_kernel
def load_at_contact(push: float, normal: Any, direction: Any) -> float:
    """Load along the road normal at the contact point of a force `push` along the suspension line, N."""
    return push / max(SHALLOWEST, -vec3.dot(normal, direction))


@kernel
def update(params: Any, state: Any, wheel_params: Any, steering: Any, road: Any, body: Any, context: Any,
           wheel_count: int, dt: float) -> None:  # fmt: skip
    """Set jounce, its speed, and the gaps of every wheel to road and end of travel, from the road plane under it."""
    gravity = vec3.load(context.gravity)
    m = quat.to_matrix(quat.load(body.orientation))
    origin = vec3.load(body.position)
    for i in range(wheel_count):
        p = params[i]
        s = state[i]
        direction = vec3.transform(m, vec3.load(p.direction))
        vec3.store(s.direction, direction)
        limited = p.limit_expansion != 0 and s.jounce_known != 0
        if road[i].hit == 0:
            jounce, speed, separation = 0.0, 0.0, IN_AIR
            if limited:
                jounce, speed, separation = limited_expansion(
                    p, s, wheel_params[i].mass, vec3.dot(gravity, direction), 0, 0.0, IN_AIR, dt
                )
            s.jounce = jounce
            s.jounce_speed = speed
            s.separation = separation
            s.limit_gap = p.travel
            s.jounce_known = 1
            s.on_ground = 0
            continue
        normal = vec3.load(road[i].normal)
        centre = wheel_centre(p, wheel_params[i], p.travel, 0.0, steering[i].angle)  # camber 0
        centre = vec3.add(origin, vec3.transform(m, centre))
        if p.jounce_query == RAY:
            depth = ray_depth(normal, road[i].offset, centre, direction, wheel_params[i].radius)
        else:
            axle, _ = hub_axes(p, wheel_params[i], 0.0, steering[i].angle)  # camber 0
            axle = vec3.transform(m, axle)
            depth = sweep_depth(
                normal, road[i].offset, centre, axle, wheel_params[i].radius, wheel_params[i].half_width
            )
        previous_jounce = s.jounce if s.jounce_known != 0 else p.travel
        slope = vec3.dot(direction, normal)
        jounce, separation = jounce_from_depth(depth, slope, p.travel, previous_jounce)
        speed = (jounce - s.jounce) / dt if s.jounce_known != 0 else 0.0
        if limited:
            jounce, speed, separation = limited_expansion(
                p, s, wheel_params[i].mass, vec3.dot(gravity, direction), 1, jounce, separation, dt
            )
        s.jounce_speed = speed
        s.jounce = jounce
        s.separation = separation
        s.limit_gap = separation if jounce >= p.travel else (p.travel - jounce) * abs(slope)
        s.jounce_known = 1
        s.on_ground = 1 if separation <= 0.0 else 0


@kernel
def contact_point(p: Any, wheel_p: Any, steer: float, jounce: float, normal: Any) -> tuple[float, float, float]:
    """Contact point of the tire with a road of the given normal, from the centre of mass; all in body axes."""
    axle, _ = hub_axes(p, wheel_p, 0.0, steer)  # camber 0
    centre = wheel_centre(p, wheel_p, p.travel - jounce, 0.0, steer)  # camber 0
    return rim_support(centre, axle, normal, wheel_p.radius, wheel_p.half_width)


@kernel
def force(params: Any, state: Any, wheel_params: Any, steering: Any, compliance: Any, road: Any, body: Any,
          body_params: Any, external: Any, context: Any, wheel_count: int) -> None:  # fmt: skip
    """Set the load of every wheel, the force of its suspension on the body, and the application point."""
    m = quat.to_matrix(quat.load(body.orientation))
    applied_force = vec3.add_scaled(vec3.load(external.force), vec3.load(context.gravity), body_params.mass)
    torque, per_mass = vec3.load(external.torque), 1.0 / body_params.mass
    for i in range(wheel_count):
        p = params[i]
        s = state[i]
        arm = vec3.load(p.arm)
        point = vec3.add(arm, suspension_to_body(p, vec3.load(compliance[i].suspension_force_point)))
        vec3.store(s.force_arm, vec3.transform(m, point))
        if s.on_ground == 0:
            s.force = 0.0
            vec3.store(s.force_vector, (0.0, 0.0, 0.0))
            continue
        normal = vec3.load(road[i].normal)
        direction = vec3.load(s.direction)
        if p.force_application == AT_CONTACT:
            point = contact_point(p, wheel_params[i], steering[i].angle, s.jounce, vec3.transform_back(m, normal))
            vec3.store(s.force_arm, vec3.transform(m, point))
            load = load_at_contact(s.line_force, normal, direction)
        else:
            arm = vec3.transform(m, arm)
            load = load_at_attachment(p, s.line_force, normal, direction, arm, applied_force, torque, per_mass)
        s.force = max(0.0, load)
        vec3.store(s.force_vector, vec3.scale(normal, s.force))


def derive(params: np.ndarray, body_params: np.void, wheel_count: int) -> None:
    """Set unit directions, arms from the centre of mass, and sprung masses."""
    wheels = params[:wheel_count]
    for p in wheels:
        p["direction"] /= norm(p["direction"])
        p["attachment_rotation"] /= norm(p["attachment_rotation"])
        p["turned"] = np.any(p["attachment_rotation"][:3] != 0.0)
        p["arm"] = p["attachment"] - body_params["centre_of_mass"]
    authored = wheels["sprung_mass"]
    if np.all(authored > 0.0):
        wheels["supported_mass"] = authored
    else:
        wheels["supported_mass"] = sprung_masses(float(body_params["mass"]), wheels["arm"][:, :2])


def check(params: np.ndarray, body_params: np.void, wheel_count: int) -> list[tuple[str, str]]:
    """Problems of directions, of incomplete sprung masses, and of a centre of mass outside the wheels."""
    wheels, problems = params[:wheel_count], []
    if np.any(norm(wheels["direction"]) < 1e-6):
        problems.append(("direction", "must not be a zero vector"))
    authored = wheels["sprung_mass"]
    if np.any(authored > 0.0) and not np.all(authored > 0.0):
        problems.append(("sprung_mass", "must be given for every wheel, or be 0 for every wheel to be derived"))
    if not np.any(authored > 0.0):
        arms = wheels["attachment"] - body_params["centre_of_mass"]
        try:
            masses = sprung_masses(float(body_params["mass"]), arms[:, :2])
        except ValueError as error:
            problems.append(("attachment", str(error)))
        else:
            if np.any(masses <= 0.0):
                problems.append(("attachment", "the centre of mass lies outside the wheels: one would carry no load"))
    return problems


SUSPENSION = Component(
    slot="suspension",
    name="standard",
    params=SuspensionParams,
    state=SuspensionState,
    phases={"update": update, "line_force": line_force, "force": force},
    derive=derive,
    check=check,
    doc="Wheels travel along straight lines, with spring and damper.",
)
