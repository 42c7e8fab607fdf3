"""Blocks of one voice of the driveline or of the horn, from frames that a function of time fills, and their spectra."""

import numpy as np

from driving_sandbox.sound.base.block import BLOCK, BUS_COUNT, SAMPLE_RATE
from driving_sandbox.sound.base.frame import FRAME
from driving_sandbox.sound.body.materials import NOTHING


class Scene:
    """A voice with its parameters and state.

    voice: (Schema, STATE, begin, render) of its module; values: parameters that differ from the defaults.
    """

    def __init__(self, voice, **values):
        schema, state, begin, self.kernel = voice
        self.parameters = np.zeros(1, schema.dtype)
        schema.defaults(self.parameters[0])
        for name, value in values.items():
            schema.fields[name].kind.write(self.parameters[0], name, schema.fields[name].parse(value))
        self.state = np.zeros(1, state)
        begin(self.state[0], 3)  # any seed, the same for all tests
        self.frames = np.zeros(2, FRAME)
        self.frames["gear"] = 2
        self.frames["impact_material"] = self.frames["struck_material"] = self.frames["scraped_material"] = NOTHING
        self.buses = np.zeros((BUS_COUNT, BLOCK))

    def run(self, seconds, frame=None):
        """Render for some seconds; returns the buses [BUS_COUNT, samples].

        frame(t): {field: value} of the FRAME at the time t, s, from the start of this call.
        """
        count = round(seconds * SAMPLE_RATE / BLOCK)
        out = np.zeros((BUS_COUNT, count * BLOCK))
        for k in range(count):
            self.frames[0] = self.frames[1]
            for name, value in (frame((k + 1) * BLOCK / SAMPLE_RATE) if frame else {}).items():
                self.frames[name][1] = value
            self.buses[:] = 0.0
            self.kernel(self.buses, self.parameters[0], self.state[0], self.frames[0], self.frames[1])
            out[:, k * BLOCK : (k + 1) * BLOCK] = self.buses
        return out


def steady(**values):
    """A frame that stays the same."""
    return lambda t: values


def rms(x):
    return float(np.sqrt(np.mean(np.square(x))))


def spectrum(x):
    """(frequencies, amplitudes of sinusoids) with a Hann window."""
    window = np.hanning(len(x))
    return np.fft.rfftfreq(len(x), 1.0 / SAMPLE_RATE), np.abs(np.fft.rfft(x * window)) * 2.0 / window.sum()


def peak_near(x, frequency, reach=0.02):
    """(frequency, amplitude) of the strongest partial within a relative `reach`, between bins by a parabola."""
    f, a = spectrum(x)
    inside = np.flatnonzero(np.abs(f - frequency) < reach * frequency)
    k = inside[np.argmax(a[inside])]
    low, mid, high = np.log(a[k - 1 : k + 2] + 1e-300)
    return f[k] + (f[1] - f[0]) * 0.5 * (low - high) / (low - 2.0 * mid + high), a[k]


def third_difference(x):
    """Magnitudes of the third difference, in which a step or a kink stands out."""
    return np.abs(np.diff(x, 3))
