"""Props and parked cars in the running program."""

import numpy as np
import pytest
from app_rig import program

from driving_sandbox.physics.recording import Recording, verify

pytestmark = pytest.mark.drawn


def momentum(vehicle):
    """Momentum of a vehicle's body, kg m/s."""
    return float(vehicle.params["body"][0]["mass"]) * vehicle.state["body"]["velocity"][0]


def test_x_resets_all_props_and_is_in_the_help(open_rig, tmp_path):
    path = tmp_path / "yard.drive"
    rig = open_rig("--world", "yard", "--record", path)
    motion = rig.app.prop_motion
    rig.session.world.place(0, (-1.6, 4.0), 0.0)  # the left row of cones ahead
    rig.session.changes.record_jump("test")
    rig.hold("w")
    rig.run(3.0)
    rig.hold()
    moved = np.linalg.norm(motion.poses[:, :3] - motion.start[:, :3], axis=1)
    assert (moved > 0.5).sum() >= 2
    rig.session.world.place(0, (0.0, -40.0), 0.0)
    rig.session.changes.record_jump("test")
    assert ("X", "Put cones, crates and everything else back") in [(k.upper(), t) for k, t in key_lines(rig)]
    rig.press("x")
    assert np.array_equal(motion.poses, motion.start) and motion.awake == []
    rig.run(0.5)
    assert np.abs(motion.poses - motion.start).max() < 1e-4
    drawn = np.array([tuple(node.getPos(rig.app.props.root)) for node in rig.app.props.nodes])
    assert np.abs(drawn - motion.start[:, :3]).max() < 1e-3
    rig.close()
    recording = Recording.open(path)
    assert verify(recording).ok
    assert np.allclose(recording.props().at(recording.ticks), recording.props().start, atol=2e-4)


def test_driving_into_the_parked_car_pushes_it_and_x_resets_it(open_rig, tmp_path):
    path = tmp_path / "push.drive"
    rig = open_rig("--world", "yard", "--record", path)
    driven, parked = rig.session.world.vehicles
    x, y, _ = parked.model_position()
    start = parked.state["body"]["position"][0].copy()
    rig.session.world.place(0, (x, y - 12.0), 0.0)
    rig.session.changes.record_jump("test")
    rig.hold("w")
    rig.until(lambda: driven.state["body"]["velocity"][0, 1] > 6.0, 4.0)
    before = after = None
    for _ in range(240):  # a frame is a tick
        total = momentum(driven) + momentum(parked)
        rig.step(1, frame=rig.session.world.tick_seconds)
        if np.linalg.norm(parked.state["body"]["velocity"][0]) > 1.0:
            before, after = total, momentum(driven) + momentum(parked)
            break
    assert before is not None
    assert np.linalg.norm(after - before) < 0.02 * np.linalg.norm(before)
    rig.run(2.0)
    assert np.linalg.norm(parked.state["body"]["position"][0] - start) > 1.0
    rig.hold()
    rig.press("x")
    assert any("is occupied" in text for text in rig.shown)  # its starting position is still occupied
    rig.session.world.place(0, (0.0, -40.0), 0.0)
    rig.session.changes.record_jump("test")
    rig.press("x")
    rig.run(0.5)
    assert np.linalg.norm(parked.state["body"]["position"][0] - start) < 0.02
    rig.close()
    assert verify(Recording.open(path)).ok


def test_a_headless_run_reports_that_the_parked_vehicle_is_left_out(tmp_path):
    out = tmp_path / "a.csv"
    result = program("simulate", "--vehicle", "roadster", "--world", "yard", "--seconds", 0.1, "--out", out)
    assert result.returncode == 0, result.stderr
    assert "1 parked vehicle of this world, simulated only with a window" in result.stdout


def key_lines(rig):
    """[(key, text of its action)] of the help."""
    return [(str(line[0]), str(line[1])) for line in rig.app.key_help()]
