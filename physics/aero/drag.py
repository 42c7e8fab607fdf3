"""Drag and downforce along the body's axes (CN-AERO).

    F_right   = -1/2 rho side_drag_area v_right |v_right|
    F_forward = -1/2 rho drag_area v_forward |v_forward|
    F_up      = -1/2 rho downforce_area v_forward^2         a negative area causes lift

with the velocity v of the centre of mass through the air, in body axes. All three forces act at the centre of pressure,
whose position relative to the centre of mass determines the aerodynamic moments. Each of the three areas is the product
of an area and its coefficient. Limitations: constant wind, no slipstream, no drag of vertical motion.
"""

from typing import Any

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat, vec3
from driving_sandbox.physics.schema.schema import Float, Schema, Vec3, field
from driving_sandbox.physics.tick.component import Component


class AeroParams(Schema):
    """Products of area and coefficient, and the centre of pressure."""

    drag_area: Float = field(unit="m^2", ge=0, default=0.0, suggest=(0, 2), doc="C_D A along the longitudinal axis.")
    side_drag_area: Float = field(unit="m^2", ge=0, default=0.0, suggest=(0, 6), doc="C_D A along the lateral axis.")
    downforce_area: Float = field(
        unit="m^2",
        ge=-5,
        le=20,
        default=0.0,
        suggest=(-0.5, 5),
        mechanic=True,
        doc="-C_L A: downforce at forward speed; negative is lift.",
    )
    centre_of_pressure: Vec3 = field(
        unit="m",
        default=[0, 0, 0.5],
        suggest=(-2, 2),
        mechanic=True,
        doc="Point where the air forces act, relative to the model's origin.",
    )
    arm: Vec3 = field(unit="m", derived=True, doc="Centre of pressure relative to the centre of mass.")


class AeroState(Schema):
    """Air force on the body and its moment."""

    force: Vec3 = field(unit="N", doc="Air force on the body, world axes.")
    torque: Vec3 = field(unit="N*m", doc="Moment of the air force about the centre of mass, world axes.")


@kernel
def velocity_through_air(body: Any, context: Any) -> Any:
    """Velocity of the centre of mass relative to the air, m/s, body axes."""
    through_air = vec3.sub(vec3.load(body.velocity), vec3.load(context.wind))
    return quat.rotate_inverse(quat.load(body.orientation), through_air)


@kernel
def update(params: Any, state: Any, body: Any, context: Any) -> None:
    """Set the air force on the body and its moment."""
    q = quat.load(body.orientation)
    v = velocity_through_air(body, context)
    half_density = 0.5 * context.air_density
    force = (
        -half_density * params.side_drag_area * v[0] * abs(v[0]),
        -half_density * params.drag_area * v[1] * abs(v[1]),
        -half_density * params.downforce_area * v[1] * v[1],
    )
    vec3.store(state.force, quat.rotate(q, force))
    vec3.store(state.torque, quat.rotate(q, vec3.cross(vec3.load(params.arm), force)))


def derive(params: Any, body_params: Any) -> None:
    """Set the arm of the air forces from the centre of mass."""
    params["arm"] = params["centre_of_pressure"] - body_params["centre_of_mass"]


AERO = Component(
    slot="aero",
    name="drag",
    params=AeroParams,
    state=AeroState,
    phases={"update": update},
    derive=derive,
    doc="Drag and downforce along the body's axes, at a centre of pressure.",
)
