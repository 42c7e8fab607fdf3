"""Build the models of props: `python -m driving_sandbox.assets.build.props [name ...] [--out FOLDER]` writes
assets/props/<name>.glb.

The origin is the centre of the model's base, unless its function says otherwise; x right, y forward, z up, in metres.
One node per model. Materials are plain colours by name. Collision shapes are defined in configs/props, not by these
meshes. The output is reproducible byte for byte.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from driving_sandbox.assets.build.glb import Material, Node, glb_bytes
from driving_sandbox.assets.build.mesh import Mesh, join, primitives
from driving_sandbox.assets.build.parts import between, box, hull, lathe, sector

PROPS = Path(__file__).resolve().parents[1] / "props"

# Name, linear RGB, metallic, roughness; orange is #E76E24, the colour of traffic cones.
MATERIALS = (
    Material("orange", (0.799, 0.156, 0.018), 0.0, 0.45),
    Material("white", (0.64, 0.65, 0.61), 0.0, 0.45),
    Material("red", (0.50, 0.035, 0.026), 0.0, 0.45),
    Material("blue", (0.020, 0.085, 0.26), 0.0, 0.40),
    Material("black", (0.022, 0.022, 0.022), 0.0, 0.80),
    Material("dusty", (0.031, 0.030, 0.029), 0.0, 0.85),
    Material("wood", (0.25, 0.155, 0.083), 0.0, 0.80),
    Material("wood_dark", (0.14, 0.082, 0.044), 0.0, 0.80),
    Material("metal", (0.30, 0.31, 0.32), 0.8, 0.45),
)
ROUND = 20  # sides of round bodies
TREAD = 16  # blocks in each of the two rows of a tire's tread


def upright(profile: Sequence[tuple[float, float]], material: str) -> Mesh:
    """Body of revolution about z from rows (height, radius)."""
    return lathe(profile, ROUND, material).turned(1, -np.pi / 2)


def cone() -> list[Mesh]:
    """A traffic cone 0.5 m high, with two white bands, on a square foot."""

    def radius(z):
        return 0.14 + (0.028 - 0.14) * (z - 0.03) / 0.47

    levels = (0.03, 0.16, 0.25, 0.32, 0.40, 0.50)  # m, where orange and white alternate
    parts = [box((0, 0, 0.016), (0.36, 0.36, 0.032), 0.012, "orange")]
    for k, (low, high) in enumerate(zip(levels, levels[1:], strict=False)):
        rows = [(low, 0.0), (low, radius(low)), (high, radius(high)), (high, 0.0)]
        parts.append(upright(rows, "white" if k % 2 else "orange"))
    return parts


def barrel() -> list[Mesh]:
    """A 200 litre drum with two hoops and a rim."""
    r = 0.285
    rows = [(0.0, 0.0), (0.0, r), (0.02, r + 0.008), (0.04, r)]
    for middle in (0.30, 0.59):
        rows += [(middle - 0.02, r), (middle, r + 0.012), (middle + 0.02, r)]
    rows += [(0.85, r), (0.87, r + 0.008), (0.89, r), (0.89, r - 0.015), (0.87, r - 0.02), (0.87, 0.0)]
    return [
        upright(rows, "blue"),
        upright([(0.41, 0.0), (0.41, r + 0.003), (0.49, r + 0.003), (0.49, 0.0)], "white"),
        box((0.14, 0.1, 0.875), (0.06, 0.06, 0.02), 0.006, "metal"),
    ]


def crate() -> list[Mesh]:
    """A slatted box of 0.8 m."""
    half, parts = 0.4, [box((0, 0, 0.4), (0.76, 0.76, 0.76), 0.004, "wood_dark")]
    for k in range(5):
        z = 0.08 + 0.16 * k
        parts += [box((0, s * (half - 0.012), z), (0.8, 0.024, 0.15), 0.006, "wood") for s in (-1, 1)]
        parts += [box((s * (half - 0.012), 0, z), (0.024, 0.75, 0.15), 0.006, "wood") for s in (-1, 1)]
        parts += [box((0, -0.32 + 0.16 * k, 0.788), (0.75, 0.15, 0.024), 0.006, "wood")]
    for x in (-1, 1):
        parts += [box((x * 0.36, y * 0.405, 0.4), (0.09, 0.012, 0.8), 0.004, "wood_dark") for y in (-1, 1)]
    return parts


def plank() -> list[Mesh]:
    """A board of three metres."""
    return [box((0, 0, 0.0225), (0.26, 3.0, 0.045), 0.005, "wood")]


def tire() -> list[Mesh]:
    """A worn tire lying on its side: dark, with two rows of dusty tread blocks."""
    rows = [
        (0.0, 0.20),
        (0.0, 0.268),
        (0.028, 0.296),
        (0.172, 0.296),
        (0.20, 0.268),
        (0.20, 0.20),
        (0.17, 0.185),
        (0.10, 0.25),
        (0.03, 0.185),
    ]
    pitch = 2 * np.pi / TREAD
    blocks = []
    for k in range(TREAD):
        for low, turn in ((True, 0.0), (False, 0.5)):  # the rows are staggered by half a block
            section = np.array([(0.105, 0.290), (0.105, 0.313), (0.160, 0.310), (0.186, 0.280)])
            if low:
                section = (section * (-1, 1) + (0.20, 0))[::-1]
            start = (k + turn) * pitch
            block = sector(section, start, start + 0.84 * pitch, 1, "dusty")
            outside = np.hypot(block.v[:, 1], block.v[:, 2])[block.t].max(axis=1) > 0.30  # its foot is hidden
            blocks.append(Mesh(block.v, block.t[outside], "dusty"))
    return [upright(rows, "black"), *(block.turned(1, -np.pi / 2) for block in blocks)]


def ramp() -> list[Mesh]:
    """A wooden wedge for one wheel."""
    x = 0.45
    wedge = [
        (s * x, y, z) for s in (-1, 1) for y, z in ((-0.7, 0.0), (0.7, 0.0), (-0.7, 0.012), (0.7, 0.25), (0.5, 0.25))
    ]
    return [
        hull(wedge, "wood"),
        *(box((s * (x + 0.012), 0.55, 0.125), (0.024, 0.3, 0.24), 0.004, "wood_dark") for s in (-1, 1)),
    ]


def gate() -> list[Mesh]:
    """A barrier of four metres that swings about its post; origin: foot of the post."""
    parts = [upright([(0.0, 0.0), (0.0, 0.07), (1.15, 0.07), (1.15, 0.0)], "metal")]
    for z in (0.45, 0.75, 1.05):
        for k in range(8):
            low, high = 0.06 + 0.49 * k, 0.06 + 0.49 * (k + 1)
            parts.append(between((low, 0, z), (high, 0, z), 0.04, "white" if k % 2 else "red", 10))
    parts += [between((x, 0, 0.45), (x, 0, 1.05), 0.03, "metal", 8) for x in (1.3, 2.6, 3.95)]
    return parts


def seesaw() -> list[Mesh]:
    """A board of five metres on a log; origin: the ground below the log's middle."""
    parts = [lathe([(-1.2, 0.0), (-1.2, 0.20), (1.2, 0.20), (1.2, 0.0)], ROUND, "wood_dark").moved(0, 0, 0.20)]
    for k in range(10):
        y = -2.25 + 0.5 * k
        parts.append(box((0, y, 0.44), (2.3, 0.49, 0.07), 0.006, "wood"))
    parts += [box((s * 0.75, 0, 0.395), (0.12, 4.9, 0.03), 0.006, "metal") for s in (-1, 1)]
    parts += [box((s * 1.135, 0, 0.479), (0.03, 4.98, 0.008), 0.002, "orange") for s in (-1, 1)]
    return parts


MODELS = {
    "cone": cone,
    "barrel": barrel,
    "crate": crate,
    "plank": plank,
    "tire": tire,
    "ramp": ramp,
    "gate": gate,
    "seesaw": seesaw,
}


def model_bytes(name: str) -> bytes:
    """The .glb of one prop."""
    return glb_bytes([Node(name, primitives=primitives(join(MODELS[name]())))], MATERIALS)


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the models named on the command line, and print their sizes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which (default: all): {', '.join(MODELS)}")
    parser.add_argument("--out", type=Path, default=PROPS, metavar="FOLDER")
    options = parser.parse_args(arguments)
    unknown = [n for n in options.names if n not in MODELS]
    if unknown:
        parser.error(f"unknown prop {unknown[0]!r}; known: {', '.join(MODELS)}")
    for name in options.names or MODELS:
        data = model_bytes(name)
        (options.out / f"{name}.glb").write_bytes(data)
        print(f"{options.out / name}.glb: {len(data)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
