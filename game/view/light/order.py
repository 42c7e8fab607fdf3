"""Draw order of a scene: opaque objects (nearest first), the ground (nearest first), marks on it, the sky.

Panda3D's transparent and fixed bins follow. Its opaque bin is sorted by the addresses of render states, which differ
from process to process, and with them the picture where surfaces z-fight. Front to back, the picture is the same in
every process, and there is less overdraw: shading takes most of a frame on software OpenGL.
"""

from panda3d.core import CullBinManager

GROUND, MARKS, SKY = "ground", "marks", "sky"
# name: (how the bin is sorted, its place in the draw order); Panda3D's own places: background 10, opaque 20,
# transparent 30, fixed 40.
_BINS = {
    "opaque": (CullBinManager.BTFrontToBack, 20),
    GROUND: (CullBinManager.BTFrontToBack, 21),  # after the objects: they hide much of it, it hides little of them
    MARKS: (CullBinManager.BTUnsorted, 22),
    SKY: (CullBinManager.BTFixed, 25),  # behind all; before the transparent bin, which is drawn over it
}


def set_order() -> None:
    """Register the bins, before NodePath.setBin is called with GROUND, MARKS or SKY; again in a process: no effect."""
    manager = CullBinManager.getGlobalPtr()
    for name, (sorting, place) in _BINS.items():
        if manager.findBin(name) < 0:
            manager.addBin(name, sorting, place)
        manager.setBinType(manager.findBin(name), sorting)
