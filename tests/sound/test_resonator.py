"""The two-pole resonator of impacts, tracks and engine blocks."""

import numpy as np
import pytest

from driving_sandbox.sound.base.block import SAMPLE_RATE
from driving_sandbox.sound.base.filters import HIGHEST
from driving_sandbox.sound.base.resonator import held, resonated, tune_mode


def struck(frequency, decay, level=1.0, count=9600):
    """Samples of one mode after a blow."""
    coefficients, memory = np.zeros((3, 1)), np.zeros((2, 1))
    tune_mode(coefficients, 0, frequency, decay, level)
    return np.array([resonated(coefficients, memory, 0, 1.0 if i == 0 else 0.0) for i in range(count)]), memory


@pytest.mark.parametrize(("frequency", "decay"), [(180.0, 14.0), (1200.0, 60.0), (5000.0, 45.0)])
def test_a_mode_rings_at_its_frequency_and_fades_at_its_decay(frequency, decay):
    y, _ = struck(frequency, decay, 0.7)
    t = (np.arange(len(y)) + 1.0) / SAMPLE_RATE
    expected = 0.7 * np.exp(-decay * (t - t[0])) * np.sin(2.0 * np.pi * frequency * t)
    assert y == pytest.approx(expected, abs=1e-9)


def test_a_mode_above_the_highest_frequency_is_silent_and_the_memory_of_a_mode_fades():
    assert np.abs(struck(HIGHEST + 1.0, 10.0)[0]).max() < 1e-12
    y, memory = struck(300.0, 100.0)
    assert held(memory) == pytest.approx(abs(y[-1]) + abs(y[-2]))
    assert held(memory) < 1e-8
