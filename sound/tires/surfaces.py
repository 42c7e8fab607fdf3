"""Kinds of ground, told apart by what tires sound like on them.

A surface of a world declares its rolling noise by the word `sound` (physics/ground/surfaces.py, `SOUNDS`); a kind is
the index of that word. `kind_of` and `wetness_of` give the values for the fields `surface` and `wetness` of a FRAME.
"""

from typing import Any

from driving_sandbox.physics.ground.surfaces import SOUNDS

KIND_COUNT = len(SOUNDS)
PAVED, SLABS, RUMBLE, GRAVEL, GRASS, MUD, SAND, SNOW, ICE, METAL, WOOD, SILENT = range(KIND_COUNT)  # as in SOUNDS

WET_WORDS = ("wet", "water")  # in a surface's name: rain on hard ground
WET, DAMP = 0.9, 0.3  # wetness of such surfaces, and of mud, on which no water stands

# Columns of GROUNDS. Levels are ratios to dry asphalt.
TEXTURE = 0  # level of the rumble that the ground's unevenness excites
TREAD = 1  # level of the noise of the tread blocks
TREAD_PITCH = 2  # factor on that noise's centre frequency; higher than 1: hiss of sand and blades of grass
SCRUB = 3  # level of the noise of sliding
SQUEAL = 4  # level of the squeal; 0 where the ground yields before the rubber sticks
SPACING = 5  # m, between planks across the road, which are not in the ground's height; 0: none
KICK = 6  # strength of the thump at each of their edges
GRAINS = 7  # 1/m, loose grains hit per metre
GRAIN_LEVEL = 8  # loudness of one grain, relative to gravel
GRAIN_PITCH = 9  # factor on the frequencies at which a grain rings

GROUNDS = (
    #  texture, tread, its pitch, scrub, squeal, spacing, kick, grains, their level, their pitch
    (1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0),  # PAVED
    (1.1, 1.25, 1.05, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0),  # SLABS of concrete, whose joints are in the ground's height
    (1.3, 1.1, 0.9, 0.9, 0.6, 0.0, 0.0, 0.0, 0.0, 1.0),  # RUMBLE: a kerb, whose ribs are in the height of the ground
    (1.8, 0.5, 0.75, 1.2, 0.0, 0.0, 0.0, 28.0, 1.0, 1.0),  # GRAVEL
    (0.9, 0.35, 1.8, 0.8, 0.0, 0.0, 0.0, 6.0, 0.3, 0.8),  # GRASS
    (1.2, 0.5, 0.5, 1.2, 0.0, 0.0, 0.0, 10.0, 0.6, 0.35),  # MUD
    (0.8, 0.7, 2.2, 1.4, 0.0, 0.0, 0.0, 2.0, 0.4, 1.1),  # SAND
    (0.5, 0.35, 0.7, 0.6, 0.0, 0.0, 0.0, 40.0, 0.3, 0.55),  # SNOW
    (0.2, 0.15, 1.2, 0.25, 0.0, 0.0, 0.0, 12.0, 0.07, 1.8),  # ICE: smooth; tread edges chip frost, small hard grains
    (1.5, 0.8, 0.8, 0.8, 0.5, 0.0, 0.0, 0.0, 0.0, 1.0),  # METAL: a hollow plate
    (1.6, 0.7, 0.7, 0.9, 0.4, 0.15, 8.0, 0.0, 0.0, 1.0),  # WOOD: planks
    (0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0),  # SILENT
)  # fmt: skip


def kind_of(surface: Any) -> int:
    """Kind of ground of a Surface (physics/ground/surfaces.py)."""
    return SOUNDS.index(surface.sound)


def wetness_of(surface: Any) -> float:
    """Wetness of a Surface, 0 dry .. 1 standing water; surfaces tell it by their name."""
    if any(word in surface.name.lower() for word in WET_WORDS):
        return WET
    return DAMP if kind_of(surface) == MUD else 0.0
