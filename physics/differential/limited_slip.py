"""Limited slip between the wheels of an axle and between two axles (PX-DIFF-03..06).

Each of the three couplers (front, rear, centre) monitors a speed ratio >= 1, of the faster to the slower side:

    front, rear   |omega| of the two wheels
    centre        sums of |omega| of the two axles

Above `bias` it closes and keeps the ratio within a limit that starts at the current ratio and falls at `rate` per
second to `target`; there it opens, and the ratio is free until it exceeds the bias again. So a target just below the
bias keeps the ratio there, and a lower one makes it a saw-tooth. Bias 0 disables a coupler; bias 1 with target 1 locks
it.

It acts as an exact constraint impulse of a clutch pack between the two sides: the faster one loses the angular momentum
J that the slower one gains, so angular momentum is conserved and energy is dissipated,

    (a - J / Ia) = limit (b + J / Ib)    ->    J = (a - limit b) / (1 / Ia + limit / Ib)

and between axles, whose open differentials split torque equally, J / 2 for each wheel, at most what stops one of them.
For wheels at rest or turning in opposite directions no ratio is defined, and nothing acts.

Runs in every substep after the drivetrain. The centre coupler acts first: the axles' own couplers then leave the speed
sum of an axle unchanged, if its wheels have equal inertias.

`reference_groups` gives the speed multipliers of the public PhysX vehicle SDK (no memory, wheels forced to fixed ratios
by a least-squares projection), for comparisons.
"""

from typing import Any

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, Schema, WheelRef, field
from driving_sandbox.physics.tick.component import Component

AT_ONCE = 1e6  # 1/s; brings a ratio of up to 1000 to its target within one substep of 1 ms


def _wheel(default: int, what: str) -> Any:
    return field(default=default, doc=f"{what} wheel.", source="PX-DIFF-03")


def _bias(what: str) -> Any:
    return field(
        unit="1",
        ge=0,
        suggest=(1, 5),
        default=0.0,
        source="PX-DIFF-04",
        mechanic=True,
        doc=f"Largest speed ratio {what}; 0 is open, else at least 1.",
    )


def _target(what: str) -> Any:
    return field(
        unit="1",
        ge=1,
        suggest=(1, 5),
        default=1.0,
        source="PX-DIFF-05",
        doc=f"Target speed ratio {what} once the bias is exceeded; slightly below the bias.",
    )


def _limit(what: str) -> Any:
    return field(unit="1", doc=f"Speed ratio permitted at present {what}; 0 while open.")


def _torque(what: str) -> Any:
    return field(unit="N*m", doc=f"Torque moved {what} in the last substep.")


class LimitedSlipParams(Schema):
    """Wheels, ratios and rate of the three couplers."""

    front_left: WheelRef = _wheel(0, "Front left")
    front_right: WheelRef = _wheel(1, "Front right")
    rear_left: WheelRef = _wheel(2, "Rear left")
    rear_right: WheelRef = _wheel(3, "Rear right")
    front_bias: Float = _bias("of the front wheels")
    front_target: Float = _target("of the front wheels")
    rear_bias: Float = _bias("of the rear wheels")
    rear_target: Float = _target("of the rear wheels")
    center_bias: Float = _bias("between the axles")
    center_target: Float = _target("between the axles")
    rate: Float = field(
        unit="1/s",
        gt=0,
        suggest=(1, 1000),
        default=AT_ONCE,
        source="PX-DIFF-06",
        doc="How fast an exceeded ratio is brought to its target.",
    )


class LimitedSlipState(Schema):
    """Permitted speed ratios, and torques moved."""

    front_limit: Float = _limit("between the front wheels")
    rear_limit: Float = _limit("between the rear wheels")
    center_limit: Float = _limit("between the axles")
    front_torque: Float = _torque("from the faster front wheel to the slower")
    rear_torque: Float = _torque("from the faster rear wheel to the slower")
    center_torque: Float = _torque("from the faster axle to the slower")


@kernel
def same_direction(a: float, b: float) -> bool:
    """Whether two wheels with speeds a and b turn in the same direction; a wheel at rest does not turn."""
    return a * b > 0.0


@kernel
def falling_limit(limit: float, ratio: float, bias: float, target: float, rate: float, dt: float) -> float:
    """Permitted ratio of a coupler in this substep, 0 while it is open. limit: that from the last substep."""
    if limit == 0.0:
        if ratio <= bias:
            return 0.0
        limit = ratio
    return max(target, min(limit, ratio) - rate * dt)


@kernel
def limit_pair(wheel: Any, wheel_params: Any, left: Any, right: Any, limit: float) -> float:
    """Reduce the speed ratio of two wheels that turn the same way to the limit; returns the momentum moved, N m s."""
    a, b = left, right
    if abs(wheel[b].omega) > abs(wheel[a].omega):
        a, b = right, left
    fast, slow = abs(wheel[a].omega), abs(wheel[b].omega)
    if fast <= limit * slow:
        return 0.0
    momentum = (fast - limit * slow) / (1.0 / wheel_params[a].inertia + limit / wheel_params[b].inertia)
    signed_momentum = momentum if wheel[a].omega > 0.0 else -momentum
    wheel[a].omega -= signed_momentum / wheel_params[a].inertia
    wheel[b].omega += signed_momentum / wheel_params[b].inertia
    return momentum


@kernel
def limit_axles(wheel: Any, wheel_params: Any, fast0: int, fast1: int, slow0: int, slow1: int, limit: float) -> float:
    """Reduce the ratio of two axles' speed sums to the limit, by equal momentum on each wheel of an axle.

    fast0, fast1, slow0, slow1: wheels of the faster axle, and of the slower one.

    Returns the angular momentum moved, N m s.
    """
    fast = abs(wheel[fast0].omega) + abs(wheel[fast1].omega)
    slow = abs(wheel[slow0].omega) + abs(wheel[slow1].omega)
    if fast <= limit * slow:
        return 0.0
    fast_response = 0.5 * (1.0 / wheel_params[fast0].inertia + 1.0 / wheel_params[fast1].inertia)
    slow_response = 0.5 * (1.0 / wheel_params[slow0].inertia + 1.0 / wheel_params[slow1].inertia)
    momentum = (fast - limit * slow) / (fast_response + limit * slow_response)
    for i in (fast0, fast1):  # more would reverse the slower wheel of this axle
        momentum = min(momentum, 2.0 * wheel_params[i].inertia * abs(wheel[i].omega))
    half = 0.5 * momentum if wheel[fast0].omega > 0.0 else -0.5 * momentum
    wheel[fast0].omega -= half / wheel_params[fast0].inertia
    wheel[fast1].omega -= half / wheel_params[fast1].inertia
    wheel[slow0].omega += half / wheel_params[slow0].inertia
    wheel[slow1].omega += half / wheel_params[slow1].inertia
    return momentum


@kernel
def couple_pair(
    wheel: Any, wheel_params: Any, left: int, right: int, limit: float, bias: float, target: float, rate: float,
    dt: float,
) -> tuple[float, float]:  # fmt: skip
    """Apply one axle's coupler in a substep; returns (limit for the next substep, torque moved in N m)."""
    a, b = abs(wheel[left].omega), abs(wheel[right].omega)
    if bias < 1.0 or not same_direction(wheel[left].omega, wheel[right].omega):
        return 0.0, 0.0
    limit = falling_limit(limit, max(a, b) / min(a, b), bias, target, rate, dt)
    if limit == 0.0:
        return 0.0, 0.0
    momentum = limit_pair(wheel, wheel_params, left, right, limit)
    return (limit if limit > target else 0.0), momentum / dt


@kernel
def couple_axles(p: Any, wheel: Any, wheel_params: Any, limit: float, dt: float) -> tuple[float, float]:
    """Apply the centre coupler in a substep; returns (limit for the next substep, torque moved in N m)."""
    f0, f1, r0, r1 = p.front_left, p.front_right, p.rear_left, p.rear_right
    omega = wheel[f0].omega
    if (
        p.center_bias < 1.0
        or not same_direction(omega, wheel[f1].omega)
        or not same_direction(omega, wheel[r0].omega)
        or not same_direction(omega, wheel[r1].omega)
    ):
        return 0.0, 0.0
    front = abs(omega) + abs(wheel[f1].omega)
    rear = abs(wheel[r0].omega) + abs(wheel[r1].omega)
    ratio = max(front, rear) / min(front, rear)
    limit = falling_limit(limit, ratio, p.center_bias, p.center_target, p.rate, dt)
    if limit == 0.0:
        return 0.0, 0.0
    if front > rear:
        momentum = limit_axles(wheel, wheel_params, f0, f1, r0, r1, limit)
    else:
        momentum = limit_axles(wheel, wheel_params, r0, r1, f0, f1, limit)
    return (limit if limit > p.center_target else 0.0), momentum / dt


@kernel
def update(params: Any, state: Any, wheel: Any, wheel_params: Any, dt: float) -> None:
    """Apply the three couplers for a substep, the centre one first."""
    p, s = params, state
    s.center_limit, s.center_torque = couple_axles(p, wheel, wheel_params, s.center_limit, dt)
    s.front_limit, s.front_torque = couple_pair(
        wheel, wheel_params, p.front_left, p.front_right, s.front_limit, p.front_bias, p.front_target, p.rate, dt
    )
    s.rear_limit, s.rear_torque = couple_pair(
        wheel, wheel_params, p.rear_left, p.rear_right, s.rear_limit, p.rear_bias, p.rear_target, p.rate, dt
    )


def check(params: Any, wheel_count: int) -> list[tuple[str, str]]:
    """[(parameter, problem)] of ratios that do not fit together, and of wheels that are missing or named twice."""
    problems = []
    couplers: dict[str, tuple[str, ...]] = {"front": ("front_left", "front_right"), "rear": ("rear_left", "rear_right")}
    couplers["center"] = couplers["front"] + couplers["rear"]
    for coupler, wheels in couplers.items():
        bias, target = float(params[f"{coupler}_bias"]), float(params[f"{coupler}_target"])
        if bias == 0:
            continue
        if bias < 1:
            problems.append((f"{coupler}_bias", f"must be 0 (open) or at least 1, not {bias:g}"))
        elif target >= bias and not bias == target == 1:
            problems.append((f"{coupler}_target", f"must be below {coupler}_bias ({bias:g}), or both 1 to lock"))
        ids = [int(params[name]) for name in wheels]
        if len(set(ids)) != len(ids):
            problems.append((wheels[1], "names a wheel twice"))
        missing = [(name, i) for name, i in zip(wheels, ids, strict=True) if i >= wheel_count]
        problems.extend((name, f"wheel {i} does not exist") for name, i in missing)
    return problems


LIMITED_SLIP = Component(
    slot="limited_slip",
    name="ratio_limit",
    params=LimitedSlipParams,
    state=LimitedSlipState,
    phases={"update": update},
    writes=("wheel",),
    check=check,
    doc="Limits the speed ratios of wheels and axles by moving angular momentum between them.",
)


@kernel
def reference_multiplier(
    first: float, second: float, ratio: float, bias: float, target: float, rate: float, dt: float
) -> tuple[bool, float]:
    """(whether the bias is exceeded, target multiplier) of speeds `first` and `second`, in the SDK's version."""
    target_ratio = max(target, ratio - rate * dt)
    return ratio > bias, (1.0 / target_ratio if first > second else target_ratio)


@kernel
def _reference_pair(
    w0: float, w1: float, bias: float, target: float, rate: float, dt: float
) -> tuple[bool, float, float]:
    """(whether the bias is exceeded, target multiplier, present multiplier) of two wheels; zeros while inactive."""
    if bias < 1.0 or not same_direction(w0, w1):
        return False, 0.0, 0.0
    a, b = abs(w0), abs(w1)
    exceeded, multiplier = reference_multiplier(a, b, max(a, b) / min(a, b), bias, target, rate, dt)
    return exceeded, multiplier, b / a


@kernel
def reference_groups(
    p: Any, f0: float, f1: float, r0: float, r1: float, dt: float
) -> tuple[int, tuple[float, float, float, float]]:
    """Groups of the public SDK for the speeds of four wheels.

    Returns (kind, (m_f0, m_f1, m_r0, m_r1)): kind 0 none, 1 front pair, 2 rear pair, 3 both pairs, 4 all four in one
    group; the multipliers of wheels in no group are 0.
    """
    if p.front_bias == 0.0 and p.rear_bias == 0.0 and p.center_bias == 0.0 or p.rate == 0.0:
        return 0, (0.0, 0.0, 0.0, 0.0)
    front, front_aim, front_now = _reference_pair(f0, f1, p.front_bias, p.front_target, p.rate, dt)
    rear, rear_aim, rear_now = _reference_pair(r0, r1, p.rear_bias, p.rear_target, p.rate, dt)
    center, center_aim = False, 0.0
    if p.center_bias >= 1.0 and same_direction(f0, f1) and same_direction(f0, r0) and same_direction(f0, r1):
        a, b = abs(f0) + abs(f1), abs(r0) + abs(r1)
        center, center_aim = reference_multiplier(
            a, b, max(a, b) / min(a, b), p.center_bias, p.center_target, p.rate, dt
        )
    if center:
        f = front_aim if front else front_now
        r = rear_aim if rear else rear_now
        k = center_aim * (1.0 + f) / (1.0 + r)
        return 4, (1.0, f, k, r * k)
    return int(front) + 2 * int(rear), (
        1.0 if front else 0.0,
        front_aim if front else 0.0,
        1.0 if rear else 0.0,
        rear_aim if rear else 0.0,
    )
