"""Mass, centre of mass and inertia of a vehicle from the closed meshes of its hull parts.

Each part has a uniform density. With p = a + b + c of a triangle and the volume v = a.(b x c) / 6 of its tetrahedron
with the origin, the integrals over a closed mesh are sums over triangles:

    volume = sum v,   first moment = sum v p / 4,
    second moment = sum v (p p^T + a a^T + b b^T + c c^T) / 20

(divergence theorem; B. Mirtich, "Fast and accurate computation of polyhedral mass properties", 1996). The body's axes
are the model's: products of inertia are neglected, and reported unless they are small.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from driving_sandbox.physics.maths.products import dot
from driving_sandbox.physics.shape.geometry import Geometry, PartSettings
from driving_sandbox.physics.shape.hull import mesh_faults

SMALL_PRODUCT = 0.05  # share of the largest moment of inertia; larger products of inertia are reported


@dataclass(frozen=True)
class MassProperties:
    """Mass properties of a body."""

    mass: float  # kg
    centre_of_mass: np.ndarray  # [3], m, in the meshes' frame
    inertia: np.ndarray  # [3, 3], kg m^2, about the centre of mass


def solid(mesh: Any) -> tuple[float, np.ndarray, np.ndarray]:
    """(volume in m^3, centre in m, inertia tensor about it in kg m^2 at 1 kg/m^3) of a closed mesh."""
    a, b, c = (np.asarray(mesh.vertices, float)[np.asarray(mesh.faces)[:, k]] for k in range(3))
    reference = np.asarray(mesh.vertices, float).mean(axis=0)  # far from the origin the sums would lose digits
    a, b, c = a - reference, b - reference, c - reference
    p = a + b + c
    v = dot(a, np.cross(b, c)) / 6.0
    volume = v.sum()
    centre = (v[:, None] * p).sum(axis=0) / 4.0 / volume
    second = sum((v[:, None, None] * x[:, :, None] * x[:, None, :]).sum(axis=0) for x in (p, a, b, c)) / 20.0
    second -= volume * np.outer(centre, centre)
    return volume, centre + reference, np.trace(second) * np.eye(3) - second


def combined(parts: dict[str, tuple[float, Any]]) -> MassProperties:
    """MassProperties of {name: (mass in kg, mesh)}.

    Raises ValueError for meshes that are not closed, have degenerate triangles or face inwards, and without any mesh.
    """
    faults = mesh_faults({name: mesh for name, (_, mesh) in parts.items()})
    if faults:
        raise ValueError("a part with mass must be closed: " + "; ".join(faults))
    if not parts:
        raise ValueError("no part has a mass")
    solids = {name: solid(mesh) for name, (_, mesh) in parts.items()}
    for name, (volume, _, _) in solids.items():
        if not volume > 0.0:
            raise ValueError(f"a part with mass must be closed: {name}: its triangles face inwards")
    masses = np.array([mass for mass, _ in parts.values()])
    centre = np.average([c for _, c, _ in solids.values()], axis=0, weights=masses)
    inertia = np.zeros((3, 3))
    for mass, (volume, centroid, tensor) in zip(masses, solids.values(), strict=True):
        offset = centroid - centre
        inertia += tensor * (mass / volume) + mass * (dot(offset, offset) * np.eye(3) - np.outer(offset, offset))
    return MassProperties(float(masses.sum()), centre, inertia)


@cache
def mass_of(geometry: Geometry, settings: PartSettings) -> MassProperties:
    """MassProperties of a Geometry under PartSettings, see `combined`."""
    return combined(geometry.massive(settings))


@cache
def announce(geometry: Geometry, settings: PartSettings) -> None:
    """Print the mass properties taken from a model, once for every geometry and settings."""
    properties = mass_of(geometry, settings)
    inertia = properties.inertia
    centre = ", ".join(f"{c:.4f}" for c in properties.centre_of_mass)
    moments = ", ".join(f"{m:.1f}" for m in np.diag(inertia))
    print(
        f"{geometry.path.name}: mass {properties.mass:g} kg, centre of mass [{centre}] m, inertia [{moments}] kg m^2 "
        f"from {', '.join(geometry.massive(settings))}"
    )
    product = np.abs(inertia - np.diag(np.diag(inertia))).max()
    if product > SMALL_PRODUCT * inertia.max():
        print(f"{geometry.path.name}: a product of inertia of {product:.1f} kg m^2 is left out")
