"""Wheels on loose things and on other vehicles: boxes and wedges go into the tick, what wheels pressed comes back.

Before a tick every box or wedge that a wheel could reach is handed to the core as a moving body
(physics/road/bodies.py), the nearest MOVING_CAPACITY of them, with the way Bullet moves it in the same tick. There the
wheels are swept against it exactly as against the ground. After the tick the thing under a wheel gets the opposite of
what the wheel got from it (physics/road/pressed.py), one tick late: a wrench, impulse and moment about a fixed point of
the world, so that neither the delay nor the way of the tick costs angular momentum.

In that tick a thing is as heavy as the ground for the wheel. What it can really take is less: a push may not make it
run away from the wheel faster than PRESS_SPEED, or energy would come from nowhere. With the wheel closing in by u along
the normal n, at r from the thing's centre of mass, it takes at most the share of the push that has the normal impulse

    (max(0, u) + PRESS_SPEED) / k        k = 1/m + n . (I^-1 (r x n)) x r

and the wheel gets back what it had too much of, at the start of the next tick, so that momentum is kept.

What lies on something else hands on what a wheel presses; Bullet resolves that within its step only up to a depth. So
such a thing gets PRESS_SPEED per tick at most, and the ground below, or the foot of a hinge, the rest at once; or it
would jump up behind the wheel.

A wheel that stands holds fast by rows as stiff as for the ground (physics/contact): thing and car, each a tick late,
would shake each other by the tire's whole grip, and a car parked on crates would wander off with them. So along its
surface a standing wheel shoves a thing by HOLD_SPEED per tick at most; the rest goes where too much of a push goes.

Limits: a round thing has the square of its area; the bodywork of another vehicle the box of each of its parts, as long
on top as the part is. What moves faster than FLYING is left out, and met by the hull only.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from panda3d.core import Vec3

from game.props.bodies import axes_of, read_pose
from game.props.kinds import Tread
from game.props.vehicle_body import NODE_NAMES as VEHICLE_NODES
from physics.context import MOVING_CAPACITY

PRESS_SPEED = 0.5  # m/s a wheel's push may give a loose thing that lies on something, per tick
STANDS = 0.2  # m/s; a wheel slower than that over a thing may be held by it, as by the ground (physics/contact)
HOLD_SPEED = 0.02  # m/s such a wheel may shove the thing per tick; much more, and thing and car shake each other
UPRIGHT = 0.99  # cosine of 8 degrees: the top of such a thing is about as high everywhere
FLYING = 3.0  # m/s; a thing that fast is kicked up or pushed along, and no footing
AROUND = 0.3  # m beyond a wheel's reach within which a thing is followed every tick, not only 20 times a second
CLOSE = 0.03  # m beside a wheel's tread, besides its way in a tick
SPARE = 0.12  # m beyond a wheel's own reach that is looked at: the sweep looks 0.1 m below full droop
BODYWORK = "metal"  # surface of other vehicles under wheels
NEARLY_TOP = 0.1  # share of a part's height below its top that counts as its top


class Wrench(NamedTuple):
    """Impulses added up, N s, and their moments about a point of the world, N m s."""

    impulse: np.ndarray
    moment: np.ndarray
    about: np.ndarray

    def moment_about(self, place):
        return self.moment + np.cross(self.about - place, self.impulse)

    def share(self, of_it):
        return Wrench(of_it * self.impulse, of_it * self.moment, self.about)

    def less(self, other):
        """Without another one about the same point."""
        return Wrench(self.impulse - other.impulse, self.moment - other.moment, self.about)

    def point(self):
        """The point of the impulse's line that is nearest to where the moments are taken about."""
        return self.about + np.cross(self.impulse, self.moment) / float(self.impulse @ self.impulse)


@dataclass
class Thing:
    """A body of Bullet's that wheels may stand on."""

    bullet: object
    node: object
    treads: list
    surface: int
    press_limit: float  # N s per tick and wheel while it rests on something; infinite for a thing on a hinge
    restitution: float

    def pose(self):
        return read_pose(self.node)

    def way(self, middle, stepped):
        """Velocity in this tick of what was at `middle` before Bullet's step and `stepped` on in it."""
        return stepped

    def moves(self):
        return self.node.isActive()

    def flies(self):
        return self.node.getLinearVelocity().lengthSquared() > FLYING * FLYING

    def spin(self):
        return tuple(self.node.getAngularVelocity())

    def velocity(self, point):
        arm = Vec3(*point.tolist()) - self.node.getTransform().getPos()
        return np.array(tuple(self.node.getLinearVelocity() + self.node.getAngularVelocity().cross(arm)))

    def inverse_mass(self, point, normal):
        """1/kg that a push along the normal at a point meets."""
        n = Vec3(*normal.tolist())
        arm = Vec3(*point.tolist()) - self.node.getTransform().getPos()
        return self.node.getInvMass() + n.dot(self.node.getInvInertiaTensorWorld().xform(arm.cross(n)).cross(arm))

    def rests(self):
        """Whether something but vehicles carries it."""
        if np.isinf(self.press_limit):
            return True
        return any(c.getNode0().getName() not in VEHICLE_NODES and c.getNode1().getName() not in VEHICLE_NODES
                   for c in self.bullet.contactTest(self.node, True).getContacts())  # fmt: skip

    def press(self, wrench, outside):
        self.node.setActive(True)
        self.node.setRestitution(0.0)  # or it would bounce off the ground it is pressed on
        place = np.array(tuple(self.node.getTransform().getPos()))
        self.node.applyCentralImpulse(Vec3(*wrench.impulse.tolist()))
        self.node.applyTorqueImpulse(Vec3(*wrench.moment_about(place).tolist()))
        return False  # no vehicle

    def release(self):
        """Bullet has stepped through the tick it was pressed in."""
        self.node.setRestitution(self.restitution)


@dataclass
class Bodywork:
    """Another vehicle, whose bodywork wheels may stand on. `index`: its place among the vehicles."""

    vehicle: object
    index: int
    treads: list
    surface: int
    press_limit = np.inf

    def pose(self):
        body = self.vehicle.state["body"][0]
        return *body["position"].tolist(), *body["orientation"].tolist()

    def way(self, middle, stepped):
        body = self.vehicle.state["body"][0]
        return body["velocity"] + np.cross(body["angular_velocity"], middle - body["position"])

    def moves(self):
        return True

    def flies(self):
        return False

    def spin(self):
        return tuple(self.vehicle.state["body"]["angular_velocity"][0].tolist())

    def velocity(self, point):
        return motion_at(self.vehicle.state["body"][0], point)

    def inverse_mass(self, point, normal):
        """1/kg that a push along the normal at a point meets."""
        body, params = self.vehicle.state["body"][0], self.vehicle.params["body"][0]
        axes, arm = axes_of(body["orientation"][None])[0], point - body["position"]
        turned = axes @ ((axes.T @ np.cross(arm, normal)) / params["inertia"])
        return 1.0 / float(params["mass"]) + float(normal @ np.cross(turned, arm))

    def rests(self):
        return False  # it gives in on its own wheels

    def press(self, wrench, outside):
        return give(outside, self.index, self.vehicle, wrench)

    def release(self):
        pass


def motion_at(body, point):
    """Velocity of a vehicle's body at a point of the world."""
    return body["velocity"] + np.cross(body["angular_velocity"], point - body["position"])


def give(outside, index, vehicle, wrench):
    """Add a wrench to what acts on a vehicle in the coming tick; True, for something does now."""
    outside["impulse"][index] += wrench.impulse
    outside["angular_impulse"][index] += wrench.moment_about(vehicle.state["body"]["position"][0])
    return True


def thing_of(bullet, node, kind, surfaces):
    """Thing of a kind's body; a surface that this world does not have is its first."""
    limit = PRESS_SPEED * kind.mass if kind.hinge is None else np.inf
    return Thing(bullet, node, kind.treads, surface_of(kind.surface, surfaces), limit, kind.restitution)


def surface_of(name, surfaces):
    """Number of a surface in a world's table."""
    return surfaces.index(name) if name in surfaces.names else 0


def bodywork_of(vehicle, index, surfaces):
    """Bodywork of a vehicle: a wedge within each convex part of its hull, the wheels' parts left out."""
    hull, treads = vehicle.params["contact"][0]["hull"], []
    for part in range(int(hull["part_count"])):
        if hull["part_up"][part] < 1.0:
            continue  # a wheel
        points = hull["vertices"][hull["vertex_start"][part] : hull["vertex_start"][part + 1]]
        low, high = points.min(axis=0), points.max(axis=0)
        middle, half = (low + high) / 2.0, (high - low) / 2.0
        upper = points[points[:, 2] >= high[2] - NEARLY_TOP * (high[2] - low[2]), 1] - middle[1]
        treads.append(Tread(tuple(middle.tolist()), tuple(half.tolist()), (float(upper.min()), float(upper.max()))))
    return Bodywork(vehicle, index, treads, surface_of(BODYWORK, surfaces))


class Footing:
    """What the wheels of one vehicle may meet, and what they press on."""

    def __init__(self, vehicle):
        self.vehicle = vehicle
        self._handed, self._under = [], []  # which of what is near went into the tick: numbers, Things and Bodyworks
        self._pressed = []
        self._before = None  # the vehicle's body before the tick in which the wheels pressed
        self._about = None  # centre of the first thing that went into that tick
        self._take([])

    def look(self, near):
        """Take what is near from now on: Things and Bodyworks."""
        if near or self._near:
            self._take(near)

    def _take(self, near):
        self._near = [(thing, tread) for thing in near for tread in thing.treads]
        count = len(self._near)
        self._locals = np.array([tread.middle for _, tread in self._near]).reshape(count, 3, 1)
        self._halves = np.array([tread.half for _, tread in self._near]).reshape(count, 1, 3)
        self._radii = np.linalg.norm(self._halves[:, 0], axis=1)
        self._poses, self._middles, self._turns = np.zeros((count, 7)), np.zeros((count, 3)), np.zeros((count, 3, 3))
        self._heights = np.zeros(count)  # of tops: what is higher than a wheel's centre is no road
        self._follow(list(range(count)))

    def _follow(self, numbers):
        """Read where some of what is near has got to."""
        if not numbers:
            return
        self._poses[numbers] = [self._near[k][0].pose() for k in numbers]
        turns = axes_of(self._poses[numbers, 3:])
        self._turns[numbers] = turns
        self._middles[numbers] = self._poses[numbers, :3] + (turns @ self._locals[numbers])[..., 0]
        up = turns[:, 2, 2]
        tops = self._middles[numbers, 2] + up * self._halves[numbers, 0, 2]
        self._heights[numbers] = np.where(up > UPRIGHT, tops, -np.inf)

    def press(self, index, outside):
        """Give what is under the wheels what it gave them in the last tick; True when a vehicle got something.

        index: of this vehicle in `outside`.
        """
        self._pressed = []
        if not self._under:
            return False
        state, acted = self.vehicle.state, False
        road, pressed = state["road"][0], state["pressed"][0]
        for i in range(self.vehicle.wheel_count):
            number = int(pressed["body"][i])
            if not 0 < number <= len(self._under) or not pressed["impulse"][i].any():
                continue
            thing = self._under[number - 1]
            wrench = Wrench(-pressed["impulse"][i], -pressed["moment"][i], self._about)
            normal = road["normal"][i]
            if road["body"][i] != number:  # it rolled on within the tick
                normal = pressed["impulse"][i] / np.linalg.norm(pressed["impulse"][i])
            held = self._held(thing, wrench, normal)
            wrench = wrench.less(held)
            taken, rests = self._share(thing, wrench.point(), normal, wrench.impulse)
            acted |= thing.press(wrench.share(taken), outside)
            self._pressed.append(thing)
            if (taken < 1.0 or held.impulse.any()) and not rests and not thing.rests():
                acted |= give(outside, index, self.vehicle, wrench.share(1.0 - taken).less(held.share(-1.0)))
        return acted

    def _held(self, thing, wrench, normal):
        """What a wheel that stands pushes along the surface beyond HOLD_SPEED."""
        point = wrench.point()
        sliding = wrench.impulse - float(wrench.impulse @ normal) * normal
        size = float(np.linalg.norm(sliding))
        apart = motion_at(self._before, point) - thing.velocity(point)
        if size == 0.0 or float(apart @ apart) > STANDS * STANDS:
            return wrench.share(0.0)
        rest = max(0.0, 1.0 - HOLD_SPEED / thing.inverse_mass(point, sliding / size) / size) * sliding
        return Wrench(rest, np.cross(point - wrench.about, rest), wrench.about)

    def _share(self, thing, point, normal, push):
        """(share of a push that a thing can take, whether what it rests on takes the rest)."""
        size = float(np.linalg.norm(push))
        along = -float(push @ normal)
        closing = max(0.0, float((thing.velocity(point) - motion_at(self._before, point)) @ normal))
        most = (closing + PRESS_SPEED) / thing.inverse_mass(point, normal)
        share = min(1.0, most / along) if along > 0.0 else 1.0
        if share == 1.0 and size <= thing.press_limit:
            return 1.0, False
        rests = thing.rests()
        return min(share, thing.press_limit / size) if rests else share, rests

    def leave(self):
        """Forget what the wheels stood on: the vehicle was put somewhere else."""
        self._under = []

    def find(self, external, dt):
        """Write what the wheels can reach in this tick into an EXTERNAL record; True when there is something."""
        self._handed, self._under = [], []
        if not self._near:
            return False
        self._before = self.vehicle.state["body"][0].copy()
        n = self.vehicle.wheel_count
        wheel, suspension = self.vehicle.params["wheel"][0, :n], self.vehicle.params["suspension"][0, :n]
        speed = float(np.linalg.norm(self.vehicle.state["body"]["velocity"][0]))
        reach = np.hypot(wheel["radius"], wheel["half_width"]) + suspension["travel"] + SPARE + speed * dt
        centres = self.vehicle.state["wheel"]["position"][0, :n]
        apart = np.linalg.norm(centres - self._middles[:, None], axis=2)
        around = np.flatnonzero((apart < reach + AROUND + self._radii[:, None]).any(axis=1))
        if not len(around):
            return False
        self._follow([k for k in around.tolist() if self._near[k][0].moves()])
        gap = self._gaps(around, centres, wheel, suspension["travel"], CLOSE + speed * dt)
        gap[self._heights[around, None] > centres[:, 2] + suspension["travel"]] = np.inf
        gap = gap.min(axis=1)
        nearest = np.argsort(gap, kind="stable")
        for k in around[nearest[gap[nearest] < 0.0]].tolist():
            if len(self._handed) < MOVING_CAPACITY and not self._near[k][0].flies():
                self._write(external, len(self._handed), k)
        return bool(self._handed)

    def _gaps(self, around, centres, wheel, travel, close):
        """[thing, wheel] distance between the box of each thing and that of each wheel's reach, along the wheel's axes.

        Above zero they are apart. `close`: m a wheel may get nearer in the tick.
        """
        turns = self._turns[around]
        axes = axes_of(self.vehicle.state["wheel"]["hub_orientation"][0, : len(centres)]).transpose(0, 2, 1)
        away = np.einsum("kwj,waj->kwa", centres - self._middles[around, None], axes)
        along = np.abs(np.einsum("kji,waj->kwai", turns, axes)) @ self._halves[around].transpose(0, 2, 1)[:, None]
        own = np.stack([wheel["half_width"], wheel["radius"], wheel["radius"] + travel + SPARE], axis=1) + close
        return (np.abs(away) - along[..., 0] - own).max(axis=2)

    def _write(self, external, at, k):
        thing, tread = self._near[k]
        if at == 0:
            self._about = self._middles[k].copy()
        external["moving_count"] = at + 1
        external["moving_position"][3 * at : 3 * at + 3] = self._middles[k]
        external["moving_orientation"][4 * at : 4 * at + 4] = self._poses[k, 3:]
        external["moving_half"][3 * at : 3 * at + 3] = tread.half
        external["moving_top"][2 * at : 2 * at + 2] = tread.top
        external["moving_surface"][at] = thing.surface
        self._handed.append(k)
        self._under.append(thing)

    def carry(self, external, dt):
        """Write how what was found moves in this tick: after Bullet's step, so that it ends where the next begins."""
        for thing in self._pressed:
            thing.release()
        if not self._handed:
            return
        before = self._middles[self._handed]
        self._follow([k for k in self._handed if self._near[k][0].moves()])
        for at, k in enumerate(self._handed):
            thing = self._near[k][0]
            way = thing.way(before[at], (self._middles[k] - before[at]) / dt)
            external["moving_velocity"][3 * at : 3 * at + 3] = way
            external["moving_spin"][3 * at : 3 * at + 3] = thing.spin()
