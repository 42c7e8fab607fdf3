"""Suspension with link characteristics: bump and rebound damping, preload, bump stop and roll centre.

    F = preload + k jounce + c jounce_speed + S,    c = bump_damping in compression, rebound_damping in extension
    S = 1/2 K (jounce - travel + l)^2 / l           over the last l metres of the travel, before that 0

S is a bump stop whose rate rises linearly from 0 to K = `bump_stop_stiffness` at full compression
(l = `bump_stop_length`). F acts along the suspension line, as in suspension.py, where the load N is never below 0.

Roll centre: links transmit the lateral force F_y from the contact patch towards a point on the centre line at height h.
Its vertical component (jacking force) changes the wheel load without the spring,

    N = N_spring - F_y h / x        x: position of the wheel right of the centre line

so that load transfers to the outer wheel at once, and the lever arm of body roll is the height of the centre of mass
above the roll centre: with the roll centre at the centre of mass the body does not roll, with one below the road it
rolls more than with one on the road. F_y is that of the previous substep. Tire and suspension forces must act at the
contact patch (`compliance`), or the moment of F_y is counted twice.

Lateral compliance of the tires: the contact patch is displaced by F_y c from its wheel (c: `lateral_compliance`), so
that the load of the outer wheel acts further inboard and that of the inner wheel further outboard. In a bend this adds
load transfer that grows with the square of the lateral force.

Racer's names: k, bump_rate, rebound_rate, restlen beyond maxlen (preload), bumpstop_len, bumpstop_k, roll_center
(RC-SUSP-01). Limitations: the roll centre height is constant; jounce does not move the contact patch laterally (no
scrub).
"""

from dataclasses import replace
from typing import Any

from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat, vec3
from driving_sandbox.physics.schema.schema import Float, field
from driving_sandbox.physics.suspension.suspension import (
    AT_CONTACT,
    MAX_DAMPER_SPEED,
    SUSPENSION,
    SuspensionParams,
    contact_point,
    load_at_attachment,
    load_at_contact,
)
from driving_sandbox.physics.suspension.suspension import check as check_standard
from driving_sandbox.physics.wheel.wheel import suspension_to_body

MAX_PATCH_SHIFT = 0.5  # largest shift as a share of half the track; more than any carcass deflects


class RollCentreParams(SuspensionParams):
    """Parameters of the standard suspension, links and bump stop, and separate bump and rebound damping."""

    bump_damping: Float = field(
        unit="N*s/m",
        ge=0,
        default=0.0,
        suggest=(0, 15e3),
        source="RC-SUSP-01",
        mechanic=True,
        doc="Force per speed in compression; 0: equal to `damping`.",
    )
    rebound_damping: Float = field(
        unit="N*s/m",
        ge=0,
        default=0.0,
        suggest=(0, 15e3),
        source="RC-SUSP-01",
        mechanic=True,
        doc="Force per speed in extension; 0: equal to `damping`.",
    )
    preload: Float = field(
        unit="N",
        ge=0,
        default=0.0,
        suggest=(0, 3000),
        source="RC-SUSP-01",
        mechanic=True,
        doc="Force of the spring at full droop.",
    )
    bump_stop_length: Float = field(
        unit="m",
        ge=0,
        default=0.0,
        suggest=(0, 0.08),
        source="RC-SUSP-01",
        mechanic=True,
        doc="Length of the last part of the travel, in which the bump stop acts; 0: no bump stop.",
    )
    bump_stop_stiffness: Float = field(
        unit="N/m",
        ge=0,
        default=0.0,
        suggest=(0, 500e3),
        source="RC-SUSP-01",
        mechanic=True,
        doc="Rate of the bump stop at full compression, to which it rises linearly from 0.",
    )
    roll_centre_height: Float = field(
        unit="m",
        ge=-2,
        le=3,
        default=0.0,
        suggest=(-0.1, 0.5),
        source="RC-SUSP-01",
        mechanic=True,
        doc="Height of the axle's roll centre above the road.",
    )
    lateral_compliance: Float = field(
        unit="m/N",
        ge=0,
        le=5e-5,
        default=0.0,
        suggest=(0, 2e-5),
        doc="Lateral displacement of the contact patch from its wheel per lateral force, by the tire's carcass.",
    )


@kernel
def damper_force(p: Any, speed: float) -> float:
    """Force of the damper along the suspension, N; positive pushes the wheel down."""
    speed = min(max(speed, -MAX_DAMPER_SPEED), MAX_DAMPER_SPEED)
    rate = p.bump_damping if speed > 0.0 else p.rebound_damping
    return (rate if rate > 0.0 else p.damping) * speed


@kernel
def bump_stop_force(p: Any, jounce: float) -> float:
    """Force of the bump stop along the suspension, N."""
    depth = jounce - p.travel + p.bump_stop_length
    if depth <= 0.0 or p.bump_stop_length <= 0.0:
        return 0.0
    return 0.5 * p.bump_stop_stiffness * depth * depth / p.bump_stop_length


@inline_kernel
def spring_force(p: Any, jounce: float, speed: float) -> float:
    """Force F of spring, damper and bump stop along the suspension, N."""
    return p.preload + p.stiffness * jounce + damper_force(p, speed) + bump_stop_force(p, jounce)


@kernel
def line_force(params: Any, state: Any, wheel_count: int) -> None:
    """Set the force of spring, damper and bump stop along every suspension line."""
    for i in range(wheel_count):
        s = state[i]
        s.line_force = spring_force(params[i], s.jounce, s.jounce_speed)


@kernel
def jacking(p: Any, centre_x: float, side_force: float) -> float:
    """Jacking force of the links on a wheel, added to its load, N.

    centre_x: position of the wheel right of the centre line, m. side_force: F_y, to the right, N.
    """
    return -side_force * p.roll_centre_height / centre_x if abs(centre_x) > 0.0 else 0.0


@kernel
def patch_shift(p: Any, centre_x: float, side_force: float) -> float:
    """Displacement of the contact patch to the right of its wheel, m. centre_x, side_force: as in `jacking`."""
    limit = MAX_PATCH_SHIFT * abs(centre_x)
    return min(max(side_force * p.lateral_compliance, -limit), limit)


@kernel
def force(
    params: Any, state: Any, tire: Any, wheel_params: Any, steering: Any, compliance: Any, road: Any, body: Any,
    body_params: Any, external: Any, context: Any, wheel_count: int,
) -> None:  # fmt: skip
    """Set the load of every wheel, the force of its suspension on the body, and the application point."""
    m = quat.to_matrix(quat.load(body.orientation))
    applied_force = vec3.add_scaled(vec3.load(external.force), vec3.load(context.gravity), body_params.mass)
    torque, per_mass = vec3.load(external.torque), 1.0 / body_params.mass
    for i in range(wheel_count):
        p, s = params[i], state[i]
        arm = vec3.load(p.arm)
        point = vec3.add(arm, suspension_to_body(p, vec3.load(compliance[i].suspension_force_point)))
        s.force = 0.0
        vec3.store(s.force_vector, (0.0, 0.0, 0.0))
        if s.on_ground != 0:
            normal, direction = vec3.load(road[i].normal), vec3.load(s.direction)
            if p.force_application == AT_CONTACT:
                point = contact_point(p, wheel_params[i], steering[i].angle, s.jounce, vec3.transform_back(m, normal))
                load = load_at_contact(s.line_force, normal, direction)
            else:
                arm = vec3.transform(m, arm)
                load = load_at_attachment(p, s.line_force, normal, direction, arm, applied_force, torque, per_mass)
            x, side_force = p.attachment[0], tire[i].lateral_force
            s.force = max(0.0, load + jacking(p, x, side_force))
            point = vec3.add(point, (patch_shift(p, x, side_force), 0.0, 0.0))
            vec3.store(s.force_vector, vec3.scale(normal, s.force))
        vec3.store(s.force_arm, vec3.transform(m, point))


def check(params: Any, body_params: Any, wheel_count: int) -> list[tuple[str, str]]:
    """Problems of the standard suspension, and of a bump stop longer than the travel."""
    problems = check_standard(params, body_params, wheel_count)
    for p in params[:wheel_count]:
        if p["bump_stop_length"] > p["travel"]:
            problems.append(("bump_stop_length", f"must not be longer than the travel ({p['travel']:g} m)"))
            break
    return problems


ROLL_CENTRE = replace(
    SUSPENSION, name="roll_centre", params=RollCentreParams, check=check,
    phases={**SUSPENSION.phases, "line_force": line_force, "force": force},
    doc="Spring with preload, bump and rebound damping, rising-rate bump stop, and links with a roll centre.",
)  # fmt: skip
