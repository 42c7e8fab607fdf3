"""From a world file to what the view draws of it."""

from driving_sandbox.game.session.frame import WorldView
from driving_sandbox.physics.ground.ground import Heightfield, Plane


def world_view(place):
    """WorldView of a physics.world.world_file.WorldFile: the very arrays and meshes that are driven on."""
    view = WorldView(
        surface_names=place.surfaces.names,
        mesh_paths=list(place.mesh_paths),
        road_path=place.roads_path,
        scenery_paths=list(place.scenery_paths),
        rails_path=place.rails_path,
    )
    if isinstance(place.terrain, Heightfield):
        view.heights = place.terrain.heights
        view.origin, view.cell = tuple(place.terrain.origin), place.terrain.cell
        view.cell_surface = place.terrain.cell_surface
    elif isinstance(place.terrain, Plane):
        view.plane_height = place.terrain.height
    return view
