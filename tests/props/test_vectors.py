"""Functions of vectors as tuples, compared with numpy."""

import numpy as np
import pytest
from prop_rig import rotation

from driving_sandbox.physics.props.vectors import axes_of, cross, dot, into_body, into_world, length, reach_along

RANDOM = np.random.default_rng(12)
VECTORS = RANDOM.normal(size=(20, 3)).tolist()
QUATERNIONS = [tuple((q / np.linalg.norm(q)).tolist()) for q in RANDOM.normal(size=(10, 4))]
PAIRS = list(zip(VECTORS[:10], VECTORS[10:], strict=True))
ROTATIONS = list(zip(QUATERNIONS, VECTORS[:10], strict=True))


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_products_and_length_are_those_of_numpy(a, b):
    assert dot(a, b) == pytest.approx(np.dot(a, b))
    assert cross(a, b) == pytest.approx(np.cross(a, b))
    assert length(a) == pytest.approx(np.linalg.norm(a))


@pytest.mark.parametrize(("q", "v"), ROTATIONS)
def test_axes_rotate_vectors_into_the_world_and_back(q, v):
    assert np.transpose(axes_of(q)) == pytest.approx(rotation(q))
    assert into_world(axes_of(q), v) == pytest.approx(rotation(q) @ v)
    assert into_body(axes_of(q), v) == pytest.approx(rotation(q).T @ v)


@pytest.mark.parametrize(("q", "axis"), ROTATIONS)
def test_the_reach_of_a_box_is_that_of_its_farthest_corner(q, axis):
    half = (0.3, 1.1, 2.4)
    corners = [(x, y, z) for x in (-0.3, 0.3) for y in (-1.1, 1.1) for z in (-2.4, 2.4)]
    farthest = max(np.dot(axis, rotation(q) @ corner) for corner in corners)
    assert reach_along(axis, axes_of(q), half) == pytest.approx(farthest)
