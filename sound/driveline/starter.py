"""Electric starter: whine of its pinion on the flywheel's ring gear while it cranks.

    mesh          f = z n, with f / 2 and 2 f weaker      z teeth of the ring gear, n turns per second of the crankshaft
    compressions  n (1 - .06 cos 2 pi k m), m turns of the crankshaft, k compressions in a turn; the whine swells too

The pinion turns with the crankshaft up to `free_speed`, beyond which its freewheel slips: the whine does not follow the
engine that has started. When the starter is switched off its motor runs down. Its solenoid throws the pinion into the
ring gear before it turns, and a spring draws it out: a clunk at either end of cranking.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, Int, Schema, field
from driving_sandbox.sound.base.block import BLOCK, BLOCK_SECONDS, ENGINE_BAY, SAMPLE_RATE
from driving_sandbox.sound.base.filters import pole
from driving_sandbox.sound.base.noise import begin as begin
from driving_sandbox.sound.base.noise import white
from driving_sandbox.sound.base.oscillator import audible, stepped, tone, turns_after
from driving_sandbox.sound.driveline.housing import MODE_COUNT, modes, pulse, ringing

WHINE = 0.016  # amplitude while cranking: with its partials 15 dB below an engine at full power
HALF, DOUBLE = 0.5, 0.4  # amplitudes of half and twice the mesh frequency, relative to the mesh's
BRUSHES = 0.016  # amplitude of the noise of brushes and bearings
DIP = 0.06  # share by which a compression slows the crankshaft
SWELL = 0.35  # share by which a compression loads the teeth more
SLOW = 3.0  # rad/s; starter speed at which the whine has half its amplitude
SPIN_TIME = 0.03  # s, time constant of the starter's speed while it cranks
COAST_TIME = 0.12  # s, the same when it is switched off
SMOOTHING = 1.0 / (0.008 * SAMPLE_RATE)  # share per sample of amplitudes
SLOWEST = 0.01  # rad/s; less is rest
PULSE = 96  # samples of a clunk's force, 2 ms
CLUNK = 0.35  # amplitude of that force when the solenoid pulls
SPRING = 0.5  # share of that amplitude when the spring draws the pinion out
DIRECT = 0.7  # share of the whine that the open teeth radiate directly, besides all that is heard through the housing
QUIET_PEAK = 1e-10  # below it the voice rests until it cranks


class StarterSound(Schema):
    """Teeth, speed and level of the starter."""

    level: Float = field(unit="1", ge=0, suggest=(0, 3), default=1.0, doc="Gain; 0 is none.")
    teeth: Int = field(unit="1", ge=1, le=400, suggest=(90, 160), default=130, doc="Teeth of the ring gear.")
    free_speed: Float = field(
        unit="rad/s",
        gt=0,
        suggest=(15, 50),
        default=30.0,
        doc="Largest speed of the crankshaft at which the starter drives it.",
    )
    compressions: Float = field(
        unit="1", gt=0, suggest=(1, 4), default=2.0, doc="Compressions in a turn: half the number of cylinders."
    )
    solenoid: Float = field(
        unit="1", ge=0, suggest=(0, 3), default=1.0, doc="Gain of the solenoid's clunk when it begins and ends."
    )


STATE = np.dtype(
    [
        ("noise", np.uint64),
        ("speed", np.float64),  # rad/s of the crankshaft to which the pinion's speed belongs
        ("frequency", np.float64),  # Hz, of the mesh at the end of the last block
        ("turns", np.float64, (2,)),  # phases of half the mesh frequency and of the compressions
        ("amplitude", np.float64, (4,)),  # half, whole and double mesh frequency, brushes
        ("cranked", np.int64),  # 1: it cranked in the last block
        ("pulse", np.int64),  # samples left of the clunk's force
        ("strength", np.float64),  # of the clunk
        ("modes", np.float64, (MODE_COUNT, 2)),
        ("peak", np.float64),  # largest sample of the last block
    ],
    align=True,
)


@kernel
def starter_speed_after(p: Any, speed: float, engine_speed: float, cranking: bool) -> float:
    """Starter's speed after a block, as that of the crankshaft it would turn, rad/s."""
    goal = min(p.free_speed, max(0.0, engine_speed)) if cranking else 0.0
    tau = SPIN_TIME if cranking else COAST_TIME
    later = speed + (goal - speed) * BLOCK_SECONDS / (tau + BLOCK_SECONDS)
    return later if later > SLOWEST else 0.0


@kernel
def _notice_solenoid(p: Any, s: Any, cranking: bool) -> None:
    """Start a clunk where cranking begins or ends."""
    if cranking != (s.cranked == 1):
        s.cranked = 1 if cranking else 0
        s.strength = p.level * p.solenoid * (1.0 if cranking else SPRING)
        s.pulse = PULSE if s.strength > 0.0 else 0


@kernel
def _play(bus: Any, s: Any, half: Any, swell: Any, goals: Any) -> None:
    """Add a block to a bus; half: tone of half the mesh frequency; swell: tone of the compressions."""
    a, housing = s.amplitude, modes()
    peak = 0.0
    for i in range(BLOCK):
        half, swell = stepped(half), stepped(swell)
        for k in range(4):
            a[k] = pole(a[k], goals[k], SMOOTHING)
        c, x = half[0], half[1]  # cosine and sine of the phase
        c2, x2 = 1.0 - 2.0 * x * x, 2.0 * x * c  # of twice the phase
        whine = a[0] * x + a[1] * x2 + a[2] * 2.0 * x2 * c2
        force = (whine + a[3] * white(s)) * (1.0 + SWELL * swell[0])
        y = DIRECT * force
        if s.pulse > 0:
            s.pulse -= 1
            force += CLUNK * s.strength * pulse(s.pulse, PULSE)
        y += ringing(s.modes, force, housing)
        bus[i] += y
        peak = max(peak, abs(y))
    s.peak = peak


@kernel
def render_starter(buses: Any, parameters: Any, state: Any, before: Any, after: Any) -> None:
    """Add a block of the starter to the engine bay's bus."""
    p, s, t = parameters, state, state.turns
    cranking = after.starter == 1 and p.level > 0.0
    speed = starter_speed_after(p, s.speed, after.engine_speed, cranking)
    _notice_solenoid(p, s, cranking)
    if speed == 0.0 and s.peak < QUIET_PEAK and s.pulse == 0:
        s.speed = s.frequency = 0.0
        return
    dip = tone(t[1], 0.0, 0.0)[0]  # cosine of the compressions' phase
    n0, n1 = s.speed / (2.0 * math.pi), speed / (2.0 * math.pi)
    f0, f1 = s.frequency, p.teeth * n1 * (1.0 - DIP * dip)
    a = p.level * WHINE * speed / (speed + SLOW)
    goals = HALF * a, a * audible(f1), DOUBLE * a * audible(2.0 * f1), BRUSHES / WHINE * a
    _play(
        buses[ENGINE_BAY],
        s,
        tone(t[0], 0.5 * f0, 0.5 * f1),
        tone(t[1], p.compressions * n0, p.compressions * n1),
        goals,
    )
    t[0] = turns_after(t[0], 0.5 * f0, 0.5 * f1)
    t[1] = turns_after(t[1], p.compressions * n0, p.compressions * n1)
    s.speed, s.frequency = speed, f1
