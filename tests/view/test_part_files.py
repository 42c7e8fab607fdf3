"""Nodes with meshes from separate files: drawn size, placeholder, other nodes unchanged."""

import logging

import numpy as np
import pytest
from view_rig import SceneWithoutWindow

from driving_sandbox.assets.build.glb import Material, Node, Primitive, write_glb
from driving_sandbox.assets.build.mesh import primitives
from driving_sandbox.assets.build.parts import box
from driving_sandbox.game.view.gl.geometry import read_column
from driving_sandbox.game.view.vehicle.model import PLACEHOLDER, load_model
from driving_sandbox.game.view.vehicle.vehicle import VehicleView
from driving_sandbox.physics.shape.geometry import load_geometry

MATERIALS = [Material("paint", (0.5, 0.1, 0.1)), Material("glass", (0.1, 0.1, 0.1))]
SIZE = np.array([0.2, 0.6, 0.4])  # m, of the mesh in the file


def write_car(folder, wheel="wheel1", **extras):
    """A body and one wheel whose node has this name and these properties."""
    body = primitives(box((0.0, 0.0, 0.6), (1.6, 4.0, 0.6), 0.05, "paint"))
    shell = box((0.0, 0.0, 0.6), (1.5, 3.8, 0.5), 0.0)
    children = [Node("hull1", primitives=body), Node("hullproxy1", primitives=[Primitive(shell.v, shell.t)]),
                Node(wheel, (0.7, 1.2, 0.3), extras=extras)]  # fmt: skip
    write_glb(folder / "car.glb", [Node("car", children=children)], MATERIALS)
    return folder / "car.glb"


@pytest.fixture
def folder(tmp_path):
    """A folder with a model file of a rim and a pane."""
    part = Node("rim", (0.0, 0.1, 0.0), primitives=primitives(box((0, 0, 0), tuple(SIZE), 0.0, "paint")))
    pane = Node("pane", primitives=primitives(box((0, 0, 0), (0.1, 0.1, 0.1), 0.0, "glass")))
    write_glb(tmp_path / "wheel.glb", [Node("root", children=[part, pane])], MATERIALS)
    return tmp_path


def extent(path, mesh="opaque"):
    """(minimum, maximum) corner, m, of the wheel's opaque or glass mesh in its node's frame."""
    node = getattr(load_model(path).parts["wheel1"], mesh)
    points = read_column(node.getGeom(0).getVertexData(), "vertex").astype(float)
    return points.min(axis=0), points.max(axis=0)


@pytest.mark.covers("RC-VIS-01")
def test_scale_two_doubles_the_drawn_size_only(folder):
    path = write_car(folder, model="wheel.glb")
    unscaled = {mesh: np.array(extent(path, mesh)) for mesh in ("opaque", "glass")}
    unscaled_geometry = load_geometry(path)
    low, high = unscaled["opaque"]
    assert high - low == pytest.approx(SIZE, abs=1e-4)
    assert (low + high) / 2 == pytest.approx([0.0, 0.1, 0.0], abs=1e-4)
    path = write_car(folder, model="wheel.glb", scale=2.0)
    for mesh, corners in unscaled.items():
        assert np.array(extent(path, mesh)) == pytest.approx(2.0 * corners, abs=1e-4)
    physical = load_geometry(path)
    assert np.array_equal(physical.nodes["wheel1"], unscaled_geometry.nodes["wheel1"])
    assert np.array_equal(physical.hulls[0].proxy.vertices, unscaled_geometry.hulls[0].proxy.vertices)
    uneven = extent(write_car(folder, model="wheel.glb", scale=[1.0, 0.5, 3.0]))
    assert uneven[1] - uneven[0] == pytest.approx(SIZE * [1.0, 0.5, 3.0], abs=1e-4)


@pytest.mark.covers("RC-VIS-01")
def test_a_missing_file_is_drawn_as_a_box_and_logged(folder, caplog):
    path = write_car(folder, model="parts/none.glb", scale=2.0)
    with caplog.at_level(logging.WARNING):
        low, high = extent(path)
    assert high - low == pytest.approx([2.0 * PLACEHOLDER] * 3)
    assert str(folder / "parts" / "none.glb") in caplog.text and "wheel1" in caplog.text
    view = VehicleView(SceneWithoutWindow(), path)
    assert view.wheels[0].node().getNumGeoms() == 1


@pytest.mark.parametrize("scale", [0.0, -1.0, "wide", [1.0, 2.0]])
def test_a_wrong_scale_is_named(folder, scale):
    with pytest.raises(ValueError, match="wheel1: scale .*: must be a number above 0, or three"):
        load_model(write_car(folder, model="wheel.glb", scale=scale))


@pytest.mark.parametrize("name", ["wheel1", "wheel_1"])
def test_a_wheel_with_an_underscore_is_the_same_wheel(folder, name):
    model = load_model(write_car(folder, name, model="wheel.glb"))
    assert sorted(part for part in model.parts if part.startswith("wheel")) == ["wheel1"]
    assert model.node_position("wheel1") == pytest.approx([0.7, 1.2, 0.3])
