"""Draw order of a scene: opaque objects (nearest first), the ground (nearest first), marks on the ground, the sky.

Panda3D's transparent and fixed bins follow. By default its opaque bin is sorted by the addresses of render states.
These differ from process to process, so that frames with surfaces that z-fight would differ as well. Sorted from front
to back, a frame is the same in every process, and there is less overdraw: shading takes most of the frame's time on
software OpenGL.
"""

from panda3d.core import CullBinManager

GROUND, MARKS, SKY = "ground", "marks", "sky"
# {name: (sorting of the bin, its position in the draw order)}; Panda3D's own positions: background 10, opaque 20,
# transparent 30, fixed 40
_BINS = {
    "opaque": (CullBinManager.BTFrontToBack, 20),
    GROUND: (CullBinManager.BTFrontToBack, 21),  # after the objects, which hide more of it than it hides of them
    MARKS: (CullBinManager.BTUnsorted, 22),
    SKY: (CullBinManager.BTFixed, 25),  # behind everything, but before the transparent bin
}


def set_order() -> None:
    """Register the bins, before NodePath.setBin with GROUND, MARKS or SKY. Repeated calls change nothing."""
    manager = CullBinManager.getGlobalPtr()
    for name, (sorting, position) in _BINS.items():
        if manager.findBin(name) < 0:
            manager.addBin(name, sorting, position)
        manager.setBinType(manager.findBin(name), sorting)
