"""A motor at every wheel whose torque falls as its windings get hot.

    T = T_direct d(theta)                                                    drive torque of a wheel
    C dtheta/dt = copper T^2 - h theta                                       temperature of the windings

T_direct is the torque of a direct drive (physics/drivetrain/direct.py), with constant torque, then constant power.
theta is the temperature of the windings above that of the air; hot windings derate the torque: d falls linearly from 1
at `derate_from` to 0 at `derate_to`. C is `heat_capacity`, h `cooling`. A vehicle uses the component by naming it:

    components:
      direct_drive: {file: electric_motor.py, name: MOTOR}
"""

from typing import Any

from driving_sandbox import Component, Float, PerWheel, field, kernel
from driving_sandbox.physics.drivetrain.direct import DirectDriveParams, available_share, direct_torque


class MotorParams(DirectDriveParams):
    """Largest torque and power as of a direct drive, and the motor's heat."""

    copper: Float = field(
        unit="W/(N*m)^2", ge=0, default=0.02, suggest=(0, 0.2), doc="Copper loss, heat per torque squared."
    )
    heat_capacity: Float = field(
        unit="J/K", gt=0, default=8000.0, suggest=(500, 50e3), doc="Heat capacity of the motor."
    )
    cooling: Float = field(unit="W/K", ge=0, default=15.0, suggest=(0, 200), doc="Heat flow to the air per kelvin.")
    derate_from: Float = field(
        unit="K", ge=0, default=80.0, suggest=(20, 150), doc="Difference to the air at which derating begins."
    )
    derate_to: Float = field(
        unit="K", gt=0, default=120.0, suggest=(40, 200), doc="Difference to the air from which there is no torque."
    )


class MotorState(PerWheel):
    """State of each wheel's motor."""

    torque: Float = field(unit="N*m", doc="Drive torque of the wheel.")
    temperature: Float = field(unit="K", doc="Temperature of the windings above that of the air.")


@kernel
def derating(p: Any, temperature: float) -> float:
    """Share of the torque available at a temperature, 0 to 1."""
    return min(1.0, max(0.0, (p.derate_to - temperature) / (p.derate_to - p.derate_from)))


@kernel
def update(params: Any, state: Any, input: Any, response: Any, wheel: Any, wheel_count: int, dt: float) -> None:
    """Set torque and temperature of every motor."""
    for i in range(wheel_count):
        p, s = params[i], state[i]
        torque = direct_torque(p, response.throttle, input.gear) * available_share(p, wheel[i].omega)
        s.torque = torque * derating(p, s.temperature)
        # implicit Euler in the temperature: stable for any step and heat capacity
        heat = s.temperature * p.heat_capacity + p.copper * s.torque * s.torque * dt
        s.temperature = heat / (p.heat_capacity + p.cooling * dt)


def check(params: Any, wheel_count: int) -> list[tuple[str, str]]:
    """Problems of the parameters, as (name, text)."""
    motors = params[:wheel_count]
    if (motors["derate_to"] <= motors["derate_from"]).any():
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
