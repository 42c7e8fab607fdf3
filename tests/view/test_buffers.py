"""Geometry rewritten every frame reuses its vertex buffers."""

import numpy as np
import pytest
from view_rig import grass_world

from driving_sandbox.game.view.cameras.camera import apply_view
from driving_sandbox.game.view.cameras.view import View
from driving_sandbox.game.view.debug.lines import Lines
from driving_sandbox.game.view.particles.effects import SMOKE_PARTICLE
from driving_sandbox.game.view.particles.marks import Marks
from driving_sandbox.game.view.particles.particles import Particles
from driving_sandbox.game.view.scene import Scene

pytestmark = pytest.mark.drawn
WINDOW_SIZE = (64, 36)
EYE = np.array([0.0, -6.0, 2.0])
FRAMES = 25  # drawn before the buffers are counted, and again until they are compared


@pytest.fixture(scope="module")
def scene(base):
    """A meadow seen by a fixed camera."""
    new_scene = Scene(base, grass_world(), "low")
    apply_view(base, View(EYE, np.array([0.0, 0.0, 0.5]), 0.8, None))
    yield new_scene
    new_scene.close()


def lines(scene):
    """A function that shows lines in frame k, their number changing from frame to frame."""
    drawn = Lines(scene, WINDOW_SIZE)
    return lambda k: drawn.show(np.ones((50 + k % 5, 2, 3), np.float32), np.ones((50 + k % 5, 4), np.float32))


def particles(scene):
    """A function that adds and shows a particle of frame k."""
    drawn = Particles("low", 256)
    drawn.root.reparentTo(scene.root)

    def frame(k):
        drawn.add(k / 60, SMOKE_PARTICLE, (0, 0, 1), (0, 0, 1), 0, (1, 1, 1))
        drawn.set_time(k / 60)
        drawn.pool.flush(k / 60)

    return frame


def marks(scene):
    """A function that lays a piece of a mark in frame k."""
    drawn = Marks("low", 256)
    drawn.root.reparentTo(scene.root)

    def frame(k):
        drawn.lay((0, 0), (0.0, 0.3 * k, 0.0), (0, 0, 1), (1, 0, 0), 0.1, (0.5, 0.5, 0.5), 1.0)
        drawn.pool.flush(k / 60)

    return frame


@pytest.mark.parametrize("make", [lines, particles, marks])
def test_frames_leak_no_vertex_buffers(base, scene, make):
    prepared, frame, counts = base.win.getGsg().getPreparedObjects(), make(scene), []
    for k in range(2 * FRAMES):
        frame(k)
        scene.update(EYE)
        base.graphicsEngine.renderFrame()
        counts.append(prepared.getNumPreparedVertexBuffers())
    assert counts[-1] <= counts[FRAMES]
    assert counts[-1] > 0
