"""Four-wheel differential of the older vehicles of the PhysX SDK: shifts torque away from the faster wheel (PX-LEG-09).

In every tick the excess of a speed ratio over its bias changes the torque split:

    D  = max(|w|) - bias min(|w|)                      of the two sides a, b of a split s : 1 - s
    d  = D / max(|w|) if D >= 0, else 0
    f  = s (1 -+ d) and (1 - s) (1 +- d)               the faster side gets less
    shares = f / (f_a + f_b)

between the axles (with the sums of their wheels' speeds) and between the wheels of each axle; the share of a wheel is
the product of the axle's and its own in the axle. As soon as a driven wheel is at rest or turns against another, the
nominal splits apply: all three with four driven wheels, the axle's own with one driven axle. The mean speed at the
clutch always uses the nominal splits as weights. All four wheels stay coupled in the engine's equations, undriven ones
with share 0.
"""

from typing import Any

from driving_sandbox.physics.differential.multi_wheel import DifferentialState
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Choice, Float, Schema, WheelRef, field
from driving_sandbox.physics.tick.component import Component

WHEELS = ("front_left", "front_right", "rear_left", "rear_right")  # fields that name a wheel
DRIVEN = ("four_wheel", "front", "rear")  # driven axles
FOUR_WHEEL, FRONT, REAR = 0, 1, 2  # their indices


def _wheel(default: int, what: str) -> Any:
    return field(default=default, doc=f"{what} wheel.", source="PX-LEG-09")


def _split(what: str) -> Any:
    return field(
        unit="1", ge=0, le=1, default=0.5, suggest=(0, 1), mechanic=True, doc=f"Share of the torque for {what}."
    )


def _bias(what: str) -> Any:
    return field(
        unit="1",
        ge=1,
        default=1.3,
        suggest=(1, 5),
        source="PX-LEG-09",
        mechanic=True,
        doc=f"Speed ratio {what} above which the split changes.",
    )


class LegacyDifferentialParams(Schema):
    """Wheels, splits and biases."""

    driven: Choice = field(options=DRIVEN, default="four_wheel", doc="Which axles are driven.")
    front_left: WheelRef = _wheel(0, "Front left")
    front_right: WheelRef = _wheel(1, "Front right")
    rear_left: WheelRef = _wheel(2, "Rear left")
    rear_right: WheelRef = _wheel(3, "Rear right")
    front_split: Float = _split("the front axle")
    front_left_split: Float = _split("the left wheel of the front axle")
    rear_left_split: Float = _split("the left wheel of the rear axle")
    center_bias: Float = _bias("between the axles")
    front_bias: Float = _bias("of the front wheels")
    rear_bias: Float = _bias("of the rear wheels")


@kernel
def biased_split(a: float, b: float, bias: float, split: float) -> tuple[float, float]:
    """Torque shares of two sides with speeds a and b, rad/s, not both 0; nominal while their ratio is within `bias`."""
    a, b = abs(a), abs(b)
    fastest = max(a, b)
    excess = max(0.0, fastest - bias * min(a, b)) / fastest
    if a >= b:
        first, second = split * (1.0 - excess), (1.0 - split) * (1.0 + excess)
    else:
        first, second = split * (1.0 + excess), (1.0 - split) * (1.0 - excess)
    total = first + second
    if total == 0.0:
        return split, 1.0 - split
    return first / total, second / total


@kernel
def pair_shares(a: float, b: float, bias: float, split: float) -> tuple[float, float]:
    """Torque shares of the two wheels of an axle, with speeds a and b, rad/s, when only this axle is driven."""
    if a * b > 0.0:
        return biased_split(a, b, bias, split)
    return split, 1.0 - split


@kernel
def store_pair(state: Any, left: int, right: int, torque: float, speed: float, shares: Any, split: float) -> None:
    """Store the ratios of the wheels of an axle.

    torque, speed: the axle's share of the drive torque and weight in the mean speed.
    shares: (left, right) shares of the axle's torque. split: nominal share of the left wheel.
    """
    state[left].torque_ratio = torque * shares[0]
    state[right].torque_ratio = torque * shares[1]
    state[left].speed_ratio = speed * split
    state[right].speed_ratio = speed * (1.0 - split)


@kernel
def update(params: Any, state: Any, wheel: Any, wheel_count: int) -> None:
    """Set the torque shares of the four wheels by their speeds, and their nominal weights."""
    p = params
    for i in range(wheel_count):
        state[i].connected = 0
        state[i].torque_ratio = 0.0
        state[i].speed_ratio = 0.0
    f0, f1 = wheel[p.front_left].omega, wheel[p.front_right].omega
    r0, r1 = wheel[p.rear_left].omega, wheel[p.rear_right].omega
    for i in (p.front_left, p.front_right, p.rear_left, p.rear_right):
        state[i].connected = 1
    front, rear = (p.front_left_split, 1.0 - p.front_left_split), (p.rear_left_split, 1.0 - p.rear_left_split)
    # torque shares of the axles; weight of the front axle in the mean speed
    share, weight = (p.front_split, 1.0 - p.front_split), p.front_split
    if p.driven == FOUR_WHEEL:
        if f0 * f1 > 0.0 and r0 * r1 > 0.0 and f0 * r0 > 0.0:
            share = biased_split(f0 + f1, r0 + r1, p.center_bias, p.front_split)
            front = biased_split(f0, f1, p.front_bias, p.front_left_split)
            rear = biased_split(r0, r1, p.rear_bias, p.rear_left_split)
    elif p.driven == FRONT:
        share, weight = (1.0, 0.0), 1.0
        front = pair_shares(f0, f1, p.front_bias, p.front_left_split)
    else:
        share, weight = (0.0, 1.0), 0.0
        rear = pair_shares(r0, r1, p.rear_bias, p.rear_left_split)
    store_pair(state, p.front_left, p.front_right, share[0], weight, front, p.front_left_split)
    store_pair(state, p.rear_left, p.rear_right, share[1], 1.0 - weight, rear, p.rear_left_split)


def check_wheels(params: Any, wheel_count: int) -> list[tuple[str, str]]:
    """[(field, problem)] of fields whose wheel does not exist or is already that of an earlier field."""
    ids = [int(params[name]) for name in WHEELS]
    problems = [(n, f"wheel {i} does not exist") for n, i in zip(WHEELS, ids, strict=True) if i >= wheel_count]
    repeated = [name for k, name in enumerate(WHEELS) if ids[k] in ids[:k]]
    return problems + [(name, "the four wheels must differ") for name in repeated]


LEGACY_DIFFERENTIAL = Component(
    slot="differential",
    name="legacy_four_wheel",
    params=LegacyDifferentialParams,
    state=DifferentialState,
    phases={"update": update},
    check=check_wheels,
    doc="Shifts torque from faster wheels beyond a speed ratio, like older vehicles of the PhysX SDK.",
)
