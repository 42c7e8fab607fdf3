"""Combustion engine: exhaust on the bus EXHAUST, intake and block on the bus ENGINE_BAY.

    crank angle --cycle--> cylinders --exhaust--> pipes, silencer, tail --\
                           suction --intake--> runner, plenum, snorkel ----+--levelling--> buses
                           blows --ringing--> resonances of the block ----/

The crank angle begins at that of the FRAME and is integrated from the speed interpolated to each sample, so that the
pitch follows the speed without steps. A leveller reduces the 40 dB between idle and full power to about 25.
"""

import math
from typing import Any

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.sound.base.block import BLOCK, BLOCK_SECONDS, ENGINE_BAY, EXHAUST
from driving_sandbox.sound.base.filters import pole
from driving_sandbox.sound.base.noise import seed, white
from driving_sandbox.sound.engine.cycle import pass_events, phase_of, set_crank, set_drive
from driving_sandbox.sound.engine.exhaust import FLOW_NOISE_SHARE, back_into, collect, emit, pass_silencer, radiate
from driving_sandbox.sound.engine.intake import breathe, suction
from driving_sandbox.sound.engine.lengths import follow_lengths
from driving_sandbox.sound.engine.parameters import EngineSound as EngineSound
from driving_sandbox.sound.engine.record import engine_parameters as engine_parameters
from driving_sandbox.sound.engine.ringing import make_lines, ring
from driving_sandbox.sound.engine.state import STATE as STATE

FULL_POWER = 0.01  # mean square of the sound at full power, rms 0.1
QUIETEST = 1e-4  # mean square / that at full power, below which the leveller hardly raises the sound further
POWER_SHARE = BLOCK_SECONDS / 0.3  # the leveller follows in 0.3 s
FADE_SHARE = BLOCK_SECONDS / 0.05  # the sound fades in in 0.05 s
QUIET_PEAK = 1e-12  # largest sample, below which an engine that does not turn is not computed
PEAK_KEPT = 0.97  # of the peak per block: 1 s for 15 decades, in which a wave passes all pipes many times


def begin(state: Any, number: int) -> None:
    """Set a STATE record of zeros to its start; engines of different numbers have different noise."""
    state["noise"] = seed(number)
    state["power"] = 1.0  # as if at full power: a start must not be louder


@kernel
def render_engine(buses: Any, parameters: Any, state: Any, before: Any, after: Any) -> None:
    """Add a block of the engine's sound to two of the buses, [BUS_COUNT, BLOCK].

    Args:
        parameters: record of EngineSound, from `engine_parameters`.
        state: record of STATE.
        before, after: FRAME records at the block's start and end.
    """
    if before.engine_speed == 0.0 and after.engine_speed == 0.0 and state.peak < QUIET_PEAK:
        return
    follow_lengths(parameters, state)
    if state.fade == 0.0:  # it starts, or its cylinders have changed
        set_crank(state, before.crank_angle)
    make_lines(parameters, state, before, after)
    for k in range(BLOCK):
        set_drive(parameters, state, before, after, (k + 1.0) / BLOCK)
        render_sample(parameters, state, k)
    gain_before, gain_after = state.gain, levelled_gain(parameters, state)
    state.gain = gain_after
    peak = PEAK_KEPT * state.peak
    for k in range(BLOCK):
        gain = gain_before + (gain_after - gain_before) * ((k + 1.0) / BLOCK)
        buses[EXHAUST, k] += gain * state.exhaust[k]
        buses[ENGINE_BAY, k] += gain * state.bay[k]
        peak = max(peak, gain * abs(state.exhaust[k]), gain * abs(state.bay[k]))
    state.peak = peak


@kernel
def render_sample(parameters: Any, state: Any, k: int) -> None:
    """Compute the k-th sample of the block into `state.exhaust` and `state.bay`."""
    d = parameters.derived
    first_bank = second_bank = blow = flow = 0.0
    state.flow_noise = pole(state.flow_noise, white(state), FLOW_NOISE_SHARE)
    for cylinder in range(d.cylinder_count):
        phase = phase_of(parameters, state, cylinder)
        blow += pass_events(parameters, state, cylinder, phase)
        flow += suction(parameters, phase)
        arrived = emit(parameters, state, cylinder, phase)
        state.arrived[cylinder] = arrived
        if d.bank[cylinder] == 0:
            first_bank += arrived
        else:
            second_bank += arrived
    exhaust = 0.0
    for bank in range(d.bank_count):
        pressure = collect(parameters, state, bank, first_bank if bank == 0 else second_bank)
        for cylinder in range(d.cylinder_count):
            if d.bank[cylinder] == bank:
                back_into(parameters, state, cylinder, pressure)
        exhaust += radiate(parameters, state, bank, pass_silencer(parameters, state, bank, pressure))
    state.exhaust[k] = parameters.exhaust_level * parameters.exhaust_scale * exhaust
    intake = parameters.intake_level * parameters.intake_scale * breathe(parameters, state, flow)
    state.bay[k] = intake + parameters.block_level * parameters.block_scale * ring(parameters, state, k, blow)


@kernel
def levelled_gain(parameters: Any, state: Any) -> float:
    """Gain at the block's end, (rms / rms at full power)^(-3/8) by level and fade; updates mean square and fade."""
    power = 0.0
    for k in range(BLOCK):
        x = state.exhaust[k] + state.bay[k]
        power += x * x
    state.power = pole(state.power, power / (BLOCK * FULL_POWER), POWER_SHARE)
    state.fade = pole(state.fade, 1.0, FADE_SHARE)
    eighth = math.sqrt(math.sqrt(math.sqrt(state.power + QUIETEST)))
    return parameters.level * state.fade / (eighth * math.sqrt(eighth))
