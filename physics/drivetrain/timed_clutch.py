"""Clutch that opens at once on a gear change and closes at a fixed rate (CE-CLUTCH-02, 03).

    position = 0 in the tick of a change, then + clutch_speed dt, up to 1

TIMED_CLUTCH scales the torque of an engine without inertia (rigid_coupling.py). TIMED_TORSION_CLUTCH applies the same
motion to the viscous coupling of clutch.py: response = strength * min(position, 1 - pedal).

Source: the CryEngine vehicle document, "Vehicles have gearboxes" and `clutch_speed`.
"""

from typing import Any

from driving_sandbox.physics.drivetrain.clutch import ClutchParams, ClutchState
from driving_sandbox.physics.gearbox.gearbox import GEAR_CAPACITY
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, Int, Schema, field
from driving_sandbox.physics.tick.component import Component


def _speed() -> Any:
    return field(
        unit="1/s",
        gt=0,
        ge=1e-9,
        suggest=(0.5, 10),
        default=2.0,
        source="CE-CLUTCH-03",
        doc="How fast the clutch closes after a change; from open to closed in 1 / clutch_speed seconds.",
    )


class TimedClutchParams(Schema):
    """How fast the clutch closes."""

    clutch_speed: Float = _speed()


class TimedTorsionParams(ClutchParams):
    """Strength, and how fast the clutch closes."""

    clutch_speed: Float = _speed()


class TimedClutchState(ClutchState):
    """Position, and the gear it belongs to."""

    position: Float = field(unit="1", default=1.0, doc="0 just opened by a change .. 1 closed again.")
    gear: Int = field(unit="1", ge=0, lt=GEAR_CAPACITY, default=1, doc="Gear in the previous tick.")


@kernel
def move(p: Any, s: Any, gear: int, pedal: float, dt: float) -> None:
    """Set `position` (0 in a new gear, else a tick further), and `normalised`, which the pedal (1 = pressed) limits."""
    if gear != s.gear:
        s.position = 0.0
    else:
        s.position = min(1.0, s.position + p.clutch_speed * dt)
    s.gear = gear
    s.normalised = min(s.position, 1.0 - pedal)


@kernel
def update(params: Any, state: Any, input: Any, gearbox: Any, dt: float) -> None:
    """Move the clutch by a tick; `response` is the share of the engine torque that it transmits."""
    move(params, state, gearbox.current_gear, input.clutch, dt)
    state.response = state.normalised


@kernel
def update_torsion(params: Any, state: Any, input: Any, gearbox: Any, dt: float) -> None:
    """Move the clutch by a tick; `response` is its strength, N m s / rad."""
    move(params, state, gearbox.current_gear, input.clutch, dt)
    state.response = state.normalised * params.strength


def check(names: dict[str, str]) -> list[tuple[str, str]]:
    """The problem of a drivetrain other than rigid_engine: it would read this response, a share, as a strength."""
    if names.get("drivetrain") == "rigid_engine":
        return []
    return [("clutch_speed", "needs the component drivetrain: rigid_engine; with others use timed_torsion_damper")]


TIMED_CLUTCH = Component(
    slot="clutch",
    name="timed",
    params=TimedClutchParams,
    state=TimedClutchState,
    phases={"update": update},
    check=check,
    doc="Opened by a gear change, closes at a fixed rate.",
)
TIMED_TORSION_CLUTCH = Component(
    slot="clutch",
    name="timed_torsion_damper",
    params=TimedTorsionParams,
    state=TimedClutchState,
    phases={"update": update_torsion},
    doc="A viscous coupling that opens on a gear change and closes at a fixed rate.",
)
