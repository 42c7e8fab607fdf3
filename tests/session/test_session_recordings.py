"""Recordings of a session: automatic ones, ones that the user keeps, exceptions, full disks, folders without access."""

import os
import re
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest
from flat_drive import flat_world, run, weave

from driving_sandbox.game.session.session import Session
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.recording import Recording, RecordingError, verify
from driving_sandbox.physics.recording.folder import RecordingFolder

HERE = Path(__file__).resolve().parent
PRINT_REPORT = """
import sys
sys.path.insert(0, sys.argv[2])
from driving_sandbox.physics.recording import verify
report = verify(sys.argv[1])
print(report.ok, report.tick, report.kind, report.ticks, report.text)
"""


def verify_in_new_process(path):
    """Words of the printed report of a verification in a new process."""
    result = subprocess.run([sys.executable, "-c", PRINT_REPORT, str(path), str(ROOT)], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout.split()


def test_a_fresh_process_repeats_the_drive_bit_for_bit_and_names_a_flipped_bit(tmp_path):
    path = tmp_path / "a.drive"
    with Session(flat_world(), record=path) as session:
        run(session, 1.0)
        session.tuning.set_parameter("engine.peak_torque", 321.0)
        run(session, 0.5)
        session.changes.recover()
        run(session, 0.5)
        session.changes.rewind(1.0)
        run(session, 1.0)
    assert verify_in_new_process(path)[:4] == ["True", "None", "None", "720"]
    row = Recording.open(path).rows(432, 433)[0, 0]
    checks = b"".join(int(row[name]).to_bytes(2, "little") for name in ("state_check", "row_check"))  # of tick 432
    data = bytearray(path.read_bytes())
    assert data.count(checks) == 1
    data[data.index(checks)] ^= 1  # the lowest bit of the state check
    path.write_bytes(data)
    assert verify_in_new_process(path)[:3] == ["False", "432", "command"]


def test_an_exception_still_ends_the_file_properly(tmp_path):
    path = tmp_path / "a.drive"

    def failing(situation):
        if situation.tick == 100:
            raise RuntimeError("the driver fell asleep")
        return weave(situation)

    with pytest.raises(RuntimeError), Session(flat_world(), record=path) as session:
        run(session, 1.0, failing)
    recording = Recording.open(path)
    assert recording.complete and recording.ticks == 100
    assert b'"ended by RuntimeError"' in path.read_bytes()
    assert verify(path).ok


def test_a_program_that_ends_without_closing_still_writes_the_end(tmp_path):
    code = f"""
import sys
sys.path[:0] = [{str(HERE)!r}, {str(ROOT)!r}]
from flat_drive import flat_world, run
from driving_sandbox.game.session.session import Session
session = Session(flat_world(), record={str(tmp_path / "a.drive")!r})
run(session, 0.5)
"""
    subprocess.run([sys.executable, "-c", code], check=True)
    recording = Recording.open(tmp_path / "a.drive")
    assert recording.complete and recording.ticks == 120


# ---- automatic and kept recordings


def test_keeping_renames_an_automatic_recording(tmp_path):
    now = datetime(2026, 1, 2, 3, 4, 5)
    session = Session(flat_world(), recordings=tmp_path, now=lambda: now)
    assert [p.name for p in tmp_path.iterdir()] == ["auto-20260102-030405.drive"]
    run(session, 0.5)
    path = session.keep_recording()
    assert path == tmp_path / "drive-20260102-030405.drive"
    assert str(path) in session.messages[-1].text
    assert session.keep_recording() == path  # again: already kept
    run(session, 0.5)
    session.close()
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    report = verify(path)
    assert report.ok and report.ticks == 240
    assert [e["kind"] for e in Recording.open(path).events].count("mark") == 2


def test_a_recording_that_the_user_named_is_kept_under_its_name(tmp_path):
    path = tmp_path / "auto-mine.drive"
    with Session(flat_world(), record=path) as session:
        run(session, 0.1)
        assert session.keep_recording() == path
        assert session.messages[-1].text == f"recording saved: {path}"
    assert Recording.open(path).complete


def test_keeping_where_open_files_cannot_be_renamed(tmp_path, monkeypatch):
    def refuse(source, target):
        raise PermissionError(13, "used by another process")

    with Session(flat_world(), recordings=tmp_path) as session:
        run(session, 0.5)
        monkeypatch.setattr(os, "rename", refuse)
        path = session.keep_recording()
    assert Recording.open(path).ticks == 120 and verify(path).ok


def test_keeping_on_a_full_disk_is_reported_and_the_drive_goes_on(tmp_path, monkeypatch):
    def refuse(source, target):
        raise OSError(28, "No space left on device")

    with Session(flat_world(), recordings=tmp_path) as session:
        run(session, 0.5)
        monkeypatch.setattr(os, "rename", refuse)
        monkeypatch.setattr("shutil.copyfile", refuse)
        assert session.keep_recording() is None
        assert "cannot be saved: No space left" in session.messages[-1].text
        run(session, 0.5)
        assert session.recorder is not None


def test_old_automatic_recordings_are_deleted_but_kept_ones_are_not(tmp_path):
    folder = RecordingFolder(tmp_path, keep_files=3, keep_bytes=10_000)
    for k in range(6):
        for name in (f"auto-{k}.drive", f"drive-{k}.drive"):
            (tmp_path / name).write_bytes(bytes(1000))
            os.utime(tmp_path / name, (1000.0 + k, 1000.0 + k))
    (tmp_path / "auto-fresh.drive").write_bytes(bytes(1000))  # perhaps another program's, being written
    folder.clean(current=tmp_path / "auto-0.drive")
    left = sorted(p.name for p in tmp_path.glob("auto-*"))
    assert left == ["auto-0.drive", "auto-4.drive", "auto-5.drive", "auto-fresh.drive"]
    assert len(list(tmp_path.glob("drive-*"))) == 6
    RecordingFolder(tmp_path, keep_files=100, keep_bytes=1500).clean()
    assert sorted(p.name for p in tmp_path.glob("auto-*")) == ["auto-fresh.drive"]


def test_two_sessions_in_one_second_do_not_share_a_file(tmp_path):
    now = datetime(2026, 1, 2, 3, 4, 5)
    with (
        Session(flat_world(), recordings=tmp_path, now=lambda: now) as a,
        Session(flat_world(), recordings=tmp_path, now=lambda: now) as b,
    ):
        assert a.recorder.path != b.recorder.path


# ---- errors


def test_a_folder_that_cannot_be_written_is_reported_and_the_drive_goes_on(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with Session(flat_world(), recordings=tmp_path / "file") as session:
        assert session.recorder is None and "cannot be recorded to" in session.messages[0].text
        run(session, 0.5)
        assert session.world.tick == 120
        session.changes.rewind(0.2)
        session.tuning.set_parameter("engine.peak_torque", 300.0)
        session.changes.recover()
        assert session.keep_recording() is None


def test_an_existing_file_is_not_written_over(tmp_path):
    (tmp_path / "a.drive").write_text("mine")
    with pytest.raises(RecordingError, match="a.drive: cannot be recorded to: File exists"):
        Session(flat_world(), record=tmp_path / "a.drive")
    assert (tmp_path / "a.drive").read_text() == "mine"


def test_a_disk_that_fills_up_is_reported_once_on_screen_and_in_the_terminal(tmp_path, monkeypatch, capsys):
    with Session(flat_world(), recordings=tmp_path) as session:
        run(session, 0.3)
        session.recorder.sync()
        monkeypatch.setattr(session.recorder._file, "error", "a.drive: recording stopped: No space left on device")
        run(session, 0.5)
        assert session.recorder is None and session.world.tick == 192
        assert session.recording_control.failures == []  # nobody asked for this recording
        message = "a.drive: recording stopped: No space left on device; the first 0.3 s are saved and can be played"
        assert [m.text for m in session.messages].count(message) == 1
    assert capsys.readouterr().err.count(message) == 1


def test_a_disk_that_is_full_at_the_very_end_is_reported_too(tmp_path, monkeypatch, capsys):
    with Session(flat_world(), record=tmp_path / "a.drive") as session:
        run(session, 0.3)
        monkeypatch.setattr(session.recorder._file, "error", "a.drive: recording stopped: No space left on device")
        session.recorder.flush()
    assert len(session.recording_control.failures) == 1
    assert "a.drive: recording stopped" in capsys.readouterr().err


def test_a_changed_world_or_vehicle_with_code_is_refused(tmp_path):
    world_text = (ROOT / "configs" / "worlds" / "plane.yaml").read_text()
    world_text = world_text.replace("../surfaces", str(ROOT / "configs/surfaces"))
    (tmp_path / "plane.yaml").write_text(world_text)
    from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
    from driving_sandbox.physics.world.world import World
    from driving_sandbox.physics.world.world_file import load_world

    world = World(load_world(tmp_path / "plane.yaml"), [load_vehicle("roadster")])
    world.spawn()
    with Session(world, record=tmp_path / "a.drive") as session:
        run(session, 0.2)
    assert verify(tmp_path / "a.drive").ok
    recording = Recording.open(tmp_path / "a.drive")
    config = recording.header["vehicles"][0]["config"]
    (tmp_path / "evil.py").write_text(f"open({str(tmp_path / 'owned')!r}, 'w')\n")
    tire_from_file = f"components: {{tire: {{file: {tmp_path / 'evil.py'}, name: X}}}}\n"
    plain = re.sub(r"^components:.*\n(  .*\n)*", "", config, flags=re.MULTILINE)
    recording.header["vehicles"][0]["config"] = plain + tire_from_file
    with pytest.raises(RecordingError, match="not allowed"):
        verify(recording)
    assert not (tmp_path / "owned").exists()
    (tmp_path / "plane.yaml").write_text(f"# Another comment.\n{world_text}")
    assert verify(tmp_path / "a.drive").ok
    (tmp_path / "plane.yaml").write_text(world_text.replace("gravity: 9.81", "gravity: 9.80"))
    with pytest.raises(RecordingError, match="plane.yaml was changed since"):
        verify(tmp_path / "a.drive")
    (tmp_path / "plane.yaml").unlink()
    with pytest.raises(RecordingError, match="is not here"):
        verify(tmp_path / "a.drive")


def test_a_long_drive_is_recorded_in_pieces_that_each_verify(tmp_path):
    now = datetime(2026, 1, 2, 3, 4, 5)
    with Session(flat_world(), recordings=tmp_path, now=lambda: now) as session:
        opened = []
        session.recording_control.on_open.append(lambda: opened.append(session.recorder.path))
        session.recording_control._piece = 1.0  # s, length of a piece
        run(session, 1.5)
        session.tuning.set_parameter("engine.peak_torque", 321.0)
        run(session, 1.0)
        last = session.keep_recording()
        run(session, 0.5)
    names = sorted(path.name for path in tmp_path.glob("drive-*.drive"))
    assert len(opened) == 2 and len(names) == 2 and last.name in names  # the last piece and the one before
    pieces = [Recording.open(path) for path in tmp_path.glob("*.drive")]
    assert len(pieces) == 3 and all(piece.complete for piece in pieces)
    assert sum(piece.ticks for piece in pieces) == 720
    for piece in pieces:
        assert verify(piece.path).ok, piece.path
