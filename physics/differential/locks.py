"""Differential locks: none, spool, viscous coupling or Salisbury clutch packs (RC-DIFF-01).

For two outputs with speeds a and b, d = a - b, k = 1 / I_a + 1 / I_b, the angular momentum J moved from the first to
the second in a substep, dt times the torque, is

    open        0
    spool       d / k                                          they turn as one
    viscous     dt c d / (1 + dt c k)                          torque c times the difference, implicit
    salisbury   d / k, at most dt T_in / 2 (B - 1) / (B + 1)    clutches pressed by the input torque T_in

B = cos(angle) (1 + 2 clutches) clutch_factor is the largest ratio of the two torques, with `power_angle` where the
torque acts in the direction in which the rear wheels turn, and `coast_angle` where it brakes; B <= 1 is open. A smaller
angle locks more. Momentum is conserved, energy dissipated.

Three couplers: within the front axle, within the rear axle, and between the axles, whose outputs are the axles' mean
speeds (both axles geared alike). T_in is the torque behind the gears (input_torque.py) times the coupled wheels' share
in slot `differential`. Runs in every substep after the drivetrain.

Source: the public part of Racer's page about differentials; Racer's reference only says that up to three exist.
"""

from typing import Any

from driving_sandbox.physics.differential.geared import wheel_reference
from driving_sandbox.physics.differential.input_torque import input_torque
from driving_sandbox.physics.differential.legacy import check_wheels
from driving_sandbox.physics.drivetrain.wheel_speed import shaft_speed
from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Choice, Float, Int, Schema, WheelRef, field
from driving_sandbox.physics.tick.component import Component

TYPES = ("open", "spool", "viscous", "salisbury")
OPEN, SPOOL, VISCOUS, SALISBURY = range(4)


def _kind(what: str) -> Any:
    return field(options=TYPES, default="open", doc=f"Coupling of {what}.", source="RC-DIFF-01")


def _locking(what: str) -> Any:
    return field(
        unit="N*m*s/rad",
        ge=0,
        suggest=(0, 200),
        default=50.0,
        source="RC-DIFF-01",
        mechanic=True,
        doc=f"Viscous torque per difference in speed, {what}.",
    )


def _angle(which: str, what: str) -> Any:
    return field(
        unit="rad",
        ge=0,
        le=1.58,
        suggest=(0.4, 1.55),
        default=0.785,
        source="RC-DIFF-01",
        mechanic=True,
        doc=f"Salisbury ramp {which}, {what}; smaller locks more.",
    )


def _clutches(what: str) -> Any:
    return field(
        unit="1",
        ge=0,
        le=20,
        suggest=(0, 6),
        default=2,
        mechanic=True,
        doc=f"Number of Salisbury clutches, {what}.",
        source="RC-DIFF-01",
    )


def _factor(what: str) -> Any:
    return field(
        unit="1",
        ge=0,
        suggest=(0.2, 2),
        default=1.0,
        source="RC-DIFF-01",
        doc=f"Factor on the Salisbury torque ratio, {what}.",
    )


class LockParams(Schema):
    """Wheels, and type and values of the three couplers."""

    front_left: WheelRef = wheel_reference(0, "Front left")
    front_right: WheelRef = wheel_reference(1, "Front right")
    rear_left: WheelRef = wheel_reference(2, "Rear left")
    rear_right: WheelRef = wheel_reference(3, "Rear right")
    front_type: Choice = _kind("the front wheels")
    front_locking: Float = _locking("front")
    front_power_angle: Float = _angle("on power", "front")
    front_coast_angle: Float = _angle("coasting", "front")
    front_clutches: Int = _clutches("front")
    front_clutch_factor: Float = _factor("front")
    rear_type: Choice = _kind("the rear wheels")
    rear_locking: Float = _locking("rear")
    rear_power_angle: Float = _angle("on power", "rear")
    rear_coast_angle: Float = _angle("coasting", "rear")
    rear_clutches: Int = _clutches("rear")
    rear_clutch_factor: Float = _factor("rear")
    center_type: Choice = _kind("the axles")
    center_locking: Float = _locking("centre")
    center_power_angle: Float = _angle("on power", "centre")
    center_coast_angle: Float = _angle("coasting", "centre")
    center_clutches: Int = _clutches("centre")
    center_clutch_factor: Float = _factor("centre")


class LockState(Schema):
    """Torques that the couplers moved in the last substep."""

    front_torque: Float = field(unit="N*m", doc="Torque moved from the left front wheel to the right one.")
    rear_torque: Float = field(unit="N*m", doc="Torque moved from the left rear wheel to the right one.")
    center_torque: Float = field(unit="N*m", doc="Torque moved from the front axle to the rear one.")


@kernel
def torque_bias(angle: float, clutches: float, factor: float) -> float:
    """Largest ratio of the torques of two outputs, at least 1. angle: ramp angle, rad."""
    return max(1.0, elementary.cos(angle) * (1.0 + 2.0 * clutches) * factor)


@kernel
def moved_momentum(
    kind: Any, locking: float, bias: float, torque_in: float, difference: float, inverse_inertia: float, dt: float
) -> float:
    """Angular momentum moved from the first output to the second in a substep, N m s.

    torque_in: N m.
    difference: speed of the first minus that of the second, rad/s.
    inverse_inertia: change of the difference per angular momentum moved, 1/(kg m^2).
    """
    if kind == OPEN:
        return 0.0
    if kind == VISCOUS:
        return dt * locking * difference / (1.0 + dt * locking * inverse_inertia)
    equalising_momentum = difference / inverse_inertia
    if kind == SPOOL:
        return equalising_momentum
    largest = dt * 0.5 * abs(torque_in) * (bias - 1.0) / (bias + 1.0)
    return max(-largest, min(largest, equalising_momentum))


@kernel
def give_wheels(wheel: Any, wheel_params: Any, left: int, right: int, momentum: float) -> None:
    """Move angular momentum (N m s) from the left to the right wheel."""
    wheel[left].omega -= momentum / wheel_params[left].inertia
    wheel[right].omega += momentum / wheel_params[right].inertia


@kernel
def give_axles(p: Any, wheel: Any, wheel_params: Any, momentum: float) -> None:
    """Move angular momentum (N m s) from the front axle to the rear one, in equal parts per wheel."""
    for i in (p.front_left, p.front_right):
        wheel[i].omega -= 0.5 * momentum / wheel_params[i].inertia
    for i in (p.rear_left, p.rear_right):
        wheel[i].omega += 0.5 * momentum / wheel_params[i].inertia


@kernel
def axle_difference(p: Any, wheel: Any, wheel_params: Any) -> tuple[float, float]:
    """(mean speed of the front axle minus the rear one's, rad/s; its change per angular momentum moved, 1/(kg m^2))."""
    inverse_inertia = 0.0
    for i in (p.front_left, p.front_right, p.rear_left, p.rear_right):
        inverse_inertia += 0.25 / wheel_params[i].inertia
    front = 0.5 * (wheel[p.front_left].omega + wheel[p.front_right].omega)
    rear = 0.5 * (wheel[p.rear_left].omega + wheel[p.rear_right].omega)
    return front - rear, inverse_inertia


@kernel
def couple_wheels(
    wheel: Any, wheel_params: Any, left: int, right: int, kind: Any, locking: float, bias: float, torque_in: float,
    dt: float,
) -> float:  # fmt: skip
    """Couple two wheels for a substep; returns the torque moved from left to right, N m."""
    inverse_inertia = 1.0 / wheel_params[left].inertia + 1.0 / wheel_params[right].inertia
    difference = wheel[left].omega - wheel[right].omega
    momentum = moved_momentum(kind, locking, bias, torque_in, difference, inverse_inertia, dt)
    give_wheels(wheel, wheel_params, left, right, momentum)
    return momentum / dt


@kernel
def couple_axles(p: Any, wheel: Any, wheel_params: Any, bias: float, torque_in: float, dt: float) -> float:
    """Couple the mean speeds of two axles for a substep; returns the torque moved from front to rear, N m."""
    difference, inverse_inertia = axle_difference(p, wheel, wheel_params)
    momentum = moved_momentum(p.center_type, p.center_locking, bias, torque_in, difference, inverse_inertia, dt)
    give_axles(p, wheel, wheel_params, momentum)
    return momentum / dt


@kernel
def update(
    params: Any, state: Any, drivetrain: Any, clutch: Any, gearbox: Any, gearbox_params: Any, differential: Any,
    wheel: Any, wheel_params: Any, wheel_count: int, dt: float,
) -> None:  # fmt: skip
    """Apply the three couplers for a substep, the centre one first."""
    p = params
    torque = input_torque(drivetrain, clutch, gearbox, gearbox_params, shaft_speed(differential, wheel, wheel_count))
    front = torque * (differential[p.front_left].torque_ratio + differential[p.front_right].torque_ratio)
    rear = torque * (differential[p.rear_left].torque_ratio + differential[p.rear_right].torque_ratio)
    power = torque * (wheel[p.rear_left].omega + wheel[p.rear_right].omega)
    if p.center_type != OPEN:
        angle = p.center_power_angle if power >= 0.0 else p.center_coast_angle
        bias = torque_bias(angle, p.center_clutches, p.center_clutch_factor)
        state.center_torque = couple_axles(p, wheel, wheel_params, bias, front + rear, dt)
    else:
        state.center_torque = 0.0
    angle = p.front_power_angle if power >= 0.0 else p.front_coast_angle
    bias = torque_bias(angle, p.front_clutches, p.front_clutch_factor)
    state.front_torque = couple_wheels(
        wheel, wheel_params, p.front_left, p.front_right, p.front_type, p.front_locking, bias, front, dt
    )
    angle = p.rear_power_angle if power >= 0.0 else p.rear_coast_angle
    bias = torque_bias(angle, p.rear_clutches, p.rear_clutch_factor)
    state.rear_torque = couple_wheels(
        wheel, wheel_params, p.rear_left, p.rear_right, p.rear_type, p.rear_locking, bias, rear, dt
    )


LOCKS = Component(
    slot="limited_slip",
    name="locks",
    params=LockParams,
    state=LockState,
    phases={"update": update},
    writes=("wheel",),
    check=check_wheels,
    doc="Spool, viscous or Salisbury couplings of up to three differentials.",
)
