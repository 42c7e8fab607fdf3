"""Resolves names on the command line that refer to files in the user folder."""

from pathlib import Path

from driving_sandbox.physics.schema.yaml_file import ConfigError, key_hint
from driving_sandbox.physics.vehicle.vehicle_file import VEHICLE_FOLDER

RECORDING_SUFFIX = ".drive"


def named_vehicle(name: str) -> str:
    """Path of the user's vehicle `name`, or `name` itself.

    `name` is returned if it has a suffix, if the program has a vehicle of that name, or if the user has none.
    """
    from driving_sandbox.game.platform.user_folder import UserFolderError, subfolder

    if Path(name).suffix or (VEHICLE_FOLDER / f"{name}.yaml").is_file():
        return name
    try:
        user_file = subfolder("vehicles") / f"{name}.yaml"
    except UserFolderError:
        return name
    return str(user_file) if user_file.is_file() else name


def find_recording(name: str | Path) -> Path:
    """Path of a recording, given as a path or as a name in the user folder. Raises ConfigError or UserFolderError."""
    from driving_sandbox.game.platform.user_folder import subfolder

    path = Path(name)
    if path.exists():
        return path
    folder = subfolder("recordings")
    for candidate in (folder / path.name, folder / f"{path.name}{RECORDING_SUFFIX}"):
        if candidate.exists():
            return candidate
    known = [p.name for p in folder.glob(f"*{RECORDING_SUFFIX}")]
    raise ConfigError(name, None, "", f"no such recording, neither here nor in {folder}{key_hint(path.name, known)}")
