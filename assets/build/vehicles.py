"""Build the vehicle models: `python -m driving_sandbox.assets.build.vehicles [name ...] [--out FOLDER]` writes
assets/models/<name>.glb.

Origin of every model: on the road (z = 0 at static ride height), on the centre line, midway between the axles
(several axles: see the model's module); x right, y forward, z up. The tree of nodes is described in `chassis.py`, the
axes of the file in `glb.py`. The output is reproducible byte for byte; tests/assets compares it with the committed
files.
"""

import argparse
import importlib
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from driving_sandbox.assets.build.fittings import fittings
from driving_sandbox.assets.build.glb import Material, Node, glb_bytes

MODELS = Path(__file__).resolve().parents[1] / "models"
NAMES = (
    "roadster",
    "hatchback",
    "offroader",
    "buggy",
    "truck",
    "tractor",
    "central_axle_trailer",
    "lead_trailer",
    "semi_trailer",
    "tank",
    "half_track",
    "coupe",
    "lowrider",
    "three_wheeler",
    "patrol",
    "track_roadster",
    "mx5_na",
    "m3_e46",
    "golf_gti_mk7",
)

# Name, linear rgb(a), metallic, roughness. "paint" and "matt" take the vehicle's colour from PAINTS instead.
MATERIALS = (
    Material("paint", (0.008, 0.090, 0.150), 0.0, 0.30),
    Material("glass", (0.020, 0.024, 0.026, 0.45), 0.0, 0.04, double_sided=True),
    Material("rubber", (0.021, 0.021, 0.021), 0.0, 0.80),
    Material("rim", (0.34, 0.34, 0.35), 1.0, 0.27),
    Material("disc", (0.42, 0.42, 0.42), 1.0, 0.30),
    Material("caliper", (0.55, 0.13, 0.012), 0.0, 0.35),
    Material("plastic_black", (0.022, 0.022, 0.022), 0.0, 0.55),
    Material("gloss_black", (0.010, 0.010, 0.010), 0.0, 0.11),
    Material("lamp_front", (0.90, 0.92, 0.95), 0.0, 0.08, emissive=(0.55, 0.57, 0.60)),
    Material("lamp_rear", (0.45, 0.010, 0.008), 0.0, 0.10, emissive=(0.35, 0.010, 0.008)),
    Material("seat", (0.030, 0.028, 0.027), 0.0, 0.70),
    Material("chrome", (0.60, 0.60, 0.61), 1.0, 0.12),
    Material("frame", (0.040, 0.042, 0.045), 0.3, 0.35),
    Material("plate", (0.60, 0.60, 0.58), 0.0, 0.45),
    Material("lamp_turn", (0.60, 0.16, 0.010), 0.0, 0.12, emissive=(0.20, 0.05, 0.0)),
    Material("lamp_reverse", (0.70, 0.71, 0.72), 0.0, 0.10),
    Material("dial", (0.75, 0.77, 0.80), 0.0, 0.50),
    Material("mirror", (0.80, 0.81, 0.82), 1.0, 0.02),
    Material("lining", (0.36, 0.345, 0.32), 0.0, 0.85),
    Material("sign", (0.010, 0.010, 0.010), 0.0, 0.30),
    Material("seam", (0.022, 0.022, 0.022), 0.0, 0.55),
    Material("skin", (0.42, 0.22, 0.14), 0.0, 0.60),
    Material("cloth", (0.050, 0.066, 0.090), 0.0, 0.90),
    Material("canvas", (0.150, 0.130, 0.080), 0.0, 0.90),
    Material("matt", (0.115, 0.125, 0.065), 0.0, 0.62),
    Material("leather", (0.115, 0.047, 0.020), 0.0, 0.50),
    Material("stitch", (0.48, 0.42, 0.32), 0.0, 0.80),
    Material("needle", (0.62, 0.060, 0.012), 0.0, 0.45),
    Material("groove", (0.004, 0.004, 0.004), 0.0, 0.95),
)
PAINTS = {  # linear rgb
    "roadster": (0.200, 0.010, 0.010),
    "hatchback": (0.012, 0.080, 0.220),
    "offroader": (0.070, 0.085, 0.055),
    "buggy": (0.600, 0.220, 0.010),
    "truck": (0.42, 0.05, 0.03),
    "tractor": (0.45, 0.22, 0.01),
    "central_axle_trailer": (0.03, 0.12, 0.30),
    "lead_trailer": (0.45, 0.22, 0.01),
    "semi_trailer": (0.45, 0.22, 0.01),
    "tank": (0.115, 0.125, 0.065),
    "half_track": (0.15, 0.14, 0.075),
    "coupe": (0.035, 0.055, 0.23),
    "lowrider": (0.16, 0.02, 0.20),
    "three_wheeler": (0.55, 0.34, 0.03),
    "patrol": (0.29, 0.24, 0.13),
    "track_roadster": (0.80, 0.42, 0.02),
    "mx5_na": (0.60, 0.03, 0.02),
    "m3_e46": (0.05, 0.11, 0.24),
    "golf_gti_mk7": (0.62, 0.63, 0.65),
}


MATT = ("tank", "half_track")  # vehicles with matt paint


def materials(name: str) -> list[Material]:
    """MATERIALS with the paint of the vehicle `name`."""
    paints = [Material("paint", PAINTS[name], 0.0, 0.30), Material("matt", PAINTS[name], 0.0, 0.62)]
    return [next((paint for paint in paints if paint.name == m.name), m) for m in MATERIALS]


def dull(node: Node) -> None:
    """Replace the paint of a node and its children by matt paint."""
    node.primitives = [replace(p, material="matt") if p.material == "paint" else p for p in node.primitives]
    for child in node.children:
        dull(child)


def model_bytes(name: str) -> bytes:
    """The .glb of one vehicle."""
    root = importlib.import_module(f"driving_sandbox.assets.build.{name}").build()
    root.children.extend(fittings(name, root))
    if name in MATT:
        dull(root)
    return glb_bytes([root], materials(name))


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the vehicles named on the command line, and print their sizes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which vehicles (default: all): {', '.join(NAMES)}")
    parser.add_argument("--out", type=Path, default=MODELS, metavar="FOLDER")
    options = parser.parse_args(arguments)
    unknown = [n for n in options.names if n not in NAMES]
    if unknown:
        parser.error(f"unknown vehicle {unknown[0]!r}; known: {', '.join(NAMES)}")
    for name in options.names or NAMES:
        data = model_bytes(name)
        (options.out / f"{name}.glb").write_bytes(data)
        print(f"{options.out / name}.glb: {len(data)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
