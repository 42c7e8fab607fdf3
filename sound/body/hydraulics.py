"""Hydraulic rams of a suspension: whine of the electric pump, and rush of the oil, while pistons move.

The pump runs while the pistons move, and runs down when they rest. A gear pump displaces its oil tooth by tooth:

    f = pitch s (1 - SAG q)       s: 0..1, speed of the pump; q: flow of oil / that at FULL_FLOW, which loads the motor

with partials at f, 2 f and 3 f, louder under load. The rush of the oil is noise about RUSH, ~ q s. Frequencies and
levels are the program's own: pumps of tail lifts, which lowriders use, have 8 to 12 teeth and turn at 2500 to 4000 rpm.
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, Schema, field
from driving_sandbox.sound.base.block import BLOCK, BLOCK_SECONDS, BODY
from driving_sandbox.sound.base.filters import scale_of, tuning_of, two_pole
from driving_sandbox.sound.base.gain import FAINT, advance, smoothstep
from driving_sandbox.sound.base.noise import begin as begin
from driving_sandbox.sound.base.noise import white
from driving_sandbox.sound.base.oscillator import stepped, tone, turns_after

MOVING = (0.01, 0.06)  # m/s, of the pistons: below the pump is off, above it runs
FULL_FLOW = 0.6  # m/s, mean speed of the pistons at which the pump gives all its oil
SAG = 0.25  # share of its speed that the pump then loses
START_TIME, COAST_TIME = 0.06, 0.3  # s, time constants of its rising (also of the flow) and of its falling speed
SLOWEST = 1e-3  # of its speed; less is rest
WHINE = 0.03  # amplitude of the first partial
SECOND, THIRD = 0.6, 0.35  # amplitudes of the others, relative to the first
RUSH, RUSH_DAMPING, RUSH_LEVEL = 1300.0, 1.2, 0.05  # Hz, 1 / Q, amplitude of the noise at full flow
WHINE_GAIN, RUSH_GAIN = range(2)  # rows of `gains`


class HydraulicsSound(Schema):
    """Pitch and level of the hydraulic rams of a suspension."""

    level: Float = field(unit="1", ge=0, suggest=(0, 3), default=0.0, doc="Gain; 0 is none: no rams.")
    pitch: Float = field(
        unit="Hz", gt=0, le=3000, suggest=(250, 900), default=520.0, doc="Frequency at which the pump's teeth pass."
    )
    rush: Float = field(unit="1", ge=0, suggest=(0, 3), default=1.0, doc="Gain of the oil's rush.")


STATE = np.dtype(
    [
        ("noise", np.uint64),
        ("speed", np.float64),  # of the pump, 0..1
        ("flow", np.float64),  # 0..1, smoothed
        ("frequency", np.float64),  # Hz, at the end of the last block
        ("turns", np.float64),  # phase of the first partial
        ("gains", np.float64, (2,)),
        ("memory", np.float64, (2,)),  # filter of the rush
    ],
    align=True,
)


@kernel
def turn_pump(s: Any, ram_speed: float) -> None:
    """Move the pump's speed and flow by a block; ram_speed: mean of the pistons, m/s."""
    goal = smoothstep(ram_speed, MOVING)
    time = START_TIME if goal > s.speed else COAST_TIME
    s.speed += (goal - s.speed) * BLOCK_SECONDS / (time + BLOCK_SECONDS)
    s.flow += (min(1.0, ram_speed / FULL_FLOW) - s.flow) * BLOCK_SECONDS / (START_TIME + BLOCK_SECONDS)
    if goal == 0.0 and s.speed < SLOWEST:
        s.speed = 0.0
    if s.flow < FAINT:
        s.flow = 0.0


@kernel
def render_hydraulics(buses: Any, parameters: Any, state: Any, before: Any, after: Any) -> None:
    """Add a block of the rams to the body's bus."""
    p, s = parameters, state
    turn_pump(s, max(0.0, after.ram_speed))
    whine, whine_slope = advance(s.gains, WHINE_GAIN, WHINE * p.level * s.speed * (0.5 + 0.5 * s.flow))
    rush, rush_slope = advance(s.gains, RUSH_GAIN, RUSH_LEVEL * p.level * p.rush * s.flow * s.speed)
    frequency, old = p.pitch * s.speed * (1.0 - SAG * s.flow), s.frequency
    s.frequency = frequency
    if whine == 0.0 and whine_slope == 0.0 and rush == 0.0 and rush_slope == 0.0:
        s.memory[:] = 0.0
        return
    bus, g, t = buses[BODY], tuning_of(RUSH), tone(s.turns, old, frequency)
    scale, first, second = scale_of(g, RUSH_DAMPING), s.memory[0], s.memory[1]
    for i in range(BLOCK):
        t = stepped(t)
        _, band, first, second = two_pole(first, second, white(s), g, scale)
        whine += whine_slope
        rush += rush_slope
        c, x = t[0], t[1]
        partials = x * (1.0 + 2.0 * SECOND * c + THIRD * (4.0 * c * c - 1.0))  # sin, sin 2, sin 3
        bus[i] += whine * partials + rush * band
    s.memory[0], s.memory[1] = first, second
    s.turns = turns_after(s.turns, old, frequency)
