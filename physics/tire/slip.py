"""Slip: motion of the tire's contact point over the road, and the sign conventions of all tires (PX-TIRE-01..04).

    longitudinal direction   forward in the road plane: n x (wheel axle, pointing right)
    lateral direction        right in the road plane: longitudinal x n
    longitudinal slip kappa  (omega R - v_lon) / (|v_lon| + m), > 0 when driving
    lateral slip alpha       atan(v_lat / (|v_lon| + m_lat)), > 0 when the contact point moves right
    camber                   inclination angle (ISO 8855) of the wheel plane to the road normal, > 0 when the top leans
                             right, on both sides of the vehicle

m and m_lat, in m/s, keep slip finite at rest; m is small for driven or braked wheels and large for free ones.
"""

import math
from typing import Any

from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import vec3


@kernel
def tire_directions(axle: Any, normal: Any) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """(longitudinal, lateral) unit vectors in the road plane; axle is the wheel's axis pointing right."""
    longitudinal = vec3.normalize(vec3.cross(normal, axle))
    return longitudinal, vec3.cross(longitudinal, normal)


@kernel
def camber_sine(lean: float, pitch: float) -> float:
    """Sine of the camber: -n.axle, with n the road normal projected onto the plane across the wheel's forward axis.

    lean: component of the road normal along the axle. pitch: its component along the wheel's forward axis.
    """
    projected_length = math.sqrt(max(1.0 - pitch * pitch, 1e-12))  # of the road normal
    return min(max(-lean / projected_length, -1.0), 1.0)


@kernel
def camber_angle(lean: float, pitch: float) -> float:
    """Camber, rad; arguments as for `camber_sine`."""
    return elementary.asin(camber_sine(lean, pitch))


@kernel
def lateral_slip(longitudinal_speed: float, lateral_speed: float, min_speed: float) -> float:
    """Slip angle alpha, rad. min_speed: m_lat."""
    return elementary.atan(lateral_speed / (abs(longitudinal_speed) + min_speed))


@kernel
def longitudinal_slip(longitudinal_speed: float, omega: float, radius: float, min_speed: float) -> float:
    """Slip ratio kappa. min_speed: m."""
    if longitudinal_speed == 0.0 and omega == 0.0:
        return 0.0
    return (omega * radius - longitudinal_speed) / (abs(longitudinal_speed) + min_speed)
