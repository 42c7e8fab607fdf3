"""Tires: rolling noise, water, scrub and loose ground of every wheel; the squeal is in sound/tires/squeal.py.

    texture   noise below 30 + v / 0.1 m Hz, level ~ v: ground whose slope is white noise along the road (ISO 8608,
              waviness 2) shakes tire and suspension, levelled over a footprint of 0.1 m
    height    blows of the ground's own height under the wheel: kerbs, joints, washboard, edges
    cavity    resonance of the air inside the tire
    tread     noise about 760 + 8 v Hz, where tread blocks, grooves and belt resonances coincide; level ~ v^1.625
    blocks    of the tread, a weak blow each, at distances that vary by 15 %: a band around v / block_spacing
    lugs      blocks of an off-road tire, a strong blow each, of uneven strength at even distances
    hiss      of water thrown up, above 2.5 kHz; level ~ v^1.6875
    scrub     noise of 0.3 to 1.5 kHz of a sliding contact patch; level ~ sqrt(slip)
    grains    stones and lumps hit or thrown up, each at a random time (a Poisson process), their mean rate in
              proportion to the distance rolled and slid

Levels are proportional to the root of the wheel's load. Exponents are multiples of 1/16, for square roots give those
bit-identically everywhere. Together: 30 dB per decade of speed, the A-weighted maximum at 1260 Hz (Sandberg 2003, The
multi-coincidence peak around 1000 Hz in tyre/road noise spectra).
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import WHEEL_CAPACITY, Float, Schema, field
from driving_sandbox.sound.base.block import BLOCK, FRONT_TIRES, REAR_TIRES
from driving_sandbox.sound.base.filters import scale_of, tuning_of
from driving_sandbox.sound.base.gain import sixteenths, smoothstep
from driving_sandbox.sound.base.noise import fill_white, hashed, seed
from driving_sandbox.sound.tires.loose import render_grains
from driving_sandbox.sound.tires.rolling import (
    CAVITY_DAMPING,
    ROLLING,
    SCRUB_CENTRE,
    SCRUB_DAMPING,
    TREAD_CENTRE_PER_SPEED,
    add_blows,
    add_height,
    prepare_rolling,
    prepare_scrub,
    render_hiss,
    roll,
    scrub,
)
from driving_sandbox.sound.tires.rolling import SCRUB as SCRUBBING
from driving_sandbox.sound.tires.squeal import SQUEAL as SQUEALING
from driving_sandbox.sound.tires.squeal import begin_squeal, prepare_squeal, squeal
from driving_sandbox.sound.tires.surfaces import (
    GRAIN_LEVEL,
    GRAIN_PITCH,
    GRAINS,
    GROUNDS,
    KIND_COUNT,
    SCRUB,
    SILENT,
    SQUEAL,
    TEXTURE,
    TREAD,
    TREAD_PITCH,
)

REFERENCE_SPEED = 30.0  # m/s, at which the levels below hold
FASTEST, FASTEST_SLIP = 150.0, 60.0  # m/s, beyond which nothing gets louder
HEAVIEST = 8.0  # nominal loads, beyond which nothing gets louder
MOVING = (0.02, 0.2)  # m/s: below a tire is silent, as that of a parked vehicle that still settles; above it is heard
# amplitudes on a ground of level 1; SCRUB_LEVEL per root of m/s of slip
TEXTURE_LEVEL, TREAD_LEVEL, HISS_LEVEL, SCRUB_LEVEL, GRAIN_UNIT, SQUEAL_LEVEL = 0.28, 0.16, 0.12, 0.02, 0.5, 0.15
SCRUB_SLIP = (0.1, 1.0)  # m/s, of slip between which scrub sets in; below it is that of ordinary driving
SQUEAL_SLIP = (0.8, 2.0)  # m/s, of slip between which the squeal sets in
SQUEAL_FRICTION = (0.7, 0.8)  # used friction between which the squeal sets in
DRY = (0.05, 0.3)  # wetness between which the squeal ends
GRAINS_PER_SLIP = 3.0  # a sliding metre throws up as many grains as this many rolled ones
DROPS = 12.0  # 1/m, drops that hit the wheel arch, at full wetness
DROP_LEVEL, DROP_PITCH = 0.25, 0.7  # of a drop, relative to a stone
LUG_OFFSET = 0.0137  # m, between the lugs of one wheel and the next: in step they would sound like one wheel
TEXTURE_GAIN, TREAD_GAIN, HISS_GAIN, SCRUB_GAIN, GRAIN_GAIN, SQUEAL_GAIN = range(6)  # rows of `gains`


class TireSound(Schema):
    """Sound of a vehicle's tires; levels are ratios to a summer tire of a car."""

    level: Float = field(unit="1", ge=0, default=1.0, suggest=(0.3, 2.0), doc="Level of all tire noise.")
    nominal_load: Float = field(unit="N", gt=0, default=3500.0, suggest=(1500.0, 40e3),
                                doc="Wheel load at rest, at which the levels hold.")  # fmt: skip
    texture: Float = field(unit="1", ge=0, default=1.0, suggest=(0.3, 2.0), doc="Rumble of the ground's unevenness.")
    cavity: Float = field(unit="Hz", gt=0, default=225.0, suggest=(120.0, 260.0),
                          doc="Resonance of the air in the tire: speed of sound by mean circumference.")  # fmt: skip
    tread: Float = field(unit="1", ge=0, default=1.0, suggest=(0.3, 3.0), doc="Noise of the tread blocks.")
    tread_pitch: Float = field(unit="Hz", gt=0, default=760.0, suggest=(400.0, 1000.0),
                               doc="Centre of the tread noise at low speed; lower for coarse treads.")  # fmt: skip
    blocks: Float = field(unit="1", ge=0, default=1.0, suggest=(0.0, 3.0),
                          doc="Hum of the tread's blocks; 0: a slick.")  # fmt: skip
    block_spacing: Float = field(unit="m", ge=0.005, default=0.03, suggest=(0.02, 0.06),
                                 doc="Mean distance between tread blocks along the tread.")  # fmt: skip
    lugs: Float = field(unit="1", ge=0, default=0.0, suggest=(0.0, 1.0),
                        doc="Hum of an off-road tire's blocks.")  # fmt: skip
    lug_spacing: Float = field(unit="m", gt=0, default=0.06, suggest=(0.03, 0.2),
                               doc="Distance between blocks or links along the tread.")  # fmt: skip
    scrub: Float = field(unit="1", ge=0, default=1.0, suggest=(0.3, 3.0), doc="Noise of a sliding contact patch.")
    squeal: Float = field(unit="1", ge=0, default=1.0, suggest=(0.0, 2.0), doc="Squeal on dry pavement.")
    squeal_pitch: Float = field(unit="Hz", gt=0, default=620.0, suggest=(400.0, 800.0),
                                doc="Squeal where sliding begins; it rises by up to 240 Hz with slip.")  # fmt: skip
    loose: Float = field(unit="1", ge=0, default=1.0, suggest=(0.3, 2.0), doc="Grains of loose ground.")
    water: Float = field(unit="1", ge=0, default=1.0, suggest=(0.3, 2.0), doc="Hiss and spray of wet ground.")


WHEEL_STATE = np.dtype(
    [
        ("noise", np.uint64),
        ("gains", np.float64, (6,)),
        ("hiss", np.float64, (2,)),  # memories of filters
        ("grains", np.float64, (6,)),
        ("plank_known", np.int64),  # 1: `plank` is known
        ("plank", np.float64),  # m, rolled since the last edge of a plank; also where there is none
        ("lug", np.float64),  # m, rolled since the last lug
        ("to_block", np.float64),  # m, to the next tread block
        ("rise", np.float64),  # m/s, at which the ground lifts the wheel, smoothed over the footprint
        ("height_blow", np.float64),  # at the last block's end
    ],
    align=True,
)
AT_A_TIME = 4  # wheels; lanes are computed in multiples of it, those without a wheel are silent
SCRATCH = BLOCK * WHEEL_CAPACITY  # numbers; sample k of lane j is at k * width + j
STATE = np.dtype(
    [
        ("wheels", WHEEL_STATE, (WHEEL_CAPACITY,)),
        ("rolling", ROLLING),
        ("scrub", SCRUBBING),
        ("squeal", SQUEALING),
        ("counter", np.uint64),  # of the noise that all lanes take from
        ("noise", np.float64, (5, SCRATCH)),  # of rumble, cavity, tread, scrub and squeal
        ("heard", np.float64, (SCRATCH,)),  # sound of the lanes
    ],
    align=True,
)


def begin(state: Any, number: int) -> None:
    """Prepare a zeroed STATE record; vehicles with different `number` get different noise, as do their wheels."""
    state["counter"] = hashed(seed(number))
    begin_squeal(state["squeal"])
    for i in range(WHEEL_CAPACITY):
        state["wheels"]["noise"][i] = seed(number * WHEEL_CAPACITY + i)
        state["wheels"]["lug"][i] = i * LUG_OFFSET


@kernel
def _roll(state: Any, index: int, parameters: Any, ground: Any, speed: float, level: float) -> bool:
    """Prepare a wheel's rolling noise; level: of all its noise. Returns whether it sounds."""
    share = min(speed / REFERENCE_SPEED, FASTEST / REFERENCE_SPEED) * smoothstep(speed, MOVING)
    texture = TEXTURE_LEVEL * parameters.texture * ground[TEXTURE] * level * share
    tread = TREAD_LEVEL * parameters.tread * ground[TREAD] * level * share * sixteenths(share, 10)
    centre = (parameters.tread_pitch + TREAD_CENTRE_PER_SPEED * speed) * ground[TREAD_PITCH]
    gains = state.wheels[index].gains
    return prepare_rolling(state.rolling, index, gains, speed, centre, (TEXTURE_GAIN, texture), (TREAD_GAIN, tread))


@kernel
def _splash(
    bus: Any, wheel: Any, parameters: Any, ground: Any, wetness: float, speed: float, slip: float, level: float
) -> None:
    """Add the hiss of water, and drops or grains of the ground, whichever of these two is louder."""
    share = min(speed / REFERENCE_SPEED, FASTEST / REFERENCE_SPEED)
    hiss = HISS_LEVEL * parameters.water * wetness * level * share * sixteenths(share, 11)
    render_hiss(bus, wheel, HISS_GAIN, hiss)
    grain_speed = speed + GRAINS_PER_SLIP * slip
    rate, pitch, loudness = ground[GRAINS], ground[GRAIN_PITCH], parameters.loose * ground[GRAIN_LEVEL]
    drops = parameters.water * wetness * DROP_LEVEL * min(speed / REFERENCE_SPEED, 1.0)
    if drops > loudness:
        rate, pitch, loudness = DROPS, DROP_PITCH, drops
    grains = GRAIN_UNIT * loudness * level * smoothstep(grain_speed, MOVING)
    render_grains(bus, wheel, rate * grain_speed, pitch, GRAIN_GAIN, grains)


@kernel
def _scrub(state: Any, index: int, parameters: Any, ground: Any, slip: float, level: float) -> bool:
    """Prepare the scrub of a wheel; returns whether it sounds."""
    target = SCRUB_LEVEL * parameters.scrub * ground[SCRUB] * level * math.sqrt(slip) * smoothstep(slip, SCRUB_SLIP)
    return prepare_scrub(state.scrub, index, state.wheels[index].gains, SCRUB_GAIN, target)


@kernel
def _squeal(
    state: Any, index: int, parameters: Any, ground: Any, frame: Any, slip: float, load: float, level: float
) -> bool:
    """Prepare the squeal of a wheel; load: load / nominal load. Returns whether it sounds."""
    dry = 1.0 - smoothstep(frame.wetness[index], DRY)
    sliding = smoothstep(slip, SQUEAL_SLIP)
    sliding *= smoothstep(frame.used_friction[index], SQUEAL_FRICTION)
    target = SQUEAL_LEVEL * parameters.squeal * ground[SQUEAL] * level * dry * sliding
    wheel = state.wheels[index]
    return prepare_squeal(state.squeal, index, wheel, parameters.squeal_pitch, slip, load, SQUEAL_GAIN, target)


@kernel
def _ground_of(frame: Any, index: int) -> Any:
    """Row of GROUNDS of the ground under a wheel."""
    kind = frame.surface[index]
    return GROUNDS[kind if 0 <= kind < KIND_COUNT else SILENT]


@kernel
def _make_noise(state: Any, first: int, end: int, width: int) -> None:
    """Fill the rows `first` .. `end` - 1 of `noise` for all lanes."""
    for row in range(first, end):
        state.counter = fill_white(state.counter, state.noise[row, : BLOCK * width])


@kernel
def _render_lanes(state: Any, width: int, cavity: float, rolls: bool, scrubs: bool, squeals: bool) -> None:
    """Make all lanes' sound, sample by sample, so that the filters are computed while a squeal waits for a division."""
    state.heard[: BLOCK * width] = 0.0
    air_g, scrub_g = tuning_of(cavity), tuning_of(SCRUB_CENTRE)
    air_scale, scrub_scale = scale_of(air_g, CAVITY_DAMPING), scale_of(scrub_g, SCRUB_DAMPING)
    for k in range(BLOCK):
        if squeals:
            squeal(state, k, width)
        if rolls:
            roll(state, k, width, air_g, air_scale)
        if scrubs:
            scrub(state, k, width, scrub_g, scrub_scale)


@kernel
def render_tires(buses: Any, parameters: Any, state: Any, before: Any, after: Any) -> None:
    """Add a block of all tires' sound to `buses`: FRONT_TIRES gets the wheels from the vehicle's middle forwards.

    Factors ramp to their values in `after` from those at the last block's end, kept in `state`, instead of from
    `before`: kinds of ground and wetness change in steps.
    """
    count = min(after.wheel_count, WHEEL_CAPACITY)
    width = (count + AT_A_TIME - 1) // AT_A_TIME * AT_A_TIME
    rolls = scrubs = squeals = False
    for i in range(count):
        wheel, ground = state.wheels[i], _ground_of(after, i)
        if wheel.plank_known == 0:  # an axle further back comes later to a plank
            wheel.plank_known, wheel.plank = 1, after.wheel_ahead[i]
        speed = min(abs(after.wheel_speed[i]), FASTEST)
        slip = min(abs(after.slip_speed[i]), FASTEST_SLIP)
        load = min(max(after.wheel_load[i] / parameters.nominal_load, 0.0), HEAVIEST)
        level = parameters.level * math.sqrt(load)
        rolls |= _roll(state, i, parameters, ground, speed, level)
        scrubs |= _scrub(state, i, parameters, ground, slip, level)
        squeals |= _squeal(state, i, parameters, ground, after, slip, load, level)
        bus, wetness = buses[FRONT_TIRES if after.wheel_ahead[i] >= 0.0 else REAR_TIRES], after.wetness[i]
        _splash(bus, wheel, parameters, ground, min(max(wetness, 0.0), 1.0), speed, slip, level)
    if not (rolls or scrubs or squeals):
        return
    if rolls:
        _make_noise(state, 0, 3, width)  # rumble, cavity, tread
        for i in range(count):
            speed = min(abs(after.wheel_speed[i]), FASTEST)
            wheel = state.wheels[i]
            add_blows(state.noise, i, width, wheel, parameters, _ground_of(after, i), speed)
            add_height(state.noise, i, width, wheel, before, after, speed)
    if scrubs or squeals:
        _make_noise(state, 3, 5, width)  # scrub, squeal
    _render_lanes(state, width, parameters.cavity, rolls, scrubs, squeals)
    for i in range(count):
        _collect(buses[FRONT_TIRES if after.wheel_ahead[i] >= 0.0 else REAR_TIRES], state.heard, i, width)


@kernel
def _collect(bus: Any, heard: Any, lane: int, width: int) -> None:
    """Add the lane of a wheel to a bus."""
    for k in range(BLOCK):
        bus[k] += heard[k * width + lane]
