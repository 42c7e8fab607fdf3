"""Gearbox: a list of ratios with one neutral, and a time in neutral at every change (PX-GEAR-01..05).

Gears are indices into `ratios`: below `neutral_gear` reverse (negative ratios, several are possible), above it forward
(positive, decreasing). In engine turns per wheel turn, the drivetrain's ratio is

    G = ratios[current] * final_ratio

Gears and final drive transmit a share of the power, in either direction of flow: `efficiency` of the gear (one number
for all, or one for each) times `final_efficiency`. The torque G T that the ratio makes of the clutch's T is multiplied
by

    eta        where power flows to the wheels: T G s >= 0, s the mean speed of the wheels
    1 / eta    where it flows from them: the engine brakes with T, and the wheels also supply the losses

(`passed_on`, applied in physics/drivetrain). The default efficiency of 1 means no losses.

A change: "command" (once per tick) puts the gearbox into neutral and stores the target, "update" (once per substep)
counts the time and engages the target once it exceeds `switch_time`. The first update starts the count at 0 without
adding dt, so that even with a switch time of 0 there is one substep in neutral. Commands during a change are ignored,
as are gears that do not exist. State `switch_time`: -1 no change, -2 just commanded (and from then on in neutral, if
that was commanded), else seconds since the change began. Times are float64 and compared strictly.
"""

from typing import Any

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, Floats, Int, Schema, field
from driving_sandbox.physics.tick.component import Component

GEAR_CAPACITY = 32  # gears a list may have; more than any lorry has
NOTHING_PENDING = -1.0  # value of `switch_time` without a change
JUST_COMMANDED = -2.0  # value of `switch_time` until the first update after a command
MIN_EFFICIENCY = 0.1  # far below the 0.4 of worm gears


def efficiency_field() -> Any:
    """Field `efficiency` of all gearboxes."""
    return field(
        capacity=GEAR_CAPACITY,
        unit="1",
        ge=MIN_EFFICIENCY,
        le=1,
        suggest=(0.92, 1),
        default=[1.0],
        doc="Share of the power that gears transmit: one number for all, or one for each gear of the list.",
    )


def final_efficiency_field() -> Any:
    """Field `final_efficiency` of all gearboxes."""
    return field(
        unit="1",
        ge=MIN_EFFICIENCY,
        le=1,
        suggest=(0.92, 1),
        default=1.0,
        doc="Share of the power that the final drive transmits; a hypoid gear has 0.94 to 0.97.",
    )


class GearboxParams(Schema):
    """Ratios and shift time."""

    ratios: Floats = field(
        capacity=GEAR_CAPACITY,
        unit="1",
        suggest=(-6, 6),
        mechanic=True,
        doc="Engine turns per turn of the propeller shaft: reverse gears (negative), neutral (0), forward gears "
        "(positive, decreasing).",
        source="PX-GEAR-03",
    )
    neutral_gear: Int = field(
        unit="1", ge=0, lt=GEAR_CAPACITY, suggest=(0, 3), default=1, doc="Index of neutral.", source="PX-GEAR-01"
    )
    final_ratio: Float = field(
        unit="1", gt=0, suggest=(2, 7), mechanic=True, doc="Final drive; multiplies every ratio.", source="PX-GEAR-04"
    )
    switch_time: Float = field(
        unit="s", ge=0, suggest=(0, 1), doc="Time in neutral during a change.", source="PX-GEAR-05"
    )
    efficiency: Floats = efficiency_field()
    final_efficiency: Float = final_efficiency_field()


class GearboxState(Schema):
    """Gears, and the time of a change."""

    current_gear: Int = field(unit="1", ge=0, lt=GEAR_CAPACITY, default=1, doc="Engaged gear; neutral during a change.")
    target_gear: Int = field(unit="1", ge=0, lt=GEAR_CAPACITY, default=1, doc="Gear after the change.")
    switch_time: Float = field(
        unit="s", default=NOTHING_PENDING, doc="Time since the change began; -1 none, -2 just commanded."
    )


@kernel
def begin_change(p: Any, s: Any, gear: int) -> None:
    """Start a change to the commanded gear if none is under way and the gear exists."""
    if s.current_gear == s.target_gear and gear != s.current_gear and 0 <= gear < p.ratios.count:
        s.current_gear = p.neutral_gear
        s.target_gear = gear
        s.switch_time = JUST_COMMANDED


@kernel
def advance_change(p: Any, s: Any, dt: float) -> None:
    """Count the time of a change and engage its target when it is over."""
    if s.target_gear == s.current_gear:
        return
    if s.switch_time == JUST_COMMANDED:
        s.switch_time = 0.0
    else:
        s.switch_time += dt
    if s.switch_time > p.switch_time:
        s.current_gear = s.target_gear
        s.switch_time = NOTHING_PENDING


@kernel
def gear_ratio(p: Any, gear: int) -> float:
    """Engine turns per wheel turn in a gear, final drive included; negative in reverse."""
    return p.ratios.values[gear] * p.final_ratio


@kernel
def gear_efficiency(p: Any, gear: int) -> float:
    """Share of the power that gear and final drive transmit."""
    return p.efficiency.values[min(gear, p.efficiency.count - 1)] * p.final_efficiency


@kernel
def passed_on(efficiency: float, power: float) -> float:
    """Factor of lossy gears on the torque behind them. power: > 0 if it flows to the wheels; only its sign counts."""
    return efficiency if power >= 0.0 else 1.0 / efficiency


@kernel
def command(params: Any, state: Any, autobox: Any) -> None:
    """Begin the change to the gear that the autobox commands."""
    begin_change(params, state, autobox.gear)


@kernel
def update(params: Any, state: Any, dt: float) -> None:
    """Continue a change by a tick."""
    advance_change(params, state, dt)


def check_efficiency(params: Any) -> list[tuple[str, str]]:
    """Problems of the number of efficiencies: one for all gears, or one for each."""
    entries, gears = int(params["efficiency"]["count"]), int(params["ratios"]["count"])
    if entries not in (1, gears):
        return [("efficiency", f"has {entries} entries; it takes 1 for all gears, or one for each of the {gears}")]
    return []


def check(params: Any) -> list[tuple[str, str]]:
    """Problems of the index of neutral, and of the signs and the order of the ratios."""
    ratios = params["ratios"]["values"][: int(params["ratios"]["count"])].tolist()
    neutral = int(params["neutral_gear"])
    if neutral >= len(ratios):
        return [("neutral_gear", f"is {neutral}, but ratios has only {len(ratios)} entries (0..{len(ratios) - 1})")]
    problems = []
    if ratios[neutral] != 0:
        problems.append(("ratios", f"entry {neutral} is neutral and must be 0, not {ratios[neutral]:g}"))
    for gear, ratio in enumerate(ratios):
        if gear < neutral and ratio >= 0:
            problems.append(("ratios", f"entry {gear} is a reverse gear and must be < 0, not {ratio:g}"))
        if gear > neutral and ratio <= 0:
            problems.append(("ratios", f"entry {gear} is a forward gear and must be > 0, not {ratio:g}"))
        if gear > neutral + 1 and ratio >= ratios[gear - 1]:
            problems.append(("ratios", f"forward ratios must fall: {ratios[gear - 1]:g} is followed by {ratio:g}"))
    return problems


def check_with_efficiency(params: Any) -> list[tuple[str, str]]:
    """Problems of ratios and efficiencies."""
    return check(params) + check_efficiency(params)


GEARBOX = Component(
    slot="gearbox",
    name="neutral_during_change",
    params=GearboxParams,
    state=GearboxState,
    phases={"command": command, "update": update},
    check=check_with_efficiency,
    doc="Changes gears through neutral.",
)
