"""Loose things that wheels stand on: planes handed in from outside, put in place of the ground where they lie higher.

The core knows no loose things. Whoever simulates them finds, before a tick, the plane a wheel would rest on (a true
cylinder sweep against a plank, say) and hands it in with `External`: wheel, plane n.x + offset = 0, friction, velocity
of the thing there. So they are inputs of the tick, recorded with it, and repeating a drive needs none of these things.

Of ground and plane the one acts that compresses the suspension more. A plane too steep to carry a wheel is left to the
contact of bodies. What the wheel does to the thing is up to whoever moves it: it reads the tire's and the spring's
forces after the tick.
"""

from physics import quat, vec3
from physics.component import Component
from physics.context import PLANE_CAPACITY
from physics.jit import kernel
from physics.suspension.suspension import RAY, ray_depth, sweep_depth
from physics.wheel.wheel import hub_axes, wheel_centre

STEEPEST = 0.2  # cosine between plane and suspension line; beyond 78 degrees the jounce would run away
UNREACHED = -1e9  # m


@kernel
def compression(p, wheel_p, centre, direction, axle, normal, offset):
    """Jounce that a plane asks for, m; negative when the wheel at full droop does not reach it."""
    slope = vec3.dot(direction, normal)
    if slope > -STEEPEST:
        return UNREACHED
    if p.jounce_query == RAY:
        return ray_depth(normal, offset, centre, direction, wheel_p.radius) / slope
    return sweep_depth(normal, offset, centre, axle, wheel_p.radius, wheel_p.half_width) / slope


@kernel
def triple(array, k):
    """Three numbers of a flat list of vectors."""
    return (array[3 * k], array[3 * k + 1], array[3 * k + 2])


@kernel
def update(road, suspension_params, wheel_params, steering, body, external, wheel_count):
    count = min(external.plane_count, PLANE_CAPACITY)
    if count <= 0:
        return
    m = quat.to_matrix(quat.load(body.orientation))
    origin = vec3.load(body.position)
    for k in range(count):
        i = external.plane_wheel[k]
        if i < 0 or i >= wheel_count:
            continue
        p = suspension_params[i]
        r = road[i]
        direction = vec3.transform(m, vec3.load(p.direction))
        centre = wheel_centre(p, wheel_params[i], p.travel, 0.0, steering[i].angle)
        centre = vec3.add(origin, vec3.transform(m, centre))
        axle, _ = hub_axes(p, wheel_params[i], 0.0, steering[i].angle)
        axle = vec3.transform(m, axle)
        normal, offset = triple(external.plane_normal, k), external.plane_offset[k]
        wanted = compression(p, wheel_params[i], centre, direction, axle, normal, offset)
        if wanted <= UNREACHED:
            continue
        if r.hit != 0:
            if wanted <= compression(p, wheel_params[i], centre, direction, axle, vec3.load(r.normal), r.offset):
                continue
        else:
            r.surface = 0
            r.rolling_drag = 0.0
        r.hit = 1
        r.body = 0
        vec3.store(r.normal, normal)
        r.offset = offset
        vec3.store(r.point, vec3.add_scaled(centre, normal, -(vec3.dot(normal, centre) + offset)))
        vec3.store(r.velocity, triple(external.plane_velocity, k))
        r.friction = external.plane_friction[k]


PROP_PLANES = Component(
    slot="props", name="planes", phases={"update": update}, writes=("road",),
    doc="Loose things under the wheels, handed in from outside.",
)
