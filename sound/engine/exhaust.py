"""Exhaust: flow through the valves, primary pipes, collector, silencer of two chambers, sound of the tail pipe.

Waves in bar run in delay lines. Where a cylinder's pressure p exceeds the pipe's by d (bar), the flow u through the
valve and its effects in a time dt are

    u = g d / (1 + g rho (Z + 1.32 dt/V)),   g = K lift / (|d| + 0.3)     swept volumes/s, choked at K
    wave into the pipe Z rho u,   change of p: -1.32 (rho u dt + p dV)/V

implicit in the pressures of pipe and cylinder, which is stable for every step. V is the cylinder's volume in swept
volumes, Z the pipe's impedance, rho the gas's density: p outwards, 1 inwards. n pipes meet in a collector at the
pressure 2 (sum of incoming waves + A back)/(n + A), where A is the area of the middle pipe by that of a primary one and
back the wave that returns from the middle pipe. The tail's open end is that of open_end.py.
"""

from typing import Any

from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.sound.base.block import SAMPLE_RATE
from driving_sandbox.sound.base.filters import pole
from driving_sandbox.sound.base.noise import white
from driving_sandbox.sound.engine.open_end import EndShape, open_end
from driving_sandbox.sound.engine.parameters import LINE_COUNT

DT = 1.0 / SAMPLE_RATE  # s
GAMMA = 1.32  # heat capacity ratio of exhaust gas
CHOKING = 0.3  # bar, pressure difference at which the flow has half its largest value
VALVE_REFLECTION = 0.96  # of a wave that comes back to the valve
PIPE_SHARE, PIPE_GAIN = 0.75, 0.92  # losses in a primary pipe: share per sample of a low-pass, and gain
FLOW_NOISE_SHARE = 0.165  # per sample: low-pass of 1.4 kHz
CRACKLE_DECAY = 0.972  # factor per sample: time constant of 0.7 ms
CRACKLE_END = 1e-6  # bar
TURBINE_SHARE, TURBINE_GAIN = 0.25, 0.7  # what passes a turbine: low-pass of 2.2 kHz
LINE_GAIN = 0.95  # of a wave that leaves a chamber
TAIL = EndShape(share=0.3, reflection=-0.92, jet_share_high=0.21, jet_share_low=0.0385)  # jet: 0.3 to 1.8 kHz


@inline_kernel
def emit(parameters: Any, state: Any, cylinder: int, phase: float) -> float:
    """Advance a cylinder's primary pipe by a sample at its valve; returns the wave that arrives at the collector."""
    d = parameters.derived
    index = state.pipe_index[cylinder]
    state.pipe_pole[cylinder] = pole(state.pipe_pole[cylinder], state.pipe[cylinder, 1, index], PIPE_SHARE)
    returned = PIPE_GAIN * state.pipe_pole[cylinder]
    wave = VALVE_REFLECTION * returned
    step = int(phase)
    rest = phase - step
    lift = d.lift[step] + rest * (d.lift[step + 1] - d.lift[step])
    if lift > 0.0:
        slope = d.volume_slope[step] + rest * (d.volume_slope[step + 1] - d.volume_slope[step])
        volume = d.volume[step] + rest * (d.volume[step + 1] - d.volume[step])
        wave += blow_down(parameters, state, cylinder, lift, volume, slope, returned + wave)
    if state.crackle[cylinder] != 0.0:
        wave += state.crackle[cylinder] * (0.7 + 0.9 * white(state))  # a pulse of pressure with noise
        fading = CRACKLE_DECAY * state.crackle[cylinder]
        state.crackle[cylinder] = fading if fading > CRACKLE_END else 0.0
    arrived = state.pipe[cylinder, 0, index]
    state.pipe[cylinder, 0, index] = wave
    return arrived


@inline_kernel
def blow_down(
    parameters: Any, state: Any, cylinder: int, lift: float, volume: float, slope: float, outside: float
) -> float:
    """Let gas through an exhaust valve for a sample; returns its wave into the pipe, with the noise of the flow."""
    over = state.pressure[cylinder]
    pressure = 1.0 + over
    difference = over - outside
    density = max(pressure, 0.0) if difference > 0.0 else 1.0
    impedance = parameters.derived.impedance
    g = parameters.derived.valve_rate * lift / (abs(difference) + CHOKING)
    u = g * difference / (1.0 + g * density * (impedance + GAMMA * DT / volume))
    state.pressure[cylinder] = over - GAMMA * DT / volume * (density * u + pressure * slope * state.speed)
    return impedance * density * u * (1.0 + parameters.flow_noise * state.flow_noise)


@inline_kernel
def back_into(parameters: Any, state: Any, cylinder: int, pressure: float) -> None:
    """Send the wave at the collector's `pressure` back into a primary pipe, and move the pipe's index on."""
    index = state.pipe_index[cylinder]
    state.pipe[cylinder, 1, index] = pressure - state.arrived[cylinder]
    index += 1
    state.pipe_index[cylinder] = index if index < state.pipe_delay[cylinder] else 0


@kernel
def collect(parameters: Any, state: Any, bank: int, incoming: float) -> float:
    """Join the pipes of a bank; `incoming`: sum of their waves. Returns the pressure in its collector."""
    back = state.line[bank, 0, 1, state.line_index[bank, 0]]
    ratio = parameters.collector_ratio
    return 2.0 * (incoming + ratio * back) / (parameters.derived.pipes_of_bank[bank] + ratio)


@kernel
def pass_silencer(parameters: Any, state: Any, bank: int, pressure: float) -> float:
    """Advance an exhaust system by a sample, but for its indices; returns the wave that arrives at the open end."""
    reflection = parameters.derived.reflection
    index = state.line_index[bank, 0]
    wave = pressure - state.line[bank, 0, 1, index]
    state.turbine_pole[bank] = pole(state.turbine_pole[bank], wave, TURBINE_SHARE)
    wave += parameters.turbine * (TURBINE_GAIN * state.turbine_pole[bank] - wave)
    for k in range(LINE_COUNT - 1):
        onward = state.line_index[bank, k + 1]
        forward = state.line[bank, k, 0, index]
        back = state.line[bank, k + 1, 1, onward]
        r = reflection[k]
        outwards = (1.0 + r) * forward - r * back
        inwards = r * forward + (1.0 - r) * back
        filling = outwards if k % 2 == 0 else inwards  # the wave into the chamber
        state.chamber_pole[bank, k] = pole(state.chamber_pole[bank, k], filling, parameters.muffler_share)
        filling = parameters.muffler_gain * state.chamber_pole[bank, k]
        if k % 2 == 0:
            outwards, inwards = filling, LINE_GAIN * inwards
        else:
            outwards, inwards = LINE_GAIN * outwards, filling
        state.line[bank, k, 0, index] = wave
        state.line[bank, k, 1, index] = inwards
        wave = outwards
        index = onward
    arrived = state.line[bank, LINE_COUNT - 1, 0, index]
    state.line[bank, LINE_COUNT - 1, 0, index] = wave
    return arrived


@kernel
def radiate(parameters: Any, state: Any, bank: int, wave: float) -> float:
    """Reflect a wave at the open end; returns the sound of the outflow and of its jet. Moves the indices on."""
    sound, back = open_end(state.tail_end[bank], state, TAIL, wave, parameters.jet_noise)
    state.line[bank, LINE_COUNT - 1, 1, state.line_index[bank, LINE_COUNT - 1]] = back
    for k in range(LINE_COUNT):
        index = state.line_index[bank, k] + 1
        state.line_index[bank, k] = index if index < state.line_delay[bank, k] else 0
    return sound
