"""Wheels on props and on other vehicles: boxes and wedges go into the tick, wheel reactions come back.

A *deck* is a box or wedge of such a body, its *carrier*, that wheels can roll on. Before a tick, the decks that a wheel
could reach (the nearest MOVING_CAPACITY of them) are passed to the vehicle as moving bodies (physics/road/bodies.py),
with their motion in that tick. There the wheels are swept onto them exactly as onto the ground. At the next tick the
body under a wheel gets the opposite of what the wheel got from it (physics/contact/wheel_reactions.py): a wrench
(impulse and moment) about a fixed point of the world, so that neither the delay nor the motion within the tick costs
angular momentum.

Within its tick a wheel is supported as if the body were as heavy as the ground. A lighter body cannot take the whole
reaction: it must not leave the wheel faster than PRESS_SPEED, or energy would come from nowhere. If the wheel closes in
at speed u along the normal n, at r from the body's centre of mass, the body takes the share of the reaction whose
normal impulse is at most

    (max(0, u) + PRESS_SPEED) / k                  k = 1/m + n . (I^-1 (r x n)) x r

or, on a vehicle, with K as k but of the vehicle above, so that an impact is inelastic,

    max(0, u) / (k + K) + PRESS_SPEED / k

The excess is returned to the wheel at the start of the tick, so that momentum is conserved. A prop that rests on
something passes a reaction on within the tick. So it takes at most the impulse that accelerates it to PRESS_SPEED, and
the excess counts as taken by what it rests on: the wheel gets none of it back.

The constraints that hold a wheel at rest are as stiff as on the ground (physics/contact). As body and car react a tick
late, they would shake each other with the tire's whole grip, and a car parked on crates would wander off with them. So
a wheel at rest changes the body's speed along the surface by at most HOLD_SPEED per tick; the rest is excess, as above.

The decks of props that wheels may reach are selected 20 times a second; only their carriers are updated in every tick.

Limit: props faster than FLYING (carriers.py) support no wheel and collide with the hull only.
"""

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.physics.props.carriers import BodyMotion, Wrench, give
from driving_sandbox.physics.props.vectors import axes_of, cross, dot, length, reach_along, scale, sub
from driving_sandbox.physics.tick.context import MOVING_CAPACITY

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

PRESS_SPEED = 0.5  # m/s, largest speed at which a wheel's reaction may make a body leave the wheel
AT_REST = 0.2  # m/s relative to the body; a slower wheel may be sticky, as on the ground (physics/contact)
HOLD_SPEED = 0.02  # m/s per tick that such a wheel may give the body; with much more, body and car oscillate
SELECT_MARGIN = 0.3  # m; a deck is selected if its gap to a wheel is below this plus the motion until the next check
CLOSE_GAP = 0.03  # m; a deck is passed to the tick if its gap to a wheel is below this plus the motion in a tick
DROOP_MARGIN = 0.12  # m below full droop that a wheel's reach includes; the sweep covers 0.1 m of them

# The decks that were passed to a vehicle's last tick; kept until the reactions of its wheels are applied to them
SUPPORT = np.dtype(
    [
        ("count", np.int64),  # number of decks passed
        ("first", np.int64),  # number of moving bodies in the EXTERNAL record before them, from other sources
        ("carrier", np.int64, MOVING_CAPACITY),  # key of each deck's carrier
        ("deck", np.int64, MOVING_CAPACITY),  # index of the deck in its carrier
        ("about", np.float64, 3),  # m, centre of the tick's first moving body
        ("position", np.float64, 3),  # m, of the vehicle before that tick, as the next two
        ("velocity", np.float64, 3),  # m/s
        ("spin", np.float64, 3),  # rad/s
    ],
    align=True,
)


class WheelSupport:
    """Bodies that the wheels of one vehicle may roll on, and the reactions of the wheels on them.

    Args:
        vehicle: a vehicle with the slot wheel_reactions.
        carriers: {key: Carrier} of all bodies that support wheels.
        record: SUPPORT array, length 1, which this object writes.
        rider: Carrier of this vehicle, if the carriers are vehicles.
    Attributes:
        carrier_keys: keys of the carriers of the selected decks; their poses must be updated in every tick.
    """

    def __init__(self, vehicle: "Vehicle", carriers: Mapping[int, Any], record: np.ndarray, rider: Any = None) -> None:
        self.vehicle, self._carriers, self._support, self._rider = vehicle, carriers, record, rider
        self.carrier_keys: list[int] = []
        self._near: list[tuple[int, int, list[int]]] = []  # (key of the carrier, deck, wheels that may reach it)

    def select_decks(self, near: Iterable[int], motion: BodyMotion, seconds: float) -> None:
        """Select the decks that the wheels may reach within `seconds`, and set `carrier_keys`.

        near: keys of the carriers to choose from.
        """
        self.carrier_keys, self._near = [], []
        near = list(near)
        if not near:
            return
        self._read_reaches()
        wheels, spin_speed = self._wheels(), length(motion.spin)
        for key in near:
            carrier = self._carriers[key]
            approach = carrier.approach(motion)
            for k, middle in enumerate(carrier.middles):
                margins = [
                    SELECT_MARGIN + seconds * (approach + spin_speed * length(sub(x, middle))) for x, _ in wheels
                ]
                reached = [i for i, (wheel, reach, gap) in enumerate(zip(wheels, self._reaches, margins, strict=True))
                           if _gap(carrier, k, wheel, reach, 0.0, gap) < gap]  # fmt: skip
                if reached:
                    self._near.append((key, k, reached))
        self.carrier_keys = list(dict.fromkeys(key for key, _, _ in self._near))

    def take_decks(self, near: Iterable[int]) -> None:
        """Select all decks of the carriers with these keys, for every wheel."""
        self.carrier_keys, wheels = list(near), list(range(self.vehicle.wheel_count))
        self._near = [(key, k, wheels) for key in self.carrier_keys for k in range(len(self._carriers[key].decks))]
        self._read_reaches()

    def _read_reaches(self) -> None:
        """Read the travel of each wheel, m, and the half edges of the box it can reach, along the hub's axes, m."""
        n = self.vehicle.wheel_count
        params, suspension = self.vehicle.params["wheel"][0, :n], self.vehicle.params["suspension"][0, :n]
        self._travels = suspension["travel"].tolist()
        self._reaches = [
            (width, radius, radius + travel + DROOP_MARGIN)
            for width, radius, travel in zip(
                params["half_width"].tolist(), params["radius"].tolist(), self._travels, strict=True
            )
        ]

    def _wheels(self) -> list:
        """(centre in m, axes of its hub) of each wheel, in the world."""
        wheels = self.vehicle.state["wheel"][0, : self.vehicle.wheel_count]
        turns = wheels["hub_orientation"].tolist()
        return [(centre, axes_of(q)) for centre, q in zip(wheels["position"].tolist(), turns, strict=True)]

    def apply_reactions(self, index: int, external: np.ndarray) -> None:
        """Apply the wheel reactions of the last tick to the bodies under the wheels.

        Args:
            index: index of this vehicle.
            external: EXTERNAL array of all vehicles; the excess is added to the record of this vehicle.
        """
        support, n = self._support[0], self.vehicle.wheel_count
        first, count, about = int(support["first"]), int(support["count"]), tuple(support["about"].tolist())
        if not count:
            return
        road, reactions = self.vehicle.state["road"][0, :n], self.vehicle.state["wheel_reactions"][0, :n]
        # body, stands_on: numbers of the tick's moving bodies, from 1, as in RoadState.body; 0: the ground
        for body, impulse, moment, stands_on, normal in zip(
            reactions["body"].tolist(), reactions["impulse"].tolist(), reactions["moment"].tolist(),
            road["body"].tolist(), road["normal"].tolist(), strict=True,
        ):  # fmt: skip
            if not first < body <= first + count or not any(impulse):
                continue
            carrier = self._carriers[int(support["carrier"][body - first - 1])]
            wrench = Wrench(scale(impulse, -1.0), scale(moment, -1.0), about)
            if stands_on != body:  # the wheel left this body within the tick, and `normal` is another body's
                normal = scale(impulse, 1.0 / length(impulse))
            excess, rests = self._hold_excess(carrier, wrench, normal), carrier.rests()
            wrench = wrench.less(excess)
            taken_share = self._share(carrier, wrench.point(), normal, wrench.impulse)
            if rests:
                taken_share = min(taken_share, PRESS_SPEED * carrier.mass / length(wrench.impulse))
            carrier.apply_wrench(wrench.share(taken_share), external)
            if not rests and (taken_share < 1.0 or any(excess.impulse)):  # returns what was not taken, plus the excess
                give(external, index, self.vehicle, wrench.share(1.0 - taken_share).less(excess.share(-1.0)))

    def _velocity(self, point: tuple) -> tuple:
        """Velocity of the vehicle at a point of the world, m/s, before the tick in which the reactions arose."""
        support = self._support[0]
        motion_before = BodyMotion(
            support["position"].tolist(), (), support["velocity"].tolist(), support["spin"].tolist()
        )
        return motion_before.at(point)

    def _hold_excess(self, carrier: Any, wrench: Wrench, normal: tuple) -> Wrench:
        """Part of a wheel's push along the surface that exceeds HOLD_SPEED; zero for a wheel that is not at rest."""
        point = wrench.point()
        sliding = sub(wrench.impulse, scale(normal, dot(wrench.impulse, normal)))
        impulse = length(sliding)
        slip = sub(self._velocity(point), carrier.velocity(point))
        if impulse == 0.0 or dot(slip, slip) > AT_REST * AT_REST:
            return wrench.share(0.0)
        direction = scale(sliding, 1.0 / impulse)
        excess = scale(sliding, max(0.0, 1.0 - HOLD_SPEED / carrier.inverse_mass(point, direction) / impulse))
        return Wrench(excess, cross(sub(point, wrench.about), excess), wrench.about)

    def _share(self, carrier: Any, point: tuple, normal: tuple, push: tuple) -> float:
        """Fraction (0 to 1) of a push (N s) at a point that a body can take; the module's docstring has the formula."""
        normal_impulse = -dot(push, normal)
        closing = max(0.0, dot(sub(carrier.velocity(point), self._velocity(point)), normal))
        k = carrier.inverse_mass(point, normal)
        if self._rider is None:
            max_impulse = (closing + PRESS_SPEED) / k
        else:
            max_impulse = closing / (k + self._rider.inverse_mass(point, normal)) + PRESS_SPEED / k
        return min(1.0, max_impulse / normal_impulse) if normal_impulse > 0.0 else 1.0

    def forget_decks(self) -> None:
        """Forget the decks passed to the last tick."""
        self._support.view(np.uint8)[:] = 0

    def pass_decks(self, external: np.ndarray, motion: BodyMotion, dt: float) -> bool:
        """Replace the passed decks by those that the wheels can reach in this tick, and add them to an EXTERNAL record.

        Returns whether there are any. Their motion is added by `write_deck_motion`. motion: present BodyMotion of the
        vehicle.
        """
        self.forget_decks()
        if not self._near:
            return False
        wheels, reachable = self._wheels(), []
        for key, k, reached in self._near:
            carrier = self._carriers[key]
            if carrier.flies():
                continue
            gap, close = 0.0, CLOSE_GAP + carrier.closing_speed(motion) * dt
            for i in reached:
                centre, _ = wheels[i]
                if carrier.tops[k] <= centre[2] + self._travels[i]:  # higher tops are not drivable
                    gap = min(gap, _gap(carrier, k, wheels[i], self._reaches[i], close, gap))
            if gap < 0.0:
                reachable.append((gap, key, k))
        reachable.sort(key=lambda entry: entry[0])
        first = int(external["moving_count"])
        reachable = reachable[: MOVING_CAPACITY - first]
        if not reachable:
            return False
        support = self._support[0]
        support["count"], support["first"] = len(reachable), first
        support["carrier"][: len(reachable)] = [key for _, key, _ in reachable]
        support["deck"][: len(reachable)] = [k for *_, k in reachable]
        support["position"], support["velocity"], support["spin"] = motion.position, motion.velocity, motion.spin
        self._write_decks(external)
        return True

    def _passed_decks(self) -> list:
        """(Carrier, index of its deck) of each deck passed to the tick."""
        support = self._support[0]
        count = int(support["count"])
        keys, decks = support["carrier"][:count].tolist(), support["deck"][:count].tolist()
        return [(self._carriers[key], k) for key, k in zip(keys, decks, strict=True)]

    def _write_decks(self, external: np.ndarray) -> None:
        """Write poses and shapes of the passed decks into an EXTERNAL record."""
        passed, first = self._passed_decks(), int(external["moving_count"])
        decks, last = [carrier.decks[k] for carrier, k in passed], first + len(passed)
        external["moving_count"] = last
        external["moving_position"][3 * first : 3 * last] = _flat(carrier.middles[k] for carrier, k in passed)
        external["moving_orientation"][4 * first : 4 * last] = _flat(carrier.orientation for carrier, _ in passed)
        external["moving_half"][3 * first : 3 * last] = _flat(deck.half for deck in decks)
        external["moving_top"][2 * first : 2 * last] = _flat(deck.top for deck in decks)
        external["moving_surface"][first:last] = [carrier.surface for carrier, _ in passed]
        self._support["about"][0] = external["moving_position"][:3]

    def write_deck_motion(self, external: np.ndarray, dt: float) -> None:
        """Write the motion of the passed decks in this tick into an EXTERNAL record.

        It is called after the step of the bodies, so that the motion ends where the next tick begins.
        """
        passed, first = self._passed_decks(), int(self._support["first"][0])
        if passed:
            velocities, spins = zip(*(carrier.motion(k, dt) for carrier, k in passed), strict=True)
            last = first + len(passed)
            external["moving_velocity"][3 * first : 3 * last] = _flat(velocities)
            external["moving_spin"][3 * first : 3 * last] = _flat(spins)


def _gap(carrier: Any, k: int, wheel: tuple, reach: tuple, close: float, enough: float) -> float:
    """Gap between deck k of a carrier and the box that a wheel can reach, m; negative if they may overlap.

    It is the largest gap along the axes of the wheel; the search ends as soon as one is at least `enough`.

    Args:
        wheel: centre and axes of the wheel, as `_wheels` returns them.
        reach: half edges of the box along these axes, m.
        close: distance by which the wheel may come nearer within the tick, m.
        enough: gap from which on its exact value does not matter, m.
    """
    centre, axes = wheel
    offset, half, largest = sub(centre, carrier.middles[k]), carrier.decks[k].half, -math.inf
    for axis, extent in zip(axes, reach, strict=True):
        largest = max(abs(dot(offset, axis)) - reach_along(axis, carrier.axes, half) - (extent + close), largest)
        if largest >= enough:
            break
    return largest


def _flat(rows: Iterable) -> list:
    return [value for row in rows for value in row]
