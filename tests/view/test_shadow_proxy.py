"""Shadow proxy of a vehicle in the static shadow map: one mesh with the extent of the drawn parts."""

import numpy as np
import pytest
import trimesh
from draw_calls import draw_calls
from panda3d.core import Camera, NodePath, OrthographicLens
from view_rig import SceneWithoutWindow, standing_frame

from driving_sandbox.assets.build.vehicles import MODELS
from driving_sandbox.game.view.gl.geometry import read_column
from driving_sandbox.game.view.light.mirrors import FLANK_MASK, MIRROR_MASK
from driving_sandbox.game.view.light.shadow import STATIC_MASK, VEHICLE_MASK
from driving_sandbox.game.view.vehicle.shadow_proxy import CAMERA_MASK
from driving_sandbox.game.view.vehicle.simplified_mesh import CELL
from driving_sandbox.game.view.vehicle.vehicle import VehicleView


def calls(view, mask):
    """Number of draw calls of a camera with this mask above the vehicle."""
    lens = OrthographicLens()
    lens.setFilmSize(60.0, 60.0)
    lens.setNearFar(0.0, 100.0)
    camera = NodePath(Camera("down", lens))
    camera.node().setCameraMask(mask)
    camera.reparentTo(view.root.getTop())
    camera.setPos(0.0, 0.0, 50.0)
    camera.setP(-90.0)
    count = draw_calls(camera, view.root)
    camera.removeNode()
    return count


def points(view):
    """[n, 3] world positions, m, of the proxy's vertices."""
    path = view.root.find("shadow")
    matrix = np.array([tuple(path.getMat(view.root).getRow(i)) for i in range(4)])
    local = read_column(path.node().getGeom(0).getVertexData(), "vertex")
    return local @ matrix[:3, :3] + matrix[3, :3]


@pytest.mark.parametrize("quality", ["low", "high"])
@pytest.mark.parametrize("name", ["roadster", "hatchback", "truck"])
def test_the_proxy_is_one_mesh_at_the_drawn_pose(name, quality):
    view = VehicleView(SceneWithoutWindow(quality), MODELS / f"{name}.glb")
    for position in ((0.0, 0.0, 0.0), (4.0, -3.0, 0.5)):
        view.update(standing_frame(view, position))
        vertices = points(view)
        parts = [*view.hulls.values(), *view.wheels]
        drawn = np.array([path.getTightBounds(view.root) for path in parts])
        assert vertices.min(axis=0) == pytest.approx(drawn[:, 0].min(axis=0), abs=CELL)
        assert vertices.max(axis=0) == pytest.approx(drawn[:, 1].max(axis=0), abs=CELL)
    assert calls(view, STATIC_MASK) == 1


def test_other_cameras_do_not_draw_the_proxy():
    view = VehicleView(SceneWithoutWindow(), MODELS / "roadster.glb")
    view.update(standing_frame(view))
    masks = (CAMERA_MASK, VEHICLE_MASK, MIRROR_MASK, FLANK_MASK)
    before = [calls(view, mask) for mask in masks]
    assert before[1] > 5, "the watched vehicle casts with all parts"  # VEHICLE_MASK: its own shadow map
    view.root.find("shadow").detachNode()
    assert [calls(view, mask) for mask in masks] == before
    assert calls(view, STATIC_MASK) == 0


def test_hidden_parts_cast_no_shadow(tmp_path):
    scene, path = trimesh.Scene(), tmp_path / "two.glb"
    for k, name in enumerate(("hull1", "hull_2")):  # hull_2 is another spelling of hull2
        scene.add_geometry(trimesh.creation.box((1, 1, 1)).apply_translation((3.0 * k, 0.0, 0.0)), node_name=name)
    path.write_bytes(scene.export(file_type="glb"))
    view = VehicleView(SceneWithoutWindow(), path)
    assert points(view)[:, 0].max() == pytest.approx(3.5, abs=CELL)
    view.draw_parts(["hull1"])
    assert points(view)[:, 0].max() == pytest.approx(0.5, abs=CELL)
    view.draw_parts(["hull1", "hull2"])
    assert points(view)[:, 0].max() == pytest.approx(3.5, abs=CELL)
