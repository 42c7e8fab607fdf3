"""Makes from a world file the WorldView that the scene draws."""

from typing import TYPE_CHECKING

from driving_sandbox.game.session.frame import WorldView
from driving_sandbox.physics.ground.ground import Heightfield, Plane

if TYPE_CHECKING:
    from driving_sandbox.physics.world.world_file import WorldFile


def world_view(world_file: "WorldFile") -> WorldView:
    """WorldView of a physics.world.world_file.WorldFile, with the same arrays and meshes that the physics uses."""
    view = WorldView(
        surface_names=world_file.surfaces.names,
        mesh_paths=list(world_file.mesh_paths),
        road_path=world_file.roads_path,
        scenery_paths=list(world_file.scenery_paths),
        rails_path=world_file.rails_path,
    )
    if isinstance(world_file.terrain, Heightfield):
        view.heights = world_file.terrain.heights
        x, y = world_file.terrain.origin
        view.origin, view.cell = (x, y), world_file.terrain.cell
        view.cell_surface = world_file.terrain.cell_surface
    elif isinstance(world_file.terrain, Plane):
        view.plane_height = world_file.terrain.height
    return view
