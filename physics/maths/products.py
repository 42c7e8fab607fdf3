"""Products of vectors and matrices with bit-identical results on every machine, for parameters derived at load time.

numpy's `@`, `linalg.norm` of one vector and `linalg.solve` call BLAS and LAPACK, whose summation order and fused
operations depend on the processor. These functions multiply first and then add the products with numpy's `sum`.
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.kernel import elementary


def dot(a: Any, b: Any) -> Any:
    """Scalar products of vectors along the last axis: an array, or a number for two vectors."""
    return (np.asarray(a) * np.asarray(b)).sum(axis=-1)


def norm(v: Any) -> Any:
    """Lengths of vectors along the last axis: an array, or a number for one vector."""
    return np.sqrt(dot(v, v))


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Matrix product of a (n, k) and b (k, m)."""
    return dot(np.asarray(a)[:, None, :], np.asarray(b).T[None, :, :])


def determinant(matrix: np.ndarray) -> float:
    """Determinant of a matrix (3, 3)."""
    return float(dot(matrix[0], np.cross(matrix[1], matrix[2])))


def transformed(points: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """Points (n, 3) transformed by a matrix (4, 4)."""
    return product(points, matrix[:3, :3].T) + matrix[:3, 3]


def solved(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The solution x (n,) of matrix x = right, (n, n) and (n,), by Gaussian elimination with partial pivoting.

    Raises:
        ValueError: the matrix is singular.
    """
    rows = np.column_stack([np.asarray(matrix, float), np.asarray(right, float)])
    n = len(rows)
    for k in range(n):
        pivot = k + int(np.abs(rows[k:, k]).argmax())
        if rows[pivot, k] == 0.0:
            raise ValueError("the matrix is singular")
        rows[[k, pivot]] = rows[[pivot, k]]
        rows[k + 1 :] -= rows[k + 1 :, k : k + 1] / rows[k, k] * rows[k]
    x = np.zeros(n)
    for k in reversed(range(n)):
        x[k] = (rows[k, n] - (rows[k, k + 1 : n] * x[k + 1 :]).sum()) / rows[k, k]
    return x


def principal_axes(symmetric: np.ndarray, sweeps: int = 12) -> tuple[np.ndarray, np.ndarray]:
    """(eigenvalues (n,), eigenvectors as columns (n, n)) of a symmetric matrix, unsorted, by Jacobi rotations.

    Each rotation makes one off-diagonal element 0; a sweep visits all of them. Convergence is quadratic: twelve sweeps
    reach the precision of float64.
    """
    a = np.array(symmetric, float)
    n = len(a)
    axes = np.eye(n)
    for _ in range(sweeps):
        for i in range(n - 1):
            for j in range(i + 1, n):
                if a[i, j] == 0.0:
                    continue
                # the rotation by this angle in the plane of axes i and j makes a[i, j] 0
                s, c = elementary.sincos(0.5 * elementary.atan2(2.0 * a[i, j], a[j, j] - a[i, i]))
                a[:, [i, j]] = np.stack([c * a[:, i] - s * a[:, j], s * a[:, i] + c * a[:, j]], axis=1)
                a[[i, j]] = np.stack([c * a[i] - s * a[j], s * a[i] + c * a[j]])
                axes[:, [i, j]] = np.stack([c * axes[:, i] - s * axes[:, j], s * axes[:, i] + c * axes[:, j]], axis=1)
    return np.diag(a).copy(), axes
