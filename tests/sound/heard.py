"""Scenes for tests of space and mixer: vehicles that emit given signals, and what a listener hears."""

import numpy as np

from driving_sandbox.sound.base.block import BLOCK, BLOCK_SECONDS, BODY, BUS_COUNT, SAMPLE_RATE
from driving_sandbox.sound.base.frame import FRAME
from driving_sandbox.sound.mixer import LEVELS, MIX, mix
from driving_sandbox.sound.space.ears import SPACE
from driving_sandbox.sound.space.limiter import DELAY
from driving_sandbox.sound.space.listener import LISTENER


class Scene:
    """Vehicles and a listener at the origin whose right ear is at +x; change the fields between calls of `hear`."""

    def __init__(self, vehicles=1):
        self.frames = np.zeros(vehicles, FRAME)
        self.frames["forward"] = [0.0, 1.0, 0.0]
        self.listener = np.zeros(1, LISTENER)
        self.listener["right"] = [1.0, 0.0, 0.0]
        self.levels = np.ones(1, LEVELS)
        self.spaces = np.zeros(vehicles, SPACE)
        self.state = np.zeros(1, MIX)
        self.cabin = 1.0  # closed
        self.block = 0

    @property
    def time(self):
        """s, at the end of the next block."""
        return (self.block + 1) * BLOCK_SECONDS

    def hear(self, signal, buses=(BODY,), blocks=1):
        """The next blocks [n, 2]; `signal(sample numbers, vehicle)` is put on these buses."""
        heard = np.zeros((blocks * BLOCK, 2))
        for k in range(blocks):
            given = np.zeros((len(self.frames), BUS_COUNT, BLOCK))
            for vehicle in range(len(self.frames)):
                given[vehicle, list(buses)] = signal(np.arange(BLOCK) + self.block * BLOCK, vehicle)
            out = heard[k * BLOCK : (k + 1) * BLOCK]
            mix(out, given, self.frames, self.listener[0], self.spaces, self.state[0], self.levels[0], self.cabin)
            self.block += 1
        return heard


def tone(frequency, amplitude=0.1):
    """A sine as signal of `Scene.hear`."""
    return lambda n, vehicle: amplitude * np.sin(2.0 * np.pi * frequency / SAMPLE_RATE * n)


def chord(n, vehicle):
    """A steady tone of many partials: an engine's, without its noise, which would hide a click."""
    partials = [(50.0 * k, 0.1 / k) for k in range(1, 30)]
    return sum(a * np.sin(2.0 * np.pi * f / SAMPLE_RATE * n + k * k) for k, (f, a) in enumerate(partials))


def level(samples):
    """dB of the rms, per ear."""
    return 10.0 * np.log10(np.mean(np.square(samples), axis=0))


def frequency(samples):
    """Hz, of a tone of nearly constant frequency: slope of the phase of the analytic signal, fitted by a line."""
    n = len(samples)
    spectrum = np.fft.fft(samples * np.hanning(n))
    spectrum[n // 2 :] = 0.0
    middle = slice(n // 4, 3 * n // 4)  # away from the window's ends
    phase = np.unwrap(np.angle(np.fft.ifft(spectrum)[middle]))
    return np.polyfit(np.arange(len(phase)), phase, 1)[0] * SAMPLE_RATE / (2.0 * np.pi)


def click(samples, begin, end):
    """Largest third difference between two sample numbers / its 99.99 % quantile in the 0.3 s before and after."""
    change = np.abs(np.diff(samples, 3, axis=0)).max(axis=1)
    around = np.concatenate([change[begin - 14400 : begin], change[end : end + 14400]])
    return change[begin:end].max() / np.quantile(around, 0.9999)


LATENCY = DELAY  # samples by which the limiter delays what is heard
