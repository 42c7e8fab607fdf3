"""What each wheel stands on, once per tick: a plane n.x + offset = 0 with friction, surface and speed of the ground.

Two components fill the slot. `ray` casts along the suspension from one radius above the wheel's place at full
compression to the tire's end at full droop (PX-QUERY-01..04). `sweep` lowers the wheel as a cylinder (`sweep.py`): it
rests on both edges of a gap, climbs kerbs as a round thing does and leaves inner edges of the ground unfelt.

A sweep finds a jounce, not a plane. The plane it hands on is laid so that the suspension's own closed form, ray or
cylinder against plane, gives exactly this jounce at this pose. It is held through the tick, except for a wheel whose
plane has just turned by more than TURNED: that one is swept again in every substep (`refresh`), on a vehicle that rocks
on the spot until it stands. Over a gap it rolls from edge to edge within a tick, and the push of the edge that it has
left would keep it rocking at 4 cm/s for ever.

A spring that is compressed without a way of the body to do it is energy from nowhere. So a jounce grows no faster than
the point that touches has closed on the plane since the wheel was swept last (a tick or a substep ago, or at this very
pose), plus what the ground itself has risen since, that at most as far as a wheel that moves can roll up: sqrt(3) times
its way along the rolling direction (the arc ends at 60 degrees), once its way along the axle. What is left over follows
by EASE. The first plane is at most as high as the wheel stands at rest; a car that is put into the ground comes out by
START_EASE.

Both see the moving bodies handed in with the tick (`bodies.py`); a wheel that stands on one is looked at again in every
substep, with the body where it has got to by then. Both take `raycast_filter`, surfaces that a wheel does not see, and
add the surface's roughness to the plane, on a body in the body's frame. Two surfaces meet at different heights of it:
what a wheel felt at their border it loses along a ramp of BORDER_SLOPE.

Friction is that of the table of surface and tire type, or the mean of the tire's and the ground's own; then clamped.
"""

import math

import numpy as np

from physics import quat, vec3
from physics.component import Component
from physics.jit import kernel
from physics.road.bodies import MOVING_BODIES, body_motion, place_bodies
from physics.road.inline import inline_kernel
from physics.road.layout import (
    BODY_STEP,
    FRICTION,
    MATERIAL_FRICTION,
    NO_SURFACE,
    ROLLING_DRAG,
    SURFACE_MASK,
    TIRE_MATERIAL_FRICTION,
)
from physics.road.rays import cast_through
from physics.road.roughness import felt_height
from physics.road.surfaces import raycast_filters, tire_materials
from physics.road.sweep import SEARCH, sweep_contact
from physics.schema import Choice, PerWheel, Vec3, field
from physics.suspension.suspension import RAY, ray_depth
from physics.wheel.wheel import inline_hub_axes, wheel_centre

STEEPEST_CLIMB = math.sqrt(3.0)  # rise per way of a wheel that touches at the end of its arc
EASE = 0.02  # m/s; ten times as much gives back 6 % of the energy of a drop on the roof
START_EASE = 0.2  # m/s; a car put into the ground is out of it within seconds
STARTING, KNOWN = 1, 2  # RoadState.known
BORDER_SLOPE = 0.05  # as steep as the unevenness of gravel; a step would throw a slow wheel off the border
FLATTEST = 0.2  # |d.n| of a plane whose closing compresses the suspension; beyond 78 degrees it would without bound
TURNED = math.cos(math.radians(5.0))
FRICTION_RULES = ("table", "mean")
MEAN = FRICTION_RULES.index("mean")
STILL = math.cos(math.radians(1.0))  # a wheel that is swept every substep stays so until its plane turns less
STANDS, ROCKS = 1e-4, 0.3  # m/s; and, at speeds between them, until its vehicle stands or rolls away
ROCKING = 2  # RoadState.turned of such a wheel; 1 of one whose plane is its first


class RoadParams(PerWheel):
    """What a wheel sees and feels of the road."""

    raycast_filter: Choice(raycast_filters()) = field(
        default="all", doc="Set of surfaces this wheel passes through, by its name in the surfaces file.",
        source="ST-QUERY-01",
    )
    roughness: float = field(
        unit="1", ge=0, le=10, default=1.0, suggest=(0, 2), doc="Factor on the roughness of surfaces; 0: smooth."
    )
    friction_rule: Choice(FRICTION_RULES) = field(
        default="table", source="CE-SURF-01",
        doc="table: by surface and tire type; mean: of the tire's material and the ground's.",
    )
    tire_material: Choice(tire_materials()) = field(
        default="rubber", doc="Surface whose material friction the tire brings to the mean.", source="CE-SURF-02"
    )
    min_friction: float = field(
        unit="1", ge=0, le=10, default=0.0, suggest=(0, 1), source="CE-TIRE-04",
        doc="Friction of tire and ground is at least this; slip and brakes change it afterwards.",
    )
    max_friction: float = field(
        unit="1", ge=0, le=10, default=10.0, suggest=(0.5, 3), source="CE-TIRE-05",
        doc="Friction of tire and ground is at most this; slip and brakes change it afterwards.",
    )


class RoadState(PerWheel):
    """The plane under one wheel; all a vehicle knows of the world."""

    hit: int = field(unit="1", doc="1 when there is ground within reach.")
    normal: Vec3() = field(unit="1", doc="Of the road plane, world.")
    offset: float = field(unit="m", doc="The plane is normal . x + offset = 0.")
    point: Vec3() = field(unit="m", doc="Where the ground was hit, world.")
    velocity: Vec3() = field(unit="m/s", doc="Of the ground at that point.")
    friction: float = field(unit="1", doc="Coulomb coefficient of this tire on this surface.")
    rolling_drag: float = field(unit="1", doc="Rolling resistance the surface adds, per load.")
    surface: int = field(unit="1", doc="Number of the surface in the world's table.")
    unevenness: float = field(unit="m", doc="Height of the surface's roughness, as it was felt last.")
    border: float = field(unit="m", doc="What of it is left of the height felt before the last border of surfaces.")
    body: int = field(unit="1", doc="0: on the ground; n: on the n-th of the moving bodies handed in.")
    jounce: float = field(unit="m", doc="Sweep: jounce the ground asks for here; may lie outside of the travel.")
    asked: float = field(unit="m", doc="Sweep: the same before it was held back.")
    known: int = field(unit="1", doc="Sweep: 0 until the first one, and on while a vehicle hangs where it was put; 1 "
                                     "while it lifts a wheel put into the ground.")
    climb: float = field(unit="m/s", doc="Sweep: how fast the plane compresses the suspension for the body's motion.")
    since: float = field(unit="s", doc="Sweep: time from the last one to the step that comes next.")
    turned: int = field(unit="1", doc="Sweep: above 0 while the plane turns by 5 degrees a tick: swept each substep.")


@inline_kernel
def road_friction(p, surfaces, surface, tire_type):
    """Friction of a tire on a surface by the rule of this wheel, within its limits."""
    friction = surfaces[surface, FRICTION + tire_type]
    if p.friction_rule == MEAN:
        friction = 0.5 * (surfaces[p.tire_material, TIRE_MATERIAL_FRICTION] + surfaces[surface, MATERIAL_FRICTION])
    return min(max(friction, p.min_friction), p.max_friction)


@inline_kernel
def ground_motion(external, moving, found, point):
    """(velocity there, place for roughness) of what was found at a point of the world."""
    if found < BODY_STEP:
        return (0.0, 0.0, 0.0), point
    return body_motion(external, found // BODY_STEP - 1, moving.elapsed, point)


@inline_kernel
def height_felt(r, p, surfaces, surface, place, radius, speed, dt):
    """Unevenness under a wheel, m: where it comes to another surface it goes on from what it felt, down a ramp."""
    height = felt_height(surfaces, surface, p.roughness, place, radius, speed, dt)
    if r.hit == 0:
        r.border = 0.0
    elif surface != r.surface:
        r.border = r.unevenness - height
    elif r.border != 0.0:
        r.border -= math.copysign(min(abs(r.border), BORDER_SLOPE * speed * dt), r.border)
    r.unevenness = height + r.border
    return r.unevenness


@inline_kernel
def store_ground(r, p, ground, found, point, velocity, normal, offset, tire_type):
    """Fill what follows from what was found and from the plane."""
    surface = found & SURFACE_MASK
    r.hit = 1
    vec3.store(r.point, point)
    vec3.store(r.normal, normal)
    r.offset = offset
    vec3.store(r.velocity, velocity)
    r.friction = road_friction(p, ground.surfaces, surface, tire_type)
    r.rolling_drag = ground.surfaces[surface, ROLLING_DRAG]
    r.surface = np.int64(surface)
    r.body = np.int64(found // BODY_STEP)


@inline_kernel
def begin_tick(external, scratch, ground):
    """Put the moving bodies where they are when the tick begins."""
    scratch.fresh = 1
    place_bodies(external, 0.0, len(ground.surfaces), scratch)


@inline_kernel
def begin_substep(external, scratch, ground, dt, again):
    """Let the time of a substep pass; `again`: wheels are looked at again, so put the moving bodies where they are."""
    if scratch.count > 0:
        scratch.elapsed += dt if scratch.fresh == 0 else 0.0
        scratch.fresh = 0
        if again:
            place_bodies(external, scratch.elapsed, len(ground.surfaces), scratch)


@kernel
def cast_wheels(params, state, scratch, suspension_params, wheel_params, tire_params, steering, body, external, ground,
                wheel_count, dt, only_moving):
    """Cast the rays of all wheels, or only of those that stand on a moving body."""
    m = quat.to_matrix(quat.load(body.orientation))
    origin = vec3.load(body.position)
    speed = vec3.length(vec3.load(body.velocity))
    for i in range(wheel_count):
        p = suspension_params[i]
        radius = wheel_params[i].radius
        r = state[i]
        if only_moving and r.body == 0:
            continue
        top = wheel_centre(p, wheel_params[i], 0.0, 0.0, steering[i].angle)
        direction = vec3.transform(m, vec3.load(p.direction))
        start = vec3.add_scaled(vec3.add(origin, vec3.transform(m, top)), direction, -radius)
        hit, distance, normal, found = cast_through(
            ground, scratch, start, direction, p.travel + 2.0 * radius, params[i].raycast_filter
        )
        if not hit or distance <= 0.0:
            r.hit, r.surface, r.body = 0, NO_SURFACE, 0
            continue
        point = vec3.add_scaled(start, direction, distance)
        motion, place = ground_motion(external, scratch, found, point)
        height = height_felt(r, params[i], ground.surfaces, found & SURFACE_MASK, place, radius, speed, dt)
        offset = -vec3.dot(normal, point) - height
        store_ground(r, params[i], ground, found, point, motion, normal, offset, tire_params[i].tire_type)


@kernel
def update(params, state, scratch, suspension_params, wheel_params, tire_params, steering, body, external, ground,
           wheel_count, dt):
    begin_tick(external, scratch, ground)
    cast_wheels(params, state, scratch, suspension_params, wheel_params, tire_params, steering, body, external, ground,
                wheel_count, dt, False)


@kernel
def refresh(params, state, scratch, suspension_params, wheel_params, tire_params, steering, body, external, ground,
            wheel_count, dt):
    standing = 0
    for i in range(wheel_count):
        standing += state[i].body
    begin_substep(external, scratch, ground, dt, standing > 0)
    if standing > 0:
        cast_wheels(params, state, scratch, suspension_params, wheel_params, tire_params, steering, body, external,
                    ground, wheel_count, dt, True)


@inline_kernel
def closing_speed(velocity, spin, reach, slope, normal):
    """Speed at which the plane compresses the suspension; reach: from the hub, which has `velocity`, to the contact."""
    if slope >= -FLATTEST:
        return 0.0
    return vec3.dot(vec3.add(velocity, vec3.cross(spin, reach)), normal) / slope


@inline_kernel
def longest_jounce(r, p, asked, closing, rolling, axle, velocity, gravity):
    """The most a jounce can be by now, see the module; a stop may have ended the motion since the last sweep."""
    before, rise, dt = r.climb, asked - r.asked, r.since
    r.climb, r.asked, r.since = closing, asked, 0.0
    if r.known == 0:
        return p.supported_mass * gravity / p.stiffness
    closing = dt * max(before, closing)
    over = dt * (STEEPEST_CLIMB * abs(vec3.dot(velocity, rolling)) + abs(vec3.dot(velocity, axle)))
    ease = EASE if r.known == KNOWN else START_EASE
    return r.jounce + dt * ease + max(closing, min(rise, closing + over))


@kernel
def sweep_all(params, state, scratch, suspension_params, wheel_params, tire_params, steering, body, external, context,
              ground, wheel_count, dt, only_turned):
    """Sweep all wheels, or only those whose plane is turning or moving."""
    m = quat.to_matrix(quat.load(body.orientation))
    origin, v, spin = vec3.load(body.position), vec3.load(body.velocity), vec3.load(body.angular_velocity)
    speed, gravity = vec3.length(v), vec3.length(vec3.load(context.gravity))
    for i in range(wheel_count):
        p, w, r = suspension_params[i], wheel_params[i], state[i]
        before = vec3.load(r.normal)
        if only_turned and r.turned == 0 and r.body == 0:
            continue
        axle, rolling = inline_hub_axes(p, w, 0.0, steering[i].angle)
        axle, rolling = vec3.transform(m, axle), vec3.transform(m, rolling)
        arm = vec3.transform(m, wheel_centre(p, w, 0.0, 0.0, steering[i].angle))
        centre, direction = vec3.add(origin, arm), vec3.transform(m, vec3.load(p.direction))
        hit, jounce, normal, point, found, depth = sweep_contact(
            ground, scratch, centre, direction, axle, w.radius, w.half_width, p.travel, params[i].raycast_filter
        )
        motion, place = ground_motion(external, scratch, found, point)
        velocity = vec3.sub(vec3.add(v, vec3.cross(spin, arm)), motion)
        slope = vec3.dot(direction, normal)
        closing = closing_speed(velocity, spin, vec3.sub(point, centre), slope, normal)
        most = longest_jounce(r, p, jounce, closing, rolling, axle, velocity, gravity)
        if not hit:
            r.hit, r.surface, r.jounce, r.turned, r.body = 0, NO_SURFACE, -SEARCH, 0, 0
            r.known = KNOWN if speed > STANDS else r.known
            continue
        r.known = STARTING if r.known != KNOWN and jounce > most else KNOWN
        if not only_turned:
            turns = vec3.dot(normal, before) < (TURNED if r.turned == 0 else STILL)
            seen = vec3.dot(before, before) > 0.0
            rocks = (turns and seen) or (r.turned == ROCKING and STANDS < speed < ROCKS)
            r.turned = ROCKING if rocks else 1 if turns else 0
        jounce = min(jounce, most)
        r.jounce = jounce
        height = height_felt(r, params[i], ground.surfaces, found & SURFACE_MASK, place, w.radius, speed, dt)
        if p.jounce_query == RAY:
            depth = -ray_depth(normal, 0.0, (0.0, 0.0, 0.0), direction, w.radius)
        # the suspension's closed form finds this jounce on the plane n.x + offset = 0
        offset = (jounce - p.travel) * slope - vec3.dot(normal, centre) + depth - height
        store_ground(r, params[i], ground, found, point, motion, normal, offset, tire_params[i].tire_type)


@kernel
def sweep_update(params, state, scratch, suspension_params, wheel_params, tire_params, steering, body, external,
                 context, ground, wheel_count, dt):
    begin_tick(external, scratch, ground)
    sweep_all(params, state, scratch, suspension_params, wheel_params, tire_params, steering, body, external, context,
              ground, wheel_count, dt, False)


@kernel
def sweep_refresh(params, state, scratch, suspension_params, wheel_params, tire_params, steering, body, external,
                  context, ground, wheel_count, dt):
    again = 0
    for i in range(wheel_count):
        again += state[i].turned + state[i].body
    begin_substep(external, scratch, ground, dt, again > 0)
    if again > 0:
        sweep_all(params, state, scratch, suspension_params, wheel_params, tire_params, steering, body, external,
                  context, ground, wheel_count, dt, True)
    for i in range(wheel_count):
        state[i].since += dt


def check_road(params, wheel_count):
    """The limits of friction the right way round."""
    crossed = np.flatnonzero(params["min_friction"][:wheel_count] > params["max_friction"][:wheel_count])
    return [("max_friction", f"must not be below min_friction (wheel {i})") for i in crossed]


RAY_QUERY = Component(
    slot="road", name="ray", params=RoadParams, state=RoadState, phases={"update": update, "refresh": refresh},
    optional=("refresh",), check=check_road, scratch=MOVING_BODIES, doc="One ray per wheel along the suspension.",
)
SWEEP_QUERY = Component(
    slot="road", name="sweep", params=RoadParams, state=RoadState,
    phases={"update": sweep_update, "refresh": sweep_refresh}, optional=("refresh",),
    check=check_road, scratch=MOVING_BODIES,
    doc="Every wheel as a cylinder, lowered along its suspension.",
)
