"""Gearbox and clutch: whine of the meshing teeth, clunk of a gear change, judder of a slipping clutch.

    mesh frequency   f = z n                     z teeth of a wheel, n turns per second of its shaft
    driving wheel    z = Z / (1 + i)             of a gear of ratio i, with Z teeth on both its wheels, as they have one
                                                 distance of shafts and about one size of teeth
    final drive      f = z n                     z teeth of the pinion on the gearbox's output shaft
    whine            a (1 + .15 cos 2 pi n t) (sin 2 pi f t + .35 sin 4 pi f t)        eccentric gears swell once a turn
    amplitude        a = sqrt(u + |T| / T_r) w / (w + w_0)          the teeth's error of transmission grows with load
    clunk            one rounded sine of 2.5 ms, whose strength grows with the torque and with the step of shaft speed
    judder           noise of a slipping clutch, swelling at the torsional resonance of the driveline (8..25 Hz)
    grinding         dog teeth of a gear that is forced in (sound/driveline/grind.py)

All of these are forces on the housing (sound/driveline/housing.py); the whine is also heard directly. Reverse is mostly
a pair of spur gears, which whine louder.

Source: mesh order and eccentricity sidebands as in any text on gear noise (Smith, Gear Noise and Vibration); amplitudes
are the program's own.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, Int, Schema, field
from driving_sandbox.sound.base.block import BLOCK, ENGINE_BAY, SAMPLE_RATE
from driving_sandbox.sound.base.filters import pole
from driving_sandbox.sound.base.noise import seed, white
from driving_sandbox.sound.base.oscillator import audible, stepped, tone, turns_after
from driving_sandbox.sound.driveline.grind import GRIND, follow_dogs, grinding, loudness_of
from driving_sandbox.sound.driveline.housing import MODE_COUNT, modes, pulse, ringing

UNKNOWN_GEAR = -1000  # before the first frame, which must not clunk
NEUTRAL = 1  # value of a frame's `gear`; lower ones are reverse gears
FEWEST_TEETH = 9.0  # of a wheel
HARMONIC = 0.35  # amplitude of twice the mesh frequency
ECCENTRICITY = 0.15  # depth of the whine's swelling at shaft speed
SLOW = 40.0  # rad/s; shaft speed at which the whine has half its amplitude
SMOOTHING = 1.0 / (0.012 * SAMPLE_RATE)  # share per sample; torque may step from tick to tick
WHINE = 0.0115  # amplitude at the reference torque: with the housing, 22 dB below an engine at full power
DIRECT = 0.5  # share of the whine that is heard directly, besides all that is heard through the housing's modes
PULSE = 120  # samples of a clunk's force, 2.5 ms: shorter than a tick, so that every change finds the last one ended
CLUNK = 0.2  # amplitude of that force for strength 1
LIGHTEST = 0.25  # strength of a change without torque or a step of speed
STRONGEST = 1.6  # strength beyond which it no longer grows
SPEED_STEP = 400.0  # rad/s of shaft speed that add as much strength as the reference torque
TURNING = 10.0  # rad/s; parts slower than this have no momentum to clunk with
RUB = 0.12  # amplitude of the lining's noise at the reference torque
CREEP = 15.0  # rad/s; slip without noise: a viscous model of a clutch slips by up to 12 under load when closed
SLIPPING = 12.0  # rad/s; slip beyond CREEP at which the lining's noise has half its amplitude
QUIET_PEAK = 1e-10  # below it the voice rests until something turns


class GearSound(Schema):
    """Teeth, and levels of whine, clunk, judder and grinding."""

    level: Float = field(unit="1", ge=0, suggest=(0, 3), default=1.0, doc="Gain of all gear sounds; 0 is none.")
    pair_teeth: Int = field(
        unit="1", ge=2, le=400, suggest=(45, 90), default=64,
        doc="Teeth of both wheels of a gear together; the ratio shares them out.",
    )  # fmt: skip
    input_teeth: Int = field(
        unit="1", ge=0, le=200, suggest=(0, 60), default=0,
        doc="Teeth of the driving wheel in every gear; 0: they follow from the ratio.",
    )  # fmt: skip
    output_teeth: Int = field(
        unit="1", ge=1, le=200, suggest=(9, 60), default=15,
        doc="Teeth of the final drive's pinion, on the gearbox's output shaft.",
    )  # fmt: skip
    reference_torque: Float = field(
        unit="N*m", gt=0, suggest=(100, 2500), default=250.0, doc="Torque through the clutch of an amplitude of 1."
    )
    unloaded: Float = field(
        unit="1", ge=0, le=1, suggest=(0, 0.1), default=0.02, doc="Share of that torque that turning without load adds."
    )
    reverse_gain: Float = field(
        unit="1", ge=0, suggest=(1, 5), default=3.0, doc="Gain of the input teeth's whine in reverse gear."
    )
    clunk: Float = field(unit="1", ge=0, suggest=(0, 3), default=1.0, doc="Gain of the clunk of gear changes.")
    judder: Float = field(
        unit="1", ge=0, suggest=(0, 3), default=1.0, doc="Gain of the slipping clutch; 0 for a torque converter."
    )
    judder_frequency: Float = field(
        unit="Hz", gt=0, suggest=(8, 25), default=14.0, doc="Frequency at which the slipping clutch swells."
    )
    grind: Float = field(
        unit="1", ge=0, suggest=(0, 3), default=1.0, doc="Gain of a gear that is forced in; 0 for planetary gears."
    )
    dog_teeth: Int = field(
        unit="1", ge=1, le=200, suggest=(20, 60), default=36, doc="Teeth of a dog ring, which grind when forced in."
    )


STATE = np.dtype(
    [
        ("noise", np.uint64),
        ("gear", np.int64),  # of the last block
        ("teeth", np.float64),  # of the driving wheel of the gear engaged last
        ("pulse", np.int64),  # samples left of the clunk's force
        ("strength", np.float64),  # of the clunk
        ("turns", np.float64, (5,)),  # phases of the input shaft, the output shaft, their meshes and the judder
        ("amplitude", np.float64, (5,)),  # input mesh and its harmonic, output mesh and its harmonic, lining
        ("grind", GRIND),
        ("modes", np.float64, (MODE_COUNT, 2)),
        ("peak", np.float64),  # largest sample of the last block
    ],
    align=True,
)


def begin(state: Any, number: int) -> None:
    """Prepare a zeroed STATE; number: seed, different for every voice of every vehicle."""
    state["noise"] = seed(number)
    state["gear"] = UNKNOWN_GEAR
    state["teeth"] = FEWEST_TEETH


@kernel
def whine_amplitude(p: Any, torque: float, speed: float) -> float:
    """Amplitude of a mesh, about 1 at the reference torque and high speed; torque in N m, shaft speed in rad/s."""
    return math.sqrt(p.unloaded + abs(torque) / p.reference_torque) * speed / (speed + SLOW)


@kernel
def driving_teeth(p: Any, s: Any, after: Any) -> Any:
    """Teeth of the driving wheel, noted in `teeth`; in neutral those of the last gear, whose wheels turn unloaded."""
    turning = abs(after.gear_speed) + abs(after.shaft_speed)
    if p.input_teeth > 0:
        s.teeth = float(p.input_teeth)
    elif after.gear != NEUTRAL and turning > TURNING:
        share = p.pair_teeth * abs(after.shaft_speed) / turning  # 1 / (1 + i), as the shafts' speeds have the ratio i
        s.teeth = max(FEWEST_TEETH, np.floor(share + 0.5))
    return s.teeth


@kernel
def clunk_strength(p: Any, before: Any, after: Any) -> float:
    """Strength of a change of gear between two frames, 0 .. STRONGEST."""
    fastest = max(abs(after.gear_speed), max(abs(after.shaft_speed), abs(after.engine_speed)))
    torque = max(abs(before.gear_torque), abs(after.gear_torque)) / p.reference_torque
    step = after.gear_step / SPEED_STEP
    if after.gear == NEUTRAL:  # the teeth part: nothing is brought to another speed
        torque, step = 0.5 * torque, 0.0
    return min(1.0, fastest / TURNING) * min(STRONGEST, LIGHTEST + torque + step)


@kernel
def _notice_change(p: Any, s: Any, before: Any, after: Any) -> None:
    """Start the clunk if the gear has changed since the last block."""
    if after.gear != s.gear:
        if s.gear != UNKNOWN_GEAR and s.pulse == 0:
            s.strength = p.level * p.clunk * clunk_strength(p, before, after)
            s.pulse = PULSE if s.strength > 0.0 else 0
        s.gear = after.gear


@kernel
def _amplitudes(p: Any, after: Any, f: float, g: float) -> tuple[float, ...]:
    """Amplitudes to which the voice goes: the meshes at f and g, Hz, each with its harmonic, and the lining's noise."""
    a = p.level * WHINE * whine_amplitude(p, after.gear_torque, abs(after.gear_speed))
    b = p.level * WHINE * whine_amplitude(p, after.gear_torque, abs(after.shaft_speed))
    if after.gear < NEUTRAL:
        a *= p.reverse_gain
    slip = max(0.0, abs(after.clutch_slip) - CREEP)
    # twice the reference torque is the most that adds to the noise
    rub = p.level * p.judder * RUB * min(2.0, abs(after.gear_torque) / p.reference_torque) * slip / (slip + SLIPPING)
    return (
        a * audible(f),
        HARMONIC * a * audible(2.0 * f),
        b * audible(g),
        HARMONIC * b * audible(2.0 * g),
        rub,
    )


@kernel
def _clunk_force(s: Any) -> float:
    """One sample of the clunk's force."""
    if s.pulse == 0:
        return 0.0
    s.pulse -= 1
    return CLUNK * s.strength * pulse(s.pulse, PULSE)


@kernel
def _rub(s: Any, swell: float) -> float:
    """One sample of the lining's noise; swell: -1..1, the judder."""
    a = s.amplitude[4]
    return a * (0.55 + 0.45 * swell) * white(s) if a > QUIET_PEAK else 0.0


@kernel
def _smooth(amplitude: Any, goals: Any) -> None:
    """Move the five amplitudes by a sample towards their goals."""
    for k in range(5):
        amplitude[k] = pole(amplitude[k], goals[k], SMOOTHING)


@kernel
def _play(bus: Any, s: Any, shafts: Any, meshes: Any, swell: Any, goals: Any, dogs: Any) -> None:
    """Add a block to a bus.

    Args:
        shafts, meshes: tones of the input and output shaft and of their teeth.
        swell: tone of the judder.
        goals: result of `_amplitudes`.
        dogs: (whether dog teeth grind, teeth that pass in a sample, their loudness).
    """
    (m, n), (f, g), a = shafts, meshes, s.amplitude  # of a tone, [0] is the cosine and [1] the sine
    housing = modes()
    peak = 0.0
    for i in range(BLOCK):
        m, n, f, g, swell = stepped(m), stepped(n), stepped(f), stepped(g), stepped(swell)
        _smooth(a, goals)
        whine = (1.0 + ECCENTRICITY * m[0]) * f[1] * (a[0] + 2.0 * f[0] * a[1])
        whine += (1.0 + ECCENTRICITY * n[0]) * g[1] * (a[2] + 2.0 * g[0] * a[3])
        force = whine + _rub(s, swell[0]) + _clunk_force(s)
        y = DIRECT * whine
        if dogs[0]:
            blows, noisy = grinding(s.grind, s, dogs[1], dogs[2])
            force += blows
            y += DIRECT * noisy
        y += ringing(s.modes, force, housing)
        bus[i] += y
        peak = max(peak, abs(y))
    s.peak = peak


@kernel
def render_gears(buses: Any, parameters: Any, state: Any, before: Any, after: Any) -> None:
    """Add a block of gear sounds to the engine bay's bus."""
    p, s, t = parameters, state, state.turns
    _notice_change(p, s, before, after)
    hertz = 1.0 / (2.0 * math.pi)
    f0, f1 = hertz * abs(before.gear_speed), hertz * abs(after.gear_speed)
    g0, g1 = hertz * abs(before.shaft_speed), hertz * abs(after.shaft_speed)
    z_in, z_out, judder = driving_teeth(p, s, after), float(p.output_teeth), p.judder_frequency
    goals = _amplitudes(p, after, z_in * f1, z_out * g1)
    grinds = follow_dogs(s.grind, after.dog_speed if p.level * p.grind > 0.0 else 0.0)
    if s.pulse == 0 and s.peak < QUIET_PEAK and goals[0] + goals[2] + goals[4] == 0.0 and not grinds:
        return
    dog_speed = s.grind.speed
    dogs = grinds, p.dog_teeth * dog_speed * hertz / SAMPLE_RATE, p.level * p.grind * loudness_of(dog_speed)
    shafts = tone(t[0], f0, f1), tone(t[1], g0, g1)
    meshes = tone(t[2], z_in * f0, z_in * f1), tone(t[3], z_out * g0, z_out * g1)
    _play(buses[ENGINE_BAY], s, shafts, meshes, tone(t[4], judder, judder), goals, dogs)
    t[0], t[1], t[4] = turns_after(t[0], f0, f1), turns_after(t[1], g0, g1), turns_after(t[4], judder, judder)
    t[2], t[3] = turns_after(t[2], z_in * f0, z_in * f1), turns_after(t[3], z_out * g0, z_out * g1)
