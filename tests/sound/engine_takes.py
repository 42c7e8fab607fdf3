"""Takes of an engine's sound for tests, and what is measured of them. Speeds in rad/s, frequencies in Hz."""

import itertools

import numpy as np

from driving_sandbox.sound.base.block import BLOCK, BUS_COUNT, ENGINE_BAY, EXHAUST, SAMPLE_RATE
from driving_sandbox.sound.base.frame import FRAME
from driving_sandbox.sound.engine.engine import STATE, begin, engine_parameters, render_engine
from driving_sandbox.sound.engine.presets import PRESETS, REFERENCE_BOOST

BLOCKS = round(SAMPLE_RATE / BLOCK)  # per second
# Changes of the parameters after which all cycles are alike and nothing is noise.
STEADY = {"flow_noise": 0.0, "jet_noise": 0.0, "variation": 0.0, "idle_variation": 0.0, "misfire": 0.0,
          "jitter_deg": 0.0}  # fmt: skip
NAMES = list(PRESETS)


def play(parameters, speed, number=0, **values):
    """(buses [BUS_COUNT, samples], state) of an engine; `speed` and `values` are of the frames at blocks' boundaries.

    By default the engine burns and has full load, and the throttle is as open as the load is high.
    """
    frames = np.zeros(len(speed), FRAME)
    frames["engine_speed"] = speed
    for name, value in ({"load": 1.0, "burning": 1} | values).items():
        frames[name] = value
    if "throttle" not in values:
        frames["throttle"] = np.maximum(frames["load"], 0.0)
    state = np.zeros(1, STATE)[0]
    begin(state, number)
    blocks = np.zeros((len(speed) - 1, BUS_COUNT, BLOCK))
    for k, block in enumerate(blocks):
        render_engine(block, parameters, state, frames[k], frames[k + 1])
    return blocks.transpose(1, 0, 2).reshape(BUS_COUNT, -1), state


def steady(name, share, seconds=1.0, settle=0.6, changes=None, **values):
    """(samples of the exhaust, of the engine bay, speed) at a share of a preset's redline, after `settle` seconds."""
    parameters = engine_parameters(name, changes or {})
    speed = share * parameters["redline"]
    values.setdefault("boost", REFERENCE_BOOST * max(values.get("load", 1.0), 0.0) * (parameters["turbine"] > 0.0))
    buses, _ = play(parameters, np.full(round(BLOCKS * (seconds + settle)) + 1, speed), **values)
    settled = buses[:, round(SAMPLE_RATE * settle) :]
    return settled[EXHAUST], settled[ENGINE_BAY], speed


def pressure_level(torque):
    """Level of p - 1 bar, p = m (1.2 + 3.6), m = 0.32 + 0.68 torque, relative to that of full load, dB."""
    return 20.0 * np.log10(((0.32 + 0.68 * torque) * 4.8 - 1.0) / 3.8)


def cylinders(name):
    return int(engine_parameters(name, {})["derived"]["cylinder_count"])


def firing_frequency(name, speed):
    return speed / (4.0 * np.pi) * cylinders(name)


def rms(x):
    return np.sqrt(np.mean(x**2))


def spectrum(x):
    """(frequencies, power) with a window whose side lobes are below -90 dB."""
    n = np.arange(len(x)) * (2.0 * np.pi / len(x))
    window = 0.35875 - 0.48829 * np.cos(n) + 0.14128 * np.cos(2 * n) - 0.01168 * np.cos(3 * n)
    return np.fft.rfftfreq(len(x), 1.0 / SAMPLE_RATE), np.abs(np.fft.rfft(x * window)) ** 2


def order_powers(x, speed, count=32):
    """Power of the half orders 0.5, 1 ... relative to the strongest, dB."""
    frequency, power = spectrum(x)
    half = speed / (4.0 * np.pi)
    powers = np.array([power[abs(frequency - k * half) < 0.3 * half].sum() for k in range(1, count + 1)])
    return 10.0 * np.log10(powers / powers.max())


def centroid(x):
    """Mean frequency, weighted by power, 20..10000 Hz."""
    frequency, power = spectrum(x)
    heard = (frequency > 20.0) & (frequency < 10000.0)
    return (frequency * power)[heard].sum() / power[heard].sum()


def harmonic_ratio(x, speed):
    """Power around the half orders / power between them, 30..5000 Hz, dB."""
    frequency, power = spectrum(x)
    heard = (frequency > 30.0) & (frequency < 5000.0)
    distance = abs((frequency[heard] / (speed / (4.0 * np.pi)) + 0.5) % 1.0 - 0.5)
    return 10.0 * np.log10(power[heard][distance < 0.25].sum() / power[heard][distance >= 0.25].sum())


def tilt(x, lowest):
    """Slope of the power density in third octaves from a frequency to 6 kHz, dB per octave."""
    frequency, power = spectrum(x)
    edges = lowest * 2.0 ** np.arange(0.0, np.log2(6000.0 / lowest), 1.0 / 3.0)
    bands = [power[(frequency >= a) & (frequency < b)] for a, b in itertools.pairwise(edges)]
    levels = [10.0 * np.log10(band.mean()) for band in bands]
    return 3.0 * np.polyfit(np.arange(len(levels)), levels, 1)[0]
