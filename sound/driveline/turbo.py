"""Turbocharger: whistle of its shaft, rush of the compressed air, and the blow-off valve.

    shaft speed   share r of the full speed, dr/dt = (r* - r) / tau      tau shorter while the exhaust drives it
                  r* = r_0 + (1 - r_0) sqrt(b / b_r), r_0 while the engine turns       pressure grows with speed squared
    whistle       r^2 sin 2 pi f_r r t                                   imbalance, once per turn
    rush          r^2 (.4 + .6 throttle) noise around 2.3 times that frequency
    blow-off      the throttle shuts at a boost b > .25 bar: noise around 1.3 + 2.6 b kHz, b falls with tau = .21 s,
                  swelling at 26 Hz as the valve flutters

The whistle follows the shaft's own speed and not the boost, which the wastegate keeps constant: so would be the tone.
A diesel engine has no throttle valve, so `blow_off` is 0 there.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, Schema, field
from driving_sandbox.sound.base.block import BLOCK, BLOCK_SECONDS, ENGINE_BAY, SAMPLE_RATE
from driving_sandbox.sound.base.filters import pole, state_variable, tuning_of
from driving_sandbox.sound.base.noise import begin as begin
from driving_sandbox.sound.base.noise import white
from driving_sandbox.sound.base.oscillator import audible, stepped, tone, turns_after

IDLE_SHARE = 0.2  # of the full speed, to which the exhaust of an idling engine turns the shaft
IDLING = 100.0  # rad/s; below it the engine's exhaust turns the shaft less
OVERSPEED = 1.3  # share of the full speed that is never exceeded
WHISTLE = 0.007  # amplitude at full speed: 26 dB below an engine at full power
RUSH = 0.009  # of the noise at full speed, whose band-passed level is then about 3 dB below the whistle's
RUSH_RATIO = 2.3  # of the rush's centre frequency to the shaft's; not a whole number, which would sound as a chord
RUSH_DAMPING = 0.6  # 1 / Q
SMOOTHING = 1.0 / (0.01 * SAMPLE_RATE)  # share per sample of amplitudes
OPEN, SHUT = 0.5, 0.2  # throttle that arms the valve, and at which the armed valve opens
LEAST_BOOST = 0.25  # bar; with less the valve stays shut
VENT_LOSS = 1e-4  # share of the vented pressure lost per sample
REOPENED_LOSS = 1e-3  # instead of VENT_LOSS once the throttle opens again
VENT_LOW, VENT_RISE = 1300.0, 2600.0  # Hz, and Hz per bar
VENT_DAMPING = 0.5  # 1 / Q
VENT = 0.08  # amplitude of the noise per bar
FLUTTER_FREQUENCY = 26.0  # Hz
VENTED = 1e-5  # bar; less is none
SLOWEST = 1e-5  # share of the full speed; a slower shaft stands
QUIET_PEAK = 1e-10  # below it the voice rests until something turns


class TurboSound(Schema):
    """Speeds, times and levels of a turbocharger."""

    level: Float = field(unit="1", ge=0, suggest=(0, 3), default=0.0, doc="Gain; 0 is none.")
    blow_off: Float = field(unit="1", ge=0, suggest=(0, 3), default=0.0, doc="Blow-off valve, by the rest; 0 is none.")
    rated_boost: Float = field(unit="bar", gt=0, suggest=(0.3, 2), default=0.8, doc="Boost at the shaft's full speed.")
    full_frequency: Float = field(
        unit="Hz", gt=0, suggest=(1200, 3200), default=2400.0, doc="Turns per second of the shaft at that boost."
    )
    spool_time: Float = field(
        unit="s", gt=0, suggest=(0.1, 1), default=0.3, doc="Time constant of the rising shaft speed."
    )
    coast_time: Float = field(
        unit="s", gt=0, suggest=(0.3, 2), default=0.8, doc="Time constant of the falling shaft speed."
    )
    flutter: Float = field(
        unit="1", ge=0, le=1, suggest=(0, 0.9), default=0.45, doc="Depth of the blow-off's swelling."
    )


STATE = np.dtype(
    [
        ("noise", np.uint64),
        ("share", np.float64),  # shaft speed / full speed
        ("turns", np.float64, (2,)),  # phases of shaft and flutter
        ("amplitude", np.float64, (3,)),  # whistle, rush, blow-off
        ("rush", np.float64, (2,)),  # filter
        ("armed", np.int64),  # 1: the throttle has been open
        ("vented", np.float64),  # bar, left of the boost that the valve lets out
        ("vent", np.float64, (2,)),  # filter
        ("peak", np.float64),  # largest sample of the last block
    ],
    align=True,
)


@kernel
def shaft_share_after(p: Any, share: float, boost: float, engine_speed: float) -> float:
    """Shaft speed / full speed after a block; boost in bar, engine_speed in rad/s."""
    idle = IDLE_SHARE * min(1.0, abs(engine_speed) / IDLING)
    goal = min(OVERSPEED, idle + (1.0 - IDLE_SHARE) * math.sqrt(max(0.0, boost) / p.rated_boost))
    tau = p.spool_time if goal > share else p.coast_time
    later = share + (goal - share) * BLOCK_SECONDS / (tau + BLOCK_SECONDS)
    return later if later > SLOWEST else 0.0


@kernel
def kept_boost(p: Any, share: float) -> float:
    """Boost that belongs to the shaft's speed, bar: the inverse of the goal in `shaft_share_after`."""
    excess = max(0.0, share - IDLE_SHARE) / (1.0 - IDLE_SHARE)
    return p.rated_boost * excess * excess


@kernel
def _watch_throttle(p: Any, s: Any, after: Any) -> None:
    """Open the valve if the throttle has shut at boost; note when it opens again, from when on the sound ends fast.

    The boost of a frame may be 0 as soon as the throttle is shut; the shaft's speed still tells what it was.
    """
    if after.throttle > OPEN:
        s.armed = 1
    elif after.throttle < SHUT and s.armed == 1:
        s.armed = 0
        boost = max(after.boost, kept_boost(p, s.share))
        if boost > LEAST_BOOST and p.level * p.blow_off > 0.0:
            s.vented = boost
    if s.vented < VENTED:
        s.vented = 0.0


@kernel
def _play(bus: Any, p: Any, s: Any, shaft: Any, flutter: Any, goals: Any, tuning: Any) -> None:
    """Add a block to a bus; shaft, flutter: tones; goals: amplitudes of whistle and rush; tuning: of rush, blow-off."""
    a = s.amplitude
    loss = REOPENED_LOSS if s.armed == 1 else VENT_LOSS
    peak = 0.0
    for i in range(BLOCK):
        shaft, flutter = stepped(shaft), stepped(flutter)
        s.vented -= loss * s.vented
        a[0] = pole(a[0], goals[0], SMOOTHING)
        a[1] = pole(a[1], goals[1], SMOOTHING)
        a[2] = pole(a[2], p.level * p.blow_off * VENT * s.vented, SMOOTHING)
        _, rush, _ = state_variable(s.rush, a[1] * white(s), tuning[0], RUSH_DAMPING)
        y = a[0] * shaft[1] + rush  # of a tone, [0] is the cosine and [1] the sine
        swell = 1.0 - p.flutter * (0.5 + 0.5 * flutter[0])
        _, vent, _ = state_variable(s.vent, a[2] * swell * white(s), tuning[1], VENT_DAMPING)
        y += vent
        bus[i] += y
        peak = max(peak, abs(y))
    s.peak = peak


@kernel
def render_turbo(buses: Any, parameters: Any, state: Any, before: Any, after: Any) -> None:
    """Add a block of the turbocharger to the engine bay's bus."""
    p, s, t = parameters, state, state.turns
    r0 = s.share
    r1 = s.share = shaft_share_after(p, r0, after.boost, after.engine_speed)
    _watch_throttle(p, s, after)
    if p.level * r1 == 0.0 and s.vented == 0.0 and s.peak < QUIET_PEAK:
        return
    f0, f1 = p.full_frequency * r0, p.full_frequency * r1
    whistle = p.level * WHISTLE * r1 * r1 * audible(f1)
    rush = p.level * RUSH * r1 * r1 * (0.4 + 0.6 * after.throttle)
    tuning = tuning_of(RUSH_RATIO * f1), tuning_of(VENT_LOW + VENT_RISE * s.vented)
    flutter = tone(t[1], FLUTTER_FREQUENCY, FLUTTER_FREQUENCY)
    _play(buses[ENGINE_BAY], p, s, tone(t[0], f0, f1), flutter, (whistle, rush), tuning)
    t[0], t[1] = turns_after(t[0], f0, f1), turns_after(t[1], FLUTTER_FREQUENCY, FLUTTER_FREQUENCY)
