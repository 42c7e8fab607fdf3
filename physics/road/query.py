"""The ground under each wheel, once per tick: a plane n.x + offset = 0 with friction, surface and ground velocity.

Two components fill the slot. `ray`, in this module, casts along the suspension from one radius above the wheel centre
at full compression to the tire's lowest point at full droop (PX-QUERY-01..03). `sweep` lowers the wheel as a cylinder
(`sweep_query.py`).

Both include the moving bodies of the tick (`bodies.py`); a wheel on one is queried again in every substep, at the
body's current pose. Both ignore barriers and the surfaces that `raycast_filter` hides from a wheel, and raise the plane
by the surface's roughness and joints (on a body: evaluated in the body's frame). Where these heights of two surfaces
differ at their boundary, the difference decays along a ramp of BOUNDARY_SLOPE.

Friction comes from the table of surface and tire type, or is the mean of tire and ground material; then it is clamped.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.ground.arrays import (
    BODY_STEP,
    FRICTION,
    HOLE,
    MATERIAL_FRICTION,
    NO_SURFACE,
    ROLLING_DRAG,
    SURFACE_MASK,
    TIRE_MATERIAL_FRICTION,
)
from driving_sandbox.physics.ground.rays import cast_through
from driving_sandbox.physics.ground.roughness import averaged_height
from driving_sandbox.physics.ground.surfaces import raycast_filters, tire_materials
from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat, vec3
from driving_sandbox.physics.road.bodies import MOVING_BODIES, body_motion, place_bodies
from driving_sandbox.physics.schema.schema import Choice, Float, Int, PerWheel, Vec3, field
from driving_sandbox.physics.tick.component import Component
from driving_sandbox.physics.tick.context import MOVING_CAPACITY
from driving_sandbox.physics.wheel.rim import EDGE_LEAN
from driving_sandbox.physics.wheel.wheel import wheel_centre

BOUNDARY_SLOPE = 0.05  # rise per metre, about that of gravel roughness; a step would throw a slow wheel up
FRICTION_RULES = ("table", "mean")
MEAN = FRICTION_RULES.index("mean")


class RoadParams(PerWheel):
    """Ground query of one wheel: ignored surfaces, roughness and friction."""

    raycast_filter: Choice = field(
        options=raycast_filters(),
        default="all",
        doc="Set of surfaces this wheel ignores, by its name in the surfaces file.",
        source="ST-QUERY-01",
    )
    roughness: Float = field(
        unit="1", ge=0, le=10, default=1.0, suggest=(0, 2), doc="Factor on roughness and joints of surfaces; 0: smooth."
    )
    edge_lean: Float = field(
        unit="1",
        ge=0,
        le=0.5,
        default=EDGE_LEAN,
        suggest=(0, 0.1),
        doc="Sweep: sine of the inclination at which a wheel stands on the edge of its tread; 0: rigid cylinder.",
    )
    friction_rule: Choice = field(
        options=FRICTION_RULES,
        default="table",
        source="CE-SURF-01",
        doc="table: by surface and tire type; mean: of the tire's material and the ground's.",
    )
    tire_material: Choice = field(
        options=tire_materials(),
        default="rubber",
        doc="Material of the tire, a surface; its material friction enters the mean.",
        source="CE-SURF-02",
    )
    min_friction: Float = field(
        unit="1",
        ge=0,
        le=10,
        default=0.0,
        suggest=(0, 1),
        source="CE-TIRE-04",
        doc="Friction of tire and ground is at least this; slip and brakes change it afterwards.",
    )
    max_friction: Float = field(
        unit="1",
        ge=0,
        le=10,
        default=10.0,
        suggest=(0.5, 3),
        source="CE-TIRE-05",
        doc="Friction of tire and ground is at most this; slip and brakes change it afterwards.",
    )


class RoadState(PerWheel):
    """The plane under one wheel: the vehicle's only information about the ground."""

    hit: Int = field(unit="1", doc="1 when there is ground within reach.")
    normal: Vec3 = field(unit="1", doc="Normal of the road plane, world axes.")
    offset: Float = field(unit="m", doc="The plane is normal . x + offset = 0.")
    point: Vec3 = field(unit="m", doc="Point where the ground was hit, world.")
    velocity: Vec3 = field(unit="m/s", doc="Velocity of the ground at that point, world axes.")
    friction: Float = field(unit="1", doc="Coulomb coefficient of this tire on this surface.")
    rolling_drag: Float = field(unit="1", doc="Rolling resistance coefficient that the surface adds.")
    surface: Int = field(
        unit="1",
        ge=NO_SURFACE,
        lt=HOLE,
        telemetry="surface",
        doc="Number of the surface in the world; -1 where no ground is within reach.",
    )
    unevenness: Float = field(
        unit="m", doc="Height of the surface's roughness and joints under the wheel in the last query."
    )
    boundary_height: Float = field(
        unit="m", doc="Part of `unevenness` left from before the last surface boundary; decays."
    )
    body: Int = field(
        unit="1", ge=0, le=MOVING_CAPACITY, doc="0: on the ground; n: on the n-th of the tick's moving bodies."
    )
    jounce: Float = field(unit="m", doc="Sweep: jounce that the ground requires; may exceed the travel.")
    unlimited_jounce: Float = field(unit="m", doc="Sweep: `jounce` before the rate limit.")
    sweep_phase: Int = field(
        unit="1",
        ge=0,
        le=2,
        doc="Sweep: 0 before the first sweep and while a placed vehicle is in the air; 1 while it lifts a wheel out of "
        "the ground; 2 otherwise.",
    )
    compression_speed: Float = field(
        unit="m/s", doc="Sweep: rate at which the body's motion compresses the suspension."
    )
    sweep_age: Float = field(unit="s", doc="Sweep: time since the last sweep.")
    turn_phase: Int = field(
        unit="1", ge=0, le=2, doc="Sweep: above 0 while the plane turns by 5 degrees a tick: swept each substep."
    )


@inline_kernel
def road_friction(p: Any, surfaces: Any, surface: int, tire_type: int) -> float:
    """Friction coefficient of a tire on a surface, by the rule and within the limits of its wheel's parameters `p`."""
    friction = surfaces[surface, FRICTION + tire_type]
    if p.friction_rule == MEAN:
        friction = 0.5 * (surfaces[p.tire_material, TIRE_MATERIAL_FRICTION] + surfaces[surface, MATERIAL_FRICTION])
    return min(max(friction, p.min_friction), p.max_friction)


@inline_kernel
def ground_motion(external: Any, moving: Any, code: int, point: Any) -> Any:
    """(velocity of the ground at a point, point at which its roughness is evaluated). code: hit code, see BODY_STEP."""
    if code < BODY_STEP:
        return (0.0, 0.0, 0.0), point
    return body_motion(external, code // BODY_STEP - 1, moving.elapsed, point)


@inline_kernel
def wheel_unevenness(
    r: Any, p: Any, surfaces: Any, surface: int, point: Any, radius: float, speed: float, dt: float
) -> float:
    """Update and return the unevenness under a wheel, m; a difference at a surface boundary decays along a ramp."""
    height = averaged_height(surfaces, surface, p.roughness, point, radius, speed, dt)
    if r.hit == 0:
        r.boundary_height = 0.0
    elif surface != r.surface:
        r.boundary_height = r.unevenness - height
    elif r.boundary_height != 0.0:
        r.boundary_height -= math.copysign(min(abs(r.boundary_height), BOUNDARY_SLOPE * speed * dt), r.boundary_height)
    r.unevenness = height + r.boundary_height
    return r.unevenness


@inline_kernel
def store_ground(
    r: Any, p: Any, ground: Any, code: int, point: Any, velocity: Any, normal: Any, offset: float, tire_type: int
) -> None:
    """Store plane, friction, rolling drag and surface of the ground. code: hit code, see BODY_STEP."""
    surface = code & SURFACE_MASK
    r.hit = 1
    vec3.store(r.point, point)
    vec3.store(r.normal, normal)
    r.offset = offset
    vec3.store(r.velocity, velocity)
    r.friction = road_friction(p, ground.surfaces, surface, tire_type)
    r.rolling_drag = ground.surfaces[surface, ROLLING_DRAG]
    r.surface = np.int64(surface)
    r.body = np.int64(code // BODY_STEP)


@inline_kernel
def begin_tick(external: Any, scratch: Any, ground: Any) -> None:
    """Pose the moving bodies at the start of the tick."""
    scratch.fresh = 1
    place_bodies(external, 0.0, len(ground.surfaces), scratch)


@inline_kernel
def begin_substep(external: Any, scratch: Any, ground: Any, dt: float, again: bool) -> None:
    """Advance the time by a substep. again: wheels are queried again, so the moving bodies' poses are updated."""
    if scratch.count > 0:
        scratch.elapsed += dt if scratch.fresh == 0 else 0.0
        scratch.fresh = 0
        if again:
            place_bodies(external, scratch.elapsed, len(ground.surfaces), scratch)


@kernel
def cast_wheels(
    params: Any, state: Any, scratch: Any, suspension_params: Any, wheel_params: Any, tire_params: Any, steering: Any,
    body: Any, external: Any, ground: Any, wheel_count: int, dt: float, only_moving: bool,
) -> None:  # fmt: skip
    """Cast the rays of all wheels, or with `only_moving` of those that stand on a moving body."""
    m = quat.to_matrix(quat.load(body.orientation))
    origin = vec3.load(body.position)
    speed = vec3.length(vec3.load(body.velocity))
    for i in range(wheel_count):
        p = suspension_params[i]
        radius = wheel_params[i].radius
        r = state[i]
        if only_moving and r.body == 0:
            continue
        top = wheel_centre(p, wheel_params[i], 0.0, 0.0, steering[i].angle)  # fully compressed, camber 0
        direction = vec3.transform(m, vec3.load(p.direction))
        start = vec3.add_scaled(vec3.add(origin, vec3.transform(m, top)), direction, -radius)
        hit, distance, normal, code = cast_through(
            ground, scratch, start, direction, p.travel + 2.0 * radius, params[i].raycast_filter
        )
        if not hit or distance <= 0.0:
            r.hit, r.surface, r.body = 0, NO_SURFACE, 0
            continue
        point = vec3.add_scaled(start, direction, distance)
        motion, rough_point = ground_motion(external, scratch, code, point)
        height = wheel_unevenness(r, params[i], ground.surfaces, code & SURFACE_MASK, rough_point, radius, speed, dt)
        offset = -vec3.dot(normal, point) - height
        store_ground(r, params[i], ground, code, point, motion, normal, offset, tire_params[i].tire_type)


@kernel
def update(
    params: Any, state: Any, scratch: Any, suspension_params: Any, wheel_params: Any, tire_params: Any, steering: Any,
    body: Any, external: Any, ground: Any, wheel_count: int, dt: float,
) -> None:  # fmt: skip
    """Cast the rays of all wheels at the start of the tick."""
    begin_tick(external, scratch, ground)
    cast_wheels(
        params, state, scratch, suspension_params, wheel_params, tire_params, steering, body, external, ground,
        wheel_count, dt, False,
    )  # fmt: skip


@kernel
def refresh(
    params: Any, state: Any, scratch: Any, suspension_params: Any, wheel_params: Any, tire_params: Any, steering: Any,
    body: Any, external: Any, ground: Any, wheel_count: int, dt: float,
) -> None:  # fmt: skip
    """Cast again, at the start of a substep, the rays of wheels on moving bodies."""
    bodies_under_wheels = 0  # above 0 if any wheel stands on a body
    for i in range(wheel_count):
        bodies_under_wheels += state[i].body
    begin_substep(external, scratch, ground, dt, bodies_under_wheels > 0)
    if bodies_under_wheels > 0:
        cast_wheels(
            params, state, scratch, suspension_params, wheel_params, tire_params, steering, body, external, ground,
            wheel_count, dt, True,
        )  # fmt: skip


def check_road(params: Any, wheel_names: tuple[str, ...]) -> list[tuple[str, str]]:
    """[(key, message)] for each wheel whose min_friction exceeds its max_friction."""
    return [
        ("max_friction", f"of wheel {wheel} must not be below min_friction")
        for i, wheel in enumerate(wheel_names)
        if params["min_friction"][i] > params["max_friction"][i]
    ]


RAY_QUERY = Component(
    slot="road",
    name="ray",
    params=RoadParams,
    state=RoadState,
    phases={"update": update, "refresh": refresh},
    optional=("refresh",),
    check=check_road,
    scratch=MOVING_BODIES,
    doc="One ray per wheel along the suspension.",
)
