"""Hill hold: keeps the brakes applied on a slope after the pedal is released, until the engine can take over.

    held pedal     largest pedal since the vehicle came to rest, while |speed| < STANDSTILL and |grade| >= min_grade
    released when  sum over the wheels of uphill drive torque / radius >= drive_share * (sum of wheel loads) * |grade|,
              or   the pedal has been off for longer than hold_time
    grade = rise over run along the vehicle, positive nose up

The sum of the wheel loads times the grade is the component of the weight along the slope. The aid holds for a start
uphill, forwards or in reverse, and in neutral; it does nothing if a gear that drives downhill is selected, or with the
handbrake on. Each wheel's brake torque is at least that of the held pedal. Sticky tires (physics/contact/sticky.py)
keep the braked vehicle in place; without a brake it would roll.

Runs after the other aids of the brakes, with the drive torques of the tick before. Source: Bosch Automotive Handbook,
Hill hold control, which traps the pressure in the brakes for about 2 s.
"""

from typing import Any

from driving_sandbox.physics.assists.abs import check_brakes
from driving_sandbox.physics.assists.absent import absent
from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths.quat import load as load_quat
from driving_sandbox.physics.maths.quat import rotate
from driving_sandbox.physics.schema.schema import Bool, Float, Int, Schema, field
from driving_sandbox.physics.tick.component import Component

STANDSTILL = 0.3  # m/s; a slower vehicle counts as standing: the held brakes stop it within centimetres
MIN_RUN = 0.1  # smallest horizontal part of the longitudinal unit vector in `grade_of`; with less the car stands on end


class HillHoldParams(Schema):
    """Conditions for holding and for releasing the brakes."""

    enable: Bool = field(default=True, doc="Whether it is enabled.")
    hold_time: Float = field(
        unit="s", gt=0, le=60, default=2.0, suggest=(1, 5), doc="Longest time that it holds after the pedal's release."
    )
    min_grade: Float = field(
        unit="1", ge=0, le=1, default=0.03, suggest=(0.01, 0.1), doc="Rise over run below which it does not hold."
    )
    drive_share: Float = field(
        unit="1",
        ge=0,
        le=5,
        default=1.0,
        suggest=(0.8, 1.3),
        doc="Uphill drive force at which it lets go, as a share of the weight's component along the slope.",
    )


class HillHoldState(Schema):
    """Held pedal, and the conditions measured."""

    active: Int = field(unit="1", doc="1 while it holds more than the driver's pedal.")
    held: Float = field(unit="1", doc="Pedal that it keeps, 0..1.")
    time: Float = field(unit="s", doc="Time since the pedal was released, while it holds.")
    grade: Float = field(unit="1", doc="Rise over run along the vehicle, positive nose up.")


@kernel
def grade_of(body: Any) -> float:
    """Rise over run of the vehicle's longitudinal axis."""
    ahead = rotate(load_quat(body.orientation), (0.0, 1.0, 0.0))
    return ahead[2] / max(elementary.hypot(ahead[0], ahead[1]), MIN_RUN)


@kernel
def drive_suffices(p: Any, grade: float, actuation: Any, tire: Any, wheel_params: Any, wheel_count: int) -> bool:
    """Whether the uphill drive force reaches `drive_share` of the weight's component along the slope."""
    force, weight = 0.0, 0.0
    for i in range(wheel_count):
        force += actuation[i].drive_torque / wheel_params[i].radius
        weight += tire[i].load
    return (force if grade > 0.0 else -force) >= p.drive_share * weight * abs(grade)


@kernel
def update(
    params: Any, state: Any, response: Any, brakes: Any, brakes_params: Any, body: Any, actuation: Any, gearbox: Any,
    gearbox_params: Any, tire: Any, wheel_params: Any, wheel_count: int, dt: float,
) -> None:  # fmt: skip
    """Update the held pedal, and keep the brake torques at least at its level."""
    p, s = params, state
    s.grade = grade_of(body)
    downhill = s.grade * (gearbox.target_gear - gearbox_params.neutral_gear) < 0.0
    stands = abs(response.speed) < STANDSTILL and abs(s.grade) >= p.min_grade and response.handbrake == 0.0
    if p.enable == 0 or downhill or not stands:
        s.held, s.time = 0.0, 0.0
    elif response.brake > 0.0:
        s.held, s.time = max(s.held, response.brake), 0.0
    elif s.held > 0.0:
        s.time += dt
        if s.time > p.hold_time or drive_suffices(p, s.grade, actuation, tire, wheel_params, wheel_count):
            s.held = 0.0
    s.active = 1 if s.held > response.brake else 0
    for i in range(wheel_count):
        brakes[i].torque = max(brakes[i].torque, s.held * brakes_params[i].max_torque)


HILL_HOLD = Component(
    slot="hill_hold",
    name="until_drive_suffices",
    params=HillHoldParams,
    state=HillHoldState,
    phases={"update": update},
    check=check_brakes,
    writes=("brakes",),
    doc="Keeps the brakes applied on a slope after the pedal's release until the drive torque suffices.",
)
NO_HILL_HOLD = absent("hill_hold", "update")
