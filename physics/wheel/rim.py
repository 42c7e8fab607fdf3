"""Contact point of a cambered wheel on a plane.

Lean is n.a, the product of the plane's unit normal n and the unit vector a along the axle: minus the sine of the
camber. At the smallest lean, a rigid cylinder would stand on the edge of its tread, and its axle would rise by half its
width times the lean. On a tread that yields at its edges, the contact point moves gradually from the middle of the
tread to its edge, which it reaches at a lean of `edge_lean`. The axle rises by the integral of that, so that a force at
the contact point does exactly the work of the rise.
"""

import math
from typing import Any

from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.maths import vec3

EDGE_LEAN = 0.05  # lean at which the contact point reaches the tread's edge; a jump at lean 0 would rock the car


@inline_kernel
def edge_compression(lean: float, half_width: float, edge_lean: float) -> float:
    """How much less the axle rises on a yielding tread than on a rigid cylinder, m. half_width: of the tread, m."""
    sine = abs(lean)
    if sine < edge_lean:
        return half_width * sine * (1.0 - 0.5 * sine / edge_lean)
    return half_width * 0.5 * edge_lean


@inline_kernel
def rim_support(centre: Any, axle: Any, normal: Any, radius: float, half_width: float) -> Any:
    """Contact point of a wheel with a plane of the given unit normal; it moves across the tread with the lean.

    centre: wheel centre, m. axle: unit vector of the axle. All vectors in the same axes.
    """
    lean = vec3.dot(normal, axle)
    inward = vec3.add_scaled(normal, axle, -lean)
    inward_length = math.sqrt(max(1e-12, 1.0 - lean * lean))  # 1e-12: finite where the wheel lies on its side
    point = vec3.add_scaled(centre, inward, -radius / inward_length)
    return vec3.add_scaled(point, axle, -half_width * min(max(lean / EDGE_LEAN, -1.0), 1.0))
