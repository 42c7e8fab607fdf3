"""The recordings in a folder, with the name and note that the user gave them, and a thumbnail.

Notes and thumbnails are in files next to a recording, which itself stays unchanged: `lap.drive` may have
`lap.note.yaml` (game/recordings/notes.py) and `lap.png`. A worker process summarises recordings
(game/recordings/summary.py), the newest first. An index file in the folder keeps the summaries; they are valid as long
as the recordings stay unchanged.
"""

import json
import logging
import re
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from driving_sandbox.game.platform.user_folder import UserFolderError, file_errors, write_atomic
from driving_sandbox.game.recordings.notes import Notes
from driving_sandbox.game.recordings.summary import Summary, SummaryReader, from_plain
from driving_sandbox.physics.base.user_error import WrongValue
from driving_sandbox.physics.recording.folder import AUTOMATIC, BESIDE

SUFFIX, (PICTURE, NOTE) = ".drive", BESIDE  # of a recording, its thumbnail and its notes
INDEX = ".summaries.jsonl"  # file in the folder; each line is [name, modification time, size, Summary]
_log = logging.getLogger(__name__)


@dataclass
class RecordingFile:
    """One recording.

    Attributes:
        modified: modification time of the file, s since the epoch.
        size: bytes.
        summary: None until it was read.
    """

    path: Path
    modified: float
    size: int
    note: str = ""
    summary: Summary | None = None

    @property
    def name(self) -> str:
        """Name of the file without suffix."""
        return self.path.stem

    @property
    def key(self) -> tuple[str, float, int]:
        """(name, modification time, size) of the file, which differs once the file has changed."""
        return self.path.name, self.modified, self.size

    @property
    def automatic(self) -> bool:
        """Whether the program removes the recording when newer ones need the space."""
        return self.path.name.startswith(AUTOMATIC)

    @property
    def picture(self) -> Path | None:
        """The thumbnail's file, or None."""
        path = self.path.with_suffix(PICTURE)
        return path if path.is_file() else None


class RecordingLibrary:
    """List of the recordings in a folder; call `refresh` when the list is opened.

    Args:
        folder: folder of the recordings.
        in_use: function() -> path of the recording being written, or None.
        reader: function() -> context manager whose `read(path)` returns a Summary.
    Attributes:
        entries: list of RecordingFile, the newest first.
    """

    def __init__(
        self, folder: str | Path, in_use: Callable[[], Any] = lambda: None, reader: Callable[[], Any] = SummaryReader
    ) -> None:
        self._folder, self._in_use, self._reader = Path(folder), in_use, reader
        self.entries: list[RecordingFile] = []
        self._known: dict[tuple, Summary] = {}  # {RecordingFile.key: Summary}
        self._index_read = False  # whether `_known` has the summaries of the index file
        self._thread: threading.Thread | None = None  # summarises the entries listed last
        self._closed = False

    def refresh(self) -> None:
        """List the folder again; new recordings are summarised in the background."""
        entries = []
        for path in self._folder.glob(f"*{SUFFIX}"):
            try:
                status = path.stat()
            except OSError:
                continue  # removed meanwhile
            entry = RecordingFile(path, status.st_mtime, status.st_size, Notes(path).text)
            entry.summary = self._known.get(entry.key)
            entries.append(entry)
        self.entries = sorted(entries, key=lambda entry: entry.modified, reverse=True)
        self._thread = threading.Thread(target=self._read_all, args=(self.entries,), daemon=True)
        self._thread.start()

    def _read_all(self, entries: list[RecordingFile]) -> None:
        """Summarise the entries that are not known yet, and save the summaries; runs in the thread."""
        if not self._index_read:
            self._read_index()
        for entry in entries:
            entry.summary = self._known.get(entry.key)
        new = [entry for entry in entries if entry.summary is None]
        if not new:
            return
        with self._reader() as reader:
            for entry in new:
                if self._closed or entries is not self.entries:  # another thread reads the newer list
                    return
                entry.summary = self._known[entry.key] = reader.read(entry.path)
        self._write_index(entries)

    def _read_index(self) -> None:
        """Read the folder's index file up to a line that cannot be read; recordings after it are summarised again."""
        path = self._folder / INDEX
        try:
            for line in path.read_text(encoding="utf8").splitlines():
                name, modified, size, plain = json.loads(line)
                self._known.setdefault((name, modified, size), from_plain(plain))
        except FileNotFoundError:
            pass
        except (OSError, ValueError, TypeError, KeyError) as error:
            _log.warning("%s: %s", path, error)
        self._index_read = True

    def _write_index(self, entries: list[RecordingFile]) -> None:
        """Write the known summaries of these entries to the index file."""
        rows = [[*entry.key, asdict(entry.summary)] for entry in entries if entry.summary is not None]
        try:
            write_atomic(self._folder / INDEX, "".join(f"{json.dumps(row)}\n" for row in rows))
        except UserFolderError as error:
            _log.warning("%s", error)

    def wait(self) -> None:
        """Block until the thread has ended: all recordings listed last are summarised, or `close` was called."""
        if self._thread:
            self._thread.join()

    def close(self) -> None:
        """Let the background thread end after the recording that it reads."""
        self._closed = True

    def set_note(self, entry: RecordingFile, note: str) -> None:
        """Write the note of a recording into the file next to it; an empty note is removed. Raises UserError."""
        notes = Notes(entry.path)
        notes.write(note)
        entry.note = notes.text

    def rename(self, entry: RecordingFile, name: str) -> None:
        """Give a recording another name; it no longer counts as automatic. Raises UserError."""
        name = name.strip()
        if not re.fullmatch(r"[\w][\w .()+-]*", name):
            raise WrongValue(f"{name!r}: a name is made of letters, digits, spaces and . ( ) + - _")
        if name.startswith(AUTOMATIC):
            raise WrongValue(f"{name!r}: recordings that begin with {AUTOMATIC} are removed when space is needed")
        target = entry.path.with_name(f"{name}{SUFFIX}")
        if target.exists():
            raise WrongValue(f"{name!r}: there is a recording of this name")
        if self._is_written(entry):
            raise WrongValue("it is still being recorded: save it first, rename it after the drive")
        for path in (entry.path, _sidecar(entry.path, NOTE), entry.path.with_suffix(PICTURE)):
            if path.exists():
                with file_errors(path):
                    path.rename(path.with_name(name + path.name[len(entry.path.stem) :]))
        self.refresh()

    def delete(self, entry: RecordingFile) -> None:
        """Remove a recording with its note and thumbnail. Raises UserError."""
        if self._is_written(entry):
            raise WrongValue("it is still being recorded")
        for path in (entry.path, _sidecar(entry.path, NOTE), entry.path.with_suffix(PICTURE)):
            with file_errors(path):
                path.unlink(missing_ok=True)
        self.refresh()

    def _is_written(self, entry: RecordingFile) -> bool:
        """Whether an entry is the recording that is being written."""
        current = self._in_use()
        return current is not None and Path(current) == entry.path


def _sidecar(path: Path, suffix: str) -> Path:
    """Path of the file next to a recording; its `suffix` may have two parts (.note.yaml)."""
    return path.with_name(path.stem + suffix)
