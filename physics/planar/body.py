"""The body of the planar vehicle: three degrees of freedom, longitudinal and lateral forces (CN-YAW, CN-FORCE).

Everything is resolved into `long` (forward, along the unit vector `nose`) and `lat` (to the right, along `right`). The
phases are the steps of the model's source ("the article"), a Chinese article on the physics of cars in 2D racing games:

    resolve     vLong = v . nose, vLat = v . right                                  step 1
                N_front = m g c / (b + c), N_rear = m g b / (b + c)                 CN-MASS-01
                loads equal: half each                                              CN-MASS-02
                with load_transfer: front - m a h / (b + c), rear + the same        CN-LOAD-01
    net_force   F_long = drag + sum (fx cos d - fy sin d) - sgn(vLong) R            step 8
                F_lat  = drag + sum (fx sin d + fy cos d) - sgn(vLong) sum r sin d
    accelerate  vLong += F_long / m dt, vLat += F_lat / m dt                        step 9, explicit Euler
    move        v = vLong nose + vLat right, x += v dt                              step 10
    torque      M = -(b F_lat,front - c F_lat,rear) + side drag                     step 11
    yaw         dw/dt = M / I                                                       step 12
    turn        w += dw/dt dt, heading += w dt                                      step 13

fx, fy are a wheel's forces along and to the right of it, r its rolling resistance, d its steer angle to the right; b, c
the distances of the axles from the centre of mass. Left and right wheels of an axle act together at its middle.

The article mixes two sign conventions of rotation; here yaw is always positive to the left, with the article's
magnitudes. R, rolling resistance and brake, opposes motion, and stops the body without reversing it: at rest it
balances the other forces, up to its limit. Axes rotate with the body only between steps, so no rotating-frame terms are
needed.

Limits: flat ground. The body is kept level at the height of the ground below its centre of mass, without effects of
slope, jumps, roll or pitch. It does not collide with walls or props; external forces act in the plane.
"""

import math
from typing import Any

from driving_sandbox.physics.body.gyration import gyration_problems
from driving_sandbox.physics.body.rigid_body import ADVISED_MASSES
from driving_sandbox.physics.ground.ground import cast_ray
from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat, vec3
from driving_sandbox.physics.planar.wheel import EQUAL, FRONT, LOADS
from driving_sandbox.physics.schema.schema import Bool, Choice, Float, Quat, Schema, Vec3, field
from driving_sandbox.physics.tick.component import Component

SEARCH_ABOVE = 1.0  # m; ground is searched from this far above the centre of mass: finds a kerb, not a tunnel's roof
SEARCH_BELOW = 1000.0  # m below the centre of mass at which the search ends; without ground there the height is kept


class PlanarBodyParams(Schema):
    """Mass and geometry of the bicycle."""

    mass: Float = field(
        unit="kg",
        gt=0,
        suggest=(300, 20000),
        advised=ADVISED_MASSES,
        mechanic=True,
        doc="Mass of the whole vehicle.",
        source="CN-MASS-01",
    )
    yaw_inertia: Float = field(
        unit="kg*m^2", gt=0, suggest=(200, 50000), doc="Moment of inertia about the vertical axis.", source="CN-YAW-03"
    )
    front_axle: Float = field(
        unit="m", gt=0, suggest=(0.3, 4), doc="b: front axle ahead of the centre of mass.", source="CN-MASS-01"
    )
    rear_axle: Float = field(
        unit="m", gt=0, suggest=(0.3, 4), doc="c: rear axle behind the centre of mass.", source="CN-MASS-01"
    )
    cg_height: Float = field(
        unit="m",
        ge=0,
        default=0.5,
        suggest=(0.1, 2),
        source="CN-LOAD-01",
        doc="h: height of the centre of mass above the road; matters for load transfer.",
    )
    loads: Choice = field(
        options=LOADS,
        default="lever_rule",
        source="CN-MASS-01, CN-MASS-02",
        doc="lever_rule: by the position of the centre of mass; equal: half of the weight on each axle.",
    )
    load_transfer: Bool = field(
        default=False, source="CN-LOAD-01", doc="Whether accelerating moves load to the rear and braking to the front."
    )
    centre_of_mass: Vec3 = field(
        unit="m",
        derived=True,
        mechanic=True,
        doc="Centre of mass relative to the model's origin, which is on the road midway between the axles.",
    )


class PlanarBodyState(Schema):
    """Motion of the body, in the world and along its own axes."""

    position: Vec3 = field(unit="m", doc="Centre of mass in the world.")
    orientation: Quat = field(unit="1", doc="Body to world.")
    velocity: Vec3 = field(unit="m/s", doc="Velocity of the centre of mass, world axes.")
    angular_velocity: Vec3 = field(unit="rad/s", doc="Angular velocity, world axes.")
    velocity_before: Vec3 = field(unit="m/s", doc="Velocity at the start of the tick.")
    acceleration: Vec3 = field(unit="m/s^2", doc="Mean acceleration of the last tick, body axes: right, forward, up.")
    heading: Float = field(unit="rad", doc="Yaw from +y, positive to the left.")
    v_long: Float = field(unit="m/s", doc="Speed forward.")
    v_lat: Float = field(unit="m/s", doc="Speed to the right.")
    front_load: Float = field(unit="N", doc="Load of the front axle.")
    rear_load: Float = field(unit="N", doc="Load of the rear axle.")
    force_long: Float = field(unit="N", doc="Sum of all forces, forward.")
    force_lat: Float = field(unit="N", doc="Sum of all forces, to the right.")
    front_lat: Float = field(unit="N", doc="Forces to the right at the front axle.")
    rear_lat: Float = field(unit="N", doc="Forces to the right at the rear axle.")
    yaw_moment: Float = field(unit="N*m", doc="Moment about the vertical axis, positive to the left.")
    a_long: Float = field(unit="m/s^2", doc="Acceleration forward by the last step's forces.")
    a_lat: Float = field(unit="m/s^2", doc="Acceleration to the right by the last step's forces.")
    yaw_acceleration: Float = field(unit="rad/s^2", doc="Yaw acceleration, positive to the left.")


@kernel
def axes(heading: float) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """(forward, right) unit vectors (x, y) of a heading, world axes."""
    s, c = elementary.sincos(heading)
    return (-s, c), (c, s)


@kernel
def axle_loads(p: Any, gravity: float, a_long: float) -> tuple[float, float]:
    """(front, rear) load of the axles, N, at a forward acceleration a_long (m/s^2)."""
    wheelbase = p.front_axle + p.rear_axle
    share = 0.5 if p.loads == EQUAL else p.rear_axle / wheelbase
    weight = p.mass * gravity
    front = weight * share
    if p.load_transfer != 0:
        front = min(max(front - p.mass * a_long * p.cg_height / wheelbase, 0.0), weight)
    return front, weight - front


@kernel
def begin(params: Any, state: Any, external: Any) -> None:
    """Note the velocity before the tick, and apply external impulses in the plane."""
    vec3.store(state.velocity_before, vec3.load(state.velocity))
    for axis in range(2):
        state.velocity[axis] += external.impulse[axis] / params.mass
    state.angular_velocity[2] += external.angular_impulse[2] / params.yaw_inertia


@kernel
def resolve(params: Any, state: Any, context: Any) -> None:
    """Step 1: heading, velocities along the body's axes, and axle loads."""
    forward = quat.rotate(quat.load(state.orientation), (0.0, 1.0, 0.0))
    state.heading = elementary.atan2(-forward[0], forward[1])
    nose, right = axes(state.heading)
    state.v_long = state.velocity[0] * nose[0] + state.velocity[1] * nose[1]
    state.v_lat = state.velocity[0] * right[0] + state.velocity[1] * right[1]
    state.front_load, state.rear_load = axle_loads(params, -context.gravity[2], state.a_long)


@kernel
def opposed(v_long: float, driving: float, resistance: float, mass: float, dt: float) -> tuple[float, float]:
    """(direction of motion, share of the resistances that acts), so that they stop the body but do not reverse it.

    driving: sum of the other forces, N; without resistance the step would end with the momentum m v + driving dt.
    resistance: N.
    """
    direction = math.copysign(1.0, v_long) if v_long != 0.0 else math.copysign(1.0, driving)
    stopping_force = (v_long * mass / dt + driving) * direction
    if stopping_force <= 0.0 or resistance <= 0.0:
        return direction, 0.0
    return direction, min(1.0, stopping_force / resistance)


@kernel
def net_force(
    params: Any, state: Any, wheel_params: Any, steering: Any, aero: Any, rolling: Any, brakes: Any, tire: Any,
    external: Any, wheel_count: int, dt: float,
) -> None:  # fmt: skip
    """Step 8: all forces along the body's axes, those to the right by axle."""
    nose, right = axes(state.heading)
    driving = aero.drag_long + external.force[0] * nose[0] + external.force[1] * nose[1]
    resistance = brakes.force
    front_tire_lat, rear_tire_lat, front_rolling_lat, rear_rolling_lat = 0.0, 0.0, 0.0, 0.0
    for i in range(wheel_count):
        s, c = elementary.sincos(-steering[i].angle)
        fx, fy = tire[i].longitudinal_force, tire[i].lateral_force
        driving += fx * c - fy * s
        resistance += rolling[i].force * c
        if wheel_params[i].axle == FRONT:
            front_tire_lat += fx * s + fy * c
            front_rolling_lat += rolling[i].force * s
        else:
            rear_tire_lat += fx * s + fy * c
            rear_rolling_lat += rolling[i].force * s
    direction, share = opposed(state.v_long, driving, resistance, params.mass, dt)
    state.front_lat = front_tire_lat - direction * share * front_rolling_lat
    state.rear_lat = rear_tire_lat - direction * share * rear_rolling_lat
    state.force_long = driving - direction * share * resistance
    external_lat = external.force[0] * right[0] + external.force[1] * right[1]
    state.force_lat = state.front_lat + state.rear_lat + aero.drag_lat + external_lat


@kernel
def accelerate(params: Any, state: Any, dt: float) -> None:
    """Step 9: v += F / m dt along each axis."""
    state.a_long, state.a_lat = state.force_long / params.mass, state.force_lat / params.mass
    state.v_long += state.a_long * dt
    state.v_lat += state.a_lat * dt


@kernel
def move(params: Any, state: Any, ground: Any, dt: float) -> None:
    """Step 10: back to the world with the same rotation, then x += v dt; the height is that of the ground below."""
    nose, right = axes(state.heading)
    for axis in range(2):
        state.velocity[axis] = state.v_long * nose[axis] + state.v_lat * right[axis]
        state.position[axis] += state.velocity[axis] * dt
    state.velocity[2] = 0.0
    start_height = state.position[2] + SEARCH_ABOVE
    hit, distance, _, _ = cast_ray(
        ground, (state.position[0], state.position[1], start_height), (0.0, 0.0, -1.0), SEARCH_ABOVE + SEARCH_BELOW
    )
    if hit:
        state.position[2] = start_height - distance + params.cg_height


@kernel
def torque(params: Any, state: Any, aero: Any, external: Any) -> None:
    """Step 11: moment about the vertical axis, positive to the left; the article's own signs are positive right."""
    moment_to_right = params.front_axle * state.front_lat - params.rear_axle * state.rear_lat
    state.yaw_moment = aero.yaw_moment + external.torque[2] - moment_to_right


@kernel
def yaw(params: Any, state: Any) -> None:
    """Step 12: yaw acceleration."""
    state.yaw_acceleration = state.yaw_moment / params.yaw_inertia


@kernel
def turn(state: Any, dt: float) -> None:
    """Step 13: yaw rate and heading; the body stands upright."""
    rate = state.angular_velocity[2] + state.yaw_acceleration * dt
    vec3.store(state.angular_velocity, (0.0, 0.0, rate))
    state.heading += rate * dt
    s, c = elementary.sincos(0.5 * state.heading)
    quat.store(state.orientation, (0.0, 0.0, s, c))


@kernel
def measure(state: Any, dt: float) -> None:
    """Mean acceleration over the tick, change of velocity / dt, in the body's axes at its end."""
    change = vec3.sub(vec3.load(state.velocity), vec3.load(state.velocity_before))
    vec3.store(state.acceleration, quat.rotate_inverse(quat.load(state.orientation), vec3.scale(change, 1.0 / dt)))


def derive(params: Any) -> None:
    """Set the centre of mass relative to the model's origin."""
    params["centre_of_mass"] = (0.0, 0.5 * (params["rear_axle"] - params["front_axle"]), params["cg_height"])


def check(params: Any, wheel_params: Any, steering_params: Any, wheel_count: int) -> list[tuple[str, str]]:
    """Problems of the inertia, of axles without wheels, and of unequal steering on one axle (CN-STEER-01)."""
    problems = gyration_problems("yaw_inertia", float(params["mass"]), float(params["yaw_inertia"]))
    for axle, name in enumerate(("front", "rear")):
        wheels = [i for i in range(wheel_count) if wheel_params["axle"][i] == axle]
        if not wheels:
            problems.append(("mass", f"a planar vehicle needs a wheel with `axle: {name}`"))
        elif len({float(steering_params["max_angle"][i]) for i in wheels}) > 1:
            problems.append(("mass", f"the wheels of the {name} axle must have the same steering.max_angle"))
    return problems


PLANAR_BODY = Component(
    slot="body",
    name="planar",
    params=PlanarBodyParams,
    state=PlanarBodyState,
    phases={
        "begin": begin,
        "resolve": resolve,
        "net_force": net_force,
        "accelerate": accelerate,
        "move": move,
        "torque": torque,
        "yaw": yaw,
        "turn": turn,
        "measure": measure,
    },
    derive=derive,
    check=check,
    doc="The body in the plane: two axle loads, forces forward and to the right, yaw.",
)
