"""Wheels on props and on other vehicles: boxes and wedges go into the tick, wheel reactions come back.

Before a tick every box or wedge that a wheel could reach is passed to the core as a moving body
(physics/road/bodies.py), the nearest MOVING_CAPACITY of them, with its motion by Bullet in the same tick. There the
wheels are swept against it exactly as against the ground. After the tick the prop under a wheel gets the opposite of
what the wheel got from it (physics/contact/wheel_reactions.py), one tick late: a wrench (impulse and moment) about a
fixed point of the world, so that neither the delay nor the motion within the tick costs angular momentum.

In that tick a prop is as heavy as the ground for the wheel. Its true capacity is less: a push may not make it
run away from the wheel faster than PRESS_SPEED, or energy would come from nowhere. With the wheel closing in by u along
the normal n, at r from the prop's centre of mass, it takes at most the share of the push that has the normal impulse

    (max(0, u) + PRESS_SPEED) / k        k = 1/m + n . (I^-1 (r x n)) x r

and the excess is returned to the wheel at the start of the next tick, so that momentum is conserved.

A prop that rests on another body transmits the wheel's push; Bullet resolves that within its step only up to a depth.
So such a prop gets PRESS_SPEED per tick at most, and the ground below, or the foot of a hinge, the rest at once; or it
would jump up behind the wheel.

A wheel at rest holds fast by rows as stiff as for the ground (physics/contact): prop and car, each a tick late,
would shake each other by the tire's whole grip, and a car parked on crates would wander off with them. So along its
surface a wheel at rest shoves a prop by HOLD_SPEED per tick at most; the rest is excess, as above.

What of all this wheels may come to is chosen 20 times a second, and only that is followed every tick.

Limits: bodies faster than FLYING (carriers.py) are left out, and collide with the hull only.
"""

import math
from typing import TYPE_CHECKING

from driving_sandbox.game.props.carriers import PRESS_SPEED, Wrench, give
from driving_sandbox.game.props.vectors import axes_of, cross, dot, length, reach_along, scale, sub
from driving_sandbox.physics.tick.context import MOVING_CAPACITY

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

AT_REST = 0.2  # m/s; a wheel slower than that over a prop may be held by it, as by the ground (physics/contact)
HOLD_SPEED = 0.02  # m/s such a wheel may shove the prop per tick; with much more, prop and car oscillate
AROUND = 0.3  # m beyond a wheel's reach, plus the distance moved until the next query, within which a prop is tracked
CLOSE = 0.03  # m of gap around a wheel's tread, plus its travel in a tick
SPARE = 0.12  # m beyond a wheel's own reach that is looked at: the sweep looks 0.1 m below full droop


class WheelSupport:
    """Bodies that the wheels of one vehicle may meet, and the reactions on them.

    Attributes: carriers: Props and Bodyworks whose motion it needs.
    """

    def __init__(self, vehicle: "Vehicle") -> None:
        self.vehicle = vehicle
        self.carriers = []
        self._near = []  # (Prop or Bodywork, number of its tread, wheels that may come to it until the next look)
        self._handed = []  # (Prop or Bodywork, number of its tread) of the bodies passed to the tick, in its order
        self._pressed = []
        self._before = None  # the vehicle's Motion before the tick in which the wheels pressed
        self._about = None  # centre of the first prop passed to that tick

    def look(self, near, motion, seconds):
        """Select the bodies the wheels may reach in these seconds, out of Props and Bodyworks just tracked."""
        self.carriers, self._near = [], []
        if not near:
            return
        n = self.vehicle.wheel_count
        params, suspension = self.vehicle.params["wheel"][0, :n], self.vehicle.params["suspension"][0, :n]
        self._travels = suspension["travel"].tolist()
        self._reaches = [
            (width, radius, radius + travel + SPARE)
            for width, radius, travel in zip(
                params["half_width"].tolist(), params["radius"].tolist(), self._travels, strict=True
            )
        ]
        wheels, turning = self._wheels(), length(motion.spin)
        for carrier in near:
            approach = carrier.approach(motion)
            for k, middle in enumerate(carrier.middles):
                margins = [AROUND + seconds * (approach + turning * math.dist(centre, middle)) for centre, _ in wheels]
                reached = [i for i, (wheel, reach, gap) in enumerate(zip(wheels, self._reaches, margins, strict=True))
                           if _gap(carrier, k, wheel, reach, 0.0, gap) < gap]  # fmt: skip
                if reached:
                    self._near.append((carrier, k, reached))
        self.carriers = list(dict.fromkeys(carrier for carrier, _, _ in self._near))

    def _wheels(self):
        """(centre, axes) of each wheel."""
        wheels = self.vehicle.state["wheel"][0, : self.vehicle.wheel_count]
        turns = wheels["hub_orientation"].tolist()
        return [(centre, axes_of(q)) for centre, q in zip(wheels["position"].tolist(), turns, strict=True)]

    def press(self, index, outside):
        """Apply the wheel reactions of the last tick to the bodies under the wheels; True when a vehicle got a wrench.

        index: of this vehicle in `outside`.
        """
        self._pressed = []
        if not self._handed:
            return False
        acted, n = False, self.vehicle.wheel_count
        road, pressed = self.vehicle.state["road"][0, :n], self.vehicle.state["wheel_reactions"][0, :n]
        for number, impulse, moment, stands_on, normal in zip(
            pressed["body"].tolist(), pressed["impulse"].tolist(), pressed["moment"].tolist(),
            road["body"].tolist(), road["normal"].tolist(), strict=True,
        ):  # fmt: skip
            if not 0 < number <= len(self._handed) or not any(impulse):
                continue
            carrier, _ = self._handed[number - 1]
            wrench = Wrench(scale(impulse, -1.0), scale(moment, -1.0), self._about)
            if stands_on != number:  # it rolled on within the tick
                size = length(impulse)
                normal = (impulse[0] / size, impulse[1] / size, impulse[2] / size)
            held = self._held(carrier, wrench, normal)
            wrench = wrench.less(held)
            taken, rests = self._share(carrier, wrench.point(), normal, wrench.impulse)
            acted |= carrier.press(wrench.share(taken), outside)
            self._pressed.append(carrier)
            if (taken < 1.0 or any(held.impulse)) and not rests and not carrier.rests():
                acted |= give(outside, index, self.vehicle, wrench.share(1.0 - taken).less(held.share(-1.0)))
        return acted

    def _held(self, carrier, wrench, normal):
        """What a wheel at rest pushes along the surface beyond HOLD_SPEED."""
        point = wrench.point()
        sliding = sub(wrench.impulse, scale(normal, dot(wrench.impulse, normal)))
        size = length(sliding)
        apart = sub(self._before.at(point), carrier.velocity(point))
        if size == 0.0 or dot(apart, apart) > AT_REST * AT_REST:
            return wrench.share(0.0)
        along = (sliding[0] / size, sliding[1] / size, sliding[2] / size)
        rest = scale(sliding, max(0.0, 1.0 - HOLD_SPEED / carrier.inverse_mass(point, along) / size))
        return Wrench(rest, cross(sub(point, wrench.about), rest), wrench.about)

    def _share(self, carrier, point, normal, push):
        """(share of a push that a prop can take, whether the body below it takes the rest)."""
        size = length(push)
        along = -dot(push, normal)
        closing = max(0.0, dot(sub(carrier.velocity(point), self._before.at(point)), normal))
        most = (closing + PRESS_SPEED) / carrier.inverse_mass(point, normal)
        share = min(1.0, most / along) if along > 0.0 else 1.0
        if share == 1.0 and size <= carrier.press_limit:
            return 1.0, False
        rests = carrier.rests()
        return min(share, carrier.press_limit / size) if rests else share, rests

    def leave(self) -> None:
        """Forget the supporting bodies: the vehicle was placed."""
        self._handed = []

    def find(self, external, motion, dt):
        """Write the bodies the wheels can reach in this tick into an EXTERNAL record; True when there are any.

        motion: the vehicle's.
        """
        self._handed = []
        if not self._near:
            return False
        wheels, found = self._wheels(), []
        close = CLOSE + length(motion.velocity) * dt
        for carrier, k, reached in self._near:
            if carrier.flies():
                continue
            gap = 0.0
            for i in reached:
                centre, _ = wheels[i]
                if carrier.tops[k] <= centre[2] + self._travels[i]:  # higher tops are not drivable
                    gap = min(gap, _gap(carrier, k, wheels[i], self._reaches[i], close, gap))
            if gap < 0.0:
                found.append((gap, carrier, k))
        found.sort(key=lambda one: one[0])
        self._handed = [(carrier, k) for _, carrier, k in found[:MOVING_CAPACITY]]
        if self._handed:
            self._before = motion
            self._write(external)
        return bool(self._handed)

    def _write(self, external):
        """Write poses and shapes of the found bodies."""
        middles = [carrier.middles[k] for carrier, k in self._handed]
        treads = [carrier.treads[k] for carrier, k in self._handed]
        count, self._about = len(treads), middles[0]
        external["moving_count"] = count
        external["moving_position"][: 3 * count] = _flat(middles)
        external["moving_orientation"][: 4 * count] = _flat(carrier.orientation for carrier, _ in self._handed)
        external["moving_half"][: 3 * count] = _flat(tread.half for tread in treads)
        external["moving_top"][: 2 * count] = _flat(tread.top for tread in treads)
        external["moving_surface"][:count] = [carrier.surface for carrier, _ in self._handed]

    def carry(self, external, dt):
        """Write the motion of the found bodies in this tick: after Bullet's step, so that it ends where the next
        begins."""
        for carrier in self._pressed:
            carrier.release()
        if self._handed:
            velocities, spins = zip(*(carrier.motion(k, dt) for carrier, k in self._handed), strict=True)
            external["moving_velocity"][: 3 * len(spins)] = _flat(velocities)
            external["moving_spin"][: 3 * len(spins)] = _flat(spins)


def _gap(carrier, k, wheel, reach, close, enough):
    """Distance between the box of a tread and that of a wheel's reach, along the axes of the wheel; above zero they are
    apart. Looked at until it is seen to be `enough` at least. `close`: m by which a wheel may get nearer."""
    centre, axes = wheel
    away, half, widest = sub(centre, carrier.middles[k]), carrier.treads[k].half, -math.inf
    for axis, own in zip(axes, reach, strict=True):
        widest = max(abs(dot(away, axis)) - reach_along(axis, carrier.axes, half) - (own + close), widest)
        if widest >= enough:
            break
    return widest


def _flat(rows):
    return [value for row in rows for value in row]
