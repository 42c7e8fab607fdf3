"""Volumes that the user sets, and their gains."""

from typing import Any

from driving_sandbox.sound.mixer import LOUDEST

VOLUMES = {  # {setting: (name for the user, field of LEVELS; None: a gain of single vehicles, not of a group)}
    "volume": ("Volume", "master"),
    "volume_engine": ("Engine", "engine"),
    "volume_tires": ("Tires", "tires"),
    "volume_surroundings": ("Wind, impacts and horn", "surroundings"),
    "volume_ghosts": ("Ghosts", None),
    "volume_interface": ("Interface", "interface"),
}


def gain(volume: float) -> float:
    """Gain of a volume 0..1; its square is closer to loudness, so that a slider acts evenly."""
    return volume * volume


def interface_gain(settings: Any) -> float:
    """Gain of the interface's sounds, 0..1, before the master gain."""
    return gain(settings.volume_interface)


def ghost_gain(settings: Any) -> float:
    """Gain of ghosts, 0..1; at the largest volume they are still quieter than other vehicles (sound/heard.py)."""
    return gain(settings.volume_ghosts)


def set_levels(levels: Any, settings: Any) -> None:
    """Write the volumes of Settings into a LEVELS record."""
    for setting, (_, field) in VOLUMES.items():
        if field is not None:
            loudest = LOUDEST if field == "master" else 1.0
            levels[field] = loudest * gain(getattr(settings, setting))  # one store: the audio thread may read now
