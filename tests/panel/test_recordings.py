"""The shelf of recordings and its window, on real recordings."""

import threading

import numpy as np
import pytest
from panda3d.core import PNMImage

from game.notes import Notes
from game.panel.recordings import RecordingsWindow
from game.shelf import Shelf, summary_of
from physics.command.commands import COMMAND
from physics.recording import Recorder, Recording
from physics.vehicle_file import load_vehicle
from physics.world import World
from physics.world_file import load_world


@pytest.fixture(scope="module")
def drive():
    """Bytes of a recording of one second."""
    import tempfile
    from pathlib import Path

    world = World(load_world("plane"), [load_vehicle("roadster")])
    world.spawn()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.drive"
        with Recorder(path, world, "2026-01-02T03:04:05") as recorder:
            command = np.zeros(1, COMMAND)
            command["throttle"], command["gear"] = 1.0, 2
            for _ in range(240):
                world.step(command)
                recorder.record(command)
            recorder.event("mark", text="here")
        return path.read_bytes()


@pytest.fixture
def shelf(tmp_path, drive):
    for name in ("auto-20260102-030405", "lap"):
        (tmp_path / f"{name}.drive").write_bytes(drive)
    (tmp_path / "broken.drive").write_bytes(b"not a recording")
    picture = PNMImage(64, 36)
    picture.fill(1.0, 0.0, 0.0)
    picture.write(str(tmp_path / "lap.png"))
    shelf = Shelf(tmp_path, in_use=lambda: tmp_path / "auto-20260102-030405.drive")
    shelf.refresh()
    shelf.wait()
    yield shelf
    shelf.close()


def entry(shelf, name):
    return next(entry for entry in shelf.entries if entry.name == name)


def test_a_list_that_came_while_another_was_read_is_read_too(tmp_path, monkeypatch):
    for name in "ab":
        (tmp_path / f"{name}.drive").write_bytes(b"not a recording")
    read, gate = summary_of, threading.Event()
    monkeypatch.setattr("game.shelf.summary_of", lambda path: read(path) if gate.wait(60.0) else None)
    shelf = Shelf(tmp_path)
    shelf.refresh()
    shelf.refresh()  # as renaming one does
    gate.set()
    shelf.wait()
    assert [entry.summary is not None and entry.summary.problem != "" for entry in shelf.entries] == [True, True]


def test_what_a_recording_holds_is_read(shelf):
    summary = entry(shelf, "lap").summary
    assert (summary.seconds, summary.vehicles, summary.marks) == (pytest.approx(1.0), ("Roadster",), 1)
    assert summary.created == "2026-01-02T03:04:05" and not summary.problem
    assert len(summary.way) > 100 and np.ptp(summary.way[:, 1]) > 0.5
    assert "broken.drive" in entry(shelf, "broken").summary.problem
    assert entry(shelf, "auto-20260102-030405").automatic and not entry(shelf, "lap").automatic


def test_notes_and_names_do_not_touch_the_recording(shelf, tmp_path, drive):
    one = entry(shelf, "lap")
    shelf.set_note(one, "  dry, new springs\nsecond line ")
    assert Notes(one.path).text == "dry, new springs\nsecond line"
    shelf.rename(one, "Best lap")
    assert sorted(p.name for p in tmp_path.iterdir() if p.name.startswith("Best")) == [
        "Best lap.drive", "Best lap.note.yaml", "Best lap.png"]  # fmt: skip
    assert (tmp_path / "Best lap.drive").read_bytes() == drive
    assert Recording.open(tmp_path / "Best lap.drive").complete
    shelf.set_note(entry(shelf, "Best lap"), "")
    assert not (tmp_path / "Best lap.note.yaml").exists()


@pytest.mark.parametrize(
    ("name", "new", "said"),
    [("lap", "a/b", "letters"), ("lap", "broken", "of this name"), ("lap", "auto-x", "letters"),
     ("auto-20260102-030405", "mine", "still being recorded")],
)  # fmt: skip
def test_bad_names_are_refused(shelf, tmp_path, name, new, said):
    before = sorted(tmp_path.iterdir())
    with pytest.raises(ValueError, match=said):
        shelf.rename(entry(shelf, name), new)
    assert sorted(tmp_path.iterdir()) == before


@pytest.fixture
def window(ui, shelf, hand):
    seen = []
    window = RecordingsWindow(ui, shelf, beside=lambda p: seen.append(("beside", p.stem)),
                              show=lambda p: seen.append(("watch", p.stem)))  # fmt: skip
    window.seen = seen
    ui.add(window.draw)
    window.toggle()
    shelf.wait()
    hand.step()
    return window


def test_watch_and_drive_beside_by_the_mouse(window, hand):
    hand.click("recording:lap")
    hand.click("recording:watch")
    hand.click("recording:beside")
    assert window.seen == [("watch", "lap"), ("beside", "lap")]
    assert "recording-picture" in hand.ui.items


def test_the_picture_has_its_colours(window, hand, base):
    hand.click("recording:lap")
    hand.step()
    left, top, right, bottom = hand.ui.items.rectangle("recording-picture")
    shot = PNMImage()
    base.win.getScreenshot(shot)
    red, green, blue = shot.getXel(int((left + right) / 2), int((top + bottom) / 2))
    assert red > 0.9 and green < 0.1 and blue < 0.1


def test_search_note_and_delete_by_the_mouse(window, hand, shelf, tmp_path):
    hand.click("recordings:search")
    hand.type("roadster la")
    assert "recording:lap" in hand.ui.items and "recording:broken" not in hand.ui.items
    hand.click("recording:lap")
    hand.click("recording-note")
    hand.type("wet")
    hand.click("recording:note")
    assert Notes(tmp_path / "lap.drive").text == "wet"
    hand.click("recording:delete")
    assert (tmp_path / "lap.drive").exists()
    hand.click("recording:really")
    assert not (tmp_path / "lap.drive").exists() and not (tmp_path / "lap.png").exists()
    assert (tmp_path / "broken.drive").exists()
