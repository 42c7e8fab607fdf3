"""Gearbox with three timed phases per change, or free shifting (RC-GEAR-01..13).

    declutch   the clutch opens from 1 to 0 in `time_to_declutch`, old gear
    neutral    for `time_in_neutral`, and while the shift control is held (unless `fast`)
    clutch     the clutch closes from 0 to 1 in `time_to_clutch`, new gear

Down-shifts have separate times; a negative one takes that of up-shifts. Changes to neutral or reverse count as
up-shifts. During down-shifts the throttle is `blip_throttle`, if above 0, until the new gear is engaged; with
`cut_throttle` it is closed in up-shifts, and in down-shifts without a blip, until the clutch has closed. A gear may be
commanded at any time, even during a change, which then ends in that gear. With `free_shifting` there are no phases: the
gear follows the lever, and only the driver's pedal moves the clutch.

Whether a change is a down-shift follows from the gear engaged before it and the gear in which it will end. If another
gear is commanded meanwhile, the change becomes one to that gear: an opening clutch opens from where it is.

Gears are indices into `ratios`, as in gearbox.py: reverse (negative), neutral (0), forward (falling). A gear command of
LEVER_HELD + index selects a gear while the shift control is still held. The ratio, in turns of the clutch per turn of
the wheels, is ratios[gear] times `final_ratio`: the given `end_ratio`, or 1 if the differential has ratios of its own.
`inertias`, one for each gear, turn with the clutch; the drivetrain refers them to the wheels by the square of the
ratio.

"command" counts the time once per tick, so phases are exact to one tick; "update" multiplies the engagement of the
vehicle's clutch by that of the change, in the first substep of a tick.
"""

from typing import Any

from driving_sandbox.physics.gearbox.gearbox import (
    GEAR_CAPACITY,
    check_with_efficiency,
    efficiency_field,
    final_efficiency_field,
)
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Bool, Float, Floats, Int, Schema, field
from driving_sandbox.physics.tick.commands import AUTOMATIC
from driving_sandbox.physics.tick.component import Component

RATIO_CAPACITY = 12  # reverse, neutral and ten gears
MAX_FORWARD_GEARS = 10
LEVER_HELD = 64  # added to a gear command while the shift control is held; above any gear, below AUTOMATIC
ENGAGED, DECLUTCHING, IN_NEUTRAL, CLUTCHING = 0, 1, 2, 3  # values of `phase`


def _time(what: str, source: str) -> Any:
    return field(unit="s", ge=0, suggest=(0, 0.6), default=0.0, doc=f"Time {what}.", source=source)


def _down_time(what: str, source: str) -> Any:
    return field(
        unit="s",
        suggest=(0, 0.6),
        default=-1.0,
        source=source,
        doc=f"Time {what} when changing down; negative: that of up-shifts.",
    )


class TimedGearboxParams(Schema):
    """Ratios, inertias, and the times and throttle of a change."""

    ratios: Floats = field(
        capacity=RATIO_CAPACITY,
        unit="1",
        suggest=(-6, 6),
        source="RC-GEAR-01, RC-GEAR-02",
        mechanic=True,
        doc="Turns of the clutch per turn of the propeller shaft: reverse (negative), neutral (0), up to ten forward "
        "gears (positive, falling).",
    )
    neutral_gear: Int = field(
        unit="1", ge=0, lt=RATIO_CAPACITY, suggest=(0, 1), default=1, doc="Index of neutral.", source="RC-GEAR-02"
    )
    end_ratio: Float = field(
        unit="1",
        gt=0,
        suggest=(2, 7),
        default=1.0,
        source="RC-GEAR-05",
        mechanic=True,
        doc="Final drive, unless the differential has ratios.",
    )
    inertias: Floats = field(
        capacity=RATIO_CAPACITY,
        unit="kg*m^2",
        ge=0,
        suggest=(0, 0.1),
        default=[],
        source="RC-GEAR-03",
        doc="Inertia that turns with the clutch in each gear; empty: none.",
    )
    time_to_declutch: Float = _time("to open the clutch", "RC-GEAR-07")
    time_in_neutral: Float = _time("in neutral", "RC-GEAR-08")
    time_to_clutch: Float = _time("to close the clutch", "RC-GEAR-09")
    time_to_declutch_down: Float = _down_time("to open the clutch", "RC-GEAR-07")
    time_in_neutral_down: Float = _down_time("in neutral", "RC-GEAR-08")
    time_to_clutch_down: Float = _down_time("to close the clutch", "RC-GEAR-09")
    blip_throttle: Float = field(
        unit="1",
        ge=0,
        le=1,
        suggest=(0, 1),
        default=0.0,
        source="RC-GEAR-10",
        doc="Throttle during down-shifts; 0: that of the pedal.",
    )
    cut_throttle: Bool = field(default=False, source="RC-GEAR-11", doc="Whether the throttle is closed during changes.")
    fast: Bool = field(
        default=False, source="RC-GEAR-12", doc="Whether a change continues while the shift control is still held."
    )
    free_shifting: Bool = field(
        default=False, source="RC-GEAR-13", doc="Whether the gear of the lever is engaged at once, without phases."
    )
    final_ratio: Float = field(
        unit="1",
        derived=True,
        mechanic=True,
        doc="Final drive in use here; 1 if the differential has ratios.",
        source="RC-GEAR-05",
    )
    efficiency: Floats = efficiency_field()
    final_efficiency: Float = final_efficiency_field()


class TimedGearboxState(Schema):
    """Gears, and the phase of a change."""

    current_gear: Int = field(
        unit="1", ge=0, lt=GEAR_CAPACITY, default=1, doc="Engaged gear; neutral in the middle of a change."
    )
    target_gear: Int = field(unit="1", ge=0, lt=GEAR_CAPACITY, default=1, doc="Gear after the change.")
    previous_gear: Int = field(unit="1", ge=0, lt=GEAR_CAPACITY, default=1, doc="Engaged gear before the last change.")
    phase: Int = field(unit="1", ge=0, le=3, doc="0 engaged, 1 declutching, 2 in neutral, 3 clutching.")
    phase_time: Float = field(unit="s", doc="Time in this phase.")
    down: Int = field(unit="1", doc="1 in a change to a lower gear.")
    clutch_share: Float = field(unit="1", default=1.0, doc="Clutch share during the change, 0 open .. 1.")
    clutch_share_sent: Int = field(unit="1", doc="1 once the clutch share is applied in this tick.")


@kernel
def phase_length(p: Any, phase: Any, down: Any) -> float:
    """Duration of a phase, s; down: 1 for a down-shift, else 0."""
    if phase == DECLUTCHING:
        up_time, down_time = p.time_to_declutch, p.time_to_declutch_down
    elif phase == IN_NEUTRAL:
        up_time, down_time = p.time_in_neutral, p.time_in_neutral_down
    else:
        up_time, down_time = p.time_to_clutch, p.time_to_clutch_down
    return down_time if down != 0 and down_time >= 0.0 else up_time


@kernel
def request_gear(p: Any, s: Any, gear: int) -> None:
    """Start a change to a gear, or redirect the current change."""
    if gear < 0 or gear >= p.ratios.count or gear == s.target_gear:
        return
    if s.phase == ENGAGED or s.phase == CLUTCHING:
        s.previous_gear = s.current_gear
    s.down = 1 if p.neutral_gear < gear < s.previous_gear else 0
    if s.phase != IN_NEUTRAL:
        length = phase_length(p, DECLUTCHING, s.down)
        s.phase_time = (1.0 - s.clutch_share) * length  # a clutch not fully closed needs less
        s.phase = DECLUTCHING
    s.target_gear = gear


@kernel
def enter(p: Any, s: Any, phase: Any) -> None:
    """Enter a phase: set its gear; clear the time at the end of a change."""
    s.phase = phase
    if phase == ENGAGED:
        s.phase_time = 0.0
    elif phase == IN_NEUTRAL:
        s.current_gear = p.neutral_gear
    elif phase == CLUTCHING:
        s.current_gear = s.target_gear


@kernel
def advance(p: Any, s: Any, is_held: Any, dt: float) -> None:
    """Advance a change by dt; several short phases may end in one tick.

    is_held: 1 while the shift control is held, else 0.
    """
    s.phase_time += dt
    while s.phase != ENGAGED:
        length = phase_length(p, s.phase, s.down)
        if s.phase_time < length:
            break
        if s.phase == IN_NEUTRAL and is_held != 0 and p.fast == 0:
            s.phase_time = length
            break
        s.phase_time -= length
        enter(p, s, (s.phase + 1) % 4)


@kernel
def clutch_share(p: Any, s: Any) -> float:
    """Clutch share in the current phase, 0 open .. 1 closed."""
    if s.phase == ENGAGED:
        return 1.0
    if s.phase == IN_NEUTRAL:
        return 0.0
    elapsed_share = s.phase_time / phase_length(p, s.phase, s.down)
    return elapsed_share if s.phase == CLUTCHING else 1.0 - elapsed_share


@kernel
def throttle_in_change(p: Any, s: Any, throttle: Any) -> float:
    """Throttle after blip and cut, 0..1."""
    if s.phase == ENGAGED:
        return throttle
    if s.down != 0 and p.blip_throttle > 0.0:
        return p.blip_throttle if s.phase != CLUTCHING else throttle
    return 0.0 if p.cut_throttle != 0 else throttle


@kernel
def command(params: Any, state: Any, autobox: Any, dt: float) -> None:
    """Start or advance a change by a tick, and set the throttle."""
    gear, is_held = autobox.gear, 0
    if LEVER_HELD <= gear < AUTOMATIC:
        gear, is_held = gear - LEVER_HELD, 1
    if params.free_shifting != 0:
        if 0 <= gear < params.ratios.count:
            state.current_gear = state.target_gear = gear
        state.phase, state.phase_time, state.clutch_share = ENGAGED, 0.0, 1.0
    else:
        was_engaged = state.phase == ENGAGED
        request_gear(params, state, gear)
        if state.phase != ENGAGED:
            advance(params, state, is_held, 0.0 if was_engaged else dt)  # the change begins with this tick
        state.clutch_share = clutch_share(params, state)
    state.clutch_share_sent = 0
    autobox.throttle = throttle_in_change(params, state, autobox.throttle)


@kernel
def update(state: Any, clutch: Any) -> None:
    """Multiply the engagement of the clutch by the clutch share, once per tick."""
    if state.clutch_share_sent == 0:
        clutch.normalised *= state.clutch_share
        clutch.response *= state.clutch_share
        state.clutch_share_sent = 1


def has_ratios(differential_params: Any) -> bool:
    """Whether a differential has ratios of its own."""
    return differential_params is not None and "rear_ratio" in differential_params.dtype.names


def derive(params: Any, differential_params: Any) -> None:
    """Set the final ratio: 1 if the differential has ratios of its own, else `end_ratio`."""
    params["final_ratio"] = 1.0 if has_ratios(differential_params) else params["end_ratio"]


def check(params: Any) -> list[tuple[str, str]]:
    """Problems of the ratios, the efficiencies and the number of inertias."""
    problems = check_with_efficiency(params)
    count, neutral = int(params["ratios"]["count"]), int(params["neutral_gear"])
    if count - neutral - 1 > MAX_FORWARD_GEARS:
        problems.append(
            ("ratios", f"has {count - neutral - 1} forward gears; at most {MAX_FORWARD_GEARS} are possible")
        )
    entries = int(params["inertias"]["count"])
    if entries not in (0, count):
        problems.append(("inertias", f"has {entries} entries, but there are {count} gears"))
    return problems


TIMED_GEARBOX = Component(
    slot="gearbox",
    name="three_phases",
    params=TimedGearboxParams,
    state=TimedGearboxState,
    phases={"command": command, "update": update},
    writes=("autobox", "clutch"),
    derive=derive,
    check=check,
    doc="Timed declutching, neutral and clutching phases; or free shifting.",
)
