"""The limiter's ceiling, for samples and between them, and that it leaves quiet sounds alone."""

import numpy as np
import pytest

from driving_sandbox.sound.base.block import BLOCK, SAMPLE_RATE
from driving_sandbox.sound.space.limiter import BETWEEN, CEILING, DELAY, LIMITER, PHASES, RELEASE, TARGET, limit

COUNT = 24000  # samples of a signal


def limited(samples):
    """The limiter's output [n, 2], of the same length."""
    state, out = np.zeros(1, LIMITER), np.zeros((COUNT, 2))
    for k in range(0, COUNT, BLOCK):
        limit(out[k : k + BLOCK], samples[k : k + BLOCK], state[0])
    return out


def test_after_a_peak_the_gain_returns_to_exactly_one():
    """Within 2.4 s, and the state holds exact zeros then."""
    state, out = np.zeros(1, LIMITER), np.zeros((BLOCK, 2))
    limit(out, np.full((BLOCK, 2), 3.0), state[0])
    for _ in range(round(30.0 * RELEASE * SAMPLE_RATE / BLOCK)):
        limit(out, np.full((BLOCK, 2), 0.3), state[0])
    assert (out == 0.3).all()
    assert state["released"][0] == state["sum"][0] == 0.0


def true_peak(samples):
    """Largest magnitude with 4-fold oversampling by the Fourier transform, away from the ends, which it joins."""
    fine = 4.0 * np.fft.irfft(np.fft.rfft(samples, axis=0), 4 * COUNT, axis=0)
    return np.abs(fine[2000:-2000]).max()


def noise(highest):
    """Noise up to a frequency, Hz, whose peak is 1."""
    spectrum = np.fft.rfft(np.random.default_rng(3).standard_normal((COUNT, 2)), axis=0)
    spectrum[int(highest * COUNT / SAMPLE_RATE) :] = 0.0
    samples = np.fft.irfft(spectrum, COUNT, axis=0)
    return samples / np.abs(samples).max()


def hits():
    """Impacts: ten decaying bursts of five tones for the left ear, half as loud and later for the right one."""
    n = np.arange(COUNT)
    tones = [430.0, 1700.0, 5100.0, 9300.0, 15100.0]
    burst = sum(np.exp(-(n % 2400) / (4000.0 / k)) * np.sin(2.0 * np.pi * f / SAMPLE_RATE * (n % 2400) + k)
                for k, f in enumerate(tones, 1))  # fmt: skip
    both = np.stack([burst, np.roll(0.5 * burst, 700)], axis=1)
    return both / np.abs(both).max()


def edges():
    """A square wave, whose interpolation overshoots."""
    wave = np.sign(np.sin(2.0 * np.pi * 100.3 / SAMPLE_RATE * np.arange(COUNT)))
    return np.stack([wave, -wave], axis=1)


@pytest.mark.parametrize("overload", [1.5, 20.0])
@pytest.mark.parametrize("signal", [hits, edges, lambda: noise(20000.0), lambda: noise(2000.0)])
def test_neither_samples_nor_the_curve_through_them_exceed_the_ceiling(signal, overload):
    out = limited(overload * signal())
    assert np.abs(out).max() <= TARGET < CEILING
    assert true_peak(out) <= CEILING
    assert np.abs(out).max() > 0.7  # and are not much quieter


def test_a_tone_whose_samples_miss_its_peaks_is_limited():
    """12 kHz sampled at 45 degrees: the samples are 3 dB below the curve."""
    n = np.arange(COUNT)
    tone = 1.2 * np.sin(0.5 * np.pi * n + 0.25 * np.pi)
    assert np.abs(tone).max() < TARGET
    out = limited(np.stack([tone, tone], axis=1))
    assert true_peak(out) <= CEILING
    assert np.abs(out[4000:]).max() == pytest.approx(TARGET * np.sqrt(0.5), rel=0.01)


def test_quiet_sounds_pass_unchanged():
    samples = 0.5 * noise(12000.0)
    out = limited(samples)
    assert np.array_equal(out[DELAY:], samples[:-DELAY])


def test_the_gain_is_the_same_for_both_ears_and_recovers():
    n = np.arange(COUNT)
    samples = np.stack([0.1 * np.sin(0.05 * n), 0.05 * np.sin(0.05 * n)], axis=1)
    samples[2000:2100, 0] += 10.0
    out = limited(samples)
    delayed = np.roll(samples, DELAY, axis=0)
    loud = np.abs(delayed[:, 1]) > 0.01
    gain = out[loud] / delayed[loud]
    assert gain[:, 0] == pytest.approx(gain[:, 1])
    assert gain.min() < 0.1
    # the gain after the release time
    later = gain[n[loud] == n[loud][np.argmax(n[loud] > 2100 + DELAY + RELEASE * SAMPLE_RATE)]][0, 0]
    assert later == pytest.approx(1.0 - (1.0 - gain.min()) / np.e, abs=0.03)
    assert gain[-1, 0] > 0.98


def test_interpolation_between_samples_is_accurate_up_to_15_khz():
    half = len(BETWEEN[0]) // 2
    for phase, coefficients in zip(PHASES, BETWEEN, strict=True):
        for hertz in (100.0, 5000.0, 15000.0):
            w = 2.0 * np.pi * hertz / SAMPLE_RATE
            samples = np.cos(w * (np.arange(1 - half, half + 1) - phase))  # whose peak lies at `phase`
            assert np.dot(coefficients, samples) == pytest.approx(1.0, abs=0.03)
