"""Debug drawing: lines of each layer against the vehicle's state, visibility, and no work while it is off."""

import sys
from pathlib import Path

import numpy as np
import pytest
from view_rig import grab

from driving_sandbox.game.debug.drawing import DebugDrawing
from driving_sandbox.game.debug.hull import hull_edges
from driving_sandbox.game.debug.layers import LAYERS, NORMAL, Reading, Scales
from driving_sandbox.game.recordings.source import write_poses
from driving_sandbox.game.session.situation import fill_frame, new_frame
from driving_sandbox.game.view.debug.lines import Lines
from driving_sandbox.game.view.gl.geometry import read_column
from driving_sandbox.physics.maths.quat import rotate
from driving_sandbox.physics.recording.poses import BODY_COLUMNS, WHEEL_COLUMNS
from driving_sandbox.physics.road.query import RAY_QUERY
from driving_sandbox.physics.road.sweep import SEARCH
from driving_sandbox.physics.road.sweep_query import SWEEP_QUERY
from driving_sandbox.physics.tick.commands import FIRST
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

sys.path.append(str(Path(__file__).parent.parent / "core"))
from drive_rig import Drive

WINDOW_SIZE = (480, 270)
SCALES = Scales()


class Window:
    """The parts of scene and interface that the drawing uses, in an empty window."""

    def __init__(self, base):
        self.base, self.root, self.size = base, base.render, WINDOW_SIZE

    def step(self):
        self.base.graphicsEngine.renderFrame()
        return grab(self.base)


class View:
    """The part of a vehicle's view that the drawing uses."""

    def __init__(self, vehicle):
        self.frame = new_frame(vehicle)
        fill_frame(self.frame, vehicle)


@pytest.fixture(scope="module")
def window(base):
    base.setBackgroundColor(0.2, 0.2, 0.2)
    return Window(base)


@pytest.fixture(scope="module")
def cornering():
    """A car braking in a bend, so that no force is zero."""
    return Drive("roadster").run(4.0, throttle=0.7, gear=FIRST).run(0.5, brake=0.4, steer=0.5).vehicle


@pytest.fixture(scope="module")
def overturned():
    """A car at rest on its roof."""
    drive = Drive("roadster")
    body = drive.vehicle.state["body"]
    body["orientation"][0], body["position"][0, 2] = (0.0, 1.0, 0.0, 0.0), 1.2
    return drive.run(2.0).vehicle


@pytest.fixture
def drawing(window):
    """The debug drawing, switched on."""
    drawing = DebugDrawing(window, window)
    drawing.on = True
    yield drawing
    drawing.close()


def lines(name, vehicle):
    """Lines of a layer, m, [n, 2 ends, 3]."""
    return np.array(LAYERS[name].lines(Reading(vehicle, SCALES)))


def vectors(segments):
    """Vectors of arrows, m; each has three lines: the shaft, then two of the head."""
    return segments[::3, 1] - segments[::3, 0]


def wheel_values(vehicle, slot, field):
    """A field of the state, for all wheels, [wheels] or [wheels, 3]."""
    return np.array([vehicle.state[slot][field][0, k] for k in range(vehicle.wheel_count)])


def test_force_arrows_show_points_of_action_and_forces(cornering):
    v, scale = cornering, SCALES.force  # m per N
    # layer; fields of the tire's state: direction and magnitude of the force
    for name, direction, magnitude in (("longitudinal_forces", "longitudinal", "longitudinal_force"),
                                       ("lateral_forces", "lateral", "lateral_force")):  # fmt: skip
        segments = lines(name, v)
        strength = np.array([v.read(f"tire.{w}.{magnitude}") for w in v.wheel_names])
        expected = wheel_values(v, "tire", direction) * strength[:, None] * scale
        assert np.linalg.norm(expected, axis=1).min() > 0.01
        assert segments[::3, 0] == pytest.approx(wheel_values(v, "road", "point"))
        assert vectors(segments) == pytest.approx(expected)
    segments = lines("suspension_forces", v)
    body = v.state["body"]["position"][0]
    assert segments[::3, 0] == pytest.approx(body + wheel_values(v, "suspension", "force_arm"))
    assert vectors(segments) == pytest.approx(wheel_values(v, "suspension", "force_vector") * scale)
    circles = lines("grip", v).reshape(4, -1, 2, 3)
    load = np.array([v.read(f"tire.{w}.friction") * v.read(f"tire.{w}.load") for w in v.wheel_names])
    radii = np.linalg.norm(circles[:, :, 0] - wheel_values(v, "road", "point")[:, None], axis=2)
    assert radii == pytest.approx(np.repeat(load[:, None] * scale, radii.shape[1], axis=1))


def test_slip_is_the_velocity_of_the_contact_patch(cornering):
    # per wheel: arrow of the slip, line along the wheel's heading, line along its motion
    v, segments = cornering, lines("slip", cornering).reshape(4, 5, 2, 3)
    for k, wheel in enumerate(v.wheel_names):
        longitudinal, lateral = v.read(f"tire.{wheel}.longitudinal_speed"), v.read(f"tire.{wheel}.lateral_speed")
        tread = v.read(f"wheel.{wheel}.omega") * v.get(f"wheel.{wheel}.radius")
        forward, sideways = wheel_values(v, "tire", "longitudinal")[k], wheel_values(v, "tire", "lateral")[k]
        slide = (forward * (longitudinal - tread) + sideways * lateral) * SCALES.speed
        assert segments[k, 0, 1] - segments[k, 0, 0] == pytest.approx(slide)
        heading, motion = segments[k, 3, 1] - segments[k, 3, 0], segments[k, 4, 1] - segments[k, 4, 0]
        angle = np.arctan2(motion @ sideways, motion @ forward) - np.arctan2(heading @ sideways, heading @ forward)
        assert angle == pytest.approx(np.arctan2(lateral, longitudinal), abs=1e-9)


def test_planes_travel_and_centre_of_mass_match_the_state(cornering):
    v = cornering
    patches = lines("planes", v).reshape(4, 7, 2, 3)  # per wheel: arrow of the normal, four edges of the square
    normal, offset = wheel_values(v, "road", "normal"), wheel_values(v, "road", "offset")
    corners = patches[:, 3:].reshape(4, -1, 3)
    assert np.einsum("kij,kj->ki", corners, normal) + offset[:, None] == pytest.approx(np.zeros((4, 8)), abs=1e-9)
    assert patches[:, 0, 1] - patches[:, 0, 0] == pytest.approx(normal * NORMAL)
    # per wheel: line from full droop to its centre, line on to full compression, marks at these ends
    segments = lines("travel", v).reshape(4, 4, 2, 3)
    for k, wheel in enumerate(v.wheel_names):
        jounce, length = v.read(f"suspension.{wheel}.jounce"), v.get(f"suspension.{wheel}.travel")
        assert np.linalg.norm(segments[k, 0, 1] - segments[k, 0, 0]) == pytest.approx(jounce)
        assert np.linalg.norm(segments[k, 1, 1] - segments[k, 1, 0]) == pytest.approx(length - jounce)
        assert segments[k, 0, 1] == pytest.approx(wheel_values(v, "wheel", "position")[k])
    assert lines("centre_of_mass", v).mean(axis=(0, 1)) == pytest.approx(v.state["body"]["position"][0])


def test_a_sweep_is_drawn_along_the_suspension(cornering):
    v = cornering
    assert v.sequence.by_slot["road"].name == SWEEP_QUERY.name
    # per wheel and side of the swept cylinder: its path, then circles of 24 lines at start and end
    sweeps = lines("queries", v)[: 4 * 2 * 49].reshape(4, 2 * 49, 2, 3)
    down = wheel_values(v, "suspension", "direction")
    for k, wheel in enumerate(v.wheel_names):
        droop = v.get(f"suspension.{wheel}.travel") - v.read(f"suspension.{wheel}.jounce")
        sides = sweeps[k, [0, 49]]
        centre = sides[:, 0].mean(axis=0) + down[k] * droop
        assert centre == pytest.approx(wheel_values(v, "wheel", "position")[k], abs=1e-3)
        assert np.linalg.norm(sides[0, 0] - sides[1, 0]) == pytest.approx(2.0 * v.get(f"wheel.{wheel}.half_width"))
        rim = sweeps[k, 1:25, 0] - sides[0, 0]
        assert np.linalg.norm(rim, axis=1) == pytest.approx(np.full(24, v.get(f"wheel.{wheel}.radius")))
        travel = down[k] * (v.get(f"suspension.{wheel}.travel") + SEARCH)
        assert sides[:, 1] - sides[:, 0] == pytest.approx(np.tile(travel, (2, 1)), abs=1e-3)


def test_a_ray_is_drawn_from_above_the_wheel_to_the_tire_and_marks_its_hit(cornering, monkeypatch):
    v = cornering
    monkeypatch.setitem(v.sequence.by_slot, "road", RAY_QUERY)
    segments = lines("queries", v)
    rays, marks = segments[:4], segments[4:].reshape(4, 3, 2, 3)
    for k, wheel in enumerate(v.wheel_names):
        expected = v.get(f"suspension.{wheel}.travel") + 2.0 * v.get(f"wheel.{wheel}.radius")
        assert np.linalg.norm(rays[k, 1] - rays[k, 0]) == pytest.approx(expected)
    assert marks.mean(axis=(1, 2)) == pytest.approx(wheel_values(v, "road", "point"))


def test_hull_edges_are_the_edges_of_the_convex_parts(cornering):
    v, hull = cornering, cornering.params["contact"]["hull"][0]
    edges = hull_edges(hull)
    assert hull_edges(hull) is edges
    for part in range(int(hull["part_count"])):
        corners = hull["vertices"][hull["vertex_start"][part] : hull["vertex_start"][part + 1]]
        faces = int(hull["plane_start"][part + 1] - hull["plane_start"][part])
        part_corners = {tuple(c) for c in corners.tolist()}
        count = sum(tuple(a) in part_corners and tuple(b) in part_corners for a, b in edges.tolist())
        assert count >= len(corners) + faces - 2  # Euler: V - E + F = 2; parts may share corners
    q, position = tuple(v.state["body"]["orientation"][0].tolist()), v.state["body"]["position"][0]
    assert lines("hull", v)[0, 0] == pytest.approx(position + np.array(rotate(q, tuple(edges[0, 0].tolist()))))


def test_contacts_are_drawn_with_their_impulses(overturned):
    v, solver = overturned, overturned.state["contact"]["solver"][0]
    count = int(solver["contact_count"])
    assert count >= 3
    segments = lines("rows", v)
    q, position = tuple(v.state["body"]["orientation"][0].tolist()), v.state["body"]["position"][0]
    points = [position + np.array(rotate(q, tuple(c["anchor"].tolist()))) for c in solver["contacts"][:count]]
    shafts = {tuple(np.round(b - a, 9)) for a, b in segments}
    for contact, point in zip(solver["contacts"][:count], points, strict=True):
        assert np.abs(segments[:, 0] - point).max(axis=1).min() < 1e-9
        impulse = contact["normal"] * contact["normal_impulse"] * SCALES.impulse
        if np.linalg.norm(impulse) > 0.01:
            assert np.abs(np.array(sorted(shafts)) - impulse).max(axis=1).min() < 1e-8
    assert sum(c["normal_impulse"] for c in solver["contacts"][:count]) > 0.0


@pytest.mark.parametrize("name", LAYERS)
def test_each_layer_is_visible_alone(window, drawing, cornering, overturned, name):
    vehicle = overturned if name == "rows" else cornering
    x, y, z = (float(value) for value in vehicle.state["body"]["position"][0])
    window.base.camera.setPos(x + 4.0, y - 5.0, z + 2.5)
    window.base.camera.lookAt(x, y, z)
    drawing.layers = dict.fromkeys(LAYERS, False)
    drawing.update([vehicle], [View(vehicle)])
    empty = window.step()
    drawing.layers[name] = True
    drawing.update([vehicle], [View(vehicle)])
    changed = (np.abs(window.step() - empty) > 0.1).any(axis=2)
    assert changed.sum() > 20
    drawing.on = False
    drawing.update([vehicle], [View(vehicle)])
    assert (window.step() == empty).all()


def test_the_uploaded_vertices_are_the_lines(window):
    drawn, ends = Lines(window, WINDOW_SIZE), np.arange(18, dtype=np.float32).reshape(3, 2, 3)
    for count in (3, 1, 2):
        drawn.show(ends[:count], np.ones((count, 4), np.float32))
        geom = drawn.path.node().getGeom(0)
        corners = read_column(geom.getVertexData(), "vertex").reshape(-1, 4, 3)
        assert corners[:, [0, 2]] == pytest.approx(ends[:count])
        assert geom.getPrimitive(0).getNumVertices() == 6 * count
    assert drawn.path.findAllMatches("**").getNumPaths() == 1
    drawn.close()


def test_lines_move_with_the_drawn_vehicle(drawing, cornering):
    view = View(cornering)
    view.frame.body_position = view.frame.body_position + (1.0, -2.0, 0.5)
    drawing.update([cornering], [view])
    assert tuple(drawing._lines[0].path.getPos()) == pytest.approx((1.0, -2.0, 0.5), abs=1e-5)


def test_static_loads_are_drawn_0_6_m_long_on_a_car_and_a_tank(drawing, cornering):
    for name in ("roadster", "tank"):
        vehicle = load_vehicle(name)
        load = vehicle.params["tire"][0, : vehicle.wheel_count]["nominal_load"].mean()
        assert load * Scales.suiting(vehicle).force == pytest.approx(0.6)
    drawing.update([cornering], [View(cornering)])
    assert drawing.scales == Scales.suiting(cornering)
    drawing.scales.force = 1.0
    drawing.update([cornering], [View(cornering)])
    assert drawing.scales.force == 1.0  # the user's scale stays


def test_nothing_is_read_when_off_and_toggling_without_a_layer_selects_all(drawing):
    drawing.on = False
    drawing.update([object()], [object()])  # without any attributes
    assert not drawing._lines
    drawing.layers = dict.fromkeys(LAYERS, False)
    drawing.toggle()
    assert drawing.on and all(drawing.layers.values())


def test_a_replay_from_poses_shows_the_layers_that_poses_allow(drawing, cornering):
    vehicle, v = load_vehicle("roadster"), cornering
    fields = {slot: v.state[slot].dtype.names for slot in v.state.dtype.names}
    stored = [entry[:3] for entry in BODY_COLUMNS + WHEEL_COLUMNS if entry[2] in fields.get(entry[1], ())]
    values = {name: v.state[slot][key][0] for name, slot, key in stored}
    values |= {"model_position": v.model_position(), "model_orientation": v.model_orientation()}
    write_poses(vehicle, values, None)
    reading = Reading(vehicle, SCALES)
    for name in ("travel", "centre_of_mass", "hull"):
        assert np.array(LAYERS[name].lines(reading)) == pytest.approx(lines(name, v), abs=1e-6)
    assert LAYERS["planes"].lines(reading) == [] and LAYERS["rows"].lines(reading) == []
    ends, _ = drawing.lines_of(vehicle)
    farthest = np.linalg.norm(ends - np.array(v.model_position()), axis=2).max()
    assert farthest < 5.0  # m: nothing at the world's origin, which is more than 10 m away
    assert np.linalg.norm(v.model_position()) > 10.0


def test_a_vehicle_without_some_slots_shows_the_others(drawing):
    drive = Drive("planar_roadster").run(0.2, throttle=1.0)
    ends, _ = drawing.lines_of(drive.vehicle)
    assert len(ends) >= 3 and np.isfinite(ends).all()
