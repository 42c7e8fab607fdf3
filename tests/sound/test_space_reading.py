"""Reading of delay lines: equal to a plain interpolation of each sample, wherever in the line and at whatever speed."""

import numpy as np
import pytest

from driving_sandbox.sound.base.block import BLOCK, BUS_COUNT
from driving_sandbox.sound.space import ears
from driving_sandbox.sound.space.travel import LINE


@pytest.fixture(scope="module")
def space():
    """A SPACE whose lines were filled beyond their ends, block by block."""
    space, random = np.zeros(1, ears.SPACE), np.random.default_rng(5)
    for block in range(LINE // BLOCK + 30):
        space["history"]["count"] = block
        ears._write(space[0], random.uniform(-1.0, 1.0, (BUS_COUNT, BLOCK)))
    return space


def hermite(line, at):
    """Catmull-Rom interpolation at an index modulo LINE."""
    k = int(np.floor(at))
    f = at - k
    a, b, c, d = (line[(k + i) % LINE] for i in (-1, 0, 1, 2))
    return b + 0.5 * f * (c - a + f * (2.0 * a - 5.0 * b + 4.0 * c - d + f * (3.0 * (b - c) + d - a)))


@pytest.mark.parametrize("step", [1.0, 1.0 + 1e-9, 0.999, 1.02, 0.73, 1.5])
@pytest.mark.parametrize("start", [LINE + 0.25, 2.0 * LINE - 43.9, 2.0 * LINE - 20.5, 2.0 * LINE - 1.1, LINE + 900.0])
def test_a_block_is_read_as_sample_by_sample(space, start, step):
    line, read = space["line"][0, 2], np.zeros(BLOCK)
    ears._read(read, line, start, step)
    plain = [hermite(line, start + i * step) for i in range(BLOCK)]
    assert read == pytest.approx(plain, abs=1e-9)
    assert np.abs(read).max() > 0.5


def test_the_samples_behind_the_lines_end_repeat_its_start(space):
    lines = space["line"][0]
    assert np.abs(lines).min(axis=1).max() > 0.0
    assert np.array_equal(lines[:, LINE:], lines[:, : lines.shape[1] - LINE])
