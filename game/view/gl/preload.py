"""Preloading: builds meshes and uploads vertices and shaders to the graphics driver before a frame needs them.

A frame that draws something for the first time takes longer: by 6 to 18 ms for a shader, 10 ms for the parts of a
vehicle that comes near, 3 ms for a block of ground (2 ms to build, 1 ms to upload). Behind the loading screen all
waiting work is done at once, in a drive one piece per frame. Meshes are uploaded by drawing them once in a region
without area: Panda3D's own `prepare_scene` would convert vertices with custom columns and upload the copies, which are
never drawn.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any

from panda3d.core import Camera, Geom, GeomNode, NodePath, OmniBoundingVolume

from driving_sandbox.game.view.gl.shading import prepare_programs, program

SORT = -30  # draw order of the preloading region in the window: before all visible regions


class Preload:
    """Queue of preloading work for the window of `base`, a ShowBase; `len` is the number of pieces that wait."""

    def __init__(self, base: Any) -> None:
        self._window = base.win
        self._waiting: deque[Callable[[], None]] = deque()
        self._root = NodePath("ahead")
        self._root.setShader(program("ahead", "ahead", include=()))
        self._root.node().setBounds(OmniBoundingVolume())
        self._root.node().setFinal(True)  # drawn wherever the camera looks
        self._region = self._window.makeDisplayRegion(0.0, 0.0, 0.0, 0.0)
        self._region.setSort(SORT)
        self._region.setCamera(self._root.attachNewNode(Camera("ahead")))
        self._region.setActive(False)
        self._uploading: NodePath | None = None  # node with the meshes that are uploaded by the next frame

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, make: Callable[[], object]) -> None:
        """Queue a call of `make()`; if it returns a Geom, that is uploaded one frame later."""
        self._waiting.append(partial(self._make, make))

    def add_mesh(self, geom: Geom) -> None:
        """Queue the upload of a mesh that is not in a node yet."""
        self._waiting.append(partial(self.prepare_path, _holder(geom)))

    def add_parts(self, root: NodePath) -> None:
        """Queue the uploads of the meshes of all nodes below `root`, hidden and stashed ones included, one by one."""
        self._waiting += [partial(self.prepare_path, path) for path in _with_meshes(root)]

    def prepare_path(self, *paths: NodePath) -> None:
        """Upload the meshes of these nodes with the next frame."""
        if self._uploading is None:
            self._uploading = self._root.attachNewNode(GeomNode("uploading"))
            self._region.setActive(True)
        for path in paths:
            self._uploading.node().addGeomsFrom(path.node())

    def step(self) -> None:
        """Do one piece of work; to be called once a frame."""
        if self._waiting:
            self._waiting.popleft()()

    def finish(self, root: NodePath) -> None:
        """Do all waiting work now, and upload all meshes below `root` and all shaders with the next frame."""
        while self._waiting:
            self.step()
        self.prepare_path(*_with_meshes(root))
        prepare_programs(self._window.getGsg())

    def drawn(self) -> None:
        """Stop drawing the uploaded meshes; to be called after each frame."""
        if self._uploading is not None:
            self._uploading.removeNode()
            self._uploading = None
            self._region.setActive(False)

    def close(self) -> None:
        """Remove the preloading region from the window."""
        self._window.removeDisplayRegion(self._region)

    def _make(self, make: Callable[[], object]) -> None:
        """Call `make()`, and let the next piece of work upload its Geom, if it returns one."""
        geom = make()
        if geom is not None:
            self._waiting.appendleft(partial(self.prepare_path, _holder(geom)))


def _holder(geom: Geom) -> NodePath:
    """A new node with this Geom."""
    node = GeomNode("ahead")
    node.addGeom(geom)
    return NodePath(node)


def _with_meshes(root: NodePath) -> Any:
    """All GeomNodes below `root`, hidden (+h) and stashed (+s) ones included."""
    return root.findAllMatches("**/+GeomNode;+h+s")
