"""Transformation of vectors between body and world axes, and the two tangents of a contact normal."""

from typing import Any

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths.vec3 import cross, dot, normalize


@kernel
def to_body(m: Any, v: Any) -> tuple[float, float, float]:
    """World vector in body axes; m is the matrix of the body's orientation, `quat.to_matrix`."""
    return (
        m[0][0] * v[0] + m[1][0] * v[1] + m[2][0] * v[2],
        m[0][1] * v[0] + m[1][1] * v[1] + m[2][1] * v[2],
        m[0][2] * v[0] + m[1][2] * v[1] + m[2][2] * v[2],
    )


@kernel
def to_world(m: Any, v: Any) -> tuple[float, float, float]:
    """Body vector in world axes."""
    return (dot(m[0], v), dot(m[1], v), dot(m[2], v))


@kernel
def tangents(n: Any) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """Two orthonormal tangents of a unit vector n.

    They depend on n alone, so that impulses stored along them can be applied again in the next substep.
    """
    t = normalize((0.0, n[2], -n[1])) if abs(n[0]) < 0.7 else normalize((-n[2], 0.0, n[0]))
    return t, cross(n, t)
