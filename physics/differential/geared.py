"""Up to three differentials, each with its ratio (Racer, RC-DIFF-01 in docs/systems.yaml).

    driven rear        propeller shaft -> rear -> wheels
    driven front       propeller shaft -> front -> wheels
    driven four_wheel  propeller shaft -> centre -> front and rear -> wheels

Each is open: it splits torque in a fixed proportion, equally at the axles, by `front_split` at the centre, and its
input speed is the mean of its outputs with the same weights, times its ratio. With the ratios r of centre, front and
rear

    torque of a front wheel = r_c front_split r_f / 2 * torque at the gearbox's output,  rear with 1 - front_split
    speed of that output    = the sum of the same factors times the wheels' speeds

so power is conserved. Each factor is stored as both `torque_ratio` and `speed_ratio` of its wheel. The factors include
the final drive, which the gearbox then does not have. Spools, viscous couplings and Salisbury clutch packs are a
separate component, `locks` of the slot `limited_slip` (locks.py).
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.differential.legacy import DRIVEN, FRONT, REAR, WHEELS, check_wheels
from driving_sandbox.physics.differential.multi_wheel import DifferentialState, connect
from driving_sandbox.physics.kernel.jit import JIT, kernel
from driving_sandbox.physics.schema.schema import Choice, Float, Schema, WheelRef, field
from driving_sandbox.physics.tick.component import Component


def wheel_reference(default: int, what: str) -> Any:
    """Field that names a wheel. default: its index; what: its place on the vehicle."""
    return field(default=default, doc=f"{what} wheel.", source="RC-DIFF-01")


def _ratio(what: str) -> Any:
    return field(
        unit="1",
        gt=0,
        suggest=(1, 6),
        default=1.0,
        source="RC-DIFF-01",
        doc=f"Turns of its input per turn of its outputs, {what} differential.",
    )


class GearedParams(Schema):
    """Which axles are driven, and the ratios."""

    driven: Choice = field(options=DRIVEN, default="rear", doc="Which axles are driven.", source="RC-DIFF-01")
    front_left: WheelRef = wheel_reference(0, "Front left")
    front_right: WheelRef = wheel_reference(1, "Front right")
    rear_left: WheelRef = wheel_reference(2, "Rear left")
    rear_right: WheelRef = wheel_reference(3, "Rear right")
    front_ratio: Float = _ratio("front")
    rear_ratio: Float = _ratio("rear")
    center_ratio: Float = _ratio("centre")
    front_split: Float = field(
        unit="1",
        ge=0,
        le=1,
        suggest=(0.2, 0.8),
        default=0.5,
        source="RC-DIFF-01",
        mechanic=True,
        doc="Share of the torque that the centre differential gives the front axle.",
    )


@kernel
def axle_factors(p: Any) -> tuple[float, float]:
    """(factor of each front wheel, of each rear wheel): wheel torque per torque at the gearbox's output."""
    if p.driven == REAR:
        return 0.0, 0.5 * p.rear_ratio
    if p.driven == FRONT:
        return 0.5 * p.front_ratio, 0.0
    half_center_ratio = 0.5 * p.center_ratio
    return half_center_ratio * p.front_split * p.front_ratio, half_center_ratio * (1.0 - p.front_split) * p.rear_ratio


@kernel
def update(params: Any, state: Any, wheel_count: int) -> None:
    """Connect the driven wheels, each with its factor, and disconnect all others."""
    for i in range(wheel_count):
        connect(state[i], 0.0, 0.0)
    front, rear = axle_factors(params)
    connect(state[params.front_left], front, front)
    connect(state[params.front_right], front, front)
    connect(state[params.rear_left], rear, rear)
    connect(state[params.rear_right], rear, rear)


def wheel_ratios(params: Any, wheel_count: int) -> np.ndarray:
    """Factor of every wheel [wheel_count]: wheel torque per torque at the gearbox's output."""
    ratios = np.zeros(wheel_count)
    # a kernel that runs as plain Python reads fields as attributes
    record = params if JIT else params.view(np.dtype((np.record, params.dtype)))
    for name, factor in zip(WHEELS, np.repeat(axle_factors(record), 2), strict=True):
        ratios[int(params[name])] = factor
    return ratios


GEARED = Component(
    slot="differential",
    name="geared",
    params=GearedParams,
    state=DifferentialState,
    phases={"update": update},
    check=check_wheels,
    doc="Front, rear and centre differentials, each with its ratio.",
)
