"""Contact of a wheel with a plane that it is cambered to.

Lean is the sine of the camber: n.a of the plane's normal n and the axle a. At the smallest lean, a rigid cylinder
stands on the edge of its tread, and its axle rises by half its width times the lean. On a tread that yields at its
edges, the contact point moves gradually from the middle to the edge, up to a lean of `edge_lean`. The axle rises by the
integral of that, so that a force at the contact point does exactly the work of the rise.
"""

import math

from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.maths import vec3

RIM = 0.05  # lean at which the contact point has moved to the edge of the tread; moving at once would rock the car


@inline_kernel
def edge_compression(lean: float, half_width: float, edge_lean: float) -> float:
    """Rise of the axle of a yielding tread, m, subtracted from that of a rigid cylinder."""
    sine = abs(lean)
    if sine < edge_lean:
        return half_width * sine * (1.0 - 0.5 * sine / edge_lean)
    return half_width * 0.5 * edge_lean


@inline_kernel
def rim_support(centre, axle, normal, radius, half_width):
    """Point of a cylinder that lies deepest against a normal; on a flat tread it moves smoothly from edge to edge."""
    lean = vec3.dot(normal, axle)
    inward = vec3.add_scaled(normal, axle, -lean)
    inward_length = math.sqrt(max(1e-12, 1.0 - lean * lean))
    point = vec3.add_scaled(centre, inward, -radius / inward_length)
    return vec3.add_scaled(point, axle, -half_width * min(max(lean / RIM, -1.0), 1.0))
