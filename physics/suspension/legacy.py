"""The suspension law of older vehicles of the PhysX SDK (PX-LEG-07).

Jounce, limits and force points are those of the standard suspension (suspension.py); only the force differs:

    a = max(0, g.d)                       gravity along the direction of droop
    W = max(0, m_s a + k (j + rest - D)) + c jounce_speed
    F = n.(-d W - m_s (g - d a))          along the road normal; second term 0 if a = 0

m_s: sprung mass, j: jounce, D: travel, d: direction of droop, n: road normal, g: gravity. `rest` is the distance of the
wheel below full compression at which the spring just carries the static load m_s a. A `rest_distance` of 0 derives it
as D - m_s |g| / k, which gives the same ride height as the standard suspension. External forces are ignored. The
damper's force is not part of the maximum, so a fast rebound can make F negative; as in the standard suspension it is
then set to 0. With `force_application: contact` the road's reaction is W / |d.n| instead, as in suspension.py.
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat, vec3
from driving_sandbox.physics.maths.products import norm
from driving_sandbox.physics.schema.schema import Float, field
from driving_sandbox.physics.suspension.suspension import (
    AT_CONTACT,
    MAX_DAMPER_SPEED,
    SUSPENSION,
    SuspensionParams,
    SuspensionState,
    check,
    contact_point,
    load_at_contact,
)
from driving_sandbox.physics.suspension.suspension import derive as derive_standard
from driving_sandbox.physics.tick.component import Component
from driving_sandbox.physics.wheel.wheel import suspension_to_body


class LegacySuspensionParams(SuspensionParams):
    """Parameters of the standard suspension, and the wheel's position at static load."""

    rest_distance: Float = field(
        unit="m",
        ge=0,
        default=0.0,
        suggest=(0, 0.5),
        source="PX-LEG-07",
        mechanic=True,
        doc="Distance of the wheel below full compression at static load; 0: that of the standard suspension.",
    )
    used_rest_distance: Float = field(unit="m", derived=True, doc="Rest distance in use.")


@kernel
def legacy_push(p: Any, jounce: float, jounce_speed: float, gravity_along: float) -> float:
    """Force W along the suspension, N. gravity_along: gravity a along the direction of droop, m/s^2."""
    spring = p.supported_mass * gravity_along + p.stiffness * (jounce + p.used_rest_distance - p.travel)
    return max(0.0, spring) + p.damping * jounce_speed


@kernel
def legacy_load(p: Any, push: float, normal: Any, direction: Any, gravity: Any) -> float:
    """Force F along the road normal, N, not limited, so negative in a fast rebound. push: W, N."""
    along = max(0.0, vec3.dot(gravity, direction))
    across = vec3.add_scaled(gravity, direction, -along) if along != 0.0 else (0.0, 0.0, 0.0)
    return -push * vec3.dot(normal, direction) - p.supported_mass * vec3.dot(normal, across)


@kernel
def line_force(params: Any, state: Any, context: Any, wheel_count: int) -> None:
    """Set the force W of spring and damper along every suspension line."""
    gravity = vec3.load(context.gravity)
    for i in range(wheel_count):
        s = state[i]
        speed = min(max(s.jounce_speed, -MAX_DAMPER_SPEED), MAX_DAMPER_SPEED)
        along = max(0.0, vec3.dot(gravity, vec3.load(s.direction)))
        s.line_force = legacy_push(params[i], s.jounce, speed, along)


@kernel
def force(
    params: Any, state: Any, wheel_params: Any, steering: Any, compliance: Any, road: Any, body: Any, context: Any,
    wheel_count: int,
) -> None:  # fmt: skip
    """Set the load of every wheel, the force of its suspension on the body, and the application point."""
    m = quat.to_matrix(quat.load(body.orientation))
    gravity = vec3.load(context.gravity)
    for i in range(wheel_count):
        p, s = params[i], state[i]
        point = vec3.add(vec3.load(p.arm), suspension_to_body(p, vec3.load(compliance[i].suspension_force_point)))
        s.force = 0.0
        vec3.store(s.force_vector, (0.0, 0.0, 0.0))
        if s.on_ground != 0:
            normal, direction = vec3.load(road[i].normal), vec3.load(s.direction)
            if p.force_application == AT_CONTACT:
                point = contact_point(p, wheel_params[i], steering[i].angle, s.jounce, vec3.transform_back(m, normal))
                load = load_at_contact(s.line_force, normal, direction)
            else:
                load = legacy_load(p, s.line_force, normal, direction, gravity)
            s.force = max(0.0, load)
            vec3.store(s.force_vector, vec3.scale(normal, s.force))
        vec3.store(s.force_arm, vec3.transform(m, point))


def derive(params: Any, body_params: Any, wheel_count: int, context: Any) -> None:
    """Set what the standard suspension derives, and the rest distance in use."""
    derive_standard(params, body_params, wheel_count)
    wheels = params[:wheel_count]
    gravity = float(norm(context["gravity"]))
    standard_distance = wheels["travel"] - wheels["supported_mass"] * gravity / wheels["stiffness"]
    wheels["used_rest_distance"] = np.where(wheels["rest_distance"] > 0.0, wheels["rest_distance"], standard_distance)


LEGACY_SUSPENSION = Component(
    slot="suspension",
    name="legacy",
    params=LegacySuspensionParams,
    state=SuspensionState,
    phases={"update": SUSPENSION.phases["update"], "line_force": line_force, "force": force},
    derive=derive,
    check=check,
    doc="Spring that carries the static load at its rest position, as in older vehicles of the PhysX SDK.",
)
