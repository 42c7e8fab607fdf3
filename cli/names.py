"""What the words of the command line name: vehicles, worlds, manoeuvres, recordings."""

from pathlib import Path

from physics.jit import ROOT
from physics.yaml_file import ConfigError, nearest_key

WORLD_FOLDER = ROOT / "configs" / "worlds"
RECORDING_SUFFIX = ".drive"


def find_world(name):
    """Path of a world: a file, or the name of one in configs/worlds. Raises ConfigError with the nearest name."""
    path = Path(name)
    if path.suffix in (".yaml", ".yml") or path.exists():
        return path
    known = sorted(p.stem for p in WORLD_FOLDER.glob("*.yaml"))
    if name not in known:
        hint = nearest_key(name, known)
        raise ConfigError(name, None, "", f"no such world{hint}; known: {', '.join(known)}, or give a .yaml file")
    return WORLD_FOLDER / f"{name}.yaml"


def find_recording(name):
    """Path of a recording: a file, or the name of one in the user folder. Raises ConfigError."""
    from game.user_folder import subfolder

    path = Path(name)
    if path.exists():
        return path
    folder = subfolder("recordings")
    for candidate in (folder / path.name, folder / f"{path.name}{RECORDING_SUFFIX}"):
        if candidate.exists():
            return candidate
    known = [p.name for p in folder.glob(f"*{RECORDING_SUFFIX}")]
    raise ConfigError(name, None, "", f"no such recording, neither here nor in {folder}{nearest_key(path.name, known)}")
