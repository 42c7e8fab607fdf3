"""How fast a body turns over the road: the rate of its heading, the direction of its nose along the road.

With spin w, nose f, and a the direction of f along a road of normal n,

    yaw rate r = w . n - p (f . n)          roll rate p = (w . a) / (f . a)

Yaw, pitch and roll are those of ISO 8855, in this order, so that the spin is r n + q (a x n) + p f: a body that rolls
with its nose up by t spins about the vertical by p sin t, and keeps its heading.
"""

from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.maths import vec3


@inline_kernel
def roll_rate(spin, nose, ahead):
    """p of the module, rad/s. The nose must not stand upright on the road."""
    return vec3.dot(spin, ahead) / vec3.dot(nose, ahead)


@inline_kernel
def yaw_rate(spin, nose, ahead, normal):
    """r of the module, rad/s."""
    return vec3.dot(spin, normal) - roll_rate(spin, nose, ahead) * vec3.dot(nose, normal)
