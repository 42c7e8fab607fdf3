"""Report on a model's collision parts for modellers: triangle counts, faults by part, a budget.

Every near triangle of the ground is tested against all vertices of every convex part (`contact/generation.py`), so the
colliding meshes should be coarse; ray tests use the drawn meshes, which may be fine (CE-CONT-03).
"""

from typing import TYPE_CHECKING

from driving_sandbox.physics.shape.geometry import PartSettings
from driving_sandbox.physics.shape.hull import mesh_faults

if TYPE_CHECKING:
    from driving_sandbox.physics.shape.geometry import Geometry, Mesh

TRIANGLE_BUDGET = 1500  # of all colliding meshes; more suggests a drawn mesh that needs a proxy


def colliding_meshes(geometry: "Geometry", settings: PartSettings) -> "dict[str, Mesh]":
    """{name: Mesh} of the parts that collide under the settings."""
    meshes = dict(part.solid for part in geometry.hulls)
    return {name: meshes[name] for name in geometry.colliding(settings)}


def collision_report(
    geometry: "Geometry", settings: PartSettings | None = None, budget: int = TRIANGLE_BUDGET
) -> list[str]:
    """Lines on a Geometry: triangles of the collision parts, warnings (above the budget, ignored parts), faulty meshes.

    Faults are no error here, as a part without mass may have open edges and degenerate triangles.
    settings: PartSettings; None for the defaults.
    budget: number of triangles.
    """
    settings = settings or PartSettings()
    meshes = colliding_meshes(geometry, settings)
    total = sum(len(mesh.faces) for mesh in meshes.values())
    parts = ", ".join(f"{name} {len(mesh.faces)}" for name, mesh in meshes.items()) or "none"
    rays = sum(len((part.drawn or part.proxy).faces) for part in geometry.hulls)
    lines = [f"collision parts: {total} triangles ({parts}); triangles for ray tests: {rays}"]
    if total > budget:
        lines.append(f"warning: {total} triangles collide, the budget is {budget}: give the finest part a hullproxy")
    if geometry.unreached:
        lines.append(f"warning: parts ignored, as a lower number is missing: {', '.join(geometry.unreached)}")
    return lines + [f"not closed, so without mass: {fault}" for fault in mesh_faults(meshes)]
