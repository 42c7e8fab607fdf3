"""The list of recordings and its window, on real recordings."""

import threading
from pathlib import Path

import numpy as np
import pytest
from panda3d.core import PNMImage

from driving_sandbox.game.recordings.library import INDEX, RecordingFile, RecordingLibrary
from driving_sandbox.game.recordings.notes import Notes
from driving_sandbox.game.recordings.summary import Summary, SummaryReader, summary_of
from driving_sandbox.game.windows.recordings import RecordingsWindow
from driving_sandbox.game.windows.recordings_table import COLUMNS, in_order, row_of
from driving_sandbox.lab.timing import Stopwatch
from driving_sandbox.physics.recording import Recorder, Recording
from driving_sandbox.physics.tick.commands import COMMAND
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

UPPER_ROWS = 9  # of the 36 rows of an image, in another colour


class LocalReader:
    """Reads in the process of the test, because a worker process takes a second to start."""

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def read(self, path):
        return summary_of(path)


@pytest.fixture(scope="module")
def drive():
    """Bytes of a recording of one second."""
    import tempfile

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
def library(tmp_path, drive):
    """The library of a folder with a recording in use, `lap` with an image, blue above red, and a broken recording."""
    for name in ("auto-20260102-030405", "lap"):
        (tmp_path / f"{name}.drive").write_bytes(drive)
    (tmp_path / "broken.drive").write_bytes(b"not a recording")
    image = PNMImage(64, 36)
    image.fill(1.0, 0.0, 0.0)
    for x in range(image.getXSize()):
        for y in range(UPPER_ROWS):
            image.setXel(x, y, 0.0, 0.0, 1.0)
    image.write(str(tmp_path / "lap.png"))
    library = RecordingLibrary(tmp_path, in_use=lambda: tmp_path / "auto-20260102-030405.drive", reader=LocalReader)
    library.refresh()
    library.wait()
    yield library
    library.close()


def entry(library, name):
    """The RecordingFile of a recording."""
    return next(entry for entry in library.entries if entry.name == name)


def test_recordings_are_read_after_a_second_refresh_during_reading(tmp_path, monkeypatch):
    for name in "ab":
        (tmp_path / f"{name}.drive").write_bytes(b"not a recording")
    read, second_refresh = LocalReader.read, threading.Event()
    monkeypatch.setattr(
        LocalReader, "read", lambda reader, path: read(reader, path) if second_refresh.wait(60.0) else None
    )
    library = RecordingLibrary(tmp_path, reader=LocalReader)
    library.refresh()
    library.refresh()  # as after renaming
    second_refresh.set()
    library.wait()
    assert [entry.summary is not None and entry.summary.problem != "" for entry in library.entries] == [True, True]


def test_the_summary_of_a_recording_is_read(library):
    summary = entry(library, "lap").summary
    assert (summary.seconds, summary.vehicles, summary.marks) == (pytest.approx(1.0), ("Roadster",), 1)
    assert summary.created == "2026-01-02T03:04:05" and not summary.problem
    assert len(summary.route[0]) > 100 and np.ptp(summary.route[1]) > 0.5
    assert "broken.drive" in entry(library, "broken").summary.problem
    assert entry(library, "auto-20260102-030405").automatic and not entry(library, "lap").automatic


def test_notes_and_names_do_not_change_the_recording(library, tmp_path, drive):
    lap = entry(library, "lap")
    library.set_note(lap, "  dry, new springs\nsecond line ")
    assert Notes(lap.path).text == "dry, new springs\nsecond line"
    library.rename(lap, "Best lap")
    assert sorted(p.name for p in tmp_path.iterdir() if p.name.startswith("Best")) == [
        "Best lap.drive", "Best lap.note.yaml", "Best lap.png"]  # fmt: skip
    assert (tmp_path / "Best lap.drive").read_bytes() == drive
    assert Recording.open(tmp_path / "Best lap.drive").complete
    library.set_note(entry(library, "Best lap"), "")
    assert not (tmp_path / "Best lap.note.yaml").exists()


@pytest.mark.parametrize(
    ("name", "new", "expected"),
    [("lap", "a/b", "letters"), ("lap", "broken", "of this name"), ("lap", "auto-x", "that begin with auto-"),
     ("auto-20260102-030405", "mine", "still being recorded")],
)  # fmt: skip
def test_bad_names_are_refused(library, tmp_path, name, new, expected):
    before = sorted(tmp_path.iterdir())
    with pytest.raises(ValueError, match=expected):
        library.rename(entry(library, name), new)
    assert sorted(tmp_path.iterdir()) == before


@pytest.fixture
def window(ui, library, user):
    """The open window of recordings; `requests` collects what it asks of the program."""
    requests = []
    window = RecordingsWindow(ui, library, add_ghost=lambda p: requests.append(("ghost", p.stem)),
                              show=lambda p: requests.append(("replay", p.stem)))  # fmt: skip
    window.requests = requests
    ui.add(window.draw)
    window.toggle()
    library.wait()
    user.step()
    return window


def test_replay_and_ghost_are_started_by_mouse(window, user):
    user.click("recording:lap")
    user.click("recording:watch")
    user.click("recording:ghost")
    assert window.requests == [("replay", "lap"), ("ghost", "lap")]
    assert "recording-picture" in user.ui.items


def test_the_image_of_a_recording_has_its_colours_and_is_upright(window, user, base):
    user.click("recording:lap")
    user.step()
    left, top, right, bottom = user.ui.items.rectangle("recording-picture")
    frame = PNMImage()
    base.win.getScreenshot(frame)
    red, green, blue = frame.getXel(int((left + right) / 2), int((top + bottom) / 2))
    assert red > 0.9 and green < 0.1 and blue < 0.1
    red, green, blue = frame.getXel(int((left + right) / 2), int(top + 0.1 * (bottom - top)))
    assert red < 0.1 and green < 0.1 and blue > 0.9, "the upper rows of the file are not drawn at the top"


def test_search_note_and_delete_work_by_mouse(window, user, library, tmp_path):
    user.click("recordings:search")
    user.type("roadster la")
    assert "recording:lap" in user.ui.items and "recording:broken" not in user.ui.items
    user.click("recording:lap")
    user.click("recording-note")  # text field
    user.type("wet")
    user.click("recording:note")  # button that saves it
    assert Notes(tmp_path / "lap.drive").text == "wet"
    user.click("recording:delete")
    assert (tmp_path / "lap.drive").exists()
    user.click("recording:really")  # button of the popup that asks
    assert not (tmp_path / "lap.drive").exists() and not (tmp_path / "lap.png").exists()
    assert (tmp_path / "broken.drive").exists()


SPRINT = """
name: Sprint
terrain: {plane: 0.0, surface: asphalt}
spawn_points: {start: {position: [0, 0], heading_deg: 0}}
timing:
  sprint:
    gates:
      - {from: [-5, 1], to: [5, 1]}
      - {from: [-5, 4], to: [5, 4]}
"""


def lap_drive(tmp_path):
    """Record a run from one gate to the next; returns (path, time of the run in s)."""
    world_file = tmp_path / "sprint.yaml"
    world_file.write_text(SPRINT, encoding="utf8")
    world = World(load_world(str(world_file)), [load_vehicle("roadster")])
    world.spawn()
    stopwatch, path = Stopwatch(world.file.timing), tmp_path / "sprint.drive"
    with Recorder(path, world, "2026-01-02T03:04:05") as recorder:
        command = np.zeros(1, COMMAND)
        command["throttle"], command["gear"] = 1.0, 2
        while not stopwatch.laps and world.time < 10.0:
            world.step(command)
            recorder.record(command)
            stopwatch.step(world.vehicles[0].model_position(), world.time)
        for _ in range(8):  # until the next stored pose
            world.step(command)
            recorder.record(command)
    return path, stopwatch.laps[0].time


def test_the_best_lap_is_timed_by_the_gates_of_the_recorded_world(tmp_path):
    path, seconds = lap_drive(tmp_path)
    (tmp_path / "sprint.yaml").unlink()  # the recording has its own copy
    with SummaryReader() as reader:
        summary = reader.read(path)
        broken = reader.read(tmp_path / "none.drive")
    assert summary.best == {"sprint": pytest.approx(seconds, abs=0.02)} and summary.best_lap == summary.best["sprint"]
    assert broken.problem and broken.best_lap is None
    assert summary == summary_of(path)


def test_summaries_are_saved_for_the_next_start(library, tmp_path, monkeypatch):
    monkeypatch.setattr(LocalReader, "read", lambda reader, path: pytest.fail(f"{path} was read again"))
    new_library = RecordingLibrary(tmp_path, reader=LocalReader)
    new_library.refresh()
    new_library.wait()
    assert {entry.name: entry.summary for entry in new_library.entries} == {
        entry.name: entry.summary for entry in library.entries}  # fmt: skip


@pytest.mark.parametrize("content", ["not json", "[1, 2]", '["lap.drive", 1.0, 2, {"secs": 1}]', "{}"])
def test_a_damaged_file_of_summaries_is_rebuilt(library, tmp_path, drive, content):
    (tmp_path / INDEX).write_text(content)
    new_library = RecordingLibrary(tmp_path, reader=LocalReader)
    new_library.refresh()
    new_library.wait()
    assert entry(new_library, "lap").summary.seconds == pytest.approx(1.0)
    assert "lap.drive" in (tmp_path / INDEX).read_text()


def test_a_crashed_worker_is_reported_and_replaced(tmp_path):
    path, seconds = lap_drive(tmp_path)
    with SummaryReader() as reader:
        assert "no such file" in reader.read(tmp_path / "a.drive").problem
        reader._worker._process.kill()
        assert "was not read: the worker process ended with code" in reader.read(path).problem
        assert reader.read(path).best_lap == pytest.approx(seconds, abs=0.02)


def make_entry(name, modified, **summary):
    """A RecordingFile of a file changed at the time `modified`, s; without summary, one that was not read yet."""
    return RecordingFile(
        Path(f"/recordings/{name}.drive"), modified, 1000, summary=Summary(**summary) if summary else None
    )


# `best` begins with the track with most laps, here `ring`: its time counts, although that on `sprint` is shorter
FAST = make_entry("b", 30.0, seconds=90.0, world="Yard", vehicles=("Coupe",), best={"ring": 61.5, "sprint": 9.0})
LONG = make_entry("A", 10.0, seconds=754.0, world="Plane", vehicles=("Truck", "Trailer"))
UNREAD = make_entry("c", 20.0)


def test_a_row_shows_world_vehicle_length_and_best_lap():
    assert list(COLUMNS)[:5] == ["Name", "World", "Vehicle", "Length", "Best lap"]
    assert row_of(FAST).texts[:5] == ("b", "Yard", "Coupe", "1:30", "1:01.500")
    assert row_of(LONG).texts[1:5] == ("Plane", "Truck", "12:34", "")


@pytest.mark.parametrize(
    ("heading", "rising", "falling"),
    [("Name", "Abc", "cbA"), ("World", "Abc", "bAc"), ("Vehicle", "bAc", "Abc"), ("Length", "bAc", "Abc"),
     ("Best lap", "bcA", "bcA"), ("Date", "Acb", "bcA")],
)  # fmt: skip
def test_rows_are_sorted_by_a_column_with_unknown_values_last(heading, rising, falling):
    """Orders are written as the names of the entries: A, b, c."""
    column = list(COLUMNS).index(heading)
    for descending, expected in ((False, rising), (True, falling)):
        rows = in_order([(entry, row_of(entry)) for entry in (UNREAD, LONG, FAST)], column, descending)
        assert "".join(entry.name for entry, _ in rows) == expected


def test_a_click_on_a_column_heading_sorts_the_table(window, user):
    def order():
        names = ("auto-20260102-030405", "broken", "lap")
        return sorted(names, key=lambda name: user.ui.items.rectangle(f"recording:{name}")[1])

    user.click("recordings:Name", 0.2)
    assert order() == ["auto-20260102-030405", "broken", "lap"]
    user.click("recordings:Name", 0.2)
    assert order() == ["lap", "broken", "auto-20260102-030405"]


@pytest.mark.parametrize("size", [(800, 600), (1280, 720)])
def test_cells_do_not_overlap(window, user, base, size):
    base.win.setSize(*size)
    window.toggle()
    user.step(4)
    window.toggle()
    window._library.wait()
    user.step(4)
    cells = [user.ui.items.rectangle("recording:lap:" + heading) for heading in list(COLUMNS)[1:]]
    for left_cell, right_cell in zip(cells, cells[1:], strict=False):
        assert left_cell[2] <= right_cell[0]
    assert cells[-1][2] <= size[0]
    base.win.setSize(1280, 720)


def test_only_visible_rows_are_drawn(ui, user):
    class Many:
        entries = [make_entry(f"drive {k:03d}", float(k), seconds=1.0) for k in range(500)]

        def refresh(self):
            pass

    window = RecordingsWindow(ui, Many())
    ui.add(window.draw)
    window.toggle()
    user.step()
    drawn = [name for name in ui.items.names() if name.startswith("recording:drive") and name.count(":") == 1]
    assert 5 < len(drawn) < 60 and "recording:drive 499" in drawn  # newest first
