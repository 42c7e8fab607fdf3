"""Criteria for sticky tires: which wheels have a longitudinal or lateral constraint row instead of slip forces.

Slip is a ratio of speeds, and ill-defined near standstill: with a tire model alone a vehicle creeps on every slope.
Below a threshold speed the tire is replaced, per direction, by a constraint row of the solver (`solver.py`): a spring
to an anchor point on the road, limited by friction and brake torque.

Symbols: h substep, s; mu friction; N load, N; R radius, m; I spin inertia, kg m^2; C slip stiffness, N per unit of
slip; mu N R is the grip torque. A wheel gets a longitudinal row in three cases:

* Held: contact point and tread are slower than the threshold, and the brake torque (brakes plus rolling resistance)
  exceeds the drive torque. It starts without delay and ends in the substep in which the brake is released. The tread
  may be faster by what grip can change within a step, h mu N R^2 / I: near rest a tire model oscillates by that much,
  and the wheel would never get its row.
* Rolling against a weak brake, below ROLLING_SPEED: the brake torque is less than half the grip torque and mostly from
  the brakes (not from rolling resistance), and the speeds of tread and ground differ by less than the threshold. The
  equation of slip is so stiff there that the wheel would alternate between locked and rolling, with a wrong mean force.
  A wheel that already turns against its full brake torque keeps the row with any brake torque, below ROLLING_SPEED or
  2 h mu N R^2 / I, whichever is larger: beyond that, grip and brake together cannot stop the tread in one step. So a
  vehicle too heavy for its brakes accelerates with the net force.
* Rolling freely while brakes hold other wheels of the vehicle: it is slower than the threshold, its pedal brake is off,
  the driver's command does not drive it, any other drivetrain torque is below half the grip torque, and grip can end
  its slip within a step. Tread and ground then have the same speed (`steps.rolling_impulse`). Without the row the
  wheel's slip would oscillate near rest with thousands of newtons and break the sticky tires loose, if h C R^2 / I
  exceeds twice the speed in the slip's denominator (physics/tire/slip.py). On an unbraked vehicle the wheel is left to
  the tire model.

A wheel gets a lateral row if it has been slow sideways for `lateral_time`, and is either held by its brake or has been
slow for `longitudinal_time` while no wheel of the vehicle drives. The timers are those of the PhysX vehicle's sticky
tire state; the rows and the rule for brakes are not.

While the longitudinal row acts, the tire exerts no torque on the wheel: `sticky_wheel_rate` sets its speed. The
momentum of the tread relative to the ground is transferred to the body through the row (`steps.rolling_impulse`). A
wheel whose slip oscillates may get its row at either end of the oscillation: if that momentum were lost, a vehicle that
rolls down a slope with time steps of some milliseconds would stick at the threshold speed again and again, and never
accelerate.
"""

from typing import Any

from driving_sandbox.physics.contact.records import BRAKE_SLIPS, TIRE_SLIDES
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths.vec3 import add, cross, dot, load, sub

ROLLING_SPEED = 2.0  # m/s; h C R^2 / (I v), the gain of a braked wheel's slip in a step of 1 ms, is about 2 there
WEAK_BRAKE = 0.5  # of the grip torque; stronger brakes lock the wheel while it slides: left to the tire model
WEAK_DRIVE = 0.5  # of the grip torque; a stronger drive torque may spin the wheel: left to the tire model


@kernel
def speeds_at(point: Any, ground_velocity: Any, longitudinal: Any, lateral: Any, body: Any) -> tuple[float, float]:
    """(longitudinal, lateral) speed of the body relative to the ground at a point, m/s; vectors in world axes."""
    v = add(load(body.velocity), cross(load(body.angular_velocity), sub(point, load(body.position))))
    v = sub(v, ground_velocity)
    return dot(v, longitudinal), dot(v, lateral)


@kernel
def contact_speeds(wheel: Any, body: Any) -> tuple[float, float]:
    """`speeds_at` the contact point of a wheel (WHEEL_ROW)."""
    return speeds_at(
        load(wheel.contact_point), load(wheel.ground_velocity), load(wheel.longitudinal), load(wheel.lateral), body
    )


@kernel
def grip_speed_change(wheel: Any, dt: float) -> float:
    """Largest change of a tread's speed by grip within a step, h mu N R^2 / I, m/s."""
    return dt * wheel.friction * wheel.normal_force * wheel.radius * wheel.radius / wheel.inertia


@kernel
def rolls_against_brake(
    params: Any, wheel: Any, wheel_state: Any, ground_speed: float, tread_speed: float, dt: float
) -> bool:
    """Whether a braked wheel rolls against a weak brake (second case of the module).

    ground_speed: longitudinal speed of the contact point relative to the ground, m/s.
    tread_speed: omega R, m/s.
    """
    rolled_before = wheel_state.hold == BRAKE_SLIPS  # in the last substep
    weak_brake = wheel.brake_torque < WEAK_BRAKE * wheel.friction * wheel.normal_force * wheel.radius
    mostly_brake = 2.0 * wheel.pedal_torque > wheel.brake_torque
    max_speed = ROLLING_SPEED
    if rolled_before:
        max_speed = max(max_speed, 2.0 * grip_speed_change(wheel, dt))  # 2: grip and brake together
    return (
        (rolled_before or weak_brake)
        and mostly_brake
        and abs(ground_speed) < max_speed
        and abs(tread_speed - ground_speed) < params.longitudinal_speed
    )


@kernel
def can_roll(params: Any, wheel: Any, ground_speed: float, dt: float) -> bool:
    """Whether a wheel may roll freely (third case of the module), without the conditions on brakes and command."""
    slip_speed = wheel.rate * wheel.radius - ground_speed
    strong_drive = abs(wheel.drive_torque) >= WEAK_DRIVE * wheel.friction * wheel.normal_force * wheel.radius
    return (
        not strong_drive
        and abs(ground_speed) < params.longitudinal_speed
        and abs(slip_speed) < grip_speed_change(wheel, dt)
    )


@kernel
def any_driving(wheels: Any, wheel_count: int) -> Any:
    """True if any wheel driven by the driver's command has a drive torque of at least its brake torque."""
    driving = False
    for i in range(wheel_count):
        wheel = wheels[i]
        driving = driving or (wheel.drive == 1 and abs(wheel.drive_torque) >= wheel.brake_torque)
    return driving


@kernel
def any_braking(wheels: Any, wheel_count: int) -> Any:
    """True if the brakes of any wheel on the ground have a torque above its drive torque."""
    braking = False
    for i in range(wheel_count):
        wheel = wheels[i]
        braking = braking or (wheel.on_ground == 1 and wheel.pedal_torque > abs(wheel.drive_torque))
    return braking


@kernel
def update_sticky(
    params: Any, wheel: Any, wheel_state: Any, ground_speed: float, sideways_speed: float, driving: Any, braking: Any,
    dt: float,
) -> None:  # fmt: skip
    """Write sticky_longitudinal, rolls and sticky_lateral of a WHEEL_ROW, and advance the wheel's timers by dt.

    wheel_state: CONTACT_WHEEL, which has the timers and the hold of the last substep.
    ground_speed, sideways_speed: longitudinal and lateral speed by `speeds_at`, m/s.
    driving, braking: results of `any_driving` and `any_braking`.
    """
    wheel.sticky_longitudinal = 0
    wheel.sticky_lateral = 0
    wheel.rolls = 0
    if wheel.on_ground == 0 or wheel.friction <= 0.0:
        wheel_state.longitudinal_time = 0.0
        wheel_state.lateral_time = 0.0
        return
    tread_speed = wheel.rate * wheel.radius
    slow = abs(ground_speed) < params.longitudinal_speed
    slow = slow and abs(tread_speed) < params.longitudinal_speed + grip_speed_change(wheel, dt)
    braked = wheel.brake_torque > abs(wheel.drive_torque)
    wheel_state.longitudinal_time = wheel_state.longitudinal_time + dt if slow and not driving else 0.0
    slow_sideways = abs(sideways_speed) < params.lateral_speed and (braked or not driving)
    wheel_state.lateral_time = wheel_state.lateral_time + dt if slow_sideways else 0.0
    if braked and (slow or rolls_against_brake(params, wheel, wheel_state, ground_speed, tread_speed, dt)):
        wheel.sticky_longitudinal = 1
    elif braking and wheel.drive == 0 and wheel.pedal_torque == 0.0 and can_roll(params, wheel, ground_speed, dt):
        wheel.sticky_longitudinal = 1
        wheel.rolls = 1
    slow_or_held = wheel_state.longitudinal_time > params.longitudinal_time or (slow and braked)
    if wheel_state.lateral_time > params.lateral_time and slow_or_held:
        wheel.sticky_lateral = 1


@kernel
def sticky_wheel_rate(wheel: Any, wheel_state: Any, body: Any, drivetrain_rate: float) -> float:
    """Angular speed of a wheel after a substep with a longitudinal row, rad/s.

    It rolls with the ground unless its tire slides; then friction changes its speed, or a stronger brake locks it.
    drivetrain_rate: speed by the drivetrain's torques alone, rad/s.
    """
    if wheel_state.hold != TIRE_SLIDES:
        ground_speed, _ = contact_speeds(wheel, body)
        return ground_speed / wheel.radius
    if wheel.rolls == 1 or wheel.brake_torque < wheel.friction * wheel.normal_force * wheel.radius:
        return drivetrain_rate - wheel_state.longitudinal_impulse * wheel.radius / wheel.inertia
    return 0.0
