"""White noise that is made many numbers at a time."""

import numpy as np
import pytest

from driving_sandbox.sound.base.noise import fill_white, hashed, seed

COUNT = 1 << 16  # random numbers


def noise(number, pieces=1):
    """COUNT numbers of a generator, made in a number of pieces."""
    counter, parts = np.uint64(hashed(seed(number))), np.zeros((pieces, COUNT // pieces))
    for part in parts:
        counter = np.uint64(fill_white(counter, part))
    return parts.ravel()


def test_noise_is_uniform_and_white():
    x = noise(0)
    assert abs(x).max() <= 1.0
    assert np.histogram(x, 16, (-1.0, 1.0))[0] == pytest.approx(COUNT / 16, abs=5.0 * np.sqrt(COUNT / 16))
    power = np.square(np.abs(np.fft.rfft(x)[1:])).reshape(16, -1).sum(axis=1)
    assert power / power.mean() == pytest.approx(1.0, abs=5.0 / np.sqrt(COUNT / 32))


@pytest.mark.parametrize("lag", [0, 1, 2, 3, 32, 64, 128])
def test_generators_and_the_halves_of_a_piece_are_independent(lag):
    """Also against a shift: counters of neighbours must not be parts of one sequence."""
    bound = 5.0 / np.sqrt(COUNT)
    x, y, pieces = noise(3), noise(4), noise(3, COUNT // 128)
    assert abs(np.corrcoef(x[lag:], y[: COUNT - lag])[0, 1]) < bound
    if lag:
        assert abs(np.corrcoef(x[lag:], x[:-lag])[0, 1]) < bound
        assert abs(np.corrcoef(pieces[lag:], pieces[:-lag])[0, 1]) < bound
