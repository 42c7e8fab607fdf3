"""The ground in Bullet: the core's triangles, in square tiles that are made where something moves.

Bullet's heightfield splits cells along the other diagonal, so a prop on it would float above or sink into the drawn
ground by up to a quarter of the step between corners. Tiles hold exactly the triangles of `nearby_triangles`, one body
for each surface in them. An endless plane is a plane.

Bullet multiplies friction and restitution of two bodies. Those of a prop are for dry asphalt; a surface has its own
`hull_friction` and `restitution` in proportion to asphalt's. So a barrel slides far on ice, and stays where it falls in
mud.
"""

import numpy as np
from panda3d.bullet import BulletPlaneShape, BulletRigidBodyNode, BulletTriangleMesh, BulletTriangleMeshShape
from panda3d.core import Geom, GeomTriangles, GeomVertexData, GeomVertexFormat, Plane, Point3, TransformState, Vec3

from driving_sandbox.game.props.bodies import GROUND
from driving_sandbox.physics.ground.arrays import NORMAL, OUT_FEATURE, OUT_SURFACE, VERTICES
from driving_sandbox.physics.ground.ground import Ground, nearby_triangles, triangle_buffers
from driving_sandbox.physics.ground.ground import Plane as FlatGround

TILE = 8.0  # m; 128 triangles of a 1 m grid: a third of a millisecond to make
REACH = 1.5  # m around a prop that is covered by tiles; at 60 m/s it moves 1 m between two looks
CAPACITY = 4096  # triangles per query; a dense mesh of 12 cm has less in a tile
MAX_TILES = 512  # tiles cached; the oldest are dropped, 30,000 m2 exceed any spread of props
FRICTION = 0.9  # of dry asphalt, multiplied with the prop's own
USUAL_FRICTION, USUAL_RESTITUTION = 0.5, 0.1  # hull_friction and restitution of dry asphalt in the standard surfaces
TALL = 1e6  # m, of a tile: it covers everything above or below


class GroundTiles:
    """Static bodies of the ground in a Bullet world."""

    def __init__(self, bullet, ground: Ground):
        self._bullet, self._ground = bullet, ground
        self._tiles = {}  # (i, j) -> bodies
        self._buffers = triangle_buffers(CAPACITY)
        self._meshes_only = isinstance(ground.terrain, FlatGround)
        if self._meshes_only:
            node = BulletRigidBodyNode("plane")
            # through the node's own origin: Bullet and Panda3D count a plane's distance with opposite signs
            node.addShape(BulletPlaneShape(Plane(Vec3(0, 0, 1), Point3(0.0))))
            node.setTransform(TransformState.makePos(Point3(0.0, 0.0, float(ground.terrain.height))))
            self._attach(node, ground.surfaces[int(ground.terrain.surface)])

    def __len__(self):
        return sum(len(tile) > 0 for tile in self._tiles.values())

    def cover(self, positions, radii):
        """Make sure there is ground around positions: float64[n, 2 or more] with x and y first, and radii [n]."""
        reach = np.asarray(radii)[:, None] + REACH
        first = np.floor((positions[:, :2] - reach) / TILE).astype(int).tolist()
        last = np.floor((positions[:, :2] + reach) / TILE).astype(int).tolist()
        wanted = {(i0, j0, i1, j1) for (i0, j0), (i1, j1) in zip(first, last, strict=True)}
        for i0, j0, i1, j1 in wanted:
            for i in range(i0, i1 + 1):
                for j in range(j0, j1 + 1):
                    if (i, j) not in self._tiles:
                        self._tiles[i, j] = self._make(i, j)
                        self._drop_oldest()

    def _drop_oldest(self) -> None:
        while len(self._tiles) > MAX_TILES:
            for node in self._tiles.pop(next(iter(self._tiles))):
                self._bullet.remove(node)

    def _make(self, i, j):
        if self._meshes_only and not self._ground.meshes:
            return []
        corners, surfaces = self._triangles(i, j)
        nodes = []
        for surface in np.unique(surfaces).tolist():
            nodes.append(BulletRigidBodyNode("ground"))
            nodes[-1].addShape(BulletTriangleMeshShape(_mesh(corners[surfaces == surface]), dynamic=False))
            self._attach(nodes[-1], self._ground.surfaces[surface])
        return nodes

    def _triangles(self, i, j):
        """(corners [n, 9], surfaces [n]) of all triangles of a tile, however many; a plane's own two are left out."""
        rows, ids = self._buffers
        low, high = (i * TILE, j * TILE, -TALL), ((i + 1) * TILE, (j + 1) * TILE, TALL)
        corners, surfaces = [], []
        count, first = CAPACITY, 2 if self._meshes_only else 0
        while count == CAPACITY:
            count = nearby_triangles(self._ground.arrays, low, high, rows, ids, CAPACITY, first)
            corners.append(rows[:count, VERTICES:NORMAL].copy())
            surfaces.append(ids[:count, OUT_SURFACE].copy())
            first = int(ids[count - 1, OUT_FEATURE]) + 1
        return np.concatenate(corners), np.concatenate(surfaces)

    def _attach(self, node, surface):
        node.setFriction(FRICTION * surface.hull_friction / USUAL_FRICTION)
        node.setRestitution(min(1.0, surface.restitution / USUAL_RESTITUTION))
        node.setIntoCollideMask(GROUND)
        self._bullet.attach(node)


def _mesh(corners):
    """Bullet's mesh of triangles [n, 9]; equal corners are shared."""
    points, index = np.unique(corners.reshape(-1, 3).astype(np.float32), axis=0, return_inverse=True)
    data = GeomVertexData("tile", GeomVertexFormat.getV3(), Geom.UHStatic)
    data.uncleanSetNumRows(len(points))
    memoryview(data.modifyArray(0)).cast("B")[:] = points.tobytes()
    primitive = GeomTriangles(Geom.UHStatic)
    primitive.setIndexType(Geom.NTUint32)
    vertices = primitive.modifyVertices()
    vertices.uncleanSetNumRows(index.size)
    memoryview(vertices).cast("B")[:] = np.ascontiguousarray(index.reshape(-1), np.uint32).tobytes()
    geom = Geom(data)
    geom.addPrimitive(primitive)
    mesh = BulletTriangleMesh()
    mesh.addGeom(geom)
    return mesh
