"""Analytic ground: a road component that needs no ground arrays, meshes or queries (PX-QUERY-03).

    z(x, y) = height + rise_right x + rise_ahead y + wave sin(2 pi y / wave_length)

Each wheel gets the tangent plane at its position; friction is the same everywhere. Any component that writes plane and
friction per wheel can replace the world's ground. Without waves the plane is constant and written once a tick.
Bodywork still collides with the world's ground.

Limits: the tangent plane is that of a point, so waves should be longer than a wheel. Surfaces, roughness, props and
moving bodies are ignored.
"""

import math
from typing import Any

from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat, vec3
from driving_sandbox.physics.road.query import RoadState
from driving_sandbox.physics.schema.schema import Float, Schema, field
from driving_sandbox.physics.tick.component import Component
from driving_sandbox.physics.wheel.wheel import wheel_centre

TWO_PI = 2.0 * math.pi


class FormulaParams(Schema):
    """Parameters of the formula."""

    height: Float = field(unit="m", default=0.0, suggest=(-10, 10), doc="Height of the ground at the origin.")
    rise_right: Float = field(unit="1", default=0.0, suggest=(-0.3, 0.3), doc="Rise per metre along +x.")
    rise_ahead: Float = field(unit="1", default=0.0, suggest=(-0.3, 0.3), doc="Rise per metre along +y.")
    wave: Float = field(unit="m", default=0.0, suggest=(0, 0.5), doc="Amplitude of the waves.")
    wave_length: Float = field(unit="m", gt=0, default=10.0, suggest=(2, 50), doc="Length of a wave, along y.")
    friction: Float = field(
        unit="1", ge=0, default=1.0, suggest=(0, 1.5), source="PX-QUERY-03", doc="Coulomb coefficient of every tire."
    )


@kernel
def height_and_normal(p: Any, x: float, y: float) -> Any:
    """(height in m, unit normal) of the ground at (x, y)."""
    k = TWO_PI / p.wave_length
    sine, cosine = elementary.sincos(k * y)
    z = p.height + p.rise_right * x + p.rise_ahead * y + p.wave * sine
    ahead = p.rise_ahead + p.wave * k * cosine
    return z, vec3.normalize((-p.rise_right, -ahead, 1.0))


@kernel
def write_plane(p: Any, r: Any, x: float, y: float, z: float) -> None:
    """Write the tangent plane under a wheel whose centre is at (x, y, z) to its RoadState r."""
    ground, normal = height_and_normal(p, x, y)
    r.hit = 1
    vec3.store(r.normal, normal)
    r.offset = -vec3.dot(normal, (x, y, ground))
    above = vec3.dot(normal, (x, y, z)) + r.offset
    vec3.store(r.point, vec3.add_scaled((x, y, z), normal, -above))
    r.friction = p.friction
    r.sweep_phase = 1  # STARTING of sweep_query.py


@kernel
def update(
    params: Any, state: Any, suspension: Any, suspension_params: Any, wheel_params: Any, steering: Any, body: Any,
    wheel_count: int,
) -> None:  # fmt: skip
    """Write the plane under every wheel at its present position."""
    m = quat.to_matrix(quat.load(body.orientation))
    origin = vec3.load(body.position)
    for i in range(wheel_count):
        length = suspension_params[i].travel - suspension[i].jounce
        centre = wheel_centre(suspension_params[i], wheel_params[i], length, 0.0, steering[i].angle)  # camber 0
        centre = vec3.add(origin, vec3.transform(m, centre))
        write_plane(params, state[i], centre[0], centre[1], centre[2])


@kernel
def refresh(
    params: Any, state: Any, suspension: Any, suspension_params: Any, wheel_params: Any, steering: Any, body: Any,
    wheel_count: int,
) -> None:  # fmt: skip
    """Repeat `update` in every substep if the ground has waves."""
    if params.wave != 0.0:
        update(params, state, suspension, suspension_params, wheel_params, steering, body, wheel_count)


FORMULA = Component(
    slot="road",
    name="formula",
    params=FormulaParams,
    state=RoadState,
    phases={"update": update, "refresh": refresh},
    optional=("refresh",),
    doc="Slope and waves by a formula, independent of the world's ground.",
)
