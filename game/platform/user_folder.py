"""The folder for everything that the user makes with the program: setups, recordings, settings, logs, screenshots.

It is in the platform's folder for user data (`SANDBOX_HOME` overrides it) and never inside the program's own
folder, so that updating or deleting a clone loses nothing. Files are replaced atomically: a reader, or the next
start after a power cut, sees the old text or the new one, never half of it.
"""

import contextlib
import logging
import logging.handlers
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import platformdirs

from driving_sandbox.physics.base.user_error import UserError

APP_NAME = "driving-sandbox"
PROGRAM_FOLDER = Path(__file__).resolve().parents[2]
SUBFOLDERS = ("setups", "vehicles", "recordings", "autosave", "settings", "lines", "laps", "logs", "screenshots")
LOG_BYTES = 1_000_000  # bytes of a log file: hours of normal driving, and any editor opens it
LOG_COUNT = 5  # older log files per name, with the current one 6 MB at most: last week's faults are still there


class UserFolderError(UserError):
    """The user folder, or a file in it, cannot be used; the message says why."""

    exit_code = 1


def user_folder() -> Path:
    """The user folder, created with its subfolders if missing.

    Raises:
        UserFolderError: it lies inside the program's folder or cannot be made.
    """
    override = os.environ.get("SANDBOX_HOME")
    folder = Path(override).expanduser() if override else Path(platformdirs.user_data_dir(APP_NAME, appauthor=False))
    folder = folder.resolve()
    if folder.is_relative_to(PROGRAM_FOLDER):
        raise UserFolderError(
            f"{folder}: the user folder must not be inside the program's folder {PROGRAM_FOLDER}; set SANDBOX_HOME"
        )
    try:
        for name in SUBFOLDERS:
            (folder / name).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or error
        raise UserFolderError(f"{folder}: cannot make the user folder: {reason}; set SANDBOX_HOME") from None
    return folder


def subfolder(name: str) -> Path:
    """The path of one of SUBFOLDERS in the user folder."""
    if name not in SUBFOLDERS:
        raise ValueError(f"{name!r} is no subfolder of the user folder; known: {', '.join(SUBFOLDERS)}")
    return user_folder() / name


def open_log(name: str, level: int = logging.INFO) -> Path:
    """Send the program's log to logs/NAME.log, with rotation; returns the path.

    The log opened by an earlier call is closed first; its file stays.

    Raises:
        UserFolderError: the user folder cannot be used, or the file cannot be opened.
    """
    path = subfolder("logs") / f"{name}.log"
    root = logging.getLogger()
    for handler in [h for h in root.handlers if isinstance(h, logging.handlers.RotatingFileHandler)]:
        root.removeHandler(handler)
        handler.close()
    try:
        handler = logging.handlers.RotatingFileHandler(path, maxBytes=LOG_BYTES, backupCount=LOG_COUNT, encoding="utf8")
    except OSError as error:
        raise UserFolderError(f"{path}: cannot write the log: {error.strerror or error}") from None
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root.addHandler(handler)
    root.setLevel(level)
    return path


def write_atomic(path: Path, content: str | bytes) -> Path:
    """Write a file so that it holds either its old content or all of the new one; returns the path.

    The content is written to a temporary file in the same folder (a rename across file systems is not atomic) and
    forced to the disk; then that file gets the name in one step.

    Raises:
        UserFolderError: the file cannot be written; the old file stays, and no temporary file is left.
    """
    path = Path(path)
    with file_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, content.encode("utf8") if isinstance(content, str) else content)
    return path


@contextlib.contextmanager
def file_errors(path: Path) -> Iterator[None]:
    """Turn an OSError within this context (a full disk, missing rights) into a UserFolderError that names `path`."""
    try:
        yield
    except OSError as error:
        raise UserFolderError(f"{path}: {error.strerror or error}") from error


def _write(path: Path, data: bytes) -> None:
    """Write a temporary file next to `path`, and rename it to `path`."""
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
