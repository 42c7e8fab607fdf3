"""A ring buffer of quads in a few Geoms; the oldest quad is overwritten.

Only chunks with new quads are uploaded, and chunks without visible quads are not drawn. No vertex memory is allocated
while driving.
"""

from __future__ import annotations

import numpy as np
from panda3d.core import Geom, GeomNode, GeomVertexData, NodePath, OmniBoundingVolume

from driving_sandbox.game.view.gl.geometry import triangles, vertex_data

CHUNK = 256  # quads of one Geom


class QuadPool:
    """A pool of quads, all drawn by the node `root`.

    Args:
        name: name of that node.
        count: minimum number of quads; it is rounded up to whole chunks.
        columns: names of the vertex columns (game/view/gl/geometry.py), in order.
        width: floats of a vertex.
    Attributes:
        rows: float32[quads, 4, width] vertices.
    """

    def __init__(self, name: str, count: int, *columns: str, width: int) -> None:
        self.count = -(-count // CHUNK) * CHUNK
        self.rows = np.zeros((self.count, 4, width), np.float32)
        self.root = NodePath(name)
        self._next = 0  # index of the quad that `add` returns next
        corner = np.array([[0, 1, 2], [0, 2, 3]]) + 4 * np.arange(CHUNK)[:, None, None]
        indices = triangles(corner, 4 * CHUNK)
        # for each chunk: vertices; node; time until which it is visible; [first, last] new quad in the chunk or None
        self._data: list[GeomVertexData] = []
        self._paths: list[NodePath] = []
        self._until: list[float] = []
        self._dirty: list[list[int] | None] = []
        for first in range(0, self.count, CHUNK):
            node = GeomNode(f"{name} {first}")
            data = vertex_data(self.rows[first : first + CHUNK].reshape(-1, width), *columns)
            geom = Geom(data)
            geom.addPrimitive(indices)
            node.addGeom(geom)
            node.setBounds(OmniBoundingVolume())
            node.setFinal(True)
            path = self.root.attachNewNode(node, len(self._paths))
            path.stash()  # not hidden, because hidden nodes are still traversed by every camera
            self._data.append(data)  # if written through the Geom, it would be copied and uploaded as a whole
            self._paths.append(path)
            self._until.append(-np.inf)
            self._dirty.append(None)

    def add(self, until: float) -> np.ndarray:
        """The next quad's rows [4, width], to be filled; the quad is visible until the time `until`, s."""
        index = self._next
        self._next = (index + 1) % self.count
        chunk, slot = divmod(index, CHUNK)
        dirty = self._dirty[chunk]
        if dirty is None:
            self._dirty[chunk] = [slot, slot]
        else:
            dirty[0], dirty[1] = min(dirty[0], slot), max(dirty[1], slot)
        if self._until[chunk] == -np.inf:
            self._paths[chunk].unstash(chunk)  # chunks are drawn in the order of the ring
        self._until[chunk] = max(self._until[chunk], until)
        return self.rows[index]

    def flush(self, time: float) -> None:
        """Upload new quads, and hide chunks whose quads have all expired at a time, s."""
        for chunk, dirty in enumerate(self._dirty):
            if dirty is not None:
                first, last = dirty[0], dirty[1] + 1
                rows = self.rows[chunk * CHUNK + first : chunk * CHUNK + last]
                array = self._data[chunk].modifyArray(0)
                stride = self.rows[0].nbytes
                memoryview(array).cast("B")[first * stride : last * stride] = rows.data.cast("B")
                self._dirty[chunk] = None
            elif self._until[chunk] < time and self._until[chunk] > -np.inf:
                self._paths[chunk].stash()
                self._until[chunk] = -np.inf

    def clear(self) -> None:
        """Remove all quads."""
        self.rows[:] = 0.0
        for chunk in range(len(self._data)):
            self._dirty[chunk] = [0, CHUNK - 1]
            self._paths[chunk].stash()
            self._until[chunk] = -np.inf
        self._next = 0
        self.flush(-np.inf)

    @property
    def shown(self) -> int:
        """Number of chunks that are drawn."""
        return sum(until > -np.inf for until in self._until)
