"""Reads the lines of the small map from a world file: roads, the driving line, the gates at which laps are timed.

A world without any of them has no map.
"""

import numpy as np

from driving_sandbox.game.hud.map import MapLine
from driving_sandbox.game.view.ground.road_lines import read_centre_lines
from driving_sandbox.physics.world.world_file import WorldFile


def map_lines(world_file: WorldFile | None) -> list[MapLine]:
    """The MapLines of a physics.world.world_file.WorldFile, in the order of drawing; [] for None."""
    if world_file is None:
        return []
    lines = []
    if world_file.roads_path is not None:
        lines += [MapLine(line.points, 2.0 * line.half_width) for line in read_centre_lines(world_file.roads_path)]
    if len(world_file.driving_line):
        lines.append(MapLine(np.concatenate([world_file.driving_line, world_file.driving_line[:1]]), kind="line"))
    for track in world_file.timing:
        lines += [MapLine(np.array([gate.left, gate.right]), kind="gate") for gate in track.gates]
    return lines
