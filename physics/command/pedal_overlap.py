"""Command response in which braking may cut the throttle (CN-INPUT-02).

It equals physics/command/response.py, except that with `exclusive` a pressed brake pedal releases the throttle. Any
vehicle can use it: `components: {response: pedal_overlap}`.
"""

from typing import Any

from driving_sandbox.physics.command.response import ResponseParams, ResponseState
from driving_sandbox.physics.command.response import update as respond
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Bool, field
from driving_sandbox.physics.tick.component import Component


class PedalOverlapParams(ResponseParams):
    """Tables of the response, and the effect of both pedals together."""

    exclusive: Bool = field(
        default=False, source="CN-INPUT-02", doc="Whether braking releases the throttle; otherwise both act."
    )


@kernel
def update(params: Any, state: Any, input: Any, body: Any) -> None:
    """Set the responses; with `exclusive` braking releases the throttle."""
    respond(params, state, input, body)
    if params.exclusive != 0 and state.brake > 0.0:
        state.throttle = 0.0


PEDAL_OVERLAP = Component(
    slot="response",
    name="pedal_overlap",
    params=PedalOverlapParams,
    state=ResponseState,
    phases={"update": update},
    doc="Command tables; braking may release the throttle.",
)
