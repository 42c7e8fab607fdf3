"""A motor on every wheel: torque by speed, pedal and temperature, in place of direct drive's constant torque.

    T = direction throttle min(max_torque, power / |omega|) cool
    C dtheta/dt = copper T^2 - h theta,   cool = 1 below derate_from, 0 from derate_to on, linear between

Constant torque up to the speed power / max_torque, constant power from there on, and less of both once the windings are
hot. theta is the temperature over the air's. A vehicle uses it by naming it:

    components:
      direct_drive: {file: electric_motor.py, name: MOTOR}
"""

from driving_sandbox import Component, Float, PerWheel, field, kernel
from driving_sandbox.physics.drivetrain.direct import DirectDriveParams, drive_direction

LEAST_SPEED = 1e-3  # rad/s, below which the power limit says nothing


class MotorParams(DirectDriveParams):
    """Largest torque as in a direct drive, and what limits it."""

    power: Float = field(unit="W", gt=0, default=30e3, suggest=(5e3, 200e3), doc="Largest power at the wheel.")
    copper: Float = field(
        unit="W/(N*m)^2", ge=0, default=0.02, suggest=(0, 0.2), doc="Heat of the windings per torque squared."
    )
    heat_capacity: Float = field(unit="J/K", gt=0, default=8000.0, suggest=(500, 50e3), doc="Of the motor.")
    cooling: Float = field(unit="W/K", ge=0, default=15.0, suggest=(0, 200), doc="To the air, per degree over it.")
    derate_from: Float = field(unit="K", ge=0, default=80.0, suggest=(20, 150), doc="Over the air; less torque above.")
    derate_to: Float = field(unit="K", gt=0, default=120.0, suggest=(40, 200), doc="Over the air; no torque above.")


class MotorState(PerWheel):
    torque: Float = field(unit="N*m", doc="Drive torque of the wheel.")
    temperature: Float = field(unit="K", doc="Of the windings over the air.")


@kernel
def cool_share(p, temperature):
    """Share of the torque that a temperature leaves."""
    return min(1.0, max(0.0, (p.derate_to - temperature) / (p.derate_to - p.derate_from)))


@kernel
def motor_torque(p, throttle, direction, omega, temperature):
    """Torque at the wheel, N m."""
    most = min(abs(p.max_torque), p.power / max(abs(omega), LEAST_SPEED))
    torque = direction * throttle * most * cool_share(p, temperature)
    return torque if p.max_torque >= 0.0 else -torque


@kernel
def update(params, state, input, response, wheel, wheel_count, dt):
    for i in range(wheel_count):
        p, s = params[i], state[i]
        s.torque = motor_torque(p, response.throttle, drive_direction(input.gear), wheel[i].omega, s.temperature)
        # implicit in the temperature, so that no step is too long for a small motor
        heat = s.temperature * p.heat_capacity + p.copper * s.torque * s.torque * dt
        s.temperature = heat / (p.heat_capacity + p.cooling * dt)


def check(params, wheel_count):
    used = params[:wheel_count]
    if (used["derate_to"] <= used["derate_from"]).any():
        return [("derate_to", "must be hotter than derate_from")]
    return []


MOTOR = Component(
    slot="direct_drive",
    name="electric_motor",
    params=MotorParams,
    state=MotorState,
    phases={"update": update},
    check=check,
    doc="Torque of each wheel by speed, pedal and temperature.",
)
