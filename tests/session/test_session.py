"""The session: states do not depend on the frame rate; recording, rewind, recovery, parameters, faults."""

import math
import random
import subprocess
import sys

import numpy as np
import pytest
from flat_drive import ahead, flat_world, run, weave

from driving_sandbox.game.session.session import Session
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.recording import Recording, verify
from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world


@pytest.fixture
def session(tmp_path):
    with Session(flat_world(), recordings=tmp_path / "recordings", setups=tmp_path / "setups") as session:
        yield session


def verified(session):
    """Close the session and return its recording, which must be complete and verify."""
    session.close()
    recording = Recording.open(session.recorder.path)
    assert recording.complete, recording.damage
    report = verify(recording)
    assert report.ok and report.ticks == recording.ticks, report.text
    return recording


def frames_of(kind, seconds=4.0):
    """Lengths of frames, s, that add up to `seconds`; kind: frames per second, or "jitter"."""
    rng = random.Random(11)
    total = 0.0
    while total < seconds:
        dt = rng.choice([0.004, 0.016, 0.03, 0.09]) if kind == "jitter" else 1.0 / kind
        total += dt
        yield dt


def test_states_do_not_depend_on_the_frame_rate(tmp_path):
    state_checks = []
    for kind in (30, 60, 144, "jitter"):
        with Session(flat_world(), record=tmp_path / f"{kind}.drive") as session:
            for dt in frames_of(kind):
                session.step(dt, weave)
        rows = Recording.open(tmp_path / f"{kind}.drive").rows()
        state_checks.append(rows["state_check"][:955, 0].tolist())  # the ticks that all drives have
    assert len(state_checks[0]) == 955 and len(set(state_checks[0])) > 900
    assert state_checks[0] == state_checks[1] == state_checks[2] == state_checks[3]


def test_the_session_needs_no_window_and_no_input_devices():
    code = "import sys, game.session.session; bad = {'panda3d', 'direct', 'pygame', 'imgui_bundle'} & {m.split('.')[0] for m in sys.modules}; print(bad); sys.exit(bool(bad))"  # noqa: E501
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


def test_drawn_poses_are_interpolated_between_the_last_two_states(session):
    positions = []
    for _ in range(300):
        session.step(1.0 / 144.0, ahead)
        positions.append(session.interpolated().body_position[1])
    steps = np.diff(positions[200:])
    assert np.all(steps > 0.0)
    assert np.all(np.abs(np.diff(steps)) < 0.02 * steps[1:])  # without interpolation steps would be 1 or 2 ticks
    previous, current = session.previous[0], session.current[0]
    assert np.allclose(current.body_position, session.vehicle.model_position())
    assert current.body_position[1] - previous.body_position[1] == pytest.approx(
        session.situation.forward_speed * session.world.tick_seconds, rel=0.05
    )
    assert current.wheel_position.shape == (4, 3) and current.steer_command == 0.0


# ---- time


def test_a_pause_stops_the_ticks_and_slow_motion_makes_fewer(session):
    run(session, 0.5)
    tick = session.world.tick
    session.paused = True
    run(session, 0.5)
    assert session.world.tick == tick
    session.paused, session.speed = False, 0.25
    run(session, 1.0)
    assert session.world.tick == pytest.approx(tick + 60, abs=1)
    verified(session)


# ---- rewind and recovery


def test_a_drive_with_fewer_than_ten_frames_per_second_says_once_that_time_runs_slowly(session):
    for dt in [0.25] * 19 + [0.05] + [0.25] * 60:  # a shorter frame begins the count anew
        session.step(dt, ahead)
        said = [message.text for message in session.messages if "slower than real time" in message.text]
        assert not said or session.clock.long_frames >= 20
    assert said == ["4 frames/s: the simulation runs slower than real time"]


def test_rewind_goes_back_to_the_exact_state(session):
    run(session, 1.0)
    states = {}

    def storing(situation):
        states[situation.tick] = session.world.snapshot()
        return weave(situation)

    run(session, 2.0, storing)
    for seconds in (1 / 240, 0.1, 0.5, 0.75):
        expected = session.world.tick - round(seconds * 240)
        assert session.changes.rewind(seconds) == pytest.approx(seconds, abs=1e-9)
        assert session.world.tick == expected and session.world.snapshot() == states[expected]
        assert np.array_equal(session.previous[0].body_position, session.current[0].body_position)
    run(session, 0.5)  # the same commands again lead to the same state
    assert session.world.snapshot() == states[expected + 120]


def test_rewinding_frame_by_frame_is_one_jump_in_the_recording(session):
    run(session, 2.0)
    for _ in range(60):
        session.changes.rewind(1.0 / 60.0)
    assert session.world.tick == 240
    run(session, 1.0, ahead)
    recording = verified(session)
    jumps = [e for e in recording.events if e["kind"] == "jump"]
    assert [(e["reason"], e["tick"]) for e in jumps] == [("start", 0), ("rewind", 480)]
    assert jumps[1]["seconds"] == pytest.approx(1.0)
    assert recording.ticks == 720


def test_rewind_stops_at_the_start_and_goes_back_by_30_s_at_least(session):
    run(session, 1.0)
    assert session.changes.rewind(100.0) == pytest.approx(1.0) and session.world.tick == 0
    assert session.changes.rewind(1.0) == 0.0
    for _ in range(400):  # 40 s
        session.step(0.1, ahead)
    assert 30.0 <= session.changes.rewind_seconds <= 30.5
    assert len(session.changes._ring._snapshots) <= 122  # four a second
    assert session.changes.rewind(100.0) >= 30.0


def test_rewind_repeats_external_impulses(session):
    push = np.zeros(1, EXTERNAL)
    push["impulse"][0] = (2000.0, 0.0, 0.0)
    session.external_impulses = lambda world: push if world.tick == 300 else None
    states = {}

    def storing(situation):
        states[situation.tick] = session.world.snapshot()
        return ahead(situation)

    run(session, 1.4, storing)
    session.changes.rewind(0.1)  # to tick 312, repeated from tick 300
    assert session.world.snapshot() == states[312]
    assert verified(session).external(300)["impulse"][0].tolist() == [2000.0, 0.0, 0.0]


def test_recovering_turns_a_car_from_its_roof_onto_its_wheels(session):
    run(session, 1.5)
    heading = 0.7  # rad
    body = session.vehicle.state["body"][0]
    body["orientation"] = (-math.sin(0.5 * heading), math.cos(0.5 * heading), 0.0, 0.0)  # on its roof
    body["velocity"] = (0.0, 3.0, 1.0)
    session.changes.record_jump("test")
    position = np.array(session.situation.position)
    jumps = []
    session.changes.on_jump.append(lambda: jumps.append(1))
    session.changes.recover()
    assert jumps == [1]
    assert session.situation.forward_speed == 0.0
    assert np.allclose(session.situation.position[:2], position[:2], atol=0.05)
    assert session.situation.heading == pytest.approx(heading, abs=1e-6)
    run(session, 1.0, lambda s: np.zeros(1, weave(s).dtype))
    up = session.current[0].body_orientation
    assert abs(up[0]) < 0.02 and abs(up[1]) < 0.02
    assert np.linalg.norm(session.vehicle.state["body"]["velocity"][0]) < 0.05
    verified(session)


def test_a_train_that_leaves_the_world_is_reset(tmp_path):
    """Beyond the world's edge there is no ground; the recording repeats fall and reset."""
    world = World(load_world("mountain_road"), [load_vehicle("truck_trailer")])
    world.spawn("start")
    start = np.array(world.vehicles[0].model_position())
    with Session(world, record=tmp_path / "edge.drive") as session:
        world.place(0, (900.0, 0.0, 40.0), 0.0)
        session.changes.record_jump("test")
        run(session, 8.0, lambda s: np.zeros(1, weave(s).dtype))
        texts = [m.text for m in session.messages]
        assert texts == ["Truck and trailer left the world and was reset"]
        assert np.abs(np.array(world.vehicles[0].model_position()) - start).max() < 5.0  # it rolls a little
        verified(session)


# ---- parameters


def test_parameters_act_from_the_next_tick_and_are_recorded(session):
    run(session, 1.0)
    mass = session.vehicle.get("body.mass")
    session.tuning.set_parameter("body.mass", mass * 1.5)
    assert session.vehicle.get("body.mass") == mass * 1.5
    run(session, 1.0)
    session.tuning.undo()
    assert session.vehicle.get("body.mass") == mass
    run(session, 0.5)
    session.tuning.redo()
    run(session, 0.5)
    recording = verified(session)
    changes = [e for e in recording.events if e["kind"] == "setup"]
    applied = [(e["tick"], e["values"]["body.mass"]) for e in changes]
    assert applied == [(240, mass * 1.5), (480, mass), (600, mass * 1.5)]


def test_moving_the_centre_of_mass_does_not_move_the_drawn_car(session):
    run(session, 1.0)
    before = session.current[0].body_position.copy()
    centre = session.vehicle.get("body.centre_of_mass")
    session.tuning.set_parameter("body.centre_of_mass", [centre[0], centre[1] + 0.3, centre[2]])
    assert np.allclose(session.current[0].body_position, before, atol=1e-12)
    run(session, 0.5)
    recording = verified(session)
    a, b = (recording.pose_at(t).vehicles[0]["model_position"] for t in (0.999, 1.02))
    assert np.linalg.norm(b - a) < 0.15


def test_a_wrong_value_changes_nothing(session):
    run(session, 0.2)
    before = session.vehicle.params.tobytes()
    with pytest.raises(SchemaError, match="body.mass"):
        session.tuning.set_parameter("body.mass", -1.0)
    with pytest.raises(KeyError):
        session.tuning.set_parameter("body.mas", 1.0)
    assert session.vehicle.params.tobytes() == before
    assert not any(e["kind"] == "setup" for e in verified(session).events)


def test_a_change_after_a_rewind_verifies(session):
    run(session, 1.0)
    session.changes.rewind(0.5)
    session.tuning.set_parameter("engine.peak_torque", 400.0)
    run(session, 0.5)
    verified(session)


def test_changes_of_one_gesture_are_one_step_of_undo(session):
    torque = session.vehicle.get("engine.peak_torque")
    for k in range(20):
        session.tuning.set_parameter("engine.peak_torque", 300.0 + k, gesture=7)
        session.step(1 / 60, weave)
    session.tuning.undo()
    assert session.vehicle.get("engine.peak_torque") == torque
    assert not session.tuning.can_undo
    verified(session)


# ---- faults


def test_an_invalid_force_is_reported_and_the_drive_goes_on(session):
    push = np.zeros(1, EXTERNAL)
    push["force"][0] = np.nan
    session.external_impulses = lambda world: push if world.tick == 200 else None
    run(session, 1.5)
    assert session.world.tick == 360 and not session.paused
    assert np.isfinite(session.current[0].body_position).all()
    assert [m.level for m in session.messages] == ["warning"] and "not a number" in session.messages[0].text
    recording = verified(session)
    assert [e["kind"] for e in recording.events].count("fault") == 1
    assert np.flatnonzero(recording.rows()["flags"][:, 0] & 2).tolist() == [200]  # 2: FAULTED


def test_a_vehicle_that_keeps_failing_is_recovered_twice_then_the_session_pauses(session):
    push = np.zeros(1, EXTERNAL)
    push["force"][0] = np.nan
    session.external_impulses = lambda world: push if world.tick > 100 else None
    run(session, 3.0)
    assert session.paused and session.world.tick < 101 + 130
    assert "Undo the last change" in session.messages[-1].text and len(session.messages) < 6
    recording = verified(session)
    assert [e["reason"] for e in recording.events if e["kind"] == "jump"] == ["start", "recover", "recover"]


def test_several_vehicles_have_their_own_drivers(tmp_path):
    with Session(flat_world(("roadster", "buggy")), record=tmp_path / "two.drive", player=0) as session:
        session.drivers[1] = weave
        run(session, 1.5, ahead)
        session.drivers.pop(1)
        session.changes.recover(1)
        run(session, 0.5, ahead)
        assert len(session.current) == 2
    report = verify(tmp_path / "two.drive")
    assert report.ok, report.text
    commands = Recording.open(tmp_path / "two.drive").commands()
    assert commands["throttle"][0, 0] == 1.0 and 0.0 < commands["throttle"][50, 1] < 1.0
