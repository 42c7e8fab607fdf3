"""What each wheel stands on: a ray along the suspension, once per tick (PX-QUERY-01..04).

The ray starts one radius above the wheel's place at full compression and ends one radius below its place at full
droop. What it hits is handed on as a plane n.x + offset = 0 with friction, surface and the velocity of the ground.
"""

import numpy as np

from physics import quat, vec3
from physics.component import Component
from physics.jit import kernel
from physics.road.ground import cast_ray
from physics.road.layout import FRICTION, NO_SURFACE, ROLLING_DRAG
from physics.schema import PerWheel, Vec3, field
from physics.wheel.wheel import wheel_centre


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


@kernel
def update(state, suspension_params, wheel_params, tire_params, steering, body, ground, wheel_count):
    m = quat.to_matrix(quat.load(body.orientation))
    origin = vec3.load(body.position)
    for i in range(wheel_count):
        p = suspension_params[i]
        radius = wheel_params[i].radius
        r = state[i]
        top = wheel_centre(p, wheel_params[i], 0.0, 0.0, steering[i].angle)
        direction = vec3.transform(m, vec3.load(p.direction))
        start = vec3.add_scaled(vec3.add(origin, vec3.transform(m, top)), direction, -radius)
        hit, distance, normal, surface = cast_ray(ground, start, direction, p.travel + 2.0 * radius)
        if not hit or distance <= 0.0:
            r.hit = 0
            r.surface = NO_SURFACE
            continue
        point = vec3.add_scaled(start, direction, distance)
        r.hit = 1
        vec3.store(r.point, point)
        vec3.store(r.normal, normal)
        r.offset = -vec3.dot(normal, point)
        vec3.store(r.velocity, (0.0, 0.0, 0.0))
        r.friction = ground.surfaces[surface, FRICTION + tire_params[i].tire_type]
        r.rolling_drag = ground.surfaces[surface, ROLLING_DRAG]
        r.surface = np.int64(surface)


RAY_QUERY = Component(
    slot="road", name="ray", state=RoadState, phases={"update": update}, doc="One ray per wheel along the suspension."
)
