"""From a world file to the lines of the small map: roads, the driving line, the gates where times are taken.

A world without any of them has no map: on bare ground it would show nothing that the picture does not.
"""

import numpy as np

from driving_sandbox.game.view.ground.road_lines import read_centre_lines
from driving_sandbox.game.view.hud.map import MapLine


def map_lines(place):
    """MapLines of a physics.world.world_file.WorldFile or None, in the order in which they are drawn."""
    if place is None:
        return []
    found = []
    if place.roads_path is not None:
        found += [MapLine(line.points, 2.0 * line.half_width) for line in read_centre_lines(place.roads_path)]
    if len(place.driving_line):
        found.append(MapLine(np.concatenate([place.driving_line, place.driving_line[:1]]), kind="line"))
    for track in place.timing:
        found += [MapLine(np.array([gate.left, gate.right]), kind="gate") for gate in track.gates]
    return found
