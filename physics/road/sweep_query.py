"""The road query that lowers every wheel as a cylinder along its suspension (`sweep.py`, PX-QUERY-04).

The wheel rests on both edges of a gap and climbs kerbs like a real wheel; internal edges of the ground have no effect.

A sweep finds a jounce, not a plane. The plane is constructed so that the suspension's closed form, ray or cylinder
against plane, gives exactly this jounce at this pose. The plane is constant through the tick, except for a wheel whose
plane has just rotated by more than TURNED: this wheel is swept again in every substep (`refresh`), on a rocking vehicle
until it is at rest. Over a gap such a wheel rolls from edge to edge within a tick, and the force of the edge it has
left would keep the vehicle rocking at 4 cm/s.

Compressing a spring without corresponding motion of the body would add energy. So a jounce grows no faster than the
contact point has approached the plane since the last sweep (a tick or a substep ago; the first substep repeats the
tick's sweep at the same pose), plus the rise of the ground since then, limited to what a moving wheel can roll up:
sqrt(3) times its travel along the rolling direction (the arc ends at 60 degrees) plus its travel along the axle. The
remaining penetration is reduced at the rate EASE. The first plane gives at most the jounce at rest; a car that is
placed inside the ground rises at START_EASE.

On a face of the ground the tread yields at its edges (physics/wheel/rim.py): a vehicle that rocks on rigid cylinders
gains energy, as a force along the suspension does no work on their rise. On an edge of the ground the wheel stays a
rigid cylinder, as only then is the sweep's normal the gradient of its jounce.
"""

import math
from typing import Any

from driving_sandbox.physics.ground.arrays import NO_SURFACE, SURFACE_MASK
from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat, vec3
from driving_sandbox.physics.road.bodies import MOVING_BODIES
from driving_sandbox.physics.road.query import (
    RoadParams,
    RoadState,
    begin_substep,
    begin_tick,
    check_road,
    ground_motion,
    store_ground,
    wheel_unevenness,
)
from driving_sandbox.physics.road.sweep import SEARCH, sweep_contact
from driving_sandbox.physics.suspension.suspension import RAY, ray_depth
from driving_sandbox.physics.tick.component import Component
from driving_sandbox.physics.wheel.rim import edge_compression
from driving_sandbox.physics.wheel.wheel import inline_hub_axes, wheel_centre

STEEPEST_CLIMB = math.sqrt(3.0)  # rise per travel of a wheel in contact at the end of its arc
EASE = 0.02  # m/s; ten times as much gives back 6 % of the energy of a drop on the roof
START_EASE = 0.2  # m/s; a car placed inside the ground is out within seconds
# Values of RoadState.sweep_phase; 0: no sweep yet
STARTING = 1  # the first sweeps lift the wheel out of the ground
KNOWN = 2  # all later sweeps
FLATTEST = 0.2  # smallest |d.n|, at 78 degrees, at which an approach compresses the suspension; the rate is ~ 1 / d.n
TURNED = 0.9961946980917455  # cosine of 5 degrees; a plane that rotates by more in a tick is swept every substep
STILL = 0.9998476951563913  # cosine of 1 degree; once the plane rotates by less, one sweep a tick is enough again
STANDS = 1e-4  # m/s; a slower vehicle counts as standing
ROCKS = 0.3  # m/s; below, and above STANDS, a wheel that was ROCKING continues to be swept every substep
# Value of RoadState.turn_phase of a wheel whose plane has turned; 1 if the plane is the wheel's first, 0 otherwise
ROCKING = 2


@inline_kernel
def compression_speed(velocity: Any, spin: Any, reach: Any, slope: float, normal: Any) -> float:
    """Speed at which the plane compresses the suspension, m/s.

    Args:
        velocity: of the hub relative to the ground, m/s.
        spin: angular velocity of the body, rad/s.
        reach: vector from the hub to the contact, m.
        slope: d.n, d being the direction of droop.
        normal: n.
    """
    if slope >= -FLATTEST:
        return 0.0
    return vec3.dot(vec3.add(velocity, vec3.cross(spin, reach)), normal) / slope


@inline_kernel
def longest_jounce(
    r: Any, p: Any, unlimited: float, speed: float, rolling: Any, axle: Any, velocity: Any, gravity: float
) -> float:
    """Largest jounce possible now, m, see the module's docstring.

    The faster of the compression speeds now and at the last sweep counts, as a stop may have ended the motion. Notes
    speed and required jounce for the next sweep.

    Args:
        r: RoadState of the wheel.
        p: its suspension parameters.
        unlimited: jounce that the ground requires, m.
        speed: compression speed, m/s.
        rolling, axle: unit vectors along and across the wheel.
        velocity: of the hub relative to the ground, m/s.
        gravity: m/s^2.
    """
    speed_before, rise, dt = r.compression_speed, unlimited - r.unlimited_jounce, r.sweep_age
    r.compression_speed, r.unlimited_jounce, r.sweep_age = speed, unlimited, 0.0
    if r.sweep_phase == 0:
        return p.supported_mass * gravity / p.stiffness
    closing = dt * max(speed_before, speed)
    climb = dt * (STEEPEST_CLIMB * abs(vec3.dot(velocity, rolling)) + abs(vec3.dot(velocity, axle)))
    ease = EASE if r.sweep_phase == KNOWN else START_EASE
    return r.jounce + dt * ease + max(closing, min(rise, closing + climb))


@kernel
def sweep_all(
    params: Any, state: Any, scratch: Any, suspension_params: Any, wheel_params: Any, tire_params: Any, steering: Any,
    body: Any, external: Any, context: Any, ground: Any, wheel_count: int, dt: float, only_turned: bool,
) -> None:  # fmt: skip
    """Sweep all wheels, or with `only_turned` those whose plane turns or belongs to a moving body."""
    m = quat.to_matrix(quat.load(body.orientation))
    origin, v, spin = vec3.load(body.position), vec3.load(body.velocity), vec3.load(body.angular_velocity)
    speed, gravity = vec3.length(v), vec3.length(vec3.load(context.gravity))
    for i in range(wheel_count):
        p, w, r = suspension_params[i], wheel_params[i], state[i]
        normal_before = vec3.load(r.normal)
        if only_turned and r.turn_phase == 0 and r.body == 0:
            continue
        axle, rolling = inline_hub_axes(p, w, 0.0, steering[i].angle)  # camber 0
        axle, rolling = vec3.transform(m, axle), vec3.transform(m, rolling)
        arm = vec3.transform(m, wheel_centre(p, w, 0.0, 0.0, steering[i].angle))  # fully compressed, camber 0
        centre, direction = vec3.add(origin, arm), vec3.transform(m, vec3.load(p.direction))
        hit, jounce, normal, point, hit_code, depth, on_face = sweep_contact(
            ground, scratch, centre, direction, axle, w.radius, w.half_width, p.travel, params[i].raycast_filter
        )
        motion, rough_point = ground_motion(external, scratch, hit_code, point)
        velocity = vec3.sub(vec3.add(v, vec3.cross(spin, arm)), motion)
        slope = vec3.dot(direction, normal)
        if on_face == 1:
            edge_deflection = edge_compression(vec3.dot(normal, axle), w.half_width, params[i].edge_lean)
            jounce -= edge_deflection / max(FLATTEST, -slope)
        compression = compression_speed(velocity, spin, vec3.sub(point, centre), slope, normal)
        max_jounce = longest_jounce(r, p, jounce, compression, rolling, axle, velocity, gravity)
        if not hit:
            r.hit, r.surface, r.jounce, r.turn_phase, r.body = 0, NO_SURFACE, -SEARCH, 0, 0
            r.sweep_phase = KNOWN if speed > STANDS else r.sweep_phase
            continue
        scratch.on_edge[i] = 1 - on_face
        r.sweep_phase = STARTING if r.sweep_phase != KNOWN and jounce > max_jounce else KNOWN
        if not only_turned:
            turns = vec3.dot(normal, normal_before) < (TURNED if r.turn_phase == 0 else STILL)
            has_previous = vec3.dot(normal_before, normal_before) > 0.0
            rocks = (turns and has_previous) or (r.turn_phase == ROCKING and STANDS < speed < ROCKS)
            r.turn_phase = ROCKING if rocks else 1 if turns else 0
        jounce = min(jounce, max_jounce)
        r.jounce = jounce
        height = wheel_unevenness(
            r, params[i], ground.surfaces, hit_code & SURFACE_MASK, rough_point, w.radius, speed, dt
        )
        if p.jounce_query == RAY:
            depth = -ray_depth(normal, 0.0, (0.0, 0.0, 0.0), direction, w.radius)
        # the suspension's closed form finds this jounce on the plane n.x + offset = 0
        offset = (jounce - p.travel) * slope - vec3.dot(normal, centre) + depth - height
        store_ground(r, params[i], ground, hit_code, point, motion, normal, offset, tire_params[i].tire_type)


@kernel
def sweep_update(
    params: Any, state: Any, scratch: Any, suspension_params: Any, wheel_params: Any, tire_params: Any, steering: Any,
    body: Any, external: Any, context: Any, ground: Any, wheel_count: int, dt: float,
) -> None:  # fmt: skip
    """Sweep all wheels at the start of the tick."""
    begin_tick(external, scratch, ground)
    sweep_all(
        params, state, scratch, suspension_params, wheel_params, tire_params, steering, body, external, context,
        ground, wheel_count, dt, False,
    )  # fmt: skip


@kernel
def sweep_refresh(
    params: Any, state: Any, scratch: Any, suspension_params: Any, wheel_params: Any, tire_params: Any, steering: Any,
    body: Any, external: Any, context: Any, ground: Any, wheel_count: int, dt: float,
) -> None:  # fmt: skip
    """Sweep again, at the start of a substep, the wheels whose plane turns or belongs to a moving body."""
    sweep_again = 0  # above 0 if any wheel is swept again
    for i in range(wheel_count):
        sweep_again += state[i].turn_phase + state[i].body
    begin_substep(external, scratch, ground, dt, sweep_again > 0)
    if sweep_again > 0:
        sweep_all(
            params, state, scratch, suspension_params, wheel_params, tire_params, steering, body, external, context,
            ground, wheel_count, dt, True,
        )  # fmt: skip
    for i in range(wheel_count):
        state[i].sweep_age += dt


SWEEP_QUERY = Component(
    slot="road",
    name="sweep",
    params=RoadParams,
    state=RoadState,
    phases={"update": sweep_update, "refresh": sweep_refresh},
    optional=("refresh",),
    check=check_road,
    scratch=MOVING_BODIES,
    doc="Every wheel as a cylinder, lowered along its suspension.",
)
