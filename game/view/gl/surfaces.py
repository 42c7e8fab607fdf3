"""Appearance of a surface, chosen by words in its name: ground texture and wetness, or texture and tint on a mesh."""

from __future__ import annotations

from dataclasses import dataclass

LOOKS = ("grass", "soil", "gravel", "asphalt", "concrete", "sand", "snow", "ice")


@dataclass(frozen=True)
class SurfaceLook:
    """Appearance of a surface of the ground.

    Attributes:
        layer: index in LOOKS.
        wet: wetness, 0..1.
    """

    layer: int
    wet: float = 0.0


# (word, index in LOOKS or -1 for plain paint); the first word that is part of a name wins, so that "old_asphalt_wet" is
# found as well
LAYER_WORDS = (
    ("ice", 7),
    ("snow", 6),
    ("sand", 5),
    ("beach", 5),
    ("concrete", 4),
    ("cobble", 4),
    ("pav", 4),
    ("gravel", 2),
    ("asphalt", 3),
    ("tarmac", 3),
    ("road", 3),
    ("bitumen", 3),
    ("stone", 2),
    ("rock", 2),
    ("soil", 1),
    ("dirt", 1),
    ("mud", 1),
    ("earth", 1),
    ("clay", 1),
    ("grass", 0),
    ("turf", 0),
    ("meadow", 0),
    ("wall", 4),
    ("ramp", 4),
    ("barrier", 4),
    ("curb", 4),
    ("kerb", 4),
    ("metal", -1),
    ("steel", -1),
    ("rail", -1),
    ("paint", -1),
    ("wood", 1),
)
STRIPES = -2.0  # in place of a layer: red and white stripes
MESH_TINTS = (  # (word, linear colour)
    ("red", (0.62, 0.045, 0.032)),
    ("white", (0.64, 0.65, 0.61)),
    ("yellow", (0.70, 0.42, 0.03)),
    ("blue", (0.03, 0.10, 0.35)),
    ("orange", (0.80, 0.16, 0.02)),
    ("steel", (0.42, 0.43, 0.45)),
    ("metal", (0.42, 0.43, 0.45)),
    ("rail", (0.46, 0.47, 0.49)),
    ("paint", (0.64, 0.65, 0.61)),
)


def ground_look(name: str) -> SurfaceLook:
    """SurfaceLook of a surface of the ground; unknown names look like soil."""
    words = name.lower()
    layer = next((layer for word, layer in LAYER_WORDS if word in words and layer >= 0), 1)
    wet = 0.9 if "wet" in words or "water" in words else 0.55 if "mud" in words else 0.0
    return SurfaceLook(layer, wet)


def mesh_look(name: str) -> tuple[float, float, float, float]:
    """(tint r, g, b, layer) of a mesh material: kerbs have stripes, unknown names look like concrete.

    Words for colours take precedence over words for surfaces. Layer -1 is plain paint.
    """
    words = name.lower()
    if "kerb" in words or "curb" in words:
        return (0.60, 0.045, 0.032, STRIPES)
    for word, colour in MESH_TINTS:
        if word in words:
            return (*colour, -1.0)
    layer = next((layer for word, layer in LAYER_WORDS if word in words), 4)
    if layer < 0:
        return (0.5, 0.5, 0.5, -1.0)
    tint = 1.05 if layer == 4 else 1.0
    return (tint, tint, tint, float(layer))
