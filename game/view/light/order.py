"""The order in which a scene is drawn: objects, nearest first, the ground, marks on it, and the sky behind all.

Panda3D sorts opaque objects by the addresses of their states. These differ from process to process, and so would the
picture where two surfaces coincide. Sorted by distance the picture is always the same, and fewer pixels are shaded
that something nearer covers, which is most of a frame's work on software OpenGL.
"""

from panda3d.core import CullBinManager

GROUND, MARKS, SKY = "ground", "marks", "sky"
# Panda3D's own: background 10, opaque 20, transparent 30, fixed 40.
_BINS = {
    "opaque": (CullBinManager.BTFrontToBack, 20),
    GROUND: (CullBinManager.BTFrontToBack, 21),  # vehicles and walls hide much of it and are hidden by little of it
    MARKS: (CullBinManager.BTUnsorted, 22),
    SKY: (CullBinManager.BTFixed, 25),
}


def set_order() -> None:
    """Set the order of every scene of the process; after it GROUND, MARKS and SKY can be given to NodePath.setBin."""
    manager = CullBinManager.getGlobalPtr()
    for name, (kind, sort) in _BINS.items():
        if manager.findBin(name) < 0:
            manager.addBin(name, kind, sort)
        manager.setBinType(manager.findBin(name), kind)
