"""Safe reading of untrusted files: regular files only, up to a size limit.

Reading a device could fill the memory, reading a pipe could block for ever, and a link may point to either.
"""

import math
import os
import stat
from pathlib import Path
from typing import BinaryIO

MEGABYTE = 1_000_000  # bytes


def _check(status: os.stat_result, max_size: float) -> None:
    """Raise OSError for a file that is not regular, or longer than `max_size` bytes."""
    if not stat.S_ISREG(status.st_mode):
        raise OSError("a folder" if stat.S_ISDIR(status.st_mode) else "not a regular file")
    if status.st_size > max_size:
        size = status.st_size / MEGABYTE
        raise OSError(f"{size:.1f} MB, at most {max_size / MEGABYTE:g} MB are read")


def check_file(path: str | Path, max_size: float) -> None:
    """Raise OSError for a file that is missing, not regular, or longer than `max_size` bytes."""
    _check(os.stat(path), max_size)


def open_regular(path: str | Path, max_size: float = math.inf) -> BinaryIO:
    """A regular file of at most `max_size` bytes, opened for reading bytes. Raises OSError."""
    # O_NONBLOCK: opening a pipe does not wait for a writer
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        _check(os.fstat(descriptor), max_size)
    except OSError:
        os.close(descriptor)
        raise
    return os.fdopen(descriptor, "rb")


def read_bytes(path: str | Path, max_size: int) -> bytes:
    """Contents of a regular file of at most `max_size` bytes. Raises OSError."""
    with open_regular(path, max_size) as file:
        data = file.read(max_size + 1)
    if len(data) > max_size:  # it has grown since it was opened
        raise OSError(f"more than {max_size / MEGABYTE:g} MB")
    return data


def read_text(path: str | Path, max_size: int, encoding: str = "utf8", errors: str = "strict") -> str:
    """Contents of a text file of at most `max_size` bytes, newlines as "\\n". Raises OSError and UnicodeDecodeError."""
    text = read_bytes(Path(path), max_size).decode(encoding, errors)
    return text.replace("\r\n", "\n").replace("\r", "\n")
