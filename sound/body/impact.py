"""Impacts and scrapes of the body: blows and spiky noise into the modes of what is hit (van den Doel et al. 2001,
FoleyAutomatic).

An impact strikes one of eight voices with the modes of the body's own material, and another one with those of what it
hits, unless that is heard by itself. Both get the same force, one full period of a sine of T seconds, whose mean is 0
as the bodies' own movement is not heard. T is that of the softer material, and falls with the impulse J as
(J / 100 N s)^-0.1875, so hard blows are brighter too. The level grows with the root of J. Each blow lands elsewhere:
modes' levels and pitches differ a little. Shortly after a blow weaker ones are masked and left out, else a body that
bounces along would buzz at the rate of the ticks.

A scrape is a Poisson process of grains that pass, one every 4 mm: separate ticks where a body creeps, noise at speed.
They are heard about 200 Hz + speed / 4 mm, and below that frequency excite the modes of both materials. A round body
that rolls passes over the same grains, with a tenth of the power. A hard impact breaks windows (sound/body/glass.py).
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.elementary import sin
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Choice, Float, Schema, field
from driving_sandbox.sound.base.block import BLOCK, BODY, SAMPLE_RATE
from driving_sandbox.sound.base.filters import scale_of, tuning_of, two_pole
from driving_sandbox.sound.base.gain import FAINT, advance, sixteenths, smoothstep
from driving_sandbox.sound.base.noise import seed, white
from driving_sandbox.sound.base.resonator import held, resonated, tune_mode
from driving_sandbox.sound.body.glass import GLASS, breaks, render_glass, shatter
from driving_sandbox.sound.body.materials import BLOW_SECONDS, GROUND, MATERIALS, MODE_COUNT, MODES, NOTHING, OWN

VOICE_COUNT = 8  # of four impacts, if what they hit rings, too
REFERENCE_IMPULSE = 100.0  # N s, of a kerb against the sill at walking pace
HARDEST = 1e5  # N s, beyond which nothing gets louder
IMPACT_LEVEL = 0.12  # level of an impact with the reference impulse
SHORTEST_BLOW = 4  # samples; fewer do not represent a full sine
PITCH_SPREAD, LEVEL_SPREAD = 0.04, 0.5  # of modes, in proportion, by where the blow is
FADED = 1e-7  # sum of the modes' memory below which a voice has ended
FULL_TURN = 2.0 * math.pi
SMOTHERED = 0.35  # level of a body whose modes are damped by the soft ground that it hits
MASKED = 0.7  # a blow whose impulse is below this share of the last one's is left out if it follows at once
MASKING_KEPT = 0.986  # factor per block: masking fades with a time constant of 60 ms
SCRAPE_LEVEL = 0.03  # amplitude per root of kW, force times speed
SCRAPE_BASE, SCRAPE_GRAIN = 200.0, 0.004  # Hz; m, spacing of what scratches
SCRAPE_DAMPING = 0.8  # 1 / Q
GRAIN_POWER = 3.0  # 1 / mean square of a uniform number in -1..1
ROLLING = 0.1  # power of rolling by that of sliding as fast: the grains are pressed, not torn
SCRAPE_DIRECT, SCRAPE_MODES = 0.6, 0.015  # shares that are heard directly and that excite the modes
FASTEST_SCRAPE, STRONGEST_SCRAPE = 60.0, 100e3  # m/s, N, beyond which nothing gets louder
SLOWEST_SCRAPE = 0.05  # m/s, below which a body that rests is silent


class BodySound(Schema):
    """Sound of a vehicle's bodywork when it hits or scrapes something, and what it keeps out of the cabin."""

    level: Float = field(unit="1", ge=0, default=1.0, suggest=(0.3, 3.0), doc="Gain of impacts and scrapes; 0 is none.")
    scrape: Float = field(unit="1", ge=0, default=1.0, suggest=(0.3, 3.0), doc="Level of scrapes, by that of impacts.")
    pitch: Float = field(unit="1", gt=0, default=1.0, suggest=(0.5, 2.0),
                         doc="Factor on the frequencies of all modes; large and heavy bodies are lower.")  # fmt: skip
    ringing: Float = field(unit="1", gt=0, default=1.0, suggest=(0.5, 3.0), doc="Factor on how long modes ring.")
    least_impulse: Float = field(unit="N*s", ge=0, default=2.0, suggest=(0.5, 20.0),
                                 doc="Impulse below which an impact is silent, as of a body that rests.")  # fmt: skip
    glass: Float = field(unit="1", ge=0, default=0.0, suggest=(0.0, 3.0),
                         doc="Gain of windows that break; 0 is none: no windows.")  # fmt: skip
    glass_impulse: Float = field(unit="N*s", gt=0, default=4000.0, suggest=(1000.0, 2e4),
                                 doc="Impulse of an impact of the bodywork that breaks a window.")  # fmt: skip
    material: Choice = field(options=MATERIALS, default="panel", doc="What rings when the body is hit or scrapes.")
    cabin: Float = field(unit="1", ge=0, le=1, default=1.0,
                         doc="Share of a closed cabin's walls; 0: neither roof nor doors.")  # fmt: skip


VOICE_STATE = np.dtype(
    [
        ("active", np.int64),
        ("age", np.int64),  # samples since the blow
        ("length", np.float64),  # samples, of the blow
        ("level", np.float64),
        ("modes", np.float64, (3, MODE_COUNT)),  # coefficients (sound/base/resonator.py)
        ("memory", np.float64, (2, MODE_COUNT)),
    ],
    align=True,
)
STATE = np.dtype(
    [
        ("noise", np.uint64),
        ("voices", VOICE_STATE, (VOICE_COUNT,)),
        ("masked", np.float64),  # N s, impulse below which blows are masked
        ("gains", np.float64, (1,)),  # of the scrape
        ("spikes", np.float64, (2,)),  # filter of the scrape's noise
        ("scraped", VOICE_STATE, (2,)),  # modes that a scrape excites: of the body, and of what it scrapes along
        ("along", np.int64),  # material of the latter
        ("glass", GLASS),
    ],
    align=True,
)


def begin(state: Any, number: int) -> None:
    """Prepare a zeroed STATE; number: another for every vehicle."""
    state["noise"], state["along"] = seed(number), NOTHING


@kernel
def _tune(voice: Any, state: Any, material: Any, pitch: float, ringing: float, spread: float) -> None:
    """Set the coefficients of a voice's modes; spread: of pitches and levels, 1 for a blow at a random point."""
    modes = MODES[material if 0 <= material < len(MODES) else 0]
    for i in range(MODE_COUNT):
        frequency, decay, level = modes[i]
        frequency *= pitch * (1.0 + spread * PITCH_SPREAD * white(state))
        level *= 1.0 + spread * LEVEL_SPREAD * white(state)
        tune_mode(voice.modes, i, frequency, decay / ringing, level)


@kernel
def _free_or_oldest(voices: Any) -> Any:
    """Index of the voice that a new blow may take: one that rests, else the oldest."""
    best = 0
    for i in range(VOICE_COUNT):
        if voices[i].active == 0:
            return i
        if voices[i].age > voices[best].age:
            best = i
    return best


@kernel
def _ring(voice: Any, x: float) -> float:
    """Sum of a voice's modes after a sample of force `x`."""
    total = 0.0
    for i in range(MODE_COUNT):
        total += resonated(voice.modes, voice.memory, i, x)
    return total


@kernel
def _push(voice: Any) -> float:
    """Force of the blow in this sample."""
    force = 0.0
    if voice.age < voice.length:
        force = 2.0 / voice.length * sin(FULL_TURN * voice.age / voice.length)
    voice.age += 1
    return force


@kernel
def _render_voice(bus: Any, voice: Any) -> None:
    """Add a block of one impact."""
    for k in range(BLOCK):
        bus[k] += voice.level * _ring(voice, _push(voice))
    if voice.age > voice.length and held(voice.memory) < FADED:
        voice.active = 0


@kernel
def _fade(bus: Any, voice: Any) -> None:
    """Add the last block of a voice that is cut off for a new blow."""
    for k in range(BLOCK):
        bus[k] += voice.level * _ring(voice, _push(voice)) * (1.0 - smoothstep(k + 1.0, (0.0, float(BLOCK))))


@kernel
def _strike(bus: Any, state: Any, material: Any, length: float, pitch: float, ringing: float, level: float) -> None:
    """Start a voice for what rings in an impact. length: of the blow, samples."""
    voice = state.voices[_free_or_oldest(state.voices)]
    if voice.active:
        _fade(bus, voice)
    _tune(voice, state, material, pitch, ringing, 1.0)
    voice.memory[:] = 0.0
    voice.active = 1
    voice.age = 0
    voice.length = length
    voice.level = level


@kernel
def _hit(bus: Any, state: Any, parameters: Any, frame: Any, own: Any) -> None:
    """Start the voices of an impact of the material `own`."""
    struck = frame.struck_material
    known = 0 <= struck < len(MODES)
    seconds = max(BLOW_SECONDS[own], BLOW_SECONDS[struck]) if known else BLOW_SECONDS[own]
    hardness = min(frame.impact, HARDEST) / REFERENCE_IMPULSE
    length = max(seconds * SAMPLE_RATE / sixteenths(hardness, 3), SHORTEST_BLOW)
    level = IMPACT_LEVEL * parameters.level * math.sqrt(hardness)
    smothered = SMOTHERED if struck == GROUND else 1.0
    _strike(bus, state, own, length, parameters.pitch, parameters.ringing, smothered * level)
    if known and frame.struck_rings == 1:
        _strike(bus, state, struck, length, 1.0, 1.0, level)  # what is struck has the pitch and ringing of its material


@kernel
def _grain(state: Any, chance: float) -> float:
    """Sample of the grains that pass, mostly 0, with a mean square of 1; chance: of a grain in a sample, above 0."""
    x = white(state)
    return x / chance * math.sqrt(GRAIN_POWER / chance) if abs(x) < chance else 0.0


@kernel
def _prepare_scrape(state: Any, parameters: Any, along: Any, resting: bool) -> None:
    """Tune the modes of a scrape: the body's when it begins, those of what it scrapes along when that changes."""
    if resting and state.scraped[0].active == 0:
        _tune(state.scraped[0], state, parameters.material, parameters.pitch, parameters.ringing, 0.0)
    if along >= 0 and along != state.along:
        state.along = along
        _tune(state.scraped[1], state, along, 1.0, 1.0, 0.0)  # pitch and ringing of the material, no spread


@kernel
def _render_scrape(bus: Any, parameters: Any, state: Any, frame: Any) -> None:
    """Add a block of scraping and rolling."""
    force = min(max(frame.scrape_force, 0.0), STRONGEST_SCRAPE)
    speed, roll = min(abs(frame.scrape_speed), FASTEST_SCRAPE), min(abs(frame.roll_speed), FASTEST_SCRAPE)
    moving = speed + roll > SLOWEST_SCRAPE
    loudness = math.sqrt(1e-3 * force * (speed + ROLLING * roll)) if moving else 0.0
    target = SCRAPE_LEVEL * parameters.level * parameters.scrape * loudness
    resting = state.gains[0] == 0.0
    gain, slope = advance(state.gains, 0, target)
    own, other = state.scraped[0], state.scraped[1]
    if gain == 0.0 and slope == 0.0 and own.active == 0:
        state.spikes[:] = 0.0
        return
    _prepare_scrape(state, parameters, frame.scraped_material, resting)
    rings = 1.0 if frame.scraped_material >= 0 else 0.0
    passing = max(speed + roll, SLOWEST_SCRAPE) / SCRAPE_GRAIN  # Hz
    chance = min(1.0, passing / SAMPLE_RATE)
    g = tuning_of((SCRAPE_BASE + passing) * parameters.pitch)
    scale = scale_of(g, SCRAPE_DAMPING)
    first, second = state.spikes[0], state.spikes[1]
    for k in range(BLOCK):
        low, band, first, second = two_pole(first, second, _grain(state, chance), g, scale)
        gain += slope
        blow = SCRAPE_MODES * gain * low
        bus[k] += SCRAPE_DIRECT * gain * band + _ring(own, blow) + _ring(other, rings * blow)
    state.spikes[0], state.spikes[1] = first, second
    sounding = slope != 0.0 or gain > 0.0 or held(own.memory) + held(other.memory) > FADED
    own.active = 1 if sounding else 0


@kernel
def render_body(buses: Any, parameters: Any, state: Any, before: Any, after: Any) -> None:
    """Add a block of impacts and scrapes to the bus BODY; an impact in `after` starts at the block's start."""
    bus = buses[BODY]
    own = parameters.material if after.impact_material == OWN else after.impact_material
    own = own if 0 <= own < len(MODES) else 0
    state.masked = MASKING_KEPT * state.masked if state.masked > FAINT else 0.0
    if after.impact > max(parameters.least_impulse, state.masked):
        state.masked = MASKED * min(after.impact, HARDEST)
        _hit(bus, state, parameters, after, own)
    level, least = parameters.level * parameters.glass, parameters.glass_impulse
    if level > 0.0 and breaks(state.glass, after.impact, least, own, after.struck_material):
        shatter(state.glass, state, level, after.impact / least)
    render_glass(bus, state.glass, state)
    for i in range(VOICE_COUNT):
        if state.voices[i].active:
            _render_voice(bus, state.voices[i])
    _render_scrape(bus, parameters, state, after)
