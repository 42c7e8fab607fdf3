"""Preloading for the next frames: meshes are built, vertices and shaders uploaded to the driver.

What a frame draws for the first time makes it long: a shader takes 6 to 18 ms, the parts of a vehicle that comes near
10 ms, a block of ground 2 ms to make and 1 ms to hand over. Behind the loading picture all that waits is done at once,
in a drive one piece a frame. Meshes are uploaded by drawing them once, outside the picture: Panda3D's own
`prepare_scene` makes copies of vertices with columns of ours, and the driver would get those, which are never drawn.
"""

from __future__ import annotations

from collections import deque
from functools import partial

from panda3d.core import Camera, Geom, GeomNode, NodePath, OmniBoundingVolume

from driving_sandbox.game.view.gl.shading import prepare_programs, program

FIRST = -30  # order of its region in the window: before all that is seen


class Preload:
    """Pieces of work in their order, for the window of `base`."""

    def __init__(self, base):
        self._window, self._waiting = base.win, deque()
        self._root = NodePath("ahead")
        self._root.setShader(program("ahead", "ahead", include=()))
        self._root.node().setBounds(OmniBoundingVolume())
        self._root.node().setFinal(True)  # drawn wherever the camera looks
        self._region = self._window.makeDisplayRegion(0.0, 0.0, 0.0, 0.0)
        self._region.setSort(FIRST)
        self._region.setCamera(self._root.attachNewNode(Camera("ahead")))
        self._region.setActive(False)
        self._handed: NodePath | None = None

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, make) -> None:
        """Call `make()`; the Geom it returns, if any, is uploaded one frame later."""
        self._waiting.append(partial(self._make, make))

    def add_mesh(self, geom: Geom) -> None:
        """Hand over a mesh that no node has yet."""
        self._waiting.append(partial(self.prepare_path, _holder(geom)))

    def add_parts(self, root: NodePath) -> None:
        """Hand over the meshes of the nodes below `root` one by one, stashed ones too."""
        self._waiting += [partial(self.prepare_path, path) for path in _with_meshes(root)]

    def prepare_path(self, *paths: NodePath) -> None:
        """The driver gets the meshes of these nodes with the next frame."""
        if self._handed is None:
            self._handed = self._root.attachNewNode(GeomNode("handed over"))
            self._region.setActive(True)
        for path in paths:
            self._handed.node().addGeomsFrom(path.node())

    def step(self) -> None:
        """Do one piece; once a frame."""
        if self._waiting:
            self._waiting.popleft()()

    def finish(self, root: NodePath) -> None:
        """Do all that waits, and hand over all meshes below `root` and all shaders there are."""
        while self._waiting:
            self.step()
        self.prepare_path(*_with_meshes(root))
        prepare_programs(self._window.getGsg())

    def drawn(self) -> None:
        """A frame was drawn: meshes uploaded by it are not drawn again."""
        if self._handed is not None:
            self._handed.removeNode()
            self._handed = None
            self._region.setActive(False)

    def close(self) -> None:
        self._window.removeDisplayRegion(self._region)

    def _make(self, make) -> None:
        geom = make()
        if geom is not None:
            self._waiting.appendleft(partial(self.prepare_path, _holder(geom)))


def _holder(geom: Geom) -> NodePath:
    node = GeomNode("ahead")
    node.addGeom(geom)
    return NodePath(node)


def _with_meshes(root: NodePath):
    return root.findAllMatches("**/+GeomNode;+h+s")
