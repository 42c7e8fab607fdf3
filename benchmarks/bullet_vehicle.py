"""For comparison: panda3d.bullet's ray-cast vehicle with mass and wheel positions of one of ours, on our triangles."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from panda3d.bullet import (
    BulletBoxShape,
    BulletRigidBodyNode,
    BulletTriangleMesh,
    BulletTriangleMeshShape,
    BulletVehicle,
    BulletWorld,
    ZUp,
)
from panda3d.core import (
    Geom,
    GeomTriangles,
    GeomVertexData,
    GeomVertexFormat,
    NodePath,
    Point3,
    TransformState,
    Vec3,
)

if TYPE_CHECKING:
    from driving_sandbox.physics.ground.ground import Heightfield
    from driving_sandbox.physics.vehicle.vehicle import Vehicle


class BulletCar:
    """A Bullet world with one vehicle on a heightfield.

    Args:
        terrain: physics.ground.ground.Heightfield.
        vehicle: our Vehicle, whose mass, inertia, wheel positions, wheel radii and suspension travel are copied; the
            springs are four times as stiff.
        position, heading: start pose, as for World.place.
    """

    def __init__(self, terrain: "Heightfield", vehicle: "Vehicle", position: Sequence[float], heading: float) -> None:
        self.world = BulletWorld()
        self.world.setGravity(Vec3(0.0, 0.0, -9.81))
        self._add_ground(terrain)
        self._chassis, self.path = self._add_chassis(vehicle, position, heading)
        self.vehicle = BulletVehicle(self.world, self._chassis)
        self.vehicle.setCoordinateSystem(ZUp)
        self.world.attach(self.vehicle)
        for i in range(vehicle.wheel_count):
            self._add_wheel(vehicle, i)

    def _add_ground(self, terrain: "Heightfield") -> None:
        """Add a Heightfield as a triangle mesh."""
        rows, columns = terrain.heights.shape
        j, i = np.mgrid[0:rows, 0:columns]
        points = np.stack(
            [terrain.origin[0] + i * terrain.cell, terrain.origin[1] + j * terrain.cell, terrain.heights], axis=-1
        ).astype(np.float32)
        index = np.arange(rows * columns, dtype=np.uint32).reshape(rows, columns)
        a, b, c, d = index[:-1, :-1], index[:-1, 1:], index[1:, :-1], index[1:, 1:]
        triangles = np.stack([a, b, d, a, d, c], axis=-1).reshape(-1, 3)
        data = GeomVertexData("ground", GeomVertexFormat.getV3(), Geom.UHStatic)
        data.uncleanSetNumRows(points.size // 3)
        memoryview(data.modifyArray(0)).cast("B")[:] = points.tobytes()
        primitive = GeomTriangles(Geom.UHStatic)
        primitive.setIndexType(Geom.NTUint32)
        vertices = primitive.modifyVertices()
        vertices.uncleanSetNumRows(triangles.size)
        memoryview(vertices).cast("B")[:] = np.ascontiguousarray(triangles).tobytes()
        geom = Geom(data)
        geom.addPrimitive(primitive)
        mesh = BulletTriangleMesh()
        mesh.addGeom(geom)
        node = BulletRigidBodyNode("ground")
        node.addShape(BulletTriangleMeshShape(mesh, dynamic=False))
        node.setFriction(1.0)
        self.world.attach(node)

    def _add_chassis(
        self, vehicle: "Vehicle", position: Sequence[float], heading: float
    ) -> tuple[BulletRigidBodyNode, NodePath]:
        """(node, path) of the chassis: a box with mass and inertia of a Vehicle."""
        body = vehicle.params["body"][0]
        node = BulletRigidBodyNode("chassis")
        # m: half the size of a small car's body, and its middle above the centre of mass
        node.addShape(BulletBoxShape(Vec3(0.8, 1.9, 0.35)), TransformState.makePos(Point3(0.0, 0.0, 0.25)))
        node.setMass(float(body["mass"]))
        node.setInertia(Vec3(*(float(v) for v in body["principal_inertia"])))
        node.setDeactivationEnabled(False)
        self.world.attach(node)
        path = NodePath(node)
        path.setPos(*position)
        path.setH(math.degrees(heading))
        return node, path

    def _add_wheel(self, vehicle: "Vehicle", i: int) -> None:
        """Add wheel i with place, radius, stiffness and travel of a Vehicle's."""
        suspension, radius = vehicle.params["suspension"][0][i], float(vehicle.params["wheel"][0][i]["radius"])
        centre = vehicle.params["body"][0]["centre_of_mass"]
        mass = float(vehicle.params["body"][0]["mass"])
        wheel = self.vehicle.createWheel()
        attachment = np.asarray(suspension["attachment"]) - np.asarray(centre)
        wheel.setChassisConnectionPointCs(Point3(*attachment.tolist()))
        wheel.setWheelDirectionCs(Vec3(0.0, 0.0, -1.0))
        wheel.setWheelAxleCs(Vec3(1.0, 0.0, 0.0))
        wheel.setWheelRadius(radius)
        wheel.setSuspensionStiffness(float(suspension["stiffness"]) / mass * 4.0)  # Bullet multiplies by the mass
        wheel.setMaxSuspensionTravelCm(float(suspension["travel"]) * 100.0)
        # The next four are in Bullet's own units.
        wheel.setWheelsDampingCompression(2.3)
        wheel.setWheelsDampingRelaxation(3.5)
        wheel.setFrictionSlip(3.0)
        wheel.setRollInfluence(0.1)
        wheel.setFrontWheel(i < 2)

    def control(self, throttle: float, brake: float, steer: float) -> None:
        """Apply pedals 0..1 as forces typical of a small car, and steer -1..1 (+1 right) as up to 35 degrees."""
        for i in (0, 1):
            self.vehicle.setSteeringValue(-35.0 * steer, i)
        for i in range(4):
            self.vehicle.setBrake(80.0 * brake, i)
            self.vehicle.applyEngineForce(1500.0 * throttle if i >= 2 else 0.0, i)

    def step(self, dt: float) -> None:
        """One step of the whole world, called from Python as a game would."""
        self.world.doPhysics(dt, 1, dt)

    def motion(self) -> tuple[tuple[float, float, float], float, float, float]:
        """(position, m, heading, rad, forward speed, m/s, yaw rate, rad/s)."""
        position = self.path.getPos()
        heading = math.radians(self.path.getH())
        velocity = self.path.getRelativeVector(NodePath(), self._chassis.getLinearVelocity())
        return (position.x, position.y, position.z), heading, velocity.y, self._chassis.getAngularVelocity().z

    def state_hash(self) -> str:
        """Hash of the pose, to check that two runs are equal."""
        import hashlib

        text = repr((self.path.getPos(), self.path.getQuat()))
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
