"""Notes at a time: typed, saved beside a recording, drawn in plots."""

import numpy as np
import pytest
from frame_pixels import pixels

from driving_sandbox.game.plots.plots import PlotWindow
from driving_sandbox.game.recordings.library import RecordingLibrary
from driving_sandbox.game.recordings.notes import Notes, TimedNote
from driving_sandbox.game.windows.note import NoteLine
from driving_sandbox.game.windows.window import FreeArea


def test_notes_and_the_general_note_are_saved_beside_a_recording(tmp_path):
    path = tmp_path / "lap.drive"
    path.write_bytes(b"")
    notes = Notes(path)
    notes.add(12.3456789, "turned in too late")
    notes.add(3.0, "braked at the bridge: äöü")
    library = RecordingLibrary(tmp_path)
    library.refresh()
    library.wait()
    library.set_note(library.entries[0], "wet")
    loaded = Notes(path)
    assert loaded.text == "wet"
    assert loaded.moments == [TimedNote(3.0, "braked at the bridge: äöü"), TimedNote(12.3457, "turned in too late")]
    loaded.remove(loaded.moments[0])
    loaded.write("")
    assert Notes(path).text == "" and len(Notes(path).moments) == 1
    loaded.remove(loaded.moments[0])
    assert [p.name for p in tmp_path.iterdir() if not p.name.startswith(".")] == ["lap.drive"]


@pytest.mark.parametrize("text", ["- a\n", "moments: 3\n", "moments: [{time: soon, text: a}]\n", "note: [\n"])
def test_unreadable_notes_are_reported_and_not_overwritten(tmp_path, text):
    (tmp_path / "lap.note.yaml").write_text(text)
    notes = Notes(tmp_path / "lap.drive")
    assert "lap.note.yaml" in notes.problem
    with pytest.raises(ValueError, match="lose its notes"):
        notes.add(1.0, "a")
    assert (tmp_path / "lap.note.yaml").read_text() == text


@pytest.mark.parametrize("text, note", [("note:\n", ""), ("note: 12\n", "12")])
def test_a_note_without_text_is_empty(tmp_path, text, note):
    (tmp_path / "lap.note.yaml").write_text(text)
    notes = Notes(tmp_path / "lap.drive")
    assert (notes.text, notes.problem) == (note, "")


def test_a_typed_note_has_the_time_of_opening_the_line(ui, user):
    notes, clock = [], [4.5]
    line = NoteLine(ui, lambda *note: notes.append(note), moment=lambda: clock[0])
    ui.add(lambda: line.draw(FreeArea(left=0.0, right=1280.0, bottom=720.0)))
    user.step()
    line.toggle()
    user.step()
    assert ui.wants_keyboard
    clock[0] = 6.0
    user.type("late brake ")
    user.key("enter")
    assert notes == [(4.5, "late brake")] and not line.open
    for text, key in (("", "enter"), ("no", "escape")):  # nothing typed; cancelled
        line.begin(5.0)
        user.step()
        user.type(text)
        user.key(key)
        assert not line.open
    line.begin(6.0)
    line.begin(7.0)  # closes the open line
    assert len(notes) == 1 and not line.open


def test_marks_are_lines_in_the_plots_over_time(base, ui, vehicle, user):
    window, marks = PlotWindow(ui), []
    window.marks = lambda: marks
    ui.add(lambda: window.draw(vehicle))
    user.step()
    for time in np.arange(0.0, 8.0, 1.0 / 60.0):
        window.sample(vehicle, float(time))
    user.step()
    before = pixels(base)
    marks += [(5.0, "here"), (900.0, "not in these seconds")]
    user.step()
    changed = (before != pixels(base)).any(axis=2)
    left, top, right, bottom = user.ui.items.rectangle("plot:Wheel load")
    column = int(left + (right - left) * 0.7)  # 5 s on an axis from -2 to 8 s
    rows = slice(int(top) + 5, int(bottom) - 5)
    near = changed[rows, column - 15 : column + 15]
    assert near.any(axis=1).mean() > 0.9 and changed[:, : int(left)].sum() == 0
