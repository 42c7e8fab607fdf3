"""Coarse parts: far fewer triangles, nearly the same bounds, the same materials."""

import numpy as np
import pytest
from view_rig import SceneWithoutWindow, standing_frame

from driving_sandbox.assets.build.lettering import lettering
from driving_sandbox.assets.build.vehicles import MODELS
from driving_sandbox.game.view.gl.geometry import mesh, read_column, read_triangles
from driving_sandbox.game.view.light.shadow import STATIC_MASK, VEHICLE_MASK
from driving_sandbox.game.view.vehicle.detail import CAMERA_MASK, MIDDLE_CELL, MIDDLE_KEPT
from driving_sandbox.game.view.vehicle.model import MATERIALS
from driving_sandbox.game.view.vehicle.simplified_mesh import CELL, clustered, is_stroke, simplified_geom
from driving_sandbox.game.view.vehicle.vehicle import FAR, HYSTERESIS, NEAR, VehicleView


def triangles(node):
    """Number of triangles of a node."""
    geom = node.getGeom(0)
    return sum(geom.getPrimitive(k).getNumFaces() for k in range(geom.getNumPrimitives()))


@pytest.mark.parametrize("name", ["coupe", "offroader", "truck", "tank"])
def test_far_vehicles_are_coarse_and_near_ones_detailed(name):
    view = VehicleView(SceneWithoutWindow(), MODELS / f"{name}.glb")
    view.update(standing_frame(view))
    parts = [view.hulls["hull1"], *view.wheels]
    whole = [triangles(path.node()) for path in parts]
    bounds = [np.array(path.getTightBounds(path)) for path in parts]
    view.seen_from((0.0, -FAR - 1.0, 0.0))
    far = [triangles(path.node()) for path in parts]
    assert sum(far) < 0.45 * sum(whole) and far[0] < 12_000
    for path, box in zip(parts, bounds, strict=True):
        assert np.array(path.getTightBounds(path)) == pytest.approx(box, abs=CELL)
        sphere, points = path.node().getInternalBounds(), read_column(path.node().getGeom(0).getVertexData(), "vertex")
        radius = np.linalg.norm(points - np.array(tuple(sphere.getCenter())), axis=1).max()
        assert radius < sphere.getRadius() + 1e-4 < np.linalg.norm(box[1] - box[0]) / 2.0 + 1e-3
    view.seen_from((0.0, -FAR + 1.0, 0.0))
    assert [triangles(path.node()) for path in parts] == far  # hysteresis at the border
    view.seen_from((0.0, -HYSTERESIS * FAR + 1.0, 0.0))
    assert [triangles(path.node()) for path in parts] == whole
    view.seen_from((0.0, -3.0 * FAR, 0.0), zoom=4.0)
    assert [triangles(path.node()) for path in parts] == whole  # a long lens magnifies


def shown(path, mask):
    """Number of triangles of a part that a camera with this mask draws."""
    nodes = [path.find(name).node() for name in ("drawn", "shadow")]
    return sum(triangles(node) for node in nodes if (node.getDrawShowMask() & mask).getWord())


def test_at_low_quality_parts_have_three_levels_and_the_coarse_one_casts_shadows():
    whole = VehicleView(SceneWithoutWindow(), MODELS / "roadster.glb")  # high quality: in full detail
    view = VehicleView(SceneWithoutWindow("low"), MODELS / "roadster.glb")
    view.update(standing_frame(view))
    parts, modelled = [view.hulls["hull1"], *view.wheels], [whole.hulls["hull1"], *whole.wheels]
    fine = sum(triangles(path.node()) for path in modelled)
    counts = []
    for distance in (2.0, NEAR + 0.5, FAR + 1.0):
        view.seen_from((0.0, -distance, 0.0))
        counts.append(sum(shown(path, CAMERA_MASK) for path in parts))
    assert counts[0] == fine and 0.3 * fine < counts[1] < 0.8 * fine and counts[2] < 0.4 * fine
    for mask in (VEHICLE_MASK, STATIC_MASK):
        assert sum(shown(path, mask) for path in parts) == counts[2]
    for path, same in zip(parts, modelled, strict=True):
        box = np.array(same.getTightBounds(same))
        assert np.array(path.getTightBounds(path)) == pytest.approx(box, abs=CELL)


def test_clustering_keeps_materials_sides_and_area():
    """A plate of two materials, 1 cm thick, keeps its area within 12 %, and each side its normals."""
    line = np.linspace(0.0, 1.2, 61)
    x, y = (v.ravel() for v in np.meshgrid(line, line))
    n, k = len(x), len(line)
    sheets = []
    for side in (1.0, -1.0):
        material = np.where(x > 0.6, 4.0, 2.0)
        normal = np.tile((0.0, 0.0, side), (n, 1))
        z, zeros = np.full(n, 0.02 + 0.005 * side), np.zeros(n)
        sheets.append(np.column_stack([x, y, z, normal, material, zeros + 1.0, zeros, zeros]))
    a = (np.arange(k - 1)[:, None] * k + np.arange(k - 1)).reshape(-1, 1)
    top = np.concatenate([a + (0, 1, k + 1), a + (0, k + 1, k)])
    rows, faces = clustered(np.concatenate(sheets), np.concatenate([top, top[:, ::-1] + n]), 0.06)
    assert len(faces) < 0.2 * 2 * len(top) and set(rows[:, 6]) == {2.0, 4.0}  # materials
    corner = rows[faces]
    normal = np.cross(corner[:, 1, :3] - corner[:, 0, :3], corner[:, 2, :3] - corner[:, 0, :3])
    for side in (1.0, -1.0):
        on_side = corner[:, 0, 5] == side
        assert (normal[on_side, 2] * side > 0.0).all()
        assert 0.5 * np.abs(normal[on_side, 2]).sum() == pytest.approx(1.2 * 1.2, rel=0.12)


def grid(side, material, z=0.0):
    """Rows (position, normal, material, ...) and triangles of a sheet of 20 x 20 squares; side, z: m."""
    x, y = (v.ravel() for v in np.meshgrid(np.linspace(0.0, side, 21), np.linspace(0.0, side, 21)))
    rows = np.zeros((len(x), 10), np.float32)
    rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 5], rows[:, 6] = x, y, z, 1.0, material
    a = (np.arange(20)[:, None] * 21 + np.arange(20)).reshape(-1, 1)
    return rows, np.concatenate([a + (0, 1, 22), a + (0, 22, 21)])


def test_letters_are_strokes_and_sheets_are_not():
    text = lettering("AB 1989", (0.5, 0.11))
    welded, numbers = np.unique(np.round(text.v, 6), axis=0, return_inverse=True)  # touching bars share corners
    assert is_stroke(numbers.reshape(-1)[text.t], len(welded)).mean() > 0.85
    _, triangles = grid(0.2, material=0)
    assert is_stroke(triangles, 21 * 21).mean() < 0.02  # only the triangles at two of the sheet's corners


def test_lamps_and_plates_of_the_middle_level_stay_in_full_detail():
    paint, lamp = MATERIALS.index("paint"), MATERIALS.index("lamp_rear")
    (painted, paint_triangles), (glowing, lamp_triangles) = grid(0.2, paint), grid(0.2, lamp, 0.1)
    rows = np.concatenate([painted, glowing])
    whole = mesh(rows, np.concatenate([paint_triangles, lamp_triangles + len(painted)]), "vertex", "normal", "look")
    simplified = simplified_geom(whole, MIDDLE_CELL, MIDDLE_KEPT)
    material = read_column(simplified.getVertexData(), "look")[:, 0][read_triangles(simplified)[:, 0]]
    assert (material == lamp).sum() == len(lamp_triangles)
    assert 0 < (material == paint).sum() < 0.6 * len(paint_triangles)
    all_simplified = simplified_geom(whole, MIDDLE_CELL)  # without MIDDLE_KEPT
    material = read_column(all_simplified.getVertexData(), "look")[:, 0][read_triangles(all_simplified)[:, 0]]
    assert (material == lamp).sum() < 0.6 * len(lamp_triangles)


def test_panel_gaps_are_closed_in_coarse_levels():
    """A gap of 6 mm across the paint would become dots: it gets the paint's material, without a hole."""
    paint, seam = MATERIALS.index("paint"), MATERIALS.index("seam")
    x = np.array([0.0, 0.3, 0.497, 0.503, 0.7, 1.0])
    band = np.array([paint, paint, seam, paint, paint])
    strips, faces = [], []
    for k, material in enumerate(band):
        corners = [(x[k], 0.0), (x[k + 1], 0.0), (x[k + 1], 1.0), (x[k], 1.0)]
        strips += [(cx, cy, 0.0, 0.0, 0.0, 1.0, material, 1.0, 0.0, 0.0) for cx, cy in corners]
        faces += [(4 * k, 4 * k + 1, 4 * k + 2), (4 * k, 4 * k + 2, 4 * k + 3)]
    rows, faces = clustered(np.array(strips), np.array(faces), CELL)
    assert set(rows[:, 6]) == {paint}
    corner = rows[faces][:, :, :3]
    area = 0.5 * np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])[:, 2].sum()
    assert area == pytest.approx(1.0, abs=1e-6)
