"""Differentials that share torque in fixed ratios: open and multi-wheel (PX-DIFF-01, 02).

Drive torque of wheel i = torque_ratio_i * torque at the differential. The wheel-side speed of the clutch is the mean
sum speed_ratio_j sgn(torque_ratio_j) omega_j. Wheels with a torque ratio other than 0 are connected. A negative ratio
is a wheel geared in reverse.

OPEN          torque is shared in the given proportions, whatever their sum; the speed ratios are the magnitudes of the
              shares, as in gears without losses
MULTI_WHEEL   torque ratios and separate speed ratios, the magnitudes of either adding up to 1; where the two differ the
              coupling is not a real gear, and does not conserve power

`torque_ratio` is the torque's share, as the PhysX manual says. (The public SDK uses the speed ratio in its place.)
"""

from typing import Any

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, Int, PerWheel, field
from driving_sandbox.physics.tick.component import Component

RATIO_SUM_TOLERANCE = 0.01  # of the sum of the shares, which is 1; allows thirds with three digits


class OpenParams(PerWheel):
    """One wheel's proportion of the drive torque."""

    torque_ratio: Float = field(
        unit="1",
        suggest=(0, 1),
        default=0.0,
        source="PX-DIFF-01",
        mechanic=True,
        doc="Part of the drive torque in proportion to the other wheels'; 0: not driven, negative: geared in reverse.",
    )


class MultiWheelParams(PerWheel):
    """Torque share of one wheel, and its weight in the mean speed."""

    torque_ratio: Float = field(
        unit="1",
        ge=-1,
        le=1,
        suggest=(0, 1),
        default=0.0,
        source="PX-DIFF-01",
        mechanic=True,
        doc="Share of the drive torque; 0: not driven, negative: geared in reverse. Magnitudes add up to 1.",
    )
    speed_ratio: Float = field(
        unit="1",
        ge=0,
        le=1,
        suggest=(0, 1),
        default=0.0,
        source="PX-DIFF-02",
        begins_like="torque_ratio",
        doc="Weight of this wheel in the mean speed at the clutch; normally the magnitude of torque_ratio.",
    )


class DifferentialState(PerWheel):
    """Ratios in use for one wheel."""

    torque_ratio: Float = field(unit="1", doc="Share of the drive torque.")
    speed_ratio: Float = field(unit="1", doc="Weight in the mean wheel speed.")
    connected: Int = field(unit="1", doc="1 if this wheel is integrated together with the engine.")


@kernel
def connect(s: Any, torque_ratio: float, speed_ratio: Any) -> None:
    """Set the state of one wheel; it is connected if its torque ratio is not 0."""
    if torque_ratio != 0.0:
        s.connected = 1
        s.torque_ratio = torque_ratio
        s.speed_ratio = speed_ratio
    else:
        s.connected = 0
        s.torque_ratio = 0.0
        s.speed_ratio = 0.0


@kernel
def update_open(params: Any, state: Any, wheel_count: int) -> None:
    """Share the torque in the given proportions."""
    total = 0.0
    for i in range(wheel_count):
        total += abs(params[i].torque_ratio)
    for i in range(wheel_count):
        share = params[i].torque_ratio / total
        connect(state[i], share, abs(share))


@kernel
def update_multi_wheel(params: Any, state: Any, wheel_count: int) -> None:
    """Connect every wheel by its own shares of torque and speed."""
    for i in range(wheel_count):
        connect(state[i], params[i].torque_ratio, params[i].speed_ratio)


def _check_sum(params: Any, wheel_count: int, name: str) -> list[tuple[str, str]]:
    """[(name, problem)] if the magnitudes of a parameter do not add up to 1."""
    total = float(abs(params[name][:wheel_count]).sum())
    if abs(total - 1.0) > RATIO_SUM_TOLERANCE:
        return [(name, f"magnitudes of all wheels must add up to 1, not {total:g}")]
    return []


def check_open(params: Any, wheel_count: int) -> list[tuple[str, str]]:
    """The problem of a vehicle without a driven wheel."""
    if not params["torque_ratio"][:wheel_count].any():
        return [("torque_ratio", "must not be 0 on every wheel: something has to be driven")]
    return []


def check_multi_wheel(params: Any, wheel_names: tuple[str, ...]) -> list[tuple[str, str]]:
    """[(parameter, problem)] of the two sums, and of wheels that have a weight but no torque."""
    count = len(wheel_names)
    problems = _check_sum(params, count, "torque_ratio") + _check_sum(params, count, "speed_ratio")
    for i, wheel in enumerate(wheel_names):
        if params["torque_ratio"][i] == 0 and params["speed_ratio"][i] != 0:
            problems.append(("speed_ratio", f"of wheel {wheel} must be 0: it is not driven"))
    return problems


OPEN = Component(
    slot="differential",
    name="open",
    params=OpenParams,
    state=DifferentialState,
    phases={"update": update_open},
    check=check_open,
    doc="Shares torque in fixed ratios; speed follows the same ratios.",
)
MULTI_WHEEL = Component(
    slot="differential",
    name="multi_wheel",
    params=MultiWheelParams,
    state=DifferentialState,
    phases={"update": update_multi_wheel},
    check=check_multi_wheel,
    doc="Shares torque in fixed ratios, with separate weights for the mean wheel speed.",
)
