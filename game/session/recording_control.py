"""Chooses the file that a drive is recorded to: one that the user named, or automatic ones; the oldest are removed.

An automatic recording ends after `PIECE` and the next one begins. Old pieces are removed one by one when the folder
reaches its maximum size. Keeping a recording also keeps the piece before it, so that the last half hour is always
included.
"""

import contextlib
import logging
import shutil
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from driving_sandbox.physics.recording import Recorder, RecordingError
from driving_sandbox.physics.recording.folder import AUTOMATIC, RecordingFolder

if TYPE_CHECKING:
    from driving_sandbox.physics.world.world import World

PIECE = 1800.0  # s, length of an automatic recording
_log = logging.getLogger(__name__)


class RecordingControl:
    """Begins and ends the recordings of a drive; call `poll` once a frame.

    Args:
        world: World.
        folder: folder of automatic recordings, None for none.
        record: path of a recording that the user named, instead of automatic ones, or None.
        now: function() -> datetime.
        say: function(text, level), shows a message.
        piece: length of an automatic recording, s.
    Attributes:
        failures: texts of errors that ended a recording that the user named or kept, before the drive ended.
        recorder: the Recorder, None while nothing is recorded.
        on_open: list of functions called whenever a further automatic recording has begun.
    Raises:
        RecordingError: `record` cannot be written.
    """

    def __init__(
        self,
        world: "World",
        folder: str | Path | None,
        record: str | Path | None,
        now: Callable[[], datetime],
        say: Callable[..., object],
        piece: float = PIECE,
    ) -> None:
        self._world, self._now, self._say, self._piece = world, now, say, piece
        self._folder = None if folder is None else RecordingFolder(folder)  # None: no automatic recordings
        self.on_open: list[Callable[[], object]] = []
        self.failures: list[str] = []
        self._last: Path | None = None  # path of the piece before the present one
        self.recorder = self._open(record)

    def _stamp(self) -> str:
        return self._now().strftime("%Y%m%d-%H%M%S")

    def _open(self, record: str | Path | None) -> Recorder | None:
        """A Recorder to the file `record`, or if that is None to a new automatic recording.

        Raises RecordingError if `record` cannot be written; None if an automatic one cannot.
        """
        created = self._now().isoformat(timespec="seconds")
        try:
            if record is not None:
                return Recorder(record, self._world, created)
            if self._folder is not None:
                self._folder.clean()
                return Recorder(self._folder.automatic(self._stamp()), self._world, created)
        except OSError as error:
            text = f"{error.filename or record}: cannot be recorded to: {error.strerror or error}"
            if record is not None:
                raise RecordingError(text) from None
            _log.warning("%s", text)
            self._say(text, "warning")
        return None

    def poll(self) -> None:
        """Write due data; end the recording after an error such as a full disk, or after PIECE begin the next one."""
        recorder = self.recorder
        if recorder is None:
            return
        recorder.poll()
        if recorder.error:
            with contextlib.suppress(OSError):
                recorder.close()
            self._failed(recorder)
            self.recorder = None
        elif recorder.tick * recorder.tick_seconds >= self._piece and self._automatic(recorder):
            recorder.close("continued")
            self._last = Path(recorder.path)
            self.recorder = self._open(None)
            for listener in self.on_open:
                listener()

    @property
    def state(self) -> int:
        """0: nothing is recorded; 1: an automatic recording, which may be removed later; 2: one that stays."""
        return 0 if self.recorder is None else 2 - self._automatic(self.recorder)

    def _automatic(self, recorder: Recorder) -> bool:
        """Whether a recorder writes an automatic recording."""
        return self._folder is not None and Path(recorder.path).name.startswith(AUTOMATIC)

    def keep(self) -> Path | None:
        """Keep the recording permanently, including what is still to be driven if an open file can be renamed here.

        Returns its path, or None if nothing is recorded or it cannot be saved.
        """
        recorder, folder = self.recorder, self._folder
        if recorder is None:
            self._say("nothing is being recorded", "warning")
            return None
        recorder.event("mark", text="kept")
        recorder.sync()
        path = Path(recorder.path)
        if folder is not None and self._automatic(recorder):
            try:
                path = self._keep_automatic(recorder, folder)
            except OSError as error:
                self._say(f"{path}: cannot be saved: {error.strerror or error}", "warning")
                return None
        self._say(f"recording saved: {path}", "info")
        return path

    def _keep_automatic(self, recorder: Recorder, folder: RecordingFolder) -> Path:
        """Rename an automatic recording, and the piece before it, so that they are not removed; returns the path."""
        self._keep_last(folder)
        path, new_path = Path(recorder.path), folder.kept(self._stamp())
        try:
            recorder.rename(new_path)
        except OSError:  # some systems cannot rename open files: copy the data written so far
            shutil.copyfile(path, new_path)
        return new_path

    def _keep_last(self, folder: RecordingFolder) -> None:
        """Keep the piece before the present one, if it is still there."""
        if self._last is not None and self._last.is_file():
            self._last.rename(folder.kept(self._last.stem.removeprefix(AUTOMATIC)))
        self._last = None

    def _failed(self, recorder: Recorder) -> None:
        """Report on the screen and the terminal that a recording ended before the drive, and its length."""
        seconds = recorder.written * recorder.tick_seconds
        text = f"{recorder.error}; the first {seconds:.1f} s are saved and can be played"
        self._say(text, "warning")
        print(text, file=sys.stderr)
        if not self._automatic(recorder):
            self.failures.append(text)

    def close(self, reason: str) -> None:
        """End the recording, and remove old automatic ones."""
        if self.recorder:
            self.recorder.close(reason)
            if self.recorder.error:
                self._failed(self.recorder)
        if self._folder is not None:
            self._folder.clean(self.recorder.path if self.recorder else None)
