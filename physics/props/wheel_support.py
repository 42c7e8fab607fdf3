"""Wheels on props and on other vehicles: boxes and wedges go into the tick, wheel reactions come back.

Before a tick every box or wedge that a wheel could reach is passed to it as a moving body (physics/road/bodies.py), the
nearest MOVING_CAPACITY of them, with its motion in the same tick. There the wheels are swept against it exactly as
against the ground. At the next tick the body under a wheel gets the opposite of what the wheel got from it
(physics/contact/wheel_reactions.py): a wrench (impulse and moment) about a fixed point of the world, so that neither
the delay nor the motion within the tick costs angular momentum.

In that tick a body is as heavy as the ground for the wheel. Its true capacity is less: a push may not make it run away
from the wheel faster than PRESS_SPEED, or energy would come from nowhere. With the wheel closing in by u along the
normal n, at r from the body's centre of mass, it takes at most the share of the push that has the normal impulse

    (max(0, u) + PRESS_SPEED) / k        k = 1/m + n . (I^-1 (r x n)) x r

and the excess is returned to the wheel at the start of the tick, so that momentum is conserved. A prop that rests on
something passes a push on to it within the tick; so it gets PRESS_SPEED at most, and what it rests on the rest at once.

A wheel at rest holds fast by rows as stiff as for the ground (physics/contact): body and car, each a tick late,
would shake each other by the tire's whole grip, and a car parked on crates would wander off with them. So along its
surface a wheel at rest shoves a body by HOLD_SPEED per tick at most; the rest is excess, as above.

What of all this wheels may come to is chosen 20 times a second, and only that is followed every tick.

Limits: props faster than FLYING (carriers.py) are left out, and collide with the hull only.
"""

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.physics.props.carriers import Motion, Wrench, give
from driving_sandbox.physics.props.vectors import axes_of, cross, dot, length, reach_along, scale, sub
from driving_sandbox.physics.tick.context import MOVING_CAPACITY

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

PRESS_SPEED = 0.5  # m/s a wheel's push may give a body, per tick
AT_REST = 0.2  # m/s; a wheel slower than that over a body may be held by it, as by the ground (physics/contact)
HOLD_SPEED = 0.02  # m/s such a wheel may shove the body per tick; with much more, body and car oscillate
AROUND = 0.3  # m beyond a wheel's reach, plus the distance moved until the next query, within which a body is tracked
CLOSE = 0.03  # m of gap around a wheel's tread, plus its travel in a tick
SPARE = 0.12  # m beyond a wheel's own reach that is looked at: the sweep looks 0.1 m below full droop

# What a vehicle's wheels were given in the last tick, until they press on it
SUPPORT = np.dtype(
    [
        ("count", np.int64),  # of treads given
        ("first", np.int64),  # moving bodies of others before them
        ("carrier", np.int64, MOVING_CAPACITY),  # number of each one's carrier
        ("tread", np.int64, MOVING_CAPACITY),  # and of the tread in it
        ("about", np.float64, 3),  # m, centre of the tick's first moving body
        ("position", np.float64, 3),  # m, of the vehicle before that tick
        ("velocity", np.float64, 3),  # m/s
        ("spin", np.float64, 3),  # rad/s
    ],
    align=True,
)


class WheelSupport:
    """Bodies that the wheels of one vehicle may meet, and the reactions on them.

    Args:
        vehicle: with the slot wheel_reactions. carriers: {number: Carrier} of all. given: SUPPORT record, length 1.
    Attributes:
        followed: carriers whose motion it needs.
    """

    def __init__(self, vehicle: "Vehicle", carriers: Mapping[int, Any], given: np.ndarray) -> None:
        self.vehicle, self._carriers, self._given = vehicle, carriers, given
        self.followed: list[int] = []
        self._near: list[tuple[int, int, list[int]]] = []  # (carrier, tread, wheels that may come to it)

    def look(self, near: Iterable[int], motion: Motion, seconds: float) -> None:
        """Select what the wheels may reach in these seconds, out of some carriers just followed."""
        self.followed, self._near = [], []
        near = list(near)
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
        for number in near:
            carrier = self._carriers[number]
            approach = carrier.approach(motion)
            for k, middle in enumerate(carrier.middles):
                margins = [AROUND + seconds * (approach + turning * length(sub(x, middle))) for x, _ in wheels]
                reached = [i for i, (wheel, reach, gap) in enumerate(zip(wheels, self._reaches, margins, strict=True))
                           if _gap(carrier, k, wheel, reach, 0.0, gap) < gap]  # fmt: skip
                if reached:
                    self._near.append((number, k, reached))
        self.followed = list(dict.fromkeys(number for number, _, _ in self._near))

    def _wheels(self) -> list:
        """(centre, axes) of each wheel."""
        wheels = self.vehicle.state["wheel"][0, : self.vehicle.wheel_count]
        turns = wheels["hub_orientation"].tolist()
        return [(centre, axes_of(q)) for centre, q in zip(wheels["position"].tolist(), turns, strict=True)]

    def press(self, index: int, outside: np.ndarray) -> None:
        """Apply the wheel reactions of the last tick to the bodies under the wheels.

        index: of this vehicle in `outside`, the EXTERNAL array that gets the excess.
        """
        given, n = self._given[0], self.vehicle.wheel_count
        first, count, about = int(given["first"]), int(given["count"]), tuple(given["about"].tolist())
        if not count:
            return
        road, pressed = self.vehicle.state["road"][0, :n], self.vehicle.state["wheel_reactions"][0, :n]
        for number, impulse, moment, stands_on, normal in zip(
            pressed["body"].tolist(), pressed["impulse"].tolist(), pressed["moment"].tolist(),
            road["body"].tolist(), road["normal"].tolist(), strict=True,
        ):  # fmt: skip
            if not first < number <= first + count or not any(impulse):
                continue
            carrier = self._carriers[int(given["carrier"][number - first - 1])]
            wrench = Wrench(scale(impulse, -1.0), scale(moment, -1.0), about)
            if stands_on != number:  # it rolled on within the tick
                normal = scale(impulse, 1.0 / length(impulse))
            held, rests = self._held(carrier, wrench, normal), carrier.rests()
            wrench = wrench.less(held)
            taken = self._share(carrier, wrench.point(), normal, wrench.impulse)
            if rests:
                taken = min(taken, PRESS_SPEED * carrier.mass / length(wrench.impulse))
            carrier.press(wrench.share(taken), outside)
            if not rests and (taken < 1.0 or any(held.impulse)):
                give(outside, index, self.vehicle, wrench.share(1.0 - taken).less(held.share(-1.0)))

    def _velocity(self, point: tuple) -> tuple:
        """Velocity of a point of the vehicle before the tick in which the wheels pressed."""
        given = self._given[0]
        before = Motion(given["position"].tolist(), (), given["velocity"].tolist(), given["spin"].tolist())
        return before.at(point)

    def _held(self, carrier: Any, wrench: Wrench, normal: tuple) -> Wrench:
        """What a wheel at rest pushes along the surface beyond HOLD_SPEED."""
        point = wrench.point()
        sliding = sub(wrench.impulse, scale(normal, dot(wrench.impulse, normal)))
        size = length(sliding)
        apart = sub(self._velocity(point), carrier.velocity(point))
        if size == 0.0 or dot(apart, apart) > AT_REST * AT_REST:
            return wrench.share(0.0)
        along = scale(sliding, 1.0 / size)
        rest = scale(sliding, max(0.0, 1.0 - HOLD_SPEED / carrier.inverse_mass(point, along) / size))
        return Wrench(rest, cross(sub(point, wrench.about), rest), wrench.about)

    def _share(self, carrier: Any, point: tuple, normal: tuple, push: tuple) -> float:
        """Share of a push that a body can take."""
        along = -dot(push, normal)
        closing = max(0.0, dot(sub(carrier.velocity(point), self._velocity(point)), normal))
        most = (closing + PRESS_SPEED) / carrier.inverse_mass(point, normal)
        return min(1.0, most / along) if along > 0.0 else 1.0

    def leave(self) -> None:
        """Forget the supporting bodies."""
        self._given.view(np.uint8)[:] = 0

    def find(self, external: np.ndarray, motion: Motion, dt: float) -> bool:
        """Add what the wheels can reach in this tick to an EXTERNAL record; True when there is any.

        motion: the vehicle's.
        """
        self.leave()
        if not self._near:
            return False
        wheels, found = self._wheels(), []
        close = CLOSE + length(motion.velocity) * dt
        for number, k, reached in self._near:
            carrier = self._carriers[number]
            if carrier.flies():
                continue
            gap = 0.0
            for i in reached:
                centre, _ = wheels[i]
                if carrier.tops[k] <= centre[2] + self._travels[i]:  # higher tops are not drivable
                    gap = min(gap, _gap(carrier, k, wheels[i], self._reaches[i], close, gap))
            if gap < 0.0:
                found.append((gap, number, k))
        found.sort(key=lambda one: one[0])
        first = int(external["moving_count"])
        found = found[: MOVING_CAPACITY - first]
        if not found:
            return False
        given = self._given[0]
        given["count"], given["first"] = len(found), first
        given["carrier"][: len(found)] = [number for _, number, _ in found]
        given["tread"][: len(found)] = [k for *_, k in found]
        given["position"], given["velocity"], given["spin"] = motion.position, motion.velocity, motion.spin
        self._write(external)
        return True

    def _handed(self) -> list:
        """(Carrier, number of its tread) of each body given to the tick."""
        given = self._given[0]
        count = int(given["count"])
        numbers, treads = given["carrier"][:count].tolist(), given["tread"][:count].tolist()
        return [(self._carriers[number], k) for number, k in zip(numbers, treads, strict=True)]

    def _write(self, external: np.ndarray) -> None:
        """Write poses and shapes of the found bodies."""
        handed, first = self._handed(), int(external["moving_count"])
        treads, last = [carrier.treads[k] for carrier, k in handed], first + len(handed)
        external["moving_count"] = last
        external["moving_position"][3 * first : 3 * last] = _flat(carrier.middles[k] for carrier, k in handed)
        external["moving_orientation"][4 * first : 4 * last] = _flat(carrier.orientation for carrier, _ in handed)
        external["moving_half"][3 * first : 3 * last] = _flat(tread.half for tread in treads)
        external["moving_top"][2 * first : 2 * last] = _flat(tread.top for tread in treads)
        external["moving_surface"][first:last] = [carrier.surface for carrier, _ in handed]
        self._given["about"][0] = external["moving_position"][:3]

    def carry(self, external: np.ndarray, dt: float) -> None:
        """Write the motion of the found bodies in this tick: after their step, so that it ends where the next
        begins."""
        handed, first = self._handed(), int(self._given["first"][0])
        if handed:
            velocities, spins = zip(*(carrier.motion(k, dt) for carrier, k in handed), strict=True)
            last = first + len(handed)
            external["moving_velocity"][3 * first : 3 * last] = _flat(velocities)
            external["moving_spin"][3 * first : 3 * last] = _flat(spins)


def _gap(carrier: Any, k: int, wheel: tuple, reach: tuple, close: float, enough: float) -> float:
    """Distance between the box of a tread and that of a wheel's reach, along the axes of the wheel; above zero they are
    apart. Looked at until it is seen to be `enough` at least. `close`: m by which a wheel may get nearer."""
    centre, axes = wheel
    away, half, widest = sub(centre, carrier.middles[k]), carrier.treads[k].half, -math.inf
    for axis, own in zip(axes, reach, strict=True):
        widest = max(abs(dot(away, axis)) - reach_along(axis, carrier.axes, half) - (own + close), widest)
        if widest >= enough:
            break
    return widest


def _flat(rows: Iterable) -> list:
    return [value for row in rows for value in row]
