"""The recordings in a folder, with what a person added to them: a name, a note and a picture of the last moment.

Name and notes belong to a person, so they stand beside the recording and never change it: `lap.drive` may have
`lap.note.yaml` (game/notes.py) and `lap.png`. Recordings are read in a thread, the newest first, and what was read is
remembered while the file stays as it is.
"""

import re
import threading
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from game.notes import Notes
from physics.recording import Recording, RecordingError
from physics.recording_folder import AUTOMATIC, BESIDE

SUFFIX, (PICTURE, NOTE) = ".drive", BESIDE
WAY_POINTS = 200  # of the preview of the way


@dataclass
class Summary:
    """What a recording holds: seconds, names of vehicles and world, marks, places (n, 2) of the first vehicle seen from
    above; `problem` when it cannot be read."""

    seconds: float = 0.0
    created: str = ""
    vehicles: tuple = ()
    world: str = ""
    marks: int = 0
    way: np.ndarray = field(default_factory=lambda: np.zeros((0, 2)))
    problem: str = ""


@dataclass
class Entry:
    """One recording. `summary` is None until it was read."""

    path: Path
    modified: float
    size: int
    note: str = ""
    summary: Summary | None = None

    @property
    def name(self):
        return self.path.stem

    @property
    def automatic(self):
        """Removed by the program when newer ones need the room."""
        return self.path.name.startswith(AUTOMATIC)

    @property
    def picture(self):
        """The picture beside it, or None."""
        path = self.path.with_suffix(PICTURE)
        return path if path.is_file() else None


class Shelf:
    """Call `refresh` when it is opened.

    Args:
        folder: of the recordings. in_use: function() -> path of the recording being written, or None.
    Attributes:
        entries: the newest first.
    """

    def __init__(self, folder, in_use=lambda: None):
        self._folder, self._in_use = Path(folder), in_use
        self.entries, self._known = [], {}
        self._thread, self._closed = None, False

    def refresh(self):
        """Look at the folder again; what is new is read beside."""
        entries = []
        for path in self._folder.glob(f"*{SUFFIX}"):
            try:
                status = path.stat()
            except OSError:
                continue  # removed meanwhile
            entry = Entry(path, status.st_mtime, status.st_size, Notes(path).text)
            entry.summary = self._known.get((path, status.st_mtime, status.st_size))
            entries.append(entry)
        self.entries = sorted(entries, key=lambda entry: entry.modified, reverse=True)
        self._thread = threading.Thread(target=self._read_all, args=(self.entries,), daemon=True)
        self._thread.start()

    def _read_all(self, entries):
        for entry in entries:
            if self._closed or entries is not self.entries:  # another thread reads the newer list
                return
            if entry.summary is None:
                entry.summary = summary_of(entry.path)
                self._known[(entry.path, entry.modified, entry.size)] = entry.summary

    def wait(self):
        """Until everything is read."""
        if self._thread:
            self._thread.join()

    def close(self):
        self._closed = True

    def set_note(self, entry, note):
        """Keep a note beside a recording; an empty one removes it. Raises ValueError, OSError."""
        notes = Notes(entry.path)
        notes.write(note)
        entry.note = notes.text

    def rename(self, entry, name):
        """Give a recording another name; then the program never removes it. Raises ValueError, OSError."""
        name = name.strip()
        if not re.fullmatch(r"[\w][\w .()+-]*", name) or name.startswith(AUTOMATIC):
            raise ValueError(f"{name!r}: a name is made of letters, digits, spaces and . ( ) + - _")
        target = entry.path.with_name(f"{name}{SUFFIX}")
        if target.exists():
            raise ValueError(f"{name!r}: there is a recording of this name")
        if self._is_written(entry):
            raise ValueError("it is still being recorded: keep it first, rename it after the drive")
        for path in (entry.path, _beside(entry.path, NOTE), entry.path.with_suffix(PICTURE)):
            if path.exists():
                path.rename(path.with_name(name + path.name[len(entry.path.stem) :]))
        self.refresh()

    def delete(self, entry):
        """Remove a recording with its note and picture. Raises ValueError, OSError."""
        if self._is_written(entry):
            raise ValueError("it is still being recorded")
        for path in (entry.path, _beside(entry.path, NOTE), entry.path.with_suffix(PICTURE)):
            path.unlink(missing_ok=True)
        self.refresh()

    def _is_written(self, entry):
        current = self._in_use()
        return current is not None and Path(current) == entry.path


def _beside(path, suffix):
    return path.with_name(path.stem + suffix)


def summary_of(path):
    """The Summary of a recording file."""
    try:
        recording = Recording.open(path)
        times = np.linspace(0.0, recording.seconds, WAY_POINTS)
        way = [recording.pose_at(time).vehicles[0]["model_position"][:2] for time in times] if recording.ticks else []
    except (RecordingError, OSError, ValueError, KeyError, IndexError) as error:
        return Summary(problem=str(error))
    header = recording.header
    vehicles = tuple(str(one.get("name", "?")) for one in header["vehicles"])
    marks = sum(event["kind"] == "mark" for event in recording.events)
    world = header["world"].get("name") if isinstance(header["world"], dict) else None
    places = np.array(way, dtype=float).reshape(-1, 2)
    return Summary(recording.seconds, str(header["created"]), vehicles, str(world or ""), marks, places)
