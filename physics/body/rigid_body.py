"""The vehicle's whole mass as one rigid body.

A substep, of length h, changes the velocity by all forces (semi-implicit Euler, PX-INT-01), lets the contact solver
correct it, then integrates the pose with the exact rotation by h omega:

    v <- v + h (g + sum F / m)        omega <- omega + h I^-1 (sum r x F + T - omega x (I omega))
    x <- x + h v                      q <- exp(h omega) q

F are the suspension, tire, aerodynamic and external forces, T the torques of tires, aerodynamics, anti-roll bars and
external actions. Principal axes are the body's axes. The gyroscopic term is implicit (one Newton step in the body
frame), as energy would grow in a tumble otherwise. Pose and velocity belong to the centre of mass; the model's origin
is derived from it.

If neither moments of inertia nor a box are given, the moments are estimated from mass and axles, when a file is read or
the component is swapped in (physics/estimate/inertia.py).
"""

from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from driving_sandbox.physics.body.gyration import gyration_problems, min_moment
from driving_sandbox.physics.body.gyroscopic import gyroscopic_spin
from driving_sandbox.physics.estimate import Estimate
from driving_sandbox.physics.estimate.inertia import axle_distances, principal_inertia
from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat, vec3
from driving_sandbox.physics.schema.schema import Float, Quat, Schema, Vec3, field
from driving_sandbox.physics.shape.hull import box_inertia
from driving_sandbox.physics.tick.component import Component
from driving_sandbox.physics.wheel.wheel import EIGHTH_TURN, cos_sinc

ADVISED_MASSES = (100.0, 100e3)  # kg, all road vehicles (PhysX vehicle manual, Tuning Guide)


class BodyParams(Schema):
    """Mass properties."""

    mass: Float = field(
        unit="kg",
        gt=0,
        suggest=(300, 20000),
        advised=ADVISED_MASSES,
        mechanic=True,
        doc="Mass of the whole vehicle.",
        source="PX-MASS-05",
    )
    centre_of_mass: Vec3 = field(
        unit="m",
        ge=-8,
        le=8,  # largest: a semi-trailer's from its kingpin; at 15 a tire force makes explicit integration diverge
        suggest=(-2, 2),
        mechanic=True,
        doc="Centre of mass relative to the model's origin: right, forward, up.",
    )
    principal_inertia: Vec3 = field(
        unit="kg*m^2",
        ge=0,
        le=1e7,
        default=[0, 0, 0],
        suggest=(0, 20000),
        source="PX-MASS-04",
        doc="Pitch, roll and yaw inertia about the centre of mass; zeros: those of a solid box of `box_size`.",
    )
    box_size: Vec3 = field(
        unit="m", gt=0, default=[1.8, 4.2, 1.3], suggest=(0.5, 12), doc="Width, length and height of that box."
    )
    inertia: Vec3 = field(unit="kg*m^2", derived=True, doc="Pitch, roll and yaw inertia in use.")


class BodyState(Schema):
    """Motion of the body."""

    position: Vec3 = field(unit="m", doc="Centre of mass in the world.")
    orientation: Quat = field(unit="1", doc="Body to world.")
    velocity: Vec3 = field(unit="m/s", doc="Velocity of the centre of mass, world axes.")
    angular_velocity: Vec3 = field(unit="rad/s", doc="Angular velocity, world axes.")
    velocity_before: Vec3 = field(unit="m/s", doc="Velocity at the start of the tick.")
    acceleration: Vec3 = field(unit="m/s^2", doc="Mean acceleration of the last tick, body axes: right, forward, up.")


@kernel
def inverse_inertia_times(q: Any, moment: Any, v: Any) -> Any:
    """Inverse inertia times a vector, both in world axes. moment: pitch, roll and yaw inertia, kg m^2."""
    local = quat.rotate_inverse(q, v)
    return quat.rotate(q, (local[0] / moment[0], local[1] / moment[1], local[2] / moment[2]))


@kernel
def begin(params: Any, state: Any, external: Any) -> None:
    """Store the velocity and apply external impulses, at the start of the tick."""
    vec3.store(state.velocity_before, vec3.load(state.velocity))
    v = vec3.add_scaled(vec3.load(state.velocity), vec3.load(external.impulse), 1.0 / params.mass)
    vec3.store(state.velocity, v)
    q = quat.load(state.orientation)
    spin_change = inverse_inertia_times(q, vec3.load(params.inertia), vec3.load(external.angular_impulse))
    vec3.store(state.angular_velocity, vec3.add(vec3.load(state.angular_velocity), spin_change))


@kernel
def push(
    params: Any, state: Any, suspension: Any, tire: Any, antiroll: Any, aero: Any, external: Any, context: Any,
    wheel_count: int, dt: float,
) -> Any:  # fmt: skip
    """Change the velocity of the centre of mass by all forces except constraint forces over a substep.

    Returns their torque about the centre of mass, N m, world axes.
    """
    force = vec3.add(vec3.load(external.force), vec3.load(aero.force))
    torque = vec3.add(vec3.load(external.torque), vec3.load(aero.torque))
    torque = vec3.add(torque, vec3.load(antiroll.torque))
    for i in range(wheel_count):
        suspension_force = vec3.load(suspension[i].force_vector)
        t = tire[i]
        tire_force = vec3.add_scaled(
            vec3.scale(vec3.load(t.longitudinal), t.longitudinal_force), vec3.load(t.lateral), t.lateral_force
        )
        force = vec3.add(force, vec3.add(suspension_force, tire_force))
        torque = vec3.add(torque, vec3.cross(vec3.load(suspension[i].force_arm), suspension_force))
        torque = vec3.add(torque, vec3.add(vec3.cross(vec3.load(t.arm), tire_force), vec3.load(t.moment)))
    v = vec3.add_scaled(vec3.load(state.velocity), force, dt / params.mass)
    vec3.store(state.velocity, vec3.add_scaled(v, vec3.load(context.gravity), dt))
    return torque


@inline_kernel
def turn(params: Any, state: Any, m: Any, torque: Any, dt: float) -> None:
    """Change the angular velocity over a substep by a torque (N m, world axes). m: matrix of the orientation."""
    inertia = params.inertia
    spin, torque = vec3.transform_back(m, vec3.load(state.angular_velocity)), vec3.transform_back(m, torque)
    angular_acceleration = (torque[0] / inertia[0], torque[1] / inertia[1], torque[2] / inertia[2])
    spin = gyroscopic_spin(vec3.add_scaled(spin, angular_acceleration, dt), inertia, dt)
    vec3.store(state.angular_velocity, vec3.transform(m, spin))


@kernel
def velocity(
    params: Any, state: Any, suspension: Any, tire: Any, antiroll: Any, aero: Any, external: Any, context: Any,
    wheel_count: int, dt: float,
) -> None:  # fmt: skip
    """Change velocity and angular velocity by all forces except constraint forces over a substep."""
    torque = push(params, state, suspension, tire, antiroll, aero, external, context, wheel_count, dt)
    turn(params, state, quat.to_matrix(quat.load(state.orientation)), torque, dt)


@kernel
def pose(state: Any, dt: float) -> None:
    """Integrate the pose over a substep at the present velocity."""
    vec3.store(state.position, vec3.add_scaled(vec3.load(state.position), vec3.load(state.velocity), dt))
    rotation = small_rotation(vec3.scale(vec3.load(state.angular_velocity), dt))
    quat.store(state.orientation, quat.normalize(quat.multiply(rotation, quat.load(state.orientation))))


@inline_kernel
def small_rotation(v: Any) -> Any:
    """`quat.from_rotation_vector`, faster for up to a quarter turn, which only a substep with a fault exceeds."""
    z = 0.25 * vec3.dot(v, v)  # square of half the angle
    if not z <= EIGHTH_TURN * EIGHTH_TURN:
        return quat.from_rotation_vector(v)
    c, s = cos_sinc(z)
    k = 0.5 * s
    return (v[0] * k, v[1] * k, v[2] * k, c)


@kernel
def measure(state: Any, dt: float) -> None:
    """Mean acceleration over the tick in body axes: rate of change of velocity, 0 at rest."""
    change = vec3.sub(vec3.load(state.velocity), vec3.load(state.velocity_before))
    vec3.store(state.acceleration, quat.rotate_inverse(quat.load(state.orientation), vec3.scale(change, 1.0 / dt)))


def moments_of(params: Any) -> np.ndarray:
    """Pitch, roll and yaw inertia, kg m^2: the given moments, else those of the box."""
    moments = params["principal_inertia"]
    return moments if np.all(moments > 0.0) else box_inertia(params["mass"], params["box_size"])


def derive(params: Any) -> None:
    """Set the inertia in use."""
    params["inertia"] = moments_of(params)


def estimate(params: Any, suspension_params: Any, wheel_count: int, given: AbstractSet[Any]) -> list[Estimate]:
    """[Estimate] of the inertia if neither moments nor a box are given: from the axles, else from the default box."""
    if "box_size" in given or np.any(params["principal_inertia"] != 0.0) or not params["mass"] > 0.0:
        return []
    mass = float(params["mass"])
    moments, reason = _inertia_of_axles(mass, params, suspension_params, wheel_count)
    if moments is None:
        moments = box_inertia(mass, params["box_size"])
        reason = f"a box of {' x '.join(f'{side:g}' for side in params['box_size'])} m, as {reason}"
    text = f"[{', '.join(f'{moment:.4g}' for moment in moments)}] kg*m^2 (pitch, roll, yaw)"
    return [Estimate("principal_inertia", [float(moment) for moment in moments], reason, text)]


def _inertia_of_axles(
    mass: float, params: np.void, suspension_params: np.ndarray | None, wheel_count: int
) -> tuple[np.ndarray | None, str]:
    """(moments, their source), or (None, why axles do not determine them)."""
    if suspension_params is None:
        return None, "it has no suspension that places its wheels"
    positions = suspension_params["attachment"][:wheel_count]
    distances, track = axle_distances(positions[:, 1] - params["centre_of_mass"][1]), float(np.ptp(positions[:, 0]))
    if distances is None:
        return None, "its wheels are all on one side of the centre of mass"
    if track == 0.0:
        return None, "its wheels stand in one line"
    front, rear = distances
    moments = np.maximum(principal_inertia(mass, front, rear, track), min_moment(mass))
    return moments, f"mass, track, and axles {front:.2f} m before and {rear:.2f} m behind the centre of mass"


def check(params: Any) -> list[tuple[str, str]]:
    """Problems of the moments: some of the three missing, impossible for a solid, or too small."""
    moments = params["principal_inertia"]
    if np.any(moments > 0.0) and not np.all(moments > 0.0):
        return [("principal_inertia", "give all three, or zeros to have them computed from box_size")]
    if np.all(moments > 0.0) and 2.0 * moments.max() > moments.sum() * (1.0 + 1e-9):
        return [("principal_inertia", "no solid has one moment larger than the sum of the other two")]
    return gyration_problems("principal_inertia", float(params["mass"]), moments_of(params))


BODY = Component(
    slot="body",
    name="rigid",
    params=BodyParams,
    state=BodyState,
    phases={"begin": begin, "velocity": velocity, "pose": pose, "measure": measure},
    derive=derive,
    check=check,
    estimate=estimate,
    doc="The vehicle's whole mass as one rigid body.",
)
