"""Least moments of inertia of a body: its radius of gyration k, from I = m k^2, about every axis."""

import numpy as np

LEAST_GYRATION = 0.05  # m; a small car has 0.5 in roll, and at 0.01 its wheels turn it faster than 200 rad/s


def least_moment(mass: float) -> float:
    """The least moment of inertia of a mass, kg m^2."""
    return LEAST_GYRATION**2 * mass


def gyration_problems(name: str, mass: float, moments: np.ndarray | float) -> list[tuple[str, str]]:
    """[(name, text)] where a moment of inertia (kg m^2) is too small for the mass (kg), else []."""
    least = least_moment(mass)
    if np.all(np.asarray(moments) >= least):
        return []
    return [(name, f"every moment of inertia must be at least {least:g} kg*m^2, a radius of gyration of "
                   f"{LEAST_GYRATION:g} m with a mass of {mass:g} kg")]  # fmt: skip
