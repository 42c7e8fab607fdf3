"""How strongly the two motors of a pad shake, from what the driven car does.

    low   the large, slow motor   kerbs and bumps, impacts, gear changes
    high  the small, quick motor  tires that slide, the engine's speed limiter, anti-lock brakes at work

Each is 0..1; the strongest cause counts. Between frames the strongest tick counts.
"""

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from driving_sandbox.physics.base.record import field_names

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

SLIDE_FROM, SLIDE_FULL = 0.1, 0.5  # combined slip (ratio; tangent of the angle) at which tires begin to shake, and full
SLIDE_SPEED = 1.0  # m/s; slower wheels slip by numbers without meaning
BUMP_FROM, BUMP_FULL = 0.25, 1.5  # m/s, vertical speed of a wheel: above the sway of the body, and a high kerb
IMPACT_FROM, IMPACT_FULL = 20.0, 120.0  # m/s^2, acceleration of the body: above what tires give, and a crash
SHIFT, SHIFT_SECONDS = 0.45, 0.08  # of a gear change: strength, and how long
LIMITER = 0.5  # strength at the engine's speed limit
LIMIT_SHARE = 0.985  # of the largest engine speed, from which the limiter acts
AT_WORK = 0.35  # strength while anti-lock brakes act


class Shaking(NamedTuple):
    """Strengths of both motors, 0..1."""

    low: float = 0.0
    high: float = 0.0


def _share(value: float, start: float, full: float) -> float:
    return min(max((value - start) / (full - start), 0.0), 1.0)


class Rumble:
    """Reads a vehicle after each tick; `take` gives the strongest shaking since the last call."""

    def __init__(self, vehicle: "Vehicle", tick_seconds: float) -> None:
        self._dt, state, n = tick_seconds, vehicle.state, vehicle.wheel_count
        slots = field_names(state.dtype)
        self._body: Any = state["body"][0]
        self._slips, self._bumps = self._columns(state, slots, n)
        self._engine: Any = state["engine"]["omega"] if "engine" in slots else None
        self._largest: Any = vehicle.params["engine"]["max_omega"] if self._engine is not None else None
        self._gear: Any = state["gearbox"]["current_gear"] if "gearbox" in slots else None
        active = "abs" in slots and "active" in field_names(state["abs"].dtype)
        self._aids: Any = state["abs"]["active"] if active else None
        self._last_gear = self._present_gear()
        self._shift_left = self._low = self._high = 0.0

    @staticmethod
    def _columns(state: Any, slots: tuple[str, ...], n: int) -> tuple[list[Any], Any]:
        """(longitudinal and lateral slip of the wheels, their vertical speeds), as far as the vehicle has them."""
        slips: list[Any] = []
        if "tire" in slots and {"longitudinal_slip", "lateral_slip"} <= set(field_names(state["tire"].dtype)):
            slips = [state["tire"][name][0, :n] for name in ("longitudinal_slip", "lateral_slip")]
        has_speed = "suspension" in slots and "jounce_speed" in field_names(state["suspension"].dtype)
        return slips, state["suspension"]["jounce_speed"][0, :n] if has_speed else None

    def _present_gear(self) -> int:
        return 0 if self._gear is None else int(self._gear[0])

    def tick(self) -> None:
        """Take a tick into account."""
        x, y, z = self._body["acceleration"].tolist()
        low = _share(math.sqrt(x * x + y * y + z * z), IMPACT_FROM, IMPACT_FULL)
        if self._bumps is not None:
            low = max(low, _share(float(abs(self._bumps).max()), BUMP_FROM, BUMP_FULL))
        gear = self._present_gear()
        self._shift_left = SHIFT_SECONDS if gear != self._last_gear else self._shift_left - self._dt
        self._last_gear = gear
        self._low = max(self._low, low, SHIFT if self._shift_left > 0.0 else 0.0)
        self._high = max(self._high, self._sliding(), self._limited())

    def _sliding(self) -> float:
        """Strength of the tire that slides most."""
        velocity = self._body["velocity"]
        if not self._slips or float(velocity @ velocity) < SLIDE_SPEED**2:
            return 0.0
        longitudinal, lateral = self._slips
        slip = max(math.hypot(a, math.tan(b)) for a, b in zip(longitudinal.tolist(), lateral.tolist(), strict=True))
        return _share(slip, SLIDE_FROM, SLIDE_FULL)

    def _limited(self) -> float:
        """Strength of the engine's limiter and of anti-lock brakes at work."""
        if self._aids is not None and bool(self._aids[0].any()):
            return AT_WORK
        at_limit = self._engine is not None and self._engine[0] > LIMIT_SHARE * self._largest[0]
        return LIMITER if at_limit else 0.0

    def take(self) -> Shaking:
        """The strongest shaking since the last call."""
        shaking = Shaking(min(self._low, 1.0), min(self._high, 1.0))
        self._low = self._high = 0.0
        return shaking
