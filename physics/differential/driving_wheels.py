"""Differential that shares the torque equally among the wheels marked as driven (CE-WHEEL-02, 03).

    share_i = 1 / number of driven wheels

Source: the CryEngine vehicle document, `driving`.
"""

from typing import Any

from driving_sandbox.physics.differential.multi_wheel import DifferentialState, connect
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Bool, PerWheel, field
from driving_sandbox.physics.tick.component import Component


class DrivingParams(PerWheel):
    """Whether the wheel is driven."""

    driving: Bool = field(default=False, doc="Whether the wheel gets engine torque.", source="CE-WHEEL-03")


@kernel
def update(params: Any, state: Any, wheel_count: int) -> None:
    """Share the torque equally among the driven wheels."""
    count = 0
    for i in range(wheel_count):
        count += params[i].driving
    for i in range(wheel_count):
        share = 1.0 / count if params[i].driving != 0 else 0.0
        connect(state[i], share, share)


def check(params: Any, wheel_count: int) -> list[tuple[str, str]]:
    """The problem of a vehicle without a driven wheel."""
    if not params["driving"][:wheel_count].any():
        return [("driving", "must not be false on every wheel: something has to be driven")]
    return []


DRIVING_WHEELS = Component(
    slot="differential",
    name="driving_wheels",
    params=DrivingParams,
    state=DifferentialState,
    phases={"update": update},
    check=check,
    doc="Shares torque equally between the wheels marked as driving.",
)
