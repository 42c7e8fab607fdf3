"""The user's notes about a recording, in a sidecar file: `lap.note.yaml` for `lap.drive`.

    note: dry, new springs
    moments:
      - {time: 12.35, text: "turned in too late"}

The recording itself is never changed. A file of notes that cannot be read is not overwritten.
"""

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from driving_sandbox.game.platform.user_folder import file_errors, write_atomic
from driving_sandbox.physics.base.user_error import WrongValue
from driving_sandbox.physics.recording.folder import BESIDE
from driving_sandbox.physics.schema.yaml_file import ConfigError, YamlMap, load_yaml

_, SUFFIX = BESIDE  # of the sidecar file
MAX_MOMENTS = 1000  # timed notes of a recording, far more than anybody writes
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class TimedNote:
    """A note at a moment of a recording.

    Attributes:
        time: s from the recording's start.
    """

    time: float
    text: str


class Notes:
    """The notes of one recording.

    Args:
        recording: path of the recording.
    Attributes:
        text: the note about the whole recording.
        moments: list of TimedNote, sorted by time.
        problem: what is wrong with the file of notes, or "".
    """

    def __init__(self, recording: str | Path) -> None:
        recording = Path(recording)
        self._path = recording.with_name(recording.stem + SUFFIX)
        self.text, self.problem = "", ""
        self.moments: list[TimedNote] = []
        if self._path.is_file():
            try:
                self._read(load_yaml(self._path))
            except ConfigError as error:
                _log.warning("%s", error)
                self.problem = str(error)

    def _read(self, doc: Any) -> None:
        """Read the notes from a file's parsed content. Raises ConfigError."""
        if not isinstance(doc, YamlMap):
            raise ConfigError(self._path, None, "", "must be a mapping with the keys note and moments")
        note = doc.get("note")
        self.text = "" if note is None else str(note)  # None: the key without a value
        moments = doc.get("moments", [])
        if not isinstance(moments, list) or len(moments) > MAX_MOMENTS:
            raise doc.error("moments", f"must be a list of at most {MAX_MOMENTS}")
        for moment in moments:
            time = moment.get("time") if isinstance(moment, YamlMap) else None
            if time is None or type(time) not in (int, float) or not isinstance(moment.get("text"), str):
                raise doc.error("moments", "must be a list of {time: ..., text: ...}")
            self.moments.append(TimedNote(float(time), moment["text"]))
        self.moments.sort(key=lambda moment: moment.time)

    def write(self, text: str) -> None:
        """Set the note about the whole recording; an empty text removes it. Raises UserError."""
        self._save(text.strip(), self.moments)

    def add(self, time: float, text: str) -> None:
        """Add a note at `time`, s from the recording's start. Raises UserError."""
        if len(self.moments) >= MAX_MOMENTS:
            raise WrongValue(f"a recording has at most {MAX_MOMENTS} notes")
        self._save(self.text, sorted([*self.moments, TimedNote(round(float(time), 4), text)], key=lambda m: m.time))

    def remove(self, moment: TimedNote) -> None:
        """Remove a timed note. Raises UserError."""
        self._save(self.text, [other for other in self.moments if other != moment])

    def _save(self, text: str, moments: list[TimedNote]) -> None:
        """Write text and moments, or remove the file if there are none. Raises UserError."""
        if self.problem:
            raise WrongValue(f"not saved: overwriting an unreadable file would lose its notes: {self.problem}")
        doc: dict[str, Any] = {"note": text} if text else {}
        if moments:
            doc["moments"] = [{"time": moment.time, "text": moment.text} for moment in moments]
        if doc:
            write_atomic(self._path, yaml.safe_dump(doc, allow_unicode=True, sort_keys=False))
        else:
            with file_errors(self._path):
                self._path.unlink(missing_ok=True)
        self.text, self.moments = text, moments
