"""Gyroscopic torque of a free body, -w x (I w), by one implicit Newton step in body axes.

An explicit step adds energy to a tumbling body without bound; the implicit one dissipates a little. Solves
f(w') = I (w' - w) + dt w' x (I w') = 0 from w' = w: J dw = -f, J = I + dt ([w]x I - [I w]x) (Catto, GDC 2015), where
[v]x is the matrix of the cross product with v. With rotors of the constant angular momentum h in the body, I w becomes
I w + h.
"""

from typing import Any

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths.vec3 import add, cross, dot, scale


@kernel
def solve_3x3(c0: Any, c1: Any, c2: Any, b: Any) -> Any:
    """Solution of the linear system with columns c0, c1, c2 by Cramer's rule."""
    n = cross(c1, c2)
    inverse_determinant = 1.0 / dot(c0, n)
    return (
        dot(b, n) * inverse_determinant,
        dot(c0, cross(b, c2)) * inverse_determinant,
        dot(c0, cross(c1, b)) * inverse_determinant,
    )


@kernel
def free_spin(w: Any, inertia: Any, momentum: Any, dt: float) -> Any:
    """Angular velocity after a step dt of torque-free rotation; all in body axes.

    momentum: I w, plus that of rotors that spin in the body.
    """
    ix, iy, iz = inertia[0], inertia[1], inertia[2]
    lx, ly, lz = momentum
    minus_f = scale(cross(w, (lx, ly, lz)), -dt)
    # columns of J
    c0 = (ix, dt * (w[2] * ix - lz), dt * (ly - w[1] * ix))
    c1 = (dt * (lz - w[2] * iy), iy, dt * (w[0] * iy - lx))
    c2 = (dt * (w[1] * iz - ly), dt * (lx - w[0] * iz), iz)
    return add(w, solve_3x3(c0, c1, c2, minus_f))


@kernel
def gyroscopic_spin(w: Any, inertia: Any, dt: float) -> Any:
    """`free_spin` of a body without rotors."""
    return free_spin(w, inertia, (inertia[0] * w[0], inertia[1] * w[1], inertia[2] * w[2]), dt)
