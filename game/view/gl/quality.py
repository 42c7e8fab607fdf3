"""The four levels of rendering quality: content and resolution.

`low` is for software OpenGL, whose time goes with the pixels; the others are for graphics cards. `defines` are the
switches of the shaders (shaders/common.glsl); all but `low` share the full materials.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Quality:
    """One level. Maps in texels a side, widths in metres; 0 means none.

    Attributes:
        scale: drawn pixels per pixel of the window, along a side. samples: of multisampling. trees: maximum. leaves:
        of a broad-leaved tree. grass: number of the rings of grass.RINGS that are drawn. stones: share of them that is
        drawn. particles: maximum alive. lens: whether bright spots glow and corners are darker. ground_reach: m from
        the camera to which every sample of the ground is drawn. ground_chunk: cells along a side of its chunks: chunks
        partly within that range are drawn with every sample, so small ones mean fewer triangles, large ones fewer
        draw calls.
    """

    name: str
    defines: tuple[str, ...]
    vehicle_map: int
    static_map: int
    static_width: float
    far_map: int
    scale: float
    samples: int
    trees: int
    leaves: int
    grass: int
    stones: float
    particles: int
    ground_reach: float
    ground_chunk: int
    lens: bool

    @property
    def full(self) -> bool:
        """Whether materials are the full ones instead of the simple ones for software OpenGL."""
        return "HIGH" in self.defines


LEVELS = {level.name: level for level in (
    Quality("low", ("LOW",), 768, 1024, 80.0, 0, 0.56, 0, 1100, 96, 0, 0.0, 256, 40.0, 32, False),
    Quality("medium", ("HIGH", "NEAR_TAPS 6", "STATIC_TAPS 4"),
            1024, 1024, 80.0, 1024, 1.0, 0, 1600, 140, 2, 0.0, 512, 160.0, 64, False),
    Quality("high", ("HIGH", "NEAR_TAPS 12", "STATIC_TAPS 8"),
            2048, 2048, 96.0, 2048, 1.0, 4, 2400, 190, 3, 0.6, 1024, 250.0, 128, True),
    Quality("ultra", ("HIGH", "PENUMBRA", "NEAR_TAPS 16", "STATIC_TAPS 12"),
            2048, 4096, 128.0, 2048, 1.0, 4, 3200, 220, 4, 1.0, 2048, 250.0, 128, True),
)}  # fmt: skip
QUALITIES = tuple(LEVELS)
DAYTIMES = ("afternoon", "noon", "dusk")  # each with its own sky (assets/build/sky.py)
FAR_WIDTH = 620.0  # m of the far shadow map: trees cast over nearly 300 m to all sides


def level(name: str) -> Quality:
    """The level of a name. Raises ValueError for an unknown one."""
    if name not in LEVELS:
        raise ValueError(f"quality {name!r}: must be auto, {', '.join(QUALITIES[:-1])} or {QUALITIES[-1]}")
    return LEVELS[name]


def defines(name: str) -> tuple[str, ...]:
    """The shaders' switches for the name of a level in capitals; any other switch is returned unchanged."""
    quality = LEVELS.get(name.lower())
    if quality is None:
        return (name,)
    return (
        (*quality.defines, f"FAR_SCALE {quality.static_width / FAR_WIDTH:.6f}") if quality.far_map else quality.defines
    )
