"""Tracks: links that hit sprocket, idler and road wheels, and the rumble of the sprocket.

    rate      a link hits sprocket and idler every link_length / v seconds, the road wheels 1 / WHEEL_LINKS times as
              often, unevenly by JITTER, as its pins have play
    blow      ~ v sqrt(load), uneven; chain links meet a sprocket at a speed in proportion to v
    ring      blows into ten modes of 0.9 to 4.2 kHz, which fade by 60 dB within 0.15 to 0.05 s; no two links are alike:
              each blow retunes one mode
    rumble    blows on the sprocket into the hull, a band about 75 Hz, so that their rate is heard as a hum

Blows that grow with v and come at a rate that grows with v make 30 dB per decade of speed. Each side has its own links:
in a turn the rates differ. Frequencies, decays and levels are the program's own, in the range of cast steel parts of a
few kilograms.

Source of the blow: the polygon effect of chain drives, as in texts on machine elements (impact speed ~ v times half the
angle of a tooth).
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, Schema, field
from driving_sandbox.sound.base.block import BLOCK, REAR_TIRES, SAMPLE_RATE
from driving_sandbox.sound.base.filters import scale_of, tuning_of, two_pole
from driving_sandbox.sound.base.gain import smoothstep
from driving_sandbox.sound.base.noise import begin as begin
from driving_sandbox.sound.base.noise import white
from driving_sandbox.sound.base.resonator import held, resonated, tune_mode

MODES = (  # Hz, 1/s, level; ends of the links, their pins, the horns between the road wheels
    (930.0, 46.0, 0.8), (1180.0, 52.0, 1.0), (1430.0, 58.0, 0.9), (1690.0, 64.0, 0.9), (2020.0, 72.0, 0.8),
    (2350.0, 82.0, 0.7), (2710.0, 92.0, 0.6), (3150.0, 104.0, 0.5), (3640.0, 118.0, 0.4), (4180.0, 138.0, 0.3),
)  # fmt: skip
MODE_COUNT = len(MODES)
SPROCKET, IDLER, WHEELS = range(3)  # what links hit
STRENGTHS = (1.0, 0.7, 0.3)  # of the blows
WHEEL_LINKS = 0.3  # link lengths from one blow at a road wheel to the next, as there are several wheels
JITTER = (0.05, 0.08, 0.8)  # of the distance between blows, in proportion
UNEVEN = 0.5  # of their strength, in proportion
REFERENCE_SPEED, FASTEST = 10.0, 30.0  # m/s, at which the levels hold, and beyond which nothing changes
HEAVIEST = 4.0  # nominal loads, beyond which nothing gets louder
SLACK = 0.15  # nominal loads that the track's own weight and tension stand for: links that hang are heard, too
MOVING = (0.05, 0.4)  # m/s, below and above which tracks are silent and heard
SPREAD = 0.09  # of a mode's frequency from link to link, in proportion
RING = 0.009  # amplitude of a mode after a blow on the sprocket at the reference speed
# gains of the sprocket's blows for even and for odd modes, of all other blows for odd and for even ones: a link that is
# hit at another point has other modes excited more
NEAR, FAR = 1.3, 0.7
RUMBLE_CORNER, RUMBLE_DAMPING = 75.0, 0.7  # Hz, 1 / Q, of the hull that the sprocket shakes
RUMBLE = 1.6  # blow on the hull, relative to that on the links
OTHERS_RUMBLE = 0.3  # of blows on idler and road wheels, which are sprung or rubber-tired, relative to the sprocket's
FADED = 1e-7  # sum of the filters' memory below which the tracks are silent


class TrackSound(Schema):
    """Links and levels of tracks."""

    level: Float = field(unit="1", ge=0, suggest=(0, 3), default=0.0, doc="Gain; 0 is none: no tracks.")
    link_length: Float = field(
        unit="m", gt=0.01, suggest=(0.08, 0.25), default=0.15, doc="From one link of a track to the next."
    )
    pitch: Float = field(
        unit="1", gt=0, suggest=(0.5, 2), default=1.0, doc="Factor on the frequencies of links; small ones are higher."
    )
    ring: Float = field(unit="1", ge=0, suggest=(0, 3), default=1.0, doc="Gain of the links' ring.")
    rumble: Float = field(unit="1", ge=0, suggest=(0, 3), default=1.0, doc="Gain of the sprocket's rumble.")
    nominal_load: Float = field(
        unit="N", gt=0, suggest=(1e4, 3e5), default=6e4, doc="Load of a side at rest, at which the levels hold."
    )


STATE = np.dtype(
    [
        ("noise", np.uint64),
        ("left", np.float64, (2, 3)),  # m until the next blow; rows: left and right track, columns: what links hit
        ("modes", np.float64, (3, MODE_COUNT)),
        ("memory", np.float64, (2, MODE_COUNT)),
        ("turn", np.int64),  # mode that the next blow retunes
        ("hull", np.float64, (2,)),  # filter of the rumble
        ("active", np.int64),
    ],
    align=True,
)


@kernel
def blow_strength(p: Any, speed: float, load: float) -> float:
    """Strength of a link's blow on the sprocket, 1 at the reference speed and the nominal load."""
    share = min(load / p.nominal_load, HEAVIEST)
    return speed / REFERENCE_SPEED * smoothstep(speed, MOVING) * math.sqrt((share + SLACK) / (1.0 + SLACK))


@kernel
def _tune(p: Any, s: Any, k: int) -> None:
    """Tune mode k for another link."""
    frequency, decay, level = MODES[k]
    tune_mode(s.modes, k, frequency * p.pitch * (1.0 + SPREAD * white(s)), decay, level)


@kernel
def _blow(p: Any, s: Any, side: int, part: int, step: float) -> float:
    """Blow of this sample on a part, 0 in most, while the track of a side runs `step` metres."""
    s.left[side, part] -= step
    if s.left[side, part] > 0.0:
        return 0.0
    distance = p.link_length * (WHEEL_LINKS if part == WHEELS else 1.0)
    s.left[side, part] = max(0.0, s.left[side, part] + distance * (1.0 + JITTER[part] * white(s)))
    _tune(p, s, s.turn)
    s.turn = (s.turn + 1) % MODE_COUNT
    return STRENGTHS[part] * (1.0 + UNEVEN * white(s))


@kernel
def _play(bus: Any, p: Any, s: Any, steps: Any, strengths: Any) -> None:
    """Add a block to a bus; steps: m in a sample; strengths: of blows; each for the left and the right track."""
    g = tuning_of(RUMBLE_CORNER)
    scale, first, second = scale_of(g, RUMBLE_DAMPING), s.hull[0], s.hull[1]
    for i in range(BLOCK):
        sprocket, others = 0.0, 0.0
        for side in range(2):
            sprocket += strengths[side] * _blow(p, s, side, SPROCKET, steps[side])
            idler = _blow(p, s, side, IDLER, steps[side])
            others += strengths[side] * (idler + _blow(p, s, side, WHEELS, steps[side]))
        total = 0.0
        for k in range(MODE_COUNT):
            force = NEAR * sprocket + FAR * others if k % 2 == 0 else FAR * sprocket + NEAR * others
            total += resonated(s.modes, s.memory, k, RING * p.level * p.ring * force)
        blow = RUMBLE * p.level * p.rumble * (sprocket + OTHERS_RUMBLE * others)
        _, band, first, second = two_pole(first, second, blow, g, scale)
        bus[i] += total + band
    s.hull[0], s.hull[1] = first, second


@kernel
def render_tracks(buses: Any, parameters: Any, state: Any, before: Any, after: Any) -> None:
    """Add a block of both tracks to the bus of the rear tires."""
    p, s = parameters, state
    left, right = min(max(0.0, after.track_speed[0]), FASTEST), min(max(0.0, after.track_speed[1]), FASTEST)
    moves = p.level > 0.0 and max(left, right) > MOVING[0]
    if s.active == 0:
        if not moves:
            return
        for k in range(MODE_COUNT):
            _tune(p, s, k)
    steps = left / SAMPLE_RATE, right / SAMPLE_RATE
    strengths = blow_strength(p, left, after.track_load[0]), blow_strength(p, right, after.track_load[1])
    _play(buses[REAR_TIRES], p, s, steps, strengths)
    s.active = 1 if moves or held(s.memory) + abs(s.hull[0]) + abs(s.hull[1]) > FADED else 0
    if s.active == 0:
        s.memory[:] = 0.0
        s.hull[:] = 0.0
