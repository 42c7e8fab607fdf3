"""The folder of compiled kernels and generated steps.

Its content is executed. So in the temporary folder, where everybody may write, only a folder that belongs to the user
is used. If the preferred folder is read-only (as in a system-wide installation), files are read from it if the user or
root owns it and others cannot write to it; what is missing there is compiled into another folder.
"""

import hashlib
import os
import stat
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numba
import platformdirs

APP_NAME = "driving-sandbox"
PRIVATE = 0o700  # permissions of the program's folder in the temporary one, where everybody may create folders
OTHERS = 0o077  # all permissions of group and others
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH  # their permissions to write
DIGEST_SIZE = hashlib.sha256().digest_size


def _preferred() -> Path:
    """The folder that `SANDBOX_CACHE` or the system prescribes, whether it can be used or not."""
    folder = os.environ.get("SANDBOX_CACHE") or platformdirs.user_cache_dir(APP_NAME, appauthor=False)
    return Path(folder) / f"kernels-{numba.__version__}"


@cache
def cache_folder() -> Path:
    """Folder that compiled kernels and generated steps are written into, one per numba version; made on first use.

    `SANDBOX_CACHE` overrides it. Where it cannot be written, it is a private folder below the temporary one.

    Raises:
        OSError: neither can be written.
    """
    folder = _preferred()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
    except OSError:
        pass
    folder = _private_folder() / folder.name
    folder.mkdir(exist_ok=True)
    return folder


def _private_folder() -> Path:
    """A folder below the temporary one that this user has created and nobody else can enter."""
    if os.name != "posix":
        folder = Path(tempfile.gettempdir(), APP_NAME)  # the temporary folder is the user's own there
        folder.mkdir(parents=True, exist_ok=True)
        return folder
    folder = Path(tempfile.gettempdir(), f"{APP_NAME}-{os.getuid()}")
    try:
        folder.mkdir(PRIVATE)
    except FileExistsError:
        status = folder.lstat()  # does not follow links
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & OTHERS:
            return Path(tempfile.mkdtemp(prefix=f"{APP_NAME}-"))  # somebody else's: use one for this process only
    return folder


@cache
def readable_folder() -> Path | None:
    """A second folder that can only be read.

    None where there is none, other users could have written to it, or the system does not tell (Windows).
    """
    folder = _preferred()
    try:
        status = folder.stat()
    except OSError:
        return None
    if folder == cache_folder() or os.name != "posix":
        return None
    return folder if status.st_uid in (0, os.getuid()) and not status.st_mode & OTHERS_WRITE else None


def cached(*parts: Any) -> Path:
    """Path of a file of the cache: where it exists, else where it would be written."""
    path = cache_folder().joinpath(*parts)
    second = readable_folder()
    if second is None or path.exists():
        return path
    other = second.joinpath(*parts)
    return other if other.exists() else path


def write_whole(path: Path, data: bytes) -> None:
    """Replace the content of a file atomically.

    Raises:
        OSError: it cannot be written, as on a full disk; the old file stays.
    """
    partial = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        with open(partial, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError:
        partial.unlink(missing_ok=True)
        raise


def sealed(data: bytes) -> bytes:
    """Bytes preceded by their checksum."""
    return hashlib.sha256(data).digest() + data


def unsealed(data: bytes) -> bytes | None:
    """The bytes in a result of `sealed`; None if that is damaged or cut off."""
    digest, data = data[:DIGEST_SIZE], data[DIGEST_SIZE:]
    return data if hashlib.sha256(data).digest() == digest else None
