"""Which aids act on the keys, and the presets of them. Pads, wheels and the mouse are never aided."""

from typing import NamedTuple


class DrivingAids(NamedTuple):
    """The aids for keys (game/controls/key_aids.py).

    Attributes:
        steering: whether key steering is limited by grip and speed, and counter-steers.
        braking: whether the car slows by itself for the bends of the world's line.
        line: share, 0..1, of the steering towards the world's line that is added to the keys; 0 is off. It acts through
            the steering aid.
        throttle: whether the throttle key gives less while the tires spin or work hard sideways.
    """

    steering: bool = False
    braking: bool = False
    line: float = 0.0
    throttle: bool = False


BEGINNER = DrivingAids(steering=True, braking=True, line=0.5, throttle=True)
NORMAL = DrivingAids(steering=True)
SIMULATION = DrivingAids()
PRESETS = {"Beginner": BEGINNER, "Normal": NORMAL, "Simulation": SIMULATION}


def preset_of(aids: DrivingAids) -> str:
    """Name of the preset with these aids, "" if it is none."""
    return next((name for name, preset in PRESETS.items() if preset == aids), "")
