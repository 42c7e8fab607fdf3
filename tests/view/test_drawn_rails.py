"""Drawn guard rails: beam and posts near the camera, a plain strip far from it, in few nodes."""

import numpy as np
import pytest
from panda3d.core import BitMask32, LODNode

from driving_sandbox.game.view.gl.geometry import read_column
from driving_sandbox.game.view.ground.rails import NEAR, POST_TOP, PROFILE, STRIP, rails, read_rails
from driving_sandbox.game.view.light.shadow import STATIC_MASK
from driving_sandbox.physics.world.world_file import load_world

# rows of read_rails: x, y, height of the ground, depth by which the beam is lowered, m; the road is at x < 0
STRAIGHT = np.array([[0.0, y, 5.0, 0.0] for y in np.arange(0.0, 241.0, 4.0)])
MAIN_MASK = BitMask32.bit(0)  # of the main camera


def points(path):
    """Vertices of all nodes of a path."""
    return np.concatenate(
        [
            read_column(geom.getVertexData(), "vertex")
            for child in (path, *path.findAllMatches("**/+GeomNode"))
            if hasattr(child.node(), "getGeoms")
            for geom in child.node().getGeoms()
        ]
    )


def drawn_by(path, mask):
    """Whether cameras with this mask draw a node."""
    node = path.node()
    return not (node.getDrawShowMask() & mask).isZero()


def test_a_beam_is_mounted_on_posts_along_the_road():
    near, far, casting = rails([STRAIGHT])
    corners = points(near)
    # m: from the face of the beam to the back of the posts
    assert corners[:, 0].min() == pytest.approx(0.0, abs=1e-6) and 0.15 < corners[:, 0].max() < 0.3
    assert corners[:, 2].max() == pytest.approx(5.0 + PROFILE[:, 1].max(), abs=1e-5)
    assert corners[:, 2].min() < 5.0 < 5.0 + POST_TOP < corners[:, 2].max()
    assert np.ptp(corners[:, 1]) == pytest.approx(240.0, abs=0.2)
    normals = read_column(near.find("**/+GeomNode").node().getGeom(0).getVertexData(), "normal")
    assert np.linalg.norm(normals, axis=1) == pytest.approx(np.ones(len(normals)), abs=1e-5)
    assert (normals[: len(PROFILE), 0] <= 1e-6).all()  # the beam faces the road
    assert abs(points(far)[:, 2] - 5.0 - PROFILE[:, 1].mean()).max() < 1e-5
    assert len(points(casting)) == len(corners)


def test_levels_of_detail_switch_by_distance_and_only_one_casts_shadows():
    near, far, casting = rails([STRAIGHT])
    nodes = [each.node() for each in near.findAllMatches("**/+LODNode")]
    assert len(nodes) == 2 and all(isinstance(each, LODNode) for each in nodes)  # the rail is in two squares
    for each in nodes:
        corners = points(near.find(f"**/{each.getName()}"))
        assert each.getIn(0) >= NEAR + np.linalg.norm(corners - np.array(each.getCenter()), axis=1).max() - 1.0
    assert STRIP[1] <= NEAR  # no gap between the two forms
    assert far.node().getNumGeoms() == 1
    for path in (near, far):
        assert drawn_by(path, MAIN_MASK) and not drawn_by(path, STATIC_MASK)
    assert drawn_by(casting, STATIC_MASK) and not drawn_by(casting, MAIN_MASK)


def test_a_terminal_ends_below_the_ground_without_a_strip():
    rail = STRAIGHT[:20].copy()
    rail[0, 3], rail[1, 3] = 0.95, 0.45  # m, the beam is lowered
    near, far, _ = rails([rail])
    first = points(near)[: len(PROFILE)]
    assert first[:, 2].max() < 5.0
    # half height of the strip at each vertex, two for each row of the rail; 0: no strip
    halves = read_column(far.node().getGeom(0).getVertexData(), "texcoord")[:, 0]
    assert (halves[:4] == 0.0).all() and (np.abs(halves[4:]) > 0.1).all()


@pytest.mark.parametrize("name", ["proving_ground", "mountain_road"])
def test_rails_of_the_worlds_are_even_and_end_in_the_ground(name):
    world_file = load_world(name)
    for rail in read_rails(world_file.rails_path):
        steps = np.linalg.norm(np.diff(rail[:, :2], axis=0), axis=1)
        assert steps.min() > 0.2 and steps.max() < 6.5
        assert max(rail[0, 3], rail[-1, 3]) > 0.9 and (rail[2:-2, 3] >= 0.0).all()
