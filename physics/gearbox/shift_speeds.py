"""Automatic gear changes at two engine speeds, the same in every gear (RC-AUTO-01, 02).

In automatic mode (gear command 255) and with no change under way:

    neutral or reverse                    -> first gear
    both sides of the clutch > up_omega   -> one gear up, if there is one
    both sides of the clutch < down_omega -> one gear down, never below first

With the clutch closed both are the engine's speed; while it slips after a change, engine speed alone is not sufficient.
With `automatic` off the automatic mode only engages first gear from neutral or reverse. Manual gear commands and the
throttle pass through: the gearbox itself cuts or blips the throttle. There is no latency; after an upshift the engine
must be faster than `down_omega`, or gears would hunt.
"""

from typing import Any

from driving_sandbox.physics.gearbox.autobox import LONG_AGO, AutoboxState
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Bool, Float, Schema, field
from driving_sandbox.physics.tick.commands import AUTOMATIC
from driving_sandbox.physics.tick.component import Component


class ShiftSpeedParams(Schema):
    """Whether gears change automatically, and at which engine speeds."""

    automatic: Bool = field(default=True, source="RC-AUTO-01", doc="Whether gears change automatically.")
    up_omega: Float = field(
        unit="rad/s",
        gt=0,
        suggest=(200, 900),
        mechanic=True,
        doc="Engine speed above which it changes up.",
        source="RC-AUTO-02",
    )
    down_omega: Float = field(
        unit="rad/s",
        gt=0,
        suggest=(100, 500),
        mechanic=True,
        doc="Engine speed below which it changes down.",
        source="RC-AUTO-02",
    )


@kernel
def chosen_gear(p: Any, current: int, neutral: int, gear_count: int, slower: float, faster: float) -> int:
    """Gear to engage. slower, faster: speeds of the slower and the faster side of the clutch, rad/s."""
    if current <= neutral:
        return neutral + 1 if neutral + 1 < gear_count else current
    if p.automatic == 0:
        return current
    if slower > p.up_omega and current + 1 < gear_count:
        return current + 1
    if faster < p.down_omega and current > neutral + 1:
        return current - 1
    return current


@kernel
def update(
    params: Any, state: Any, input: Any, response: Any, gearbox: Any, gearbox_params: Any, engine: Any, drivetrain: Any,
    dt: float,
) -> None:  # fmt: skip
    """Choose the gear for this tick."""
    state.throttle = response.throttle
    state.time_since_shift = min(LONG_AGO, state.time_since_shift + dt)
    if input.gear != AUTOMATIC:
        state.active = 0
        state.gear = input.gear
        return
    if gearbox.current_gear != gearbox.target_gear:
        state.gear = gearbox.target_gear
        return
    gearbox_omega = engine.omega + drivetrain.clutch_slip
    state.gear = chosen_gear(
        params, gearbox.current_gear, gearbox_params.neutral_gear, gearbox_params.ratios.count,
        min(engine.omega, gearbox_omega), max(engine.omega, gearbox_omega),
    )  # fmt: skip
    state.active = 0
    if state.gear != gearbox.current_gear:
        state.active = 1
        state.time_since_shift = 0.0


def check(params: Any, gearbox_params: Any) -> list[tuple[str, str]]:
    """Problems of the two speeds: they must be farther apart than the widest step of the ratios."""
    if params["down_omega"] >= params["up_omega"]:
        return [("down_omega", f"must be below up_omega ({params['up_omega']:g})")]
    ratios = gearbox_params["ratios"]["values"][: int(gearbox_params["ratios"]["count"])]
    forward = ratios[int(gearbox_params["neutral_gear"]) + 1 :]
    if len(forward) < 2 or forward.min() <= 0.0:  # invalid ratios are reported by the gearbox
        return []
    steps = forward[1:] / forward[:-1]
    if params["up_omega"] * steps.min() <= params["down_omega"]:
        lowest_omega = float(params["up_omega"] * steps.min())
        return [("down_omega", f"must be below {lowest_omega:.4g}, the engine's speed after the widest change up")]
    return []


SHIFT_SPEEDS = Component(
    slot="autobox",
    name="shift_speeds",
    params=ShiftSpeedParams,
    state=AutoboxState,
    phases={"update": update},
    check=check,
    doc="Changes gears by two engine speeds.",
)
