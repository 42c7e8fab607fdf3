"""Yaw rate relative to the road: the rate of the heading, the projection of the longitudinal axis into the road plane.

With angular velocity w, longitudinal axis f, and a the direction of f in the road plane with normal n,

    yaw rate r = w . n - p (f . n)          roll rate p = (w . a) / (f . a)

Rotations are in the order of ISO 8855: yaw, pitch, roll. So the angular velocity is r n + q (a x n) + p f, with the
pitch rate q (here positive nose up): a body that rolls at a pitch angle t has the vertical angular velocity p sin t at
constant heading.
"""

from typing import Any

from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.maths import vec3


@inline_kernel
def roll_rate(spin: Any, nose: Any, ahead: Any) -> float:
    """Roll rate p, rad/s. spin, nose, ahead: w, f and a of the module. Undefined for a pitch angle of 90 degrees."""
    return vec3.dot(spin, ahead) / vec3.dot(nose, ahead)


@inline_kernel
def yaw_rate(spin: Any, nose: Any, ahead: Any, normal: Any) -> float:
    """Yaw rate r, rad/s. spin, nose, ahead, normal: w, f, a and n of the module."""
    return vec3.dot(spin, normal) - roll_rate(spin, nose, ahead) * vec3.dot(nose, normal)
