"""Lower limit of the moments of inertia of a body, as a radius of gyration k: I = m k^2."""

import numpy as np

MIN_GYRATION = 0.05  # m; a small car has 0.5 in roll; with 0.01 tire forces spin a body beyond the limit of 200 rad/s


def min_moment(mass: float) -> float:
    """Smallest moment of inertia allowed for a mass (kg), kg m^2."""
    return MIN_GYRATION**2 * mass


def gyration_problems(name: str, mass: float, moments: np.ndarray | float) -> list[tuple[str, str]]:
    """[(name, text)] where a moment of inertia (kg m^2) is too small for the mass (kg), else []."""
    smallest = min_moment(mass)
    if np.all(np.asarray(moments) >= smallest):
        return []
    return [(name, f"every moment of inertia must be at least {smallest:g} kg*m^2, a radius of gyration of "
                   f"{MIN_GYRATION:g} m with a mass of {mass:g} kg")]  # fmt: skip
