"""The rigid body with spinning wheels and engine (a gyrostat): the torques that accelerate them react on the body.

With the angular momentum h of the spinning parts relative to the body and the torque T of all forces on the vehicle,

    h = -sum I_i omega_i a_i + I_E Omega c
    I w' + w x (I w + h) = T - h'

in body axes. a_i is the axle of a wheel, to the right, c the direction of the crankshaft's angular momentum: rearward
for a longitudinal engine that turns clockwise seen from the front, to the left for a transverse one that turns as the
wheels do. So body and spinning parts keep their common angular momentum in the air; there, throttle raises the nose and
brakes lower it. On the ground, a longitudinal engine rolls the body while its speed changes; steering the spinning
wheels rolls it, too. The reaction to drive and brake torques at constant wheel speed needs no term: the tire forces
that balance them act at the contact patch and turn the body.

Shafts and gears have no inertia here. Either `crankshaft` or the stalling engine's own `torque_reaction` must be zero.
All else is as in rigid_body.py. Source: Wittenburg, Dynamics of Multibody Systems (2008), section 3.5.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from driving_sandbox.physics.body import assembled
from driving_sandbox.physics.body.gyroscopic import free_spin
from driving_sandbox.physics.body.rigid_body import BODY, BodyParams, BodyState, push
from driving_sandbox.physics.body.rigid_body import begin as begin_rigid
from driving_sandbox.physics.body.rigid_body import check as check_rigid
from driving_sandbox.physics.body.rigid_body import derive as derive_rigid
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat, vec3
from driving_sandbox.physics.maths.products import dot, norm
from driving_sandbox.physics.schema.schema import Vec3, field
from driving_sandbox.physics.suspension.hub_mass import inertia_of
from driving_sandbox.physics.tick.component import Component
from driving_sandbox.physics.wheel.wheel import hub_axes, total_steer

LONGITUDINAL = [0.0, -1.0, 0.0]
MAX_ENGINE_SHARE = 0.5  # engine inertia per inertia of the body about the crankshaft; cars have less than 0.001


def _direction() -> Any:
    return field(
        unit="1",
        default=LONGITUDINAL,
        ge=-1,
        le=1,
        suggest=(-1, 1),
        doc="Direction of the crankshaft's angular momentum: right, forward, up. [0, -1, 0] is a longitudinal engine, "
        "[-1, 0, 0] a transverse one; zeros leave the engine out.",
    )


def _axis() -> Any:
    return field(unit="1", derived=True, default=LONGITUDINAL, doc="`crankshaft` with length 1, or zeros.")


class GyrostatParams(BodyParams):
    """The body, and the direction of its crankshaft."""

    crankshaft: Vec3 = _direction()
    crank_axis: Vec3 = _axis()


class AssembledGyrostatParams(assembled.AssembledParams):
    """The parts of the body, and the direction of the crankshaft."""

    crankshaft: Vec3 = _direction()
    crank_axis: Vec3 = _axis()


class GyrostatState(BodyState):
    """Motion, and the spinning parts."""

    spin_momentum: Vec3 = field(
        unit="N*m*s", doc="Angular momentum of wheels and engine relative to the body: right, forward, up."
    )


@kernel
def spin_momentum(
    params: Any, wheel: Any, wheel_params: Any, suspension_params: Any, steering: Any, compliance: Any, engine: Any,
    engine_params: Any, wheel_count: int,
) -> tuple[float, float, float]:  # fmt: skip
    """Angular momentum of wheels and engine relative to the body (h of the module), N m s, body axes."""
    h = vec3.scale(vec3.load(params.crank_axis), engine_params.inertia * engine.omega)
    for i in range(wheel_count):
        yaw = total_steer(steering[i], compliance[i])
        axle, _ = hub_axes(suspension_params[i], wheel_params[i], compliance[i].camber, yaw)
        h = vec3.add_scaled(h, axle, -wheel_params[i].inertia * wheel[i].omega)
    return h


@kernel
def begin(
    params: Any, state: Any, external: Any, wheel: Any, wheel_params: Any, suspension_params: Any, steering: Any,
    compliance: Any, engine: Any, engine_params: Any, wheel_count: int,
) -> None:  # fmt: skip
    """Apply external impulses; recompute the angular momentum, as speeds may have been set since the last tick."""
    begin_rigid(params, state, external)
    h = spin_momentum(
        params, wheel, wheel_params, suspension_params, steering, compliance, engine, engine_params, wheel_count
    )
    vec3.store(state.spin_momentum, h)


@kernel
def velocity(
    params: Any, state: Any, suspension: Any, tire: Any, antiroll: Any, aero: Any, external: Any, context: Any,
    wheel: Any, wheel_params: Any, suspension_params: Any, steering: Any, compliance: Any, engine: Any,
    engine_params: Any, wheel_count: int, dt: float,
) -> None:  # fmt: skip
    """Change the velocity by all forces except constraint forces, and by the spinning parts, over a substep."""
    torque = push(params, state, suspension, tire, antiroll, aero, external, context, wheel_count, dt)
    h = spin_momentum(
        params, wheel, wheel_params, suspension_params, steering, compliance, engine, engine_params, wheel_count
    )
    m, inertia = quat.to_matrix(quat.load(state.orientation)), params.inertia
    impulse = vec3.scale(vec3.transform_back(m, torque), dt)
    impulse = vec3.sub(impulse, vec3.sub(h, vec3.load(state.spin_momentum)))
    vec3.store(state.spin_momentum, h)
    spin = vec3.transform_back(m, vec3.load(state.angular_velocity))
    spin = vec3.add(spin, (impulse[0] / inertia[0], impulse[1] / inertia[1], impulse[2] / inertia[2]))
    body_momentum = (inertia[0] * spin[0], inertia[1] * spin[1], inertia[2] * spin[2])
    vec3.store(state.angular_velocity, vec3.transform(m, free_spin(spin, inertia, vec3.add(body_momentum, h), dt)))


def align_crankshaft(params: np.void) -> None:
    """Set `crank_axis`: the direction of `crankshaft` with length 1, or zeros."""
    length = norm(params["crankshaft"])
    params["crank_axis"] = params["crankshaft"] / length if length > 0.0 else 0.0


def derive(params: np.void) -> None:
    """Set the inertia and the axis of the crankshaft."""
    derive_rigid(params)
    align_crankshaft(params)


def derive_assembled(params: np.void, suspension_params: np.ndarray, wheel_count: int) -> None:
    """Set mass, centre of mass, inertia and the axis of the crankshaft."""
    assembled.derive(params, suspension_params, wheel_count)
    align_crankshaft(params)


def doubled_reaction(params: np.void, engine_params: np.void) -> list[tuple[str, str]]:
    """The problem of an engine whose reaction is counted twice: here and by its own (stalling_engine.py), else []."""
    if "torque_reaction" not in (engine_params.dtype.names or ()):
        return []
    if not engine_params["torque_reaction"] > 0.0 or not norm(params["crankshaft"]) > 0.0:
        return []
    text = "counts the engine's reaction twice if engine.torque_reaction is above 0; set one of them to zero"
    return [("crankshaft", text)]


def heavy_engine(params: np.void, engine_params: np.void) -> list[tuple[str, str]]:
    """The problem of an engine with more than MAX_ENGINE_SHARE of the body's inertia, where that is known, else []."""
    length, moments = norm(params["crankshaft"]), inertia_of(params)[3:]  # after three masses
    if not length > 0.0 or not np.all(moments > 0.0):
        return []
    axis, engine = params["crankshaft"] / length, float(engine_params["inertia"])
    limit = MAX_ENGINE_SHARE * float(dot(axis * axis, moments))
    if engine <= limit:
        return []
    text = f"an engine of {engine:g} kg m^2 turns this body too fast: engine.inertia is at most {limit:.3g} kg m^2"
    return [("crankshaft", text)]


def check(params: np.void, engine_params: np.void) -> list[tuple[str, str]]:
    """Problems of the rigid body, else of a reaction that counts twice, else of an engine too heavy for the body."""
    return check_rigid(params) or doubled_reaction(params, engine_params) or heavy_engine(params, engine_params)


def check_assembled(
    params: np.void, suspension_params: np.ndarray, engine_params: np.void, wheel_count: int
) -> list[tuple[str, str]]:
    """Problems of the assembled body, else those of the engine, as in `check`."""
    problems = assembled.check(params, suspension_params, wheel_count)
    return problems or doubled_reaction(params, engine_params) or heavy_engine(params, engine_params)


_PHASES = {"begin": begin, "velocity": velocity}

GYROSTAT = replace(
    BODY, name="gyrostat", params=GyrostatParams, state=GyrostatState, phases={**BODY.phases, **_PHASES},
    derive=derive, check=check,
    doc="The vehicle's whole mass as one rigid body, with the reaction torques of accelerating wheels and engine.",
)  # fmt: skip
ASSEMBLED_GYROSTAT: Component = replace(
    assembled.ASSEMBLED, name="assembled_gyrostat", params=AssembledGyrostatParams, state=GyrostatState,
    phases={**BODY.phases, **_PHASES}, derive=derive_assembled, check=check_assembled,
    doc="The body assembled from parts, with the reaction torques of accelerating wheels and engine.",
)  # fmt: skip
