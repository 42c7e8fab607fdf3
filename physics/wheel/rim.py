"""Contact of a wheel with a plane that its axle leans to.

A rigid cylinder stands on the edge of its tread at the smallest lean, and its axle rises by half its width times the
lean. A tread that yields at its edges moves its contact point gradually from the middle to the edge, up to a lean of
`edge_lean`; its axle rises by the integral of that, so that a force at the contact point does exactly the work of the
rise.
"""

import math

from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.maths import vec3

# sine of camber over which the point moves from the middle of the tread to its edge; a step would rock the car
RIM = 0.05


@inline_kernel
def edge_compression(lean: float, half_width: float, edge_lean: float) -> float:
    """How much less than on a rigid cylinder the axle rises, m; lean: n.a of the road normal n and the axle a."""
    sine = abs(lean)
    if sine < edge_lean:
        return half_width * sine * (1.0 - 0.5 * sine / edge_lean)
    return half_width * 0.5 * edge_lean


@inline_kernel
def rim_support(centre, axle, normal, radius, half_width):
    """The point of a cylinder that lies deepest along a normal; it moves smoothly across a tread that lies flat."""
    lean = vec3.dot(normal, axle)
    inward = vec3.add_scaled(normal, axle, -lean)
    across = math.sqrt(max(1e-12, 1.0 - lean * lean))
    point = vec3.add_scaled(centre, inward, -radius / across)
    return vec3.add_scaled(point, axle, -half_width * min(max(lean / RIM, -1.0), 1.0))
