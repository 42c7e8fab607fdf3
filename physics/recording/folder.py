"""The folder of recordings: those saved by the user, and automatic ones, of which only the newest are kept."""

import contextlib
import time
from pathlib import Path

from driving_sandbox.physics.recording.format import PREFIX

AUTOMATIC = "auto-"  # first letters of automatic recordings; only these, with their companions, are ever removed
KEEP_FILES = 20  # newest automatic recordings that are kept
KEEP_BYTES = 2_000_000_000  # limit for all automatic recordings together; an hour of a car is at most 60 MB
BESIDE = (".png", ".note.yaml")  # suffixes of the files that accompany a recording: its thumbnail, the user's note
IN_USE_SECONDS = 60.0  # a file written to this recently may belong to another running program


class RecordingFolder:
    """Names recordings and removes old automatic ones. In its methods `stamp` is a time, like "20260102-030405"."""

    def __init__(self, path: Path | str, keep_files: int = KEEP_FILES, keep_bytes: int = KEEP_BYTES) -> None:
        self.path = Path(path)
        self.keep_files, self.keep_bytes = keep_files, keep_bytes

    def automatic(self, stamp: str) -> Path:
        """A free path for an automatic recording; creates the folder."""
        self.path.mkdir(parents=True, exist_ok=True)
        return self._free(f"{AUTOMATIC}{stamp}")

    def kept(self, stamp: str) -> Path:
        """A free path for a recording saved by the user."""
        return self._free(f"drive-{stamp}")

    def _free(self, stem: str) -> Path:
        """The first of the paths STEM.drive, STEM-2.drive, STEM-3.drive ... at which there is no file."""
        path, number = self.path / f"{stem}.drive", 2
        while path.exists():
            path, number = self.path / f"{stem}-{number}.drive", number + 1
        return path

    def clean(self, current: Path | str | None = None) -> list[Path]:
        """Remove empty automatic recordings and the oldest beyond the limits; returns the paths of those removed.

        The files that accompany them (BESIDE) are removed as well.

        Recordings written to in the last IN_USE_SECONDS are kept, and so is the one at the path `current`.
        """
        files = []
        for path in self.path.glob(f"{AUTOMATIC}*.drive"):
            with contextlib.suppress(OSError):  # another program may be cleaning up too
                status = path.stat()
                files.append((status.st_mtime, status.st_size, path))
        files.sort(reverse=True)
        removed, count, size = [], 0, 0
        in_use_since = time.time() - IN_USE_SECONDS
        for modified, length, path in files:
            count, size = count + 1, size + length
            empty = length <= PREFIX.size  # the program was killed at its start
            too_much = count > self.keep_files or size > self.keep_bytes or empty
            if too_much and modified < in_use_since and (current is None or path != Path(current)):
                with contextlib.suppress(OSError):
                    path.unlink()
                    removed.append(path)
                    for suffix in BESIDE:
                        path.with_name(path.stem + suffix).unlink(missing_ok=True)
        return removed
