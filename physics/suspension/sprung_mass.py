"""Sprung masses: the mass that each wheel carries at rest (PX-MASS-03).

With up to three wheels they follow from statics; two wheels balance the body only along their line. With N > 3 wheels
they are as equal as possible: they minimise sum (m_i - M/N)^2 under three conditions: their sum is the body's mass M,
and they balance the body about two horizontal axes through its centre of mass.
"""

import numpy as np

from driving_sandbox.physics.maths.products import dot, norm, product, solved


def sprung_masses(total: float, positions: np.ndarray) -> np.ndarray:
    """Mass carried by each wheel.

    Args:
        total: mass of the body, kg.
        positions: float64[n, 2], horizontal, from the centre of mass, m.
    Returns:
        float64[n], kg. With up to three wheels, a negative one means that the centre of mass is not between the wheels.
        With more, it may be between them, but far from their middle.
    Raises:
        ValueError: wheels at these positions cannot balance the body.
    """
    points = np.asarray(positions, float)
    n = len(points)
    if n == 1:
        return np.array([total])
    if n == 2:
        axis = points[1] - points[0]
        span = norm(axis)
        if span <= 1e-6:  # m
            raise ValueError("two wheels at one position cannot balance the body")
        r0, r1 = np.asarray(dot(points, axis / span))  # positions along the line through both, m
        first_mass = total * r1 / (r1 - r0)
        return np.array([first_mass, total - first_mass])
    conditions = np.vstack([np.ones(n), points.T])
    if np.linalg.matrix_rank(conditions, tol=1e-9) < 3:
        raise ValueError("the wheels lie on one line and cannot balance the body")
    equal_shares = np.full(n, total / n)
    residuals = np.array([total, 0.0, 0.0]) - dot(conditions, equal_shares)
    # minimum-norm correction of equal shares: a combination of the conditions' gradients
    return equal_shares + dot(conditions.T, solved(product(conditions, conditions.T), residuals))
