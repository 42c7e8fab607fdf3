"""A buggy whose body an outer physics engine moves, and a wall in that engine."""

import numpy as np
from drive_rig import GRAVITY
from panda3d.bullet import (
    BulletBoxShape,
    BulletRigidBodyNode,
    BulletWorld,
)
from panda3d.core import Point3, TransformState, Vec3
from plain_engine import PlainBody, PlainEngine
from plain_tires import on_plain_tires
from row_rig import NO_AIR

from driving_sandbox.game.program.outer_bullet import create
from driving_sandbox.physics.ground.ground import plane_ground
from driving_sandbox.physics.tick.commands import NEUTRAL, neutral_command
from driving_sandbox.physics.vehicle.outer_body import OuterBodies, without_hull
from driving_sandbox.physics.world.world import World

TICK = 1.0 / 240.0  # s


class OuterVehicle:
    """A buggy on a plane whose body an outer engine moves.

    kind: "plain" or "bullet", the outer engine.
    height: of the model's origin, m; None: at rest on the ground.
    engine_first: whether the engine steps before the vehicle.
    gravity: of the vehicle's world, m/s^2; None: the default.
    settings: further arguments of OuterBodies.
    """

    def __init__(self, kind="plain", height=None, values=None, engine_first=False, gravity=None, **settings):
        self.vehicle = on_plain_tires("buggy")
        self.vehicle.set_many({**NO_AIR, **without_hull(self.vehicle), **(values or {})})
        self.world = World(plane_ground(), [self.vehicle], TICK)
        if gravity is not None:
            self.world.context["gravity"][0] = (0.0, 0.0, -gravity)
        self.world.place(0, (0.0, 0.0) if height is None else (0.0, 0.0, height), 0.0)
        self.engine_first = engine_first
        if kind == "plain":
            self.engine = PlainEngine()
            self.body = PlainBody(self.vehicle, scene=self.engine)
        else:
            self.engine = BulletWorld()
            self.engine.setGravity(Vec3(0.0, 0.0, -GRAVITY))
            hull = on_plain_tires("buggy")
            hull.put(self.vehicle.model_position(), self.vehicle.model_orientation())
            self.body = create(self.engine, hull, TICK)
        self.outer = OuterBodies(self.world, {0: self.body}, **settings)

    def step_engine(self):
        """Step the outer engine by one tick."""
        if isinstance(self.engine, BulletWorld):
            self.engine.doPhysics(TICK, 0)  # one step of just this length
        else:
            self.engine.step(TICK)

    def run(self, seconds, read=None, **values):
        """Step vehicle and engine; returns read(self) of every tick. values: fields of the command."""
        command = neutral_command()
        command["gear"] = NEUTRAL
        for name, value in values.items():
            command[name] = value
        rows = []
        for _ in range(round(seconds / TICK)):
            if self.engine_first:
                self.step_engine()
            assert self.outer.step(command) is None
            if not self.engine_first:
                self.step_engine()
            if read is not None:
                rows.append(read(self))
        return np.array(rows)

    @property
    def position(self):
        return np.array(self.body.pose()[0])

    @property
    def state(self):
        return self.vehicle.state["body"][0]


def wall(bullet, y):
    """Put a wall across the road, whose near face is at y, m."""
    node = BulletRigidBodyNode("wall")
    node.addShape(BulletBoxShape(Vec3(20.0, 0.5, 5.0)))
    node.setTransform(TransformState.makePos(Point3(0.0, y + 0.5, 3.0)))
    bullet.attach(node)
    return node
