"""Contact point of a cylinder with a plane."""

import math

from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.maths import vec3

# sine of camber over which the point moves from the middle of the tread to its edge; a step would rock the car
RIM = 0.05


@inline_kernel
def rim_support(centre, axle, normal, radius, half_width):
    """The point of a cylinder that lies deepest along a normal; it moves smoothly across a tread that lies flat."""
    lean = vec3.dot(normal, axle)
    inward = vec3.add_scaled(normal, axle, -lean)
    across = math.sqrt(max(1e-12, 1.0 - lean * lean))
    point = vec3.add_scaled(centre, inward, -radius / across)
    return vec3.add_scaled(point, axle, -half_width * min(max(lean / RIM, -1.0), 1.0))
