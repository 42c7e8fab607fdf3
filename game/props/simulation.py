"""Collisions of props with each other and with vehicles, simulated by panda3d.bullet outside the core.

    props = PropSimulation(world, world.file.props)
    session.outside = props.outside                # before every tick: Bullet's step, and its wrenches on the vehicles

In a tick: vehicles' poses and velocities into Bullet (vehicle_body.py), the bodies that may support their wheels out of
it (wheel_support.py), Bullet's step of the same length, its impulses on the vehicles into the tick. Both are inputs of
the tick and recorded with it, so that repeating a drive needs no Bullet.

Nothing near and nothing awake, no cost: whether a vehicle comes near anything is looked at 20 times a second, and
Bullet steps only while one is near or a prop is awake. Positions of moving props are recorded 60 times a second, for
pictures and recording.
"""

import math
from collections import deque
from itertools import combinations

import numpy as np
from panda3d.bullet import BulletWorld
from panda3d.core import Vec3

from driving_sandbox.game.props.bodies import foot_pose, hinge_of, make_body, read_pose, start_pose, transform
from driving_sandbox.game.props.carriers import Bodywork, Prop
from driving_sandbox.game.props.ground_tiles import GroundTiles
from driving_sandbox.game.props.kinds import load_kind
from driving_sandbox.game.props.vectors import length
from driving_sandbox.game.props.vehicle_body import body_of, motion_of
from driving_sandbox.game.props.wheel_support import WheelSupport
from driving_sandbox.physics.maths.quat import multiply
from driving_sandbox.physics.tick.context import EXTERNAL

LOOK_SECONDS = 0.05  # between two proximity queries
NEAR = 1.0  # m of clearance that counts as near, plus the distance moved until the next query
BETWEEN = 0.25  # m of air between two vehicles' boxes that does: six times the margin of Bullet's shapes
HASTE = 1.5  # times as far as at the present speed one may get until then
POSE_RATE = 60.0  # 1/s, as recordings have it
HISTORY_SECONDS = 0.25  # between two states stored for rewinding
HISTORY = 160  # states stored: forty seconds, more than can be rewound
FALLEN = -1e4  # m; a prop below fell off the world
CHANGED = 5e-5  # m and quaternion parts; half the resolution of a recording


class PropSimulation:
    """Props and their Bullet world.

    Args:
        world: physics.world.world.World. props: list of PlacedProp. recorder: function returning the Recorder or None.
    Attributes:
        kinds: Kind of each prop. groups: number of its entry in the world file. poses: float64[n, 7], centre of mass
        and orientation x, y, z, w of each as last read. awake: numbers of those that move.
    """

    def __init__(self, world, props=(), recorder=lambda: None):
        self.world, self._recorder = world, recorder
        self.bullet = BulletWorld()
        self.follow_gravity()
        self.tiles = GroundTiles(self.bullet, world.ground)
        self.kinds = [load_kind(prop.kind) for prop in props]
        self.groups = [prop.group for prop in props]
        self.start = np.array([_stand(world, p, k) for p, k in zip(props, self.kinds, strict=True)]).reshape(-1, 7)
        self._nodes = [make_body(kind, str(k)) for k, kind in enumerate(self.kinds)]
        for node, kind, pose in zip(self._nodes, self.kinds, self.start, strict=True):
            self._enter(node, kind, pose)
        self.start = np.array([start_pose(k, p) for k, p in zip(self.kinds, self.start, strict=True)]).reshape(-1, 7)
        self._radii = np.array([kind.radius for kind in self.kinds])
        surfaces = world.ground.surfaces
        self._prop_carriers = {
            k: Prop(self.bullet, node, kind, surfaces)
            for k, (node, kind) in enumerate(zip(self._nodes, self.kinds, strict=True))
            if kind.drivable
        }
        self.vehicles = [body_of(self.bullet, v, surfaces) for v in world.vehicles]
        for train in world.trains:
            for i in train:
                body = self.vehicles[i]
                body.train = tuple(self.vehicles[k] for k in train)
                body.passed = tuple(self.vehicles) if world.vehicle_contact else body.train
        self._wheel_supports = [WheelSupport(v) for v in world.vehicles]
        self._bodyworks = [self._bodywork(i) for i in range(len(self.vehicles))]
        self._followed = []  # Props and Bodyworks that wheels may come to until the next look
        self._look_every = max(1, round(LOOK_SECONDS / world.tick_seconds))
        self._read_every = max(1, round(1.0 / (POSE_RATE * world.tick_seconds)))
        self._keep_every = max(1, round(HISTORY_SECONDS / world.tick_seconds))
        self._external = np.zeros(len(self.vehicles), EXTERNAL)
        self._forget()

    def _forget(self) -> None:
        self.poses, self._recorded = self.start.copy(), self.start.copy()
        self.awake, self._changed = [], np.zeros(len(self.kinds), bool)
        self._next_look, self._last_tick = 0, -1
        self._history = deque(maxlen=HISTORY)
        for node, pose in zip(self._nodes, self.start, strict=True):
            _put_to_rest(node, pose)

    def _enter(self, node, kind, pose):
        self.bullet.attach(node)
        if kind.hinge is not None:
            self.bullet.attachConstraint(hinge_of(kind, node, pose))

    def _bodywork(self, i):
        """What supports wheels of other vehicles; None for a vehicle that nothing touches."""
        vehicle = self.world.vehicles[i]
        return Bodywork(vehicle, i, self.world.ground.surfaces) if "contact" in vehicle.sequence.by_slot else None

    # ---- ticks

    def outside(self, world):
        """External forces on the vehicles in the next tick: EXTERNAL array, or None without any."""
        tick = world.tick
        if tick >= self._next_look or tick < self._last_tick:
            self._look_around()
            self._next_look = tick + self._look_every
        self._last_tick = tick
        self._leave_jumped(tick)
        near = [i for i, body in enumerate(self.vehicles) if body.attached]
        if not near and not self.awake:
            return None
        if not self._history or tick - self._history[-1][0] >= self._keep_every:
            self._keep()
        acted = self._step(near, world.tick_seconds)
        if tick % self._read_every == 0:
            self.read()
            self._note()
        return self._external if acted else None

    def _leave_jumped(self, tick: int) -> None:
        """Remove vehicles that were placed since the last tick: the next tick updates their wheel positions."""
        for body, support in zip(self.vehicles, self._wheel_supports, strict=True):
            if body.attached and not body.moved_on(self.world.tick_seconds):
                body.detach()
                support.leave()
                self._next_look = tick + 1

    def _step(self, near, dt):
        """Step Bullet, and write its and the wheels' wrenches into `_external`; True when any acts on a vehicle.

        near: numbers of the vehicles that take part.
        """
        acted = False
        self._external.view(np.uint8)[:] = 0
        external = self._external
        for carrier in self._followed:
            carrier.follow()
        for i in near:
            motion = motion_of(self.world.vehicles[i])
            acted |= self._wheel_supports[i].press(i, external)
            acted |= self._wheel_supports[i].find(external[i], motion, dt)
            self.vehicles[i].put(motion)
        self.bullet.doPhysics(dt, 0)
        for i in near:
            self._wheel_supports[i].carry(external[i], dt)
            change = self.vehicles[i].change(dt)
            if change is not None:
                external["impulse"][i] += change[0]
                external["angular_impulse"][i] += change[1]
                acted = True
        return acted

    def _look_around(self) -> None:
        """Add vehicles that come near a prop, and build the ground under props they come near."""
        ahead = HASTE * self._look_every * self.world.tick_seconds
        for i, body in enumerate(self.vehicles):
            if body.refresh():
                self._bodyworks[i] = self._bodywork(i)
        motions = [motion_of(v) for v in self.world.vehicles]
        near, met = self._near(motions, ahead), self._met(motions, ahead)
        for i, body in enumerate(self.vehicles):
            if near[i]:
                self.tiles.cover(self.poses[near[i]], self._radii[near[i]])
            carriers = [self._prop_carriers[k] for k in near[i] if k in self._prop_carriers] + [
                self._bodyworks[j] for j in met[i]
            ]
            for carrier in carriers:
                carrier.look()
            self._wheel_supports[i].look(carriers, motions[i], ahead)
            body.attach() if met[i] or near[i] else body.detach()
        self._followed = list(
            dict.fromkeys(carrier for support in self._wheel_supports for carrier in support.carriers)
        )

    def _near(self, motions, ahead):
        """Indices of the props that each vehicle may come near in the seconds ahead."""
        found = [[] for _ in self.vehicles]
        reach = [body.radius + NEAR + ahead * length(motion.velocity)
                 for body, motion in zip(self.vehicles, motions, strict=True)]  # fmt: skip
        away = np.array([motion.position for motion in motions])[:, None] - self.poses[:, :3]
        apart = np.sqrt(np.einsum("ikx,ikx->ik", away, away)) - self._radii
        for i, k in np.argwhere(apart < np.array(reach)[:, None]).tolist():
            found[i].append(k)
        return found

    def _met(self, motions, ahead):
        """Numbers of the other vehicles that each one may come to touch in the seconds ahead."""
        found = [[] for _ in self.vehicles]
        for (i, body), (j, other) in combinations(enumerate(self.vehicles), 2):
            one, two = motions[i], motions[j]
            air = math.dist(one.position, two.position) - body.radius - other.radius
            if air >= NEAR + ahead * math.dist(one.velocity, two.velocity) or other in body.train:
                continue
            if body.gap_to(other, one, two, ahead) < BETWEEN:
                found[i].append(j)
                found[j].append(i)
        return found

    # ---- view

    def read(self) -> None:
        """Read the poses of awake props, and find those that woke or fell asleep."""
        before = self.awake
        self.awake = [k for k, node in enumerate(self._nodes) if node.isActive()]
        moved = list(dict.fromkeys((*before, *self.awake)))
        if not moved:
            return
        self.poses[moved] = [read_pose(self._nodes[k]) for k in moved]
        self._changed[moved] = True
        for k in np.flatnonzero(self.poses[:, 2] < FALLEN):
            self.poses[k] = self.start[k]
            _put_to_rest(self._nodes[k], self.start[k])
        self.tiles.cover(self.poses[self.awake], self._radii[self.awake])

    def take_changed(self):
        """Indices of the props moved since the last call."""
        found = np.flatnonzero(self._changed)
        self._changed[:] = False
        return found

    def _note(self) -> None:
        """Record the moved props."""
        recorder = self._recorder()
        if recorder is None:
            return
        moved = np.flatnonzero(np.abs(self.poses - self._recorded).max(axis=1, initial=0.0) > CHANGED)
        recorder.prop_poses(moved, self.poses[moved])
        self._recorded[moved] = self.poses[moved]

    def record_all(self) -> None:
        """Record all props and their poses with a new recorder."""
        recorder = self._recorder()
        if recorder is not None and self.kinds:
            recorder.props([kind.key for kind in self.kinds], self.poses)

    # ---- resetting props

    def reset(self) -> None:
        """Return all props to their start."""
        recorded = self._recorded
        self._forget()
        self._recorded = recorded
        self._changed[:] = True
        self._keep()
        self._note()

    def put(self, poses):
        """Set all props to poses [n, 7], at rest: the state of a resumed drive."""
        self.poses = np.array(poses, float)
        self._changed[:] = True
        self._history.clear()
        for node, pose in zip(self._nodes, self.poses, strict=True):
            _put_to_rest(node, pose)
        self._note()

    def follow_gravity(self) -> None:
        """Use the gravity of the world's vehicles."""
        self.bullet.setGravity(Vec3(*(float(g) for g in self.world.context["gravity"][0])))

    def vehicle_swapped(self) -> None:
        """Vehicles of the world became other objects: a component was changed."""
        for body, support, vehicle in zip(self.vehicles, self._wheel_supports, self.world.vehicles, strict=True):
            body.stand_for(vehicle)
            support.vehicle = vehicle
        self._bodyworks = [self._bodywork(i) for i in range(len(self.vehicles))]
        self._next_look = 0  # the near props were selected for the former wheels

    def jumped(self) -> None:
        """Call after the world was rewound or placed: props are rewound with it."""
        if self.world.tick < self._last_tick:
            while len(self._history) > 1 and self._history[-1][0] > self.world.tick:
                self._history.pop()
            if self._history:
                self._restore(self._history[-1])
            self._last_tick = self.world.tick
        self._next_look = 0
        for support in self._wheel_supports:
            support.leave()

    def _keep(self) -> None:
        """Keep the present state, to go back to it."""
        self.read()
        moving = [(k, Vec3(n.getLinearVelocity()), Vec3(n.getAngularVelocity()))
                  for k in self.awake for n in (self._nodes[k],)]  # fmt: skip
        self._history.append((self.world.tick, self.poses.copy(), moving))

    def _restore(self, kept):
        _, poses, moving = kept
        self._changed |= np.abs(self.poses - poses).max(axis=1, initial=0.0) > 0.0
        self.poses = poses.copy()
        for k in np.flatnonzero(self._changed):
            _put_to_rest(self._nodes[k], poses[k])
        for k, velocity, rate in moving:
            self._nodes[k].setActive(True, True)
            self._nodes[k].setLinearVelocity(velocity)
            self._nodes[k].setAngularVelocity(rate)
        self.awake = [k for k, _, _ in moving]
        self._note()


def _put_to_rest(node, pose):
    node.setTransform(transform(pose))
    node.setLinearVelocity(Vec3(0.0))
    node.setAngularVelocity(Vec3(0.0))
    node.clearForces()
    node.setActive(False, True)


def _stand(world, placement, kind):
    """Pose of a prop on the ground, upright on it, before any hinge turns it."""
    x, y = placement.position
    normal, height = (0.0, 0.0, 1.0), placement.height
    if height is None:
        low, high = world.ground.bounds
        top = float(high[2]) + 1.0
        hit, distance, found, _ = world.ground.cast((x, y, top), (0.0, 0.0, -1.0), top - float(low[2]) + 2.0)
        height, normal = (top - distance, tuple(found)) if hit else (0.0, normal)
    turn = multiply(
        _tilt(normal), (0.0, 0.0, float(np.sin(placement.heading / 2)), float(np.cos(placement.heading / 2)))
    )
    foot = np.array((x, y, height)) + np.array(normal) * placement.rise
    return foot_pose(foot, turn, kind)


def _tilt(normal):
    """Smallest rotation that takes up to a normal, which points upwards."""
    q = np.array((-normal[1], normal[0], 0.0, 1.0 + normal[2]))
    return tuple((q / np.linalg.norm(q)).tolist())
