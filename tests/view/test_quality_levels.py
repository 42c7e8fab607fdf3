"""Quality levels: each gives a different image, and they can be changed while driving."""

import numpy as np
import pytest
from panda3d.core import LVecBase4f, NodePath, ShaderAttrib
from view_rig import ROADSTER, grab, grass_world, standing_frame

from driving_sandbox.game.platform.window import NoDisplay, WindowSettings, open_window
from driving_sandbox.game.view.cameras.camera import apply_view
from driving_sandbox.game.view.cameras.view import View
from driving_sandbox.game.view.gl.shading import program, recipe
from driving_sandbox.game.view.light.restyle import restyle
from driving_sandbox.game.view.scene import Scene

pytestmark = pytest.mark.drawn
EYE, TARGET = np.array([-4.2, 5.0, 1.2]), np.array([0.0, 0.0, 0.6])  # m: the camera, and the point it looks at


@pytest.fixture(scope="module")
def base():
    """A small offscreen window; tests are skipped where none can be opened."""
    try:
        opened = open_window(WindowSettings(offscreen=True, size=(128, 72)))
    except NoDisplay as error:
        pytest.skip(str(error))
    yield opened
    opened.destroy()


def draw(base, scene):
    """The image of the scene, its vehicles at rest at the origin."""
    for vehicle in scene.vehicles:
        vehicle.update(standing_frame(vehicle))
    apply_view(base, View(EYE, TARGET, fov=0.7))
    for _ in range(3):  # maps are updated in turns
        scene.update(EYE)
        base.taskMgr.step()
    return grab(base)


def defines_of(path):
    """Defines of the shader of a node."""
    _, _, defines, *_ = recipe(path.getShader())
    return defines


def resource_counts(base, scene):
    """Counts of nodes, buffers, display regions, and of textures and vertex buffers on the graphics card."""
    prepared = base.win.getGsg().getPreparedObjects()
    return (
        len(scene.root.findAllMatches("**;+h+s")), base.graphicsEngine.getNumWindows(), base.win.getNumDisplayRegions(),
        prepared.getNumPreparedTextures(), prepared.getNumPreparedVertexBuffers(),
    )  # fmt: skip


def test_changing_the_level_while_driving_equals_starting_with_it_and_leaks_nothing(base):
    scene = Scene(base, grass_world(), "low")
    try:
        scene.add_vehicle(ROADSTER, (0.5, 0.02, 0.02))
        low = draw(base, scene)
        scene.set_quality("medium")
        changed = draw(base, scene)
        assert scene.quality == "medium"
        rounds = [{}, {}, {}, {}]  # of each round through the levels: {level: resource counts}
        for counts_of in rounds:
            for level in ("high", "low", "medium"):
                scene.set_quality(level)
                for _ in range(2):  # buffers of the last frames are released meanwhile
                    image = draw(base, scene)
                counts_of[level] = resource_counts(base, scene)
                assert level != "low" or np.abs(image - low).mean() < 0.004
        for level, counts in rounds[1].items():  # the first round fills caches; a leak adds two or more
            assert all(now <= then + 1 for now, then in zip(rounds[3][level], counts, strict=True)), (level, rounds)
        terrains = []
        for level in ("high", "ultra", "low"):  # the terrain is rebuilt only for other triangles
            scene.set_quality(level)
            terrains.append(scene.terrain)
        assert terrains[0] is terrains[1] is not terrains[2]
    finally:
        scene.close()
    other = Scene(base, grass_world(), "medium")
    try:
        other.add_vehicle(ROADSTER, (0.5, 0.02, 0.02))
        medium = draw(base, other)
    finally:
        other.close()
    same, another = np.abs(changed - medium).mean(), np.abs(changed - low).mean()
    assert same < 0.01 and same < 0.5 * another, (same, another)


@pytest.mark.nightly
def test_every_level_gives_a_different_image(base):
    scene, images = Scene(base, grass_world(), "low"), {}
    try:
        scene.add_vehicle(ROADSTER, (0.5, 0.02, 0.02))
        for level in ("low", "medium", "high", "ultra"):
            scene.set_quality(level)
            images[level] = draw(base, scene)
    finally:
        scene.close()
    names = list(images)
    for k, name in enumerate(names):
        for other in names[k + 1 :]:
            assert np.abs(images[name] - images[other]).mean() > 0.002, (name, other)


def test_with_anisotropic_filtering_the_ground_shader_does_not_sharpen(base):
    """Anisotropic filtering keeps the ground sharp along the view; with shrunk derivatives it would shimmer.

    The shader then leaves the derivatives as they are, so that the image is smoother here.
    """
    scene, roughness = Scene(base, grass_world(), "medium"), {}
    try:
        for name, anisotropic in (("shrunk", False), ("not shrunk", True), ("shrunk again", False)):
            scene._anisotropic = anisotropic  # only in the shader: filtering would take software rendering minutes
            scene._apply_ground_level()
            scene.grass.hide()
            roughness[name] = np.abs(np.diff(draw(base, scene).astype(float), axis=0)).mean()
    finally:
        scene.close()
    assert roughness["shrunk"] == roughness["shrunk again"]
    assert roughness["not shrunk"] < 0.98 * roughness["shrunk"], roughness


def test_shaders_are_recompiled_only_if_they_use_the_changed_switches(base):
    root = NodePath("root")
    mesh_node, hidden, stashed, other = (
        root.attachNewNode(name) for name in ("mesh_node", "hidden", "stashed", "other")
    )
    mesh_node.setShader(program("mesh", "mesh", "LOW", "BEAMS 1"), 7)
    mesh_node.setShaderInput("exposure", LVecBase4f(2.0, 0.0, 0.0, 0.0))
    for path in (hidden, stashed):
        path.setShader(program("sky", "sky", "LOW"))
    hidden.hide()
    stashed.attachNewNode("below").setShader(program("sky", "sky", "LOW"))
    stashed.stash()
    other.setShader(program("card", "smooth", include=()))
    assert restyle(root, {"LOW": "HIGH", "BEAMS 1": "BEAMS 4"}) == 4  # programs changed
    assert defines_of(mesh_node) == ("HIGH", "BEAMS 4")
    for path in (hidden, stashed, stashed.getChild(0)):
        assert defines_of(path) == ("HIGH",)
    assert defines_of(other) == ()
    exposure = mesh_node.getShaderInput("exposure")  # it owns the vector
    assert exposure.getVector()[0] == 2.0
    assert mesh_node.node().getAttrib(ShaderAttrib).getShaderPriority() == 7
