"""Air forces of a car from wind tunnel coefficients: drag, lift of each axle, side force, yaw moment.

V is the velocity of the centre of mass through the air in the plane of the body's x and y axes, v_right and v_forward
its components. The aerodynamic yaw angle beta is that from the heading to V, positive to the left (ISO 8855); it is
positive if the air comes from the left: sin beta = -v_right / V, cos beta = v_forward / V. A: frontal_area, l:
wheelbase, q = 1/2 rho V^2.

    drag         F_forward = -q A (C_D + k sin^2 beta) cos beta             k: drag_over_yaw
    side force   F_right   =  q A c_S sin beta                              c_S: side_force_slope
    yaw moment   N         = -q A l c_N sin beta cos beta                   c_N: yaw_moment_slope; N positive left
    lift         F_up      =  q A (C_L + c_L rake) cos^2 beta               of each axle
    rake         angle of the body to the road, positive nose down: (rear - front ride height) / l

Forces are along the body's axes, and moments about the reference point of wind tunnels: on the ground, midway between
the first and the last axle (SAE J1594). The pitching moment of the drag is part of the measured lift of the axles, so
here drag acts on the ground, lift at the axles, and the side force at `side_force_height`, which causes a roll moment.
With C_L of the whole car and C_PM its pitching moment, C_L,front = C_L / 2 + C_PM and C_L,rear = C_L / 2 - C_PM.

At small yaw angles c_S and c_N are the slopes measured in wind tunnels. At larger ones the formulas are the simplest
that hold for all directions: in pure side wind the side force is greatest and there is no drag; the yaw moment is that
of a long body, proportional to sin 2 beta, which turns the body across the flow (Munk). In the body's plane F.V <= 0
for every V: drag and side force only take energy from the motion through the air.

The defaults are those of a saloon with a C_D of 0.3. If `frontal_area` is 0, it is 0.81 times width times height of the
bodywork (Hucho); if `side_force_height` is 0, it is 0.4 times the height of the bodywork. C_L falls as the nose
goes down, like that of a wing of small aspect ratio with the plan form of the floor (Katz): by 2.3 per rad or 0.04 per
degree for the whole car, most of it at the front.

Sources: SAE J1594 (2010), coefficients, resolving centre, reference length; W.-H. Hucho, Aerodynamics of Road Vehicles,
chapters on drag and on stability in side wind (frontal area; side force and yaw moment versus yaw angle); W. F. and
D. L. Milliken, Race Car Vehicle Dynamics, chapters 3 and 15 (axle lift and its balance; sensitivity to pitch); J. Katz,
Race Car Aerodynamics, chapter 2 (definitions of the coefficients); M. Munk, NACA Report 184 (1924), moment of a long
body.
Limitations: constant wind, no slipstream, no forces due to rotation; C_L does not change with yaw, nor with the mean
ride height. The rake is that relative to the road of the previous tick, limited to MAX_RAKE; it is 0 if there is no
ground below any wheel. A vehicle with a single axle has a wheelbase of 0, and no yaw moment.
"""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.physics.aero.drag import AeroState, velocity_through_air
from driving_sandbox.physics.estimate.bodywork import SALOON_SIZE, frontal_area, side_force_height
from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat, vec3
from driving_sandbox.physics.schema.schema import Float, Schema, Vec3, field
from driving_sandbox.physics.tick.component import Component

if TYPE_CHECKING:
    from driving_sandbox.physics.shape.geometry import Geometry

MAX_RAKE = 0.1  # rad, 6 degrees: no car is measured beyond; without a limit a car that rears up would take off
MIN_AIRSPEED = 0.5  # m/s, below which the yaw angle counts as 0


def _lift(axle: str, default: float) -> Any:
    """Declaration of an axle's lift coefficient."""
    return field(
        unit="1", ge=-5, le=5, default=default, suggest=(-1.0, 0.3), mechanic=True,
        doc=f"C_L of the {axle} axle without yaw and rake; negative is downforce.",
    )  # fmt: skip


def _lift_over_rake(axle: str, default: float) -> Any:
    """Declaration of the change of an axle's lift coefficient with the rake."""
    return field(
        unit="1/rad", default=default, suggest=(-6.0, 1.0),
        doc=f"Change of the C_L of the {axle} axle per rake; negative: more downforce as the nose goes down.",
    )  # fmt: skip


class RoadCarParams(Schema):
    """Coefficients: of forces, referred to the frontal area; of the moment, to frontal area times wheelbase."""

    frontal_area: Float = field(
        unit="m^2", ge=0, default=0.0, suggest=(1.5, 10), doc="A; 0: 0.81 times width and height of the bodywork."
    )
    drag_coefficient: Float = field(unit="1", ge=0, default=0.3, suggest=(0.2, 1), doc="C_D without yaw.")
    drag_over_yaw: Float = field(
        unit="1", ge=0, default=0.5, suggest=(0, 2), doc="k: rise of C_D with the square of the sine of the yaw angle."
    )
    front_lift_coefficient: Float = _lift("first", 0.05)
    rear_lift_coefficient: Float = _lift("last", 0.1)
    front_lift_over_rake: Float = _lift_over_rake("first", -1.7)
    rear_lift_over_rake: Float = _lift_over_rake("last", -0.6)
    side_force_slope: Float = field(
        unit="1/rad", ge=0, default=2.2, suggest=(1, 5), doc="c_S: side force coefficient per yaw angle."
    )
    yaw_moment_slope: Float = field(
        unit="1/rad", ge=-3, le=3, default=0.45, suggest=(-0.2, 1),
        doc="c_N: yaw moment coefficient per yaw angle; above 0 the nose turns downwind.",
    )  # fmt: skip
    side_force_height: Float = field(
        unit="m",
        ge=0,
        default=0.0,
        suggest=(0.3, 2),
        doc="Height of the side force above the ground; 0: 0.4 times that of the bodywork.",
    )
    area: Float = field(unit="m^2", derived=True, doc="Frontal area in use.")
    height: Float = field(unit="m", derived=True, doc="Height of the side force in use.")
    wheelbase: Float = field(unit="m", derived=True, doc="Distance from the first to the last axle.")
    front_arm: Vec3 = field(unit="m", derived=True, doc="Ground below the first axle, relative to the centre of mass.")
    rear_arm: Vec3 = field(unit="m", derived=True, doc="Ground below the last axle, relative to the centre of mass.")


class RoadCarState(AeroState):
    """Air forces, and the flow that causes them."""

    airspeed: Float = field(
        unit="m/s", doc="Speed of the centre of mass through the air, in the plane of the body's x and y axes."
    )
    yaw_angle: Float = field(
        unit="rad",
        doc="Aerodynamic yaw angle, from the heading to the velocity through the air; > 0: air from the left.",
    )
    rake: Float = field(unit="rad", doc="Angle of the body to the road, > 0 nose down.")
    front_lift: Float = field(unit="N", doc="Lift of the first axle, < 0 is downforce.")
    rear_lift: Float = field(unit="N", doc="Lift of the last axle, < 0 is downforce.")


@kernel
def rake_of(ahead: Any, road: Any, wheel_count: int) -> float:
    """Rake: sine of the angle between the body's longitudinal axis and the road under its wheels, > 0 nose down.

    Limited to +-MAX_RAKE; 0 if there is no ground below any wheel. ahead: longitudinal axis of the body, world axes.
    """
    normal = (0.0, 0.0, 0.0)
    for i in range(wheel_count):
        if road[i].hit != 0:
            normal = vec3.add(normal, vec3.load(road[i].normal))
    length = vec3.length(normal)
    if length == 0.0:
        return 0.0
    return min(max(-vec3.dot(ahead, normal) / length, -MAX_RAKE), MAX_RAKE)


@kernel
def plane_forces(p: Any, v: Any, half_density: float) -> tuple[float, float, float]:
    """(side force to the right, force forward, yaw moment to the left), N and N m.

    v: velocity through the air, m/s, body axes.
    half_density: half the air density, kg/m^3.
    """
    speed = math.sqrt(v[0] * v[0] + v[1] * v[1])
    if speed == 0.0:
        return 0.0, 0.0, 0.0
    sine = v[0] / speed
    drag = p.drag_coefficient + p.drag_over_yaw * sine * sine
    half_density_area = half_density * p.area
    moment = half_density_area * p.wheelbase * p.yaw_moment_slope * v[0] * v[1]
    return -half_density_area * p.side_force_slope * speed * v[0], -half_density_area * drag * speed * v[1], moment


@kernel
def axle_lifts(p: Any, v: Any, rake: float, half_density: float) -> tuple[float, float]:
    """(lift of the first axle, lift of the last axle), N; arguments as for `plane_forces`."""
    lift_per_coefficient = half_density * p.area * v[1] * v[1]
    front = p.front_lift_coefficient + p.front_lift_over_rake * rake
    rear = p.rear_lift_coefficient + p.rear_lift_over_rake * rake
    return lift_per_coefficient * front, lift_per_coefficient * rear


@kernel
def update(params: Any, state: Any, body: Any, road: Any, context: Any, wheel_count: int) -> None:
    """Set the air force on the body and its moment, and the flow's airspeed, yaw angle and rake."""
    q = quat.load(body.orientation)
    v, half_density = velocity_through_air(body, context), 0.5 * context.air_density
    state.airspeed = math.sqrt(v[0] * v[0] + v[1] * v[1])
    state.yaw_angle = elementary.atan2(-v[0], v[1]) if state.airspeed > MIN_AIRSPEED else 0.0
    state.rake = rake_of(quat.rotate(q, (0.0, 1.0, 0.0)), road, wheel_count)
    right, forward, yaw_moment = plane_forces(params, v, half_density)
    state.front_lift, state.rear_lift = axle_lifts(params, v, state.rake, half_density)
    front, rear = vec3.load(params.front_arm), vec3.load(params.rear_arm)
    middle = vec3.scale(vec3.add(front, rear), 0.5)
    torque = vec3.add(vec3.cross(middle, (right, forward, 0.0)), (0.0, params.height * right, yaw_moment))
    torque = vec3.add(torque, vec3.cross(front, (0.0, 0.0, state.front_lift)))
    torque = vec3.add(torque, vec3.cross(rear, (0.0, 0.0, state.rear_lift)))
    vec3.store(state.force, quat.rotate(q, (right, forward, state.front_lift + state.rear_lift)))
    vec3.store(state.torque, quat.rotate(q, torque))


def size_of(geometry: "Geometry | None") -> tuple[float, float]:
    """(width, height) of a model's bodywork, m; those of a saloon without a model.

    height: of the top above the ground (z = 0), at least that of the bodywork alone.
    """
    if geometry is None:
        return SALOON_SIZE
    points = np.concatenate(list(geometry.parts.values()))
    size = np.ptp(points, axis=0)
    return float(size[0]), float(max(points[:, 2].max(), size[2]))


def derive(
    params: np.void, body_params: np.void, suspension_params: np.ndarray, wheel_count: int, geometry: "Geometry | None"
) -> None:
    """Set frontal area, height of the side force, wheelbase and the points on the ground below the axles."""
    width, height = size_of(geometry)
    params["area"] = params["frontal_area"] or frontal_area(width, height)
    params["height"] = params["side_force_height"] or side_force_height(height)
    ahead = suspension_params["attachment"][:wheel_count, 1]
    params["wheelbase"] = ahead.max() - ahead.min()
    for name, forward in (("front_arm", ahead.max()), ("rear_arm", ahead.min())):
        params[name] = (0.0, forward, 0.0) - body_params["centre_of_mass"]


ROAD_CAR = Component(
    slot="aero", name="road_car", params=RoadCarParams, state=RoadCarState, phases={"update": update}, derive=derive,
    doc="Wind tunnel coefficients: drag, lift of each axle with rake, side force and yaw moment in side wind.",
)  # fmt: skip
