"""Draw calls of a camera: Geoms of visible nodes inside its frustum."""

from panda3d.core import BitMask32, GeomNode


def draw_calls(camera, root) -> int:
    """Number of Geoms below `root` drawn by `camera` (NodePath). All levels of detail count."""
    camera_mask, frustum = camera.node().getCameraMask(), camera.node().getLens().makeBounds()
    return _below(root, camera, camera_mask, frustum, BitMask32.allOn())


def _below(path, camera, camera_mask, frustum, show_mask) -> int:
    """Draw calls of a node and its children; show_mask: cameras that its parent is shown to."""
    node = path.node()
    control = node.getDrawControlMask()  # bits that this node decides itself instead of inheriting them
    show_mask = (show_mask & ~control) | (node.getDrawShowMask() & control)
    if node.isOverallHidden() or not frustum.contains(_bounds(path, camera)):
        return 0
    geoms = node.getNumGeoms() if isinstance(node, GeomNode) and not (show_mask & camera_mask).isZero() else 0
    return geoms + sum(_below(child, camera, camera_mask, frustum, show_mask) for child in path.getChildren())


def _bounds(path, camera):
    """Bounding volume of a node and its children in the camera's axes."""
    bounds = path.node().getBounds().makeCopy()
    if path.hasParent():
        bounds.xform(path.getParent().getMat(camera))
    return bounds
