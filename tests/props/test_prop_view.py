"""Positions of drawn props in a drive and in a replay, by their scene nodes, without a window."""

from types import SimpleNamespace

import numpy as np
import pytest
from panda3d.core import NodePath
from prop_rig import flat, launch, placed_prop, run

from driving_sandbox.game.props.motion import PropMotion
from driving_sandbox.game.props.recorded import RecordedProps
from driving_sandbox.game.props.view import PropsView
from driving_sandbox.game.view.gl.geometry import read_column
from driving_sandbox.physics.props.kinds import load_kind
from driving_sandbox.physics.world.props import prop_kinds


def bare_scene():
    return SimpleNamespace(meshes=NodePath("meshes"), moving_others=False)


def drawn_position(view, k):
    return np.array(tuple(view.nodes[k].getPos(view.root)))


@pytest.mark.parametrize("name", prop_kinds())
def test_a_models_foot_is_drawn_below_its_centre_of_mass_and_it_has_colors(name):
    kind = load_kind(name)
    view = PropsView(bare_scene(), [kind], np.array([[0.0, 0, 0, 0, 0, 0, 1]]))
    geoms = [g for path in view.root.findAllMatches("**/+GeomNode") for g in path.node().getGeoms()]
    points = np.concatenate([read_column(g.getVertexData(), "vertex")[:, :3] for g in geoms])
    assert points[:, 2].min() == pytest.approx(-kind.centre[2], abs=0.01)
    looks = np.concatenate([read_column(g.getVertexData(), "look") for g in geoms])
    assert len(np.unique(looks[:, :3], axis=0)) >= (1 if name in ("plank", "tire") else 2)


def test_moving_props_are_drawn_between_two_ticks_and_end_where_they_rest():
    scene = bare_scene()
    world = flat([placed_prop("cone", 0.0, 5.0), placed_prop("cone", 0.0, 80.0)])
    motion = PropMotion(world)

    def drive(seconds):
        run(world, seconds, each=motion.tick)
        motion.read()

    world.place(0, (0.0, 0.0), 0.0)
    launch(world.vehicles[0], 12.0)
    view = PropsView(scene, motion.kinds, motion.poses, [0, 0])
    drive(0.3)
    view.follow(motion, 1.0)
    drive(1.0 / 60.0)
    before = drawn_position(view, 0)
    view.follow(motion, 1.0)
    after = drawn_position(view, 0)
    assert np.allclose(after, motion.poses[0, :3], atol=1e-4) and scene.moving_others
    view.follow(motion, 0.5)  # half a tick of the four since the last frame
    assert np.allclose(drawn_position(view, 0), after + (before - after) * 0.125, atol=1e-3)
    assert np.linalg.norm(after - before) > 0.05
    world.place(0, (900.0, 0.0), 0.0)
    drive(12.0)
    view.follow(motion, 1.0)
    assert motion.awake == []
    view.follow(motion, 1.0)
    assert np.allclose(drawn_position(view, 0), motion.poses[0, :3], atol=1e-4)
    world.props.reset()
    motion.jumped()
    drive(1 / 240)
    view.follow(motion, 1.0)
    assert np.allclose(drawn_position(view, 0), motion.start[0, :3], atol=1e-4)
    assert np.allclose(drawn_position(view, 1), motion.start[1, :3], atol=1e-4)


def test_far_groups_are_not_drawn():
    poses = np.array([[0.0, 0, 0, 0, 0, 0, 1], [900.0, 0, 0, 0, 0, 0, 1]])
    view = PropsView(bare_scene(), [load_kind("cone")] * 2, poses)
    view.cull((5.0, 0.0, 2.0))
    assert not view.nodes[0].getParent().isHidden() and view.nodes[1].getParent().isHidden()
    for _ in range(20):  # groups are checked every CULL_EVERY frames only
        view.cull((895.0, 0.0, 2.0))
    assert view.nodes[0].getParent().isHidden() and not view.nodes[1].getParent().isHidden()


def points_and_calls(view):
    """(sorted vertices of all that is drawn below the view's root, number of draw calls)."""
    paths = [path for path in view.root.findAllMatches("**/+GeomNode") if not path.isHidden()]
    vertices = []
    for path in paths:
        local = read_column(path.node().getGeom(0).getVertexData(), "vertex")[:, :3]
        matrix = path.getMat(view.root)
        rotation = np.array([tuple(matrix.getRow3(i)) for i in range(3)])
        vertices.append(local @ rotation + np.array(tuple(matrix.getRow3(3))))
    vertices = np.concatenate(vertices)
    return vertices[np.lexsort(vertices.round(3).T)], len(paths)


def test_an_unmoved_group_is_drawn_in_one_call_at_the_same_positions():
    poses = np.array([[0.0, 0, 0, 0, 0, 0, 1], [3.0, 1.0, 0.5, 0, 0, 0.6, 0.8], [9.0, 0, 0, 0.6, 0, 0, 0.8]])
    kinds = [load_kind(name) for name in ("cone", "crate", "barrel")]
    view = PropsView(bare_scene(), kinds, poses, [4, 4, 7])
    whole, calls = points_and_calls(view)
    assert calls == 2, "one call for the group of two, one for the single prop"
    moved = poses.copy()
    moved[1, 0] += 0.01
    view.set_poses([1], moved)
    separate, calls = points_and_calls(view)
    assert calls == 3
    assert not np.allclose(separate, whole, atol=1e-4) and len(separate) == len(whole)
    view.set_poses([0, 1], poses)
    joined, calls = points_and_calls(view)
    assert calls == 2 and np.array_equal(joined, whole)
    ungrouped, calls = points_and_calls(PropsView(bare_scene(), kinds, poses))
    assert calls == 3 and np.allclose(ungrouped, whole, atol=1e-4)


@pytest.mark.parametrize("kind", ["teapot", "../teapot"])
def test_a_replay_draws_stored_poses_and_reports_unknown_kinds(kind):
    from driving_sandbox.physics.recording.props import PropTrack, encode

    start = np.array([[0.0, 0, 0.1, 0, 0, 0, 1], [5.0, 0, 0.1, 0, 0, 0, 1]])
    block = encode([240, 480], [0, 0], [[1.0, 0, 0.1, 0, 0, 0, 1], [2.0, 0, 0.1, 0, 0, 0, 1]])
    track = PropTrack(["cone", kind], start, [block], 4)
    recording = SimpleNamespace(props=lambda: track, tick_seconds=1.0 / 240.0)
    scene = bare_scene()
    recorded_props = RecordedProps(scene, recording)
    assert "teapot" in recorded_props.problem
    for time, x in ((0.5, 0.0), (1.5, 1.0), (2.5, 2.0), (0.2, 0.0)):
        recorded_props.show(scene, time)
        assert drawn_position(recorded_props._view, 0)[0] == pytest.approx(x, abs=1e-3)
