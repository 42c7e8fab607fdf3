"""The four levels of rendering quality: content and resolution.

`low` is for software OpenGL, whose frame time is proportional to the pixels; the others are for graphics cards.
`defines` are the switches of the shaders (shaders/common.glsl); all levels but `low` use the full materials.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Quality:
    """One level; 0 means none.

    Attributes:
        vehicle_map, static_map, far_map: resolution of the shadow maps, texels along a side.
        static_width: width of the area of the static shadow map, m.
        scale: pixels drawn per pixel of the window, along a side.
        samples: samples per pixel of multisampling.
        trees: maximum number of trees.
        leaves: cards of leaves on a broad-leaved tree.
        grass: number of rings of grass.RINGS that are drawn.
        stones: share of the stones that is drawn.
        particles: maximum number of particles.
        ground_reach: distance from the camera up to which every sample of the ground is drawn, m.
        ground_chunk: cells along a side of a chunk of the ground. Chunks partly within `ground_reach` are drawn with
            every sample, so small chunks mean fewer triangles, large ones fewer draw calls.
        lens: whether bright spots glow and the frame's corners are darker.
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
    Quality("low", ("LOW",),
            vehicle_map=768, static_map=1024, static_width=80.0, far_map=0, scale=0.56, samples=0,
            trees=1100, leaves=96, grass=0, stones=0.0, particles=256,
            ground_reach=40.0, ground_chunk=32, lens=False),
    Quality("medium", ("HIGH", "NEAR_TAPS 6", "STATIC_TAPS 4"),
            vehicle_map=1024, static_map=1024, static_width=80.0, far_map=1024, scale=1.0, samples=0,
            trees=1600, leaves=140, grass=2, stones=0.0, particles=512,
            ground_reach=160.0, ground_chunk=64, lens=False),
    Quality("high", ("HIGH", "NEAR_TAPS 12", "STATIC_TAPS 8"),
            vehicle_map=2048, static_map=2048, static_width=96.0, far_map=2048, scale=1.0, samples=4,
            trees=2400, leaves=190, grass=3, stones=0.6, particles=1024,
            ground_reach=250.0, ground_chunk=128, lens=True),
    Quality("ultra", ("HIGH", "PENUMBRA", "NEAR_TAPS 16", "STATIC_TAPS 12"),
            vehicle_map=2048, static_map=4096, static_width=128.0, far_map=2048, scale=1.0, samples=4,
            trees=3200, leaves=220, grass=4, stones=1.0, particles=2048,
            ground_reach=250.0, ground_chunk=128, lens=True),
)}  # fmt: skip
QUALITIES = tuple(LEVELS)
DAYTIMES = ("afternoon", "noon", "dusk")  # each with its own sky (assets/build/sky.py)
FAR_WIDTH = 620.0  # m, width of the area of the far shadow map: shadows of trees reach nearly 300 m to all sides


def level(name: str) -> Quality:
    """The Quality of this name. Raises ValueError for an unknown name."""
    if name not in LEVELS:
        raise ValueError(f"quality {name!r}: must be auto, {', '.join(QUALITIES[:-1])} or {QUALITIES[-1]}")
    return LEVELS[name]


def defines(name: str) -> tuple[str, ...]:
    """The shaders' switches of a level, given by its name in any case; any other switch is returned alone."""
    quality = LEVELS.get(name.lower())
    if quality is None:
        return (name,)
    return (
        (*quality.defines, f"FAR_SCALE {quality.static_width / FAR_WIDTH:.6f}") if quality.far_map else quality.defines
    )
