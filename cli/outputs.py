"""Checks output files before the work starts, not after it."""

import os
from pathlib import Path

from driving_sandbox.physics.schema.yaml_file import ConfigError

PICTURE_SUFFIXES = (".png", ".jpg")


def check_output(path: Path | str | None, option: str, suffixes: tuple[str, ...]) -> None:
    """Raise ConfigError when a file cannot be written at `path` (None: no check) or has another suffix."""
    if path is None:
        return
    path = Path(path)
    if path.suffix not in suffixes:
        raise ConfigError(path, None, option, f"must end in {' or '.join(suffixes)}")
    check_folder(path.resolve().parent, option)


def check_folder(folder: Path | str, option: str) -> None:
    """Raise ConfigError when nothing can be written into `folder`."""
    if not Path(folder).is_dir():
        raise ConfigError(folder, None, option, "no such folder")
    if not os.access(folder, os.W_OK):
        raise ConfigError(folder, None, option, "this folder cannot be written to")
