"""Levers of a tracked vehicle: a thrust and a brake for each side (PX-TANK-02, PX-TANK-04, ST-TANK-01, ST-TANK-02).

Thrust scales the drive torque of every track of a side. One steering command, +1 = right, moves both levers:

    outer side   thrust 1, brake 0
    inner side   thrust 1 - reach |steer|, brake brake_share |steer|

reach is 2 for the drive model `special` (thrust -1..1: full steering turns the tracks against each other and the
vehicle on the spot) and 1 for `standard` (0..1: the inner track is at most left without drive and braked).
Thrust says nothing about how much: the throttle does.
"""

from physics.brakes.response import BrakeParams, BrakeState
from physics.component import Component
from physics.jit import kernel
from physics.schema import Choice, Schema, field

STANDARD, SPECIAL = 0, 1  # indices of the options of `drive_model`
LEFT, RIGHT = 0, 1  # indices of a wheel's `lever`
REACH = (1.0, 2.0)  # how far full steering moves the inner lever back, by drive model


class LeverParams(Schema):
    """What the steering command does to the levers."""

    drive_model: Choice(("standard", "special")) = field(
        default="special", source="ST-TANK-01, ST-TANK-02",
        doc="standard: thrust 0..1, tracks never turn against each other; special: thrust -1..1, turns on the spot.",
    )
    brake_share: float = field(
        unit="1", ge=0, le=1, default=0.0, suggest=(0, 1), source="PX-TANK-04",
        doc="Brake lever of the inner side at full steering.",
    )


class LeverState(Schema):
    thrust_left: float = field(unit="1", doc="-1..1, scales the drive torque of the left lever's tracks.")
    thrust_right: float = field(unit="1", doc="-1..1, scales the drive torque of the right lever's tracks.")
    brake_left: float = field(unit="1", doc="0..1")
    brake_right: float = field(unit="1", doc="0..1")


class LeverBrakeParams(BrakeParams):
    """Pedal and handbrake as in a car, and the brake of the wheel's own lever."""

    lever_torque: float = field(
        unit="N*m", ge=0, suggest=(0, 20000), default=0.0, source="PX-TANK-04",
        doc="Torque at the full brake lever of the wheel's side.",
    )


@kernel
def lever_limits(drive_model):
    """(lowest thrust, how far full steering moves the inner lever)."""
    return (-1.0, REACH[1]) if drive_model == SPECIAL else (0.0, REACH[0])


@kernel
def update(params, state, response):
    low, reach = lever_limits(params.drive_model)
    left = max(0.0, -response.steer)  # how far each side is the inner one
    right = max(0.0, response.steer)
    state.thrust_left = max(low, 1.0 - reach * left)
    state.thrust_right = max(low, 1.0 - reach * right)
    state.brake_left = params.brake_share * left
    state.brake_right = params.brake_share * right


@kernel
def update_brakes(params, state, response, levers, differential_params, wheel_count):
    for i in range(wheel_count):
        lever = levers.brake_left if differential_params[i].lever == LEFT else levers.brake_right
        p = params[i]
        pedals = response.brake * p.max_torque + response.handbrake * p.handbrake_torque
        state[i].torque = pedals + lever * p.lever_torque


LEVERS = Component(
    slot="levers", name="steered", params=LeverParams, state=LeverState, phases={"update": update},
    doc="Moves the thrust and brake levers of both sides by the steering command.",
)
LEVER_BRAKES = Component(
    slot="brakes", name="pedals_and_levers", params=LeverBrakeParams, state=BrakeState,
    phases={"update": update_brakes}, doc="Sums the torques of pedal, handbrake and brake lever on each wheel.",
)
