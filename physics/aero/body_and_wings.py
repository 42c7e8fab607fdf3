"""Body and wings: drag of the body, downforce and drag of wings (RC-AERO-01).

    body    F_forward = -1/2 rho A c_drag v_forward |v_forward|        F_up = -1/2 rho A c_down v_forward^2
            F_right   = -1/2 rho A_side c_side v_right |v_right|
    wing    F_up      = -1/2 rho span chord angle down v_forward^2     angle = wing_angle + wing_angle_offset
            F_forward = -1/2 rho span chord |angle| drag v_forward |v_forward|

with the velocity v of the centre of mass through the air, in body axes. Angles are in rad and a wing's coefficients per
rad of its angle. Each force acts at its own point: a wing behind the rear axle loads that axle by more than its
downforce and unloads the front axle. By default there is only the drag of a plain body: c_drag = 0.3 on A = 2 m^2
forward, c_side = 0.8 on A_side = 3.5 m^2 sideways. Racer's names: aero.body.cx, area, center, cz; wings span, cord,
coeff_drag, coeff_down, center, angle, angle_offset. Limitations: no stall, constant wind, no slipstream; in reverse a
wing has the same downforce, as in Racer.
"""

from typing import Any

from driving_sandbox.physics.aero.drag import AeroState, velocity_through_air
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat, vec3
from driving_sandbox.physics.schema.schema import Float, Floats, Schema, Vec3, field
from driving_sandbox.physics.tick.component import Component

MAX_WINGS = 6  # largest number of wings of a vehicle
# Parameters that are lists with one number per wing; those in MAY_BE_EMPTY may also be empty
WING_LISTS = ("span", "chord", "angle", "angle_offset", "down", "drag", "right", "forward", "up")
MAY_BE_EMPTY = ("angle_offset", "right")


def _wing(unit: str, doc: str, **limits: Any) -> Any:
    """Declaration of a list with one number per wing."""
    return field(
        capacity=MAX_WINGS, unit=unit, default=[], doc=f"{doc}, one number per wing.", source="RC-AERO-01", **limits
    )


class BodyAndWingsParams(Schema):
    """Coefficients of the body, and lists of equal length with one number per wing."""

    drag_coefficient: Float = field(
        unit="1", ge=0, default=0.3, suggest=(0.2, 1), doc="C_D of the body along its axis.", source="RC-AERO-01"
    )
    frontal_area: Float = field(unit="m^2", ge=0, default=2.0, suggest=(0.8, 4), doc="Frontal area of the body.")
    down_coefficient: Float = field(
        unit="1",
        ge=-5,
        le=5,
        default=0.0,
        suggest=(-0.5, 1),
        doc="Downforce coefficient of the body, per frontal area.",
    )
    side_coefficient: Float = field(
        unit="1", ge=0, default=0.8, suggest=(0, 1.5), doc="Side force coefficient of the body, per side area."
    )
    side_area: Float = field(unit="m^2", ge=0, default=3.5, suggest=(1, 10), doc="Area of the body from the side.")
    body_centre: Vec3 = field(
        unit="m",
        default=[0, 0, 0.5],
        suggest=(-2, 2),
        doc="Centre of pressure of the body relative to the model's origin.",
    )
    span: Floats = _wing("m", "Width", ge=0, suggest=(0, 2))
    chord: Floats = _wing("m", "Length along the flow", ge=0, suggest=(0, 1))
    angle: Floats = _wing(
        "rad", "Angle of attack as set; above 0 presses down", mechanic=True, ge=-1.6, le=1.6, suggest=(0, 0.5)
    )
    angle_offset: Floats = _wing("rad", "Angle added to that; empty: 0", ge=-1.6, le=1.6, suggest=(-0.2, 0.2))
    down: Floats = _wing("1/rad", "Downforce coefficient per angle", ge=0, suggest=(0, 6))
    drag: Floats = _wing("1/rad", "Drag coefficient per angle", ge=0, suggest=(0, 1))
    right: Floats = _wing("m", "Position right of the centre line; empty: on it", suggest=(-1, 1))
    forward: Floats = _wing("m", "Position ahead of the model's origin", suggest=(-3, 3))
    up: Floats = _wing("m", "Height above the model's origin", suggest=(0, 2))
    body_arm: Vec3 = field(unit="m", derived=True, doc="Centre of pressure of the body relative to the centre of mass.")
    centre: Vec3 = field(unit="m", derived=True, doc="Centre of mass relative to the model's origin.")


@kernel
def body_force(p: Any, v: Any, half_density: float) -> Any:
    """Force of the body, N, body axes.

    v: velocity through the air, m/s, body axes.
    half_density: half the air density, kg/m^3.
    """
    right = -half_density * p.side_area * p.side_coefficient * v[0] * abs(v[0])
    forward = -half_density * p.frontal_area * p.drag_coefficient * v[1] * abs(v[1])
    return right, forward, -half_density * p.frontal_area * p.down_coefficient * v[1] * v[1]


@kernel
def wing_force(p: Any, k: int, v: Any, half_density: float) -> Any:
    """Force of wing k, N, body axes; arguments as for `body_force`."""
    offset = p.angle_offset.values[k] if k < p.angle_offset.count else 0.0
    angle = p.angle.values[k] + offset
    area = p.span.values[k] * p.chord.values[k]
    forward = -half_density * area * abs(angle) * p.drag.values[k] * v[1] * abs(v[1])
    return 0.0, forward, -half_density * area * angle * p.down.values[k] * v[1] * v[1]


@kernel
def wing_arm(p: Any, k: int) -> Any:
    """Position of wing k relative to the centre of mass, body axes, m."""
    right = p.right.values[k] if k < p.right.count else 0.0
    return vec3.sub((right, p.forward.values[k], p.up.values[k]), vec3.load(p.centre))


@kernel
def update(params: Any, state: Any, body: Any, context: Any) -> None:
    """Set the air force on the body and its moment."""
    q = quat.load(body.orientation)
    v = velocity_through_air(body, context)
    half_density = 0.5 * context.air_density
    force = body_force(params, v, half_density)
    torque = vec3.cross(vec3.load(params.body_arm), force)
    for k in range(params.span.count):
        wing = wing_force(params, k, v, half_density)
        force = vec3.add(force, wing)
        torque = vec3.add(torque, vec3.cross(wing_arm(params, k), wing))
    vec3.store(state.force, quat.rotate(q, force))
    vec3.store(state.torque, quat.rotate(q, torque))


def derive(params: Any, body_params: Any) -> None:
    """Set the centre of mass, and the arm of the body's force from it."""
    params["centre"] = body_params["centre_of_mass"]
    params["body_arm"] = params["body_centre"] - body_params["centre_of_mass"]


def check(params: Any) -> list[tuple[str, str]]:
    """[(parameter, problem)] if the wings' lists do not all have one number per wing."""
    wings = int(params["span"]["count"])
    for name in WING_LISTS:
        count = int(params[name]["count"])
        if count != wings and not (count == 0 and name in MAY_BE_EMPTY):
            return [(name, f"has {count} numbers, but span has {wings}: every wing needs one number")]
    return []


BODY_AND_WINGS = Component(
    slot="aero", name="body_and_wings", params=BodyAndWingsParams, state=AeroState, phases={"update": update},
    derive=derive, check=check, doc="Drag and downforce of the body and of wings, each at its own position.",
)  # fmt: skip
