"""Wheels on loose things that carry them: planks, wedges, the see-saw.

Before a tick each wheel is swept along its suspension, as the cylinder it is, through the things nearby. What it meets
goes to the core as a plane (physics/road/props.py), so spring, damper and tire work on it as on the ground. The plane
is moved along its normal such that the core's own rule for the jounce finds the wheel exactly where the sweep stopped.
A plane holds for a whole tick, in which a fast wheel passes an edge: where the next tick's sweep meets another normal,
the plane is the secant through both, so that the wheel rises no more than the edge lets it.
After the tick the thing gets the opposite of spring and tire force at that point, one tick late.

Limits: one plane per wheel and tick; the force is that of the tick's last substep; the holding force of a tire at rest
and the push of a bump stop are not handed to the thing. So a thing that lies loose never compresses a suspension to its
end: a kicked plank of 20 kg would otherwise throw the car like a rock. And of a wheel's push it gets no more than gives
it PRESS_SPEED in a tick: pressed deeper into the ground than Bullet resolves in a step, it would jump up behind it.
"""

import math

import numpy as np
from panda3d.bullet import BulletCylinderShape, XUp
from panda3d.core import Point3, Quat, TransformState, Vec3

from game.props.bodies import FOOTING
from physics.context import PLANE_CAPACITY
from physics.road.props import STEEPEST
from physics.suspension.suspension import RAY

RAISE = 0.2  # m the sweep begins above full compression: a thing the wheel was pushed into is found, not missed
PRESS_SPEED = 0.5  # m/s a wheel's push may give a loose thing in a tick; the ground below it takes the rest
SPARE = 0.015  # m of travel that a thing lying loose leaves to a suspension
BENT = 0.9994  # cosine of 2 degrees between now and a tick later


class Footing:
    """Sweeps of one vehicle's wheels, and what they press on.

    Args:
        bullet: BulletWorld. vehicle: physics.vehicle.Vehicle. nodes: body of each thing, named by its number. kinds:
        Kind of each.
    """

    def __init__(self, bullet, vehicle, nodes, kinds):
        self._bullet, self.vehicle, self._nodes, self._kinds = bullet, vehicle, nodes, kinds
        self._shapes = {}
        self._standing = []  # (wheel, number of the thing, offset of its plane)

    def _shape(self, i):
        wheel = self.vehicle.params["wheel"][0][i]
        key = (float(wheel["radius"]), float(wheel["half_width"]))
        if key not in self._shapes:
            self._shapes[key] = BulletCylinderShape(key[0], 2.0 * key[1], XUp)
        return self._shapes[key]

    def press(self, dt):
        """Give the things under the wheels what the last tick's forces were."""
        state = self.vehicle.state
        for i, number, offset in self._standing:
            road, s, tire = state["road"][0, i], state["suspension"][0, i], state["tire"][0, i]
            if road["offset"] != offset or not s["on_ground"]:
                continue  # the ground carries it, or nothing does
            force = s["force_vector"] + tire["longitudinal"] * tire["longitudinal_force"]
            force = force + tire["lateral"] * tire["lateral_force"]
            node = self._nodes[number]
            arm = Vec3(*road["point"].tolist()) - Vec3(node.getTransform().getPos())
            push = -dt * force
            if self._kinds[number].hinge is None:
                most = PRESS_SPEED * self._kinds[number].mass
                push = push * min(1.0, most / max(float(np.linalg.norm(push)), 1e-9))
            node.setActive(True)
            node.applyImpulse(Vec3(*push.tolist()), Point3(arm))
        self._standing = []

    def leave(self):
        """Forget what the wheels stood on: the vehicle was put somewhere else."""
        self._standing = []

    def find(self, external, dt):
        """Write the planes under the wheels into an EXTERNAL record; True when there is one."""
        found = 0
        for i in range(self.vehicle.wheel_count):
            if found == PLANE_CAPACITY:
                break
            plane = self._sweep(i, dt)
            if plane is None:
                continue
            number, normal, offset, velocity = plane
            external["plane_wheel"][found], external["plane_offset"][found] = i, offset
            external["plane_normal"][3 * found : 3 * found + 3] = normal
            external["plane_velocity"][3 * found : 3 * found + 3] = velocity
            external["plane_friction"][found] = self._kinds[number].tire_friction
            self._standing.append((i, number, offset))
            found += 1
        external["plane_count"] = found
        return found > 0

    def _sweep(self, i, dt):
        """(number of the thing, normal, offset, velocity there) under a wheel, or None."""
        state, p = self.vehicle.state, self.vehicle.params["suspension"][0][i]
        s, wheel = state["suspension"][0, i], state["wheel"][0, i]
        if not s["jounce_known"]:
            return None
        direction, centre, q = s["direction"], wheel["position"], wheel["hub_orientation"].tolist()
        top = centre - direction * (float(p["travel"]) - float(s["jounce"]) + RAISE)
        bottom = centre + direction * float(s["jounce"])
        turn = Quat(q[3], q[0], q[1], q[2])
        met = self._meet(i, top, bottom, turn)
        if met is None:
            return None
        share, normal, node, point = met
        velocity = np.array(_velocity_at(node, point))
        body = state["body"][0]
        moved = dt * (body["velocity"] + np.cross(body["angular_velocity"], centre - body["position"]) - velocity)
        moved -= direction * float(moved @ direction)
        later = self._meet(i, top + moved, bottom + moved, turn)
        number, way = int(node.getName()), float(np.linalg.norm(bottom - top))
        if later is not None and float(later[1] @ normal) < BENT:
            normal = _secant(direction, moved, (share - later[0]) * way)
        if float(normal @ direction) > -STEEPEST:
            return None
        if self._kinds[number].hinge is None:  # a plank kicked up must not hit the rigid bump stop
            share = max(share, (RAISE + SPARE) / way)
            left = share * way - RAISE - SPARE if later is not None else 0.0
            if float(normal @ moved) / float(normal @ direction) > left:
                normal = _secant(direction, moved, left)
        stopped = top + (bottom - top) * share
        offset = self._offset(i, p, normal, stopped, direction, turn)
        return number, normal, offset, velocity

    def _meet(self, i, top, bottom, turn):
        """(share of the way, unit normal, body, point) of what the wheel meets on its way down, or None."""
        result = self._bullet.sweepTestClosest(
            self._shape(i), TransformState.makePosQuatScale(Point3(*top.tolist()), turn, Vec3(1.0)),
            TransformState.makePosQuatScale(Point3(*bottom.tolist()), turn, Vec3(1.0)), FOOTING, 0.0,
        )  # fmt: skip
        if not result.hasHit():
            return None
        n = result.getHitNormal()
        normal = np.array((n[0], n[1], n[2]), float)
        length = float(np.linalg.norm(normal))
        if not 0.5 < length < 2.0:  # it began inside
            return None
        return result.getHitFraction(), normal / length, result.getNode(), Point3(result.getHitPos())

    def _offset(self, i, p, normal, centre, direction, turn):
        """Offset of the plane on which the core's rules (`ray_depth`, `sweep_depth`) put the wheel's centre here.

        In plain numbers: calling those kernels from here would compile them while driving.
        """
        wheel = self.vehicle.params["wheel"][0][i]
        radius, half_width = float(wheel["radius"]), float(wheel["half_width"])
        if int(p["jounce_query"]) == RAY:
            return -float(normal @ (centre + direction * radius))
        tilt = float(normal @ np.array(tuple(turn.xform(Vec3(1, 0, 0)))))
        return radius * math.sqrt(max(0.0, 1.0 - tilt * tilt)) + half_width * abs(tilt) - float(normal @ centre)


def _secant(direction, moved, rise):
    """Normal of the plane on which a wheel that moves on by `moved`, across its line of travel, rises by `rise`."""
    run = float(np.linalg.norm(moved))
    normal = -direction - moved * (rise / max(run * run, 1e-12))
    return normal / np.linalg.norm(normal)


def _velocity_at(node, point):
    arm = Vec3(point) - Vec3(node.getTransform().getPos())
    v = node.getLinearVelocity() + node.getAngularVelocity().cross(arm)
    return v[0], v[1], v[2]
