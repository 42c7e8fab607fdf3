"""Command response of the whole vehicle: tables of command and speed for pedals and steering wheel.

    response = table(command, forward speed)        without a table: the smoothed command itself
    steer    = +-table(|steer|, forward speed)      with the sign of the command; +1 = right

Components of engine, brakes and steering multiply these normalised responses by their largest torque or angle. A
steering table that falls with speed is the usual limit of steering at speed (PX-STEER-03). Forward speed is the
velocity of the centre of mass along the vehicle's y axis, negative in reverse.
"""

from typing import Any

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths.curve import response
from driving_sandbox.physics.maths.quat import load as load_quat
from driving_sandbox.physics.maths.quat import rotate
from driving_sandbox.physics.maths.vec3 import dot, load
from driving_sandbox.physics.schema.schema import Float, ResponseTable, Schema, field
from driving_sandbox.physics.tick.component import Component


def _table(what: str, source: str) -> Any:
    """Field for a response table; `what`: the quantity that it gives."""
    return field(
        unit="1",
        ge=0,
        le=1,
        default=[],
        source=source,
        doc=f"Normalised {what} by command and forward speed: rows [command, [[speed, response], ...]]; "
        "empty: equal to the command.",
    )


class ResponseParams(Schema):
    """Response of the vehicle to pedals and steering wheel, by speed."""

    throttle_table: ResponseTable = _table("throttle", "PX-DIRECT-01")
    brake_table: ResponseTable = _table("brake", "PX-BRAKE-01")
    handbrake_table: ResponseTable = _table("handbrake", "PX-BRAKE-03")
    steer_table: ResponseTable = _table("steering angle", "PX-STEER-03")


class ResponseState(Schema):
    """Normalised responses of this tick."""

    throttle: Float = field(unit="1", doc="Throttle response, 0..1.")
    brake: Float = field(unit="1", doc="Brake response, 0..1.")
    handbrake: Float = field(unit="1", doc="Handbrake response, 0..1.")
    steer: Float = field(unit="1", doc="Steering response, -1..1, +1 = right.")
    speed: Float = field(unit="m/s", doc="Forward speed of the centre of mass.")


@kernel
def forward_speed(body: Any) -> float:
    """Velocity of the centre of mass along the vehicle's y axis, m/s."""
    return dot(load(body.velocity), rotate(load_quat(body.orientation), (0.0, 1.0, 0.0)))


@kernel
def steer_response(table: Any, steer: float, speed: float) -> Any:
    """Normalised steering response, -1..1, +1 = right."""
    magnitude = response(table, abs(steer), speed)
    return magnitude if steer >= 0.0 else -magnitude


@kernel
def update(params: Any, state: Any, input: Any, body: Any) -> None:
    """Set the responses to the smoothed commands at the present speed."""
    speed = forward_speed(body)
    state.speed = speed
    state.throttle = response(params.throttle_table, input.throttle, speed)
    state.brake = response(params.brake_table, input.brake, speed)
    state.handbrake = response(params.handbrake_table, input.handbrake, speed)
    state.steer = steer_response(params.steer_table, input.steer, speed)


RESPONSE = Component(
    slot="response",
    name="command_speed_tables",
    params=ResponseParams,
    state=ResponseState,
    phases={"update": update},
    doc="Maps smoothed commands to normalised responses at the current speed.",
)
