"""Materials that an impact makes ring: length of the blow, and the modes it excites.

A mode is (frequency in Hz, decay in 1/s, level): after an impulse it sounds as level exp(-decay t) sin(2 pi frequency
t). Thin sheet is modally dense and damped by paint and sealant; glass breaks into high, short modes; soft ground is a
heavily damped mass on a spring. No two frequencies have a simple ratio, so that no pitch stands out.
"""

from typing import Any

from driving_sandbox.sound.tires.surfaces import GRASS, GRAVEL, MUD, SAND, SNOW, kind_of
from driving_sandbox.sound.tires.surfaces import WOOD as WOODEN_GROUND

MATERIALS = ("panel", "plastic", "glass", "wood", "ground", "rubber")
PANEL, PLASTIC, GLASS, WOOD, GROUND, RUBBER = range(len(MATERIALS))
MODE_COUNT = 8

# s, length of a blow of REFERENCE_IMPULSE; harder blows are shorter (sound/body/impact.py)
BLOW_SECONDS = (0.9e-3, 1.6e-3, 0.2e-3, 0.8e-3, 6.0e-3, 9.0e-3)

MODES = (
    (  # PANEL: doors, bonnet, wings
        (180.0, 14.0, 1.0), (295.0, 18.0, 0.9), (470.0, 24.0, 0.8), (730.0, 30.0, 0.65),
        (1130.0, 42.0, 0.5), (1720.0, 58.0, 0.4), (2580.0, 80.0, 0.3), (3900.0, 110.0, 0.2),
    ),
    (  # PLASTIC: bumpers
        (120.0, 60.0, 1.0), (210.0, 75.0, 0.9), (355.0, 95.0, 0.75), (560.0, 120.0, 0.55),
        (840.0, 150.0, 0.4), (1250.0, 190.0, 0.3), (1800.0, 240.0, 0.2), (2600.0, 300.0, 0.12),
    ),
    (  # GLASS
        (2050.0, 45.0, 0.25), (2870.0, 40.0, 0.35), (3760.0, 50.0, 0.4), (4930.0, 45.0, 0.5),
        (6280.0, 60.0, 0.45), (7750.0, 70.0, 0.35), (9640.0, 85.0, 0.25), (11900.0, 110.0, 0.2),
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
)  # fmt: skip

SOFT_GROUNDS = (GRAVEL, GRASS, MUD, SAND, SNOW)
HULL_MATERIALS = {"steel": PANEL, "aluminium": PANEL, "plastic": PLASTIC, "rubber": RUBBER, "wood": WOOD}


def material_of(hull_material: str) -> int:
    """Material of bodywork by the name of its hull material (configs/surfaces); unknown ones are panels."""
    return HULL_MATERIALS.get(hull_material, PANEL)


def struck_material_of(hull_material: str, surface: Any) -> int:
    """Material that is heard where bodywork hits a Surface: the softer of the two sounds, as it absorbs the blow."""
    kind = kind_of(surface)
    if kind in SOFT_GROUNDS:
        return GROUND
    return WOOD if kind == WOODEN_GROUND else material_of(hull_material)
