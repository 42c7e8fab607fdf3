"""Unsmoothed commands, and a drive pedal with its own rate and a limit while cornering (CE-INPUT-01..03).

RAW_COMMANDS (slot "input") clamps the driver's commands to their ranges and passes them on without smoothing, for
vehicles whose pedal and steering have rates of their own.

PEDAL (slot "pedal") limits the drive pedal:

    keys         the pedal rises by pedal_speed dt per tick, and is released at once; analog devices act at once
    cornering    above pedal_limit_speed, pedal <= 1 - (1 - max_steering_pedal) |steering response|

It runs after the automatic gearbox and the steering, and changes `autobox.throttle`, the drive pedal forwards or in
reverse. Source: the CryEngine vehicle document, `pedal_speed`, `max_steering_pedal`, `pedal_limit_speed`.
"""

from typing import Any

from driving_sandbox.physics.command.smoothing import SmoothingState, clamp
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, Schema, field
from driving_sandbox.physics.tick.component import Component


class PedalParams(Schema):
    """Rate and limit of the drive pedal."""

    pedal_speed: Float = field(
        unit="1/s",
        gt=0,
        suggest=(0.5, 10),
        default=2.0,
        source="CE-INPUT-01",
        doc="Keys: rate at which the pedal is pressed; fully in 1 / pedal_speed seconds.",
    )
    max_steering_pedal: Float = field(
        unit="1",
        ge=0,
        le=1,
        suggest=(0, 1),
        default=0.15,
        source="CE-INPUT-02",
        doc="Largest drive pedal at full steering, above pedal_limit_speed; straight ahead there is no limit.",
    )
    pedal_limit_speed: Float = field(
        unit="m/s",
        ge=0,
        suggest=(0, 30),
        default=10.0,
        source="CE-INPUT-03",
        doc="Speed above which steering limits the drive pedal.",
    )


class PedalState(Schema):
    """The drive pedal to which the rate applies."""

    pedal: Float = field(unit="1", doc="Drive pedal before the limit by steering, 0..1.")


@kernel
def pedal_after(p: Any, pedal: float, target: float, digital: Any, dt: float) -> float:
    """Drive pedal after a tick, 0..1, towards the command `target`. digital: 1 if that comes from keys, else 0."""
    if digital == 0 or target < pedal:
        return target
    return min(target, pedal + p.pedal_speed * dt)


@kernel
def steering_cap(p: Any, speed: float, steer: float) -> float:
    """Largest drive pedal, 0..1, at a speed (m/s) and a steering response (-1..1)."""
    if abs(speed) <= p.pedal_limit_speed:
        return 1.0
    return 1.0 - (1.0 - p.max_steering_pedal) * min(1.0, abs(steer))


@kernel
def update(params: Any, state: Any, response: Any, autobox: Any, command: Any, dt: float) -> None:
    """Move the pedal towards `autobox.throttle`, and replace that by the pedal, limited while cornering."""
    state.pedal = pedal_after(params, state.pedal, autobox.throttle, command.digital, dt)
    autobox.throttle = min(state.pedal, steering_cap(params, response.speed, response.steer))


@kernel
def update_raw(state: Any, command: Any) -> None:
    """Clamp the commands to their ranges."""
    state.throttle = clamp(command.throttle, 0.0, 1.0)
    state.brake = clamp(command.brake, 0.0, 1.0)
    state.handbrake = clamp(command.handbrake, 0.0, 1.0)
    state.clutch = clamp(command.clutch, 0.0, 1.0)
    state.steer = clamp(command.steer, -1.0, 1.0)
    state.gear = command.gear


PEDAL = Component(
    slot="pedal",
    name="growing_and_capped",
    params=PedalParams,
    state=PedalState,
    phases={"update": update},
    writes=("autobox",),
    doc="Raises the drive pedal at its rate and limits it when cornering.",
)
RAW_COMMANDS = Component(
    slot="input",
    name="raw",
    state=SmoothingState,
    phases={"update": update_raw},
    doc="Passes the driver's commands on without smoothing, clamped to their ranges.",
)
