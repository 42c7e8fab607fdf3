"""Gearbox that changes instantly; the clutch models the shift (CE-GEAR-01).

At most eight ratios in the fixed order reverse (negative), neutral (0), forward gears (positive). The commanded gear is
engaged in the tick that commands it.

Source: the CryEngine vehicle document, `gears`.
"""

from typing import Any

from driving_sandbox.physics.gearbox.gearbox import (
    GEAR_CAPACITY,
    GearboxState,
    check_efficiency,
    efficiency_field,
    final_efficiency_field,
)
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, Floats, Int, Schema, field
from driving_sandbox.physics.tick.component import Component

MAX_GEARS = 8  # reverse and neutral included
NEUTRAL_INDEX = 1


class InstantGearboxParams(Schema):
    """Ratios: reverse, neutral, forward gears."""

    ratios: Floats = field(
        capacity=GEAR_CAPACITY,
        unit="1",
        suggest=(-10, 10),
        source="CE-GEAR-01",
        mechanic=True,
        doc="Engine turns per turn of the final drive: reverse (negative), neutral (0), up to six forward gears.",
    )
    final_ratio: Float = field(
        unit="1", gt=0, suggest=(1, 7), default=1.0, mechanic=True, doc="Final drive; multiplies every ratio."
    )
    neutral_gear: Int = field(unit="1", derived=True, default=NEUTRAL_INDEX, doc="Index of neutral.")
    efficiency: Floats = efficiency_field()
    final_efficiency: Float = final_efficiency_field()

    aliases = {"gears": ("ratios", 1.0)}


@kernel
def command(params: Any, state: Any, autobox: Any) -> None:
    """Engage the commanded gear if it exists."""
    if 0 <= autobox.gear < params.ratios.count:
        state.current_gear = autobox.gear
        state.target_gear = autobox.gear


@kernel
def update() -> None:
    """Does nothing; component lists have this phase for gearboxes with a shift time."""


def check(params: Any) -> list[tuple[str, str]]:
    """Problems of the number and the signs of the ratios."""
    ratios = params["ratios"]["values"][: int(params["ratios"]["count"])].tolist()
    if not 3 <= len(ratios) <= MAX_GEARS:
        return [("ratios", f"takes 3 to {MAX_GEARS} entries (reverse, neutral, forward gears), not {len(ratios)}")]
    problems = check_efficiency(params)
    for gear, ratio in enumerate(ratios):
        if gear == 0 and ratio >= 0.0:
            problems.append(("ratios", f"entry 0 is the reverse gear and must be < 0, not {ratio:g}"))
        if gear == NEUTRAL_INDEX and ratio != 0.0:
            problems.append(("ratios", f"entry 1 is neutral and must be 0, not {ratio:g}"))
        if gear > NEUTRAL_INDEX and ratio <= 0.0:
            problems.append(("ratios", f"entry {gear} is a forward gear and must be > 0, not {ratio:g}"))
    return problems


INSTANT_GEARBOX = Component(
    slot="gearbox",
    name="instant",
    params=InstantGearboxParams,
    state=GearboxState,
    phases={"command": command, "update": update},
    check=check,
    doc="Changes gears at once.",
)
