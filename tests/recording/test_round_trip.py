"""What is recorded is read again: commands bit for bit, poses to within their rounding step; states are obtained by
simulating again."""

import csv
import json
import math

import numpy as np
import pytest
from drives import CREATED, commands_of, drive
from fake_world import fake_world, rebuild
from mcap.reader import make_reader

from driving_sandbox.formats.mcap_file import write_mcap
from driving_sandbox.physics.kernel.elementary import ARITHMETIC
from driving_sandbox.physics.recording import Recorder, Recording, RecordingError, export, state_at, verify
from driving_sandbox.physics.recording.exports import RecordingTable, table

TICKS = 1000


@pytest.fixture(params=[1, 3])
def recorded(request, tmp_path):
    """(recording of a drive, states before every tick and after the last one, number of vehicles)."""
    path = tmp_path / "a.drive"
    _, _, states = drive(path, TICKS, request.param)
    return Recording.open(path), states, request.param


def test_commands_are_bit_identical(recorded):
    recording, _, vehicles = recorded
    assert recording.complete and recording.ticks == TICKS
    expected = np.stack([commands_of(t, vehicles) for t in range(TICKS)])
    assert recording.commands().tobytes() == expected.tobytes()
    assert recording.commands(119, 122).tobytes() == expected[119:122].tobytes()  # across the end of a block
    assert len(recording.commands(990, 5000)) == 10 and len(recording.commands(50, 50)) == 0


def test_external_impulses_are_read_in_their_tick_only(recorded):
    recording, _, vehicles = recorded
    assert [t for t in range(TICKS) if recording.external(t) is not None] == [123]
    external = recording.external(123)
    assert len(external) == vehicles and external["impulse"][0].tolist() == [50.0, 0.0, 0.0]
    assert not external[1:].tobytes().strip(b"\0")  # the other vehicles have none


def test_arguments_of_reading_methods_can_be_named(recorded):
    recording, _, _ = recorded
    assert recording.rows(start=990, stop=TICKS).tobytes() == recording.rows(990, TICKS).tobytes()
    assert recording.external(tick=123)["impulse"][0].tolist() == [50.0, 0.0, 0.0]
    assert len(recording.poses(stop_time=1.0)[0]) == len(recording.poses(0.0, 1.0)[0]) > 0


def test_events_and_header_are_read(recorded):
    recording, _, vehicles = recorded
    assert [(e["kind"], e["tick"]) for e in recording.events] == [("jump", 0), ("setup", 300), ("jump", 500)]
    assert recording.events[1]["values"] == {"mass": 1234.5}
    header = recording.header
    assert header["created"] == CREATED and header["tick_seconds"] == 1 / 240 and header["substeps"] == 4
    assert len(header["vehicles"]) == vehicles and len(header["source"]) == 16
    assert [s.tick for s in recording.snapshots if not s.jump] == ([240, 480, 720, 960] if vehicles == 1 else [720])


def test_an_undamaged_recording_is_verified(recorded):
    recording, _, _ = recorded
    report = verify(recording.path, rebuild=rebuild)
    assert report.ok and report.ticks == TICKS and report.snapshots > 0 and report.tick is None, report.text


def test_ticks_can_be_reached_in_any_order(recorded):
    recording, states, _ = recorded
    world = rebuild(recording)
    for tick in (1000, 0, 301, 299, 499, 240, 501, 300, 777):
        state_at(recording, world, tick)
        assert world.snapshot() == states[tick], tick
        assert world.vehicles[0].get("mass") == (1234.5 if tick >= 300 else 1000.0)
    with pytest.raises(RecordingError, match="between 0 and 1000"):
        state_at(recording, world, 1001)


def test_a_branch_equals_the_drive_until_its_commands_differ(recorded):
    recording, states, vehicles = recorded
    world = state_at(recording, rebuild(recording), 600)
    world.step(commands_of(600, vehicles))
    assert world.snapshot() == states[601]
    world.step(commands_of(0, vehicles))
    assert world.snapshot() != states[602]


def test_poses_are_within_their_rounding_step(recorded):
    recording, states, vehicles = recorded
    times, jumps, poses = recording.poses()
    assert len(poses) == vehicles and len(times) == 2 + TICKS // 4  # start and jump have their own frames
    world = rebuild(recording)
    # tolerances: half a rounding step (steps: 1e-4 m, 2^-15 of a quaternion's component, 1e-2 rad/s) and a margin;
    # a wheel has the body's roundings too, of its orientation with the lever of 1.6 m from body to wheel
    for k in (0, 7, 77, 126, 150, 249):
        world.restore(states[round(times[k] * 240)])
        for vehicle, pose in zip(world.vehicles, poses, strict=True):
            state = vehicle.state[0]
            assert np.allclose(pose["model_position"][k], vehicle.model_position(), atol=0.6e-4)
            assert np.allclose(pose["model_orientation"][k], state["body"]["orientation"], atol=4e-5)
            if jumps[k]:
                continue  # a placed vehicle has no wheel poses before its next tick
            assert np.allclose(pose["wheel_position"][k], state["wheel"]["position"][:4], atol=2e-4)
            assert np.allclose(pose["wheel_orientation"][k], state["wheel"]["orientation"][:4], atol=4e-5)
            assert np.allclose(pose["wheel_omega"][k], state["wheel"]["omega"][:4], atol=0.6e-2)
    assert np.flatnonzero(jumps).tolist() == [0, 126] and times[125] == times[126] == 500 / 240
    for pose in poses:  # at start and jump the wheels are placed relative to the body as in the following frame
        distances = np.linalg.norm(pose["wheel_position"] - pose["model_position"][:, None], axis=-1)
        assert np.allclose(distances[[0, 126]], distances[[1, 127]], atol=2e-4)


def test_poses_are_blended_between_frames_and_end_with_the_last(recorded):
    recording, _, _ = recorded
    times, _, poses = recording.poses(2.0, 2.2)
    a, b = poses[0]["model_position"][3], poses[0]["model_position"][4]
    middle = recording.pose_at((times[3] + times[4]) / 2).vehicles[0]
    assert np.allclose(middle["model_position"], (a + b) / 2, atol=1e-9)
    assert np.allclose(np.linalg.norm(middle["wheel_orientation"], axis=-1), 1.0)
    last = recording.pose_at(1000 / 240).vehicles[0]["model_position"]
    assert np.array_equal(recording.pose_at(1e6).vehicles[0]["model_position"], last)


def test_poses_are_not_blended_across_a_jump(tmp_path):
    world = fake_world()
    with Recorder(tmp_path / "a.drive", world, CREATED) as recorder:
        for tick in range(200):
            if tick == 102:
                world.vehicles[0].state["body"]["position"][0] = (1000.0, 0.0, 0.0)
                recorder.jump("recover")
            world.step(commands_of(tick))
            recorder.record(commands_of(tick))
    recording = Recording.open(tmp_path / "a.drive")
    for tick in np.arange(90.0, 115.0, 0.25):
        x = recording.pose_at(tick / 240).vehicles[0]["model_position"][0]
        assert abs(x - (1000.0 if tick >= 102 else 0.0)) < 1.0, tick
    assert recording.events[-1]["reason"] == "recover"


def test_export_has_units_and_resimulated_channels(recorded, tmp_path):
    recording, states, vehicles = recorded
    assert export(recording, tmp_path / "x.csv", rebuild=rebuild) == TICKS
    assert export(recording, tmp_path / "x.npz", rebuild=rebuild) == TICKS
    with open(tmp_path / "x.csv", newline="") as file:
        rows = list(csv.reader(file))
    prefix = "0:" if vehicles > 1 else ""
    assert rows[0][0] == "time [s]" and f"{prefix}wheel.fl.omega [rad/s]" in rows[0]
    column = rows[0].index(f"{prefix}body.position.x [m]")
    world = rebuild(recording)
    world.restore(states[800])
    assert float(rows[800][column]) == world.vehicles[0].state["body"]["position"][0][0]
    assert float(rows[800][0]) == pytest.approx(800 / 240)
    with np.load(tmp_path / "x.npz") as archive:
        assert archive["data"].shape == (TICKS, len(rows[0]))
        assert archive["data"][799, column] == float(rows[800][column])
        assert archive["units"][0] == "s"
    with pytest.raises(RecordingError, match="csv or .npz"):
        export(recording, tmp_path / "x.txt", rebuild=rebuild)
    with pytest.raises(RecordingError, match="no channel tire.load"):
        export(recording, tmp_path / "x.csv", channels=["tire.load"], rebuild=rebuild)


def test_an_exported_span_is_a_part_of_the_whole_export(recorded):
    recording, _, _ = recorded
    whole, part = table(recording, rebuild=rebuild), table(recording, span=(1.0, 2.0), rebuild=rebuild)
    assert part.names == whole.names and part.data.tobytes() == whole.data[239:480].tobytes()
    assert part.data[0, 0] == pytest.approx(1.0) and part.data[-1, 0] == pytest.approx(2.0)
    with pytest.raises(RecordingError, match="nothing from 90 to 99 s; it ends at 4.16"):
        table(recording, span=(90.0, 99.0), rebuild=rebuild)
    with pytest.raises(RecordingError, match="nothing after 90 s; it ends at 4.16"):
        table(recording, span=(90.0, np.inf), rebuild=rebuild)


def test_exported_messages_are_read_by_the_mcap_library(recorded, tmp_path):
    recording, _, vehicles = recorded
    expected = table(recording, span=(0.5, 1.0), rebuild=rebuild)
    prefix, topic = ("1:", "/vehicle1/wheel") if vehicles > 1 else ("", "/wheel")
    count = write_mcap(expected, tmp_path / "x.mcap")
    column = expected.names.index(f"{prefix}wheel.fl.omega")
    with open(tmp_path / "x.mcap", "rb") as file:
        reader = make_reader(file)
        assert reader.get_summary().statistics.message_count == count
        messages = [(schema, message.log_time, json.loads(message.data))
                 for schema, channel, message in reader.iter_messages(topics=[topic])]  # fmt: skip
    assert [data["fl"]["omega"] for _, _, data in messages] == expected.data[:, column].tolist()
    assert messages[1][1] - messages[0][1] == pytest.approx(1e9 / 240, abs=2)
    properties = json.loads(messages[0][0].data)["properties"]["fl"]["properties"]
    assert properties["omega"]["description"] == "unit: rad/s"


def test_exported_json_omits_non_finite_numbers(tmp_path):
    data = np.array([[0.1, 2.0, math.nan], [0.2, math.inf, 3.0]])
    write_mcap(RecordingTable(["time", "wheel.fl.omega", "wheel.fl.angle"], ["s", "rad/s", "rad"], data, CREATED),
               tmp_path / "x.mcap")  # fmt: skip
    with open(tmp_path / "x.mcap", "rb") as file:
        messages = [json.loads(message.data, parse_constant=pytest.fail)  # NaN and Infinity are not valid JSON
                 for _, _, message in make_reader(file).iter_messages()]  # fmt: skip
    assert messages == [{"fl": {"omega": 2.0}}, {"fl": {"angle": 3.0}}]


def test_a_recorded_fault_must_be_repeated(tmp_path):
    path = tmp_path / "fault.drive"
    drive(path, 400, fault_at=350)
    report = verify(path, rebuild=rebuild)
    assert report.tick == 350 and "recorded fault does not appear" in report.text

    def rebuild_faulty(recording, trust):
        world = rebuild(recording)
        world.break_at = 350  # `fault_at` of the drive
        return world

    assert verify(path, rebuild=rebuild_faulty).ok


def test_a_recording_is_not_overwritten(tmp_path):
    drive(tmp_path / "a.drive", 10)
    before = (tmp_path / "a.drive").read_bytes()
    with pytest.raises(FileExistsError):
        Recorder(tmp_path / "a.drive", fake_world(), CREATED)
    assert (tmp_path / "a.drive").read_bytes() == before


def test_a_full_disk_stops_the_recording_not_the_drive(tmp_path, monkeypatch):
    recorder, world, _ = drive(tmp_path / "a.drive", 10, close=False)

    def full(data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(
        recorder._file,
        "_file",
        type(
            "Full",
            (),
            {"name": "a.drive", "write": staticmethod(full), "close": lambda self: None, "fileno": lambda self: 1},
        )(),
    )
    for tick in range(300):
        world.step(commands_of(tick))
        recorder.record(commands_of(tick))
    recorder.sync()
    assert "No space left" in recorder.error
    recorder.close()


def test_other_arithmetic_is_reported(tmp_path):
    """`arithmetic` in the header is a version number; recordings without it used functions of the C library."""
    drive(tmp_path / "a.drive", 100)
    assert not verify(tmp_path / "a.drive", rebuild=rebuild).note
    former = ARITHMETIC - 1
    for arithmetic, text in ((None, "of the C library"), (former, f"(version {former}, now version {ARITHMETIC})")):
        recording = Recording.open(tmp_path / "a.drive")
        if arithmetic is None:
            del recording.header["arithmetic"]
        else:
            recording.header["arithmetic"] = arithmetic
        note = verify(recording, rebuild=rebuild).note
        assert "made with other arithmetic" in note and text in note


def test_another_program_version_is_reported(tmp_path, monkeypatch):
    drive(tmp_path / "a.drive", 100)
    monkeypatch.setattr("driving_sandbox.physics.recording.versions.source_hash", lambda: "0123456789abcdef")
    report = verify(tmp_path / "a.drive", rebuild=rebuild)
    assert report.ok and "other sources" in report.note
