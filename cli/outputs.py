"""Checks of output files, before the work starts."""

import os
from pathlib import Path

from driving_sandbox.physics.schema.yaml_file import ConfigError

IMAGE_SUFFIXES = (".png", ".jpg")
SOUND_SUFFIXES = (".wav",)


def check_output(path: Path | str | None, option: str, suffixes: tuple[str, ...]) -> None:
    """Raise ConfigError when `path` (None: no check) has none of the suffixes, or its folder cannot be written."""
    if path is None:
        return
    path = Path(path)
    if path.suffix not in suffixes:
        raise ConfigError(path, None, option, f"must end in {' or '.join(suffixes)}")
    check_folder(path.resolve().parent, option)


def check_folder(folder: Path | str, option: str) -> None:
    """Raise ConfigError when `folder` does not exist or cannot be written."""
    if not Path(folder).is_dir():
        raise ConfigError(folder, None, option, "no such folder")
    if not os.access(folder, os.W_OK):
        raise ConfigError(folder, None, option, "no permission to write into this folder")
