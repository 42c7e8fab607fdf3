"""Drawn hull parts follow the vehicle's part flags."""

import numpy as np
import pytest
import trimesh
from view_rig import SceneWithoutWindow

from driving_sandbox.game.view.vehicle.vehicle import VehicleView, hull_number
from driving_sandbox.physics.shape.geometry import PartSettings, load_geometry

TO_GLTF = np.array([[1.0, 0, 0, 0], [0, 0, 1.0, 0], [0, -1.0, 0, 0], [0, 0, 0, 1.0]])  # from z up to y up


@pytest.fixture
def model(tmp_path):
    """Path of a .glb with three hulls and a mirror."""
    scene = trimesh.Scene()
    for k, name in enumerate(("hull1", "hull_2", "hull3", "mirror")):
        scene.add_geometry(trimesh.creation.box((1, 1, 1)).apply_translation((3.0 * k, 0, 0)).apply_transform(TO_GLTF),
                           node_name=name, geom_name=name)  # fmt: skip
    path = tmp_path / "three.glb"
    path.write_bytes(scene.export(file_type="glb"))
    return path


def shown(view):
    """Names of the hull parts that are drawn."""
    return sorted(name for name, path in view.hulls.items() if not path.isHidden())


@pytest.mark.covers("CE-HULL-03")
def test_flags_choose_drawn_and_physical_parts(model):
    view, geometry = VehicleView(SceneWithoutWindow(), model), load_geometry(model)
    assert shown(view) == ["hull1", "hull2", "hull3"]
    flags = PartSettings(flags=(0, 1, 2))  # only collides, both, is only drawn
    view.draw_parts(geometry.drawn_names(flags))
    assert shown(view) == ["hull2", "hull3"]
    assert list(geometry.colliding(flags)) == ["hull1", "hull2"]
    assert not view.body.find("**/mirror").isHidden()
    view.draw_parts(geometry.drawn_names(PartSettings()))
    assert shown(view) == ["hull1", "hull2", "hull3"]


def test_part_numbers_are_read_from_names_of_nodes():
    names = ("hull1", "hull_12", "hullproxy1", "hull0", "Hull1", "wheel1")
    assert [hull_number(name) for name in names] == [1, 12, 0, 0, 0, 0]
