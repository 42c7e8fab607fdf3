"""Cosine and sine by series compared with the library's, over all angles of wheels and bodies."""

import math

import numpy as np
import pytest

from driving_sandbox.physics.body.rigid_body import small_rotation
from driving_sandbox.physics.maths.quat import from_rotation_vector
from driving_sandbox.physics.wheel.wheel import EIGHTH_TURN, cos_sin, cos_sin_half_turn

EPSILON = 2.0**-52


@pytest.mark.parametrize(
    "angle", [0.0, 1e-300, 1e-9, 0.3, 0.7853, EIGHTH_TURN, math.nextafter(EIGHTH_TURN, 1.0), 1.2, 40.0]
)
def test_cosine_and_sine_are_within_rounding_on_both_sides_of_their_limit(angle):
    """Series are used up to an eighth of a turn."""
    for signed in (angle, -angle):
        c, s = cos_sin(signed)
        assert abs(c - math.cos(signed)) <= EPSILON
        assert abs(s - math.sin(signed)) <= EPSILON * abs(math.sin(signed))


def test_cosine_and_sine_are_within_rounding_everywhere():
    for angle in np.linspace(-math.pi, math.pi, 2001).tolist():
        for function, bound in ((cos_sin, EPSILON), (cos_sin_half_turn, 4.0 * EPSILON)):
            c, s = function(angle)
            assert abs(c - math.cos(angle)) <= bound and abs(s - math.sin(angle)) <= bound
    assert cos_sin(0.0) == (1.0, 0.0)
    assert math.isnan(cos_sin(math.nan)[0])


def test_a_small_rotation_equals_the_exact_one():
    """The two are equal within 4 units of rounding, for rotations of up to 5 rad."""
    rng = np.random.default_rng(3)
    for size in (0.0, 1e-13, 1e-6, 0.01, 0.5, 1.57, 1.58, 5.0):
        v = rng.normal(size=3)
        v = tuple((v / np.linalg.norm(v) * size).tolist())
        assert np.allclose(small_rotation(v), from_rotation_vector(v), rtol=0.0, atol=4.0 * EPSILON)
