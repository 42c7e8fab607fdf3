"""Limited-slip differentials that lock in proportion to their input torque: clutch packs with ramps, and helical gears.

The two outputs of a differential with input torque T_in get T_in / 2 each, and friction moves torque from the faster to
the slower one, up to the locking torque

    T_lock = preload + S |T_in|            largest difference of the output torques, slower minus faster

    clutch_pack   S = power_lock where the torque acts in the direction of rotation, coast_lock on overrun: the ramps
                  that press the plates have two angles (usually 40 % and 20 % in road cars; 0 % is a 90 degree ramp)
    helical       S = (B - 1) / (B + 1), B the torque bias ratio, 1.5 to 4, with another value on overrun

so the slower output gets up to B times the torque of the faster one, B = (1 + S) / (1 - S), plus preload / (1 - S). At
most the angular momentum dt T_lock / 2 is moved per substep, or what makes the speeds equal if that is less: sticking
is exact, momentum is conserved, and energy is only dissipated. There are three couplers, each off if its preload and S
are 0: within the front axle, within the rear axle, and between the axles, whose outputs are the axles' mean speeds.
T_in is the torque after the final drive (input_torque.py) times the differential's torque ratios of the coupler's
wheels. Runs in every substep after the drivetrain, as locks.py and limited_slip.py do.

Source: the program's own, after Milliken & Milliken, Race Car Vehicle Dynamics, 20.2, for the kinds and their terms.
"""

from typing import Any

from driving_sandbox.physics.differential.geared import wheel_reference
from driving_sandbox.physics.differential.input_torque import input_torque
from driving_sandbox.physics.differential.legacy import check_wheels
from driving_sandbox.physics.differential.locks import LockState, axle_difference, give_axles, give_wheels
from driving_sandbox.physics.drivetrain.wheel_speed import shaft_speed
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, Schema, WheelRef, field
from driving_sandbox.physics.tick.component import Component

FRONT, REAR, CENTER = "front", "rear", "between the axles"  # couplers, in the words of the docs below


def _preload(what: str, default: Any = 0.0) -> Any:
    return field(
        unit="N*m",
        ge=0,
        suggest=(0, 200),
        default=default,
        mechanic=True,
        doc=f"Locking torque without input torque, {what}.",
    )


def _lock(which: str, what: str, default: Any = 0.0) -> Any:
    return field(
        unit="1",
        ge=0,
        le=1,
        suggest=(0, 0.8),
        default=default,
        mechanic=True,
        doc=f"Locking torque per input torque {which}, {what}.",
    )


def _bias(which: str, what: str, default: Any = 1.0) -> Any:
    return field(
        unit="1",
        ge=1,
        le=20,
        suggest=(1, 4),
        default=default,
        doc=f"Torque bias ratio {which}, {what}: ratio of the slower output's torque to the faster one's; 1 is open.",
    )


class CouplerParams(Schema):
    """Wheels and preloads."""

    front_left: WheelRef = wheel_reference(0, "Front left")
    front_right: WheelRef = wheel_reference(1, "Front right")
    rear_left: WheelRef = wheel_reference(2, "Rear left")
    rear_right: WheelRef = wheel_reference(3, "Rear right")
    front_preload: Float = _preload(FRONT)
    rear_preload: Float = _preload(REAR, 40.0)
    center_preload: Float = _preload(CENTER)


class ClutchPackParams(CouplerParams):
    """Wheels, preloads and locking shares."""

    front_power_lock: Float = _lock("on power", FRONT)
    front_coast_lock: Float = _lock("on overrun", FRONT)
    rear_power_lock: Float = _lock("on power", REAR, 0.4)
    rear_coast_lock: Float = _lock("on overrun", REAR, 0.2)
    center_power_lock: Float = _lock("on power", CENTER)
    center_coast_lock: Float = _lock("on overrun", CENTER)


class HelicalParams(CouplerParams):
    """Wheels, preloads and torque bias ratios."""

    front_power_bias: Float = _bias("on power", FRONT)
    front_coast_bias: Float = _bias("on overrun", FRONT)
    rear_power_bias: Float = _bias("on power", REAR, 2.5)
    rear_coast_bias: Float = _bias("on overrun", REAR, 2.0)
    center_power_bias: Float = _bias("on power", CENTER)
    center_coast_bias: Float = _bias("on overrun", CENTER)


@kernel
def locking_share(bias: float) -> float:
    """Locking torque per input torque, for a torque bias ratio."""
    return (bias - 1.0) / (bias + 1.0)


@kernel
def transferred_momentum(
    preload: float, share: float, torque_in: float, difference: float, inverse_inertia: float, dt: float
) -> float:
    """Angular momentum moved from the first output to the second in a substep, N m s.

    share: S of the module's docstring.
    torque_in: N m.
    difference: speed of the first minus that of the second, rad/s.
    inverse_inertia: change of the difference per angular momentum moved, 1/(kg m^2).
    """
    largest = 0.5 * dt * (preload + share * abs(torque_in))
    return max(-largest, min(largest, difference / inverse_inertia))


@kernel
def couple_wheels(
    wheel: Any, wheel_params: Any, left: int, right: int, preload: float, share: float, torque_in: float, dt: float
) -> float:
    """Couple two wheels of an axle for a substep; returns the torque moved from left to right, N m."""
    inverse_inertia = 1.0 / wheel_params[left].inertia + 1.0 / wheel_params[right].inertia
    difference = wheel[left].omega - wheel[right].omega
    momentum = transferred_momentum(preload, share, torque_in, difference, inverse_inertia, dt)
    give_wheels(wheel, wheel_params, left, right, momentum)
    return momentum / dt


@kernel
def couple_axles(p: Any, wheel: Any, wheel_params: Any, share: float, torque_in: float, dt: float) -> float:
    """Couple the mean speeds of two axles for a substep; returns the torque moved from front to rear, N m."""
    difference, inverse_inertia = axle_difference(p, wheel, wheel_params)
    momentum = transferred_momentum(p.center_preload, share, torque_in, difference, inverse_inertia, dt)
    give_axles(p, wheel, wheel_params, momentum)
    return momentum / dt


@kernel
def couple_all(
    p: Any, s: Any, differential: Any, wheel: Any, wheel_params: Any, front_share: float, rear_share: float,
    center_share: float, torque: float, dt: float,
) -> None:  # fmt: skip
    """Apply the three couplers in a substep, the centre one first as in limited_slip.py.

    front_share, rear_share, center_share: S of each coupler.
    torque: into the differentials, N m.
    """
    front = torque * (differential[p.front_left].torque_ratio + differential[p.front_right].torque_ratio)
    rear = torque * (differential[p.rear_left].torque_ratio + differential[p.rear_right].torque_ratio)
    s.center_torque = couple_axles(p, wheel, wheel_params, center_share, front + rear, dt)
    s.front_torque = couple_wheels(
        wheel, wheel_params, p.front_left, p.front_right, p.front_preload, front_share, front, dt
    )
    s.rear_torque = couple_wheels(wheel, wheel_params, p.rear_left, p.rear_right, p.rear_preload, rear_share, rear, dt)


@kernel
def update_clutch_pack(
    params: Any, state: Any, drivetrain: Any, clutch: Any, gearbox: Any, gearbox_params: Any, differential: Any,
    wheel: Any, wheel_params: Any, wheel_count: int, dt: float,
) -> None:  # fmt: skip
    """Couple wheels and axles by the plates for a substep."""
    p = params
    shaft = shaft_speed(differential, wheel, wheel_count)
    torque = input_torque(drivetrain, clutch, gearbox, gearbox_params, shaft)
    on_power = torque * shaft >= 0.0
    front = p.front_power_lock if on_power else p.front_coast_lock
    rear = p.rear_power_lock if on_power else p.rear_coast_lock
    center = p.center_power_lock if on_power else p.center_coast_lock
    couple_all(p, state, differential, wheel, wheel_params, front, rear, center, torque, dt)


@kernel
def update_helical(
    params: Any, state: Any, drivetrain: Any, clutch: Any, gearbox: Any, gearbox_params: Any, differential: Any,
    wheel: Any, wheel_params: Any, wheel_count: int, dt: float,
) -> None:  # fmt: skip
    """Couple wheels and axles by the helical gears for a substep."""
    p = params
    shaft = shaft_speed(differential, wheel, wheel_count)
    torque = input_torque(drivetrain, clutch, gearbox, gearbox_params, shaft)
    on_power = torque * shaft >= 0.0
    front = locking_share(p.front_power_bias if on_power else p.front_coast_bias)
    rear = locking_share(p.rear_power_bias if on_power else p.rear_coast_bias)
    center = locking_share(p.center_power_bias if on_power else p.center_coast_bias)
    couple_all(p, state, differential, wheel, wheel_params, front, rear, center, torque, dt)


CLUTCH_PACK = Component(
    slot="limited_slip",
    name="clutch_pack",
    params=ClutchPackParams,
    state=LockState,
    phases={"update": update_clutch_pack},
    writes=("wheel",),
    check=check_wheels,
    doc="Plates pressed by a preload and by ramps lock by a share of the torque, on power and on overrun.",
)
HELICAL = Component(
    slot="limited_slip",
    name="helical",
    params=HelicalParams,
    state=LockState,
    phases={"update": update_helical},
    writes=("wheel",),
    check=check_wheels,
    doc="Helical gears that lock by a torque bias ratio, with preload.",
)
