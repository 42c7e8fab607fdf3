"""Command response with a separate linearity for each control (RC-INPUT-01, 02, RC-STEER-05).

    linearize(v, L) = v L + (1 - L) v^3                                  L <= 1
                    = v K + (1 - K) sgn(v) (1 - (1 - |v|)^3)             L > 1, K = 2 - L

v is a smoothed command, -1..1, and L the linearity: 0 is a cubic, insensitive around the centre, 1 is linear, 2 is the
most sensitive around the centre. The function is odd and maps -1, 0 and 1 to themselves. (The formulas are those of the
Racer simulator. Its documentation misnames a variable for negative v and L > 1; here that branch mirrors the positive
one.)

A command passes through `controls_linearity`, which is common to all controls, then through the control's own
linearity, then through the speed-dependent tables of the standard response (response.py). The throttle linearity of
each gear belongs to the engine (physics/drivetrain/stalling_engine.py).
"""

from typing import Any

from driving_sandbox.physics.command.response import ResponseParams, ResponseState, forward_speed, steer_response
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths.curve import response
from driving_sandbox.physics.schema.schema import Float, field
from driving_sandbox.physics.tick.component import Component


def _linearity(what: str, source: str = "RC-INPUT-02") -> Any:
    """Field for a linearity; `what`: the control or controls."""
    return field(
        unit="1",
        ge=0,
        le=2,
        suggest=(0, 2),
        default=1.0,
        source=source,
        doc=f"Linearity of {what}: 0 cubic, insensitive around the centre; 1 linear; 2 most sensitive there.",
    )


class LinearityParams(ResponseParams):
    """The speed-dependent tables, and the linearity of each control."""

    controls_linearity: Float = _linearity("all controls together")
    throttle_linearity: Float = _linearity("the throttle pedal")
    brake_linearity: Float = _linearity("the brake pedal")
    steer_linearity: Float = _linearity("the steering", "RC-STEER-05")


@kernel
def linearize(v: float, linearity: float) -> float:
    """A command (-1..1) shaped by a linearity (0..2), -1..1."""
    if linearity <= 1.0:
        return v * linearity + (1.0 - linearity) * v * v * v
    k = 2.0 - linearity
    remaining = 1.0 - abs(v)
    magnitude = 1.0 - remaining * remaining * remaining
    return v * k + (1.0 - k) * (magnitude if v >= 0.0 else -magnitude)


@kernel
def update(params: Any, state: Any, input: Any, body: Any) -> None:
    """Set the responses to the smoothed commands at the present speed."""
    speed = forward_speed(body)
    state.speed = speed
    common = params.controls_linearity
    throttle = linearize(linearize(input.throttle, common), params.throttle_linearity)
    brake = linearize(linearize(input.brake, common), params.brake_linearity)
    steer = linearize(linearize(input.steer, common), params.steer_linearity)
    state.throttle = response(params.throttle_table, throttle, speed)
    state.brake = response(params.brake_table, brake, speed)
    state.handbrake = response(params.handbrake_table, linearize(input.handbrake, common), speed)
    state.steer = steer_response(params.steer_table, steer, speed)


LINEARITY = Component(
    slot="response",
    name="linearity",
    params=LinearityParams,
    state=ResponseState,
    phases={"update": update},
    doc="Shapes each command by its linearity, then applies the speed-dependent tables.",
)
