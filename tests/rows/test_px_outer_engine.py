"""Outer physics engines: bodies made, set up and taken away, an engine for each world, and one for a batch."""

import numpy as np
import pytest
from drive_rig import GRAVITY
from outer_rig import TICK, OuterVehicle, wall
from panda3d.bullet import (
    BulletBoxShape,
    BulletConeShape,
    BulletRigidBodyNode,
    BulletSphericalConstraint,
    BulletWorld,
)
from panda3d.core import Point3, TransformState, Vec3
from plain_engine import PlainBody, PlainEngine
from plain_tires import on_plain_tires
from row_rig import NO_AIR

from driving_sandbox.game.program.outer_bullet import configure, create, destroy
from driving_sandbox.physics.batch.batch import Batch
from driving_sandbox.physics.ground.ground import plane_ground
from driving_sandbox.physics.tick.commands import FIRST
from driving_sandbox.physics.vehicle.outer_body import OuterBodies, without_hull
from driving_sandbox.physics.world.world import World


@pytest.mark.covers("PX-CONT-09")
def test_a_ready_made_body_is_set_up_and_taken_away():
    bullet = BulletWorld()
    bullet.setGravity(Vec3(0.0, 0.0, -GRAVITY))
    car = OuterVehicle()
    node = BulletRigidBodyNode("made elsewhere")
    node.addShape(BulletBoxShape(Vec3(0.7, 1.5, 0.3)))
    node.addShape(BulletConeShape(0.3, 0.5), TransformState.makePos(Point3(0.0, 0.0, 0.4)))
    node.setMass(5.0)
    node.setLinearDamping(0.5)
    bullet.attach(node)
    car.engine, car.body = bullet, configure(bullet, node, car.vehicle, TICK)
    # 720 kg: the buggy
    assert node.getMass() == 720.0 and node.getGravity().length() == 0.0
    assert (node.getLinearDamping(), node.getAngularDamping(), node.isDeactivationEnabled()) == (0.0, 0.0, False)
    assert tuple(node.getInertia()) == pytest.approx(tuple(car.vehicle.params["body"][0]["inertia"]), rel=1e-5)
    car.outer = OuterBodies(car.world, {0: car.body})
    car.run(2.0, throttle=0.6, gear=FIRST)
    assert car.position[1] > 3.0 and bullet.getNumRigidBodies() == 1
    destroy(bullet, car.body)
    assert bullet.getNumRigidBodies() == 0 and node.getNumShapes() == 0


@pytest.mark.covers("PX-CONT-10")
def test_a_thousand_bodies_made_and_removed_leave_nothing():
    """Each body has a constraint, as a car has that tows a body of the engine."""
    bullet, vehicle = BulletWorld(), on_plain_tires("buggy")
    anchor = wall(bullet, 50.0)
    max_count = 0
    for _ in range(1000):
        body = create(bullet, vehicle, TICK)
        link = BulletSphericalConstraint(body.node, anchor, Point3(0.0), Point3(0.0))
        bullet.attachConstraint(link, True)
        max_count = max(max_count, bullet.getNumConstraints())
        destroy(bullet, body)
    assert max_count == 1
    assert bullet.getNumConstraints() == 0 and bullet.getNumRigidBodies() == 1


@pytest.mark.covers("PX-CONT-11")
def test_two_vehicles_with_an_engine_each_are_in_two_worlds():
    """Each falls in its own gravity onto its own ground. Only the vehicle whose engine has the wall meets it."""
    earth, moon = OuterVehicle("bullet", height=0.6), OuterVehicle("bullet", height=0.6, gravity=1.62)
    wall(earth.engine, 8.0)
    assert earth.world.context is not moon.world.context
    falls = [car.run(0.2, lambda c: c.state["velocity"][2])[-1] for car in (earth, moon)]
    assert falls == [pytest.approx(-GRAVITY * 0.2, rel=0.02), pytest.approx(-1.62 * 0.2, rel=0.02)]
    for car in (earth, moon):
        car.run(4.0, throttle=0.3, gear=FIRST)
    assert earth.position[1] < 8.0 < moon.position[1]
    assert earth.engine.getNumRigidBodies() == 2 and moon.engine.getNumRigidBodies() == 1


@pytest.mark.covers("PX-SNIP-04")
def test_two_hundred_vehicles_are_bit_identical_in_one_two_and_four_threads():
    """The bodies are called from a single thread, one after the other."""
    results = []
    for threads in (1, 2, 4):
        vehicle = on_plain_tires("buggy")
        vehicle.set_many({**NO_AIR, **without_hull(vehicle)})
        world = World(plane_ground(), [vehicle], TICK)
        world.place(0, (0.0, 0.0), 0.0)
        with Batch(vehicle, world, 200, threads=threads) as batch:
            scene = PlainEngine()
            bodies = {i: PlainBody(batch.states[i : i + 1], scene=scene) for i in range(200)}
            outer = OuterBodies(batch, bodies)
            commands = batch.neutral_commands()
            commands["gear"], commands["throttle"] = 2, np.linspace(0.0, 1.0, 200)
            commands["steer"] = np.linspace(-1.0, 1.0, 200)
            for _ in range(40):
                assert outer.step(commands) == []
                scene.step(TICK)
            assert scene.overlaps == 0 and len(scene.threads) == 1
            results.append(batch.states.tobytes())
            assert np.ptp(batch.read("body.velocity.y")) > 0.3
            assert np.all(batch.states["body"]["velocity"] == np.array([b.v for b in bodies.values()]))
    assert results[0] == results[1] == results[2]
