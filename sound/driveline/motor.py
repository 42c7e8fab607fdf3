"""Electric drive: magnetic orders of the motor, its reduction gear, and the inverter's switching.

With n turns per second and p pole pairs, the current has the frequency p n. Its forces on the stator are loudest at 6,
12 and 24 times that (orders 24, 48 and 96 of 4 pole pairs), the pinion of z teeth whines at z n and 2 z n, and the
inverter's voltage makes pairs of tones at f_s +- 2 p n:

    y = (.15 + |T| / T_r) min(1, w / 100) (sum of a_k sin 2 pi o_k n t)
        + |T| / T_r min(1, w) s sin 2 pi f_s t cos 2 pi 2 p n t                                w = 2 pi n

Every partial is faded out above .4 of the sample rate, which order 96 exceeds at 200 turns per second. The stator's
forces are heard through the housing's modes and directly.

Source: orders of permanent-magnet machines as in texts on their noise (Gieras et al., Noise of Polyphase Electric
Motors); amplitudes are the program's own.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, Int, Schema, field
from driving_sandbox.sound.base.block import BLOCK, ENGINE_BAY, SAMPLE_RATE
from driving_sandbox.sound.base.filters import pole
from driving_sandbox.sound.base.noise import begin as begin
from driving_sandbox.sound.base.oscillator import audible, stepped, tone, turns_after
from driving_sandbox.sound.driveline.housing import MODE_COUNT, modes, ringing

LEVEL = 0.012  # amplitude of the first order at the reference torque, divided by 1 + UNLOADED
ORDERS = (1.0, 0.5, 0.28)  # amplitudes of 6, 12 and 24 times the current's frequency
GEAR_ORDERS = (0.5, 0.2)  # amplitudes of the pinion's mesh and its harmonic
SWITCHING = 0.15  # amplitude of the switching tones, each half of it
UNLOADED = 0.15  # share of the orders without torque
FULL_SPEED = 100.0  # rad/s, from which on the orders have their full amplitude
DIRECT = 0.6  # share of the forces that is heard directly, besides all that is heard through the housing's modes
SMOOTHING = 1.0 / (0.01 * SAMPLE_RATE)  # share per sample of amplitudes
QUIET_PEAK = 1e-10  # below it the voice rests until the motor turns
PARTIAL_COUNT = 6


class MotorSound(Schema):
    """Poles, teeth, switching and levels of an electric drive."""

    level: Float = field(unit="1", ge=0, suggest=(0, 3), default=0.0, doc="Gain; 0 is none.")
    pole_pairs: Int = field(unit="1", ge=1, le=20, suggest=(2, 8), default=4, doc="Pole pairs of the motor.")
    teeth: Int = field(unit="1", ge=1, le=200, suggest=(17, 45), default=31, doc="Teeth of the pinion on its shaft.")
    reference_torque: Float = field(
        unit="N*m", gt=0, suggest=(100, 800), default=250.0, doc="Torque of an amplitude of 1."
    )
    gear: Float = field(unit="1", ge=0, suggest=(0, 3), default=1.0, doc="Gain of the pinion's whine.")
    switching: Float = field(unit="1", ge=0, suggest=(0, 3), default=1.0, doc="Gain of the inverter's tones.")
    switching_frequency: Float = field(
        unit="Hz", gt=0, suggest=(4e3, 16e3), default=8e3, doc="Frequency of the inverter's switching."
    )


STATE = np.dtype(
    [
        # phases of tones at twice the current's frequency, at the mesh's and at the switching's
        ("turns", np.float64, (3,)),
        ("amplitude", np.float64, (PARTIAL_COUNT,)),  # three orders, mesh and harmonic, switching
        ("modes", np.float64, (MODE_COUNT, 2)),
        ("peak", np.float64),  # largest sample of the last block
    ],
    align=True,
)


@kernel
def _amplitudes(p: Any, torque: float, speed: float) -> tuple[float, ...]:
    """Amplitudes of the partials at a torque, N m, and a speed of 0 or more, rad/s."""
    share = abs(torque) / p.reference_torque
    a = p.level * LEVEL * (UNLOADED + share) * min(1.0, speed / FULL_SPEED)
    n = speed / (2.0 * math.pi)
    f, g = 6.0 * p.pole_pairs * n, p.teeth * n
    side = p.switching_frequency + 2.0 * p.pole_pairs * n
    return (
        a * ORDERS[0] * audible(f),
        a * ORDERS[1] * audible(2.0 * f),
        a * ORDERS[2] * audible(4.0 * f),
        a * p.gear * GEAR_ORDERS[0] * audible(g),
        a * p.gear * GEAR_ORDERS[1] * audible(2.0 * g),
        p.level * LEVEL * p.switching * SWITCHING * share * min(1.0, speed) * audible(side),
    )


@kernel
def _play(bus: Any, s: Any, tones: Any, goals: Any) -> None:
    """Add a block to a bus; tones: of twice the current's frequency, of the mesh and of the switching."""
    current, mesh, switching = tones
    a, housing = s.amplitude, modes()
    peak = 0.0
    for i in range(BLOCK):
        current, mesh, switching = stepped(current), stepped(mesh), stepped(switching)
        for k in range(PARTIAL_COUNT):
            a[k] = pole(a[k], goals[k], SMOOTHING)
        c, x = current[0], current[1]  # cosine and sine of the phase
        c3, x3 = c * (4.0 * c * c - 3.0), x * (3.0 - 4.0 * x * x)  # cosine and sine of 3 times the phase
        c6, x6 = 1.0 - 2.0 * x3 * x3, 2.0 * x3 * c3  # of 6 times
        force = a[0] * x3 + a[1] * x6 + a[2] * 2.0 * x6 * c6
        force += mesh[1] * (a[3] + 2.0 * mesh[0] * a[4])
        y = DIRECT * force + ringing(s.modes, force, housing) + a[5] * switching[1] * c
        bus[i] += y
        peak = max(peak, abs(y))
    s.peak = peak


@kernel
def render_motor(buses: Any, parameters: Any, state: Any, before: Any, after: Any) -> None:
    """Add a block of the electric drive to the engine bay's bus."""
    p, s, t = parameters, state, state.turns
    speed = abs(after.engine_speed)
    if (p.level == 0.0 or speed == 0.0) and s.peak < QUIET_PEAK:
        return
    n0, n1 = abs(before.engine_speed) / (2.0 * math.pi), speed / (2.0 * math.pi)
    k, z, w = 2.0 * p.pole_pairs, float(p.teeth), p.switching_frequency
    tones = tone(t[0], k * n0, k * n1), tone(t[1], z * n0, z * n1), tone(t[2], w, w)
    _play(buses[ENGINE_BAY], s, tones, _amplitudes(p, after.gear_torque, speed))
    t[0], t[1] = turns_after(t[0], k * n0, k * n1), turns_after(t[1], z * n0, z * n1)
    t[2] = turns_after(t[2], w, w)
