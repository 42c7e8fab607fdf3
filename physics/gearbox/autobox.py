"""Automatic choice of the forward gear by engine speed (PX-AUTO-01..06).

In automatic mode (gear command 255) and with no change under way, n = engine speed / largest engine speed decides:

    reverse or neutral              -> first forward gear
    n > up_ratios[current gear]     -> one gear up      (if there is one)
    n < down_ratios[current gear]   -> one gear down    (never below first)

Forward gears change one at a time (but see `standstill_speed` below), and only if more than `latency` has passed since
the start of the last automatic change. The throttle is cut from the tick in which an automatic change
starts until the tick that detects its end. A gear index as command switches automatic mode off at once; the next
automatic change then has no latency.

Kick-down, unless `kick_down` is 0: with at least that much throttle the next lower gear is taken, after the same
latency, if the engine then stays below KICK_DOWN_MARGIN times the upshift speed of that gear; it wins over an upshift.

A twelve-speed gearbox that shifted gear by gear would still shift down long after a stop. Below `standstill_speed` a
downshift goes straight to first gear, as in automated truck gearboxes; 0 disables this.

To keep gears from hunting on a hill or in a tight bend, choose `up_ratios` so that the drive force in a gear at its
upshift speed does not exceed the largest drive force in the next gear: ratio[g] T(up_ratios[g]) <= ratio[g + 1] max T,
T(n) the engine's torque curve.

Slot "autobox" provides the gear command and the throttle for gearbox and engine. Runs once per tick.
"""

from typing import Any

from driving_sandbox.physics.gearbox.gearbox import GEAR_CAPACITY
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, Floats, Int, Schema, field
from driving_sandbox.physics.tick.commands import ANY_COMMAND, AUTOMATIC
from driving_sandbox.physics.tick.component import Component

KICK_DOWN_MARGIN = 0.9  # share of the lower gear's upshift speed: it is not left again at once
LONG_AGO = 1e9  # s since the last change if there was none; above any latency


def _thresholds(what: str, source: str) -> Any:
    return field(
        capacity=GEAR_CAPACITY,
        unit="1",
        ge=0,
        le=1,
        suggest=(0.2, 0.95),
        source=source,
        mechanic=True,
        doc=f"Engine speed / max_omega {what}, one entry per gear of the gearbox (reverse and neutral unused).",
    )


class AutoboxParams(Schema):
    """Shift points of the automatic gearbox."""

    up_ratios: Floats = _thresholds("above which it changes up", "PX-AUTO-04")
    down_ratios: Floats = _thresholds("below which it changes down", "PX-AUTO-05")
    latency: Float = field(
        unit="s",
        ge=0,
        suggest=(0.2, 4),
        source="PX-AUTO-06",
        doc="Shortest time between the starts of two automatic changes; keep it well above the switch time.",
    )
    standstill_speed: Float = field(
        unit="m/s",
        ge=0,
        default=0.0,
        suggest=(0, 2),
        doc="Speed below which a downshift goes straight to first gear; 0: never.",
    )
    kick_down: Float = field(
        unit="1",
        ge=0,
        le=1,
        default=0.0,
        suggest=(0.8, 1),
        doc="Throttle from which it takes the next lower gear, if the engine's speed allows; 0: never.",
    )


class AutoboxState(Schema):
    """Throttle and gear for engine and gearbox, and the time of the last change."""

    throttle: Float = field(unit="1", doc="Throttle after the cut, 0..1.")
    gear: Int = field(**ANY_COMMAND, default=1, doc="Gear command after the automatic choice.")
    time_since_shift: Float = field(unit="s", default=LONG_AGO, doc="Time since the last automatic change began.")
    active: Int = field(unit="1", doc="1 while an automatic change is under way.")


@kernel
def _begin(s: Any, gear: int) -> None:
    """Start an automatic change to a gear."""
    s.gear = gear
    s.throttle = 0.0
    s.time_since_shift = 0.0
    s.active = 1


@kernel
def kicks_down(p: Any, throttle: float, ratios: Any, current: int, normalised_omega: float) -> bool:
    """Whether the throttle asks for the next lower gear and the engine's speed allows it."""
    if p.kick_down == 0.0 or throttle < p.kick_down:
        return False
    lower_gear_omega = normalised_omega * ratios.values[current - 1] / ratios.values[current]
    return lower_gear_omega < KICK_DOWN_MARGIN * p.up_ratios.values[current - 1]


@kernel
def choose_gear(p: Any, s: Any, box: Any, neutral: int, ratios: Any, normalised_omega: float) -> bool:
    """Choose gear and throttle with no change under way; returns False only while the latency has not passed."""
    current, gear_count, throttle = box.current_gear, ratios.count, s.throttle
    if current <= neutral and neutral + 1 < gear_count:
        _begin(s, neutral + 1)
        return True
    if s.time_since_shift > p.latency:
        if normalised_omega > p.up_ratios.values[current] and current + 1 < gear_count:
            _begin(s, current + 1)
        if current > neutral + 1 and (
            normalised_omega < p.down_ratios.values[current]
            or kicks_down(p, throttle, ratios, current, normalised_omega)
        ):
            _begin(s, current - 1)
        return True
    return False


@kernel
def autobox_step(
    p: Any, s: Any, box: Any, box_params: Any, throttle: Any, gear_command: Any, normalised_omega: float, dt: float
) -> None:
    """Update the state by a tick.

    box, box_params: state and parameters of the gearbox.
    throttle: after the pedal's response, 0..1.
    normalised_omega: engine speed / max_omega.
    """
    s.throttle = throttle
    s.gear = gear_command
    if gear_command != AUTOMATIC:
        s.active = 0
        s.time_since_shift = LONG_AGO
        return
    s.gear = box.target_gear
    if box.current_gear != box.target_gear:
        if s.active != 0:
            s.throttle = 0.0
        s.time_since_shift += dt
        return
    s.active = 0
    if not choose_gear(p, s, box, box_params.neutral_gear, box_params.ratios, normalised_omega):
        s.time_since_shift += dt


@kernel
def skip_to_first(p: Any, s: Any, current: int, first: float, speed: float) -> None:
    """Redirect a downshift that starts at standstill to first gear."""
    if s.active != 0 and first < s.gear < current and abs(speed) < p.standstill_speed:
        s.gear = first


@kernel
def update(
    params: Any, state: Any, input: Any, response: Any, gearbox: Any, gearbox_params: Any, engine: Any,
    engine_params: Any, dt: float,
) -> None:  # fmt: skip
    """Choose gear and throttle for this tick."""
    normalised = engine.omega / engine_params.max_omega
    autobox_step(params, state, gearbox, gearbox_params, response.throttle, input.gear, normalised, dt)
    skip_to_first(params, state, gearbox.current_gear, gearbox_params.neutral_gear + 1, response.speed)


def check(params: Any, gearbox_params: Any) -> list[tuple[str, str]]:
    """Problems of the thresholds: each list needs an entry for every gear, and in gears that shift both ways that of
    the downshift must be below that of the upshift."""
    gears = int(gearbox_params["ratios"]["count"])
    neutral = int(gearbox_params["neutral_gear"])
    problems = []
    for name in ("up_ratios", "down_ratios"):
        count = int(params[name]["count"])
        if count != gears:
            problems.append((name, f"has {count} entries, but the gearbox has {gears} gears"))
    if problems:
        return problems
    up, down = params["up_ratios"]["values"], params["down_ratios"]["values"]
    for gear in range(neutral + 2, gears - 1):
        if down[gear] >= up[gear]:
            problems.append(("down_ratios", f"entry {gear} ({down[gear]:g}) must be below up_ratios ({up[gear]:g})"))
    return problems


def warnings(params: Any, gearbox_params: Any) -> list[tuple[str, str]]:
    """[(field, effect)] of valid but unfavourable values."""
    latency, switch_time = float(params["latency"]), float(gearbox_params["switch_time"])
    if latency <= switch_time:
        text = f"{latency:g} s is not above gearbox.switch_time {switch_time:g} s: gears will hunt through neutral"
        return [("latency", text)]
    return []


AUTOBOX = Component(
    slot="autobox",
    name="engine_speed_thresholds",
    params=AutoboxParams,
    state=AutoboxState,
    phases={"update": update},
    check=check,
    doc="Chooses forward gears by engine speed and cuts the throttle while it changes.",
)
