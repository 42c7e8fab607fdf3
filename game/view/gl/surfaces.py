"""Appearance of a surface by its name: ground texture, wetness, and tint on a mesh."""

from __future__ import annotations

from dataclasses import dataclass

LOOKS = ("grass", "soil", "gravel", "asphalt", "concrete", "sand", "snow", "ice")


@dataclass(frozen=True)
class SurfaceLook:
    """`layer` indexes LOOKS; `tint` multiplies its albedo on meshes; layer -1 on meshes is plain paint."""

    layer: int
    wet: float = 0.0
    tint: tuple[float, float, float] = (1.0, 1.0, 1.0)


# First match wins; parts of names, so that "old_asphalt_wet" is found as well.
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
STRIPES = -2.0  # number that stands for red and white stripes instead of a layer
MESH_TINTS = (
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
    """Look of a surface on the ground; unknown names look like soil."""
    lowered = name.lower()
    layer = next((number for word, number in LAYER_WORDS if word in lowered and number >= 0), 1)
    wet = 0.9 if "wet" in lowered or "water" in lowered else 0.55 if "mud" in lowered else 0.0
    return SurfaceLook(layer, wet)


def mesh_look(name: str) -> tuple[float, float, float, float]:
    """Tint and layer of a mesh material: colour words win over the surface's own look."""
    lowered = name.lower()
    if "kerb" in lowered or "curb" in lowered:
        return (0.60, 0.045, 0.032, STRIPES)
    for word, colour in MESH_TINTS:
        if word in lowered:
            return (*colour, -1.0)
    layer = next((number for word, number in LAYER_WORDS if word in lowered), 4)
    if layer < 0:
        return (0.5, 0.5, 0.5, -1.0)
    tint = 1.05 if layer == 4 else 1.0
    return (tint, tint, tint, float(layer))
