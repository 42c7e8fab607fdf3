"""When a tire sticks: which wheels hand a longitudinal or lateral row to the solver instead of slip forces.

Slip is a ratio of speeds and means nothing near standstill: a tire model alone creeps on every slope. Below a threshold
speed the tire is replaced, per direction, by an anchored row that holds as much as friction and brake do (`solver.py`).

Longitudinal: contact point and tread slower than the threshold, and the brake can hold the drive torque. No timer,
and none on leaving: without brake torque there is no row in the same substep. The tread may be faster by what its grip
changes it within one step, h mu N R^2 / I: a tire model next to rest flutters by that much and would never be let go.
A wheel that rolls against a brake weaker than half its grip is handed over at ROLLING_SPEED already: a tire's slip is
so stiff there that the wheel would flutter between locked and rolling, on average with the wrong force. For the same
reason one that a row lets roll stays with it up to that speed, whatever its brake, and in long steps until flutter
cannot take the tread to a stop: a vehicle that outweighs its brakes speeds up by the difference.
A slow wheel that nobody brakes or drives rolls while brakes hold others of the vehicle: its row lets tread and ground
meet at one speed (`steps.rolling_impulse`). At rest its slip is stiff, too, where h C R^2 / I is over twice the speed
that the slip adds (physics/tire/slip.py): it would flutter with thousands of newtons and shake the held tires loose.
Without a brake it is left to its tire.
Lateral: slow sideways for `lateral_time`, and either held by its brake or slow for `longitudinal_time` while no wheel
of the vehicle drives. The timers follow the PhysX vehicle's sticky tire state; the rows and the brake rule do not.

While the longitudinal row acts the tire gives the wheel no torque: `held_wheel_rate` says how it turns. What momentum
the tread has beyond the ground's speed goes through the row to the body (`steps.rolling_impulse`). A fluttering wheel
comes to the row at either end of its swing: were the difference lost, a vehicle rolling down a slope in steps of some
milliseconds would be caught at the threshold speed again and again, and never get faster.
"""

from driving_sandbox.physics.contact.records import BRAKE_SLIPS, TIRE_SLIDES
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths.vec3 import add, cross, dot, load, sub

ROLLING_SPEED = 2.0  # m/s; h C R^2 / (I v), the gain of a braked wheel's slip in a step of 1 ms, is about 2 there
WEAK_BRAKE = 0.5  # of the tire's grip; stronger brakes lock the wheel on the way, which the tire model must see
WEAK_DRIVE = 0.5  # of the tire's grip; an idling engine that pulls harder may spin the wheel, as the tire model says


@kernel
def speeds_at(point, ground_velocity, longitudinal, lateral, body):
    """(longitudinal, lateral) speed of the body over the ground at a point of the world."""
    v = add(load(body.velocity), cross(load(body.angular_velocity), sub(point, load(body.position))))
    v = sub(v, ground_velocity)
    return dot(v, longitudinal), dot(v, lateral)


@kernel
def contact_speeds(wheel, body):
    """`speeds_at` the contact of a wheel row."""
    return speeds_at(
        load(wheel.contact_point), load(wheel.ground_velocity), load(wheel.longitudinal), load(wheel.lateral), body
    )


@kernel
def tread_leeway(wheel, dt):
    """How much the grip of a tire can change the speed of its tread within a step, m/s."""
    return dt * wheel.friction * wheel.normal_force * wheel.radius * wheel.radius / wheel.inertia


@kernel
def rolls_against_brake(params, wheel, kept, along, tread, dt):
    """True for a wheel that turns with the ground against its brake, too slowly for the tire model."""
    rolled = kept.hold == BRAKE_SLIPS  # in the last substep
    weak = wheel.brake_torque < WEAK_BRAKE * wheel.friction * wheel.normal_force * wheel.radius
    mostly_brake = 2.0 * wheel.pedal_torque > wheel.brake_torque
    top = max(ROLLING_SPEED, 2.0 * tread_leeway(wheel, dt)) if rolled else ROLLING_SPEED  # 2: grip and brake together
    return (rolled or weak) and mostly_brake and abs(along) < top and abs(tread - along) < params.longitudinal_speed


@kernel
def can_roll(params, wheel, along, dt):
    """True for a slow wheel, driven weakly at most, whose grip takes the tread to the ground's speed within a step."""
    slip = wheel.rate * wheel.radius - along
    strong = abs(wheel.drive_torque) >= WEAK_DRIVE * wheel.friction * wheel.normal_force * wheel.radius
    return not strong and abs(along) < params.longitudinal_speed and abs(slip) < tread_leeway(wheel, dt)


@kernel
def any_driving(wheels, wheel_count):
    """True if the driver has a wheel drive against what holds it."""
    driving = False
    for i in range(wheel_count):
        wheel = wheels[i]
        driving = driving or (wheel.drive == 1 and abs(wheel.drive_torque) >= wheel.brake_torque)
    return driving


@kernel
def any_braking(wheels, wheel_count):
    """True if the driver's brakes hold a wheel on the ground against its drive."""
    braking = False
    for i in range(wheel_count):
        wheel = wheels[i]
        braking = braking or (wheel.on_ground == 1 and wheel.pedal_torque > abs(wheel.drive_torque))
    return braking


@kernel
def sticky_candidate(params, wheel, kept, along, across, driving, braking, dt):
    """Set sticky_longitudinal, rolls and sticky_lateral of a wheel row; advances its timers by dt."""
    wheel.sticky_longitudinal = 0
    wheel.sticky_lateral = 0
    wheel.rolls = 0
    if wheel.on_ground == 0 or wheel.friction <= 0.0:
        kept.longitudinal_time = 0.0
        kept.lateral_time = 0.0
        return
    tread = wheel.rate * wheel.radius
    slow = abs(along) < params.longitudinal_speed
    slow = slow and abs(tread) < params.longitudinal_speed + tread_leeway(wheel, dt)
    braked = wheel.brake_torque > abs(wheel.drive_torque)
    kept.longitudinal_time = kept.longitudinal_time + dt if slow and not driving else 0.0
    slow_sideways = abs(across) < params.lateral_speed and (braked or not driving)
    kept.lateral_time = kept.lateral_time + dt if slow_sideways else 0.0
    if braked and (slow or rolls_against_brake(params, wheel, kept, along, tread, dt)):
        wheel.sticky_longitudinal = 1
    elif braking and wheel.drive == 0 and wheel.pedal_torque == 0.0 and can_roll(params, wheel, along, dt):
        wheel.sticky_longitudinal = 1
        wheel.rolls = 1
    waited = kept.longitudinal_time > params.longitudinal_time or (slow and braked)
    if kept.lateral_time > params.lateral_time and waited:
        wheel.sticky_lateral = 1


@kernel
def held_wheel_rate(wheel, kept, body, unheld_rate):
    """Wheel rate after a substep of its longitudinal row; unheld_rate: what the drivetrain alone made of it.

    Turning with the ground, unless its tire slides: then it feels the friction, or is locked by a brake beyond it.
    """
    if kept.hold != TIRE_SLIDES:
        along, _ = contact_speeds(wheel, body)
        return along / wheel.radius
    if wheel.rolls == 1 or wheel.brake_torque < wheel.friction * wheel.normal_force * wheel.radius:
        return unheld_rate - kept.longitudinal_impulse * wheel.radius / wheel.inertia
    return 0.0
