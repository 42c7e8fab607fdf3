"""The rigid body with a choice of integrator (CE-INT-04, 05; CE-NET-01).

    explicit       x <- x + h v,    v <- v + h a       the pose uses the velocity before the step
    semi_implicit  v <- v + h a,    x <- x + h v       the pose uses the velocity after the step

Springs are stiff where h omega (omega = sqrt(k / m)) is near 1: the semi-implicit rule keeps their energy bounded up to
h omega = 2, the explicit one adds energy in every step and needs damping of more than h omega / 2 times critical to
lose it again. CryEngine forces the explicit rule in multiplayer games, because by its manual less state has to be
synchronised then; `network: forced` does so here, with one log message. Forces and everything else are as in
rigid_body.py; with either rule constraints act on the new velocity.

Source: the CryEngine vehicle document, `integration_type`.
"""

import logging
from typing import Any

from driving_sandbox.physics.body.rigid_body import BODY, BodyParams, BodyState, small_rotation
from driving_sandbox.physics.body.rigid_body import check as check_body
from driving_sandbox.physics.body.rigid_body import derive as derive_body
from driving_sandbox.physics.body.rigid_body import velocity as rigid_velocity
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat, vec3
from driving_sandbox.physics.schema.schema import Choice, Vec3, field
from driving_sandbox.physics.tick.component import Component

INTEGRATORS = ("explicit", "semi_implicit")
EXPLICIT = INTEGRATORS.index("explicit")
NETWORKS = ("none", "forced")
FORCED = NETWORKS.index("forced")

_log = logging.getLogger(__name__)


class EulerParams(BodyParams):
    """The body, and how it is integrated."""

    integration: Choice = field(
        options=INTEGRATORS,
        default="semi_implicit",
        source="CE-INT-04, CE-INT-05",
        doc="Chosen rule of integration; `explicit` is less stable.",
    )
    network: Choice = field(
        options=NETWORKS,
        default="none",
        source="CE-NET-01",
        doc="forced: the explicit rule replaces the chosen one, as in CryEngine's multiplayer games.",
    )
    integration_in_use: Choice = field(
        options=INTEGRATORS,
        derived=True,
        default="semi_implicit",
        doc="Rule of integration in use: the chosen one, or `explicit` if `network` is `forced`.",
    )


class EulerState(BodyState):
    """Motion, and the velocity with which an explicit step moves the pose."""

    velocity_of_step: Vec3 = field(unit="m/s", doc="Velocity before the forces of this step.")
    spin_of_step: Vec3 = field(unit="rad/s", doc="Angular velocity before the forces of this step.")


@kernel
def velocity(
    params: Any, state: Any, suspension: Any, tire: Any, antiroll: Any, aero: Any, external: Any, context: Any,
    wheel_count: int, dt: float,
) -> None:  # fmt: skip
    """Store the velocity, then change it by all forces except constraint forces over a substep."""
    vec3.store(state.velocity_of_step, vec3.load(state.velocity))
    vec3.store(state.spin_of_step, vec3.load(state.angular_velocity))
    rigid_velocity(params, state, suspension, tire, antiroll, aero, external, context, wheel_count, dt)


@kernel
def pose(params: Any, state: Any, dt: float) -> None:
    """Pose after a substep, by the rule in use."""
    v, w = vec3.load(state.velocity), vec3.load(state.angular_velocity)
    if params.integration_in_use == EXPLICIT:
        v, w = vec3.load(state.velocity_of_step), vec3.load(state.spin_of_step)
    vec3.store(state.position, vec3.add_scaled(vec3.load(state.position), v, dt))
    rotation = small_rotation(vec3.scale(w, dt))
    quat.store(state.orientation, quat.normalize(quat.multiply(rotation, quat.load(state.orientation))))


def derive(params: Any) -> None:
    """Set the inertia and the rule in use; warns once if the network overrides the chosen rule."""
    derive_body(params)
    forced = params["network"] == FORCED
    # once: later calls find the explicit rule in use
    if forced and params["integration"] != EXPLICIT and params["integration_in_use"] != EXPLICIT:
        _log.warning("network: forced replaces integration: %s by the explicit rule",
                     INTEGRATORS[int(params["integration"])])  # fmt: skip
    params["integration_in_use"] = EXPLICIT if forced else params["integration"]


EULER_BODY = Component(
    slot="body",
    name="euler",
    params=EulerParams,
    state=EulerState,
    phases={"begin": BODY.phases["begin"], "velocity": velocity, "pose": pose, "measure": BODY.phases["measure"]},
    derive=derive,
    check=check_body,
    doc="The vehicle's whole mass as one rigid body, integrated explicitly or semi-implicitly.",
)
