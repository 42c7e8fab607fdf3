"""Materials that an impact makes ring: length of the blow, and the modes it excites.

A mode is (frequency in Hz, decay in 1/s, level): after an impulse it sounds as level exp(-decay t) sin(2 pi frequency
t). Thin sheet is modally dense and damped by paint and sealant; an empty drum rings for a second; thick plates clank
high and short; soft ground is a heavily damped mass on a spring, and stone passes on nearly all that it is given. The
modes of a material are no harmonics of one tone, so that no pitch stands out. The figures are the program's own.
"""

from typing import Any

from driving_sandbox.sound.tires.surfaces import (
    GRASS,
    GRAVEL,
    ICE,
    METAL,
    MUD,
    PAVED,
    RUMBLE,
    SAND,
    SLABS,
    SNOW,
)
from driving_sandbox.sound.tires.surfaces import WOOD as WOODEN_GROUND

MATERIALS = ("panel", "plastic", "wood", "ground", "rubber", "armour", "tubes", "drum", "stone", "rail")
PANEL, PLASTIC, WOOD, GROUND, RUBBER, ARMOUR, TUBES, DRUM, STONE, RAIL = range(len(MATERIALS))
OWN = -1  # of a FRAME: the material of the vehicle's or prop's own voice (parameter `body.material`)
NOTHING = -1  # of a FRAME: nothing is known of what was struck
MODE_COUNT = 8

# s, for each of MATERIALS: length of a blow of REFERENCE_IMPULSE; harder blows are shorter (sound/body/impact.py)
BLOW_SECONDS = (0.9e-3, 1.6e-3, 0.8e-3, 6.0e-3, 9.0e-3, 0.35e-3, 0.4e-3, 0.6e-3, 0.3e-3, 0.5e-3)

MODES = (
    (  # PANEL: doors, bonnet, wings
        (180.0, 14.0, 1.0), (295.0, 18.0, 0.9), (470.0, 24.0, 0.8), (730.0, 30.0, 0.65),
        (1130.0, 42.0, 0.5), (1720.0, 58.0, 0.4), (2580.0, 80.0, 0.3), (3900.0, 110.0, 0.2),
    ),
    (  # PLASTIC: bumpers, glass-fibre, traffic cones
        (120.0, 60.0, 1.0), (210.0, 75.0, 0.9), (355.0, 95.0, 0.75), (560.0, 120.0, 0.55),
        (840.0, 150.0, 0.4), (1250.0, 190.0, 0.3), (1800.0, 240.0, 0.2), (2600.0, 300.0, 0.12),
    ),
    (  # WOOD: crates, planks
        (165.0, 50.0, 1.0), (310.0, 60.0, 0.9), (465.0, 70.0, 0.7), (740.0, 85.0, 0.6),
        (1080.0, 110.0, 0.45), (1590.0, 140.0, 0.35), (2240.0, 190.0, 0.25), (3150.0, 260.0, 0.15),
    ),
    (  # GROUND: soil, sand, snow
        (55.0, 45.0, 1.0), (82.0, 55.0, 0.9), (128.0, 70.0, 0.65), (205.0, 100.0, 0.4),
        (340.0, 150.0, 0.22), (560.0, 220.0, 0.12), (920.0, 320.0, 0.06), (1500.0, 450.0, 0.03),
    ),
    (  # RUBBER: bump stops, tires
        (62.0, 60.0, 1.0), (97.0, 70.0, 0.8), (150.0, 90.0, 0.55), (230.0, 120.0, 0.35),
        (350.0, 160.0, 0.2), (520.0, 220.0, 0.12), (760.0, 300.0, 0.06), (1100.0, 400.0, 0.03),
    ),
    (  # ARMOUR: thick plates, welded
        (390.0, 22.0, 0.8), (645.0, 26.0, 1.0), (1010.0, 32.0, 0.9), (1520.0, 40.0, 0.75),
        (2190.0, 52.0, 0.55), (3050.0, 66.0, 0.4), (4230.0, 84.0, 0.28), (5700.0, 110.0, 0.18),
    ),
    (  # TUBES: a frame, a gate; bending modes of bars, far apart
        (240.0, 7.0, 0.8), (415.0, 9.0, 0.9), (690.0, 11.0, 1.0), (1240.0, 14.0, 0.8),
        (1910.0, 18.0, 0.6), (2870.0, 24.0, 0.45), (4110.0, 32.0, 0.3), (5650.0, 44.0, 0.2),
    ),
    (  # DRUM: an empty barrel of thin steel
        (112.0, 6.0, 1.0), (178.0, 7.0, 0.95), (263.0, 8.5, 0.85), (391.0, 10.0, 0.75),
        (565.0, 13.0, 0.65), (842.0, 18.0, 0.5), (1270.0, 25.0, 0.4), (1930.0, 36.0, 0.3),
    ),
    (  # STONE: asphalt, concrete, ice
        (92.0, 160.0, 0.5), (163.0, 190.0, 0.5), (275.0, 230.0, 0.45), (452.0, 280.0, 0.4),
        (765.0, 340.0, 0.35), (1260.0, 420.0, 0.3), (2110.0, 540.0, 0.25), (3390.0, 700.0, 0.2),
    ),
    (  # RAIL: guard rails, hollow plates
        (138.0, 8.0, 0.9), (227.0, 10.0, 1.0), (371.0, 13.0, 0.85), (612.0, 17.0, 0.7),
        (985.0, 22.0, 0.55), (1570.0, 29.0, 0.45), (2460.0, 38.0, 0.3), (3620.0, 50.0, 0.2),
    ),
)  # fmt: skip

HULL_MATERIALS = {"steel": PANEL, "aluminium": PANEL, "plastic": PLASTIC, "rubber": RUBBER, "wood": WOOD}
GROUND_MATERIALS = {  # by the kind of ground (sound/tires/surfaces.py)
    PAVED: STONE, SLABS: STONE, RUMBLE: STONE, ICE: STONE, METAL: RAIL, WOODEN_GROUND: WOOD,
    GRAVEL: GROUND, GRASS: GROUND, MUD: GROUND, SAND: GROUND, SNOW: GROUND,
}  # fmt: skip
PROP_MATERIALS = {  # by the word `sound` of a kind of prop (physics/props/kinds.py)
    "wood": WOOD, "plastic": PLASTIC, "rubber": RUBBER, "drum": DRUM, "tubes": TUBES, "sheet": PANEL, "stone": STONE,
}  # fmt: skip


def material_of(hull_material: str) -> int:
    """Material of bodywork by the name of its hull material (configs/surfaces); unknown ones are panels."""
    return HULL_MATERIALS.get(hull_material, PANEL)


def material_of_ground(kind: Any) -> int:
    """Material that rings where a kind of ground is struck; NOTHING for one without a sound."""
    return GROUND_MATERIALS.get(int(kind), NOTHING)
