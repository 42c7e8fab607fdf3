"""Draw calls of a camera: Geoms of visible nodes inside its frustum."""

from panda3d.core import BitMask32, GeomNode


def draw_calls(camera, root) -> int:
    """Number of Geoms below `root` drawn by `camera` (NodePath). All levels of detail count."""
    mask, lens = camera.node().getCameraMask(), camera.node().getLens().makeBounds()
    return _below(root, camera, mask, lens, BitMask32.allOn())


def _below(path, camera, mask, lens, shown) -> int:
    node = path.node()
    control = node.getDrawControlMask()
    shown = (shown & ~control) | (node.getDrawShowMask() & control)
    if node.isOverallHidden() or not lens.contains(_bounds(path, camera)):
        return 0
    own = node.getNumGeoms() if isinstance(node, GeomNode) and not (shown & mask).isZero() else 0
    return own + sum(_below(child, camera, mask, lens, shown) for child in path.getChildren())


def _bounds(path, camera):
    bounds = path.node().getBounds().makeCopy()
    if path.hasParent():
        bounds.xform(path.getParent().getMat(camera))
    return bounds
